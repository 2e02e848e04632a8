//! A sum over a parallel map, with what is captured.

use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn f(x: &[f64], s: f64) -> f64 {
    x.par_iter().map(|v| s * v * v).sum()
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0], 3.0);
    assert_eq!((value, gradient.x, gradient.s), (15.0, vec![6.0, 12.0], 5.0));
    assert!(f::DECISIONS.contains("parallel by the user's rayon iterator"));
}
