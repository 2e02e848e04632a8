//! Gradients on NVIDIA GPUs: the device, its memory, and what the generated host code calls.
//!
//! *Comes in*: kernels as CUDA C text, made when the user's crate was compiled. *Goes out*: arrays on the device.
//! *Guarantees*: nothing of CUDA is needed to build, and what is missing when the program runs (a driver, a device, NVRTC,
//! memory) is an [`Error`] that says what to do; the kernels of one call run in the order of its statements, those of several queues side by side. *Never*: panics,
//! but where the function itself does and for arrays of wrong lengths.
//!
//! | file | what |
//! | --- | --- |
//! | `gpu` | the handle of a device |
//! | `buffer` | arrays in its memory |
//! | `pinned` | memory of the host for copies that nobody waits for |
//! | `call` | one call of a generated function: its scratch memory, its launches, its failed checks |
//! | `order` | prefix sums, and numbers in order |
//! | `device` | what a device does, whatever it is |
//! | `driver` | a GPU, by the CUDA driver |
//! | `nvrtc` | kernel text to machine code |
//! | `cache` | machine code between runs of the program |
//! | `cpu` | a device that runs the same text on the CPU and watches it, for tests |
//! | `text` | what every module begins with: CUDA's names for the CPU, the functions of the language, sums of a block |

mod buffer;
mod cache;
mod call;
mod cpu;
mod device;
mod driver;
mod error;
mod gpu;
#[doc(hidden)]
pub mod nvrtc;
mod order;
mod pinned;

pub use buffer::{Buffer, Element};
#[doc(hidden)]
pub use call::Call;
pub use cpu::OnCpu;
#[doc(hidden)]
pub use cpu::loaded_on_cpu;
#[doc(hidden)]
pub use device::{Kernel, Launch, Module};
pub use error::Error;
pub use gpu::Gpu;
pub use pinned::{Pending, Pinned};
