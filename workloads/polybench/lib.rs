//! The 30 kernels of [PolyBench 4.2](https://sourceforge.net/projects/polybench/), written from what they compute.
//!
//! Each is a function of its arrays and sizes whose result is a scalar loss: half the sum of the squares of what the kernel
//! computes, where nothing else is said. [`cases`] joins them with inputs as PolyBench makes them.
#![allow(clippy::needless_range_loop, clippy::too_many_arguments)]

pub mod blas;
pub mod cases;
pub mod inputs;
pub mod medley;
pub mod products;
pub mod solvers;
pub mod statistics;
pub mod stencils;
