//! The price of an Asian option by simulation, with random numbers that depend on their number alone.

use pardiff::differentiate;

/// Discounted mean payoff of a call on the average price, over `paths` simulated paths.
///
/// The logarithm of the price moves by the local volatility of each step; its normal numbers come from the counter-based
/// generator Philox 4x32-10 (Salmon et al. 2011) and the transform of Box and Muller. A step takes the time `step`.
///
/// Shapes: `volatility` has one entry a step, of which there must be an even number.
#[differentiate(wrt(spot, rate, volatility))]
pub fn asian_option(
    spot: f64,
    rate: f64,
    volatility: &[f64],
    strike: f64,
    step: f64,
    paths: usize,
    seed: u32,
) -> f64 {
    fn philox(path: u32, step: u32, seed: u32) -> (u32, u32) {
        let (mut c0, mut c1, mut c2, mut c3) = (path, step, 0u32, 0u32);
        let (mut k0, mut k1) = (seed, 0u32);
        for _ in 0..10 {
            let a = 0xD2511F53 * c0 as u64;
            let b = 0xCD9E8D57 * c2 as u64;
            c0 = (b >> 32) as u32 ^ c1 ^ k0;
            c2 = (a >> 32) as u32 ^ c3 ^ k1;
            c1 = b as u32;
            c3 = a as u32;
            k0 = k0.wrapping_add(0x9E3779B9);
            k1 = k1.wrapping_add(0xBB67AE85);
        }
        (c0, c1)
    }

    let steps = volatility.len();
    let mut total = 0.0;
    for path in 0..paths {
        let mut log_price = spot.ln();
        let mut sum = 0.0;
        for t in (0..steps).step_by(2) {
            let (a, b) = philox(path as u32, t as u32, seed);
            let u = (a as f64 + 0.5) / 4294967296.0;
            let w = (b as f64 + 0.5) / 4294967296.0;
            let radius = (-2.0 * u.ln()).sqrt();
            let angle = 2.0 * std::f64::consts::PI * w;
            let normal = [radius * angle.cos(), radius * angle.sin()];
            for k in 0..2 {
                let sigma = volatility[t + k];
                log_price += (rate - 0.5 * sigma * sigma) * step + sigma * step.sqrt() * normal[k];
                sum += log_price.exp();
            }
        }
        total += (sum / steps as f64 - strike).max(0.0);
    }
    (-rate * step * steps as f64).exp() * total / paths as f64
}
