//! Checked accesses of rows: eight lanes, each with a short run of elements behind a position of its own.

use super::{Site, Source};
use crate::Disjoint;
use crate::simd::{
    LANES, Mask, Vector, filled, first_outside, load_rows, map1, scatter_add_rows, scatter_rows,
};
use crate::storage::Zero;
use std::ops::{Add, Range};

/// The rows of `R` elements at the positions `at + start`, element by element, and whether those of all active lanes are
/// inside the array. If one is not, its elements that exist are read and the others are zero: [`check_column`] panics
/// where one of them is asked for. Lanes that are not active have the values of some row: of an active lane, or of any that
/// exists in an array that nobody writes. Positions are sums modulo the width of `usize`; groups of rows with one `start`
/// share its way out of a vector.
///
/// # Safety
///
/// No other chunk writes an element of the rows.
#[inline(always)]
pub unsafe fn rows<T: Zero + Copy, V: Vector<T>, A: Source<T>, const R: usize>(
    source: A,
    at: usize,
    start: [usize; LANES],
    mask: V::Mask,
) -> ([V; R], bool) {
    let (array, len) = source.parts();
    if A::UNWRITTEN && first_outside(behind(at, start), R, len, V::Mask::splat(true)).is_none() {
        // Safety: the rows of all lanes are inside the array, and nobody writes it
        return (unsafe { load_rows(array.wrapping_add(at), start) }, true);
    }
    // rows of lanes that are not active stand for nothing; reading one that exists saves a test for each
    let Some(start) = filled(start, mask) else { return ([V::splat(T::ZERO); R], true) };
    let position = behind(at, start);
    if first_outside(position, R, len, V::Mask::splat(true)).is_some() {
        let mut existing = [[T::ZERO; LANES]; R];
        // Safety: the caller's promise, for elements that exist
        unsafe { read_existing(array, len, &position, &mut existing) };
        let mut columns = [V::splat(T::ZERO); R];
        let mut k = 0;
        while k < R {
            columns[k] = V::from_array(existing[k]);
            k += 1;
        }
        return (columns, false);
    }
    // Safety: the rows are inside the array, and no other chunk writes them
    (unsafe { load_rows(array.wrapping_add(at), start) }, true)
}

#[inline(always)]
fn behind(at: usize, start: [usize; LANES]) -> [usize; LANES] {
    map1(start, |start| start.wrapping_add(at))
}

/// Reads the elements of rows that exist.
///
/// # Safety
///
/// `array..array + len` is readable, and no other chunk writes an element of the rows.
#[cold]
#[inline(never)]
unsafe fn read_existing<T: Copy>(
    array: *const T,
    len: usize,
    start: &[usize; LANES],
    columns: &mut [[T; LANES]],
) {
    for (k, column) in columns.iter_mut().enumerate() {
        for (element, start) in column.iter_mut().zip(start) {
            let index = start.wrapping_add(k);
            if index < len {
                // Safety: an element of the array
                *element = unsafe { array.add(index).read() };
            }
        }
    }
}

/// Panics if an element of the rows at `start` does not exist in an active lane.
#[cold]
#[inline(never)]
fn fail_column(
    start: &[usize; LANES],
    column: usize,
    len: usize,
    active: [bool; LANES],
    site: &'static Site,
) {
    for (start, active) in start.iter().zip(active) {
        let index = start.wrapping_add(column);
        if active && index >= len {
            site.fail(index, len);
        }
    }
}

/// Panics if an element of the rows at `at + start` does not exist in an active lane.
#[inline(always)]
pub fn check_column<T, M: Mask>(
    source: impl Source<T>,
    at: usize,
    start: [usize; LANES],
    column: usize,
    mask: M,
    site: &'static Site,
) {
    fail_column(&behind(at, start), column, source.parts().1, mask.to_array(), site);
}

