//! Functions that std does not have, and those of crates by their paths, through the real macro.

use pardiff::differentiate;
use pardiff_programs::{check, check_single, positive, random};

#[differentiate]
pub fn of_libm(x: &[f64], y: &[f64]) -> f64 {
    use libm::{erf, hypot as distance};
    let mut total = 0.0;
    for i in 0..x.len() {
        total +=
            erf(x[i]) * libm::tgamma(y[i]) + distance(x[i], y[i]) + libm::fabs(x[i]) * libm::lgamma(y[i]);
        total +=
            libm::j0(x[i]) - libm::j1(y[i]) * libm::erfc(x[i]) + libm::log1p(y[i]) * libm::sincos(x[i]).1;
    }
    total
}

#[differentiate]
pub fn singles_of_libm(x: &[f32], y: &[f32]) -> f32 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += libm::erff(x[i]) * libm::lgammaf(y[i]) + libm::powf(y[i], x[i]) + libm::cosf(x[i]);
    }
    total
}

#[differentiate]
pub fn of_statrs(x: &[f64], y: &[f64]) -> f64 {
    use statrs::function::erf;
    let mut total = 0.0;
    for i in 0..x.len() {
        total += erf::erf(x[i]) * statrs::function::gamma::ln_gamma(y[i]);
        total +=
            erf::erfc(y[i]) * statrs::function::gamma::digamma(y[i]) + statrs::function::gamma::gamma(y[i]);
    }
    total
}

#[differentiate]
mod likelihoods {
    use pardiff::math::{digamma, gamma, ln_gamma};

    /// The negative logarithm of a gamma distribution's density, with what its entropy has.
    pub fn gamma_loss(shape: &[f64], rate: &[f64], x: &[f64]) -> f64 {
        let mut total = 0.0;
        for i in 0..x.len() {
            total +=
                ln_gamma(shape[i]) - shape[i] * rate[i].ln() - (shape[i] - 1.0) * x[i].ln() + rate[i] * x[i];
            total += (1.0 - shape[i]) * digamma(shape[i]) + 1.0 / gamma(shape[i]);
        }
        total
    }
}

#[test]
fn gradients_are_right() {
    let (x, y) = (random(1, 37), positive(2, 37));
    let g = of_libm::gradient(&x, &y).1;
    check(|v| of_libm(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
    let g = of_statrs::gradient(&x, &y).1;
    check(|v| of_statrs(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
    let rate = positive(3, 37);
    let g = likelihoods::gamma_loss::gradient(&y, &rate, &y).1;
    check(|v| likelihoods::gamma_loss(&v[0], &v[1], &v[2]), &[&y, &rate, &y], &[&g.shape, &g.rate, &g.x]);
    let narrow = |v: &[f64]| -> Vec<f32> { v.iter().map(|x| *x as f32).collect() };
    let wide = |v: &[f32]| -> Vec<f64> { v.iter().map(|x| f64::from(*x)).collect() };
    let g = singles_of_libm::gradient(&narrow(&x), &narrow(&y)).1;
    let value = |v: &[Vec<f64>]| f64::from(singles_of_libm(&narrow(&v[0]), &narrow(&v[1])));
    check_single(value, &[&x, &y], &[&wide(&g.x), &wide(&g.y)]);
}

/// The value that the gradient has is the one that the function has, to rounding.
#[test]
fn values_are_those_of_the_crate() {
    let (x, y) = (random(4, 64), positive(5, 64));
    let (value, _) = of_libm::gradient(&x, &y);
    assert!((value - of_libm(&x, &y)).abs() < 1e-12 * value.abs());
}
