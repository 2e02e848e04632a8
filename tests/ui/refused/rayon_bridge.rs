use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn total(x: &[f64]) -> f64 {
    x.iter().par_bridge().map(|v| v * v).sum()
}

fn main() {}
