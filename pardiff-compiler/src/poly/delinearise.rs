//! Delinearisation.

use super::access::AccessId;
use super::affine::Affine;
use super::analysis::Analysis;
use std::collections::HashMap;

/// The strides of a flat buffer and the index of each access by dimension.
#[derive(Clone, Debug)]
pub struct Strides {
    /// Strides, outermost first; the innermost is one.
    pub strides: Vec<Affine>,
    /// The index of each access, a form for each stride.
    pub index: HashMap<AccessId, Vec<Option<Affine>>>,
}

impl Analysis<'_> {
    pub(super) fn delinearise(&mut self) {}
}
