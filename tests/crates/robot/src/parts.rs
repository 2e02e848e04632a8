//! What a joint is.

use nalgebra::Vector3;
use pardiff::differentiate;

/// A joint that turns about an axis, and the link behind it.
#[differentiate(export)]
#[derive(Clone, Debug)]
pub struct Joint {
    /// A unit vector.
    pub axis: Vector3<f64>,
    /// From this joint to the next one, where no joint is turned.
    pub link: Vector3<f64>,
    /// How far it may turn.
    pub limit: f64,
}
