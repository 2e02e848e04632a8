//! Scratch buffers that survive the call: fresh memory costs its page faults again and again.
//!
//! *Comes in*: a length. *Goes out*: a buffer that is aligned to a cache line, lent by the [`Arena`] of the call; it comes
//! back when that is dropped, also by a panic, whichever thread drops it. *Guarantees*: the bytes are initialised, and
//! valid for the element. *Never*: promises what the contents are; [`Arena::scratch_zeroed`] does.

mod growing;
mod kept;
mod pool;
mod room;

pub use growing::Growing;
pub use kept::Kept;
pub use room::Room;

use pool::{ALIGN, Block, class_of};
use std::cell::RefCell;
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
    /// What the contents are in builds with debug assertions: a value that no program can mistake for its own.
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

/// The buffers that one call has of the pool, or one task of it.
///
/// Nothing that uses a buffer owns it: what owns memory has to be dropped where something panics, so every operation between
/// would be a place from which control may leave. That made LLVM's work on a long task seven times as much.
#[derive(Debug, Default)]
pub struct Arena {
    lent: RefCell<Vec<Lent>>,
}

/// A block that is lent.
#[derive(Debug)]
struct Lent {
    block: Block,
    class: usize,
    bytes: usize,
}

impl Arena {
    /// Nothing is lent yet.
    #[inline]
    pub const fn new() -> Arena {
        Arena { lent: RefCell::new(Vec::new()) }
    }

    /// A buffer of `len` elements, whose contents are unspecified (NaN and the like in builds with debug assertions).
    ///
    /// # Panics
    ///
    /// Where the machine has not so much memory.
    #[inline]
    pub fn scratch<T: Element>(&self, len: usize) -> &mut [T] {
        let buffer = self.take(len, !T::ANY_BITS);
        if cfg!(debug_assertions) {
            buffer.fill(T::POISON);
        }
        buffer
    }

    /// A buffer of `len` zeros.
    ///
    /// # Panics
    ///
    /// Where the machine has not so much memory.
    #[inline]
    pub fn scratch_zeroed<T: Element>(&self, len: usize) -> &mut [T] {
        self.take(len, true)
    }

    /// Gives a whole buffer of this arena back before its end. Anything else stays what it is.
    ///
    /// # Safety
    ///
    /// Nobody uses the buffer afterwards: what is given is not borrowed again from a reference that is still used, as in
    /// `give_back(&mut *buffer)`. The next buffer may be the same memory.
    #[inline]
    pub unsafe fn give_back<'a, T: Element>(&'a self, buffer: &'a mut [T]) {
        self.end(NonNull::from(&mut *buffer).cast(), size_of_val(buffer));
    }

    /// A buffer, of zeros if asked for.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "each buffer is memory of its own")]
    fn take<T: Element>(&self, len: usize, zeros: bool) -> &mut [T] {
        const { assert!(align_of::<T>() <= ALIGN) };
        let (start, fresh) = self.block(len, size_of::<T>());
        // Safety: the block is as large, and lent to this buffer until the arena ends, which is borrowed, or the buffer comes back;
        // a new allocation is zeros
        unsafe { slice(start, len, zeros && !fresh) }
    }

    /// The block of a buffer, and whether its bytes are zeros of a new allocation. Compiled once, here: a generated function takes
    /// dozens of buffers. What takes them is inlined, so that their lengths are known.
    #[inline(never)]
    fn block(&self, len: usize, size: usize) -> (NonNull<u8>, bool) {
        let bytes = len.checked_mul(size).filter(|&bytes| bytes <= isize::MAX as usize);
        let Some(bytes) = bytes else { too_large(len) };
        if bytes == 0 {
            let start = NonNull::without_provenance(const { std::num::NonZeroUsize::new(ALIGN).unwrap() });
            return (start, true);
        }
        let class = class_of(bytes);
        let (block, fresh) = match pool::kept(class) {
            Some(block) => (block, false),
            None => (pool::fresh(class).unwrap_or_else(|| too_large(len)), true),
        };
        (self.lend(block, class, bytes), fresh)
    }

    /// Lends a block of a class, of which so many bytes are used.
    fn lend(&self, block: Block, class: usize, bytes: usize) -> NonNull<u8> {
        let start = block.start;
        self.lent.borrow_mut().push(Lent { block, class, bytes });
        start
    }

    /// What was lent last comes back first, as a rule.
    #[inline(never)]
    fn end(&self, start: NonNull<u8>, bytes: usize) {
        let mut lent = self.lent.borrow_mut();
        // a part of a buffer is not the buffer: the other part may be in use
        let whole = |it: &Lent| it.block.start == start && it.bytes == bytes;
        if let Some(at) = lent.iter().rposition(whole) {
            let Lent { block, class, .. } = lent.swap_remove(at);
            pool::keep(class, block);
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for Lent { block, class, .. } in self.lent.get_mut().drain(..).rev() {
            pool::keep(class, block);
        }
    }
}

