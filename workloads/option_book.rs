//! A book of European call options.

use pardiff::differentiate;

/// The book's value by the formula of Black and Scholes, with a rational approximation of the normal distribution.
///
/// Shapes: one entry an option in `volatility`, `strike`, `maturity` and `quantity`.
#[differentiate(wrt(spot, rate, volatility))]
pub fn option_book(
    spot: f64,
    rate: f64,
    volatility: &[f64],
    strike: &[f64],
    maturity: &[f64],
    quantity: &[f64],
) -> f64 {
    /// The normal distribution function (Abramowitz and Stegun 26.2.17).
    fn normal(x: f64) -> f64 {
        let t = 1.0 / (1.0 + 0.2316419 * x.abs());
        let poly =
            t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
        let tail = 0.3989422804014327 * (-0.5 * x * x).exp() * poly;
        if x >= 0.0 { 1.0 - tail } else { tail }
    }

    let mut total = 0.0;
    for i in 0..strike.len() {
        let width = volatility[i] * maturity[i].sqrt();
        let d1 =
            ((spot / strike[i]).ln() + (rate + 0.5 * volatility[i] * volatility[i]) * maturity[i]) / width;
        let d2 = d1 - width;
        let discount = (-rate * maturity[i]).exp();
        total += quantity[i] * (spot * normal(d1) - strike[i] * discount * normal(d2));
    }
    total
}
