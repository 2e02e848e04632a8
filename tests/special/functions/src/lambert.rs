//! Lambert's function, whose derivative is known from its value.

use pardiff::differentiate;

/// A module with the function, and its rule.
#[differentiate(export)]
pub mod by_rule {
    /// The solution `w` of `w exp(w) = x`, where `x` is not negative, by Halley's iteration.
    #[differentiate(custom(partials = slope))]
    pub fn lambert_w(x: f64) -> f64 {
        let mut w = x.ln_1p();
        for _ in 0..50 {
            let error = w * w.exp() - x;
            let change = error / (w.exp() * (w + 1.0) - (w + 2.0) * error / (2.0 * w + 2.0));
            w -= change;
            if change.abs() <= f64::EPSILON * w.abs() {
                break;
            }
        }
        w
    }

    fn slope(x: f64) -> f64 {
        let w = lambert_w(x);
        (-w).exp() / (1.0 + w)
    }
}
