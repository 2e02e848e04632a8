//! Buffers of the pool that grow as they are written: tapes of loops whose end is not known when they begin.

use super::{Arena, Element, Kept, pool, slice};
use std::ops::{Deref, DerefMut};

/// Buffers of fewer bytes grow by twice their size, and do not look for what an earlier call has left.
const SMALL: usize = 1 << 14;

/// So many classes larger may be what an earlier call has left: 64 times as much.
const CLASSES_ABOVE: usize = 24;

impl Arena {
    /// The memory to which a buffer had grown in an earlier call, perhaps: what is in it need not move then.
    #[expect(clippy::mut_from_ref, reason = "each buffer is memory of its own")]
    fn spacious<T: Element>(&self, len: usize) -> Option<&mut [T]> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes >= SMALL)?;
        let (block, class) = pool::kept_above(pool::class_of(bytes), CLASSES_ABOVE)?;
        let len = pool::bytes_of(class) / size_of::<T>();
        let start = self.lend(block, class, len * size_of::<T>());
        // Safety: the block is as large, and lent to this buffer until the arena ends, which is borrowed, or the buffer comes back
        let buffer = unsafe { slice(start, len, !T::ANY_BITS) };
        Some(buffer)
    }
}

/// A buffer that grows as it is written.
#[derive(Debug)]
pub struct Growing<'a, T: Element> {
    arena: &'a Arena,
    buffer: &'a mut [T],
    len: usize,
}

impl<'a, T: Element> Growing<'a, T> {
    /// No elements, and no memory.
    #[inline]
    pub fn new(arena: &'a Arena) -> Growing<'a, T> {
        Growing { arena, buffer: &mut [], len: 0 }
    }

    /// Gives the memory back before the end of the arena.
    #[inline]
    pub fn end(self) {
        // Safety: the buffer is reached through this value alone, which ends, and with it whatever was borrowed from it
        unsafe { self.arena.give_back(self.buffer) }
    }

    /// What was written, as an array of these extents that outlives the arena.
    #[inline]
    pub fn keep<const R: usize>(self, extents: [usize; R]) -> Kept<T, R> {
        // Safety: as of `end`
        unsafe { Kept::new(self.arena, self.buffer, extents) }.shortened(self.len)
    }

    /// Forgets the elements, and keeps their memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// An element to be written; elements that are skipped are zero.
    #[inline]
    pub fn slot(&mut self, position: usize) -> &mut T {
        if position == self.len && position < self.buffer.len() {
            self.zero(position + 1);
            self.len = position + 1;
        } else if position >= self.len {
            self.skip_to(position);
        }
        &mut self.buffer[position]
    }

    /// Has so many rows of so many elements, at least. Those that are new are unspecified (NaN and the like in
    /// builds with debug assertions).
    ///
    /// # Panics
    ///
    /// Where no machine holds them, or they are more than `isize::MAX`, however short.
    #[inline]
    pub fn reach(&mut self, rows: usize, row: usize) {
        let end = if rows > isize::MAX as usize { usize::MAX } else { rows.saturating_mul(row) };
        if end > self.len {
            self.reserve(end);
            if cfg!(debug_assertions) {
                self.buffer[self.len..end].fill(T::POISON);
            } else if !T::ANY_BITS {
                self.zero(end);
            }
            self.len = end;
        }
    }

    #[cold]
    #[inline(never)]
    fn skip_to(&mut self, position: usize) {
        let end = position.saturating_add(1);
        self.reserve(end);
        self.zero(end);
        self.len = end;
    }

    /// Sets what is between the last element and `end` to zero.
    #[inline]
    fn zero(&mut self, end: usize) {
        let new = &mut self.buffer[self.len..end];
        // Safety: the bytes are those of the slice, and zeroed bytes are a value
        unsafe { new.as_mut_ptr().write_bytes(0, new.len()) }
    }

    /// Makes room for `end` elements: twice as much as before at least, so that growing costs little.
    fn reserve(&mut self, end: usize) {
        if end <= self.buffer.len() {
            return;
        }
        let line = 64 / size_of::<T>().max(1);
        let len = end.max(2 * self.buffer.len()).max(line);
        let larger = self.arena.spacious(len).unwrap_or_else(|| self.arena.scratch(len));
        larger[..self.len].copy_from_slice(&self.buffer[..self.len]);
        let smaller = std::mem::replace(&mut self.buffer, larger);
        // Safety: the buffer was reached through this value alone, from which nothing is borrowed now
        unsafe { self.arena.give_back(smaller) }
    }
}

impl<T: Element> Deref for Growing<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.buffer[..self.len]
    }
}

impl<T: Element> DerefMut for Growing<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.buffer[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::alone;
    use super::*;

    #[test]
    fn a_slot_grows_the_buffer() {
        let _alone = alone();
        let arena = Arena::new();
        let mut buffer = Growing::new(&arena);
        *buffer.slot(2) = 3.0;
        *buffer.slot(0) = 1.0;
        assert_eq!(buffer[..], [1.0, 0.0, 3.0]);
        buffer.clear();
        *buffer.slot(1) = 2.0;
        assert_eq!(buffer[..], [0.0, 2.0]);
    }

    #[test]
    fn rows_grow_the_buffer_and_keep_what_was_there() {
        let _alone = alone();
        let arena = Arena::new();
        let mut buffer = Growing::new(&arena);
        for row in 0..100 {
            buffer.reach(row + 1, 7);
            assert_eq!(buffer.len(), 7 * (row + 1));
            buffer[7 * row..].fill(row);
        }
        assert!((0..700).all(|at| buffer[at] == at / 7));
        buffer.reach(4, 7);
        assert_eq!(buffer.len(), 700);
        let mut none = Growing::<f64>::new(&arena);
        none.reach(isize::MAX as usize, 0);
        assert!(none.is_empty());
    }

    #[test]
    fn bools_of_new_rows_are_bools() {
        let _alone = alone();
        Arena::new().scratch::<u8>(1000);
        let arena = Arena::new();
        let mut buffer = Growing::<bool>::new(&arena);
        buffer.reach(10, 100);
        assert!(buffer.iter().all(|&it| it == cfg!(debug_assertions)));
    }

    #[test]
    fn what_an_earlier_buffer_grew_to_is_used_again() {
        let _alone = alone();
        super::super::release_scratch();
        let arena = Arena::new();
        let mut first = Growing::<f64>::new(&arena);
        first.reach(1, 100_000);
        let address = first.as_ptr();
        first.end();
        let mut second = Growing::<f64>::new(&arena);
        second.reach(1, 10_000);
        assert_eq!(second.as_ptr(), address);
        second.reach(10, 10_000);
        assert_eq!(second.as_ptr(), address);
    }

    #[test]
    fn what_has_grown_is_kept_without_the_room_behind_it() {
        let _alone = alone();
        let arena = Arena::new();
        let mut buffer = Growing::<f64>::new(&arena);
        buffer.reach(3, 7);
        buffer.fill(1.5);
        let kept = buffer.keep([3, 7]);
        drop(arena);
        assert_eq!(kept.elements(), [1.5; 21]);
    }

    #[test]
    #[should_panic = "too large for this machine"]
    fn rows_that_no_machine_holds_panic() {
        let _alone = alone();
        Growing::<f64>::new(&Arena::new()).reach(1 << 40, 1 << 40);
    }
}
