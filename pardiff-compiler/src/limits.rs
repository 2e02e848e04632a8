//! How much each pass takes on: the table of every limit, each named by what it bounds.
//!
//! What is chosen by these numbers computes the same; a wrong one costs time or size and nothing else. What work costs, and
//! what the scheduler compares by it, stands in the table of prices of the schedule.

// The front end

/// How deep aliases of aliases are followed; rustc refuses circles.
pub(crate) const ALIAS_DEPTH: usize = 16;
/// Parts of at most so many elements are items like others.
pub(crate) const ITEMS_OF_A_PART: i128 = 16;
/// The most iterations of a loop that are counted although it is left early.
pub(crate) const COUNTED_THOUGH_LEFT_EARLY: i128 = 64;
/// Bodies inlined in one function; more than this is exponential growth.
pub(crate) const INLINED_BODIES: usize = 2000;
/// Calls of a helper inside of each other.
pub(crate) const NESTED_CALLS: usize = 16;
/// Calls of macros inside of each other, and all that are expanded in one function.
pub(crate) const NESTED_MACROS: usize = 64;
pub(crate) const EXPANDED_MACROS: usize = 4000;
/// Calls of helpers by themselves in one function: six levels of two calls each.
pub(crate) const RECURSIVE_CALLS: usize = 126;

// The plan

/// Lines about loops that run in parallel, and about those that run in order.
pub(crate) const LINES_OF_LOOPS: usize = 7;
/// Lines about tapes, and terms of the formula of their size.
pub(crate) const LINES_OF_TAPES: usize = 5;
/// Lines about the lengths of segments.
pub(crate) const LINES_OF_SEGMENTS: usize = 14;
/// Lines about sums in copies.
pub(crate) const LINES_OF_COPIES: usize = 4;

// Normalisation and simplification

/// Loops of no more iterations stay counted.
pub(crate) const STAY_COUNTED: i128 = 8;
/// Longer indices, in nodes, are not written instead of shorter ones.
pub(crate) const INDEX_OF_A_PART: usize = 8;
/// Longer formulas, in nodes, keep their names.
pub(crate) const FORWARDED_INDEX: usize = 15;
/// More groups of statements than this of one array in one block: they share it, for the memory's sake.
pub(crate) const WEBS_OF_AN_ARRAY: usize = 8;
/// Longer ends, in nodes, stay the beginning and the length.
pub(crate) const SLICE_END: usize = 12;
/// The most elements of an array that becomes scalars.
pub(crate) const ELEMENTS_AS_SCALARS: usize = 16;
/// The most statements that a loop becomes; with more iterations [`UNROLLED_LONG_LOOP`].
pub(crate) const UNROLLED_LOOP: usize = 96;
/// The most statements that a loop of more iterations than [`ITERATIONS_OF_A_SHORT_UNROLLED_LOOP`] becomes.
pub(crate) const UNROLLED_LONG_LOOP: usize = 24;
/// The most iterations of a loop that [`UNROLLED_LOOP`] bounds.
pub(crate) const ITERATIONS_OF_A_SHORT_UNROLLED_LOOP: usize = 4;
/// The most tokens that are written again in branches, where these choose what follows works on.
pub(crate) const DUPLICATED_TAILS: usize = 4000;
/// The most values that iterators are tried with together.
pub(crate) const ITERATOR_COMBINATIONS: usize = 4096;
/// The most statements that all unrolled loops together become.
pub(crate) const ALL_UNROLLED_LOOPS: usize = 400;
/// Loops of more iterations stay.
pub(crate) const UNROLLED_GATHERS: usize = 4;
/// The largest expression, in nodes, that is moved to its one use.
pub(crate) const MOVED_TO_ITS_USE: usize = 10;
/// Rounds after which a program is taken as it is; each makes the program smaller, few are needed.
pub(crate) const SIMPLIFY_ROUNDS: usize = 12;

// The polyhedral analysis

