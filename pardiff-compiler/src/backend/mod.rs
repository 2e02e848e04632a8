//! IR to code. Back ends obey; they decide nothing.

pub mod cuda;
pub mod rust;
