//! AVX2 and FMA: two registers for eight doubles, one for eight singles, masks as wide as doubles.

use crate::math::{Bits, Double, Real, Single, elementary};
use crate::simd::{Isa, LANES, Level, Mask, Vector};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// AVX2 with FMA; to be named only where [`level`](crate::simd::level) said that the machine has it.
#[derive(Clone, Copy, Debug)]
pub struct Avx2;

impl Isa for Avx2 {
    const FMA: bool = true;
    const LEVEL: Level = Level::Avx2;
    type Mask = Mask4x2;
    type F64 = F64x4x2;
    type F32 = F32x8;

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

    #[inline(always)]
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

    #[inline(always)]
    fn from_array(bits: [bool; LANES]) -> Mask4x2 {
        let bytes = u64::from_ne_bytes(bits.map(u8::from));
        // Safety: AVX2 was detected
        unsafe {
            let bytes = _mm_sub_epi8(_mm_setzero_si128(), _mm_cvtsi64_si128(bytes as i64));
            Self::of_integers(_mm256_cvtepi8_epi64(bytes), _mm256_cvtepi8_epi64(_mm_srli_epi64::<32>(bytes)))
        }
    }

    #[inline(always)]
    fn to_array(self) -> [bool; LANES] {
        let bits = self.bits();
        crate::simd::map1([0, 1, 2, 3, 4, 5, 6, 7], |lane| bits >> lane & 1 != 0)
    }
}

/// Operators of pairs of registers.
macro_rules! pairs {
    ($name:ident $($operator:ident $method:ident $intrinsic:ident)*) => {
        $(impl $operator for $name {
            type Output = $name;

            #[inline(always)]
            fn $method(self, other: $name) -> $name {
                // Safety: AVX2 was detected
                unsafe { $name($intrinsic(self.0, other.0), $intrinsic(self.1, other.1)) }
            }
        })*
    };
}

pairs! { Mask4x2 BitAnd bitand _mm256_and_pd  BitOr bitor _mm256_or_pd  BitXor bitxor _mm256_xor_pd }
pairs! { F64x4x2 Add add _mm256_add_pd  Sub sub _mm256_sub_pd  Mul mul _mm256_mul_pd  Div div _mm256_div_pd }

impl Not for Mask4x2 {
    type Output = Mask4x2;

    #[inline(always)]
    fn not(self) -> Mask4x2 {
        self ^ Mask4x2::splat(true)
    }
}

/// The bits of eight doubles.
#[derive(Clone, Copy, Debug)]
pub struct U64x4x2(__m256i, __m256i);

macro_rules! bits {
    ($($method:ident $intrinsic:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: U64x4x2) -> U64x4x2 {
            // Safety: AVX2 was detected
            unsafe { U64x4x2($intrinsic(self.0, other.0), $intrinsic(self.1, other.1)) }
        })*
    };
}

impl Bits for U64x4x2 {
    bits! {
        plus _mm256_add_epi64  minus _mm256_sub_epi64
        and _mm256_and_si256  or _mm256_or_si256  xor _mm256_xor_si256
    }

    #[inline(always)]
    fn splat(bits: u64) -> U64x4x2 {
        // Safety: AVX2 was detected
        unsafe {
            let bits = _mm256_set1_epi64x(bits as i64);
            U64x4x2(bits, bits)
        }
    }

    #[inline(always)]
    fn left<const N: u32>(self) -> U64x4x2 {
        // Safety: AVX2 was detected
        unsafe {
            let count = _mm_cvtsi32_si128(N as i32);
            U64x4x2(_mm256_sll_epi64(self.0, count), _mm256_sll_epi64(self.1, count))
        }
    }

    #[inline(always)]
    fn right<const N: u32>(self) -> U64x4x2 {
        // Safety: AVX2 was detected
        unsafe {
            let count = _mm_cvtsi32_si128(N as i32);
            U64x4x2(_mm256_srl_epi64(self.0, count), _mm256_srl_epi64(self.1, count))
        }
    }
}

