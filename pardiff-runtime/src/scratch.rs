//! Scratch buffers that survive the call: fresh memory costs its page faults again and again.
//!
//! *Comes in*: a length. *Goes out*: a buffer that is aligned to a cache line, by value; it comes back when it is
//! dropped, also by a panic, whichever thread drops it. *Guarantees*: the bytes are initialised, and valid for the
//! element. *Never*: promises what the contents are; [`scratch_zeroed`] does.

mod growing;
mod pool;

pub use growing::Growing;

use pool::{ALIGN, Block, class_of};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// What may stand in a scratch buffer: numbers, bools, and arrays of them.
///
/// # Safety
///
/// `size_of::<Self>()` has no padding, the alignment is at most 64, `Self` has no drop glue, and zeroed bytes are a
/// value of `Self`. If `ANY_BITS`, all initialised bytes are.
pub unsafe trait Element: Copy + 'static {
    /// Whether any initialised bytes are a value.
    const ANY_BITS: bool;
    /// What the contents are under `cfg(pardiff_checked)`: a value that no program can mistake for its own.
    const POISON: Self;
}

macro_rules! elements {
    ($($ty:ident $poison:expr;)*) => {
        $(
            // Safety: a number; its bytes are its value
            unsafe impl Element for $ty {
                const ANY_BITS: bool = true;
                const POISON: $ty = $poison;
            }
        )*
    };
}

elements! {
    f32 f32::NAN; f64 f64::NAN;
    i8 i8::MIN; i16 i16::MIN; i32 i32::MIN; i64 i64::MIN; i128 i128::MIN; isize isize::MIN;
    u8 u8::MAX; u16 u16::MAX; u32 u32::MAX; u64 u64::MAX; u128 u128::MAX; usize usize::MAX;
}

// Safety: zero is `false`; other bytes are not used as they are
unsafe impl Element for bool {
    const ANY_BITS: bool = false;
    const POISON: bool = true;
}

// Safety: an array has no padding of its own
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const ANY_BITS: bool = T::ANY_BITS;
    const POISON: [T; N] = [T::POISON; N];
}

/// A buffer of the pool.
#[derive(Debug)]
pub struct Scratch<T: Element> {
    start: NonNull<T>,
    len: usize,
    /// The class of the block; `None` if there is none, because the buffer is empty.
    class: Option<usize>,
    own: PhantomData<T>,
}

// Safety: a buffer owns its elements
unsafe impl<T: Element + Send> Send for Scratch<T> {}
// Safety: a shared buffer gives shared elements
unsafe impl<T: Element + Sync> Sync for Scratch<T> {}

/// A buffer of `len` elements, whose contents are unspecified (NaN and the like under `cfg(pardiff_checked)`).
pub fn scratch<T: Element>(len: usize) -> Scratch<T> {
    let (mut buffer, fresh) = take(len);
    if cfg!(pardiff_checked) {
        buffer.fill_with(T::POISON);
    } else if !T::ANY_BITS && !fresh {
        buffer.zero();
    }
    buffer
}

/// A buffer of `len` zeros.
pub fn scratch_zeroed<T: Element>(len: usize) -> Scratch<T> {
    let (mut buffer, fresh) = take(len);
    if !fresh {
        buffer.zero();
    }
    buffer
}

/// One buffer for arrays that live one after the other, each with a length of its own.
#[derive(Debug, Default)]
pub struct Room<T: Element> {
    buffer: Option<Scratch<T>>,
}

impl<T: Element> Room<T> {
    /// Room for nothing.
    pub const fn new() -> Room<T> {
        Room { buffer: None }
    }

    /// An array of `len` elements, whose contents are unspecified (NaN and the like under `cfg(pardiff_checked)`).
    pub fn array(&mut self, len: usize) -> &mut [T] {
        let enough = self.buffer.take().filter(|buffer| buffer.len() >= len);
        let buffer = self.buffer.insert(match enough {
            Some(mut buffer) => {
                if cfg!(pardiff_checked) {
                    buffer.fill_with(T::POISON);
                }
                buffer
            }
            // twice as much as before at least, so that growing costs little
            None => scratch(len.checked_next_power_of_two().unwrap_or(len)),
        });
        &mut buffer[..len]
    }
}

/// Gives all memory of the pool back to the system; buffers in use come back to the pool when they are dropped.
pub fn release_scratch() {
    pool::release();
}

