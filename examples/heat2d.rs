//! Finds out how well every part of a plate conducts heat, from how the heat spread.
//!
//! ```text
//! cargo run --release --example heat2d -- [PATH.svg]
//! ```
//!
//! A plate of unknown diffusivity is heated in waves, a few times in other directions; what is known are the temperatures some
//! time later. L-BFGS looks for the diffusivity of every cell that explains them. The differentiated function writes an array, so
//! its gradient takes the adjoint of that array as its seed: what is measured too much. A picture shows truth, start and result.

#[path = "../workloads/heat2d.rs"]
#[allow(clippy::needless_range_loop)]
mod kernel;

use kernel::heat2d;
use pardiff::differentiate;
use pardiff_examples::fields::{self, Field};
use pardiff_examples::{descent, differences};
use std::f64::consts::{PI, TAU};

const N: usize = 40;
const STEPS: usize = 60;
const EXPERIMENTS: usize = 8;
const BACKGROUND: f64 = 0.12;

/// The temperatures `u` that `steps` explicit steps make of those that were in it, on a plate of `n` by `n` whose cells have the
/// diffusivities `k`. Those of the boundary stay.
#[differentiate(wrt(k))]
pub fn diffuse(u: &mut [f64], k: &[f64], n: usize, steps: usize) {
    let mut now = u.to_vec();
    let mut next = u.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let c = i * n + j;
                next[c] = now[c] + k[c] * (now[c - n] + now[c + n] + now[c - 1] + now[c + 1] - 4.0 * now[c]);
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    u.copy_from_slice(&now);
}

/// What was done to the plate, and what came of it.
struct Experiment {
    heated: Vec<f64>,
    measured: Vec<f64>,
}

impl Experiment {
    /// Waves in one direction.
    fn new(number: usize, truth: &[f64]) -> Experiment {
        let (sin, cos) = (PI * number as f64 / EXPERIMENTS as f64).sin_cos();
        let wave = |c: usize| {
            let along = cos * (c % N) as f64 + sin * (c / N) as f64;
            (TAU * along / 14.0 + number as f64).sin()
        };
        let heated: Vec<f64> = (0..N * N).map(wave).collect();
        let mut measured = heated.clone();
        diffuse(&mut measured, truth, N, STEPS);
        Experiment { heated, measured }
    }

    /// Half the squared error of the temperatures, and its gradient added to `d_k`.
    fn gradient(&self, k: &[f64], d_k: &mut [f64]) -> f64 {
        let mut u = self.heated.clone();
        diffuse(&mut u, k, N, STEPS);
        let mut excess: Vec<f64> = u.iter().zip(&self.measured).map(|(u, m)| u - m).collect();
        let misfit = 0.5 * excess.iter().map(|e| e * e).sum::<f64>();
        // the adjoints of the last temperatures go in, and become those of the first ones
        u.copy_from_slice(&self.heated);
        diffuse::vjp(&mut u, &mut excess, k, d_k, N, STEPS);
        misfit
    }
}

/// The misfit of all experiments, and its gradient.
fn gradient(experiments: &[Experiment], k: &[f64]) -> (f64, Vec<f64>) {
    let mut d_k = vec![0.0; k.len()];
    let misfit = experiments.iter().map(|experiment| experiment.gradient(k, &mut d_k)).sum();
    (misfit, d_k)
}

/// A ring that conducts well around a core that does not.
fn truth() -> Vec<f64> {
    let cell = |c: usize| {
        let middle = 0.5 * (N - 1) as f64;
        let (x, y) = ((c % N) as f64 - middle, (c / N) as f64 - middle + 2.0);
        let radius = (x * x + y * y).sqrt();
        let ring = (-((radius - 10.0) / 3.0).powi(2)).exp();
        let core = (-(radius / 4.0).powi(2)).exp();
        BACKGROUND + 0.07 * ring - 0.07 * core
    };
    (0..N * N).map(cell).collect()
}

fn main() -> Result<(), String> {
    let truth = truth();
    let experiments: Vec<Experiment> =
        (0..EXPERIMENTS).map(|number| Experiment::new(number, &truth)).collect();
    println!("{N} by {N} cells, {STEPS} steps, {EXPERIMENTS} experiments");

    // half the sum of the squared temperatures is a misfit from nothing: the same by the kernel of the workloads
    let start = vec![BACKGROUND; N * N];
    let from_nothing = Experiment { heated: experiments[0].heated.clone(), measured: vec![0.0; N * N] };
    let (_, d_k) = gradient(&[from_nothing], &start);
    let (_, other) = heat2d::gradient(&experiments[0].heated, &start, N, STEPS);
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let error =
        norm(&mut d_k.iter().zip(&other.k).map(|(a, b)| a - 0.5 * b)) / norm(&mut d_k.iter().copied());
    println!("check against the kernel that returns the sum: relative error {error:.1e}");
    if error.is_nan() || error > 1e-12 {
        return Err("the two gradients differ".to_owned());
    }
    let (before, slope) = gradient(&experiments, &start);
    differences::check(|k| gradient(&experiments, k).0, &start, &slope, 1e-5)?;

    println!("inversion, L-BFGS");
    let scaled = |k: &[f64]| {
        let (misfit, slope) = gradient(&experiments, k);
        (1e-3 * misfit, slope.iter().map(|g| 1e-3 * g).collect())
    };
    let (found, _) = descent::minimise(scaled, start.clone(), 150)?;
    let (after, _) = gradient(&experiments, &found);
    let distance = |k: &[f64]| norm(&mut k.iter().zip(&truth).map(|(a, b)| a - b));
    println!("  misfit {before:.3e} -> {after:.3e}");
    println!("  distance from the truth {:.4} -> {:.4}", distance(&start), distance(&found));
    if distance(&found) > 0.3 * distance(&start) {
        return Err("the plate was not found".to_owned());
    }
    let field = |title, values| Field { title, values, width: N, low: 0.04, high: 0.2 };
    let pictures = [field("truth", &truth), field("start", &start), field("found", &found)];
    fields::write("heat2d", &pictures)
}
