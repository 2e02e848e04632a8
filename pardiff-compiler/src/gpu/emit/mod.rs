//! IR to CUDA C, and to the Rust code of the host that launches it.
//!
//! *Comes in*: the user's [`Signature`] and the programs of modes as they are scheduled for a GPU. *Goes out*: the text of a module of
//! kernels, and the functions of `f::cuda`. *Guarantees*: loops of level `Grid` are kernels, with the
//! schemes that the schedule gives their sums; what the host knows ([`crate::schedule::host`]) it computes, and everything else
//! is done by one thread, in order; every `Check` stands where the program has it, and after a failed one no kernel does
//! anything. *Never*: decides anything; what it does not do is refused, with what to write instead.
//!
//! | file | what |
//! | --- | --- |
//! | `supported` | what is refused |
//! | `contract` | the functions and their arguments |
//! | `host` | the statements that the host runs |
//! | `hosted` | arguments that lie on the host: structs, arrays of `ndarray`, results |
//! | `words` | what kernels are given: words, memory, paths, tables |
//! | `one_thread` | what one thread does between kernels, and how long that may wait |
//! | `launch` | kernels with their memory and their sums |
//! | `kernel` | the text of one kernel, and the words that it takes |
//! | `nest` | kernels whose iterations blocks of threads run |
//! | `stmt`, `expr` | statements and expressions as CUDA C |
//! | `host_expr` | expressions as Rust |

mod contract;
mod contract_cells;
mod expr;
mod host;
mod host_expr;
mod hosted;
mod kernel;
mod launch;
mod nest;
mod one_thread;
mod stmt;
mod supported;
#[cfg(test)]
mod tests;
mod words;

use crate::backend::Cuda;
use crate::backend::rust::code;
use crate::frontend::Asked;
use crate::ir::Program;
use crate::modes::Mode;
use crate::refusal::Refusal;
use crate::signature::Signature;

/// The derivatives of a function on a GPU, of which each mode has a program that is scheduled for one; those of several
/// directions or seeds are for `batch` of them.
///
/// # Errors
///
/// What of the function has no place on a GPU yet.
pub fn emit(
    signature: &Signature,
    programs: &[(Mode, &Program)],
    batch: Option<usize>,
) -> Result<Cuda, Vec<Refusal>> {
    programs.iter().try_for_each(|(_, program)| supported::check(program))?;
    Ok(contract::expansion(signature, programs, batch))
}

/// The module of a function that is refused: its functions resolve.
pub fn stub(signature: &Signature, asked: Asked) -> Cuda {
    Cuda { module: contract::stub(signature, asked), body: code!(), text: String::new() }
}
