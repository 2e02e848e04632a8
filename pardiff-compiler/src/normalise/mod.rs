//! IR to IR, before anything is analysed: one canonical form of what can be written in several ways.
//!
//! *Comes in*: a program as the front end lowered it. *Goes out*: a program with the same numbers and the same
//! panics, but for loops that would run for centuries, in which loops count in `usize` ([`iterators`]), counters are
//! functions of the iterators ([`induction_variables`]), choices between numbers are values ([`if_conversion`]), the
//! greatest item is a running maximum ([`recognise_extrema`]), also where a condition asks for it
//! (`recognise_extrema::running`), small arrays are scalars ([`sroa`]), elements that short loops gather more than
//! once are named in copies of their bodies ([`unroll_gathers`]), arrays of constants stand in front ([`constants`]),
//! accumulations are [`Reduce`](crate::ir::StmtKind::Reduce)s ([`reduce`]), arrays that steps exchange stand around
//! their loops ([`hoist_double_buffers`]), locals live where they are used ([`localise`](mod@localise)), loops over a
//! part of an array run along the array ([`slices`]), locals that name an index give way to it ([`forward_indices`]),
//! and copies that are only read to the arrays ([`elide_copies`]), loops over time do not count what a flag has ended
//! ([`break_loops`]), and sizes that conditions add to are checked ([`assume_extents_fit`]). *Guarantees*: no
//! floating-point operation is added, removed or reordered. *Never*: decides how anything is differentiated or run.

pub mod assume_extents_fit;
pub mod break_loops;
mod clamped_indices;
pub mod constants;
mod counted_whiles;
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
mod unsigned_indices;

use crate::ir::Program;
use crate::pass::{self, Pass};
use crate::simplify::propagate_copies;

/// The passes, in order.
pub const PASSES: &[Pass] = &[
    Pass::map("counted_whiles", "all later passes know the ends of these loops", counted_whiles::count),
    Pass::map("iterators", "all later passes compare indices in one type", iterators::in_usize),
    Pass::map("if_conversion", "before any pass counts the definitions of a scalar", if_conversion::choose),
    Pass::map("recognise_extrema", "leaves `m = max(m, x)` for `reduce`", recognise_extrema::run),
    Pass::map("running_extrema", "also leaves `m = max(m, x)` for `reduce`", recognise_extrema::running::run),
    Pass::map(
        "induction_variables",
        "closed counters are constant indices for `sroa`",
        induction_variables::close,
    ),
    Pass::map("sroa", "before any pass looks for definitions or for copies of arrays", sroa::scalarise),
    Pass::map(
        "unroll_gathers",
        "after `sroa`, which unrolls what small arrays need",
        unroll_gathers::unroll_rings,
    ),
    Pass::map("constants", "after unrolling, which leaves stores at constant indices", constants::lift),
    Pass::map("reduce", "after counters are closed: what is still added is a sum", reduce::canonicalise),
    Pass::map(
        "hoist_double_buffers",
        "before `localise`, which would declare the array inside the step",
        hoist_double_buffers::declare_around,
    ),
    Pass::map("localise", "gives each value its own buffer: one definition from here on", localise::localise),
    Pass::map(
        "copies",
        "before `unsigned_indices`, which compares what is cast with bounds",
        propagate_copies,
    ),
    Pass::map(
        "unsigned_indices",
        "before `slices`: indices and conditions are sums of one type from here on",
        unsigned_indices::rewrite,
    ),
    Pass::map("clamped_indices", "after `unsigned_indices`, which leaves one form", clamped_indices::split),
    Pass::map("slices", "needs offsets with one definition", slices::along),
    Pass::map(
        "forward_indices",
        "after `slices`, which matches the names of offsets",
        forward_indices::write_out,
    ),
    Pass::map("elide_copies", "compares indices without names", elide_copies::read_through),
    Pass::map("break_loops", "asks for dependences of final indices", break_loops::end),
    Pass::map("assume_extents_fit", "reads final conditions and bounds", assume_extents_fit::check),
];

/// The canonical form of `program`.
pub fn normalise(program: Program) -> Program {
    pass::after(PASSES, program)
}
