//! Flags and a counter as outputs that the function reads as well.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn alternate_flags(x: &[f64], keep: &mut [bool], n: &mut usize) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        keep[i] = x[i] > 0.0 && (i == 0 || !keep[i - 1]);
        if keep[i] {
            *n += 1;
            s += x[i] * x[i] * *n as f64;
        }
    }
    s
}

#[test]
fn gradient() {
    let (x, mut d_x) = (random(3, 5), [0.0; 5]);
    let (mut keep, mut n) = ([false; 5], 1);
    let value = alternate_flags::grad(&x, &mut d_x, &mut keep, &mut n);
    let (mut keep_again, mut n_again) = ([false; 5], 1);
    assert_eq!(value, alternate_flags(&x, &mut keep_again, &mut n_again));
    assert_eq!((keep, n), (keep_again, n_again));
    check(|v| alternate_flags(&v[0], &mut [false; 5], &mut 1), &[&x], &[&d_x]);
}
