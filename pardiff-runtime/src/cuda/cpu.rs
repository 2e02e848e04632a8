//! A device that runs the text of kernels on the CPU and watches every access; see `text/cpu.hpp`.

use super::device::{Device, Launch, Mark, Module};
use super::{Error, nvrtc};
use libloading::Library;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::HashMap;
use std::ffi::{c_char, c_uint};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How kernels run on the CPU.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OnCpu {
    /// Of the order of threads and blocks.
    pub seed: u64,
    /// The library NVRTC, if kernels are to pass it as well.
    pub nvrtc: Option<PathBuf>,
}

impl OnCpu {
    /// With another order of threads and blocks.
    pub fn seeded(seed: u64) -> OnCpu {
        OnCpu { seed, nvrtc: None }
    }

    /// Kernels are compiled by this NVRTC as well, for a device that is not there.
    pub fn compiled_by(self, nvrtc: PathBuf) -> OnCpu {
        OnCpu { nvrtc: Some(nvrtc), ..self }
    }
}

/// In front of the elements of an allocation; the text knows it as `pd_allocation`.
#[repr(C)]
struct Head {
    magic: u64,
    bytes: u64,
    touches: *mut u8,
    unused: [u64; 5],
}

/// The architecture for which kernels are compiled where no device says it.
const LIKE: u32 = 90;
const MAGIC: u64 = 0x7061_7264_6966_6621;
/// Bytes of the record about an element: three times four numbers.
const TOUCH: usize = 48;
const HEAD: usize = size_of::<Head>();

type Entry = unsafe extern "C" fn(*const u64);
type Run = unsafe extern "C" fn(Entry, *const u64, c_uint, c_uint, u64, u32, *mut c_char, usize) -> bool;

struct Loaded {
    run: Run,
    entries: Vec<Entry>,
    /// Never unloaded.
    _library: Library,
}

/// What all devices of this kind have in common.
#[derive(Default)]
struct State {
    modules: HashMap<usize, Arc<Mutex<Slot>>>,
    launches: u32,
}

/// A module; its lock is held while it is compiled, and others are not waited for.
#[derive(Default)]
struct Slot {
    module: Option<&'static Module>,
    loaded: Option<Loaded>,
    passed_nvrtc: bool,
}

/// The device.
pub(super) struct Cpu {
    options: OnCpu,
    /// Its queues have this in common.
    machine: Arc<()>,
    /// What was launched while [`Device::profile`] runs.
    launches: Mutex<Option<Vec<Launch>>>,
}

/// Everything is done at once.
struct Done;

impl Mark for Done {
    fn wait(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The modules that were loaded in this process.
pub fn loaded_on_cpu() -> Vec<&'static Module> {
    let slots: Vec<Arc<Mutex<Slot>>> = state().modules.values().cloned().collect();
    let module = |slot: &Arc<Mutex<Slot>>| slot.lock().unwrap_or_else(PoisonError::into_inner).module;
    slots.iter().filter_map(module).collect()
}

fn state() -> MutexGuard<'static, State> {
    static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(doing: &str, says: impl ToString) -> Error {
    Error::Device { doing: doing.to_owned(), says: says.to_string() }
}

impl Cpu {
    fn with(options: OnCpu, machine: Arc<()>) -> Cpu {
        Cpu { options, machine, launches: Mutex::new(None) }
    }

