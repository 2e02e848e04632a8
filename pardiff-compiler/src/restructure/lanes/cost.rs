//! Every number that the choice between blocks, inner vector loops and serial execution rests on.

/// Lanes of a vector, whatever its element.
pub(super) const VECTOR: usize = 8;

/// Lanes of a block where nothing is known of the footprint.
pub(super) const LANES: u32 = 128;

/// Bytes that the expanded locals of a block may take: half of a second-level cache of 1 MiB.
pub(super) const FOOTPRINT: usize = 512 * 1024;

/// Statements that a loop inside a lane loop may execute.
pub(super) const SHORT_LOOP_STATEMENTS: usize = 128;

/// Elements of a local array that may be held in registers (or spilled by the compiler behind us).
pub(super) const REGISTER_ARRAY: usize = 32;

/// Lanes of a block at least, however large its locals are.
pub(super) const LEAST_LANES: usize = 64;

/// What an extent that is not known is taken to be, one after the other.
pub(super) const SIZES: [f64; 3] = [30.0, 1000.0, 100_000.0];

/// Iterations of a loop whose bounds are read from an array, or found at run time.
pub(super) const RAGGED_TRIP: f64 = 16.0;

/// Lanes whose locals must fit [`FOOTPRINT`] in a size that forms are compared in.
pub(super) const USUAL_LANES: f64 = 64.0;

/// Bytes of a second-level cache.
pub(super) const CACHE: f64 = 1024.0 * 1024.0;

// Prices, in additions.

/// Division and square root.
pub(super) const DIVISION: f64 = 6.0;

/// A function of the table over a vector.
pub(super) const FUNCTION: f64 = 15.0;

/// How many times that a scalar function takes.
pub(super) const SCALAR_CALL: f64 = 5.0;

/// Eight elements from eight places.
pub(super) const GATHER: f64 = 10.0;

/// Eight elements from or to eight places that the loop writes, one after the other.
pub(super) const SCATTER: f64 = 16.0;

/// A cache line from beyond the second-level cache.
pub(super) const FAR_LINE: f64 = 8.0;

/// Entering a loop over lanes: the room of each of its streams is checked, and what is left over is masked.
pub(super) const LANE_LOOP: f64 = 25.0;

/// Adding the lanes of an accumulator, once per loop over lanes.
pub(super) const FOLD: f64 = 10.0;

/// An iteration of any other loop.
pub(super) const ITERATION: f64 = 1.0;

/// By how much a form must be cheaper than one that changes less.
pub(super) const MARGIN: f64 = 1.1;

/// By how much where lanes of an inner loop go anywhere in memory: what that costs depends on where.
pub(super) const ANYWHERE_MARGIN: f64 = 2.0;

// Loops whose iterations are executed together.

/// Vectors that a jammed body may need at once: most of the registers of AVX-512, and of AVX2 what spills bearably.
pub(super) const REGISTERS: usize = 24;

/// Iterations that a loop is taken to have when it is jammed; the rest of a division by the factor runs alone.
pub(super) const JAMMED_TRIP: f64 = 16.0;

/// By how much a jammed nest must be cheaper.
pub(super) const JAM_MARGIN: f64 = 1.15;

/// By how many times fewer accesses it must make for each copy.
pub(super) const JAM_SHARE: f64 = 1.2;

/// Tiles whose prices differ by less are equal.
pub(super) const JAM_TIE: f64 = 1.05;

/// Adding the lanes of several accumulators at once, beside a part for each.
pub(super) const FOLDS: f64 = 20.0;
