//! IR to Rust tokens, and the public contract around them.
//!
//! *Comes in*: the user's [`Signature`], the primal program, the adjoint program, and the plan in words. *Goes out*:
//! the module `f` (signatures that forward, `PLAN`, `Gradient`) and `impl f::Bodies` beside it (the bodies).
//! *Guarantees*: safe Rust that does what the programs say, statement by statement, every `Check` where the program
//! has it; no name of ours captures one of the user's. *Never*: decides anything; what a program asks for and this
//! back end does not do is refused, not approximated.

mod body;
pub(crate) mod code;
mod contract;
mod contract_attributes;
mod contract_docs;
mod contract_gradient;
mod contract_lengths;
mod contract_module;
pub(crate) mod contract_ndarray;
pub(crate) mod contract_records;
pub(crate) mod contract_types;
mod emitter;
mod expr;
mod in_place;
mod isa_dispatch;
mod lanes;
pub(crate) mod literal;
pub(crate) mod names;
mod per_chunk;
mod prefetch;
mod product;
mod prologue;
mod reading;
mod rows;
mod stmt;
mod storage;
mod supported;
mod task;
#[cfg(test)]
mod tests;

use crate::gpu::emit::Cuda;
use crate::ir::Program;
use crate::refusal::Refusal;
use crate::signature::Signature;
use proc_macro2::TokenStream;

pub(crate) use contract::inside;
pub use contract::stub;
pub use contract_types::respan;
pub(crate) use contract_types::user;

pub(crate) use code::{Code, code};

/// The module `f` and the bodies, to stand beside the function.
pub fn emit(
    signature: &Signature,
    primal: &Program,
    adjoint: &Program,
    plan: &str,
) -> Result<TokenStream, Vec<Refusal>> {
    emit_with(signature, primal, adjoint, plan, &Cuda::default())
}

/// The same with what stands among them for a GPU.
pub fn emit_with(
    signature: &Signature,
    primal: &Program,
    adjoint: &Program,
    plan: &str,
    cuda: &Cuda,
) -> Result<TokenStream, Vec<Refusal>> {
    let refuse = |refusal| vec![refusal];
    supported::check(primal).map_err(refuse)?;
    supported::check(adjoint).map_err(refuse)?;
    Ok(contract::expansion(signature, primal, adjoint, plan, cuda).tokens())
}