/// The elements of a block that is lent, which become zero first if asked for.
///
/// # Safety
///
/// The block holds `len` elements, is aligned, and belongs to nobody else while the result lives. Its bytes are initialised;
/// they are those of elements, or `zeros` are asked for.
#[inline]
unsafe fn slice<'a, T: Element>(start: NonNull<u8>, len: usize, zeros: bool) -> &'a mut [T] {
    let start = start.cast::<T>().as_ptr();
    if zeros {
        // Safety: the caller's promise; zeroed bytes are a value
        unsafe { start.write_bytes(0, len) }
    }
    // Safety: the caller's promise
    unsafe { std::slice::from_raw_parts_mut(start, len) }
}

#[cold]
fn too_large(len: usize) -> ! {
    panic!("a scratch buffer of {len} elements is too large for this machine")
}

/// Gives all memory of the pool back to the system; buffers in use come back to the pool when they are dropped.
pub fn release_scratch() {
    pool::release();
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
    fn buffers_are_aligned_and_as_long_as_asked_for() {
        let _alone = alone();
        for len in [0, 1, 7, 8, 9, 1000] {
            let arena = Arena::new();
            let (a, b) = (arena.scratch::<f64>(len), arena.scratch::<u8>(len));
            let c = arena.scratch_zeroed::<[f32; 3]>(len);
            assert_eq!((a.len(), b.len(), c.len()), (len, len, len));
            assert!([a.as_ptr().addr(), b.as_ptr().addr(), c.as_ptr().addr()].iter().all(|p| p % 64 == 0));
            assert!(c.iter().all(|c| *c == [0.0; 3]));
            a.fill(1.0);
            b.fill(2);
            assert!(a.iter().all(|&x| x == 1.0) && c.iter().all(|c| *c == [0.0; 3]));
        }
    }

    #[test]
    fn the_next_buffer_of_the_size_is_the_last_one_that_came_back() {
        let _alone = alone();
        let arena = Arena::new();
        let first = arena.scratch::<f64>(7_001);
        first.fill(3.0);
        let address = first.as_ptr();
        // Safety: `first` was the only reference
        unsafe { arena.give_back(first) }
        let second = arena.scratch_zeroed::<f64>(7_001);
        assert_eq!(second.as_ptr(), address);
        assert!(second.iter().all(|&x| x == 0.0));
        let third = arena.scratch::<f64>(7_001);
        assert_ne!(third.as_ptr(), address);
    }

    #[test]
    fn what_is_not_a_whole_buffer_of_the_arena_stays() {
        let _alone = alone();
        release_scratch();
        let (arena, other) = (Arena::new(), Arena::new());
        let (first, rest) = arena.scratch::<f64>(100).split_at_mut(40);
        // Safety: nobody has another reference to any of the three
        unsafe { arena.give_back(first) }
        rest.fill(1.0);
        unsafe {
            other.give_back(arena.scratch::<f64>(100));
            arena.give_back(vec![0.0_f64; 100].leak());
        }
        assert_eq!(pool::blocks(), 0);
        drop(arena);
        assert_eq!(pool::blocks(), 2);
    }

    #[test]
    fn bools_are_bools_whatever_was_there() {
        let _alone = alone();
        Arena::new().scratch::<u8>(1_003).fill(0xa5);
        let arena = Arena::new();
        let bools = arena.scratch::<bool>(1_003);
        assert!(bools.iter().all(|&b| b == cfg!(debug_assertions)));
    }

    #[test]
    fn contents_are_poison_under_debug_assertions() {
        let _alone = alone();
        let arena = Arena::new();
        if cfg!(debug_assertions) {
            assert!(arena.scratch::<f64>(100).iter().all(|x| x.is_nan()));
            assert!(arena.scratch::<usize>(100).iter().all(|&x| x == usize::MAX));
        }
        let buffer = arena.scratch_zeroed::<[f32; 2]>(3);
        buffer.fill(Element::POISON);
        assert!(buffer.iter().flatten().all(|x| x.is_nan()));
    }

    #[test]
    fn a_panic_gives_the_buffers_back() {
        let _alone = alone();
        let mut address = std::ptr::null();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let arena = Arena::new();
            address = arena.scratch::<i64>(55_555).as_ptr();
            panic!("with the buffer");
        }));
        assert!(panicked.is_err());
        assert_eq!(Arena::new().scratch::<i64>(55_555).as_ptr(), address);
    }

    #[test]
    fn release_leaves_nothing_in_the_pool() {
        let _alone = alone();
        let arena = Arena::new();
        let kept = arena.scratch_zeroed::<f64>(33);
        let other = Arena::new();
        let _both = (other.scratch::<f64>(10), other.scratch::<f64>(1_000));
        drop(other);
        assert!(pool::blocks() >= 2);
        release_scratch();
        assert_eq!(pool::blocks(), 0);
        assert!(kept.iter().all(|&x| x == 0.0));
        drop(arena);
        assert_eq!(pool::blocks(), 1);
    }

    #[test]
    fn large_buffers_begin_in_different_places_of_a_page() {
        let _alone = alone();
        release_scratch();
        let places = |bytes: usize| {
            let arena = Arena::new();
            let buffers: Vec<_> = (0..8).map(|_| arena.scratch_zeroed::<u8>(bytes)).collect();
            assert!(buffers.iter().all(|buffer| buffer.iter().all(|&byte| byte == 0)));
            let places = buffers.iter().map(|buffer| buffer.as_ptr().addr() % 4096);
            places.collect::<std::collections::HashSet<usize>>()
        };
        let large = places(1 << 16);
        assert!(large.len() > 4 && large.iter().all(|place| place % ALIGN == 0), "{large:?}");
        // every byte of them is there, and goes back
        Arena::new().scratch::<u8>(1 << 16).fill(7);
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
                        let arena = Arena::new();
                        let mut buffers = [100, 100 + round, 2000].map(|len| arena.scratch::<u64>(len));
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
                let arena = Arena::new();
                of_rounds.push(arena.scratch::<f64>(77_777).as_ptr().addr());
                // both have one, and both give it back, before the next round
                turn.wait();
                drop(arena);
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
        let address = || Arena::new().scratch::<f64>(88_888).as_ptr().addr();
        let given = std::thread::spawn(address).join().unwrap();
        assert_eq!(address(), given);
    }

    #[test]
    #[should_panic(expected = "a scratch buffer of 2305843009213693952 elements is too large")]
    #[cfg(target_pointer_width = "64")]
    fn more_than_the_machine_has_panics() {
        Arena::new().scratch::<f64>(1 << 61);
    }
}
