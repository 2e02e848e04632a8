//! Eight doubles.

use super::{F64x2x4, Mask2x4};
use crate::math::{Bits, Double, Real, elementary};
use crate::simd::{LANES, Mask, Vector, map2};
use std::arch::x86_64::*;
use std::mem::transmute;
use std::ops::Neg;

crate::simd::x86::operators! {
    "sse2" F64x2x4 [0 1 2 3] Add add _mm_add_pd  Sub sub _mm_sub_pd  Mul mul _mm_mul_pd  Div div _mm_div_pd
}

/// The bits of eight doubles.
#[derive(Clone, Copy, Debug)]
pub struct U64x2x4(__m128i, __m128i, __m128i, __m128i);

/// Methods of two vectors, or of one, by the same intrinsic of each register.
macro_rules! per_register {
    ($name:ident -> $result:ident: $($method:ident $intrinsic:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: $name) -> $result {
            // Safety: SSE2 is part of the architecture
            unsafe {
                $result(
                    $intrinsic(self.0, other.0),
                    $intrinsic(self.1, other.1),
                    $intrinsic(self.2, other.2),
                    $intrinsic(self.3, other.3),
                )
            }
        })*
    };
    (one $name:ident -> $result:ident: $method:ident $intrinsic:ident) => {
        #[inline(always)]
        fn $method(self) -> $result {
            // Safety: SSE2 is part of the architecture
            unsafe { $result($intrinsic(self.0), $intrinsic(self.1), $intrinsic(self.2), $intrinsic(self.3)) }
        }
    };
}

macro_rules! shift {
    ($method:ident $intrinsic:ident) => {
        #[inline(always)]
        fn $method<const N: u32>(self) -> U64x2x4 {
            // Safety: SSE2 is part of the architecture
            unsafe {
                let count = _mm_cvtsi32_si128(N as i32);
                U64x2x4(
                    $intrinsic(self.0, count),
                    $intrinsic(self.1, count),
                    $intrinsic(self.2, count),
                    $intrinsic(self.3, count),
                )
            }
        }
    };
}

impl Bits for U64x2x4 {
    per_register! { U64x2x4 -> U64x2x4:
        plus _mm_add_epi64  minus _mm_sub_epi64  and _mm_and_si128  or _mm_or_si128  xor _mm_xor_si128
    }
    shift! { left _mm_sll_epi64 }
    shift! { right _mm_srl_epi64 }

    #[inline(always)]
    fn splat(bits: u64) -> U64x2x4 {
        // Safety: SSE2 is part of the architecture
        let bits = unsafe { _mm_set1_epi64x(bits as i64) };
        U64x2x4(bits, bits, bits, bits)
    }
}

impl F64x2x4 {
    per_register! { F64x2x4 -> F64x2x4:
        raw_max _mm_max_pd  raw_min _mm_min_pd
        and _mm_and_pd  and_not_self _mm_andnot_pd  or _mm_or_pd  xor _mm_xor_pd
    }
}

impl Neg for F64x2x4 {
    type Output = F64x2x4;

    #[inline(always)]
    fn neg(self) -> F64x2x4 {
        self.xor(F64x2x4::splat(-0.0))
    }
}

impl Real for F64x2x4 {
    type Scalar = f64;
    type Mask = Mask2x4;
    const FMA: bool = false;

    per_register! { F64x2x4 -> Mask2x4:
        lt _mm_cmplt_pd  le _mm_cmple_pd  gt _mm_cmpgt_pd  ge _mm_cmpge_pd  eq _mm_cmpeq_pd  ne _mm_cmpneq_pd
    }
    per_register! { one F64x2x4 -> F64x2x4: sqrt _mm_sqrt_pd }

    #[inline(always)]
    fn splat(x: f64) -> F64x2x4 {
        // Safety: SSE2 is part of the architecture
        let x = unsafe { _mm_set1_pd(x) };
        F64x2x4(x, x, x, x)
    }

    #[inline(always)]
    fn select(mask: Mask2x4, a: F64x2x4, b: F64x2x4) -> F64x2x4 {
        let mask = F64x2x4(mask.0, mask.1, mask.2, mask.3);
        mask.and(a).or(mask.and_not_self(b))
    }

    alike! { real F64x2x4 f64 double }
}

impl Vector<f64> for F64x2x4 {
    alike! { vector F64x2x4 f64 }

    #[inline(always)]
    fn transpose(rows: [F64x2x4; LANES]) -> [F64x2x4; LANES] {
        let [a, b, c, d, e, f, g, h] = rows;
        // columns of one register each: the lower halves of its rows, or the higher ones
        macro_rules! column {
            ($unpack:ident $register:tt) => {
                // Safety: SSE2 is part of the architecture
                unsafe {
                    F64x2x4(
                        $unpack(a.$register, b.$register),
                        $unpack(c.$register, d.$register),
                        $unpack(e.$register, f.$register),
                        $unpack(g.$register, h.$register),
                    )
                }
            };
        }
        [
            column!(_mm_unpacklo_pd 0),
            column!(_mm_unpackhi_pd 0),
            column!(_mm_unpacklo_pd 1),
            column!(_mm_unpackhi_pd 1),
            column!(_mm_unpacklo_pd 2),
            column!(_mm_unpackhi_pd 2),
            column!(_mm_unpacklo_pd 3),
            column!(_mm_unpackhi_pd 3),
        ]
    }
}

impl Double for F64x2x4 {
    type Bits = U64x2x4;

    per_register! { one F64x2x4 -> U64x2x4: to_bits _mm_castpd_si128 }

    #[inline(always)]
    fn from_bits(bits: U64x2x4) -> F64x2x4 {
        // Safety: SSE2 is part of the architecture
        unsafe {
            F64x2x4(
                _mm_castsi128_pd(bits.0),
                _mm_castsi128_pd(bits.1),
                _mm_castsi128_pd(bits.2),
                _mm_castsi128_pd(bits.3),
            )
        }
    }

    #[inline(always)]
    fn odd(bits: U64x2x4) -> Mask2x4 {
        // 0 or -1
        let odd = U64x2x4::splat(0).minus(bits.and(U64x2x4::splat(1)));
        Mask2x4::of_integers([odd.0, odd.1, odd.2, odd.3])
    }

    #[inline(always)]
    fn lesser(self, other: F64x2x4) -> F64x2x4 {
        self.raw_min(other)
    }

    #[inline(always)]
    fn greater(self, other: F64x2x4) -> F64x2x4 {
        self.raw_max(other)
    }
}
