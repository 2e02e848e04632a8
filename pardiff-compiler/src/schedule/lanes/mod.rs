//! Block execution: the element loop of a task runs in lanes.
//!
//! *Comes in*: an element loop `for i in lo..hi` whose iterations commute but for `Reduce`s, as the scheduler proved.
//! *Goes out*: the same loop as blocks of lanes, or with its innermost loops as lanes, or as it was, whichever the
//! price in `prices` prefers; and why. *Guarantees*: the same values up to the order of sums, the same panics, no
//! index that the loop did not have. *Never*: looks at anything outside the loop, or decides which loop is parallel.
//!
//! ```text
//! for i in lo..hi                          scope q: f64[d, 128] thread
//!   scope q: f64[d]                          for b in lo..hi step 128 sequential
//!     for j in 0..d                            scope w: usize
//!       q[j] = e[j] * x[i * d + j]               w = int::min(128, hi - b)
//!     for j in 0..d                              for j in 0..d
//!       d_e[j] += q[j] * q[j]                      for l in 0..w lanes(128)
//!                                                    q[j, l] = e[j] * x[(b + l) * d + j]
//!                                                for j in 0..d
//!                                                  for l in 0..w lanes(128)
//!                                                    d_e[j] += q[j, l] * q[j, l]
//! ```

mod accesses;
mod batch_checks;
mod blocks;
mod branchless;
mod control_dependences;
mod distribute;
mod divergence;
mod expand;
mod extents;
mod factor;
mod forward_indices;
mod fuse;
mod hoist_gathers;
mod inner;
mod jam;
mod lane_reductions;
mod laneable;
mod middle;
mod normalise_direction;
mod predicated_regions;
mod price;
mod ranges;
mod roots;
mod scalar_replacement;
mod strength_reduce_div;
mod stride;
#[cfg(test)]
pub(super) mod tests;
mod tile;
mod tile_outer;
mod touched;
mod unroll_fields;

pub use self::tile_outer::row_sweeps::shares_rows;
use super::prices as cost;
use crate::ir::{Block, Buffer, BufferSet, For, Iter, IterId, Program, Stmt};
pub(super) use accesses::{Accesses, Touch};
use blocks::Blocks;
use divergence::Divergence;
pub use hoist_gathers::gather_ahead;
pub use inner::{needs_lanes, needs_proof};
pub use jam::jam;
pub(super) use laneable::places;
use middle::Middle;
pub use middle::{contiguous, moves_along};
pub use normalise_direction::turn_upwards;
pub use predicated_regions::cut_off;
use price::Price;
pub use strength_reduce_div::multiply_by_reciprocals;
pub(super) use stride::{Trend, trend};

/// What became of an element loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lifted {
    /// Blocks of at most so many iterations, a lane each.
    Blocks {
        /// Lanes of a block.
        lanes: u32,
        /// Why, in words.
        reason: String,
        /// Iterators of the loops over the lanes of a block.
        over_lanes: Vec<IterId>,
        /// So many iterations are better run by as many threads than in lanes by one, where each is worth a task.
        few: usize,
    },
    /// The loop runs one iteration after the other; so many of its innermost loops run in lanes.
    Inner {
        /// Innermost loops that run in lanes.
        loops: usize,
        /// Why, in words.
        reason: String,
        /// Iterators of the loops over the iterations of a batch, where there are batches.
        turns: Vec<IterId>,
    },
    /// The loop runs one iteration after the other; so many of the loops between it and the innermost ones run in blocks.
    Middle {
        /// Loops that run in blocks.
        loops: usize,
        /// Why, in words.
        reason: String,
        /// Iterators of the loops over the lanes of a block.
        over_lanes: Vec<IterId>,
    },
    /// As it was.
    Serial {
        /// Why, in words.
        reason: String,
    },
}

