//! Prices of options: closed forms, simulated paths, implied volatilities.

use crate::rayon_iterators::{assert_parallel, on_threads};
use pardiff::differentiate;
use pardiff_programs::{check, positive, random};
use rayon::prelude::*;

/// Black-Scholes portfolio; normal cdf helper inside.
#[differentiate(wrt(spots, vols))]
pub fn portfolio(spots: &[f64], strikes: &[f64], vols: &[f64], rate: f64, t: f64, is_call: &[bool]) -> f64 {
    fn cdf(x: f64) -> f64 {
        const A: [f64; 5] = [0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
        let k = 1.0 / (1.0 + 0.2316419 * x.abs());
        let poly = A.iter().rev().fold(0.0, |acc, a| (acc + a) * k);
        let w = 1.0 - 0.398_942_280_401_432_7 * (-0.5 * x * x).exp() * poly;
        if x < 0.0 { 1.0 - w } else { w }
    }
    spots
        .iter()
        .zip(strikes)
        .zip(vols)
        .zip(is_call)
        .map(|(((&s, &k), &v), &call)| {
            let sd = v * t.sqrt();
            let d1 = ((s / k).ln() + (rate + 0.5 * v * v) * t) / sd;
            let d2 = d1 - sd;
            let df = (-rate * t).exp();
            if call { s * cdf(d1) - k * df * cdf(d2) } else { k * df * cdf(-d2) - s * cdf(-d1) }
        })
        .sum()
}

#[test]
fn gradient_of_portfolio() {
    let (s, k, vol) = (positive(1, 5), positive(2, 5), positive(3, 5));
    let c = [true, false, true, true, false];
    let (_, g) = portfolio::gradient(&s, &k, &vol, 0.03, 0.7, &c);
    check(|v| portfolio(&v[0], &k, &v[1], 0.03, 0.7, &c), &[&s, &vol], &[&g.spots, &g.vols]);
}

/// Monte Carlo: per path loop, payoffs collected in parallel then averaged.
#[differentiate(wrt(s0, vol))]
pub fn asian(z: &[f64], steps: usize, s0: f64, vol: f64, rate: f64, strike: f64) -> f64 {
    let dt = 1.0 / steps as f64;
    let payoffs: Vec<f64> = z
        .par_chunks_exact(steps)
        .map(|path| {
            let mut s = s0;
            let mut avg = 0.0;
            for &w in path {
                s *= ((rate - 0.5 * vol * vol) * dt + vol * dt.sqrt() * w).exp();
                avg += s;
            }
            (avg / steps as f64 - strike).max(0.0)
        })
        .collect();
    (-rate).exp() * payoffs.iter().sum::<f64>() / payoffs.len() as f64
}

#[test]
fn gradient_of_asian() {
    assert_parallel(asian::DECISIONS);
    let z = random(1, 40);
    let (_, g) = asian::gradient(&z, 5, 1.1, 0.3, 0.02, 1.0);
    check(|v| asian(&z, 5, v[0][0], v[0][1], 0.02, 1.0), &[&[1.1, 0.3]], &[&[g.s0, g.vol]]);
    let z = random(1, 40000);
    on_threads(|| {
        let (p, g) = asian::gradient(&z, 10, 1.1, 0.3, 0.02, 1.0);
        vec![p, g.s0, g.vol]
    });
}

/// Implied vol by Newton with loop and return in the middle.
#[differentiate]
pub fn implied_vol(price: f64, s: f64, k: f64, t: f64) -> f64 {
    let mut vol = 0.3;
    let mut iter = 0;
    loop {
        let sd = vol * f64::sqrt(t);
        let d1 = ((s / k).ln() + 0.5 * sd * sd) / sd;
        let d2 = d1 - sd;
        // logistic approximation of the cdf
        let c1 = 1.0 / (1.0 + (-1.702 * d1).exp());
        let c2 = 1.0 / (1.0 + (-1.702 * d2).exp());
        let diff = s * c1 - k * c2 - price;
        if diff.abs() < 1e-13 || iter >= 50 {
            return vol;
        }
        let vega = s * 1.702 * c1 * (1.0 - c1) * f64::sqrt(t) + 0.01;
        vol = (vol - diff / vega).max(1e-3);
        iter += 1;
    }
}

#[test]
fn gradient_of_iv() {
    let (_, g) = implied_vol::gradient(0.15, 1.0, 1.05, 0.8);
    check(
        |v| implied_vol(v[0][0], v[0][1], v[0][2], v[0][3]),
        &[&[0.15, 1.0, 1.05, 0.8]],
        &[&[g.price, g.s, g.k, g.t]],
    );
}
