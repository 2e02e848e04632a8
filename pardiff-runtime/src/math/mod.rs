//! Elementary functions without branches, for scalars and vectors alike.
//!
//! *Comes in*: a [`Real`], which is a scalar or eight lanes. *Goes out*: the function of every lane. *Guarantees*: at
//! most 2 ulp over the whole range, special values as std has them, and the same bits in every lane and for a
//! [`Lane`](crate::simd::Lane) of the same level. *Never*: reads a lane to compute another; uses a library call except
//! for arguments outside of the range of the reduction.

mod bits;
pub(crate) mod double;
mod elementary;
mod polynomial;
mod real;
pub(crate) mod single;

pub use bits::{Bits, Double, Single, Word};
pub(crate) use elementary::elementary;
pub use real::Real;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($first:ident $(, $rest:ident)*) = $method:ident;)*) => {
        $($(#[$doc])*
        #[inline(always)]
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
    /// The hyperbolic tangent.
    tanh(x) = tanh;
    /// `x` to the power `y`; all special cases are those of `powf`.
    pow(x, y) = pow;
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

/// Sine and cosine.
#[inline(always)]
pub fn sin_cos<R: Real>(x: R) -> (R, R) {
    x.sin_cos()
}
