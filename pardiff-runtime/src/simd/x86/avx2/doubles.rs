//! Eight doubles.

use super::{F64x4x2, Mask4x2};
use crate::math::{Bits, Double, Real, elementary};
use crate::simd::{LANES, Mask, Vector};
use std::arch::x86_64::*;
use std::ops::Neg;

crate::simd::x86::operators! {
    "avx2" F64x4x2 [0 1] Add add _mm256_add_pd  Sub sub _mm256_sub_pd  Mul mul _mm256_mul_pd  Div div _mm256_div_pd
}

/// The bits of eight doubles.
#[derive(Clone, Copy, Debug)]
pub struct U64x4x2(__m256i, __m256i);

macro_rules! bits {
    ($($method:ident $intrinsic:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: U64x4x2) -> U64x4x2 {
            #[inline]
            #[target_feature(enable = "avx2")]
            fn all(a: U64x4x2, b: U64x4x2) -> U64x4x2 {
                U64x4x2($intrinsic(a.0, b.0), $intrinsic(a.1, b.1))
            }
            // Safety: AVX2 was detected
            unsafe { all(self, other) }
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
    crate::simd::x86::common! { F64x4x2 f64 }

    #[inline(always)]
    fn splat(x: f64) -> F64x4x2 {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn all(x: f64) -> F64x4x2 {
            F64x4x2(_mm256_set1_pd(x), _mm256_set1_pd(x))
        }
        // Safety: AVX2 was detected
        unsafe { all(x) }
    }

    #[inline(always)]
    fn select(mask: Mask4x2, a: F64x4x2, b: F64x4x2) -> F64x4x2 {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn all(mask: Mask4x2, a: F64x4x2, b: F64x4x2) -> F64x4x2 {
            F64x4x2(_mm256_blendv_pd(b.0, a.0, mask.0), _mm256_blendv_pd(b.1, a.1, mask.1))
        }
        // Safety: AVX2 was detected
        unsafe { all(mask, a, b) }
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
    #[cfg_attr(not(unoptimised), inline(always))]
    fn from_array(lanes: [f64; LANES]) -> F64x4x2 {
        // Safety: the array has eight elements
        unsafe { F64x4x2::load(lanes.as_ptr()) }
    }

    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        // Safety: registers in order, and lanes in order in them, of any bits
        unsafe { std::mem::transmute(self) }
    }

    #[inline(always)]
    unsafe fn load(p: *const f64) -> F64x4x2 {
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn all(p: *const f64) -> F64x4x2 {
            // Safety: the caller's promise
            unsafe { F64x4x2(_mm256_loadu_pd(p), _mm256_loadu_pd(p.add(4))) }
        }
        // Safety: AVX2 was detected; the caller's promise
        unsafe { all(p) }
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn all(x: F64x4x2, p: *mut f64) {
            // Safety: the caller's promise
            unsafe {
                _mm256_storeu_pd(p, x.0);
                _mm256_storeu_pd(p.add(4), x.1);
            }
        }
        // Safety: AVX2 was detected; the caller's promise
        unsafe { all(self, p) }
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
    unsafe fn store_first(self, p: *mut f64, n: usize) {
        // Safety: AVX2 was detected; the caller's promise: what is stored to are elements below `n`
        unsafe {
            if n >= LANES {
                return self.store(p);
            }
            let (rest, p) = if n & 4 == 0 {
                (self.0, p)
            } else {
                _mm256_storeu_pd(p, self.0);
                (self.1, p.add(4))
            };
            let pair = _mm256_castpd256_pd128(rest);
            if n & 2 == 0 {
                if n & 1 != 0 {
                    _mm_store_sd(p, pair);
                }
            } else {
                _mm_storeu_pd(p, pair);
                if n & 1 != 0 {
                    _mm_store_sd(p.add(2), _mm256_extractf128_pd::<1>(rest));
                }
            }
        }
    }

    crate::simd::arrays::vector! { in_lane_order F64x4x2 f64 }

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

    /// Of each four columns, two rows share a register from the start, which takes loads instead of shuffles, and what is
    /// left of a row is loaded without a mask.
    #[inline(always)]
    unsafe fn load_rows<const R: usize>(rows: [*const f64; LANES]) -> [F64x4x2; R] {
        let [a, b, c, d, e, f, g, h] = rows;
        // Safety: AVX2 was detected; `first + width <= R` elements of each row are readable
        unsafe {
            let mut columns = [F64x4x2(_mm256_setzero_pd(), _mm256_setzero_pd()); R];
            let mut first = 0;
            while first < R {
                let width = if R - first < 4 { R - first } else { 4 };
                let low = four_columns([a.add(first), b.add(first), c.add(first), d.add(first)], width);
                let high = four_columns([e.add(first), f.add(first), g.add(first), h.add(first)], width);
                let mut column = 0;
                while column < width {
                    columns[first + column] = F64x4x2(low[column], high[column]);
                    column += 1;
                }
                first += 4;
            }
            columns
        }
    }
}

/// The transpose of four rows of four.
///
/// # Safety
///
/// The machine has AVX.
#[inline(always)]
pub(super) unsafe fn transpose_4(a: __m256d, b: __m256d, c: __m256d, d: __m256d) -> [__m256d; 4] {
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

/// The first `width <= 4` columns of four rows; the others are zero.
///
/// # Safety
///
/// AVX2 was detected, and `width` elements of each row are readable.
#[inline(always)]
unsafe fn four_columns(rows: [*const f64; 4], width: usize) -> [__m256d; 4] {
    // Safety: the caller's promise
    unsafe {
        let mut columns = [_mm256_setzero_pd(); 4];
        let mut first = 0;
        while first < width {
            let [a, b, c, d] =
                [rows[0].add(first), rows[1].add(first), rows[2].add(first), rows[3].add(first)];
            if width - first == 1 {
                let (ab, cd) = (_mm_loadh_pd(_mm_load_sd(a), b), _mm_loadh_pd(_mm_load_sd(c), d));
                columns[first] = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(ab), cd);
            } else {
                let ac = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(c));
                let bd = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_loadu_pd(b)), _mm_loadu_pd(d));
                columns[first] = _mm256_unpacklo_pd(ac, bd);
                columns[first + 1] = _mm256_unpackhi_pd(ac, bd);
            }
            first += 2;
        }
        columns
    }
}
