//! Eight singles.

use super::{F32x4x2, F64x2x4, Mask2x4, Sse2};
use crate::math::{Real, Single, elementary};
use crate::simd::{Isa, LANES, Mask, Vector, map2};
use std::arch::x86_64::*;
use std::mem::transmute;
use std::ops::Neg;

crate::simd::x86::operators! {
    "sse2" F32x4x2 [0 1] Add add _mm_add_ps  Sub sub _mm_sub_ps  Mul mul _mm_mul_ps  Div div _mm_div_ps
}

/// Methods by the same intrinsic of each register: of floats, and comparisons.
macro_rules! per_register {
    (floats $($method:ident($($other:ident)?) = $intrinsic:ident;)*) => {
        $(#[inline(always)]
        fn $method(self $(, $other: F32x4x2)?) -> F32x4x2 {
            // Safety: SSE2 is part of the architecture
            unsafe { F32x4x2($intrinsic(self.0 $(, $other.0)?), $intrinsic(self.1 $(, $other.1)?)) }
        })*
    };
    (compare $($method:ident $intrinsic:ident)*) => {
        $(#[inline(always)]
        fn $method(self, other: F32x4x2) -> Mask2x4 {
            // Safety: SSE2 is part of the architecture
            unsafe { Mask2x4::of_singles($intrinsic(self.0, other.0), $intrinsic(self.1, other.1)) }
        })*
    };
}

impl F32x4x2 {
    per_register! { floats
        raw_max(other) = _mm_max_ps;
        raw_min(other) = _mm_min_ps;
        and(other) = _mm_and_ps;
        and_not_self(other) = _mm_andnot_ps;
        or(other) = _mm_or_ps;
        xor(other) = _mm_xor_ps;
    }
}

impl Neg for F32x4x2 {
    type Output = F32x4x2;

    #[inline(always)]
    fn neg(self) -> F32x4x2 {
        self.xor(F32x4x2::splat(-0.0))
    }
}

impl Real for F32x4x2 {
    type Scalar = f32;
    type Mask = Mask2x4;
    const FMA: bool = false;

    per_register! { compare
        lt _mm_cmplt_ps  le _mm_cmple_ps  gt _mm_cmpgt_ps  ge _mm_cmpge_ps  eq _mm_cmpeq_ps  ne _mm_cmpneq_ps
    }
    per_register! { floats sqrt() = _mm_sqrt_ps; }

    #[inline(always)]
    fn splat(x: f32) -> F32x4x2 {
        // Safety: SSE2 is part of the architecture
        let x = unsafe { _mm_set1_ps(x) };
        F32x4x2(x, x)
    }

    #[inline(always)]
    fn select(mask: Mask2x4, a: F32x4x2, b: F32x4x2) -> F32x4x2 {
        let (low, high) = mask.singles();
        let mask = F32x4x2(low, high);
        mask.and(a).or(mask.and_not_self(b))
    }

    alike! { real F32x4x2 f32 single }
}

impl Vector<f32> for F32x4x2 {
    alike! { vector F32x4x2 f32 }

    #[inline(always)]
    fn transpose(rows: [F32x4x2; LANES]) -> [F32x4x2; LANES] {
        let [a, b, c, d, e, f, g, h] = rows;
        let [a0, a1, a2, a3] = transpose_4(a.0, b.0, c.0, d.0);
        let [a4, a5, a6, a7] = transpose_4(a.1, b.1, c.1, d.1);
        let [e0, e1, e2, e3] = transpose_4(e.0, f.0, g.0, h.0);
        let [e4, e5, e6, e7] = transpose_4(e.1, f.1, g.1, h.1);
        [
            F32x4x2(a0, e0),
            F32x4x2(a1, e1),
            F32x4x2(a2, e2),
            F32x4x2(a3, e3),
            F32x4x2(a4, e4),
            F32x4x2(a5, e5),
            F32x4x2(a6, e6),
            F32x4x2(a7, e7),
        ]
    }
}

/// The transpose of four rows of four.
#[inline(always)]
fn transpose_4(a: __m128, b: __m128, c: __m128, d: __m128) -> [__m128; 4] {
    // Safety: SSE2 is part of the architecture
    unsafe {
        let (ab0, ab2) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
        let (cd0, cd2) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
        [_mm_movelh_ps(ab0, cd0), _mm_movehl_ps(cd0, ab0), _mm_movelh_ps(ab2, cd2), _mm_movehl_ps(cd2, ab2)]
    }
}

impl Single for F32x4x2 {
    type Wide = F64x2x4;

    #[inline(always)]
    fn widen(self) -> F64x2x4 {
        Sse2::widen(self)
    }

    #[inline(always)]
    fn narrow(wide: F64x2x4) -> F32x4x2 {
        Sse2::narrow(wide)
    }
}
