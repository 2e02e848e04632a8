//! Local arrays that are exchanged under a condition, inside a loop over time.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn alternate(x: &[f64], t: usize) -> f64 {
    let mut a = [x[0], x[1], x[2]];
    let mut b = [0.5; 3];
    for s in 0..t {
        if a[s % 3] > b[0] {
            std::mem::swap(&mut a, &mut b);
        }
        for i in 0..3 {
            b[i] = a[i] * b[(i + 1) % 3] + 0.1 * x[i + 1];
        }
        a[0] += b[2].sin();
    }
    a[0] + b[1] * a[2]
}

#[test]
fn gradient() {
    let x = random(4, 4);
    let mut d_x = vec![0.0; x.len()];
    let value = alternate::grad(&x, &mut d_x, 6);
    assert_eq!(value, alternate(&x, 6));
    check(|v| alternate(&v[0], 6), &[&x], &[&d_x]);
}
