//! Explicit 2-D heat equation, N x N, S steps, loss = sum u_S^2; gradient order u0(N,N), k(N,N).
//! grad_fast: checkpoint every SEG steps; inside a segment one wavefront over rows runs the forward replay and, a few rows behind, the
//! reverse of all SEG steps, so that the segment's tape is a ring of rows in L1/L2. Tiles (RT rows x FCT or BCT columns, with ghost zones of SEG)
//! are independent inside a segment: the parallel loop, one barrier per segment. Every element has one owner.
//! k is copied once with zeros on the boundary, so that rows need no peeling; rows are 64-byte aligned with stride N + 8 (no cache-set
//! conflicts, no split loads; the neighbours in the row come from register shifts).
//! extra "grad_tape": the plain form: all states stored, one parallel loop per step, gather form of the adjoint.
use crate::scratch::*;
use crate::simd::V;
use crate::{Constants, Work};
use rayon::prelude::*;
pub struct Heat {
    n: usize,
    s: usize,
}
/// steps per segment of the gradient and of the primal
const SEG: usize = 8;
const FSEG: usize = 4;
const RT: usize = 128;
/// columns per tile, forward and backward (measured)
const FCT: usize = 256;
const BCT: usize = 512;
/// ghost columns: SEG rounded up to whole vectors
const GC: usize = SEG.next_multiple_of(8);
/// own rows and columns, and the columns with ghosts
struct Tile {
    r0: usize,
    r1: usize,
    c0: usize,
    c1: usize,
    e0: usize,
    e1: usize,
}
impl Heat {
    /// Sizes: rows, steps.
    pub fn new(c: Constants) -> Heat {
        let [n, s] = c.sizes[..] else { panic!("heat2d takes two sizes") };
        assert!(n.is_multiple_of(8));
        Heat { n, s }
    }
    fn tiles(&self, ct: usize) -> Vec<Tile> {
        let n = self.n;
        let cut = |t: usize| (0..n).step_by(t).map(move |a| (a, (a + t).min(n)));
        cut(RT)
            .flat_map(|(r0, r1)| {
                cut(ct).map(move |(c0, c1)| Tile {
                    r0,
                    r1,
                    c0,
                    c1,
                    e0: c0.saturating_sub(GC),
                    e1: (c1 + GC).min(n),
                })
            })
            .collect()
    }
    fn segs(&self, k: usize) -> Vec<(usize, usize)> {
        (0..self.s).step_by(k).map(|t| (t, k.min(self.s - t))).collect()
    }
}
/// one row of one step, whole vectors; k is 0 on the boundary (columns outside the row do not matter)
#[inline(never)]
fn row_step(dst: &mut [f64], up: &[f64], c: &[f64], dn: &[f64], k: &[f64]) {
    let n = c.len();
    assert!(n.is_multiple_of(8) && dst.len() >= n && up.len() >= n && dn.len() >= n && k.len() >= n);
    let m4 = V::splat(-4.0);
    unsafe {
        let (d, u, w, k, c) = (dst.as_mut_ptr(), up.as_ptr(), dn.as_ptr(), k.as_ptr(), c.as_ptr());
        let (mut p, mut q) = (V::splat(0.0), V::ld(c));
        for j in (0..n).step_by(8) {
            let x = if j + 8 < n { V::ld(c.add(j + 8)) } else { V::splat(0.0) };
            let s = V::ld(u.add(j)).add(V::ld(w.add(j))).add(q.left(p).add(q.right(x))).fma(m4, q);
            q.fma(V::ld(k.add(j)), s).st(d.add(j));
            (p, q) = (q, x);
        }
    }
}
/// lam_t row and m_t = k*lam_t row from level t+1
#[inline(never)]
fn row_back(lo: &mut [f64], mo: &mut [f64], li: &[f64], mu: &[f64], mc: &[f64], md: &[f64], k: &[f64]) {
    let n = li.len();
    assert!(
        n.is_multiple_of(8)
            && lo.len() >= n
            && mo.len() >= n
            && mu.len() >= n
            && mc.len() >= n
            && md.len() >= n
            && k.len() >= n
    );
    let m4 = V::splat(-4.0);
    unsafe {
        let (lo, mo, li, mu, md, k, mc) = (
            lo.as_mut_ptr(),
            mo.as_mut_ptr(),
            li.as_ptr(),
            mu.as_ptr(),
            md.as_ptr(),
            k.as_ptr(),
            mc.as_ptr(),
        );
        let (mut p, mut q) = (V::splat(0.0), V::ld(mc));
        for j in (0..n).step_by(8) {
            let x = if j + 8 < n { V::ld(mc.add(j + 8)) } else { V::splat(0.0) };
            let v = V::ld(li.add(j))
                .add(V::ld(mu.add(j)).add(V::ld(md.add(j))).add(q.left(p).add(q.right(x))).fma(m4, q));
            v.st(lo.add(j));
            v.mul(V::ld(k.add(j))).st(mo.add(j));
            (p, q) = (q, x);
        }
    }
}
/// dk += lam * lap(u) on the columns a..b of the row (the boundary columns get rubbish and are dropped at the end)
#[inline(never)]
fn row_dk(dk: &mut [f64], li: &[f64], uu: &[f64], uc: &[f64], ud: &[f64], a: usize, b: usize) {
    let n = li.len();
    assert!(
        a.is_multiple_of(8)
            && b.is_multiple_of(8)
            && b <= n
            && dk.len() >= b - a
            && uu.len() >= n
            && uc.len() >= n
            && ud.len() >= n
    );
    let m4 = V::splat(-4.0);
    unsafe {
        let (dk, li, uu, uc, ud) = (dk.as_mut_ptr(), li.as_ptr(), uu.as_ptr(), uc.as_ptr(), ud.as_ptr());
        let mut p = if a > 0 { V::ld(uc.add(a - 8)) } else { V::splat(0.0) };
        let mut q = V::ld(uc.add(a));
        for j in (a..b).step_by(8) {
            let x = if j + 8 < n { V::ld(uc.add(j + 8)) } else { V::splat(0.0) };
            let s = V::ld(uu.add(j)).add(V::ld(ud.add(j))).add(q.left(p).add(q.right(x))).fma(m4, q);
            let o = dk.add(j - a);
            V::ld(o).fma(V::ld(li.add(j)), s).st(o);
            (p, q) = (q, x);
        }
    }
}
/// rows of n, stride n + PAD (no two rows in the same cache sets), optionally zero on the boundary
fn padded(src: &[f64], n: usize, mask: bool) -> Scratch {
    let ns = n + PAD;
    let mut s = Scratch::new(ns * n);
    for i in 0..n {
        s[i * ns..][..n].copy_from_slice(&src[i * n..][..n]);
        if mask {
            s[i * ns] = 0.0;
            s[i * ns + n - 1] = 0.0;
            if i == 0 || i == n - 1 {
                s[i * ns..][..n].fill(0.0);
            }
        }
    }
    s
}
const PAD: usize = 8;
fn sumsq(u: &[f64], n: usize) -> f64 {
    (0..n).map(|i| crate::simd::dot(&u[i * (n + PAD)..][..n], &u[i * (n + PAD)..][..n])).sum()
}
/// adds to dst, on the interior only if asked
fn unpad(dst: &mut [f64], src: &[f64], n: usize, inner: bool) {
    let o = inner as usize;
    for (d, s) in dst.chunks_exact_mut(n).zip(src.chunks(n + PAD)).take(n - o).skip(o) {
        for (d, s) in d[o..n - o].iter_mut().zip(&s[o..]) {
            *d += s;
        }
    }
}
/// rows of w columns starting at p (column e0 of row 0)
struct Ring {
    p: *mut f64,
    rows: usize,
    stride: usize,
    w: usize,
}
impl Ring {
    #[inline(always)]
    fn row<'a>(&self, r: usize) -> &'a [f64] {
        unsafe { std::slice::from_raw_parts(self.p.add(r % self.rows * self.stride), self.w) }
    }
    #[inline(always)]
    fn row_mut<'a>(&self, r: usize) -> &'a mut [f64] {
        unsafe { std::slice::from_raw_parts_mut(self.p.add(r % self.rows * self.stride), self.w) }
    }
}
struct Bump(*mut f64, usize);
impl Bump {
    fn ring(&mut self, rows: usize, w: usize) -> Ring {
        let r = Ring { p: self.0, rows, stride: w + 8, w };
        let used = rows * (w + 8);
        assert!(used <= self.1);
        self.1 -= used;
        self.0 = unsafe { self.0.add(used) };
        r
    }
}
fn full(p: *const f64, n: usize, e0: usize, w: usize) -> Ring {
    Ring { p: unsafe { p.add(e0) } as *mut f64, rows: n, stride: n + PAD, w }
}
/// s steps for a tile: u0 (full array) -> out (own rows and columns of a full array)
fn fwd_tile(n: usize, s: usize, t: &Tile, u0: &[f64], k: &[f64], out: Ptr) {
    let (ns, w, r0, r1) = (n + PAD, t.e1 - t.e0, t.r0, t.r1);
    let mut sc = Scratch::new((3 * s + 1) * (w + 8));
    let mut b = Bump(sc.as_mut_ptr(), (3 * s + 1) * (w + 8));
    let lev: Vec<Ring> = (0..=s)
        .map(|l| {
            if l == 0 {
                full(u0.as_ptr(), n, t.e0, w)
            } else if l == s {
                b.ring(1, w)
            } else {
                b.ring(3, w)
            }
        })
        .collect();
    let kr = full(k.as_ptr(), n, t.e0, w);
    for f in r0.saturating_sub(s) as isize..(r1 + s) as isize {
        for l in 1..=s {
            let r = f - (l as isize - 1);
            let (a, b) = (r0.saturating_sub(s - l), (r1 + s - l).min(n));
            if r < a as isize || r >= b as isize {
                continue;
            }
            let r = r as usize;
            let (i, o) = (&lev[l - 1], &lev[l]);
            if r == 0 || r == n - 1 {
                o.row_mut(r).copy_from_slice(i.row(r));
            } else {
                row_step(o.row_mut(r), i.row(r - 1), i.row(r), i.row(r + 1), kr.row(r));
            }
            if l == s {
                unsafe { out.slice(r * ns + t.c0, t.c1 - t.c0) }
                    .copy_from_slice(&o.row(r)[t.c0 - t.e0..t.c1 - t.e0]);
            }
        }
    }
}
/// the reverse of s steps for a tile: u0 = state before, ls = adjoint after (full arrays); lam0, dk: own rows and columns
fn back_tile(n: usize, s: usize, tl: &Tile, u0: &[f64], ls: &[f64], k: &[f64], lam0: Ptr, dk: Ptr) {
    let (ns, w, r0, r1) = (n + PAD, tl.e1 - tl.e0, tl.r0, tl.r1);
    let (ca, cb) = (tl.c0 - tl.e0, tl.c1 - tl.e0);
    let rows = |t: usize| 2 * (s - t) + 2;
    let tot: usize = (1..s).map(rows).sum::<usize>() + 7 * (s + 1) + 2;
    let mut sc = Scratch::new(tot * (w + 8));
    let mut bp = Bump(sc.as_mut_ptr(), tot * (w + 8));
    let zero = bp.ring(1, w);
    zero.row_mut(0).fill(0.0);
    let u: Vec<Ring> =
        (0..s).map(|t| if t == 0 { full(u0.as_ptr(), n, tl.e0, w) } else { bp.ring(rows(t), w) }).collect();
    let lam: Vec<Ring> = (0..=s)
        .map(|t| {
            if t == 0 {
                bp.ring(1, w)
            } else if t == s {
                full(ls.as_ptr(), n, tl.e0, w)
            } else {
                bp.ring(3, w)
            }
        })
        .collect();
    let m: Vec<Ring> = (0..=s).map(|_| bp.ring(3, w)).collect();
    let kf = full(k.as_ptr(), n, tl.e0, w);
    let si = s as isize;
    for f in r0 as isize - si - 1..(r1 + 2 * s) as isize {
        for t in 1..s {
            let r = f - (t as isize - 1);
            let e = s - t;
            let (a, b) = (r0.saturating_sub(e), (r1 + e).min(n));
            if r < a as isize || r >= b as isize {
                continue;
            }
            let r = r as usize;
            let (i, o) = (&u[t - 1], &u[t]);
            if r == 0 || r == n - 1 {
                o.row_mut(r).copy_from_slice(i.row(r));
            } else {
                row_step(o.row_mut(r), i.row(r - 1), i.row(r), i.row(r + 1), kf.row(r));
            }
        }
        let b = f - (si - 1);
        for t in (0..=s).rev() {
            let r = b - (si - 1 - t as isize);
            let (x, y) = (r0.saturating_sub(t), (r1 + t).min(n));
            if r < x as isize || r >= y as isize {
                continue;
            }
            let r = r as usize;
            let kr = kf.row(r);
            let mo = m[t].row_mut(r);
            if t == s {
                for ((m, l), k) in mo.iter_mut().zip(lam[s].row(r)).zip(kr) {
                    *m = k * l;
                }
                continue;
            }
            let (lo, li) = (lam[t].row_mut(r), lam[t + 1].row(r));
            let mu = if r == 0 { zero.row(0) } else { m[t + 1].row(r - 1) };
            let md = if r == n - 1 { zero.row(0) } else { m[t + 1].row(r + 1) };
            row_back(lo, mo, li, mu, m[t + 1].row(r), md, kr);
            if r >= r0 && r < r1 {
                if r > 0 && r < n - 1 {
                    let d = unsafe { dk.slice(r * ns + tl.c0, cb - ca) };
                    row_dk(d, li, u[t].row(r - 1), u[t].row(r), u[t].row(r + 1), ca, cb);
                }
                if t == 0 {
                    unsafe { lam0.slice(r * ns + tl.c0, cb - ca) }.copy_from_slice(&lo[ca..cb]);
                }
            }
        }
    }
}
impl Work for Heat {
    fn naive(&self, p: &[f64]) -> f64 {
        let n = self.n;
        let (u0, k) = p.split_at(n * n);
        let mut u = u0.to_vec();
        let mut un = u.clone();
        for _ in 0..self.s {
            for i in 1..n - 1 {
                for j in 1..n - 1 {
                    un[i * n + j] = u[i * n + j]
                        + k[i * n + j]
                            * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]
                                - 4.0 * u[i * n + j]);
                }
            }
            std::mem::swap(&mut u, &mut un);
        }
        u.iter().map(|v| v * v).sum()
    }
    fn fast(&self, p: &[f64]) -> f64 {
        let n = self.n;
        let nn = n * (n + PAD);
        let (u0, k) = (padded(&p[..n * n], n, false), padded(&p[n * n..], n, true));
        let tiles = self.tiles(FCT);
        let mut bufs = [u0, Scratch::new(nn)];
        for (_, s) in self.segs(FSEG) {
            let (a, b) = bufs.split_at_mut(1);
            let (src, out) = (&a[0][..nn], Ptr(b[0].as_mut_ptr()));
            tiles.par_iter().with_max_len(1).for_each(|t| fwd_tile(n, s, t, src, &k, out));
            bufs.swap(0, 1);
        }
        sumsq(&bufs[0], n)
    }
    fn grad_scalar(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (n, s) = (self.n, self.s);
        let (u0, k) = p.split_at(n * n);
        let (gu, gk) = g.split_at_mut(n * n);
        let mut tape = Scratch::new((s + 1) * n * n);
        tape[..n * n].copy_from_slice(u0);
        for t in 0..s {
            let (a, b) = tape.split_at_mut((t + 1) * n * n);
            let (u, un) = (&a[t * n * n..], &mut b[..n * n]);
            un.copy_from_slice(u);
            for i in 1..n - 1 {
                for j in 1..n - 1 {
                    un[i * n + j] = u[i * n + j]
                        + k[i * n + j]
                            * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]
                                - 4.0 * u[i * n + j]);
                }
            }
        }
        let us = &tape[s * n * n..(s + 1) * n * n];
        let v = us.iter().map(|v| v * v).sum();
        let mut d: Vec<f64> = us.iter().map(|v| 2.0 * v).collect();
        let mut dn = vec![0.0; n * n];
        for t in (0..s).rev() {
            let u = &tape[t * n * n..(t + 1) * n * n];
            dn.copy_from_slice(&d);
            for i in 1..n - 1 {
                for j in 1..n - 1 {
                    let l = d[i * n + j];
                    let m = k[i * n + j] * l;
                    gk[i * n + j] += l
                        * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]
                            - 4.0 * u[i * n + j]);
                    dn[(i - 1) * n + j] += m;
                    dn[(i + 1) * n + j] += m;
                    dn[i * n + j - 1] += m;
                    dn[i * n + j + 1] += m;
                    dn[i * n + j] -= 4.0 * m;
                }
            }
            std::mem::swap(&mut d, &mut dn);
        }
        for (g, d) in gu.iter_mut().zip(&d) {
            *g += d;
        }
        v
    }
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let n = self.n;
        let nn = n * (n + PAD);
        let (gu, gk) = g.split_at_mut(n * n);
        let (u0, k) = (padded(&p[..n * n], n, false), padded(&p[n * n..], n, true));
        let (tiles, btiles) = (self.tiles(FCT), self.tiles(BCT));
        let segs = self.segs(SEG);
        let mut ck = Scratch::new(segs.len() * nn);
        for (i, &(_, s)) in segs.iter().enumerate() {
            let (a, b) = ck.split_at_mut(i * nn);
            let src = if i == 0 { &u0[..] } else { &a[(i - 1) * nn..] };
            let out = Ptr(b.as_mut_ptr());
            tiles.par_iter().with_max_len(1).for_each(|t| fwd_tile(n, s, t, src, &k, out));
        }
        let us = &ck[(segs.len() - 1) * nn..segs.len() * nn];
        let v = sumsq(us, n);
        let mut l = [Scratch::new(nn), Scratch::new(nn)];
        for (l, u) in l[0].iter_mut().zip(us) {
            *l = 2.0 * u;
        }
        let mut dkb = Scratch::zeros(nn);
        let dk = Ptr(dkb.as_mut_ptr());
        for (i, &(_, s)) in segs.iter().enumerate().rev() {
            let src = if i == 0 { &u0[..] } else { &ck[(i - 1) * nn..i * nn] };
            let (a, b) = l.split_at_mut(1);
            let out = Ptr(b[0].as_mut_ptr());
            let ls = &a[0][..nn];
            btiles.par_iter().with_max_len(1).for_each(|t| back_tile(n, s, t, src, ls, &k, out, dk));
            l.swap(0, 1);
        }
        unpad(gu, &l[0], n, false);
        unpad(gk, &dkb, n, true);
        v
    }
    fn grad_other(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        let (n, s) = (self.n, self.s);
        let ns = n + PAD;
        let nn = n * ns;
        let (gu, gk) = g.split_at_mut(n * n);
        let k = padded(&p[n * n..], n, true);
        let k = &k[..];
        let rows = n.div_ceil(8);
        let mut tape = Scratch::new((s + 1) * nn);
        for (t, u) in tape.chunks_mut(ns).zip(p[..n * n].chunks(n)) {
            t[..n].copy_from_slice(u);
        }
        for t in 0..s {
            let (a, b) = tape.split_at_mut((t + 1) * nn);
            let (u, un) = (&a[t * nn..], &mut b[..nn]);
            un.par_chunks_mut(rows * ns).enumerate().for_each(|(c, un)| {
                for (i, d) in un.chunks_exact_mut(ns).enumerate() {
                    let i = c * rows + i;
                    if i == 0 || i == n - 1 {
                        d.copy_from_slice(&u[i * ns..][..ns]);
                    } else {
                        row_step(
                            d,
                            &u[(i - 1) * ns..][..n],
                            &u[i * ns..][..n],
                            &u[(i + 1) * ns..][..n],
                            &k[i * ns..][..n],
                        );
                    }
                }
            });
        }
        let us = &tape[s * nn..(s + 1) * nn];
        let v = sumsq(us, n);
        let mut l = [Scratch::new(nn), Scratch::new(nn)];
        let mut m = [Scratch::zeros(nn), Scratch::zeros(nn)];
        for i in 0..nn {
            l[0][i] = 2.0 * us[i];
            m[0][i] = if i % ns < n { k[i] * l[0][i] } else { 0.0 };
        }
        let mut dkb = Scratch::zeros(nn);
        let z = vec![0.0; n];
        for t in (0..s).rev() {
            let u = &tape[t * nn..(t + 1) * nn];
            let ([l0, l1], [m0, m1]) = (&mut l, &mut m);
            let (l0, m0) = (&l0[..nn], &m0[..nn]);
            l1[..nn]
                .par_chunks_mut(rows * ns)
                .zip(m1[..nn].par_chunks_mut(rows * ns))
                .zip(dkb[..nn].par_chunks_mut(rows * ns))
                .enumerate()
                .for_each(|(c, ((l1, m1), gk))| {
                    for i in 0..l1.len() / ns {
                        let r = c * rows + i;
                        let (lo, mo) = (&mut l1[i * ns..][..n], &mut m1[i * ns..][..n]);
                        let mu = if r == 0 { &z[..] } else { &m0[(r - 1) * ns..][..n] };
                        let md = if r == n - 1 { &z[..] } else { &m0[(r + 1) * ns..][..n] };
                        let (li, mc, kr) = (&l0[r * ns..][..n], &m0[r * ns..][..n], &k[r * ns..][..n]);
                        row_back(lo, mo, li, mu, mc, md, kr);
                        if r > 0 && r < n - 1 {
                            row_dk(
                                &mut gk[i * ns..][..n],
                                li,
                                &u[(r - 1) * ns..][..n],
                                &u[r * ns..][..n],
                                &u[(r + 1) * ns..][..n],
                                0,
                                n,
                            );
                        }
                    }
                });
            l.swap(0, 1);
            m.swap(0, 1);
        }
        unpad(gu, &l[0], n, false);
        unpad(gk, &dkb, n, true);
        Some(v)
    }
}
