//! A sum of mapped elements.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0]);
    assert_eq!((value, gradient.x), (5.0, vec![2.0, 4.0]));
}
