//! How an index moves when an iterator moves by one.

use crate::ir::{BinOp, Expr, ExprKind, Func, IterId, Place, Ty};

/// The difference between the values of an expression for neighbouring values of an iterator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Number(i128),
    /// The same for all values of the iterator.
    Fixed,
    /// Anything.
    Any,
}

/// How an access walks through memory as an iterator counts up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Walk {
    /// It stays where it is.
    Still,
    /// To the neighbouring element.
    Contiguous,
    /// By a distance that is the same each time.
    Strided,
    /// Anywhere.
    Irregular,
}

/// The step of an integer expression, up to wrapping. `varies` says whether the content of a buffer may depend on
/// the iterator.
pub(super) fn step(expr: &Expr, iter: IterId, varies: &dyn Fn(&Place) -> bool) -> Step {
    let of = |expr: &Expr| step(expr, iter, varies);
    match (expr.modular(), &expr.kind) {
        (_, ExprKind::Iter(other)) => Step::Number(i128::from(*other == iter)),
        (_, ExprKind::Cast(value)) if expr.ty.is_word() && value.ty.is_word() => of(value),
        (Some((BinOp::Add, a, b)), _) => combine(of(a), of(b), 1),
        (Some((BinOp::Sub, a, b)), _) => combine(of(a), of(b), -1),
        (Some((_, a, b)), _) => match (of(a), of(b), &a.kind, &b.kind) {
            (Step::Number(0), Step::Number(0), ..) => Step::Number(0),
            (Step::Number(step), _, _, ExprKind::Int(by)) | (_, Step::Number(step), ExprKind::Int(by), _) => {
                step.checked_mul(*by).map_or(Step::Fixed, Step::Number)
            }
            (Step::Number(_) | Step::Fixed, Step::Number(0), ..)
            | (Step::Number(0), Step::Number(_) | Step::Fixed, ..) => Step::Fixed,
            _ => Step::Any,
        },
        (_, ExprKind::Load(place)) => {
            let still = place.index.iter().all(|index| of(index) == Step::Number(0));
            if still && !varies(place) { Step::Number(0) } else { Step::Any }
        }
        (_, ExprKind::Binary(_, a, b)) => still([a, b].into_iter().all(|expr| of(expr) == Step::Number(0))),
        _ => still(expr.operands().iter().all(|operand| of(operand) == Step::Number(0))),
    }
}

fn still(still: bool) -> Step {
    if still { Step::Number(0) } else { Step::Any }
}

fn combine(a: Step, b: Step, sign: i128) -> Step {
    match (a, b) {
        (Step::Number(a), Step::Number(b)) => {
            b.checked_mul(sign).and_then(|b| a.checked_add(b)).map_or(Step::Any, Step::Number)
        }
        (Step::Any, _) | (_, Step::Any) => Step::Any,
        _ => Step::Fixed,
    }
}

/// How an access walks as the iterator counts up.
pub(super) fn walk(place: &Place, iter: IterId, varies: &dyn Fn(&Place) -> bool) -> Walk {
    let steps: Vec<Step> = place.index.iter().map(|index| step(index, iter, varies)).collect();
    let Some((last, outer)) = steps.split_last() else { return Walk::Still };
    match last {
        _ if steps.contains(&Step::Any) => Walk::Irregular,
        _ if outer.iter().any(|&step| step != Step::Number(0)) => Walk::Strided,
        Step::Number(0) => Walk::Still,
        Step::Number(1) => Walk::Contiguous,
        _ => Walk::Strided,
    }
}

/// How a value moves as an iterator counts up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::schedule) enum Trend {
    /// It stays.
    Constant,
    /// It never falls.
    Rising,
    /// It never rises.
    Falling,
}

/// The trend of a `usize` expression whose evaluation does not wrap; `None` if it may go both ways.
pub(in crate::schedule) fn trend(
    expr: &Expr,
    iter: IterId,
    uniform: &dyn Fn(&Expr) -> bool,
) -> Option<Trend> {
    if expr.ty != Ty::USIZE {
        return None;
    }
    if uniform(expr) {
        return Some(Trend::Constant);
    }
    let of = |expr: &Expr| trend(expr, iter, uniform);
    match &expr.kind {
        ExprKind::Iter(other) if *other == iter => Some(Trend::Rising),
        // of values that are not negative, sums and products move as their operands do
        ExprKind::Binary(BinOp::Add | BinOp::Mul, a, b) => both(of(a)?, of(b)?),
        ExprKind::Call(Func::SaturatingAdd | Func::SaturatingMul, _, args) => match &args[..] {
            [a, b] => both(of(a)?, of(b)?),
            _ => None,
        },
        ExprKind::Binary(BinOp::Sub, a, b) => both(of(a)?, opposite(of(b)?)),
        ExprKind::Binary(BinOp::Div, a, b) if uniform(b) => of(a),
        _ => None,
    }
}

fn both(a: Trend, b: Trend) -> Option<Trend> {
    match (a, b) {
        (Trend::Constant, other) | (other, Trend::Constant) => Some(other),
        _ => (a == b).then_some(a),
    }
}

/// The trend of the negative.
pub(super) fn opposite(trend: Trend) -> Trend {
    match trend {
        Trend::Constant => Trend::Constant,
        Trend::Rising => Trend::Falling,
        Trend::Falling => Trend::Rising,
    }
}

/// The difference `a - b` of two integer expressions where it is a number whatever their variables are, up to wrapping;
/// it is a small one, so that it is zero only if the two are equal.
pub(super) fn difference(a: &Expr, b: &Expr) -> Option<i128> {
    let mut terms: Vec<(&Expr, i128)> = Vec::new();
    let mut constant = 0;
    collect(a, 1, &mut terms, &mut constant)?;
    collect(b, -1, &mut terms, &mut constant)?;
    let small = constant.unsigned_abs() < 1 << 31;
    (small && terms.iter().all(|(_, factor)| *factor == 0)).then_some(constant)
}

fn collect<'e>(
    expr: &'e Expr,
    factor: i128,
    terms: &mut Vec<(&'e Expr, i128)>,
    constant: &mut i128,
) -> Option<()> {
    match &expr.kind {
        ExprKind::Int(value) => *constant = constant.checked_add(value.checked_mul(factor)?)?,
        ExprKind::Binary(BinOp::Add, a, b) => {
            collect(a, factor, terms, constant)?;
            collect(b, factor, terms, constant)?;
        }
        ExprKind::Binary(BinOp::Sub, a, b) => {
            collect(a, factor, terms, constant)?;
            collect(b, factor.checked_neg()?, terms, constant)?;
        }
        ExprKind::Binary(BinOp::Mul, a, by) if matches!(by.kind, ExprKind::Int(_)) => {
            let ExprKind::Int(by) = by.kind else { return None };
            collect(a, factor.checked_mul(by)?, terms, constant)?;
        }
        _ => match terms.iter_mut().find(|(term, _)| *term == expr) {
            Some((_, known)) => *known = known.checked_add(factor)?,
            None => terms.push((expr, factor)),
        },
    }
    Some(())
}
