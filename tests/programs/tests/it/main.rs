//! One module a program: every construct that pardiff accepts, in a kernel that somebody would write.

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
    clippy::needless_return,
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

mod accepted_language;
mod argument_forms;
mod array_forms;
mod arrays_by_hand;
mod associated_types;
mod attention;
mod axpy;
mod bands;
mod bilateral_filter;
mod borrowed_parameters;
mod bounds_of_parameters;
mod burgers_equation;
mod camera_projection;
mod changing_bounds;
mod checks;
mod cholesky;
mod chosen_items;
mod chosen_references;
mod chunks_and_orders;
mod closures;
mod compared_values;
mod computed_errors;
mod conditional_swap;
mod configured_blocks;
mod configured_items;
mod const_generics;
mod constant_rows;
mod constant_tables;
mod conversions;
mod convolution;
mod counted_whiles;
mod derivative_ranges;
mod dot_product;
mod double_pendulum;
mod dynamic_time_warping;
mod early_continue;
mod elementary_functions;
mod empty_arrays;
mod enums;
mod enums_returned;
mod enums_with_values;
mod evaluation_order;
mod exchanged_vectors;
mod extension_traits;
mod failed_factorisation;
mod fallible_functions;
mod few_iterations;
mod finite_elements;
mod fixed_parts;
mod flag_outputs;
mod forms_of_impls;
mod fourier_transform;
mod functions_in_fields;
mod functions_in_lanes;
mod gauss_seidel;
mod generic_functions;
mod generic_functions_in_blocks;
mod generic_helpers;
mod generic_items;
mod generic_modules;
mod generic_operators;
mod generic_rows;
mod given_functions;
mod given_types;
mod graph_edges;
mod grid_interior;
mod growing_rows;
mod guarded_neighbours;
mod heat_equation;
mod histogram;
mod householder;
mod image_edges;
mod imported_iterators;
mod index_arrays;
mod instead_of_collections;
mod integer_arithmetic;
mod integer_forms;
mod integer_outputs;
mod integer_semantics;
mod interpolation;
mod items_in_order;
mod iterator_arguments;
mod iterator_geometry;
mod iterators;
mod iterators_of_iterators;
mod jumps_in_expressions;
mod kalman_filter;
mod kinds;
mod kinks;
mod known_functions;
mod linear_recursion;
mod local_constants;
mod logistic_regression;
mod loops_left_early;
mod lstm_cell;
mod lu_factorisation;
mod macro_generated;
mod macros_by_example;
mod matched_together;
mod matrices_of_several_sizes;
mod matrix_interior;
mod matrix_products;
mod matrix_vector;
mod max_pool;
mod method_chains;
mod methods;
mod mixed_precision;
mod modules;
mod moved_elements;
mod moved_vectors;
mod mutable_references;
mod n_body;
mod named_iterators;
mod named_ranges;
mod names_of_ours;
mod namespaces;
mod ndarray_arguments;
mod ndarray_kernels;
mod ndarray_methods;
mod ndarray_panics;
mod ndarray_parts;
mod neighbour_sums;
mod nested_helpers;
mod nested_modules;
mod newton_iteration;
mod numbers_by_name;
mod open_lengths;
mod optional_arguments;
mod options;
mod options_in_structs;
mod other_words;
mod overwriting;
mod own_iterators;
mod own_traits;
mod packed_triangle;
mod panics;
mod parallel_chains;
mod parts_in_place;
mod paths_of_functions;
mod phantom_types;
mod pivoted_inverse;
mod places_side_by_side;
mod polynomial;
mod prefix_sums;
mod pushed;
mod quaternion_rotation;
mod quotients_in_arrays;
mod random_programs;
mod ranges;
mod references_again;
mod repeated_elements;
mod replaced_values;
mod results;
mod returned_iterators;
mod returned_references;
mod returned_vectors;
mod reversal;
mod rows_anywhere;
mod rows_in_lanes;
mod rows_in_structs;
mod rows_read_again;
mod runge_kutta;
mod running_counters;
mod runtime_loops;
mod scalar_forms;
mod scalar_output;
mod scheduled;
mod sequence_alignment;
mod several_implementations;
mod shadowing;
mod shared_models;
mod shared_vectors;
mod single_precision;
mod sizes_from_floats;
mod slice_methods;
mod slice_patterns;
mod slices_as_aliases;
mod softmax_cross_entropy;
mod sorted_elements;
mod sorting;
mod sparse_product;
mod state_machines;
mod statement_forms;
mod statistics;
mod stepped_iterators;
mod streaming_softmax;
mod strict_order;
mod struct_arguments;
mod structs;
mod structs_of_several_types;
mod structs_of_slices;
mod structs_of_vectors;
mod sum_types;
mod sums_of_options;
mod tables;
mod tail_duplication;
mod texts_and_pointers;
mod traits_of_vectors;
mod triangular_solve;
mod tuple_results;
mod tuples;
mod type_aliases;
mod unchecked_accesses;
mod unknown_fields;
mod updated_several_times;
mod values_under_conditions;
mod variants_in_elements;
mod vector_parameters;
mod vectors_in_elements;
mod vectors_of_vectors;
mod vectors_or_nothing;
mod wave_equation;
mod whole_arrays;
mod written_options;
