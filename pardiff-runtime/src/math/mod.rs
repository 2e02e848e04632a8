//! Elementary functions without branches, for scalars and vectors alike.
//!
//! *Comes in*: a [`Real`], which is a scalar or eight lanes. *Goes out*: the function of every lane. *Guarantees*: at
//! most 2 ulp over the whole range (the table has what was measured, and one exception), special values as std has
//! them, and the same bits in every lane and for a [`Lane`](crate::simd::Lane) of the same level. *Never*: reads a lane
//! to compute another; uses a library call but for angles above 10^6 and, at levels without fused operations, for
//! `pow` and the tangent.
//!
//! The largest error that was found with `f64` in ulp, and nanoseconds an element of an array in cache (Xeon with
//! AVX-512, one thread, Rust 1.95, minima on a shared machine; `cargo bench --bench math` measures yours). Singles are
//! computed in doubles and are off by at most 0.51 ulp (`pow` of the baseline is std's: 0.6).
//!
//! | | ulp | std `f64` | baseline | AVX2 | AVX-512 | std `f32` | AVX2 | AVX-512 |
//! | --- | --- | --- | --- | --- | --- | --- | --- | --- |
//! | `exp` | 1.0 | 4.1 | 2.7 | 1.1 | 0.50 | 2.5 | 0.80 | 0.56 |
//! | `exp2` | 1.1 | 2.8 | 2.5 | 1.0 | 0.54 | 2.4 | 0.74 | 0.53 |
//! | `exp_m1` | 1.1 | 6.8 | 4.4 | 2.0 | 0.88 | 8.1 | 2.3 | 1.0 |
//! | `ln` | 0.8 | 4.0 | 3.9 | 1.8 | 0.98 | 2.9 | 1.2 | 0.79 |
//! | `ln_1p` | 0.8 | 6.1 | 4.7 | 2.3 | 1.4 | 6.7 | 2.5 | 1.6 |
//! | `log2` | 0.8 | 3.9 | 4.4 | 2.1 | 1.2 | 2.6 | 2.1 | 1.3 |
//! | `log10` | 0.7 | 6.8 | 4.3 | 2.1 | 1.2 | 5.5 | 2.2 | 1.4 |
//! | `log` | 1.1 | 6.9 | 9.1 | 4.6 | 3.0 | 4.8 | 2.1 | 1.7 |
//! | `cbrt` | 0.8 | 10 | 4.1 | 2.1 | 1.0 | 3.8 | 2.2 | 1.2 |
//! | `sin` | 0.8 | 6.9 | 6.5 | 1.6 | 0.95 | 3.1 | 1.1 | 0.70 |
//! | `cos` | 0.8 | 7.0 | 5.8 | 1.5 | 0.93 | 3.1 | 1.0 | 0.67 |
//! | `sin_cos` | 0.8 | 9.4 | 7.0 | 1.9 | 1.1 | | | |
//! | `tan` | 0.9 | 7.2 | std | 2.5 | 1.5 | 12 | 2.6 | 1.7 |
//! | `asin` | 1.1 | 4.7 | 3.1 | 1.3 | 0.87 | 3.3 | 1.3 | 0.88 |
//! | `acos` | 1.0 | 5.0 | 3.5 | 1.3 | 0.87 | 3.9 | 1.3 | 0.87 |
//! | `atan` | 0.9 | 4.9 | 3.5 | 1.8 | 0.85 | 4.8 | 1.7 | 0.88 |
//! | `atan2` | 1.4 | 10 | 5.1 | 2.6 | 1.2 | 9.7 | 2.6 | 1.3 |
//! | `sinh` | 0.8 | 9.4 | 3.3 | 1.5 | 0.74 | 10 | 1.6 | 0.87 |
//! | `cosh` | 0.7 | 5.0 | 3.2 | 1.4 | 0.72 | 4.7 | 1.7 | 0.84 |
//! | `tanh` | 1.3 | 11 | 4.2 | 1.9 | 1.1 | 12 | 2.0 | 1.2 |
//! | `asinh` | 1.2 | 18 | 6.1 | 3.8 | 2.5 | 14 | 4.0 | 2.7 |
//! | `acosh` | 1.5 | 5.4 | 5.7 | 3.3 | 2.1 | 3.8 | 3.4 | 2.2 |
//! | `atanh` | 1.4 | 6.9 | 4.0 | 2.2 | 1.3 | 7.1 | 2.3 | 1.4 |
//! | `pow` | 1.0 | 12 | std | 6.3 | 3.5 | 5.5 | 4.0 | 2.2 |
//! | `powi` of 5 | 1.3 | 0.23 | 0.30 | 0.57 | 0.33 | 0.12 | 0.20 | 0.15 |
//! | `powi` of `n = 12` | 1.3 | 3.8 | 3.6 | 0.86 | 0.75 | 3.9 | 0.55 | 0.54 |
//! | `hypot` | 1.2 | 3.9 | 2.0 | 0.88 | 0.87 | 2.2 | 0.86 | 0.86 |
//!
//! The powers 4 to 8 of the baseline are plain products, as std's are, and off by up to 3.5 ulp: without fused operations
//! the exact ones take fifteen times as long.