/// Adds lane `l` of `columns[k]` to element `at + start[l] + k`, lane after lane: rows may overlap. Panics if an element of an
/// active lane does not exist; `sites` are the accesses as written, in the order of the columns.
///
/// `own` are positions of the array that only this chunk touches, or none. Where the rows of all lanes are there, those that
/// are not active add nothing to their own rows, and else nothing to the row of an active one: then the processor has to wait
/// for one addition after the other.
///
/// # Safety
///
/// No other chunk touches the elements of active lanes, nor those of `own` that exist.
#[inline(always)]
pub unsafe fn add_rows<T: Zero + Copy + Add<Output = T>, V: Vector<T>, const R: usize>(
    target: Disjoint<'_, T>,
    at: usize,
    own: Range<usize>,
    start: [usize; LANES],
    columns: [V; R],
    mask: V::Mask,
    sites: &'static [&'static Site; R],
) {
    let array = target.as_ptr().wrapping_add(at);
    let len = own.end.min(target.len()).saturating_sub(own.start);
    let inside = map1(start, |start| start.wrapping_add(at).wrapping_sub(own.start));
    if len > 0 && first_outside(inside, R, len, V::Mask::splat(true)).is_none() {
        // Safety: the rows of all lanes are inside the array, and no other chunk touches them
        return unsafe { scatter_add_rows(array, start, columns, mask) };
    }
    check_rows(target.len(), behind(at, start), mask, sites);
    if let Some(start) = filled(start, mask) {
        // Safety: all rows are those of active lanes, which are inside the array, and no other chunk touches them
        unsafe { scatter_add_rows(array, start, columns, mask) }
    }
}

/// Sets element `at + start[l] + k` to lane `l` of `columns[k]` for active lanes, whose rows do not overlap. Panics if an
/// element of an active lane does not exist; `sites` are the accesses as written, in the order of the columns.
///
/// # Safety
///
/// No other chunk touches the elements of active lanes.
#[inline(always)]
pub unsafe fn set_rows<T: Zero + Copy, V: Vector<T>, const R: usize>(
    target: Disjoint<'_, T>,
    at: usize,
    start: [usize; LANES],
    columns: [V; R],
    mask: V::Mask,
    sites: &'static [&'static Site; R],
) {
    check_rows(target.len(), behind(at, start), mask, sites);
    // Safety: the rows of active lanes are inside the array, and no other chunk touches them
    unsafe { scatter_rows(target.as_ptr().wrapping_add(at), start, columns, mask) }
}

/// Panics if an element of the rows at `position` does not exist in an active lane.
#[inline(always)]
fn check_rows<M: Mask, const R: usize>(
    len: usize,
    position: [usize; LANES],
    mask: M,
    sites: &'static [&'static Site; R],
) {
    if first_outside(position, R, len, mask).is_some() {
        fail_rows(&position, len, mask.to_array(), sites);
    }
}

