//! Forward and back substitution: triangular loops, an output that is read while it is built.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

/// `x = L^-1 b`
#[differentiate]
pub fn forward(l: &[f64], b: &[f64], x: &mut [f64], n: usize) {
    for i in 0..n {
        let mut s = b[i];
        for j in 0..i {
            s -= l[i * n + j] * x[j];
        }
        x[i] = s / l[i * n + i];
    }
}

/// `x = U^-1 x` in place, from the last row to the first
#[differentiate]
pub fn backward(u: &[f64], x: &mut [f64], n: usize) {
    for i in (0..n).rev() {
        for j in i + 1..n {
            x[i] -= u[i * n + j] * x[j];
        }
        x[i] /= u[i * n + i];
    }
}

fn matrix(n: usize) -> Vec<f64> {
    let mut a = random(1, n * n);
    (0..n).for_each(|i| a[i * n + i] = 2.0 + 0.1 * i as f64);
    a
}

#[test]
fn forward_substitution() {
    let n = 5;
    let (l, b, seed) = (matrix(n), random(2, n), random(3, n));
    let (mut d_l, mut d_b, mut x, mut d_x) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n], seed.clone());
    forward::vjp(&l, &mut d_l, &b, &mut d_b, &mut x, &mut d_x, n);
    let run = |v: &[Vec<f64>]| {
        let mut x = vec![0.0; n];
        forward(&v[0], &v[1], &mut x, n);
        dot(&x, &seed)
    };
    check(run, &[&l, &b], &[&d_l, &d_b]);
    assert_eq!(d_x, vec![0.0; n]);
}

#[test]
fn back_substitution_in_place() {
    let n = 5;
    let (u, b, seed) = (matrix(n), random(4, n), random(5, n));
    let (mut d_u, mut x, mut d_x) = (vec![0.0; n * n], b.clone(), seed.clone());
    backward::vjp(&u, &mut d_u, &mut x, &mut d_x, n);
    let run = |v: &[Vec<f64>]| {
        let mut x = v[1].clone();
        backward(&v[0], &mut x, n);
        dot(&x, &seed)
    };
    check(run, &[&u, &b], &[&d_u, &d_x]);
}
