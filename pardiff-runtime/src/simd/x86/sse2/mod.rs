//! SSE2, which is part of the architecture: four registers for eight doubles, two for eight singles, masks as wide as
//! doubles. Nothing is fused. Its intrinsics may be called anywhere; what makes their calls `unsafe` here is that most
//! of them are so by declaration.

use crate::simd::{Isa, LANES, Level, Mask};
use std::arch::x86_64::*;
use std::mem::transmute;

/// What every machine of the architecture has.
#[derive(Clone, Copy, Debug)]
pub struct Sse2;

impl Isa for Sse2 {
    const FMA: bool = false;
    const LEVEL: Level = Level::Baseline;
    type Mask = Mask2x4;
    type F64 = F64x2x4;
    type SumF64 = F64x2x4;
    type F32 = F32x4x2;

    #[inline(always)]
    fn widen(x: F32x4x2) -> F64x2x4 {
        // Safety: SSE2 is part of the architecture
        unsafe {
            F64x2x4(
                _mm_cvtps_pd(x.0),
                _mm_cvtps_pd(_mm_movehl_ps(x.0, x.0)),
                _mm_cvtps_pd(x.1),
                _mm_cvtps_pd(_mm_movehl_ps(x.1, x.1)),
            )
        }
    }

    #[inline(always)]
    fn narrow(x: F64x2x4) -> F32x4x2 {
        // Safety: SSE2 is part of the architecture
        unsafe {
            F32x4x2(
                _mm_movelh_ps(_mm_cvtpd_ps(x.0), _mm_cvtpd_ps(x.1)),
                _mm_movelh_ps(_mm_cvtpd_ps(x.2), _mm_cvtpd_ps(x.3)),
            )
        }
    }
}

/// All of the 64 bits of a lane are its bit; two lanes in each register.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Mask2x4(__m128d, __m128d, __m128d, __m128d);

impl Mask2x4 {
    /// From masks of singles.
    #[inline(always)]
    fn of_singles(low: __m128, high: __m128) -> Mask2x4 {
        // Safety: SSE2 is part of the architecture
        unsafe {
            Mask2x4(
                _mm_castps_pd(_mm_unpacklo_ps(low, low)),
                _mm_castps_pd(_mm_unpackhi_ps(low, low)),
                _mm_castps_pd(_mm_unpacklo_ps(high, high)),
                _mm_castps_pd(_mm_unpackhi_ps(high, high)),
            )
        }
    }

    /// As masks of singles.
    #[inline(always)]
    fn singles(self) -> (__m128, __m128) {
        // Safety: SSE2 is part of the architecture
        unsafe {
            (
                _mm_shuffle_ps::<0b10_00_10_00>(_mm_castpd_ps(self.0), _mm_castpd_ps(self.1)),
                _mm_shuffle_ps::<0b10_00_10_00>(_mm_castpd_ps(self.2), _mm_castpd_ps(self.3)),
            )
        }
    }

    /// One bit a lane.
    #[inline(always)]
    fn bits(self) -> u32 {
        let (low, high) = self.singles();
        // Safety: SSE2 is part of the architecture
        unsafe { (_mm_movemask_ps(low) | _mm_movemask_ps(high) << 4) as u32 }
    }

    /// From integers of 64 bits that are 0 or -1.
    #[inline(always)]
    fn of_integers(integers: [__m128i; 4]) -> Mask2x4 {
        let [a, b, c, d] = integers;
        // Safety: SSE2 is part of the architecture
        unsafe { Mask2x4(_mm_castsi128_pd(a), _mm_castsi128_pd(b), _mm_castsi128_pd(c), _mm_castsi128_pd(d)) }
    }
}

/// `a < b` of two times two unsigned integers: SSE2 compares none of 64 bits.
#[inline(always)]
fn below(a: __m128i, b: __m128i) -> __m128i {
    // Safety: SSE2 is part of the architecture
    unsafe {
        // what the difference borrows, in its highest bit, which then fills the lane
        let same = _mm_andnot_si128(_mm_xor_si128(a, b), _mm_sub_epi64(a, b));
        let borrowed = _mm_or_si128(_mm_andnot_si128(a, b), same);
        _mm_srai_epi32::<31>(_mm_shuffle_epi32::<0b11_11_01_01>(borrowed))
    }
}

