//! Neighbours in parallel.

use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    x.par_windows(2).map(|w| w[0] * w[1]).sum()
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0, 3.0]);
    assert_eq!((value, gradient.x), (8.0, vec![2.0, 4.0, 2.0]));
}
