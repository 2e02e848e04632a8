//! The sum of the lanes of doubles, in one register.

use super::F64x4x2;
use super::doubles::transpose_4;
use crate::simd::Sum;
use std::arch::x86_64::*;

/// Lane `l` has the sum of the lanes `l` and `l + 4` of what was added.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct SumF64x4(__m256d);

crate::simd::x86::operators! { "avx2" SumF64x4 [0] Add add _mm256_add_pd }

impl Sum<F64x4x2> for SumF64x4 {
    #[inline(always)]
    fn zero() -> SumF64x4 {
        // Safety: AVX2 was detected
        SumF64x4(unsafe { _mm256_set1_pd(-0.0) })
    }

    #[inline(always)]
    fn plus(self, x: F64x4x2) -> SumF64x4 {
        // Safety: AVX2 was detected
        SumF64x4(unsafe { _mm256_add_pd(_mm256_add_pd(self.0, x.0), x.1) })
    }

    #[inline(always)]
    fn plus_product(self, a: F64x4x2, b: F64x4x2) -> SumF64x4 {
        // Safety: AVX2 and FMA were detected
        SumF64x4(unsafe { _mm256_fmadd_pd(a.1, b.1, _mm256_fmadd_pd(a.0, b.0, self.0)) })
    }

    #[inline(always)]
    fn total(self) -> f64 {
        Self::totals([self])[0]
    }

    #[inline(always)]
    fn totals<const N: usize>(sums: [SumF64x4; N]) -> [f64; N] {
        let mut all = [0.0; N];
        let mut first = 0;
        while first < N {
            // rows that are missing repeat the first one; nobody looks at their sums
            let row = |row: usize| sums[if first + row < N { first + row } else { first }].0;
            // Safety: AVX2 was detected; a register is four doubles
            let here: [f64; 4] = unsafe {
                let [a, b, c, d] = transpose_4(row(0), row(1), row(2), row(3));
                std::mem::transmute(_mm256_add_pd(_mm256_add_pd(_mm256_add_pd(a, b), c), d))
            };
            let count = if N - first < 4 { N - first } else { 4 };
            all[first..first + count].copy_from_slice(&here[..count]);
            first += 4;
        }
        all
    }
}
