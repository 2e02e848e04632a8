//! How many chunks a parallel loop is cut into, and how large they are: functions of sizes alone.
//!
//! ```text
//! trip = trip_count(lo, hi, 1)
//! wanted = trip * work of an iteration / work of a chunk + 1
//! size = trip.div_ceil(wanted), in whole blocks of lanes
//! chunks = trip.div_ceil(size)
//! ```

use super::chunks::Builder;
use super::cost::{saturating_add, saturating_mul, trip_count};
use super::multiversion::iteration_tasks::Apart;
use super::parallel::Plan;
use super::prices::VECTOR;
use super::summation::{Means, Summation, copied_by, least};
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, For, Func, IterId, Role, Ty};

/// The sizes of a loop that is cut: variables around it.
pub(super) struct Sizes {
    pub(super) trip: BufferId,
    /// The number of chunks that the work is enough for.
    wanted: BufferId,
    size: BufferId,
    pub(super) chunks: BufferId,
    /// The first value of the iterator and the step, where they are no constants.
    pub(super) start: Expr,
    pub(super) step: Expr,
    pub(super) all: Vec<BufferId>,
}

/// The variables that say how a loop is cut, and their assignments.
pub(super) fn sizes(build: &mut Builder<'_>, each: &For, setup: &mut Block) -> Sizes {
    let (trip, wanted) = (build.size("trip"), build.size("wanted"));
    let (size, chunks) = (build.size("size"), build.size("chunks"));
    let mut all = vec![trip, wanted, size, chunks];
    let mut keep = |build: &mut Builder<'_>, name: &str, value: &Expr, setup: &mut Block| match value.kind {
        ExprKind::Int(_) => value.clone(),
        _ => {
            let scalar = build.program.add_scalar(name, value.ty, Role::Local);
            all.push(scalar);
            setup.push(build.set(scalar, value.clone()));
            build.load(scalar)
        }
    };
    let start = keep(build, "start", &each.lo, setup);
    let step = keep(build, "step", &each.step, setup);
    setup.push(build.set(trip, trip_count(each)));

    Sizes { trip, wanted, size, chunks, start, step, all }
}

/// What a chunk has at least.
pub(super) struct Least {
    /// It has a multiple of so many iterations.
    pub(super) block: usize,
    /// The additions that are worth another core.
    pub(super) work: usize,
}

/// The sizes of the chunks of a loop: a function of sizes alone. A chunk is a multiple of `block` iterations, or of those of
/// a vector where blocks would leave too few chunks for the work, or of single ones where few run apart.
pub(super) fn assign_sizes(
    build: &mut Builder<'_>,
    plan: &Plan,
    sizes: &mut Sizes,
    Least { block, work: least_work }: Least,
    apart: Option<&Apart>,
    setup: &mut Block,
) {
    let costs = &plan.costs;
    let &mut Sizes { trip, wanted, size, chunks, ref mut all, .. } = sizes;
    let divide = |a: Expr, b: Expr| Expr::binary(BinOp::Div, a, b);
    let mut work = saturating_mul(build.load(trip), plan.iteration.clone());
    let mut copied = copied_by(&plan.sums);
    let is_copied = plan.sums.iter().any(|sum| sum.means.is_copied());
    if is_copied {
        // asked for more than once
        for (name, value) in [("work", &mut work), ("copied", &mut copied)] {
            if !matches!(value.kind, ExprKind::Int(_) | ExprKind::Load(_) | ExprKind::Extent(..)) {
                let scalar = build.size(name);
                all.push(scalar);
                let value = std::mem::replace(value, build.load(scalar));
                setup.push(build.set(scalar, value));
            }
        }
    }
    let grain = Expr::usize(least_work * loops_of_tasks(&plan.sums));
    let chunks_of = |grain: Expr| saturating_add(divide(work.clone(), grain), Expr::usize(1));
    let (count, most) = if is_copied {
        // all copies together are little beside the work, or every one is at least worth its own zeroing and merging,
        // and they fit the budget
        let one = saturating_mul(Expr::usize(costs.copied_element), copied.clone());
        let little = saturating_mul(Expr::usize(costs.copies_beside), one.clone());
        let worth = least(chunks_of(saturating_add(grain.clone(), one)), Expr::usize(costs.least_copies));
        let fit = divide(Expr::usize(costs.copied_elements), saturating_add(copied, Expr::usize(1)));
        let most = least(Expr::usize(costs.most_copies), saturating_add(fit, Expr::usize(1)));
        let count =
            Expr::call(Ty::USIZE, Func::IntMax, vec![chunks_of(saturating_add(grain, little)), worth]);
        (count, most)
    } else {
        (chunks_of(grain), Expr::usize(costs.most_chunks))
    };
    setup.push(build.set(wanted, count));
    let wanted = least(shared_evenly(build.load(wanted)), most);
    let size_for = |chunks: Expr| {
        let ceiling = Expr::call(Ty::USIZE, Func::DivCeil, vec![build.load(trip), chunks]);
        Expr::call(Ty::USIZE, Func::IntMax, vec![ceiling, Expr::usize(1)])
    };
    let whole = |size: Expr, block: usize| {
        divide(saturating_add(size, Expr::usize(block - 1)), Expr::usize(block)) * Expr::usize(block)
    };
    let mut single = size_for(wanted.clone());
    if let Some(apart) = apart {
        setup.push(build.set(size, single));
        single = build.load(size);
        setup.push(apart.decide(build, build.load(trip), single.clone()));
    }
    let mut rounded = single.clone();
    if block > 1 {
        let few = size_for(least(wanted, Expr::usize(costs.chunks_before_blocks)));
        rounded = least(whole(rounded, block), whole(few, VECTOR));
    }
    if let Some(apart) = apart {
        rounded = Expr::select(build.load(apart.few), single, rounded);
    }
    setup.push(build.set(size, rounded));
    let count = Expr::call(Ty::USIZE, Func::DivCeil, vec![build.load(trip), build.load(size)]);
    setup.push(build.set(chunks, count));
}

