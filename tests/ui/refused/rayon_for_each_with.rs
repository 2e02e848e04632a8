use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn scale(x: &mut [f64]) {
    x.par_iter_mut().for_each_with(2.0, |factor, v| *v *= *factor);
}

fn main() {}
