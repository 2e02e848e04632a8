//! Special functions over `T: Float` as a library has them, exported for the derivatives of its users.

pub mod bessel;
pub mod elliptic;
pub mod gamma;
pub mod lambert;
