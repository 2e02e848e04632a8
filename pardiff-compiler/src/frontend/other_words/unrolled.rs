//! `unroll!` of the crate crunchy, which is the loop that it is given.
//!
//! ```text
//! unroll! { for i < 7 in 0..n { y += x[i]; } }      for i in 0..n { y += x[i]; }
//! ```
//!
//! The number bounds how often the macro writes the body; where the loop is longer, the macro goes round as a loop does.

use crate::visit::changing::{self as visit_mut, VisitMut};
use quote::quote_spanned;
use syn::parse::{ParseStream, Parser};
use syn::{Block, Expr, LitInt, Macro, Pat, Stmt, Token};

/// `unroll!` as loops.
pub(super) struct AsLoops;

impl VisitMut for AsLoops {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(of) = stmt
            && let Some(looped) = as_loop(&of.mac)
        {
            *stmt = Stmt::Expr(looped, None);
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::Macro(of) = e
            && let Some(looped) = as_loop(&of.mac)
        {
            *e = looped;
        }
        visit_mut::visit_expr_mut(self, e);
    }
}

fn as_loop(mac: &Macro) -> Option<Expr> {
    let name = mac.path.segments.last().filter(|last| last.ident == "unroll")?;
    let parser = |input: ParseStream| -> syn::Result<(Pat, Expr, Block)> {
        input.parse::<Token![for]>()?;
        let pat = Pat::parse_single(input)?;
        if input.parse::<Option<Token![<]>>()?.is_some() {
            input.parse::<LitInt>()?;
        }
        input.parse::<Token![in]>()?;
        Ok((pat, Expr::parse_without_eager_brace(input)?, input.parse()?))
    };
    let (pat, items, body) = parser.parse2(mac.tokens.clone()).ok()?;
    syn::parse2(quote_spanned!(name.ident.span()=> for #pat in #items #body)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    #[test]
    fn what_is_unrolled_is_a_loop() {
        let mut item: syn::ItemFn = syn::parse_quote! {
            fn f(x: &[f64], n: usize) -> f64 {
                let mut y = 0.0;
                unroll! { for i < 7 in 0..n { crunchy::unroll! { for j in 0..3 { y += x[i + j]; } } } }
                y
            }
        };
        AsLoops.visit_item_fn_mut(&mut item);
        let looped: syn::ItemFn = syn::parse_quote! {
            fn f(x: &[f64], n: usize) -> f64 {
                let mut y = 0.0;
                for i in 0..n { for j in 0..3 { y += x[i + j]; } }
                y
            }
        };
        assert_eq!(item.to_token_stream().to_string(), looped.to_token_stream().to_string());
    }
}
