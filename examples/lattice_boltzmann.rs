//! Where does a porous body cost most drag? The derivative of the drag with respect to the share of solid in every cell.
//!
//! ```text
//! cargo run --release --example lattice_boltzmann -- [PATH.svg]
//! ```
//!
//! A round body that is dense in its middle stands in a stream. One gradient, of as many entries as there are cells, says
//! how the drag changes if a cell becomes more solid: most in the free stream beside the body, little in its shadow.

#[path = "../workloads/lattice_boltzmann.rs"]
mod kernel;

use kernel::lattice_boltzmann;
use pardiff_examples::differences;
use pardiff_examples::fields::{self, Field};
use std::time::Instant;

const NX: usize = 120;
const NY: usize = 60;
const STEPS: usize = 400;
const OMEGA: f64 = 1.4;
const INFLOW: f64 = 0.08;

/// The share of solid, from nothing outside of the body to nearly all in its middle.
fn body() -> Vec<f64> {
    let cell = |c: usize| {
        let (x, y) = ((c % NX) as f64 - 35.0, (c / NX) as f64 - 30.0);
        0.9 / (1.0 + ((x * x + y * y).sqrt() - 9.0).exp())
    };
    (0..NX * NY).map(cell).collect()
}

fn main() -> Result<(), String> {
    let solid = body();
    println!("{NX} by {NY} cells, nine populations each, {STEPS} steps");
    let clock = Instant::now();
    let drag = lattice_boltzmann(&solid, NX, NY, STEPS, OMEGA, INFLOW);
    let seconds = clock.elapsed().as_secs_f64();
    println!("drag {drag:.9}, in {seconds:.3} s");
    let clock = Instant::now();
    let (value, gradient) = lattice_boltzmann::gradient(&solid, NX, NY, STEPS, OMEGA, INFLOW);
    let seconds = clock.elapsed().as_secs_f64();
    println!("drag {value:.9} and its {} derivatives, in {seconds:.3} s", gradient.solid.len());

    let few = |p: &[f64]| lattice_boltzmann(p, NX, NY, STEPS / 10, OMEGA, INFLOW);
    let (_, short) = lattice_boltzmann::gradient(&solid, NX, NY, STEPS / 10, OMEGA, INFLOW);
    println!("the first {} steps:", STEPS / 10);
    differences::check(few, &solid, &short.solid, 1e-4)?;

    // around nothing, so that both signs would show
    let inside = |g: &&f64| **g != 0.0;
    let (least, largest) = gradient
        .solid
        .iter()
        .filter(inside)
        .fold((f64::MAX, 0.0f64), |(l, h), &g| (l.min(g), h.max(g.abs())));
    println!("derivatives from {least:.3} to {largest:.3}");
    let pictures = [
        Field { title: "share of solid", values: &solid, width: NX, low: -1.0, high: 1.0 },
        Field {
            title: "derivative of the drag",
            values: &gradient.solid,
            width: NX,
            low: -largest,
            high: largest,
        },
    ];
    fields::write("lattice_boltzmann", &pictures)
}
