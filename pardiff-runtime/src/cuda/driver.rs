//! A GPU, by the CUDA driver.

use super::device::{Device, Launch, Mark, Module};
use super::{Error, cache, nvrtc};
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;
use std::any::Any;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

/// A device of the driver, with a stream on which everything runs in order.
pub(super) struct Driver {
    machine: Arc<Machine>,
    stream: sys::CUstream,
    /// What was launched while [`Device::profile`] runs, with marks on both sides of each launch.
    launches: Mutex<Option<Vec<Timed>>>,
}

/// A launch between two marks.
struct Timed {
    kernel: &'static str,
    shape: [u32; 2],
    marks: [Event; 2],
}

/// What the streams of a device have in common.
struct Machine {
    name: String,
    /// Its instructions: `90` is `sm_90`.
    architecture: u32,
    device: sys::CUdevice,
    context: sys::CUcontext,
    /// By the address of the module, which is static.
    modules: Mutex<HashMap<usize, Loaded>>,
}

struct Loaded {
    module: sys::CUmodule,
    kernels: Vec<sys::CUfunction>,
}

// Safety: handles of the driver may be used by every thread that has made their context its current one, as `enter` does.
unsafe impl Send for Driver {}
// Safety: the same.
unsafe impl Sync for Driver {}
// Safety: the same.
unsafe impl Send for Machine {}
// Safety: the same.
unsafe impl Sync for Machine {}

/// What the driver says.
fn failed(doing: &str, error: DriverError) -> Error {
    let says = match (error.error_name(), error.error_string()) {
        (Ok(name), Ok(text)) => format!("{}: {}", name.to_string_lossy(), text.to_string_lossy()),
        _ => format!("error {:?}", error.0),
    };
    Error::Device { doing: doing.to_owned(), says }
}

fn ask<T>(doing: &str, answer: Result<T, DriverError>) -> Result<T, Error> {
    answer.map_err(|error| failed(doing, error))
}

impl Driver {
    pub(super) fn new(ordinal: usize) -> Result<Driver, Error> {
        // Safety: loading the driver runs its initialisers alone.
        if !unsafe { sys::is_culib_present() } {
            return Err(Error::NoDriver);
        }
        ask("starting the driver", result::init())?;
        let count = ask("counting devices", result::device::get_count())?;
        let count = usize::try_from(count).unwrap_or(0);
        if ordinal >= count {
            return Err(Error::NoDevice { ordinal, count });
        }
        let device = ask("opening the device", result::device::get(ordinal as i32))?;
        let name = ask("asking for the device's name", result::device::get_name(device))?;
        use sys::CUdevice_attribute as Attribute;
        // Safety: the device is one of the driver.
        let attribute = |attribute| unsafe {
            ask("asking for the device's architecture", result::device::get_attribute(device, attribute))
        };
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let architecture = u32::try_from(10 * major + minor).unwrap_or(0);
        // Safety: the context is released when the last stream of the device is dropped.
        let context = ask("opening a context", unsafe { result::primary_ctx::retain(device) })?;
        let modules = Mutex::new(HashMap::new());
        let machine = Machine { name, architecture, device, context, modules };
        machine.enter()?;
        // Safety: the context is current.
        unsafe { keep_memory(device)? };
        Driver::on(Arc::new(machine))
    }

