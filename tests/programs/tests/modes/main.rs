//! Derivative modes, checkpoints, rules by hand, and programs in parallel, by threads, tasks and messages.

// clippy takes minutes for so much generated code; it lints what is generated for the workloads
#![cfg(not(clippy))]
#![allow(
    clippy::assign_op_pattern,
    clippy::explicit_counter_loop,
    clippy::len_zero,
    clippy::let_and_return,
    clippy::manual_clamp,
    clippy::manual_swap,
    clippy::map_clone,
    clippy::match_ref_pats,
    clippy::mut_range_bound,
    clippy::needless_late_init,
    clippy::needless_range_loop,
    clippy::never_loop,
    clippy::nonminimal_bool,
    clippy::redundant_pattern_matching,
    clippy::reversed_empty_ranges,
    clippy::too_many_arguments,
    clippy::useless_conversion,
    clippy::useless_vec,
    clippy::while_let_on_iterator,
    reason = "kernels as numerical programmers write them"
)]

/// What programs with messages call `mpi`.
use pardiff::ranks as mpi;

mod alignment_losses;
mod borrowed_in_modes;
mod callers_of_rules;
mod checkpoint_levels;
mod checkpoint_owners;
mod checkpoint_rows;
mod checkpoint_until;
mod checkpoints;
mod courant_step;
mod docking;
mod forward_mode;
mod frames;
mod hessians;
mod implicit_functions;
mod indices_that_wrap;
mod iterative_methods;
mod mechanics;
mod option_pricing;
mod random_messages;
mod ranks_batches;
mod ranks_kernels;
mod ranks_linear;
mod ranks_modes;
mod ranks_parts;
mod ranks_programs;
mod ranks_requests;
mod rayon_arrays;
mod rayon_iterators;
mod rayon_physics;
mod rayon_tasks;
mod rules_by_hand;
mod rules_in_modes;
mod rules_of_parts;
mod second_order;
mod second_order_rules;
mod segments;
mod sparse_derivatives;
mod split_sweeps;
mod state_space;
mod unit_directions;
mod until_converged;
mod vector_modes;
mod vector_modes_of_forms;
