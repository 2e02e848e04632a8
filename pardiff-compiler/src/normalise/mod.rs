//! IR to IR, before anything is analysed: one canonical form of what can be written in several ways.
//!
//! *Comes in*: a program as the front end lowered it. *Goes out*: a program with the same numbers and the same
//! panics, but for loops that would run for centuries, in which loops count in `usize` ([`iterators`]), counters are functions of the iterators ([`counters`]), conditions stand the right way round
//! ([`guards`]), choices between
//! numbers are values ([`choices`]), the greatest item is a running maximum ([`extremes`]), also where a condition asks for it ([`greater`]), small arrays are scalars ([`scalars`]), elements that short loops gather more than once
//! are named in copies of their bodies ([`rings`]), arrays of constants stand in front ([`constants`]), accumulations are
//! [`Reduce`](crate::ir::StmtKind::Reduce)s ([`reduce`]), copies of what nobody changes are not made ([`unchanged`]), arrays that steps exchange stand around their loops
//! ([`exchanged`]), locals live where they are used ([`localise`](mod@localise)), loops over a part of an array run along the
//! array ([`slices`]), locals that name an index give way to it ([`indices`]), and copies that are only read to the arrays ([`views`]), loops over time do not count what a flag has ended ([`early`]), and sizes that conditions add to are checked ([`counts`]). *Guarantees*: no
//! floating-point operation is added, removed or reordered. *Never*: decides how anything is differentiated or run.

pub mod choices;
mod closed_form;
pub mod constants;
pub mod counters;
pub mod counts;
pub mod early;
pub mod exchanged;
pub mod extremes;
pub mod greater;
pub mod guards;
pub mod indices;
pub mod iterators;
pub mod localise;
pub mod reduce;
pub mod rings;
pub mod scalars;
pub mod slices;
#[cfg(test)]
mod slices_tests;
pub mod unchanged;
pub mod views;

use crate::ir::Program;

/// The canonical form of `program`.
pub fn normalise(program: Program) -> Program {
    let program = guards::straighten(iterators::in_usize(program));
    let program = greater::run(extremes::run(choices::choose(program)));
    let program = counters::close(program);
    let program = constants::lift(rings::unroll_rings(scalars::scalarise(program)));
    let program = exchanged::declare_around(unchanged::read(reduce::canonicalise(program)));
    let program = slices::along(localise::localise(program));
    counts::check(early::end(views::read_through(indices::write_out(program))))
}
