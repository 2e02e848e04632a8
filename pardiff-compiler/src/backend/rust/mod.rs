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
mod extents;
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

use super::Cuda;
use crate::ir::Program;
use crate::refusal::Refusal;
use crate::signature::Signature;
use proc_macro2::TokenStream;

#[cfg(feature = "cuda")]
pub(crate) use contract::inside;
pub use contract::stub;
pub use contract_types::respan;
pub(crate) use contract_types::user;

pub(crate) use code::{Code, code};
pub(crate) use expr::call_of;

/// What a generated function computes, as machines of different levels run it.
#[derive(Clone, Copy)]
pub struct Versions<'a> {
    /// In tasks and lanes.
    scheduled: &'a Program,
    /// In order and in scalars, for machines with the lowest level of x86-64.
    portable: Option<&'a Program>,
    /// Whether the first is the portable one.
    is_portable: bool,
}

impl<'a> Versions<'a> {
    /// A program that machines of all levels run.
    pub fn one(scheduled: &'a Program) -> Versions<'a> {
        Versions { scheduled, portable: None, is_portable: false }
    }

    /// A scheduled program, and the same before it was scheduled.
    pub fn two(scheduled: &'a Program, portable: &'a Program) -> Versions<'a> {
        Versions { scheduled, portable: Some(portable), is_portable: false }
    }

    /// The programs.
    fn all(&self) -> impl Iterator<Item = &'a Program> {
        [self.scheduled].into_iter().chain(self.portable)
    }
}

/// The module `f` and the bodies, to stand beside the function.
pub fn emit(
    signature: &Signature,
    primal: &Program,
    adjoint: &Program,
    plan: &str,
) -> Result<TokenStream, Vec<Refusal>> {
    emit_with(signature, &Versions::one(primal), &Versions::one(adjoint), plan, &Cuda::default())
}

/// The same of programs in two versions, with what stands among them for a GPU.
pub fn emit_with(
    signature: &Signature,
    primal: &Versions<'_>,
    adjoint: &Versions<'_>,
    plan: &str,
    cuda: &Cuda,
) -> Result<TokenStream, Vec<Refusal>> {
    for program in primal.all().chain(adjoint.all()) {
        supported::check(program).map_err(|refusal| vec![refusal])?;
    }
    Ok(contract::expansion(signature, primal, adjoint, plan, cuda).tokens())
}
