//! Eight f64 lanes. With AVX-512 the intrinsics (stable since 1.89), otherwise an array that LLVM vectorises.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
mod imp {
    use core::arch::x86_64::*;
    #[derive(Clone, Copy)]
    #[repr(transparent)]
    pub struct V(__m512d);
    impl V {
        #[inline(always)]
        pub fn splat(x: f64) -> V {
            unsafe { V(_mm512_set1_pd(x)) }
        }
        /// # Safety
        /// p points to 8 readable f64
        #[inline(always)]
        pub unsafe fn ld(p: *const f64) -> V {
            unsafe { V(_mm512_loadu_pd(p)) }
        }
        /// # Safety
        /// p points to 8 writable f64
        #[inline(always)]
        pub unsafe fn st(self, p: *mut f64) {
            unsafe { _mm512_storeu_pd(p, self.0) }
        }
        /// self + a*b
        #[inline(always)]
        pub fn fma(self, a: V, b: V) -> V {
            unsafe { V(_mm512_fmadd_pd(a.0, b.0, self.0)) }
        }
        #[inline(always)]
        pub fn add(self, b: V) -> V {
            unsafe { V(_mm512_add_pd(self.0, b.0)) }
        }
        #[inline(always)]
        pub fn sub(self, b: V) -> V {
            unsafe { V(_mm512_sub_pd(self.0, b.0)) }
        }
        #[inline(always)]
        pub fn mul(self, b: V) -> V {
            unsafe { V(_mm512_mul_pd(self.0, b.0)) }
        }
        #[inline(always)]
        pub fn sum(self) -> f64 {
            unsafe { _mm512_reduce_add_pd(self.0) }
        }
        #[inline(always)]
        pub fn lt(self, b: V) -> u8 {
            unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, b.0) }
        }
        /// self + b in the lanes of m
        #[inline(always)]
        pub fn add_if(self, m: u8, b: V) -> V {
            unsafe { V(_mm512_mask_add_pd(self.0, m, self.0, b.0)) }
        }
        /// lanes shifted up by one, lane 0 from the last lane of prev
        #[inline(always)]
        pub fn left(self, prev: V) -> V {
            unsafe {
                V(_mm512_castsi512_pd(_mm512_alignr_epi64::<7>(
                    _mm512_castpd_si512(self.0),
                    _mm512_castpd_si512(prev.0),
                )))
            }
        }
        /// lanes shifted down by one, lane 7 from the first lane of next
        #[inline(always)]
        pub fn right(self, next: V) -> V {
            unsafe {
                V(_mm512_castsi512_pd(_mm512_alignr_epi64::<1>(
                    _mm512_castpd_si512(next.0),
                    _mm512_castpd_si512(self.0),
                )))
            }
        }
        #[inline(always)]
        pub fn sqrt(self) -> V {
            unsafe { V(_mm512_sqrt_pd(self.0)) }
        }
        #[inline(always)]
        pub fn div(self, b: V) -> V {
            unsafe { V(_mm512_div_pd(self.0, b.0)) }
        }
    }
}
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
mod imp {
    #[derive(Clone, Copy)]
    pub struct V([f64; 8]);
    impl V {
        #[inline(always)]
        fn z(self, b: V, f: impl Fn(f64, f64) -> f64) -> V {
            let mut r = [0.0; 8];
            for l in 0..8 {
                r[l] = f(self.0[l], b.0[l]);
            }
            V(r)
        }
        #[inline(always)]
        pub fn splat(x: f64) -> V {
            V([x; 8])
        }
        /// # Safety
        /// p points to 8 readable f64
        #[inline(always)]
        pub unsafe fn ld(p: *const f64) -> V {
            unsafe { V(*(p as *const [f64; 8])) }
        }
        /// # Safety
        /// p points to 8 writable f64
        #[inline(always)]
        pub unsafe fn st(self, p: *mut f64) {
            unsafe { *(p as *mut [f64; 8]) = self.0 }
        }
        #[inline(always)]
        pub fn fma(self, a: V, b: V) -> V {
            let mut r = self.0;
            for l in 0..8 {
                r[l] = if cfg!(target_feature = "fma") {
                    a.0[l].mul_add(b.0[l], r[l])
                } else {
                    a.0[l] * b.0[l] + r[l]
                };
            }
            V(r)
        }
        #[inline(always)]
        pub fn add(self, b: V) -> V {
            self.z(b, |x, y| x + y)
        }
        #[inline(always)]
        pub fn sub(self, b: V) -> V {
            self.z(b, |x, y| x - y)
        }
        #[inline(always)]
        pub fn mul(self, b: V) -> V {
            self.z(b, |x, y| x * y)
        }
        #[inline(always)]
        pub fn sum(self) -> f64 {
            self.0.iter().sum()
        }
        #[inline(always)]
        pub fn lt(self, b: V) -> u8 {
            (0..8).map(|l| ((self.0[l] < b.0[l]) as u8) << l).sum()
        }
        #[inline(always)]
        pub fn add_if(self, m: u8, b: V) -> V {
            V(std::array::from_fn(|l| if m >> l & 1 == 1 { self.0[l] + b.0[l] } else { self.0[l] }))
        }
        #[inline(always)]
        pub fn left(self, prev: V) -> V {
            V(std::array::from_fn(|l| if l == 0 { prev.0[7] } else { self.0[l - 1] }))
        }
        #[inline(always)]
        pub fn right(self, next: V) -> V {
            V(std::array::from_fn(|l| if l == 7 { next.0[0] } else { self.0[l + 1] }))
        }
        #[inline(always)]
        pub fn sqrt(self) -> V {
            V(self.0.map(f64::sqrt))
        }
        #[inline(always)]
        pub fn div(self, b: V) -> V {
            self.z(b, |x, y| x / y)
        }
    }
}
pub use imp::V;

