//! The kernels of singles, in doubles: short polynomials are enough, sums and products need not keep their errors, and
//! no error but that of the last rounding, to single, counts. Functions whose kernel would hardly be shorter are those
//! of doubles.

use super::bits::INTEGER_MAGIC;
use super::polynomial::polynomial;
use super::{Bits, Double, Real, double};

pub(crate) use double::{acosh, asinh, atanh, cbrt, cosh, exp_m1, ln_1p, log2, log10, sinh, tan};

/// `2^x` for any `x`, to 2^-38; what overflows a single does not overflow a double.
#[inline(always)]
pub(crate) fn exp2<D: Double>(x: D) -> D {
    let x = D::splat(-200.0).greater(D::splat(200.0).lesser(x));
    let magic = D::splat(INTEGER_MAGIC);
    let n = (x + magic) - magic;
    let r = x - n;
    let rest = polynomial!(D, r;
        0.6931471805568293, 0.24022650695737272, 0.05550410906354505, 0.009618129183633209, 0.001333347843635321,
        0.00015403436467073783, 1.5303712440960423e-5, 1.3259656033635577e-6);
    rest.mul_add_fast(r, D::splat(1.0)) * n.power_of_two()
}

#[inline(always)]
pub(crate) fn exp<D: Double>(x: D) -> D {
    exp2(x * D::splat(std::f64::consts::LOG2_E))
}

/// `k` and `ln(m)` for `x = 2^k m`, to 2^-44.
#[inline(always)]
fn exponent_and_ln<D: Double>(x: D) -> (D, D) {
    // no single is a subnormal double
    let (k, m) = double::split_normal(x);
    let s = (m - D::splat(1.0)) / (m + D::splat(1.0));
    let z = s * s;
    let rest = polynomial!(D, z;
        0.6666666667578063, 0.3999999562674818, 0.28572108764430176, 0.22176201479415134, 0.19584007665435707);
    (k, (z * s).mul_add_fast(rest, s + s))
}

#[inline(always)]
pub(crate) fn ln<D: Double>(x: D) -> D {
    let (k, ln) = exponent_and_ln(x);
    double::special_logarithms(x, k.mul_add_fast(D::splat(std::f64::consts::LN_2), ln))
}

#[inline(always)]
pub(crate) fn log<D: Double>(x: D, base: D) -> D {
    ln(x) / ln(base)
}

#[inline(always)]
pub(crate) fn pow<D: Double>(x: D, y: D) -> D {
    let (k, ln) = exponent_and_ln(x.abs());
    let log = ln.mul_add_fast(D::splat(std::f64::consts::LOG2_E), k);
    // infinity times the logarithm of 1 would be NaN
    let bounded = D::splat(-1e60).greater(D::splat(1e60).lesser(y));
    double::special_powers(x, y, bounded * log, |exponent, _| exp2(exponent))
}

/// Sine and cosine, to 2^-37.
#[inline(always)]
pub(crate) fn sin_cos<D: Double>(x: D) -> (D, D) {
    let magic = D::splat(INTEGER_MAGIC);
    let shifted = x.mul_add_fast(D::splat(std::f64::consts::FRAC_2_PI), magic);
    let (n, quarters) = (shifted - magic, shifted.to_bits());
    // the first part of pi / 2 has 33 bits: its products are exact, and no single is as near to a multiple as 2^-50
    let r = n.mul_add_fast(D::splat(-1.5707963267341256), x);
    let r = n.mul_add_fast(D::splat(-6.077100506506192e-11), r);
    let z = r * r;
    let sin = polynomial!(D, z; -0.16666666641630565, 0.00833332938556026, -0.00019839334583243747, 2.718308164679353e-6);
    let cos = polynomial!(D, z;
        0.04166666662293226, -0.0013888883760072915, 2.4799521351520783e-5, -2.721032380603817e-7);
    let sin = (z * r).mul_add_fast(sin, r);
    let cos = (z * z).mul_add_fast(cos, z.mul_add_fast(D::splat(-0.5), D::splat(1.0)));
    let odd = D::odd(quarters);
    let (a, b) = (D::select(odd, cos, sin), D::select(odd, sin, cos));
    let a = double::signed(a, quarters);
    let b = double::signed(b, quarters.plus(D::Bits::splat(1)));
    (double::or_std(x, double::zero_or(x, a), f64::sin), double::or_std(x, b, f64::cos))
}

