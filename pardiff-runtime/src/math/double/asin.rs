//! `asin`, `acos`.

use crate::math::polynomial::polynomial;
use crate::math::{Double, Real};

/// A quarter turn: rounded, and the rest.
const QUARTER: [f64; 2] = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17];

/// `(asin(s) / s - 1) / z` for `z = s^2 <= 1/4`; the error is 2^-59.
#[inline(always)]
fn rest<D: Double>(z: D) -> D {
    let w = z * z;
    let even = polynomial!(D, w;
        0.1666666666666676, 0.0446428571746133, 0.022372214988854666, 0.01398082071056174,
        0.010780258237409095, 0.021707492979668976, 0.03262866532263839);
    let odd = polynomial!(D, w;
        0.07499999999970798, 0.030381942707729412, 0.01735161199654225, 0.011398911121239266,
        0.003706389452668378, -0.02099912771212783);
    odd.mul_add_fast(z, even)
}

/// An arc sine of at most a twelfth of a turn.
pub(crate) struct Arc<D: Double> {
    x: D,
    s: D,
    /// The square of `s`.
    pub(crate) z: D,
    /// Whether it is half of what the argument lacks to a quarter turn: `asin(|x|) = pi / 2 - 2 asin(s)`.
    halved: D::Mask,
}

#[inline(always)]
pub(crate) fn arc<D: Double>(x: D) -> Arc<D> {
    let magnitude = x.abs();
    let halved = Real::gt(magnitude, D::splat(0.5));
    // exact where it is halved; beyond one the root is NaN
    let half = magnitude.mul_add_fast(D::splat(-0.5), D::splat(0.5));
    let z = D::select(halved, half, magnitude * magnitude);
    Arc { x, s: D::select(halved, z.sqrt(), magnitude), z, halved }
}

/// `(a + a_low) - (b + b_low)` for `a` zero, or larger than `b`.
#[inline(always)]
fn difference<D: Double>([a, a_low]: [D; 2], [b, b_low]: [D; 2]) -> D {
    let high = a - b;
    high + (((a - high) - b) + (a_low - b_low))
}

impl<D: Double> Arc<D> {
    /// For a polynomial such as `rest` of `z`.
    #[inline(always)]
    pub(crate) fn asin(self, rest: D) -> D {
        let Arc { x, s, z, halved } = self;
        let low = s * z * rest;
        let quarter = [D::splat(QUARTER[0]), D::splat(QUARTER[1])];
        let complement = difference(quarter, [s + s, low + low]);
        D::select(halved, complement, s + low).copysign(x)
    }

    /// The same for the cosine: a quarter turn less the arc sine; twice the arc, or a half turn less that.
    #[inline(always)]
    pub(crate) fn acos(self, rest: D) -> D {
        let Arc { x, s, z, halved } = self;
        let low = s * z * rest;
        let zero = D::splat(0.0);
        let quarters = D::select(Real::lt(x, zero), D::splat(2.0), zero);
        let quarters = D::select(halved, quarters, D::splat(1.0));
        let factor = D::select(halved, D::splat(-2.0), D::splat(1.0)) * D::splat(1.0).copysign(x);
        let from = [quarters * D::splat(QUARTER[0]), quarters * D::splat(QUARTER[1])];
        difference(from, [s * factor, low * factor])
    }
}

#[inline(always)]
pub(crate) fn asin<D: Double>(x: D) -> D {
    let arc = arc(x);
    let rest = rest(arc.z);
    arc.asin(rest)
}

#[inline(always)]
pub(crate) fn acos<D: Double>(x: D) -> D {
    let arc = arc(x);
    let rest = rest(arc.z);
    arc.acos(rest)
}
