//! What statements touch, and whether they may exchange places.

use super::divergence::Divergence;
use crate::ir::{BufferSet, Effects, Program, Stmt};

/// What statements touch.
#[derive(Default)]
pub(super) struct Touched {
    reads: BufferSet,
    pub(super) writes: BufferSet,
    /// Totals that they add to and do not assign: in which order that happens changes their rounding alone.
    adds: BufferSet,
}

impl Touched {
    /// By a statement, where additions to a total may exchange places.
    pub(super) fn with_totals(program: &Program, lanes: &Divergence, stmt: &Stmt) -> Touched {
        let Effects { reads, writes } = Effects::of(program, std::slice::from_ref(stmt));
        let mut touched = Touched { reads, writes, adds: BufferSet::new() };
        let mut assigned = BufferSet::new();
        stmt.walk(&mut |stmt| assigned.extend(stmt.as_assign().map(|(target, _)| target.buffer)));
        stmt.writes(&mut |buffer| {
            if lanes.is_total(buffer) && !assigned.contains(buffer) {
                touched.writes.remove(buffer);
                touched.adds.insert(buffer);
            }
        });
        touched
    }

    /// Takes in what other statements touch.
    pub(super) fn join(&mut self, other: &Touched) {
        self.reads.union(&other.reads);
        self.writes.union(&other.writes);
        self.adds.union(&other.adds);
    }

    /// Whether neither writes what the other touches.
    pub(super) fn commutes(&self, other: &Touched) -> bool {
        let disturbs = |a: &Touched, b: &Touched| {
            a.writes.meets(&b.reads) || a.writes.meets(&b.adds) || a.adds.meets(&b.reads)
        };
        !self.writes.meets(&other.writes) && !disturbs(self, other) && !disturbs(other, self)
    }
}

/// Whether neither of two lists of statements writes what the other touches.
pub(super) fn independent(program: &Program, first: &[Stmt], second: &[Stmt]) -> bool {
    !Effects::of(program, first).conflicts(&Effects::of(program, second))
}
