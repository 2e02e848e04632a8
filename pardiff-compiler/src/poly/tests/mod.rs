//! Every question against enumeration, and the kernels that the analysis must understand.

mod build;
mod enumeration;
mod facts;
mod hindsight;
mod history;
mod kernels;
mod large;
mod machine;
mod random;
mod sets;
mod source;
mod trace;
