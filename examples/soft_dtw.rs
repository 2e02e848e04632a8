//! The mean of series that are stretched in time, each in its own way.
//!
//! ```text
//! cargo run --release --example soft_dtw -- [PATH.svg]
//! ```
//!
//! All series are one shape whose parts come earlier or later, with noise. Their mean at every time is a shape that none of them
//! has; the prototype with the least sum of soft-DTW distances, which L-BFGS finds, has it. A picture shows both.

#[path = "../workloads/soft_dtw.rs"]
mod kernel;

use kernel::soft_dtw;
use pardiff_examples::charts::{self, BLUE, Chart, GREY, ORANGE, RED, Series};
use pardiff_examples::random::Random;
use pardiff_examples::{descent, differences};

const COUNT: usize = 24;
const N: usize = 80;
const GAMMA: f64 = 0.05;
const NOISE: f64 = 0.05;

/// A step up, a peak and a dip, at a time between 0 and 1.
fn shape(t: f64) -> f64 {
    let bump = |at: f64, width: f64| (-((t - at) / width).powi(2)).exp();
    0.5 * ((t - 0.2) / 0.02).tanh() + bump(0.45, 0.05) - 1.2 * bump(0.7, 0.06)
}

/// The shape at times that are stretched.
fn stretched(random: &mut Random) -> Vec<f64> {
    let (early, late) = (0.09 * random.signed(), 0.05 * random.signed());
    let time = |k: usize| {
        let t = k as f64 / (N - 1) as f64;
        t + early * (std::f64::consts::PI * t).sin() + late * (2.0 * std::f64::consts::PI * t).sin()
    };
    (0..N).map(|k| shape(time(k)) + NOISE * random.normal()).collect()
}

/// Mean of the distances, and its gradient by the prototype.
fn gradient(prototype: &[f64], series: &[f64]) -> (f64, Vec<f64>) {
    let (mut d_prototype, mut d_series) = (vec![0.0; prototype.len()], vec![0.0; series.len()]);
    let sum = soft_dtw::grad(prototype, &mut d_prototype, series, &mut d_series, COUNT, N, N, 1, GAMMA);
    (sum / COUNT as f64, d_prototype.iter().map(|d| d / COUNT as f64).collect())
}

fn main() -> Result<(), String> {
    let mut random = Random(2);
    let series: Vec<f64> = (0..COUNT).flat_map(|_| stretched(&mut random)).collect();
    let mean: Vec<f64> =
        (0..N).map(|k| series.iter().skip(k).step_by(N).sum::<f64>() / COUNT as f64).collect();
    println!("{COUNT} series of {N}");
    let (before, slope) = gradient(&mean, &series);
    let distance = |p: &[f64]| soft_dtw(p, &series, COUNT, N, N, 1, GAMMA) / COUNT as f64;
    differences::check(distance, &mean, &slope, 1e-4)?;

    println!("prototype, L-BFGS");
    let (found, distances) = descent::minimise(|p| gradient(p, &series), mean.clone(), 150)?;
    println!("  mean distance {before:.4} -> {:.4}", distance(&found));
    // peak and dip are as high as the shape's, which the mean's are not
    let extremes = |p: &[f64]| p.iter().fold((0.0f64, 0.0f64), |(l, h), &x| (l.min(x), h.max(x)));
    let truth: Vec<f64> = (0..N).map(|k| shape(k as f64 / (N - 1) as f64)).collect();
    println!(
        "  lowest and highest: of the shape {:.2?}, of the mean {:.2?}, of the prototype {:.2?}",
        extremes(&truth),
        extremes(&mean),
        extremes(&found)
    );
    let off = |p: &[f64]| {
        let (a, b) = (extremes(p), extremes(&truth));
        (a.0 - b.0).abs().max((a.1 - b.1).abs())
    };
    if off(&found) > 0.5 * off(&mean) {
        return Err("the prototype is no better than the mean".to_owned());
    }

    let mut behind: Vec<Series<'_>> = series.chunks(N).map(|one| Series::steps("", GREY, one)).collect();
    behind.push(Series::steps("mean", ORANGE, &mean));
    behind.push(Series::steps("shape", BLUE, &truth));
    behind.push(Series::steps("prototype", RED, &found));
    let shapes = Chart { title: "stretched series", axes: ["time", ""], series: behind };
    let descent = Chart {
        title: "mean soft-DTW distance",
        axes: ["iteration", ""],
        series: vec![Series::steps("", RED, &distances)],
    };
    charts::write("soft_dtw", &[shapes, descent])
}
