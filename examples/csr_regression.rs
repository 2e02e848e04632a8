//! Learns which features matter, from many examples that have few features each.
//!
//! ```text
//! cargo run --release --example csr_regression -- [PATH.svg]
//! ```
//!
//! Examples are rows of a sparse matrix; their labels are drawn from a logistic model, most of whose weights are 0. L-BFGS
//! minimises the logistic loss. A picture shows the weights that were found over the true ones, and the loss by iteration.

#[path = "../workloads/csr_regression.rs"]
#[allow(clippy::needless_range_loop)]
mod kernel;

use kernel::csr_regression;
use pardiff_examples::charts::{self, BLUE, Chart, GREY, RED, Series};
use pardiff_examples::random::Random;
use pardiff_examples::{descent, differences};

const EXAMPLES: usize = 40_000;
const FEATURES: usize = 1_000;
const RIDGE: f64 = 1e-5;

/// A sparse matrix by rows, and a label of 1 or -1 for each.
#[derive(Default)]
struct Data {
    start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    label: Vec<f64>,
}

impl Data {
    /// Rows of 5 to 35 entries, labelled by a model.
    fn drawn(random: &mut Random, truth: &[f64]) -> Data {
        let mut data = Data { start: vec![0], ..Data::default() };
        for _ in 0..EXAMPLES {
            let mut score = 0.0;
            for _ in 0..5 + random.below(31) {
                let (feature, value) = (random.below(FEATURES), random.normal());
                score += value * truth[feature];
                data.column.push(feature as u32);
                data.value.push(value);
            }
            data.start.push(data.column.len() as u32);
            let likely = 1.0 / (1.0 + (-score).exp());
            data.label.push(if random.unit() < likely { 1.0 } else { -1.0 });
        }
        data
    }

    /// The loss and its gradient by the weights and, last, the bias.
    fn gradient(&self, p: &[f64]) -> (f64, Vec<f64>) {
        let (weight, bias) = p.split_at(FEATURES);
        let mut gradient = vec![0.0; p.len()];
        let (d_weight, d_bias) = gradient.split_at_mut(FEATURES);
        let Data { start, column, value, label } = self;
        let loss = csr_regression::grad(
            weight,
            d_weight,
            bias[0],
            &mut d_bias[0],
            start,
            column,
            value,
            label,
            RIDGE,
        );
        (loss, gradient)
    }

    fn loss(&self, p: &[f64]) -> f64 {
        let Data { start, column, value, label } = self;
        csr_regression(&p[..FEATURES], p[FEATURES], start, column, value, label, RIDGE)
    }

    /// The share of labels that a model gets right.
    fn right(&self, p: &[f64]) -> f64 {
        let right = |i: usize| {
            let row = self.start[i] as usize..self.start[i + 1] as usize;
            let score: f64 = row.map(|k| self.value[k] * p[self.column[k] as usize]).sum();
            self.label[i] * (score + p[FEATURES]) > 0.0
        };
        (0..EXAMPLES).filter(|&i| right(i)).count() as f64 / EXAMPLES as f64
    }
}

fn main() -> Result<(), String> {
    let mut random = Random(3);
    let truth = |k: usize| if k.is_multiple_of(4) { random.normal() } else { 0.0 };
    let mut truth: Vec<f64> = (0..FEATURES).map(truth).collect();
    truth.push(0.0);
    let seen = Data::drawn(&mut random, &truth);
    let unseen = Data::drawn(&mut random, &truth);
    println!("{EXAMPLES} examples, {} entries, {FEATURES} features", seen.value.len());

    let start = vec![0.0; FEATURES + 1];
    let (loss, gradient) = seen.gradient(&start);
    // without weights every label is as likely as the other, and the slope of the loss is minus half the mean label
    let slope = -0.5 * seen.label.iter().sum::<f64>() / EXAMPLES as f64;
    let errors = [loss / 2f64.ln() - 1.0, gradient[FEATURES] / slope - 1.0].map(f64::abs);
    println!(
        "check against what is known without weights: relative errors {:.1e}, {:.1e}",
        errors[0], errors[1]
    );
    if errors.iter().any(|error| error.is_nan() || *error > 1e-10) {
        return Err("the loss or its slope is wrong".to_owned());
    }
    differences::check(|p| seen.loss(p), &truth, &seen.gradient(&truth).1, 1e-3)?;

    println!("training, L-BFGS");
    let (found, losses) = descent::minimise(|p| seen.gradient(p), start, 60)?;
    let (ours, best) = (unseen.right(&found), unseen.right(&truth));
    println!(
        "  right of examples not seen: {:.1} %, by the true weights {:.1} %",
        100.0 * ours,
        100.0 * best
    );
    if ours < best - 0.02 {
        return Err("the weights were not found".to_owned());
    }
    let (low, high) = truth.iter().fold((0.0f64, 0.0f64), |(l, h), &w| (l.min(w), h.max(w)));
    let pairs = truth.iter().copied().zip(found.iter().copied()).collect();
    let weights = Chart {
        title: "weights",
        axes: ["true", "found"],
        series: vec![
            Series::line("", GREY, vec![(low, low), (high, high)]),
            Series::dots("", BLUE, 2, pairs),
        ],
    };
    let training = Chart {
        title: "training",
        axes: ["iteration", "loss"],
        series: vec![Series::steps("", RED, &losses)],
    };
    charts::write("csr_regression", &[weights, training])
}
