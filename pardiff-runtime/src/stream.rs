//! Runs of elements that are checked once and accessed unchecked.
//!
//! A lane loop accesses `x[base + stride * l]` for `l` in `0..n`. Its first and last element bound all of them: a
//! stream is made where both lie in the slice, by arithmetic that notices every overflow, and gives unchecked access
//! to lanes below `n`. Builds with debug assertions check every access again.

use crate::simd::{LANES, Mask, Vector, map1, map2, zip};
use crate::{Disjoint, Element, Zero, ahead};
use std::marker::PhantomData;

/// So many lanes pay for a vector that is not whole.
const WORTH_A_PART: usize = 16 * LANES;

/// Elements to read: element `l` is `base + stride * l` of the slice.
#[derive(Debug)]
pub struct Stream<'a, T> {
    /// Element 0.
    first: *const T,
    /// Modulo 2^64: a stream that goes down has a negative one.
    stride: usize,
    /// Lanes below it may be accessed.
    n: usize,
    borrow: PhantomData<&'a [T]>,
}

/// Elements to read and write: element `l` is `base + stride * l` of what a [`Disjoint`] shares.
///
/// Every access promises what [`Disjoint::read`] and [`Disjoint::write`] ask for.
#[derive(Debug)]
pub struct StreamMut<'a, T> {
    /// Element 0.
    first: *mut T,
    /// Modulo 2^64: a stream that goes down has a negative one.
    stride: usize,
    /// Lanes below it may be accessed.
    n: usize,
    borrow: PhantomData<&'a mut [T]>,
}

/// Whether `base`, `base + stride`, … of `n` elements are all below `len`; a stride that is negative as an `isize` goes down.
/// In few blocks: every lane loop has some of these checks, and blocks are what its optimisation takes longest for.
#[cfg_attr(not(unoptimised), inline(always))]
pub(crate) fn inside(len: usize, base: usize, stride: usize, n: usize) -> bool {
    let (reach, far) = stride.cast_signed().unsigned_abs().overflowing_mul(n.wrapping_sub(1));
    // the largest one is below `len`, and the smallest one is there
    let below = reach <= base;
    let above = reach < len.wrapping_sub(base);
    let there = if stride.cast_signed() < 0 { below } else { above };
    n == 0 || (!far & (base < len) & there)
}

/// The same for a stride of 1.
#[cfg_attr(not(unoptimised), inline(always))]
pub(crate) fn run_inside(len: usize, base: usize, n: usize) -> bool {
    n == 0 || (n <= len && base <= len - n)
}

/// Eight elements that lie one behind the other, those of 32 and 64 bits by loads of registers. A loop that loads its elements
/// one by one is taken by the compiler behind us for one over records of eight fields, and vectorised a second time, with
/// a transposition of everything that it loads and stores.
///
/// # Safety
///
/// The elements may be read.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn whole<T: Element>(from: *const T) -> [T; LANES] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__m128i as Register;
        use std::mem::{transmute, transmute_copy};
        let from = from.cast::<Register>();
        // a register comes apart as a value: copied through memory it would be loads of elements again
        if size_of::<T>() == size_of::<u32>() {
            // Safety: registers of the caller's elements, whose bytes are numbers
            return unsafe {
                let [a, b, c, d] = transmute::<Register, [u32; 4]>(from.read_unaligned());
                let [e, f, g, h] = transmute::<Register, [u32; 4]>(from.add(1).read_unaligned());
                transmute_copy(&[a, b, c, d, e, f, g, h])
            };
        }
        if size_of::<T>() == size_of::<u64>() {
            // Safety: as above
            return unsafe {
                let [a, b] = transmute::<Register, [u64; 2]>(from.read_unaligned());
                let [c, d] = transmute::<Register, [u64; 2]>(from.add(1).read_unaligned());
                let [e, f] = transmute::<Register, [u64; 2]>(from.add(2).read_unaligned());
                let [g, h] = transmute::<Register, [u64; 2]>(from.add(3).read_unaligned());
                transmute_copy(&[a, b, c, d, e, f, g, h])
            };
        }
    }
    // Safety: the caller's promise
    unsafe { from.cast::<[T; LANES]>().read_unaligned() }
}

impl<'a, T> Stream<'a, T> {
    /// Elements `base + stride * l` for `l` in `0..n`; a stride that is negative as an `isize` goes down.
    ///
    /// # Safety
    ///
    /// All of them are [`inside`] the slice.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(crate) unsafe fn new(slice: &'a [T], base: usize, stride: usize, n: usize) -> Stream<'a, T> {
        Stream { first: slice.as_ptr().wrapping_add(base), stride, n, borrow: PhantomData }
    }
}

