//! A constant in lower case looks like a binding: one of the body is known, one outside is found by rustc,
//! also if the body imports it.

#![allow(non_upper_case_globals)]

use pardiff::differentiate;

const nobody: usize = 0;

#[differentiate]
fn outside(x: &[f64], k: usize) -> f64 {
    match k {
        nobody => 2.0 * x[0],
        _ => x[0],
    }
}

mod limits {
    pub const nothing: usize = 0;
}

#[differentiate]
fn imported(x: &[f64], k: usize) -> f64 {
    use limits::nothing;
    match k {
        nothing => 2.0 * x[0],
        _ => x[0],
    }
}

#[differentiate]
mod kernels {
    fn first(x: &[f64]) -> Result<f64, usize> {
        if x.is_empty() { Err(1) } else { Ok(x[0]) }
    }

    pub fn inside(x: &[f64], w: f64) -> f64 {
        const empty: usize = 0;
        match first(x) {
            Ok(v) => v * w,
            Err(empty) => w,
            Err(_) => 2.0 * w,
        }
    }
}

fn main() {}
