//! A fold over several numbers.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    let (sum, squares) = x.iter().fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
    squares - sum * sum / x.len() as f64
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 3.0]);
    assert_eq!((value, gradient.x), (2.0, vec![-2.0, 2.0]));
}
