//! What the examples share: minimisation with generated derivatives, checks of gradients, pictures, random numbers.
//!
//! Nothing here is needed to use pardiff.

pub mod charts;
pub mod descent;
pub mod differences;
pub mod fields;
pub mod newton;
pub mod place;
pub mod random;
