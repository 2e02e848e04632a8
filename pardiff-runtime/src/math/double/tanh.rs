//! `tanh`.

use super::exp::exp_moderate;
use crate::math::polynomial::polynomial;
use crate::math::{Double, Real};

/// Below, `x + x^3 P(x^2) / Q(x^2)`, whose error is 2^-59; above, `1 - 2 / (exp(2 x) + 1)`, which cancels nothing. The
/// two share one division.
#[inline(always)]
pub(crate) fn tanh<D: Double>(x: D) -> D {
    let magnitude = x.abs();
    let small = Real::lt(magnitude, D::splat(0.625));
    let z = magnitude * magnitude;
    let above = polynomial!(D, z; -1613.942987287115, -99.25166036746022, -0.9643850566541033);
    let below = polynomial!(D, z; 4841.828961861345, 2234.486565846902, 112.77261625549109, 1.0);
    // from 22 on it is 1
    let bounded = D::splat(22.0).lesser(magnitude);
    let exp = exp_moderate(bounded + bounded);
    let above = D::select(small, magnitude * z * above, D::splat(-2.0));
    let below = D::select(small, below, exp + D::splat(1.0));
    let leading = D::select(small, magnitude, D::splat(1.0));
    (leading + above / below).copysign(x)
}
