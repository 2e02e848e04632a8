//! Parallel gradients of ordinary Rust loop functions.
