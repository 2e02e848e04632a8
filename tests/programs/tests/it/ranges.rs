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
