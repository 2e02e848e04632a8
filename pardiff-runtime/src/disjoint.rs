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
    #[cfg_attr(not(unoptimised), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Disjoint<'_, T> {}

// Safety: elements are accessed by `unsafe` methods alone, whose callers promise that no other thread does the same
unsafe impl<T: Send> Send for Disjoint<'_, T> {}
// Safety: as above; values move to the thread that accesses them
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    /// The structs of a slice, for as long as it is borrowed; tasks touch different members of one struct as well, so
    /// that no reference to a whole struct is made.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn records(slice: &'a mut [T]) -> Disjoint<'a, T> {
        Disjoint { start: slice.as_mut_ptr(), len: slice.len(), borrow: PhantomData }
    }

    /// The address of a struct, `None` if there is none of this index.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn record(self, index: usize) -> Option<*mut T> {
        // Safety: an element of the slice
        if index < self.len { Some(unsafe { self.start.add(index) }) } else { None }
    }

    /// The number of structs.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn count(self) -> usize {
        self.len
    }

    /// The address of the first element.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn as_ptr(self) -> *mut T {
        self.start
    }
}

impl<'a, T: Copy> Disjoint<'a, T> {
    /// The elements of a slice, for as long as it is borrowed.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn new(slice: &'a mut [T]) -> Disjoint<'a, T> {
        Disjoint { start: slice.as_mut_ptr(), len: slice.len(), borrow: PhantomData }
    }

    /// The number of elements.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The address of an element, `None` if there is none of this index. It may be read and written as
    /// [`read`](Disjoint::read) and [`write`](Disjoint::write) may.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub fn at(self, index: usize) -> Option<*mut T> {
        // Safety: an element of the slice
        if index < self.len { Some(unsafe { self.start.add(index) }) } else { None }
    }

    /// An element, `None` if there is none of this index.
    ///
    /// # Safety
    ///
    /// No other thread writes this element at the same time, and no `&mut` to it is alive.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn read(self, index: usize) -> Option<T> {
        // Safety: an element of the slice; the caller's promise
        self.at(index).map(|element| unsafe { element.read() })
    }

    /// Writes an element, `None` if there is none of this index.
    ///
    /// # Safety
    ///
    /// No other thread reads or writes this element at the same time, and no reference to it is alive.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn write(self, index: usize, value: T) -> Option<()> {
        // Safety: an element of the slice; the caller's promise
        self.at(index).map(|element| unsafe { element.write(value) })
    }

    /// The elements `start..start + len` as a slice, `None` if they are not all there.
    ///
    /// # Safety
    ///
    /// For as long as the result is used, none of these elements is accessed in another way, by any thread.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub unsafe fn row(self, start: usize, len: usize) -> Option<&'a mut [T]> {
        if start > self.len || len > self.len - start {
            return None;
        }
        // Safety: elements of the slice; the caller's promise
        Some(unsafe { std::slice::from_raw_parts_mut(self.start.add(start), len) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_checked() {
        let mut numbers = [1, 2, 3];
        let shared = Disjoint::new(&mut numbers);
        assert_eq!((shared.len(), shared.is_empty(), shared.as_ptr()), (3, false, shared.at(0).unwrap()));
        // Safety: one thread, and no reference
        unsafe {
            assert_eq!((shared.read(2), shared.read(3), shared.read(usize::MAX)), (Some(3), None, None));
            assert_eq!((shared.write(1, 7), shared.write(3, 7)), (Some(()), None));
            *shared.at(0).unwrap() += 10;
        }
        assert!(shared.at(3).is_none());
        assert_eq!(numbers, [11, 7, 3]);
    }

    #[test]
    fn rows_are_checked() {
        let mut numbers = [1, 2, 3, 4];
        let shared = Disjoint::new(&mut numbers);
        // Safety: one thread; the rows that are used do not overlap
        unsafe {
            let (first, second) = (shared.row(0, 2).unwrap(), shared.row(2, 2).unwrap());
            first.copy_from_slice(second);
            assert!(
                shared.row(3, 2).is_none()
                    && shared.row(5, 0).is_none()
                    && shared.row(1, usize::MAX).is_none()
            );
            assert_eq!(shared.row(4, 0).unwrap().len(), 0);
        }
        assert_eq!(numbers, [3, 4, 3, 4]);
    }

    #[test]
    fn tasks_write_elements_in_turn() {
        let mut numbers = vec![0; 1000];
        let shared = Disjoint::new(&mut numbers);
        crate::tasks(10, &|chunk| {
            for index in (chunk..1000).step_by(10) {
                // Safety: the index belongs to this chunk alone
                unsafe { shared.write(index, index * chunk) };
            }
        });
        assert!(numbers.iter().enumerate().all(|(index, &number)| number == index * (index % 10)));
    }
}
