//! `if` with a chain of conditions some of which bind names.
//!
//! ```text
//! if a && let Some(k) = x.first() && *k > b { then }               if a { if let Some(k) = x.first() { if *k > b { then } } }
//! if let Some(k) = x.first() && *k > b { then } else { other }     'chain: {
//!                                                                      if let Some(k) = x.first() { if *k > b { break 'chain then } }
//!                                                                      other
//!                                                                  }
//! ```

use super::super::tree::Expr;
use super::{Resolver, bare};
use syn::{Block, parse_quote_spanned};

impl Resolver<'_> {
    /// An `if` whose condition is a chain with a `let` in it.
    pub(super) fn chain_of_conditions(&mut self, e: &syn::ExprIf) -> Expr {
        let span = e.if_token.span;
        let then = &e.then_branch;
        let Some((_, els)) = &e.else_branch else {
            return self.expr(&nested(&e.cond, then.clone()));
        };
        // no label of the source: those that `break` out of an inner chain find theirs first
        let label = syn::Lifetime::new("'chain_of_conditions", span);
        let inner = nested(&e.cond, parse_quote_spanned!(span=> { break #label #then; }));
        let els = match bare(els) {
            syn::Expr::Block(els) if els.label.is_none() => els.block.stmts.clone(),
            els => vec![syn::Stmt::Expr(els.clone(), None)],
        };
        self.expr(&parse_quote_spanned!(span=> #label: { #inner #(#els)* }))
    }
}

/// One `if` in the other for each condition.
fn nested(cond: &syn::Expr, then: Block) -> syn::Expr {
    let span = then.brace_token.span.join();
    match bare(cond) {
        syn::Expr::Binary(both) if super::control::let_token(cond).is_some() => {
            let inner = nested(&both.right, then);
            nested(&both.left, parse_quote_spanned!(span=> { #inner }))
        }
        cond => parse_quote_spanned!(span=> if #cond #then),
    }
}
