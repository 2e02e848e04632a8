//! A force field in several files: a struct, its methods, helpers and constants, each with one attribute line.

pub mod atom;
pub mod bonds;
pub mod constants;
pub mod geometry;
pub mod motion;
