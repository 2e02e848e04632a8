//! Positions that differ by numbers.

use super::{BinOp, Expr, ExprKind};

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
