//! Arrays that the threads of a block read together: the block copies its part to shared memory, and its threads read it there.
//!
//! *Comes in*: the schedule for a GPU. *Goes out*: the same with other threads for some kernels. *Guarantees*: every iteration
//! computes the same from the same values. *Never*: touches an array that the kernel writes, or copies under a condition.
//!
//! Squares: neighbours in two dimensions. The rows above and below belong to other blocks of threads, so each of them would come
//! from the memory of all multiprocessors once more.
//!
//! ```text
//! grid: for i in 1..n - 1                     grid: for i_tile in 0..(n - 2).div_ceil(8)
//!   grid: for j in 1..n - 1                     grid: for j_tile in 0..(n - 2).div_ceil(126)    # a block
//!     y[i, j] = x[i - 1, j] + x[i + 1, j]         scope x_tile: f64[10, 128] shared
//!       + x[i, j - 1] + x[i, j + 1]                 block: for column in 0..128     # fewer in the last part
//!                                      =>             for row in 0..10
//!                                                       if both are in range
//!                                                         x_tile[row, column] = x[8 * i_tile + row, 126 * j_tile + column]
//!                                                   block: for j in the 126 columns
//!                                                     for i in the 8 rows
//!                                                       y[i, j] = x_tile[i - 8 * i_tile - 1, …] + …
//! ```
//!
//! Rows: each thread reads a row of its own, element by element. What the threads of a warp read at a time lies far apart, one
//! element in each of 32 places; the copy takes rows one after the other, neighbouring threads neighbouring elements.
//!
//! ```text
//! grid: for i in 0..n                         if (8 <= d) & (d <= 32)
//!   for j in 0..d                               grid: for i_tile in 0..n.div_ceil(128)          # a block
//!     s += x[i * d + j] * w[j]                    scope x_tile: f64[128, 33] shared
//!                                                   block: for thread in 0..128
//!                                      =>             for row in (thread / 32..128).step_by(4)
//!                                                       if thread % 32 < d, and in range
//!                                                         x_tile[row, thread % 32] = x[(128 * i_tile + row) * d + thread % 32]
//!                                                   block: for i in the 128 rows
//!                                                     for j in 0..d
//!                                                       s += x_tile[i - 128 * i_tile, j] * w[j]
//!                                             else: as before
//! ```
//!
//! **Legality.** The iterations of the kernel's loops meet in nothing but summations that any threads may share, so that a block may
//! run any of them in any order. The kernel does not write the array, so an element is the same when it is copied and when it is read.
//! An index that is read and the index of the element that is copied in its place are equal polynomials of iterators and of scalars
//! that have one value in the kernel (see `offsets`), so they are equal numbers, whatever wraps on the way: an element that a
//! check of the program lets pass is in the array, and so it is copied. Offsets and lengths of rows are numbers, or compared with
//! one in front of the kernel: no row and no column is outside of the copy. All threads of a block copy, outside of any condition,
//! and there the back end puts the barriers. Elements that no iteration reads may be copied; where they were never written, their
//! copies are not either.
//!
//! **Price.** A block of a kernel that reads neighbours in `r` rows fetches `r` elements for each of its iterations, from beyond its own
//! cache; with tiles of 8 rows it fetches `(8 + r - 1) / 8`. A copy pays where it saves a third of that, and where there are blocks
//! enough for a device. Rows pay where elements of 64 bytes or more lie between those of neighbouring threads: a warp fetches 32 lines
//! where it would fetch 2. What all threads read at once (`w[j]` above) and neighbours in one row (`x[i + 1]`) the cache of a
//! multiprocessor gives as fast as shared memory does, which is the same memory.

mod build;
mod reads;
mod rows;
mod squares;
#[cfg(test)]
mod tests;

use super::blocks::width;
use super::shared_privatisation;
use super::shared_privatisation::shared_copies;
use crate::ir::{
    Block, Exec, Expr, For, Level, Program, Role, Stmt, StmtKind, has_block_loops, thread_loops,
};
use crate::limits::BYTES_OF_TILES;
use crate::schedule::Decisions;
use crate::schedule::cost::{Costs, nominal_trips, nominal_work};
use reads::{Inside, Window};

/// How a kernel reads by way of shared memory.
struct Tiles {
    shape: Shape,
    windows: Vec<Window>,
    /// What must hold when the program runs.
    cond: Option<Expr>,
}

/// Which iterations are a block's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// Of the two innermost loops: so many columns of some rows.
    Square { columns: usize },
    /// Of the innermost loop: one for each thread.
    Rows,
}

/// Lets kernels read by way of shared memory where that pays; see the module.
pub(super) fn stage(program: &mut Program, costs: &Costs, decisions: &mut Decisions) {
    let mut body = std::mem::take(&mut program.body);
    let least = nominal_work(&body) * costs.beside;
    in_block(program, &mut body, (costs, least), decisions);
    program.body = body;
}

/// Kernels with less work than `least` in the whole call are left alone: another version of one has its price as well.
fn in_block(
    program: &mut Program,
    block: &mut Block,
    (costs, least): (&Costs, f64),
    decisions: &mut Decisions,
) {
    for stmt in block {
        let mut times = 1.0;
        if let Some(each) = stmt.as_for() {
            if each.exec == Exec::Parallel(Level::Grid) {
                if nominal_work(std::slice::from_ref(stmt)) >= least
                    && let Some(tiles) = find(program, each, costs)
                {
                    build::tiled(program, stmt, &tiles, decisions);
                }
                continue;
            }
            times = nominal_trips(each);
        }
        let inner = stmt.blocks_mut().into_iter();
        inner.for_each(|inner| in_block(program, inner, (costs, least / times.max(1.0)), decisions));
    }
}

fn find(program: &Program, each: &For, costs: &Costs) -> Option<Tiles> {
    if has_block_loops(&each.body) {
        return None;
    }
    let loops = thread_loops(each);
    let last = loops.last()?;
    let inside = Inside::of(program, each, &last.body);
    if inside.places.is_empty() {
        return None;
    }
    let copies: usize =
        shared_copies(each).iter().map(|(id, _)| shared_privatisation::bytes(program, *id)).sum();
    let room = BYTES_OF_TILES.saturating_sub(copies);
    match &loops[..] {
        [.., outer, inner] => squares::find(program, &inside, [outer, inner], room, costs),
        [only] => rows::find(program, &inside, only, room, costs),
        [] => None,
    }
}

/// Those windows that fit into shared memory, in order.
fn that_fit(program: &Program, windows: Vec<Window>, mut room: usize) -> Vec<Window> {
    let takes = |window: &Window| window.extents().iter().product::<usize>() * width(program[window.of].elem);
    let mut fits = |window: &Window| match room.checked_sub(takes(window)) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    windows.into_iter().filter(|window| fits(window)).collect()
}

/// Whether threads of a kernel's blocks run iterations of their own, and read by way of shared memory.
pub fn is_tiled(program: &Program, each: &For) -> bool {
    let last = thread_loops(each).last().map_or(&each.body[..], |last| &last.body[..]);
    matches!(last, [Stmt { kind: StmtKind::Scope { buffers, .. }, .. }]
        if buffers.iter().any(|&id| program[id].role == Role::Tile))
}
