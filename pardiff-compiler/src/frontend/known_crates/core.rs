//! Types of the standard library that hold one integer.

use super::family::{Family, Named};

/// The types of numbers that are not zero, by their integers.
const NONZERO: [(&str, &str); 10] = [
    ("u8", "NonZeroU8"),
    ("u16", "NonZeroU16"),
    ("u32", "NonZeroU32"),
    ("u64", "NonZeroU64"),
    ("usize", "NonZeroUsize"),
    ("i8", "NonZeroI8"),
    ("i16", "NonZeroI16"),
    ("i32", "NonZeroI32"),
    ("i64", "NonZeroI64"),
    ("isize", "NonZeroIsize"),
];

/// The integers of `NonZero<T>`.
pub(super) const INTEGERS: [&str; 10] = {
    let (mut names, mut at) = ([""; 10], 0);
    while at < names.len() {
        names[at] = NONZERO[at].0;
        at += 1;
    }
    names
};

/// `NonZeroU8` of `u8`.
pub(super) fn nonzero(of: &str) -> &'static str {
    NONZERO.iter().find(|(integer, _)| *integer == of).map_or("NonZero", |(_, name)| name)
}

/// What a name means.
pub(super) fn named(name: &str) -> Option<Named> {
    let (family, elem) = match name {
        "char" => (Family::Char, Some("u32")),
        "NonZero" => (Family::NonZero, None),
        name => (Family::NonZero, Some(NONZERO.iter().find(|(_, known)| *known == name)?.0)),
    };
    Some(Named::new(family, elem, Vec::new()))
}
