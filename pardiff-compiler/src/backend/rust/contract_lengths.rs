//! Lengths of arrays in the signature, which the module cannot name where the function stands inside another function,
//! in a block or in a doctest: they are constants of `f::Bodies`, beside `f`.
//!
//! ```text
//! const N: usize = 3;                       pub mod f { pub fn grad(x: &[f64; Bodies::N], …) … }
//! fn f(x: &[f64; N]) -> f64 { … }           impl f::Bodies { const N: usize = N; … }
//! ```

use super::names::{Names, ident, unraw};
use super::{Code, code};
use crate::signature::Signature;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, Type};

/// The lengths that are constants of `f::Bodies`.
pub(super) struct Lengths {
    /// As the user wrote them, as text and as tokens, with the names of the constants.
    constants: Vec<(String, TokenStream, Ident)>,
}

impl Lengths {
    /// Every length in the signature but numbers and those that depend on a const parameter.
    pub(super) fn of(signature: &Signature) -> Lengths {
        struct Collect {
            generics: Vec<String>,
            names: Names,
            constants: Vec<(String, TokenStream, Ident)>,
        }
        impl VisitMut for Collect {
            fn visitor(&mut self) -> &mut dyn VisitMut {
                self
            }

            fn visit_type_array_mut(&mut self, array: &mut syn::TypeArray) {
                let tokens = array.len.to_token_stream();
                let text = tokens.to_string();
                let known = self.constants.iter().any(|(known, ..)| *known == text);
                if !known && !is_number(&array.len) && !mentions(tokens.clone(), &self.generics) {
                    let name = match &array.len {
                        Expr::Path(path) => path.path.segments.last().map(|last| unraw(&last.ident)),
                        _ => None,
                    };
                    let name = self.names.fresh(&name.unwrap_or_else(|| "LEN".to_owned()));
                    self.constants.push((text, tokens, name));
                }
                visit_mut::visit_type_array_mut(self, array);
            }
        }
        let generics = signature.generics.const_params().map(|param| param.ident.to_string()).collect();
        let mut collect = Collect { generics, names: Names::default(), constants: Vec::new() };
        let results = signature.result.members().iter().map(|member| &member.ty);
        for ty in signature.params.iter().map(|param| &param.ty).chain(results) {
            collect.visit_type_mut(&mut ty.clone());
        }
        Lengths { constants: collect.constants }
    }

    /// The constants, to stand in `impl f::Bodies`.
    pub(super) fn constants(&self) -> Code {
        let constants = self.constants.iter().map(|(_, tokens, name)| code!(const #name: usize = #tokens;));
        constants.collect()
    }

    /// The type with these lengths by their names in the module.
    pub(super) fn replaced(&self, ty: &Type) -> Type {
        struct Replace<'a>(&'a [(String, TokenStream, Ident)]);
        impl VisitMut for Replace<'_> {
            fn visitor(&mut self) -> &mut dyn VisitMut {
                self
            }

            fn visit_type_array_mut(&mut self, array: &mut syn::TypeArray) {
                let text = array.len.to_token_stream().to_string();
                if let Some((_, _, name)) = self.0.iter().find(|(known, ..)| *known == text) {
                    let bodies = ident("Bodies");
                    array.len = syn::parse_quote!(#bodies::#name);
                }
                visit_mut::visit_type_array_mut(self, array);
            }
        }
        let mut ty = ty.clone();
        Replace(&self.constants).visit_type_mut(&mut ty);
        ty
    }
}

fn is_number(len: &Expr) -> bool {
    match len {
        Expr::Group(group) => is_number(&group.expr),
        Expr::Paren(paren) => is_number(&paren.expr),
        len => matches!(len, Expr::Lit(_)),
    }
}

pub(super) fn mentions(tokens: TokenStream, names: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.contains(&ident.to_string()),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}
