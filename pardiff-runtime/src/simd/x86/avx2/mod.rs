//! AVX2 and FMA: two registers for eight doubles, one for eight singles, masks as wide as doubles.
//!
//! No intrinsic stands in a closure: a closure does not have the features of the function around it, so that the
//! intrinsic would stay a call where the closure is compiled first.

use crate::simd::{Isa, LANES, Level, Mask};
use std::arch::x86_64::*;

/// AVX2 with FMA; to be named only where [`level`](crate::simd::level()) said that the machine has it.
#[derive(Clone, Copy, Debug)]
pub struct Avx2;

impl Isa for Avx2 {
    const FMA: bool = true;
    const LEVEL: Level = Level::Avx2;
    type Mask = Mask4x2;
    type F64 = F64x4x2;
    type F32 = F32x8;
    type SumF64 = SumF64x4;

    #[inline(always)]
    fn widen(x: F32x8) -> F64x4x2 {
        // Safety: AVX2 was detected
        unsafe {
            F64x4x2(
                _mm256_cvtps_pd(_mm256_castps256_ps128(x.0)),
                _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(x.0)),
            )
        }
    }

    #[inline(always)]
    fn narrow(x: F64x4x2) -> F32x8 {
        // Safety: AVX2 was detected
        F32x8(unsafe { _mm256_set_m128(_mm256_cvtpd_ps(x.1), _mm256_cvtpd_ps(x.0)) })
    }
}

/// The lane's bit is the highest of 64, which is the one that instructions look at; lanes 0 to 3, lanes 4 to 7.
#[derive(Clone, Copy, Debug)]
pub struct Mask4x2(__m256d, __m256d);

impl Mask4x2 {
    /// One bit a lane.
    #[inline(always)]
    fn bits(self) -> u32 {
        // Safety: AVX2 was detected
        unsafe { (_mm256_movemask_pd(self.0) | _mm256_movemask_pd(self.1) << 4) as u32 }
    }

    /// From the highest bits of integers.
    #[inline(always)]
    fn of_integers(low: __m256i, high: __m256i) -> Mask4x2 {
        // Safety: AVX2 was detected
        unsafe { Mask4x2(_mm256_castsi256_pd(low), _mm256_castsi256_pd(high)) }
    }

    /// From a mask of singles.
    #[inline(always)]
    fn of_singles(mask: __m256) -> Mask4x2 {
        // Safety: AVX2 was detected
        unsafe {
            let lanes = _mm256_castps_si256(mask);
            let high = _mm256_extracti128_si256::<1>(lanes);
            Self::of_integers(
                _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes)),
                _mm256_cvtepi32_epi64(high),
            )
        }
    }

    /// As a mask of singles.
    #[inline(always)]
    fn singles(self) -> __m256 {
        // Safety: AVX2 was detected
        unsafe {
            // the higher half of each lane: of lanes 0, 1, 4, 5, 2, 3, 6, 7, hence the permutation
            let (low, high) = (_mm256_castpd_ps(self.0), _mm256_castpd_ps(self.1));
            let mixed = _mm256_shuffle_ps::<0b11_01_11_01>(low, high);
            _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_castps_pd(mixed)))
        }
    }
}

