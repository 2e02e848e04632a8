//! What statements do to elements, and whether the iterations of a loop meet in one.

use super::stride::{Step, step};
use crate::ir::{BinOp, BufferId, BufferSet, Expr, ExprKind, IterId, Place, ReduceOp, Stmt};

/// An index as another one and a number beside it.
fn slot(index: &Expr) -> (&Expr, i128) {
    match &index.kind {
        ExprKind::Binary(BinOp::Add, base, by) => match by.kind {
            ExprKind::Int(by) if by.abs() < 1 << 16 => (base, by),
            _ => (index, 0),
        },
        _ => (index, 0),
    }
}

/// What is done to an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::schedule) enum Touch {
    Read,
    /// It is overwritten.
    Assign,
    /// It is updated.
    Reduce(ReduceOp),
}

/// The accesses of statements that make no `Call` and no `Swap`.
pub(in crate::schedule) struct Accesses<'b> {
    all: Vec<(&'b Place, Touch)>,
    /// Buffers declared in the statements.
    own: BufferSet,
    /// Iterators of loops in the statements.
    inner: Vec<IterId>,
    /// What the statements write.
    written: BufferSet,
}

impl<'b> Accesses<'b> {
    /// The accesses of a block; `None` where something in it is not looked into.
    pub(in crate::schedule) fn of(block: &'b [Stmt]) -> Option<Accesses<'b>> {
        let written = crate::ir::written(block);
        let mut found = Accesses { all: Vec::new(), own: BufferSet::new(), inner: Vec::new(), written };
        let mut known = true;
        crate::ir::walk(block, &mut |stmt| {
            stmt.each_expr(&mut |expr| {
                expr.each_load(&mut |place| {
                    found.all.push((place, Touch::Read));
                })
            });
            if let Some((target, _)) = stmt.as_store() {
                let touch = stmt.as_update().map_or(Touch::Assign, |update| Touch::Reduce(update.op));
                found.all.push((target, touch));
            }
            found.own.extend(stmt.declares().iter().copied());
            found.inner.extend(stmt.as_for().map(|each| each.iter));
            let others = stmt.as_while().is_some() || stmt.is_fork() || stmt.as_guarded().is_some();
            known &= !others && stmt.whole().next().is_none() && !stmt.is_opaque();
        });
        known.then_some(found)
    }

    /// All accesses.
    pub(in crate::schedule) fn iter(&self) -> impl Iterator<Item = (&'b Place, Touch)> {
        self.all.iter().copied()
    }

    /// Whether the statements write the buffer.
    pub(in crate::schedule) fn writes(&self, buffer: BufferId) -> bool {
        self.written.contains(buffer)
    }

    /// Whether the buffer is declared in the statements.
    pub(in crate::schedule) fn declares(&self, buffer: BufferId) -> bool {
        self.own.contains(buffer)
    }

    /// Whether different iterations of the loop over `iter` around these statements commute in what they do to a
    /// buffer: all of them only update it, by one operation, or they access it at one index alone, which moves by one
    /// element from iteration to iteration; what they only read in other slots apart.
    pub(super) fn commute_in(&self, buffer: BufferId, iter: IterId) -> bool {
        let mut own = self.all.iter().filter(|(place, _)| place.buffer == buffer);
        let Some((_, touch)) = own.next() else { return true };
        let only_updated = matches!(touch, Touch::Reduce(_)) && own.all(|(_, other)| other == touch);
        only_updated || self.is_elementwise(buffer, iter)
    }

    /// Whether no two iterations access one element: every access of the buffer is at one index alone, which moves by one
    /// element, what is only read in other slots apart; or all are in a row, `[.., i]`, of their iteration.
    pub(in crate::schedule) fn is_elementwise(&self, buffer: BufferId, iter: IterId) -> bool {
        let own = || self.all.iter().filter(|(place, _)| place.buffer == buffer);
        let written = own().find(|(_, touch)| *touch != Touch::Read);
        let Some((first, _)) = written.or_else(|| own().next()) else { return true };
        let apart = |place: &Place, touch: Touch| touch == Touch::Read && self.are_apart(first, place, iter);
        let in_one_place = || own().all(|(other, touch)| other == first || apart(other, *touch));
        self.moves(first, iter) && (in_one_place() || self.have_a_row_each(buffer, iter))
    }

    /// Whether all accesses of the buffer have one index in one dimension, which is the next one in the next iteration.
    fn have_a_row_each(&self, buffer: BufferId, iter: IterId) -> bool {
        let own = || self.all.iter().filter(|(place, _)| place.buffer == buffer);
        let varies = |place: &Place| self.written.contains(place.buffer);
        let Some((first, _)) = own().next() else { return true };
        first.index.iter().enumerate().any(|(dim, index)| {
            let is_next = matches!(step(index, iter, &varies), Step::Number(1 | -1));
            let is_fixed = !self.inner.iter().any(|&inner| index.mentions(inner));
            is_next && is_fixed && own().all(|(place, _)| place.index.get(dim) == Some(index))
        })
    }

    /// Whether two accesses differ in an index that is the same in all iterations, by a number: two slots of a tape. Modulo
    /// two to the width of the type they still differ.
    fn are_apart(&self, a: &Place, b: &Place, iter: IterId) -> bool {
        let fixed = |index: &Expr| {
            let varies = |place: &Place| self.written.contains(place.buffer);
            !self.inner.iter().any(|&inner| index.mentions(inner))
                && step(index, iter, &varies) == Step::Number(0)
        };
        a.index.iter().zip(&b.index).any(|(a, b)| {
            let ((base_a, by_a), (base_b, by_b)) = (slot(a), slot(b));
            base_a == base_b && by_a != by_b && fixed(a) && fixed(b)
        })
    }

    fn moves(&self, place: &Place, iter: IterId) -> bool {
        let varies = |place: &Place| self.written.contains(place.buffer);
        let fixed = |index: &crate::ir::Expr| !self.inner.iter().any(|&inner| index.mentions(inner));
        place.index.iter().all(fixed)
            && place.index.iter().any(|index| matches!(step(index, iter, &varies), Step::Number(1 | -1)))
            && place.index.iter().all(|index| step(index, iter, &varies) != Step::Any)
    }
}
