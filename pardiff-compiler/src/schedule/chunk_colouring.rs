//! Block colouring: chunks whose windows overlap with neighbours alone run in two turns, every second chunk in each.
//!
//! ```text
//! for f in 0..n                          the windows of the chunks: low[c]..low[c] + width[c], see `footprint`
//!   for t in 0..w                        apart = true
//!     d_x[f * hop + t] += e              for c in 0..chunks - 2
//!                               =>         if low[c + 2] < low[c] + width[c]: apart = false
//!                                        if apart
//!                                          for colour in 0..2
//!                                            for c in 0..(chunks + 1 - colour) / 2 parallel(task)
//!                                              the iterations of chunk 2 c + colour, which add to `d_x` itself
//!                                        otherwise
//!                                          the loop with copies, or in order
//! ```
//!
//! Nothing is copied, zeroed or merged, and memory does not grow with the number of chunks.
//!
//! **Legality.** The iterations meet in nothing but the sum (see `parallel`), and the window of a chunk holds every element
//! that it updates (see `footprint`). Where `low[c] + width[c] <= low[c + 2]` for all `c`, the windows of one colour rise and
//! are apart, so the tasks of one turn share no element; the turns follow one another. Additions are regrouped by the
//! chunks alone, so that the sum has the same bits at any number of threads.
//!
//! It is tried where updates move with the iterations of the loop, without index arrays, so that a few numbers an iteration
//! are its window: overlapping frames, patches, bands that no gather reaches. Whether windows are apart is seen when the
//! program runs; an offset that is as long as the array has no use for it.

use super::chunks::Builder;
use super::cost;
use super::footprint::{self, Window};
use super::summation::{Means, Summation};
use crate::ir::Update;
use crate::ir::{Block, BufferId, Expr, For, Func, IterId, Program, Stmt, Ty};
use crate::limits::{COPIED_WITHOUT_ASKING, WORK_PER_SCAN_OF_WINDOWS};

/// The sums with copies whose updates move with the iterations of a loop.
pub(super) fn find(program: &Program, each: &For, sums: &[Summation]) -> Vec<BufferId> {
    let work = cost::nominal_work(&each.body);
    let is_large = |sum: &&Summation| match &sum.means {
        Means::Copies(size) => size.as_usize().is_none_or(|size| size > COPIED_WITHOUT_ASKING),
        _ => false,
    };
    let is_found = |&target: &BufferId| {
        moves(each, target)
            && footprint::slice(program, each, target).is_some_and(|scan| {
                !scan.iter().any(has_loop) && WORK_PER_SCAN_OF_WINDOWS * cost::nominal_work(&scan) <= work
            })
    };
    sums.iter().filter(is_large).map(|sum| sum.buffer).filter(is_found).collect()
}

/// Whether every update is at a place that the iterator is part of, and no element of an array.
fn moves(each: &For, target: BufferId) -> bool {
    let mut moves = true;
    crate::ir::walk(&each.body, &mut |stmt| {
        if let Some(Update { target: place, .. }) = stmt.as_update()
            && place.buffer == target
        {
            let first = place.index.first();
            moves &= first.is_some_and(|index| index.mentions(each.iter));
            place.index.iter().for_each(|index| {
                index.each_load(&mut |of| {
                    moves &= of.index.is_empty();
                });
            });
        }
    });
    moves
}

fn has_loop(stmt: &Stmt) -> bool {
    stmt.is_loop() || stmt.blocks().into_iter().flatten().any(has_loop)
}

/// The sums of these arrays are coloured.
pub(super) fn colour(sums: &mut [Summation], colours: &[BufferId]) {
    for sum in sums.iter_mut().filter(|sum| colours.contains(&sum.buffer)) {
        sum.means = Means::Colours;
    }
}

/// Assigns to `iteration_tasks` whether the windows of every second chunk are apart.
pub(super) fn are_apart(
    build: &mut Builder<'_>,
    windows: &[&Window],
    chunks: &Expr,
    apart: BufferId,
    block: &mut Block,
) {
    let two = || Expr::usize(2);
    let pairs = Expr::call(Ty::USIZE, Func::SaturatingSub, vec![chunks.clone(), two()]);
    for window in windows {
        let c = build.index("c");
        let (_, end) = window.bounds(Expr::iter(c, Ty::USIZE));
        let (next, _) = window.bounds(Expr::iter(c, Ty::USIZE) + two());
        let meets = build.set(apart, Expr::bool(false));
        let check = build.when(next.below(end), vec![meets]);
        block.push(build.sequential(c, pairs.clone(), vec![check]));
    }
}

/// The tasks of the chunks, every second one in each of two turns; `chunk` numbers those of a turn.
pub(super) fn in_turns(build: &mut Builder<'_>, chunk: IterId, chunks: &Expr, task: Stmt) -> Stmt {
    let colour = build.index("colour");
    let of_colour = Expr::iter(colour, Ty::USIZE);
    let number = Expr::iter(chunk, Ty::USIZE) * Expr::usize(2) + of_colour.clone();
    let mut body = vec![task];
    crate::ir::substitute_all(build.program, &mut body, chunk, &number);
    let left = chunks.clone() + (Expr::usize(1) - of_colour);
    let count = Expr::binary(crate::ir::BinOp::Div, left, Expr::usize(2));
    let tasks = build.tasks(chunk, count, body);
    build.sequential(colour, Expr::usize(2), vec![tasks])
}
