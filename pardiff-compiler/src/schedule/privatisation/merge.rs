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
//! dimension, whose elements lie side by side, or over the elements of all rows where the rows are short. Of a chunk
//! that has a window of the elements, those in the piece. Several arrays have the pieces of one number in one task: an
//! array's elements are still in one piece each.

use crate::ir::{BinOp, Block, BufferId, Exec, Expr, For, Func, IterId, Space, Stmt, StmtKind, Ty};
use crate::limits::{LANES_OF_A_MERGE, PADDING_OF_PARTS};
use crate::schedule::chunks::Builder;
use crate::schedule::cost::{Costs, saturating_add, saturating_mul};
use crate::schedule::sizes::shared_evenly;
use crate::schedule::summation::least;

/// What is done to one element, by its index.
pub(super) type Element<'a> = dyn FnMut(&mut Builder<'_>, &[Expr]) -> Stmt + 'a;

/// Loops over every element of an array of these extents; the innermost in lanes, if that is wanted (and the loops
/// stand in a task).
pub(super) fn every(build: &mut Builder<'_>, dims: &[Expr], in_lanes: bool, stmt: &mut Element<'_>) -> Stmt {
    let bounds: Vec<(Expr, Expr)> = dims.iter().map(|extent| (Expr::usize(0), extent.clone())).collect();
    between(build, &bounds, in_lanes, stmt)
}

fn between(build: &mut Builder<'_>, bounds: &[(Expr, Expr)], in_lanes: bool, stmt: &mut Element<'_>) -> Stmt {
    let rows = if in_lanes { short_rows(bounds) } else { Vec::new() };
    let mut bounds = bounds[..bounds.len() - rows.len()].to_vec();
    if let (Some((lo, hi)), false) = (bounds.last_mut(), rows.is_empty()) {
        let size = rows.iter().product::<usize>();
        let times = |bound: Expr| saturating_mul(bound, Expr::usize(size));
        (*lo, *hi) = (times(lo.clone()), times(hi.clone()));
    }
    let iters: Vec<IterId> = bounds.iter().map(|_| build.index("k")).collect();
    let mut index: Vec<Expr> = iters.iter().map(|&iter| Expr::iter(iter, Ty::USIZE)).collect();
    let mut inner_index = Vec::new();
    for &extent in rows.iter().rev() {
        let flat = index.pop().unwrap_or(Expr::usize(0));
        inner_index.push(Expr::binary(BinOp::Rem, flat.clone(), Expr::usize(extent)));
        index.push(Expr::binary(BinOp::Div, flat, Expr::usize(extent)));
    }
    index.extend(inner_index.into_iter().rev());
    let mut inner = stmt(build, &index);
    for (depth, (&iter, (lo, hi))) in iters.iter().zip(&bounds).enumerate().rev() {
        let innermost = depth + 1 == bounds.len();
        let exec =
            if innermost && in_lanes { Exec::Lanes { block: LANES_OF_A_MERGE } } else { Exec::Sequential };
        let each = For { lo: lo.clone(), exec, ..For::counted(iter, hi.clone(), vec![inner]) };
        inner = build.stmt(StmtKind::For(each));
    }
    inner
}

/// The constant extents of the innermost dimensions, outermost first, if the rows are too short for lanes of their own:
/// the lanes then run over the elements of all rows, which lie side by side.
fn short_rows(bounds: &[(Expr, Expr)]) -> Vec<usize> {
    let inner = bounds.get(1..).unwrap_or_default().iter().rev();
    let mut rows: Vec<usize> = inner.map_while(|(_, extent)| extent.as_usize()).collect();
    rows.reverse();
    if rows.last().is_some_and(|&extent| is_short(extent)) { rows } else { Vec::new() }
}

/// Whether rows of so many elements are shorter than a vector.
pub(super) fn is_short(extent: usize) -> bool {
    (1..PADDING_OF_PARTS).contains(&extent)
}

/// An array that the parts of `chunks` chunks, numbered by `chunk`, are added to.
pub(crate) struct Merged<'a> {
    pub(crate) dims: Vec<Expr>,
    pub(crate) chunk: IterId,
    pub(crate) chunks: &'a Expr,
    /// First element and end of what a chunk has of the outermost dimension, if that is not all.
    pub(crate) window: Option<(Expr, Expr)>,
    pub(crate) add: Box<Element<'a>>,
}

