//! Integer operations, each done by Rust's own operation on the type itself.

#![allow(clippy::unnecessary_cast, reason = "a cast that most types need is idle for one of them")]

use super::fault::{Fault, FaultKind};
use crate::ir::{BinOp, Float, Func, Int, UnOp};

/// Evaluates `$body` with `$t` naming the Rust type of `$int`.
macro_rules! with_int {
    ($int:expr, $t:ident => $body:expr) => {
        with_int!($int, $t => $body; I8 i8, I16 i16, I32 i32, I64 i64, Isize i64, I128 i128,
            U8 u8, U16 u16, U32 u32, U64 u64, Usize u64, U128 u128)
    };
    ($int:expr, $t:ident => $body:expr; $($kind:ident $type:ty),*) => {
        match $int {
            $(Int::$kind => {
                type $t = $type;
                $body
            })*
        }
    };
}

fn overflow(what: &str, int: Int) -> Fault {
    Fault::new(FaultKind::Overflow, format!("`{what}` overflows {}", int.name()))
}

fn division_by_zero() -> Fault {
    Fault::new(FaultKind::DivisionByZero, "division by zero")
}

fn domain(func: Func) -> Fault {
    Fault::new(FaultKind::Domain, format!("`{}` is not defined here", func.text()))
}

/// An arithmetic, bitwise or shift operation.
pub(super) fn binary(op: BinOp, int: Int, a: i128, b: i128) -> Result<i128, Fault> {
    let amount = u32::try_from(b).ok().filter(|&amount| amount < int.bits());
    if matches!(op, BinOp::Div | BinOp::Rem) && b == 0 {
        return Err(division_by_zero());
    }
    let value = with_int!(int, T => {
        let (x, y) = (a as T, b as T);
        match op {
            BinOp::Add => x.checked_add(y).map(|v| v as i128),
            BinOp::Sub => x.checked_sub(y).map(|v| v as i128),
            BinOp::Mul => x.checked_mul(y).map(|v| v as i128),
            BinOp::Div => x.checked_div(y).map(|v| v as i128),
            BinOp::Rem => x.checked_rem(y).map(|v| v as i128),
            BinOp::BitAnd => Some((x & y) as i128),
            BinOp::BitOr => Some((x | y) as i128),
            BinOp::BitXor => Some((x ^ y) as i128),
            BinOp::Shl => amount.map(|amount| (x << amount) as i128),
            BinOp::Shr => amount.map(|amount| (x >> amount) as i128),
            _ => return Err(Fault::unsupported("a comparison gives no integer")),
        }
    });
    value.ok_or_else(|| overflow(op.symbol(), int))
}

/// The order of two integers of one type.
pub(super) fn order(int: Int, a: i128, b: i128) -> std::cmp::Ordering {
    if int == Int::U128 { (a as u128).cmp(&(b as u128)) } else { a.cmp(&b) }
}

/// Negation or complement.
pub(super) fn unary(op: UnOp, int: Int, a: i128) -> Result<i128, Fault> {
    match op {
        UnOp::Neg => {
            with_int!(int, T => (a as T).checked_neg().map(|v| v as i128)).ok_or_else(|| overflow("-", int))
        }
        UnOp::Not => Ok(with_int!(int, T => !(a as T) as i128)),
    }
}

/// `value as int` of an integer.
pub(super) fn cast(value: i128, int: Int) -> i128 {
    with_int!(int, T => value as T as i128)
}

/// `value as int` of a float: truncated, saturated, and 0 for NaN.
pub(super) fn from_float(value: f64, int: Int) -> i128 {
    with_int!(int, T => value as T as i128)
}

/// `value as float` for a `u128` that does not fit `i128`.
pub(super) fn large_to_float(value: u128, float: Float) -> f64 {
    match float {
        Float::F32 => f64::from(value as f32),
        Float::F64 => value as f64,
    }
}

