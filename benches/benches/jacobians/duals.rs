//! Dual numbers with several directions as numbers of the residuals.

use crate::residuals::adbench::Number;
use num_dual::{DualNum, DualSVec64};

impl<const N: usize> Number for DualSVec64<N> {
    fn constant(value: f64) -> Self {
        DualSVec64::from_re(value)
    }

    fn inverse(self) -> Self {
        self.recip()
    }

    fn root(self) -> Self {
        self.sqrt()
    }

    fn turned(self) -> (Self, Self) {
        self.sin_cos()
    }

    fn vanishes(self) -> bool {
        self.re == 0.0
    }
}

/// A variable that moves along one direction.
pub fn variable<const N: usize>(value: f64, direction: usize) -> DualSVec64<N> {
    DualSVec64::from_re(value).derivative(direction)
}

/// The derivative along a direction.
pub fn part<const N: usize>(number: &DualSVec64<N>, direction: usize) -> f64 {
    number.eps.0.as_ref().map_or(0.0, |parts| parts[direction])
}
