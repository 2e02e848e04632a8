//! Programs over types of known crates, as libraries are written: in several files and two crates.

#![allow(clippy::needless_range_loop, reason = "kernels as numerical programmers write them")]

pub mod arm;
pub mod particles;
pub mod spectrum;