impl<'a, T: Copy> StreamMut<'a, T> {
    /// As [`Stream::new`].
    ///
    /// # Safety
    ///
    /// All elements are [`inside`] the target.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(crate) unsafe fn new(
        target: Disjoint<'a, T>,
        base: usize,
        stride: usize,
        n: usize,
    ) -> StreamMut<'a, T> {
        StreamMut { first: target.as_ptr().wrapping_add(base), stride, n, borrow: PhantomData }
    }
}

macro_rules! reads {
    ($stream:ident) => {
        impl<T> Clone for $stream<'_, T> {
            #[cfg_attr(not(unoptimised), inline(always))]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $stream<'_, T> {}

        impl<T: Copy> $stream<'_, T> {
            /// The number of lanes that may be accessed.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub fn len(self) -> usize {
                self.n
            }

            /// Whether no lane may be accessed.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub fn is_empty(self) -> bool {
                self.n == 0
            }

            /// How far lane `l` is behind the first one; of lanes below `n` exact.
            #[cfg_attr(not(unoptimised), inline(always))]
            fn offset(self, l: usize) -> isize {
                l.wrapping_mul(self.stride).cast_signed()
            }

            /// The same of eight lanes.
            #[cfg_attr(not(unoptimised), inline(always))]
            fn offsets(self, l: usize) -> [isize; LANES] {
                map1([0, 1, 2, 3, 4, 5, 6, 7], |lane| self.offset(l.wrapping_add(lane)))
            }

            /// The address of lane `l` of a stream of stride 1.
            #[cfg_attr(not(unoptimised), inline(always))]
            fn address(self, l: usize) -> *const T {
                self.first.wrapping_add(l)
            }

            /// Asks for the cache line that a later iteration will come to, of a stream of stride 1. Changes nothing,
            /// and any address may be asked for. A core waits for memory itself where lanes are written and not read
            /// before, and where its own prefetcher is weak.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub fn ahead(self, l: usize) {
                ahead::ahead(self.address(l));
            }

            /// Asks for the cache line that a later iteration will write, of a stream of stride 1, for this core alone.
            /// Changes nothing, and any address may be asked for. A store to a line that is in no near cache holds up
            /// those behind it.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub fn ahead_to_write(self, l: usize) {
                ahead::ahead_to_write_row(self.address(l));
            }

            /// Asks for the cache line that a later loop will come to, where short rows are visited from the last one to the
            /// first, of a stream of stride 1. Changes nothing, and any address may be asked for.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub fn behind(self, l: usize) {
                ahead::behind(self.address(l));
            }

            /// How many lanes come before the first one at which a vector of a stream of stride 1 begins with a cache line, or
            /// with a part of one that holds whole vectors; none where the lanes are few. A function of addresses: nothing
            /// but time may depend on it.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub fn before_line(self) -> usize {
                let vector = LANES * size_of::<T>();
                if self.n < WORTH_A_PART {
                    return 0;
                }
                self.address(0).addr().wrapping_neg() % vector / size_of::<T>()
            }

            #[cfg_attr(not(unoptimised), inline(always))]
            fn check_lanes(self, l: usize) {
                if cfg!(debug_assertions) {
                    assert!(
                        l <= self.n && self.n - l >= LANES,
                        "lanes from {l} on of a stream of {}",
                        self.n
                    );
                }
            }

            #[cfg_attr(not(unoptimised), inline(always))]
            fn check_active<M: Mask>(self, l: usize, mask: M) {
                if cfg!(debug_assertions) {
                    let inside = l < self.n && !(mask & !M::first(self.n - l)).any();
                    assert!(inside || !mask.any(), "active lanes from {l} on of a stream of {}", self.n);
                }
            }

            #[cfg_attr(not(unoptimised), inline(always))]
            fn check_unit(self) {
                if cfg!(debug_assertions) {
                    assert!(self.stride == 1 || self.n <= 1, "a stream of stride {}", self.stride);
                }
            }

            /// Element `l`.
            ///
            /// # Safety
            ///
            /// `l < n`.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub unsafe fn get(self, l: usize) -> T {
                if cfg!(debug_assertions) {
                    assert!(l < self.n, "lane {l} of a stream of {}", self.n);
                }
                // Safety: a lane below `n` lies in the slice
                unsafe { self.first.offset(self.offset(l)).read() }
            }

            /// Elements `l..l + 8`.
            ///
            /// # Safety
            ///
            /// `l + 8 <= n`, and the stride is 1.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub unsafe fn load<V: Vector<T>>(self, l: usize) -> V {
                self.check_lanes(l);
                self.check_unit();
                // Safety: lanes below `n` lie in the slice, one behind the other
                unsafe { V::load(self.first.add(l)) }
            }

            /// Elements `l..l + 8`; lanes that are not active are zero.
            ///
            /// # Safety
            ///
            /// `l + lane < n` for active lanes, and the stride is 1.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub unsafe fn load_masked<V: Vector<T>>(self, l: usize, mask: V::Mask) -> V {
                self.check_active(l, mask);
                self.check_unit();
                // Safety: active lanes lie in the slice, one behind the other; the others are not accessed
                unsafe { V::load_masked(self.address(l), mask) }
            }

            /// Elements `l..l + 8` of any stride.
            ///
            /// # Safety
            ///
            /// `l + 8 <= n`.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub unsafe fn gather<V: Vector<T>>(self, l: usize) -> V {
                self.check_lanes(l);
                // Safety: lanes below `n` lie in the slice
                unsafe { V::gather(self.first, self.offsets(l)) }
            }

            /// Elements `l..l + 8` of any stride; lanes that are not active are zero.
            ///
            /// # Safety
            ///
            /// `l + lane < n` for active lanes.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub unsafe fn gather_masked<V: Vector<T>>(self, l: usize, mask: V::Mask) -> V
            where
                T: Zero,
            {
                self.check_active(l, mask);
                // Safety: active lanes lie in the slice; the others are not accessed
                unsafe { V::gather_masked(self.first, self.offsets(l), mask) }
            }

            /// Elements `l..l + 8`, also where they are no floats, in whole registers.
            ///
            /// # Safety
            ///
            /// `l + 8 <= n`, and the stride is 1.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub unsafe fn whole(self, l: usize) -> [T; LANES]
            where
                T: Element,
            {
                self.check_lanes(l);
                self.check_unit();
                // Safety: lanes below `n` lie in the slice, one behind the other
                unsafe { whole(self.first.add(l)) }
            }

            /// Elements `l..l + 8` of any stride, also where they are no floats.
            ///
            /// # Safety
            ///
            /// `l + 8 <= n`.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub unsafe fn array(self, l: usize) -> [T; LANES] {
                self.check_lanes(l);
                // Safety: lanes below `n` lie in the slice
                map1(self.offsets(l), |offset| unsafe { self.first.offset(offset).read() })
            }

            /// Elements `l..l + 8` of any stride, also where they are no floats; `other` in lanes that are not active.
            ///
            /// # Safety
            ///
            /// `l + lane < n` for active lanes.
            #[cfg_attr(not(unoptimised), inline(always))]
            pub unsafe fn array_masked<M: Mask>(self, l: usize, mask: M, other: T) -> [T; LANES] {
                if mask.all() {
                    // Safety: the caller's promise, for all lanes
                    return unsafe { self.array(l) };
                }
                self.check_active(l, mask);
                map2(self.offsets(l), mask.to_array(), |offset, active| {
                    // Safety: an active lane lies in the slice
                    if active { unsafe { self.first.offset(offset).read() } } else { other }
                })
            }
        }
    };
}

