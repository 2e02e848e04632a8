//! Scalars that each arm of a condition defines, computed again under the same condition.
//!
//! ```text
//! if i == 0 { left = u[0] }          reverse: scope left'
//! else      { left = u[i - 1] }                 if i == 0 { left' = u[0] }
//! flux[i] = f(left, u[i])                       else      { left' = u[i - 1] }
//!                                               d_left += …
//! ```
//!
//! So a value at the end of a grid needs no tape if the same value inside the grid needs none.
//!
//! *Legality.* Each arm assigns the scalar once, outside of loops, and nothing else writes it: its value is that of the
//! arm that runs. The condition and the operands of the arms are in place, or have definitions outside of the
//! condition. So the same arm runs again and reads the same elements. The checks of the forward sweep cover them.

use super::recompute_or_store::Budget;
use super::reverse_stmt::Sweep;
use super::structure::{Structure, key};
use crate::ir::{Block, BufferId, Expr, Origin, Phase, Role, Stmt, StmtKind, Ty};

impl<'p> Structure<'p> {
    /// The `If` statement that defines the scalar `buffer`: each arm assigns it once, and nothing else does. It stands
    /// directly in the scope of the scalar, so it executes once in each instance of the scope, before all uses.
    pub(super) fn conditional_definition(&self, buffer: BufferId) -> Option<&'p Stmt> {
        let (scope, writes) = (self.scope(buffer)?, self.writes(buffer));
        if writes.len() < 2 || !self.is_scalar(buffer) {
            return None;
        }
        let inside = |stmt: &&Stmt| self.is_inside(stmt, scope);
        let gate = self.ancestors(writes[0]).take_while(inside).last()?;
        gate.as_if()?;
        let mut found = 0;
        (defines(gate, buffer, &mut found) && found == writes.len()).then_some(gate)
    }
}

/// Whether the arms of a condition assign the scalar once each; counts them.
fn defines(gate: &Stmt, scalar: BufferId, found: &mut usize) -> bool {
    let Some((_, then, els)) = gate.as_if() else { return false };
    [then, els].into_iter().all(|arm| match value_of(arm, scalar) {
        Some(_) => {
            *found += 1;
            true
        }
        None => inner(arm).is_some_and(|gate| defines(gate, scalar, found)),
    })
}

/// The statement of an arm that assigns the scalar, and its value.
fn value_of(arm: &Block, scalar: BufferId) -> Option<(&Stmt, &Expr)> {
    arm.iter().find_map(|stmt| {
        let (target, value) = stmt.as_scalar_assign()?;
        (target == scalar).then_some((stmt, value))
    })
}

/// The condition that an arm ends with.
fn inner(arm: &Block) -> Option<&Stmt> {
    arm.last().filter(|stmt| stmt.as_if().is_some())
}

impl<'p> Sweep<'p> {
    /// Whether the value that the arms of a condition give a scalar is cheap to compute again.
    pub(super) fn can_be_chosen(&self, gate: &Stmt, scalar: BufferId, budget: &mut Budget) -> bool {
        let (copied, copies) = (budget.copied.len(), self.copies_for(gate, scalar));
        budget.copied.extend(copies.into_iter().map(|(array, _)| array));
        let can_choose = self.can_choose(gate, gate, scalar, budget);
        budget.copied.truncate(copied);
        can_choose
    }

    /// The arrays that the arms read and that are overwritten later, each with the nest before which a copy is stored.
    /// One arm sweeps through the array and needs the copy; arms that read single elements use it as well.
    fn copies_for(&self, gate: &Stmt, scalar: BufferId) -> Vec<(BufferId, &'p Stmt)> {
        let mut found = Vec::new();
        gate.walk(&mut |stmt| {
            let Some((_, value)) = stmt.as_scalar_assign().filter(|(target, _)| *target == scalar) else {
                return;
            };
            value.each_load(&mut |place| {
                let is_needed = !place.index.is_empty()
                    && self.lives_here(place.buffer)
                    && self.overwritten_after(stmt, place);
                if is_needed
                    && let Some(nest) = self.snapshot_nest(place, stmt)
                    && self.structure.is_inside(gate, nest)
                {
                    found.push((place.buffer, nest));
                }
            });
        });
        found
    }

    /// Whether the arms of `gate`, which is `outermost` or an `If` in its arms, are cheap to compute again.
    fn can_choose(&self, gate: &Stmt, outermost: &Stmt, scalar: BufferId, budget: &mut Budget) -> bool {
        let Some((cond, then, els)) = gate.as_if() else { return false };
        let is_outermost = std::ptr::eq(gate, outermost);
        (is_outermost || self.comes_from_outside(cond, outermost))
            && self.can_replay(cond, gate, budget)
            && [then, els].into_iter().all(|arm| match value_of(arm, scalar) {
                Some((stmt, value)) => {
                    self.comes_from_outside(value, outermost) && self.can_replay(value, stmt, budget)
                }
                None => inner(arm).is_some_and(|gate| self.can_choose(gate, outermost, scalar, budget)),
            })
    }

    /// Whether an expression reads nothing that is declared or written inside a condition.
    fn comes_from_outside(&self, value: &Expr, gate: &Stmt) -> bool {
        let mut outside = true;
        value.each_named(&mut |buffer| {
            let declared =
                self.structure.scope(buffer).is_some_and(|scope| self.structure.is_inside(scope, gate));
            let written =
                self.structure.writes(buffer).iter().any(|write| self.structure.is_inside(write, gate));
            outside &= !declared && !written;
        });
        outside
    }

    /// The reverse sweep's copy of a scalar that it may compute again.
    pub(super) fn chosen(&mut self, gate: &'p Stmt, scalar: BufferId, ty: Ty) -> Expr {
        let known = self.region.chosen.entry(key(gate)).or_default();
        let copy = match known.iter().find(|(of, _)| *of == scalar) {
            Some((_, copy)) => *copy,
            None => {
                let name = self.primal[scalar].name.clone();
                let copy = self.out.add_scalar(&name, ty, Role::Local);
                known.push((scalar, copy));
                for (array, nest) in self.copies_for(gate, scalar) {
                    self.snapshot(array, nest);
                }
                copy
            }
        };
        self.out.load_scalar(copy)
    }

    /// The condition that computes these copies.
    pub(super) fn choose(&mut self, gate: &'p Stmt, copies: &[(BufferId, BufferId)]) -> Option<Stmt> {
        let (cond, then, els) = gate.as_if()?;
        let cond = self.value_at(cond, gate);
        let [then, els] = [then, els].map(|arm| {
            let (mut block, mut nested) = (Block::new(), Vec::new());
            for &(scalar, copy) in copies {
                match value_of(arm, scalar) {
                    Some((stmt, value)) => {
                        let value = self.value_at(value, stmt);
                        block.push(Stmt::set(copy, value, Origin { phase: Phase::Replay, ..stmt.origin }));
                    }
                    None => nested.push((scalar, copy)),
                }
            }
            if !nested.is_empty() {
                block.extend(inner(arm).and_then(|gate| self.choose(gate, &nested)));
            }
            block
        });
        let kind = StmtKind::If { cond, then, els };
        Some(Stmt::new(kind, Origin { phase: Phase::Replay, ..gate.origin }))
    }
}
