//! Backwards, every other one, without the first.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    x.iter().rev().skip(1).step_by(2).take(5).fold(0.0, |value, c| value * 2.0 + c)
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0, 3.0, 4.0]);
    assert_eq!((value, gradient.x), (7.0, vec![1.0, 0.0, 2.0, 0.0]));
}
