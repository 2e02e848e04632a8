//! Reductions with their neutral elements.

use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    let largest = x.par_iter().copied().reduce(|| f64::NEG_INFINITY, f64::max);
    let sum = x.par_iter().map(|v| v * v).reduce(|| 0.0, |a, b| a + b);
    largest * sum
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 3.0, 2.0]);
    assert_eq!((value, gradient.x), (42.0, vec![6.0, 32.0, 12.0]));
}
