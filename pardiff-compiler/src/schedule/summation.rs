//! The scheme of each summation of a parallel loop: who owns its elements.
//!
//! A buffer comes here if iterations of the loop meet in it, and the body does nothing to it but update it by one
//! operation. So each chunk may accumulate apart, from the neutral element on, and the parts are merged in the order of
//! the chunks: the sum is the same to rounding, and the same bits in every call with the same sizes.

use super::cost::{self, Costs, saturating_add, saturating_mul};
use super::footprint;
use super::remarks::Why;
use crate::ir::LoopFacts;
use crate::ir::Update;
use crate::ir::walk;
use crate::ir::{Block, BufferId, Expr, For, Func, Layout, ReduceOp, Role, Stmt, Ty, UnOp};
use crate::limits::{SUMS_IN_SCALARS, WORK_PER_SCAN_OF_INDICES};
use crate::poly::Analysis;

/// A summation of a parallel loop.
#[derive(Clone, Debug)]
pub(super) struct Summation {
    /// The target.
    pub(super) buffer: BufferId,
    /// The operation.
    pub(super) op: ReduceOp,
    /// The neutral element.
    pub(super) neutral: Expr,
    /// How it is done.
    pub(super) means: Means,
}

/// How a chunk accumulates apart.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Means {
    /// These elements alone, none of which depends on the loop, each in a variable of the chunk.
    Scalars(Vec<Vec<Expr>>),
    /// A copy of the whole array; so many elements.
    Copies(Expr),
    /// A copy of the window of elements that the chunk updates, of at most so many elements.
    Windows(Expr),
    /// The array itself, every second chunk at a time.
    Colours,
}

/// Finds a scheme for every summation.
pub(super) fn schemes(
    analysis: &Analysis<'_>,
    each: &For,
    shared: &[(BufferId, ReduceOp)],
    iteration: &Expr,
    costs: &Costs,
) -> Result<Vec<Summation>, Why> {
    let program = analysis.program;
    let work = cost::nominal(&saturating_mul(cost::trip_count(each), iteration.clone()));
    let inside = LoopFacts::of(each);
    let mut copied = 0.0;
    let mut sums = Vec::new();
    for &(buffer, op) in shared {
        let Some(neutral) = neutral(op, program[buffer].elem) else {
            return Err(Why::Ordered { buffer, why: "its operation has no neutral element of this type" });
        };
        let means = match few_targets(&inside, each, buffer) {
            Some(elements) => Means::Scalars(elements),
            None => {
                let layout = &program[buffer].layout;
                // a tape has the elements of all iterations around the loop, which are not there yet
                let is_tape = program[buffer].role == Role::Tape;
                if is_tape || !matches!(layout, Layout::RowMajor | Layout::Padded(_)) {
                    return Err(Why::NoScheme(buffer));
                }
                let dims = program[buffer].dims.iter().cloned();
                let size = dims.fold(Expr::usize(1), saturating_mul);
                copied += cost::nominal(&size) * costs.copied_element as f64;
                if copied > work {
                    return Err(Why::NoScheme(buffer));
                }
                if worth_a_scan(analysis, each, buffer) { Means::Windows(size) } else { Means::Copies(size) }
            }
        };
        sums.push(Summation { buffer, op, neutral, means });
    }
    Ok(sums)
}

/// Whether the updates go through an index array, and finding their window costs little beside the loop itself: the
/// scan is short, and it does not run through inner loops as deep as those of the loop, whose iterations it would
/// repeat one by one, without lanes.
fn worth_a_scan(analysis: &Analysis<'_>, each: &For, buffer: BufferId) -> bool {
    let Some(scan) = footprint::can_scan(analysis.program, each, buffer) else { return false };
    let depth = depth(&each.body);
    let repeats = depth > 0 && self::depth(&scan) >= depth;
    !repeats && cost::nominal_work(&each.body) >= WORK_PER_SCAN_OF_INDICES * cost::nominal_work(&scan)
}

/// How deep the loops of a block stand in each other; those with a constant number of iterations do not count.
fn depth(block: &Block) -> usize {
    let of = |stmt: &Stmt| {
        let own = stmt.as_while().is_some()
            || stmt.as_for().is_some_and(|each| cost::trip_count(each).as_usize().is_none());
        let own = usize::from(own);
        own + stmt.blocks().into_iter().map(depth).max().unwrap_or(0)
    };
    block.iter().map(of).max().unwrap_or(0)
}

/// `e` with `e op x == x` for every `x`. Of `min` and `max` of floats that is NaN, which loses to every number.
pub fn neutral(op: ReduceOp, elem: Ty) -> Option<Expr> {
    Some(match (op, elem) {
        // zero itself would make a positive zero of a negative one, in elements that nothing is added to as well
        (ReduceOp::Add, Ty::Float(_)) => Expr::float(elem, -0.0),
        (ReduceOp::Add, Ty::Int(_)) => Expr::int(elem, 0),
        (ReduceOp::Min | ReduceOp::Max, Ty::Float(_)) => Expr::float(elem, f64::NAN),
        (ReduceOp::Max, Ty::Int(int)) if !int.is_signed() => Expr::int(elem, 0),
        // the largest value, whatever the width of the machine
        (ReduceOp::Min, Ty::Int(int)) if !int.is_signed() => Expr::unary(UnOp::Not, Expr::int(elem, 0)),
        _ => return None,
    })
}

/// The distinct elements of a buffer that a loop updates, if they are few and the same in every iteration.
#[cfg(feature = "cuda")]
pub(crate) fn invariant_targets(each: &For, buffer: BufferId) -> Option<Vec<Vec<Expr>>> {
    few_targets(&LoopFacts::of(each), each, buffer)
}

/// The distinct elements of a buffer that a loop updates, if they are few and the same in every iteration: their indices
/// may be evaluated before and after it.
fn few_targets(facts: &LoopFacts, each: &For, buffer: BufferId) -> Option<Vec<Vec<Expr>>> {
    let mut elements: Vec<Vec<Expr>> = Vec::new();
    let mut invariant = true;
    walk(&each.body, &mut |stmt| {
        if let Some(Update { target, .. }) = stmt.as_update()
            && target.buffer == buffer
            && !elements.contains(&target.index)
        {
            invariant &= target.index.iter().all(|index| facts.is_movable(index));
            elements.push(target.index.clone());
        }
    });
    (invariant && elements.len() <= SUMS_IN_SCALARS).then_some(elements)
}

impl Means {
    /// How many elements a chunk copies.
    pub(super) fn copied(&self) -> Expr {
        match self {
            Means::Scalars(_) | Means::Colours => Expr::usize(0),
            Means::Copies(size) | Means::Windows(size) => size.clone(),
        }
    }

    /// Whether chunks have copies of arrays.
    pub(super) fn is_copied(&self) -> bool {
        matches!(self, Means::Copies(_) | Means::Windows(_))
    }
}

/// How many elements a chunk copies for all of these.
pub(super) fn copied_by(sums: &[Summation]) -> Expr {
    sums.iter().fold(Expr::usize(0), |sum, it| saturating_add(sum, it.means.copied()))
}

/// `min(a, b)`; constants are folded.
pub(crate) fn least(a: Expr, b: Expr) -> Expr {
    match (a.as_usize(), b.as_usize()) {
        (Some(x), Some(y)) => Expr::usize(x.min(y)),
        _ => Expr::call(Ty::USIZE, Func::IntMin, vec![a, b]),
    }
}
