//! A sparse matrix in CSR form: loop bounds and indices from index arrays.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn spmv(row: &[usize], col: &[usize], a: &[f64], x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        let mut sum = 0.0;
        for k in row[i]..row[i + 1] {
            sum += a[k] * x[col[k]];
        }
        y[i] = sum.tanh();
    }
}

#[test]
fn adjoint() {
    let (row, col) = ([0, 2, 2, 5, 6], [1, 3, 0, 1, 4, 2]);
    let (a, x, seed) = (random(1, 6), random(2, 5), random(3, 4));
    let (mut d_a, mut d_x, mut y, mut d_y) = (vec![0.0; 6], vec![0.0; 5], vec![0.0; 4], seed.clone());
    spmv::vjp(&row, &col, &a, &mut d_a, &x, &mut d_x, &mut y, &mut d_y);
    let run = |v: &[Vec<f64>]| {
        let mut y = vec![0.0; 4];
        spmv(&row, &col, &v[0], &v[1], &mut y);
        dot(&y, &seed)
    };
    check(run, &[&a, &x], &[&d_a, &d_x]);
}
