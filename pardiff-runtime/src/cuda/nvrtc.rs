//! Kernel text to machine code, by the library NVRTC. It needs no GPU.

use super::Error;
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Names of the library, newest first.
const NAMES: [&str; 5] =
    ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "nvrtc64_130_0.dll", "nvrtc64_120_0.dll"];

/// What every module begins with.
pub fn prelude() -> String {
    let texts = [
        include_str!("text/types.cuh"),
        include_str!("text/gpu.cuh"),
        include_str!("text/functions.cuh"),
        include_str!("text/sums.cuh"),
    ];
    texts.concat()
}

type Program = *mut c_void;

/// The functions of the library that are used.
pub struct Nvrtc {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    count_architectures: unsafe extern "C" fn(*mut c_int) -> c_int,
    architectures: unsafe extern "C" fn(*mut c_int) -> c_int,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    ptx_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    ptx: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    /// Never unloaded.
    _library: Library,
}

/// What kernels are compiled for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// `sm_90`: machine code; `compute_90`: text that the driver compiles for newer devices.
    pub architecture: String,
    /// The library that compiles.
    pub by: String,
}

impl Nvrtc {
    /// The library: of that file, or of the one that `PARDIFF_NVRTC` names, or of the system.
    ///
    /// # Errors
    ///
    /// It cannot be loaded, or is too old.
    pub fn load(file: Option<&Path>) -> Result<&'static Nvrtc, Error> {
        static LOADED: OnceLock<Result<Nvrtc, Error>> = OnceLock::new();
        let loaded = LOADED.get_or_init(|| {
            let named =
                file.map(PathBuf::from).or_else(|| std::env::var_os("PARDIFF_NVRTC").map(PathBuf::from));
            let candidates = match named {
                Some(file) => vec![file],
                None => NAMES.iter().map(PathBuf::from).collect(),
            };
            let mut why = String::new();
            for name in candidates {
                match open(&name) {
                    Ok(nvrtc) => return Ok(nvrtc),
                    Err(error) => why = format!("`{}`: {error}", name.display()),
                }
            }
            Err(Error::NoNvrtc(why))
        });
        loaded.as_ref().map_err(Clone::clone)
    }

    /// The best target for a device: its own machine code, or the newest that the library knows, for the driver to compile.
    ///
    /// # Errors
    ///
    /// The library is too new for the device, or does not answer.
    pub fn target(&self, device: u32) -> Result<Target, Error> {
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // Safety: the functions write the numbers that they are given room for.
        let known = unsafe {
            (self.version)(&mut major, &mut minor);
            (self.count_architectures)(&mut count);
            let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
            (self.architectures)(known.as_mut_ptr());
            known
        };
        let device = c_int::try_from(device).unwrap_or(0);
        let best = known.iter().copied().filter(|&it| it <= device).max();
        let architecture = match best {
            Some(best) if best == device => format!("sm_{best}"),
            Some(best) => format!("compute_{best}"),
            None => {
                let why = format!(
                    "NVRTC {major}.{minor} knows no device as old as sm_{device}; install an older one"
                );
                return Err(Error::NoNvrtc(why));
            }
        };
        Ok(Target { architecture, by: format!("{major}.{minor}") })
    }

    /// Machine code, or text for the driver, that ends with a zero.
    ///
    /// # Errors
    ///
    /// The text is not accepted.
    pub fn compile(&self, text: &str, target: &Target) -> Result<Vec<u8>, Error> {
        let source = CString::new(text).map_err(|_| Error::Compile("a zero in the text".to_owned()))?;
        // no product is fused with a sum but where the text says so: a value that is computed again has the bits it had
        let options = [
            format!("--gpu-architecture={}", target.architecture),
            "--std=c++17".to_owned(),
            "--fmad=false".to_owned(),
        ];
        let options: Vec<CString> = options.iter().filter_map(|it| CString::new(it.as_str()).ok()).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|it| it.as_ptr()).collect();
        let native = target.architecture.starts_with("sm_");
        // Safety: strings live until the program is destroyed, and results are given as much room as they say.
        unsafe {
            let mut program: Program = std::ptr::null_mut();
            let (none, name) = (std::ptr::null(), c"pardiff.cu".as_ptr());
            if (self.create)(&mut program, source.as_ptr(), name, 0, none, none) != 0 {
                return Err(Error::Compile("NVRTC makes no program of it".to_owned()));
            }
            let compiled = (self.compile)(program, pointers.len() as c_int, pointers.as_ptr());
            let (size, get) = match (compiled, native) {
                (0, true) => (self.cubin_size, self.cubin),
                (0, false) => (self.ptx_size, self.ptx),
                _ => (self.log_size, self.log),
            };
            let mut bytes = 0;
            size(program, &mut bytes);
            let mut image = vec![0u8; bytes + 1];
            get(program, image.as_mut_ptr().cast());
            (self.destroy)(&mut program);
            match compiled {
                0 => Ok(image),
                _ => {
                    let log = String::from_utf8_lossy(&image);
                    Err(Error::Compile(log.trim_end_matches('\0').to_owned()))
                }
            }
        }
    }
}

fn open(file: &Path) -> Result<Nvrtc, libloading::Error> {
    // Safety: loading runs the library's initialisers alone; the types are those of its header, the same in all versions that
    // have the names.
    unsafe {
        let library = Library::new(file)?;
        Ok(Nvrtc {
            version: *library.get(b"nvrtcVersion")?,
            count_architectures: *library.get(b"nvrtcGetNumSupportedArchs")?,
            architectures: *library.get(b"nvrtcGetSupportedArchs")?,
            create: *library.get(b"nvrtcCreateProgram")?,
            compile: *library.get(b"nvrtcCompileProgram")?,
            log_size: *library.get(b"nvrtcGetProgramLogSize")?,
            log: *library.get(b"nvrtcGetProgramLog")?,
            cubin_size: *library.get(b"nvrtcGetCUBINSize")?,
            cubin: *library.get(b"nvrtcGetCUBIN")?,
            ptx_size: *library.get(b"nvrtcGetPTXSize")?,
            ptx: *library.get(b"nvrtcGetPTX")?,
            destroy: *library.get(b"nvrtcDestroyProgram")?,
            _library: library,
        })
    }
}
