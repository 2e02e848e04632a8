//! Sums and products with their rounding errors.

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

/// `a * b`, exact but for underflow and overflow.
#[inline(always)]
pub(super) fn product<D: Double>(a: D, b: D) -> Pair<D> {
    let high = a * b;
    if D::FMA {
        return Pair { high, low: a.mul_add_fast(b, -high) };
    }
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    Pair { high, low: ((a1 * b1 - high) + a1 * b0 + a0 * b1) + a0 * b0 }
}

/// `c - a * b`, of which the product is exact: `c` is close to it.
#[inline(always)]
pub(super) fn remainder<D: Double>(c: D, a: D, b: D) -> D {
    if D::FMA {
        return (-a).mul_add_fast(b, c);
    }
    let ab = product(a, b);
    (c - ab.high) - ab.low
}

/// A number as the sum of two of 26 bits.
#[inline(always)]
fn halves<D: Double>(a: D) -> (D, D) {
    let c = a * D::splat(134217729.0); // 2^27 + 1
    let high = c - (c - a);
    (high, a - high)
}

impl<D: Double> Pair<D> {
    /// The product, but for the product of the low parts.
    #[inline(always)]
    pub(super) fn times(self, other: Pair<D>) -> Pair<D> {
        let Pair { high, low } = product(self.high, other.high);
        Pair { high, low: self.high.mul_add_fast(other.low, self.low.mul_add_fast(other.high, low)) }
    }
}
