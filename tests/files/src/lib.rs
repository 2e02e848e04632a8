//! Functions that use what stands in other files and in another crate.

#![allow(clippy::needless_range_loop, reason = "kernels as numerical programmers write them")]

pub mod energy;
pub mod layers;
pub mod names;
