//! The same tests on a GPU: `cargo test -p pardiff-cuda-tests -- --ignored`.

use crate::gradients::{self, on_gpu};
use crate::{batches, blast, hosted, lengths, nests, order, tangents, workloads};

#[test]
#[ignore = "needs a GPU"]
fn gradients_are_those_of_the_cpu() {
    on_gpu(&[
        ("elementwise", gradients::elementwise),
        ("masked mean", gradients::masked_mean),
        ("reductions", gradients::reductions),
        ("spmv", gradients::spmv),
        ("overlapping rows", gradients::rows_that_overlap_are_summed_as_well),
        ("scatter", gradients::scatter),
        ("recurrence", gradients::recurrence),
        ("tabulated", gradients::tabulated),
        ("one element", gradients::an_element_that_nothing_is_added_to_need_not_exist),
        ("grids", gradients::grids_are_kernels_where_no_index_wraps),
        ("ragged rows", lengths::rows_have_scratch_of_their_own_length),
        ("a length of the device", lengths::an_array_of_the_function_has_the_length_that_the_device_finds),
        ("structs", hosted::structs_are_copied_field_by_field),
        ("arrays of ndarray", hosted::arrays_of_ndarray_may_have_any_order),
    ]);
}

#[test]
#[ignore = "needs a GPU"]
fn blocks_of_threads_compute_what_the_cpu_computes() {
    on_gpu(&[
        ("tiles", nests::threads_of_a_block_exchange_values_by_a_tile),
        ("squares in shared memory", nests::blocks_read_squares_by_way_of_shared_memory),
        ("rows in shared memory", nests::blocks_read_rows_by_way_of_shared_memory),
        ("rows", nests::long_rows_are_run_by_blocks_and_short_ones_by_threads),
        ("volumes of elements", blast::volumes_of_elements),
        ("forces against hourglass modes", blast::forces_against_hourglass_modes),
        ("gas by materials", blast::gas_by_materials),
        ("failed checks", nests::a_check_that_fails_in_one_thread_of_a_block_ends_the_call),
    ]);
}

#[test]
#[ignore = "needs a GPU"]
fn sums_through_index_arrays_are_put_in_order() {
    on_gpu(&[
        ("prefix sums", order::prefix_sums),
        ("sorted numbers", order::sorted_numbers),
        ("few elements", order::copies_of_few_elements),
        ("gradients", order::gradients_are_the_same_bits_in_every_order),
    ]);
}

#[test]
#[ignore = "needs a GPU"]
fn workloads_compute_what_the_cpu_computes() {
    on_gpu(&[
        ("workloads in f64", workloads::in_f64),
        ("other workloads in f64", workloads::others_in_f64),
        ("workloads in f32", workloads::in_f32),
        ("other workloads in f32", workloads::others_in_f32),
    ]);
}

#[test]
#[ignore = "needs a GPU"]
fn failed_checks_panic_as_on_the_cpu() {
    on_gpu(&[
        ("index", gradients::a_failed_check_panics_as_on_the_cpu),
        ("sum", gradients::a_sum_into_no_element_panics_as_on_the_cpu),
        ("clamp", gradients::a_clamp_between_wrong_bounds_panics_as_on_the_cpu),
    ]);
}

#[test]
#[ignore = "needs a GPU"]
fn tangents_are_those_of_the_cpu() {
    on_gpu(&[
        ("arrays and scalars", tangents::of_arrays_and_scalars),
        ("index arrays", tangents::of_sums_through_index_arrays),
        ("stencil", tangents::of_a_stencil),
        ("structs and arrays of ndarray", tangents::of_structs_and_arrays_of_ndarray),
        ("wrong lengths", tangents::of_wrong_lengths_there_are_none),
        ("batches", batches::of_arrays_and_scalars),
        ("batches of structs", batches::of_structs),
        ("batches of arrays of ndarray", batches::of_arrays_of_ndarray),
    ]);
}
