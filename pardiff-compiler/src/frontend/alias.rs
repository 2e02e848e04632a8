//! Type aliases of modules and of blocks, written out.
//!
//! ```text
//! type Real = f64;                              fn norm(x: &[f64; 3]) -> f64 { … f64::max(…) … }
//! type Vec3<T, const N: usize = 3> = …          // parameters are filled in
//! fn norm(x: &[Real; 3]) -> Real { … Real::max(…) … }
//! ```
//!
//! *Comes in*: items of the module. *Goes out*: the same items without aliases and their names, so that nothing behind
//! this file knows of them. The user's own items are emitted as they are written.

use crate::limits::ALIAS_DEPTH;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashMap;
use syn::{
    Attribute, Block, Expr, GenericArgument, GenericParam, Item, ItemType, Macro, Pat, Path, PathArguments,
    Stmt, Type, TypePath,
};

/// The aliases that are seen at a place, by name.
#[derive(Clone, Default)]
pub(super) struct Aliases(HashMap<String, ItemType>);

impl Aliases {
    pub(super) fn add(&mut self, item: &ItemType) {
        self.0.insert(item.ident.to_string(), item.clone());
    }

    /// These and those of a block, which may have the names of these. What an alias stands for is written out where the
    /// alias is declared.
    fn with(&self, of_block: &[ItemType]) -> Aliases {
        let mut all = self.clone();
        all.write_out(self.0.keys());
        of_block.iter().for_each(|item| all.add(item));
        let names: Vec<String> = of_block.iter().map(|item| item.ident.to_string()).collect();
        all.write_out(names.iter());
        all
    }

    fn write_out<'n>(&mut self, names: impl Iterator<Item = &'n String>) {
        let before = self.clone();
        for name in names {
            if let Some(item) = self.0.get_mut(name) {
                before.in_type(&mut item.ty);
            }
        }
    }

    /// The function without aliases.
    pub(super) fn in_function(&self, item: &mut syn::ItemFn) {
        Expand { aliases: self, depth: 0 }.visit_item_fn_mut(item);
    }

    /// A type without aliases.
    pub(super) fn in_type(&self, ty: &mut syn::Type) {
        Expand { aliases: self, depth: 0 }.visit_type_mut(ty);
    }

    /// An item without aliases.
    pub(super) fn in_item(&self, item: &mut syn::Item) {
        Expand { aliases: self, depth: 0 }.visit_item_mut(item);
    }
}

struct Expand<'a> {
    aliases: &'a Aliases,
    depth: usize,
}

impl VisitMut for Expand<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(TypePath { qself: None, path, .. }) = ty
            && path.segments.len() == 1
            && let Some(target) = self.target(path)
        {
            *ty = target;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    /// Aliases of a block are seen in all of it, also in its functions.
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut of_block = Vec::new();
        block.stmts.retain(|stmt| match stmt {
            Stmt::Item(Item::Type(item)) if !is_configured(&item.attrs) => {
                of_block.push(item.clone());
                false
            }
            _ => true,
        });
        if of_block.is_empty() {
            return visit_mut::visit_block_mut(self, block);
        }
        let aliases = self.aliases.with(&of_block);
        visit_mut::visit_block_mut(&mut Expand { aliases: &aliases, depth: self.depth }, block);
    }

    /// `V { x: 1.0, y: 2.0 }`
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::Struct(literal) = e {
            self.expand_struct(&mut literal.path);
        }
        visit_mut::visit_expr_mut(self, e);
    }

    /// `let V { x, y } = v;`
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if let Pat::Struct(of) = pat {
            self.expand_struct(&mut of.path);
        }
        visit_mut::visit_pat_mut(self, pat);
    }

    /// `Real::EPSILON`, `Real::max(a, b)`, and types that are paths.
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        if path.leading_colon.is_some() || path.segments.len() < 2 {
            return;
        }
        let mut first = Path::from(path.segments[0].clone());
        first.segments[0].arguments = path.segments[0].arguments.clone();
        if let Some(Type::Path(TypePath { qself: None, path: target, .. })) = self.target(&first) {
            let rest: Vec<_> = path.segments.iter().skip(1).cloned().collect();
            *path = target;
            path.segments.extend(rest);
        }
    }

    /// `vec![2.0 as Real; n]`, `assert!(x < Real::EPSILON)`
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        super::arguments::change_each(mac, &mut |e| self.visit_expr_mut(e));
    }
}

