//! Programs over types of known crates.
