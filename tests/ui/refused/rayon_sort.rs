use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn smallest(x: &mut [f64]) -> f64 {
    x.par_sort_by(|a, b| a.total_cmp(b));
    x[0]
}

fn main() {}
