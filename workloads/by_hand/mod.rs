//! Sequential gradients of the smaller kernels, written by hand with care: value and gradient in one pass, nothing computed
//! twice, nothing stored that need not be. Gradients are added. Tests compare the generated ones with them, and the suite
//! times both.

mod fields;
mod pairs;
mod regression;
mod small;

pub use fields::dg_volume;
pub use pairs::{Rows, lennard_jones, row_softmax};
pub use regression::{logistic_regression, polynomial_features, soft_k_means, softmax_regression};
pub use small::{batched_solve, option_book, projection};
