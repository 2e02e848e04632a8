//! Integer operations against mathematics, over all pairs of 8-bit integers, and against std at wider types.

use crate::ir::interp::{FaultKind, ints};
use crate::ir::{BinOp, Func, Int, Kind, UnOp};
use std::sync::LazyLock;

const ALL_OPERATORS: [BinOp; 10] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
    BinOp::BitAnd,
    BinOp::BitOr,
    BinOp::BitXor,
    BinOp::Shl,
    BinOp::Shr,
];

/// `value` modulo 2^8, as a value of the type.
fn wrap(int: Int, value: i128) -> i128 {
    let value = value.rem_euclid(256);
    if int == Int::I8 && value > 127 { value - 256 } else { value }
}

fn bits(value: i128) -> Vec<bool> {
    (0..8).map(|k| value.rem_euclid(256) >> k & 1 == 1).collect()
}

/// The result where it fits the type.
fn fits(int: Int, value: i128) -> Result<i128, FaultKind> {
    if int.holds(value) { Ok(value) } else { Err(FaultKind::Overflow) }
}

fn operator(op: BinOp, int: Int, a: i128, b: i128) -> Result<i128, FaultKind> {
    let amount = (0..8).contains(&b);
    match op {
        BinOp::Add => fits(int, a + b),
        BinOp::Sub => fits(int, a - b),
        BinOp::Mul => fits(int, a * b),
        BinOp::Div | BinOp::Rem if b == 0 => Err(FaultKind::DivisionByZero),
        BinOp::Div => fits(int, a / b),
        BinOp::Rem => fits(int, a / b).map(|_| a % b),
        BinOp::BitAnd => Ok(a & b),
        BinOp::BitOr => Ok(a | b),
        BinOp::BitXor => Ok(a ^ b),
        BinOp::Shl if amount => Ok(wrap(int, a << b)),
        BinOp::Shr if amount => Ok(a.div_euclid(1 << b)),
        _ => Err(FaultKind::Overflow),
    }
}

fn function(func: Func, int: Int, a: i128, b: i128, c: i128) -> Result<i128, FaultKind> {
    use Func::*;
    let signed = int.is_signed();
    let (min, max) = (int.min(), int.max().unwrap());
    let rotated = |by: i128| {
        let bits = bits(a);
        let turned = (0..8).filter(|k| bits[(k + 8 - by as usize) % 8]).map(|k| 1i128 << k);
        wrap(int, turned.sum())
    };
    let truth = |truth: bool| Ok(i128::from(truth));
    match func {
        IntMin => Ok(a.min(b)),
        IntMax => Ok(a.max(b)),
        IntClamp if b > c => Err(FaultKind::Domain),
        IntClamp => Ok(a.max(b).min(c)),
        IntAbs => fits(int, a.abs()),
        IntSignum => Ok(a.signum()),
        IntPow => match a.checked_pow(b as u32) {
            Some(value) => fits(int, value),
            None => Err(FaultKind::Overflow),
        },
        AbsDiff => Ok((a - b).abs()),
        UnsignedAbs => Ok(a.abs()),
        IntDivEuclid | IntRemEuclid | DivCeil | NextMultipleOf if b == 0 => Err(FaultKind::DivisionByZero),
        IntDivEuclid => fits(int, a.div_euclid(b)),
        IntRemEuclid => fits(int, a.div_euclid(b)).map(|_| a.rem_euclid(b)),
        DivCeil => Ok((a + b - 1) / b),
        NextMultipleOf => fits(int, (a + b - 1) / b * b),
        NextPowerOfTwo => fits(int, (0..9).map(|k| 1 << k).find(|power| *power >= a).unwrap()),
        Isqrt if a < 0 => Err(FaultKind::Domain),
        Isqrt => Ok((0..=a).take_while(|root| root * root <= a).last().unwrap()),
        Ilog2 if a <= 0 => Err(FaultKind::Domain),
        Ilog2 => Ok((0..8).take_while(|k| 1 << k <= a).last().unwrap()),
        WrappingAdd => Ok(wrap(int, a + b)),
        WrappingSub => Ok(wrap(int, a - b)),
        WrappingMul => Ok(wrap(int, a * b)),
        WrappingNeg => Ok(wrap(int, -a)),
        WrappingShl => Ok(wrap(int, a << (b % 8))),
        WrappingShr => Ok(a.div_euclid(1 << (b % 8))),
        SaturatingAdd => Ok((a + b).clamp(min, max)),
        SaturatingSub => Ok((a - b).clamp(min, max)),
        SaturatingMul => Ok((a * b).clamp(min, max)),
        RotateLeft => Ok(rotated(b % 8)),
        RotateRight => Ok(rotated(8 - b % 8)),
        ReverseBits => {
            let bits = bits(a);
            Ok(wrap(int, (0..8).filter(|k| bits[7 - k]).map(|k| 1i128 << k).sum()))
        }
        CountOnes => Ok(bits(a).iter().filter(|bit| **bit).count() as i128),
        CountZeros => Ok(bits(a).iter().filter(|bit| !**bit).count() as i128),
        LeadingZeros => Ok(bits(a).iter().rev().take_while(|bit| !**bit).count() as i128),
        TrailingZeros => Ok(bits(a).iter().take_while(|bit| !**bit).count() as i128),
        IsPowerOfTwo => truth(bits(a).iter().filter(|bit| **bit).count() == 1),
        CheckedAddOk => truth(int.holds(a + b)),
        CheckedSubOk => truth(int.holds(a - b)),
        CheckedMulOk => truth(int.holds(a * b)),
        TripCount => {
            assert!(signed || a >= 0);
            Ok((a..b).step_by(c as usize).count() as i128)
        }
        BinomialCheckpoint => Ok(binomial(a, b)),
        _ => panic!("no reference for `{}`", func.text()),
    }
}

