//! What the examples share: minimisation with a generated gradient, checks of gradients, pictures, random numbers.
//!
//! Nothing here is needed to use pardiff.

pub mod charts;
pub mod descent;
pub mod differences;
pub mod fields;
pub mod place;
pub mod random;
