//! Which nuclide, at which energy, decides how often neutrons react? Sensitivities of a lookup as in XSBench.
//!
//! ```text
//! cargo run --release --example cross_section -- [PATH.svg]
//! ```
//!
//! Neutrons of many energies meet a mixture of nuclides, whose cross sections have resonances. One gradient has the derivative
//! of the reaction rate by every entry of every table and by every density. A picture shows the cross sections, and how much
//! of the rate comes from where.

#[path = "../workloads/cross_section.rs"]
#[allow(clippy::too_many_arguments)]
mod kernel;

use kernel::cross_section;
use pardiff_examples::charts::{self, BLUE, Chart, ORANGE, RED, Series};
use pardiff_examples::differences;
use pardiff_examples::random::Random;

const NUCLIDES: usize = 3;
const POINTS: usize = 400;
const PARTICLES: usize = 200_000;
/// Of the five reactions that a table has, the rate counts these.
const WEIGHT: [f64; 5] = [0.0, 1.0, 0.5, 0.0, 0.0];
const COLOURS: [(&str, plotters::style::RGBAColor); NUCLIDES] =
    [("nuclide A", BLUE), ("nuclide B", ORANGE), ("nuclide C", RED)];

/// Energies of tables and of neutrons, and the materials that these are in.
struct Lookup {
    grid: Vec<f64>,
    union_energy: Vec<f64>,
    union_index: Vec<u32>,
    start: Vec<u32>,
    members: Vec<u32>,
    energy: Vec<f64>,
    material: Vec<u32>,
}

impl Lookup {
    /// Two materials: all nuclides, and the first one alone.
    fn drawn(random: &mut Random) -> Lookup {
        let mut grid: Vec<f64> = (0..NUCLIDES * POINTS).map(|_| random.unit()).collect();
        for nuclide in grid.chunks_mut(POINTS) {
            (nuclide[0], nuclide[1]) = (0.0, 1.0);
            nuclide.sort_by(f64::total_cmp);
        }
        let mut union_energy = grid.clone();
        union_energy.sort_by(f64::total_cmp);
        let below = |energy: f64, nuclide: &[f64]| {
            nuclide.partition_point(|&e| e <= energy).saturating_sub(1).min(POINTS - 2) as u32
        };
        let rows = union_energy.iter().flat_map(|&e| grid.chunks(POINTS).map(move |n| below(e, n)));
        let union_index = rows.collect();
        // most neutrons are slow
        let energy = (0..PARTICLES).map(|_| -0.25 * (1.0 - 0.98 * random.unit()).ln()).collect();
        let material = (0..PARTICLES).map(|_| random.below(2) as u32).collect();
        let (start, members) = (vec![0, 3, 4], vec![0, 1, 2, 0]);
        Lookup { grid, union_energy, union_index, start, members, energy, material }
    }

    fn rate(&self, channels: &[[f64; 5]], density: &[f64]) -> f64 {
        let Lookup { grid, union_energy, union_index, start, members, energy, material } = self;
        cross_section(
            channels,
            density,
            grid,
            union_energy,
            union_index,
            start,
            members,
            energy,
            material,
            &WEIGHT,
            NUCLIDES,
            POINTS,
        )
    }

    /// The rate, and its derivatives by tables and densities.
    fn gradient(&self, channels: &[[f64; 5]], density: &[f64]) -> (f64, Vec<[f64; 5]>, Vec<f64>) {
        let (mut d_channels, mut d_density) = (vec![[0.0; 5]; channels.len()], vec![0.0; density.len()]);
        let Lookup { grid, union_energy, union_index, start, members, energy, material } = self;
        let rate = cross_section::grad(
            channels,
            &mut d_channels,
            density,
            &mut d_density,
            grid,
            union_energy,
            union_index,
            start,
            members,
            energy,
            material,
            &WEIGHT,
            NUCLIDES,
            POINTS,
        );
        (rate, d_channels, d_density)
    }
}

/// Falling with the speed, with resonances at places of its own.
fn table(nuclide: usize, energy: f64) -> [f64; 5] {
    let peak = |k: usize| {
        let at = (0.13 + 0.17 * nuclide as f64 + 0.31 * k as f64) % 1.0;
        3.0 / (1.0 + ((energy - at) / 0.012).powi(2))
    };
    let smooth = 0.4 / (energy + 0.05).sqrt();
    let captured = smooth + (0..3).map(peak).sum::<f64>();
    [captured + 2.0, captured, 0.3 * smooth, 1.0, 0.1]
}

fn main() -> Result<(), String> {
    let lookup = Lookup::drawn(&mut Random(4));
    let channels: Vec<[f64; 5]> =
        lookup.grid.iter().enumerate().map(|(p, &e)| table(p / POINTS, e)).collect();
    let density = [1.0, 0.6, 0.3, 2.0];
    println!("{PARTICLES} neutrons, {NUCLIDES} nuclides of {POINTS} energies");
    let (rate, d_channels, d_density) = lookup.gradient(&channels, &density);
    println!("rate {:.6} a neutron", rate / PARTICLES as f64);

    // the rate is linear in the tables, and in the densities: it is the sum of these times their derivatives
    let by_tables: f64 =
        channels.as_flattened().iter().zip(d_channels.as_flattened()).map(|(c, d)| c * d).sum();
    let by_densities: f64 = density.iter().zip(&d_density).map(|(n, d)| n * d).sum();
    let errors = [by_tables, by_densities].map(|sum| (sum / rate - 1.0).abs());
    println!("check of the sum rules: relative errors {:.1e}, {:.1e}", errors[0], errors[1]);
    if errors.iter().any(|error| error.is_nan() || *error > 1e-10) {
        return Err("the sensitivities do not add up to the rate".to_owned());
    }
    let of_tables = |c: &[f64]| lookup.rate(c.as_chunks().0, &density);
    differences::check(of_tables, channels.as_flattened(), d_channels.as_flattened(), 1e-3)?;
    let of_nuclide = |n: usize| -> f64 {
        let rows = n * POINTS..(n + 1) * POINTS;
        rows.map(|p| (0..5).map(|c| channels[p][c] * d_channels[p][c]).sum::<f64>()).sum::<f64>() / rate
    };
    for (n, (name, _)) in COLOURS.iter().enumerate() {
        println!("  {name}: {:.1} % of the rate", 100.0 * of_nuclide(n));
    }

    let curve = |n: usize, at: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        (n * POINTS..(n + 1) * POINTS).map(|p| (lookup.grid[p], at(p))).collect()
    };
    let lines = |at: &dyn Fn(usize) -> f64| {
        COLOURS
            .iter()
            .enumerate()
            .map(|(n, &(name, colour))| Series::line(name, colour, curve(n, at)))
            .collect()
    };
    // in per cent of the rate for a width of one hundredth
    let sensitivity = |p: usize| {
        let (low, high) = (p.max(p / POINTS * POINTS + 1) - 1, (p + 1).min(p / POINTS * POINTS + POINTS - 1));
        let width = 0.5 * (lookup.grid[high] - lookup.grid[low]);
        let share = (0..5).map(|c| channels[p][c] * d_channels[p][c]).sum::<f64>() / rate;
        share / width.max(1e-4)
    };
    let charts = [
        Chart { title: "capture", axes: ["energy", "cross section"], series: lines(&|p| channels[p][1]) },
        Chart {
            title: "where the rate comes from",
            axes: ["energy", "per cent of the rate for 0.01 of energy"],
            series: lines(&sensitivity),
        },
    ];
    charts::write("cross_section", &charts)
}
