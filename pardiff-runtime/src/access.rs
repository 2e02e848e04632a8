//! Checked accesses of tasks and of lane loops.
//!
//! *Comes in*: slices and [`Disjoint`]s with positions. *Goes out*: an element, or those of eight lanes: floats as
//! vectors, integers and bools as arrays. *Guarantees*: every element that is touched was checked; where one is out of
//! range, the panic names the access; under an inactive lane nothing is touched. What is left to the caller is
//! that no other chunk of a task loop writes an element that is read, or touches one that is written: that makes these
//! functions `unsafe`. *Never*: leaves a check out; a [`Stream`](crate::Stream) is for that, which [`run`] and its like make
//! from a range that is in the array.

mod rows;
mod runs;

pub use rows::{add_rows, check_column, rows, rows_where_there, set_rows};
pub use runs::{add_row, add_to_row, all_in_range, in_range, row, run, run_mut, strided, strided_mut};

use crate::simd::{LANES, Mask, Vector, filled, iota, map_active, map1};
use crate::{Disjoint, StreamMut};

/// The code for every lane in order. A loop would be one more for LLVM to analyse and to unroll wherever this is
/// called, which takes longer than all of the code.
macro_rules! in_each_lane {
    ($lane:ident, $code:block) => {
        in_each_lane!($lane, $code, 0 1 2 3 4 5 6 7);
    };
    ($lane:ident, $code:block, $($number:literal)*) => {
        $({
            let $lane: usize = $number;
            $code
        })*
    };
}

/// An access as the panic names it: the function, the array, and how it is written. Passed by reference to a constant:
/// by value, its six words are written to the stack before each check, whether it fails or not (measured: a third of
/// the time of a sparse product's reverse loop).
#[derive(Clone, Copy, Debug)]
pub struct Site(pub &'static str, pub &'static str, pub &'static str);

impl Site {
    /// The panic of an index that is not below the length.
    #[cold]
    #[inline(never)]
    pub fn fail(&self, index: usize, len: usize) -> ! {
        crate::out_of_range(self.0, self.1, self.2, 0, index, len)
    }

    /// The panic of `base + stride * l` for `l` in `0..n`, of which one is not below the length: the first.
    #[cold]
    #[inline(never)]
    pub fn fail_run(&self, base: usize, stride: usize, n: usize, len: usize) -> ! {
        let mut indices = (0..n).map(|l| base.wrapping_add(stride.wrapping_mul(l)));
        self.fail(indices.find(|index| *index >= len).unwrap_or(usize::MAX), len)
    }
}

/// The accesses of a row as the panic names them: the function, the array, and how each is written, with its number in
/// the row. The first and the last element of the row are among them.
#[derive(Clone, Copy, Debug)]
pub struct Sites(pub &'static str, pub &'static str, pub &'static [(usize, &'static str)]);

impl Sites {
    /// The panic of a row at `start` that is not inside an array: of the first element that does not exist.
    #[cold]
    #[inline(never)]
    fn fail(&self, start: usize, len: usize) -> ! {
        let elements = self.2.iter().map(|(k, access)| (start.wrapping_add(*k), *access));
        let mut outside = elements.filter(|(index, _)| *index >= len);
        let (index, access) = outside.next().unwrap_or((start, ""));
        crate::out_of_range(self.0, self.1, access, 0, index, len)
    }
}

/// Memory that may be read.
pub trait Source<T>: Copy {
    /// Whether nobody writes it meanwhile.
    const UNWRITTEN: bool;

    /// The first element, and how many there are.
    fn parts(self) -> (*const T, usize);
}

impl<T> Source<T> for &[T] {
    const UNWRITTEN: bool = true;

    #[cfg_attr(not(unoptimised), inline(always))]
    fn parts(self) -> (*const T, usize) {
        (self.as_ptr(), self.len())
    }
}

impl<T: Copy> Source<T> for Disjoint<'_, T> {
    const UNWRITTEN: bool = false;

    #[cfg_attr(not(unoptimised), inline(always))]
    fn parts(self) -> (*const T, usize) {
        (self.as_ptr().cast_const(), self.len())
    }
}

/// Eight lanes: a vector, or an array.
pub trait Pack<T>: Copy {
    /// Eight consecutive elements.
    ///
    /// # Safety
    ///
    /// `p..p + 8` is readable and initialised.
    unsafe fn read(p: *const T) -> Self;

    /// Writes eight consecutive elements.
    ///
    /// # Safety
    ///
    /// `p..p + 8` is writable.
    unsafe fn write(self, p: *mut T);

    /// The lanes in order.
    fn of(lanes: [T; LANES]) -> Self;

    /// The lanes in order.
    fn lanes(self) -> [T; LANES];
}

