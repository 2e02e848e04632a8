#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
//! A module with a helper, a constant and an alias.

use pardiff::differentiate;

/// Kernels.
#[differentiate]
pub mod kernels {
    type Real = f64;

    const SCALE: Real = 0.5;

    fn square(x: Real) -> Real {
        x * x
    }

    /// A sum of squares.
    pub fn energy(x: &[Real]) -> Real {
        let mut total = 0.0;
        for i in 0..x.len() {
            total += SCALE * square(x[i]);
        }
        total
    }

    /// The alias in the arguments of a macro.
    pub fn doubled(x: &[Real]) -> Real {
        let twice = vec![2.0 as Real; x.len()];
        assert!(twice[0] > Real::EPSILON);
        twice[0] * x[0]
    }

    /// No floats go out: it stays as it is.
    pub fn is_empty(x: &[Real]) -> bool {
        x.is_empty()
    }
}

pub fn main() {
    let (value, gradient) = kernels::energy::gradient(&[3.0, 4.0]);
    assert_eq!((value, gradient.x), (12.5, vec![3.0, 4.0]));
    assert_eq!(kernels::doubled::gradient(&[3.0, 4.0]).1.x, [2.0, 0.0]);
    assert!(kernels::is_empty(&[]));
}
