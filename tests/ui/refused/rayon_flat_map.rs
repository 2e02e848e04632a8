use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn total(x: &[f64]) -> f64 {
    x.par_chunks(4).flat_map(|row| row.par_iter()).sum()
}

fn main() {}