impl<T: Copy, V: Vector<T>> Pack<T> for V {
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn read(p: *const T) -> V {
        // Safety: the caller's promise
        unsafe { V::load(p) }
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn write(self, p: *mut T) {
        // Safety: the caller's promise
        unsafe { self.store(p) }
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn of(lanes: [T; LANES]) -> V {
        V::from_array(lanes)
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn lanes(self) -> [T; LANES] {
        self.to_array()
    }
}

impl<T: Copy> Pack<T> for [T; LANES] {
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn read(p: *const T) -> [T; LANES] {
        // Safety: the caller's promise; an array is as aligned as its elements
        unsafe { p.cast::<[T; LANES]>().read() }
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn write(self, p: *mut T) {
        // Safety: the caller's promise; an array is as aligned as its elements
        unsafe { p.cast::<[T; LANES]>().write(self) }
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn of(lanes: [T; LANES]) -> [T; LANES] {
        lanes
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn lanes(self) -> [T; LANES] {
        self
    }
}

/// The address of a struct. It is valid: the index was checked.
///
/// What the caller makes of it must be a reference to a member alone, which no other chunk writes while it is used, and no
/// other chunk touches if this one writes it: members do not overlap, so that different ones of one struct may belong to
/// different chunks.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn record<T>(target: Disjoint<'_, T>, index: usize, site: &'static Site) -> *mut T {
    match target.record(index) {
        Some(record) => record,
        None => site.fail(index, target.count()),
    }
}

/// An element that this chunk alone touches.
///
/// # Safety
///
/// No other chunk touches the element, and no other reference to it is used while this one is.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn element<'a, T: Copy>(target: Disjoint<'a, T>, index: usize, site: &'static Site) -> &'a mut T {
    match target.at(index) {
        // Safety: an element; the caller's promise
        Some(element) => unsafe { &mut *element },
        None => site.fail(index, target.len()),
    }
}

/// Panics if the index of an active lane is out of range.
#[cfg_attr(not(unoptimised), inline(always))]
fn check<M: Mask>(index: [usize; LANES], len: usize, mask: M, site: &'static Site) {
    let outside = mask & !M::less(index, [len; LANES]);
    if outside.any() {
        site.fail(of_lane(index, outside.first_active()), len);
    }
}

/// Panics if some index is out of range.
#[cfg_attr(not(unoptimised), inline(always))]
fn check_all(index: [usize; LANES], len: usize, site: &'static Site) {
    let [a, b, c, d, e, f, g, h] = index;
    let outside = [a >= len, b >= len, c >= len, d >= len, e >= len, f >= len, g >= len, h >= len];
    let [a, b, c, d, e, f, g, h] = outside;
    if a | b | c | d | e | f | g | h {
        site.fail(of_lane(index, first(outside)), len);
    }
}

/// The number of a lane, for a panic.
///
/// The numbers go to the function that chooses as eight arguments. An array is passed in memory, and would be there
/// where nothing fails as well; a vector that is made of it would wait for eight writes (measured: a quarter of the
/// time of a gradient that adds to rows of three).
#[cfg_attr(not(unoptimised), inline(always))]
fn of_lane(numbers: [usize; LANES], lane: usize) -> usize {
    let [a, b, c, d, e, f, g, h] = numbers;
    choose(lane, a, b, c, d, e, f, g, h)
}

/// The first lane that is outside.
#[cold]
#[inline(never)]
fn first(outside: [bool; LANES]) -> usize {
    outside.into_iter().position(|outside| outside).unwrap_or(LANES)
}

#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)]
fn choose(
    lane: usize,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    g: usize,
    h: usize,
) -> usize {
    [a, b, c, d, e, f, g, h].get(lane).copied().unwrap_or(usize::MAX)
}

/// Whether the elements `base .. base + 8` are in range.
#[cfg_attr(not(unoptimised), inline(always))]
fn all_inside(base: usize, len: usize) -> bool {
    base <= len && len - base >= LANES
}

/// Elements `base .. base + 8`.
///
/// # Safety
///
/// No other chunk writes these elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn load<T: Copy, P: Pack<T>>(source: impl Source<T>, base: usize, site: &'static Site) -> P {
    let (start, len) = source.parts();
    if !all_inside(base, len) {
        site.fail(if base < len { len } else { base }, len);
    }
    // Safety: all eight elements are in range
    unsafe { P::read(start.add(base)) }
}

/// The active ones of the elements `base .. base + 8`, zero in the other lanes; `base` itself may be any number modulo
/// the width of `usize`.
///
/// # Safety
///
/// No other chunk writes the active elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn load_masked<T: Copy, V: Vector<T>>(
    source: impl Source<T>,
    base: usize,
    mask: V::Mask,
    site: &'static Site,
) -> V {
    let (start, len) = source.parts();
    if !all_inside(base, len) {
        check(iota(base), len, mask, site);
    }
    // Safety: the active elements are in range; a base below the slice wraps around to the same addresses
    unsafe { V::load_masked(start.wrapping_add(base), mask) }
}

/// As [`load_masked`], where `room` says that elements `base .. base + 8` are in range.
///
/// # Safety
///
/// They are if `room` says so. No other chunk writes the active elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn load_masked_in<T: Copy, V: Vector<T>>(
    source: impl Source<T>,
    base: usize,
    mask: V::Mask,
    room: bool,
    site: &'static Site,
) -> V {
    let (start, len) = source.parts();
    if !room && !all_inside(base, len) {
        check(iota(base), len, mask, site);
    }
    // Safety: the active elements are in range; a base below the slice wraps around to the same addresses
    unsafe { V::load_masked(start.wrapping_add(base), mask) }
}

/// Writes elements `base .. base + 8`.
///
/// # Safety
///
/// No other chunk touches these elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn store<T: Copy, P: Pack<T>>(
    target: Disjoint<'_, T>,
    base: usize,
    lanes: P,
    site: &'static Site,
) {
    if !all_inside(base, target.len()) {
        site.fail(if base < target.len() { target.len() } else { base }, target.len());
    }
    // Safety: all eight elements are in range
    unsafe { lanes.write(target.as_ptr().add(base)) }
}

