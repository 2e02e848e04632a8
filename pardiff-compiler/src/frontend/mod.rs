//! Rust to IR: types, lowering, and every refusal with its span and help line.