impl Expand<'_> {
    /// The path of a struct that an alias may name.
    fn expand_struct(&mut self, path: &mut Path) {
        if path.segments.len() == 1
            && let Some(Type::Path(TypePath { qself: None, path: target, .. })) = self.target(path)
        {
            *path = target;
        }
    }

    /// What the alias stands for, with its parameters filled in and without further aliases; spans are those of the
    /// name that it replaces.
    fn target(&mut self, path: &Path) -> Option<Type> {
        let segment = path.segments.first()?;
        let item = self.aliases.0.get(&segment.ident.to_string())?;
        if self.depth > ALIAS_DEPTH {
            return None;
        }
        let mut given: Vec<TokenStream> = Vec::new();
        if let PathArguments::AngleBracketed(args) = &segment.arguments {
            given.extend(args.args.iter().filter_map(|arg| match arg {
                GenericArgument::Type(ty) => Some(ty.to_token_stream()),
                GenericArgument::Const(value) => Some(value.to_token_stream()),
                _ => None,
            }));
        }
        let mut given = given.into_iter();
        let mut filled = HashMap::new();
        for param in &item.generics.params {
            let (name, default) = match param {
                GenericParam::Type(param) => {
                    (&param.ident, param.default.as_ref().map(|(_, ty)| ty.to_token_stream()))
                }
                GenericParam::Const(param) => {
                    (&param.ident, param.default.as_ref().map(|(_, value)| value.to_token_stream()))
                }
                // whose lifetime it is cannot be written without a name
                GenericParam::Lifetime(_) => return None,
            };
            filled.insert(name.to_string(), given.next().or(default)?);
        }
        let tokens = fill(item.ty.to_token_stream(), &filled, segment.ident.span());
        let mut ty: Type = syn::parse2(tokens).ok()?;
        Expand { aliases: self.aliases, depth: self.depth + 1 }.visit_type_mut(&mut ty);
        Some(ty)
    }
}

/// Whether a condition says if an item is there.
fn is_configured(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr"))
}

/// The tokens with parameters replaced, at the place of the name.
fn fill(tokens: TokenStream, filled: &HashMap<String, TokenStream>, span: proc_macro2::Span) -> TokenStream {
    let mut out = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), fill(group.stream(), filled, span));
                inner.set_span(span);
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(ident) if filled.contains_key(&ident.to_string()) => {
                out.extend(filled[&ident.to_string()].clone());
            }
            mut token => {
                token.set_span(span);
                out.extend([token]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_written_out() {
        let mut aliases = Aliases::default();
        for text in ["type Real = f64;", "type V3 = [Real; 3];", "type V<T, const N: usize> = [T; N];"] {
            aliases.add(&syn::parse_str(text).expect(text));
        }
        let mut item: syn::ItemFn = syn::parse_quote! {
            fn f(x: &[V3], y: V<Real, 4>, real: Real) -> Real {
                let z: V<V3, { N }> = g::<V3>(Real::max(Real::EPSILON, real));
                let v = vec![2.0 as Real; vec![1 as Real, Real.Real].len()];
                azip!((y in &mut v) *y = 1.0 as Real);
                real.Real
            }
        };
        aliases.in_function(&mut item);
        let expected: syn::ItemFn = syn::parse_quote! {
            fn f(x: &[[f64; 3]], y: [f64; 4], real: f64) -> f64 {
                let z: [[f64; 3]; { N }] = g::<[f64; 3]>(f64::max(f64::EPSILON, real));
                let v = vec![2.0 as f64; vec![1 as f64, Real.Real].len()];
                azip!((y in &mut v) *y = 1.0 as Real);
                real.Real
            }
        };
        assert_eq!(item.to_token_stream().to_string(), expected.to_token_stream().to_string());
    }

    #[test]
    fn aliases_of_blocks_and_of_structs() {
        let mut aliases = Aliases::default();
        for text in ["type Real = f32;", "type P = Particle;"] {
            aliases.add(&syn::parse_str(text).expect(text));
        }
        let mut item: syn::ItemFn = syn::parse_quote! {
            fn f(x: Real) {
                let a: V3 = [0.0; 3];
                type V3 = [Real; 3];
                fn g(x: V3) {}
                {
                    type Real = f64;
                    let b: V3 = h::<Real>();
                    #[cfg(fine)]
                    type Other = Real;
                }
                let P { x, .. } = P { x: 1.0, y: x as Real };
            }
        };
        aliases.in_function(&mut item);
        let expected: syn::ItemFn = syn::parse_quote! {
            fn f(x: f32) {
                let a: [f32; 3] = [0.0; 3];
                fn g(x: [f32; 3]) {}
                {
                    let b: [f32; 3] = h::<f64>();
                    #[cfg(fine)]
                    type Other = f64;
                }
                let Particle { x, .. } = Particle { x: 1.0, y: x as f32 };
            }
        };
        assert_eq!(item.to_token_stream().to_string(), expected.to_token_stream().to_string());
    }
}
