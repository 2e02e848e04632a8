//! The compiler of pardiff: an ordinary Rust function goes in, its gradient comes out.

pub mod adjoint;
pub mod backend;
#[cfg(test)]
mod equivalence;
pub mod frontend;
pub mod ir;
pub mod normalise;
pub mod plan;
pub mod poly;
pub mod refusal;
pub mod signature;
pub mod simplify;