/// A function of integers; a truth value is 0 or 1. `int` is the type of the first operand.
pub(super) fn call(func: Func, int: Int, args: &[i128]) -> Result<i128, Fault> {
    let at = |k: usize| args.get(k).copied().unwrap_or(0);
    let (a, b, c) = (at(0), at(1), at(2));
    let negative = int.is_signed() && a < 0;
    let too_large = || overflow(func.text(), int);
    if matches!(func, Func::IntDivEuclid | Func::IntRemEuclid | Func::DivCeil | Func::NextMultipleOf)
        && b == 0
    {
        return Err(division_by_zero());
    }
    match func {
        // those whose name std has for signed or for unsigned types alone
        Func::IntAbs if negative => return unary(UnOp::Neg, int, a),
        Func::IntAbs => return Ok(a),
        Func::IntSignum => return Ok(a.signum()),
        Func::UnsignedAbs => return Ok(a.unsigned_abs() as i128),
        Func::DivCeil => return Ok((a as u128).div_ceil(b as u128) as i128),
        Func::NextMultipleOf => {
            let value = (a as u128).checked_next_multiple_of(b as u128).map(|value| value as i128);
            return value.filter(|&value| int.holds(value)).ok_or_else(too_large);
        }
        Func::NextPowerOfTwo => {
            let value = (a as u128).checked_next_power_of_two().map(|value| value as i128);
            return value.filter(|&value| int.holds(value)).ok_or_else(too_large);
        }
        Func::Isqrt if negative => return Err(domain(func)),
        Func::Isqrt => return Ok((a as u128).isqrt() as i128),
        Func::IsPowerOfTwo => return Ok(i128::from((a as u128).is_power_of_two())),
        Func::BinomialCheckpoint => return Ok(binomial_checkpoint(a, b)),
        Func::IntClamp if order(int, b, c).is_gt() => return Err(domain(func)),
        _ => {}
    }
    with_int!(int, T => {
        let (x, y, z, amount) = (a as T, b as T, c as T, b as u32);
        Ok(match func {
            Func::IntMin => x.min(y) as i128,
            Func::IntMax => x.max(y) as i128,
            Func::IntClamp => x.clamp(y, z) as i128,
            Func::IntPow => x.checked_pow(amount).ok_or_else(too_large)? as i128,
            Func::AbsDiff => x.abs_diff(y) as i128,
            Func::IntDivEuclid => x.checked_div_euclid(y).ok_or_else(too_large)? as i128,
            Func::IntRemEuclid => x.checked_rem_euclid(y).ok_or_else(too_large)? as i128,
            Func::Ilog2 => i128::from(x.checked_ilog2().ok_or_else(|| domain(func))?),
            Func::WrappingAdd => x.wrapping_add(y) as i128,
            Func::WrappingSub => x.wrapping_sub(y) as i128,
            Func::WrappingMul => x.wrapping_mul(y) as i128,
            Func::WrappingNeg => x.wrapping_neg() as i128,
            Func::WrappingShl => x.wrapping_shl(amount) as i128,
            Func::WrappingShr => x.wrapping_shr(amount) as i128,
            Func::SaturatingAdd => x.saturating_add(y) as i128,
            Func::SaturatingSub => x.saturating_sub(y) as i128,
            Func::SaturatingMul => x.saturating_mul(y) as i128,
            Func::RotateLeft => x.rotate_left(amount) as i128,
            Func::RotateRight => x.rotate_right(amount) as i128,
            Func::ReverseBits => x.reverse_bits() as i128,
            Func::CountOnes => i128::from(x.count_ones()),
            Func::CountZeros => i128::from(x.count_zeros()),
            Func::LeadingZeros => i128::from(x.leading_zeros()),
            Func::TrailingZeros => i128::from(x.trailing_zeros()),
            Func::CheckedAddOk => i128::from(x.checked_add(y).is_some()),
            Func::CheckedSubOk => i128::from(x.checked_sub(y).is_some()),
            Func::CheckedMulOk => i128::from(x.checked_mul(y).is_some()),
            Func::TripCount if x >= y => 0,
            Func::TripCount => {
                let count = (y.abs_diff(x) as u128).div_ceil((c as u128).max(1));
                count.min(u128::from(u64::MAX)) as i128
            }
            _ => return Err(Fault::unsupported(format!("`{}` is no function of integers", func.text()))),
        })
    })
}

/// Behind how many of `steps` the next of `free` states is kept. With `c = free + 1` states, that of the first step
/// included, and the least `r` for which `steps <= C(c + r, c)`, it is the most that leaves `C(c + r - 2, c - 1)`
/// steps.
fn binomial_checkpoint(steps: i128, free: i128) -> i128 {
    if free <= 0 || steps <= 1 {
        return steps.max(1);
    }
    let states = free + 1;
    let (mut repeats, mut fewer, mut reach) = (0, 0, 1);
    while reach < steps {
        repeats += 1;
        (fewer, reach) = (reach, reach * (states + repeats) / repeats);
    }
    fewer.min(steps - fewer * states / (states + repeats - 1))
}
