//! A recurrence over two sequences with two rows, one of which replaces the other as a whole.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn align(x: &[f64], y: &[f64]) -> f64 {
    let mut prev = vec![0.0; y.len() + 1];
    for i in 0..x.len() {
        let mut cur = vec![0.0; y.len() + 1];
        for j in 0..y.len() {
            let w = (-(x[i] - y[j]).abs()).exp();
            cur[j + 1] = (prev[j] + w).max(prev[j + 1]).max(cur[j]);
        }
        prev = cur;
    }
    prev[y.len()]
}

#[test]
fn gradient() {
    let (x, y) = (random(1, 4), random(2, 5));
    let (value, gradient) = align::gradient(&x, &y);
    assert_eq!(value, align(&x, &y));
    check(|v| align(&v[0], &v[1]), &[&x, &y], &[&gradient.x, &gradient.y]);
}