mod bits;
pub(crate) mod double;
mod elementary;
mod polynomial;
mod real;
pub(crate) mod single;
pub mod special;

pub use bits::{Bits, Double, Single, Word};
pub(crate) use elementary::elementary;
pub use real::Real;
pub use special::*;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($first:ident $(, $rest:ident)*) = $method:ident;)*) => {
        $($(#[$doc])*
        #[cfg_attr(not(unoptimised), inline(always))]
        pub fn $name<R: Real>($first: R $(, $rest: R)*) -> R {
            R::$method($first $(, $rest)*)
        })*
    };
}

functions! {
    /// The exponential function.
    exp(x) = exp;
    /// Two to the power `x`.
    exp2(x) = exp2;
    /// `exp(x) - 1` without cancellation.
    exp_m1(x) = exp_m1;
    /// The natural logarithm.
    ln(x) = ln;
    /// `ln(1 + x)` without cancellation.
    ln_1p(x) = ln_1p;
    /// The logarithm of base 2.
    log2(x) = log2;
    /// The logarithm of base 10.
    log10(x) = log10;
    /// The sine.
    sin(x) = sin;
    /// The cosine.
    cos(x) = cos;
    /// The tangent.
    tan(x) = tan;
    /// The angle of that sine, at most a quarter turn in magnitude; NaN beyond one.
    asin(x) = asin;
    /// The angle of that cosine, from zero to a half turn; NaN beyond one.
    acos(x) = acos;
    /// The angle of that tangent, at most a quarter turn in magnitude.
    atan(x) = atan;
    /// The angle of the point `(x, y)`; all special cases are those of std's `y.atan2(x)`.
    atan2(y, x) = atan2;
    /// The hyperbolic sine.
    sinh(x) = sinh;
    /// The hyperbolic cosine.
    cosh(x) = cosh;
    /// The hyperbolic tangent.
    tanh(x) = tanh;
    /// The inverse of the hyperbolic sine.
    asinh(x) = asinh;
    /// The inverse of the hyperbolic cosine, not negative; NaN below one.
    acosh(x) = acosh;
    /// The inverse of the hyperbolic tangent; NaN beyond one.
    atanh(x) = atanh;
    /// `x` to the power `y`; all special cases are those of `powf`.
    pow(x, y) = pow;
    /// The logarithm of a base, the quotient of natural logarithms.
    log(x, base) = log;
    /// The root of the sum of squares, which does not overflow before the result does.
    hypot(x, y) = hypot;
    /// The cube root.
    cbrt(x) = cbrt;
    /// The square root, correctly rounded.
    sqrt(x) = sqrt;
    /// The absolute value.
    abs(x) = abs;
    /// The largest integer that is not larger.
    floor(x) = floor;
    /// The smallest integer that is not smaller.
    ceil(x) = ceil;
    /// The integer part.
    trunc(x) = trunc;
    /// The nearest integer, ties away from zero.
    round(x) = round;
    /// The nearest integer, ties to even.
    round_ties_even(x) = round_ties_even;
    /// The fractional part, `x - trunc(x)`.
    fract(x) = fract;
    /// 1 or -1 with the sign of `x`; NaN if `x` is.
    signum(x) = signum;
    /// `1 / x`.
    recip(x) = recip;
    /// The larger one; the other one if one is NaN; the first of two that are equal.
    max(a, b) = max;
    /// The smaller one; the other one if one is NaN; the first of two that are equal.
    min(a, b) = min;
    /// The first with the sign of the second.
    copysign(x, sign) = copysign;
    /// `a * b + c`, fused where the level has it, else a product and a sum.
    mul_add(a, b, c) = mul_add_fast;
}

/// `x` to the power `n`.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn powi<R: Real>(x: R, n: i32) -> R {
    x.powi(n)
}

/// Sine and cosine.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn sin_cos<R: Real>(x: R) -> (R, R) {
    x.sin_cos()
}
