//! Ranges that are checked once: an index for a whole loop, and the [`Stream`] of a lane loop. Each check is one call in
//! generated code, which says the access once.

use super::{Site, Sites, of_lane};
use crate::simd::{LANES, Mask};
use crate::stream::{inside, run_inside};
use crate::{Disjoint, Stream, StreamMut, out_of_range};
use std::ops::Add;

/// Panics unless the index is below the length.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn in_range(index: usize, len: usize, line: u32, site: &'static Site) {
    if index >= len {
        outside(index, len, line, site);
    }
}

#[cold]
#[inline(never)]
fn outside(index: usize, len: usize, line: u32, site: &Site) -> ! {
    out_of_range(site.0, site.1, site.2, line, index, len)
}

/// Panics if the index of an active lane is not below the length that the lane asks for.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn all_in_range<M: Mask>(
    index: [usize; LANES],
    len: [usize; LANES],
    mask: M,
    line: u32,
    site: &'static Site,
) {
    let failed = mask & !M::less(index, len);
    if failed.any() {
        let lane = failed.first_active();
        outside(of_lane(index, lane), of_lane(len, lane), line, site);
    }
}

/// Elements `base + l` for `l` in `0..n`; panics if one of them is not in the slice.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn run<'a, T>(slice: &'a [T], base: usize, n: usize, site: &'static Site) -> Stream<'a, T> {
    if !run_inside(slice.len(), base, n) {
        site.fail_run(base, 1, n, slice.len());
    }
    // Safety: they are
    unsafe { Stream::new(slice, base, 1, n) }
}

/// As [`run`], to be written as well.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn run_mut<'a, T: Copy>(
    target: Disjoint<'a, T>,
    base: usize,
    n: usize,
    site: &'static Site,
) -> StreamMut<'a, T> {
    if !run_inside(target.len(), base, n) {
        site.fail_run(base, 1, n, target.len());
    }
    // Safety: they are
    unsafe { StreamMut::new(target, base, 1, n) }
}

/// Elements `base + stride * l` for `l` in `0..n`; a stride that is negative as an `isize` goes down. Panics if one of
/// them is not in the slice.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn strided<'a, T>(
    slice: &'a [T],
    base: usize,
    stride: usize,
    n: usize,
    site: &'static Site,
) -> Stream<'a, T> {
    if !inside(slice.len(), base, stride, n) {
        site.fail_run(base, stride, n, slice.len());
    }
    // Safety: they are
    unsafe { Stream::new(slice, base, stride, n) }
}

/// As [`strided`], to be written as well.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn strided_mut<'a, T: Copy>(
    target: Disjoint<'a, T>,
    base: usize,
    stride: usize,
    n: usize,
    site: &'static Site,
) -> StreamMut<'a, T> {
    if !inside(target.len(), base, stride, n) {
        site.fail_run(base, stride, n, target.len());
    }
    // Safety: they are
    unsafe { StreamMut::new(target, base, stride, n) }
}

/// Adds to elements `base`, `base + 1`, … of an array.
///
/// # Safety
///
/// No other chunk touches these elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn add_row<T: Copy + Add<Output = T>, const N: usize>(
    target: Disjoint<'_, T>,
    base: usize,
    values: [T; N],
    site: &'static Site,
) {
    let len = target.len();
    if base > len || len - base < N {
        site.fail(base.max(len), len);
    }
    let mut k = 0;
    while k < N {
        // Safety: `base + N <= len`; the caller's promise
        unsafe {
            let element = target.as_ptr().add(base + k);
            element.write(element.read() + values[k]);
        }
        k += 1;
    }
}

/// Elements `start`, `start + 1`, … of a slice. Panics if one does not exist.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn row<T: Copy, const N: usize>(slice: &[T], start: usize, sites: &'static Sites) -> [T; N] {
    match slice.get(start..).and_then(|behind| behind.first_chunk()) {
        Some(row) => *row,
        None => sites.fail(start, slice.len()),
    }
}

