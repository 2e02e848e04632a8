//! Identifiers of generated code: the user's names, made unique, with the hygiene of generated code.

use crate::map::Map;
use proc_macro2::{Ident, Span};

/// Names that are taken in one generated function.
#[derive(Clone, Default)]
pub(crate) struct Names {
    taken: Map<String, ()>,
    /// The least number behind a name that may be free: all below it were given away.
    numbers: Map<String, usize>,
}

impl Names {
    /// An identifier that is like `base` and not taken yet.
    pub(crate) fn fresh(&mut self, base: &str) -> Ident {
        let base = cleaned(base);
        let (name, number) = self.free(&base, &[]);
        let ident = ident(&name);
        if number > 1 {
            self.numbers.insert(base, number + 1);
        }
        self.taken.insert(name, ());
        ident
    }

    /// Nobody else gets this name from now on.
    pub(crate) fn take(&mut self, name: &Ident) {
        self.taken.insert(unraw(name), ());
    }

    /// Whether the name is taken.
    pub(crate) fn holds(&self, name: &Ident) -> bool {
        self.taken.contains_key(&unraw(name))
    }

    /// An identifier that is like `base`, not taken and not among `others`; it stays free.
    pub(crate) fn beside(&self, base: &str, others: &[String]) -> Ident {
        ident(&self.free(&cleaned(base), others).0)
    }

    /// The name and its number; 1 if there is none behind it.
    fn free(&self, base: &str, others: &[String]) -> (String, usize) {
        let is_free = |name: &String| !self.taken.contains_key(name) && !others.contains(name);
        let plain = base.to_owned();
        let first = match self.numbers.get(base) {
            Some(number) => *number,
            None if is_free(&plain) => return (plain, 1),
            None => 2,
        };
        let mut numbered = (first..).map(|number| (format!("{base}_{number}"), number));
        numbered.find(|(name, _)| is_free(name)).unwrap_or((plain, 1))
    }
}

/// The name without the `r#` of a raw identifier.
pub(crate) fn unraw(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map(str::to_owned).unwrap_or(text)
}

/// The name with letters, digits and underscores only.
fn cleaned(base: &str) -> String {
    if is_plain(base) && base.as_bytes()[0] != b'_' {
        return base.to_owned();
    }
    let base = base.strip_prefix("r#").unwrap_or(base);
    let clean: String = base.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    match clean.chars().next() {
        Some(first) if first.is_numeric() => format!("v{clean}"),
        Some(_) if clean.chars().any(|c| c != '_') => clean,
        _ => "local".to_owned(),
    }
}

/// Words that are no identifiers, of all editions; sorted.
const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// Whether a name consists of ASCII letters, digits and underscores, and does not begin with a digit.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() && matches!(bytes[at], b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9') {
        at += 1;
    }
    at > 0 && at == bytes.len() && !bytes[0].is_ascii_digit()
}

/// The identifier of that name, raw where it is a keyword.
pub(crate) fn ident(name: &str) -> Ident {
    // the parser takes its time, and a program has hundreds of names
    if is_plain(name) && name.as_bytes()[0] != b'_' && KEYWORDS.binary_search(&name).is_err() {
        return Ident::new(name, Span::mixed_site());
    }
    // `gen` is a name up to edition 2021, but generated code is of the edition of the macro's crate
    if name != "gen" && syn::parse_str::<Ident>(name).is_ok() {
        return Ident::new(name, Span::mixed_site());
    }
    match syn::parse_str::<Ident>(&format!("r#{name}")) {
        Ok(_) => Ident::new_raw(name, Span::mixed_site()),
        // `self`, `super`, `crate` and `Self` cannot be raw
        Err(_) => Ident::new(&format!("{name}_"), Span::mixed_site()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_found() {
        assert!(KEYWORDS.is_sorted());
        for word in KEYWORDS {
            assert!(syn::parse_str::<Ident>(word).is_err() || word == "gen", "{word}");
        }
        for name in ["x", "x_2", "selfless", "_x", "größe"] {
            assert_eq!(ident(name).to_string(), name);
        }
    }

    #[test]
    fn names_are_unique_identifiers() {
        let mut names = Names::default();
        let fresh: Vec<String> =
            ["x", "x", "x", "x_1", "type", "r#type", "gen", "self", "d'x", "3d", "_", ""]
                .map(|base| names.fresh(base).to_string())
                .to_vec();
        assert_eq!(
            fresh,
            [
                "x", "x_2", "x_3", "x_1", "r#type", "type_2", "r#gen", "self_", "d_x", "v3d", "local",
                "local_2"
            ]
        );
    }
}
