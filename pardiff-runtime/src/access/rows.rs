//! Checked accesses of rows: eight lanes, each with a short run of elements behind a position of its own.

use super::{Site, Sites, Source, of_lane};
use crate::Disjoint;
use crate::simd::{
    LANES, Mask, Vector, filled, first_outside, load_rows, map1, scatter_add_rows, scatter_rows,
};
use crate::storage::Zero;
use std::ops::{Add, Range};

/// The rows of `R` elements at the positions `at + start`, element by element. Panics if one of an active lane is not
/// inside the array. Lanes that are not active have the values of some row: of an active lane, or of any that exists in
/// an array that nobody writes; zero if there is no active one. Positions are sums modulo the width of `usize`; groups
/// of rows with one `start` share its way out of a vector.
///
/// # Safety
///
/// No other chunk writes an element of the rows.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn rows<T: Zero + Copy, V: Vector<T>, A: Source<T>, const R: usize>(
    source: A,
    at: usize,
    start: [usize; LANES],
    mask: V::Mask,
    sites: &'static Sites,
) -> [V; R] {
    let (array, len) = source.parts();
    let mut start = start;
    if !A::UNWRITTEN || first_outside(behind(at, start), R, len, V::Mask::splat(true)).is_some() {
        check_rows::<V::Mask>(behind(at, start), R, len, mask, sites);
        // rows of lanes that are not active stand for nothing; reading one that exists saves a test for each
        match filled(start, mask) {
            Some(filled) => start = filled,
            None => return [V::splat(T::ZERO); R],
        }
    }
    // Safety: the rows are inside the array, and no other chunk writes them
    unsafe { load_rows(array.wrapping_add(at), start) }
}

/// The same, where not every element is asked for, and whether those of all active lanes are inside the array. If one
/// is not, its elements that exist are read and the others are zero: [`check_column`] panics where one of them is asked
/// for.
///
/// # Safety
///
/// No other chunk writes an element of the rows.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn rows_where_there<T: Zero + Copy, V: Vector<T>, A: Source<T>, const R: usize>(
    source: A,
    at: usize,
    start: [usize; LANES],
    mask: V::Mask,
) -> ([V; R], bool) {
    let (array, len) = source.parts();
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

#[cfg_attr(not(unoptimised), inline(always))]
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

/// Panics if an element of the rows at `at + start` does not exist in an active lane.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn check_column<T, M: Mask>(
    source: impl Source<T>,
    at: usize,
    start: [usize; LANES],
    column: usize,
    mask: M,
    site: &'static Site,
) {
    super::check(behind(at.wrapping_add(column), start), source.parts().1, mask, site);
}

/// Panics if a row of an active lane is not inside the array.
#[cfg_attr(not(unoptimised), inline(always))]
fn check_rows<M: Mask>(position: [usize; LANES], row: usize, len: usize, mask: M, sites: &'static Sites) {
    if let Some(lane) = first_outside(position, row, len, mask) {
        sites.fail(of_lane(position, lane), len);
    }
}

/// Adds lane `l` of `columns[k]` to element `at + start[l] + k`, lane after lane: rows may overlap. Panics if an element of an
/// active lane does not exist.
///
/// `own` are positions of the array that only this chunk touches, or none. Where the rows of all lanes are there, those that
/// are not active add nothing to their own rows, and else nothing to the row of an active one: then the processor has to wait
/// for one addition after the other.
///
/// # Safety
///
/// No other chunk touches the elements of active lanes, nor those of `own` that exist.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn add_rows<T: Zero + Copy + Add<Output = T>, V: Vector<T>, const R: usize>(
    target: Disjoint<'_, T>,
    at: usize,
    own: Range<usize>,
    start: [usize; LANES],
    columns: [V; R],
    mask: V::Mask,
    sites: &'static Sites,
) {
    let array = target.as_ptr().wrapping_add(at);
    let len = own.end.min(target.len()).saturating_sub(own.start);
    let inside = map1(start, |start| start.wrapping_add(at).wrapping_sub(own.start));
    let mut start = start;
    if len == 0 || first_outside(inside, R, len, V::Mask::splat(true)).is_some() {
        check_rows(behind(at, start), R, target.len(), mask, sites);
        match filled(start, mask) {
            Some(filled) => start = filled,
            None => return,
        }
    }
    // Safety: the rows of all lanes, or of active ones alone, are inside the array, and no other chunk touches them
    unsafe { scatter_add_rows(array, start, columns, mask) }
}

