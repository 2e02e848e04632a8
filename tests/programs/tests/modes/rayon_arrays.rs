//! Arrays with rayon: layers, images, sparse products, histograms.

use crate::rayon_iterators::{assert_parallel, on_threads};
use pardiff::differentiate;
use pardiff_programs::{check, dot, positive, random};
use rayon::prelude::*;

/// Dense layer with par_chunks_mut.
#[differentiate]
pub fn dense(w: &[f64], x: &[f64], y: &mut [f64], n_in: usize, n_out: usize) {
    y.par_chunks_mut(n_out).zip(x.par_chunks(n_in)).for_each(|(yr, xr)| {
        for (o, yv) in yr.iter_mut().enumerate() {
            let acc: f64 = w[o * n_in..(o + 1) * n_in].iter().zip(xr).map(|(a, b)| a * b).sum();
            *yv = acc.max(0.0);
        }
    });
}

#[test]
fn gradient_of_dense() {
    assert_parallel(dense::DECISIONS);
    let run = |b: usize, ni: usize, no: usize| {
        let (w, x, s) = (random(1, ni * no), random(2, b * ni), random(3, b * no));
        let (mut y, mut dy, mut dw, mut dx) =
            (vec![0.0; b * no], s.clone(), vec![0.0; ni * no], vec![0.0; b * ni]);
        dense::vjp(&w, &mut dw, &x, &mut dx, &mut y, &mut dy, ni, no);
        (w, x, s, dw, dx)
    };
    let (w, x, s, dw, dx) = run(3, 4, 2);
    check(
        |v| {
            let mut y = vec![0.0; 6];
            dense(&v[0], &v[1], &mut y, 4, 2);
            dot(&y, &s)
        },
        &[&w, &x],
        &[&dw, &dx],
    );
    on_threads(|| {
        let (.., a, b) = run(500, 17, 9);
        [a, b].concat()
    });
}

/// Stencil with par_windows.
#[differentiate]
pub fn smooth_penalty(x: &[f64], lam: f64) -> f64 {
    lam * x.par_windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).powi(2)).sum::<f64>()
}

#[test]
fn gradient_of_smooth() {
    assert_parallel(smooth_penalty::DECISIONS);
    let x = random(1, 12);
    let (_, g) = smooth_penalty::gradient(&x, 0.4);
    check(|v| smooth_penalty(&v[0], v[1][0]), &[&x, &[0.4]], &[&g.x, &[g.lam]]);
    let x = random(1, 40000);
    on_threads(|| smooth_penalty::gradient(&x, 0.4).1.x);
}

/// SpMV in CSR with rayon.
#[differentiate(wrt(vals, x))]
pub fn spmv(row_ptr: &[usize], cols: &[usize], vals: &[f64], x: &[f64], y: &mut [f64]) {
    y.par_iter_mut().enumerate().with_min_len(64).for_each(|(i, yi)| {
        let (s, e) = (row_ptr[i], row_ptr[i + 1]);
        *yi = vals[s..e].iter().zip(&cols[s..e]).map(|(v, &c)| v * x[c]).sum();
    });
}

#[test]
fn gradient_of_spmv() {
    assert_parallel(spmv::DECISIONS);
    let run = |n: usize| {
        let ptr: Vec<usize> = (0..=n).map(|i| i * 3).collect();
        let cols: Vec<usize> = (0..3 * n).map(|k| (k * 7 + k / 3) % n).collect();
        let (a, x, s) = (random(1, 3 * n), random(2, n), random(3, n));
        let (mut da, mut dx, mut y, mut dy) = (vec![0.0; 3 * n], vec![0.0; n], vec![0.0; n], s.clone());
        spmv::vjp(&ptr, &cols, &a, &mut da, &x, &mut dx, &mut y, &mut dy);
        (ptr, cols, a, x, s, da, dx)
    };
    let (ptr, cols, a, x, s, da, dx) = run(5);
    check(
        |v| {
            let mut y = vec![0.0; 5];
            spmv(&ptr, &cols, &v[0], &v[1], &mut y);
            dot(&y, &s)
        },
        &[&a, &x],
        &[&da, &dx],
    );
    on_threads(|| {
        let r = run(5000);
        [r.5, r.6].concat()
    });
}

