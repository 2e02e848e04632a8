//! Arrays in the memory of a device.

use super::device::Device;
use super::{Error, Gpu, Pending, Pinned};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// What a buffer may hold.
///
/// # Safety
///
/// Every pattern of bits that a kernel writes is a value of the type: numbers of the machine, `bool` (kernels write 0 and 1
/// alone), and arrays of these. Zero bits are a value.
pub unsafe trait Element: Copy + Send + Sync + 'static {}

macro_rules! elements {
    ($($ty:ty)*) => { $(
        // Safety: a number of the machine; of `bool`, kernels write 0 and 1 alone.
        unsafe impl Element for $ty {}
    )* };
}

elements! { f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize bool }

// Safety: its elements are ones, without gaps between them.
unsafe impl<T: Element, const N: usize> Element for [T; N] {}

/// An array in the memory of a device, which is given back when the buffer is dropped.
pub struct Buffer<T: Element> {
    device: Arc<dyn Device>,
    /// Of one element at least.
    address: u64,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    /// With unspecified elements: the caller writes them before anyone reads them.
    pub(super) fn unspecified(gpu: &Gpu, len: usize) -> Result<Buffer<T>, Error> {
        let device = gpu.device().clone();
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= isize::MAX as usize);
        let bytes = bytes.map(|bytes| bytes.max(8));
        let address = device.allocate(bytes.ok_or(Error::OutOfMemory { bytes: usize::MAX })?)?;
        Ok(Buffer { device, address, len, element: PhantomData })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements.
    ///
    /// # Errors
    ///
    /// The device reports an error, perhaps of something that was started before.
    pub fn download(&self) -> Result<Vec<T>, Error> {
        let mut elements: Vec<T> = Vec::with_capacity(self.len);
        if self.len > 0 {
            // Safety: the vector has room for so many elements and they are initialised below; zero bits are a value.
            unsafe {
                std::ptr::write_bytes(elements.as_mut_ptr(), 0, self.len);
                elements.set_len(self.len);
            }
        }
        self.read(&mut elements)?;
        Ok(elements)
    }

