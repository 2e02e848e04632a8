//! A slice whose elements several tasks write, each its own ones.

use std::marker::PhantomData;

/// The elements of a `&mut [T]`, to be shared by tasks that touch different ones. No reference to an element is made
/// but by [`row`](Disjoint::row); an index is always checked.
#[derive(Debug)]
pub struct Disjoint<'a, T> {
    start: *mut T,
    len: usize,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Disjoint<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Disjoint<'_, T> {}

// Safety: elements are accessed by `unsafe` methods alone, whose callers promise that no other thread does the same
unsafe impl<T: Send> Send for Disjoint<'_, T> {}
// Safety: as above; values move to the thread that accesses them
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<'a, T: Copy> Disjoint<'a, T> {
    /// The elements of a slice, for as long as it is borrowed.
    #[inline(always)]
    pub fn new(slice: &'a mut [T]) -> Disjoint<'a, T> {
        Disjoint { start: slice.as_mut_ptr(), len: slice.len(), borrow: PhantomData }
    }

    /// The number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The address of the first element.
    #[inline(always)]
    pub fn as_ptr(self) -> *mut T {
        self.start
    }

    /// The address of an element, `None` if there is none of this index. It may be read and written as
    /// [`read`](Disjoint::read) and [`write`](Disjoint::write) may.
    #[inline(always)]
    pub fn at(self, index: usize) -> Option<*mut T> {
        // Safety: an element of the slice
        if index < self.len { Some(unsafe { self.start.add(index) }) } else { None }
    }

    /// An element, `None` if there is none of this index.
    ///
    /// # Safety
    ///
    /// No other thread writes this element at the same time, and no `&mut` to it is alive.
    #[inline(always)]
    pub unsafe fn read(self, index: usize) -> Option<T> {
        // Safety: an element of the slice; the caller's promise
        self.at(index).map(|element| unsafe { element.read() })
    }

    /// Writes an element, `None` if there is none of this index.
    ///
    /// # Safety
    ///
    /// No other thread reads or writes this element at the same time, and no reference to it is alive.
    #[inline(always)]
    pub unsafe fn write(self, index: usize, value: T) -> Option<()> {
        // Safety: an element of the slice; the caller's promise
        self.at(index).map(|element| unsafe { element.write(value) })
    }

    /// The elements `start..start + len` as a slice, `None` if they are not all there.
    ///
    /// # Safety
    ///
    /// For as long as the result is used, none of these elements is accessed in another way, by any thread.
    #[inline(always)]
    pub unsafe fn row(self, start: usize, len: usize) -> Option<&'a mut [T]> {
        if start > self.len || len > self.len - start {
            return None;
        }
        // Safety: elements of the slice; the caller's promise
        Some(unsafe { std::slice::from_raw_parts_mut(self.start.add(start), len) })
    }
}
