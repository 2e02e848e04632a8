//! `ln`, `ln_1p`, `log2`, `log10`.

use super::pairs::{Pair, sum};
use crate::math::polynomial::polynomial;
use crate::math::{Bits, Double, Real};

/// The leading 32 bits of ln 2: products with exponents are exact.
pub(super) const LN2_HIGH: f64 = 6.931471803691238e-1;
pub(super) const LN2_LOW: f64 = 1.9082149292705877e-10;
/// The bits of the square root of one half, rounded.
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE_EXPONENT: u64 = 1023 << 52;
const MANTISSA: u64 = (1 << 52) - 1;

/// `x = 2^k m` for `x` positive, finite and normal: `k`, and `m` from the square root of one half to that of two.
#[inline(always)]
pub(crate) fn split_normal<D: Double>(x: D) -> (D, D) {
    let shifted = x.to_bits().minus(D::Bits::splat(SQRT_HALF.wrapping_sub(ONE_EXPONENT)));
    let m = D::from_bits(shifted.and(D::Bits::splat(MANTISSA)).plus(D::Bits::splat(SQRT_HALF)));
    // the biased exponent in the low bits of 2^52
    let biased = D::from_bits(shifted.right::<52>().or(D::Bits::splat(f64::to_bits(TWO_52))));
    (biased - D::splat(TWO_52 + 1023.0), m)
}

const TWO_52: f64 = 4503599627370496.0;

/// `x = 2^k m` for `x` positive and finite.
#[inline(always)]
pub(super) fn split<D: Double>(x: D) -> (D, D) {
    let subnormal = Real::lt(x, D::splat(f64::MIN_POSITIVE));
    let (k, m) = split_normal(D::select(subnormal, x * D::splat(TWO_52 * 4.0), x));
    (k - D::select(subnormal, D::splat(54.0), D::splat(0.0)), m)
}

/// The parts of `ln(1 + f) = f - half_square + s (half_square + rest)`.
struct Parts<D> {
    half_square: D,
    s: D,
    rest: D,
}

/// For `1 + f` from the square root of one half to that of two: with `s = f / (2 + f)`,
/// `ln(1 + f) = 2 s + s rest = f - s f + s rest`. The error is 2^-58.
#[inline(always)]
fn parts<D: Double>(f: D) -> Parts<D> {
    let s = f / (f + D::splat(2.0));
    Parts { half_square: f * f * D::splat(0.5), s, rest: artanh_rest(s * s) }
}

/// `2 artanh(s) / s - 2` of `z = s^2`, for `|s|` up to that of the root of two.
#[inline(always)]
pub(super) fn artanh_rest<D: Double>(z: D) -> D {
    let w = z * z;
    let even =
        polynomial!(D, w; 0.6666666666666734, 0.2857142874213703, 0.18183563594986307, 0.14795863219583436);
    let odd = polynomial!(D, w; 0.39999999999416214, 0.222221985923109, 0.15314063800130143);
    z * odd.mul_add_fast(z, even)
}

/// `result`, but the logarithm of zero, of a negative number, of infinity and of NaN where `x` is one.
#[inline(always)]
pub(crate) fn special_logarithms<D: Double>(x: D, result: D) -> D {
    // infinity and NaN are their own logarithms
    let result = D::select(Real::lt(x, D::splat(f64::INFINITY)), result, x);
    let zero_or_below =
        D::select(Real::eq(x, D::splat(0.0)), D::splat(f64::NEG_INFINITY), D::splat(f64::NAN));
    D::select(Real::le(x, D::splat(0.0)), zero_or_below, result)
}

#[inline(always)]
pub(crate) fn ln<D: Double>(x: D) -> D {
    let (k, m) = split(x);
    let f = m - D::splat(1.0);
    let Parts { half_square, s, rest } = parts(f);
    let low = s.mul_add_fast(half_square + rest, k * D::splat(LN2_LOW));
    special_logarithms(x, k.mul_add_fast(D::splat(LN2_HIGH), f - (half_square - low)))
}

#[inline(always)]
pub(crate) fn ln_1p<D: Double>(x: D) -> D {
    let zero = D::splat(0.0);
    ln_1p_pair(Pair { high: x, low: zero }, zero)
}