    /// The elements, to where they are wanted.
    ///
    /// # Errors
    ///
    /// The device reports an error, perhaps of something that was started before.
    ///
    /// # Panics
    ///
    /// The lengths differ.
    pub fn read(&self, elements: &mut [T]) -> Result<(), Error> {
        assert_eq!(elements.len(), self.len, "a buffer is read into as many elements as it has");
        // Safety: a slice of elements is as many bytes, every pattern of which that kernels write is a value.
        unsafe {
            let bytes = std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements));
            self.device.download(self.address, bytes)
        }
    }

    /// One of the elements.
    pub(super) fn element(&self, at: usize) -> Result<T, Error> {
        assert!(at < self.len, "a buffer has the element that is read");
        let mut element = std::mem::MaybeUninit::<T>::zeroed();
        // Safety: the bytes are those of an element in the allocation; every pattern of them that kernels write is a value, and so
        // are zeros.
        unsafe {
            let bytes = std::slice::from_raw_parts_mut(element.as_mut_ptr().cast(), size_of::<T>());
            self.device.download(self.address + (at * size_of::<T>()) as u64, bytes)?;
            Ok(element.assume_init())
        }
    }

    /// Writes all elements.
    ///
    /// # Errors
    ///
    /// The device reports an error.
    ///
    /// # Panics
    ///
    /// The lengths differ.
    pub fn write(&mut self, elements: &[T]) -> Result<(), Error> {
        assert_eq!(elements.len(), self.len, "a buffer is written from as many elements as it has");
        // Safety: elements have no gaps between their bytes, and the allocation has as many.
        unsafe {
            let bytes = std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements));
            self.device.upload(self.address, bytes)
        }
    }

    /// Takes over all elements of another buffer, without the host.
    ///
    /// # Errors
    ///
    /// The buffer lies on another device, or the device reports an error.
    ///
    /// # Panics
    ///
    /// The lengths differ.
    pub fn copy_from(&mut self, from: &Buffer<T>) -> Result<(), Error> {
        assert_eq!(from.len, self.len, "a buffer takes over as many elements as it has");
        if !Arc::ptr_eq(&self.device, &from.device) {
            return Err(Error::OtherDevice { argument: "from" });
        }
        // Safety: both allocations have as many bytes, on this device.
        unsafe { self.device.copy(self.address, from.address, self.len * size_of::<T>()) }
    }

    /// Starts to write all elements, and goes on: what is started on the buffer's queue afterwards sees them.
    ///
    /// # Errors
    ///
    /// The device reports an error.
    ///
    /// # Panics
    ///
    /// The lengths differ.
    pub fn write_later(&mut self, elements: Pinned<T>) -> Result<Pending<T>, Error> {
        assert_eq!(elements.len(), self.len, "a buffer is written from as many elements as it has");
        // Safety: the allocation has as many bytes; the elements are borrowed by what is returned until the copy is done.
        unsafe { self.device.upload_later(self.address, elements.as_bytes())? };
        Pending::new(&self.device, elements)
    }

    /// Starts to read all elements, and goes on.
    ///
    /// # Errors
    ///
    /// The device reports an error, perhaps of something that was started before.
    ///
    /// # Panics
    ///
    /// The lengths differ.
    pub fn read_later(&self, mut elements: Pinned<T>) -> Result<Pending<T>, Error> {
        assert_eq!(elements.len(), self.len, "a buffer is read into as many elements as it has");
        // Safety: the allocation has as many bytes; nobody else has the elements until the copy is done.
        unsafe { self.device.download_later(self.address, elements.as_bytes_mut())? };
        Pending::new(&self.device, elements)
    }

    /// The same buffer for another queue of its device: what is started there from now on waits for what was started here.
    ///
    /// # Errors
    ///
    /// The queue is one of another device, or the device reports an error.
    pub fn moved_to(mut self, queue: &Gpu) -> Result<Buffer<T>, Error> {
        let device = queue.device();
        if device.machine() != self.device.machine() {
            return Err(Error::OtherDevice { argument: "self" });
        }
        if !Arc::ptr_eq(&self.device, device) {
            device.follow(&*self.device)?;
            self.device = device.clone();
        }
        Ok(self)
    }

    /// A copy of the buffer for another queue of its device.
    ///
    /// # Errors
    ///
    /// The queue is one of another device, the device has not enough memory or reports an error.
    pub fn copied_to(&self, queue: &Gpu) -> Result<Buffer<T>, Error> {
        let device = queue.device();
        if device.machine() != self.device.machine() {
            return Err(Error::OtherDevice { argument: "self" });
        }
        let copy = Buffer::unspecified(queue, self.len)?;
        device.follow(&*self.device)?;
        // Safety: both allocations have as many bytes, on this device.
        unsafe { device.copy(copy.address, self.address, self.len * size_of::<T>())? };
        // what is written here afterwards waits for the copy
        self.device.follow(&**device)?;
        Ok(copy)
    }

    /// Sets all elements to zero.
    ///
    /// # Errors
    ///
    /// The device reports an error.
    pub fn clear(&mut self) -> Result<(), Error> {
        // Safety: the allocation has as many bytes.
        unsafe { self.device.clear(self.address, self.len * size_of::<T>()) }
    }

    /// The address, if it lies on that device.
    pub(super) fn address_on(&self, gpu: &Gpu) -> Option<u64> {
        Arc::ptr_eq(&self.device, gpu.device()).then_some(self.address)
    }
}

impl<T: Element> Drop for Buffer<T> {
    fn drop(&mut self) {
        // Safety: the address is the buffer's own.
        unsafe { self.device.free(self.address) }
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("len", &self.len).field("device", &self.device.name()).finish()
    }
}
