//! What can go wrong around a call.

use std::fmt;

/// Why nothing was computed, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no CUDA driver on this machine.
    NoDriver,
    /// The driver knows no device of this number; there are so many.
    NoDevice {
        /// The number asked for, counted from 0.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// The library that compiles kernels cannot be loaded; why.
    NoNvrtc(String),
    /// The library that compiles kernels refused one: a defect of pardiff. Its log.
    Compile(String),
    /// The device has not so much memory left.
    OutOfMemory {
        /// The bytes asked for.
        bytes: usize,
    },
    /// A buffer of one device, or queue, was given to a call on another one.
    OtherDevice {
        /// The argument.
        argument: &'static str,
    },
    /// The driver, or the device, reports an error: in which call, and which.
    Device {
        /// What was asked of it.
        doing: String,
        /// What it says.
        says: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoDriver => f.write_str(
                "there is no CUDA driver on this machine (libcuda.so.1 cannot be loaded): install NVIDIA's driver, or call the \
                 function's `grad` for the CPU",
            ),
            Error::NoDevice { ordinal, count: 0 } => {
                write!(f, "there is no GPU number {ordinal}: the driver sees none; see what `nvidia-smi` says")
            }
            Error::NoDevice { ordinal, count } => {
                write!(f, "there is no GPU number {ordinal}: the driver sees {count}, counted from 0")
            }
            Error::NoNvrtc(why) => write!(
                f,
                "NVRTC, which compiles the kernels, cannot be loaded: {why}; install the CUDA toolkit, or the wheel \
                 nvidia-cuda-nvrtc-cu12, and let PARDIFF_NVRTC name its libnvrtc.so.12"
            ),
            Error::Compile(log) => {
                write!(f, "NVRTC does not compile a kernel of pardiff; please report the function to its authors:\n{log}")
            }
            Error::OutOfMemory { bytes } => write!(
                f,
                "the GPU has no {bytes} bytes of memory left: drop buffers, or call the function with fewer rows at a time"
            ),
            Error::OtherDevice { argument } => {
                write!(
                    f,
                    "the buffer `{argument}` belongs to another device, or another queue, than the one of the call; `moved_to` and \
                     `copied_to` bring it to another queue"
                )
            }
            Error::Device { doing, says } => write!(f, "the GPU failed while {doing}: {says}"),
        }
    }
}

impl std::error::Error for Error {}
