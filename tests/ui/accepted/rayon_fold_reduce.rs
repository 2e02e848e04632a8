//! A fold by group, and the sum of the groups.

use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn f(x: &[f64], y: &[f64]) -> f64 {
    x.par_iter().zip(y.par_iter()).fold(|| 0.0, |sum, (x, y)| sum + x * y).reduce(|| 0.0, |a, b| a + b)
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0], &[3.0, 4.0]);
    assert_eq!((value, gradient.x, gradient.y), (11.0, vec![3.0, 4.0], vec![1.0, 2.0]));
}
