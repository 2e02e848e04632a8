use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn roots(x: &mut [f64]) {
    let _ = x.par_iter_mut().try_for_each(|v| {
        *v = v.sqrt();
        if v.is_nan() { Err(()) } else { Ok(()) }
    });
}

fn main() {}
