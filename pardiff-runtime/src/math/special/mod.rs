//! Special functions of `f32` and `f64`, and their derivatives: they are ordinary functions that programs call, and what
//! gradients of such programs call.
//!
//! *Comes in*: a float. *Goes out*: the function. *Guarantees*: for doubles a relative error of a few ulp, or an absolute
//! one of a few ulp of the terms of the result where these cancel: near zeros of `digamma`, `j0` and `j1`, and of
//! `ln_gamma` at negative operands (`cargo test -p pardiff-runtime special` has the bounds). Singles are computed in
//! doubles and rounded. At poles, infinities and NaN they are what C's functions are. *Never*: panics.
//!
//! | functions | method |
//! | --- | --- |
//! | [`erf`], [`erfc`] | Chebyshev series of scaled functions: Schonfelder, Mathematics of Computation 32 (1978) 1232 |
//! | [`gamma`], [`ln_gamma`] | recurrence to a Chebyshev series, Stirling's series, reflection: Hart et al., Computer Approximations (1968) |
//! | [`digamma`], [`polygamma`] | recurrence to the asymptotic series, reflection: Abramowitz and Stegun 6.3 and 6.4 |
//! | [`j0`], [`j1`] | Chebyshev series up to 8, those of Hankel's amplitudes beyond: Clenshaw, NPL Mathematical Tables 5 (1962) |
//!
//! `coefficients.py` prints the coefficients.

mod bessel;
mod error;
mod gamma;

pub use bessel::*;
pub use error::*;
pub use gamma::*;

/// `f32` or `f64`.
pub trait Float: Copy {
    /// The same number as a double.
    fn double(self) -> f64;

    /// The nearest number of this type.
    fn of(x: f64) -> Self;

    /// A function of doubles, rounded to this type.
    fn through(self, function: fn(f64) -> f64) -> Self {
        Self::of(function(self.double()))
    }
}

impl Float for f64 {
    fn double(self) -> f64 {
        self
    }

    fn of(x: f64) -> f64 {
        x
    }
}

impl Float for f32 {
    fn double(self) -> f64 {
        f64::from(self)
    }

    fn of(x: f64) -> f32 {
        x as f32
    }
}

/// The sum of a Chebyshev series at `t` between -1 and 1, by Clenshaw's recurrence.
fn chebyshev(series: &[f64], t: f64) -> f64 {
    let (mut first, mut second) = (0.0, 0.0);
    for &coefficient in series[1..].iter().rev() {
        (first, second) = (2.0 * t * first - second + coefficient, first);
    }
    t * first - second + series[0]
}

/// The sine of `pi x`: the reduction to at most a quarter turn is exact.
fn sin_pi(x: f64) -> f64 {
    let rest = x - 2.0 * (x / 2.0).round();
    let quarter = if rest.abs() > 0.5 { 1f64.copysign(rest) - rest } else { rest };
    (std::f64::consts::PI * quarter).sin()
}