/// More pieces than this of what is left to cover: give up.
pub(crate) const UNCOVERED_PIECES: usize = 16;
/// Answers that are kept; when there are more, all are forgotten.
pub(crate) const KEPT_ANSWERS: usize = 1 << 13;
/// With more forms that are not zero nothing is proved: each doubles the sets that are asked about.
pub(crate) const FORMS_NOT_ZERO: usize = 3;
/// Lists that they are kept in, by fingerprint.
pub(crate) const ANSWER_LISTS: usize = 1 << 10;
/// Larger expressions are not evaluated twice.
pub(crate) const EVALUATED_TWICE: usize = 24;
/// More than these are not tried.
pub(crate) const RUNTIME_FACTS: usize = 8;
/// More rows than this after a step: give up.
pub(crate) const SOLVER_ROWS: usize = 24;
/// More equality substitutions than this: give up.
pub(crate) const SOLVER_SUBSTITUTIONS: usize = 64;
/// Larger numbers than this: give up. Negation and small sums of what is below cannot overflow.
pub(crate) const SOLVER_NUMBER: u128 = 1 << 120;

// The adjoint

/// Longer cycles are left alone.
pub(crate) const ARRAYS_OF_A_CYCLE: usize = 4;
/// A loop of at most so many nodes of expressions is there twice.
pub(crate) const LOOP_MADE_TWICE: usize = 60;
/// While a value is stored and loaded again, so many operations of floats are done.
pub(crate) const OPERATIONS_PER_STORE: usize = 20;
/// The most operations of the bound of a loop that is left early.
pub(crate) const OPERATIONS_OF_A_BOUND: usize = 8;
/// The least work of a replay, in additions for each number that its reversal reads, that is worth storing these
/// numbers.
pub(crate) const WORK_PER_STORE: f64 = 128.0;
/// A value of an inner loop is worth so many values of the loops around it.
pub(crate) const INNER_VALUES_PER_OUTER: usize = 4;
/// The most elements of a row that is read as a whole, without a loop.
pub(crate) const ROW_READ_WHOLE: i128 = 4;
/// A triangle of at most so many elements, with those of constant dimensions around it, is not packed.
pub(crate) const UNPACKED_TRIANGLE: i128 = 256;
/// So many numbers further than others some of the loops may begin.
pub(crate) const STAGGER: i128 = 8;

// The schedule; what work costs stands in [`prices`](crate::schedule)

