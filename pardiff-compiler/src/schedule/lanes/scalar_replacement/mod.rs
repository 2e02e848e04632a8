//! Scalar replacement in lane loops: elements that are loaded or updated more than once are registers meanwhile.

pub(super) mod loads;
pub(super) mod updates;
