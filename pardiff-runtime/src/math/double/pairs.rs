//! Sums and products with their rounding errors; products need the fused operation.

use crate::math::Double;

/// A number as the sum of two: the second is at most about half an ulp of the first.
#[derive(Clone, Copy)]
pub(super) struct Pair<D> {
    pub(super) high: D,
    pub(super) low: D,
}

/// `a + b`, exact where `a` is zero, or not smaller than `b` in magnitude.
#[inline(always)]
pub(super) fn sum<D: Double>(a: D, b: D) -> Pair<D> {
    let high = a + b;
    Pair { high, low: (a - high) + b }
}

/// `a * b`, exact but for underflow and overflow, where the level fuses.
#[inline(always)]
pub(super) fn product<D: Double>(a: D, b: D) -> Pair<D> {
    let high = a * b;
    Pair { high, low: a.mul_add_fast(b, -high) }
}

impl<D: Double> Pair<D> {
    /// The product, but for the product of the low parts.
    #[inline(always)]
    pub(super) fn times(self, other: Pair<D>) -> Pair<D> {
        let Pair { high, low } = product(self.high, other.high);
        Pair { high, low: self.high.mul_add_fast(other.low, self.low.mul_add_fast(other.high, low)) }
    }
}
