//! Where the numbers of the kernels come from: what does without the kernels' types, and what is made of these.

pub mod hand;

pub use pardiff_inputs::*;
