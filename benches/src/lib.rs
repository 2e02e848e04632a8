//! Gradients written by hand, which the benchmarks compare the generated ones with.

pub mod gmm;
