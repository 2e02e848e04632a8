//! Types of `num-complex`.

use super::family::{Family, Named};

/// What a name means; if it is that of a function, which function of the type does the same.
pub(super) fn named(name: &str) -> Option<(Named, Option<&'static str>)> {
    let (elem, function) = match name {
        "Complex" => (None, None),
        "Complex64" => (Some("f64"), None),
        "Complex32" => (Some("f32"), None),
        "c64" => (Some("f64"), Some("new")),
        "c32" => (Some("f32"), Some("new")),
        _ => return None,
    };
    Some((Named::new(Family::Complex, elem, Vec::new()), function))
}