/// Runs an element loop in lanes where that pays. `element` is the `For` itself, which may be detached from
/// `program.body`; the statement that takes its place may be a `Scope` around the loop over blocks.
///
/// The caller vouches for this: iterations of the loop commute, that is, every dependence between different
/// iterations is between `Reduce`s of one operation whose target the body does not read, and every buffer that the
/// body assigns and that is not declared in it has its element to itself in each iteration. Under `strict` float sums
/// inside an iteration keep their order. Iterations of the loops over `commuting` inside commute as well.
pub fn lift(program: &mut Program, element: &mut Stmt, strict: bool, commuting: &[IterId]) -> Lifted {
    lift_where(program, element, strict, commuting, true)
}

/// As [`lift`], for iterations that run one after the other.
pub(super) fn lift_alone(
    program: &mut Program,
    element: &mut Stmt,
    strict: bool,
    commuting: &[IterId],
) -> Lifted {
    lift_where(program, element, strict, commuting, false)
}

fn lift_where(
    program: &mut Program,
    element: &mut Stmt,
    strict: bool,
    commuting: &[IterId],
    may_be_blocks: bool,
) -> Lifted {
    forward_indices::write_out(program, element);
    let Some(for_) = element.as_for() else {
        return Lifted::Serial { reason: "it is no loop".to_owned() };
    };
    let locals = Divergence::of(program, for_).locals;
    let (buffers, iters) = (program.buffers.clone(), program.iters.len());
    let sizes = sizes(program, &locals, for_);
    let leaps_alone = matches!(middle::contiguous(&for_.body, for_.iter), (0, 1..));
    let serial = alone(program, &locals, for_, &sizes);
    let mut with_inner = element.clone();
    let loops = inner::mark(program, &locals, strict, commuting, &mut with_inner);
    let inner = with_inner.as_for().filter(|_| loops > 0).map(|each| alone(program, &locals, each, &sizes));
    let middle = match strict {
        false => in_middle(program, element, commuting, &locals, &sizes),
        true => None,
    };
    let blocks = may_be_blocks.then(|| blocks::blocks(program, element, for_)).transpose();
    let refused = blocks.as_ref().err().cloned();
    let blocks = blocks.ok().flatten();
    let in_blocks = blocks.as_ref().map(|blocks| of_blocks(program, &locals, blocks, &sizes, None));
    let of_middle = middle.as_ref().map(|middle| middle.prices.clone());
    let forms = [Some(serial), inner, of_middle, in_blocks];
    let choice = choose(&forms, if leaps_alone { cost::LEAPING_MARGIN } else { cost::MARGIN });
    if let (Choice { best: BLOCKS, reason }, Some(blocks)) = (&choice, blocks) {
        let in_vector = of_blocks(program, &locals, &blocks, &sizes, Some(cost::VECTOR as f64));
        let few = few(&in_vector, &forms[..BLOCKS]);
        let Blocks { stmt, over_lanes, .. } = blocks;
        *element = stmt;
        return Lifted::Blocks { lanes: cost::LANES, reason: reason.clone(), over_lanes, few };
    }
    let reason = match refused {
        Some(refused) => format!("{}; no blocks, because {refused}", choice.reason),
        None => choice.reason,
    };
    if let (MIDDLE, Some(InMiddle { element: made, middle, buffers, iters, .. })) = (choice.best, middle) {
        (program.buffers, program.iters, *element) = (buffers, iters, made);
        return Lifted::Middle { loops: middle.loops, reason, over_lanes: middle.over_lanes };
    }
    program.buffers = buffers;
    program.iters.truncate(iters);
    if choice.best == INNER {
        *element = with_inner;
        let mut turns = Vec::new();
        if !strict {
            factor::factor_out_of_rows(program, std::slice::from_mut(element));
            turns = tile_outer::row_sweeps::batch(program, element, commuting);
        }
        return Lifted::Inner { loops, reason, turns };
    }
    Lifted::Serial { reason }
}

/// Runs innermost loops that are in no task in lanes; see `inner`.
pub fn mark_in_order(
    program: &Program,
    strict: bool,
    block: &mut Block,
    is_parallel: &dyn Fn(IterId) -> bool,
) {
    inner::mark_in_order(program, strict, block, is_parallel);
}

