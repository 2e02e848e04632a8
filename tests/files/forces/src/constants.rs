//! Constants, one of them of this crate alone.

use pardiff::differentiate;

/// The length at which a spring rests.
#[differentiate(export)]
pub const REST: f64 = 0.5 + 0.25;

/// What a charge weighs.
#[differentiate(export)]
pub(crate) const WEIGHTS: [f64; 3] = [1.0, 0.5, 0.25];
