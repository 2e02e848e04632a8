//! `pow`.

use super::exp::{exp2_near_zero, nearest};
use super::ln::split;
use super::pairs::{Pair, product, sum};
use crate::math::polynomial::polynomial;
use crate::math::{Double, Real};

/// Beyond this, two to a power is zero or infinite.
const BOUND: f64 = 1100.0;

#[inline(always)]
pub(crate) fn pow<D: Double>(x: D, y: D) -> D {
    if !D::FMA {
        // products without the fused operation take so long to be exact that std's power is faster
        return x.map2(y, f64::powf);
    }
    // a larger power of anything but 1 is zero or infinite as well
    let large = D::splat(73786976294838206464.0); // 2^66
    let bounded = (-large).greater(large.lesser(y));
    let log = log2_pair(x.abs());
    let Pair { high, low } = product(bounded, log.high);
    let exponent = Pair { high, low: bounded.mul_add_fast(log.low, low) };
    special_powers(x, y, exponent.high, |high, unbounded| {
        let n = nearest(high, D::splat(1.0));
        let low = D::select(unbounded, exponent.low, D::splat(0.0));
        exp2_near_zero((high - n) + low).scale(n)
    })
}

/// The logarithm of base 2 of a positive finite number; its relative error is 2^-63.
#[inline(always)]
fn log2_pair<D: Double>(x: D) -> Pair<D> {
    let (k, m) = split(x);
    let one = D::splat(1.0);
    // s = (m - 1) / (m + 1)
    let f = m - one;
    let below = m + one;
    let below_low = m - (below - one);
    let inverse = one / below;
    let s_high = f * inverse;
    let rest = (-s_high).mul_add_fast(below, f);
    let s = Pair { high: s_high, low: (-s_high).mul_add_fast(below_low, rest) * inverse };
    // log2(m) = 2 / ln(2) * s (1 + z (1/3 + z (1/5 + …)))
    let z = s.times(s);
    let rest = z.high
        * polynomial!(D, z.high;
            0.2000000000000112, 0.14285714285053303, 0.11111111259434439, 0.09090892223222567,
            0.07693377067706035, 0.06628441816006292, 0.06597891171466179);
    let third = sum(D::splat(1.0 / 3.0), rest);
    let third = Pair { high: third.high, low: third.low + D::splat(1.850371707708594e-17) };
    let t = z.times(third);
    let factor = sum(one, t.high);
    let factor = Pair { high: factor.high, low: factor.low + t.low };
    let scale = Pair { high: D::splat(2.8853900817779268), low: D::splat(4.0710547481862066e-17) };
    let log = s.times(factor).times(scale);
    let with_exponent = sum(k, log.high);
    Pair { high: with_exponent.high, low: with_exponent.low + log.low }
}

/// `x^y` for `exponent = y log2(|x|)`, which may be anything where `x` is zero, infinite or NaN. `exp2` gets the
/// bounded exponent and the mask of where it was within bounds.
#[inline(always)]
pub(crate) fn special_powers<D: Double>(x: D, y: D, exponent: D, exp2: impl Fn(D, D::Mask) -> D) -> D {
    let (zero, one, infinity) = (D::splat(0.0), D::splat(1.0), D::splat(f64::INFINITY));
    let magnitude = x.abs();
    let (is_zero, is_infinite) = (Real::eq(x, zero), Real::eq(magnitude, infinity));
    let extreme = infinity.copysign(y);
    let exponent = D::select(is_zero, -extreme, D::select(is_infinite, extreme, exponent));
    // not NaN: that stays
    let outside = Real::gt(exponent.abs(), D::splat(BOUND));
    let exponent = D::select(outside, D::splat(BOUND).copysign(exponent), exponent);
    let power = exp2(exponent, !outside);
    // of a negative number: odd powers are negative, and those that are no integers are NaN
    let whole = y.trunc();
    let half = whole * D::splat(0.5);
    let integer = Real::eq(whole, y);
    let odd = integer & Real::ne(half.trunc(), half);
    let power = D::select(odd, power.copysign(x), power);
    let undefined = Real::lt(x, zero) & Real::lt(magnitude, infinity) & !integer;
    let power = D::select(undefined, D::splat(f64::NAN), power);
    let power = D::select(Real::ne(x, x) | Real::ne(y, y), x + y, power);
    D::select(Real::eq(y, zero) | Real::eq(x, one), one, power)
}
