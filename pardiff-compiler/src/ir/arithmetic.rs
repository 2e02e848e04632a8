//! Operators on expressions, so that rules read like the mathematics.

use super::{BinOp, Expr, ExprKind, Func, Ty, UnOp};
use std::ops;

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {
        $(
            impl ops::$trait for Expr {
                type Output = Expr;
                fn $method(self, rhs: Expr) -> Expr { Expr::binary(BinOp::$op, self, rhs) }
            }
        )*
    };
}

operators! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
    BitAnd bitand BitAnd;
    BitOr bitor BitOr;
}

impl ops::Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::unary(UnOp::Neg, self)
    }
}

impl ops::Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr::unary(UnOp::Not, self)
    }
}

impl Expr {
    /// The operation and the operands of a sum, a difference or a product, whether it wraps or must not.
    pub(crate) fn modular(&self) -> Option<(BinOp, &Expr, &Expr)> {
        match &self.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), lhs, rhs) => Some((*op, lhs, rhs)),
            ExprKind::Call(func, _, args) => {
                let op = match func {
                    Func::WrappingAdd => BinOp::Add,
                    Func::WrappingSub => BinOp::Sub,
                    Func::WrappingMul => BinOp::Mul,
                    _ => return None,
                };
                Some((op, &args[0], &args[1]))
            }
            _ => None,
        }
    }

    /// The same with sums, differences and products of these types in arithmetic that wraps.
    pub fn wrapping(&self, of: fn(Ty) -> bool) -> Expr {
        self.map(&mut |node| match node.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), lhs, rhs) if of(node.ty) => {
                let func = match op {
                    BinOp::Add => Func::WrappingAdd,
                    BinOp::Sub => Func::WrappingSub,
                    _ => Func::WrappingMul,
                };
                Expr::call(node.ty, func, vec![*lhs, *rhs])
            }
            _ => node,
        })
    }
}

/// Comparisons; not the traits of std, whose results are truth values of the compiler itself.
impl Expr {
    /// `self == rhs`
    pub fn equal(self, rhs: Expr) -> Expr {
        Expr::binary(BinOp::Eq, self, rhs)
    }

    /// `self != rhs`
    pub fn differs(self, rhs: Expr) -> Expr {
        Expr::binary(BinOp::Ne, self, rhs)
    }

    /// `self < rhs`
    pub fn below(self, rhs: Expr) -> Expr {
        Expr::binary(BinOp::Lt, self, rhs)
    }

    /// `self > rhs`
    pub fn above(self, rhs: Expr) -> Expr {
        Expr::binary(BinOp::Gt, self, rhs)
    }

    /// `self >= rhs`
    pub fn at_least(self, rhs: Expr) -> Expr {
        Expr::binary(BinOp::Ge, self, rhs)
    }

    /// `self <= rhs`
    pub fn at_most(self, rhs: Expr) -> Expr {
        Expr::binary(BinOp::Le, self, rhs)
    }
}

/// `!cond` without a `!` where that is exact: the negation of a comparison of integers is a comparison, that of `<`
/// of floats is none (`!(a < b)` holds for NaN).
pub(crate) fn negated(cond: Expr) -> Expr {
    use BinOp::*;
    match cond.kind {
        ExprKind::Bool(value) => Expr::bool(!value),
        ExprKind::Unary(UnOp::Not, inner) => *inner,
        ExprKind::Binary(op, lhs, rhs) if op.is_comparison() && !lhs.ty.is_float() => {
            let opposite = match op {
                Eq => Ne,
                Ne => Eq,
                Lt => Ge,
                Le => Gt,
                Gt => Le,
                _ => Lt,
            };
            Expr::binary(opposite, *lhs, *rhs)
        }
        // `==` and `!=` of floats are each other's negation, NaN included
        ExprKind::Binary(op @ (Eq | Ne), lhs, rhs) => {
            Expr::binary(if op == Eq { Ne } else { Eq }, *lhs, *rhs)
        }
        _ => Expr::unary(UnOp::Not, cond),
    }
}
