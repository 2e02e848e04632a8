//! Work that is done more often than it need be moves out of loops, before differentiation: its reversal moves with it.
//!
//! *Comes in*: a normalised program. *Goes out*: the same numbers, with what is the same in all iterations computed
//! before the loop ([`invariants`]), what depends on an index alone in tables ([`memo_tables`]), and each load and costly
//! operation of what is left once ([`share`]). *Guarantees*: every float has the bits it had; nothing
//! panics that did not, though a check that is the same in all iterations may come earlier; an adjoint that nothing
//! contributes to stays exactly zero. *Never*: reassociates.

mod build;
mod columns;
mod form;
pub mod invariants;
#[cfg(test)]
mod invariants_tests;
mod key;
pub mod memo_tables;
mod reading;
#[cfg(test)]
mod tests;

use crate::ir::Program;
use crate::pass::{self, Pass};
use crate::simplify::{SHORTEN, share};

/// The passes, in order.
pub const PASSES: &[Pass] = &[
    Pass::map("invariants", "before `memo_tables`: an invariant index needs no table", invariants::move_out),
    Pass::map("memo_tables", "before `share`: a shared value is in no row of a table", memo_tables::tabulate),
    SHORTEN.because("removes what only the tables compute now"),
    Pass::map("share", "shares what `memo_tables` leaves in loops", share),
    SHORTEN.because("removes names that sharing made superfluous"),
];

/// Moves work out of loops, and shares what is left.
pub fn hoist(program: Program) -> Program {
    pass::after(PASSES, program)
}
