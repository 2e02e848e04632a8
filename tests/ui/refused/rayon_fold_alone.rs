use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn parts(x: &[f64]) -> f64 {
    let parts: Vec<f64> = x.par_iter().fold(|| 0.0, |a, v| a + v).collect();
    parts[0]
}

fn main() {}
