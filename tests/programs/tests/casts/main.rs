//! Casts of constants between all integer types, as values and in indices, compiled through the macro.

#![allow(unused, clippy::all, reason = "the programs are generated")]

/// Whether an adjoint is the sum of these factors.
fn is_near(adjoint: f64, factors: &[f64]) {
    let (sum, size) = factors.iter().fold((0.0, 0.0), |(sum, size), it| (sum + it, size + f64::abs(*it)));
    assert!((adjoint - sum).abs() <= 1e-12 * size, "{adjoint} instead of {sum}");
}

include!(concat!(env!("OUT_DIR"), "/casts.rs"));
