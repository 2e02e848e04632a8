//! Lengths that have not wrapped: the check in front of a local array whose length is a product.
//!
//! `vec![0.0; n * m]` panics where the product overflows, as it does in a build with overflow checks. Then rows of `m` elements
//! lie beside each other in the array, whatever loops go through them.

use super::{BinOp, Expr, ExprKind, Func, Ty, UnOp};

/// The condition that a length, of sums and products, has not wrapped, and is one that an array may have: what saturates is
/// beyond `isize::MAX`. `None` where there is no product.
pub fn exactness(length: &Expr) -> Option<Expr> {
    let mut multiplies = false;
    length.walk(&mut |part| {
        multiplies |= matches!(&part.kind, ExprKind::Binary(BinOp::Mul, a, b)
            if ![a, b].iter().any(|it| matches!(it.kind, ExprKind::Int(_))));
    });
    multiplies.then(|| is_length(saturating(length)))
}

/// The condition that a number is one of elements that an array may have.
pub fn is_length(number: Expr) -> Expr {
    number.below(greatest_length())
}

/// `isize::MAX`.
fn greatest_length() -> Expr {
    Expr::binary(BinOp::Div, Expr::unary(UnOp::Not, Expr::usize(0)), Expr::usize(2))
}

/// The length in sums and products that saturate.
fn saturating(length: &Expr) -> Expr {
    let call = |func, a, b| Expr::call(Ty::USIZE, func, vec![saturating(a), saturating(b)]);
    match &length.kind {
        ExprKind::Binary(BinOp::Add, a, b) if length.ty == Ty::USIZE => call(Func::SaturatingAdd, a, b),
        ExprKind::Binary(BinOp::Mul, a, b) if length.ty == Ty::USIZE => call(Func::SaturatingMul, a, b),
        _ => length.clone(),
    }
}

/// The length of which [`exactness`] or [`is_length`] has made this condition.
pub(crate) fn said_exact(cond: &Expr) -> Option<&Expr> {
    match &cond.kind {
        ExprKind::Binary(BinOp::Lt, length, greatest) => {
            (**greatest == greatest_length()).then_some(&**length)
        }
        _ => None,
    }
}
