//! AVX-512 F, VL, DQ and BW: one register for eight doubles, half of one for eight singles, a mask register for masks.

mod columns;

use crate::math::{Bits, Double, Real, Single, elementary};
use crate::simd::{Isa, LANES, Level, Mask, Vector};
use columns::{four_columns, two_columns};
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Neg, Not};

/// AVX-512; to be named only where [`level`](crate::simd::level()) said that the machine has it.
#[derive(Clone, Copy, Debug)]
pub struct Avx512;

impl Isa for Avx512 {
    const FMA: bool = true;
    const LEVEL: Level = Level::Avx512;
    type Mask = Mask8;
    type F64 = F64x8;
    type SumF64 = F64x8;
    type F32 = F32x8;

    #[inline(always)]
    fn widen(x: F32x8) -> F64x8 {
        // Safety: AVX-512 was detected
        F64x8(unsafe { _mm512_cvtps_pd(x.0) })
    }

    #[inline(always)]
    fn narrow(x: F64x8) -> F32x8 {
        // Safety: AVX-512 was detected
        F32x8(unsafe { _mm512_cvtpd_ps(x.0) })
    }
}

/// A mask register of eight bits.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Mask8(__mmask8);

impl Mask for Mask8 {
    #[inline(always)]
    fn splat(bit: bool) -> Mask8 {
        Mask8(u8::from(bit).wrapping_neg())
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn first(n: usize) -> Mask8 {
        Mask8(!(!0u32 << if n < LANES { n } else { LANES }) as u8)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn all(self) -> bool {
        self.0 == !0
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.0.count_ones()
    }

    #[inline(always)]
    fn get(self, lane: usize) -> bool {
        debug_assert!(lane < LANES);
        self.0 >> lane & 1 != 0
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn first_active(self) -> usize {
        self.0.trailing_zeros() as usize % LANES
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn from_array(bits: [bool; LANES]) -> Mask8 {
        // Safety: SSE2 is part of the architecture; eight bools are eight bytes
        unsafe {
            let bytes = _mm_cvtsi64_si128(std::mem::transmute::<[bool; LANES], i64>(bits));
            Mask8(_mm_movemask_epi8(_mm_slli_epi64::<7>(bytes)) as u8)
        }
    }

    #[inline(always)]
    fn to_array(self) -> [bool; LANES] {
        super::bits(u32::from(self.0))
    }

    #[inline(always)]
    fn less(a: [usize; LANES], b: [usize; LANES]) -> Mask8 {
        // Safety: AVX-512 was detected
        Mask8(unsafe { _mm512_cmplt_epu64_mask(integers(a), integers(b)) })
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn keep(self, numbers: [usize; LANES]) -> [usize; LANES] {
        // Safety: AVX-512 was detected; eight integers of 64 bits
        let kept: [u64; LANES] =
            unsafe { std::mem::transmute(_mm512_maskz_mov_epi64(self.0, integers(numbers))) };
        super::numbers(kept)
    }
}

/// One by one: as a whole the array would be written to memory and read again at once, which waits for the writes.
#[inline(always)]
fn integers(numbers: [usize; LANES]) -> __m512i {
    let [a, b, c, d, e, f, g, h] = numbers;
    // Safety: AVX-512 was detected
    unsafe {
        _mm512_setr_epi64(a as i64, b as i64, c as i64, d as i64, e as i64, f as i64, g as i64, h as i64)
    }
}

impl BitAnd for Mask8 {
    type Output = Mask8;

    #[inline(always)]
    fn bitand(self, other: Mask8) -> Mask8 {
        Mask8(self.0 & other.0)
    }
}

impl BitOr for Mask8 {
    type Output = Mask8;

    #[inline(always)]
    fn bitor(self, other: Mask8) -> Mask8 {
        Mask8(self.0 | other.0)
    }
}

impl BitXor for Mask8 {
    type Output = Mask8;

    #[inline(always)]
    fn bitxor(self, other: Mask8) -> Mask8 {
        Mask8(self.0 ^ other.0)
    }
}

impl Not for Mask8 {
    type Output = Mask8;

    #[inline(always)]
    fn not(self) -> Mask8 {
        Mask8(!self.0)
    }
}

/// The bits of eight doubles.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct U64x8(__m512i);

impl Bits for U64x8 {
    #[inline(always)]
    fn splat(bits: u64) -> U64x8 {
        // Safety: AVX-512 was detected
        U64x8(unsafe { _mm512_set1_epi64(bits as i64) })
    }

    #[inline(always)]
    fn plus(self, other: U64x8) -> U64x8 {
        // Safety: AVX-512 was detected
        U64x8(unsafe { _mm512_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: U64x8) -> U64x8 {
        // Safety: AVX-512 was detected
        U64x8(unsafe { _mm512_sub_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: U64x8) -> U64x8 {
        // Safety: AVX-512 was detected
        U64x8(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: U64x8) -> U64x8 {
        // Safety: AVX-512 was detected
        U64x8(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: U64x8) -> U64x8 {
        // Safety: AVX-512 was detected
        U64x8(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn left<const N: u32>(self) -> U64x8 {
        // Safety: AVX-512 was detected
        U64x8(unsafe { _mm512_slli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn right<const N: u32>(self) -> U64x8 {
        // Safety: AVX-512 was detected
        U64x8(unsafe { _mm512_srli_epi64::<N>(self.0) })
    }
}

/// The lanes of a vector and of a mask are numbered from the lowest bit.
macro_rules! vector {
    ($name:ident($register:ident, $float:ident) $kind:ident
        $add:ident $sub:ident $mul:ident $div:ident $fma:ident
        $splat:ident $compare:ident $blend:ident $sqrt:ident $min:ident $max:ident $round:ident
        $and:ident $andnot:ident $or:ident $xor:ident
        $load:ident $store:ident $load_masked:ident $store_masked:ident;
        $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name($register);

        crate::simd::x86::operators! { "avx512f" $name [0] Add add $add  Sub sub $sub  Mul mul $mul  Div div $div }

        impl $name {
            #[inline(always)]
            fn raw_max(self, other: $name) -> $name {
                // Safety: AVX-512 was detected
                $name(unsafe { $max(self.0, other.0) })
            }

            #[inline(always)]
            fn raw_min(self, other: $name) -> $name {
                // Safety: AVX-512 was detected
                $name(unsafe { $min(self.0, other.0) })
            }
        }

        impl Neg for $name {
            type Output = $name;

            #[inline(always)]
            fn neg(self) -> $name {
                // Safety: AVX-512 was detected
                $name(unsafe { $xor(self.0, $splat(-0.0)) })
            }
        }

        impl Real for $name {
            type Scalar = $float;
            type Mask = Mask8;
            const FMA: bool = true;

            vector! { comparisons $name $compare
                lt _CMP_LT_OQ  le _CMP_LE_OQ  gt _CMP_GT_OQ  ge _CMP_GE_OQ  eq _CMP_EQ_OQ  ne _CMP_NEQ_UQ }
            vector! { roundings $name $round floor 0x09  ceil 0x0a  trunc 0x0b  round_ties_even 0x08 }

            #[inline(always)]
            fn splat(x: $float) -> $name {
                // Safety: AVX-512 was detected
                $name(unsafe { $splat(x) })
            }

            #[inline(always)]
            fn select(mask: Mask8, a: $name, b: $name) -> $name {
                // Safety: AVX-512 was detected
                $name(unsafe { $blend(mask.0, b.0, a.0) })
            }

            crate::simd::x86::common! { $name $float }

            #[inline(always)]
            fn sqrt(self) -> $name {
                // Safety: AVX-512 was detected
                $name(unsafe { $sqrt(self.0) })
            }

            #[inline(always)]
            fn abs(self) -> $name {
                // Safety: AVX-512 was detected
                $name(unsafe { $andnot($splat(-0.0), self.0) })
            }

            #[inline(always)]
            fn copysign(self, sign: $name) -> $name {
                // Safety: AVX-512 was detected
                $name(unsafe {
                    let bit = $splat(-0.0);
                    $or($andnot(bit, self.0), $and(bit, sign.0))
                })
            }

            #[inline(always)]
            fn mul_add_fast(self, b: $name, c: $name) -> $name {
                // Safety: AVX-512 was detected
                $name(unsafe { $fma(self.0, b.0, c.0) })
            }

            elementary! { $kind }
        }

        impl Vector<$float> for $name {
            #[cfg_attr(not(unoptimised), inline(always))]
            fn from_array(lanes: [$float; LANES]) -> $name {
                // Safety: AVX-512 was detected; the array has eight elements
                $name(unsafe { $load(lanes.as_ptr()) })
            }

            #[inline(always)]
            fn to_array(self) -> [$float; LANES] {
                // Safety: the lanes in order, of any bits
                unsafe { std::mem::transmute(self) }
            }

            #[inline(always)]
            unsafe fn load(p: *const $float) -> $name {
                // Safety: AVX-512 was detected; the caller's promise
                $name(unsafe { $load(p) })
            }

            #[inline(always)]
            unsafe fn store(self, p: *mut $float) {
                // Safety: AVX-512 was detected; the caller's promise
                unsafe { $store(p, self.0) }
            }

            #[inline(always)]
            unsafe fn load_masked(p: *const $float, mask: Mask8) -> $name {
                // Safety: AVX-512 was detected; the caller's promise: inactive lanes are not accessed
                $name(unsafe { $load_masked(mask.0, p) })
            }

            #[inline(always)]
            unsafe fn store_masked(self, p: *mut $float, mask: Mask8) {
                // Safety: AVX-512 was detected; the caller's promise: inactive lanes are not accessed
                unsafe { $store_masked(p, mask.0, self.0) }
            }

            crate::simd::arrays::vector! { in_lane_order $name $float }
            vector! { transpose $float $name }
        }
    };
    (comparisons $name:ident $compare:ident $($method:ident $predicate:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: $name) -> Mask8 {
            // Safety: AVX-512 was detected
            Mask8(unsafe { $compare::<$predicate>(self.0, other.0) })
        })*
    };
    (roundings $name:ident $round:ident $($method:ident $mode:literal)*) => {
        $(#[inline(always)]
        fn $method(self) -> $name {
            // Safety: AVX-512 was detected
            $name(unsafe { $round::<$mode>(self.0) })
        })*
    };
    (transpose f64 $name:ident) => {
        #[inline(always)]
        fn transpose(rows: [$name; LANES]) -> [$name; LANES] {
            let [a, b, c, d, e, f, g, h] = rows;
            // Safety: AVX-512 was detected
            unsafe {
                // pairs of rows: even columns, odd columns
                let (ab0, ab1) = (_mm512_unpacklo_pd(a.0, b.0), _mm512_unpackhi_pd(a.0, b.0));
                let (cd0, cd1) = (_mm512_unpacklo_pd(c.0, d.0), _mm512_unpackhi_pd(c.0, d.0));
                let (ef0, ef1) = (_mm512_unpacklo_pd(e.0, f.0), _mm512_unpackhi_pd(e.0, f.0));
                let (gh0, gh1) = (_mm512_unpacklo_pd(g.0, h.0), _mm512_unpackhi_pd(g.0, h.0));
                let (p04, q04) = (even(ab0, cd0), even(ef0, gh0));
                let (p26, q26) = (odd(ab0, cd0), odd(ef0, gh0));
                let (p15, q15) = (even(ab1, cd1), even(ef1, gh1));
                let (p37, q37) = (odd(ab1, cd1), odd(ef1, gh1));
                [
                    $name(even(p04, q04)),
                    $name(even(p15, q15)),
                    $name(even(p26, q26)),
                    $name(even(p37, q37)),
                    $name(odd(p04, q04)),
                    $name(odd(p15, q15)),
                    $name(odd(p26, q26)),
                    $name(odd(p37, q37)),
                ]
            }
        }

        /// No masks: a load under one takes hundreds of cycles where what it leaves out is on a page that is not there, and
        /// the first row of an array may be at the start of a page. An odd column is read with its neighbour on the left.
        #[inline(always)]
        unsafe fn load_rows<const R: usize>(rows: [*const f64; LANES]) -> [$name; R] {
            // Safety: AVX-512 was detected; the caller's promise: `first + width <= R` elements of each row are read
            unsafe {
                if R == 1 {
                    let ones = $name::from_array(crate::simd::map1(rows, |row| row.read()));
                    return [ones; R];
                }
                let mut columns = [$name(_mm512_setzero_pd()); R];
                let mut next = 0;
                while next < R {
                    let width = if R - next >= 4 { 4 } else { 2 };
                    let first = if next + width <= R { next } else { R - width };
                    let part = if width == 4 {
                        four_columns(crate::simd::map1(rows, |row| row.add(first)))
                    } else {
                        let [left, right] = two_columns(crate::simd::map1(rows, |row| row.add(first)));
                        [left, right, right, right]
                    };
                    let mut column = next;
                    while column < first + width {
                        columns[column] = $name(part[column - first]);
                        column += 1;
                    }
                    next = first + width;
                }
                columns
            }
        }
    };
    (transpose f32 $name:ident) => {
        #[inline(always)]
        fn transpose(rows: [$name; LANES]) -> [$name; LANES] {
            // Safety: AVX-512 was detected, so AVX is there
            unsafe {
                let [a, b, c, d, e, f, g, h] = rows;
                let columns = super::transpose_singles([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]);
                let [a, b, c, d, e, f, g, h] = columns;
                [$name(a), $name(b), $name(c), $name(d), $name(e), $name(f), $name(g), $name(h)]
            }
        }
    };
}

vector! {
    F64x8(__m512d, f64) double
    _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_fmadd_pd
    _mm512_set1_pd _mm512_cmp_pd_mask _mm512_mask_blend_pd _mm512_sqrt_pd _mm512_min_pd _mm512_max_pd
    _mm512_roundscale_pd
    _mm512_and_pd _mm512_andnot_pd _mm512_or_pd _mm512_xor_pd
    _mm512_loadu_pd _mm512_storeu_pd _mm512_maskz_loadu_pd _mm512_mask_storeu_pd;
    "Eight `f64` in one register."
}

vector! {
    F32x8(__m256, f32) single
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_fmadd_ps
    _mm256_set1_ps _mm256_cmp_ps_mask _mm256_mask_blend_ps _mm256_sqrt_ps _mm256_min_ps _mm256_max_ps
    _mm256_roundscale_ps
    _mm256_and_ps _mm256_andnot_ps _mm256_or_ps _mm256_xor_ps
    _mm256_loadu_ps _mm256_storeu_ps _mm256_maskz_loadu_ps _mm256_mask_storeu_ps;
    "Eight `f32` in one register."
}

impl Double for F64x8 {
    type Bits = U64x8;

    #[inline(always)]
    fn to_bits(self) -> U64x8 {
        // Safety: AVX-512 was detected
        U64x8(unsafe { _mm512_castpd_si512(self.0) })
    }

    #[inline(always)]
    fn from_bits(bits: U64x8) -> F64x8 {
        // Safety: AVX-512 was detected
        F64x8(unsafe { _mm512_castsi512_pd(bits.0) })
    }

    #[inline(always)]
    fn odd(bits: U64x8) -> Mask8 {
        // Safety: AVX-512 was detected
        Mask8(unsafe { _mm512_test_epi64_mask(bits.0, _mm512_set1_epi64(1)) })
    }

    #[inline(always)]
    fn power_of_two(self) -> F64x8 {
        F64x8::splat(1.0).scale(self)
    }

    #[inline(always)]
    fn lesser(self, other: F64x8) -> F64x8 {
        // Safety: AVX-512 was detected
        F64x8(unsafe { _mm512_min_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn greater(self, other: F64x8) -> F64x8 {
        // Safety: AVX-512 was detected
        F64x8(unsafe { _mm512_max_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn scale(self, n: F64x8) -> F64x8 {
        // Safety: AVX-512 was detected
        F64x8(unsafe { _mm512_scalef_pd(self.0, n.0) })
    }
}

impl Single for F32x8 {
    type Wide = F64x8;

    #[inline(always)]
    fn widen(self) -> F64x8 {
        Avx512::widen(self)
    }

    #[inline(always)]
    fn narrow(wide: F64x8) -> F32x8 {
        Avx512::narrow(wide)
    }
}

/// Of the four blocks of two lanes: blocks 0 and 2 of both.
///
/// # Safety
///
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn even(x: __m512d, y: __m512d) -> __m512d {
    // Safety: the caller's promise
    unsafe { _mm512_shuffle_f64x2::<0b10_00_10_00>(x, y) }
}

/// Of the four blocks of two lanes: blocks 1 and 3 of both.
///
/// # Safety
///
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn odd(x: __m512d, y: __m512d) -> __m512d {
    // Safety: the caller's promise
    unsafe { _mm512_shuffle_f64x2::<0b11_01_11_01>(x, y) }
}