/// Sets element `at + start[l] + k` to lane `l` of `columns[k]` for active lanes, whose rows do not overlap. Panics if an
/// element of an active lane does not exist.
///
/// # Safety
///
/// No other chunk touches the elements of active lanes.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn set_rows<T: Zero + Copy, V: Vector<T>, const R: usize>(
    target: Disjoint<'_, T>,
    at: usize,
    start: [usize; LANES],
    columns: [V; R],
    mask: V::Mask,
    sites: &'static Sites,
) {
    check_rows(behind(at, start), R, target.len(), mask, sites);
    // Safety: the rows of active lanes are inside the array, and no other chunk touches them
    unsafe { scatter_rows(target.as_ptr().wrapping_add(at), start, columns, mask) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Baseline, Isa, Real};

    type V = <Baseline as Isa>::F64;
    type M = <Baseline as Isa>::Mask;

    const SITE: Site = Site("f", "x", "x[a + 2]");
    const TWO: &Sites = &Sites("f", "x", &[(0, "x[a]"), (1, "x[a + 1]")]);
    const ROW: &Sites = &Sites("f", "x", &[(0, "x[a]"), (1, "x[a + 1]"), (2, "x[a + 2]")]);
    const START: [usize; 8] = [0, 5, 2, 2, 9, 1, 7, 4];

    fn array() -> Vec<f64> {
        (0..12).map(f64::from).collect()
    }

    #[test]
    fn rows_are_read_element_by_element() {
        let array = array();
        let row: [V; 3] = unsafe { rows(&array[..], 0, START, M::splat(true), ROW) };
        for (k, column) in row.into_iter().enumerate() {
            assert_eq!(column.to_array(), START.map(|start| (start + k) as f64));
        }
    }

    #[test]
    fn positions_are_sums_that_may_wrap() {
        let array = array();
        let at = 3usize.wrapping_neg();
        let start = START.map(|start| start + 3);
        let row: [V; 3] = unsafe { rows(&array[..], at, start, M::splat(true), ROW) };
        assert_eq!(row[2].to_array(), START.map(|start| (start + 2) as f64));
        let mut target = vec![0.0; 12];
        unsafe { add_rows(Disjoint::new(&mut target), at, 0..0, start, row, M::first(2), ROW) };
        assert_eq!(target, [0.0, 1.0, 2.0, 0.0, 0.0, 5.0, 6.0, 7.0, 0.0, 0.0, 0.0, 0.0]);
        let outside = || check_column(&array[..], at, [2; 8], 0, M::splat(true), &SITE);
        assert!(std::panic::catch_unwind(outside).is_err());
    }

    #[test]
    fn lanes_that_are_not_active_may_be_anywhere() {
        let array = array();
        let start = [usize::MAX, 5, 2, 2, 9, 1, 7, 100];
        let mask = M::from_array([false, true, true, true, true, true, true, false]);
        let row: [V; 2] = unsafe { rows(&array[..], 0, start, mask, TWO) };
        assert_eq!(row[1].to_array()[1..7], [6.0, 3.0, 3.0, 10.0, 2.0, 8.0]);
        let mut target = array.clone();
        unsafe { add_rows(Disjoint::new(&mut target), 0, 0..0, start, row, mask, TWO) };
        let mut expected = array.clone();
        for start in &start[1..7] {
            expected[*start] += array[*start];
            expected[start + 1] += array[start + 1];
        }
        assert_eq!(target, expected);
        let (there, inside): ([V; 2], bool) = unsafe { rows_where_there(&array[..], 0, start, mask) };
        assert!(inside && there[1].to_array()[1..7] == row[1].to_array()[1..7]);
        let none: [V; 2] = unsafe { rows(&array[..], 0, [usize::MAX; 8], M::splat(false), TWO) };
        assert_eq!(none[0].to_array(), [0.0; 8]);
        let (none, inside): ([V; 2], bool) =
            unsafe { rows_where_there(&array[..], 0, [usize::MAX; 8], M::splat(false)) };
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
            unsafe { add_rows(Disjoint::new(&mut target), 0, own, start, columns, mask, TWO) };
            let mut expected = array();
            for start in &start[..7] {
                expected[*start] += 1.0;
                expected[start + 1] += 2.0;
            }
            assert_eq!(target, expected);
        }
    }

    #[test]
    #[should_panic(expected = "in `x[a + 2]`: the index is 12")]
    fn rows_that_end_behind_the_array_are_not_own() {
        let mut target = array();
        let columns = [V::splat(1.0); 3];
        let own = 0..usize::MAX;
        unsafe { add_rows(Disjoint::new(&mut target), 0, own, [10; 8], columns, M::splat(true), ROW) };
    }

    #[test]
    fn only_what_does_not_exist_fails() {
        let array = array();
        let start = [10; 8];
        let (row, inside): ([V; 3], bool) = unsafe { rows_where_there(&array[..], 0, start, M::splat(true)) };
        assert!(!inside);
        assert_eq!((row[0].to_array(), row[1].to_array()), ([10.0; 8], [11.0; 8]));
        check_column(&array[..], 0, start, 1, M::splat(true), &SITE);
        let outside = || check_column(&array[..], 0, start, 2, M::splat(true), &SITE);
        assert!(std::panic::catch_unwind(outside).is_err());
    }

    #[test]
    #[should_panic(expected = "in `x[a + 2]`: the index is 12")]
    fn rows_that_do_not_exist_are_not_read() {
        let (array, mut mask) = (array(), [true; 8]);
        mask[1] = false;
        let start = [0, usize::MAX, 2, 10, 9, 11, 0, 0];
        let _: [V; 3] = unsafe { rows(&array[..], 0, start, M::from_array(mask), ROW) };
    }

    #[test]
    #[should_panic(expected = "in `x[a + 2]`: the index is 12")]
    fn rows_that_do_not_exist_are_not_added_to() {
        let mut target = array();
        let columns = [V::splat(1.0); 3];
        unsafe { add_rows(Disjoint::new(&mut target), 0, 0..0, [10; 8], columns, M::splat(true), ROW) };
    }

    #[test]
    fn rows_of_active_lanes_are_set() {
        let start = [0, 4, 8, 12, 16, 20, 24, 100];
        let columns = [V::from_array(start.map(|start| start as f64)), V::splat(-1.0), V::splat(-2.0)];
        let mask = M::from_array([true, true, false, true, true, true, true, false]);
        let mut target = vec![7.0; 27];
        unsafe { set_rows(Disjoint::new(&mut target), 0, start, columns, mask, ROW) };
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
    #[should_panic(expected = "in `x[a + 2]`: the index is 12")]
    fn rows_that_do_not_exist_are_not_set() {
        let mut target = array();
        let columns = [V::splat(1.0); 3];
        unsafe { set_rows(Disjoint::new(&mut target), 0, [10; 8], columns, M::splat(true), ROW) };
    }

    #[test]
    fn lanes_that_collide_are_added_one_after_the_other() {
        let mut target = vec![0.0; 4];
        let columns = [V::from_array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]), V::splat(1.0)];
        let start = [0, 0, 1, 1, 0, 2, 0, 0];
        unsafe { add_rows(Disjoint::new(&mut target), 0, 0..0, start, columns, M::splat(true), TWO) };
        assert_eq!(target, [1.0 + 2.0 + 16.0 + 64.0 + 128.0, 5.0 + 12.0, 2.0 + 32.0, 1.0]);
    }
}