/// A buffer whose bytes are initialised, and whether they are zeros of a new allocation.
fn take<T: Element>(len: usize) -> (Scratch<T>, bool) {
    const { assert!(align_of::<T>() <= ALIGN) };
    let (start, class, fresh) = block(len, size_of::<T>());
    (Scratch { start: start.cast(), len, class, own: PhantomData }, fresh)
}

/// The block of a buffer, its class, and whether its bytes are zeros of a new allocation. Compiled once, here: a generated
/// function takes dozens of buffers. What takes them is inlined, so that their lengths are known.
#[inline(never)]
fn block(len: usize, size: usize) -> (NonNull<u8>, Option<usize>, bool) {
    let bytes = len.checked_mul(size).filter(|&bytes| bytes <= isize::MAX as usize);
    let Some(bytes) = bytes else {
        panic!("a scratch buffer of {len} elements is too large for this machine")
    };
    if bytes == 0 {
        let start = NonNull::without_provenance(const { std::num::NonZeroUsize::new(ALIGN).unwrap() });
        return (start, None, true);
    }
    let class = class_of(bytes);
    let (block, fresh) = match pool::kept(class) {
        Some(block) => (block, false),
        None => match pool::fresh(class) {
            Some(block) => (block, true),
            None => panic!("a scratch buffer of {len} elements is too large for this machine"),
        },
    };
    (block.start, Some(class), fresh)
}

impl<T: Element> Scratch<T> {
    fn zero(&mut self) {
        // Safety: the block holds `len` elements, and zeroed bytes are a value
        unsafe { self.start.as_ptr().write_bytes(0, self.len) }
    }

    fn fill_with(&mut self, value: T) {
        for index in 0..self.len {
            // Safety: the block holds `len` elements; what is written is no reference to what was there
            unsafe { self.start.add(index).write(value) }
        }
    }
}