/// Eight `f64` in two registers.
#[derive(Clone, Copy, Debug)]
pub struct F64x4x2(__m256d, __m256d);

/// Eight `f32` in one register.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x8(__m256);

/// One method of `Real` for doubles and one for singles, by the same intrinsic of each register.
macro_rules! per_register {
    (doubles $($method:ident($($other:ident),*) = $intrinsic:expr;)*) => {
        $(#[inline(always)]
        fn $method(self $(, $other: F64x4x2)*) -> F64x4x2 {
            // Safety: AVX2 was detected
            unsafe { F64x4x2($intrinsic(self.0 $(, $other.0)*), $intrinsic(self.1 $(, $other.1)*)) }
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
            // Safety: AVX2 was detected
            unsafe {
                Mask4x2(_mm256_cmp_pd::<$predicate>(self.0, other.0), _mm256_cmp_pd::<$predicate>(self.1, other.1))
            }
        })*
    };
    (compare_singles $($method:ident $predicate:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: F32x8) -> Mask4x2 {
            // Safety: AVX2 was detected
            Mask4x2::of_singles(unsafe { _mm256_cmp_ps::<$predicate>(self.0, other.0) })
        })*
    };
    (common $name:ident $float:ident) => {
        #[inline(always)]
        fn any(mask: Mask4x2) -> bool {
            mask.any()
        }

        #[inline(always)]
        fn map(self, f: impl Fn($float) -> $float) -> $name {
            $name::from_array(crate::simd::map1(self.to_array(), f))
        }

        #[inline(always)]
        fn map2(self, other: $name, f: impl Fn($float, $float) -> $float) -> $name {
            $name::from_array(crate::simd::map2(self.to_array(), other.to_array(), f))
        }

        #[inline(always)]
        fn round(self) -> $name {
            // the largest number below one half: half itself would carry its predecessor to 1
            (self + $name::splat(0.5 - $float::EPSILON / 4.0).copysign(self)).trunc()
        }

        #[inline(always)]
        fn max(self, other: $name) -> $name {
            // the instruction gives its second operand on a tie and where one is NaN
            $name::select(Real::ne(self, self), other, other.raw_max(self))
        }

        #[inline(always)]
        fn min(self, other: $name) -> $name {
            $name::select(Real::ne(self, self), other, other.raw_min(self))
        }
    };
}

impl F64x4x2 {
    per_register! { doubles
        raw_max(other) = _mm256_max_pd;
        raw_min(other) = _mm256_min_pd;
        and(other) = _mm256_and_pd;
        and_not_self(other) = _mm256_andnot_pd;
        or(other) = _mm256_or_pd;
        xor(other) = _mm256_xor_pd;
    }
}

impl Neg for F64x4x2 {
    type Output = F64x4x2;

    #[inline(always)]
    fn neg(self) -> F64x4x2 {
        self.xor(F64x4x2::splat(-0.0))
    }
}

impl Real for F64x4x2 {
    type Scalar = f64;
    type Mask = Mask4x2;
    const FMA: bool = true;

    per_register! { compare_doubles
        lt _CMP_LT_OQ  le _CMP_LE_OQ  gt _CMP_GT_OQ  ge _CMP_GE_OQ  eq _CMP_EQ_OQ  ne _CMP_NEQ_UQ
    }
    per_register! { doubles
        sqrt() = _mm256_sqrt_pd;
        floor() = _mm256_round_pd::<0x09>;
        ceil() = _mm256_round_pd::<0x0a>;
        trunc() = _mm256_round_pd::<0x0b>;
        round_ties_even() = _mm256_round_pd::<0x08>;
        mul_add_fast(b, c) = _mm256_fmadd_pd;
    }
    per_register! { common F64x4x2 f64 }

    #[inline(always)]
    fn splat(x: f64) -> F64x4x2 {
        // Safety: AVX2 was detected
        unsafe { F64x4x2(_mm256_set1_pd(x), _mm256_set1_pd(x)) }
    }

