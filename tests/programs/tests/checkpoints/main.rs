//! Loops over time: in loops, of steps that choose what they do, in states that the binomial schedule keeps, and by
//! constants of the module.

#![allow(
    clippy::manual_memcpy,
    clippy::needless_range_loop,
    clippy::useless_vec,
    reason = "kernels as numerical programmers write them"
)]

mod binomial;
mod chosen_schemes;
mod constants;
mod nested;

/// Whether two runs found the same up to rounding.
#[track_caller]
fn close(name: &str, a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    let largest = a.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-9 * a.abs() + 1e-13 * largest, "{name}: {b} is not {a}");
    }
}
