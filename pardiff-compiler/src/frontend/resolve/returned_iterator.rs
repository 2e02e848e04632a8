//! Iterators that helpers return: the helper's body comes before the loop, and its iterator is what the loop goes over.
//!
//! ```text
//! fn scaled(x: &[f64], a: f64) -> impl Iterator<Item = f64> + '_ { let b = a * a; x.iter().map(move |v| b * v) }
//! for v in scaled(y, 2.0) { … }              let (x, a) = (y, 2.0); let b = a * a; for v in x.iter().map(|v| b * v) { … }
//! ```
//!
//! Legal because an iterator makes its items where it is used up, from what it borrows or owns, which nothing changes
//! meanwhile.

use super::super::chain::{Chain, ChainKind};
use super::super::infer::Type;
use super::super::returns::each_return;
use super::super::tree::{Block, Expr, Kind, LoopId};
use super::jump::Leavable;
use super::let_bound_iterators::with_names_written;
use super::{Resolver, bare};
use proc_macro2::Span;

impl Resolver<'_> {
    /// The statements of a helper that returns an iterator, which is kept under the number of the body.
    pub(super) fn iterating_body(&mut self, item: &syn::ItemFn, span: Span) -> (Block, Type, LoopId) {
        let body = with_names_written(item.block.stmts.clone());
        let (tail, stmts) = match body.split_last() {
            Some((syn::Stmt::Expr(tail, _), stmts)) => (value_of(tail), stmts),
            _ => (None, &body[..]),
        };
        let mut is_left = false;
        let mut front = syn::Block { stmts: stmts.to_vec(), ..(*item.block).clone() };
        each_return(&mut front, &mut |_| is_left = true);
        if is_left {
            let refused = self.refuse(
                span,
                "an iterator that is returned from more than one place",
                "which loop it is would be known only at run time",
                "choose in its closures or bounds: `let n = if all { x.len() } else { 0 }; x[..n].iter()`",
            );
            return (Block::default(), refused.ty, self.next_loop());
        }
        let ((block, chain), id, _) = self.inside(Leavable::Function, None, |this, _| {
            this.items_of(stmts);
            let (block, _) = this.statements_of(stmts);
            let chain = tail.and_then(|tail| this.items(tail));
            (block, chain)
        });
        if let Some(chain) = chain {
            self.returned_iterators.insert(id, (chain, span));
        }
        (block, Type::Never, id)
    }

    /// The iterator that a call of a helper made.
    pub(super) fn returned_iterator(&mut self, call: &Expr) -> Option<Chain> {
        let Kind::Inline(helper) = &call.kind else { return None };
        let (chain, _) = self.returned_iterators.remove(&helper.id)?;
        let item = chain.item.clone();
        Some(Chain::new(ChainKind::Behind(helper.clone(), Box::new(chain)), item))
    }

    /// Refuses iterators that no loop goes over.
    pub(super) fn finish_iterators(&mut self) {
        let mut left: Vec<(LoopId, Span)> =
            self.returned_iterators.drain().map(|(id, (_, span))| (id, span)).collect();
        left.sort_unstable_by_key(|(id, _)| *id);
        for (_, span) in left {
            self.refusals.push(
                span,
                "an iterator that a helper returns, as a value",
                "an iterator is known here only where it is used up",
                "go through it where it is made, `for v in helper(x) { … }`, or keep its items: \
                 `let v: Vec<f64> = helper(x).collect();`",
            );
        }
    }
}

/// The iterator at the end of a body, out of `return` and `Box::new`.
fn value_of(e: &syn::Expr) -> Option<&syn::Expr> {
    match bare(e) {
        syn::Expr::Return(e) => value_of(e.expr.as_ref()?),
        syn::Expr::Call(call) if call.args.len() == 1 => match bare(&call.func) {
            syn::Expr::Path(path)
                if super::names(&path.path).ends_with(&["Box".to_owned(), "new".to_owned()]) =>
            {
                call.args.first()
            }
            _ => Some(e),
        },
        _ => Some(e),
    }
}
