//! Functions over types of known crates.
//!
//! Each function of a text of the compiler is a case: its value is compared with that of the crate, its derivatives
//! with finite differences of the crate's function.

// clippy takes minutes for so much generated code; it lints what is generated for the workloads
#![cfg(not(clippy))]
#![allow(
    clippy::needless_range_loop,
    clippy::ptr_arg,
    reason = "kernels as numerical programmers write them"
)]

#[macro_use]
mod support;

mod complex;
mod glam_matrices;
mod glam_quaternions;
mod glam_vectors;
mod imports;
mod nalgebra_dynamic;
mod nalgebra_functions;
mod nalgebra_generic;
mod nalgebra_matrices;
mod nalgebra_motions;
mod nalgebra_sizes;
mod nalgebra_unit_arguments;
mod nalgebra_units;
mod nalgebra_vectors;
mod private_members;
mod programs;
mod standard_types;
mod texts;
