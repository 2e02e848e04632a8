//! What may stand inside one lane loop, and which locals may be registers there.
//!
//! A lane loop holds assignments, sums, checks, conditions, loops with uniform bounds, and scopes of scalars and of
//! small arrays. What it assigns must differ between lanes or be declared in it: a uniform place written by eight
//! lanes at once has no meaning.

use super::cost;
use super::divergence::Divergence;
use crate::ir::Update;
use crate::ir::{Block, BufferId, BufferSet, Expr, For, Layout, Place, Program, Stmt, StmtKind};

/// Whether the statement may stand in a lane loop.
pub(super) fn is_laneable(program: &Program, lanes: &Divergence, stmt: &Stmt) -> bool {
    let mut inside = Inside { program, lanes, own: BufferSet::new() };
    inside.stmt(stmt)
}

struct Inside<'a> {
    program: &'a Program,
    lanes: &'a Divergence,
    /// Buffers declared in the statement.
    own: BufferSet,
}

impl Inside<'_> {
    fn block(&mut self, block: &Block) -> bool {
        block.iter().all(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Assign { target, .. } => {
                let local = self.lanes.locals.contains(target.buffer);
                self.own.contains(target.buffer)
                    || if local { self.lanes.buffer(target.buffer) } else { self.lanes.place(target) }
            }
            StmtKind::Reduce { .. } if self.lanes.combines_totals(stmt) => false,
            StmtKind::Reduce { target, .. } => {
                let local = self.lanes.locals.contains(target.buffer);
                !local || self.own.contains(target.buffer) || self.lanes.buffer(target.buffer)
            }
            StmtKind::Check { .. } => true,
            StmtKind::If { then, els, .. } => self.block(then) && self.block(els),
            StmtKind::Scope { buffers, body } => {
                self.own.extend(buffers.iter().copied());
                let known = |&buffer: &BufferId| {
                    let buffer = &self.program[buffer];
                    buffer.layout == Layout::RowMajor
                        && buffer.dims.iter().all(|dim| dim.as_usize().is_some())
                };
                buffers.iter().all(known) && self.block(body)
            }
            StmtKind::For(for_) => {
                let uniform =
                    |expr: &Expr| !self.lanes.expr(expr) && !expr.reads_any(self.program, &self.own);
                for_.bounds().into_iter().all(uniform) && self.block(&for_.body)
            }
            StmtKind::While(_)
            | StmtKind::Swap { .. }
            | StmtKind::Fork { .. }
            | StmtKind::Guarded { .. }
            | StmtKind::Call { .. } => false,
        }
    }
}

/// Whether a loop is so short that it stays inside a lane loop, its arrays in registers: it runs a small constant
/// number of times over few statements, and it holds no sum into a place around the element loop, which would have
/// to be folded in each of its iterations.
pub(super) fn is_short(program: &Program, lanes: &Divergence, for_: &For, stmt: &Stmt) -> bool {
    let Some(size) = unrolled_size(for_) else { return false };
    let is_sum = |stmt: &Stmt| {
        let around = |it: Update<'_>| !lanes.locals.contains(it.target.buffer) && !lanes.place(it.target);
        stmt.as_update().is_some_and(around)
    };
    size <= cost::SHORT_LOOP_STATEMENTS && !stmt.any(&mut &is_sum) && is_laneable(program, lanes, stmt)
}

/// The number of statements that a nest of loops with constant bounds executes.
pub(super) fn unrolled_size(for_: &For) -> Option<usize> {
    fn size(block: &Block) -> Option<usize> {
        block.iter().try_fold(0usize, |sum, stmt| {
            let more = match stmt.as_for() {
                Some(each) => unrolled_size(each)?,
                None if stmt.is_loop() => return None,
                None => {
                    let own = usize::from(stmt.as_scope().is_none());
                    stmt.blocks().into_iter().try_fold(own, |sum, inner| Some(sum + size(inner)?))?
                }
            };
            Some(sum.saturating_add(more))
        })
    }
    Some(for_.constant_trip()?.saturating_mul(size(&for_.body)?))
}

/// Whether a varying local may be an array of vectors in a lane loop made of these statements: its extents are small
/// constants and every lane is at the same index.
pub(super) fn fits_registers(
    program: &Program,
    lanes: &Divergence,
    buffer: BufferId,
    stmts: &[Stmt],
) -> bool {
    let declared = &program[buffer];
    let size = declared.dims.iter().try_fold(1usize, |size, dim| size.checked_mul(dim.as_usize()?));
    let small = size.is_some_and(|size| size <= cost::REGISTER_ARRAY);
    if !small || declared.layout != Layout::RowMajor || declared.rank() == 0 {
        return small && declared.layout == Layout::RowMajor;
    }
    let mut uniform = true;
    let mut see = |place: &Place| {
        uniform &= place.buffer != buffer || !lanes.place(place);
    };
    stmts.iter().for_each(|stmt| places(stmt, &mut see));
    uniform
}

/// Calls `visit` on every load and target in a statement.
pub(in crate::schedule) fn places(stmt: &Stmt, visit: &mut dyn FnMut(&Place)) {
    stmt.walk(&mut |stmt| {
        stmt.as_store().into_iter().for_each(|(target, _)| visit(target));
        stmt.each_expr(&mut |expr| expr.each_load(visit));
    });
}

/// Whether a statement is a loop, or has one in it.
pub(super) fn has_loop(stmt: &Stmt) -> bool {
    stmt.any(&mut |stmt| stmt.is_loop())
}
