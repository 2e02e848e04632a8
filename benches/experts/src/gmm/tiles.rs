//! The triangular products of a block, register-tiled four by four; and each once, out of line.
//!
//! # Safety
//! All pointers are of one block: `e` has `d` entries, `l` the packed strict triangle, the others `d` rows of `t` lanes.

use crate::simd::{V, sums8};

/// q[j0..j0+R] = e*xc + L[.., <j] xc over T lanes
#[inline(always)]
unsafe fn rows<const R: usize>(
    j0: usize,
    d: usize,
    t: usize,
    e: *const f64,
    l: *const f64,
    xc: *const f64,
    q: *mut f64,
) {
    unsafe {
        for o in (0..t).step_by(32) {
            let mut acc = [[V::splat(0.0); 4]; R];
            for r in 0..R {
                let ev = V::splat(*e.add(j0 + r));
                for v in 0..4 {
                    acc[r][v] = ev.mul(V::ld(xc.add((j0 + r) * t + o + 8 * v)));
                }
            }
            let mut lp = l.add(j0.wrapping_sub(1));
            if j0 > 0 {
                for a in 0..j0 {
                    let x: [V; 4] = std::array::from_fn(|v| V::ld(xc.add(a * t + o + 8 * v)));
                    for r in 0..R {
                        let c = V::splat(*lp.add(r));
                        for v in 0..4 {
                            acc[r][v] = acc[r][v].fma(c, x[v]);
                        }
                    }
                    lp = lp.wrapping_add(d - a - 2);
                }
            }
            for a in 0..R {
                let x: [V; 4] = std::array::from_fn(|v| V::ld(xc.add((j0 + a) * t + o + 8 * v)));
                let col = l.add((j0 + a) * (2 * d - j0 - a - 1) / 2);
                for r in a + 1..R {
                    let c = V::splat(*col.add(r - a - 1));
                    for v in 0..4 {
                        acc[r][v] = acc[r][v].fma(c, x[v]);
                    }
                }
            }
            for r in 0..R {
                for v in 0..4 {
                    acc[r][v].st(q.add((j0 + r) * t + o + 8 * v));
                }
            }
        }
    }
}
/// dmu[a0..a0+R] += sum_l g * (e*q[a] + sum_{i>a} L[i,a] q[i])
#[inline(always)]
unsafe fn cols<const R: usize>(
    a0: usize,
    d: usize,
    t: usize,
    e: *const f64,
    l: *const f64,
    q: *const f64,
    g: *const f64,
    dmu: *mut f64,
) {
    unsafe {
        let mut s = [V::splat(0.0); R];
        let col: [*const f64; R] =
            std::array::from_fn(|r| l.add((a0 + r) * (2 * d - a0 - r - 1) / 2).wrapping_sub(a0 + r + 1));
        for o in (0..t).step_by(32) {
            let mut acc = [[V::splat(0.0); 4]; R];
            for i in 0..R {
                let x: [V; 4] = std::array::from_fn(|v| V::ld(q.add((a0 + i) * t + o + 8 * v)));
                for r in 0..=i {
                    let c = V::splat(if r == i { *e.add(a0 + i) } else { *col[r].wrapping_add(a0 + i) });
                    for v in 0..4 {
                        acc[r][v] = acc[r][v].fma(c, x[v]);
                    }
                }
            }
            for i in a0 + R..d {
                let x: [V; 4] = std::array::from_fn(|v| V::ld(q.add(i * t + o + 8 * v)));
                for r in 0..R {
                    let c = V::splat(*col[r].wrapping_add(i));
                    for v in 0..4 {
                        acc[r][v] = acc[r][v].fma(c, x[v]);
                    }
                }
            }
            for v in 0..4 {
                let gv = V::ld(g.add(o + 8 * v));
                for r in 0..R {
                    s[r] = s[r].fma(gv, acc[r][v]);
                }
            }
        }
        for r in 0..R {
            *dmu.add(a0 + r) += s[r].sum();
        }
    }
}
/// out[a][i] = sum_l gx[a0+a] q[i0+i]
#[inline(always)]
unsafe fn outer<const A: usize, const I: usize>(t: usize, gx: *const f64, q: *const f64) -> [[f64; 4]; 4] {
    unsafe {
        let mut acc = [[V::splat(0.0); I]; A];
        for o in (0..t).step_by(8) {
            let x: [V; A] = std::array::from_fn(|a| V::ld(gx.add(a * t + o)));
            for i in 0..I {
                let y = V::ld(q.add(i * t + o));
                for a in 0..A {
                    acc[a][i] = acc[a][i].fma(x[a], y);
                }
            }
        }
        let mut out = [[0.0; 4]; 4];
        let z = V::splat(0.0);
        for a in (0..A).step_by(2) {
            let s = sums8(&std::array::from_fn(|k| {
                if a + k / 4 < A && k % 4 < I { acc[a + k / 4][k % 4] } else { z }
            }));
            out[a].copy_from_slice(&s[..4]);
            if a + 1 < A {
                out[a + 1].copy_from_slice(&s[4..]);
            }
        }
        out
    }
}
#[inline(never)]
pub(super) unsafe fn rows_<const R: usize>(
    j0: usize,
    d: usize,
    t: usize,
    e: *const f64,
    l: *const f64,
    xc: *const f64,
    q: *mut f64,
) {
    unsafe { rows::<R>(j0, d, t, e, l, xc, q) }
}
#[inline(never)]
pub(super) unsafe fn cols_<const R: usize>(
    a0: usize,
    d: usize,
    t: usize,
    e: *const f64,
    l: *const f64,
    q: *const f64,
    g: *const f64,
    dmu: *mut f64,
) {
    unsafe { cols::<R>(a0, d, t, e, l, q, g, dmu) }
}
#[inline(never)]
pub(super) unsafe fn outer_<const A: usize, const I: usize>(
    t: usize,
    gx: *const f64,
    q: *const f64,
) -> [[f64; 4]; 4] {
    unsafe { outer::<A, I>(t, gx, q) }
}
macro_rules! by4 { ($r:expr, $f:ident, ($($a:expr),*)) => { match $r { 4 => $f::<4>($($a),*), 3 => $f::<3>($($a),*), 2 => $f::<2>($($a),*), _ => $f::<1>($($a),*) } } }
macro_rules! by44 { ($a:expr, $i:expr, $f:ident, ($($x:expr),*)) => { match ($a, $i) {
    (4, 4) => $f::<4, 4>($($x),*), (4, 3) => $f::<4, 3>($($x),*), (4, 2) => $f::<4, 2>($($x),*), (4, _) => $f::<4, 1>($($x),*),
    (3, _) => $f::<3, 3>($($x),*), (2, _) => $f::<2, 2>($($x),*), _ => $f::<1, 1>($($x),*) } } }
pub(super) use {by4, by44};
