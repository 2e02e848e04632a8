//! Neighbours on a periodic grid, whose last element is beside the first one.
//!
//! ```text
//! for i in 0..n                       for i in 0..n
//!   d_x[(i + 1) % n] += e(i)    =>      d_x[i] += e((i + n - 1) % n) + f((i + 1) % n)
//!   d_x[(i + n - 1) % n] += f(i)
//! ```
//!
//! `(i + 1) % n` here stands for any step around the ring, see [`Turned`]. Steps after each other are one step, so what an
//! iteration reads around the ring is found from the element: `u[(i + 1) % n]` of the iteration `(i + n - 1) % n` is `u[i]`.
//!
//! **Legality.** For `n` greater than the steps, and `n` with room in the type in which they are computed, these forms are the
//! permutation `i + c modulo n` and its inverse; a condition in front of the nest says so (see [`longest_step`] and [`fits`]).

use super::{Plan, Range, Source};
use crate::ir::{Expr, ExprKind, Int, IterId, Turned, Ty, turned};

impl Range {
    /// The step that an expression is around this loop, if it is one.
    fn step(&self, expr: &Expr) -> Option<Turned> {
        let step = Turned::of(expr).filter(|step| step.iter == self.iter && step.around == self.hi)?;
        (self.lo == Expr::usize(0)).then_some(step)
    }
}

/// Whether an expression is a step around one of the loops.
pub(super) fn is_step(expr: &Expr, loops: &[Range]) -> bool {
    loops.iter().any(|range| range.step(expr).is_some())
}

/// An index without the steps that it takes around the loops, one for each, if these are steps of the whole index.
pub(super) fn without_steps(index: &[Expr], loops: &[Range]) -> Option<(Vec<Expr>, Vec<i128>)> {
    let mut steps: Vec<Option<i128>> = vec![None; loops.len()];
    let plain = index.iter().map(|index| take_steps(index, loops, &mut steps)).collect::<Option<_>>()?;
    Some((plain, steps.into_iter().map(Option::unwrap_or_default).collect()))
}

fn take_steps(expr: &Expr, loops: &[Range], steps: &mut [Option<i128>]) -> Option<Expr> {
    let found = loops.iter().enumerate().find_map(|(d, range)| match expr.kind {
        ExprKind::Iter(iter) if iter == range.iter => Some((d, range.iter, 0)),
        _ => range.step(expr).map(|step| (d, step.iter, step.by)),
    });
    if let Some((d, iter, by)) = found {
        return (*steps[d].get_or_insert(by) == by).then(|| Expr::iter(iter, Ty::USIZE));
    }
    let mut known = true;
    let plain = expr.with_operands(&mut |operand| {
        take_steps(operand, loops, steps).unwrap_or_else(|| {
            known = false;
            operand.clone()
        })
    });
    known.then_some(plain)
}

/// An expression of an iteration of the loop, where `value` and a step around the loop lead to it.
pub(super) fn at(expr: &Expr, range: &Range, value: &Expr, by: i128) -> Expr {
    if expr.kind == ExprKind::Iter(range.iter) {
        return turned(value.clone(), by, &range.hi);
    }
    if by != 0
        && let Some(step) = range.step(expr)
    {
        return turned(value.clone(), by + step.by, &range.hi);
    }
    expr.with_operands(&mut |operand| at(operand, range, value, by))
}

/// The longest step of some terms around a loop.
pub(super) fn longest_step(sources: &[Source], range: &Range) -> i128 {
    let mut longest = 0;
    sources.iter().for_each(|source| source.steps(range, &mut |step| longest = longest.max(step.by.abs())));
    longest
}

/// What says that the loops have room in the types in which steps around them are computed.
pub(super) fn fits(plan: &Plan) -> Vec<Expr> {
    let mut narrow: Vec<(IterId, &Expr, Int)> = Vec::new();
    for gather in &plan.gathers {
        let loops = plan.loops.iter().zip(&gather.rings).filter(|(_, ring)| **ring);
        for (range, _) in loops {
            for source in &gather.sources {
                source.steps(range, &mut |step| {
                    narrow.extend(step.narrow.map(|int| (range.iter, &range.hi, int)));
                });
            }
        }
    }
    narrow.dedup();
    let room =
        |(_, hi, int): (IterId, &Expr, Int)| Some(hi.clone().below(Expr::int(Ty::USIZE, int.max()? / 4)));
    narrow.into_iter().filter_map(room).collect()
}

impl Source {
    fn steps(&self, range: &Range, see: &mut dyn FnMut(Turned)) {
        for expr in self.index.iter().chain([&self.value]) {
            expr.walk(&mut |node| range.step(node).into_iter().for_each(&mut *see));
        }
    }
}
