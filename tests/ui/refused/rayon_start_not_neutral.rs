use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn total(x: &[f64], offset: f64) -> (f64, f64) {
    let sum = x.par_iter().copied().reduce(|| offset, |a, b| a + b);
    let product = x.par_iter().copied().reduce(|| 0.0, |a, b| a * b);
    (sum, product)
}

fn main() {}
