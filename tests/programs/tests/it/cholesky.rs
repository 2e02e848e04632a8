//! A Cholesky factorisation in place: the factor overwrites the matrix, three nested triangular loops.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn log_determinant(a: &mut [f64], n: usize) -> f64 {
    let mut log = 0.0;
    for j in 0..n {
        for k in 0..j {
            for i in j..n {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
        }
        let pivot = a[j * n + j].sqrt();
        for i in j..n {
            a[i * n + j] /= pivot;
        }
        log += 2.0 * pivot.ln();
    }
    log
}

#[test]
fn gradient_is_the_inverse() {
    let n = 4;
    let mut a = vec![0.0; n * n];
    let b = random(1, n * n);
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>();
        }
        a[i * n + i] += 2.0;
    }
    let (mut l, mut d_a) = (a.clone(), vec![0.0; n * n]);
    let value = log_determinant::grad(&mut l, &mut d_a, n);
    let mut again = a.clone();
    assert_eq!(value, log_determinant(&mut again, n));
    assert_eq!(l, again);
    check(|v| log_determinant(&mut v[0].clone(), n), &[&a], &[&d_a]);
    // d log det A = tr(A^-1 dA): the symmetrised gradient times A is the identity
    for i in 0..n {
        for j in 0..n {
            let symmetric = |p: usize, q: usize| 0.5 * (d_a[p * n + q] + d_a[q * n + p]);
            let product: f64 = (0..n).map(|k| symmetric(i, k) * a[k * n + j]).sum();
            assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12);
        }
    }
}
