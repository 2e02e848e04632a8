//! Integers modulo a prime in place of floats: programs of `+ - *` are computed exactly, so that a
//! transformation of sums has to give equal results, not close ones.

use super::Number;
use crate::ir::{BinOp, Float, Func};

/// An integer modulo 2^61 - 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModPrime(u64);

impl ModPrime {
    /// The prime.
    pub const PRIME: u64 = (1 << 61) - 1;

    /// The residue of an integer.
    pub fn new(value: i128) -> ModPrime {
        ModPrime(value.rem_euclid(i128::from(ModPrime::PRIME)) as u64)
    }

    /// The residue, below the prime.
    pub fn residue(self) -> u64 {
        self.0
    }

    fn add(self, rhs: ModPrime) -> ModPrime {
        ModPrime((self.0 + rhs.0) % ModPrime::PRIME)
    }

    fn mul(self, rhs: ModPrime) -> ModPrime {
        ModPrime((u128::from(self.0) * u128::from(rhs.0) % u128::from(ModPrime::PRIME)) as u64)
    }
}

impl Number for ModPrime {
    /// Every finite float is an integer times a power of two, and 2 has an inverse: 2^61 = 1. What is not finite
    /// becomes 0.
    fn constant(value: f64) -> ModPrime {
        if value == 0.0 || !value.is_finite() {
            return ModPrime(0);
        }
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let fraction = (bits & ((1 << 52) - 1)) as i128;
        let (mantissa, exponent) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let mantissa = if value < 0.0 { -mantissa } else { mantissa };
        ModPrime::new(mantissa).mul(ModPrime(1 << exponent.rem_euclid(61)))
    }

    fn from_int(value: i128, _: Float) -> ModPrime {
        ModPrime::new(value)
    }

    fn real(self) -> Option<f64> {
        None
    }

    fn cast(self, _: Float) -> ModPrime {
        self
    }

    fn neg(self) -> ModPrime {
        ModPrime((ModPrime::PRIME - self.0) % ModPrime::PRIME)
    }

    fn arithmetic(op: BinOp, lhs: ModPrime, rhs: ModPrime, _: Float) -> Option<ModPrime> {
        match op {
            BinOp::Add => Some(lhs.add(rhs)),
            BinOp::Sub => Some(lhs.add(rhs.neg())),
            BinOp::Mul => Some(lhs.mul(rhs)),
            _ => None,
        }
    }

    fn call(func: Func, args: &[ModPrime], _: Float) -> Option<ModPrime> {
        match (func, args) {
            (Func::MulAdd, [a, b, c]) => Some(a.mul(*b).add(*c)),
            _ => None,
        }
    }

    fn powi(self, _: i32, _: Float) -> Option<ModPrime> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_exact() {
        assert_eq!(ModPrime::constant(-3.0), ModPrime::new(-3));
        assert_eq!(ModPrime::constant(0.0), ModPrime::new(0));
        for value in [0.5, 0.375, 1e300, -1e-300, 5e-324] {
            let half = ModPrime::constant(value / 2.0);
            if value / 2.0 * 2.0 == value {
                assert_eq!(half.add(half), ModPrime::constant(value), "{value}");
            }
        }
        let three_eighths = ModPrime::constant(0.375);
        assert_eq!(three_eighths.mul(ModPrime::new(8)), ModPrime::new(3));
    }

    #[test]
    fn arithmetic_is_a_ring() {
        let (a, b, c) = (ModPrime::constant(1e17), ModPrime::new(-7), ModPrime::new(i128::MAX));
        assert_eq!(a.mul(b.add(c)), a.mul(b).add(a.mul(c)));
        assert_eq!(a.add(a.neg()), ModPrime::new(0));
        assert_eq!(ModPrime::new(0).neg(), ModPrime::new(0));
        let sub = ModPrime::arithmetic(BinOp::Sub, b, c, Float::F64);
        assert_eq!(sub, Some(b.add(c.neg())));
        assert_eq!(ModPrime::arithmetic(BinOp::Div, b, c, Float::F64), None);
    }
}
