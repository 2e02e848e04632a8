//! Exact simplification: what it changes has the same bits and the same panics.
//!
//! *Comes in*: any program that the verifier accepts. *Goes out*: a shorter one that computes the same. *Guarantees*:
//! every float that is kept has the bits it had, NaN payloads apart; every `Check` that can fail stays; an integer expression of
//! the primal that can panic is still evaluated. *Never*: reassociates, replaces `x * 0` by `0` or `x + 0.0` by `x`
//! (wrong for -0.0), or decides how anything is run.

mod algebra;
mod control;
mod copies;
mod dead;
mod last;
mod rings;
mod share;
#[cfg(test)]
mod share_tests;

pub use share::share;

use crate::ir::Program;
use crate::limits::SIMPLIFY_ROUNDS;

/// A shorter program that computes the same.
pub fn simplify(program: Program) -> Program {
    let program = rounds(program);
    let mut is_adjoint = false;
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| is_adjoint |= stmt.origin.phase.is_derived());
    });
    // what the primal shares, it shares after hoisting: a value shared by rows of a table and by others is in none
    if is_adjoint { rounds(share(program)) } else { program }
}

/// The same without what nobody needs any more, in a program that was simplified before.
pub fn shorten(program: Program) -> Program {
    rounds(program)
}

fn rounds(mut program: Program) -> Program {
    for round in 0..SIMPLIFY_ROUNDS {
        let mut changed = round == 0 && last::remove(&mut program);
        changed |= algebra::rewrite(&mut program);
        changed |= rings::choose(&mut program);
        changed |= copies::propagate(&mut program);
        changed |= dead::eliminate(&mut program);
        changed |= control::flatten(&mut program);
        if !changed {
            break;
        }
    }
    program
}
