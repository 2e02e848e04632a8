//! CSR y = A x, loss 0.5 |y|^2; gradient order vals(nnz), x(n). The reduction's adjoint (y) is known when a row ends, so value and gradient
//! come from one pass over the data. d_x is private per chunk (4 fixed chunks).
use crate::scratch::*;
use crate::{Constants, Work};
use rayon::prelude::*;
pub struct Spmv {
    n: usize,
    ptr: Vec<u32>,
    col: Vec<u32>,
}
impl Spmv {
    /// Sizes: rows. Indices: starts of the rows, columns.
    pub fn new(c: Constants) -> Spmv {
        let n = c.sizes[0];
        let [ptr, col] = <[Vec<u32>; 2]>::try_from(c.indices).expect("spmv takes two index arrays");
        assert!(ptr.len() == n + 1 && col.iter().all(|&c| (c as usize) < n));
        Spmv { n, ptr, col }
    }
    const NC: usize = 4;
    fn cut(&self, k: usize) -> usize {
        self.n * k / Self::NC
    }
}
/// Rows of a chunk. The index check stays inside: it is free, and a second exit keeps LLVM from unrolling these short loops (unrolled,
/// the mispredicted remainders cost 20-40 %). Tried and slower here (200000 rows, one thread, ms): this 10.4, x and d_x interleaved 12.3,
/// rows blocked by 32 with unchecked unrolled loops 11.3, flattened over nonzeros 13.8, software prefetch 15.5.
#[inline(never)]
fn rows_plain(ptr: &[u32], v: &[f64], col: &[u32], gv: &mut [f64], x: &[f64], d: &mut [f64]) -> f64 {
    let (mut t, base) = (0.0, ptr[0] as usize);
    let d = &mut d[..x.len()];
    for w in ptr.windows(2) {
        let (a, b) = (w[0] as usize - base, w[1] as usize - base);
        let (v, cc, gv) = (&v[a..b], &col[a..b], &mut gv[a..b]);
        let mut s = 0.0;
        for (v, &c) in v.iter().zip(cc) {
            s += v * x[c as usize];
        }
        t += 0.5 * s * s;
        for ((v, &c), g) in v.iter().zip(cc).zip(gv) {
            *g += s * x[c as usize];
            d[c as usize] += s * v;
        }
    }
    t
}
impl Spmv {
    fn grad_copies(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let n = self.n;
        let (v, x) = p.split_at(self.col.len());
        let (gv, gx) = g.split_at_mut(self.col.len());
        let gvp = Ptr(gv.as_mut_ptr());
        let r: Vec<(f64, Scratch)> = (0..Self::NC)
            .into_par_iter()
            .with_max_len(1)
            .map(|c| {
                let mut d = Scratch::zeros(n);
                let (lo, hi) = (self.cut(c), self.cut(c + 1));
                let (a, b) = (self.ptr[lo] as usize, self.ptr[hi] as usize);
                let t = rows_plain(
                    &self.ptr[lo..hi + 1],
                    &v[a..b],
                    &self.col[a..b],
                    unsafe { gvp.slice(a, b - a) },
                    x,
                    &mut d,
                );
                (t, d)
            })
            .collect();
        let w = n.div_ceil(8);
        gx.par_chunks_mut(w).enumerate().for_each(|(k, gx)| {
            for (_, d) in &r {
                for (g, d) in gx.iter_mut().zip(&d[k * w..]) {
                    *g += d;
                }
            }
        });
        r.iter().map(|a| a.0).sum()
    }
}
impl Work for Spmv {
    fn naive(&self, p: &[f64]) -> f64 {
        let (v, x) = p.split_at(self.col.len());
        let mut t = 0.0;
        for i in 0..self.n {
            let mut s = 0.0;
            for k in self.ptr[i] as usize..self.ptr[i + 1] as usize {
                s += v[k] * x[self.col[k] as usize];
            }
            t += 0.5 * s * s;
        }
        t
    }
    fn fast(&self, p: &[f64]) -> f64 {
        let (v, x) = p.split_at(self.col.len());
        let r: Vec<f64> = (0..Self::NC)
            .into_par_iter()
            .with_max_len(1)
            .map(|c| {
                let mut t = 0.0;
                let (ptr, col) = (&self.ptr[..], &self.col[..]);
                for w in ptr[self.cut(c)..self.cut(c + 1) + 1].windows(2) {
                    let (a, b) = (w[0] as usize, w[1] as usize);
                    let mut s = 0.0;
                    for (v, &c) in v[a..b].iter().zip(&col[a..b]) {
                        s += v * x[c as usize];
                    }
                    t += 0.5 * s * s;
                }
                t
            })
            .collect();
        r.iter().sum()
    }
    fn grad_scalar(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (v, x) = p.split_at(self.col.len());
        let (gv, gx) = g.split_at_mut(self.col.len());
        let mut t = 0.0;
        for i in 0..self.n {
            let (a, b) = (self.ptr[i] as usize, self.ptr[i + 1] as usize);
            let mut s = 0.0;
            for (v, &c) in v[a..b].iter().zip(&self.col[a..b]) {
                s += v * x[c as usize];
            }
            t += 0.5 * s * s;
            for ((v, &c), g) in v[a..b].iter().zip(&self.col[a..b]).zip(&mut gv[a..b]) {
                *g += s * x[c as usize];
                gx[c as usize] += s * v;
            }
        }
        t
    }
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64 {
        self.grad_copies(p, g)
    }
}
