//! Loops over the elements of a chunk: how long the longest is, for tapes with a row of one length for each chunk.
//!
//! ```text
//! for b in 0..(n + c - 1) / c { for j in 0..min(c, n - b * c) { … } }     a tape [b, j] of extents [.., min(c, n)]
//! ```
//!
//! *Legality*: the last chunk is the only shorter one, and `min(c, n - b * c) <= min(c, n)` for every `b` for which the
//! primal computes `n - b * c` at all, so each slot lies inside of its row. *Memory*: all rows together have fewer than
//! `n + min(c, n) <= 2 n` slots, where the loops have `n` iterations. Without this the rows are ragged, where they start is
//! a running sum, and the forward sweep over the chunks is sequential.

mod staggered;

use super::reverse_stmt::Sweep;
use crate::ir::{BinOp, Expr, ExprKind, For, Func, Ty};

impl Sweep<'_> {
    /// The most iterations that a loop over the elements of a chunk has, as an expression that is right when the tapes
    /// of the current statement of the region open; `None` for other loops.
    pub(super) fn longest_chunk(&self, looped: &For) -> Option<Expr> {
        let is = |bound: &Expr, value| matches!(bound.kind, ExprKind::Int(known) if known == value);
        let plain =
            is(&looped.lo, 0) && is(&looped.step, 1) && !looped.inclusive && looped.hi.ty == Ty::USIZE;
        if plain { self.longest_within(&looped.hi) } else { None }
    }

    fn longest_within(&self, len: &Expr) -> Option<Expr> {
        match &len.kind {
            ExprKind::Load(place) if place.index.is_empty() => {
                self.longest_within(self.structure.single_definition(place.buffer)?.as_assign()?.1)
            }
            ExprKind::Call(Func::IntMin, _, args) => match &args[..] {
                [a, b] => self
                    .chunk(a, b)
                    .or_else(|| self.chunk(b, a))
                    .or_else(|| self.longest_within(a))
                    .or_else(|| self.longest_within(b)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `min(size, n)`, if `rest` is `n - b * size`.
    fn chunk(&self, size: &Expr, rest: &Expr) -> Option<Expr> {
        let ExprKind::Binary(BinOp::Sub, whole, start) = &rest.kind else { return None };
        let ExprKind::Binary(BinOp::Mul, a, b) = &start.kind else { return None };
        if **a != *size && **b != *size {
            return None;
        }
        let (size, whole) = (self.when_opening(size)?, self.when_opening(whole)?);
        Some(Expr::call(Ty::USIZE, Func::IntMin, vec![size, whole]))
    }
}
