//! Random programs with arrays of `ndarray` as parameters, each compiled through the macro and compared with differences.
//! `PARDIFF_ARRAYS=500` makes so many, and `PARDIFF_SEED` says where they begin.

#![allow(unused, clippy::all, reason = "the programs are generated")]

/// Numbers around one half, of arrays of these lengths.
fn inputs(lengths: &[usize]) -> Vec<Vec<f64>> {
    let number = |at: usize, k: usize| 0.2 + 0.6 * ((7 * at + 5 * k + 3) % 11) as f64 / 11.0;
    let array = |(at, &length): (usize, &usize)| (0..length).map(|k| number(at, k)).collect();
    lengths.iter().enumerate().map(array).collect()
}

/// The adjoint of an output.
fn seeds(length: usize) -> Vec<f64> {
    (0..length).map(|k| 1.0 - 0.25 * (k % 7) as f64).collect()
}

include!(concat!(env!("OUT_DIR"), "/random_arrays.rs"));
