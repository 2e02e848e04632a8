//! Where the numbers of the kernels come from: generators, readers of published files, aligned memory.
//!
//! A crate of its own, so that an example compiles no kernel but the one it runs.

pub mod adbench;
mod aligned;
pub mod deck;
pub mod mixture;
mod random;

pub use aligned::Aligned;
pub use random::Lcg;
use std::path::PathBuf;

/// The directory of published data, where `PARDIFF_DATA` names one: `adbench/{gmm,ba,lstm}` as in microsoft/ADBench's
/// `data`, and `minibude/bm1` as in UoB-HPC/miniBUDE's.
pub fn directory() -> Option<PathBuf> {
    std::env::var_os("PARDIFF_DATA").map(PathBuf::from).filter(|path| path.is_dir())
}
