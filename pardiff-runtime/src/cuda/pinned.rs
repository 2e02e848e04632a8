//! Memory of the host that is copied from and to while both sides go on.

use super::device::{Device, Mark};
use super::{Element, Error, Gpu};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

/// Elements in memory of the host that the device reads and writes by itself.
pub struct Pinned<T: Element> {
    device: Arc<dyn Device>,
    elements: NonNull<T>,
    len: usize,
}

// Safety: it owns its elements, which are plain numbers.
unsafe impl<T: Element> Send for Pinned<T> {}
// Safety: the same.
unsafe impl<T: Element> Sync for Pinned<T> {}

impl<T: Element> Pinned<T> {
    /// So many zeros.
    pub(super) fn zeros(gpu: &Gpu, len: usize) -> Result<Pinned<T>, Error> {
        let device = gpu.device().clone();
        let bytes = Self::bytes(len).ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        let memory = device.allocate_on_host(bytes)?;
        let elements = NonNull::new(memory.cast::<T>()).ok_or(Error::OutOfMemory { bytes })?;
        // Safety: the memory has so many bytes; zero bits are a value.
        unsafe { memory.write_bytes(0, bytes) };
        Ok(Pinned { device, elements, len })
    }

    /// The size of the memory of so many elements: of one at least.
    fn bytes(len: usize) -> Option<usize> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= isize::MAX as usize);
        bytes.map(|bytes| bytes.max(8))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        // Safety: elements have no gaps between their bytes.
        unsafe { std::slice::from_raw_parts(self.elements.as_ptr().cast(), size_of_val::<[T]>(self)) }
    }

    /// Kernels write values of the type alone.
    pub(super) fn as_bytes_mut(&mut self) -> &mut [u8] {
        let bytes = size_of_val::<[T]>(self);
        // Safety: elements have no gaps between their bytes; the caller writes values.
        unsafe { std::slice::from_raw_parts_mut(self.elements.as_ptr().cast(), bytes) }
    }
}

impl<T: Element> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // Safety: there are so many elements, and they are values.
        unsafe { std::slice::from_raw_parts(self.elements.as_ptr(), self.len) }
    }
}

impl<T: Element> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // Safety: there are so many elements, and they are values.
        unsafe { std::slice::from_raw_parts_mut(self.elements.as_ptr(), self.len) }
    }
}

impl<T: Element> Drop for Pinned<T> {
    fn drop(&mut self) {
        let bytes = Self::bytes(self.len).unwrap_or(8);
        // Safety: the memory is its own, and copies of it are done: while one is under way, `Pending` holds it.
        unsafe { self.device.free_on_host(self.elements.as_ptr().cast(), bytes) }
    }
}

impl<T: Element> fmt::Debug for Pinned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pinned").field("len", &self.len).finish()
    }
}

/// A copy that was started, and the elements on the host's side of it. Dropping it waits for the copy.
pub struct Pending<T: Element> {
    mark: Option<Box<dyn Mark>>,
    elements: Option<Pinned<T>>,
}

impl<T: Element> Pending<T> {
    /// Of a copy that was started on the queue just now.
    pub(super) fn new(device: &Arc<dyn Device>, elements: Pinned<T>) -> Result<Pending<T>, Error> {
        let mut pending = Pending { mark: None, elements: Some(elements) };
        match device.mark() {
            Ok(mark) => pending.mark = Some(mark),
            Err(error) => {
                // without a mark only the whole queue can be waited for
                if device.wait().is_err() {
                    std::mem::forget(pending.elements.take());
                }
                return Err(error);
            }
        }
        Ok(pending)
    }

    /// The elements, when the copy is done.
    ///
    /// # Errors
    ///
    /// The device reports an error, perhaps of something that was started before.
    pub fn wait(mut self) -> Result<Pinned<T>, Error> {
        self.settle()?;
        let lost =
            || Error::Device { doing: "waiting for a copy".to_owned(), says: "it was lost".to_owned() };
        self.elements.take().ok_or_else(lost)
    }

    fn settle(&mut self) -> Result<(), Error> {
        let Some(mark) = self.mark.take() else { return Ok(()) };
        let settled = mark.wait();
        if settled.is_err() {
            // the device may still be at them
            std::mem::forget(self.elements.take());
        }
        settled
    }
}

impl<T: Element> Drop for Pending<T> {
    fn drop(&mut self) {
        let _ = self.settle();
    }
}

impl<T: Element> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("elements", &self.elements).finish()
    }
}