/// Par_chunks_mut with rows of an image and enumerate; reading input neighbours.
#[differentiate]
pub fn blur(src: &[f64], dst: &mut [f64], w: usize, h: usize, k: &[f64; 9]) {
    dst.par_chunks_mut(w).enumerate().for_each(|(y, row)| {
        for x in 0..w {
            let mut acc = 0.0;
            for dy in 0..3 {
                for dx in 0..3 {
                    let yy = y as i64 + dy as i64 - 1;
                    let xx = x as i64 + dx as i64 - 1;
                    if yy >= 0 && yy < h as i64 && xx >= 0 && xx < w as i64 {
                        acc += k[dy * 3 + dx] * src[yy as usize * w + xx as usize];
                    }
                }
            }
            row[x] = acc;
        }
    });
}

#[test]
fn gradient_of_blur() {
    assert_parallel(blur::DECISIONS);
    let run = |w: usize, h: usize| {
        let (x, s) = (random(1, w * h), random(2, w * h));
        let k: [f64; 9] = random(3, 9).try_into().unwrap();
        let (mut dx, mut dk, mut y, mut dy) = (vec![0.0; w * h], [0.0; 9], vec![0.0; w * h], s.clone());
        blur::vjp(&x, &mut dx, &mut y, &mut dy, w, h, &k, &mut dk);
        (x, s, k, dx, dk)
    };
    let (x, s, k, dx, dk) = run(5, 4);
    check(
        |v| {
            let mut y = vec![0.0; 20];
            blur(&v[0], &mut y, 5, 4, v[1].as_slice().try_into().unwrap());
            dot(&y, &s)
        },
        &[&x, &k],
        &[&dx, &dk],
    );
    on_threads(|| {
        let r = run(150, 130);
        [r.3, r.4.to_vec()].concat()
    });
}

/// Nested parallel iterators + flat index, min_len.
#[differentiate]
pub fn kernel_matrix(x: &[f64], k: &mut [f64], d: usize, gamma: f64) {
    let n = x.len() / d;
    k.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        row.iter_mut().enumerate().for_each(|(j, v)| {
            let d2: f64 = (0..d).map(|c| (x[i * d + c] - x[j * d + c]).powi(2)).sum();
            *v = (-gamma * d2).exp();
        });
    });
}

#[test]
fn gradient_of_km() {
    assert_parallel(kernel_matrix::DECISIONS);
    let run = |n: usize, d: usize| {
        let (x, s) = (random(1, n * d), random(2, n * n));
        let (mut dx, mut y, mut dy, mut dg) = (vec![0.0; n * d], vec![0.0; n * n], s.clone(), 0.0);
        kernel_matrix::vjp(&x, &mut dx, &mut y, &mut dy, d, 0.4, &mut dg);
        (x, s, dx, dg)
    };
    let (x, s, dx, dg) = run(4, 3);
    check(
        |v| {
            let mut y = vec![0.0; 16];
            kernel_matrix(&v[0], &mut y, 3, v[1][0]);
            dot(&y, &s)
        },
        &[&x, &[0.4]],
        &[&dx, &[dg]],
    );
    on_threads(|| {
        let r = run(120, 4);
        [r.2, vec![r.3]].concat()
    });
}

/// Fold with array accumulators (histogram soft).
#[differentiate]
pub fn soft_hist(x: &[f64]) -> [f64; 4] {
    x.par_iter()
        .fold(
            || [0.0; 4],
            |mut h, v| {
                for b in 0..4 {
                    let c = -0.75 + 0.5 * b as f64;
                    h[b] += (-(v - c) * (v - c) * 8.0).exp();
                }
                h
            },
        )
        .reduce(
            || [0.0; 4],
            |mut a, b| {
                for i in 0..4 {
                    a[i] += b[i];
                }
                a
            },
        )
}

