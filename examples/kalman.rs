//! How noisy is a sensor, and how steady is what it sees? The most likely noise by a Kalman filter.
//!
//! ```text
//! cargo run --release --example kalman -- [PATH.svg]
//! ```
//!
//! Things move in a plane with velocities that change a little, and are seen with noise. Both noises are unknown; L-BFGS finds
//! the ones under which the filter finds the measurements most likely, with the gradient through the filter. A picture shows
//! some tracks, and how likely other noises are.

#[path = "../workloads/kalman.rs"]
#[allow(clippy::needless_range_loop)]
mod kernel;

use kernel::kalman;
use pardiff_examples::charts::{self, BLUE, Chart, GREY, RED, Series};
use pardiff_examples::random::Random;
use pardiff_examples::{descent, differences};

const TRACKS: usize = 200;
const STEPS: usize = 50;
const TIME: f64 = 0.1;
/// Place, then velocity; only the place is seen.
const TRANSITION: [[f64; 4]; 4] =
    [[1.0, 0.0, TIME, 0.0], [0.0, 1.0, 0.0, TIME], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
const OBSERVATION: [[f64; 4]; 2] = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];
/// Logarithms of the deviations: of a velocity's changes, and of a measurement.
const TRUTH: [f64; 2] = [-1.2, -0.7];

/// Where things were, and where they were seen.
fn tracks(random: &mut Random) -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
    let [change, noise] = TRUTH.map(f64::exp);
    let (mut places, mut measured) = (Vec::new(), Vec::new());
    for _ in 0..TRACKS {
        let mut x: [f64; 4] = std::array::from_fn(|_| random.normal());
        for _ in 0..STEPS {
            for a in 0..2 {
                x[a] += TIME * x[2 + a];
                x[2 + a] += change * random.normal();
            }
            places.push([x[0], x[1]]);
            measured.push([x[0], x[1]].map(|x| x + noise * random.normal()));
        }
    }
    (places, measured)
}

/// The covariances of both noises.
fn covariances(p: &[f64]) -> ([[f64; 4]; 4], [[f64; 2]; 2]) {
    let [change, noise] = [p[0], p[1]].map(|log| (2.0 * log).exp());
    let (mut process, mut sensor) = ([[0.0; 4]; 4], [[0.0; 2]; 2]);
    for a in 0..2 {
        process[2 + a][2 + a] = change;
        sensor[a][a] = noise;
    }
    (process, sensor)
}

/// Negative log-likelihood of a measurement, on average; and its gradient by the logarithms of the deviations.
fn gradient(measured: &[[f64; 2]], p: &[f64]) -> (f64, Vec<f64>) {
    let (process, sensor) = covariances(p);
    let (sum, d) = kalman::gradient(&TRANSITION, &process, &OBSERVATION, &sensor, measured, STEPS);
    let mean = 1.0 / measured.len() as f64;
    let change = (2..4).map(|i| 2.0 * process[i][i] * d.process[i][i]).sum::<f64>();
    let noise = (0..2).map(|i| 2.0 * sensor[i][i] * d.noise[i][i]).sum::<f64>();
    (mean * sum, vec![mean * change, mean * noise])
}

fn likelihood(measured: &[[f64; 2]], p: &[f64]) -> f64 {
    let (process, sensor) = covariances(p);
    kalman(&TRANSITION, &process, &OBSERVATION, &sensor, measured, STEPS) / measured.len() as f64
}

fn main() -> Result<(), String> {
    let (places, measured) = tracks(&mut Random(6));
    println!("{TRACKS} tracks of {STEPS} measurements");
    let start = [0.5, 0.5];
    let (_, slope) = gradient(&measured, &start);
    differences::check(|p| likelihood(&measured, p), &start, &slope, 1e-3)?;

    println!("most likely noises, L-BFGS");
    let (found, _) = descent::minimise(|p| gradient(&measured, p), start.to_vec(), 40)?;
    for (what, k) in [("changes of velocity", 0), ("measurements", 1)] {
        println!("  deviation of {what}: {:.4}, true is {:.4}", found[k].exp(), TRUTH[k].exp());
    }
    if found.iter().zip(TRUTH).any(|(found, truth)| (found - truth).abs() > 0.05) {
        return Err("the noises were not found".to_owned());
    }

    let plane = |points: &[[f64; 2]]| points.iter().map(|p| (p[0], p[1])).collect();
    let mut paths = Vec::new();
    for k in 0..4 {
        let track = k * STEPS..(k + 1) * STEPS;
        paths.push(Series::line(if k == 0 { "where" } else { "" }, BLUE, plane(&places[track.clone()])));
        paths.push(Series::dots(if k == 0 { "seen" } else { "" }, GREY, 3, plane(&measured[track])));
    }
    // along each noise, the other one as found
    let along = |k: usize| {
        let at = |step: i32| {
            let mut p = found.clone();
            p[k] += 0.05 * f64::from(step);
            (p[k].exp(), likelihood(&measured, &p))
        };
        (-12..=12).map(at).collect()
    };
    let best = likelihood(&measured, &found);
    let truth = TRUTH.map(|log| (log.exp(), best)).to_vec();
    let charts = [
        Chart { title: "four of the tracks", axes: ["", ""], series: paths },
        Chart {
            title: "negative log-likelihood",
            axes: ["deviation", "of each measurement"],
            series: vec![
                Series::line("changes of velocity", BLUE, along(0)),
                Series::line("measurements", RED, along(1)),
                Series::dots("true", GREY, 5, truth),
            ],
        },
    ];
    charts::write("kalman", &charts)
}