    /// A new stream of the device.
    fn on(machine: Arc<Machine>) -> Result<Driver, Error> {
        machine.enter()?;
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking);
        Ok(Driver { machine, stream: ask("making a stream", stream)?, launches: Mutex::new(None) })
    }

    /// Makes the context the current one of this thread.
    fn enter(&self) -> Result<(), Error> {
        self.machine.enter()
    }

    fn modules(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Loaded>> {
        self.machine.modules()
    }

    fn launches(&self) -> std::sync::MutexGuard<'_, Option<Vec<Timed>>> {
        self.launches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Machine {
    fn enter(&self) -> Result<(), Error> {
        // Safety: the context lives as long as this.
        ask("entering the context", unsafe { result::ctx::set_current(self.context) })
    }

    fn modules(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Loaded>> {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is freed stays with the device: the next call asks for as much.
///
/// # Safety
///
/// The device is one of the driver, and its context is current.
unsafe fn keep_memory(device: sys::CUdevice) -> Result<(), Error> {
    let mut all = u64::MAX;
    let release = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // Safety: the attribute is a 64-bit number.
    unsafe {
        let pool = ask("opening the memory pool", result::device::get_default_mem_pool(device))?;
        let set = sys::cuMemPoolSetAttribute(pool, release, (&raw mut all).cast());
        ask("setting up the memory pool", set.result())
    }
}

/// A mark in the stream of a device.
struct Event {
    machine: Arc<Machine>,
    event: sys::CUevent,
}

// Safety: as for the device.
unsafe impl Send for Event {}

impl Driver {
    /// A mark behind everything that was started so far.
    fn event(&self) -> Result<Event, Error> {
        self.enter()?;
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let event = Event { machine: self.machine.clone(), event: ask("making an event", event)? };
        // Safety: event and stream are of the device whose context is current.
        ask("recording an event", unsafe { result::event::record(event.event, self.stream) })?;
        Ok(event)
    }
}

impl Event {
    /// The seconds between two marks of a stream that has passed both.
    fn seconds_to(&self, end: &Event) -> Result<f64, Error> {
        self.machine.enter()?;
        // Safety: both were recorded.
        let elapsed = unsafe { result::event::elapsed(self.event, end.event) };
        Ok(f64::from(ask("reading the time", elapsed)?) * 1e-3)
    }
}

impl Mark for Event {
    fn wait(&self) -> Result<(), Error> {
        self.machine.enter()?;
        // Safety: the event was recorded.
        ask("computing", unsafe { result::event::synchronize(self.event) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.machine.enter().is_ok() {
            // Safety: the event is this one's own.
            let _ = unsafe { result::event::destroy(self.event) };
        }
    }
}

impl Device for Driver {
    fn name(&self) -> String {
        self.machine.name.clone()
    }

    fn allocate(&self, bytes: usize) -> Result<u64, Error> {
        self.enter()?;
        // Safety: everything runs on this stream.
        match unsafe { result::malloc_async(self.stream, bytes) } {
            Err(error) if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Err(Error::OutOfMemory { bytes })
            }
            answer => ask("allocating memory", answer),
        }
    }

    unsafe fn free(&self, address: u64) {
        // where the device has failed there is nothing to give back
        if self.enter().is_ok() {
            // Safety: the caller's; what was launched before runs before it, on the one stream.
            let _ = unsafe { result::free_async(address, self.stream) };
        }
    }

    unsafe fn upload(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        // Safety: the caller's; the bytes are borrowed until the copy is done.
        unsafe { self.upload_later(address, bytes)? };
        self.wait()
    }

    unsafe fn download(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        // Safety: the caller's; the bytes are borrowed until the copy is done.
        unsafe { self.download_later(address, bytes)? };
        self.wait()
    }

    unsafe fn clear(&self, address: u64, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        self.enter()?;
        // Safety: the caller's.
        ask("clearing memory", unsafe { result::memset_d8_async(address, 0, bytes, self.stream) })
    }

    fn load(&self, module: &'static Module) -> Result<(), Error> {
        let mut modules = self.modules();
        if modules.contains_key(&module.key()) {
            return Ok(());
        }
        self.enter()?;
        let nvrtc = nvrtc::Nvrtc::load(None)?;
        let text = format!("{}{}", nvrtc::prelude(), module.text);
        let image = cache::get_or_make(&text, &nvrtc.target(self.machine.architecture)?, |target| {
            nvrtc.compile(&text, target)
        })?;
        // Safety: NVRTC made the image, and it ends with a zero.
        let handle = unsafe { ask("loading kernels", result::module::load_data(image.as_ptr().cast()))? };
        let function = |kernel: &super::Kernel| {
            let name = CString::new(kernel.name).unwrap_or_default();
            // Safety: the module was loaded just now.
            ask("looking up a kernel", unsafe { result::module::get_function(handle, name) })
        };
        let kernels = module.kernels.iter().map(function).collect::<Result<_, _>>();
        let kernels = kernels.inspect_err(|_| {
            // Safety: the module was loaded just now, and nothing of it is used afterwards.
            let _ = unsafe { result::module::unload(handle) };
        })?;
        modules.insert(module.key(), Loaded { module: handle, kernels });
        Ok(())
    }

    unsafe fn launch(
        &self,
        module: &'static Module,
        kernel: usize,
        grid: u32,
        block: u32,
        words: &[u64],
    ) -> Result<(), Error> {
        self.enter()?;
        let name = module.kernel(kernel, words)?.name;
        let function =
            self.modules().get(&module.key()).and_then(|loaded| loaded.kernels.get(kernel)).copied();
        let doing = || format!("launching `{name}`");
        let Some(function) = function else {
            return Err(Error::Device { doing: doing(), says: "the module was not loaded".to_owned() });
        };
        let mut launches = self.launches();
        let start = launches.is_some().then(|| self.event()).transpose()?;
        // the one parameter is a struct of so many words, which the driver copies
        let mut parameters = [words.as_ptr().cast_mut().cast()];
        // Safety: the caller's.
        let launched = unsafe {
            result::launch_kernel(function, (grid, 1, 1), (block, 1, 1), 0, self.stream, &mut parameters)
        };
        launched.map_err(|error| failed(&doing(), error))?;
        if let (Some(launches), Some(start)) = (&mut *launches, start) {
            launches.push(Timed { kernel: name, shape: [grid, block], marks: [start, self.event()?] });
        }
        Ok(())
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        self.enter()?;
        // Safety: the caller's.
        ask("copying", unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream) })
    }

    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error> {
        let start = self.event()?;
        work()?;
        let end = self.event()?;
        self.wait()?;
        start.seconds_to(&end)
    }

    fn profile(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Vec<Launch>, Error> {
        *self.launches() = Some(Vec::new());
        let done = work();
        let launches = self.launches().take().unwrap_or_default();
        done?;
        self.wait()?;
        let launch = |Timed { kernel, shape, marks: [start, end] }: Timed| {
            Ok(Launch { kernel, shape, seconds: start.seconds_to(&end)? })
        };
        launches.into_iter().map(launch).collect()
    }

    fn wait(&self) -> Result<(), Error> {
        self.enter()?;
        // Safety: the stream lives as long as the device.
        ask("computing", unsafe { result::stream::synchronize(self.stream) })
    }

    fn queue(&self) -> Result<Arc<dyn Device>, Error> {
        Ok(Arc::new(Driver::on(self.machine.clone())?))
    }

    fn machine(&self) -> usize {
        Arc::as_ptr(&self.machine) as usize
    }

    fn follow(&self, leader: &dyn Device) -> Result<(), Error> {
        let mark = leader.mark()?;
        let mark: &dyn Any = &*mark;
        let Some(event) = mark.downcast_ref::<Event>() else { return leader.wait() };
        self.enter()?;
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // Safety: the event was recorded; the driver keeps what it needs of it.
        ask("waiting for another queue", unsafe {
            result::stream::wait_event(self.stream, event.event, flags)
        })
    }

    fn mark(&self) -> Result<Box<dyn Mark>, Error> {
        Ok(Box::new(self.event()?))
    }

    fn allocate_on_host(&self, bytes: usize) -> Result<*mut u8, Error> {
        self.enter()?;
        // Safety: it is given back by the function below.
        match unsafe { result::malloc_host(bytes, 0) } {
            Err(error) if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Err(Error::OutOfMemory { bytes })
            }
            answer => Ok(ask("allocating memory of the host", answer)?.cast()),
        }
    }

    unsafe fn free_on_host(&self, memory: *mut u8, _: usize) {
        if self.enter().is_ok() {
            // Safety: the caller's.
            let _ = unsafe { result::free_host(memory.cast()) };
        }
    }

    unsafe fn upload_later(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        self.enter()?;
        // Safety: the caller's.
        ask("copying to the device", unsafe { result::memcpy_htod_async(address, bytes, self.stream) })
    }

    unsafe fn download_later(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.enter()?;
        // Safety: the caller's.
        ask("copying from the device", unsafe { result::memcpy_dtoh_async(bytes, address, self.stream) })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.enter().is_err() {
            return;
        }
        // Safety: the stream is this one's own, and nothing is started on it afterwards.
        unsafe {
            let _ = result::stream::synchronize(self.stream);
            let _ = result::stream::destroy(self.stream);
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if self.enter().is_err() {
            return;
        }
        // Safety: the handles are the device's own, its streams are gone, and nothing of it is used afterwards.
        unsafe {
            for loaded in self.modules().values() {
                let _ = result::module::unload(loaded.module);
            }
            let _ = result::primary_ctx::release(self.device);
        }
    }
}
