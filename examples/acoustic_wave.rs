//! Finds a hidden body by sound: waves from sources around a medium, receivers around it, and the speed of sound in
//! between recovered from what the receivers recorded.
//!
//! ```text
//! cargo run --release --example acoustic_wave -- [PATH.svg]
//! ```
//!
//! The records of a medium with two bodies are made here. Then L-BFGS looks for the medium that explains them, from one of
//! constant speed; each step needs the gradient of the misfit with respect to the speed in every cell, which one sweep back
//! in time gives. A picture shows the truth, the gradient at the start, and what was found.

#[path = "../workloads/acoustic_wave.rs"]
#[allow(clippy::too_many_arguments)]
mod kernel;

use kernel::acoustic_wave;
use pardiff_examples::fields::{self, Field};
use pardiff_examples::{descent, differences};

const N: usize = 40;
const STEPS: usize = 100;
const SOURCES: usize = 6;
const BACKGROUND: f64 = 0.4;

/// A medium of `N` by `N` cells with sources and receivers on a square near its edges.
struct Survey {
    damping: Vec<f64>,
    wavelet: Vec<f64>,
    sources: Vec<usize>,
    receivers: Vec<u32>,
    records: Vec<Vec<f64>>,
}

impl Survey {
    /// Records made in a known medium.
    fn of(courant: &[f64]) -> Survey {
        let edge = |c: usize| [c % N, N - 1 - c % N, c / N, N - 1 - c / N].into_iter().min().unwrap_or(0);
        let damping = (0..N * N).map(|c| 0.004 * (6usize.saturating_sub(edge(c)) as f64).powi(2)).collect();
        let ricker = |t: usize| {
            let a = 0.2 * (t as f64 - 12.0);
            (1.0 - 2.0 * a * a) * (-a * a).exp()
        };
        let ring: Vec<usize> = (0..N * N).filter(|&c| edge(c) == 7).collect();
        // every few cells of the ring, in the order in which one walks around it
        let (row, column) =
            (|c: usize| (c / N) as f64 - N as f64 / 2.0, |c: usize| (c % N) as f64 - N as f64 / 2.0);
        let mut around = ring;
        around.sort_by(|&a, &b| row(a).atan2(column(a)).total_cmp(&row(b).atan2(column(b))));
        let sources = around.iter().copied().step_by(around.len() / SOURCES).take(SOURCES).collect();
        let receivers = around.iter().step_by(3).map(|&c| c as u32).collect();
        let wavelet = (0..STEPS).map(ricker).collect();
        let mut survey = Survey { damping, wavelet, sources, receivers, records: Vec::new() };
        survey.records = survey.sources.iter().map(|&source| survey.record(courant, source)).collect();
        survey
    }

    /// What the receivers hear of one source, without the kernel.
    fn record(&self, courant: &[f64], source: usize) -> Vec<f64> {
        let (mut before, mut now) = (vec![0.0; N * N], vec![0.0; N * N]);
        let mut heard = Vec::with_capacity(STEPS * self.receivers.len());
        for amplitude in &self.wavelet {
            let mut after = vec![0.0; N * N];
            for c in (2 * N..N * N - 2 * N).filter(|c| (2..N - 2).contains(&(c % N))) {
                let sum = |d: usize| now[c - d] + now[c + d] + now[c - d * N] + now[c + d * N];
                let laplacian = 4.0 / 3.0 * sum(1) - sum(2) / 12.0 - 5.0 * now[c];
                let d = self.damping[c];
                after[c] =
                    (2.0 * now[c] - (1.0 - d) * before[c] + courant[c].powi(2) * laplacian) / (1.0 + d);
            }
            after[source] += amplitude;
            heard.extend(self.receivers.iter().map(|&r| after[r as usize]));
            (before, now) = (now, after);
        }
        heard
    }

    /// The misfit of all sources, and its gradient.
    fn gradient(&self, courant: &[f64]) -> (f64, Vec<f64>) {
        let mut d_courant = vec![0.0; N * N];
        let each = self.sources.iter().zip(&self.records).map(|(&source, record)| {
            let Survey { damping, wavelet, receivers, .. } = self;
            acoustic_wave::grad(courant, &mut d_courant, damping, wavelet, record, source, receivers, N, N)
        });
        (each.sum(), d_courant)
    }

    fn misfit(&self, courant: &[f64]) -> f64 {
        let each = self.sources.iter().zip(&self.records).map(|(&source, record)| {
            acoustic_wave(courant, &self.damping, &self.wavelet, record, source, &self.receivers, N, N)
        });
        each.sum()
    }
}

/// Two round bodies: one in which sound is faster, one in which it is slower.
fn truth() -> Vec<f64> {
    let body = |c, x, y, radius| fields::body(c, N, [x, y], radius);
    (0..N * N)
        .map(|c| BACKGROUND + 0.04 * body(c, 16.0, 17.0, 5.0) - 0.04 * body(c, 25.0, 23.0, 4.0))
        .collect()
}

fn main() -> Result<(), String> {
    let truth = truth();
    let survey = Survey::of(&truth);
    println!("{N} by {N} cells, {SOURCES} sources, {} receivers, {STEPS} steps", survey.receivers.len());

    let exact = survey.misfit(&truth);
    println!("misfit of the truth: {exact:.1e}");
    if exact > 1e-20 {
        return Err("the kernel and the records of the same medium differ".to_owned());
    }
    let start = vec![BACKGROUND; N * N];
    let (_, gradient) = survey.gradient(&start);
    differences::check(|p| survey.misfit(p), &start, &gradient, 1e-4)?;

    println!("inversion, L-BFGS");
    // so that the first step moves the medium a little
    let scale = 0.05 / gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
    let scaled = |p: &[f64]| {
        let (misfit, gradient) = survey.gradient(p);
        (scale * misfit, gradient.iter().map(|g| scale * g).collect())
    };
    let (found, _) = descent::minimise(scaled, start, 40)?;
    let distance = |p: &[f64]| p.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let (before, after) = (distance(&vec![BACKGROUND; N * N]), distance(&found));
    println!("  distance from the truth {before:.4} -> {after:.4}");
    if after > 0.5 * before {
        return Err("the bodies were not found".to_owned());
    }

    let steepest = gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
    let field = |title, values, low, high| Field { title, values, width: N, low, high };
    let pictures = [
        field("speed of sound: truth", &truth, 0.35, 0.45),
        field("gradient at the start", &gradient, -steepest, steepest),
        field("found", &found, 0.35, 0.45),
    ];
    fields::write("acoustic_wave", &pictures)
}
