//! The price of an option on an average, and how it moves with the market: all derivatives of a simulation at once.
//!
//! ```text
//! cargo run --release --example asian_option -- [PATH.svg]
//! ```
//!
//! The random numbers of a path depend on its number alone, so the simulated price is a smooth function of its parameters, whose
//! gradient has delta, rho and the vega of every step. A picture shows price and delta by spot, and the vegas by step.

#[path = "../workloads/asian_option.rs"]
mod kernel;

use indicatif::{ProgressBar, ProgressIterator};
use kernel::asian_option;
use pardiff_examples::charts::{self, BLUE, Chart, GREY, RED, Series};
use pardiff_examples::differences;

const STRIKE: f64 = 100.0;
const RATE: f64 = 0.03;
const STEPS: usize = 24;
const STEP: f64 = 1.0 / STEPS as f64;
const PATHS: usize = 40_000;
const SEED: u32 = 1;

fn main() -> Result<(), String> {
    // more volatile towards the end
    let volatility: Vec<f64> = (0..STEPS).map(|t| 0.2 + 0.1 * t as f64 / STEPS as f64).collect();
    let price = |p: &[f64]| asian_option(p[0], p[1], &p[2..], STRIKE, STEP, PATHS, SEED);
    println!("{PATHS} paths of {STEPS} steps");

    // almost without volatility the price is known
    let forward = (1..=STEPS).map(|t| 110.0 * (RATE * STEP * t as f64).exp()).sum::<f64>() / STEPS as f64;
    let expected = (-RATE).exp() * (forward - STRIKE);
    let calm = asian_option::value(110.0, RATE, &[1e-9; STEPS], STRIKE, STEP, PATHS, SEED);
    let error = (calm / expected - 1.0).abs();
    println!("check without volatility: relative error {error:.1e}");
    if error.is_nan() || error > 1e-7 {
        return Err("the price without volatility is wrong".to_owned());
    }
    let (value, d) = asian_option::gradient(100.0, RATE, &volatility, STRIKE, STEP, PATHS, SEED);
    println!("at the strike: price {value:.4}, delta {:.4}, rho {:.4}", d.spot, d.rate);
    let parameters = [&[100.0, RATE], volatility.as_slice()].concat();
    let gradient = [&[d.spot, d.rate], d.volatility.as_slice()].concat();
    // so small a step that no path comes to pay, or ceases to
    differences::check(price, &parameters, &gradient, 1e-7)?;

    let bar = ProgressBar::new(61);
    let mut prices = Vec::new();
    let mut deltas = Vec::new();
    let mut paid = Vec::new();
    for k in (0..61).progress_with(bar) {
        let spot = 70.0 + f64::from(k);
        let (value, d) = asian_option::gradient(spot, RATE, &volatility, STRIKE, STEP, PATHS, SEED);
        prices.push((spot, value));
        deltas.push((spot, d.spot));
        paid.push((spot, (-RATE).exp() * (spot - STRIKE).max(0.0)));
    }
    // never falling, and between the shares of a path that never and always pays
    if deltas.windows(2).any(|pair| pair[1].1 < pair[0].1)
        || deltas.iter().any(|d| !(0.0..1.0).contains(&d.1))
    {
        return Err("the deltas do not grow with the spot from 0 to 1".to_owned());
    }
    let vegas: Vec<f64> = d.volatility;
    let charts = [
        Chart {
            title: "price",
            axes: ["spot", "price"],
            series: vec![Series::line("simulated", RED, prices), Series::line("at once", GREY, paid)],
        },
        Chart {
            title: "delta",
            axes: ["spot", "price by spot"],
            series: vec![Series::line("", BLUE, deltas)],
        },
        Chart {
            title: "vega of each step",
            axes: ["step", "price by volatility"],
            series: vec![Series::steps("", BLUE, &vegas)],
        },
    ];
    charts::write("asian_option", &charts)
}