reads! { Stream }
reads! { StreamMut }

impl<T: Copy> StreamMut<'_, T> {
    /// Writes element `l`.
    ///
    /// # Safety
    ///
    /// `l < n`, and the access is as [`Disjoint::write`] asks.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn set(self, l: usize, value: T) {
        if cfg!(debug_assertions) {
            assert!(l < self.n, "lane {l} of a stream of {}", self.n);
        }
        // Safety: a lane below `n` is an element
        unsafe { self.first.offset(self.offset(l)).write(value) }
    }

    /// Writes elements `l..l + 8`.
    ///
    /// # Safety
    ///
    /// `l + 8 <= n`, the stride is 1, and the access is as [`Disjoint::write`] asks.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn store<V: Vector<T>>(self, l: usize, value: V) {
        self.check_lanes(l);
        self.check_unit();
        // Safety: lanes below `n` are elements, one behind the other
        unsafe { value.store(self.first.add(l)) }
    }

    /// Writes the active ones of elements `l..l + 8`.
    ///
    /// # Safety
    ///
    /// `l + lane < n` for active lanes, the stride is 1, and the access is as [`Disjoint::write`] asks.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn store_masked<V: Vector<T>>(self, l: usize, value: V, mask: V::Mask) {
        self.check_active(l, mask);
        self.check_unit();
        // Safety: active lanes are elements, one behind the other; the others are not accessed
        unsafe { value.store_masked(self.address(l).cast_mut(), mask) }
    }

    /// Writes the first `lanes` of elements `l..l + 8`.
    ///
    /// # Safety
    ///
    /// `l + min(lanes, 8) <= n`, the stride is 1, and the access is as [`Disjoint::write`] asks.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn store_first<V: Vector<T>>(self, l: usize, value: V, lanes: usize) {
        self.check_active(l, V::Mask::first(lanes));
        self.check_unit();
        // Safety: these lanes are elements, one behind the other; the others are not accessed
        unsafe { value.store_first(self.address(l).cast_mut(), lanes) }
    }

    /// Writes elements `l..l + 8` of any stride.
    ///
    /// # Safety
    ///
    /// `l + 8 <= n`, and the access is as [`Disjoint::write`] asks.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn scatter<V: Vector<T>>(self, l: usize, value: V) {
        // Safety: the caller's promise
        unsafe { self.scatter_array(l, value.to_array()) }
    }

    /// Writes the active ones of elements `l..l + 8` of any stride.
    ///
    /// # Safety
    ///
    /// `l + lane < n` for active lanes, and the access is as [`Disjoint::write`] asks.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn scatter_masked<V: Vector<T>>(self, l: usize, value: V, mask: V::Mask) {
        // Safety: the caller's promise
        unsafe { self.scatter_array_masked(l, value.to_array(), mask) }
    }

    /// Writes elements `l..l + 8` of any stride, also where they are no floats.
    ///
    /// # Safety
    ///
    /// `l + 8 <= n`, and the access is as [`Disjoint::write`] asks.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn scatter_array(self, l: usize, values: [T; LANES]) {
        self.check_lanes(l);
        map2(self.offsets(l), values, |offset, value| {
            // Safety: lanes below `n` are elements
            unsafe { self.first.offset(offset).write(value) }
        });
    }

    /// Writes the active ones of elements `l..l + 8` of any stride, also where they are no floats.
    ///
    /// # Safety
    ///
    /// `l + lane < n` for active lanes, and the access is as [`Disjoint::write`] asks.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn scatter_array_masked<M: Mask>(self, l: usize, values: [T; LANES], mask: M) {
        self.check_active(l, mask);
        map2(zip(self.offsets(l), values), mask.to_array(), |(offset, value), active| {
            if active {
                // Safety: an active lane is an element
                unsafe { self.first.offset(offset).write(value) }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Baseline, Isa};

    type V = <Baseline as Isa>::F64;
    type M = <Baseline as Isa>::Mask;

    /// Whether all indices are below `len`, without any overflow.
    fn all_inside(len: usize, base: usize, stride: isize, n: usize) -> bool {
        (0..n as i128).all(|l| (0..len as i128).contains(&(base as i128 + stride as i128 * l)))
    }

    fn stream<T>(slice: &[T], base: usize, stride: isize, n: usize) -> Stream<'_, T> {
        assert!(inside(slice.len(), base, stride.cast_unsigned(), n));
        // Safety: the elements are there
        unsafe { Stream::new(slice, base, stride.cast_unsigned(), n) }
    }

    fn stream_mut<T: Copy>(
        target: Disjoint<'_, T>,
        base: usize,
        stride: isize,
        n: usize,
    ) -> StreamMut<'_, T> {
        assert!(inside(target.len(), base, stride.cast_unsigned(), n));
        // Safety: the elements are there
        unsafe { StreamMut::new(target, base, stride.cast_unsigned(), n) }
    }

    #[test]
    fn a_stream_is_there_where_all_its_elements_are() {
        let sizes = [0, 1, 2, 3, 7, 19, 20, 21, usize::MAX / 2, usize::MAX - 1, usize::MAX];
        let strides = [0, 1, 2, 3, 7, 19, 20, 21, isize::MAX, isize::MIN, isize::MIN + 1];
        let strides = strides.into_iter().flat_map(|stride: isize| [stride, stride.wrapping_neg()]);
        for (stride, &base) in strides.flat_map(|stride| sizes.iter().map(move |base| (stride, base))) {
            for n in [0, 1, 2, 3, 8, 20, 21] {
                let expected = all_inside(20, base, stride, n);
                assert_eq!(inside(20, base, stride.cast_unsigned(), n), expected, "{base} + {stride} * {n}");
                if stride == 1 {
                    assert_eq!(run_inside(20, base, n), expected, "{base} and {n} more");
                }
            }
            // as many lanes as no loop has: every product overflows but that with zero
            let all = inside(20, base, stride.cast_unsigned(), usize::MAX);
            assert_eq!(all, base < 20 && stride == 0);
            assert!(!run_inside(20, base, usize::MAX));
            // no array is empty and has elements
            assert!(!inside(0, base, stride.cast_unsigned(), 1) && !run_inside(0, base, 1));
        }
    }

    #[test]
    fn lanes_are_read_forwards_and_backwards() {
        let numbers: Vec<f64> = (0..40).map(f64::from).collect();
        let unit = stream(&numbers, 3, 1, 37);
        let wide = stream(&numbers, 1, 3, 13);
        let back = stream(&numbers, 39, -2, 20);
        assert_eq!((unit.len(), unit.is_empty()), (37, false));
        // Safety: all lanes are below `n`, and active ones where they are masked
        unsafe {
            assert_eq!((unit.get(36), wide.get(12), back.get(19)), (39.0, 37.0, 1.0));
            assert_eq!(unit.load::<V>(29).to_array(), std::array::from_fn(|l| (32 + l) as f64));
            assert_eq!(wide.gather::<V>(5).to_array(), std::array::from_fn(|l| (16 + 3 * l) as f64));
            assert_eq!(back.array(12), std::array::from_fn(|l| (15 - 2 * l) as f64));
            let some = M::first(3);
            let three = |x: [f64; 3], other: f64| std::array::from_fn(|l| if l < 3 { x[l] } else { other });
            assert_eq!(unit.load_masked::<V>(34, some).to_array(), three([37.0, 38.0, 39.0], 0.0));
            assert_eq!(wide.gather_masked::<V>(10, some).to_array(), three([31.0, 34.0, 37.0], 0.0));
            assert_eq!(back.array_masked(17, some, -1.0), three([5.0, 3.0, 1.0], -1.0));
        }
    }

    #[test]
    fn integers_are_read_in_whole_registers() {
        fn read<T: Element + PartialEq + std::fmt::Debug>(of: impl Fn(u8) -> T) {
            let numbers: Vec<T> = (0..40).map(&of).collect();
            let stream = stream(&numbers, 3, 1, 37);
            // Safety: all lanes are below `n`
            let lanes = unsafe { stream.whole(29) };
            assert_eq!(lanes, std::array::from_fn(|l| of(32 + l as u8)));
        }
        read(|number| number);
        read(u16::from);
        read(|number| u32::from(number) << 20);
        read(|number| i64::from(number) - 35);
        read(u128::from);
        read(|number| number % 3 == 0);
    }

    #[test]
    fn long_streams_say_where_the_first_line_begins() {
        let values = vec![0.0; 4 * WORTH_A_PART];
        for base in 0..2 * LANES {
            let stream = |n| stream(&values, base, 1, n);
            assert_eq!(stream(WORTH_A_PART - 1).before_line(), 0);
            let before = stream(WORTH_A_PART).before_line();
            assert!(before < LANES);
            assert_eq!(stream(WORTH_A_PART).address(before).addr() % (LANES * size_of::<f64>()), 0);
        }
    }

    #[test]
    fn lanes_are_written_forwards_and_backwards() {
        let mut numbers = vec![0.0; 40];
        let target = Disjoint::new(&mut numbers);
        let unit = stream_mut(target, 0, 1, 10);
        let wide = stream_mut(target, 11, 2, 9);
        let back = stream_mut(target, 39, -1, 10);
        let values = V::from_array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        // Safety: all lanes are below `n`, and active ones where they are masked; there is one thread
        unsafe {
            unit.store(0, values);
            unit.store_masked(8, values, M::first(2));
            unit.store_first(8, values, 1);
            wide.scatter(0, values);
            wide.scatter_masked(8, values, M::first(1));
            back.scatter_array(0, values.to_array());
            back.scatter_array_masked(8, values.to_array(), M::first(1));
            back.set(9, unit.get(9) + 0.5);
            assert_eq!(unit.load_masked::<V>(0, M::splat(false)).to_array(), [0.0; 8]);
        }
        let mut expected = vec![0.0; 40];
        expected[..10].copy_from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 1.0, 2.0]);
        for (l, value) in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 1.0].into_iter().enumerate() {
            expected[11 + 2 * l] = value;
        }
        expected[30..].copy_from_slice(&[2.5, 1.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
        assert_eq!(numbers, expected);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "active lanes from 34 on of a stream of 37")]
    fn debug_assertions_check_every_access() {
        let numbers = [0.0; 40];
        let stream = stream(&numbers, 0, 1, 37);
        // Safety: broken on purpose, inside of the slice
        unsafe { stream.load_masked::<V>(34, M::first(4)) };
    }
}
