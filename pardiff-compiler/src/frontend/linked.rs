//! Names of what stands elsewhere: unique in all crates, so that items from several places lie side by side.
//!
//! ```text
//! fn pair(a: &Atom) -> f64 { SIGMA }       =>       fn pair__pd91c0d5aa(a: &Atom__pd91c0d5aa) -> f64 { SIGMA__pdelsewhere }
//! ```

use proc_macro2::Ident;
use syn::Path;

/// What stands in front of the number of a unit.
const MARK: &str = "__pd";

/// How many digits a number has.
pub const DIGITS: usize = 10;

/// In place of a number: a name that the exported item sees and its user does not.
const ELSEWHERE: &str = "__pdelsewhere";

/// The name of an item of a unit.
pub fn unique(name: &Ident, unit: &str) -> Ident {
    Ident::new(&unique_text(&name.to_string(), unit), name.span())
}

/// The same as text. It is no keyword, whatever the name is.
pub fn unique_text(name: &str, unit: &str) -> String {
    format!("{}{MARK}{unit}", plain(name))
}

/// The name as one that its user cannot see.
pub fn elsewhere(name: &Ident) -> Ident {
    Ident::new(&format!("{}{ELSEWHERE}", plain(&name.to_string())), name.span())
}

/// The path of a trait as one that its user need not see: what it means is proved where it is exported.
pub fn proved_elsewhere(path: &mut Path) {
    let Some(last) = path.segments.last().cloned() else { return };
    let elsewhere = Ident::new(ELSEWHERE, last.ident.span());
    path.leading_colon = None;
    path.segments = [elsewhere.into(), last].into_iter().collect();
}

/// Whether the trait is proved where it is exported.
pub fn is_proved_elsewhere(path: &Path) -> bool {
    path.segments.first().is_some_and(|first| first.ident == ELSEWHERE)
}

/// Whether the text has a name that its user cannot see.
pub fn is_elsewhere(text: &str) -> bool {
    text.contains(ELSEWHERE)
}

/// Whether a name is that of an item of a unit.
pub fn is_unique(name: &str) -> bool {
    name.find(MARK).is_some_and(|at| at > 0 && number(&name[at + MARK.len()..]) == Some(DIGITS))
}

/// The text with the names that the user knows.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.trim_start_matches("r#");
    while let Some(at) = rest.find(MARK) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let behind = &from[MARK.len()..];
        rest = match number(behind) {
            Some(digits) => &behind[digits..],
            None => {
                out.push_str(MARK);
                behind
            }
        };
    }
    out + rest
}

/// How long the number of a unit is at the beginning of a text, if one is there.
fn number(text: &str) -> Option<usize> {
    let elsewhere = &ELSEWHERE[MARK.len()..];
    if text.starts_with(elsewhere) {
        return Some(elsewhere.len());
    }
    let digits = text.get(..DIGITS)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    #[test]
    fn unique_names_and_back() {
        let name = Ident::new("pair", Span::call_site());
        let unit = "0123456789";
        let long = unique(&name, unit).to_string();
        assert_eq!(long, "pair__pd0123456789");
        assert!(is_unique(&long) && !is_unique("pair__pd") && !is_unique("__pd0123456789"));
        assert_eq!(plain(&format!("a call of `{long}`, {long}_2")), "a call of `pair`, pair_2");
        assert_eq!(plain("x__pdx"), "x__pdx");
        let outside = elsewhere(&name).to_string();
        assert!(is_elsewhere(&outside) && !is_elsewhere(&long));
        assert_eq!(plain(&outside), "pair");
    }
}
