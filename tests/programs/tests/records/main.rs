//! Random loops over records whose members are written and read again, each compiled through the macro, and compared
//! with the function itself and with differences. `PARDIFF_RECORDS=200` makes so many, and `PARDIFF_SEED` says where
//! they begin.

#![allow(unused, clippy::all, reason = "the programs are generated")]

/// Numbers of records: vectors and what is left of them, and several chunks.
const SIZES: [usize; 6] = [0, 1, 3, 8, 13, 3000];
/// The most records whose derivatives are compared with differences, which take two calls a number.
const CHECKED: usize = 13;

/// A number and another record for each record.
fn inputs(n: usize) -> (Vec<f64>, Vec<usize>) {
    ((0..n).map(|i| (i as f64 * 0.37).sin()).collect(), (0..n).map(|i| (i * 7 + 3) % n).collect())
}

fn records<const N: usize>(n: usize) -> Vec<[f64; N]> {
    let number = |i: usize, k: usize| 0.3 + ((i * N + k) as f64 * 0.71).sin();
    (0..n).map(|i| std::array::from_fn(|k| number(i, k))).collect()
}

#[track_caller]
fn are_equal(a: &[f64], b: &[f64], n: usize) {
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "number {k} of {n} records: {b} instead of {a}");
    }
}

include!(concat!(env!("OUT_DIR"), "/random_records.rs"));
