//! Gaussian elimination without pivoting on a local copy, then the product of the pivots.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn determinant(a: &[f64], n: usize) -> f64 {
    let mut m = a.to_vec();
    for k in 0..n {
        for i in k + 1..n {
            m[i * n + k] /= m[k * n + k];
            for j in k + 1..n {
                m[i * n + j] -= m[i * n + k] * m[k * n + j];
            }
        }
    }
    let mut det = 1.0;
    for k in 0..n {
        det *= m[k * n + k];
    }
    det
}

#[test]
fn gradient() {
    let n = 4;
    let mut a = random(1, n * n);
    (0..n).for_each(|i| a[i * n + i] += 3.0);
    let (value, gradient) = determinant::gradient(&a, n);
    assert_eq!(value, determinant(&a, n));
    check(|v| determinant(&v[0], n), &[&a], &[&gradient.a]);
    // Euler: the determinant is homogeneous of degree n
    let slope: f64 = gradient.a.iter().zip(&a).map(|(g, a)| g * a).sum();
    assert!((slope - n as f64 * value).abs() < 1e-11 * value.abs());
}
