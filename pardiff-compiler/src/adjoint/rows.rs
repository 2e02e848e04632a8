//! Rows of tapes that grow: where the forward sweep makes them.
//!
//! ```text
//!   if s % 2 == 0                          if s % 2 == 0
//!     for j in 0..n                =>        start[s] = next
//!       …                                    next = next + n
//!                                            reach t to next rows
//!                                            for j in 0..n
//!                                              t[start[s] + j] = …
//! ```
//!
//! *Where.* A tape must not ask for more memory than the loops that run have iterations. In front of a counted loop the
//! rows of all its iterations are made at once: each runs, and in each the loops inside have as many iterations as the row
//! has elements. That is not so of a loop whose end is not known in front of it, nor where a loop that is left out, and may
//! have no iterations, stands between loops that are not. There a row is made in each iteration, in front of the
//! outermost loop, or scope, that takes all of it; for single values, where the iteration begins.

use super::reverse_stmt::Sweep;
use super::structure::key;
use super::tape_layout::{Growth, LoopNames, Slots};
use crate::ir::{BufferId, Callee, Expr, ExprKind, Origin, Phase, Stmt, StmtKind};

impl<'p> Sweep<'p> {
    /// Makes the rows of `tape`, whose slots are these, for what is stored at `around`; `has_extents` says that a slot is an
    /// array.
    pub(super) fn make_rows(
        &mut self,
        tape: BufferId,
        slots: &Slots<'p>,
        growth: &Growth,
        around: &Stmt,
        has_extents: bool,
    ) {
        let of = |names: &LoopNames| {
            let is_same = |other: &LoopNames| std::ptr::eq(other.stmt, names.stmt);
            self.region.loops.iter().position(is_same).expect("a kept loop is one of the region")
        };
        let kept: Vec<usize> = slots.kept.iter().map(of).collect();
        let (grown, last) = (kept[growth.at], kept.last().copied().unwrap_or_default());
        let is_sure =
            |at: &usize| kept.contains(at) || self.region.loops[*at].trip.as_ref().is_some_and(is_positive);
        let unsure = (grown + 1..last).rev().find(|at| !is_sure(at));
        let inside = unsure.unwrap_or(grown);
        let (whole, first) = (growth.rows.as_ref().filter(|_| unsure.is_none()), slots.fwd[0].clone());
        let rows = whole.cloned().unwrap_or_else(|| first + Expr::usize(1));
        let next = kept.iter().find(|&&at| at > inside);
        let stmt = self.region.loops[if whole.is_some() { grown } else { *next.unwrap_or(&inside) }].stmt;
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        let callee = Callee::Reserve(Box::new(rows));
        let reach = Stmt::new(StmtKind::Call { callee, reads: Vec::new(), writes: vec![tape] }, origin);
        let region = &mut self.region;
        let place = match (whole, next) {
            (Some(_), _) | (None, Some(_)) => region.starts.before.entry(key(stmt)),
            (None, None) if has_extents => region.before.entry(key(around)),
            (None, None) => region.starts.inside.entry(key(stmt)),
        };
        place.or_default().push(reach);
    }
}

fn is_positive(trip: &Expr) -> bool {
    matches!(trip.kind, ExprKind::Int(1..))
}
