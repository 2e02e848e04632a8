//! `exp`, `exp2`, `exp_m1`.

use crate::math::bits::INTEGER_MAGIC;
use crate::math::polynomial::polynomial;
use crate::math::{Double, Real};

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// The leading 32 bits of ln 2: products with exponents are exact.
const LN2_HIGH: f64 = 6.931471803691238e-1;
const LN2_LOW: f64 = 1.9082149292705877e-10;

/// `x = n ln 2 + r`, `|r| <= ln(2) / 2`, up to half an ulp of `r`, for `|x| < 2^20`.
#[inline(always)]
fn reduce<D: Double>(x: D) -> (D, D) {
    let n = nearest(x, D::splat(LOG2_E));
    (n, n.mul_add_fast(D::splat(-LN2_LOW), n.mul_add_fast(D::splat(-LN2_HIGH), x)))
}

/// The integer nearest to `x * factor`, or its neighbour where that is close to the middle.
#[inline(always)]
pub(super) fn nearest<D: Double>(x: D, factor: D) -> D {
    let magic = D::splat(INTEGER_MAGIC);
    x.mul_add_fast(factor, magic) - magic
}

/// An argument as `n ln 2 + r + r_low`.
pub(super) struct Remainder<D> {
    pub(super) n: D,
    pub(super) r: D,
    pub(super) r_low: D,
}

/// The same with the error of `r`.
#[inline(always)]
pub(super) fn reduce_exactly<D: Double>(x: D) -> Remainder<D> {
    let n = nearest(x, D::splat(LOG2_E));
    let high = n.mul_add_fast(D::splat(-LN2_HIGH), x);
    let r = n.mul_add_fast(D::splat(-LN2_LOW), high);
    Remainder { n, r, r_low: n.mul_add_fast(D::splat(-LN2_LOW), high - r) }
}

/// `(exp(r) - 1 - r) / r^2` for `|r| <= ln(2) / 2`; the error is 2^-58.
#[inline(always)]
fn tail<D: Double>(r: D) -> D {
    let z = r * r;
    odd(z).mul_add_fast(r, even(z))
}

/// The even part of that, of `z = r^2`.
#[inline(always)]
pub(super) fn even<D: Double>(z: D) -> D {
    polynomial!(D, z;
        0.5000000000000012, 0.04166666666651607, 0.0013888888946871224, 2.4801490074111658e-5, 2.7631237994406954e-7)
}

/// The odd part, divided by `r`.
#[inline(always)]
pub(super) fn odd<D: Double>(z: D) -> D {
    polynomial!(D, z;
        0.166666666666667, 0.00833333333330729, 0.00019841269917225457, 2.755721642294146e-6, 2.5117827212453037e-8)
}

/// `exp(r)` for `|r| <= ln(2) / 2`.
#[inline(always)]
fn near_zero<D: Double>(r: D) -> D {
    D::splat(1.0) + (r * r).mul_add_fast(tail(r), r)
}

/// `x` within bounds; NaN stays.
#[inline(always)]
fn clamp<D: Double>(x: D, low: f64, high: f64) -> D {
    D::splat(low).greater(D::splat(high).lesser(x))
}

#[inline(always)]
pub(crate) fn exp<D: Double>(x: D) -> D {
    // beyond these it is zero and infinite, by the scaling itself
    let (n, r) = reduce(clamp(x, -746.0, 710.0));
    near_zero(r).scale(n)
}

/// `exp(x) - 1` for `0 <= x <= 700`, or NaN: `2^n (exp(r) - 1) + (2^n - 1)`, where the second summand is exact and, but for
/// `n = 0`, the larger one.
#[inline(always)]
pub(super) fn exp_m1_moderate<D: Double>(x: D) -> D {
    let (n, r) = reduce(x);
    let power = n.power_of_two();
    (r * r).mul_add_fast(tail(r), r).mul_add_fast(power, power - D::splat(1.0))
}

/// `2^r` for `|r| <= 1/2`; the error is 2^-57.
#[inline(always)]
pub(super) fn exp2_near_zero<D: Double>(r: D) -> D {
    let z = r * r;
    let even = polynomial!(D, z;
        0.24022650695910097, 0.00961812910760687, 0.00015403530441767492, 1.3215442568946826e-6, 7.07258971535262e-9);
    let odd = polynomial!(D, z;
        0.05550410866482166, 0.001333355814639597, 1.5252733853315154e-5, 1.0178051713333699e-7, 4.4566777125063367e-10);
    let tail = odd.mul_add_fast(r, even);
    D::splat(1.0) + r.mul_add_fast(D::splat(std::f64::consts::LN_2), z * tail)
}

#[inline(always)]
pub(crate) fn exp2<D: Double>(x: D) -> D {
    let x = clamp(x, -1076.0, 1025.0);
    let n = nearest(x, D::splat(1.0));
    exp2_near_zero(x - n).scale(n)
}

#[inline(always)]
pub(crate) fn exp_m1<D: Double>(x: D) -> D {
    let one = D::splat(1.0);
    let bounded = clamp(x, -40.0, 710.0);
    let Remainder { n, r, r_low } = reduce_exactly(bounded);
    // 2^n ((1 - 2^-n) + (exp(r) - 1)), where the sum of its two largest terms keeps its error
    let constant = one - one.scale(-n);
    let sum = constant + r;
    let larger = Real::gt(constant.abs(), r.abs());
    let low = D::select(larger, (constant - sum) + r, (r - sum) + constant);
    let result = (sum + (low + (r * r).mul_add_fast(tail(r), r_low))).scale(n);
    // the sign of zero
    result.copysign(x)
}
