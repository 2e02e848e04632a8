//! Facts that are not proved but can be checked when the program runs.
//!
//! Rows of a matrix in compressed form, `for k in start[i]..start[i + 1]`, are apart if the starts never fall. No loop of
//! the program says so; but one pass over `start` does, in front of the loop over `i`. [`Analysis::facts_of`] lists what
//! is worth checking for a loop, and [`Analysis::carried_assuming`] what the loop carries where that holds. Whoever uses
//! the second answer keeps the loop as it is for the runs in which the check fails (`StmtKind::Guarded`).

use super::affine::{Affine, Sym, SymKind};
use super::analysis::Analysis;
use super::parallel::BufferDependence;
use super::set::{Constraint, Set};
use crate::ir::{BufferId, IterId, Order};

/// The elements of an array never fall along a loop: `pointers[i + offset] <= pointers[i + offset + 1]` for every value
/// `i` of its iterator. So `pointers[i + offset + 1] <= pointers[j + offset]` for all values `i < j`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Monotone {
    /// The loop.
    pub along: IterId,
    /// An array of integers with one dimension, which the loop does not write.
    pub pointers: BufferId,
    /// See above; not negative.
    pub offset: i128,
}

impl Analysis<'_> {
    /// What may be checked in front of a loop by one, so that it carries less: starts and ends of rows that are the
    /// bounds of a loop inside.
    pub fn facts_of(&self, along: IterId) -> Vec<Monotone> {
        let mut found = Vec::new();
        let Some(outer) = self.loop_of(along).filter(|outer| outer.step == Some(1)) else { return found };
        let depth = self.loops(outer.inner).len();
        for inner in self.loops.iter().flatten() {
            if inner.hi_is_bound || self.loops(inner.inner).get(depth - 1) != Some(&along) {
                continue;
            }
            let end = inner.hi.clone().offset(1);
            let row = self.element_of(&inner.lo, along).zip(end.and_then(|end| self.element_of(&end, along)));
            let Some(((pointers, offset), (ends, behind))) = row else { continue };
            let fact = Monotone { along, pointers, offset };
            if pointers == ends && behind == offset + 1 && offset >= 0 && !found.contains(&fact) {
                found.push(fact);
            }
        }
        found
    }

    /// What a loop carries where the facts hold; see [`Analysis::carried_by`].
    pub fn carried_assuming(&self, along: IterId, facts: &[Monotone]) -> Vec<BufferDependence> {
        let mut carried = self.carried_by(along);
        for found in &mut carried {
            if !found.is_independent() {
                *found = self.buffer_carried_by(along, found.buffer, facts);
            }
        }
        carried
    }

    /// The array and the offset of a form that is the element `array[along + offset]`.
    fn element_of(&self, form: &Affine, along: IterId) -> Option<(BufferId, i128)> {
        let SymKind::Element(buffer, index) = &self.symbols.symbol(form.as_symbol()?).kind else {
            return None;
        };
        let [index] = &index[..] else { return None };
        let iter = self.symbols.get(&SymKind::Iter(along))?;
        let offset = index.without(iter)?.as_constant()?;
        (index.coefficient(iter) == 1).then_some((*buffer, offset))
    }

    /// Adds what a fact says of two iterations of its loop, the second one executed later and its symbols primed.
    pub(super) fn assume(&self, set: &mut Set, fact: &Monotone) {
        let Some(iter) = self.symbols.get(&SymKind::Iter(fact.along)) else { return };
        let element = |offset: i128| -> Option<Sym> {
            let index = Affine::symbol(iter).offset(offset)?;
            self.symbols.get(&SymKind::Element(fact.pointers, vec![index]))
        };
        let (Some(start), Some(end)) = (element(fact.offset), element(fact.offset + 1)) else { return };
        let le = |low: Sym, high: Sym| Constraint::le(&Affine::symbol(low), &Affine::symbol(high));
        set.add(le(start, end));
        set.add(le(start.primed(), end.primed()));
        set.add(match self.loop_of(fact.along).map(|of| of.order) {
            Some(Order::Up) => le(end, start.primed()),
            Some(Order::Down) => le(end.primed(), start),
            None => None,
        });
    }
}
