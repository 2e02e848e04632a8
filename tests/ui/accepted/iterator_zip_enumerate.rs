//! Two arrays and an index at once.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, (a, b)) in x.iter().zip(y).enumerate() {
        sum += i as f64 * a * b;
    }
    sum
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0, 3.0], &[4.0, 5.0]);
    assert_eq!((value, gradient.x, gradient.y), (10.0, vec![0.0, 5.0, 0.0], vec![0.0, 2.0]));
}
