//! The free blocks: a shelf for each of a number of threads, so that a thread finds what it had, still in its cache.
//!
//! *Comes in*: a size class. *Goes out*: a block of it, by value. *Guarantees*: a block is on one shelf or with one owner;
//! nothing is allocated while a block of the class is free on any shelf. *Never*: looks at what is in a block.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The alignment of every block: a cache line, and a vector.
pub(super) const ALIGN: usize = 64;

/// Lines in one place of different pages share the sets of the nearest cache.
const PAGE: usize = 4096;

/// So much larger is an allocation for a block that begins anywhere in a page.
const SPREAD: usize = 4 * PAGE;

/// Memory of one size class. Its bytes are initialised from the allocation on.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) start: NonNull<u8>,
}

// Safety: a block is owned memory without an owner's thread
unsafe impl Send for Block {}

/// Four classes for each doubling, from one cache line on: at most a quarter of a block is not used.
const CLASSES: usize = 4 * (usize::BITS as usize - ALIGN.ilog2() as usize);

/// So many threads have a shelf of their own; further ones share.
const SHELVES: usize = 32;

/// The free blocks of each class.
type Shelf = [Mutex<Vec<Block>>; CLASSES];

static POOL: [Shelf; SHELVES] = [const { [const { Mutex::new(Vec::new()) }; CLASSES] }; SHELVES];

/// The smallest class that holds `bytes` bytes, of which there is at least one.
pub(super) fn class_of(bytes: usize) -> usize {
    let lines = bytes.div_ceil(ALIGN);
    if lines <= 4 {
        return lines - 1;
    }
    // the leading bit and the next two of `lines - 1` are a class
    let below = lines - 1;
    let shift = below.ilog2() as usize - 2;
    4 * shift + (below >> shift)
}

/// The bytes of a class; `None` where no allocation is as large.
fn layout_of(class: usize) -> Option<Layout> {
    let lines = if class < 4 {
        class + 1
    } else {
        let shift = (class / 4) - 1;
        (4 + class % 4 + 1).checked_mul(1 << shift)?
    };
    Layout::from_size_align(lines.checked_mul(ALIGN)?, ALIGN).ok()
}

/// What is allocated for a block of a class, and in which steps such blocks are spread over pages.
///
/// Large blocks would all begin in one place of a page. The rows of many arrays that a loop goes through together, tapes of a
/// recurrence above all, would then be in the same few sets of the nearest cache, and throw each other out of it.
fn allocation_of(class: usize) -> Option<(Layout, bool)> {
    let layout = layout_of(class)?;
    if layout.size() < SPREAD {
        return Some((layout, false));
    }
    let spread = Layout::from_size_align(layout.size().checked_add(PAGE)?, PAGE).ok()?;
    Some((spread, true))
}

/// Where the next spread block begins in its page: lines that are far apart, each once before one comes again.
fn next_place() -> usize {
    static PLACES: AtomicUsize = AtomicUsize::new(0);
    const STEP: usize = 13;
    PLACES.fetch_add(STEP, Ordering::Relaxed) % (PAGE / ALIGN) * ALIGN
}

/// The shelf of this thread: threads take the shelves in turn, in the order in which they first ask.
fn shelf() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHELF: Cell<Option<usize>> = const { Cell::new(None) };
    }
    SHELF.with(|shelf| {
        shelf.get().unwrap_or_else(|| {
            let mine = THREADS.fetch_add(1, Ordering::Relaxed) % SHELVES;
            shelf.set(Some(mine));
            mine
        })
    })
}

/// The free blocks of a class on a shelf. Nothing panics while they are locked, so a poisoned lock has nothing to tell.
fn free(shelf: usize, class: usize) -> MutexGuard<'static, Vec<Block>> {
    POOL[shelf][class].lock().unwrap_or_else(PoisonError::into_inner)
}

/// A free block: the last one that this thread gave back, or else another thread's.
pub(super) fn kept(class: usize) -> Option<Block> {
    let own = shelf();
    (0..SHELVES).find_map(|other| free((own + other) % SHELVES, class).pop())
}

/// The largest free block of this thread of at most so many classes above `class`, with its class.
pub(super) fn kept_above(class: usize, more: usize) -> Option<(Block, usize)> {
    let own = shelf();
    let classes = class + 1..(class + 1 + more).min(CLASSES);
    classes.rev().find_map(|larger| Some((free(own, larger).pop()?, larger)))
}

/// The bytes of a block of a class.
pub(super) fn bytes_of(class: usize) -> usize {
    layout_of(class).map_or(0, |layout| layout.size())
}

/// A new block, of zeros; `None` if no allocation is as large.
#[cold]
pub(super) fn fresh(class: usize) -> Option<Block> {
    let (layout, spread) = allocation_of(class)?;
    // Safety: no class is empty
    let Some(start) = NonNull::new(unsafe { alloc_zeroed(layout) }) else { handle_alloc_error(layout) };
    let place = if spread { next_place() } else { 0 };
    // Safety: a spread block's allocation is a page larger than the block, and `place` is less than a page
    Some(Block { start: unsafe { start.add(place) } })
}

/// Takes a block of this class back, on the shelf of this thread.
pub(super) fn keep(class: usize, block: Block) {
    free(shelf(), class).push(block);
}

/// Gives all free blocks back to the system.
pub(super) fn release() {
    for (shelf, class) in (0..SHELVES).flat_map(|shelf| (0..CLASSES).map(move |class| (shelf, class))) {
        let blocks = std::mem::take(&mut *free(shelf, class));
        let Some((layout, spread)) = allocation_of(class) else { continue };
        for block in blocks {
            let start = block.start.as_ptr();
            let place = if spread { start.addr() % PAGE } else { 0 };
            // Safety: a free block of this class was allocated with this layout; a spread one begins in the first page of
            // its allocation, which begins with that page
            unsafe { dealloc(start.sub(place), layout) };
        }
    }
}

/// The number of free blocks.
#[cfg(test)]
pub(super) fn blocks() -> usize {
    POOL.iter().flatten().map(|free| free.lock().unwrap_or_else(PoisonError::into_inner).len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_what_it_is_asked_for_and_little_more() {
        for bytes in (1..5000).chain([1 << 20, (1 << 20) + 1, (5 << 28) - 1, isize::MAX as usize / 2]) {
            let class = class_of(bytes);
            let size = layout_of(class).unwrap().size();
            assert!(size >= bytes && size <= bytes + bytes / 4 + ALIGN, "{bytes}: {size}");
            assert!(class == 0 || layout_of(class - 1).unwrap().size() < bytes, "{bytes}");
        }
        assert!(class_of(isize::MAX as usize) < CLASSES);
    }
}
