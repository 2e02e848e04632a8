//! Sorting: values exchanged in place, and indices exchanged while the values stay.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn ranked(x: &[f64]) -> f64 {
    let mut a = x.to_vec();
    let n = a.len();
    for i in 0..n {
        for j in 0..n - 1 - i {
            if a[j] > a[j + 1] {
                a.swap(j, j + 1);
            }
        }
    }
    let mut s = 0.0;
    for i in 0..n {
        s += a[i] * (i as f64 + 1.0).powi(2);
    }
    s
}

#[differentiate]
pub fn ordered(x: &[f64]) -> f64 {
    let n = x.len();
    let mut p = vec![0usize; n];
    for i in 0..n {
        p[i] = i;
    }
    for i in 0..n {
        for j in 0..n - 1 - i {
            if x[p[j]] > x[p[j + 1]] {
                let t = p[j];
                p[j] = p[j + 1];
                p[j + 1] = t;
            }
        }
    }
    let mut s = 0.0;
    for i in 0..n {
        s += x[p[i]] * x[p[i]] * (i as f64);
    }
    s
}

#[test]
fn values_in_place() {
    let x = random(6, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = ranked::grad(&x, &mut d_x);
    assert_eq!(value, ranked(&x));
    check(|v| ranked(&v[0]), &[&x], &[&d_x]);
}

#[test]
fn indices_in_place() {
    let x = random(7, 7);
    let mut d_x = vec![0.0; x.len()];
    let value = ordered::grad(&x, &mut d_x);
    assert_eq!(value, ordered(&x));
    check(|v| ordered(&v[0]), &[&x], &[&d_x]);
}