    #[inline(always)]
    fn select(mask: Mask4x2, a: F64x4x2, b: F64x4x2) -> F64x4x2 {
        // Safety: AVX2 was detected
        unsafe { F64x4x2(_mm256_blendv_pd(b.0, a.0, mask.0), _mm256_blendv_pd(b.1, a.1, mask.1)) }
    }

    #[inline(always)]
    fn abs(self) -> F64x4x2 {
        F64x4x2::splat(-0.0).and_not_self(self)
    }

    #[inline(always)]
    fn copysign(self, sign: F64x4x2) -> F64x4x2 {
        let bit = F64x4x2::splat(-0.0);
        bit.and_not_self(self).or(bit.and(sign))
    }

    elementary! { double }
}

impl Vector<f64> for F64x4x2 {
    #[inline(always)]
    fn from_array(lanes: [f64; LANES]) -> F64x4x2 {
        // Safety: the array has eight elements
        unsafe { F64x4x2::load(lanes.as_ptr()) }
    }

    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        let mut lanes = [0.0; LANES];
        // Safety: the array has eight elements
        unsafe { self.store(lanes.as_mut_ptr()) };
        lanes
    }

    #[inline(always)]
    unsafe fn load(p: *const f64) -> F64x4x2 {
        // Safety: AVX2 was detected; the caller's promise
        unsafe { F64x4x2(_mm256_loadu_pd(p), _mm256_loadu_pd(p.add(4))) }
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // Safety: AVX2 was detected; the caller's promise
        unsafe {
            _mm256_storeu_pd(p, self.0);
            _mm256_storeu_pd(p.add(4), self.1);
        }
    }

    #[inline(always)]
    unsafe fn load_masked(p: *const f64, mask: Mask4x2) -> F64x4x2 {
        // Safety: AVX2 was detected; the caller's promise: inactive lanes are not accessed, and the second half may
        // begin outside of the allocation, hence the wrapping sum
        unsafe {
            F64x4x2(
                _mm256_maskload_pd(p, _mm256_castpd_si256(mask.0)),
                _mm256_maskload_pd(p.wrapping_add(4), _mm256_castpd_si256(mask.1)),
            )
        }
    }

    #[inline(always)]
    unsafe fn store_masked(self, p: *mut f64, mask: Mask4x2) {
        // Safety: as for `load_masked`
        unsafe {
            _mm256_maskstore_pd(p, _mm256_castpd_si256(mask.0), self.0);
            _mm256_maskstore_pd(p.wrapping_add(4), _mm256_castpd_si256(mask.1), self.1);
        }
    }

    #[inline(always)]
    unsafe fn gather(base: *const f64, offsets: [usize; LANES]) -> F64x4x2 {
        // Safety: AVX2 was detected; the caller's promise, lane by lane
        let lane = |l: usize| unsafe { base.add(offsets[l]).read() };
        F64x4x2::from_array([lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7)])
    }

    #[inline(always)]
    unsafe fn gather_masked(base: *const f64, offsets: [usize; LANES], mask: Mask4x2) -> F64x4x2 {
        // Safety: AVX2 was detected; the caller's promise: inactive lanes are not accessed; offsets of one allocation
        // fit 64 signed bits
        unsafe {
            let [low, high] =
                [offsets.as_ptr(), offsets.as_ptr().add(4)].map(|p| _mm256_loadu_si256(p.cast()));
            let zero = _mm256_setzero_pd();
            F64x4x2(
                _mm256_mask_i64gather_pd::<8>(zero, base, low, mask.0),
                _mm256_mask_i64gather_pd::<8>(zero, base, high, mask.1),
            )
        }
    }

    crate::simd::baseline::vector! { in_lane_order F64x4x2 f64 }

    #[inline(always)]
    fn transpose(rows: [F64x4x2; LANES]) -> [F64x4x2; LANES] {
        let [a, b, c, d, e, f, g, h] = rows;
        // Safety: AVX2 was detected
        unsafe {
            let [k0, k1, k2, k3] = transpose_4(a.0, b.0, c.0, d.0);
            let [k4, k5, k6, k7] = transpose_4(a.1, b.1, c.1, d.1);
            let [l0, l1, l2, l3] = transpose_4(e.0, f.0, g.0, h.0);
            let [l4, l5, l6, l7] = transpose_4(e.1, f.1, g.1, h.1);
            [
                F64x4x2(k0, l0),
                F64x4x2(k1, l1),
                F64x4x2(k2, l2),
                F64x4x2(k3, l3),
                F64x4x2(k4, l4),
                F64x4x2(k5, l5),
                F64x4x2(k6, l6),
                F64x4x2(k7, l7),
            ]
        }
    }
}