/// `ln(1 + x) + extra ln(2)` for the sum of two `x`.
#[inline(always)]
pub(super) fn ln_1p_pair<D: Double>(x: Pair<D>, extra: D) -> D {
    let Pair { high: x, low: x_low } = x;
    let one = D::splat(1.0);
    // 1 + x = u + u_low, exactly
    let u = one + x;
    let part = u - one;
    let u_low = ((one - (u - part)) + (x - part)) + x_low;
    let (k, m) = split_normal(u);
    // x itself where nothing is scaled: the low part would be lost of a small sum
    let unscaled = Real::eq(k, D::splat(0.0));
    let f = D::select(unscaled, x, m - one);
    let scale = D::from_bits(
        D::Bits::splat(2046 << 52).minus((k + D::splat(TWO_52 + 1023.0)).to_bits().left::<52>()),
    );
    // what is large has no use for it, and may have no scale
    let f_low = D::select(Real::gt(k, D::splat(60.0)), D::splat(0.0), u_low * scale);
    let f_low = D::select(unscaled, x_low, f_low);
    let k = k + extra;
    let Parts { half_square, s, rest } = parts(f);
    // f_low / (1 + f), to a few percent: it is less than one ulp
    let correction = f_low * (one - f + f * f);
    let low = s.mul_add_fast(half_square + rest, k.mul_add_fast(D::splat(LN2_LOW), correction));
    let result = special_logarithms(u, k.mul_add_fast(D::splat(LN2_HIGH), f - (half_square - low)));
    // the sign of zero
    D::select(Real::eq(x, D::splat(0.0)), x, result)
}

/// `ln(m) = high + low` for `f = m - 1`: `high` has 21 bits, so that a product with 32 bits is exact.
#[inline(always)]
fn in_two<D: Double>(f: D) -> (D, D) {
    let Parts { half_square, s, rest } = parts(f);
    let high = (f - half_square).to_bits().and(D::Bits::splat(0xffff_ffff_0000_0000));
    let high = D::from_bits(high);
    (high, s.mul_add_fast(half_square + rest, (f - high) - half_square))
}

/// The leading 32 bits of log2(e), and the rest.
const LOG2_E: [f64; 2] = [1.4426950407214463, 1.6751713164886512e-10];
/// The leading 32 bits of log10(e), and the rest.
const LOG10_E: [f64; 2] = [0.4342944818781689, 2.5082946711645275e-11];
/// The leading 40 bits of log10(2), and the rest.
const LOG10_2: [f64; 2] = [0.30102999566361177, 3.694239077158931e-13];

#[inline(always)]
pub(crate) fn log2<D: Double>(x: D) -> D {
    let (k, m) = split(x);
    let (high, low) = in_two(m - D::splat(1.0));
    let result_high = high * D::splat(LOG2_E[0]);
    let result_low = (low + high).mul_add_fast(D::splat(LOG2_E[1]), low * D::splat(LOG2_E[0]));
    let sum = k + result_high;
    special_logarithms(x, sum + (((k - sum) + result_high) + result_low))
}

#[inline(always)]
pub(crate) fn log10<D: Double>(x: D) -> D {
    let (k, m) = split(x);
    let (high, low) = in_two(m - D::splat(1.0));
    let result_high = high * D::splat(LOG10_E[0]);
    let result_low = (low + high).mul_add_fast(D::splat(LOG10_E[1]), low * D::splat(LOG10_E[0]));
    let result_low = k.mul_add_fast(D::splat(LOG10_2[1]), result_low);
    let exponent = k * D::splat(LOG10_2[0]);
    let sum = exponent + result_high;
    special_logarithms(x, sum + (((exponent - sum) + result_high) + result_low))
}

/// `ln(x)` of a positive finite number, as a sum of two.
#[inline(always)]
fn ln_pair<D: Double>(x: D) -> Pair<D> {
    let (k, m) = split(x);
    let (m_high, m_low) = in_two(m - D::splat(1.0));
    let Pair { high, low } = sum(k * D::splat(LN2_HIGH), m_high);
    sum(high, low + k.mul_add_fast(D::splat(LN2_LOW), m_low))
}

/// The quotient of natural logarithms, which are summed up in two parts: else all three roundings would add up.
#[inline(always)]
pub(crate) fn log<D: Double>(x: D, base: D) -> D {
    let (above, below) = (ln_pair(x), ln_pair(base));
    let quotient = special_logarithms(x, above.high) / special_logarithms(base, below.high);
    let correction = (above.low - quotient * below.low) / below.high;
    // of special values there is none, and zero keeps its sign
    let (zero, infinity) = (D::splat(0.0), D::splat(f64::INFINITY));
    let positive = Real::gt(x, zero) & Real::gt(base, zero);
    let finite = Real::lt(x, infinity) & Real::lt(base, infinity) & Real::lt(correction.abs(), infinity);
    let corrected = positive & finite & Real::gt(correction.abs(), zero);
    D::select(corrected, quotient + correction, quotient)
}