impl Merged<'_> {
    fn extent(&self) -> Expr {
        self.dims.first().cloned().unwrap_or(Expr::usize(1))
    }

    /// The elements of all parts.
    fn elements(&self) -> Expr {
        self.dims.iter().cloned().fold(self.chunks.clone(), saturating_mul)
    }
}

/// Adds the parts of chunks to arrays, in order; by tasks, each a piece of the outermost dimension of every array. An
/// array that is so short that it has fewer pieces has nothing in the last tasks.
pub(crate) fn in_pieces(
    build: &mut Builder<'_>,
    mut arrays: Vec<Merged<'_>>,
    costs: &Costs,
) -> (IterId, Stmt) {
    let elements = arrays.iter().map(Merged::elements).reduce(saturating_add).unwrap_or(Expr::usize(0));
    let count = saturating_add(quotient(elements, costs.merged()), Expr::usize(1));
    let wanted = build.size("pieces_wanted");
    let (mut locals, mut setup) = (vec![wanted], vec![build.set(wanted, count)]);
    let wanted = least(shared_evenly(build.load(wanted)), Expr::usize(costs.most_chunks));
    let piece = build.index("piece");
    let (mut own, mut body) = (Vec::new(), Block::new());
    let mut counts: Option<Expr> = None;
    for array in &mut arrays {
        let size = build.size("piece_size");
        let ceiling = Expr::call(Ty::USIZE, Func::DivCeil, vec![array.extent(), wanted.clone()]);
        let ceiling = Expr::call(Ty::USIZE, Func::IntMax, vec![ceiling, Expr::usize(1)]);
        // of one dimension, whole blocks of lanes
        let block = if array.dims.len() == 1 && costs.block > 1 { LANES_OF_A_MERGE as usize } else { 1 };
        let rounded = match block {
            1 => ceiling,
            _ => quotient(saturating_add(ceiling, Expr::usize(block - 1)), block) * Expr::usize(block),
        };
        setup.push(build.set(size, rounded));
        locals.push(size);
        let count = Expr::call(Ty::USIZE, Func::DivCeil, vec![array.extent(), build.load(size)]);
        counts = Some(match counts {
            None => count,
            Some(most) => Expr::call(Ty::USIZE, Func::IntMax, vec![most, count]),
        });
        piece_of(build, array, (piece, size), &mut own, &mut body);
    }
    let task = build.scope(own, body);
    let pieces = build.size("pieces");
    setup.push(build.set(pieces, counts.unwrap_or(Expr::usize(0))));
    locals.push(pieces);
    let pieces = build.load(pieces);
    setup.push(build.tasks(piece, pieces, vec![task]));
    (piece, build.scope(locals, setup))
}

/// The piece of one array: its bounds, and the loops that add the parts of each chunk.
fn piece_of(
    build: &mut Builder<'_>,
    array: &mut Merged<'_>,
    (piece, size): (IterId, BufferId),
    own: &mut Vec<BufferId>,
    body: &mut Block,
) {
    let (from, to): (BufferId, BufferId) = (build.size("from"), build.size("to"));
    for local in [from, to] {
        build.program[local].space = Space::Thread;
        own.push(local);
    }
    // there are at most as many pieces as are wanted, and so many sizes are hardly more than the extent: no overflow;
    // behind the array's last piece the loops are empty
    let start = Expr::iter(piece, Ty::USIZE) * build.load(size);
    let end = least(saturating_add(build.load(from), build.load(size)), array.extent());
    let mut bounds: Vec<(Expr, Expr)> =
        array.dims.iter().map(|extent| (Expr::usize(0), extent.clone())).collect();
    if let Some(first) = bounds.first_mut() {
        *first = match &array.window {
            None => (build.load(from), build.load(to)),
            Some((low, end)) => {
                let greater = vec![build.load(from), low.clone()];
                (Expr::call(Ty::USIZE, Func::IntMax, greater), least(build.load(to), end.clone()))
            }
        };
    }
    let loops = between(build, &bounds, true, &mut *array.add);
    body.push(build.set(from, start));
    body.push(build.set(to, end));
    body.push(build.sequential(array.chunk, array.chunks.clone(), vec![loops]));
}

fn quotient(a: Expr, by: usize) -> Expr {
    Expr::binary(crate::ir::BinOp::Div, a, Expr::usize(by.max(1)))
}
