//! Extremes and products of segments: reductions into elements behind an index.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn segment_max(x: &[f64], seg: &[usize], groups: usize) -> f64 {
    let mut m = vec![-1e30f64; groups];
    let mut p = vec![1.0; groups];
    for i in 0..seg.len() {
        m[seg[i]] = m[seg[i]].max(x[i]);
        p[seg[i]] *= x[i];
    }
    let mut s = 0.0;
    for g in 0..groups {
        if m[g] > -1e29 {
            s += m[g] * m[g] + p[g];
        }
    }
    s
}

#[test]
fn gradient() {
    let x = random(6, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = segment_max::grad(&x, &mut d_x, &[0, 2, 0, 2, 1, 0], 4);
    assert_eq!(value, segment_max(&x, &[0, 2, 0, 2, 1, 0], 4));
    check(|v| segment_max(&v[0], &[0, 2, 0, 2, 1, 0], 4), &[&x], &[&d_x]);
}
