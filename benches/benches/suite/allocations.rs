//! Counts what is allocated, so that the suite can say how much a gradient takes, and that small ones take nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counted.
pub struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    COUNT.fetch_add(1, Relaxed);
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
}

// Safety: every call is the system allocator's own; the counters touch no memory of the callers.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // Safety: the caller's obligations are those of `System.alloc`
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // Safety: the caller's obligations are those of `System.alloc_zeroed`
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // Safety: the pointer came from `System` with this layout
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size);
        LIVE.fetch_sub(layout.size(), Relaxed);
        // Safety: the pointer came from `System` with this layout
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// The result, and the allocations made meanwhile.
pub fn count<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let before = COUNT.load(Relaxed);
    let result = f();
    (result, COUNT.load(Relaxed) - before)
}

/// The result, and the most bytes that were live meanwhile beyond those before.
pub fn peak<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = f();
    (result, PEAK.load(Relaxed).saturating_sub(before))
}