impl Mask for Mask2x4 {
    #[inline(always)]
    fn splat(bit: bool) -> Mask2x4 {
        // Safety: SSE2 is part of the architecture
        let lanes = unsafe { _mm_set1_epi64x(-i64::from(bit)) };
        Mask2x4::of_integers([lanes, lanes, lanes, lanes])
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn first(n: usize) -> Mask2x4 {
        let n = if n < LANES { n as i32 } else { LANES as i32 };
        // Safety: SSE2 is part of the architecture
        unsafe {
            // either half of a lane
            let n = _mm_set1_epi32(n);
            Mask2x4::of_integers([
                _mm_cmpgt_epi32(n, _mm_setr_epi32(0, 0, 1, 1)),
                _mm_cmpgt_epi32(n, _mm_setr_epi32(2, 2, 3, 3)),
                _mm_cmpgt_epi32(n, _mm_setr_epi32(4, 4, 5, 5)),
                _mm_cmpgt_epi32(n, _mm_setr_epi32(6, 6, 7, 7)),
            ])
        }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // Safety: SSE2 is part of the architecture
        unsafe { _mm_movemask_pd(_mm_or_pd(_mm_or_pd(self.0, self.1), _mm_or_pd(self.2, self.3))) != 0 }
    }

    #[inline(always)]
    fn all(self) -> bool {
        // Safety: SSE2 is part of the architecture
        unsafe { _mm_movemask_pd(_mm_and_pd(_mm_and_pd(self.0, self.1), _mm_and_pd(self.2, self.3))) == 0b11 }
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.bits().count_ones()
    }

    #[inline(always)]
    fn get(self, lane: usize) -> bool {
        debug_assert!(lane < LANES);
        self.bits() >> lane & 1 != 0
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn first_active(self) -> usize {
        self.bits().trailing_zeros() as usize % LANES
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn from_array(bits: [bool; LANES]) -> Mask2x4 {
        // Safety: SSE2 is part of the architecture; eight bools are eight bytes
        unsafe {
            let bytes = _mm_cvtsi64_si128(transmute::<[bool; LANES], i64>(bits));
            let bytes = _mm_sub_epi8(_mm_setzero_si128(), bytes);
            let words = _mm_unpacklo_epi8(bytes, bytes);
            let (low, high) = (_mm_unpacklo_epi16(words, words), _mm_unpackhi_epi16(words, words));
            Mask2x4::of_singles(_mm_castsi128_ps(low), _mm_castsi128_ps(high))
        }
    }

    #[inline(always)]
    fn to_array(self) -> [bool; LANES] {
        let (low, high) = self.singles();
        // Safety: SSE2 is part of the architecture; each of the eight bytes is 0 or 1
        unsafe {
            let words = _mm_packs_epi32(_mm_castps_si128(low), _mm_castps_si128(high));
            let bytes = _mm_cvtsi128_si64(_mm_packs_epi16(words, words));
            transmute::<i64, [bool; LANES]>(bytes & 0x0101_0101_0101_0101)
        }
    }

    #[inline(always)]
    fn less(a: [usize; LANES], b: [usize; LANES]) -> Mask2x4 {
        let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (integers(a), integers(b));
        Mask2x4::of_integers([below(a0, b0), below(a1, b1), below(a2, b2), below(a3, b3)])
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn keep(self, numbers: [usize; LANES]) -> [usize; LANES] {
        // Safety: four times two integers of 64 bits, of any bits
        let kept: [u64; LANES] =
            unsafe { transmute(self & transmute::<[__m128i; 4], Mask2x4>(integers(numbers))) };
        crate::simd::x86::numbers(kept)
    }
}

/// One by one: as a whole the array would be written to memory and read again at once, which waits for the writes.
#[inline(always)]
fn integers(numbers: [usize; LANES]) -> [__m128i; 4] {
    let [a, b, c, d, e, f, g, h] = numbers;
    // Safety: SSE2 is part of the architecture; the higher half comes first
    unsafe {
        [
            _mm_set_epi64x(b as i64, a as i64),
            _mm_set_epi64x(d as i64, c as i64),
            _mm_set_epi64x(f as i64, e as i64),
            _mm_set_epi64x(h as i64, g as i64),
        ]
    }
}

crate::simd::x86::mask_operators! { "sse2" Mask2x4 [0 1 2 3] _mm_and_pd _mm_or_pd _mm_xor_pd }

/// Eight `f64` in four registers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct F64x2x4(__m128d, __m128d, __m128d, __m128d);

/// Eight `f32` in two registers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct F32x4x2(__m128, __m128);

/// What is written alike for doubles and for singles.
macro_rules! alike {
    (real $name:ident $float:ident $kind:ident) => {
        #[inline(always)]
        fn mul_add_fast(self, b: $name, c: $name) -> $name {
            self * b + c
        }

        #[inline(always)]
        fn abs(self) -> $name {
            $name::splat(-0.0).and_not_self(self)
        }

        #[inline(always)]
        fn copysign(self, sign: $name) -> $name {
            let bit = $name::splat(-0.0);
            bit.and_not_self(self).or(bit.and(sign))
        }

        // SSE2 rounds to no integer but one of 32 bits. A sum with the number from which on floats are integers does it

        #[inline(always)]
        fn round_ties_even(self) -> $name {
            let integers = $name::splat(1.0 / $float::EPSILON);
            let magic = integers.copysign(self);
            let nearest = ((self + magic) - magic).copysign(self);
            $name::select(Real::lt(self.abs(), integers), nearest, self)
        }

        #[inline(always)]
        fn floor(self) -> $name {
            let nearest = self.round_ties_even();
            nearest - $name::select(Real::gt(nearest, self), $name::splat(1.0), $name::splat(0.0))
        }

        #[inline(always)]
        fn ceil(self) -> $name {
            let nearest = self.round_ties_even();
            let step = $name::select(Real::lt(nearest, self), $name::splat(1.0), $name::splat(0.0));
            (nearest + step).copysign(self)
        }

        #[inline(always)]
        fn trunc(self) -> $name {
            self.abs().floor().copysign(self)
        }

        crate::simd::x86::common! { $name $float }
        elementary! { $kind }
    };
    (vector $name:ident $float:ident) => {
        #[cfg_attr(not(unoptimised), inline(always))]
        fn from_array(lanes: [$float; LANES]) -> $name {
            // Safety: registers in order, and lanes in order in them, of any bits
            unsafe { transmute(lanes) }
        }

        #[inline(always)]
        fn to_array(self) -> [$float; LANES] {
            // Safety: registers in order, and lanes in order in them, of any bits
            unsafe { transmute(self) }
        }

        #[inline(always)]
        unsafe fn load(p: *const $float) -> $name {
            // Safety: the caller's promise; an array has the alignment of its elements
            $name::from_array(unsafe { p.cast::<[$float; LANES]>().read() })
        }

        #[inline(always)]
        unsafe fn store(self, p: *mut $float) {
            // Safety: the caller's promise; an array has the alignment of its elements
            unsafe { p.cast::<[$float; LANES]>().write(self.to_array()) }
        }

        // under a mask, inactive lanes have an address of their own: a choice between addresses is no branch

        #[inline(always)]
        unsafe fn load_masked(p: *const $float, mask: Mask2x4) -> $name {
            let zero: *const $float = &0.0;
            $name::from_array(map2([0, 1, 2, 3, 4, 5, 6, 7], mask.to_array(), |lane, active| {
                let p = std::hint::select_unpredictable(active, p.wrapping_add(lane), zero);
                // Safety: the caller's promise, for an active lane; the zero outlives the call
                unsafe { p.read() }
            }))
        }

        #[inline(always)]
        unsafe fn store_masked(self, p: *mut $float, mask: Mask2x4) {
            let mut nobody = 0.0;
            let nobody: *mut $float = &mut nobody;
            let p = map2([0, 1, 2, 3, 4, 5, 6, 7], mask.to_array(), |lane, active| {
                std::hint::select_unpredictable(active, p.wrapping_add(lane), nobody)
            });
            // Safety: the caller's promise, for an active lane; the others' number outlives the call
            map2(p, self.to_array(), |p, lane| unsafe { p.write(lane) });
        }

        crate::simd::arrays::vector! { in_lane_order $name $float }
    };
}

mod doubles;
mod singles;
