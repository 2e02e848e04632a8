//! Rows of scratch that have room for whole vectors: a loop over them needs no masked end.

use super::Lanes;
use crate::backend::rust::emitter::Emitter;
use crate::ir::{BinOp, Expr, ExprKind, Func, Layout, Place, Space, Stmt, StmtKind};
use crate::limits::FOLLOWED_DEFINITIONS;

impl Lanes<'_, '_> {
    /// Whether whole vectors may run past the last iteration: everything that the body touches is a row of scratch
    /// that has room for them, indexed by the iterator from 0, or is the same for every lane; nothing is summed; and
    /// what is computed there cannot panic: it is total, or the active lanes compute the same. What is written behind the last iteration is unspecified content again.
    /// The range checks before the loop are about whole vectors then.
    pub(super) fn may_run_over(&self) -> bool {
        if self.it.lo.as_usize() != Some(0) {
            return false;
        }
        crate::ir::all(&self.it.body, &mut |stmt| self.statement_runs_over(stmt))
    }

    /// How many vectors a loop is that has a constant number of iterations, if they fill them: it needs no masked end either.
    pub(super) fn whole_vectors(&self) -> Option<usize> {
        let trip = self.it.constant_trip()?;
        trip.is_multiple_of(8).then_some(trip / 8)
    }

    fn statement_runs_over(&self, stmt: &Stmt) -> bool {
        let place = |place: &Place| -> bool {
            let scalar_or_own = place.index.is_empty() || self.own.contains(place.buffer);
            (scalar_or_own && !self.index_varies(place)) || self.is_roomy(place)
        };
        let mut total = true;
        for expr in stmt.exprs() {
            expr.walk(&mut |expr| {
                total &= match &expr.kind {
                    ExprKind::Load(at) => !self.varies_expr(expr) || place(at),
                    _ => true,
                };
            });
            total &= expr.ty.is_float() || !self.varies_expr(expr) || expr.is_total();
        }
        total
            && match &stmt.kind {
                StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                    let local = self.own.contains(target.buffer);
                    (local && !self.index_varies(target)) || self.is_roomy(target)
                }
                StmtKind::If { cond, .. } => !self.varies_expr(cond),
                StmtKind::For(it) => !self.varies_expr(&it.lo) && !self.varies_expr(&it.hi),
                StmtKind::Scope { .. } => true,
                _ => false,
            }
    }

    /// Whether a vector that begins in the row of an element, at the iterator's place, ends in its memory: the last lanes
    /// are unspecified content then, of which nothing is kept.
    pub(super) fn has_room(&self, place: &Place) -> bool {
        self.it.lo.as_usize() == Some(0) && self.is_roomy(place)
    }

    /// Whether the element is `[.., l]` of chunk-local memory whose rows are whole vectors: `l` is below the extent of
    /// the row, so the vector that it belongs to is in the row.
    fn is_roomy(&self, place: &Place) -> bool {
        let buffer = &self.emitter.program[place.buffer];
        let Some((last, outer)) = place.index.split_last() else { return false };
        let padded = match buffer.layout {
            Layout::RowMajor => {
                buffer.dims.last().is_some_and(|extent| self.emitter.is_whole_vectors(extent))
            }
            Layout::Padded(multiple) => multiple.is_multiple_of(8),
            _ => false,
        };
        padded
            && buffer.space == Space::Thread
            && matches!(last.kind, ExprKind::Iter(iter) if iter == self.it.iter)
            && outer.iter().all(|index| !self.varies_expr(index))
    }
}

impl Emitter<'_> {
    /// Whether the extent is a multiple of the number of lanes, whatever the sizes are: a constant, or a local whose
    /// only assignment says so. Sums and products modulo a power of two keep multiples of eight.
    fn is_whole_vectors(&self, extent: &Expr) -> bool {
        self.is_multiple(extent, FOLLOWED_DEFINITIONS)
    }

    fn is_multiple(&self, expr: &Expr, depth: u32) -> bool {
        let both = |a: &Expr, b: &Expr| self.is_multiple(a, depth) && self.is_multiple(b, depth);
        match &expr.kind {
            ExprKind::Int(value) => value % 8 == 0,
            ExprKind::Load(place) if place.index.is_empty() && depth > 0 => {
                self.definition(place.buffer).is_some_and(|value| self.is_multiple(value, depth - 1))
            }
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => both(a, b),
            ExprKind::Binary(BinOp::Mul, a, b) => self.is_multiple(a, depth) || self.is_multiple(b, depth),
            ExprKind::Call(Func::IntMin | Func::IntMax, _, args) => match &args[..] {
                [a, b] => both(a, b),
                _ => false,
            },
            _ => false,
        }
    }
}
