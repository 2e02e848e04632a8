//! What does heat do to resonances? Cross sections from poles with Doppler broadening, as in RSBench.
//!
//! ```text
//! cargo run --release --example multipole -- [PATH.svg]
//! ```
//!
//! A nuclide is a list of poles; how wide its resonances are depends on the temperature. One gradient for each energy has the
//! derivative of the cross section by the temperature and by every pole. A picture shows the resonances, cold and warm, and
//! the derivative beside differences of the two.

#[path = "../workloads/multipole.rs"]
#[allow(clippy::needless_range_loop, clippy::too_many_arguments)]
mod kernel;

use kernel::multipole;
use pardiff_examples::charts::{self, BLUE, Chart, GREY, RED, Series};
use pardiff_examples::differences;
use pardiff_examples::random::Random;

const WINDOWS: usize = 12;
const ENERGIES: usize = 1500;
/// The broadening divides by it: the larger, the colder.
const COLD: f64 = 600.0;
const STEP: f64 = 0.5;

/// One nuclide, alone in one material.
struct Nuclide {
    pole: Vec<[f64; 2]>,
    residue: Vec<[f64; 4]>,
    background: Vec<[f64; 2]>,
    first: Vec<u32>,
}

impl Nuclide {
    /// Two poles a window.
    fn drawn(random: &mut Random) -> Nuclide {
        let mut nuclide =
            Nuclide { pole: Vec::new(), residue: Vec::new(), background: Vec::new(), first: vec![0] };
        for w in 0..WINDOWS {
            for k in 0..2 {
                let at = (w as f64 + 0.25 + 0.5 * k as f64 + 0.1 * random.signed()) / WINDOWS as f64;
                nuclide.pole.push([at, -0.001 - 0.002 * random.unit()]);
                let strength = 1e-3 * at * at * (0.5 + random.unit());
                nuclide.residue.push([strength, 0.2 * strength, 0.4 * strength, 0.0]);
            }
            nuclide.background.push([0.2, 0.05]);
            nuclide.first.push(nuclide.pole.len() as u32);
        }
        nuclide
    }

    /// The sum of the cross sections at some energies.
    fn sum(&self, doppler: f64, energy: &[f64]) -> f64 {
        let Nuclide { pole, residue, background, first } = self;
        let material = vec![0; energy.len()];
        multipole(
            pole,
            residue,
            background,
            &[1.0],
            doppler,
            first,
            &[0, 1],
            &[0],
            energy,
            &material,
            WINDOWS,
        )
    }

    /// The sum, and its derivatives.
    fn gradient(&self, doppler: f64, energy: &[f64]) -> (f64, kernel::multipole::Gradient) {
        let Nuclide { pole, residue, background, first } = self;
        let material = vec![0; energy.len()];
        let alone = ([0, 1], [0]);
        multipole::gradient(
            pole,
            residue,
            background,
            &[1.0],
            doppler,
            first,
            &alone.0,
            &alone.1,
            energy,
            &material,
            WINDOWS,
        )
    }
}

fn main() -> Result<(), String> {
    let nuclide = Nuclide::drawn(&mut Random(1));
    let energy: Vec<f64> = (0..ENERGIES).map(|k| 0.02 + 0.9 * k as f64 / ENERGIES as f64).collect();
    println!("{} poles, {ENERGIES} energies", nuclide.pole.len());
    let (_, gradient) = nuclide.gradient(COLD, &energy);
    differences::check(|p| nuclide.sum(p[0], &energy), &[COLD], &[gradient.doppler], 0.1)?;
    let of_residues = |p: &[f64]| {
        let other = Nuclide {
            pole: nuclide.pole.clone(),
            residue: p.as_chunks().0.to_vec(),
            background: nuclide.background.clone(),
            first: nuclide.first.clone(),
        };
        other.sum(COLD, &energy)
    };
    differences::check(of_residues, nuclide.residue.as_flattened(), gradient.residue.as_flattened(), 1e-5)?;

    let curve =
        |of: &dyn Fn(&[f64]) -> f64| -> Vec<(f64, f64)> { energy.chunks(1).map(|e| (e[0], of(e))).collect() };
    // the derivative of a narrow peak is large: in units of the relative change
    let slope = curve(&|e| COLD * nuclide.gradient(COLD, e).1.doppler);
    let difference =
        |e: &[f64]| COLD * (nuclide.sum(COLD + STEP, e) - nuclide.sum(COLD - STEP, e)) / (2.0 * STEP);
    let differences = curve(&difference);
    let largest = slope.iter().fold(0.0f64, |m, p| m.max(p.1.abs()));
    let apart = slope.iter().zip(&differences).fold(0.0f64, |m, (a, b)| m.max((a.1 - b.1).abs()));
    println!("slopes by energy and differences of them are {:.1e} apart, of the largest", apart / largest);
    if apart.is_nan() || apart > 1e-4 * largest {
        return Err("the derivative by the temperature is wrong".to_owned());
    }

    let sections = Chart {
        title: "total cross section",
        axes: ["energy", "cross section"],
        series: vec![
            Series::line("cold", BLUE, curve(&|e| nuclide.sum(COLD, e))),
            Series::line("warm", RED, curve(&|e| nuclide.sum(0.4 * COLD, e))),
        ],
    };
    let derivative = Chart {
        title: "its derivative by the logarithm of the inverse width",
        axes: ["energy", "derivative"],
        series: vec![
            Series::dots("differences", GREY, 3, differences.into_iter().step_by(5).collect()),
            Series::line("gradient", RED, slope),
        ],
    };
    charts::write("multipole", &[sections, derivative])
}