/// The loop has so many times the work of finding its windows.
pub(crate) const WORK_PER_SCAN_OF_WINDOWS: f64 = 8.0;
/// Iterations of a loop whose bounds are known only inside (rows of a sparse matrix).
pub(crate) const RAGGED_ITERATIONS: usize = 16;
/// Iterations of a `while`.
pub(crate) const WHILE_ITERATIONS: usize = 100;
/// A size of which nothing is known.
pub(crate) const UNKNOWN_EXTENT: f64 = 1000.0;
/// How many statements back a sum looks for a loop.
pub(crate) const STATEMENTS_BACK_TO_A_LOOP: usize = 12;
/// Shorter loops stay whole: an iteration of an end costs as much as eight in lanes.
pub(crate) const SHORTEST_SPLIT_LOOP: f64 = 64.0;
/// Loops of fewer iterations are part of an iteration.
pub(crate) const ITERATIONS_IN_AN_ITERATION: usize = 16;
/// No more iterations at the ends stand without a loop.
pub(crate) const ITERATIONS_WITHOUT_A_LOOP: i128 = 4;
/// Larger bodies, in statements, are not copied.
pub(crate) const SPLIT_BODY: usize = 160;
/// Locals that are computed from locals, at most.
pub(crate) const LOCALS_OF_LOCALS: usize = 12;
/// So many sums at most: more of them may be worth asking whether any lane needs them.
pub(crate) const BRANCHLESS_SUMS: usize = 4;
/// So many operations of a sum or a condition at most.
pub(crate) const BRANCHLESS_OPERATIONS: usize = 4;
/// Sizes that are computed from sizes, at most.
pub(crate) const SIZES_OF_SIZES: usize = 4;
/// Longer formulas, in nodes, keep their names.
pub(crate) const FORWARDED_IN_LANES: usize = 12;
/// How many statements back a loop looks for another one.
pub(crate) const STATEMENTS_BACK_IN_LANES: usize = 12;
/// Statements around the loop that are copied with it.
pub(crate) const JAMMED_AROUND: usize = 24;
/// Statements of a row that is short.
pub(crate) const STATEMENTS_OF_A_SHORT_ROW: usize = 4;
/// So many times the combinations must outnumber the updates that add up lanes: a few products of one sum are left to `factor`.
pub(crate) const COMBINATIONS_PER_ADDITION: f64 = 3.0;
/// How often a loop is taken to run whose length is not known.
pub(crate) const UNKNOWN_ITERATIONS_IN_LANES: f64 = 8.0;
/// A record is at most so many numbers: a cache line.
pub(crate) const NUMBERS_OF_A_RECORD: usize = 8;
/// So many loads are made early at most.
pub(crate) const EARLY_LOADS: usize = 16;
/// The least price of what is skipped.
pub(crate) const PRICE_OF_A_PREDICATED_REGION: usize = 12;
/// Locals whose values are locals, in one another.
pub(crate) const LOCALS_OF_LOCALS_IN_A_SWEEP: usize = 6;
/// What a check of one value costs, besides computing it.
pub(crate) const CHECK_OF_A_VALUE: usize = 6;
/// A check of rows that may be named twice saves this part of what is copied.
pub(crate) const SAVED_BY_NAMED_ROWS: f64 = 0.5;
/// Fewer are not worth a second form.
pub(crate) const ITERATIONS_AS_TASKS: usize = 4;
/// The part of its work that an iteration advances a state in.
pub(crate) const WORK_THAT_ADVANCES_A_STATE: f64 = 0.5;
/// So many elements are copied without asking.
pub(crate) const COPIED_WITHOUT_ASKING: usize = 256;
/// A loop of which so few iterations are much work is never short.
pub(crate) const NEVER_SHORT: f64 = 4.0;
/// Where there are more expression nodes for each loop, an iteration is a step of a field and not a term of a sum: such loops are
/// seldom short, and their code is long.
pub(crate) const NODES_OF_A_TERM: usize = 160;
/// More terms are not multiplied out.
pub(crate) const MULTIPLIED_TERMS: usize = 24;
/// Larger offsets are not neighbours.
pub(crate) const NEIGHBOURING_OFFSET: i128 = 64;
/// The part of a loop's work that the loops inside have to do in its place.
pub(crate) const WORK_OF_INNER_LOOPS: f64 = 0.9;
/// Lanes of a loop over elements.
pub(crate) const LANES_OF_A_MERGE: u32 = 128;
/// Rows of parts start at multiples of so many elements, unless they are shorter.
pub(crate) const PADDING_OF_PARTS: usize = 8;
/// Copies of at most so many elements are merged in order; larger ones by tasks.
pub(crate) const MERGED_IN_ORDER: usize = 256;
/// So many loops are a product.
pub(crate) const LOOPS_OF_A_PRODUCT: usize = 3;
/// An iteration of so much work, loops inside taken once, is done at the speed of memory.
pub(crate) const LIGHT_ITERATION: usize = 6;
/// The same of a loop that is repeated: one execution is less than the whole, and waking threads costs each time.
pub(crate) const LIGHT_STEP: usize = 24;
/// Names of names, and no more, are looked up.
pub(crate) const NAMES_OF_NAMES: usize = 8;
/// The most updates of one nest, those of loops that are written out counted one by one.
pub(crate) const GATHERED_TERMS: usize = 64;
/// The most statements that stand twice where some indices are clamped at the edges.
pub(crate) const CLAMPED_BODY: usize = 24;
/// The most terms of a signed sum that is computed in `usize`, and of one in 32 bits, where each has its part of
/// the room.
pub(crate) const SUMMED_TERMS: usize = 8;
pub(crate) const SUMMED_IN_FEW_BITS: usize = 3;
/// Longer steps around a ring are none.
pub(crate) const RING_STEP: i128 = 64;
/// Nests of so many loops gather only by an index that is proved to be injective, or is so where a check succeeds.
pub(crate) const PROVED_DIMENSIONS: usize = 3;
/// Larger constants are no margins of a loop.
pub(crate) const MARGIN_OF_A_LOOP: i128 = 1 << 16;
/// With more terms of a plane in all their parts, ends do not gather.
pub(crate) const COPIES_OF_TERMS: usize = 64;
/// Loops of no more iterations, all constant, are written out.
pub(crate) const UNROLLED_NEIGHBOURS: usize = 16;
/// Larger expressions are not written out.
pub(crate) const NODES_OF_A_GATHERED_TERM: usize = 64;
/// A term of more operations is stored.
pub(crate) const OPERATIONS_OF_A_GATHERED_TERM: usize = 64;
/// A value that is stored in one loop and loaded in another costs as much as so many operations of lanes.
pub(crate) const STORED_AND_LOADED: usize = 16;
/// A quotient, or a function, costs as much as so many operations.
pub(crate) const OPERATIONS_OF_A_CALL: usize = 10;
/// Of so many values it is asked which of them to store; those behind are not computed again.
pub(crate) const VALUES_OF_A_CUT: usize = 512;
/// The least price of what is skipped, for each adjoint that is asked for.
pub(crate) const PRICE_FOR_EACH_ZERO: usize = 8;
/// The least price of what is skipped.
pub(crate) const PRICE_OF_A_ZERO_REGION: usize = 16;
/// The least work that is skipped where tangents are zero, in operations.
pub(crate) const WORK_OF_A_ZERO_TANGENT: f64 = 48.0;
/// The fewest iterations of a loop before which an inspector asks which tangents are zero.
pub(crate) const ITERATIONS_FOR_AN_INSPECTOR: f64 = 16.0;
/// The most elements of one array that become variables.
pub(crate) const SUMS_IN_SCALARS: usize = 16;
/// A scan of the indices is done for a loop with so many times its work.
pub(crate) const WORK_PER_SCAN_OF_INDICES: f64 = 8.0;

