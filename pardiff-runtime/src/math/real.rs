//! What the functions are generic over.

use super::elementary;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// A float, or eight of them; every operation is element-wise.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// `f64` or `f32`.
    type Scalar: Copy + 'static;
    /// `bool`, or one bit a lane.
    type Mask: Copy
        + BitAnd<Output = Self::Mask>
        + BitOr<Output = Self::Mask>
        + BitXor<Output = Self::Mask>
        + Not<Output = Self::Mask>
        + 'static;
    /// Whether [`Real::mul_add_fast`] is fused.
    const FMA: bool;

    /// The same value in every lane.
    fn splat(x: Self::Scalar) -> Self;

    /// `self < other`
    fn lt(self, other: Self) -> Self::Mask;

    /// `self <= other`
    fn le(self, other: Self) -> Self::Mask;

    /// `self > other`
    fn gt(self, other: Self) -> Self::Mask;

    /// `self >= other`
    fn ge(self, other: Self) -> Self::Mask;

    /// `self == other`
    fn eq(self, other: Self) -> Self::Mask;

    /// `self != other`
    fn ne(self, other: Self) -> Self::Mask;

    /// `a` where the mask is set, `b` elsewhere.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;

    /// Whether the mask is set somewhere.
    fn any(mask: Self::Mask) -> bool;

    /// `f` of every lane.
    fn map(self, f: impl Fn(Self::Scalar) -> Self::Scalar + Copy) -> Self;

    /// `f` of the lanes of two.
    fn map2(self, other: Self, f: impl Fn(Self::Scalar, Self::Scalar) -> Self::Scalar + Copy) -> Self;

    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;

    /// The absolute value.
    fn abs(self) -> Self;

    /// The largest integer that is not larger.
    fn floor(self) -> Self;

    /// The smallest integer that is not smaller.
    fn ceil(self) -> Self;

    /// The integer part.
    fn trunc(self) -> Self;

    /// The nearest integer, ties away from zero.
    fn round(self) -> Self;

    /// The nearest integer, ties to even.
    fn round_ties_even(self) -> Self;

    /// The larger one; the other one if one is NaN; the first of two that are equal.
    fn max(self, other: Self) -> Self;

    /// The smaller one; the other one if one is NaN; the first of two that are equal.
    fn min(self, other: Self) -> Self;

    /// `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;

    /// `self * b + c`: one operation where [`Real::FMA`], else a product and a sum; never a library call.
    fn mul_add_fast(self, b: Self, c: Self) -> Self;

    /// The fractional part.
    #[inline(always)]
    fn fract(self) -> Self {
        self - self.trunc()
    }

    /// [`exp`](super::exp)
    fn exp(self) -> Self;

    /// [`exp2`](super::exp2)
    fn exp2(self) -> Self;

    /// [`exp_m1`](super::exp_m1)
    fn exp_m1(self) -> Self;

    /// [`ln`](super::ln)
    fn ln(self) -> Self;

    /// [`ln_1p`](super::ln_1p)
    fn ln_1p(self) -> Self;

    /// [`log2`](super::log2)
    fn log2(self) -> Self;

    /// [`log10`](super::log10)
    fn log10(self) -> Self;

    /// [`sin`](super::sin)
    fn sin(self) -> Self;

    /// [`cos`](super::cos)
    fn cos(self) -> Self;

    /// [`sin_cos`](super::sin_cos)
    fn sin_cos(self) -> (Self, Self);

    /// [`tan`](super::tan)
    fn tan(self) -> Self;

    /// [`asin`](super::asin)
    fn asin(self) -> Self;

    /// [`acos`](super::acos)
    fn acos(self) -> Self;

    /// [`atan`](super::atan)
    fn atan(self) -> Self;

    /// [`sinh`](super::sinh)
    fn sinh(self) -> Self;

    /// [`cosh`](super::cosh)
    fn cosh(self) -> Self;

    /// [`tanh`](super::tanh)
    fn tanh(self) -> Self;

    /// [`asinh`](super::asinh)
    fn asinh(self) -> Self;

    /// [`acosh`](super::acosh)
    fn acosh(self) -> Self;

    /// [`atanh`](super::atanh)
    fn atanh(self) -> Self;

    /// [`cbrt`](super::cbrt)
    fn cbrt(self) -> Self;

    /// [`pow`](super::pow)
    fn pow(self, y: Self) -> Self;

    /// [`powi`](super::powi)
    fn powi(self, n: i32) -> Self;

    /// [`log`](super::log)
    fn log(self, base: Self) -> Self;

    /// [`atan2`](super::atan2)
    fn atan2(self, x: Self) -> Self;

    /// [`hypot`](super::hypot)
    fn hypot(self, y: Self) -> Self;

    /// [`recip`](super::recip)
    fn recip(self) -> Self;

    /// [`signum`](super::signum)
    fn signum(self) -> Self;
}

macro_rules! scalar {
    ($float:ident $kind:ident) => {
        impl Real for $float {
            type Scalar = $float;
            type Mask = bool;
            const FMA: bool = false;

            scalar! { comparisons $float lt < le <= gt > ge >= eq == ne != }
            scalar! { unary $float sqrt abs floor ceil trunc round round_ties_even }

            #[inline(always)]
            fn splat(x: $float) -> $float {
                x
            }

            #[inline(always)]
            fn select(mask: bool, a: $float, b: $float) -> $float {
                if mask { a } else { b }
            }

            #[inline(always)]
            fn any(mask: bool) -> bool {
                mask
            }

            #[inline(always)]
            fn map(self, f: impl Fn($float) -> $float + Copy) -> $float {
                f(self)
            }

            #[inline(always)]
            fn map2(self, other: $float, f: impl Fn($float, $float) -> $float + Copy) -> $float {
                f(self, other)
            }

            #[inline(always)]
            fn max(self, other: $float) -> $float {
                if self.is_nan() | (other > self) { other } else { self }
            }

            #[inline(always)]
            fn min(self, other: $float) -> $float {
                if self.is_nan() | (other < self) { other } else { self }
            }

            #[inline(always)]
            fn copysign(self, sign: $float) -> $float {
                $float::copysign(self, sign)
            }

            #[inline(always)]
            fn mul_add_fast(self, b: $float, c: $float) -> $float {
                self * b + c
            }

            elementary! { $kind }
        }
    };
    (comparisons $float:ident $($method:ident $operator:tt)*) => {
        $(#[inline(always)]
        fn $method(self, other: $float) -> bool {
            self $operator other
        })*
    };
    (unary $float:ident $($method:ident)*) => {
        $(#[inline(always)]
        fn $method(self) -> $float {
            $float::$method(self)
        })*
    };
}

scalar! { f64 double }
scalar! { f32 single }
