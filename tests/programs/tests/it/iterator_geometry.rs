//! Shapes and images as iterator chains: windows, chunks, zips in every order.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

/// Total variation of image rows.
#[differentiate]
pub fn tv(img: &[f64], width: usize, eps: f64) -> f64 {
    let horizontal: f64 = img
        .chunks_exact(width)
        .map(|row| row.windows(2).map(|w| ((w[1] - w[0]).powi(2) + eps).sqrt()).sum::<f64>())
        .sum();
    let vertical: f64 =
        img.iter().zip(img.iter().skip(width)).map(|(a, b)| ((b - a) * (b - a) + eps).sqrt()).sum();
    horizontal + vertical
}

#[test]
fn gradient_of_tv() {
    let x = random(1, 12);
    let (_, g) = tv::gradient(&x, 4, 0.1);
    check(|v| tv(&v[0], 4, v[1][0]), &[&x, &[0.1]], &[&g.img, &[g.eps]]);
}

/// Polygon area with cycle-ish neighbours: zip with skip + chain is refused; use modulo enumerate.
#[differentiate]
pub fn polygon_area(pts: &[[f64; 2]]) -> f64 {
    let n = pts.len();
    pts.iter()
        .enumerate()
        .map(|(i, p)| {
            let q = &pts[(i + 1) % n];
            p[0] * q[1] - q[0] * p[1]
        })
        .sum::<f64>()
        .abs()
        * 0.5
}

#[test]
fn gradient_of_poly() {
    let x = random(1, 10);
    let p = |v: &[f64]| v.chunks(2).map(|c| [c[0], c[1]]).collect::<Vec<_>>();
    let (_, g) = polygon_area::gradient(&p(&x));
    check(|v| polygon_area(&p(&v[0])), &[&x], &[g.pts.as_flattened()]);
}

/// Destructuring arrays in closure.
#[differentiate]
pub fn path_length(pts: &[[f64; 3]]) -> f64 {
    pts.windows(2)
        .map(|w| {
            let [x0, y0, z0] = w[0];
            let [x1, y1, z1] = w[1];
            ((x1 - x0).powi(2) + (y1 - y0).powi(2) + (z1 - z0).powi(2)).sqrt()
        })
        .sum()
}

#[test]
fn gradient_of_path() {
    let x = random(1, 12);
    let p = |v: &[f64]| v.chunks(3).map(|c| [c[0], c[1], c[2]]).collect::<Vec<_>>();
    let (_, g) = path_length::gradient(&p(&x));
    check(|v| path_length(&p(&v[0])), &[&x], &[g.pts.as_flattened()]);
}

/// Nested map(...) collect of 2-D, min_by partial_cmp, position.
#[differentiate]
pub fn hausdorff_like(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    a.iter()
        .map(|p| b.iter().map(|q| (p[0] - q[0]).hypot(p[1] - q[1])).fold(f64::INFINITY, f64::min))
        .fold(0.0, f64::max)
}

#[test]
fn gradient_of_haus() {
    let (x, y) = (random(1, 10), random(2, 8));
    let p = |v: &[f64]| v.chunks(2).map(|c| [c[0], c[1]]).collect::<Vec<_>>();
    let (_, g) = hausdorff_like::gradient(&p(&x), &p(&y));
    check(|v| hausdorff_like(&p(&v[0]), &p(&v[1])), &[&x, &y], &[g.a.as_flattened(), g.b.as_flattened()]);
}

/// Chunks with remainder and last window mean.
#[differentiate]
pub fn block_means(x: &[f64], b: usize) -> f64 {
    let mut total = 0.0;
    for (i, block) in x.chunks(b).enumerate() {
        let mean = block.iter().sum::<f64>() / block.len() as f64;
        total += (i + 1) as f64 * mean.powi(2);
    }
    total
}

#[test]
fn gradient_of_block() {
    let x = random(1, 11);
    let (_, g) = block_means::gradient(&x, 4);
    check(|v| block_means(&v[0], 4), &[&x], &[&g.x]);
}