/// Adds to elements `start`, `start + 1`, … of an array. Panics if one does not exist, as [`row`].
///
/// # Safety
///
/// No other chunk touches these elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn add_to_row<T: Copy + Add<Output = T>, const N: usize>(
    target: Disjoint<'_, T>,
    start: usize,
    values: [T; N],
    sites: &'static Sites,
) {
    let len = target.len();
    if start > len || len - start < N {
        sites.fail(start, len);
    }
    let mut k = 0;
    while k < N {
        // Safety: `start + N <= len`; the caller's promise
        unsafe {
            let element = target.as_ptr().add(start + k);
            element.write(element.read() + values[k]);
        }
        k += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{UnwindSafe, catch_unwind};

    const SITE: Site = Site("f", "x", "x[i]");
    const ROW: &Sites = &Sites("f", "x", &[(0, "x[i]"), (2, "x[i + 2]")]);

    #[test]
    fn rows_are_read_and_added_to_where_they_exist() {
        let mut x = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(row::<f64, 3>(&x, 1, ROW), [2.0, 3.0, 4.0]);
        // Safety: nobody else touches the array
        unsafe { add_to_row(Disjoint::new(&mut x), 1, [10.0, 20.0, 30.0], ROW) };
        assert_eq!(x, [1.0, 12.0, 23.0, 34.0]);
    }

    #[test]
    fn the_first_access_that_does_not_exist_fails() {
        let x = [1.0, 2.0, 3.0, 4.0];
        for (start, access) in [(2, "x[i + 2]"), (4, "x[i]"), (usize::MAX, "x[i]")] {
            let message = catch_unwind(|| row::<f64, 3>(&x, start, ROW)).unwrap_err();
            assert!(message.downcast_ref::<String>().is_some_and(|text| text.contains(access)));
            let mut y = x;
            let add = std::panic::AssertUnwindSafe(|| unsafe {
                add_to_row(Disjoint::new(&mut y), start, [1.0; 3], ROW);
            });
            let message = catch_unwind(add).unwrap_err();
            assert!(message.downcast_ref::<String>().is_some_and(|text| text.contains(access)));
            assert_eq!(x, y);
        }
    }

    fn message(call: impl FnOnce() + UnwindSafe) -> String {
        let payload = catch_unwind(call).expect_err("the call panics");
        payload.downcast_ref::<String>().cloned().unwrap_or_default()
    }

    #[test]
    fn the_first_active_lane_that_is_outside_is_named() {
        type M = <crate::simd::Baseline as crate::simd::Isa>::Mask;
        let index = [0, 9, 2, 3, 4, 5, 6, 7];
        let len = [1, 1, 3, 4, 4, 6, 7, 8];
        let active = |lanes: [usize; 2]| M::from_array(std::array::from_fn(|l| lanes.contains(&l)));
        all_in_range(index, len, active([0, 2]), 7, &SITE);
        let text = message(|| all_in_range(index, len, active([2, 4]), 7, &SITE));
        assert!(text.contains("in `x[i]` (line 7): the index is 4 but the length of `x` is 4"), "{text}");
        let text = message(|| all_in_range(index, len, M::splat(true), 0, &SITE));
        assert!(text.contains("the index is 9 but the length of `x` is 1"), "{text}");
    }

    #[test]
    fn ranges_that_are_there_are_streams() {
        let mut x = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(run(&x, 1, 3, &SITE).len(), 3);
        assert_eq!(run(&x, 9, 0, &SITE).len(), 0);
        assert_eq!(strided(&x, 3, 3_usize.wrapping_neg(), 2, &SITE).len(), 2);
        assert_eq!(run_mut(Disjoint::new(&mut x), 0, 4, &SITE).len(), 4);
        assert_eq!(strided_mut(Disjoint::new(&mut x), 0, 3, 2, &SITE).len(), 2);
        in_range(3, 4, 7, &SITE);
    }

    #[test]
    fn rows_are_added_to() {
        let mut x = [1.0, 2.0, 3.0, 4.0];
        // Safety: no other chunk is there
        unsafe { add_row(Disjoint::new(&mut x), 1, [0.5, 0.25, 0.125], &SITE) };
        assert_eq!(x, [1.0, 2.5, 3.25, 4.125]);
    }

    #[test]
    fn the_first_element_that_is_not_there_is_named() {
        let x = [0.0; 4];
        let says = |text: String, index: usize| {
            let part = format!("in `x[i]`: the index is {index} but the length of `x` is 4");
            assert!(text.contains(&part), "{text}");
        };
        says(message(|| _ = run(&x, 2, 4, &SITE)), 4);
        says(message(|| _ = strided(&x, 1, 2, 4, &SITE)), 5);
        says(message(|| _ = strided(&x, 1, 1_usize.wrapping_neg(), 3, &SITE)), usize::MAX);
        says(message(|| _ = run_mut(Disjoint::new(&mut [0.0; 4]), 3, 2, &SITE)), 4);
        says(message(|| _ = strided_mut(Disjoint::new(&mut [0.0; 4]), 0, 4, 2, &SITE)), 4);
        // Safety: no other chunk is there
        let add = |base: usize| unsafe { add_row(Disjoint::new(&mut [0.0; 4]), base, [1.0, 2.0], &SITE) };
        says(message(|| add(3)), 4);
        says(message(|| add(6)), 6);
        let text = message(|| in_range(4, 4, 7, &SITE));
        assert!(text.contains("in `x[i]` (line 7): the index is 4"), "{text}");
    }
}
