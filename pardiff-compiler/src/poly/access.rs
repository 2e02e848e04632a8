//! Accesses: which elements the statements of a program touch, under which loops and conditions.

use super::affine::Affine;
use super::structure::{NestId, StmtId};
use crate::ir::{BufferId, IterId, Order, Place, ReduceOp};

/// An access of the program, numbered in order of appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AccessId(pub u32);

/// What an access does to the element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// Reads it.
    Read,
    /// Overwrites it.
    Write,
    /// Updates it; updates of one operation commute.
    Reduce(ReduceOp),
}

/// One load, one target, or one buffer of a `Swap` or `Call`.
#[derive(Clone, Debug)]
pub struct Access<'p> {
    /// Its number.
    pub id: AccessId,
    /// The buffer.
    pub buffer: BufferId,
    /// What it does.
    pub kind: AccessKind,
    /// The element; none where the whole buffer is touched.
    pub place: Option<&'p Place>,
    /// The statement that it belongs to.
    pub stmt: StmtId,
    /// The loops around it.
    pub nest: NestId,
    /// Order of execution within one iteration of the loops around it and another access.
    pub order: u32,
    /// The index as forms whose values are proved to be the index, a dimension each; none where that is unknown.
    /// As many as the buffer has dimensions, or as it was given by delinearisation.
    pub index: Vec<Option<Affine>>,
    /// What is known of the iterators and symbols where it is executed.
    pub point: PointId,
}

/// What is known at a place of the program, as an index of the analysis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PointId(pub(super) u32);

/// A loop of the program.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its iterator.
    pub iter: IterId,
    /// The loops around it.
    pub outer: NestId,
    /// The loops around its body.
    pub inner: NestId,
    /// First value.
    pub lo: Affine,
    /// No value is greater; the greatest itself where the step is one.
    pub hi: Affine,
    /// The step, if it is a constant; a `While` counts by one.
    pub step: Option<i128>,
    /// Direction.
    pub order: Order,
    /// Whether the iterations are executed one after the other; they are until they are scheduled otherwise.
    pub is_sequential: bool,
    /// What is known where the bounds are evaluated.
    pub point: PointId,
    /// Whether `hi` is nothing but a bound: a `While`, or a step that is not one.
    pub hi_is_bound: bool,
    /// The last value where the bound does not wrap, if nothing is known that keeps it from that; see
    /// [`Fits`](super::runtime_facts::Fits).
    pub unless_wrapped: Option<Affine>,
}

impl AccessKind {
    /// Whether the element may change.
    pub fn writes(self) -> bool {
        !matches!(self, AccessKind::Read)
    }
}

impl<'p> Access<'p> {
    pub(super) fn new(
        id: AccessId,
        buffer: BufferId,
        kind: AccessKind,
        place: Option<&'p Place>,
        stmt: StmtId,
        nest: NestId,
        order: u32,
    ) -> Access<'p> {
        Access { id, buffer, kind, place, stmt, nest, order, index: Vec::new(), point: PointId(0) }
    }
}
