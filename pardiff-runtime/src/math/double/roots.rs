//! `cbrt`, `hypot`.

use super::exp::nearest;
use super::ln::split;
use crate::math::polynomial::polynomial;
use crate::math::{Bits, Double, Real};

/// The cube root of two, and of one half.
const ROOTS: [f64; 2] = [1.2599210498948732, 0.7937005259840998];

/// For `x = 2^(3 q) m`: a polynomial gives 22 bits of the root of `m`, of which 21 are kept, so that the square is exact
/// and the cube nearly; one step of Halley's method triples their number.
#[inline(always)]
pub(crate) fn cbrt<D: Double>(x: D) -> D {
    let (zero, one) = (D::splat(0.0), D::splat(1.0));
    let magnitude = x.abs();
    let (k, m) = split(magnitude);
    let q = nearest(k, D::splat(1.0 / 3.0));
    let left = k - q * D::splat(3.0);
    let (above, below) = (Real::gt(left, zero), Real::lt(left, zero));
    let root = polynomial!(D, m;
        0.3983518333963423, 1.1970836418000241, -1.1870737664485036, 0.9711561072125375, -0.5149060352394896,
        0.15577318092312156, -0.020385085094345022);
    let root = root * D::select(above, D::splat(ROOTS[0]), D::select(below, D::splat(ROOTS[1]), one));
    let root = D::from_bits(root.to_bits().and(D::Bits::splat(0xffff_ffff_0000_0000)));
    let m = m * D::select(above, D::splat(2.0), D::select(below, D::splat(0.5), one));
    // y + y (m - y^3) / (m + 2 y^3)
    let missing = (-(root * root)).mul_add_fast(root, m);
    let result = (root * missing) / (m * D::splat(3.0) - (missing + missing)) + root;
    let result = (result * q.power_of_two()).copysign(x);
    let ordinary = Real::gt(magnitude, zero) & Real::lt(magnitude, D::splat(f64::INFINITY));
    D::select(ordinary, result, x)
}

/// The root of the sum of squares, scaled such that neither overflows, nor the larger underflows.
#[inline(always)]
pub(crate) fn hypot<D: Double>(x: D, y: D) -> D {
    let (x, y) = (x.abs(), y.abs());
    let larger = x.greater(y);
    let huge = Real::gt(larger, D::splat(TWO_500));
    let tiny = Real::lt(larger, D::splat(1.0 / TWO_500));
    let (one, large, small) = (D::splat(1.0), D::splat(TWO_750), D::splat(1.0 / TWO_750));
    let down = D::select(huge, small, D::select(tiny, large, one));
    let up = D::select(huge, large, D::select(tiny, small, one));
    let (a, b) = (x * down, y * down);
    root_of_squares(x, y, a.mul_add_fast(a, b * b).sqrt() * up)
}

const TWO_500: f64 = 3.273390607896142e150;
const TWO_750: f64 = 5.922386521532856e225;

/// `result`, but infinity where one of the two is infinite, even if the other is NaN.
#[inline(always)]
pub(crate) fn root_of_squares<D: Double>(x: D, y: D, result: D) -> D {
    let infinity = D::splat(f64::INFINITY);
    D::select(Real::eq(x.abs(), infinity) | Real::eq(y.abs(), infinity), infinity, result)
}
