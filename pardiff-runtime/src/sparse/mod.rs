//! Sparse Jacobians and Hessians from a few products.
//!
//! A product of a Jacobian with a direction is a sum of columns. Columns that have no row in common can be told
//! apart in it, so one product with the direction that is one in all of them gives all of their entries. Which
//! columns go together is a colouring of the pattern:
//!
//! ```
//! use pardiff_runtime::sparse::{Compression, Pattern};
//!
//! // y[i] = x[i] x[i + 1]
//! let jvp = |x: &[f64], x_dot: &[f64], y_dot: &mut [f64]| {
//!     for i in 0..y_dot.len() {
//!         y_dot[i] = x_dot[i] * x[i + 1] + x[i] * x_dot[i + 1];
//!     }
//! };
//! let x: Vec<f64> = (0..1001).map(f64::from).collect();
//! let pattern = Pattern::new(1000, 1001, (0..1000).flat_map(|i| [(i, i), (i, i + 1)]));
//! let compression = Compression::by_columns(pattern);
//! assert_eq!(compression.directions(), 2);
//! let jacobian = compression.matrix(|x_dot, y_dot| jvp(&x, x_dot, y_dot));
//! assert_eq!(jacobian.get(7, 8), 7.0);
//! ```
//!
//! | of | product | compression |
//! | --- | --- | --- |
//! | a Jacobian whose rows are short | `f::jvp` | [`Compression::by_columns`] |
//! | a Jacobian whose columns are short | `f::vjp` | [`Compression::by_rows`] |
//! | a Hessian | `f::hvp` | [`Compression::symmetric`] |
//!
//! Methods that end in `batch` take `f::jvp_batch` and so on, for several directions in one call. A pattern is
//! given, or [found](Pattern::found) from products.

mod colouring;
mod compression;
mod matrix;
mod pattern;
#[cfg(test)]
mod tests;

pub use colouring::Colouring;
pub use compression::Compression;
pub use matrix::Matrix;
pub use pattern::{Pattern, Real};