/// 16-lane dot product, folded sequentially.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut s = [0.0f64; 16];
    let (ca, cb) = (a.chunks_exact(16), b.chunks_exact(16));
    let (ra, rb) = (ca.remainder(), cb.remainder());
    for (p, q) in ca.zip(cb) {
        for l in 0..16 {
            s[l] = p[l].mul_add(q[l], s[l]);
        }
    }
    let mut t = 0.0;
    for (p, q) in ra.iter().zip(rb) {
        t += p * q;
    }
    for v in s {
        t += v;
    }
    t
}
/// 16-lane sum, folded sequentially.
#[inline(always)]
pub fn sum(a: &[f64]) -> f64 {
    let mut s = [0.0f64; 16];
    let c = a.chunks_exact(16);
    let r = c.remainder();
    for p in c {
        for l in 0..16 {
            s[l] += p[l];
        }
    }
    let mut t = 0.0;
    for p in r {
        t += p;
    }
    for v in s {
        t += v;
    }
    t
}
/// sums of eight vectors, in order
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[inline(always)]
pub fn sums8(v: &[V; 8]) -> [f64; 8] {
    use core::arch::x86_64::*;
    unsafe {
        let r = |i: usize| -> __m512d { std::mem::transmute(v[i]) };
        let h = |a: __m512d, b: __m512d| _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        let s = |a: __m512d, b: __m512d| {
            _mm512_add_pd(
                _mm512_shuffle_f64x2::<0b10_00_10_00>(a, b),
                _mm512_shuffle_f64x2::<0b11_01_11_01>(a, b),
            )
        };
        let w = s(h(r(0), r(1)), h(r(2), r(3)));
        let x = s(h(r(4), r(5)), h(r(6), r(7)));
        std::mem::transmute(s(w, x))
    }
}
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
#[inline(always)]
pub fn sums8(v: &[V; 8]) -> [f64; 8] {
    std::array::from_fn(|i| v[i].sum())
}
/// 8 x 8 transpose
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[inline(always)]
pub fn transpose8(v: [V; 8]) -> [V; 8] {
    use core::arch::x86_64::*;
    unsafe {
        let r: [__m512d; 8] = std::mem::transmute(v);
        let lo = |a: usize| _mm512_unpacklo_pd(r[a], r[a + 1]);
        let hi = |a: usize| _mm512_unpackhi_pd(r[a], r[a + 1]);
        // t[k][half]: pairs of rows, even and odd columns
        let (a0, a1, b0, b1) = (lo(0), hi(0), lo(2), hi(2));
        let (c0, c1, d0, d1) = (lo(4), hi(4), lo(6), hi(6));
        let s = |x: __m512d, y: __m512d, hi: bool| {
            if hi {
                _mm512_shuffle_f64x2::<0b11_01_11_01>(x, y)
            } else {
                _mm512_shuffle_f64x2::<0b10_00_10_00>(x, y)
            }
        };
        // blocks 0,2 of a and b / 1,3
        let (p0, p1, q0, q1) = (s(a0, b0, false), s(a0, b0, true), s(c0, d0, false), s(c0, d0, true));
        let (e0, e1, f0, f1) = (s(a1, b1, false), s(a1, b1, true), s(c1, d1, false), s(c1, d1, true));
        std::mem::transmute([
            s(p0, q0, false),
            s(e0, f0, false),
            s(p1, q1, false),
            s(e1, f1, false),
            s(p0, q0, true),
            s(e0, f0, true),
            s(p1, q1, true),
            s(e1, f1, true),
        ])
    }
}
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
#[inline(always)]
pub fn transpose8(v: [V; 8]) -> [V; 8] {
    let mut a = [0.0; 64];
    let mut b = [0.0; 64];
    unsafe {
        for i in 0..8 {
            v[i].st(a.as_mut_ptr().add(8 * i));
        }
        for i in 0..8 {
            for j in 0..8 {
                b[8 * j + i] = a[8 * i + j];
            }
        }
        std::array::from_fn(|i| V::ld(b.as_ptr().add(8 * i)))
    }
}
