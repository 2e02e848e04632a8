//! Dilated banded attention (H heads, first 2 with dilation 4, half-width 32), loss = sum(y*dy); gradient order q, k, v.
//! The adjoint of y is known before the loop: one pass gives value and gradient, y is never formed. One task per (head, residue): rows of
//! d_k and d_v have one owner. Sixteen queries are one block (lanes); scores, d_v, d_k, d_q are register-tiled products over the band.
use crate::math;
use crate::scratch::*;
use crate::simd::V;
use crate::{Constants, Work};
use rayon::prelude::*;
const W: usize = 32;
const DIL: usize = 4;
const DH: usize = 2;
const B: usize = 16;
const KW: usize = B + 2 * W;
pub struct Attn {
    h: usize,
    n: usize,
    d: usize,
    dy: Vec<f64>,
}
impl Attn {
    /// Sizes: heads, positions, width. Floats: the adjoint of the output.
    pub fn new(c: Constants) -> Attn {
        let [h, n, d] = c.sizes[..] else { panic!("attn takes three sizes") };
        let [dy] = <[Vec<f64>; 1]>::try_from(c.floats).expect("attn takes one array");
        assert!(d % 16 == 0 && n % DIL == 0 && n / DIL >= 4);
        Attn { h, n, d, dy }
    }
    fn tasks(&self) -> Vec<(usize, usize, usize)> {
        (0..self.h)
            .flat_map(|h| {
                let dil = if h < DH { DIL } else { 1 };
                (0..dil).map(move |r| (h, r, dil))
            })
            .collect()
    }
}
/// acc over rows: out[a][..] += sum_b c[b*cs + a*ca] * src[b]  for two rows a, NV vectors of columns
#[inline(always)]
unsafe fn gemm2<const NV: usize>(
    nb: usize,
    c: *const f64,
    cb: usize,
    ca: usize,
    src: *const f64,
    ss: usize,
    o0: *mut f64,
    o1: *mut f64,
) {
    unsafe {
        let mut a0: [V; NV] = std::array::from_fn(|v| V::ld(o0.add(8 * v)));
        let mut a1: [V; NV] = std::array::from_fn(|v| V::ld(o1.add(8 * v)));
        for b in 0..nb {
            let (x, y) = (V::splat(*c.add(b * cb)), V::splat(*c.add(b * cb + ca)));
            let s = src.add(b * ss);
            for v in 0..NV {
                let t = V::ld(s.add(8 * v));
                a0[v] = a0[v].fma(x, t);
                a1[v] = a1[v].fma(y, t);
            }
        }
        for v in 0..NV {
            a0[v].st(o0.add(8 * v));
            a1[v].st(o1.add(8 * v));
        }
    }
}
#[inline(never)]
unsafe fn gemm2d(
    d: usize,
    nb: usize,
    c: *const f64,
    cb: usize,
    ca: usize,
    src: *const f64,
    ss: usize,
    o0: *mut f64,
    o1: *mut f64,
) {
    let mut j = 0;
    unsafe {
        while d - j >= 64 {
            gemm2::<8>(nb, c, cb, ca, src.add(j), ss, o0.add(j), o1.add(j));
            j += 64;
        }
        while d - j >= 16 {
            gemm2::<2>(nb, c, cb, ca, src.add(j), ss, o0.add(j), o1.add(j));
            j += 16;
        }
    }
}
/// s[j][l] = sum_d k[j][d] qt[d][l], g the same with v and dyt; four rows j
#[inline(always)]
unsafe fn scores4(
    d: usize,
    k: *const f64,
    v: *const f64,
    rs: usize,
    qt: &[[f64; B]],
    dt: &[[f64; B]],
    s: &mut [[f64; B]],
    g: &mut [[f64; B]],
) {
    unsafe {
        let mut a = [[V::splat(0.0); 2]; 4];
        let mut b = [[V::splat(0.0); 2]; 4];
        for x in 0..d {
            let (q, t) = (qt.get_unchecked(x).as_ptr(), dt.get_unchecked(x).as_ptr());
            let (q0, q1, t0, t1) = (V::ld(q), V::ld(q.add(8)), V::ld(t), V::ld(t.add(8)));
            for j in 0..4 {
                let (kk, vv) = (V::splat(*k.add(j * rs + x)), V::splat(*v.add(j * rs + x)));
                a[j][0] = a[j][0].fma(kk, q0);
                a[j][1] = a[j][1].fma(kk, q1);
                b[j][0] = b[j][0].fma(vv, t0);
                b[j][1] = b[j][1].fma(vv, t1);
            }
        }
        for j in 0..4 {
            for c in 0..2 {
                a[j][c].st(s[j].as_mut_ptr().add(8 * c));
                b[j][c].st(g[j].as_mut_ptr().add(8 * c));
            }
        }
    }
}
#[inline(never)]
unsafe fn scores(
    nk: usize,
    d: usize,
    k: *const f64,
    v: *const f64,
    rs: usize,
    qt: &[[f64; B]],
    dt: &[[f64; B]],
    s: &mut [[f64; B]],
    g: &mut [[f64; B]],
) {
    let mut j = 0;
    // the last tile may repeat rows (nk >= 4 always: the window holds at least W+1 keys)
    while j < nk {
        let o = if j + 4 <= nk { j } else { nk - 4 };
        unsafe { scores4(d, k.add(o * rs), v.add(o * rs), rs, qt, dt, &mut s[o..], &mut g[o..]) };
        j += 4;
    }
}
/// softmax over the valid keys of each lane; p becomes probabilities, g becomes d_score * sc; returns sum of the values of the first w lanes
#[inline(never)]
fn softmax(
    nk: usize,
    j0: usize,
    i0: usize,
    w: usize,
    sc: f64,
    p: &mut [[f64; B]],
    g: &mut [[f64; B]],
) -> f64 {
    let (mut m, mut z, mut v) = ([-1e300; B], [0.0; B], [0.0; B]);
    let rel = |j: usize| (j0 + j) as i64 - i0 as i64;
    for j in 0..nk {
        let r = rel(j);
        for l in 0..B {
            let ok = (r - l as i64).unsigned_abs() <= W as u64;
            p[j][l] = if ok { p[j][l] } else { -1e300 };
            m[l] = if p[j][l] > m[l] { p[j][l] } else { m[l] };
        }
    }
    for j in 0..nk {
        for l in 0..B {
            let e = math::exp(p[j][l] - m[l]);
            p[j][l] = if p[j][l] > -1e299 { e } else { 0.0 };
            z[l] += p[j][l];
            v[l] = p[j][l].mul_add(g[j][l], v[l]);
        }
    }
    for l in 0..B {
        z[l] = if l < w { 1.0 / z[l] } else { 0.0 };
        v[l] *= z[l];
    }
    for j in 0..nk {
        for l in 0..B {
            p[j][l] *= z[l];
            g[j][l] = sc * p[j][l] * (g[j][l] - v[l]);
        }
    }
    v.iter().sum()
}
impl Attn {
    fn task<const GRAD: bool>(&self, (h, r, dil): (usize, usize, usize), p: &[f64], g: Ptr) -> f64 {
        let (n, d) = (self.n, self.d);
        let hn = self.h * n * d;
        let (m, rs) = (n / dil, dil * d);
        let base = (h * n + r) * d;
        let (q, k, v, dy) = (&p[base..], &p[hn + base..], &p[2 * hn + base..], &self.dy[base..]);
        let sc = 1.0 / (d as f64).sqrt();
        let mut s = Scratch::new(2 * d * B + 2 * KW * B + d);
        let (qt, r0) = s.split_at_mut(d * B);
        let (dt, r0) = r0.split_at_mut(d * B);
        let (ps, r0) = r0.split_at_mut(KW * B);
        let (gs, sink) = r0.split_at_mut(KW * B);
        let (qt, dt, ps, gs) =
            (rows_of::<B>(qt, d), rows_of::<B>(dt, d), rows_of::<B>(ps, KW), rows_of::<B>(gs, KW));
        let mut val = 0.0;
        for i0 in (0..m).step_by(B) {
            let w = B.min(m - i0);
            for l in 0..B {
                for x in 0..d {
                    let (a, b) =
                        if l < w { (q[(i0 + l) * rs + x] * sc, dy[(i0 + l) * rs + x]) } else { (0.0, 0.0) };
                    qt[x][l] = a;
                    dt[x][l] = b;
                }
            }
            let (j0, j1) = (i0.saturating_sub(W), (i0 + w + W).min(m));
            let nk = j1 - j0;
            unsafe { scores(nk, d, k.as_ptr().add(j0 * rs), v.as_ptr().add(j0 * rs), rs, qt, dt, ps, gs) };
            val += softmax(nk, j0, i0, w, sc, ps, gs);
            if GRAD {
                unsafe {
                    let (gq, gk, gv) = (g.0.add(base), g.0.add(hn + base), g.0.add(2 * hn + base));
                    for j in (0..nk).step_by(2) {
                        let two = j + 1 < nk;
                        let o = |b: *mut f64| {
                            (
                                b.add((j0 + j) * rs),
                                if two { b.add((j0 + j + 1) * rs) } else { sink.as_ptr() as *mut f64 },
                            )
                        };
                        let (a, b) = o(gv);
                        gemm2d(
                            d,
                            w,
                            ps[j].as_ptr(),
                            1,
                            if two { B } else { 0 },
                            dy.as_ptr().add(i0 * rs),
                            rs,
                            a,
                            b,
                        );
                        let (a, b) = o(gk);
                        gemm2d(
                            d,
                            w,
                            gs[j].as_ptr(),
                            1,
                            if two { B } else { 0 },
                            q.as_ptr().add(i0 * rs),
                            rs,
                            a,
                            b,
                        );
                    }
                    for l in (0..w).step_by(2) {
                        let two = l + 1 < w;
                        let (a, b) = (
                            gq.add((i0 + l) * rs),
                            if two { gq.add((i0 + l + 1) * rs) } else { sink.as_ptr() as *mut f64 },
                        );
                        gemm2d(
                            d,
                            nk,
                            gs[0].as_ptr().add(l),
                            B,
                            if two { 1 } else { 0 },
                            k.as_ptr().add(j0 * rs),
                            rs,
                            a,
                            b,
                        );
                    }
                }
            }
        }
        val
    }
    fn each(&self, i: usize, dil: usize, mut f: impl FnMut(usize)) {
        for t in 0..2 * W + 1 {
            let j = i as i64 + (t as i64 - W as i64) * dil as i64;
            if j >= 0 && j < self.n as i64 {
                f(j as usize);
            }
        }
    }
}
impl Work for Attn {
    fn naive(&self, p: &[f64]) -> f64 {
        let (n, d) = (self.n, self.d);
        let hn = self.h * n * d;
        let (q, k, v) = (&p[..hn], &p[hn..2 * hn], &p[2 * hn..]);
        let sc = 1.0 / (d as f64).sqrt();
        let mut tot = 0.0;
        let mut y = vec![0.0; d];
        for h in 0..self.h {
            let dil = if h < DH { DIL } else { 1 };
            for i in 0..n {
                let qi = &q[(h * n + i) * d..][..d];
                let mut s = vec![];
                self.each(i, dil, |j| {
                    let kj = &k[(h * n + j) * d..][..d];
                    let mut t = 0.0;
                    for x in 0..d {
                        t += qi[x] * kj[x];
                    }
                    s.push(t * sc);
                });
                let m = s.iter().cloned().fold(f64::MIN, f64::max);
                let mut z = 0.0;
                for e in s.iter_mut() {
                    *e = (*e - m).exp();
                    z += *e;
                }
                y.fill(0.0);
                let mut c = 0;
                self.each(i, dil, |j| {
                    let vj = &v[(h * n + j) * d..][..d];
                    let a = s[c] / z;
                    c += 1;
                    for x in 0..d {
                        y[x] += a * vj[x];
                    }
                });
                for x in 0..d {
                    tot += y[x] * self.dy[(h * n + i) * d + x];
                }
            }
        }
        tot
    }
    fn fast(&self, p: &[f64]) -> f64 {
        let t = self.tasks();
        let r: Vec<f64> = t
            .par_iter()
            .with_max_len(1)
            .map(|&t| self.task::<false>(t, p, Ptr(std::ptr::null_mut())))
            .collect();
        r.iter().sum()
    }
    fn grad_scalar(&self, p: &[f64], gr: &mut [f64]) -> f64 {
        let (n, d) = (self.n, self.d);
        let hn = self.h * n * d;
        let (q, k, v) = (&p[..hn], &p[hn..2 * hn], &p[2 * hn..]);
        let (gq, r) = gr.split_at_mut(hn);
        let (gk, gv) = r.split_at_mut(hn);
        let sc = 1.0 / (d as f64).sqrt();
        let mut tot = 0.0;
        let (mut s, mut g) = (vec![], vec![]);
        for h in 0..self.h {
            let dil = if h < DH { DIL } else { 1 };
            for i in 0..n {
                let o = (h * n + i) * d;
                let (qi, di) = (&q[o..][..d], &self.dy[o..][..d]);
                s.clear();
                g.clear();
                self.each(i, dil, |j| {
                    let (kj, vj) = (&k[(h * n + j) * d..][..d], &v[(h * n + j) * d..][..d]);
                    let (mut t, mut u) = (0.0, 0.0);
                    for x in 0..d {
                        t += qi[x] * kj[x];
                        u += di[x] * vj[x];
                    }
                    s.push(t * sc);
                    g.push(u);
                });
                let m = s.iter().cloned().fold(f64::MIN, f64::max);
                let mut z = 0.0;
                for e in s.iter_mut() {
                    *e = (*e - m).exp();
                    z += *e;
                }
                let mut val = 0.0;
                for (e, g) in s.iter_mut().zip(&g) {
                    *e /= z;
                    val += *e * g;
                }
                tot += val;
                let mut c = 0;
                let gqi = &mut gq[o..][..d];
                self.each(i, dil, |j| {
                    let jo = (h * n + j) * d;
                    let ds = sc * s[c] * (g[c] - val);
                    let (kj, gkj, gvj) = (&k[jo..][..d], &mut gk[jo..][..d], &mut gv[jo..][..d]);
                    for x in 0..d {
                        gvj[x] += s[c] * di[x];
                        gkj[x] += ds * qi[x];
                        gqi[x] += ds * kj[x];
                    }
                    c += 1;
                });
            }
        }
        tot
    }
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let t = self.tasks();
        let gp = Ptr(g.as_mut_ptr());
        let r: Vec<f64> = t.par_iter().with_max_len(1).map(|&t| self.task::<true>(t, p, gp)).collect();
        r.iter().sum()
    }
}
