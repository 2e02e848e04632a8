//! Whole programs that must compile and run, each a module with its `main` as a test.

#![allow(
    clippy::needless_range_loop,
    clippy::obfuscated_if_else,
    clippy::redundant_closure,
    reason = "kernels as numerical programmers write them"
)]

include!(concat!(env!("OUT_DIR"), "/accepted.rs"));
