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
pub(super) const LEAST_LANES: usize = 16;
