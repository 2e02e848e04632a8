//! `sin`, `cos`, `tan`.

use super::pairs::{Pair, sum};
use crate::math::bits::INTEGER_MAGIC;
use crate::math::polynomial::polynomial;
use crate::math::{Bits, Double, Real};

/// Larger arguments go to std, lane by lane: below, there are less than 2^20 quarter turns.
const LIMIT: f64 = 1.0e6;

/// An argument as quarter turns and a remainder of at most an eighth turn.
struct Reduced<D: Double> {
    /// The number of quarter turns, in the low bits.
    quarters: D::Bits,
    /// What remains, with twice the bits of a double.
    r: Pair<D>,
}

/// Takes multiples of pi / 2 away. A double below the limit comes as near to a multiple of pi / 2 as 2^-60: so pi / 2
/// is taken in parts of more than 130 bits together, and the remainder keeps all its bits.
#[inline(always)]
fn reduce<D: Double>(x: D) -> Reduced<D> {
    let magic = D::splat(INTEGER_MAGIC);
    let shifted = x.mul_add_fast(D::splat(std::f64::consts::FRAC_2_PI), magic);
    let n = shifted - magic;
    let r = if D::FMA {
        // exact: a multiple of 2^-53 below 1
        let first = (-n).mul_add_fast(D::splat(std::f64::consts::FRAC_PI_2), x);
        // a part of 33 bits: the product is exact, and so is one of the sums
        let product = n * D::splat(6.12323399538461e-17);
        let high = first - product;
        let low = (first - high) - product;
        Pair { high, low: (-n).mul_add_fast(D::splat(3.5215598651832e-27), low) }
    } else {
        // parts of 33 bits, whose products with n are exact
        let first = x - n * D::splat(1.5707963267341256);
        let product = n * D::splat(6.077100506303966e-11);
        let second = first - product;
        let low = (first - second) - product;
        let product = n * D::splat(2.0222662487111665e-21);
        let high = second - product;
        let low = ((second - high) - product) + low;
        Pair { high, low: low - n * D::splat(8.4784276603689e-32) }
    };
    Reduced { quarters: shifted.to_bits(), r }
}

/// Sine and cosine of at most an eighth turn, as sums of two; the errors are 2^-58 and 2^-64.
#[inline(always)]
fn eighth_turn<D: Double>(r: Pair<D>) -> (Pair<D>, Pair<D>) {
    let z = r.high * r.high;
    let sin_rest = polynomial!(D, z;
        -0.16666666666666632, 0.008333333333322427, -0.00019841269829817002, 2.755731369463782e-6,
        -2.505075848936924e-8, 1.5896815098926042e-10);
    let cos_rest = polynomial!(D, z;
        0.0416666666666666, -0.0013888888888874242, 2.4801587289546484e-5, -2.7557314368844513e-7,
        2.0875725303630425e-9, -1.1359744167042306e-11);
    // 1 - z / 2 and its rounding error
    let half = z * D::splat(0.5);
    let leading = D::splat(1.0) - half;
    let error = (D::splat(1.0) - leading) - half;
    // sin(r + low) = sin(r) + low cos(r), cos(r + low) = cos(r) - low sin(r)
    let sin_low = (z * r.high).mul_add_fast(sin_rest, r.low * leading);
    let cos_low = error + (z * z).mul_add_fast(cos_rest, -(r.high * r.low));
    (Pair { high: r.high, low: sin_low }, Pair { high: leading, low: cos_low })
}

/// `a` with its sign changed where bit 1 of the quarters is set.
#[inline(always)]
pub(crate) fn signed<D: Double>(a: D, quarters: D::Bits) -> D {
    D::from_bits(a.to_bits().xor(quarters.right::<1>().left::<63>()))
}

/// `result`, but by std where the argument is too large.
#[inline(always)]
pub(crate) fn or_std<D: Double>(x: D, result: D, std: fn(f64) -> f64) -> D {
    let large = Real::gt(x.abs(), D::splat(LIMIT));
    if D::any(large) { D::select(large, x.map(|x| rarely(std, x)), result) } else { result }
}

#[cold]
#[inline(never)]
fn rarely(std: fn(f64) -> f64, x: f64) -> f64 {
    std(x)
}

#[inline(always)]
pub(crate) fn sin_cos<D: Double>(x: D) -> (D, D) {
    let Reduced { quarters, r } = reduce(x);
    let (s, c) = eighth_turn(r);
    let (s, c) = (s.high + s.low, c.high + c.low);
    let odd = D::odd(quarters);
    let sin = signed(D::select(odd, c, s), quarters);
    let cos = signed(D::select(odd, s, c), quarters.plus(D::Bits::splat(1)));
    (or_std(x, zero_or(x, sin), f64::sin), or_std(x, cos, f64::cos))
}

/// `result`, but zero with the sign of `x` where that is zero.
#[inline(always)]
pub(crate) fn zero_or<D: Double>(x: D, result: D) -> D {
    D::select(Real::eq(x, D::splat(0.0)), x, result)
}

#[inline(always)]
pub(crate) fn sin<D: Double>(x: D) -> D {
    let Reduced { quarters, r } = reduce(x);
    let (s, c) = eighth_turn(r);
    let sin = signed(D::select(D::odd(quarters), c.high + c.low, s.high + s.low), quarters);
    or_std(x, zero_or(x, sin), f64::sin)
}

#[inline(always)]
pub(crate) fn cos<D: Double>(x: D) -> D {
    let Reduced { quarters, r } = reduce(x);
    let (s, c) = eighth_turn(r);
    let cos = D::select(D::odd(quarters), s.high + s.low, c.high + c.low);
    or_std(x, signed(cos, quarters.plus(D::Bits::splat(1))), f64::cos)
}

#[inline(always)]
pub(crate) fn tan<D: Double>(x: D) -> D {
    if !D::FMA {
        // products without the fused operation take so long to be exact that std's tangent is faster
        return x.map(f64::tan);
    }
    let Reduced { quarters, r } = reduce(x);
    let (s, c) = eighth_turn(r);
    let (s, c) = (sum(s.high, s.low), sum(c.high, c.low));
    // a quarter turn further it is minus the cotangent
    let odd = D::odd(quarters);
    let above = Pair { high: D::select(odd, c.high, s.high), low: D::select(odd, c.low, s.low) };
    let below = Pair { high: D::select(odd, s.high, c.high), low: D::select(odd, s.low, c.low) };
    let inverse = D::splat(1.0) / below.high;
    let quotient = above.high * inverse;
    let rest =
        (-quotient).mul_add_fast(below.high, above.high) + (-quotient).mul_add_fast(below.low, above.low);
    let tan = rest.mul_add_fast(inverse, quotient);
    let tan = D::from_bits(tan.to_bits().xor(quarters.left::<63>()));
    or_std(x, zero_or(x, tan), f64::tan)
}
