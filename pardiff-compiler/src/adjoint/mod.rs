//! Reverse mode: a program goes in, the program that also computes its adjoints comes out.
//!
//! *Comes in*: a verified, normalised program and the inputs to differentiate. *Goes out*: a program that runs the
//! primal (the forward sweep, with stores to tapes) and then its reversal (the reverse sweep). Its parameters are those of
//! the primal, each active one followed by its adjoint, then one seed for each float result. *Guarantees*: every value
//! that the reverse sweep uses has the bits it had in the forward sweep; tapes are indexed by loop iterators; every check
//! of the primal is made once, before the accesses that rely on it. *Never*: changes what the primal computes, or
//! refuses with a panic.
//!
//! The two sweeps are made region by region. The function is a region, and so is one iteration of a loop whose iterations
//! meet in nothing but sums. In a region, what is in place stays in place until the reversal, and tapes have no dimension
//! for the loops around it. The reversal of such a loop is one loop over its regions:
//!
//! ```text
//! fused                              replayed                          stored
//! known; for i { F(i); R(i) }; …     for i { F(i) }; …;                for i { F(i); store }; …;
//!                                    for i { slice of F(i); R(i) }     for i down { R(i) from tapes }
//! ```
//!
//! *Fused* where the adjoints of what the loop computes are known before it runs: then there is one pass and no tape.
//! *Replayed* where the values that the slice reads are still there. *Stored* otherwise, and inside a region.
//!
//! | file | question |
//! | --- | --- |
//! | `activity` | which buffers carry a derivative? |
//! | `structure` | when can a value change? |
//! | `recompute_or_store` | where does the reverse sweep find a value: in place, recomputed, stored? |
//! | `name` | which values are computed once? |
//! | `recompute` | what is found without a tape? |
//! | `conditional_definitions` | which values are computed again under their conditions? |
//! | `reuse_partials` | which value that is provided anyway is the one that a derivative is made of? |
//! | `share_snapshots` | which array is stored once for several nests? |
//! | `tape_layout` | where in its tape does a stored value stand? |
//! | `tape_row_bounds`, `staggered` | how long are rows for loops that are not all equally long? |
//! | `region` | how far do the two sweeps of a block reach? |
//! | `fuse` | may a loop and its reversal be one loop? |
//! | `replay` | what is run again in the reverse loop, and under which names? |
//! | `price_of_replay` | does that cost more than to store it? |
//! | `runtime_loops` | how is a loop reversed whose trip count is known only when it ends? |
//! | `reverse_stmt` | how is a statement reversed? |
//! | `user_call` | which rule reverses a call of the user's? |
//! | `reverse_communication` | which messages carry the adjoints of those between ranks? |
//! | `extrema` | which element attains a running maximum or minimum? |
//! | `reverse_expr` | what does an assignment add to which adjoints? |
//! | `overwrite` | which adjoints need not be zero before? |
//! | `inplace_tapes` | which arrays live in their tape? |
//! | `write_regions` | what does a nest assign of an array? |
//! | `contiguous_writes` | and what stands between the consecutive elements that it assigns? |
//! | `segments` | how do marked loops over time run again piece by piece? |
//! | `tangent` | forward mode: what is the tangent of a statement? |
//! | `cut` | what of a reversal runs before the seed is known? |
//! | `second_order` | what is the tangent of a reversal? |
//! | `batch`, `user_call_batch` | what do several directions, or seeds, share? |

mod activity;
mod batch;
mod conditional_definitions;
#[cfg(test)]
mod conditional_definitions_tests;
mod contiguous_writes;
mod contract;
#[cfg(test)]
mod contract_tests;
mod cut;
mod extrema;
mod fuse;
mod inplace_tapes;
#[cfg(test)]
mod inplace_tapes_tests;
mod name;
mod overwrite;
mod price_of_replay;
#[cfg(test)]
mod price_of_replay_tests;
mod recompute;
mod recompute_or_store;
mod region;
mod replay;
#[cfg(test)]
mod replay_tests;
mod reuse_partials;
#[cfg(test)]
mod reuse_partials_tests;
mod reverse_communication;
mod reverse_expr;
mod reverse_region;
mod reverse_stmt;
mod rows;
mod runtime_loops;
#[cfg(test)]
mod runtime_loops_tests;
mod second_order;
mod segments;
mod share_snapshots;
#[cfg(test)]
mod share_snapshots_tests;
mod snapshot;
#[cfg(test)]
mod snapshot_tests;
mod stored_values;
mod structure;
mod tangent;
mod tape_extents;
mod tape_layout;
#[cfg(test)]
mod tape_layout_tests;
mod tape_row_bounds;
#[cfg(test)]
mod tests;
mod user_call;
mod user_call_batch;
#[cfg(test)]
mod user_call_tests;
mod write_regions;

pub use activity::Activity;
pub use batch::Batch;
pub use contract::seamed_after_gradient;
pub use cut::{Halves, cut, seamed};
pub use inplace_tapes::live_in_tapes;
pub use overwrite::{Overwriting, overwrite};
pub(crate) use segments::Marked;
pub use segments::in_segments;
pub(crate) use segments::{binomial, marked};

