//! Random programs of the accepted language.
//!
//! *Comes in*: a seed. *Goes out*: a [`Program`] that prints as Rust source, arguments to call it with, and smaller
//! programs to try when it fails. *Guarantees*: rustc accepts what is printed; on the arguments of
//! [`inputs::arguments`] no index is out of range and no integer overflows; trip counts are small and floats mostly
//! stay of moderate size. *Never*: looks at the compiler under test, so that whatever builds Rust code can use it.

pub mod chains;
pub mod control;
pub mod decisions;
pub mod draw;
pub mod dressed;
pub mod expressions;
pub mod generate;
pub mod inputs;
pub mod messages;
pub mod program;
pub mod rings;
pub mod scope;
pub mod shrink;
pub mod source;
pub mod statements;
pub mod templates;

pub use dressed::{Dressed, dress};
pub use generate::{Style, program, program_of_everything};
pub use inputs::{Case, arguments};
pub use program::Program;
