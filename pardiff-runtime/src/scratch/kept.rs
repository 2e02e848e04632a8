//! Memory that outlives the call that wrote it: a tape between a forward and a reverse sweep.

use super::pool::{self, Block};
use super::{Arena, Element};
use std::fmt;
use std::ptr::NonNull;

/// An array that a call has left, of `R` dimensions. Its memory is the pool's, and goes back there when it is dropped.
pub struct Kept<T: Element, const R: usize> {
    /// With its class; `None` where there are no bytes.
    block: Option<(Block, usize)>,
    start: NonNull<T>,
    len: usize,
    extents: [usize; R],
}

// Safety: it owns its memory, as a `Vec` does, and elements are plain numbers
unsafe impl<T: Element, const R: usize> Send for Kept<T, R> {}
// Safety: shared references give shared slices of plain numbers alone
unsafe impl<T: Element, const R: usize> Sync for Kept<T, R> {}

impl<T: Element, const R: usize> Kept<T, R> {
    /// A whole buffer of an arena, which no longer lends it, as an array of these extents.
    ///
    /// # Safety
    ///
    /// The arena has lent `buffer` as it is, or it is empty, and nobody uses it afterwards: what is given is not borrowed
    /// again from a reference that is still used.
    #[inline]
    pub unsafe fn new(arena: &Arena, buffer: &mut [T], extents: [usize; R]) -> Kept<T, R> {
        let (start, bytes) = (NonNull::from(&mut *buffer).cast::<T>(), size_of_val(buffer));
        Kept { block: arena.let_go(start.cast(), bytes), start, len: buffer.len(), extents }
    }

    /// A copy of an array that is not in memory of an arena.
    #[inline]
    pub fn copied(array: &[T], extents: [usize; R]) -> Kept<T, R> {
        let arena = Arena::new();
        let buffer = arena.scratch(array.len());
        buffer.copy_from_slice(array);
        // Safety: the buffer is the arena's, and its only reference is given
        unsafe { Kept::new(&arena, buffer, extents) }
    }

    /// The first `len` elements alone.
    #[inline]
    pub(super) fn shortened(mut self, len: usize) -> Kept<T, R> {
        self.len = self.len.min(len);
        self
    }

    /// The elements, row-major or packed as the program that wrote them has them.
    #[inline]
    pub fn elements(&self) -> &[T] {
        // Safety: the block is this value's, holds so many elements, and is initialised
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The number of indices of each dimension.
    #[inline]
    pub fn extents(&self) -> [usize; R] {
        self.extents
    }
}

impl<T: Element, const R: usize> Default for Kept<T, R> {
    /// Nothing.
    fn default() -> Kept<T, R> {
        Kept { block: None, start: NonNull::dangling(), len: 0, extents: [0; R] }
    }
}

impl<T: Element, const R: usize> Drop for Kept<T, R> {
    fn drop(&mut self) {
        if let Some((block, class)) = self.block.take() {
            pool::keep(class, block);
        }
    }
}

impl<T: Element, const R: usize> fmt::Debug for Kept<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements", self.len)
    }
}

impl Arena {
    /// The block of a whole buffer, which is not lent any more, with its class; `None` where it has no bytes.
    ///
    /// # Panics
    ///
    /// Where the buffer is none of this arena.
    #[inline(never)]
    fn let_go(&self, start: NonNull<u8>, bytes: usize) -> Option<(Block, usize)> {
        if bytes == 0 {
            return None;
        }
        let mut lent = self.lent.borrow_mut();
        let at = lent.iter().rposition(|it| it.block.start == start && it.bytes == bytes);
        let taken = lent.swap_remove(at.expect("what is kept is a whole buffer of the arena"));
        Some((taken.block, taken.class))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::alone;
    use super::*;

    #[test]
    fn what_is_kept_outlives_the_arena_and_comes_back_to_the_pool() {
        let _alone = alone();
        super::super::release_scratch();
        let arena = Arena::new();
        let buffer = arena.scratch::<f64>(1000);
        buffer.fill(2.0);
        let address = buffer.as_ptr();
        // Safety: `buffer` was the only reference
        let kept = unsafe { Kept::new(&arena, buffer, [10, 100]) };
        drop(arena);
        assert_eq!(pool::blocks(), 0);
        let other = Arena::new();
        assert_ne!(other.scratch::<f64>(1000).as_ptr(), address);
        assert!(kept.elements().iter().all(|&x| x == 2.0));
        assert_eq!((kept.elements().len(), kept.extents()), (1000, [10, 100]));
        drop(kept);
        assert_eq!(other.scratch::<f64>(1000).as_ptr(), address);
    }

    #[test]
    fn nothing_and_copies_are_kept() {
        let _alone = alone();
        let arena = Arena::new();
        // Safety: the buffer has no other reference
        let empty = unsafe { Kept::<bool, 1>::new(&arena, arena.scratch(0), [0]) };
        assert!(empty.elements().is_empty() && Kept::<f64, 2>::default().elements().is_empty());
        let copy = Kept::copied(&[1_usize, 2, 3], [3]);
        assert_eq!(copy.elements(), [1, 2, 3]);
        assert_eq!(format!("{copy:?}"), "3 elements");
        let short = copy.shortened(2);
        assert_eq!(short.elements(), [1, 2]);
    }

    #[test]
    #[should_panic = "a whole buffer of the arena"]
    fn a_part_of_a_buffer_is_not_kept() {
        let arena = Arena::new();
        let (first, _) = arena.scratch::<f64>(100).split_at_mut(10);
        // Safety: nobody has another reference to the part
        let _ = unsafe { Kept::new(&arena, first, [10]) };
    }
}
