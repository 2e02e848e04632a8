//! The table of every number that the scheduler compares work by: prices, sizes of the machine, and limits.
//!
//! *Comes in*: nothing. *Goes out*: the constants, and [`table`] with a row for each, for people. *Guarantees*: the rows
//! are made of the very constants that the passes use. *Never*: decides anything; what is chosen by these numbers
//! computes the same, so a wrong one costs time and nothing else.
//!
//! The unit of prices is an addition: of one number, or of one vector of eight lanes in a loop over lanes. `cargo bench
//! -p pardiff-compiler --bench costs` prints this table, and beside it what it measures of rows that one loop can show.
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

use super::cost::Costs;

/// Where a number comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A price that the bench measures too, alone.
    Measured,
    /// A price of generated code, which shows in whole kernels only.
    Kernels,
    /// A size of the machine.
    Machine,
    /// A choice: a limit, a margin, or what is taken for a size that nobody knows.
    Choice,
}

/// One number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// The name of the constant or of the field of [`Costs`].
    pub name: &'static str,
    /// What is used.
    pub value: f64,
    /// Of what.
    pub unit: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// What it stands for.
    pub what: &'static str,
}

macro_rules! prices {
    ($($name:ident: $ty:ident = $value:expr, $unit:literal, $origin:ident, $what:literal;)*) => {
        $(#[doc = $what] pub(super) const $name: $ty = $value;)*

        /// The constants as rows.
        const ROWS: &[Row] = &[$(Row {
            name: stringify!($name),
            value: $name as f64,
            unit: $unit,
            origin: Origin::$origin,
            what: $what,
        },)*];
    };
}

prices! {
    DIVISION: f64 = 6.0, "additions", Measured, "Division and square root.";
    FUNCTION: f64 = 15.0, "additions", Measured, "A function of the runtime, of a vector.";
    SCALAR_CALL: f64 = 5.0, "times", Measured, "By what an element of std's function is dearer than one of a vector's.";
    GATHER: f64 = 10.0, "additions", Measured, "Eight elements from eight places.";
    SCATTER: f64 = 16.0, "additions", Measured, "Eight elements from or to eight places that the loop writes, one after the other.";
    OF_RECORDS: f64 = 0.55, "times", Measured, "What that takes of eight neighbouring records, which are in few lines.";
    GATHER_OF_ROW: f64 = 18.0, "additions", Kernels, "Up to four columns of eight rows at eight places, which are read as rows.";
    SCATTER_OF_ROW: f64 = 22.0, "additions", Kernels, "Up to four columns of eight rows from or to eight places, added to as rows.";
    LEAST_ROW: usize = 3, "elements", Kernels, "A row whose elements are accessed together.";
    FAR_LINE: f64 = 8.0, "additions", Measured, "A cache line from beyond the second-level cache.";
    FOLD: f64 = 10.0, "additions", Measured, "Adding the lanes of an accumulator, once per loop over lanes.";
    FOLDS: f64 = 20.0, "additions", Measured, "Adding the lanes of several accumulators at once, beside a quarter of a fold for each.";
    LANE_LOOP: f64 = 25.0, "additions", Kernels, "Entering a loop over lanes: the room of its streams is checked, what is left over is masked.";
    WHOLE_LOOP: f64 = 5.0, "additions", Kernels, "The same for a constant number of iterations that fill vectors: nothing is left over.";
    ITERATION: f64 = 1.0, "additions", Kernels, "An iteration of any other loop.";
    KEPT_ELEMENT: f64 = 16.0, "additions", Kernels, "An element of a gradient that is kept for later: set to zero, stored and read, in memory far away.";
    INVERTED: usize = 24, "additions", Measured, "An update in an inverse index: counted, sorted and looked up.";
    INVERTED_ROWS: usize = 8, "additions", Kernels, "A row of a target in an inverse index, with or without updates.";
    INVERTED_ROW: f64 = 8.0, "elements", Choice, "Rows that an inverse index is thought of for.";
    VECTOR: usize = 8, "lanes", Machine, "A vector, whatever its element.";
    LANES: u32 = 128, "lanes", Kernels, "A block of whose footprint nothing is known.";
    LEAST_LANES: usize = 64, "lanes", Kernels, "A block at least, however large its locals are.";
    USUAL_LANES: f64 = 64.0, "lanes", Choice, "Lanes whose locals must fit the footprint in a size that forms are compared in.";
    FOOTPRINT: usize = 512 * 1024, "bytes", Machine, "What the expanded locals of a block may take: half of a second-level cache.";
    CACHE: f64 = 1024.0 * 1024.0, "bytes", Machine, "A second-level cache.";
    REGISTERS: usize = 24, "vectors", Machine, "What a jammed body may need at once: most of AVX-512's registers, and of AVX2's what spills bearably.";
    ACCUMULATORS: usize = 8, "vectors", Machine, "Sums of all lanes that a jammed body may make: they keep two multipliers of AVX-512 busy, and fill the registers of AVX2.";
    REGISTER_ARRAY: usize = 32, "elements", Choice, "A local array that may be held in registers, or spilled by the compiler behind us.";
    SHORT_LOOP_STATEMENTS: usize = 128, "statements", Choice, "What a loop inside a lane loop may execute.";
    RAGGED_TRIP: f64 = 16.0, "iterations", Choice, "A loop whose bounds are read from an array, or found at run time.";
    SHORT_RAGGED_TRIP: f64 = 4.0, "iterations", Choice, "Such a loop in another one.";
    JAMMED_TRIP: f64 = 16.0, "iterations", Choice, "A loop that is jammed; the rest of a division by the factor runs alone.";
    MARGIN: f64 = 1.1, "times", Choice, "How much cheaper a form must be than one that changes less.";
    ANYWHERE_MARGIN: f64 = 2.0, "times", Choice, "The same where lanes of an inner loop go anywhere in memory: what that costs depends on where.";
    LEAPING_MARGIN: f64 = 1.5, "times", Kernels, "The same where lanes over the iterations move over a stride in all that they access: of every line they use a part, and a colour of a grid in lanes took twice as long.";
    DEEP: usize = 4, "loops", Choice, "So many in one another, in a loop, are many: not all of them are long.";
    JAM_MARGIN: f64 = 1.15, "times", Choice, "How much cheaper a jammed nest must be.";
    JAM_SHARE: f64 = 1.2, "times", Choice, "How many times fewer accesses it must make for each copy.";
    JAM_TIE: f64 = 1.05, "times", Choice, "Tiles whose prices differ by less are equal.";
    FEW: usize = 16, "iterations", Choice, "A loop of no more does not feed the cores of a machine.";
    BATCH: usize = 8, "iterations", Kernels, "Those that sweep together over rows that each of them needs.";
    SWEEP: f64 = 256.0, "iterations", Choice, "A loop of unknown length that may be a sweep.";
    LEAST_SWEEP: f64 = 16.0, "iterations", Choice, "A sweep at least.";
    SWEPT: f64 = 4096.0, "elements", Machine, "Rows of a sweep that do not stay in a first-level cache from one iteration to the next.";
    LARGE_PRODUCT: usize = 64, "elements", Kernels, "Rows, columns and depth of a matrix product that a library does faster.";
    PRODUCT_ROWS: usize = 1024, "iterations", Choice, "A block of a loop around matrix products: what the products share is kept for so many.";
    SHORT_ROW: usize = 64, "elements", Kernels, "A row that is short: beyond, several rows at once are no faster than one after the other.";
}

/// What an extent that is not known is taken to be, one after the other.
pub(super) const SIZES: [f64; 3] = [30.0, 1000.0, 100_000.0];

/// The same in a loop with [`DEEP`] loops in one another, such as a convolution's over channels and a kernel.
pub(super) const SIZES_OF_DEEP: [f64; 2] = [8.0, 30.0];

/// The rows of the fields of [`Costs`].
fn of_tasks(costs: &Costs) -> [Row; 13] {
    use Origin::{Choice, Kernels, Measured};
    let row = |name, value, unit, origin, what| Row { name, value, unit, origin, what };
    [
        row(
            "grain",
            costs.grain as f64,
            "additions",
            Kernels,
            "The least work of a chunk; many times what a task costs.",
        ),
        row(
            "worth_a_task",
            costs.worth_a_task as f64,
            "additions",
            Kernels,
            "Less work than this is no task loop.",
        ),
        row(
            "short",
            costs.short as f64,
            "additions",
            Kernels,
            "A loop of no more work, in loops in order, is over before lanes and tasks are set up; of rows, four times as much.",
        ),
        row("most_chunks", costs.most_chunks as f64, "chunks", Choice, "The most of a loop."),
        row(
            "most_copies",
            costs.most_copies as f64,
            "chunks",
            Choice,
            "The most of a loop whose chunks have copies of arrays.",
        ),
        row(
            "least_copies",
            costs.least_copies as f64,
            "chunks",
            Choice,
            "The fewest of such a loop, where each is worth its own copy.",
        ),
        row(
            "copied_element",
            costs.copied_element as f64,
            "additions",
            Measured,
            "To zero and to merge one element of a copy, where copies are large.",
        ),
        row(
            "copies_beside",
            costs.copies_beside as f64,
            "times",
            Choice,
            "How much more the work of a loop is wanted to be than that of its copies.",
        ),
        row(
            "copied_elements",
            costs.copied_elements as f64,
            "elements",
            Choice,
            "The most in all copies of one loop.",
        ),
        row(
            "block",
            costs.block as f64,
            "iterations",
            Kernels,
            "The size of a chunk whose iterations run in lanes is a multiple of this.",
        ),
        row(
            "chunks_before_blocks",
            costs.chunks_before_blocks as f64,
            "chunks",
            Choice,
            "Chunks are smaller than a block where there would be fewer.",
        ),
        row(
            "beside",
            costs.beside,
            "parts",
            Choice,
            "Less than this part of the program's work is no task loop.",
        ),
        row(
            "worth_a_check",
            costs.worth_a_check,
            "times",
            Choice,
            "How much more than the check the work of an iteration is, where whether values repeat is checked.",
        ),
    ]
}

/// Every number, as it is used.
pub fn table() -> Vec<Row> {
    ROWS.iter().copied().chain(of_tasks(&Costs::default())).collect()
}

#[cfg(test)]
mod tests {
    use super::table;
    use std::collections::HashSet;

    #[test]
    fn every_row_has_a_name_of_its_own_and_a_number() {
        let table = table();
        let names: HashSet<_> = table.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), table.len());
        assert!(table.iter().all(|row| row.value > 0.0 && !row.unit.is_empty() && row.what.ends_with('.')));
    }
}
