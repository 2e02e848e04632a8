//! How a position in memory depends on the lane: `rest + coefficient * l` in the arithmetic modulo the width of
//! `usize`, which regrouping cannot change; the range check behind it is about the true positions.

use super::Lanes;
use crate::backend::rust::{Code, code};
use crate::ir::{BinOp, Expr, ExprKind, Ty};

/// The step from one lane to the next.
pub(super) enum Stride {
    None,
    One,
    By(Code),
}

impl Lanes<'_, '_> {
    /// The parts of a `usize` expression that is affine in the iterator of the loop.
    pub(super) fn split(&self, expr: &Expr) -> Option<(Stride, Code)> {
        if !self.varies_expr(expr) {
            return Some((Stride::None, self.emitter.untyped_operand(expr)));
        }
        match &expr.kind {
            ExprKind::Iter(iter) if *iter == self.it.iter && expr.ty == Ty::USIZE => {
                Some((Stride::One, code!(0_usize)))
            }
            ExprKind::Binary(BinOp::Add, lhs, rhs) => {
                let ((a, x), (b, y)) = (self.split(lhs)?, self.split(rhs)?);
                let stride = match (a, b) {
                    (a, Stride::None) => a,
                    (Stride::None, b) => b,
                    (a, b) => {
                        let (a, b) = (tokens(a), tokens(b));
                        Stride::By(code!(usize::wrapping_add(#a, #b)))
                    }
                };
                Some((stride, sum(x, y)))
            }
            ExprKind::Binary(BinOp::Sub, lhs, rhs) => {
                let ((a, x), (b, y)) = (self.split(lhs)?, self.split(rhs)?);
                let stride = match (a, b) {
                    (a, Stride::None) => a,
                    (a, b) => {
                        let (a, b) = (tokens(a), tokens(b));
                        Stride::By(code!(usize::wrapping_sub(#a, #b)))
                    }
                };
                Some((stride, code!(usize::wrapping_sub(#x, #y))))
            }
            ExprKind::Binary(BinOp::Mul, lhs, rhs) => {
                let (affine, factor) = if self.varies_expr(lhs) { (lhs, rhs) } else { (rhs, lhs) };
                if self.varies_expr(factor) {
                    return None;
                }
                let (stride, rest) = self.split(affine)?;
                let factor = self.emitter.typed(factor);
                let stride = match stride {
                    Stride::None => Stride::None,
                    Stride::One => Stride::By(code!((#factor))),
                    Stride::By(stride) => Stride::By(code!(usize::wrapping_mul(#stride, #factor))),
                };
                let rest = if is_zero(&rest) { rest } else { code!(usize::wrapping_mul(#rest, #factor)) };
                Some((stride, rest))
            }
            _ => None,
        }
    }
}

fn tokens(stride: Stride) -> Code {
    match stride {
        Stride::None => code!(0_usize),
        Stride::One => code!(1_usize),
        Stride::By(tokens) => tokens,
    }
}

fn sum(x: Code, y: Code) -> Code {
    if is_zero(&x) {
        y
    } else if is_zero(&y) {
        x
    } else {
        code!(usize::wrapping_add(#x, #y))
    }
}

fn is_zero(tokens: &Code) -> bool {
    tokens.is("0_usize")
}
