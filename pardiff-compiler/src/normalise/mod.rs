//! IR to IR, before anything is analysed: one canonical form of what can be written in several ways.
//!
//! *Comes in*: a program as the front end lowered it. *Goes out*: a program with the same numbers and the same
//! panics, but for loops that would run for centuries, in which loops count in `usize` ([`iterators`]), counters are functions of the iterators ([`induction_variables`]), conditions stand the right way round
//! ([`canonical_conditions`]), choices between
//! numbers are values ([`if_conversion`]), the greatest item is a running maximum ([`recognise_extrema`]), also where a condition asks for it (`recognise_extrema::running`), small arrays are scalars ([`sroa`]), elements that short loops gather more than once
//! are named in copies of their bodies ([`unroll_gathers`]), arrays of constants stand in front ([`constants`]), accumulations are
//! [`Reduce`](crate::ir::StmtKind::Reduce)s ([`reduce`]), copies of what nobody changes are not made ([`elide_copies`]), arrays that steps exchange stand around their loops
//! ([`hoist_double_buffers`]), locals live where they are used ([`localise`](mod@localise)), loops over a part of an array run along the
//! array ([`slices`]), locals that name an index give way to it ([`forward_indices`]), and copies that are only read to the arrays (`elide_copies::parts`), loops over time do not count what a flag has ended ([`break_loops`]), and sizes that conditions add to are checked ([`assume_extents_fit`]). *Guarantees*: no
//! floating-point operation is added, removed or reordered. *Never*: decides how anything is differentiated or run.

pub mod assume_extents_fit;
pub mod break_loops;
pub mod canonical_conditions;
pub mod constants;
pub mod elide_copies;
pub mod forward_indices;
pub mod hoist_double_buffers;
pub mod if_conversion;
pub mod induction_variables;
pub mod iterators;
pub mod localise;
pub mod recognise_extrema;
mod recurrences;
pub mod reduce;
pub mod slices;
#[cfg(test)]
mod slices_tests;
pub mod sroa;
pub mod unroll_gathers;

use crate::ir::Program;

/// The canonical form of `program`.
pub fn normalise(program: Program) -> Program {
    let program = canonical_conditions::straighten(iterators::in_usize(program));
    let program = recognise_extrema::running::run(recognise_extrema::run(if_conversion::choose(program)));
    let program = induction_variables::close(program);
    let program = constants::lift(unroll_gathers::unroll_rings(sroa::scalarise(program)));
    let program = hoist_double_buffers::declare_around(elide_copies::read(reduce::canonicalise(program)));
    let program = slices::along(localise::localise(program));
    assume_extents_fit::check(break_loops::end(elide_copies::parts::read_through(
        forward_indices::write_out(program),
    )))
}
