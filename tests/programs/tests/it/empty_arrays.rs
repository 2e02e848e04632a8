//! Arrays and loops that may be empty, and a tuple of a float and an array as the result.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn scaled(x: &[f64], n: usize) -> (f64, [f64; 2]) {
    let v = vec![1.0; n];
    let mut s = 0.0;
    for i in 0..v.len() {
        s += v[i] * x[i];
    }
    let mut out = [s; 2];
    for i in (0..n).rev() {
        out[i % 2] *= x[i];
    }
    (s * s, out)
}

#[test]
fn any_length() {
    let x = random(3, 5);
    for n in [0, 1, 4] {
        let mut d_x = [0.0; 5];
        assert_eq!(scaled::vjp(&x, &mut d_x, n, (2.0, [1.0, -1.0])), scaled(&x, n));
        let run = |v: &[Vec<f64>]| {
            let (a, b) = scaled(&v[0], n);
            2.0 * a + b[0] - b[1]
        };
        check(run, &[&x], &[&d_x]);
    }
}
