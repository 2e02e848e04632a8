//! The attribute `#[differentiate]`: tokens in, tokens out, nothing else.