/// For_each with mutated outputs and step_by.
#[differentiate]
pub fn downsample(x: &[f64], y: &mut [f64], k: usize) {
    y.iter_mut().zip(x.iter().step_by(k)).for_each(|(o, v)| *o += v * v);
}

#[test]
fn gradient_of_down() {
    let x = random(1, 9);
    let y0 = random(3, 3);
    let s = random(2, 3);
    let (mut y, mut dy, mut dx) = (y0.clone(), s.clone(), vec![0.0; 9]);
    downsample::vjp(&x, &mut dx, &mut y, &mut dy, 3);
    check(
        |v| {
            let mut y = v[1].clone();
            downsample(&v[0], &mut y, 3);
            dot(&y, &s)
        },
        &[&x, &y0],
        &[&dx, &dy],
    );
}

/// MLP layer by iterators with collect.
#[differentiate]
pub fn mlp(w1: &[f64], b1: &[f64], w2: &[f64], x: &[f64]) -> f64 {
    let hidden: Vec<f64> = w1
        .chunks_exact(x.len())
        .zip(b1)
        .map(|(row, b)| (row.iter().zip(x).map(|(w, v)| w * v).sum::<f64>() + b).tanh())
        .collect();
    hidden.iter().zip(w2).map(|(h, w)| h * w).sum()
}

#[test]
fn gradient_of_mlp() {
    let (w1, b1, w2, x) = (random(1, 12), random(2, 4), random(3, 4), random(4, 3));
    let (_, g) = mlp::gradient(&w1, &b1, &w2, &x);
    check(|v| mlp(&v[0], &v[1], &v[2], &v[3]), &[&w1, &b1, &w2, &x], &[&g.w1, &g.b1, &g.w2, &g.x]);
}

#[differentiate]
pub fn rev_parts(x: &[f64], y: &[f64]) -> f64 {
    let a: f64 = x.chunks(3).rev().enumerate().map(|(i, c)| c[0] * (i + 1) as f64).sum();
    let b: f64 =
        x.windows(3).step_by(2).rev().zip(y.iter().rev().skip(1)).map(|(w, v)| w[0] * w[2] * v).sum();
    let c: f64 = x.iter().rev().enumerate().skip(1).take(100).map(|(i, v)| v.powi(i as i32)).sum();
    let d: f64 = x.chunks_exact(2).zip(y.chunks(3)).map(|(p, q)| p[1] * q[q.len() - 1]).product();
    let e = x.iter().zip(y).rev().fold(0.0, |acc, (a, b)| acc * a + b);
    let f: f64 = (0..x.len()).rev().step_by(3).filter(|&i| i != 4).map(|i| x[i] * x[i] * i as f64).sum();
    let g: f64 = x.iter().skip(20).map(|v| v * 3.0).sum::<f64>()
        + x.iter().skip(2).step_by(3).rev().map(|v| v.cos()).sum::<f64>();
    a + b + c + d + e + f + g
}

#[test]
fn gradient_of_rev_parts() {
    for (n, m) in [(9, 7), (8, 8), (7, 9), (4, 11)] {
        let (x, y) = (random(1, n), random(2, m));
        if n != m { /* zip().rev() needs equal or trims */ }
        let (v, g) = rev_parts::gradient(&x, &y);
        assert!((v - rev_parts(&x, &y)).abs() < 1e-13);
        check(|v| rev_parts(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
    }
}

/// Map with mutable inner array and sort network.
#[differentiate]
pub fn medians(x: &[f64]) -> f64 {
    x.windows(3)
        .map(|w| {
            let mut m = [w[0], w[1], w[2]];
            for i in 0..3 {
                for j in 0..2 - i.min(2) {
                    if m[j] > m[j + 1] {
                        m.swap(j, j + 1);
                    }
                }
            }
            m[1] * m[1]
        })
        .sum()
}

#[test]
fn gradient_of_medians() {
    let x = random(1, 9);
    let (v, g) = medians::gradient(&x);
    assert!((v - medians(&x)).abs() < 1e-15);
    check(|v| medians(&v[0]), &[&x], &[&g.x]);
}
