//! What the interpreter computes with in place of floats.

use crate::ir::{BinOp, Float, Func};
use std::fmt::Debug;

/// A stand-in for floats. Operations return `None` where the kind of number has no such operation.
pub trait Number: Copy + PartialEq + Debug {
    /// A constant of the program.
    fn constant(value: f64) -> Self;

    /// An integer converted to the float type.
    fn from_int(value: i128, float: Float) -> Self {
        Self::constant(match float {
            Float::F32 => f64::from(value as f32),
            Float::F64 => value as f64,
        })
    }

    /// The value on which comparisons, casts and piecewise constant functions depend.
    fn real(self) -> Option<f64>;

    /// Converted to the float type.
    fn cast(self, float: Float) -> Self;

    /// The negative.
    fn neg(self) -> Self;

    /// One of `+ - * / %` in the float type.
    fn arithmetic(op: BinOp, lhs: Self, rhs: Self, float: Float) -> Option<Self>;

    /// A function of [`Kind::Float`](crate::ir::Kind::Float) other than `powi`, in the float type.
    fn call(func: Func, args: &[Self], float: Float) -> Option<Self>;

    /// `self.powi(exponent)` in the float type.
    fn powi(self, exponent: i32, float: Float) -> Option<Self>;
}

/// Ordinary floats: an `f32` is an `f64` that was rounded.
impl Number for f64 {
    fn constant(value: f64) -> f64 {
        value
    }

    fn real(self) -> Option<f64> {
        Some(self)
    }

    fn cast(self, float: Float) -> f64 {
        match float {
            Float::F32 => f64::from(self as f32),
            Float::F64 => self,
        }
    }

    fn neg(self) -> f64 {
        -self
    }

    // Rounding the f64 result to f32 gives the f32 result: f64 has more than twice as many digits.
    fn arithmetic(op: BinOp, lhs: f64, rhs: f64, float: Float) -> Option<f64> {
        let value = match op {
            BinOp::Add => lhs + rhs,
            BinOp::Sub => lhs - rhs,
            BinOp::Mul => lhs * rhs,
            BinOp::Div => lhs / rhs,
            BinOp::Rem => lhs % rhs,
            _ => return None,
        };
        Some(value.cast(float))
    }

    fn call(func: Func, args: &[f64], float: Float) -> Option<f64> {
        func.row().value.of(args, float)
    }

    fn powi(self, exponent: i32, float: Float) -> Option<f64> {
        Some(match float {
            Float::F32 => f64::from((self as f32).powi(exponent)),
            Float::F64 => self.powi(exponent),
        })
    }
}
