//! Work that is done more often than it need be moves out of loops, before differentiation: its reversal moves with it.
//!
//! *Comes in*: a normalised program. *Goes out*: the same numbers, with what is the same in all iterations computed
//! before the loop ([`invariants`]), and each load and costly operation of what is left once ([`share`]).
//! *Guarantees*: every float has the bits it had; nothing panics that did not, though a check that is the same in all
//! iterations may come earlier; an adjoint that nothing contributes to stays exactly zero. *Never*: reassociates.

pub mod invariants;
#[cfg(test)]
mod invariants_tests;

use crate::ir::Program;
use crate::pass::{self, Pass};
use crate::simplify::{SHORTEN, share};

/// The passes, in order.
pub const PASSES: &[Pass] = &[
    Pass::map("invariants", "before `share`: what leaves a loop is not shared in it", invariants::move_out),
    Pass::map("share", "shares what `invariants` leaves in loops", share),
    SHORTEN.because("removes names that sharing made superfluous"),
];

/// Moves work out of loops, and shares what is left.
pub fn hoist(program: Program) -> Program {
    pass::after(PASSES, program)
}
