//! A module that is exported as a whole, with what it keeps for itself.

use pardiff::differentiate;

/// Bonds between atoms.
#[differentiate(export, uses(crate::geometry::squared_distance))]
pub mod springs {
    use crate::geometry::squared_distance;
    use std::f64::consts::PI;

    const STIFFNESS: f64 = 2.0 * 1.5;

    /// A bond of two points.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Bond {
        /// How hard it is.
        pub stiffness: f64,
        /// Its length at rest.
        pub length: f64,
    }

    fn bent(angle: f64) -> f64 {
        1.0 - (angle * PI).cos()
    }

    impl Bond {
        /// Its energy.
        pub fn energy(&self, a: &[f64; 3], b: &[f64; 3]) -> f64 {
            let stretched = squared_distance(a, b).sqrt() - self.length;
            STIFFNESS * self.stiffness * stretched * stretched + bent(stretched)
        }
    }

    /// The energy of a chain.
    pub fn chain(points: &[[f64; 3]], bond: &Bond) -> f64 {
        let mut sum = 0.0;
        for i in 1..points.len() {
            sum += bond.energy(&points[i - 1], &points[i]);
        }
        sum
    }
}
