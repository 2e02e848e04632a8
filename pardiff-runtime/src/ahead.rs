//! Lines of memory that are asked for before they are needed.
//!
//! *Comes in*: an address. *Guarantees*: nothing changes but the time that later accesses take, whatever the address is.
//! *Never*: reads or writes.

use std::ops::Range;

/// How many bytes ahead: the time of a miss, at the rate at which a core streams.
const AHEAD: usize = 2048;

/// The same where what is written is in the second cache: a row of a block.
const AHEAD_TO_WRITE: usize = 1024;

/// How many bytes back, where short rows are visited from the last one to the first.
const BEHIND: usize = 2048;

/// The bytes of a cache line.
const LINE: usize = 64;

/// So many lines have most short rows: 24 numbers of eight bytes.
const SHORT: usize = 3;

/// Asks for what a loop that goes up reads after `at`.
#[inline(always)]
pub fn ahead<T>(at: *const T) {
    ask_to_read(at.wrapping_byte_add(AHEAD));
}

/// Asks for what a loop that goes up writes to a row after `at`, which is in the second cache.
#[inline(always)]
pub fn ahead_to_write_row<T>(at: *const T) {
    ask_to_write(at.wrapping_byte_add(AHEAD_TO_WRITE));
}

/// Asks for what is read after `at` where rows are visited from the last one to the first.
#[inline(always)]
pub fn behind<T>(at: *const T) {
    ask_to_read(at.wrapping_byte_sub(BEHIND));
}

/// Asks for what rows behind this one take from an array that begins at `start`, if they follow each other.
#[inline(always)]
pub fn row<T>(start: *const T, row: &Range<usize>) {
    each_line(start, row, ask_to_read);
}

/// The same of an array that they write: where a loop does nothing but write, nothing else asks for its lines early.
#[inline(always)]
pub fn row_to_write<T>(start: *const T, row: &Range<usize>) {
    each_line(start, row, ask_to_write);
}

/// Short rows have a few lines, asked for without a question how many there are, whose answer no core foresees.
#[inline(always)]
fn each_line<T>(start: *const T, row: &Range<usize>, ask: impl Fn(*const T)) {
    let first = start.wrapping_add(row.start).wrapping_byte_add(AHEAD);
    let line = |at: usize| first.wrapping_byte_add(LINE * at);
    (0..SHORT).for_each(|at| ask(line(at)));
    let lines = row.end.saturating_sub(row.start).saturating_mul(size_of::<T>()) / LINE;
    (SHORT..=lines).for_each(|at| ask(line(at)));
}

/// Asks for a cache line.
#[inline(always)]
fn ask_to_read<T>(line: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // Safety: a prefetch of any address is allowed
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// The same for this core alone, which will write the line.
#[inline(always)]
fn ask_to_write<T>(line: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // Safety: a prefetch of any address is allowed
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(line.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}