#[inline(always)]
pub(crate) fn sin<D: Double>(x: D) -> D {
    sin_cos(x).0
}

#[inline(always)]
pub(crate) fn cos<D: Double>(x: D) -> D {
    sin_cos(x).1
}

/// `x` where it is tiny, a continued fraction (to 2^-37) where it is small, else by the exponential function.
#[inline(always)]
pub(crate) fn tanh<D: Double>(x: D) -> D {
    let magnitude = x.abs();
    let small = Real::lt(magnitude, D::splat(0.625));
    let z = magnitude * magnitude;
    let above = polynomial!(D, z; -21.066551036647887, -0.9336471993693902);
    let below = polynomial!(D, z; 63.199653113412396, 28.080802557804017, 1.0);
    let bounded = D::splat(10.0).lesser(magnitude);
    let exp = exp(bounded + bounded);
    let above = D::select(small, magnitude * z * above, D::splat(-2.0));
    let below = D::select(small, below, exp + D::splat(1.0));
    let leading = D::select(small, magnitude, D::splat(1.0));
    (leading + above / below).copysign(x)
}

/// `(atan(q) / q - 1) / z` for `z = q^2 <= 1/4`, to 2^-40.
#[inline(always)]
fn atan_rest<D: Double>(z: D) -> D {
    let w = z * z;
    let even = polynomial!(D, w;
        -0.33333333307918167, -0.14285562334757324, -0.09049545716854528, -0.05321829773228735);
    let odd = polynomial!(D, w;
        0.19999996645846474, 0.1110775940357226, 0.07388807043023758, 0.023541103684665114);
    odd.mul_add_fast(z, even)
}

#[inline(always)]
pub(crate) fn atan<D: Double>(x: D) -> D {
    let parts = double::of_tangent(x);
    let rest = atan_rest(parts.square());
    parts.angle(rest, x)
}

#[inline(always)]
pub(crate) fn atan2<D: Double>(y: D, x: D) -> D {
    let parts = double::of_point(y, x);
    let rest = atan_rest(parts.square());
    parts.angle(rest, y)
}

/// `(asin(s) / s - 1) / z` for `z = s^2 <= 1/4`, to 2^-39.
#[inline(always)]
fn asin_rest<D: Double>(z: D) -> D {
    let w = z * z;
    let even = polynomial!(D, w;
        0.16666666627480167, 0.04464071411880366, 0.021866766027132334, 0.001993356416173887);
    let odd = polynomial!(D, w;
        0.07500004965303196, 0.030426411628174964, 0.02064099757150446, 0.03289648130677838);
    odd.mul_add_fast(z, even)
}

#[inline(always)]
pub(crate) fn asin<D: Double>(x: D) -> D {
    let arc = double::arc(x);
    let rest = asin_rest(arc.z);
    arc.asin(rest)
}

#[inline(always)]
pub(crate) fn acos<D: Double>(x: D) -> D {
    let arc = double::arc(x);
    let rest = asin_rest(arc.z);
    arc.acos(rest)
}

/// Squares of singles neither overflow nor round.
#[inline(always)]
pub(crate) fn hypot<D: Double>(x: D, y: D) -> D {
    double::root_of_squares(x, y, x.mul_add_fast(x, y * y).sqrt())
}

/// Plain products of doubles, unless there are so many that even their errors reach a single.
#[inline(always)]
pub(crate) fn powi<D: Double>(x: D, n: i32) -> D {
    match n.unsigned_abs() {
        0 => D::splat(1.0),
        1048576.. => double::powi(x, n),
        power if n < 0 => D::splat(1.0) / double::plain(x, power),
        power => double::plain(x, power),
    }
}
