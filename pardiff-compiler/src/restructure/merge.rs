//! Loops over all elements of an array: in order, and cut into tasks where the array may be large.
//!
//! ```text
//! for c in 0..chunks                 for m in 0..pieces parallel(task)
//!   for k in 0..extent          =>     for c in 0..chunks
//!     target[k] += parts[c, k]           for k in from..to lanes(128)
//!                                          target[k] += parts[c, k]
//! ```
//!
//! Legal because each element is touched by the iteration of its own index alone, in every chunk: pieces of the
//! outermost dimension are apart, and every element sees the chunks in their order. Lanes run over the last
//! dimension, whose elements lie side by side. Of a chunk that has a window of the elements, those in the piece.

use super::chunks::Builder;
use super::cost::{Costs, saturating_add, saturating_mul};
use super::summation::least;
use crate::ir::{Block, BufferId, Exec, Expr, For, Func, IterId, Place, Space, Stmt, StmtKind, Ty};

/// Lanes of a loop over elements.
const BLOCK: u32 = 128;

/// What is done to one element, by its index.
pub(super) type Element<'a> = dyn FnMut(&mut Builder<'_>, &[Expr]) -> Stmt + 'a;

/// Loops over every element of an array of these extents; the innermost in lanes, if that is wanted (and the loops
/// stand in a task).
pub(super) fn every(build: &mut Builder<'_>, dims: &[Expr], in_lanes: bool, stmt: &mut Element<'_>) -> Stmt {
    let bounds: Vec<(Expr, Expr)> = dims.iter().map(|extent| (Expr::usize(0), extent.clone())).collect();
    between(build, &bounds, in_lanes, stmt)
}

fn between(build: &mut Builder<'_>, bounds: &[(Expr, Expr)], in_lanes: bool, stmt: &mut Element<'_>) -> Stmt {
    let iters: Vec<IterId> = bounds.iter().map(|_| build.index("k")).collect();
    let index: Vec<Expr> = iters.iter().map(|&iter| Expr::iter(iter, Ty::USIZE)).collect();
    let mut inner = stmt(build, &index);
    for (depth, (&iter, (lo, hi))) in iters.iter().zip(bounds).enumerate().rev() {
        let innermost = depth + 1 == bounds.len();
        let exec =
            if innermost && in_lanes { Exec::Lanes { block: BLOCK, mask: None } } else { Exec::Sequential };
        let each = For { lo: lo.clone(), exec, ..For::counted(iter, hi.clone(), vec![inner]) };
        inner = build.stmt(StmtKind::For(each));
    }
    inner
}

/// What is merged: the parts of `chunks` chunks, numbered by `chunk`.
pub(super) struct Merged<'a> {
    pub(super) chunk: IterId,
    pub(super) chunks: &'a Expr,
    /// First element and end of what a chunk has of the outermost dimension, if that is not all.
    pub(super) window: Option<(Expr, Expr)>,
}

/// Adds the parts of chunks to an array, in order; by tasks, each a piece of the outermost dimension.
pub(super) fn in_pieces(
    build: &mut Builder<'_>,
    dims: &[Expr],
    merged: &Merged<'_>,
    costs: &Costs,
    add: &mut Element<'_>,
) -> (IterId, Stmt) {
    let (chunk, chunks) = (merged.chunk, merged.chunks);
    let extent = dims.first().cloned().unwrap_or(Expr::usize(1));
    let elements = dims.iter().cloned().fold(chunks.clone(), saturating_mul);
    let quotient = |a: Expr, by: usize| Expr::binary(crate::ir::BinOp::Div, a, Expr::usize(by.max(1)));
    let wanted = saturating_add(quotient(elements, costs.grain), Expr::usize(1));
    let wanted = least(wanted, Expr::usize(costs.most_chunks));
    let (size, pieces) = (build.size("piece_size"), build.size("pieces"));
    let ceiling = Expr::call(Ty::USIZE, Func::DivCeil, vec![extent.clone(), wanted]);
    let ceiling = Expr::call(Ty::USIZE, Func::IntMax, vec![ceiling, Expr::usize(1)]);
    // of one dimension, whole blocks of lanes
    let block = if dims.len() == 1 && costs.block > 1 { BLOCK as usize } else { 1 };
    let rounded = match block {
        1 => ceiling,
        _ => quotient(saturating_add(ceiling, Expr::usize(block - 1)), block) * Expr::usize(block),
    };
    let count = Expr::call(Ty::USIZE, Func::DivCeil, vec![extent.clone(), build.load(size)]);
    let piece = build.index("piece");
    let (from, to): (BufferId, BufferId) = (build.size("from"), build.size("to"));
    for local in [from, to] {
        build.program[local].space = Space::Thread;
    }
    let end = saturating_add(build.load(from), build.load(size));
    let mut bounds: Vec<(Expr, Expr)> = dims.iter().map(|extent| (Expr::usize(0), extent.clone())).collect();
    if let Some(first) = bounds.first_mut() {
        *first = match &merged.window {
            None => (build.load(from), build.load(to)),
            Some((low, end)) => {
                let greater = vec![build.load(from), low.clone()];
                (Expr::call(Ty::USIZE, Func::IntMax, greater), least(build.load(to), end.clone()))
            }
        };
    }
    let loops = between(build, &bounds, true, add);
    let body: Block = vec![
        build.assign(Place::scalar(from), Expr::iter(piece, Ty::USIZE) * build.load(size)),
        build.assign(Place::scalar(to), least(end, extent)),
        build.sequential(chunk, chunks.clone(), vec![loops]),
    ];
    let task = build.scope(vec![from, to], body);
    let pieces_now = build.load(pieces);
    let tasks = build.tasks(piece, pieces_now, vec![task]);
    let body =
        vec![build.assign(Place::scalar(size), rounded), build.assign(Place::scalar(pieces), count), tasks];
    (piece, build.scope(vec![size, pieces], body))
}
