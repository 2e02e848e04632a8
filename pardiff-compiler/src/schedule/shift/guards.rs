//! Terms under the condition that there is an iteration that gives them; see [`Ends::Guarded`](super::Ends).

use super::super::chunks::Builder;
use super::Range;
use super::regions::{apart, plus};
use crate::ir::{Expr, ExprKind, IterId, Place, ReduceOp, Role, Scheme, Stmt, StmtKind};
use crate::map::Map;

/// By the iterations of which offset elements are counted: of one in the middle, as long as all have numbers.
pub(super) fn base(range: &Range, offsets: impl Iterator<Item = i128> + Clone) -> i128 {
    let (min, max) = (offsets.clone().min().unwrap_or(0), offsets.clone().max().unwrap_or(0));
    let room = (apart(&range.lo).1 + min).max(min);
    let from_middle = |offset: &i128| (2 * offset - min - max).abs();
    offsets.filter(|&offset| offset <= room).min_by_key(from_middle).unwrap_or(min)
}

/// That a value of an iterator is one of a loop of the nest, as far as the bounds of the gathering loop do not say so.
pub(super) fn is_given(range: &Range, value: &Expr, bounds: &Map<IterId, (Expr, Expr)>) -> Option<Expr> {
    let (iter, by) = apart(value);
    let iter = iter?;
    let ExprKind::Iter(id) = iter.kind else { return None };
    let (lo, hi) = bounds.get(&id)?;
    // no number below zero is compared
    let begins = (plus(lo, by) != range.lo).then(|| match by {
        0.. => range.lo.clone().at_most(value.clone()),
        _ => plus(&range.lo, -by).at_most(iter.clone()),
    });
    let ends = (plus(hi, by) != range.hi).then(|| match by {
        0.. => value.clone().below(range.hi.clone()),
        _ => iter.clone().below(plus(&range.hi, -by)),
    });
    begins.into_iter().chain(ends).reduce(|a, b| a & b)
}

/// The addition of those terms that are given.
pub(super) fn sum(
    build: &mut Builder<'_>,
    target: Place,
    terms: Vec<(Option<Expr>, Expr)>,
    exists: Option<Expr>,
) -> Stmt {
    let elem = build.program[target.buffer].elem;
    let part = build.program.add_scalar("part", elem, Role::Local);
    let mut body = vec![build.set(part, Expr::float(elem, 0.0))];
    let guards: Option<Vec<Expr>> = terms.iter().map(|(guard, _)| guard.clone()).collect();
    let any = guards.and_then(|guards| guards.into_iter().reduce(|a, b| a | b));
    let add = |build: &Builder<'_>, target: Place, value: Expr, scheme: Scheme| {
        build.stmt(StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme })
    };
    for (guard, value) in terms {
        let add = add(build, Place::scalar(part), value, Scheme::Undecided);
        body.push(match guard {
            Some(guard) => build.when(guard, vec![add]),
            None => add,
        });
    }
    let sum = add(build, target, build.load(part), Scheme::Shift);
    let cond = any.into_iter().chain(exists).reduce(|a, b| a & b);
    body.push(match cond {
        Some(cond) => build.when(cond, vec![sum]),
        None => sum,
    });
    build.scope(vec![part], body)
}
