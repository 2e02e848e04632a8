//! Gradients on NVIDIA GPUs: the schedule of kernels, and CUDA with its launches from a scheduled program.
//!
//! *Comes in*: an unscheduled program. *Goes out*: kernels, and the host code that launches them. *Guarantees*: what
//! [`schedule`](crate::schedule) guarantees, from the same proofs. *Never*: changes what the CPU runs.
//!
//! | file | question |
//! | --- | --- |
//! | `grids` | which loops are kernels, and who owns their sums? |
//! | `blocks` | which kernels run an iteration by a block of threads? |
//! | `no_wrap_guards` | which kernels rest on comparisons of sizes? |
//! | `shared_privatisation` | which sums have a copy for each thread in shared memory? |
//! | `shared_tiles` | which kernels read an array by way of shared memory? |
//! | `sorted_scatter` | which sums that would be atomic are stored, sorted and gathered? |
//! | `csr_rows` | which sums into rows of sparse matrices need no atomics? |
//! | `indirect` | which sums find their elements through index arrays? |
//! | `host` | what does the host know without asking the device? |
//! | `device_extents` | what must it ask the device before it takes memory? |
//! | `emit` | how is a scheduled program written as CUDA, and launched? |

mod blocks;
mod csr_rows;
mod device_extents;
pub mod emit;
pub(crate) mod grids;
pub mod host;
mod indirect;
mod no_wrap_guards;
pub(crate) mod shared_privatisation;
mod shared_tiles;
mod sorted_scatter;

pub use grids::{scalar_sums, schedule_for_gpu};
pub use shared_privatisation::{places, shared_copies};
pub use shared_tiles::is_tiled;
