//! A user's crate under strict lints. That it compiles without a warning is a test; what the functions compute is
//! tested in `tests/it`.
//!
//! The attribute works in a doctest, where everything stands inside a function:
//!
//! ```
//! use pardiff::differentiate;
//!
//! #[differentiate]
//! fn square(x: &[f64]) -> f64 {
//!     let mut sum = 0.0;
//!     for i in 0..x.len() {
//!         sum += x[i] * x[i];
//!     }
//!     sum
//! }
//!
//! let (value, gradient) = square::gradient(&[1.0, 2.0]);
//! assert_eq!((value, gradient.x), (5.0, vec![2.0, 4.0]));
//! ```
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, nonstandard_style, future_incompatible, rust_2018_idioms)]
#![deny(unreachable_pub, missing_debug_implementations, single_use_lifetimes)]
#![deny(unused_lifetimes, unused_results, trivial_casts, trivial_numeric_casts, clippy::all)]
// kernels are loops over indices
#![allow(clippy::needless_range_loop)]

pub mod arrays;
pub mod capture;
pub mod clashes;
pub mod interface;
pub mod marks;
pub mod methods;
pub mod modules;
pub mod outputs;
pub mod panics;
pub mod private;
pub mod scopes;