// The schedule for GPUs

/// The most elements that each thread has a copy of in shared memory.
pub(crate) const ELEMENTS_COPIED_BY_A_THREAD: usize = 32;

#[cfg(feature = "cuda")]
pub(crate) use of_gpu::*;

#[cfg(feature = "cuda")]
mod of_gpu {
    /// A loop of fewer iterations leaves too many threads of a block idle.
    pub(crate) const THREADS_OF_A_LOOP: usize = 32;
    /// The same, where the number is known when the program runs: fewer and a thread an iteration of the outer loop is better.
    pub(crate) const COLUMNS_OF_A_LOOP: usize = 64;
    /// Fewer iterations of a kernel, each a thread, leave a large device idle: 132 multiprocessors hide latencies with 256 threads each.
    pub(crate) const THREADS_THAT_FILL_A_DEVICE: usize = 132 * 256;
    /// Fewer iterations of a kernel, each a block, leave multiprocessors without any.
    pub(crate) const BLOCKS_THAT_FILL_A_DEVICE: usize = 132;
    /// Then threads share out inner loops of so many iterations.
    pub(crate) const COLUMNS_OF_FEW_ITERATIONS: usize = 16;
    /// The part of the work of an iteration that the threads share at least; all else each of them does.
    pub(crate) const WORK_OF_SHARING_THREADS: f64 = 0.75;
    /// Bytes of shared memory of a block.
    pub(crate) const BYTES_OF_A_BLOCK: usize = 40 << 10;
    /// Variables that stand for variables, at most, in the length of an array.
    pub(crate) const VARIABLES_FOR_VARIABLES: usize = 16;
    /// The most elements of an array that lies in the memory of the thread.
    pub(crate) const ELEMENTS_OF_A_THREAD: i128 = 64;
    /// A loop of no more iterations is no kernel.
    pub(crate) const ITERATIONS_WITHOUT_A_KERNEL: usize = 64;
    /// Threads that a kernel has at least: with copies of an array for each, these are merged.
    pub(crate) const THREADS_OF_A_KERNEL: f64 = 2048.0;
    /// The most loops whose iterations together are threads.
    pub(crate) const LOOPS_OF_THREADS: usize = 3;
    /// Threads of a block.
    pub(crate) const THREADS_THAT_COPY: usize = 128;
    /// Bytes of shared memory for copies: with more, too few blocks run at a time.
    pub(crate) const BYTES_OF_COPIES: usize = 32 << 10;
    /// Threads of a warp.
    pub(crate) const WARP: usize = 32;
    /// Threads of a block.
    pub(crate) const THREADS_OF_A_TILE: usize = 128;
    /// Bytes of shared memory of a block.
    pub(crate) const BYTES_OF_TILES: usize = 40 << 10;
    /// The most columns: a warp copies a row, a thread an element.
    pub(crate) const COLUMNS_OF_ROWS: usize = 32;
    /// Rows of iterations of a block.
    pub(crate) const ROWS_OF_A_SQUARE: usize = 8;
    /// Neighbours in fewer rows than so many are left to caches.
    pub(crate) const NEIGHBOURING_ROWS: usize = 3;
    /// The most columns of a block that are read and not computed.
    pub(crate) const COLUMNS_BESIDE_A_SQUARE: i128 = 32;
    /// With fewer columns of iterations most threads of a block would have none.
    pub(crate) const COLUMNS_OF_SQUARES: usize = 64;
    /// Terms that are stored at a time, where the host can tell: half a gigabyte of them, so that memory stays bounded while a device has
    /// more than it can do at a time.
    pub(crate) const STORED_TERMS: usize = 1 << 26;
    /// Updates, or sums of so many of these, that one thread adds up.
    pub(crate) const UPDATES_OF_A_THREAD: usize = 64;
}

