//! Every question against enumeration, and the kernels that the analysis must understand.

mod build;
mod kernels;