use crate::ir::{BufferId, Program};
use crate::pass::{self, Context, Pass, UnitSeed};
use crate::refusal::Refusal;

/// The primal as any derivative is made of it. The new buffers follow those of the primal.
pub const PREPARE: &[Pass] = &[
    Pass::map("extrema", "the element of an extremum is differentiated as any other", extrema::point_out),
    NAMES,
];

/// The names that the reversal and the value have in common.
pub const NAMES: Pass =
    Pass::edit(COSTLY_VALUES, "`reverse` stores or recomputes what has a name", |program, context| {
        name::name_costly_values(program, &context.wrt)
    });

/// From there to the program that also computes the adjoints.
pub const REVERSE: &[Pass] = &[Pass::edit("reverse", "every costly value has a name", reverse_stmt::reverse)];

/// What keeps the sweeps of a reversal apart, before [`PREPARE`].
pub const SEAM: Pass = Pass::change("seam", "before `reverse`, which moves nothing over it", |program| {
    *program = seamed(program)
});

/// From there to the program that also computes the tangents.
pub const TANGENT: &[Pass] = &[Pass::edit("tangent", "every costly value has a name", tangent::tangents)];

/// From a reversal to its tangents.
pub const SECOND: &[Pass] =
    &[Pass::edit("second_order", "tapes have their final form", second_order::second_order)];

/// What is done before, for what needs no dimension of the batch.
pub const CONTRACT: &[Pass] = &[Pass::edit(
    "contract",
    "before `batch`, which makes what depends on the batch as many times",
    contract::contracted,
)
.reorders()];

/// From there to the program for several directions or seeds.
pub const BATCH: &[Pass] =
    &[Pass::edit("batch", "before the schedule, which sees the loops over the batch", batch::batched)];

/// What is done about the tapes of a simplified reversal, for the CPU.
pub const TAPES: &[Pass] = &[
    Pass::edit(
        "segments",
        "before states live in tapes, of which a segment has its own",
        segments::in_marked,
    ),
    Pass::map("inplace_tapes", "after `segments`, whose loops fill tapes as others do", live_in_tapes),
];

/// What is done where one program serves all calls, so that its flag means the same in all.
pub const OVERWRITE: &[Pass] =
    &[Pass::edit("overwrite", "after tapes have their final form", |program, context| {
        let Overwriting { program: made, flag, zeroed } = overwrite(program.take());
        (*program, context.flag, context.zeroed) = (made, flag, zeroed);
    })];

/// Names the values that cost, and says so in the names.
const COSTLY_VALUES: &str = "name_costly_values";

/// The primal with its tangents, for directions of `wrt` and of every `InOut` float parameter.
///
/// # Errors
///
/// For statements that are not looked into.
pub fn tangent(primal: &Program, wrt: &[BufferId]) -> Result<Program, Vec<Refusal>> {
    let mut program = primal.clone();
    let mut context = Context { wrt: wrt.to_vec(), ..Context::default() };
    pass::run(&[PREPARE, TANGENT], &mut program, &mut context)?;
    Ok(program)
}

/// A reversal with its tangents, for directions of `wrt` and of every `InOut` float parameter: the tangents of the
/// adjoints of inputs take their place among the parameters. With `unit_seed` the adjoint of the result is one, and no
/// parameter.
///
/// # Errors
///
/// For statements that are not looked into.
pub fn second_order(reversed: &Program, wrt: &[BufferId], unit_seed: bool) -> Result<Program, Vec<Refusal>> {
    let mut program = reversed.clone();
    let unit_seed = unit_seed.then_some(UnitSeed::One);
    let mut context = Context { wrt: wrt.to_vec(), unit_seed, ..Context::default() };
    pass::run(&[SECOND], &mut program, &mut context)?;
    Ok(program)
}

/// A program with derivatives, in which what depends on a batch of them through one number is computed once.
pub fn contract(derived: &Program, batch: Batch) -> Program {
    let mut program = derived.clone();
    contract::contracted(&mut program, &mut Context { batch: Some(batch), ..Context::default() });
    program
}

/// A program with derivatives, for a batch of them.
///
/// # Errors
///
/// For statements that are not looked into.
pub fn batch(derived: &Program, batch: Batch) -> Result<Program, Vec<Refusal>> {
    let mut program = derived.clone();
    let mut context = Context { batch: Some(batch), ..Context::default() };
    pass::run(&[BATCH], &mut program, &mut context)?;
    Ok(program)
}

/// The primal with its reversal, for the adjoints of `wrt` and of every `InOut` float parameter.
///
/// # Errors
///
/// For statements that have no reversal, or not as they are marked.
pub fn reverse(primal: &Program, wrt: &[BufferId]) -> Result<Program, Vec<Refusal>> {
    let mut program = primal.clone();
    let mut context = Context { wrt: wrt.to_vec(), ..Context::default() };
    pass::run(&[PREPARE, REVERSE], &mut program, &mut context)?;
    Ok(program)
}
