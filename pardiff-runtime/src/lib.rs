//! What the code that `#[differentiate]` generates calls. Users see it through the crate `pardiff` alone.
//!
//! *Comes in*: values of the user's call. *Goes out*: values, or a panic that names the user's function and array.
//! *Guarantees*: safe code only; nothing here changes a number that the generated code computes. *Never*: keeps
//! anything from one call to the next.

mod panic;
mod range;
mod size;
mod storage;

pub use panic::{failed, out_of_range, slice_out_of_range, wrong_shape};
pub use range::{Integer, Strided, strided_down, strided_down_inclusive, trip_count};
pub use size::{Size, row_major, triangle};
pub use storage::{Zero, inner_len, innermost_len, slot};
