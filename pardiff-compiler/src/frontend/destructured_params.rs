//! Parameters of the differentiated function that are patterns: each gets a name, and is taken apart in front of the body.
//!
//! ```text
//! fn area((ax, ay): (f64, f64), [bx, by]: [f64; 2]) -> f64 { … }
//! fn area(ax_ay: (f64, f64), bx_by: [f64; 2]) -> f64 { let (ax, ay) = ax_ay; let [bx, by] = bx_by; … }
//! ```
//!
//! The user's own function is emitted as it is written. The name is that of the adjoint: in `wrt`, as a field of
//! `Gradient`, in messages.

use crate::visit::{self, Visit};
use quote::format_ident;
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::{FnArg, Ident, ItemFn, Pat};

/// The function with a name for every parameter.
pub(super) fn named(mut item: ItemFn) -> ItemFn {
    let mut names = Names::default();
    names.visit_signature(&item.sig);
    let mut taken: HashSet<String> = names.0.iter().map(ToString::to_string).collect();
    let mut lets: Vec<syn::Stmt> = Vec::new();
    for arg in &mut item.sig.inputs {
        let FnArg::Typed(arg) = arg else { continue };
        if matches!(&*arg.pat, Pat::Ident(_) | Pat::Wild(_)) {
            continue;
        }
        let mut names = Names::default();
        names.visit_pat(&arg.pat);
        let words: Vec<String> =
            names.0.iter().map(|name| name.to_string().trim_start_matches("r#").to_owned()).collect();
        let mut name = if words.is_empty() { "unnamed".to_owned() } else { words.join("_") };
        // a single name is the pattern's own
        while words.len() != 1 && !taken.insert(name.clone()) {
            name.push('_');
        }
        let name = format_ident!("{}", name, span = arg.pat.span());
        let pat = std::mem::replace(&mut *arg.pat, syn::parse_quote!(#name));
        lets.push(syn::parse_quote!(let #pat = #name;));
    }
    item.block.stmts.splice(0..0, lets);
    item
}

/// The names that patterns bind, in order.
#[derive(Default)]
struct Names(Vec<Ident>);

impl Visit for Names {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.0.push(pat.ident.clone());
        visit::visit_pat_ident(self, pat);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn shown(text: &str) -> String {
        named(syn::parse_str(text).expect(text)).to_token_stream().to_string()
    }

    fn tokens(text: &str) -> String {
        syn::parse_str::<ItemFn>(text).expect(text).to_token_stream().to_string()
    }

    #[test]
    fn patterns_are_taken_apart_in_order() {
        assert_eq!(
            shown("fn f((a, mut b): (f64, f64), n: usize, &[c, _]: &[f64; 2], [_]: [f64; 1]) -> f64 { a }"),
            tokens(
                "fn f(a_b: (f64, f64), n: usize, c: &[f64; 2], unnamed: [f64; 1]) -> f64 {
                    let (a, mut b) = a_b; let &[c, _] = c; let [_] = unnamed; a
                }"
            )
        );
    }

    #[test]
    fn names_that_are_bound_by_others_are_left_to_them() {
        assert_eq!(
            shown("fn f([a_b, c]: [f64; 2], (a, b): (f64, f64)) -> f64 { a_b }"),
            tokens(
                "fn f(a_b_c: [f64; 2], a_b_: (f64, f64)) -> f64 { let [a_b, c] = a_b_c; let (a, b) = a_b_; a_b }"
            )
        );
    }

    #[test]
    fn names_stay() {
        let text = "fn f(x: f64, mut y: f64, _: usize) -> f64 { x }";
        assert_eq!(shown(text), tokens(text));
    }
}
