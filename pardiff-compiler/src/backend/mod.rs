//! IR to code. Back ends obey; they decide nothing.

pub mod rust;
