//! Dense y = A x (TANH: y = tanh(A x)), loss 0.5 |y|^2; gradient order A(n,n), x(n).
//! The adjoint of row i is known as soon as the row's dot product is: value and gradient in one pass over A, four rows at a time,
//! d_x private per chunk (16 fixed chunks).
use crate::scratch::*;
use crate::simd::dot;
use crate::{Constants, Work};
use rayon::prelude::*;
pub struct Matvec<const TANH: bool> {
    n: usize,
}
impl<const TANH: bool> Matvec<TANH> {
    /// Sizes: rows.
    pub fn new(c: Constants) -> Self {
        Matvec { n: c.sizes[0] }
    }
    /// y and the adjoint of the dot product
    #[inline(always)]
    fn f(s: f64) -> (f64, f64) {
        if TANH {
            let y = s.tanh();
            (y, y * (1.0 - y * y))
        } else {
            (s, s)
        }
    }
    fn per(&self) -> usize {
        self.n.div_ceil(16).next_multiple_of(4)
    }
}
#[inline(never)]
fn update4(d: [f64; 4], a: [&[f64]; 4], g: [&mut [f64]; 4], x: &[f64], gx: &mut [f64]) {
    let n = x.len();
    let [a0, a1, a2, a3] = a.map(|s| &s[..n]);
    let [g0, g1, g2, g3] = g.map(|s| &mut s[..n]);
    let gx = &mut gx[..n];
    for j in 0..n {
        let t = d[0].mul_add(a0[j], gx[j]);
        let t = d[1].mul_add(a1[j], t);
        let t = d[2].mul_add(a2[j], t);
        gx[j] = d[3].mul_add(a3[j], t);
        g0[j] = d[0].mul_add(x[j], g0[j]);
        g1[j] = d[1].mul_add(x[j], g1[j]);
        g2[j] = d[2].mul_add(x[j], g2[j]);
        g3[j] = d[3].mul_add(x[j], g3[j]);
    }
}
#[inline(never)]
fn axpy_assign(d: f64, r: &[f64], x: &[f64], g: &mut [f64], dx: &mut [f64]) {
    let n = x.len();
    let (r, g) = (&r[..n], &mut g[..n]);
    for j in 0..n {
        dx[j] = d.mul_add(r[j], dx[j]);
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
    if n % 8 == 0 && g.as_ptr().align_offset(64) == 0 {
        use core::arch::x86_64::*;
        for j in (0..n).step_by(8) {
            unsafe {
                _mm512_stream_pd(
                    g.as_mut_ptr().add(j),
                    _mm512_mul_pd(_mm512_set1_pd(d), _mm512_loadu_pd(x.as_ptr().add(j))),
                )
            };
        }
        return;
    }
    for j in 0..n {
        g[j] = d * x[j];
    }
}
impl<const TANH: bool> Work for Matvec<TANH> {
    fn naive(&self, p: &[f64]) -> f64 {
        let n = self.n;
        let (a, x) = p.split_at(n * n);
        let mut t = 0.0;
        for i in 0..n {
            let mut s = 0.0;
            for j in 0..n {
                s += a[i * n + j] * x[j];
            }
            let y = Self::f(s).0;
            t += 0.5 * y * y;
        }
        t
    }
    fn fast(&self, p: &[f64]) -> f64 {
        let n = self.n;
        let (a, x) = p.split_at(n * n);
        let r: Vec<f64> = a
            .par_chunks(n * self.per())
            .map(|a| {
                let mut t = 0.0;
                for r in a.chunks_exact(n) {
                    let y = Self::f(dot(r, x)).0;
                    t += 0.5 * y * y;
                }
                t
            })
            .collect();
        r.iter().sum()
    }
    fn grad_scalar(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let n = self.n;
        let (a, x) = p.split_at(n * n);
        let (ga, gx) = g.split_at_mut(n * n);
        let mut t = 0.0;
        for i in 0..n {
            let (r, gr) = (&a[i * n..i * n + n], &mut ga[i * n..i * n + n]);
            let mut s = 0.0;
            for j in 0..n {
                s += r[j] * x[j];
            }
            let (y, d) = Self::f(s);
            t += 0.5 * y * y;
            for j in 0..n {
                gr[j] += d * x[j];
                gx[j] += d * r[j];
            }
        }
        t
    }
    /// d_A = instead of +=, with non-temporal stores: what knowing that the adjoint starts at zero would be worth
    fn grad_other(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        let n = self.n;
        let (a, x) = p.split_at(n * n);
        let (ga, gx) = g.split_at_mut(n * n);
        let c = n * self.per();
        let r: Vec<(f64, Scratch)> = a
            .par_chunks(c)
            .zip(ga.par_chunks_mut(c))
            .map(|(a, ga)| {
                let mut dx = Scratch::zeros(n);
                let mut t = 0.0;
                for (r, g) in a.chunks_exact(n).zip(ga.chunks_exact_mut(n)) {
                    let (y, d) = Self::f(dot(r, x));
                    t += 0.5 * y * y;
                    axpy_assign(d, r, x, g, &mut dx[..n]);
                }
                (t, dx)
            })
            .collect();
        gx.fill(0.0);
        for (_, d) in &r {
            for (g, d) in gx.iter_mut().zip(d.iter()) {
                *g += d;
            }
        }
        Some(r.iter().map(|a| a.0).sum())
    }
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let n = self.n;
        let (a, x) = p.split_at(n * n);
        let (ga, gx) = g.split_at_mut(n * n);
        let c = n * self.per();
        let r: Vec<(f64, Scratch)> = a
            .par_chunks(c)
            .zip(ga.par_chunks_mut(c))
            .map(|(a, ga)| {
                let mut dx = Scratch::zeros(n);
                let mut t = 0.0;
                let mut one = |r: [&[f64]; 4], g: [&mut [f64]; 4]| {
                    let f = r.map(|r| Self::f(dot(r, x)));
                    for y in f {
                        t += 0.5 * y.0 * y.0;
                    }
                    update4(f.map(|f| f.1), r, g, x, &mut dx);
                };
                let (mut ai, mut gi) = (a.chunks_exact(4 * n), ga.chunks_exact_mut(4 * n));
                for (r, g) in (&mut ai).zip(&mut gi) {
                    let (r0, r1) = r.split_at(2 * n);
                    let (g0, g1) = g.split_at_mut(2 * n);
                    let ((r0, r1), (r2, r3)) = (r0.split_at(n), r1.split_at(n));
                    let ((g0, g1), (g2, g3)) = (g0.split_at_mut(n), g1.split_at_mut(n));
                    one([r0, r1, r2, r3], [g0, g1, g2, g3]);
                }
                for (r, g) in ai.remainder().chunks_exact(n).zip(gi.into_remainder().chunks_exact_mut(n)) {
                    let (y, d) = Self::f(dot(r, x));
                    t += 0.5 * y * y;
                    for j in 0..n {
                        g[j] += d * x[j];
                        dx[j] += d * r[j];
                    }
                }
                (t, dx)
            })
            .collect();
        for (_, d) in &r {
            for (g, d) in gx.iter_mut().zip(d.iter()) {
                *g += d;
            }
        }
        r.iter().map(|a| a.0).sum()
    }
}
