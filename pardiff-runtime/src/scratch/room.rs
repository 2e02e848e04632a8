//! Memory that arrays of one scope have one after the other.

use super::{Arena, Element};

/// One buffer for arrays that live one after the other, each with a length of its own.
#[derive(Debug)]
pub struct Room<'a, T: Element> {
    arena: &'a Arena,
    buffer: &'a mut [T],
}

impl<'a, T: Element> Room<'a, T> {
    /// Room for nothing.
    #[inline]
    pub fn new(arena: &'a Arena) -> Room<'a, T> {
        Room { arena, buffer: &mut [] }
    }

    /// An array of `len` elements, whose contents are unspecified (NaN and the like in builds with debug assertions).
    ///
    /// # Panics
    ///
    /// Where the machine has not so much memory.
    pub fn array(&mut self, len: usize) -> &mut [T] {
        if self.buffer.len() < len {
            let smaller = std::mem::take(&mut self.buffer);
            // twice as much as before at least, so that growing costs little
            let more = len.max(smaller.len().saturating_mul(2));
            // Safety: the buffer was reached through this value alone, from which no earlier array is borrowed now
            unsafe { self.arena.give_back(smaller) }
            self.buffer = self.arena.scratch(more);
        } else if cfg!(debug_assertions) {
            self.buffer.fill(T::POISON);
        }
        &mut self.buffer[..len]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::alone;
    use super::*;

    #[test]
    fn a_room_serves_arrays_of_any_length() {
        let _alone = alone();
        let arena = Arena::new();
        let mut room = Room::<f64>::new(&arena);
        assert_eq!(room.array(0).len(), 0);
        let first = room.array(1000).as_ptr();
        room.array(1000).fill(1.0);
        assert_eq!((room.array(3).len(), room.array(3).as_ptr()), (3, first));
        assert_eq!(room.array(1001).len(), 1001);
    }
}