    pub(super) fn new(options: OnCpu) -> Result<Cpu, Error> {
        let compiler = Command::new("g++").arg("--version").output();
        compiler.map_err(|error| failed("looking for g++, which runs kernels on the CPU", error))?;
        Ok(Cpu::with(options, Arc::new(())))
    }
}

/// The text of a module with what it calls, and with functions that take the words of each kernel.
fn whole_text(module: &Module) -> String {
    let mut text = [
        include_str!("text/types.cuh"),
        include_str!("text/cpu.hpp"),
        include_str!("text/functions.cuh"),
        include_str!("text/sums.cuh"),
        module.text,
    ]
    .concat();
    for kernel in module.kernels {
        let (name, words) = (kernel.name, kernel.words);
        text += &format!(
            "\nextern \"C\" void pd_entry_{name}(const pd_u64* w) {{ pd_words<{words}> a; memcpy(a.v, w, sizeof a.v); {name}(a); }}"
        );
    }
    text + "\n"
}

fn compile(module: &Module) -> Result<Loaded, Error> {
    static NUMBER: Mutex<u64> = Mutex::new(0);
    let number = {
        let mut number = NUMBER.lock().unwrap_or_else(PoisonError::into_inner);
        *number += 1;
        *number
    };
    let stem = format!("pardiff-{}-{number}", std::process::id());
    let file = |extension: &str| -> PathBuf { std::env::temp_dir().join(format!("{stem}.{extension}")) };
    let (source, library) = (file("cpp"), file("so"));
    std::fs::write(&source, whole_text(module)).map_err(|error| failed("writing a kernel", error))?;
    // no product is fused with a sum but where the text says so
    let compiled = Command::new("g++")
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-U_FORTIFY_SOURCE", "-fPIC", "-shared", "-w", "-o"])
        .args([&library, &source])
        .output();
    let compiled = compiled.map_err(|error| failed("running g++", error))?;
    let _ = std::fs::remove_file(&source);
    if !compiled.status.success() {
        return Err(Error::Compile(String::from_utf8_lossy(&compiled.stderr).into_owned()));
    }
    // Safety: the library was compiled just now from text whose functions have these types.
    let loaded = unsafe {
        Library::new(&library).and_then(|opened| {
            let entry = |kernel: &super::Kernel| {
                let name = format!("pd_entry_{}", kernel.name);
                opened.get::<Entry>(name.as_bytes()).map(|entry| *entry)
            };
            let entries = module.kernels.iter().map(entry).collect::<Result<_, _>>()?;
            let run = *opened.get::<Run>(b"pd_run")?;
            Ok(Loaded { run, entries, _library: opened })
        })
    };
    let _ = std::fs::remove_file(&library);
    loaded.map_err(|error| failed("loading a kernel that g++ compiled", error))
}

fn layouts(bytes: usize) -> Option<(Layout, Layout)> {
    let memory = Layout::from_size_align(bytes.checked_add(HEAD)?, 64).ok()?;
    let touches = Layout::from_size_align(bytes.checked_mul(TOUCH)?, 64).ok()?;
    Some((memory, touches))
}

impl Device for Cpu {
    fn name(&self) -> String {
        "the CPU in a GPU's place".to_owned()
    }

    fn allocate(&self, bytes: usize) -> Result<u64, Error> {
        let Some((memory, touches)) = layouts(bytes) else { return Err(Error::OutOfMemory { bytes }) };
        // Safety: the sizes are not zero; the head lies at the start of the memory, which is aligned for it.
        unsafe {
            let (memory, touches) = match (alloc_zeroed(memory), alloc_zeroed(touches)) {
                (at, of) if !at.is_null() && !of.is_null() => (at, of),
                (at, of) => {
                    [(at, memory), (of, touches)]
                        .into_iter()
                        .filter(|(at, _)| !at.is_null())
                        .for_each(|(at, layout)| dealloc(at, layout));
                    return Err(Error::OutOfMemory { bytes });
                }
            };
            let head = Head { magic: MAGIC, bytes: bytes as u64, touches, unused: [0; 5] };
            memory.cast::<Head>().write(head);
            let elements = memory.add(HEAD);
            // NaN, and integers that are out of every range
            elements.write_bytes(0xff, bytes);
            Ok(elements.expose_provenance() as u64)
        }
    }

    unsafe fn free(&self, address: u64) {
        // Safety: the address is one of `allocate`.
        unsafe {
            let memory = std::ptr::with_exposed_provenance_mut::<u8>(address as usize).sub(HEAD);
            let head = memory.cast::<Head>();
            if let Some((layout, touches)) = layouts((*head).bytes as usize) {
                dealloc((*head).touches, touches);
                (*head).magic = 0;
                dealloc(memory, layout);
            }
        }
    }

