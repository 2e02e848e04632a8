//! The error of a `Result`, whatever the alias is that names it.

/// What a function that may fail returns.
pub trait Fallible {
    /// What it fails with.
    type Error;
}

impl<T, E> Fallible for Result<T, E> {
    type Error = E;
}
