//! What the code that `#[differentiate]` generates calls. Users see it through the crate `pardiff` alone.
//!
//! *Comes in*: values of the user's call. *Goes out*: values, or a panic that names the user's function and array.
//! *Guarantees*: results depend on arguments and on the level of the machine alone, never on threads, addresses or
//! earlier calls. *Never*: keeps anything from one call to the next but tapes, which the user holds, and the memory of
//! scratch buffers, which [`release_scratch`] gives back.

pub mod access;
pub mod ahead;
#[cfg(any(feature = "num-traits", feature = "nalgebra"))]
pub mod bounds;
pub mod check;
mod checkpoints;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod directions;
mod disjoint;
mod fallible;
pub mod known;
pub mod math;
#[cfg(feature = "ndarray")]
pub mod ndarray;
mod panic;
#[cfg(feature = "gemm")]
mod product;
mod range;
pub mod ranks;
pub mod rows;
mod scratch;
#[doc(hidden)]
pub mod simd;
mod size;
pub mod sparse;
mod stamp;
mod storage;
mod stream;
mod tasks;
#[cfg(feature = "parallel")]
mod team;

pub use checkpoints::binomial_checkpoint;
pub use disjoint::Disjoint;
pub use fallible::Fallible;
pub use panic::{failed, out_of_range, slice_out_of_range, wrong_length, wrong_shape, wrong_variant};
#[cfg(feature = "gemm")]
pub use product::{Factor, product};
pub use range::{Integer, Strided, strided_down, strided_down_inclusive, trip_count};
pub use scratch::{Arena, Element, Growing, Kept, Room, release_scratch};
pub use size::{Size, row_major, triangle};
pub use stamp::{Number, Stamp};
pub use storage::{Zero, inner_len, innermost_len};
pub use stream::{Stream, StreamMut};
pub use tasks::{fill, tasks};