/// As [`lift`], for a loop of few iterations that each are worth a task: in lanes run its innermost loops at most.
pub fn lift_inner(program: &mut Program, element: &mut Stmt, strict: bool) -> Lifted {
    let reason = "an iteration is a task of the source's".to_owned();
    let locals = element.as_for().map_or_else(BufferSet::new, |each| Divergence::of(program, each).locals);
    match inner::mark(program, &locals, strict, &[], element) {
        0 => Lifted::Serial { reason },
        loops => Lifted::Inner { loops, reason, turns: Vec::new() },
    }
}

/// The sizes in which the forms of a loop are compared: those in which the locals of a block fit the cache. An extent of
/// an array that every iteration has of its own is not a large one, nor are those of many loops in one another.
fn sizes(program: &Program, locals: &BufferSet, element: &For) -> Vec<f64> {
    if depth(&element.body) >= cost::DEEP {
        return cost::SIZES_OF_DEEP.to_vec();
    }
    let none = BufferSet::new();
    let fits = |&size: &f64| {
        Price::without_blocks(program, locals, &none, size).bytes(locals) * cost::USUAL_LANES
            <= cost::FOOTPRINT as f64
    };
    let fitting: Vec<f64> = cost::SIZES.into_iter().filter(fits).collect();
    if fitting.is_empty() { vec![cost::SIZES[0]] } else { fitting }
}

/// How many loops of unknown trip count stand in one another.
fn depth(block: &Block) -> usize {
    let of = |stmt: &Stmt| {
        let inner = stmt.blocks().into_iter().map(depth).max().unwrap_or(0);
        let own = stmt.as_for().is_some_and(|for_| for_.constant_trip().is_none());
        inner + usize::from(own)
    };
    block.iter().map(of).max().unwrap_or(0)
}

/// What an iteration costs where one comes after the other.
fn alone(program: &Program, locals: &BufferSet, for_: &For, sizes: &[f64]) -> Vec<f64> {
    let none = BufferSet::new();
    let price = |&size: &f64| Price::without_blocks(program, locals, &none, size).of_element(for_);
    sizes.iter().map(price).collect()
}

/// How often one price is another, by size.
fn multiple(form: &[f64], chosen: &[f64]) -> String {
    let multiples = form.iter().zip(chosen).map(|(form, chosen)| form / chosen.max(1e-9));
    let (least, most) =
        multiples.fold((f64::INFINITY, 0.0_f64), |(least, most), it| (least.min(it), most.max(it)));
    let [least, most] = [least, most].map(|it| format!("{it:.1}"));
    if least == most { least } else { format!("{least} to {most}") }
}

/// What an iteration costs in blocks, of so many lanes if that is said.
fn of_blocks(
    program: &Program,
    locals: &BufferSet,
    blocks: &Blocks,
    sizes: &[f64],
    lanes: Option<f64>,
) -> Vec<f64> {
    let mut widths = BufferSet::new();
    widths.insert(blocks.width);
    let is_deep = sizes == cost::SIZES_OF_DEEP;
    let price = |&size: &f64| {
        let price = block_price(program, locals, &blocks.expanded, &widths, size);
        // where sizes are taken to be small, that of the loop itself is as well
        let lanes = lanes.unwrap_or(if is_deep { price.lanes.min(size) } else { price.lanes });
        Price { records: 1.0, lanes, ..price }.of_blocks(&blocks.stmt)
    };
    sizes.iter().map(price).collect()
}

/// How many iterations are few, by what one costs in a vector and in other forms. The vector takes one thread the time of
/// some iterations alone: by so much threads for each are faster. One thread is slower for few iterations alone, by their
/// number divided by the same. The two are equal for its square.
fn few(in_vector: &[f64], forms: &[Option<Vec<f64>>]) -> usize {
    let alone = |k: usize| forms.iter().flatten().map(|prices| prices[k]).fold(f64::INFINITY, f64::min);
    let parts = in_vector.iter().enumerate().map(|(k, price)| price / alone(k).max(1e-9));
    let vector = cost::VECTOR as f64 * parts.fold(f64::INFINITY, f64::min);
    ((vector * vector) as usize).min(cost::FEW)
}

