//! Positions that differ, or move, by numbers.

use super::{BinOp, Expr, ExprKind, IterId};

/// A position as a number behind something else, modulo the width of `usize`: `(base, 3)` of `base + 3`.
pub fn offset_of(expr: &Expr) -> (Expr, i128) {
    let number = |expr: &Expr| match expr.kind {
        ExprKind::Int(number) => Some(number),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Binary(BinOp::Add, a, b) => match (number(a), number(b)) {
            (_, Some(by)) => behind(a, by),
            (Some(by), _) => behind(b, by),
            _ => {
                let ((a, x), (b, y)) = (offset_of(a), offset_of(b));
                (Expr::binary(BinOp::Add, a, b), x + y)
            }
        },
        ExprKind::Binary(BinOp::Sub, a, b) => match number(b) {
            Some(by) => behind(a, -by),
            None => {
                let ((a, x), (b, y)) = (offset_of(a), offset_of(b));
                (Expr::binary(BinOp::Sub, a, b), x - y)
            }
        },
        ExprKind::Binary(BinOp::Mul, a, b) => match (number(a), number(b)) {
            (None, Some(by)) => times(a, by, |a| Expr::binary(BinOp::Mul, a, (**b).clone())),
            (Some(by), None) => times(b, by, |b| Expr::binary(BinOp::Mul, (**a).clone(), b)),
            _ => (expr.clone(), 0),
        },
        _ => (expr.clone(), 0),
    }
}

/// By how much an expression moves with an iterator, if by a number.
pub fn slope(expr: &Expr, iter: IterId) -> Option<i128> {
    match &expr.kind {
        ExprKind::Iter(other) => Some(i128::from(*other == iter)),
        _ if !expr.mentions(iter) => Some(0),
        ExprKind::Binary(BinOp::Add, a, b) => slope(a, iter)?.checked_add(slope(b, iter)?),
        ExprKind::Binary(BinOp::Sub, a, b) => slope(a, iter)?.checked_sub(slope(b, iter)?),
        ExprKind::Binary(BinOp::Mul, a, b) => match (&a.kind, &b.kind) {
            (ExprKind::Int(by), _) => slope(b, iter)?.checked_mul(*by),
            (_, ExprKind::Int(by)) => slope(a, iter)?.checked_mul(*by),
            _ => None,
        },
        _ => None,
    }
}

fn behind(expr: &Expr, by: i128) -> (Expr, i128) {
    let (base, offset) = offset_of(expr);
    (base, offset + by)
}

fn times(expr: &Expr, by: i128, product: impl Fn(Expr) -> Expr) -> (Expr, i128) {
    let (base, offset) = offset_of(expr);
    match offset.checked_mul(by) {
        Some(offset) => (product(base), offset),
        None => (product(expr.clone()), 0),
    }
}
