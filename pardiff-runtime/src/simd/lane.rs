//! One lane on its own: scalars that compute as a lane of a level does.

use super::Isa;
use crate::math::{Double, Real, Single, Word, elementary};
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A scalar with the bits of a lane of `S`: its `mul_add_fast` is fused where that of `S` is, which costs one
/// instruction in functions that enable the level, and a library call elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Lane<S, T> {
    value: T,
    level: PhantomData<S>,
}

impl<S: Isa, T: Copy> Lane<S, T> {
    /// The value as a lane.
    #[inline(always)]
    pub fn new(value: T) -> Lane<S, T> {
        Lane { value, level: PhantomData }
    }

    /// The value.
    #[inline(always)]
    pub fn value(self) -> T {
        self.value
    }
}

macro_rules! lane {
    ($float:ident $kind:ident) => {
        lane! { operators $float Add add  Sub sub  Mul mul  Div div }

        impl<S: Isa> Neg for Lane<S, $float> {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                Lane::new(-self.value)
            }
        }

        impl<S: Isa> Real for Lane<S, $float> {
            type Scalar = $float;
            type Mask = bool;
            const FMA: bool = S::FMA;

            lane! { comparisons lt le gt ge eq ne }
            lane! { unary $float sqrt abs floor ceil trunc round round_ties_even }
            lane! { binary max min copysign }

            #[inline(always)]
            fn splat(x: $float) -> Self {
                Lane::new(x)
            }

            #[inline(always)]
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }

            #[inline(always)]
            fn any(mask: bool) -> bool {
                mask
            }

            #[inline(always)]
            fn map(self, f: impl Fn($float) -> $float + Copy) -> Self {
                Lane::new(f(self.value))
            }

            #[inline(always)]
            fn map2(self, other: Self, f: impl Fn($float, $float) -> $float + Copy) -> Self {
                Lane::new(f(self.value, other.value))
            }

            #[inline(always)]
            fn mul_add_fast(self, b: Self, c: Self) -> Self {
                if S::FMA { Lane::new($float::mul_add(self.value, b.value, c.value)) } else { self * b + c }
            }

            elementary! { $kind }
        }
    };
    (operators $float:ident $($operator:ident $method:ident)*) => {
        $(impl<S: Isa> $operator for Lane<S, $float> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lane::new(self.value.$method(other.value))
            }
        })*
    };
    (comparisons $($method:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: Self) -> bool {
            Real::$method(self.value, other.value)
        })*
    };
    (unary $float:ident $($method:ident)*) => {
        $(#[inline(always)]
        fn $method(self) -> Self {
            Lane::new($float::$method(self.value))
        })*
    };
    (binary $($method:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: Self) -> Self {
            Lane::new(Real::$method(self.value, other.value))
        })*
    };
}

lane! { f64 double }
lane! { f32 single }

impl<S: Isa> Double for Lane<S, f64> {
    type Bits = Word;

    #[inline(always)]
    fn to_bits(self) -> Word {
        Word(self.value.to_bits())
    }

    #[inline(always)]
    fn from_bits(bits: Word) -> Self {
        Lane::new(f64::from_bits(bits.0))
    }

    #[inline(always)]
    fn odd(bits: Word) -> bool {
        bits.0 & 1 != 0
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        Lane::new(self.value.lesser(other.value))
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        Lane::new(self.value.greater(other.value))
    }
}

impl<S: Isa> Single for Lane<S, f32> {
    type Wide = Lane<S, f64>;

    #[inline(always)]
    fn widen(self) -> Lane<S, f64> {
        Lane::new(f64::from(self.value))
    }

    #[inline(always)]
    fn narrow(wide: Lane<S, f64>) -> Self {
        Lane::new(wide.value as f32)
    }
}
