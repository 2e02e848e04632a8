//! What the code that `#[differentiate]` generates calls. Users see it through the crate `pardiff` alone.
