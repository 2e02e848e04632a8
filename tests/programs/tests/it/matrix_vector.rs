//! Matrix times vector, flat with strides and as rows of an array of arrays.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, random};

#[differentiate]
pub fn flat(a: &[f64], x: &[f64], y: &mut [f64], rows: usize, cols: usize) {
    for i in 0..rows {
        let mut sum = 0.0;
        for j in 0..cols {
            sum += a[i * cols + j] * x[j];
        }
        y[i] = sum;
    }
}

#[differentiate]
pub fn nested(a: &[[f64; 3]], x: &[f64; 3], y: &mut [f64]) {
    for i in 0..a.len() {
        y[i] = 0.0;
        for j in 0..3 {
            y[i] += a[i][j] * x[j];
        }
    }
}

#[test]
fn flat_matrix() {
    let (a, x, seed) = (random(1, 12), random(2, 3), random(3, 4));
    let (mut d_a, mut d_x, mut y, mut d_y) = (vec![0.0; 12], vec![0.0; 3], vec![0.0; 4], seed.clone());
    flat::vjp(&a, &mut d_a, &x, &mut d_x, &mut y, &mut d_y, 4, 3);
    assert_near(&d_y, &[0.0; 4]);
    for i in 0..4 {
        for j in 0..3 {
            assert_near(&[d_a[i * 3 + j]], &[seed[i] * x[j]]);
        }
    }
    let run = |v: &[Vec<f64>]| {
        let mut y = vec![0.0; 4];
        flat(&v[0], &v[1], &mut y, 4, 3);
        dot(&y, &seed)
    };
    check(run, &[&a, &x], &[&d_a, &d_x]);
}

#[test]
fn nested_matrix() {
    let flat = random(4, 12);
    let rows = |v: &[f64]| -> Vec<[f64; 3]> { v.chunks(3).map(|row| [row[0], row[1], row[2]]).collect() };
    let (a, x, seed) = (rows(&flat), [0.3, -1.2, 0.8], random(5, 4));
    let (mut d_a, mut d_x, mut y, mut d_y) = (vec![[0.0; 3]; 4], [0.0; 3], vec![5.0; 4], seed.clone());
    nested::vjp(&a, &mut d_a, &x, &mut d_x, &mut y, &mut d_y);
    assert_eq!(d_y, [0.0; 4]);
    let run = |v: &[Vec<f64>]| {
        let mut y = vec![0.0; 4];
        nested(&rows(&v[0]), &[v[1][0], v[1][1], v[1][2]], &mut y);
        dot(&y, &seed)
    };
    check(run, &[&flat, &x], &[d_a.as_flattened(), &d_x]);
}
