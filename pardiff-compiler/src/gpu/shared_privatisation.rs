//! Arrays of few elements that a kernel adds to: each thread has a copy in shared memory, however the elements are found.
//!
//! ```text
//! grid: for i in 0..n                grid: for i in 0..n
//!   d_c[label[i]] += e        =>       d_c[label[i]] += e     # to the thread's own copy, in the block's shared memory
//!                                    # the threads of each block in order, then the blocks in order
//! ```
//!
//! **Legality.** The kernel does nothing to the target but add to it, and does not read it. A thread adds to a column of its own,
//! which no other thread touches until all of the block are at the barrier behind the iterations. The columns of a block are added
//! up in a fixed order, and so are the blocks: the sums are the same bits in each call with the same sizes. Shared memory has
//! a fixed size: an array gets a place there if it has no more than [`ELEMENTS_COPIED_BY_A_THREAD`] elements, which is known, or asked in front.

use super::blocks::width;
use super::grids::grid_kernels;
use crate::ir::{
    BufferId, Expr, For, Layout, Program, ReduceOp, Scheme, Stmt, StmtKind, Update, has_block_loops,
};
use crate::limits::{BYTES_OF_COPIES, ELEMENTS_COPIED_BY_A_THREAD, THREADS_THAT_COPY};
use crate::schedule::cost::{Costs, saturating_mul};

/// How many elements of an array have a place in shared memory for each thread.
pub fn places(program: &Program, id: BufferId) -> usize {
    let dims = program[id].dims.iter().cloned();
    dims.fold(Expr::usize(1), saturating_mul).as_usize().unwrap_or(ELEMENTS_COPIED_BY_A_THREAD)
}

/// The sums of a kernel that have copies in shared memory.
pub fn shared_copies(each: &For) -> Vec<(BufferId, ReduceOp)> {
    let mut found = Vec::new();
    each.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let Some(Update { op, target, scheme: Scheme::SharedCopies, .. }) = stmt.as_update()
                && !found.contains(&(target.buffer, op))
            {
                found.push((target.buffer, op));
            }
        });
    });
    found
}

/// The bytes of shared memory that its copies take.
pub(super) fn bytes(program: &Program, id: BufferId) -> usize {
    places(program, id).saturating_mul(THREADS_THAT_COPY * width(program[id].elem))
}

/// Those of these arrays whose copies fit into shared memory beside what a kernel has there.
pub(super) fn that_fit(program: &Program, each: &For, arrays: &[BufferId]) -> Vec<BufferId> {
    let mut room =
        BYTES_OF_COPIES.saturating_sub(shared_copies(each).iter().map(|(id, _)| bytes(program, *id)).sum());
    let mut fit = Vec::new();
    for &id in arrays.iter().filter(|id| is_dense(program, **id)) {
        if let Some(rest) = room.checked_sub(bytes(program, id)) {
            room = rest;
            fit.push(id);
        }
    }
    fit
}

/// Gives copies of arrays that are known to have few elements a place in shared memory. In kernels whose iterations blocks run the
/// block has one copy, in global memory.
pub(super) fn share(program: &mut Program, costs: &Costs) {
    let mut body = std::mem::take(&mut program.body);
    grid_kernels(&mut body, &mut |stmt| {
        let Some(each) = stmt.as_for() else { return };
        if has_block_loops(&each.body) {
            return;
        }
        let mut few = Vec::new();
        each.body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                if let Some(Update { target, scheme: Scheme::PrivateCopies, .. }) = stmt.as_update()
                    && !few.contains(&target.buffer)
                    && is_few(program, target.buffer, costs)
                {
                    few.push(target.buffer);
                }
            });
        });
        let fit = that_fit(program, each, &few);
        if !fit.is_empty() {
            mark(stmt, Scheme::PrivateCopies, &|id| fit.contains(&id).then_some(Scheme::SharedCopies));
        }
    });
    program.body = body;
}

/// How many elements are few.
pub(super) fn few(costs: &Costs) -> usize {
    costs.few_elements.min(ELEMENTS_COPIED_BY_A_THREAD)
}

/// Whether an array is known to have few elements.
pub(super) fn is_few(program: &Program, id: BufferId, costs: &Costs) -> bool {
    let dims = program[id].dims.iter().cloned();
    let size = dims.fold(Expr::usize(1), saturating_mul).as_usize();
    is_dense(program, id) && size.is_some_and(|size| size <= few(costs))
}

/// Whether an array has no more places than elements.
fn is_dense(program: &Program, id: BufferId) -> bool {
    program[id].layout == Layout::RowMajor
}

/// Gives sums of one scheme another one, by their targets.
pub(super) fn mark(stmt: &mut Stmt, from: Scheme, to: &dyn Fn(BufferId) -> Option<Scheme>) {
    if let StmtKind::Reduce { target, scheme, .. } = &mut stmt.kind
        && *scheme == from
        && let Some(to) = to(target.buffer)
    {
        *scheme = to;
    }
    stmt.blocks_mut().into_iter().flatten().for_each(|inner| mark(inner, from, to));
}
