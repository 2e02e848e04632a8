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

/// The logarithm of the determinant, by elimination with the greatest pivot of each column; rows are found by a loop.
#[differentiate]
pub fn log_determinant(a: &[f64], n: usize) -> f64 {
    let mut m = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            m[i][j] = a[i * n + j];
        }
    }
    let mut sum = 0.0;
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if m[i][k].abs() > m[pivot][k].abs() {
                pivot = i;
            }
        }
        m.swap(k, pivot);
        sum += m[k][k].abs().ln();
        for i in k + 1..n {
            let f = m[i][k] / m[k][k];
            for j in k + 1..n {
                m[i][j] -= f * m[k][j];
            }
        }
    }
    sum
}

/// The same with an iterator that finds the row.
#[differentiate]
pub fn log_determinant_of_items(a: &[f64], n: usize) -> f64 {
    let mut m = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            m[i][j] = a[i * n + j];
        }
    }
    let mut sum = 0.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|&p, &q| m[p][k].abs().total_cmp(&m[q][k].abs())).unwrap();
        m.swap(k, pivot);
        sum += m[k][k].abs().ln();
        for i in k + 1..n {
            let f = m[i][k] / m[k][k];
            for j in k + 1..n {
                m[i][j] -= f * m[k][j];
            }
        }
    }
    sum
}

#[test]
fn pivots() {
    for n in [0, 1, 2, 5, 13] {
        let a = random(7, n * n);
        let (value, gradient) = log_determinant::gradient(&a, n);
        let (of_items, by_items) = log_determinant_of_items::gradient(&a, n);
        assert!((value - log_determinant(&a, n)).abs() <= 1e-12 * value.abs());
        assert!((of_items - value).abs() <= 1e-12 * value.abs());
        // the transpose of the inverse, so that `a` times it is the identity
        for i in 0..n {
            for k in 0..n {
                for g in [&gradient.a, &by_items.a] {
                    let product: f64 = (0..n).map(|j| a[i * n + j] * g[k * n + j]).sum();
                    let expected = if i == k { 1.0 } else { 0.0 };
                    assert!((product - expected).abs() < 1e-9, "{n}: {i} {k} {product}");
                }
            }
        }
    }
    // rows that were chosen stay where they are, and the reverse sweep finds them there
    for plan in [log_determinant::DECISIONS, log_determinant_of_items::DECISIONS] {
        assert!(!plan.contains("m_tape"), "{plan}");
    }
}
