//! Loops between the element loop and the innermost ones as blocks of lanes.
//!
//! ```text
//! for o in lo..hi                               for o in lo..hi
//!   for x in 0..n                                 scope s: f64[128] thread
//!     scope s: f64                                  for b in 0..n step 128
//!       s = bias[o]                                   for l in 0..w lanes
//!       for k in 0..m                                   s[l] = bias[o]
//!         s += w[o, k] * image[x + k]                 for k in 0..m
//!       total += s * s                                  for l in 0..w lanes
//!                                                         s[l] += w[o, k] * image[b + l + k]
//!                                                     …
//! ```
//!
//! *Legality.* Iterations of such a loop commute if the scheduler has proved that, or if each buffer that it writes, and
//! that does not live inside it, is either only updated, by one operation and read nowhere in the loop, or accessed at one
//! index alone, which moves by one element from iteration to iteration, so that no two iterations meet. The order of sums changes, so under `strict` there are none.
//!
//! *Which.* Those in which most accesses move by one element, and all of those in long loops inside, if that is cheapest: a
//! convolution over the pixels of a row, where the innermost loops are over the few elements of its kernel, or the cells of
//! a row that have a few values each.

use super::accesses::Accesses;
use super::blocks::{Blocks, blocks};
use super::stride::{Step, Walk, step, walk};
use crate::ir::{Block, BufferSet, Expr, For, IterId, Place, Program, Stmt};
use crate::limits::NUMBERS_OF_A_RECORD;

/// What became of the loops in the middle of an element loop.
#[derive(Default)]
pub(super) struct Middle {
    /// How many run in blocks of lanes.
    pub(super) loops: usize,
    /// The numbers of elements in their blocks.
    pub(super) widths: BufferSet,
    /// Locals with an element for each lane.
    pub(super) expanded: BufferSet,
    /// Iterators of the loops over the lanes of their blocks.
    pub(super) over_lanes: Vec<IterId>,
}

/// Whether there is a loop for that.
pub(super) fn is_possible(program: &Program, element: &Stmt, commuting: &[IterId]) -> bool {
    let is_wanted = |stmt: &Stmt| stmt.as_for().is_some_and(|for_| is_candidate(program, commuting, for_));
    element.blocks().into_iter().flatten().any(|stmt| stmt.any(&mut &is_wanted))
}

/// Puts blocks in the place of loops in the middle of an element loop, the outermost that there are. The caller vouches for
/// the loops over `commuting`.
pub(super) fn middle(program: &mut Program, element: &mut Stmt, commuting: &[IterId]) -> Middle {
    let mut found = Middle::default();
    element.blocks_mut().into_iter().for_each(|block| found.block(program, commuting, block));
    found
}

impl Middle {
    fn block(&mut self, program: &mut Program, commuting: &[IterId], block: &mut Block) {
        for stmt in block {
            let made = stmt
                .as_for()
                .filter(|each| is_candidate(program, commuting, each))
                .and_then(|each| blocks(program, stmt, each).ok());
            let Some(Blocks { stmt: of_blocks, width, expanded, over_lanes }) = made else {
                stmt.blocks_mut().into_iter().for_each(|inner| self.block(program, commuting, inner));
                continue;
            };
            *stmt = of_blocks;
            self.loops += 1;
            self.widths.insert(width);
            self.expanded.union(&expanded);
            self.over_lanes.extend(over_lanes);
        }
    }
}

fn is_candidate(program: &Program, commuting: &[IterId], for_: &For) -> bool {
    moves_along(program, for_) && (commuting.contains(&for_.iter) || commute(for_))
}

/// Whether iterations of a loop commute, by the form of its accesses alone.
fn commute(for_: &For) -> bool {
    let written = crate::ir::written(&for_.body);
    let commute = |accesses: Accesses| {
        accesses.iter().all(|(place, _)| {
            let buffer = place.buffer;
            accesses.declares(buffer) || !written.contains(buffer) || accesses.commute_in(buffer, for_.iter)
        })
    };
    Accesses::of(&for_.body).is_some_and(commute)
}

/// Whether a loop has loops in it and moves from element to neighbouring element more often than elsewhere, in its inner
/// loops always, short ones apart.
pub fn moves_along(program: &Program, for_: &For) -> bool {
    let nested = crate::ir::any(&for_.body, &mut |stmt| stmt.as_for().is_some());
    let written = crate::ir::written(&for_.body);
    if !for_.is_plain() || !for_.is_in_order() || !nested || for_.bounds_read(program, &written) {
        return false;
    }
    let Some(accesses) = Accesses::of(&for_.body) else { return false };
    let varies = |place: &Place| written.contains(place.buffer);
    let is_near = |place: &Place| match walk(place, for_.iter, &varies) {
        _ if accesses.declares(place.buffer) => None,
        Walk::Still => None,
        Walk::Contiguous => Some(true),
        Walk::Strided => Some(moves_by_a_record(program, place, for_.iter, &varies)),
        Walk::Irregular => Some(false),
    };
    let walks = accesses.iter().filter_map(|(place, _)| is_near(place));
    let (near, far): (Vec<bool>, Vec<bool>) = walks.partition(|&is_near| is_near);
    let leaps = |stmt: &Stmt| {
        let long = stmt.as_for().filter(|inner| inner.constant_trip().is_none());
        let accesses = long.and_then(|inner| Accesses::of(&inner.body));
        accesses.is_some_and(|inner| inner.iter().any(|(place, _)| is_near(place) == Some(false)))
    };
    near.len() > far.len() && !crate::ir::any(&for_.body, &mut &leaps)
}

/// Whether the elements are in neighbouring records, `a[i * n + j][s]` along `j`: in the same cache lines, one after the other.
pub(super) fn moves_by_a_record(
    program: &Program,
    place: &Place,
    iter: IterId,
    varies: &dyn Fn(&Place) -> bool,
) -> bool {
    let steps: Vec<Step> = place.index.iter().map(|index| step(index, iter, varies)).collect();
    let moving = steps.iter().position(|step| *step != Step::Number(0));
    moving.is_some_and(|dim| {
        let inside = program[place.buffer].dims[dim + 1..].iter();
        let size = inside.map(Expr::as_usize).try_fold(1, |size: usize, extent| size.checked_mul(extent?));
        let stays = steps[dim + 1..].iter().all(|step| *step == Step::Number(0));
        stays && steps[dim] == Step::Number(1) && size.is_some_and(|size| size <= NUMBERS_OF_A_RECORD)
    })
}

/// How many accesses of a block move to neighbouring elements with an iterator around it, and how many over a stride.
pub fn contiguous(block: &Block, iter: IterId) -> (usize, usize) {
    let Some(accesses) = Accesses::of(block) else { return (0, 0) };
    let written = crate::ir::written(block);
    let varies = |place: &Place| written.contains(place.buffer);
    let (mut near, mut far) = (0, 0);
    for (place, _) in accesses.iter().filter(|(place, _)| !accesses.declares(place.buffer)) {
        match walk(place, iter, &varies) {
            Walk::Still | Walk::Irregular => {}
            Walk::Contiguous => near += 1,
            Walk::Strided => far += 1,
        }
    }
    (near, far)
}
