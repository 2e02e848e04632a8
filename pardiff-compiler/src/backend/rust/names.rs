//! Identifiers of generated code: the user's names, made unique, with the hygiene of generated code.

use proc_macro2::{Ident, Span};
use std::collections::HashSet;

/// Names that are taken in one generated function.
#[derive(Clone, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// An identifier that is like `base` and not taken yet.
    pub(super) fn fresh(&mut self, base: &str) -> Ident {
        let name = self.free(base, &[]);
        let ident = ident(&name);
        self.taken.insert(name);
        ident
    }

    /// Nobody else gets this name from now on.
    pub(super) fn take(&mut self, name: &Ident) {
        self.taken.insert(unraw(name));
    }

    /// An identifier that is like `base`, not taken and not among `others`; it stays free.
    pub(super) fn beside(&self, base: &str, others: &[String]) -> Ident {
        ident(&self.free(base, others))
    }

    fn free(&self, base: &str, others: &[String]) -> String {
        let base = cleaned(base);
        let is_free = |name: &String| !self.taken.contains(name) && !others.contains(name);
        if is_free(&base) {
            return base;
        }
        let mut numbered = (2..).map(|number| format!("{base}_{number}"));
        numbered.find(is_free).unwrap_or(base)
    }
}

/// The name without the `r#` of a raw identifier.
pub(super) fn unraw(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map(str::to_owned).unwrap_or(text)
}

/// The name with letters, digits and underscores only.
fn cleaned(base: &str) -> String {
    let base = base.strip_prefix("r#").unwrap_or(base);
    let clean: String = base.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    match clean.chars().next() {
        Some(first) if first.is_numeric() => format!("v{clean}"),
        Some(_) if clean.chars().any(|c| c != '_') => clean,
        _ => "local".to_owned(),
    }
}

/// The identifier of that name, raw where it is a keyword.
pub(super) fn ident(name: &str) -> Ident {
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
