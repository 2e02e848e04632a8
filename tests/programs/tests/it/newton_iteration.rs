//! Newton iterations that stop early by a flag.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn roots(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let mut r = 1.0 + x[i];
        let mut done = false;
        for _ in 0..8 {
            if done {
                continue;
            }
            let f = r * r * r - x[i] - 2.0;
            r -= f / (3.0 * r * r);
            if f.abs() < 1e-15 {
                done = true;
            }
        }
        total += r;
    }
    total
}

#[test]
fn gradient() {
    let x = random(3, 3);
    let mut d_x = vec![0.0; x.len()];
    let value = roots::grad(&x, &mut d_x);
    assert_eq!(value, roots(&x));
    check(|v| roots(&v[0]), &[&x], &[&d_x]);
}
