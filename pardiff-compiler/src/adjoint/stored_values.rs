//! Values that are stored where the primal program uses them.

use super::recompute_or_store::{Body, Entry};
use super::reverse_stmt::Sweep;
use crate::ir::{BufferId, Expr, ExprKind, Origin, Phase, Stmt};
use crate::poly::AccessId;

impl<'p> Sweep<'p> {
    /// Stores the value of `expr` before `stmt`, once for each combination of the iterators that it varies with.
    pub(super) fn stored_at_use(&mut self, expr: &Expr, stmt: &'p Stmt) -> Expr {
        self.stored_before(expr, None, stmt)
    }

    /// The same of the element that `access` reads, if it is one: what varies with a loop is asked of its dependences.
    pub(super) fn stored_before(&mut self, expr: &Expr, access: Option<AccessId>, stmt: &'p Stmt) -> Expr {
        // a variable that is stored around the scopes and loops that the statement stands in is open only if none of them
        // changes it; an element is not read before the checks in them
        let is_variable = matches!(&expr.kind, ExprKind::Load(place) if place.index.is_empty());
        let mut reaches = true;
        for pending in self.region.pending.iter_mut().rev() {
            let structure = &self.structure;
            let leaves = match (pending.body, &expr.kind) {
                (Body::Scope(_), _) => is_variable,
                // the bounds of the loop may have been stored, of a variable that it changes
                (Body::Loop(looped), ExprKind::Load(place)) => {
                    let writes = structure.writes(place.buffer);
                    is_variable && !writes.iter().any(|it| structure.is_inside(it, looped))
                }
                _ => false,
            };
            if !std::mem::replace(&mut reaches, leaves) {
                break;
            }
            let at = pending.at;
            if let Some(entry) = pending.entries.iter_mut().find(|entry| entry.open && entry.expr == *expr) {
                entry.at = at;
                return entry.tape.load(Vec::new());
            }
        }
        let name = match &expr.kind {
            ExprKind::Load(place) => format!("{}_tape", self.primal[place.buffer].name),
            ExprKind::Extent(buffer, _) => format!("{}_len", self.primal[*buffer].name),
            _ => "condition".to_owned(),
        };
        let tape = self.new_tape(&name, expr.ty, stmt, Vec::new(), |sweep, names| {
            sweep.structure.varies(expr, names.stmt)
                && !access.is_some_and(|access| sweep.is_constant_in(access, names.stmt))
        });
        let load = tape.load(Vec::new());
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        let pending = self.region.pending.last_mut().expect("statements are reversed inside a block");
        let at = pending.at;
        pending.entries.push(Entry { expr: expr.clone(), tape, at, open: true, origin });
        load
    }

    /// Called before the statement at position `at` of the current block is reversed: what it writes can no longer be
    /// stored in front of it for later uses.
    pub(super) fn close_pending(&mut self, stmt: &'p Stmt, at: usize) {
        let pending = self.region.pending.last_mut().expect("statements are reversed inside a block");
        pending.at = at;
        let structure = &self.structure;
        let written = |b: BufferId| {
            structure.writes(b).iter().any(|w| std::ptr::eq(*w, stmt) || structure.is_inside(w, stmt))
        };
        for entry in pending.entries.iter_mut().filter(|entry| entry.open) {
            entry.expr.each_named(&mut |buffer| entry.open &= !written(buffer));
        }
    }
}
