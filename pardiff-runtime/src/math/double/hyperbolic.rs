//! `sinh`, `cosh` and the inverses `asinh`, `acosh`, `atanh`.

use super::exp::{Remainder, even, odd, reduce_exactly};
use super::ln::{LN2_HIGH, LN2_LOW, artanh_rest, ln_1p_pair, split_normal};
use super::pairs::{Pair, sum};
use crate::math::{Double, Real};

/// `exp(|x|)` plus or minus `exp(-|x|)`, halved.
///
/// For `|x| = n ln 2 + r`, with `c` and `s` the even and the odd part of `exp(r)` and `u = ± 2^(-2 n)`, this is
/// `2^(n - 1) (c (1 + u) + s (1 - u))`: what cancels for small `x` is exact. The largest two terms, `1 + u` and `r`,
/// are added with their error.
#[inline(always)]
fn halved<D: Double>(x: D, plus: bool) -> D {
    let one = D::splat(1.0);
    // beyond, it is infinite by the scaling itself
    let Remainder { n, r, r_low } = reduce_exactly(D::splat(711.0).lesser(x.abs()));
    // far below an ulp from there on
    let squared = (D::splat(-2.0) * D::splat(100.0).lesser(n)).power_of_two();
    let u = if plus { squared } else { -squared };
    let constant = one + u;
    let Pair { high, low } = sum(constant, r);
    let z = r * r;
    let s = (r * z).mul_add_fast(odd(z), r_low);
    let rest = (one - u).mul_add_fast(s, low - u * r);
    (high + (constant * z).mul_add_fast(even(z), rest)).scale(n - one)
}

#[inline(always)]
pub(crate) fn sinh<D: Double>(x: D) -> D {
    halved(x, false).copysign(x)
}

#[inline(always)]
pub(crate) fn cosh<D: Double>(x: D) -> D {
    halved(x, true)
}

/// From here on, what is added to `2 x` under the logarithm is far below its ulp.
const LARGE: f64 = 1152921504606846976.0; // 2^60

/// `ln(1 + x + x^2 / (1 + sqrt(1 + x^2)))`, of which `x` and the quotient are added with their error.
#[inline(always)]
pub(crate) fn asinh<D: Double>(x: D) -> D {
    let one = D::splat(1.0);
    let magnitude = x.abs();
    let large = Real::gt(magnitude, D::splat(LARGE));
    let a = D::select(large, one, magnitude);
    let square = a * a;
    let root = a.mul_add_fast(a, one).sqrt();
    ln_1p_or_twice(magnitude, large, sum(a, square / (one + root))).copysign(x)
}

/// `ln(1 + d + sqrt(d^2 + 2 d))` for `d = x - 1`, which is exact.
#[inline(always)]
pub(crate) fn acosh<D: Double>(x: D) -> D {
    let one = D::splat(1.0);
    let large = Real::gt(x, D::splat(LARGE));
    let d = D::select(large, one, x - one);
    let root = d.mul_add_fast(d, d + d).sqrt();
    let result = ln_1p_or_twice(x, large, sum(root, d));
    D::select(Real::lt(x, one), D::splat(f64::NAN), result)
}

/// `ln(1 + v)`, but `ln(2 x)` where that is large.
#[inline(always)]
fn ln_1p_or_twice<D: Double>(x: D, large: D::Mask, v: Pair<D>) -> D {
    let zero = D::splat(0.0);
    let v = Pair { high: D::select(large, x, v.high), low: D::select(large, zero, v.low) };
    ln_1p_pair(v, D::select(large, D::splat(1.0), zero))
}

/// With `(1 + x) / (1 - x) = 2^k m` and `s = (m - 1) / (m + 1)`: `k ln(2) / 2 + artanh(s)`; where `k` is 0, `s` is `x`.
#[inline(always)]
pub(crate) fn atanh<D: Double>(x: D) -> D {
    let one = D::splat(1.0);
    let magnitude = x.abs();
    let (k, _) = split_normal((one + magnitude) / (one - magnitude));
    // of 1 and beyond, it is never used
    let (power, inverse) = (k.power_of_two(), (-k).power_of_two());
    // (1 + x) - 2^k (1 - x): in the first form `k = 0` gives `2 x`, in the second no power needs more bits than there are
    let second = Real::gt(k, D::splat(20.0));
    let shift = D::select(second, one, one - inverse);
    let rest = D::select(second, one + magnitude, magnitude);
    let above = power.mul_add_fast(magnitude - shift, rest);
    let below = power.mul_add_fast(one - magnitude, one + magnitude);
    let below = D::select(Real::eq(k, D::splat(0.0)), D::splat(2.0), below);
    let s = above / below;
    let half = D::splat(0.5);
    let low = (s * half).mul_add_fast(artanh_rest(s * s), k * D::splat(0.5 * LN2_LOW));
    let result = k.mul_add_fast(D::splat(0.5 * LN2_HIGH), s + low);
    let result = D::select(Real::eq(magnitude, one), D::splat(f64::INFINITY), result);
    D::select(Real::gt(magnitude, one), D::splat(f64::NAN), result).copysign(x)
}
