//! Recovers the energy of a blast, and the density of a layer that it went through, from how the gas moves after
//! it.
//!
//! ```text
//! cargo run --release -p pardiff-lulesh --features export --example lulesh -- [PATH.svg]
//! ```
//!
//! A blast with a known energy runs through a dense layer first; its last velocities are all that is kept. Then
//! L-BFGS looks for the energy and the density that lead to them, from a weaker blast without a layer. Each
//! gradient goes back through all cycles of the simulation, whose time steps depend on the gas, with states kept at
//! some of them. A picture shows how fast the gas is in a plane: in the truth, at the start, and as it was found.

use pardiff::differentiate;
use pardiff_examples::fields::{self, Field};
use pardiff_examples::{descent, differences};
use pardiff_lulesh::Domain;
use pardiff_lulesh::loops::serial;

/// Elements a side.
const SIZE: usize = 10;
/// The velocities are those after so many cycles.
const CYCLES: usize = 140;
/// The energy of the truth, relative to that of LULESH, and the density of its layer.
const TRUTH: [f64; 2] = [1.2, 1.5];
/// The elements of the layer, from the centre of the blast.
const LAYER: std::ops::Range<usize> = 4..6;

/// The squared distance of the last velocities from those that were seen. `domain` becomes the last state.
#[differentiate(wrt(energy, density), uses(Domain, serial))]
fn misfit(
    domain: &mut Domain,
    energy: f64,
    density: f64,
    layer: &[bool],
    seen: &[[f64; 3]],
    cycles: usize,
) -> f64 {
    domain.energy[0] = energy * domain.energy[0];
    for i in 0..layer.len() {
        if layer[i] {
            let added = (density - 1.0) * domain.element_mass[i];
            domain.element_mass[i] += added;
            for c in 0..8 {
                domain.node_mass[domain.corners[i][c]] += added / 8.0;
            }
        }
    }
    #[checkpoint]
    for _ in 0..cycles {
        serial::step(domain);
    }
    let mut sum = 0.0;
    for n in 0..seen.len() {
        for k in 0..3 {
            let difference = domain.velocity[n][k] - seen[n][k];
            sum += difference * difference;
        }
    }
    sum
}

/// The mesh and what is known of the blast.
struct Survey {
    start: Domain,
    layer: Vec<bool>,
    seen: Vec<[f64; 3]>,
}

impl Survey {
    /// The misfit of an energy and a density, with the last state.
    fn run(&self, p: &[f64]) -> (f64, Domain) {
        let mut domain = self.start.clone();
        let value = misfit(&mut domain, p[0], p[1], &self.layer, &self.seen, CYCLES);
        (value, domain)
    }

    /// The misfit and its gradient.
    fn gradient(&self, p: &[f64]) -> (f64, Vec<f64>) {
        let mut domain = self.start.clone();
        let (mut d_domain, mut d) = (self.start.zeroed(), [0.0; 2]);
        let [d_energy, d_density] = &mut d;
        let (layer, seen) = (&self.layer, &self.seen);
        let value =
            misfit::grad(&mut domain, &mut d_domain, p[0], d_energy, p[1], d_density, layer, seen, CYCLES);
        (value, d.to_vec())
    }
}

fn main() -> Result<(), String> {
    let edge = SIZE + 1;
    let start = Domain::sedov(SIZE, [1.0, 1.01, 1.03]);
    let in_layer = |i: usize| {
        LAYER.contains(&[i % SIZE, i / SIZE % SIZE, i / (SIZE * SIZE)].into_iter().max().unwrap_or(0))
    };
    let layer = (0..start.energy.len()).map(in_layer).collect();
    let mut survey = Survey { seen: start.velocity.clone(), start, layer };
    let truth = survey.run(&TRUTH).1;
    println!("{SIZE} elements a side, {} cycles, {:.1e} s", truth.cycle, truth.time);
    survey.seen.clone_from(&truth.velocity);

    let begin = vec![0.8, 1.0];
    let (first, gradient) = survey.gradient(&begin);
    differences::check(|p| survey.run(p).0, &begin, &gradient, 1e-5)?;

    println!("inversion, L-BFGS");
    let scaled = |p: &[f64]| {
        let (value, gradient) = survey.gradient(p);
        (value / first, gradient.iter().map(|g| g / first).collect())
    };
    let (found, _) = descent::minimise(scaled, begin.clone(), 30)?;
    println!("  energy {:.6} of {}, density {:.6} of {}", found[0], TRUTH[0], found[1], TRUTH[1]);
    if found.iter().zip(TRUTH).any(|(found, truth)| (found - truth).abs() > 1e-3) {
        return Err("the blast was not found".to_owned());
    }

    // in the plane through the centre of the blast
    let speeds = |domain: &Domain| -> Vec<f64> {
        let speed = |v: &[f64; 3]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        domain.velocity[..edge * edge].iter().map(speed).collect()
    };
    let all = [&TRUTH[..], &begin, &found].map(|p| speeds(&survey.run(p).1));
    let high = all[0].iter().copied().fold(0.0, f64::max);
    let titles = ["speed of the gas: truth", "at the start", "found"];
    let pictures: Vec<Field<'_>> = titles
        .iter()
        .zip(&all)
        .map(|(title, values)| Field { title, values, width: edge, low: 0.0, high })
        .collect();
    fields::write("lulesh", &pictures)
}
