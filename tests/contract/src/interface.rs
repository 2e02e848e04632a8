//! Every kind of parameter and of result.

use pardiff::differentiate;

/// Parameters of every kind; the number of rows is not the number of columns.
#[differentiate]
#[allow(clippy::too_many_arguments)]
pub fn kinds<const N: usize>(
    scalar: f64,
    by_ref: &f64,
    slice: &[f64],
    rows: &[[f64; 3]],
    fixed: &[f64; N],
    grid: &[[f64; 2]; N],
    owned: [f64; 2],
    count: usize,
    flag: bool,
    weights: &[i32],
) -> f64 {
    let mut sum = scalar * *by_ref;
    for i in 0..count {
        sum += slice[i] * slice[i] * weights[i] as f64;
    }
    for row in 0..rows.len() {
        for j in 0..3 {
            sum += rows[row][j] * slice[j];
        }
    }
    for i in 0..N {
        sum += fixed[i] * grid[i][0] * grid[i][1];
    }
    if flag {
        sum *= owned[0];
    } else {
        sum += owned[1];
    }
    sum
}

/// Both float types.
#[differentiate]
pub fn mixed(x: &[f32], s: f64) -> f32 {
    let mut sum: f32 = 0.0;
    for i in 0..x.len() {
        sum += x[i] * x[i] * s as f32;
    }
    sum
}

/// Only `w` is active.
#[differentiate(wrt(w))]
pub fn only_w(w: &[f64], x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..w.len() {
        sum += w[i] * x[i] * w[i];
    }
    sum
}

/// Lifetimes as people write them.
#[differentiate]
pub fn lifetimes<'a, 'b: 'a>(x: &'a [f64], y: &'b [f64], z: &'b [f64]) -> f64 {
    x[0] * y[0] * z[0]
}

/// A const parameter that no argument fixes.
#[differentiate]
pub fn unfixed<const K: usize>(x: f64) -> f64 {
    let mut product = 1.0;
    for _i in 0..K {
        product *= x;
    }
    product
}

/// More arguments than Clippy likes.
#[allow(clippy::too_many_arguments)]
#[differentiate]
pub fn many(a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64) -> f64 {
    a * b * c * d * e * f * g * h
}
