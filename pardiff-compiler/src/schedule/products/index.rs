//! Indices as steps along loops, in arithmetic that never panics.
//!
//! **Legality.** What [`saturated`] accepts is made of sums and products of `usize`, so it never falls where an iterator
//! grows. Its value in the last iteration, in arithmetic that saturates, is below the length of an array only if nothing
//! overflowed there; then nothing overflows in any iteration, and every index is what the user's arithmetic gives: the
//! first one and as many steps as iterators say.

use super::super::cost::{saturating_add, saturating_mul};
use crate::ir::{BinOp, Expr, ExprKind, IterId, Ty};

/// The value with some of the iterators replaced, where the arithmetic of the source does not overflow; more, where it
/// does. `None` for what is not known to grow with every iterator, or may not be evaluated in front of the loops.
pub(super) fn saturated(expr: &Expr, value: &dyn Fn(IterId) -> Option<Expr>) -> Option<Expr> {
    if expr.ty != Ty::USIZE {
        return None;
    }
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Opaque(_) | ExprKind::Extent(..) => Some(expr.clone()),
        ExprKind::Iter(iter) => Some(value(*iter).unwrap_or_else(|| expr.clone())),
        ExprKind::Load(place) => place.index.is_empty().then(|| expr.clone()),
        ExprKind::Binary(BinOp::Add, a, b) => {
            Some(saturating_add(saturated(a, value)?, saturated(b, value)?))
        }
        ExprKind::Binary(BinOp::Mul, a, b) => {
            Some(saturating_mul(saturated(a, value)?, saturated(b, value)?))
        }
        ExprKind::Cast(from) => {
            let leaf = matches!(&from.kind, ExprKind::Opaque(_) | ExprKind::Int(_))
                || matches!(&from.kind, ExprKind::Load(place) if place.index.is_empty());
            (leaf && from.ty.is_int()).then(|| expr.clone())
        }
        _ => None,
    }
}

/// By what an index that [`saturated`] accepts grows when the iterator grows by one; `None` where that is not the same
/// everywhere. `varies` says which iterators are those of the nest.
pub(super) fn step(expr: &Expr, iter: IterId, varies: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    let fixed = |expr: &Expr| saturated(expr, &|_| None);
    match &expr.kind {
        ExprKind::Iter(of) => Some(Expr::usize(usize::from(*of == iter))),
        ExprKind::Binary(BinOp::Add, a, b) => {
            Some(saturating_add(step(a, iter, varies)?, step(b, iter, varies)?))
        }
        ExprKind::Binary(BinOp::Mul, a, b) if !varies(b) => {
            Some(saturating_mul(step(a, iter, varies)?, fixed(b)?))
        }
        ExprKind::Binary(BinOp::Mul, a, b) if !varies(a) => {
            Some(saturating_mul(fixed(a)?, step(b, iter, varies)?))
        }
        _ => (!varies(expr)).then(|| Expr::usize(0)),
    }
}

/// A condition in the last iteration, of one that holds in every iteration if it holds there: comparisons of indices with
/// what does not change.
pub(super) fn in_the_end(
    cond: &Expr,
    last: &dyn Fn(IterId) -> Option<Expr>,
    varies: &dyn Fn(&Expr) -> bool,
) -> Option<Vec<Expr>> {
    match &cond.kind {
        ExprKind::Binary(BinOp::BitAnd, a, b) => {
            let mut all = in_the_end(a, last, varies)?;
            all.extend(in_the_end(b, last, varies)?);
            Some(all)
        }
        ExprKind::Binary(op @ (BinOp::Lt | BinOp::Le), index, bound) => {
            // a bound that saturates would be too large
            let plain = matches!(bound.kind, ExprKind::Int(_) | ExprKind::Opaque(_) | ExprKind::Extent(..))
                || matches!(&bound.kind, ExprKind::Load(place) if place.index.is_empty());
            let index = saturated(index, last)?;
            (plain && !varies(bound)).then(|| vec![Expr::binary(*op, index, (**bound).clone())])
        }
        _ => None,
    }
}
