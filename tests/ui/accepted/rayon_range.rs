//! A parallel range with indices.

use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    (1..x.len()).into_par_iter().map(|i| (x[i] - x[i - 1]).powi(2)).sum()
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 3.0, 4.0]);
    assert_eq!((value, gradient.x), (5.0, vec![-4.0, 2.0, 2.0]));
}
