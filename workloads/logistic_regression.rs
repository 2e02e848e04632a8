//! Logistic regression with dense rows.

use pardiff::differentiate;

/// Negative log-likelihood with a quadratic penalty.
///
/// Shapes: `w` has `d` entries, `x` has a row of `d` for each entry of `y`, which is 1 or -1.
#[differentiate(wrt(w))]
pub fn logistic_regression(w: &[f64], x: &[f64], y: &[f64], penalty: f64) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let mut margin = 0.0;
        for j in 0..d {
            margin += x[i * d + j] * w[j];
        }
        margin *= y[i];
        // ln(1 + exp(-margin)) without overflow
        total += (-margin).max(0.0) + (-margin.abs()).exp().ln_1p();
    }
    for j in 0..d {
        total += 0.5 * penalty * w[j] * w[j];
    }
    total
}