    unsafe fn upload(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        let memory = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        // Safety: the caller's.
        unsafe { memory.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    unsafe fn download(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let memory = std::ptr::with_exposed_provenance::<u8>(address as usize);
        // Safety: the caller's.
        unsafe { memory.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    unsafe fn clear(&self, address: u64, bytes: usize) -> Result<(), Error> {
        // Safety: the caller's.
        unsafe { std::ptr::with_exposed_provenance_mut::<u8>(address as usize).write_bytes(0, bytes) };
        Ok(())
    }

    fn load(&self, module: &'static Module) -> Result<(), Error> {
        let slot = state().modules.entry(module.key()).or_default().clone();
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &self.options.nvrtc
            && !slot.passed_nvrtc
        {
            let nvrtc = nvrtc::Nvrtc::load(Some(file))?;
            let text = format!("{}{}", nvrtc::prelude(), module.text);
            nvrtc.compile(&text, &nvrtc.target(LIKE)?)?;
            slot.passed_nvrtc = true;
        }
        if slot.loaded.is_none() {
            slot.loaded = Some(compile(module)?);
            slot.module = Some(module);
        }
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
        let name = module.kernel(kernel, words)?.name;
        let (launch, slot) = {
            let mut state = state();
            // records of memory that was never touched say launch 0
            state.launches = state.launches.checked_add(1).unwrap_or(1);
            (state.launches, state.modules.get(&module.key()).cloned().unwrap_or_default())
        };
        // one launch of a module at a time: its text has one set of threads
        let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = slot.loaded.as_ref().and_then(|it| Some((it.run, *it.entries.get(kernel)?)));
        let Some((run, entry)) = entry else {
            return Err(failed(&format!("launching `{name}`"), "the module was not loaded"));
        };
        let seed = self.options.seed.wrapping_add(u64::from(launch));
        let start = Instant::now();
        let mut message = [0u8; 512];
        let room = message.len();
        // Safety: the words are those that the kernel takes, by the caller; every access is checked.
        let fine = unsafe {
            run(entry, words.as_ptr(), grid, block, seed, launch, message.as_mut_ptr().cast(), room)
        };
        if fine {
            if let Some(launches) = &mut *self.launches.lock().unwrap_or_else(PoisonError::into_inner) {
                let seconds = start.elapsed().as_secs_f64();
                launches.push(Launch { kernel: name, shape: [grid, block], seconds });
            }
            return Ok(());
        }
        let end = message.iter().position(|&byte| byte == 0).unwrap_or(room);
        Err(failed(&format!("running `{name}`"), String::from_utf8_lossy(&message[..end])))
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), Error> {
        let from = std::ptr::with_exposed_provenance::<u8>(from as usize);
        // Safety: the caller's; what is written is borrowed for writing, so that the two differ.
        unsafe {
            std::ptr::with_exposed_provenance_mut::<u8>(to as usize).copy_from_nonoverlapping(from, bytes);
        }
        Ok(())
    }

    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error> {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn profile(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Vec<Launch>, Error> {
        let launches = || self.launches.lock().unwrap_or_else(PoisonError::into_inner);
        *launches() = Some(Vec::new());
        let done = work();
        let found = launches().take().unwrap_or_default();
        done.map(|()| found)
    }

    fn wait(&self) -> Result<(), Error> {
        Ok(())
    }

    fn queue(&self) -> Result<Arc<dyn Device>, Error> {
        Ok(Arc::new(Cpu::with(self.options.clone(), self.machine.clone())))
    }

    fn machine(&self) -> usize {
        Arc::as_ptr(&self.machine) as usize
    }

    fn follow(&self, _: &dyn Device) -> Result<(), Error> {
        Ok(())
    }

    fn mark(&self) -> Result<Box<dyn Mark>, Error> {
        Ok(Box::new(Done))
    }

    fn allocate_on_host(&self, bytes: usize) -> Result<*mut u8, Error> {
        let layout = Layout::from_size_align(bytes, 64).map_err(|_| Error::OutOfMemory { bytes })?;
        // Safety: the size is not zero.
        let memory = unsafe { alloc_zeroed(layout) };
        if memory.is_null() { Err(Error::OutOfMemory { bytes }) } else { Ok(memory) }
    }

    unsafe fn free_on_host(&self, memory: *mut u8, bytes: usize) {
        if let Ok(layout) = Layout::from_size_align(bytes, 64) {
            // Safety: the caller's.
            unsafe { dealloc(memory, layout) }
        }
    }

    unsafe fn upload_later(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        // Safety: the caller's.
        unsafe { self.upload(address, bytes) }
    }

    unsafe fn download_later(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error> {
        // Safety: the caller's.
        unsafe { self.download(address, bytes) }
    }
}
