//! A vector of what is computed, used twice.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    let squares: Vec<f64> = x.iter().map(|v| v * v).collect();
    let total: f64 = squares.iter().sum();
    squares.iter().map(|q| q * total).sum()
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0]);
    assert_eq!((value, gradient.x), (25.0, vec![20.0, 40.0]));
}
