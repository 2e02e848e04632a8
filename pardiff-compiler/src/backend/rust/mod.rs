//! IR to Rust tokens, and the public contract around them.
