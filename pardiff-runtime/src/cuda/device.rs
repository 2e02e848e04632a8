//! What a device does: the host code knows nothing else of it.

use super::Error;

/// The kernels of one generated function, compiled together.
#[derive(Debug)]
pub struct Module {
    /// CUDA C.
    pub text: &'static str,
    /// In the order of their numbers.
    pub kernels: &'static [Kernel],
}

/// A kernel of a module.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Its name in the text.
    pub name: &'static str,
    /// How many words it takes.
    pub words: usize,
}

/// A device: memory, and kernels that run on it one after the other.
///
/// Addresses are those of whole allocations. What is launched, copied and freed takes effect in the order of the calls.
pub(super) trait Device: Send + Sync {
    /// What it calls itself.
    fn name(&self) -> String;

    /// Memory of so many bytes, more than 0, with unspecified contents.
    fn allocate(&self, bytes: usize) -> Result<u64, Error>;

    /// Gives it back.
    ///
    /// # Safety
    ///
    /// The address is one of `allocate` that was not given back before.
    unsafe fn free(&self, address: u64);

    /// Copies to the device.
    ///
    /// # Safety
    ///
    /// The allocation has at least so many bytes.
    unsafe fn upload(&self, address: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Copies from the device, when everything before is done.
    ///
    /// # Safety
    ///
    /// The allocation has at least so many bytes.
    unsafe fn download(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error>;

    /// Sets the first bytes to zero.
    ///
    /// # Safety
    ///
    /// The allocation has at least so many bytes.
    unsafe fn clear(&self, address: u64, bytes: usize) -> Result<(), Error>;

    /// Makes the kernels of a module ready, once.
    fn load(&self, module: &'static Module) -> Result<(), Error>;

    /// Starts a kernel of a module that is loaded.
    ///
    /// # Safety
    ///
    /// The words are those that the kernel takes: addresses of allocations of this device that are large enough, and numbers.
    unsafe fn launch(
        &self,
        module: &'static Module,
        kernel: usize,
        grid: u32,
        block: u32,
        words: &[u64],
    ) -> Result<(), Error>;

    /// Waits until everything is done.
    fn wait(&self) -> Result<(), Error>;
}
