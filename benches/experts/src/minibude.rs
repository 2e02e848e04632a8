//! miniBUDE bm1: sum over poses of the docking energy; gradient order poses(6,N), radius(34), hphb(34), elsc(34).
//! The adjoint of every pose's energy is known (1): one pass. Poses are the lanes (blocks of 64); per pair of atoms everything that does not
//! depend on the pose is a scalar; pairs where no lane is inside the cut-off are skipped before the square root; the force-field adjoints
//! need only six lane sums per pair.
use crate::math;
use crate::scratch::*;
use crate::simd::V;
use crate::{Constants, Work};
use rayon::prelude::*;
const HARD: f64 = 38.0;
const CN: f64 = 45.0;
const T: usize = 64;
pub struct Bude {
    n: usize,
    lt: Vec<usize>,
    pt: Vec<usize>,
    lpos: Vec<[f64; 3]>,
    ppos: Vec<[f64; 3]>,
    nt: usize,
    sign: Vec<(f64, f64, f64, f64, bool, bool)>, // psign, lsign, ddslv (<=0: none), elcdst, typeE, pnz
}
#[derive(Clone, Copy)]
struct Pair {
    r: f64,
    ri: f64,
    chrg: f64, // effective: -|c| for type E
    sg: f64,   // d chrg_eff / d c
    e: f64,
    dslv: f64,
    dd: f64, // 0: inactive
    rc2: f64,
}
impl Bude {
    /// Sizes: poses, types. Floats: positions of the ligand and of the protein, signs of the protein's and of the
    /// ligand's hydrophobicity, reach of desolvation, reach of charges. Indices: types of the ligand's and of the
    /// protein's atoms, whether a pair attracts, whether it dissolves.
    pub fn new(c: Constants) -> Bude {
        let [n, nt] = c.sizes[..] else { panic!("minibude takes two sizes") };
        let [lpos, ppos, ps, ls, dd, ed] =
            <[Vec<f64>; 6]>::try_from(c.floats).expect("minibude takes six arrays");
        let [lt, pt, te, pnz] =
            <[Vec<u32>; 4]>::try_from(c.indices).expect("minibude takes four index arrays");
        let rows = |x: Vec<f64>| x.as_chunks::<3>().0.to_vec();
        let sign = (0..ps.len()).map(|i| (ps[i], ls[i], dd[i], ed[i], te[i] != 0, pnz[i] != 0)).collect();
        let wide = |t: Vec<u32>| t.into_iter().map(|t| t as usize).collect();
        Bude { n, nt, lt: wide(lt), pt: wide(pt), lpos: rows(lpos), ppos: rows(ppos), sign }
    }
    fn pairs(&self, p: &[f64]) -> Vec<Pair> {
        let nt = self.nt;
        let (rad, h, el) = (&p[6 * self.n..], &p[6 * self.n + nt..], &p[6 * self.n + 2 * nt..]);
        let mut v = Vec::with_capacity(self.sign.len());
        let mut s = self.sign.iter();
        for &a in &self.lt {
            for &b in &self.pt {
                let &(ps, ls, dd, ed, te, pnz) = s.next().unwrap();
                let r = rad[a] + rad[b];
                let c = el[a] * el[b];
                let dd = if pnz { dd } else { 0.0 };
                let rc = r + f64::max(ed, dd);
                v.push(Pair {
                    r,
                    ri: 1.0 / r,
                    chrg: if te { -c.abs() } else { c },
                    sg: if !te {
                        1.0
                    } else if c > 0.0 {
                        -1.0
                    } else if c < 0.0 {
                        1.0
                    } else {
                        0.0
                    },
                    e: ed,
                    dslv: h[b] * ps + h[a] * ls,
                    dd,
                    rc2: rc * rc,
                });
            }
        }
        v
    }
    /// poses b..b+w; gradient of the poses into gp (6 rows of n), of the force field into gf
    fn block<const GRAD: bool>(
        &self,
        b: usize,
        w: usize,
        p: &[f64],
        pr: &[Pair],
        gp: Ptr,
        gf: &mut [f64],
    ) -> f64 {
        let (n, nl, nt) = (self.n, self.lpos.len(), self.nt);
        let mut tr = [[0.0; T]; 6];
        for k in 0..6 {
            for l in 0..T {
                tr[k][l] = p[k * n + b + l.min(w - 1)];
            }
        }
        let mut sc = [[0.0; T]; 6];
        for k in 0..3 {
            for l in 0..T {
                let (s, c) = math::sincos(tr[k][l]);
                sc[2 * k][l] = s;
                sc[2 * k + 1][l] = c;
            }
        }
        let mut rot = [[0.0; T]; 9];
        for l in 0..T {
            let [sx, cx, sy, cy, sz, cz] = std::array::from_fn(|k| sc[k][l]);
            let r = [
                cy * cz,
                sx * sy * cz - cx * sz,
                cx * sy * cz + sx * sz,
                cy * sz,
                sx * sy * sz + cx * cz,
                cx * sy * sz - sx * cz,
                -sy,
                sx * cy,
                cx * cy,
            ];
            for k in 0..9 {
                rot[k][l] = r[k];
            }
        }
        // lanes past w are moved far away, so that they are never active
        if w < T {
            for l in w..T {
                tr[3][l] = 1e9;
            }
        }
        let (mut drot, mut dtr) = ([[0.0; T]; 9], [[0.0; T]; 3]);
        let el = &p[6 * n + 2 * nt..];
        let mut val = 0.0;
        for i in 0..nl {
            let q = self.lpos[i];
            let mut x = [[0.0; T]; 3];
            for k in 0..3 {
                for l in 0..T {
                    x[k][l] = rot[3 * k][l].mul_add(
                        q[0],
                        rot[3 * k + 1][l].mul_add(q[1], rot[3 * k + 2][l].mul_add(q[2], tr[3 + k][l])),
                    );
                }
            }
            let mut dx = [[0.0; T]; 3];
            let np = self.pt.len();
            let ta = self.lt[i];
            for j in 0..np {
                let a = &pr[i * np + j];
                let o = &self.ppos[j];
                let rc2 = V::splat(a.rc2);
                let (ox, oy, oz) = (V::splat(o[0]), V::splat(o[1]), V::splat(o[2]));
                let z = V::splat(0.0);
                let (mut sz, mut s1, mut s2) = (z, z, z);
                let (mut nz, mut n1, mut n2) = (0, 0, 0);
                for v in (0..T).step_by(8) {
                    let at = |k: usize| unsafe { V::ld(x[k].as_ptr().add(v)) };
                    let (ex, ey, ez) = (at(0).sub(ox), at(1).sub(oy), at(2).sub(oz));
                    let d2 = ex.mul(ex).fma(ey, ey).fma(ez, ez);
                    let m = d2.lt(rc2);
                    if m == 0 {
                        continue;
                    }
                    let dist = d2.sqrt();
                    let mz = dist.lt(V::splat(a.r));
                    let m1 = dist.lt(V::splat(a.r + a.e)) & !mz;
                    let m2 = if a.dd > 0.0 { dist.lt(V::splat(a.r + a.dd)) & !mz } else { 0 };
                    sz = sz.add_if(mz, dist);
                    s1 = s1.add_if(m1, dist);
                    s2 = s2.add_if(m2, dist);
                    nz += mz.count_ones();
                    n1 += m1.count_ones();
                    n2 += m2.count_ones();
                    if GRAD {
                        // d energy / d dist, divided by dist
                        let ie = 1.0 / a.e;
                        let rd = if a.dd > 0.0 { 1.0 / a.dd } else { 0.0 };
                        let c = z
                            .add_if(mz, V::splat(-HARD * a.ri))
                            .add_if(m1, V::splat(-0.5 * CN * a.chrg * ie))
                            .add_if(m2, V::splat(-0.5 * a.dslv * rd));
                        let c = c.div(dist);
                        for (k, e) in [ex, ey, ez].into_iter().enumerate() {
                            unsafe {
                                let q = dx[k].as_mut_ptr().add(v);
                                V::ld(q).fma(c, e).st(q);
                            }
                        }
                    }
                }
                if nz + n1 + n2 == 0 {
                    continue;
                }
                let (sz, s1, s2, nz, n1, n2) =
                    (sz.sum(), s1.sum(), s2.sum(), nz as f64, n1 as f64, n2 as f64);
                let ie = 1.0 / a.e;
                let act2 = a.dd > 0.0;
                let rd = if act2 { 1.0 / a.dd } else { 0.0 };
                let f1 = nz + n1 - (s1 - n1 * a.r) * ie; // sum of the charge factors
                let f2 = if act2 { nz + n2 - (s2 - n2 * a.r) * rd } else { 0.0 };
                val += HARD * (nz - a.ri * sz) + 0.5 * CN * a.chrg * f1 + 0.5 * a.dslv * f2;
                if GRAD {
                    let tb = self.pt[j];
                    let &(ps, ls, ..) = &self.sign[i * np + j];
                    let dr = HARD * a.ri * a.ri * sz + 0.5 * CN * a.chrg * ie * n1 + 0.5 * a.dslv * rd * n2;
                    gf[ta] += dr;
                    gf[tb] += dr;
                    let ds = 0.5 * f2;
                    gf[nt + tb] += ds * ps;
                    gf[nt + ta] += ds * ls;
                    let dc = 0.5 * CN * f1 * a.sg;
                    gf[2 * nt + ta] += dc * el[tb];
                    gf[2 * nt + tb] += dc * el[ta];
                }
            }
            if GRAD {
                for k in 0..3 {
                    for l in 0..T {
                        dtr[k][l] += dx[k][l];
                        for c in 0..3 {
                            drot[3 * k + c][l] = dx[k][l].mul_add(q[c], drot[3 * k + c][l]);
                        }
                    }
                }
            }
        }
        if GRAD {
            let mut da = [[0.0; T]; 3];
            for l in 0..T {
                let [sx, cx, sy, cy, sz, cz] = std::array::from_fn(|k| sc[k][l]);
                let d: [f64; 9] = std::array::from_fn(|k| drot[k][l]);
                // d/dx: columns 1 and 2 rotate into each other
                da[0][l] = d[1] * (cx * sy * cz + sx * sz) - d[2] * (sx * sy * cz - cx * sz)
                    + d[4] * (cx * sy * sz - sx * cz)
                    - d[5] * (sx * sy * sz + cx * cz)
                    + d[7] * cx * cy
                    - d[8] * sx * cy;
                da[1][l] = -d[0] * sy * cz + d[1] * sx * cy * cz + d[2] * cx * cy * cz - d[3] * sy * sz
                    + d[4] * sx * cy * sz
                    + d[5] * cx * cy * sz
                    - d[6] * cy
                    - d[7] * sx * sy
                    - d[8] * cx * sy;
                da[2][l] = -d[0] * cy * sz
                    + d[1] * (-sx * sy * sz - cx * cz)
                    + d[2] * (-cx * sy * sz + sx * cz)
                    + d[3] * cy * cz
                    + d[4] * (sx * sy * cz - cx * sz)
                    + d[5] * (cx * sy * cz + sx * sz);
            }
            for k in 0..3 {
                let (a, t) = unsafe { (gp.slice(k * n + b, w), gp.slice((3 + k) * n + b, w)) };
                for l in 0..w {
                    a[l] += da[k][l];
                    t[l] += dtr[k][l];
                }
            }
        }
        val
    }
    fn par<const GRAD: bool>(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let pr = self.pairs(p);
        let nf = 3 * self.nt;
        let gp = Ptr(g.as_mut_ptr());
        let r: Vec<(f64, Vec<f64>)> = (0..self.n.div_ceil(T))
            .into_par_iter()
            .with_max_len(1)
            .map(|c| {
                let mut gf = vec![0.0; nf];
                let v = self.block::<GRAD>(c * T, T.min(self.n - c * T), p, &pr, gp, &mut gf);
                (v, gf)
            })
            .collect();
        if GRAD {
            for (_, f) in &r {
                for (g, f) in g[6 * self.n..].iter_mut().zip(f) {
                    *g += f;
                }
            }
        }
        r.iter().map(|a| a.0).sum()
    }
    fn scalar<const GRAD: bool>(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (n, nt, np) = (self.n, self.nt, self.pt.len());
        let (rad, h, el) = (&p[6 * n..], &p[6 * n + nt..], &p[6 * n + 2 * nt..]);
        let mut tot = 0.0;
        for m in 0..n {
            let (sx, cx) = p[m].sin_cos();
            let (sy, cy) = p[n + m].sin_cos();
            let (sz, cz) = p[2 * n + m].sin_cos();
            let r = [
                cy * cz,
                sx * sy * cz - cx * sz,
                cx * sy * cz + sx * sz,
                cy * sz,
                sx * sy * sz + cx * cz,
                cx * sy * sz - sx * cz,
                -sy,
                sx * cy,
                cx * cy,
            ];
            let mut d = [0.0; 9];
            let mut dt = [0.0; 3];
            let mut en = 0.0;
            for i in 0..self.lt.len() {
                let q = self.lpos[i];
                let ta = self.lt[i];
                let mut x = [0.0; 3];
                for k in 0..3 {
                    x[k] = p[(3 + k) * n + m] + r[3 * k] * q[0] + r[3 * k + 1] * q[1] + r[3 * k + 2] * q[2];
                }
                let mut dx = [0.0; 3];
                for j in 0..np {
                    let tb = self.pt[j];
                    let (ps, ls, dd, ed, te, pnz) = self.sign[i * np + j];
                    let o = self.ppos[j];
                    let e = [x[0] - o[0], x[1] - o[1], x[2] - o[2]];
                    let dist = (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]).sqrt();
                    let rr = rad[ta] + rad[tb];
                    let db = dist - rr;
                    let z1 = db < 0.0;
                    let (mut dd_, mut dr, mut t) = (0.0, 0.0, 0.0);
                    if z1 {
                        t += (1.0 - dist / rr) * 2.0 * HARD;
                        dd_ -= HARD / rr;
                        dr += HARD * dist / (rr * rr);
                    }
                    if db < ed {
                        let c = el[ta] * el[tb];
                        let f = if z1 { 1.0 } else { 1.0 - db / ed };
                        let ch = if te { -(c * f).abs() } else { c * f };
                        t += ch * CN;
                        if GRAD {
                            let sg = if !te {
                                1.0
                            } else if c > 0.0 {
                                -1.0
                            } else if c < 0.0 {
                                1.0
                            } else {
                                0.0
                            };
                            let dc = 0.5 * CN * sg * f;
                            g[6 * n + 2 * nt + ta] += dc * el[tb];
                            g[6 * n + 2 * nt + tb] += dc * el[ta];
                            if !z1 {
                                let q = 0.5 * CN * sg * c / ed;
                                dd_ -= q;
                                dr += q;
                            }
                        }
                    }
                    if pnz && dd > 0.0 && db < dd {
                        let v = h[tb] * ps + h[ta] * ls;
                        let f = if z1 { 1.0 } else { 1.0 - db / dd };
                        t += v * f;
                        if GRAD {
                            g[6 * n + nt + tb] += 0.5 * f * ps;
                            g[6 * n + nt + ta] += 0.5 * f * ls;
                            if !z1 {
                                dd_ -= 0.5 * v / dd;
                                dr += 0.5 * v / dd;
                            }
                        }
                    }
                    en += 0.5 * t;
                    if GRAD && dd_ != 0.0 {
                        g[6 * n + ta] += dr;
                        g[6 * n + tb] += dr;
                        for k in 0..3 {
                            dx[k] += dd_ / dist * e[k];
                        }
                    }
                }
                if GRAD {
                    for k in 0..3 {
                        dt[k] += dx[k];
                        for c in 0..3 {
                            d[3 * k + c] += dx[k] * q[c];
                        }
                    }
                }
            }
            tot += en;
            if GRAD {
                g[m] += d[1] * (cx * sy * cz + sx * sz) - d[2] * (sx * sy * cz - cx * sz)
                    + d[4] * (cx * sy * sz - sx * cz)
                    - d[5] * (sx * sy * sz + cx * cz)
                    + d[7] * cx * cy
                    - d[8] * sx * cy;
                g[n + m] += -d[0] * sy * cz + d[1] * sx * cy * cz + d[2] * cx * cy * cz - d[3] * sy * sz
                    + d[4] * sx * cy * sz
                    + d[5] * cx * cy * sz
                    - d[6] * cy
                    - d[7] * sx * sy
                    - d[8] * cx * sy;
                g[2 * n + m] += -d[0] * cy * sz
                    + d[1] * (-sx * sy * sz - cx * cz)
                    + d[2] * (-cx * sy * sz + sx * cz)
                    + d[3] * cy * cz
                    + d[4] * (sx * sy * cz - cx * sz)
                    + d[5] * (cx * sy * cz + sx * sz);
                for k in 0..3 {
                    g[(3 + k) * n + m] += dt[k];
                }
            }
        }
        tot
    }
}
impl Work for Bude {
    fn naive(&self, p: &[f64]) -> f64 {
        self.scalar::<false>(p, &mut [])
    }
    fn fast(&self, p: &[f64]) -> f64 {
        self.par::<false>(p, &mut [])
    }
    fn grad_scalar(&self, p: &[f64], g: &mut [f64]) -> f64 {
        self.scalar::<true>(p, g)
    }
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64 {
        self.par::<true>(p, g)
    }
}
