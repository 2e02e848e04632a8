//! Names that a module has already, so that no module of methods can have them.

use crate::ir::Ty;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use std::collections::{HashMap, HashSet};
use syn::ext::IdentExt;
use syn::{Item, UseTree};

/// The names of a module.
pub(super) struct Taken {
    /// What has the name of each item that is not a function, a constant or a static.
    items: HashMap<String, String>,
    /// What paths begin with, and what comes next there; empty where that is no name.
    paths: HashMap<String, HashSet<String>>,
    /// Every name that is written somewhere.
    all: HashSet<String>,
}

impl Taken {
    pub(super) fn read(items: &[Item]) -> Taken {
        let mut taken = Taken { items: HashMap::new(), paths: HashMap::new(), all: HashSet::new() };
        for item in items {
            let (name, what) = match item {
                Item::Enum(item) => (&item.ident, "enum"),
                Item::ExternCrate(item) => (&item.ident, "crate"),
                Item::Mod(item) => (&item.ident, "module"),
                Item::Struct(item) => (&item.ident, "struct"),
                Item::Trait(item) => (&item.ident, "trait"),
                Item::Type(item) => (&item.ident, "type"),
                Item::Union(item) => (&item.ident, "union"),
                Item::Use(item) => {
                    taken.add_imports(&item.tree, None);
                    continue;
                }
                _ => continue,
            };
            taken.add(name, format!("the {what} `{name}` has that name"));
        }
        for item in items {
            taken.add_paths(item.to_token_stream());
        }
        taken
    }

    fn add(&mut self, name: &Ident, why: String) {
        self.items.insert(name.unraw().to_string(), why);
    }

    fn add_imports(&mut self, tree: &UseTree, around: Option<&Ident>) {
        let name = match tree {
            UseTree::Path(path) => return self.add_imports(&path.tree, Some(&path.ident)),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.add_imports(tree, around));
            }
            UseTree::Name(name) if name.ident == "self" => around,
            UseTree::Name(name) => Some(&name.ident),
            UseTree::Rename(rename) => Some(&rename.rename),
            UseTree::Glob(_) => None,
        };
        if let Some(name) = name {
            self.add(name, format!("`{name}` is imported"));
        }
    }

    /// The modules of functions.
    pub(super) fn add_functions(&mut self, modules: &[Ident]) {
        modules.iter().for_each(|name| self.add(name, format!("`{name}` is the module of a function")));
    }

    /// The module of a type.
    pub(super) fn add_type(&mut self, name: &Ident, of: &Ident) {
        self.add(name, format!("`{name}` is that of the methods of `{of}`"));
    }

    fn add_paths(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is =
            |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == c);
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.add_paths(group.stream()),
                TokenTree::Ident(ident) => {
                    self.all.insert(ident.unraw().to_string());
                    let is_first = at == 0 || !is(at - 1, ':') && !is(at - 1, '.');
                    if is_first && is(at + 1, ':') && is(at + 2, ':') {
                        let next = match tokens.get(at + 3) {
                            Some(TokenTree::Ident(next)) => next.unraw().to_string(),
                            _ => String::new(),
                        };
                        self.paths.entry(ident.unraw().to_string()).or_default().insert(next);
                    }
                }
                _ => {}
            }
        }
    }

    /// Why a module with modules of these names cannot have the name. Paths may begin with a name that comes from elsewhere,
    /// a crate or what a glob imports.
    pub(super) fn by(&self, name: &Ident, methods: &[String]) -> Option<String> {
        let name = name.unraw().to_string();
        let elsewhere = || {
            let mut paths = self.paths.get(&name)?.iter();
            let is_other = |next: &&String| !methods.contains(next);
            paths.find(is_other).map(|_| format!("`{name}::…` is something else in this module"))
        };
        self.items.get(&name).cloned().or_else(elsewhere)
    }

    /// A name for the module of a method, that nobody writes.
    pub(super) fn fresh(&mut self, of_type: &Ident, method: &Ident) -> Ident {
        let mut name = format!("__{}_{}", of_type.unraw(), method.unraw());
        while !self.all.insert(name.clone()) {
            name.push('_');
        }
        format_ident!("{}", name, span = method.span())
    }
}

/// `HTTPModel` as `http_model`; what it would be called, if that is no name.
pub(super) fn snake_case(name: &Ident) -> Result<Ident, String> {
    let chars: Vec<char> = name.unraw().to_string().chars().collect();
    let mut snake = String::new();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let is_last_capital = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase()
            && before.is_some_and(|before| before != '_' && (!before.is_uppercase() || is_last_capital))
        {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    let at = |mut ident: Ident| {
        ident.set_span(name.span());
        ident
    };
    match snake.as_str() {
        "_" | "self" | "super" | "crate" | "char" | "str" => Err(snake),
        word if Ty::from_name(word).is_some() => Err(snake),
        // a word of the edition of 2024
        "gen" => Ok(Ident::new_raw("gen", name.span())),
        word => syn::parse_str(word).map(at).or_else(|_| Ok(Ident::new_raw(word, name.span()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_in_snake_case() {
        for (of, is) in [
            ("Model", "model"),
            ("HTTPModel", "http_model"),
            ("V3", "v3"),
            ("Spring2D", "spring2_d"),
            ("LennardJones", "lennard_jones"),
            ("Mat3x3", "mat3x3"),
            ("Loop", "r#loop"),
            ("Gen", "r#gen"),
            ("model", "model"),
            ("Long_Name", "long_name"),
        ] {
            assert_eq!(snake_case(&format_ident!("{of}")).map(|name| name.to_string()), Ok(is.to_owned()));
        }
        for (of, word) in [("Super", "super"), ("F64", "f64"), ("Usize", "usize")] {
            assert_eq!(snake_case(&format_ident!("{of}")), Err(word.to_owned()));
        }
    }
}
