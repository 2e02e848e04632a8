//! Every form of range: inclusive, reversed, stepped, both ways round, signed, and empty ones.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn walk(x: &[f64], n: usize) -> f64 {
    let mut s = 1.0;
    for i in 0..=n {
        s = 0.5 * s + x[i];
    }
    for i in (1..=n).rev() {
        s = 0.5 * s * x[i];
    }
    for i in (0..n).step_by(3) {
        s = s * 0.7 + x[i] * x[i];
    }
    for i in (0..n).step_by(2).rev() {
        s = s * x[i] + 0.1;
    }
    for i in (0..n).rev().step_by(2) {
        s = s.sin() + x[i];
    }
    for k in -2..3i64 {
        s = s * 0.9 + x[(k + 2) as usize] * k as f64;
    }
    for k in (1..=3u8).rev() {
        s += x[k as usize] * s;
    }
    for i in n..2 {
        s = x[i] * 1e9;
    }
    s
}

#[test]
fn gradient() {
    for n in [4, 5, 7] {
        let x = random(n as u64, n + 1);
        let (value, gradient) = walk::gradient(&x, n);
        assert_eq!(value, walk(&x, n));
        check(|v| walk(&v[0], n), &[&x], &[&gradient.x]);
    }
}

/// Vectors whose positions are counted by one type and whose numbers are of another.
#[differentiate]
pub fn collected(x: &[f64], n: usize, first: i32) -> f64 {
    let (signed, last) = (n as isize, n as isize - 1);
    let from: Vec<f64> = (1..signed).map(|i| x[i as usize] * x[i as usize - 1]).collect();
    let kept: Vec<f64> = (0..signed).map(|i| x[(i + 1).min(last) as usize]).collect();
    let between: Vec<f64> = (0..signed).map(|i| x[(i - 2).clamp(0, last) as usize]).collect();
    let offsets: Vec<f64> = (-2..=2).map(|d: i64| x[(d + 2) as usize] * d as f64).collect();
    let stepped: Vec<f64> = (first..n as i32).step_by(2).map(|i| x[i as usize].sin()).collect();
    let unsigned: Vec<f64> = (0..n as u32).rev().map(|i| x[i as usize].exp()).collect();
    let short: Vec<f64> = (-100i8..=100).map(|i| x[0] * f64::from(i) * 0.01).collect();
    let mut s = 0.0;
    for i in 0..n {
        s += kept[i] * between[i] * unsigned[i];
    }
    for (i, v) in from.iter().chain(&offsets).chain(&stepped).chain(&short).enumerate() {
        s += v * v / (i + 1) as f64;
    }
    s
}

#[test]
fn gradient_of_what_is_collected() {
    for (n, first) in [(5, 0), (6, 3), (300, 1)] {
        let x = random(n as u64, n);
        let (value, gradient) = collected::gradient(&x, n, first);
        let error = (value - collected(&x, n, first)).abs();
        assert!(error < 1e-12 * value.abs(), "{value}, {error:e}");
        check(|v| collected(&v[0], n, first), &[&x], &[&gradient.x]);
    }
}
