//! pardiff under another name, once directly and once through a re-export, in edition 2021.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused)]
// kernels are loops over indices
#![allow(clippy::needless_range_loop)]

/// The re-export.
pub mod prelude {
    pub use autodiff;
}

/// The dependency's own name.
#[autodiff::differentiate(crate = autodiff)]
pub fn direct(x: &[f64], gen: usize) -> f64 {
    x[gen] * x[gen]
}

/// The path of a re-export.
#[autodiff::differentiate(crate = crate::prelude::autodiff)]
pub fn through_reexport(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    sum
}
