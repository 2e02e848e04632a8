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
        std_function(func, args, float)
    }

    fn powi(self, exponent: i32, float: Float) -> Option<f64> {
        Some(match float {
            Float::F32 => f64::from((self as f32).powi(exponent)),
            Float::F64 => self.powi(exponent),
        })
    }
}

/// A function from floats to a float, `powi` apart, as std computes it in the float type. `clamp` requires
/// `min <= max`.
pub(super) fn std_function(func: Func, args: &[f64], float: Float) -> Option<f64> {
    macro_rules! table {
        ($float:ty) => {{
            let at = |k: usize| args.get(k).copied().unwrap_or(f64::NAN) as $float;
            let (x, y, z) = (at(0), at(1), at(2));
            let value: $float = match func {
                Func::Exp => x.exp(),
                Func::Exp2 => x.exp2(),
                Func::ExpM1 => x.exp_m1(),
                Func::Ln => x.ln(),
                Func::Ln1p => x.ln_1p(),
                Func::Log2 => x.log2(),
                Func::Log10 => x.log10(),
                Func::Log => x.log(y),
                Func::Sqrt => x.sqrt(),
                Func::Cbrt => x.cbrt(),
                Func::Sin => x.sin(),
                Func::Cos => x.cos(),
                Func::Tan => x.tan(),
                Func::Asin => x.asin(),
                Func::Acos => x.acos(),
                Func::Atan => x.atan(),
                Func::Atan2 => x.atan2(y),
                Func::Sinh => x.sinh(),
                Func::Cosh => x.cosh(),
                Func::Tanh => x.tanh(),
                Func::Asinh => x.asinh(),
                Func::Acosh => x.acosh(),
                Func::Atanh => x.atanh(),
                Func::Powf => x.powf(y),
                Func::Hypot => x.hypot(y),
                Func::Recip => x.recip(),
                Func::Abs => x.abs(),
                Func::Max => x.max(y),
                Func::Min => x.min(y),
                Func::Clamp if y <= z => x.clamp(y, z),
                Func::MulAdd => x.mul_add(y, z),
                Func::Copysign => x.copysign(y),
                Func::Fract => x.fract(),
                Func::DivEuclidF => x.div_euclid(y),
                Func::RemEuclidF => x.rem_euclid(y),
                Func::ToDegrees => x.to_degrees(),
                Func::ToRadians => x.to_radians(),
                Func::Signum => x.signum(),
                Func::Floor => x.floor(),
                Func::Ceil => x.ceil(),
                Func::Round => x.round(),
                Func::RoundTiesEven => x.round_ties_even(),
                Func::Trunc => x.trunc(),
                _ => return None,
            };
            Some(f64::from(value))
        }};
    }
    match float {
        Float::F32 => table!(f32),
        Float::F64 => table!(f64),
    }
}

/// A function from a float to a bool.
pub(super) fn float_predicate(func: Func, x: f64) -> Option<bool> {
    Some(match func {
        Func::IsNan => x.is_nan(),
        Func::IsInfinite => x.is_infinite(),
        Func::IsFinite => x.is_finite(),
        Func::IsSignNegative => x.is_sign_negative(),
        Func::IsSignPositive => x.is_sign_positive(),
        _ => return None,
    })
}
