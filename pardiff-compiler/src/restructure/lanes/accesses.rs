//! What statements do to elements, and whether the iterations of a loop meet in one.

use super::stride::{Step, step};
use crate::ir::{Block, BufferId, BufferSet, ExprKind, IterId, Place, ReduceOp, StmtKind};

/// What is done to an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Touch {
    /// It is read.
    Read,
    /// It is overwritten.
    Assign,
    /// It is updated.
    Reduce(ReduceOp),
}

/// The accesses of statements that make no `Call` and no `Swap`.
pub(super) struct Accesses {
    all: Vec<(Place, Touch)>,
    /// Buffers declared in the statements.
    own: BufferSet,
    /// Iterators of loops in the statements.
    inner: Vec<IterId>,
    /// What the statements write.
    written: BufferSet,
}

impl Accesses {
    /// The accesses of a block; `None` where something in it is not looked into.
    pub(super) fn of(block: &Block) -> Option<Accesses> {
        let written = crate::ir::written(block);
        let mut found = Accesses { all: Vec::new(), own: BufferSet::new(), inner: Vec::new(), written };
        let mut known = true;
        for stmt in block {
            stmt.walk(&mut |stmt| {
                for expr in stmt.exprs() {
                    expr.walk(&mut |expr| {
                        if let ExprKind::Load(place) = &expr.kind {
                            found.all.push((place.clone(), Touch::Read));
                        }
                    });
                }
                match &stmt.kind {
                    StmtKind::Assign { target, .. } => found.all.push((target.clone(), Touch::Assign)),
                    StmtKind::Reduce { op, target, .. } => {
                        found.all.push((target.clone(), Touch::Reduce(*op)));
                    }
                    StmtKind::Scope { buffers, .. } => buffers.iter().for_each(|&buffer| {
                        found.own.insert(buffer);
                    }),
                    StmtKind::For(for_) => found.inner.push(for_.iter),
                    StmtKind::If { .. } | StmtKind::Check { .. } => {}
                    _ => known = false,
                }
            });
        }
        known.then_some(found)
    }

    /// All accesses.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Place, Touch)> {
        self.all.iter()
    }

    /// Whether the statements write the buffer.
    pub(super) fn writes(&self, buffer: BufferId) -> bool {
        self.written.contains(buffer)
    }

    /// Whether the buffer is declared in the statements.
    pub(super) fn declares(&self, buffer: BufferId) -> bool {
        self.own.contains(buffer)
    }

    /// Whether different iterations of the loop over `iter` around these statements commute in what they do to a
    /// buffer: all of them only update it, by one operation, or they access it at one index alone, which moves by one
    /// element from iteration to iteration.
    pub(super) fn commute_in(&self, buffer: BufferId, iter: IterId) -> bool {
        let mut own = self.all.iter().filter(|(place, _)| place.buffer == buffer);
        let Some((first, touch)) = own.next() else { return true };
        let only_updated = matches!(touch, Touch::Reduce(_)) && own.clone().all(|(_, other)| other == touch);
        only_updated || self.moves(first, iter) && own.all(|(other, _)| other == first)
    }

    /// Whether every access of the buffer is at one index alone, which moves by one element.
    pub(super) fn is_elementwise(&self, buffer: BufferId, iter: IterId) -> bool {
        let mut own = self.all.iter().filter(|(place, _)| place.buffer == buffer);
        own.next().is_none_or(|(first, _)| self.moves(first, iter) && own.all(|(other, _)| other == first))
    }

    fn moves(&self, place: &Place, iter: IterId) -> bool {
        let varies = |place: &Place| self.written.contains(place.buffer);
        let fixed = |index: &crate::ir::Expr| !self.inner.iter().any(|&inner| index.mentions(inner));
        place.index.iter().all(fixed)
            && place.index.iter().any(|index| matches!(step(index, iter, &varies), Step::Number(1 | -1)))
            && place.index.iter().all(|index| step(index, iter, &varies) != Step::Any)
    }
}
