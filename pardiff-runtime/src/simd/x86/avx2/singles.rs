//! Eight singles.

use super::{Avx2, F32x8, F64x4x2, Mask4x2};
use crate::math::{Real, Single, elementary};
use crate::simd::{Isa, LANES, Mask, Vector};
use std::arch::x86_64::*;
use std::ops::Neg;

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

crate::simd::x86::operators! {
    "avx2" F32x8 [0] Add add _mm256_add_ps  Sub sub _mm256_sub_ps  Mul mul _mm256_mul_ps  Div div _mm256_div_ps
}

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
    crate::simd::x86::common! { F32x8 f32 }

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
    #[cfg_attr(not(unoptimised), inline(always))]
    fn from_array(lanes: [f32; LANES]) -> F32x8 {
        // Safety: the array has eight elements
        unsafe { F32x8::load(lanes.as_ptr()) }
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        // Safety: the lanes in order, of any bits
        unsafe { std::mem::transmute(self) }
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
    unsafe fn store_first(self, p: *mut f32, n: usize) {
        // Safety: AVX2 was detected; the caller's promise: what is stored to are elements below `n`
        unsafe {
            if n >= LANES {
                return self.store(p);
            }
            let (rest, p) = if n & 4 == 0 {
                (_mm256_castps256_ps128(self.0), p)
            } else {
                _mm_storeu_ps(p, _mm256_castps256_ps128(self.0));
                (_mm256_extractf128_ps::<1>(self.0), p.add(4))
            };
            let (last, p) = if n & 2 == 0 {
                (rest, p)
            } else {
                _mm_storel_pd(p.cast(), _mm_castps_pd(rest));
                (_mm_movehl_ps(rest, rest), p.add(2))
            };
            if n & 1 != 0 {
                _mm_store_ss(p, last);
            }
        }
    }

    crate::simd::arrays::vector! { in_lane_order F32x8 f32 }

    #[inline(always)]
    fn transpose(rows: [F32x8; LANES]) -> [F32x8; LANES] {
        let [a, b, c, d, e, f, g, h] = rows;
        // Safety: AVX2 was detected
        unsafe {
            let columns = super::super::transpose_singles([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]);
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
