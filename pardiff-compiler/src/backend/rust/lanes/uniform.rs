//! What is the same in every lane, and what is the same in every iteration.
//!
//! A value is *varying* if it mentions the iterator of the lane loop, an iterator with varying bounds, or a varying
//! local, or reads an element at a varying index. A local of the body is varying if one of its assignments has a
//! varying value or stands under a varying condition. Everything else is *uniform*: a scalar in the generated code.

use super::Lanes;
use crate::ir::{Block, BufferId, Expr, ExprKind, For, Place, StmtKind};

impl Lanes<'_, '_> {
    /// Finds the varying locals and iterators: the smallest set that is closed under the rules above.
    pub(super) fn find_varying(&mut self) {
        let body = &self.it.body;
        while self.spread(body, false) {}
    }

    /// One round; whether something was found.
    fn spread(&mut self, block: &Block, masked: bool) -> bool {
        let mut found = false;
        for stmt in block {
            found |= match &stmt.kind {
                StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                    let varies = masked || self.varies_expr(value) || self.index_varies(target);
                    varies && self.own.contains(target.buffer) && self.varying.insert(target.buffer)
                }
                StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                    let masked = masked || self.varies_expr(cond);
                    self.spread(then, masked) | self.spread(els, masked)
                }
                StmtKind::For(For { iter, lo, hi, step, body, .. }) => {
                    let varies = [lo, hi, step].into_iter().any(|bound| self.varies_expr(bound));
                    let new = varies && self.varying_iters.insert(*iter);
                    self.spread(body, masked || varies) | new
                }
                StmtKind::Scope { body, .. } => self.spread(body, masked),
                _ => false,
            };
        }
        found
    }

    /// Whether the lanes may have different values.
    pub(super) fn varies_expr(&self, expr: &Expr) -> bool {
        expr.any(&mut |expr| match &expr.kind {
            ExprKind::Iter(iter) => *iter == self.it.iter || self.varying_iters.contains(iter),
            ExprKind::Load(place) => self.varying.contains(place.buffer),
            _ => false,
        })
    }

    /// Whether the lanes may mean different elements.
    pub(super) fn index_varies(&self, place: &Place) -> bool {
        place.index.iter().any(|index| self.varies_expr(index))
    }

    /// Whether the value is the same in every iteration, but for the loop's own iterator if that is allowed: it
    /// mentions nothing that the body declares or writes.
    pub(super) fn is_invariant(&self, expr: &Expr, but_iterator: bool) -> bool {
        expr.all(&mut |expr| match &expr.kind {
            ExprKind::Iter(iter) if *iter == self.it.iter => but_iterator,
            ExprKind::Iter(iter) => !self.inner.contains(iter),
            ExprKind::Load(place) => self.is_settled(place.buffer),
            ExprKind::Extent(buffer, _) => !self.own.contains(*buffer),
            _ => true,
        })
    }

    fn is_settled(&self, buffer: BufferId) -> bool {
        !self.own.contains(buffer) && !self.written.contains(buffer)
    }
}
