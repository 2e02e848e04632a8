//! Regression on powers of the features.

use pardiff::differentiate;

/// Half the sum of the squared residuals of `y[i] - sum over f of the polynomial of feature f`.
///
/// Shapes: `coefficients` has a row of `degree + 1` for each of `d` features (constant first), `x` has a row of `d` for each
/// entry of `y`.
#[differentiate(wrt(coefficients))]
pub fn polynomial_features(coefficients: &[f64], x: &[f64], y: &[f64], d: usize, degree: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..y.len() {
        let mut residual = -y[i];
        for f in 0..d {
            let mut power = 1.0;
            for p in 0..degree + 1 {
                residual += coefficients[f * (degree + 1) + p] * power;
                power *= x[i * d + f];
            }
        }
        total += 0.5 * residual * residual;
    }
    total
}