/// The farthest place of the next state with which the fewest steps run again, by dynamic programming.
fn binomial(steps: i128, free: i128) -> i128 {
    const MOST: usize = 256;
    static FEWEST: LazyLock<Vec<Vec<u64>>> = LazyLock::new(|| {
        // one state: all steps before each step, again
        let mut fewest =
            vec![vec![0; MOST], (0..MOST as u64).map(|steps| steps * steps.saturating_sub(1) / 2).collect()];
        for states in 2..=MOST {
            let mut row = vec![0; MOST];
            for steps in 2..MOST {
                let of = |at: usize| at as u64 + row[at] + fewest[states - 1][steps - at];
                row[steps] = (1..steps).map(of).min().unwrap();
            }
            fewest.push(row);
        }
        fewest
    });
    let (steps, states) = (steps as usize, free as usize + 1);
    let of = |at: usize| at as u64 + FEWEST[states][at] + FEWEST[states - 1][steps - at];
    match states > 1 && steps > 1 {
        true => (1..steps).rfind(|&at| of(at) == FEWEST[states][steps]).unwrap() as i128,
        false => steps.max(1) as i128,
    }
}

/// All values of an 8-bit type, thinned out where a third operand is needed.
fn values(int: Int, step: usize) -> impl Iterator<Item = i128> {
    (int.min()..=int.max().unwrap()).step_by(step)
}

#[test]
fn operators_on_all_pairs() {
    for int in [Int::I8, Int::U8] {
        for op in ALL_OPERATORS {
            for a in values(int, 1) {
                for b in values(int, 1) {
                    let value = ints::binary(op, int, a, b).map_err(|fault| fault.kind);
                    assert_eq!(value, operator(op, int, a, b), "{} {a} {} {b}", int.name(), op.symbol());
                }
            }
        }
        for a in values(int, 1) {
            let negative = ints::unary(UnOp::Neg, int, a).map_err(|fault| fault.kind);
            assert_eq!(negative, fits(int, -a));
            assert_eq!(ints::unary(UnOp::Not, int, a).unwrap(), wrap(int, -a - 1));
        }
    }
}

#[test]
fn functions_on_all_pairs() {
    for int in [Int::I8, Int::U8] {
        for &func in Func::ALL.iter().filter(|func| func.kind() == Kind::Int) {
            let signed_only = matches!(func, Func::IntAbs | Func::IntSignum | Func::UnsignedAbs);
            let unsigned_only = matches!(
                func,
                Func::DivCeil
                    | Func::NextMultipleOf
                    | Func::NextPowerOfTwo
                    | Func::IsPowerOfTwo
                    | Func::BinomialCheckpoint
            );
            if signed_only && int == Int::U8 || unsigned_only && int == Int::I8 {
                continue;
            }
            let u32_second =
                func.arity() > 1 && func.operand_ty(1, crate::ir::Ty::Bool) != crate::ir::Ty::Bool;
            let thirds: &[i128] = match func {
                Func::TripCount => &[1, 2, 7, 300],
                Func::IntClamp => &[0, 5, 100],
                _ => &[0],
            };
            for a in values(int, 1) {
                let seconds = if u32_second { values(Int::U8, 3) } else { values(int, 3) };
                for b in seconds.take(if func.arity() == 1 { 1 } else { 256 }) {
                    for &c in thirds {
                        let value = ints::call(func, int, &[a, b, c]).map_err(|fault| fault.kind);
                        let expected = function(func, int, a, b, c);
                        assert_eq!(value, expected, "{} {}({a}, {b}, {c})", int.name(), func.text());
                    }
                }
            }
        }
    }
}

#[test]
fn wide_integers_keep_their_bits() {
    let max = -1; // the bits of u128::MAX
    let add = |a, b| ints::binary(BinOp::Add, Int::U128, a, b);
    assert_eq!(add(max, 1).unwrap_err().kind, FaultKind::Overflow);
    assert_eq!(add(i128::MAX, 1).unwrap(), i128::MIN);
    assert_eq!(ints::binary(BinOp::Div, Int::U128, max, 2).unwrap(), i128::MAX);
    assert_eq!(ints::binary(BinOp::Shr, Int::U128, max, 127).unwrap(), 1);
    assert_eq!(ints::call(Func::Isqrt, Int::U128, &[max]).unwrap(), i128::from(u64::MAX));
    assert_eq!(ints::call(Func::Ilog2, Int::U128, &[max]).unwrap(), 127);
    assert_eq!(ints::call(Func::IntMax, Int::U128, &[max, 3]).unwrap(), max);
    let usize_max = i128::from(u64::MAX);
    assert_eq!(ints::call(Func::WrappingAdd, Int::Usize, &[usize_max, 2]).unwrap(), 1);
    assert_eq!(ints::call(Func::TripCount, Int::I128, &[i128::MIN, i128::MAX, 1]).unwrap(), usize_max);
    assert_eq!(ints::call(Func::TripCount, Int::I32, &[0, 5, 0]).unwrap(), 5);
}
