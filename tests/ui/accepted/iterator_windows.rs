//! Neighbours.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    x.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum()
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 3.0, 4.0]);
    assert_eq!((value, gradient.x), (5.0, vec![-4.0, 2.0, 2.0]));
}
