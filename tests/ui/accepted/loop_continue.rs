//! Iterations that are passed over.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    let (mut sum, mut i) = (0.0, 0);
    while i < x.len() {
        i += 1;
        if x[i - 1] < 0.0 {
            continue;
        }
        sum += x[i - 1].powi(2);
    }
    sum
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, -2.0, 3.0]);
    assert_eq!((value, gradient.x), (10.0, vec![2.0, 0.0, 6.0]));
}
