//! ADBench GMM. grad_fast: block execution over T points, the three triangular products register-tiled 4 x 4 (V = 8 lanes);
//! extra "grad_blocks": the same blocks, statement by statement, no register tiling (what DESIGN section 9 describes).
use crate::math;
use crate::scratch::*;
use crate::{Constants, Work};
use rayon::prelude::*;
use tiles::{by4, by44, cols_, outer_, rows_};

mod tiles;
pub struct Gmm {
    d: usize,
    k: usize,
    n: usize,
    x: Vec<f64>,
    gamma: f64,
    m: f64,
    cst: f64,
}
struct Pre {
    e: Vec<f64>,
    sq: Vec<f64>,
}
impl Gmm {
    /// Sizes: dimension, components, points. Floats: points, then `[gamma, m, constant]`.
    pub fn new(c: Constants) -> Gmm {
        let [d, k, n] = c.sizes[..] else { panic!("gmm takes three sizes") };
        let [x, other] = <[Vec<f64>; 2]>::try_from(c.floats).expect("gmm takes two arrays");
        Gmm { d, k, n, x, gamma: other[0], m: other[1], cst: other[2] }
    }
    fn isz(&self) -> usize {
        self.d * (self.d + 1) / 2
    }
    fn split<'a>(&self, p: &'a [f64]) -> (&'a [f64], &'a [f64], &'a [f64]) {
        let (a, r) = p.split_at(self.k);
        let (m, i) = r.split_at(self.k * self.d);
        (a, m, i)
    }
    fn pre(&self, icf: &[f64]) -> Pre {
        let (d, isz) = (self.d, self.isz());
        Pre {
            e: (0..self.k * d).map(|t| icf[(t / d) * isz + t % d].exp()).collect(),
            sq: (0..self.k).map(|c| icf[c * isz..c * isz + d].iter().sum()).collect(),
        }
    }
    /// everything outside the loop over points; adds to g if given
    fn rest(&self, p: &[f64], pr: &Pre, g: Option<&mut [f64]>) -> f64 {
        let (al, _, icf) = self.split(p);
        let (d, k, isz) = (self.d, self.k, self.isz());
        let mx = al.iter().cloned().fold(f64::MIN, f64::max);
        let se: f64 = al.iter().map(|v| (v - mx).exp()).sum();
        let mut pri = 0.0;
        for c in 0..k {
            for j in 0..d {
                pri += pr.e[c * d + j] * pr.e[c * d + j];
            }
            for j in d..isz {
                pri += icf[c * isz + j] * icf[c * isz + j];
            }
        }
        let g2 = self.gamma * self.gamma;
        if let Some(g) = g {
            let (dal, r) = g.split_at_mut(k);
            let dicf = &mut r[k * d..];
            for c in 0..k {
                dal[c] -= self.n as f64 * (al[c] - mx).exp() / se;
                for j in 0..d {
                    dicf[c * isz + j] += g2 * pr.e[c * d + j] * pr.e[c * d + j] - self.m;
                }
                for j in d..isz {
                    dicf[c * isz + j] += g2 * icf[c * isz + j];
                }
            }
        }
        self.cst - self.n as f64 * (mx + se.ln()) + 0.5 * g2 * pri - self.m * pr.sq.iter().sum::<f64>()
    }
    fn chunks(&self, t: usize) -> (usize, usize) {
        let nb = self.n.div_ceil(t);
        let per = nb.div_ceil(if nb >= 64 { 16 } else { 8 });
        (nb.div_ceil(per), per * t)
    }
}
impl Gmm {
    /// one chunk of points; q of all components is kept (L2), xc is recomputed
    fn chunk<const T: usize, const GRAD: bool>(
        &self,
        lo: usize,
        hi: usize,
        p: &[f64],
        pr: &Pre,
        g: &mut [f64],
    ) -> f64 {
        let (al, mu, icf) = self.split(p);
        let (d, k, isz) = (self.d, self.k, self.isz());
        let nq = if GRAD { k * d * T } else { d * T };
        let mut sc = Scratch::new(k * T + nq + 3 * d * T);
        let (mt, q) = sc.split_at_mut(k * T);
        let mt = rows_of::<T>(mt, k);
        let (q, xi) = q.split_at_mut(nq);
        let (xi, xc) = xi.split_at_mut(d * T);
        let (xc, gx) = xc.split_at_mut(d * T);
        let mut val = 0.0;
        for b in (lo..hi).step_by(T) {
            let w = T.min(hi - b);
            for j in 0..d {
                for l in 0..w {
                    xi[j * T + l] = self.x[(b + l) * d + j];
                }
                for l in w..T {
                    xi[j * T + l] = 0.0;
                }
            }
            for c in 0..k {
                for j in 0..d {
                    let m = mu[c * d + j];
                    for l in 0..T {
                        xc[j * T + l] = xi[j * T + l] - m;
                    }
                }
                let qc = if GRAD { &mut q[c * d * T..(c + 1) * d * T] } else { &mut q[..] };
                let (e, lw) = (&pr.e[c * d..], &icf[c * isz + d..(c + 1) * isz]);
                for j in (0..d).step_by(4) {
                    unsafe {
                        by4!(
                            (d - j).min(4),
                            rows_,
                            (j, d, T, e.as_ptr(), lw.as_ptr(), xc.as_ptr(), qc.as_mut_ptr())
                        )
                    };
                }
                let mut s = [0.0; T];
                for j in 0..d {
                    for l in 0..T {
                        s[l] = qc[j * T + l].mul_add(qc[j * T + l], s[l]);
                    }
                }
                let a = al[c] + pr.sq[c];
                for l in 0..T {
                    mt[c][l] = a - 0.5 * s[l];
                }
            }
            let mut m = mt[0];
            for c in 1..k {
                for l in 0..T {
                    m[l] = if mt[c][l] > m[l] { mt[c][l] } else { m[l] };
                }
            }
            let mut se = [0.0; T];
            for c in 0..k {
                for l in 0..T {
                    mt[c][l] = math::exp(mt[c][l] - m[l]);
                    se[l] += mt[c][l];
                }
            }
            for l in 0..w {
                val += m[l] + se[l].ln();
            }
            if !GRAD {
                continue;
            }
            for l in 0..T {
                se[l] = if l < w { 1.0 / se[l] } else { 0.0 };
            }
            let (dal, r) = g.split_at_mut(k);
            let (dmu, dicf) = r.split_at_mut(k * d);
            for c in 0..k {
                for l in 0..T {
                    mt[c][l] *= se[l];
                }
                let gs = crate::simd::sum(&mt[c]);
                dal[c] += gs;
                for j in 0..d {
                    let m = mu[c * d + j];
                    for l in 0..T {
                        gx[j * T + l] = mt[c][l] * (m - xi[j * T + l]);
                    }
                }
                let qc = &q[c * d * T..(c + 1) * d * T];
                let (e, lw) = (&pr.e[c * d..], &icf[c * isz + d..(c + 1) * isz]);
                let dic = &mut dicf[c * isz..(c + 1) * isz];
                for a in (0..d).step_by(4) {
                    let ra = (d - a).min(4);
                    unsafe {
                        by4!(
                            ra,
                            cols_,
                            (
                                a,
                                d,
                                T,
                                e.as_ptr(),
                                lw.as_ptr(),
                                qc.as_ptr(),
                                mt[c].as_ptr(),
                                dmu[c * d..].as_mut_ptr()
                            )
                        )
                    };
                    for i in (a..d).step_by(4) {
                        let ri = (d - i).min(4);
                        let o =
                            unsafe { by44!(ra, ri, outer_, (T, gx[a * T..].as_ptr(), qc[i * T..].as_ptr())) };
                        for r in 0..ra {
                            let off = d + (a + r) * (2 * d - a - r - 1) / 2;
                            for s in 0..ri {
                                if i + s > a + r {
                                    dic[off + i + s - a - r - 1] += o[r][s];
                                } else if i + s == a + r {
                                    dic[a + r] += gs + e[a + r] * o[r][s];
                                }
                            }
                        }
                    }
                }
            }
        }
        val
    }
    fn par<const T: usize, const GRAD: bool>(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let pr = self.pre(&p[self.k + self.k * self.d..]);
        let (nc, per) = self.chunks(T);
        let r: Vec<(f64, Scratch)> = (0..nc)
            .into_par_iter()
            .with_max_len(1)
            .map(|c| {
                let mut g = Scratch::zeros(if GRAD { p.len() } else { 0 });
                let v = self.chunk::<T, GRAD>(c * per, ((c + 1) * per).min(self.n), p, &pr, &mut g);
                (v, g)
            })
            .collect();
        let mut v = 0.0;
        for (a, b) in &r {
            v += a;
            for (x, y) in g.iter_mut().zip(b.iter()) {
                *x += y;
            }
        }
        v + self.rest(p, &pr, if GRAD { Some(g) } else { None })
    }
    fn blocks_chunk<const T: usize>(&self, lo: usize, hi: usize, p: &[f64], pr: &Pre, g: &mut [f64]) -> f64 {
        let (al, mu, icf) = self.split(p);
        let (d, k, isz) = (self.d, self.k, self.isz());
        let z = [0.0f64; T];
        let mut sc = Scratch::new((k + 2 * k * d + 2 * d) * T);
        let (mt, xcv) = rows_of::<T>(&mut sc, k + 2 * k * d + 2 * d).split_at_mut(k);
        let (xcv, qv) = xcv.split_at_mut(k * d);
        let (qv, xi) = qv.split_at_mut(k * d);
        let (xi, gx) = xi.split_at_mut(d);
        let (dal, r) = g.split_at_mut(k);
        let (dmu, dicf) = r.split_at_mut(k * d);
        let mut val = 0.0;
        for b in (lo..hi).step_by(T) {
            let w = T.min(hi - b);
            for j in 0..d {
                for l in 0..w {
                    xi[j][l] = self.x[(b + l) * d + j];
                }
                for l in w..T {
                    xi[j][l] = 0.0;
                }
            }
            for c in 0..k {
                let xc = &mut xcv[c * d..c * d + d];
                let q = &mut qv[c * d..c * d + d];
                for j in 0..d {
                    let (m, e) = (mu[c * d + j], pr.e[c * d + j]);
                    for l in 0..T {
                        xc[j][l] = xi[j][l] - m;
                        q[j][l] = e * xc[j][l];
                    }
                }
                let mut o = c * isz + d;
                for a in 0..d {
                    let len = d - a - 1;
                    for (y, &r) in q[a + 1..].iter_mut().zip(&icf[o..o + len]) {
                        for l in 0..T {
                            y[l] = r.mul_add(xc[a][l], y[l]);
                        }
                    }
                    o += len;
                }
                let mut s = z;
                for j in 0..d {
                    for l in 0..T {
                        s[l] = q[j][l].mul_add(q[j][l], s[l]);
                    }
                }
                for l in 0..T {
                    mt[c][l] = al[c] + pr.sq[c] - 0.5 * s[l];
                }
            }
            let mut m = mt[0];
            for c in 1..k {
                for l in 0..T {
                    m[l] = if mt[c][l] > m[l] { mt[c][l] } else { m[l] };
                }
            }
            let mut se = z;
            for c in 0..k {
                for l in 0..T {
                    mt[c][l] = math::exp(mt[c][l] - m[l]);
                    se[l] += mt[c][l];
                }
            }
            for l in 0..w {
                val += m[l] + se[l].ln();
            }
            for l in 0..T {
                se[l] = if l < w { 1.0 / se[l] } else { 0.0 };
            }
            for c in 0..k {
                let gg = &mut mt[c];
                for l in 0..T {
                    gg[l] *= se[l];
                }
                let gs = crate::simd::sum(gg);
                dal[c] += gs;
                let (xc, q) = (&xcv[c * d..c * d + d], &qv[c * d..c * d + d]);
                for a in 0..d {
                    for l in 0..T {
                        gx[a][l] = -gg[l] * xc[a][l];
                    }
                }
                let (ic, dic) = (&icf[c * isz..(c + 1) * isz], &mut dicf[c * isz..(c + 1) * isz]);
                let mut o = d;
                for a in 0..d {
                    let len = d - a - 1;
                    let mut t = z;
                    for i in 0..len {
                        let (qi, r) = (&q[a + 1 + i], ic[o + i]);
                        dic[o + i] += crate::simd::dot(qi, &gx[a]);
                        for l in 0..T {
                            t[l] = r.mul_add(qi[l], t[l]);
                        }
                    }
                    let e = pr.e[c * d + a];
                    for l in 0..T {
                        t[l] = e.mul_add(q[a][l], t[l]);
                    }
                    dmu[c * d + a] += crate::simd::dot(gg, &t);
                    dic[a] += gs + e * crate::simd::dot(&gx[a], &q[a]);
                    o += len;
                }
            }
        }
        val
    }
}
impl Work for Gmm {
    fn naive(&self, p: &[f64]) -> f64 {
        let (al, mu, icf) = self.split(p);
        let (d, k, isz) = (self.d, self.k, self.isz());
        let pr = self.pre(icf);
        let mut tot = 0.0;
        let (mut mt, mut xc, mut q) = (vec![0.0; k], vec![0.0; d], vec![0.0; d]);
        for i in 0..self.n {
            for c in 0..k {
                for j in 0..d {
                    xc[j] = self.x[i * d + j] - mu[c * d + j];
                    q[j] = pr.e[c * d + j] * xc[j];
                }
                let mut o = c * isz + d;
                for a in 0..d {
                    for b in a + 1..d {
                        q[b] += icf[o] * xc[a];
                        o += 1;
                    }
                }
                let mut s = 0.0;
                for j in 0..d {
                    s += q[j] * q[j];
                }
                mt[c] = al[c] + pr.sq[c] - 0.5 * s;
            }
            let m = mt.iter().cloned().fold(f64::MIN, f64::max);
            let mut se = 0.0;
            for v in &mt {
                se += (v - m).exp();
            }
            tot += m + se.ln();
        }
        tot + self.rest(p, &pr, None)
    }
    fn fast(&self, p: &[f64]) -> f64 {
        self.par::<128, false>(p, &mut [])
    }
    fn grad_scalar(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (al, mu, icf) = self.split(p);
        let (d, k, isz) = (self.d, self.k, self.isz());
        let pr = self.pre(icf);
        let mut tot = 0.0;
        let (mut mt, mut xcv, mut qv) = (vec![0.0; k], vec![0.0; k * d], vec![0.0; k * d]);
        {
            let (dal, r) = g.split_at_mut(k);
            let (dmu, dicf) = r.split_at_mut(k * d);
            for i in 0..self.n {
                for c in 0..k {
                    let (xc, q) = (&mut xcv[c * d..c * d + d], &mut qv[c * d..c * d + d]);
                    for j in 0..d {
                        xc[j] = self.x[i * d + j] - mu[c * d + j];
                        q[j] = pr.e[c * d + j] * xc[j];
                    }
                    let mut o = c * isz + d;
                    for a in 0..d {
                        let len = d - a - 1;
                        for (y, r) in q[a + 1..].iter_mut().zip(&icf[o..o + len]) {
                            *y += r * xc[a];
                        }
                        o += len;
                    }
                    let mut s = 0.0;
                    for j in 0..d {
                        s += q[j] * q[j];
                    }
                    mt[c] = al[c] + pr.sq[c] - 0.5 * s;
                }
                let m = mt.iter().cloned().fold(f64::MIN, f64::max);
                let mut se = 0.0;
                for v in mt.iter_mut() {
                    *v = (*v - m).exp();
                    se += *v;
                }
                tot += m + se.ln();
                for c in 0..k {
                    let g = mt[c] / se;
                    dal[c] += g;
                    let (xc, q) = (&xcv[c * d..c * d + d], &qv[c * d..c * d + d]);
                    let (ic, dic) = (&icf[c * isz..(c + 1) * isz], &mut dicf[c * isz..(c + 1) * isz]);
                    let mut o = d;
                    for a in 0..d {
                        let len = d - a - 1;
                        let e = pr.e[c * d + a];
                        let (mut t, gx) = (e * q[a], -g * xc[a]);
                        for ((r, y), dr) in ic[o..o + len].iter().zip(&q[a + 1..]).zip(&mut dic[o..o + len]) {
                            t += r * y;
                            *dr += gx * y;
                        }
                        dmu[c * d + a] += g * t;
                        dic[a] += g + gx * q[a] * e;
                        o += len;
                    }
                }
            }
        }
        tot + self.rest(p, &pr, Some(g))
    }
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64 {
        // q of all components stays in L2
        if self.k * self.d * 128 * 8 > 500_000 {
            self.par::<64, true>(p, g)
        } else {
            self.par::<128, true>(p, g)
        }
    }
    fn grad_other(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        let pr = self.pre(&p[self.k + self.k * self.d..]);
        let (nc, per) = self.chunks(128);
        let r: Vec<(f64, Scratch)> = (0..nc)
            .into_par_iter()
            .with_max_len(1)
            .map(|c| {
                let mut g = Scratch::zeros(p.len());
                let v = self.blocks_chunk::<128>(c * per, ((c + 1) * per).min(self.n), p, &pr, &mut g);
                (v, g)
            })
            .collect();
        let mut v = 0.0;
        for (a, b) in &r {
            v += a;
            for (x, y) in g.iter_mut().zip(b.iter()) {
                *x += y;
            }
        }
        Some(v + self.rest(p, &pr, Some(g)))
    }
}