#[test]
fn gradient_of_hist() {
    assert_parallel(soft_hist::DECISIONS);
    let x = random(1, 12);
    let s = [0.3, -0.2, 0.5, 1.0];
    let mut d = vec![0.0; 12];
    soft_hist::vjp(&x, &mut d, s);
    check(|v| dot(&soft_hist(&v[0]), &s), &[&x], &[&d]);
    let x = random(1, 20000);
    on_threads(|| {
        let mut d = vec![0.0; 20000];
        let h = soft_hist::vjp(&x, &mut d, s);
        [h.to_vec(), d].concat()
    });
}

/// Min_len, rev, map init; weights via enumerate.
#[differentiate]
pub fn weighted2(x: &[f64]) -> f64 {
    x.par_iter()
        .with_min_len(1024)
        .enumerate()
        .filter(|(i, _)| i % 3 != 1)
        .map(|(i, v)| (i as f64 * 0.1).cos() * v * v)
        .sum::<f64>()
        .sqrt()
}

#[test]
fn gradient_of_weighted2() {
    assert_parallel(weighted2::DECISIONS);
    let x = positive(1, 12);
    let (_, g) = weighted2::gradient(&x);
    check(|v| weighted2(&v[0]), &[&x], &[&g.x]);
}

/// Reduce with arg max tuple & identity.
#[differentiate]
pub fn best_pair(x: &[f64], y: &[f64]) -> f64 {
    let (m, i) = x
        .par_iter()
        .zip(y)
        .enumerate()
        .map(|(i, (a, b))| (a * b, i))
        .reduce(|| (f64::NEG_INFINITY, usize::MAX), |p, q| if q.0 > p.0 { q } else { p });
    m * x[i]
}

#[test]
fn gradient_of_best_pair() {
    let (x, y) = (random(1, 9), random(2, 9));
    let (_, g) = best_pair::gradient(&x, &y);
    check(|v| best_pair(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
}

/// Newton per element in parallel.
#[differentiate]
pub fn roots(a: &[f64], out: &mut [f64], tol: f64) {
    out.par_iter_mut().zip(a.par_iter()).for_each(|(o, &a)| {
        let mut x = 1.0;
        loop {
            let f = x * x * x + x - a;
            if f.abs() < tol {
                break;
            }
            x -= f / (3.0 * x * x + 1.0);
        }
        *o = x;
    });
}

#[test]
fn gradient_of_roots() {
    assert_parallel(roots::DECISIONS);
    let run = |n: usize| {
        let (a, s) = (positive(1, n), random(2, n));
        let (mut o, mut d, mut da, mut dt) = (vec![0.0; n], s.clone(), vec![0.0; n], 0.0);
        roots::vjp(&a, &mut da, &mut o, &mut d, 1e-13, &mut dt);
        (a, s, da, o)
    };
    let (a, s, da, _) = run(5);
    check(
        |v| {
            let mut o = vec![0.0; 5];
            roots(&v[0], &mut o, 1e-13);
            dot(&o, &s)
        },
        &[&a],
        &[&da],
    );
    on_threads(|| {
        let r = run(3001);
        [r.2, r.3].concat()
    });
}

/// Par_chunks over rows + inner while + break.
#[differentiate(wrt(x))]
pub fn fractal(x: &[f64], w: usize) -> f64 {
    x.par_chunks(w)
        .enumerate()
        .map(|(row, c)| {
            let mut s = 0.0;
            for (col, &v) in c.iter().enumerate() {
                let (mut zr, mut zi) = (0.0, 0.0);
                let mut it = 0;
                while it < 6 {
                    let t = zr * zr - zi * zi + v;
                    zi = 2.0 * zr * zi + row as f64 * 0.1;
                    zr = t;
                    it += 1;
                    if zr * zr + zi * zi > 4.0 {
                        break;
                    }
                }
                s += (zr + zi).sin() / (1 + it + col) as f64;
            }
            s
        })
        .sum()
}

#[test]
fn gradient_of_fractal() {
    assert_parallel(fractal::DECISIONS);
    let x = random(1, 12);
    let (_, g) = fractal::gradient(&x, 4);
    check(|v| fractal(&v[0], 4), &[&x], &[&g.x]);
    let x = random(1, 6000);
    on_threads(|| fractal::gradient(&x, 40).1.x);
}
