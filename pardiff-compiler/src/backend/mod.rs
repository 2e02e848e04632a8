//! IR to code. Back ends obey; they decide nothing.

pub(crate) mod interface;
pub mod rust;

use rust::Code;

/// What a function gains by the option `cuda`.
#[derive(Clone, Debug, Default)]
pub struct Cuda {
    /// The module `cuda` inside of the function's module.
    pub(crate) module: Code,
    /// A function beside the others in `impl f::Bodies`.
    pub(crate) body: Code,
    /// The kernels.
    pub text: String,
}
