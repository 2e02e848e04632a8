//! One module a program: every construct that pardiff accepts, in a kernel that somebody would write.

#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    clippy::explicit_counter_loop,
    clippy::let_and_return,
    clippy::len_zero,
    clippy::manual_clamp,
    clippy::manual_swap,
    clippy::mut_range_bound,
    clippy::needless_late_init,
    clippy::never_loop,
    clippy::nonminimal_bool,
    clippy::redundant_pattern_matching,
    clippy::reversed_empty_ranges,
    clippy::too_many_arguments,
    clippy::useless_conversion,
    clippy::useless_vec,
    reason = "kernels as numerical programmers write them"
)]

/// What programs with messages call `mpi`.
use pardiff::ranks as mpi;

mod ranks_kernels;
mod ranks_linear;
mod ranks_programs;
mod ranks_requests;