/// The transpose of four rows of four.
///
/// # Safety
///
/// The machine has AVX.
#[inline(always)]
unsafe fn transpose_4(a: __m256d, b: __m256d, c: __m256d, d: __m256d) -> [__m256d; 4] {
    // Safety: the caller's promise
    unsafe {
        let (ab0, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd0, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab0, cd0),
            _mm256_permute2f128_pd::<0x20>(ab1, cd1),
            _mm256_permute2f128_pd::<0x31>(ab0, cd0),
            _mm256_permute2f128_pd::<0x31>(ab1, cd1),
        ]
    }
}

impl Double for F64x4x2 {
    type Bits = U64x4x2;

    #[inline(always)]
    fn to_bits(self) -> U64x4x2 {
        // Safety: AVX2 was detected
        unsafe { U64x4x2(_mm256_castpd_si256(self.0), _mm256_castpd_si256(self.1)) }
    }

    #[inline(always)]
    fn from_bits(bits: U64x4x2) -> F64x4x2 {
        // Safety: AVX2 was detected
        unsafe { F64x4x2(_mm256_castsi256_pd(bits.0), _mm256_castsi256_pd(bits.1)) }
    }

    #[inline(always)]
    fn odd(bits: U64x4x2) -> Mask4x2 {
        let highest = bits.left::<63>();
        Mask4x2::of_integers(highest.0, highest.1)
    }

    #[inline(always)]
    fn lesser(self, other: F64x4x2) -> F64x4x2 {
        self.raw_min(other)
    }

    #[inline(always)]
    fn greater(self, other: F64x4x2) -> F64x4x2 {
        self.raw_max(other)
    }
}

impl F32x8 {
    per_register! { singles
        raw_max(other) = _mm256_max_ps;
        raw_min(other) = _mm256_min_ps;
        and(other) = _mm256_and_ps;
        and_not_self(other) = _mm256_andnot_ps;
        or(other) = _mm256_or_ps;
        xor(other) = _mm256_xor_ps;
    }
}

impl Neg for F32x8 {
    type Output = F32x8;

    #[inline(always)]
    fn neg(self) -> F32x8 {
        self.xor(F32x8::splat(-0.0))
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $intrinsic:ident)*) => {
        $(impl $operator for F32x8 {
            type Output = F32x8;

            #[inline(always)]
            fn $method(self, other: F32x8) -> F32x8 {
                // Safety: AVX2 was detected
                F32x8(unsafe { $intrinsic(self.0, other.0) })
            }
        })*
    };
}

operators! { Add add _mm256_add_ps  Sub sub _mm256_sub_ps  Mul mul _mm256_mul_ps  Div div _mm256_div_ps }

impl Real for F32x8 {
    type Scalar = f32;
    type Mask = Mask4x2;
    const FMA: bool = true;

    per_register! { compare_singles
        lt _CMP_LT_OQ  le _CMP_LE_OQ  gt _CMP_GT_OQ  ge _CMP_GE_OQ  eq _CMP_EQ_OQ  ne _CMP_NEQ_UQ
    }
    per_register! { singles
        sqrt() = _mm256_sqrt_ps;
        floor() = _mm256_round_ps::<0x09>;
        ceil() = _mm256_round_ps::<0x0a>;
        trunc() = _mm256_round_ps::<0x0b>;
        round_ties_even() = _mm256_round_ps::<0x08>;
        mul_add_fast(b, c) = _mm256_fmadd_ps;
    }
    per_register! { common F32x8 f32 }