// The back end for CPUs

/// Most templates have fewer words.
pub(crate) const WORDS_OF_A_TEMPLATE: usize = 16;
/// So many words are remembered with their tokens.
pub(crate) const REMEMBERED_WORDS: usize = 256;
/// A body of more expression nodes is not compiled twice.
pub(crate) const COMPILED_IN_PLACE: usize = 512;
/// A loop of no more elements, two vectors of eight, asks for nothing ahead: it would be an instruction for each one that computes.
pub(crate) const ELEMENTS_OF_A_SHORT_STREAM: usize = 16;
/// So many sums of eight lanes spill with AVX2, where each takes two of sixteen registers; in one register each, they leave
/// too few for what is added.
pub(crate) const SPILLING_SUMS: usize = 6;
/// A block of at most so many operations is cheap, where every vector comes to it.
pub(crate) const OPERATIONS_OF_A_CHEAP_BLOCK: usize = 12;
/// A block of at most so many is, under a condition that some lane fulfils: what is asked there has no one answer.
pub(crate) const OPERATIONS_UNDER_A_CONDITION: usize = 28;
/// A body of at most so many expression nodes is emitted twice, for whole vectors and for the last one; a value that is
/// computed before the loop is one.
pub(crate) const NODES_EMITTED_TWICE: usize = 480;
/// Definitions are followed so far.
pub(crate) const FOLLOWED_DEFINITIONS: u32 = 8;
/// Fewer accesses than these are made one by one: the transposition is of eight elements anyway.
pub(crate) const ACCESSES_OF_A_LANE_ROW: usize = 3;
/// The longest row, in elements.
pub(crate) const LONGEST_LANE_ROW: i128 = 16;
/// The elements of a vector.
pub(crate) const ELEMENTS_OF_A_VECTOR: i128 = 8;
/// A body of at most so many expression nodes is unrolled.
pub(crate) const NODES_OF_AN_UNROLLED_SUM: usize = 40;
/// How often: as many fused multiply-adds as are under way at once, in half of the registers of AVX2.
pub(crate) const ACCUMULATORS_OF_A_SUM: usize = 4;
/// So many sums are folded together at least: for fewer the lanes are added faster one after the other.
pub(crate) const SUMS_FOLDED_TOGETHER: usize = 3;
/// Fewer elements than these are accessed one by one.
pub(crate) const ACCESSES_OF_A_ROW: usize = 3;
/// The longest row, in elements.
pub(crate) const LONGEST_ROW: i128 = 16;
/// How far elements that are read may lie apart.
pub(crate) const GAP_IN_A_ROW: i128 = 4;
/// Arrays of at most so many elements, known at compile time, live on the stack.
pub(crate) const ELEMENTS_ON_THE_STACK: usize = 4096;
/// Arrays of at most so many elements that no lane loop touches live on the stack of a task.
pub(crate) const ELEMENTS_ON_THE_STACK_OF_A_TASK: usize = 256;
/// Arrays of the body of a lane loop have at most so many elements, each a vector; the loop is an ordinary one else.
pub(crate) const VECTORS_ON_THE_STACK: usize = 1024;
/// Longer expressions are not written out.
pub(crate) const LONGEST_SHOWN_EXPRESSION: usize = 80;
