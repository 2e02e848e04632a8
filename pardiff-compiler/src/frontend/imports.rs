//! Functions of `std::iter` that are imported, by their paths.
//!
//! ```text
//! use std::iter::{once, zip};       for (a, b) in zip(x, y) { … }     =>     for (a, b) in ::std::iter::zip(x, y) { … }
//! ```
//!
//! Iterators are known by their form, before names are looked up.

use super::arguments;
use crate::visit::changing::{self as visit_mut, VisitMut};
use crate::visit::{self, Visit};
use syn::{Expr, Ident, Item, ItemUse, UseTree, parse_quote};

/// What is imported, each by its name here and its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Imports(Vec<(Ident, Ident)>);

impl Imports {
    pub(super) fn add(&mut self, item: &ItemUse) {
        self.read(&item.tree, &mut Vec::new());
    }

    fn read(&mut self, tree: &UseTree, prefix: &mut Vec<String>) {
        let is_iter = |prefix: &[String]| matches!(prefix, [std, iter] if (std == "std" || std == "core") && iter == "iter");
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.read(&path.tree, prefix);
                prefix.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.read(tree, prefix)),
            UseTree::Name(name) if is_iter(prefix) => self.0.push((name.ident.clone(), name.ident.clone())),
            UseTree::Rename(name) if is_iter(prefix) => {
                self.0.push((name.rename.clone(), name.ident.clone()));
            }
            _ => {}
        }
    }

    /// The function with the paths of what it calls.
    pub(super) fn in_function(&self, item: &mut syn::ItemFn) {
        let mut own = Own { imports: self.clone(), functions: Vec::new() };
        own.visit_item_fn(item);
        own.imports.0.retain(|(name, _)| !own.functions.contains(name));
        if !own.imports.0.is_empty() {
            WriteOut(&own.imports).visit_item_fn_mut(item);
        }
    }

    /// An item with the paths of what it calls.
    pub(super) fn in_item(&self, item: &mut Item) {
        if !self.0.is_empty() {
            WriteOut(self).visit_item_mut(item);
        }
    }
}

/// What a function imports, and the functions in it, which have the names instead.
struct Own {
    imports: Imports,
    functions: Vec<Ident>,
}

impl Visit for Own {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        self.imports.add(item);
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.functions.push(item.sig.ident.clone());
        visit::visit_item_fn(self, item);
    }
}

struct WriteOut<'a>(&'a Imports);

impl VisitMut for WriteOut<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        visit_mut::visit_expr_call_mut(self, call);
        if let Expr::Path(path) = &*call.func
            && let Some(name) = path.path.get_ident()
            && let Some((_, own)) = self.0.0.iter().find(|(known, _)| known == name)
        {
            call.func = parse_quote!(::std::iter::#own);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        arguments::change_each(mac, &mut |e| self.visit_expr_mut(e));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    #[test]
    fn imported_functions_have_their_paths() {
        let mut imports = Imports::default();
        imports.add(&parse_quote!(
            use std::{
                iter::{once, zip as pairs},
                mem::swap,
            };
        ));
        let mut item: syn::ItemFn = parse_quote! {
            fn f(x: &[f64]) {
                use core::iter::zip;
                fn once(x: f64) {}
                assert!(pairs(x, x.zip(x)).count() == a::zip(once(1.0), swap(1)));
                zip(x, y)
            }
        };
        imports.in_function(&mut item);
        let expected: syn::ItemFn = parse_quote! {
            fn f(x: &[f64]) {
                use core::iter::zip;
                fn once(x: f64) {}
                assert!(::std::iter::zip(x, x.zip(x)).count() == a::zip(once(1.0), swap(1)));
                ::std::iter::zip(x, y)
            }
        };
        assert_eq!(item.to_token_stream().to_string(), expected.to_token_stream().to_string());
    }
}
