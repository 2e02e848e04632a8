//! Lines of memory that are asked for before they are needed.
//!
//! *Comes in*: an address. *Guarantees*: nothing changes but the time that later accesses take, whatever the address is.
//! *Never*: reads or writes.

use crate::simd::LANES;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_MM_HINT_ET0 as TO_WRITE, _MM_HINT_T0 as TO_READ};
use std::ops::Range;

#[cfg(not(target_arch = "x86_64"))]
const TO_READ: i32 = 0;
#[cfg(not(target_arch = "x86_64"))]
const TO_WRITE: i32 = 1;

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

/// No more lines are asked for at once: of a longer row, a core asks for what follows itself, and what is asked for too
/// early is gone again when it is needed.
const LONG: usize = 128;

/// Asks for what a loop that goes up reads after `at`.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn ahead<T>(at: *const T) {
    ask::<TO_READ, T>(at.wrapping_byte_add(AHEAD));
}

/// Asks for what a loop that goes up writes to a row after `at`, which is in the second cache.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn ahead_to_write_row<T>(at: *const T) {
    ask::<TO_WRITE, T>(at.wrapping_byte_add(AHEAD_TO_WRITE));
}

/// Asks for what is read after `at` where rows are visited from the last one to the first.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn behind<T>(at: *const T) {
    ask::<TO_READ, T>(at.wrapping_byte_sub(BEHIND));
}

/// Records one behind the other, through which a loop goes in lanes.
#[derive(Debug)]
pub struct Records<T> {
    /// Where the first one is accessed.
    first: *const T,
    /// Their length, in elements.
    len: usize,
}

impl<T> Clone for Records<T> {
    #[cfg_attr(not(unoptimised), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Records<T> {}

impl<T> Records<T> {
    /// Records of `len` elements each in an array that begins at `start`; the first record is accessed at element
    /// `first`.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn new(start: *const T, first: usize, len: usize) -> Records<T> {
        Records { first: start.wrapping_add(first), len }
    }

    /// Asks for what the loop reads after record `at`, for a vector of records.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn ahead(self, at: usize) {
        self.each_line::<TO_READ>(at);
    }

    /// Asks for what the loop writes after record `at`, for a vector of records.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn ahead_to_write(self, at: usize) {
        self.each_line::<TO_WRITE>(at);
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn each_line<const HINT: i32>(self, at: usize) {
        let first = self.first.wrapping_add(at.wrapping_mul(self.len)).wrapping_byte_add(AHEAD);
        let lines = self.len.saturating_mul(LANES * size_of::<T>()).div_ceil(LINE);
        (0..lines).for_each(|line| ask::<HINT, T>(first.wrapping_byte_add(LINE * line)));
    }
}

/// Asks for what rows behind this one take from an array that begins at `start`, if they follow each other.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn row<T>(start: *const T, row: &Range<usize>) {
    each_line::<TO_READ, T>(start, row);
}

/// The same of an array that they write: where a loop does nothing but write, nothing else asks for its lines early.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn row_to_write<T>(start: *const T, row: &Range<usize>) {
    each_line::<TO_WRITE, T>(start, row);
}

/// Short rows have a few lines, asked for without a question how many there are, whose answer no core foresees.
#[cfg_attr(not(unoptimised), inline(always))]
fn each_line<const HINT: i32, T>(start: *const T, row: &Range<usize>) {
    let first = start.wrapping_add(row.start).wrapping_byte_add(AHEAD);
    let line = |at: usize| first.wrapping_byte_add(LINE * at);
    (0..SHORT).for_each(|at| ask::<HINT, T>(line(at)));
    let lines = row.end.saturating_sub(row.start).saturating_mul(size_of::<T>()) / LINE;
    (SHORT..=lines.min(LONG)).for_each(|at| ask::<HINT, T>(line(at)));
}

/// Asks for a cache line: `TO_WRITE`, for this core alone.
#[cfg_attr(not(unoptimised), inline(always))]
fn ask<const HINT: i32, T>(line: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        // Safety: a prefetch of any address is allowed
        unsafe { std::arch::x86_64::_mm_prefetch::<HINT>(line.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

#[cfg(test)]
mod tests {
    use super::{Range, Records, row, row_to_write};

    #[test]
    fn rows_of_any_length_are_asked_for_at_once() {
        let mut numbers = [1.5, 2.5];
        for bounds in [0..0, 0..2, Range { start: 5, end: 3 }, 0..usize::MAX, usize::MAX - 1..usize::MAX] {
            row(numbers.as_ptr(), &bounds);
            row_to_write(numbers.as_mut_ptr(), &bounds);
        }
        assert_eq!(numbers, [1.5, 2.5]);
    }

    #[test]
    fn records_at_any_place_are_asked_for() {
        let numbers = [1.5, 2.5];
        for (first, len, at) in [(0, 1, 0), (1, 3, 7), (usize::MAX, 16, usize::MAX)] {
            let records = Records::new(numbers.as_ptr(), first, len);
            records.ahead(at);
            records.ahead_to_write(at);
        }
        assert_eq!(numbers, [1.5, 2.5]);
    }
}
