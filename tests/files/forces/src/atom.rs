//! A struct.

use pardiff::differentiate;

/// A charged atom.
#[differentiate(export)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Atom {
    /// Where it is.
    pub at: [f64; 3],
    /// Its charge.
    pub charge: f64,
}

/// How two atoms act on each other.
#[differentiate(export)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// By their charges.
    Coulomb,
    /// By a spring of this length.
    Spring(f64),
}
