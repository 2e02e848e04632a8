//! Vectors of any architecture: arrays, which the compiler may vectorise.

use super::{Isa, LANES, Level, Mask, Vector, map1, map2, zip};
use crate::math::{Bits, Double, Real, Single, elementary};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// Arrays; no fused operations. The baseline of architectures that have no vectors of their own here.
#[derive(Clone, Copy, Debug)]
pub struct Arrays;

impl Isa for Arrays {
    const FMA: bool = false;
    const LEVEL: Level = Level::Baseline;
    type Mask = Bools;
    type F64 = F64s;
    type SumF64 = F64s;
    type F32 = F32s;

    #[inline(always)]
    fn widen(x: F32s) -> F64s {
        F64s(map1(x.0, f64::from))
    }

    #[inline(always)]
    fn narrow(x: F64s) -> F32s {
        F32s(map1(x.0, |x| x as f32))
    }
}

/// Eight bools.
#[derive(Clone, Copy, Debug)]
pub struct Bools([bool; LANES]);

impl Mask for Bools {
    #[inline(always)]
    fn splat(bit: bool) -> Bools {
        Bools([bit; LANES])
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn first(n: usize) -> Bools {
        Bools(map1([0, 1, 2, 3, 4, 5, 6, 7], |lane| lane < n))
    }

    #[inline(always)]
    fn any(self) -> bool {
        u64::from_ne_bytes(map1(self.0, u8::from)) != 0
    }

    #[inline(always)]
    fn all(self) -> bool {
        !(!self).any()
    }

    #[inline(always)]
    fn count(self) -> u32 {
        u64::from_ne_bytes(map1(self.0, u8::from)).count_ones()
    }

    #[inline(always)]
    fn get(self, lane: usize) -> bool {
        self.0[lane]
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn from_array(bits: [bool; LANES]) -> Bools {
        Bools(bits)
    }

    #[inline(always)]
    fn to_array(self) -> [bool; LANES] {
        self.0
    }
}

impl BitAnd for Bools {
    type Output = Bools;

    #[inline(always)]
    fn bitand(self, other: Bools) -> Bools {
        Bools(map2(self.0, other.0, |a, b| a & b))
    }
}

impl BitOr for Bools {
    type Output = Bools;

    #[inline(always)]
    fn bitor(self, other: Bools) -> Bools {
        Bools(map2(self.0, other.0, |a, b| a | b))
    }
}

impl BitXor for Bools {
    type Output = Bools;

    #[inline(always)]
    fn bitxor(self, other: Bools) -> Bools {
        Bools(map2(self.0, other.0, |a, b| a ^ b))
    }
}

impl Not for Bools {
    type Output = Bools;

    #[inline(always)]
    fn not(self) -> Bools {
        Bools(map1(self.0, |a| !a))
    }
}

/// The bits of eight `f64`.
#[derive(Clone, Copy, Debug)]
pub struct U64s([u64; LANES]);

impl Bits for U64s {
    #[inline(always)]
    fn splat(bits: u64) -> U64s {
        U64s([bits; LANES])
    }

    #[inline(always)]
    fn plus(self, other: U64s) -> U64s {
        U64s(map2(self.0, other.0, u64::wrapping_add))
    }

    #[inline(always)]
    fn minus(self, other: U64s) -> U64s {
        U64s(map2(self.0, other.0, u64::wrapping_sub))
    }

    #[inline(always)]
    fn and(self, other: U64s) -> U64s {
        U64s(map2(self.0, other.0, |a, b| a & b))
    }

    #[inline(always)]
    fn or(self, other: U64s) -> U64s {
        U64s(map2(self.0, other.0, |a, b| a | b))
    }

    #[inline(always)]
    fn xor(self, other: U64s) -> U64s {
        U64s(map2(self.0, other.0, |a, b| a ^ b))
    }

    #[inline(always)]
    fn left<const N: u32>(self) -> U64s {
        U64s(map1(self.0, |a| a << N))
    }

    #[inline(always)]
    fn right<const N: u32>(self) -> U64s {
        U64s(map1(self.0, |a| a >> N))
    }
}

macro_rules! vector {
    ($name:ident $float:ident $kind:ident: $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name([$float; LANES]);

        vector! { operators $name Add add  Sub sub  Mul mul  Div div }

        impl Neg for $name {
            type Output = $name;

            #[inline(always)]
            fn neg(self) -> $name {
                $name(map1(self.0, |a| -a))
            }
        }

        impl Real for $name {
            type Scalar = $float;
            type Mask = Bools;
            const FMA: bool = false;

            vector! { comparisons $name lt le gt ge eq ne }
            vector! { unary $name $float sqrt abs floor ceil trunc round round_ties_even }

            #[inline(always)]
            fn splat(x: $float) -> $name {
                $name([x; LANES])
            }

            #[inline(always)]
            fn select(mask: Bools, a: $name, b: $name) -> $name {
                let pairs = map2(a.0, b.0, |a, b| (a, b));
                $name(map2(mask.0, pairs, |active, (a, b)| if active { a } else { b }))
            }

            #[inline(always)]
            fn any(mask: Bools) -> bool {
                mask.any()
            }

            #[inline(always)]
            fn map(self, f: impl Fn($float) -> $float + Copy) -> $name {
                $name(map1(self.0, f))
            }

            #[inline(always)]
            fn map2(self, other: $name, f: impl Fn($float, $float) -> $float + Copy) -> $name {
                $name(map2(self.0, other.0, f))
            }

            #[inline(always)]
            fn max(self, other: $name) -> $name {
                $name(map2(self.0, other.0, <$float as Real>::max))
            }

            #[inline(always)]
            fn min(self, other: $name) -> $name {
                $name(map2(self.0, other.0, <$float as Real>::min))
            }

            #[inline(always)]
            fn copysign(self, sign: $name) -> $name {
                $name(map2(self.0, sign.0, $float::copysign))
            }

            #[inline(always)]
            fn mul_add_fast(self, b: $name, c: $name) -> $name {
                self * b + c
            }

            elementary! { $kind }
        }

        impl Vector<$float> for $name {
            #[cfg_attr(not(unoptimised), inline(always))]
            fn from_array(lanes: [$float; LANES]) -> $name {
                $name(lanes)
            }

            #[inline(always)]
            fn to_array(self) -> [$float; LANES] {
                self.0
            }

            #[inline(always)]
            unsafe fn load(p: *const $float) -> $name {
                // Safety: the caller's promise; an array has the alignment of its elements
                $name(unsafe { p.cast::<[$float; LANES]>().read() })
            }

            #[inline(always)]
            unsafe fn store(self, p: *mut $float) {
                // Safety: the caller's promise; an array has the alignment of its elements
                unsafe { p.cast::<[$float; LANES]>().write(self.0) }
            }

            #[inline(always)]
            unsafe fn load_masked(p: *const $float, mask: Bools) -> $name {
                $name(map2([0, 1, 2, 3, 4, 5, 6, 7], mask.0, |lane, active| {
                    // Safety: the caller's promise, for an active lane; `p` itself may lie outside of the allocation
                    if active { unsafe { p.wrapping_add(lane).read() } } else { 0.0 }
                }))
            }

            #[inline(always)]
            unsafe fn store_masked(self, p: *mut $float, mask: Bools) {
                map2([0, 1, 2, 3, 4, 5, 6, 7], zip(self.0, mask.0), |lane, (value, active)| {
                    if active {
                        // Safety: the caller's promise, for an active lane; `p` itself may lie outside
                        unsafe { p.wrapping_add(lane).write(value) }
                    }
                });
            }

            vector! { in_lane_order $name $float }

            #[inline(always)]
            fn transpose(rows: [$name; LANES]) -> [$name; LANES] {
                map1([0, 1, 2, 3, 4, 5, 6, 7], |column| $name(map1(rows, |row| row.0[column])))
            }
        }
    };
    (operators $name:ident $($operator:ident $method:ident)*) => {
        $(impl $operator for $name {
            type Output = $name;

            #[inline(always)]
            fn $method(self, other: $name) -> $name {
                $name(map2(self.0, other.0, |a, b| a.$method(b)))
            }
        })*
    };
    (comparisons $name:ident $($method:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: $name) -> Bools {
            Bools(map2(self.0, other.0, |a, b| Real::$method(a, b)))
        })*
    };
    (unary $name:ident $float:ident $($method:ident)*) => {
        $(#[inline(always)]
        fn $method(self) -> $name {
            $name(map1(self.0, $float::$method))
        })*
    };
    (in_lane_order $name:ident $float:ident) => {
        #[inline(always)]
        unsafe fn scatter_add(self, base: *mut $float, offsets: [usize; LANES]) {
            // Safety: the caller's promise, for this lane
            $crate::simd::map2(offsets, self.to_array(), |offset, lane| unsafe { *base.add(offset) += lane });
        }

        #[inline(always)]
        unsafe fn scatter_add_masked(self, base: *mut $float, offsets: [usize; LANES], mask: Self::Mask) {
            let lanes = $crate::simd::zip(offsets, self.to_array());
            $crate::simd::map2(lanes, mask.to_array(), |(offset, lane), active| {
                if active {
                    // Safety: the caller's promise, for this active lane
                    unsafe { *base.add(offset) += lane };
                }
            });
        }

        #[inline(always)]
        fn sum(self) -> $float {
            self.fold(|a, b| a + b)
        }

        #[inline(always)]
        fn product(self) -> $float {
            self.fold(|a, b| a * b)
        }

        #[inline(always)]
        fn max_lane(self) -> $float {
            self.fold(<$float as Real>::max)
        }

        #[inline(always)]
        fn min_lane(self) -> $float {
            self.fold(<$float as Real>::min)
        }
    };
}
pub(super) use vector;

vector! { F64s f64 double: "Eight `f64`." }
vector! { F32s f32 single: "Eight `f32`." }

impl Double for F64s {
    type Bits = U64s;

    #[inline(always)]
    fn to_bits(self) -> U64s {
        U64s(map1(self.0, f64::to_bits))
    }

    #[inline(always)]
    fn from_bits(bits: U64s) -> F64s {
        F64s(map1(bits.0, f64::from_bits))
    }

    #[inline(always)]
    fn odd(bits: U64s) -> Bools {
        Bools(map1(bits.0, |a| a & 1 != 0))
    }

    #[inline(always)]
    fn lesser(self, other: F64s) -> F64s {
        F64s(map2(self.0, other.0, Double::lesser))
    }

    #[inline(always)]
    fn greater(self, other: F64s) -> F64s {
        F64s(map2(self.0, other.0, Double::greater))
    }
}

impl Single for F32s {
    type Wide = F64s;

    #[inline(always)]
    fn widen(self) -> F64s {
        Arrays::widen(self)
    }

    #[inline(always)]
    fn narrow(wide: F64s) -> F32s {
        Arrays::narrow(wide)
    }
}
