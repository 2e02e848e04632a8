//! Gradients on NVIDIA GPUs: the schedule of kernels, and CUDA with its launches from a scheduled program.
//!
//! *Comes in*: an unscheduled program. *Goes out*: kernels, and the host code that launches them. *Guarantees*: what
//! [`schedule`](crate::schedule) guarantees, from the same proofs. *Never*: changes what the CPU runs.
//!
//! | file | question |
//! | --- | --- |
//! | `grids` | which loops are kernels, and who owns their sums? |
//! | `blocks` | which kernels run an iteration by a block of threads? |
//! | `collapse` | which loops are threads together, though the inner one sums up what the outer one owns? |
//! | `or_reductions` | which stores may threads make in any order? |
//! | `register_sums` | which sums of inner loops are registers? |
//! | `no_wrap_guards` | which kernels rest on comparisons of sizes? |
//! | `shared_privatisation` | which sums have a copy for each thread in shared memory? |
//! | `shared_tiles` | which kernels read an array by way of shared memory? |
//! | `sorted_scatter` | which sums that would be atomic are stored, sorted and gathered? |
//! | `csr_rows` | which sums into rows of sparse matrices need no atomics? |
//! | `indirect` | which sums find their elements through index arrays? |
//! | `host` | what does the host know without asking the device? |
//! | `device_extents` | what must it ask the device before it takes memory? |
//! | `emit` | how is a scheduled program written as CUDA, and launched? |

mod blocks;
mod collapse;
mod csr_rows;
mod device_extents;
pub mod emit;
pub(crate) mod grids;
pub mod host;
mod indirect;
mod no_wrap_guards;
mod or_reductions;
mod register_sums;
pub(crate) mod shared_privatisation;
mod shared_tiles;
mod sorted_scatter;
#[cfg(test)]
mod tests;

pub use grids::scalar_sums;
pub use shared_privatisation::{places, shared_copies};
pub use shared_tiles::is_tiled;

use crate::ir::Program;
use crate::pass::{self, Context, Pass};
use crate::refusal::Refusal;
use crate::schedule::{
    ACCUMULATE_INTO_ZERO, FUSE_REDUCTIONS, IN_ORDER, MATH_LOWERING, REASSOCIATE_ADJOINTS, TASKS,
    gather_under_guards,
};
use crate::schedule::{Options, Scheduled};

/// The passes, in order; those of the schedule for the CPU stand where they stand there.
pub const PASSES: &[Pass] = &[
    TASKS,
    FUSE_REDUCTIONS,
    ACCUMULATE_INTO_ZERO,
    REASSOCIATE_ADJOINTS,
    Pass::edit(
        "shift_under_guards",
        "before `grids`: a sum that gathers needs no owner",
        gather_under_guards,
    )
    .reorders(),
    Pass::change(
        "register_sums",
        "before `grids`: what a register sums up threads share out",
        register_sums::sum_in_registers,
    )
    .reorders(),
    Pass::change(
        "or_reductions",
        "before `grids`, which gives reductions their schemes",
        or_reductions::from_stores,
    ),
    Pass::edit("grids", "nests are final until they are marked", grids::mark_grids),
    Pass::edit("sorted_scatter", "after `grids`, which leaves atomic additions", |program, context| {
        let Context { options, deny_atomics, decisions, .. } = context;
        sorted_scatter::gather(program, &options.costs, *deny_atomics, decisions);
    }),
    Pass::edit("shared_privatisation", "takes atomic additions that are not sorted", |program, context| {
        shared_privatisation::share(program, &context.options.costs)
    }),
    Pass::change("unshare", "after all passes that leave kernels without blocks", blocks::unshare),
    IN_ORDER.because("after all loops that are kernels are marked"),
    DEVICE_EXTENTS,
    Pass::edit("shared_tiles", "after kernels have their final form", |program, context| {
        shared_tiles::stage(program, &context.options.costs, &mut context.decisions)
    }),
    Pass::edit("refuse_atomics", "after all passes that replace atomic additions", grids::refuse_atomics),
    MATH_LOWERING,
];

/// For the option `sequential`.
pub const SEQUENTIAL: &[Pass] = &[TASKS, IN_ORDER, DEVICE_EXTENTS];

const DEVICE_EXTENTS: Pass =
    Pass::edit("device_extents", "knows which loops the host runs", |program, context| {
        device_extents::ask(program, &mut context.decisions)
    });

/// Decides how every loop is executed on a GPU; see the module. With `atomics` denied, sums that need them are refused.
///
/// # Errors
///
/// The sums that need atomic additions, if these are denied.
pub fn schedule_for_gpu(
    mut program: Program,
    options: &Options,
    sequential: bool,
    deny_atomics: bool,
) -> Result<Scheduled, Vec<Refusal>> {
    let mut context = Context { deny_atomics, decides: true, ..Context::new(options) };
    pass::run(&[if sequential { SEQUENTIAL } else { PASSES }], &mut program, &mut context)?;
    Ok(Scheduled { program, decisions: context.decisions })
}
