//! Counters that run through packed arrays: unconditional, conditional, in nested loops.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

/// `x' A x` of a symmetric matrix whose lower triangle is packed.
#[differentiate]
pub fn packed(a: &[f64], x: &[f64]) -> f64 {
    let mut p = 0;
    let mut sum = 0.0;
    for i in 0..x.len() {
        for j in 0..i {
            sum += 2.0 * a[p] * x[i] * x[j];
            p += 1;
        }
        sum += a[p] * x[i] * x[i];
        p += 1;
    }
    sum
}

#[differentiate]
pub fn compacted(x: &[f64], keep: &[bool], out: &mut [f64]) -> usize {
    let mut count = 0;
    for i in 0..x.len() {
        if keep[i] {
            out[count] = x[i] * x[i];
            count += 1;
        }
    }
    count
}

#[test]
fn packed_matrix() {
    let (a, x) = (random(1, 10), random(2, 4));
    let (value, gradient) = packed::gradient(&a, &x);
    assert_near(&[value], &[packed(&a, &x)]);
    check(|v| packed(&v[0], &v[1]), &[&a, &x], &[&gradient.a, &gradient.x]);
}

#[test]
fn kept_elements() {
    let (x, keep) = ([1.0, 2.0, 3.0, 4.0], [false, true, true, false]);
    let (mut d_x, mut out, mut d_out) = ([0.0; 4], [0.0; 3], [1.0, 10.0, 100.0]);
    let count = compacted::vjp(&x, &mut d_x, &keep, &mut out, &mut d_out);
    assert_eq!((count, out), (2, [4.0, 9.0, 0.0]));
    assert_eq!(d_x, [0.0, 4.0, 60.0, 0.0]);
    // overwritten unread, or left alone
    assert_eq!(d_out, [0.0, 0.0, 100.0]);
}
