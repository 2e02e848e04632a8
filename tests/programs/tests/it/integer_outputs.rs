//! Integers beside floats: counts through `&mut`, wrapping and checked arithmetic, shifts.

use pardiff::differentiate;
use pardiff_programs::check;

#[differentiate]
pub fn sampled(x: &[f64], seed: u32, hits: &mut [u32], last: &mut u32) -> f64 {
    let mut state = seed;
    let mut sum = 0.0;
    for _ in 0..8 {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        let i = (state >> 16) as usize % x.len();
        sum += x[i] * x[i];
        hits[i] += 1;
    }
    *last = state;
    sum
}

#[test]
fn gradient_counts_the_hits() {
    let x = [0.5, -1.0, 2.0];
    let (mut d_x, mut hits, mut last) = ([0.0; 3], [0; 3], 0);
    let value = sampled::grad(&x, &mut d_x, 7, &mut hits, &mut last);
    let (mut again, mut end) = ([0; 3], 0);
    assert_eq!(value, sampled(&x, 7, &mut again, &mut end));
    assert_eq!((hits, last), (again, end));
    for i in 0..3 {
        assert_eq!(d_x[i], 2.0 * f64::from(hits[i]) * x[i]);
    }
    check(|v| sampled(&v[0], 7, &mut [0; 3], &mut 0), &[&x], &[&d_x]);
}
