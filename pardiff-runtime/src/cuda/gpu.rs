//! The handle of a device.

use super::cpu::{Cpu, OnCpu};
use super::device::{Device, Launch, Module};
use super::driver::Driver;
use super::{Buffer, Element, Error, Pinned};
use std::fmt;
use std::sync::Arc;

/// A device to compute gradients on, and a queue of it: what is started runs in order. Cheap to clone; the clones are one queue.
#[derive(Clone)]
pub struct Gpu {
    device: Arc<dyn Device>,
}

impl Gpu {
    /// The GPU of this number, counted from 0.
    ///
    /// # Errors
    ///
    /// There is no driver, or no such device.
    pub fn new(ordinal: usize) -> Result<Gpu, Error> {
        Ok(Gpu { device: Arc::new(Driver::new(ordinal)?) })
    }

    /// No GPU: the kernels run on the CPU, one thread after the other, and every access is checked. It is for tests where there
    /// is no GPU and needs `g++`; it is slower than anything else.
    ///
    /// # Errors
    ///
    /// There is no `g++`.
    pub fn on_cpu(options: OnCpu) -> Result<Gpu, Error> {
        Ok(Gpu { device: Arc::new(Cpu::new(options)?) })
    }

    /// Another queue of the same device: what is started on it runs beside what is started on this one. Buffers belong to the
    /// queue that they were made for; [`Buffer::moved_to`] and [`Buffer::copied_to`] bring them to another one.
    ///
    /// # Errors
    ///
    /// The device reports an error.
    pub fn queue(&self) -> Result<Gpu, Error> {
        Ok(Gpu { device: self.device.queue()? })
    }

    /// Memory of the host for copies that both sides do not wait for, with zeros in it.
    ///
    /// # Errors
    ///
    /// The host has not enough memory that the device can reach.
    pub fn pinned<T: Element>(&self, len: usize) -> Result<Pinned<T>, Error> {
        Pinned::zeros(self, len)
    }

    /// What the device calls itself.
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// An array on the device with these elements.
    ///
    /// # Errors
    ///
    /// The device has not enough memory.
    pub fn upload<T: Element>(&self, elements: &[T]) -> Result<Buffer<T>, Error> {
        let mut buffer = Buffer::unspecified(self, elements.len())?;
        buffer.write(elements)?;
        Ok(buffer)
    }

    /// An array on the device whose elements are zero.
    ///
    /// # Errors
    ///
    /// The device has not enough memory.
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>, Error> {
        let mut buffer = Buffer::unspecified(self, len)?;
        buffer.clear()?;
        Ok(buffer)
    }

    /// Waits until everything that was started is done.
    ///
    /// # Errors
    ///
    /// The device reports an error.
    pub fn wait(&self) -> Result<(), Error> {
        self.device.wait()
    }

    /// The seconds that the device takes for what `work` starts, by its own clock.
    ///
    /// # Errors
    ///
    /// Those of `work`, and what the device reports.
    pub fn time(&self, mut work: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
        self.device.time(&mut work)
    }

    /// What `work` launches on this queue, in order, and the seconds that the device takes for each launch.
    ///
    /// # Errors
    ///
    /// Those of `work`, and what the device reports.
    #[doc(hidden)]
    pub fn profile(&self, mut work: impl FnMut() -> Result<(), Error>) -> Result<Vec<Launch>, Error> {
        self.device.profile(&mut work)
    }

    /// Compiles kernels ahead of their first use.
    #[doc(hidden)]
    pub fn load(&self, module: &'static Module) -> Result<(), Error> {
        self.device.load(module)
    }

    pub(super) fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("name", &self.name()).finish()
    }
}
