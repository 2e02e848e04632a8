//! Dual numbers: the oracle for every derivative that the compiler makes.
//!
//! The tangents here are written from the mathematics, apart from the table that reverse mode uses, so that an
//! error in one shows against the other. At kinks they follow the documented conventions: `abs'(0) = 0`; on a tie
//! `max` and `min` belong to their first argument; `sqrt'(0)` is infinite; `powf` at `x = 0`, `y > 0` has slope 0
//! in `y`; `hypot` at the origin has slope 0, as `abs` has. An operand whose tangent is zero contributes exactly
//! nothing, also where the slope is infinite or not a number.

use super::Number;
use crate::ir::{BinOp, Float, Func};

/// A value and how fast it changes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dual {
    /// The value.
    pub value: f64,
    /// Its derivative along the direction of the run.
    pub tangent: f64,
}

impl Dual {
    /// A value with its tangent.
    pub fn new(value: f64, tangent: f64) -> Dual {
        Dual { value, tangent }
    }

    /// `value` with the tangent `sum of slope * tangent` over operands.
    fn chain(value: f64, operands: &[Dual], slopes: &[f64]) -> Dual {
        let terms = operands.iter().zip(slopes).filter(|(operand, _)| operand.tangent != 0.0);
        Dual { value, tangent: terms.map(|(operand, slope)| operand.tangent * slope).sum() }
    }
}

impl Number for Dual {
    fn constant(value: f64) -> Dual {
        Dual { value, tangent: 0.0 }
    }

    fn real(self) -> Option<f64> {
        Some(self.value)
    }

    fn cast(self, float: Float) -> Dual {
        Dual { value: self.value.cast(float), tangent: self.tangent }
    }

    fn neg(self) -> Dual {
        Dual { value: -self.value, tangent: -self.tangent }
    }

    fn arithmetic(op: BinOp, lhs: Dual, rhs: Dual, float: Float) -> Option<Dual> {
        let (a, b) = (lhs.value, rhs.value);
        let value = f64::arithmetic(op, a, b, float)?;
        let slopes = match op {
            BinOp::Add => [1.0, 1.0],
            BinOp::Sub => [1.0, -1.0],
            BinOp::Mul => [b, a],
            BinOp::Div => [1.0 / b, -a / b / b],
            BinOp::Rem => [1.0, -((a - value) / b).round_ties_even()],
            _ => return None,
        };
        Some(Dual::chain(value, &[lhs, rhs], &slopes))
    }

    fn call(func: Func, args: &[Dual], float: Float) -> Option<Dual> {
        let at = |k: usize| args.get(k).map_or(f64::NAN, |arg| arg.value);
        let values = [at(0), at(1), at(2)];
        let value = func.row().value.of(&values[..args.len()], float)?;
        Some(Dual::chain(value, args, &slopes(func, values)?))
    }

    fn powi(self, exponent: i32, float: Float) -> Option<Dual> {
        let value = Number::powi(self.value, exponent, float)?;
        let n = f64::from(exponent);
        let slope = if exponent == 0 { 0.0 } else { n * self.value.powf(n - 1.0) };
        Some(Dual::chain(value, &[self], &[slope]))
    }
}

/// The partial derivatives of a function at `(x, y, z)`.
fn slopes(func: Func, [x, y, z]: [f64; 3]) -> Option<[f64; 3]> {
    use std::f64::consts::{LN_2, LN_10, PI};
    let one = |slope: f64| Some([slope, 0.0, 0.0]);
    let two = |of_x: f64, of_y: f64| Some([of_x, of_y, 0.0]);
    match func {
        Func::Exp | Func::ExpM1 => one(x.exp()),
        Func::Exp2 => one(LN_2 * x.exp2()),
        Func::Ln => one(1.0 / x),
        Func::Ln1p => one(1.0 / (1.0 + x)),
        Func::Log2 => one(1.0 / (x * LN_2)),
        Func::Log10 => one(1.0 / (x * LN_10)),
        // log(x, y) = ln x / ln y
        Func::Log => two(1.0 / (x * y.ln()), -x.ln() / (y * y.ln() * y.ln())),
        Func::Sqrt => one(0.5 / x.sqrt()),
        Func::Cbrt => one(1.0 / (3.0 * x.cbrt() * x.cbrt())),
        Func::Sin => one(x.cos()),
        Func::Cos => one(-x.sin()),
        Func::Tan => one(1.0 / (x.cos() * x.cos())),
        Func::Asin => one(1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
        Func::Acos => one(-1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
        Func::Atan => one(1.0 / (1.0 + x * x)),
        // atan2(y, x), with the ordinate first
        Func::Atan2 => two(y / (x * x + y * y), -x / (x * x + y * y)),
        Func::Sinh => one(x.cosh()),
        Func::Cosh => one(x.sinh()),
        Func::Tanh => one(1.0 / (x.cosh() * x.cosh())),
        Func::Asinh => one(1.0 / (x * x + 1.0).sqrt()),
        Func::Acosh => one(1.0 / ((x - 1.0).sqrt() * (x + 1.0).sqrt())),
        Func::Atanh => one(1.0 / ((1.0 - x) * (1.0 + x))),
        Func::Powf => {
            let of_x = if y == 0.0 { 0.0 } else { y * x.powf(y - 1.0) };
            let of_y = if x == 0.0 && y > 0.0 { 0.0 } else { x.powf(y) * x.ln() };
            two(of_x, of_y)
        }
        Func::Hypot if x == 0.0 && y == 0.0 => two(0.0, 0.0),
        Func::Hypot => two(x / x.hypot(y), y / x.hypot(y)),
        Func::Recip => one(-1.0 / (x * x)),
        Func::Abs => one(sign(x)),
        Func::Max if x >= y || y.is_nan() => two(1.0, 0.0),
        Func::Min if x <= y || y.is_nan() => two(1.0, 0.0),
        Func::Max | Func::Min => two(0.0, 1.0),
        Func::Clamp if x < y => Some([0.0, 1.0, 0.0]),
        Func::Clamp if x > z => Some([0.0, 0.0, 1.0]),
        Func::Clamp => one(1.0),
        Func::MulAdd => Some([y, x, 1.0]),
        // |x| with the sign of y
        Func::Copysign => one(sign(x) * 1f64.copysign(y)),
        Func::Midpoint => two(0.5, 0.5),
        Func::Fract => one(1.0),
        Func::RemEuclidF => two(1.0, -((x - x.rem_euclid(y)) / y).round_ties_even()),
        Func::ToDegrees => one(180.0 / PI),
        Func::ToRadians => one(PI / 180.0),
        _ => None,
    }
}

/// The slope of `|x|`.
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}
