//! Where does a porous body cost most drag? The derivative of the drag with respect to the share of solid in every cell.
//!
//! ```text
//! cargo run --release --example lattice_boltzmann -- [PATH.svg]
//! ```
//!
//! A round body that is dense in its middle stands in a stream. One gradient, of as many entries as there are cells, says
//! how the drag changes if a cell becomes more solid: in front of the body and behind it, where more solid would even help.

#[path = "shared/differences.rs"]
mod differences;
#[path = "shared/fields.rs"]
mod fields;

use fields::Field;
use pardiff_workloads::lattice_boltzmann::lattice_boltzmann;
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

    // around nothing, so that both signs show
    let largest = gradient.solid.iter().fold(0.0f64, |m, g| m.max(g.abs()));
    let path = fields::path("lattice_boltzmann");
    let pictures = [
        Field { title: "share of solid", values: &solid, width: NX, low: -1.0, high: 1.0 },
        Field {
            title: "derivative of the drag",
            values: &gradient.solid,
            width: NX,
            low: -0.3 * largest,
            high: 0.3 * largest,
        },
    ];
    fields::write(&path, &pictures).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("picture: {}", path.display());
    Ok(())
}
