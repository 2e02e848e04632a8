//! The words of the text form that name a choice.

use crate::ir::{Level, Phase, Scheme};

/// Schemes of a `Reduce`.
pub(crate) const SCHEMES: [(Scheme, &str); 12] = [
    (Scheme::Undecided, "undecided"),
    (Scheme::Sequential, "sequential"),
    (Scheme::NoneNeeded, "none_needed"),
    (Scheme::ScalarReduction, "scalar_reduction"),
    (Scheme::PrivateCopies, "private_copies"),
    (Scheme::SharedCopies, "shared_copies"),
    (Scheme::WindowCopies, "window_copies"),
    (Scheme::BlockColouring, "block_colouring"),
    (Scheme::FactorOut, "factor_out"),
    (Scheme::Shift, "shift"),
    (Scheme::InverseIndex, "inverse_index"),
    (Scheme::Atomic, "atomic"),
];

/// Phases of a statement.
pub(crate) const PHASES: [(Phase, &str); 4] = [
    (Phase::Primal, "primal"),
    (Phase::Replay, "replay"),
    (Phase::Adjoint, "adjoint"),
    (Phase::Tangent, "tangent"),
];

/// What a parallel loop is mapped to.
pub(crate) const LEVELS: [(Level, &str); 3] =
    [(Level::Task, "task"), (Level::Grid, "grid"), (Level::Block, "block")];

/// The word for a choice.
pub(crate) fn word<T: PartialEq>(table: &[(T, &'static str)], choice: T) -> &'static str {
    table.iter().find(|(other, _)| *other == choice).map_or("?", |(_, word)| word)
}
