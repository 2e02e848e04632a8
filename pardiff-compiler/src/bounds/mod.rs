//! Where `Check`s stand: out of loops where that is exact, and once.
//!
//! *Comes in*: a program whose loops are not scheduled yet, with a `Check` before each access. *Goes out*: the same
//! program with checks moved in front of loops, evaluated there for the iteration that fails first if any does, and
//! without those that an earlier one repeats. *Guarantees*: a run panics if and only if it did before, but for ends of
//! loops in tasks that a difference has wrapped to (`ends`); where several checks fail, or an earlier statement would have
//! panicked otherwise, another panic may come first. *Never*: moves a check out of a condition, out of a
//! `while`, or out of a loop where it would have to be sufficient instead of exact; checks of elements of index arrays, and of short
//! rows behind them, stay where they are.
//!
//! ```text
//! for i in 0..n                           if 0 < n
//!   for j in 0..m                           if 0 < m
//!     check i * m + j < len(a)     =>         check (n - 1) * m + (m - 1) < len(a)
//!     s += a[i * m + j]                   for i in 0..n
//!                                           for j in 0..m
//!                                             s += a[i * m + j]
//! ```
//!
//! **Legality.** Take a check `e(i) < len` that every iteration of `for i in lo..hi` executes, where `len` and all that
//! `e` reads but `i` is the same in all iterations, and where `e` grows with `i` (it is made of `i` and of values that
//! do not change by sums and products of `usize`s, and differences `i - lo`). If the loop has an iteration, all checks
//! pass if and only if that of the last iteration does, in integers that do not wrap. In front of the loop sums and
//! products are saturating, and a saturated index is below no length; so the check there fails if and only if the
//! integer is not below `len`. In the loop the machine computes it: that no run which ends has an index that wraps is
//! proved by [`Analysis::exact_checks`](crate::poly::Analysis::exact_checks). Loops without an iteration are excepted
//! by the `If`, under which alone the bounds of inner loops and the constant parts of the index are evaluated, as in
//! the first iteration. What such an expression reads are scalars and lengths, so that evaluating it early reads no
//! element whose own check came before. Statements that were executed before the check and no longer are wrote what
//! nobody reads after a panic; a loop that may not end (`while`) or that runs what is not looked into keeps its checks.

mod ends;
mod guard;
mod hoist;
mod monotone;
mod repeated;
#[cfg(test)]
mod tests;

pub(crate) use ends::Differences;
pub use guard::{Guarded, guarded};

use crate::ir::Program;
use crate::pass::{self, Pass};

/// The passes, in order.
pub const PASSES: &[Pass] = &[
    Pass::map(
        "hoist_checks",
        "before `repeated_checks`: a hoisted check makes others superfluous",
        hoist::hoist,
    ),
    REPEATED[0],
    Pass::change("checked_ends", "looks at loops that still hold checks", ends::ask),
];

/// Checks that stay where they are, each once.
pub const REPEATED: &[Pass] =
    &[Pass::change("repeated_checks", "after checks have left their loops", repeated::forget)];

/// Places the checks of a program; see the module.
pub fn place(program: Program) -> Program {
    pass::after(PASSES, program)
}
