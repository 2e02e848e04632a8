//! The table of every number that the scheduler compares work by: prices, sizes of the machine, and limits.
//!
//! *Comes in*: nothing. *Goes out*: the constants. *Never*: decides anything; what is chosen by these numbers computes
//! the same, so a wrong one costs time and nothing else.
//!
//! The unit of prices is an addition: of one number, or of one vector of eight lanes in a loop over lanes. `cargo bench
//! -p pardiff-compiler --bench costs` measures those that one loop can show.
//! On a Xeon with AVX-512, where an addition of a vector from the first-level cache takes 0.35 ns:
//!
//! | | used | measured alone |
//! | --- | --- | --- |
//! | `DIVISION` | 6 | 13 |
//! | `FUNCTION` | 15 | 17 |
//! | `SCALAR_CALL` | 5 | 8.1 |
//! | `GATHER` | 10 | 4.0 |
//! | `SCATTER` | 16 | 6.8 |
//! | `FAR_LINE` | 8 | 5.4 |
//! | `FOLD` | 10 | 3.3 |
//! | `FOLDS` | 20 | 18 |
//! | `copied_element` | 6 | 18 |
//! | a task | | 120 |
//!
//! What is used is not what is measured alone: in generated code divisions overlap with other work, while gathers and
//! scatters have indices to compute and a fold is waited for. To change a row is to change what is chosen, which only a
//! run of the whole suite can justify.

/// Division and square root.
pub(super) const DIVISION: f64 = 6.0;
/// A function of the runtime, of a vector.
pub(super) const FUNCTION: f64 = 15.0;
/// By what an element of std's function is dearer than one of a vector's.
pub(super) const SCALAR_CALL: f64 = 5.0;
/// Eight elements from eight places.
pub(super) const GATHER: f64 = 10.0;
/// Eight elements from or to eight places that the loop writes, one after the other.
pub(super) const SCATTER: f64 = 16.0;
/// What that takes of eight neighbouring records, which are in few lines.
pub(super) const OF_RECORDS: f64 = 0.55;
/// Up to four columns of eight rows at eight places, which are read as rows.
pub(super) const GATHER_OF_ROW: f64 = 18.0;
/// Up to four columns of eight rows from or to eight places, added to as rows.
pub(super) const SCATTER_OF_ROW: f64 = 22.0;
/// A row whose elements are accessed together.
pub(super) const LEAST_ROW: usize = 3;
/// A cache line from beyond the second-level cache.
pub(super) const FAR_LINE: f64 = 8.0;
/// Adding the lanes of an accumulator, once per loop over lanes.
pub(super) const FOLD: f64 = 10.0;
/// Adding the lanes of several accumulators at once, beside a quarter of a fold for each.
pub(super) const FOLDS: f64 = 20.0;
/// Entering a loop over lanes: the room of its streams is checked, what is left over is masked.
pub(super) const LANE_LOOP: f64 = 25.0;
/// The same for a constant number of iterations that fill vectors: nothing is left over.
pub(super) const WHOLE_LOOP: f64 = 5.0;
/// An iteration of any other loop.
pub(super) const ITERATION: f64 = 1.0;
/// An element of a gradient that is kept for later: set to zero, stored and read, in memory far away.
pub(super) const KEPT_ELEMENT: f64 = 16.0;
/// An update in an inverse index: counted, sorted and looked up.
pub(super) const INVERTED: usize = 24;
/// A row of a target in an inverse index, with or without updates.
pub(super) const INVERTED_ROWS: usize = 8;
/// Rows that an inverse index is thought of for.
pub(super) const INVERTED_ROW: f64 = 8.0;
/// A vector, whatever its element.
pub(super) const VECTOR: usize = 8;
/// A block of whose footprint nothing is known.
pub(super) const LANES: u32 = 128;
/// A block at least, however large its locals are.
pub(super) const LEAST_LANES: usize = 64;
/// Lanes whose locals must fit the footprint in a size that forms are compared in.
pub(super) const USUAL_LANES: f64 = 64.0;
/// What the expanded locals of a block may take: half of a second-level cache. In bytes.
pub(super) const FOOTPRINT: usize = 512 * 1024;
/// A second-level cache. In bytes.
pub(super) const CACHE: f64 = 1024.0 * 1024.0;
/// What a jammed body may need at once: most of AVX-512's registers, and of AVX2's what spills bearably.
pub(super) const REGISTERS: usize = 24;
/// Sums of all lanes that a jammed body may make: they keep two multipliers of AVX-512 busy, and fill the registers
/// of AVX2.
pub(super) const ACCUMULATORS: usize = 8;
/// A local array that may be held in registers, or spilled by the compiler behind us.
pub(super) const REGISTER_ARRAY: usize = 32;
/// What a loop inside a lane loop may execute.
pub(super) const SHORT_LOOP_STATEMENTS: usize = 128;
/// A loop whose bounds are read from an array, or found at run time.
pub(super) const RAGGED_TRIP: f64 = 16.0;
/// Such a loop in another one.
pub(super) const SHORT_RAGGED_TRIP: f64 = 4.0;
/// A loop that is jammed; the rest of a division by the factor runs alone.
pub(super) const JAMMED_TRIP: f64 = 16.0;
/// How much cheaper a form must be than one that changes less.
pub(super) const MARGIN: f64 = 1.1;
/// The same where lanes of an inner loop go anywhere in memory: what that costs depends on where.
pub(super) const ANYWHERE_MARGIN: f64 = 2.0;
/// The same where lanes over the iterations move over a stride in all that they access: of every line they use a
/// part, and a colour of a grid in lanes took twice as long.
pub(super) const LEAPING_MARGIN: f64 = 1.5;
/// So many in one another, in a loop, are many: not all of them are long.
pub(super) const DEEP: usize = 4;
/// How much cheaper a jammed nest must be.
pub(super) const JAM_MARGIN: f64 = 1.15;
/// How many times fewer accesses it must make for each copy.
pub(super) const JAM_SHARE: f64 = 1.2;
/// Tiles whose prices differ by less are equal.
pub(super) const JAM_TIE: f64 = 1.05;
/// A loop of no more does not feed the cores of a machine.
pub(super) const FEW: usize = 16;
/// Those that sweep together over rows that each of them needs.
pub(super) const BATCH: usize = 8;
/// A loop of unknown length that may be a sweep.
pub(super) const SWEEP: f64 = 256.0;
/// A sweep at least.
pub(super) const LEAST_SWEEP: f64 = 16.0;
/// Rows of a sweep that do not stay in a first-level cache from one iteration to the next.
pub(super) const SWEPT: f64 = 4096.0;
/// Rows, columns and depth of a matrix product that a library does faster.
pub(super) const LARGE_PRODUCT: usize = 64;
/// A block of a loop around matrix products: what the products share is kept for so many.
pub(super) const PRODUCT_ROWS: usize = 1024;
/// A row that is short: beyond, several rows at once are no faster than one after the other.
pub(super) const SHORT_ROW: usize = 64;

/// What an extent that is not known is taken to be, one after the other.
pub(super) const SIZES: [f64; 3] = [30.0, 1000.0, 100_000.0];

/// The same in a loop with [`DEEP`] loops in one another, such as a convolution's over channels and a kernel.
pub(super) const SIZES_OF_DEEP: [f64; 2] = [8.0, 30.0];