/// Writes the active ones of the elements `base .. base + 8`.
///
/// # Safety
///
/// No other chunk touches the active elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn store_masked<T: Copy, V: Vector<T>>(
    target: Disjoint<'_, T>,
    base: usize,
    lanes: V,
    mask: V::Mask,
    site: &'static Site,
) {
    if !all_inside(base, target.len()) {
        check(iota(base), target.len(), mask, site);
    }
    // Safety: the active elements are in range; a base below the slice wraps around to the same addresses
    unsafe { lanes.store_masked(target.as_ptr().wrapping_add(base), mask) }
}

/// As [`store_masked`], where `room` says that elements `base .. base + 8` are in range.
///
/// # Safety
///
/// They are if `room` says so. No other chunk touches the active elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn store_masked_in<T: Copy, V: Vector<T>>(
    target: Disjoint<'_, T>,
    base: usize,
    lanes: V,
    mask: V::Mask,
    room: bool,
    site: &'static Site,
) {
    if !room && !all_inside(base, target.len()) {
        check(iota(base), target.len(), mask, site);
    }
    // Safety: the active elements are in range; a base below the slice wraps around to the same addresses
    unsafe { lanes.store_masked(target.as_ptr().wrapping_add(base), mask) }
}

/// Whether elements `0 .. n`, in whole vectors, are in range.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn has_room<T: Copy>(source: impl Source<T>, n: usize) -> bool {
    n.saturating_add(LANES - 1) / LANES * LANES <= source.parts().1
}

/// The elements at `index`.
///
/// # Safety
///
/// No other chunk writes these elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn gather<T: Copy, P: Pack<T>>(
    source: impl Source<T>,
    index: [usize; LANES],
    site: &'static Site,
) -> P {
    let (start, len) = source.parts();
    check_all(index, len, site);
    // Safety: every index is in range
    P::of(map1(index, |index| unsafe { start.add(index).read() }))
}

/// The active ones of the elements at `index`; the other lanes have the value of an active one, or zero if there is
/// none: an element that exists is read faster than a lane is tested.
///
/// # Safety
///
/// No other chunk writes the active elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn gather_masked<T: Copy + Default, P: Pack<T>, M: Mask>(
    source: impl Source<T>,
    index: [usize; LANES],
    mask: M,
    site: &'static Site,
) -> P {
    let (start, len) = source.parts();
    let Some(index) = filled(index, mask) else { return P::of([T::default(); LANES]) };
    check_all(index, len, site);
    // Safety: every index is in range
    P::of(map1(index, |index| unsafe { start.add(index).read() }))
}

/// Members of eight structs, which do not lie side by side.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn members<T: Copy, P: Pack<T>>(member: impl Fn(usize) -> T) -> P {
    P::of([member(0), member(1), member(2), member(3), member(4), member(5), member(6), member(7)])
}

/// The same of the active lanes; the others are zero and not touched.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn members_masked<T: Copy + Default, P: Pack<T>, M: Mask>(mask: M, member: impl Fn(usize) -> T) -> P {
    P::of(map_active(mask, T::default(), member))
}

/// Makes `update` of each active element at `index` and its lane's value, lane after lane: the elements may collide.
/// Callers name a function: a closure is a type of its own, with a copy of this for each level.
///
/// # Safety
///
/// No other chunk touches the active elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn each<T: Copy, M: Mask>(
    target: Disjoint<'_, T>,
    index: [usize; LANES],
    mask: M,
    site: &'static Site,
    values: [T; LANES],
    update: impl Fn(T, T) -> T + Copy,
) {
    check(index, target.len(), mask, site);
    in_each_lane!(lane, {
        if mask.get(lane) {
            // Safety: the index of an active lane is in range
            unsafe {
                let element = target.as_ptr().add(index[lane]);
                element.write(update(element.read(), values[lane]));
            }
        }
    });
}

/// The same of the elements `at .. at + 8` of a stream.
///
/// # Safety
///
/// Active lanes lie in the stream, and no other chunk touches their elements.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn each_of<T: Copy, M: Mask>(
    stream: StreamMut<'_, T>,
    at: usize,
    mask: M,
    values: [T; LANES],
    update: impl Fn(T, T) -> T + Copy,
) {
    in_each_lane!(lane, {
        if mask.get(lane) {
            // Safety: the caller's promise
            unsafe { stream.set(at + lane, update(stream.get(at + lane), values[lane])) };
        }
    });
}

/// The update of [`each`] that puts the value in the place of the element.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn replaced<T>(_: T, value: T) -> T {
    value
}