/// An element loop with loops in its middle in blocks.
struct InMiddle {
    element: Stmt,
    middle: Middle,
    /// The buffers and iterators of the program with them.
    buffers: Vec<Buffer>,
    iters: Vec<Iter>,
    /// What an iteration costs; blocks are no longer than the loops.
    prices: Vec<f64>,
}

/// The element loop with loops in its middle in blocks, if there are any for that; the program stays as it is.
fn in_middle(
    program: &mut Program,
    element: &Stmt,
    commuting: &[IterId],
    locals: &BufferSet,
    sizes: &[f64],
) -> Option<InMiddle> {
    if !middle::is_possible(program, element, commuting) {
        return None;
    }
    let (buffers, iters) = (program.buffers.clone(), program.iters.clone());
    let mut element = element.clone();
    let middle = middle::middle(program, &mut element, commuting);
    inner::mark(program, locals, false, commuting, &mut element);
    let price = |&size: &f64| {
        element.as_for().map_or(f64::INFINITY, |each| {
            let price = block_price(program, locals, &middle.expanded, &middle.widths, size);
            Price { lanes: price.lanes.min(size), ..price }.of_element(each)
        })
    };
    let prices = sizes.iter().map(price).collect();
    let buffers = std::mem::replace(&mut program.buffers, buffers);
    let iters = std::mem::replace(&mut program.iters, iters);
    (middle.loops > 0).then_some(InMiddle { element, middle, buffers, iters, prices })
}

fn block_price<'a>(
    program: &'a Program,
    locals: &'a BufferSet,
    expanded: &'a BufferSet,
    widths: &'a BufferSet,
    size: f64,
) -> Price<'a> {
    let price = Price { widths, ..Price::without_blocks(program, locals, expanded, size) };
    let fit = cost::FOOTPRINT as f64 / price.bytes(expanded).max(1.0);
    Price { lanes: fit.clamp(cost::LEAST_LANES as f64, f64::from(cost::LANES)), ..price }
}

/// The numbers of forms of the loop but the first, as it was.
const INNER: usize = 1;
const MIDDLE: usize = 2;
const BLOCKS: usize = 3;

/// A form of the loop, by its number, and why it was taken.
struct Choice {
    best: usize,
    reason: String,
}

/// The form whose price is the smallest multiple of the cheapest one, in the size that is the worst for it. The forms
/// are those of `NAMES`, the simplest first; one is only left for a better one by a margin, the first one for blocks by that of `blocks`.
fn choose(forms: &[Option<Vec<f64>>; 4], blocks: f64) -> Choice {
    const NAMES: [&str; 4] = [
        "one iteration after the other",
        "lanes in the inner loops",
        "lanes over loops in the middle",
        "lanes over the iterations",
    ];
    let cheapest = |k: usize| forms.iter().flatten().map(|prices| prices[k]).fold(f64::INFINITY, f64::min);
    let worst = |prices: &Vec<f64>| {
        prices.iter().enumerate().map(|(k, price)| price / cheapest(k).max(1e-9)).fold(1.0, f64::max)
    };
    let mut best = 0;
    for k in 1..forms.len() {
        // where both are possible, the innermost loop is a kernel's that moves over the one in the middle, and shorter
        let margin = match (best, k) {
            (INNER, MIDDLE) => cost::MARGIN.recip(),
            // elements beside each other give way to elements of iterations, which are anywhere
            (MIDDLE, BLOCKS) => cost::ANYWHERE_MARGIN,
            (0, BLOCKS) => blocks,
            _ => cost::MARGIN,
        };
        if let (Some(form), Some(so_far)) = (&forms[k], &forms[best])
            && worst(form) * margin < worst(so_far)
        {
            best = k;
        }
    }
    let mut than = Vec::new();
    if let Some(chosen) = &forms[best] {
        for (form, name) in forms.iter().zip(NAMES) {
            if let Some(form) = form
                && name != NAMES[best]
            {
                than.push(format!("{name} costs {} times as much", multiple(form, chosen)));
            }
        }
    }
    let than = if than.is_empty() { String::new() } else { format!(": {}", than.join(", ")) };
    Choice { best, reason: format!("{}{than}", NAMES[best]) }
}
