//! The kernels of doubles.
//!
//! Each is the textbook scheme: reduce the argument by sums and products that are exact or whose error is kept,
//! evaluate a minimax polynomial of the small remainder such that its rounding errors are far below the leading term,
//! and put the exponent back. Polynomials were fitted by Remez' algorithm in 300 bits; "error" beside one is its
//! largest deviation, relative to the result, before coefficients were rounded.

mod asin;
mod atan;
mod exp;
mod hyperbolic;
mod ln;
mod pairs;
mod pow;
mod powi;
mod roots;
mod tanh;
mod trigonometric;

pub(crate) use asin::{acos, arc, asin};
pub(crate) use atan::{atan, atan2, of_point, of_tangent};
pub(crate) use exp::{exp, exp_m1, exp2};
pub(crate) use hyperbolic::{acosh, asinh, atanh, cosh, sinh};
pub(crate) use ln::{ln, ln_1p, log, log2, log10, special_logarithms, split_normal};
pub(crate) use pow::{pow, special_powers};
pub(crate) use powi::{plain, powi};
pub(crate) use roots::{cbrt, hypot, root_of_squares};
pub(crate) use tanh::tanh;
pub(crate) use trigonometric::{cos, or_std, signed, sin, sin_cos, tan, zero_or};