/// How many loops of tasks a loop with these summations is: copies are merged by tasks behind it, and windows are found by tasks
/// in front of it.
pub(super) fn loops_of_tasks(sums: &[Summation]) -> usize {
    let is_copied = sums.iter().any(|sum| sum.means.is_copied());
    let has_windows = sums.iter().any(|sum| matches!(sum.means, Means::Windows(_)));
    1 + usize::from(is_copied) + usize::from(has_windows)
}

/// The nearest multiple of four, but 1 and 2 as they are: chunks are shared by two or four threads, or more, and where one of
/// them has a chunk more than the others, these wait for it.
pub(super) fn shared_evenly(count: Expr) -> Expr {
    let fours = saturating_add(count.clone(), Expr::usize(1));
    let fours = Expr::binary(BinOp::Div, fours, Expr::usize(4)) * Expr::usize(4);
    Expr::call(Ty::USIZE, Func::IntMax, vec![fours, least(count, Expr::usize(2))])
}

/// The variables `from` and `to` of a chunk, and their assignments.
pub(super) fn bounds(build: &mut Builder<'_>, chunk: IterId, sizes: &Sizes) -> (Vec<BufferId>, Block) {
    let (from, to) = (build.size("from"), build.size("to"));
    let start = Expr::iter(chunk, Ty::USIZE) * build.load(sizes.size);
    let end = saturating_add(build.load(from), build.load(sizes.size));
    let body = vec![build.set(from, start), build.set(to, least(end, build.load(sizes.trip)))];
    (vec![from, to], body)
}

#[cfg(test)]
mod tests {
    use super::shared_evenly;
    use crate::ir::interp::{Array, no_paths, run};
    use crate::ir::{Place, Ty, parse};
    use crate::schedule::cost::Costs;
    use crate::schedule::{Options, schedule};

    #[test]
    fn two_and_four_threads_have_the_same_number_of_chunks_each() {
        let mut program = parse("fn f(n: in usize, evenly: inout usize)\n  evenly = n\n").unwrap();
        let count = shared_evenly(Place::scalar(program.params[0]).load(Ty::USIZE));
        *program.body[0].exprs_mut().remove(0) = count;
        let counts = (1..=13).map(|n| {
            let args: Vec<Array<f64>> = vec![Array::int(n), Array::int(0)];
            run(&program, args, &no_paths).unwrap().params[1].clone()
        });
        let expected = [1, 2, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12].map(Array::int);
        assert_eq!(counts.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_chunk_of_lanes_has_more_work() {
        let text =
            "fn f(x: in f64[_], y: inout f64[_], n: in usize)\n  for i in 0..n\n    y[i] = x[i] * x[i]\n";
        let Costs { grain, grain_in_lanes, .. } = Costs::default();
        for (scalar, work) in [(true, grain), (false, grain_in_lanes)] {
            let options = Options { scalar, ..Options::default() };
            let made = schedule(parse(text).unwrap(), &options).program.to_string();
            assert!(made.contains(&format!("/ {work}, 1)")), "{made}");
        }
    }
}