/// Panics if an element of the rows at `position` does not exist in an active lane.
#[cold]
#[inline(never)]
fn fail_rows(position: &[usize; LANES], len: usize, active: [bool; LANES], sites: &[&'static Site]) {
    for (column, site) in sites.iter().enumerate() {
        fail_column(position, column, len, active, site);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Baseline, Isa, Real};

    type V = <Baseline as Isa>::F64;
    type M = <Baseline as Isa>::Mask;

    const SITE: Site = Site("f", "x", "x[a + k]");
    const START: [usize; 8] = [0, 5, 2, 2, 9, 1, 7, 4];

    fn array() -> Vec<f64> {
        (0..12).map(f64::from).collect()
    }

    #[test]
    fn rows_are_read_element_by_element() {
        let array = array();
        let (row, inside): ([V; 3], bool) = unsafe { rows(&array[..], 0, START, M::splat(true)) };
        assert!(inside);
        for (k, column) in row.into_iter().enumerate() {
            assert_eq!(column.to_array(), START.map(|start| (start + k) as f64));
        }
    }

    #[test]
    fn positions_are_sums_that_may_wrap() {
        let array = array();
        let at = 3usize.wrapping_neg();
        let start = START.map(|start| start + 3);
        let (row, inside): ([V; 3], bool) = unsafe { rows(&array[..], at, start, M::splat(true)) };
        assert!(inside);
        assert_eq!(row[2].to_array(), START.map(|start| (start + 2) as f64));
        let mut target = vec![0.0; 12];
        unsafe { add_rows(Disjoint::new(&mut target), at, 0..0, start, row, M::first(2), &[&SITE; 3]) };
        assert_eq!(target, [0.0, 1.0, 2.0, 0.0, 0.0, 5.0, 6.0, 7.0, 0.0, 0.0, 0.0, 0.0]);
        let outside = || check_column(&array[..], at, [2; 8], 0, M::splat(true), &SITE);
        assert!(std::panic::catch_unwind(outside).is_err());
    }

    #[test]
    fn lanes_that_are_not_active_may_be_anywhere() {
        let array = array();
        let start = [usize::MAX, 5, 2, 2, 9, 1, 7, 100];
        let mask = M::from_array([false, true, true, true, true, true, true, false]);
        let (row, inside): ([V; 2], bool) = unsafe { rows(&array[..], 0, start, mask) };
        assert!(inside);
        assert_eq!(row[1].to_array()[1..7], [6.0, 3.0, 3.0, 10.0, 2.0, 8.0]);
        let mut target = array.clone();
        unsafe { add_rows(Disjoint::new(&mut target), 0, 0..0, start, row, mask, &[&SITE; 2]) };
        let mut expected = array.clone();
        for start in &start[1..7] {
            expected[*start] += array[*start];
            expected[start + 1] += array[start + 1];
        }
        assert_eq!(target, expected);
        let (none, inside): ([V; 2], bool) = unsafe { rows(&array[..], 0, [usize::MAX; 8], M::splat(false)) };
        assert!(inside && none[0].to_array() == [0.0; 8]);
    }

    #[test]
    fn lanes_that_are_not_active_add_nothing() {
        // the last lane is not active: its row is the chunk's, another one's, or none
        let mask = M::first(7);
        for (own, last) in
            [(0..12, 9), (3..9, 0), (3..9, 7), (3..9, 8), (0..99, 11), (0..99, usize::MAX), (0..0, 2)]
        {
            let start = [0, 0, 3, 6, 4, 4, 1, last];
            let columns = [V::splat(1.0), V::splat(2.0)];
            let mut target = array();
            unsafe { add_rows(Disjoint::new(&mut target), 0, own, start, columns, mask, &[&SITE; 2]) };
            let mut expected = array();
            for start in &start[..7] {
                expected[*start] += 1.0;
                expected[start + 1] += 2.0;
            }
            assert_eq!(target, expected);
        }
    }

    #[test]
    #[should_panic(expected = "x[a + k]")]
    fn rows_that_end_behind_the_array_are_not_own() {
        let mut target = array();
        let columns = [V::splat(1.0); 3];
        let own = 0..usize::MAX;
        unsafe {
            add_rows(Disjoint::new(&mut target), 0, own, [10; 8], columns, M::splat(true), &[&SITE; 3])
        };
    }

    #[test]
    fn only_what_does_not_exist_fails() {
        let array = array();
        let start = [10; 8];
        let (row, inside): ([V; 3], bool) = unsafe { rows(&array[..], 0, start, M::splat(true)) };
        assert!(!inside);
        assert_eq!((row[0].to_array(), row[1].to_array()), ([10.0; 8], [11.0; 8]));
        check_column(&array[..], 0, start, 1, M::splat(true), &SITE);
        let outside = || check_column(&array[..], 0, start, 2, M::splat(true), &SITE);
        assert!(std::panic::catch_unwind(outside).is_err());
    }

    #[test]
    #[should_panic(expected = "x[a + k]")]
    fn rows_that_do_not_exist_are_not_added_to() {
        let mut target = array();
        let columns = [V::splat(1.0); 3];
        unsafe {
            add_rows(Disjoint::new(&mut target), 0, 0..0, [10; 8], columns, M::splat(true), &[&SITE; 3])
        };
    }

    #[test]
    fn rows_of_active_lanes_are_set() {
        let start = [0, 4, 8, 12, 16, 20, 24, 100];
        let columns = [V::from_array(start.map(|start| start as f64)), V::splat(-1.0), V::splat(-2.0)];
        let mask = M::from_array([true, true, false, true, true, true, true, false]);
        let mut target = vec![7.0; 27];
        unsafe { set_rows(Disjoint::new(&mut target), 0, start, columns, mask, &[&SITE; 3]) };
        for (at, value) in target.into_iter().enumerate() {
            let expected = match at % 4 {
                _ if at / 4 == 2 => 7.0,
                0 => at as f64,
                1 => -1.0,
                2 => -2.0,
                _ => 7.0,
            };
            assert_eq!(value, expected, "{at}");
        }
    }

    #[test]
    #[should_panic(expected = "x[a + k]")]
    fn rows_that_do_not_exist_are_not_set() {
        let mut target = array();
        let columns = [V::splat(1.0); 3];
        unsafe { set_rows(Disjoint::new(&mut target), 0, [10; 8], columns, M::splat(true), &[&SITE; 3]) };
    }

    #[test]
    fn lanes_that_collide_are_added_one_after_the_other() {
        let mut target = vec![0.0; 4];
        let columns = [V::from_array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]), V::splat(1.0)];
        let start = [0, 0, 1, 1, 0, 2, 0, 0];
        unsafe { add_rows(Disjoint::new(&mut target), 0, 0..0, start, columns, M::splat(true), &[&SITE; 2]) };
        assert_eq!(target, [1.0 + 2.0 + 16.0 + 64.0 + 128.0, 5.0 + 12.0, 2.0 + 32.0, 1.0]);
    }
}
