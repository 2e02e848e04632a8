//! Graph attention layer (F = 32) on a CSR graph, loss = sum(y*dy); gradient order x, W, a1, a2.
//! d_y is known, so rows give value and edge adjoints in one pass (y is never formed); the sum into sources runs as a gather through the
//! inverse index (built in every call; extra "grad_cached_index": built once); the small dense products are register-tiled.
use crate::math;
use crate::scratch::*;
use crate::simd::{V, sums8};
use crate::{Constants, Work};
use rayon::prelude::*;
const F: usize = 32;
pub struct Gat {
    v: usize,
    e: usize,
    ptr: Vec<u32>,
    idx: Vec<u32>,
    dy: Vec<f64>,
    inv: (Vec<u32>, Vec<[u32; 2]>),
}
fn inverse(n: usize, ptr: &[u32], idx: &[u32]) -> (Vec<u32>, Vec<[u32; 2]>) {
    let mut ip = vec![0u32; n + 1];
    for &j in idx {
        ip[j as usize + 1] += 1;
    }
    for j in 0..n {
        ip[j + 1] += ip[j];
    }
    let mut pos = ip.clone();
    let mut out = vec![[0; 2]; idx.len()];
    for i in 0..ptr.len() - 1 {
        for k in ptr[i]..ptr[i + 1] {
            let p = &mut pos[idx[k as usize] as usize];
            out[*p as usize] = [i as u32, k];
            *p += 1;
        }
    }
    (ip, out)
}
#[inline(always)]
unsafe fn row4(p: *const f64) -> [V; 4] {
    std::array::from_fn(|v| unsafe { V::ld(p.add(8 * v)) })
}
/// out[i][..] (+)= sum_k a[i][k] w[k][..], rows of F
#[inline(never)]
fn mm<const ADD: bool>(n: usize, a: &[f64], w: &[f64], out: &mut [f64]) {
    assert!(a.len() >= n * F && w.len() >= F * F && out.len() >= n * F);
    let (a, w, o) = (a.as_ptr(), w.as_ptr(), out.as_mut_ptr());
    let mut i = 0;
    unsafe {
        while i < n {
            let r = 4.min(n - i);
            let mut acc = [[V::splat(0.0); 4]; 4];
            for k in 0..F {
                let b = row4(w.add(k * F));
                for t in 0..4 {
                    let c = V::splat(*a.add((i + t.min(r - 1)) * F + k));
                    for v in 0..4 {
                        acc[t][v] = acc[t][v].fma(c, b[v]);
                    }
                }
            }
            for t in 0..r {
                for v in 0..4 {
                    let q = o.add((i + t) * F + 8 * v);
                    (if ADD { acc[t][v].add(V::ld(q)) } else { acc[t][v] }).st(q);
                }
            }
            i += r;
        }
    }
}
/// w[k][..] += sum_i a[i][k] b[i][..]
#[inline(never)]
fn mtm(n: usize, a: &[f64], b: &[f64], w: &mut [f64]) {
    assert!(a.len() >= n * F && b.len() >= n * F && w.len() >= F * F);
    let (a, b, w) = (a.as_ptr(), b.as_ptr(), w.as_mut_ptr());
    unsafe {
        for i0 in (0..n).step_by(64) {
            let i1 = (i0 + 64).min(n);
            for k in (0..F).step_by(4) {
                let mut acc: [[V; 4]; 4] = std::array::from_fn(|t| row4(w.add((k + t) * F)));
                for i in i0..i1 {
                    let r = row4(b.add(i * F));
                    for t in 0..4 {
                        let c = V::splat(*a.add(i * F + k + t));
                        for v in 0..4 {
                            acc[t][v] = acc[t][v].fma(c, r[v]);
                        }
                    }
                }
                for t in 0..4 {
                    for v in 0..4 {
                        acc[t][v].st(w.add((k + t) * F + 8 * v));
                    }
                }
            }
        }
    }
}
#[inline(always)]
unsafe fn dotf(a: *const f64, b: &[V; 4]) -> V {
    unsafe {
        let r = row4(a);
        r[0].mul(b[0]).fma(r[1], b[1]).add(r[2].mul(b[2]).fma(r[3], b[3]))
    }
}
const NC: usize = 16;
impl Gat {
    /// Sizes: nodes. Floats: the adjoint of the output. Indices: starts of the rows, neighbours.
    pub fn new(c: Constants) -> Gat {
        let v = c.sizes[0];
        let [dy] = <[Vec<f64>; 1]>::try_from(c.floats).expect("gat takes one array");
        let [ptr, idx] = <[Vec<u32>; 2]>::try_from(c.indices).expect("gat takes two index arrays");
        assert!(ptr.len() == v + 1 && idx.iter().all(|&j| (j as usize) < v));
        let inv = inverse(v, &ptr, &idx);
        Gat { v, e: idx.len(), ptr, idx, dy, inv }
    }
    fn cut(&self, c: usize) -> usize {
        self.v * c / NC
    }
    fn split<'a>(&self, p: &'a [f64]) -> (&'a [f64], &'a [f64], &'a [f64], &'a [f64]) {
        let (x, r) = p.split_at(self.v * F);
        let (w, a) = r.split_at(F * F);
        (x, w, &a[..F], &a[F..])
    }
    /// z, and l, r interleaved
    fn dense(&self, p: &[f64], z: &mut [f64], lr: &mut [f64]) {
        let (x, w, a1, a2) = self.split(p);
        let per = self.v.div_ceil(NC);
        let (b1, b2) = unsafe { (row4(a1.as_ptr()), row4(a2.as_ptr())) };
        z[..self.v * F]
            .par_chunks_mut(per * F)
            .zip(lr[..2 * self.v].par_chunks_mut(2 * per))
            .zip(x.par_chunks(per * F))
            .for_each(|((z, lr), x)| {
                let n = x.len() / F;
                for i in (0..n).step_by(64) {
                    let m = 64.min(n - i);
                    mm::<false>(m, &x[i * F..], w, &mut z[i * F..]);
                    for i in i..i + m {
                        unsafe {
                            lr[2 * i] = dotf(z.as_ptr().add(i * F), &b1).sum();
                            lr[2 * i + 1] = dotf(z.as_ptr().add(i * F), &b2).sum();
                        }
                    }
                }
            });
    }
    /// rows lo..hi: value; with GRAD edge pairs (alpha, d_e) into ed (absolute) and d_r
    fn rows<const GRAD: bool>(&self, lo: usize, hi: usize, z: &[f64], lr: &[f64], ed: Ptr, dr: Ptr) -> f64 {
        let mut tot = 0.0;
        let (mut e, mut s, mut g) = (vec![0.0; 64], vec![0.0; 64], vec![0.0; 64]);
        for i in lo..hi {
            let (a, b) = (self.ptr[i] as usize, self.ptr[i + 1] as usize);
            let m = b - a;
            let mp = m.next_multiple_of(8);
            if mp > e.len() {
                e.resize(mp, 0.0);
                s.resize(mp, 0.0);
                g.resize(mp, 0.0);
            }
            let id = &self.idx[a..b];
            let ri = lr[2 * i + 1];
            let mut mx = f64::MIN;
            for (k, &j) in id.iter().enumerate() {
                let t = lr[2 * j as usize] + ri;
                s[k] = if t >= 0.0 { 1.0 } else { 0.1 };
                e[k] = t * s[k];
                mx = mx.max(e[k]);
            }
            for k in m..mp {
                e[k] = -1e300;
            }
            unsafe {
                let d = row4(self.dy.as_ptr().add(i * F));
                for k in (0..mp).step_by(8) {
                    let t: [V; 8] = std::array::from_fn(|q| {
                        dotf(z.as_ptr().add(id[(k + q).min(m - 1)] as usize * F), &d)
                    });
                    g[k..k + 8].copy_from_slice(&sums8(&t));
                }
            }
            for k in 0..mp {
                e[k] = math::exp(e[k] - mx);
            }
            let (mut zs, mut v) = (0.0, 0.0);
            for k in 0..m {
                zs += e[k];
                v += e[k] * g[k];
            }
            let iz = 1.0 / zs;
            v *= iz;
            tot += v;
            if GRAD {
                let o = unsafe { ed.slice(2 * a, 2 * m) };
                let mut d = 0.0;
                for k in 0..m {
                    let al = e[k] * iz;
                    let de = al * (g[k] - v) * s[k];
                    d += de;
                    o[2 * k] = al;
                    o[2 * k + 1] = de;
                }
                unsafe { dr.slice(i, 1)[0] = d };
            }
        }
        tot
    }
    fn grad(&self, p: &[f64], gr: &mut [f64], inv: &(Vec<u32>, Vec<[u32; 2]>)) -> f64 {
        let v = self.v;
        let (_, w, a1, a2) = self.split(p);
        let mut z = Scratch::new(v * F);
        let mut lr = Scratch::new(2 * v);
        self.dense(p, &mut z, &mut lr);
        let (mut ed, mut dr) = (Scratch::new(2 * self.e), Scratch::new(v));
        let (edp, drp) = (Ptr(ed.as_mut_ptr()), Ptr(dr.as_mut_ptr()));
        let vals: Vec<f64> = (0..NC)
            .into_par_iter()
            .with_max_len(1)
            .map(|c| self.rows::<true>(self.cut(c), self.cut(c + 1), &z, &lr, edp, drp))
            .collect();
        let mut wt = [0.0; F * F];
        for i in 0..F {
            for j in 0..F {
                wt[j * F + i] = w[i * F + j];
            }
        }
        let (gx, rest) = gr.split_at_mut(v * F);
        let gxp = Ptr(gx.as_mut_ptr());
        let (b1, b2) = unsafe { (row4(a1.as_ptr()), row4(a2.as_ptr())) };
        let parts: Vec<Vec<f64>> = (0..NC)
            .into_par_iter()
            .with_max_len(1)
            .map(|c| {
                let (lo, hi) = (self.cut(c), self.cut(c + 1));
                let mut acc = vec![0.0; F * F + 2 * F];
                let mut dz = [0.0; 64 * F];
                let (mut s1, mut s2) = ([V::splat(0.0); 4], [V::splat(0.0); 4]);
                for j0 in (lo..hi).step_by(64) {
                    let m = 64.min(hi - j0);
                    for j in j0..j0 + m {
                        unsafe {
                            let mut s = [V::splat(0.0); 4];
                            let mut dl = 0.0;
                            for &[i, k] in &inv.1[inv.0[j] as usize..inv.0[j + 1] as usize] {
                                let q = ed.as_ptr().add(2 * k as usize);
                                let a = V::splat(*q);
                                dl += *q.add(1);
                                let d = row4(self.dy.as_ptr().add(i as usize * F));
                                for v in 0..4 {
                                    s[v] = s[v].fma(a, d[v]);
                                }
                            }
                            let zj = row4(z.as_ptr().add(j * F));
                            let (l, r) = (V::splat(dl), V::splat(dr[j]));
                            for v in 0..4 {
                                s1[v] = s1[v].fma(l, zj[v]);
                                s2[v] = s2[v].fma(r, zj[v]);
                                s[v].fma(l, b1[v])
                                    .fma(r, b2[v])
                                    .st(dz.as_mut_ptr().add((j - j0) * F + 8 * v));
                            }
                        }
                    }
                    mtm(m, &p[j0 * F..], &dz, &mut acc);
                    mm::<true>(m, &dz, &wt, unsafe { gxp.slice(j0 * F, m * F) });
                }
                for v in 0..4 {
                    unsafe {
                        s1[v].st(acc.as_mut_ptr().add(F * F + 8 * v));
                        s2[v].st(acc.as_mut_ptr().add(F * F + F + 8 * v));
                    }
                }
                acc
            })
            .collect();
        for a in &parts {
            for (g, a) in rest.iter_mut().zip(a) {
                *g += a;
            }
        }
        vals.iter().sum()
    }
}
impl Work for Gat {
    fn naive(&self, p: &[f64]) -> f64 {
        let (x, w, a1, a2) = self.split(p);
        let v = self.v;
        let mut z = vec![0.0; v * F];
        let (mut l, mut r) = (vec![0.0; v], vec![0.0; v]);
        for i in 0..v {
            for k in 0..F {
                for j in 0..F {
                    z[i * F + j] += x[i * F + k] * w[k * F + j];
                }
            }
            for j in 0..F {
                l[i] += z[i * F + j] * a1[j];
                r[i] += z[i * F + j] * a2[j];
            }
        }
        let mut tot = 0.0;
        let mut y = [0.0; F];
        for i in 0..v {
            let mut e = vec![];
            for k in self.ptr[i]..self.ptr[i + 1] {
                let t = l[self.idx[k as usize] as usize] + r[i];
                e.push(if t >= 0.0 { t } else { 0.1 * t });
            }
            let m = e.iter().cloned().fold(f64::MIN, f64::max);
            let mut s = 0.0;
            for t in e.iter_mut() {
                *t = (*t - m).exp();
                s += *t;
            }
            y.fill(0.0);
            for (t, k) in e.iter().zip(self.ptr[i]..) {
                let j = self.idx[k as usize] as usize;
                for f in 0..F {
                    y[f] += t / s * z[j * F + f];
                }
            }
            for f in 0..F {
                tot += y[f] * self.dy[i * F + f];
            }
        }
        tot
    }
    fn fast(&self, p: &[f64]) -> f64 {
        let mut z = Scratch::new(self.v * F);
        let mut lr = Scratch::new(2 * self.v);
        self.dense(p, &mut z, &mut lr);
        let n = Ptr(std::ptr::null_mut());
        let r: Vec<f64> = (0..NC)
            .into_par_iter()
            .with_max_len(1)
            .map(|c| self.rows::<false>(self.cut(c), self.cut(c + 1), &z, &lr, n, n))
            .collect();
        r.iter().sum()
    }
    fn grad_scalar(&self, p: &[f64], gr: &mut [f64]) -> f64 {
        let (x, w, a1, a2) = self.split(p);
        let v = self.v;
        let mut z = vec![0.0; v * F];
        let (mut l, mut r) = (vec![0.0; v], vec![0.0; v]);
        for i in 0..v {
            let zi = &mut z[i * F..][..F];
            for k in 0..F {
                for j in 0..F {
                    zi[j] += x[i * F + k] * w[k * F + j];
                }
            }
            for j in 0..F {
                l[i] += zi[j] * a1[j];
                r[i] += zi[j] * a2[j];
            }
        }
        let (mut dz, mut dl, mut dr) = (vec![0.0; v * F], vec![0.0; v], vec![0.0; v]);
        let mut tot = 0.0;
        let (mut e, mut s, mut g) = (vec![], vec![], vec![]);
        for i in 0..v {
            e.clear();
            s.clear();
            g.clear();
            let (a, b) = (self.ptr[i] as usize, self.ptr[i + 1] as usize);
            let d = &self.dy[i * F..][..F];
            for &j in &self.idx[a..b] {
                let t = l[j as usize] + r[i];
                s.push(if t >= 0.0 { 1.0 } else { 0.1 });
                e.push(if t >= 0.0 { t } else { 0.1 * t });
                let mut q = 0.0;
                for (z, d) in z[j as usize * F..][..F].iter().zip(d) {
                    q += z * d;
                }
                g.push(q);
            }
            let m = e.iter().cloned().fold(f64::MIN, f64::max);
            let mut zs = 0.0;
            for t in e.iter_mut() {
                *t = (*t - m).exp();
                zs += *t;
            }
            let mut val = 0.0;
            for (e, g) in e.iter_mut().zip(&g) {
                *e /= zs;
                val += *e * g;
            }
            tot += val;
            for (k, &j) in self.idx[a..b].iter().enumerate() {
                let de = e[k] * (g[k] - val) * s[k];
                dl[j as usize] += de;
                dr[i] += de;
                for (z, d) in dz[j as usize * F..][..F].iter_mut().zip(d) {
                    *z += e[k] * d;
                }
            }
        }
        let (gx, rest) = gr.split_at_mut(v * F);
        let (gw, ga) = rest.split_at_mut(F * F);
        let (g1, g2) = ga.split_at_mut(F);
        for i in 0..v {
            let (zi, dzi) = (&z[i * F..][..F], &mut dz[i * F..][..F]);
            for f in 0..F {
                dzi[f] += dl[i] * a1[f] + dr[i] * a2[f];
                g1[f] += dl[i] * zi[f];
                g2[f] += dr[i] * zi[f];
            }
            for k in 0..F {
                let mut t = 0.0;
                for f in 0..F {
                    t += dzi[f] * w[k * F + f];
                    gw[k * F + f] += x[i * F + k] * dzi[f];
                }
                gx[i * F + k] += t;
            }
        }
        tot
    }
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let inv = inverse(self.v, &self.ptr, &self.idx);
        self.grad(p, g, &inv)
    }
    fn grad_other(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        Some(self.grad(p, g, &self.inv))
    }
}
