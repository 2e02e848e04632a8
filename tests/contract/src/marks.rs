//! Attributes below `#[differentiate]`: some are copied, the others stay on the function.

use pardiff::differentiate;

/// Deprecated with its gradient.
#[differentiate]
#[deprecated(note = "a test")]
pub fn deprecated(x: f64) -> f64 {
    x * x
}

/// Compiled.
#[differentiate]
#[cfg(not(any()))]
#[inline]
#[must_use]
pub fn present(x: f64) -> f64 {
    x * x
}

/// Not compiled, nor is its gradient.
#[differentiate]
#[cfg(any())]
pub fn absent(x: f64) -> f64 {
    x * x
}

/// Takes the names of the one that is not compiled.
pub mod absent {}

/// Switched on and off with its documentation.
#[cfg_attr(not(any()), differentiate)]
pub fn switched(x: f64) -> f64 {
    x * x
}

/// The lint levels of the user hold for the function.
#[differentiate]
#[allow(non_snake_case)]
pub fn LoudName(x: f64) -> f64 {
    x * x
}