impl Mask for Mask4x2 {
    #[inline(always)]
    fn splat(bit: bool) -> Mask4x2 {
        // Safety: AVX2 was detected
        unsafe {
            let bits = _mm256_set1_epi64x(-i64::from(bit));
            Self::of_integers(bits, bits)
        }
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn first(n: usize) -> Mask4x2 {
        let n = if n < LANES { n as i64 } else { LANES as i64 };
        // Safety: AVX2 was detected
        unsafe {
            let n = _mm256_set1_epi64x(n);
            Self::of_integers(
                _mm256_cmpgt_epi64(n, _mm256_setr_epi64x(0, 1, 2, 3)),
                _mm256_cmpgt_epi64(n, _mm256_setr_epi64x(4, 5, 6, 7)),
            )
        }
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    #[inline(always)]
    fn all(self) -> bool {
        self.bits() == 0xff
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
    fn from_array(bits: [bool; LANES]) -> Mask4x2 {
        // Safety: AVX2 was detected; eight bools are eight bytes
        unsafe {
            let bytes = _mm_cvtsi64_si128(std::mem::transmute::<[bool; LANES], i64>(bits));
            let bytes = _mm_sub_epi8(_mm_setzero_si128(), bytes);
            Self::of_integers(_mm256_cvtepi8_epi64(bytes), _mm256_cvtepi8_epi64(_mm_srli_epi64::<32>(bytes)))
        }
    }

    #[inline(always)]
    fn to_array(self) -> [bool; LANES] {
        crate::simd::x86::bits(self.bits())
    }

    #[inline(always)]
    fn less(a: [usize; LANES], b: [usize; LANES]) -> Mask4x2 {
        let ([a0, a1], [b0, b1]) = (integers(a), integers(b));
        // Safety: AVX2 was detected
        unsafe {
            // the comparison is one of signed integers: both move by half of the range
            let half = _mm256_set1_epi64x(i64::MIN);
            let [a0, a1] = [_mm256_xor_si256(a0, half), _mm256_xor_si256(a1, half)];
            let [b0, b1] = [_mm256_xor_si256(b0, half), _mm256_xor_si256(b1, half)];
            Self::of_integers(_mm256_cmpgt_epi64(b0, a0), _mm256_cmpgt_epi64(b1, a1))
        }
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn keep(self, numbers: [usize; LANES]) -> [usize; LANES] {
        let [low, high] = integers(numbers);
        // Safety: AVX2 was detected; two times four integers of 64 bits
        let kept: [u64; LANES] = unsafe {
            let zero = _mm256_setzero_si256();
            let whole_low = _mm256_cmpgt_epi64(zero, _mm256_castpd_si256(self.0));
            let whole_high = _mm256_cmpgt_epi64(zero, _mm256_castpd_si256(self.1));
            std::mem::transmute([_mm256_and_si256(low, whole_low), _mm256_and_si256(high, whole_high)])
        };
        crate::simd::x86::numbers(kept)
    }
}

/// One by one: as a whole the array would be written to memory and read again at once, which waits for the writes.
#[inline(always)]
fn integers(numbers: [usize; LANES]) -> [__m256i; 2] {
    let [a, b, c, d, e, f, g, h] = numbers;
    // Safety: AVX2 was detected
    unsafe {
        [
            _mm256_setr_epi64x(a as i64, b as i64, c as i64, d as i64),
            _mm256_setr_epi64x(e as i64, f as i64, g as i64, h as i64),
        ]
    }
}

crate::simd::x86::mask_operators! { "avx2" Mask4x2 [0 1] _mm256_and_pd _mm256_or_pd _mm256_xor_pd }

/// Eight `f64` in two registers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct F64x4x2(__m256d, __m256d);

/// Eight `f32` in one register.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x8(__m256);

/// One method of `Real` for doubles and one for singles, by the same intrinsic of each register, in functions as those
/// of `operators`.
macro_rules! per_register {
    (doubles $($method:ident($($other:ident),*) = $intrinsic:expr;)*) => {
        $(#[inline(always)]
        fn $method(self $(, $other: F64x4x2)*) -> F64x4x2 {
            #[inline]
            #[target_feature(enable = "avx2,fma")]
            fn all(a: F64x4x2 $(, $other: F64x4x2)*) -> F64x4x2 {
                F64x4x2($intrinsic(a.0 $(, $other.0)*), $intrinsic(a.1 $(, $other.1)*))
            }
            // Safety: AVX2 and FMA were detected
            unsafe { all(self $(, $other)*) }
        })*
    };
    (singles $($method:ident($($other:ident),*) = $intrinsic:expr;)*) => {
        $(#[inline(always)]
        fn $method(self $(, $other: F32x8)*) -> F32x8 {
            // Safety: AVX2 was detected
            unsafe { F32x8($intrinsic(self.0 $(, $other.0)*)) }
        })*
    };
    (compare_doubles $($method:ident $predicate:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: F64x4x2) -> Mask4x2 {
            #[inline]
            #[target_feature(enable = "avx2")]
            fn all(a: F64x4x2, b: F64x4x2) -> Mask4x2 {
                Mask4x2(_mm256_cmp_pd::<$predicate>(a.0, b.0), _mm256_cmp_pd::<$predicate>(a.1, b.1))
            }
            // Safety: AVX2 was detected
            unsafe { all(self, other) }
        })*
    };
    (compare_singles $($method:ident $predicate:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: F32x8) -> Mask4x2 {
            // Safety: AVX2 was detected
            Mask4x2::of_singles(unsafe { _mm256_cmp_ps::<$predicate>(self.0, other.0) })
        })*
    };
}

mod doubles;
mod singles;
mod sum;

pub use sum::SumF64x4;
