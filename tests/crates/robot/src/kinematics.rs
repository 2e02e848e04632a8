//! How joints move what is behind them.

use crate::Joint;
use nalgebra::{Matrix3, Vector3};
use pardiff::differentiate;

/// The rotation about an axis, by Rodrigues' formula.
#[differentiate(export)]
pub fn rodrigues(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    let k = axis.cross_matrix();
    Matrix3::identity() + k * angle.sin() + k * k * (1.0 - angle.cos())
}

#[differentiate(export, uses(Joint, rodrigues))]
impl Joint {
    /// Where the next joint is, and how it is turned, from where this one is.
    pub fn moved(
        &self,
        angle: f64,
        at: &Vector3<f64>,
        turned: &Matrix3<f64>,
    ) -> (Vector3<f64>, Matrix3<f64>) {
        let turned = turned * rodrigues(&self.axis, angle);
        (at + turned * self.link, turned)
    }

    /// What it costs to come near the limit.
    pub fn strain(&self, angle: f64) -> f64 {
        (angle / self.limit).powi(4)
    }
}
