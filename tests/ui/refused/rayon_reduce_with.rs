use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn total(x: &[f64]) -> f64 {
    x.par_iter().copied().reduce_with(|a, b| a + b).unwrap_or(0.0)
}

fn main() {}
