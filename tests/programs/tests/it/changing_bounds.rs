//! Bounds and steps that the loop changes after they were evaluated.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn mutable_bounds(x: &[f64], mut n: usize) -> f64 {
    let mut s = 0.3_f64;
    let mut step = 1;
    for i in 0..n {
        for j in (0..n).step_by(step) {
            s += x[j] * s.cos();
            n = n.min(4);
        }
        step += i % 2;
        n += 1;
        if n > x.len() {
            n = x.len();
        }
        s *= x[i];
    }
    s
}

#[test]
fn gradient() {
    let x = random(7, 7);
    let mut d_x = vec![0.0; x.len()];
    let value = mutable_bounds::grad(&x, &mut d_x, 3);
    assert_eq!(value, mutable_bounds(&x, 3));
    check(|v| mutable_bounds(&v[0], 3), &[&x], &[&d_x]);
}
