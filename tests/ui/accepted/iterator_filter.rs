//! Elements that pass a condition, and how many.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    let count = x.iter().filter(|v| **v > 0.0).count();
    x.iter().copied().filter(|&v| v > 0.0).map(|v| v * v).sum::<f64>() / count as f64
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, -2.0, 3.0]);
    assert_eq!((value, gradient.x), (5.0, vec![1.0, 0.0, 3.0]));
}
