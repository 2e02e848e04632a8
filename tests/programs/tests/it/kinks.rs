//! The conventions where a derivative does not exist, and what is not taken contributes nothing.

use pardiff::differentiate;

#[differentiate]
pub fn extremes(a: f64, b: f64) -> f64 {
    a.max(b) + 10.0 * a.min(b) + 100.0 * (a - b).abs()
}

#[differentiate]
pub fn largest(x: &[f64]) -> f64 {
    let mut best = x[0];
    for i in 1..x.len() {
        best = best.max(x[i]);
    }
    best
}

#[differentiate]
pub fn safe_root(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += if x[i] > 0.0 { x[i].sqrt() } else { 0.0 };
    }
    sum
}

#[differentiate]
pub fn root(x: f64) -> f64 {
    x.sqrt()
}

#[test]
fn ties_go_to_the_first() {
    let (_, gradient) = extremes::gradient(2.0, 2.0);
    assert_eq!((gradient.a, gradient.b), (11.0, 0.0));
    let (value, gradient) = largest::gradient(&[1.0, 3.0, 2.0, 3.0, 3.0]);
    assert_eq!((value, gradient.x), (3.0, vec![0.0, 1.0, 0.0, 0.0, 0.0]));
}

#[test]
fn a_branch_not_taken_is_silent() {
    let (value, gradient) = safe_root::gradient(&[4.0, 0.0, -1.0]);
    assert_eq!((value, gradient.x), (2.0, vec![0.25, 0.0, 0.0]));
    assert_eq!(root::gradient(0.0).1.x, f64::INFINITY);
}
