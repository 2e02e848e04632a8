use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn difference(x: &[f64]) -> f64 {
    x.par_iter().copied().reduce(|| 0.0, |a, b| a - b)
}

fn main() {}
