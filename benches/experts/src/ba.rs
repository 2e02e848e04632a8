//! ADBench bundle adjustment, loss = 0.5*(sum reprojection errors^2 + sum (1-w^2)^2); gradient order cams(n,11), X(m,3), w(p).
//! Fast: everything that depends on the camera only (Rodrigues) is hoisted through the index array into a table per camera (its adjoint is
//! summed per camera, then reversed once per camera); observations run in blocks of T lanes; sums into cameras are private per chunk,
//! sums into points are private per chunk over the window of points that the chunk touches.
use crate::scratch::*;
use crate::simd::{V, transpose8};
use crate::{Constants, Work};
use rayon::prelude::*;
pub struct Ba {
    n: usize,
    m: usize,
    np: usize,
    feats: Vec<f64>,
    ci: Vec<u32>,
    pi: Vec<u32>,
}
const T: usize = 128;
const W: usize = 24; // row of the camera table: R(9) C(3) f u0 v0 k1 k2, padded to whole cache lines
impl Ba {
    /// Sizes: cameras, points, observations. Floats: features. Indices: camera and point of each observation.
    pub fn new(c: Constants) -> Ba {
        let [n, m, np] = c.sizes[..] else { panic!("ba takes three sizes") };
        let [feats] = <[Vec<f64>; 1]>::try_from(c.floats).expect("ba takes one array");
        let [ci, pi] = <[Vec<u32>; 2]>::try_from(c.indices).expect("ba takes two index arrays");
        assert!(
            ci.len() == np && ci.iter().all(|&c| (c as usize) < n) && pi.iter().all(|&p| (p as usize) < m)
        );
        Ba { n, m, np, feats, ci, pi }
    }
    fn split<'a>(&self, p: &'a [f64]) -> (&'a [f64], &'a [f64], &'a [f64]) {
        let (c, r) = p.split_at(11 * self.n);
        let (x, w) = r.split_at(3 * self.m);
        (c, x, w)
    }
    fn table(&self, cams: &[f64]) -> Scratch {
        let mut tab = Scratch::zeros(W * self.n);
        for (c, t) in cams.chunks_exact(11).zip(tab.chunks_exact_mut(W)) {
            let sq = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
            if sq != 0.0 {
                let th = sq.sqrt();
                let (s, co) = th.sin_cos();
                let (x, y, z, v) = (c[0] / th, c[1] / th, c[2] / th, 1.0 - co);
                t[..9].copy_from_slice(&[
                    co + x * x * v,
                    x * y * v - z * s,
                    x * z * v + y * s,
                    x * y * v + z * s,
                    co + y * y * v,
                    y * z * v - x * s,
                    x * z * v - y * s,
                    y * z * v + x * s,
                    co + z * z * v,
                ]);
            } else {
                t[..9].copy_from_slice(&[1.0, -c[2], c[1], c[2], 1.0, -c[0], -c[1], c[0], 1.0]);
            }
            t[9..17].copy_from_slice(&c[3..11]);
        }
        tab
    }
    fn untable(cams: &[f64], dt: &[f64], g: &mut [f64]) {
        for ((c, t), g) in cams.chunks_exact(11).zip(dt.chunks_exact(W)).zip(g.chunks_exact_mut(11)) {
            let d = &t[..9];
            let sq = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
            let vee = [d[7] - d[5], d[2] - d[6], d[3] - d[1]];
            if sq != 0.0 {
                let th = sq.sqrt();
                let (s, co) = th.sin_cos();
                let w = [c[0] / th, c[1] / th, c[2] / th];
                let v = 1.0 - co;
                let ds: f64 = (0..3).map(|i| w[i] * vee[i]).sum();
                let (mut dw, mut wdw) = ([0.0; 3], 0.0);
                for i in 0..3 {
                    let mut a = 0.0;
                    for j in 0..3 {
                        a += (d[3 * i + j] + d[3 * j + i]) * w[j];
                    }
                    wdw += 0.5 * a * w[i];
                    dw[i] = v * a + s * vee[i];
                }
                let dco = d[0] + d[4] + d[8] - wdw;
                let dth = -s * dco + co * ds - (dw[0] * w[0] + dw[1] * w[1] + dw[2] * w[2]) / th;
                for i in 0..3 {
                    g[i] += dw[i] / th + dth * w[i];
                }
            } else {
                for i in 0..3 {
                    g[i] += vee[i];
                }
            }
            for i in 0..8 {
                g[3 + i] += t[9 + i];
            }
        }
    }
    const NC: usize = 8;
    /// gather of a block into lanes: 17 camera columns, 3 of X
    #[inline(always)]
    fn gather(
        &self,
        b: usize,
        w: usize,
        tab: &[f64],
        x: &[f64],
        wt: &[f64],
        c: &mut [[f64; T]; 20],
        wf: &mut [[f64; T]; 3],
    ) {
        let row = |l: usize| self.ci[b + l.min(w - 1)] as usize * W;
        assert!(tab.len() >= self.n * W);
        for l in (0..T).step_by(8) {
            let o: [usize; 8] = std::array::from_fn(|q| row(l + q));
            for h in 0..2 {
                let t = transpose8(std::array::from_fn(|q| unsafe { V::ld(tab.as_ptr().add(o[q] + 8 * h)) }));
                for k in 0..8 {
                    unsafe { t[k].st(c[8 * h + k].as_mut_ptr().add(l)) };
                }
            }
            for q in 0..8 {
                c[16][l + q] = tab[o[q] + 16];
            }
        }
        for l in 0..T {
            let i = b + l.min(w - 1);
            let q: &[f64; 3] = x[self.pi[i] as usize * 3..][..3].try_into().unwrap();
            for k in 0..3 {
                c[17 + k][l] = q[k];
            }
        }
        for l in 0..T {
            wf[0][l] = if l < w { wt[b + l] } else { 0.0 };
        }
        for l in 0..w {
            wf[1][l] = self.feats[2 * (b + l)];
            wf[2][l] = self.feats[2 * (b + l) + 1];
        }
    }
}
#[inline(never)]
fn block_val(c: &[[f64; T]; 20], wf: &[[f64; T]; 3], w: usize) -> f64 {
    let mut v = [0.0; T];
    for l in 0..T {
        let (x, y, z) = (c[17][l] - c[9][l], c[18][l] - c[10][l], c[19][l] - c[11][l]);
        let rx = c[0][l] * x + c[1][l] * y + c[2][l] * z;
        let ry = c[3][l] * x + c[4][l] * y + c[5][l] * z;
        let rz = c[6][l] * x + c[7][l] * y + c[8][l] * z;
        let iz = 1.0 / rz;
        let (u, vv) = (rx * iz, ry * iz);
        let r2 = u * u + vv * vv;
        let lf = (1.0 + r2 * (c[15][l] + c[16][l] * r2)) * c[12][l];
        let wt = wf[0][l];
        let e0 = wt * (u * lf + c[13][l] - wf[1][l]);
        let e1 = wt * (vv * lf + c[14][l] - wf[2][l]);
        let we = 1.0 - wt * wt;
        v[l] = 0.5 * (e0 * e0 + e1 * e1 + we * we);
    }
    crate::simd::sum(&v[..w])
}
/// turns c into adjoints of the 17 camera entries and of X (in place), wf[0] into the adjoint of w
#[inline(never)]
fn block_grad(c: &mut [[f64; T]; 20], wf: &mut [[f64; T]; 3], w: usize) -> f64 {
    let mut v = [0.0; T];
    for l in 0..T {
        let (x, y, z) = (c[17][l] - c[9][l], c[18][l] - c[10][l], c[19][l] - c[11][l]);
        let r: [f64; 9] = std::array::from_fn(|i| c[i][l]);
        let rx = r[0] * x + r[1] * y + r[2] * z;
        let ry = r[3] * x + r[4] * y + r[5] * z;
        let rz = r[6] * x + r[7] * y + r[8] * z;
        let iz = 1.0 / rz;
        let (u, vv) = (rx * iz, ry * iz);
        let r2 = u * u + vv * vv;
        let (k1, k2, f) = (c[15][l], c[16][l], c[12][l]);
        let ld = 1.0 + r2 * (k1 + k2 * r2);
        let lf = ld * f;
        let wt = wf[0][l];
        let (p0, p1) = (u * lf + c[13][l] - wf[1][l], vv * lf + c[14][l] - wf[2][l]);
        let (e0, e1) = (wt * p0, wt * p1);
        let we = 1.0 - wt * wt;
        v[l] = 0.5 * (e0 * e0 + e1 * e1 + we * we);
        wf[0][l] = e0 * p0 + e1 * p1 - 2.0 * wt * we;
        let (d0, d1) = (e0 * wt, e1 * wt);
        let dlf = d0 * u + d1 * vv;
        let dld = dlf * f;
        let dr2 = dld * (k1 + 2.0 * k2 * r2);
        let du = d0 * lf + 2.0 * u * dr2;
        let dv = d1 * lf + 2.0 * vv * dr2;
        let (drx, dry) = (du * iz, dv * iz);
        let drz = -(du * u + dv * vv) * iz;
        let dx = drx * r[0] + dry * r[3] + drz * r[6];
        let dy = drx * r[1] + dry * r[4] + drz * r[7];
        let dz = drx * r[2] + dry * r[5] + drz * r[8];
        c[0][l] = drx * x;
        c[1][l] = drx * y;
        c[2][l] = drx * z;
        c[3][l] = dry * x;
        c[4][l] = dry * y;
        c[5][l] = dry * z;
        c[6][l] = drz * x;
        c[7][l] = drz * y;
        c[8][l] = drz * z;
        c[9][l] = -dx;
        c[10][l] = -dy;
        c[11][l] = -dz;
        c[12][l] = dlf * ld;
        c[13][l] = d0;
        c[14][l] = d1;
        c[15][l] = dld * r2;
        c[16][l] = dld * r2 * r2;
        c[17][l] = dx;
        c[18][l] = dy;
        c[19][l] = dz;
    }
    crate::simd::sum(&v[..w])
}
/// one observation as a person writes it; returns (e0, e1)
fn project(c: &[f64], x: &[f64]) -> (f64, f64) {
    let o = [x[0] - c[3], x[1] - c[4], x[2] - c[5]];
    let sq = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    let r = if sq != 0.0 {
        let th = sq.sqrt();
        let (s, co) = (th.sin(), th.cos());
        let iv = 1.0 / th;
        let w = [c[0] * iv, c[1] * iv, c[2] * iv];
        let cr = [w[1] * o[2] - w[2] * o[1], w[2] * o[0] - w[0] * o[2], w[0] * o[1] - w[1] * o[0]];
        let t = (w[0] * o[0] + w[1] * o[1] + w[2] * o[2]) * (1.0 - co);
        [o[0] * co + cr[0] * s + w[0] * t, o[1] * co + cr[1] * s + w[1] * t, o[2] * co + cr[2] * s + w[2] * t]
    } else {
        [o[0] + c[1] * o[2] - c[2] * o[1], o[1] + c[2] * o[0] - c[0] * o[2], o[2] + c[0] * o[1] - c[1] * o[0]]
    };
    let (u, v) = (r[0] / r[2], r[1] / r[2]);
    let r2 = u * u + v * v;
    let l = 1.0 + c[9] * r2 + c[10] * r2 * r2;
    (u * l * c[6] + c[7], v * l * c[6] + c[8])
}
impl Work for Ba {
    fn naive(&self, p: &[f64]) -> f64 {
        let (cams, x, w) = self.split(p);
        let mut t = 0.0;
        for i in 0..self.np {
            let (a, b) = (self.ci[i] as usize, self.pi[i] as usize);
            let (p0, p1) = project(&cams[11 * a..11 * a + 11], &x[3 * b..3 * b + 3]);
            let e0 = w[i] * (p0 - self.feats[2 * i]);
            let e1 = w[i] * (p1 - self.feats[2 * i + 1]);
            let we = 1.0 - w[i] * w[i];
            t += 0.5 * (e0 * e0 + e1 * e1 + we * we);
        }
        t
    }
    fn fast(&self, p: &[f64]) -> f64 {
        let (cams, x, w) = self.split(p);
        let tab = self.table(cams);
        let per = self.np.div_ceil(Self::NC).next_multiple_of(T);
        let v: Vec<f64> = (0..self.np.div_ceil(per))
            .into_par_iter()
            .with_max_len(1)
            .map(|k| {
                let (lo, hi) = (k * per, ((k + 1) * per).min(self.np));
                let (mut c, mut wf) = ([[0.0; T]; 20], [[0.0; T]; 3]);
                let mut v = 0.0;
                for b in (lo..hi).step_by(T) {
                    let n = T.min(hi - b);
                    self.gather(b, n, &tab, x, w, &mut c, &mut wf);
                    v += block_val(&c, &wf, n);
                }
                v
            })
            .collect();
        v.iter().sum()
    }
    fn grad_scalar(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (cams, xs, ws) = self.split(p);
        let (gc, r) = g.split_at_mut(11 * self.n);
        let (gx, gw) = r.split_at_mut(3 * self.m);
        let mut t = 0.0;
        for i in 0..self.np {
            let (a, b) = (self.ci[i] as usize, self.pi[i] as usize);
            let c: &[f64; 11] = cams[11 * a..11 * a + 11].try_into().unwrap();
            let x: &[f64; 3] = xs[3 * b..3 * b + 3].try_into().unwrap();
            let gc = &mut gc[11 * a..11 * a + 11];
            let gx = &mut gx[3 * b..3 * b + 3];
            let o = [x[0] - c[3], x[1] - c[4], x[2] - c[5]];
            let th = (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt();
            let (s, co) = th.sin_cos();
            let iv = 1.0 / th;
            let w = [c[0] * iv, c[1] * iv, c[2] * iv];
            let cr = [w[1] * o[2] - w[2] * o[1], w[2] * o[0] - w[0] * o[2], w[0] * o[1] - w[1] * o[0]];
            let wo = w[0] * o[0] + w[1] * o[1] + w[2] * o[2];
            let tm = wo * (1.0 - co);
            let r = [
                o[0] * co + cr[0] * s + w[0] * tm,
                o[1] * co + cr[1] * s + w[1] * tm,
                o[2] * co + cr[2] * s + w[2] * tm,
            ];
            let iz = 1.0 / r[2];
            let (u, v) = (r[0] * iz, r[1] * iz);
            let r2 = u * u + v * v;
            let ld = 1.0 + c[9] * r2 + c[10] * r2 * r2;
            let (p0, p1) =
                (u * ld * c[6] + c[7] - self.feats[2 * i], v * ld * c[6] + c[8] - self.feats[2 * i + 1]);
            let wt = ws[i];
            let (e0, e1, we) = (wt * p0, wt * p1, 1.0 - wt * wt);
            t += 0.5 * (e0 * e0 + e1 * e1 + we * we);
            // reverse
            gw[i] += e0 * p0 + e1 * p1 - 2.0 * wt * we;
            let (d0, d1) = (e0 * wt, e1 * wt);
            gc[7] += d0;
            gc[8] += d1;
            let q = d0 * u + d1 * v;
            gc[6] += q * ld;
            let dld = q * c[6];
            gc[9] += dld * r2;
            gc[10] += dld * r2 * r2;
            let dr2 = dld * (c[9] + 2.0 * c[10] * r2);
            let du = d0 * ld * c[6] + 2.0 * u * dr2;
            let dv = d1 * ld * c[6] + 2.0 * v * dr2;
            let dr = [du * iz, dv * iz, -(du * u + dv * v) * iz];
            let (mut dco, mut ds, mut dtm) = (0.0, 0.0, 0.0);
            let (mut dw, mut dcr, mut dob) = ([0.0; 3], [0.0; 3], [0.0; 3]);
            for k in 0..3 {
                dob[k] += dr[k] * co;
                dco += dr[k] * o[k];
                dcr[k] = dr[k] * s;
                ds += dr[k] * cr[k];
                dw[k] += dr[k] * tm;
                dtm += dr[k] * w[k];
            }
            let dwo = dtm * (1.0 - co);
            dco -= dtm * wo;
            for k in 0..3 {
                dw[k] += dwo * o[k];
                dob[k] += dwo * w[k];
                let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
                // cr[k] = w[k1]*o[k2] - w[k2]*o[k1]
                dw[k1] += dcr[k] * o[k2];
                dob[k2] += dcr[k] * w[k1];
                dw[k2] -= dcr[k] * o[k1];
                dob[k1] -= dcr[k] * w[k2];
            }
            let mut div = 0.0;
            for k in 0..3 {
                div += dw[k] * c[k];
            }
            let dth = -s * dco + co * ds - div * iv * iv;
            for k in 0..3 {
                gc[k] += dw[k] * iv + dth * w[k];
                gc[3 + k] -= dob[k];
                gx[k] += dob[k];
            }
        }
        t
    }
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (cams, x, w) = self.split(p);
        let (gc, r) = g.split_at_mut(11 * self.n);
        let (gx, gw) = r.split_at_mut(3 * self.m);
        let tab = self.table(cams);
        let per = self.np.div_ceil(Self::NC).next_multiple_of(T);
        let parts: Vec<(f64, Scratch, usize, usize)> = gw
            .par_chunks_mut(per)
            .enumerate()
            .with_max_len(1)
            .map(|(k, gw)| {
                let (lo, hi) = (k * per, ((k + 1) * per).min(self.np));
                let (mut a, mut z) = (u32::MAX, 0);
                for &q in &self.pi[lo..hi] {
                    a = a.min(q);
                    z = z.max(q);
                }
                let (a, win) = (a as usize, (z - a) as usize + 1);
                let mut acc = Scratch::zeros(W * self.n + 3 * win);
                let (dt, dx) = acc.split_at_mut(W * self.n);
                let (mut c, mut wf) = ([[0.0; T]; 20], [[0.0; T]; 3]);
                let mut v = 0.0;
                for b in (lo..hi).step_by(T) {
                    let n = T.min(hi - b);
                    self.gather(b, n, &tab, x, w, &mut c, &mut wf);
                    v += block_grad(&mut c, &mut wf, n);
                    for (g, d) in gw[b - lo..b - lo + n].iter_mut().zip(&wf[0]) {
                        *g += d;
                    }
                    for l in (0..n).step_by(8) {
                        let t: [[V; 8]; 2] = std::array::from_fn(|h| {
                            transpose8(std::array::from_fn(|k| unsafe {
                                V::ld(c[8 * h + k].as_ptr().add(l))
                            }))
                        });
                        for q in 0..8.min(n - l) {
                            let r: &mut [f64; W] =
                                (&mut dt[self.ci[b + l + q] as usize * W..][..W]).try_into().unwrap();
                            for h in 0..2 {
                                unsafe {
                                    V::ld(r.as_ptr().add(8 * h)).add(t[h][q]).st(r.as_mut_ptr().add(8 * h))
                                };
                            }
                            r[16] += c[16][l + q];
                        }
                    }
                    for l in 0..n {
                        let q: &mut [f64; 3] =
                            (&mut dx[(self.pi[b + l] as usize - a) * 3..][..3]).try_into().unwrap();
                        for k in 0..3 {
                            q[k] += c[17 + k][l];
                        }
                    }
                }
                (v, acc, a, win)
            })
            .collect();
        let mut dt = vec![0.0; W * self.n];
        let mut v = 0.0;
        for (vk, acc, a, win) in &parts {
            v += vk;
            for (t, s) in dt.iter_mut().zip(acc.iter()) {
                *t += s;
            }
            for (t, s) in gx[3 * a..3 * (a + win)].iter_mut().zip(&acc[W * self.n..]) {
                *t += s;
            }
        }
        Self::untable(cams, &dt, gc);
        v
    }
}
