//! How a value moves as an iterator counts up.

use crate::ir::{BinOp, Expr, ExprKind, IterId, Ty};

/// How a value moves as an iterator counts up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trend {
    /// It stays.
    Constant,
    /// It never falls.
    Rising,
    /// It never rises.
    Falling,
}

/// The trend of a `usize` expression whose evaluation does not wrap; `None` if it may go both ways.
pub(super) fn trend(expr: &Expr, iter: IterId, uniform: &dyn Fn(&Expr) -> bool) -> Option<Trend> {
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
