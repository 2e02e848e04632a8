//! `tanh`.

use super::exp::exp_m1_moderate;
use crate::math::Double;

/// `e / (e + 2)` with `e = exp(2 |x|) - 1`, which cancels nothing.
#[inline(always)]
pub(crate) fn tanh<D: Double>(x: D) -> D {
    // from 22 on it is 1
    let bounded = D::splat(22.0).lesser(x.abs());
    let e = exp_m1_moderate(bounded + bounded);
    (e / (e + D::splat(2.0))).copysign(x)
}