    #[inline(always)]
    fn splat(x: f32) -> F32x8 {
        // Safety: AVX2 was detected
        F32x8(unsafe { _mm256_set1_ps(x) })
    }

    #[inline(always)]
    fn select(mask: Mask4x2, a: F32x8, b: F32x8) -> F32x8 {
        // Safety: AVX2 was detected
        F32x8(unsafe { _mm256_blendv_ps(b.0, a.0, mask.singles()) })
    }

    #[inline(always)]
    fn abs(self) -> F32x8 {
        F32x8::splat(-0.0).and_not_self(self)
    }

    #[inline(always)]
    fn copysign(self, sign: F32x8) -> F32x8 {
        let bit = F32x8::splat(-0.0);
        bit.and_not_self(self).or(bit.and(sign))
    }

    elementary! { single }
}

impl Vector<f32> for F32x8 {
    #[inline(always)]
    fn from_array(lanes: [f32; LANES]) -> F32x8 {
        // Safety: the array has eight elements
        unsafe { F32x8::load(lanes.as_ptr()) }
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        let mut lanes = [0.0; LANES];
        // Safety: the array has eight elements
        unsafe { self.store(lanes.as_mut_ptr()) };
        lanes
    }

    #[inline(always)]
    unsafe fn load(p: *const f32) -> F32x8 {
        // Safety: AVX2 was detected; the caller's promise
        F32x8(unsafe { _mm256_loadu_ps(p) })
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // Safety: AVX2 was detected; the caller's promise
        unsafe { _mm256_storeu_ps(p, self.0) }
    }

    #[inline(always)]
    unsafe fn load_masked(p: *const f32, mask: Mask4x2) -> F32x8 {
        // Safety: AVX2 was detected; the caller's promise: inactive lanes are not accessed
        F32x8(unsafe { _mm256_maskload_ps(p, _mm256_castps_si256(mask.singles())) })
    }

    #[inline(always)]
    unsafe fn store_masked(self, p: *mut f32, mask: Mask4x2) {
        // Safety: AVX2 was detected; the caller's promise: inactive lanes are not accessed
        unsafe { _mm256_maskstore_ps(p, _mm256_castps_si256(mask.singles()), self.0) }
    }

    #[inline(always)]
    unsafe fn gather(base: *const f32, offsets: [usize; LANES]) -> F32x8 {
        // Safety: AVX2 was detected; the caller's promise, lane by lane
        let lane = |l: usize| unsafe { base.add(offsets[l]).read() };
        F32x8::from_array([lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7)])
    }

    #[inline(always)]
    unsafe fn gather_masked(base: *const f32, offsets: [usize; LANES], mask: Mask4x2) -> F32x8 {
        let active = mask.to_array();
        // Safety: AVX2 was detected; the caller's promise, for an active lane
        let lane = |l: usize| if active[l] { unsafe { base.add(offsets[l]).read() } } else { 0.0 };
        F32x8::from_array([lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7)])
    }

    crate::simd::baseline::vector! { in_lane_order F32x8 f32 }

    #[inline(always)]
    fn transpose(rows: [F32x8; LANES]) -> [F32x8; LANES] {
        let [a, b, c, d, e, f, g, h] = rows;
        // Safety: AVX2 was detected
        unsafe {
            let columns = super::transpose_singles([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]);
            let [a, b, c, d, e, f, g, h] = columns;
            [F32x8(a), F32x8(b), F32x8(c), F32x8(d), F32x8(e), F32x8(f), F32x8(g), F32x8(h)]
        }
    }
}

impl Single for F32x8 {
    type Wide = F64x4x2;

    #[inline(always)]
    fn widen(self) -> F64x4x2 {
        Avx2::widen(self)
    }

    #[inline(always)]
    fn narrow(wide: F64x4x2) -> F32x8 {
        Avx2::narrow(wide)
    }
}
