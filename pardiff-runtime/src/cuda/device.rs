//! What a device does: the host code knows nothing else of it.

use super::Error;
use std::any::Any;
use std::sync::Arc;

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

/// A launch, and how long the device took for it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Launch {
    /// The name of the kernel in the text.
    pub kernel: &'static str,
    /// Blocks, and threads of each.
    pub shape: [u32; 2],
    /// Seconds.
    pub seconds: f64,
}

impl Module {
    /// Which of all modules it is: modules are static.
    pub(super) fn key(&'static self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// The kernel of that number, which takes these words.
    pub(super) fn kernel(&self, number: usize, words: &[u64]) -> Result<&Kernel, Error> {
        let kernel = self.kernels.get(number);
        kernel.filter(|kernel| kernel.words == words.len()).ok_or_else(|| Error::Device {
            doing: "launching".to_owned(),
            says: match kernel {
                Some(kernel) => format!("`{}` takes another number of words", kernel.name),
                None => format!("there is no kernel {number}"),
            },
        })
    }
}

/// A place in the order of what a queue does.
pub(super) trait Mark: Any + Send {
    /// Waits until the queue has passed it.
    fn wait(&self) -> Result<(), Error>;
}

/// A queue of a device: memory, and kernels that run on it one after the other.
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

    /// Copies from the device, when everything before is done; the address may lie inside of an allocation.
    ///
    /// # Safety
    ///
    /// The allocation has at least so many bytes from there on.
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

    /// Copies between arrays of the device.
    ///
    /// # Safety
    ///
    /// Both allocations have at least so many bytes.
    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), Error>;

    /// The seconds that the device takes for what is started by `work`.
    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error>;

    /// What is launched by `work`, in order: each launch is timed by itself.
    fn profile(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Vec<Launch>, Error>;

    /// Waits until everything is done.
    fn wait(&self) -> Result<(), Error>;

    /// Another queue of the same device.
    fn queue(&self) -> Result<Arc<dyn Device>, Error>;

    /// Which device it is.
    fn machine(&self) -> usize;

    /// What is started from now on waits for what was started on another queue of the device.
    fn follow(&self, leader: &dyn Device) -> Result<(), Error>;

    /// A mark behind what was started so far.
    fn mark(&self) -> Result<Box<dyn Mark>, Error>;

    /// Memory of the host, more than 0 bytes, that is copied from and to while the host goes on; it is aligned for every element.
    fn allocate_on_host(&self, bytes: usize) -> Result<*mut u8, Error>;

    /// Gives it back.
    ///
    /// # Safety
    ///
    /// The memory is of `allocate_on_host`, of so many bytes, and was not given back before.
    unsafe fn free_on_host(&self, memory: *mut u8, bytes: usize);

    /// Starts a copy to the device.
    ///
    /// # Safety
    ///
    /// The allocation has at least so many bytes, and these stay what they are until a mark behind it is passed.
    unsafe fn upload_later(&self, address: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Starts a copy from the device.
    ///
    /// # Safety
    ///
    /// The allocation has at least so many bytes, and nobody touches these until a mark behind it is passed.
    unsafe fn download_later(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error>;
}
