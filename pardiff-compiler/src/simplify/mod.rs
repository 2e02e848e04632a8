//! Exact simplification: what it changes has the same bits and the same panics.
//!
//! *Comes in*: any program that the verifier accepts. *Goes out*: a shorter one that computes the same. *Guarantees*:
//! every float that is kept has the bits it had, NaN payloads apart; every `Check` that can fail stays; an integer expression of
//! the primal that can panic is still evaluated. *Never*: reassociates, replaces `x * 0` by `0` or `x + 0.0` by `x`
//! (wrong for -0.0), or decides how anything is run.

mod algebra;
mod attached;
mod control;
mod copies;
mod dead;
mod last;
mod rings;
mod share;
#[cfg(test)]
mod share_tests;

pub use share::{share, share_gathers};

use crate::ir::Program;
use crate::limits::SIMPLIFY_ROUNDS;
use crate::pass::{self, Pass};

/// Of a primal, which shares after hoisting.
pub const PRIMAL: &[Pass] = &[SHORTEN];

/// Of a program with its derivatives.
pub const REVERSED: &[Pass] = &[
    SHORTEN,
    Pass::map("share_gathers", "after copies are propagated: equal indices look equal", share_gathers),
    SHORTEN.because("removes names that sharing made superfluous"),
];

/// Of a program of which no derivative is taken any more.
pub const DETACH: &[Pass] = &[Pass::map("attached", "all derivatives are made", attached::detach)];

/// All rewritings, until none finds anything.
pub const SHORTEN: Pass = Pass::map("shorten", "all later passes look at less", shorten);

/// The rewritings of a round; each gives the ones below something to do.
const ROUND: [fn(&mut Program) -> bool; 5] = [
    // constants, by which scalars are propagated
    algebra::rewrite,
    // choices instead of remainders, whose operands are scalars to be propagated
    rings::choose,
    // leaves stores that nothing reads
    copies::propagate,
    // leaves blocks that hold nothing
    dead::eliminate,
    // joins conditions, and opens scopes for the next round
    control::flatten,
];

/// A primal, shorter.
pub fn simplify(program: Program) -> Program {
    pass::after(PRIMAL, program)
}

/// A program with its reversal, shorter.
pub fn simplify_reversed(program: Program) -> Program {
    pass::after(REVERSED, program)
}

/// The same program without names of other scalars and of sizes.
pub(crate) fn propagate_copies(mut program: Program) -> Program {
    copies::propagate(&mut program);
    program
}

/// A shorter program that computes the same.
pub(crate) fn shorten(mut program: Program) -> Program {
    let mut changed = last::remove(&mut program);
    for _ in 0..SIMPLIFY_ROUNDS {
        for rewrite in ROUND {
            changed |= rewrite(&mut program);
        }
        if !std::mem::take(&mut changed) {
            break;
        }
    }
    program
}