impl<T: Element> Deref for Scratch<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // Safety: the block holds `len` values and is borrowed with the buffer
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Element> DerefMut for Scratch<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // Safety: the block holds `len` values and is borrowed with the buffer
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: Element> Drop for Scratch<T> {
    fn drop(&mut self) {
        if let Some(class) = self.class {
            pool::keep(class, Block { start: self.start.cast() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

    /// The pool is one for all tests of the process: they look at it one after the other.
    static POOL_IS_MINE: Mutex<()> = Mutex::new(());

    pub(super) fn alone() -> MutexGuard<'static, ()> {
        POOL_IS_MINE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn a_room_serves_arrays_of_any_length() {
        let _alone = alone();
        let mut room = Room::<f64>::new();
        assert_eq!(room.array(0).len(), 0);
        let first = room.array(1000).as_ptr();
        room.array(1000).fill(1.0);
        assert_eq!((room.array(3).len(), room.array(3).as_ptr()), (3, first));
        assert_eq!(room.array(1001).len(), 1001);
    }

    #[test]
    fn buffers_are_aligned_and_as_long_as_asked_for() {
        let _alone = alone();
        for len in [0, 1, 7, 8, 9, 1000] {
            let (mut a, b, c) = (scratch::<f64>(len), scratch::<u8>(len), scratch_zeroed::<[f32; 3]>(len));
            assert_eq!((a.len(), b.len(), c.len()), (len, len, len));
            assert!(
                [a.as_ptr() as usize, b.as_ptr() as usize, c.as_ptr() as usize].iter().all(|p| p % 64 == 0)
            );
            assert!(c.iter().all(|c| *c == [0.0; 3]));
            a.fill(1.0);
            assert!(a.iter().all(|&x| x == 1.0));
        }
    }

    #[test]
    fn the_next_buffer_of_the_size_is_the_last_one_that_came_back() {
        let _alone = alone();
        let mut first = scratch::<f64>(7_001);
        first.fill(3.0);
        let address = first.as_ptr();
        drop(first);
        let second = scratch_zeroed::<f64>(7_001);
        assert_eq!(second.as_ptr(), address);
        assert!(second.iter().all(|&x| x == 0.0));
        let third = scratch::<f64>(7_001);
        assert_ne!(third.as_ptr(), address);
    }

    #[test]
    fn bools_are_bools_whatever_was_there() {
        let _alone = alone();
        drop(scratch_filled(1_003, 0xa5));
        let bools = scratch::<bool>(1_003);
        assert!(bools.iter().all(|&b| b == cfg!(pardiff_checked)));
    }

    fn scratch_filled(len: usize, byte: u8) -> Scratch<u8> {
        let mut bytes = scratch::<u8>(len);
        bytes.fill(byte);
        bytes
    }

    #[test]
    fn contents_are_poison_in_the_checked_build() {
        let _alone = alone();
        if cfg!(pardiff_checked) {
            assert!(scratch::<f64>(100).iter().all(|x| x.is_nan()));
            assert!(scratch::<usize>(100).iter().all(|&x| x == usize::MAX));
        }
        let mut buffer = scratch_zeroed::<[f32; 2]>(3);
        buffer.fill_with(Element::POISON);
        assert!(buffer.iter().flatten().all(|x| x.is_nan()));
    }

    #[test]
    fn a_panic_gives_the_buffer_back() {
        let _alone = alone();
        let mut address = std::ptr::null();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let buffer = scratch::<i64>(55_555);
            address = buffer.as_ptr();
            panic!("with the buffer");
        }));
        assert!(panicked.is_err());
        assert_eq!(scratch::<i64>(55_555).as_ptr(), address);
    }

    #[test]
    fn release_leaves_nothing_in_the_pool() {
        let _alone = alone();
        let kept = scratch_zeroed::<f64>(33);
        drop((scratch::<f64>(10), scratch::<f64>(1_000)));
        assert!(pool::blocks() >= 2);
        release_scratch();
        assert_eq!(pool::blocks(), 0);
        assert!(kept.iter().all(|&x| x == 0.0));
        drop(kept);
        assert_eq!(pool::blocks(), 1);
    }

    #[test]
    fn large_buffers_begin_in_different_places_of_a_page() {
        let _alone = alone();
        release_scratch();
        let places = |bytes: usize| {
            let buffers: Vec<_> = (0..8).map(|_| scratch_zeroed::<u8>(bytes)).collect();
            assert!(buffers.iter().all(|buffer| buffer.iter().all(|&byte| byte == 0)));
            let places = buffers.iter().map(|buffer| buffer.as_ptr().addr() % 4096);
            places.collect::<std::collections::HashSet<usize>>()
        };
        let large = places(1 << 16);
        assert!(large.len() > 4 && large.iter().all(|place| place % ALIGN == 0), "{large:?}");
        // every byte of them is there, and goes back
        let mut buffer = scratch_zeroed::<u8>(1 << 16);
        buffer.fill(7);
        drop(buffer);
        release_scratch();
        assert_eq!(pool::blocks(), 0);
    }

    #[test]
    fn threads_share_the_pool_and_no_buffer() {
        let _alone = alone();
        let rounds = if cfg!(miri) { 5 } else { 500 };
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                scope.spawn(move || {
                    for round in 0..rounds {
                        let mut buffers =
                            [scratch::<u64>(100), scratch::<u64>(100 + round), scratch::<u64>(2000)];
                        buffers.iter_mut().for_each(|buffer| buffer.fill(thread));
                        std::thread::yield_now();
                        assert!(buffers.iter().all(|buffer| buffer.iter().all(|&x| x == thread)));
                    }
                });
            }
        });
    }

    #[test]
    fn a_thread_gets_its_own_buffers_back() {
        let _alone = alone();
        let rounds = if cfg!(miri) { 3 } else { 100 };
        let turn = Barrier::new(2);
        let addresses = || {
            let mut of_rounds = Vec::new();
            for _ in 0..rounds {
                let buffer = scratch::<f64>(77_777);
                of_rounds.push(buffer.as_ptr() as usize);
                // both have one, and both give it back, before the next round
                turn.wait();
                drop(buffer);
                turn.wait();
            }
            of_rounds
        };
        let (one, other) = std::thread::scope(|scope| {
            let (one, other) = (scope.spawn(addresses), scope.spawn(addresses));
            (one.join().unwrap(), other.join().unwrap())
        });
        assert!(one.iter().all(|&address| address == one[0]));
        assert!(other.iter().all(|&address| address == other[0]));
        assert_ne!(one[0], other[0]);
    }

    #[test]
    fn what_one_thread_gave_back_another_may_have() {
        let _alone = alone();
        let given = std::thread::spawn(|| scratch::<f64>(88_888).as_ptr() as usize).join().unwrap();
        assert_eq!(scratch::<f64>(88_888).as_ptr() as usize, given);
    }

    #[test]
    #[should_panic(expected = "a scratch buffer of 2305843009213693952 elements is too large")]
    #[cfg(target_pointer_width = "64")]
    fn more_than_the_machine_has_panics() {
        scratch::<f64>(1 << 61);
    }
}
