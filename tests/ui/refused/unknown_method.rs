use pardiff::differentiate;
use std::ops::Rem;

#[differentiate]
fn bits(x: &[f64]) -> f64 {
    x[0].to_bits() as f64
}

#[differentiate]
fn wrapped(x: f64) -> f64 {
    x.rem(2.0)
}

fn main() {}
