//! IR to Rust tokens, and the public contract around them.
//!
//! *Comes in*: the user's [`Signature`], a scheduled program for each mode, and the plan in words. *Goes out*: the
//! module `f` (signatures that forward, `PLAN`, `DECISIONS`, `Gradient`) and `impl f::Bodies` beside it (the bodies).
//! *Guarantees*: safe Rust that does what the programs say, statement by statement, every `Check` where the program has
//! it; no name of ours captures one of the user's. *Never*: decides anything; what a program asks for and this back end
//! does not do is refused, not approximated.

mod body;
pub(crate) mod code;
mod communication;
mod contract;
mod contract_alike;
mod contract_attributes;
mod contract_borrowed;
mod contract_bounds;
mod contract_check;
mod contract_conversions;
mod contract_docs;
mod contract_elements;
mod contract_failures;
mod contract_gradient;
mod contract_jacobian;
mod contract_lengths;
mod contract_lent;
mod contract_module;
pub(crate) mod contract_ndarray;
mod contract_ranks;
pub(crate) mod contract_records;
mod contract_refused;
mod contract_returned;
mod contract_row_jacobian;
mod contract_rows;
mod contract_tape;
pub(crate) mod contract_types;
mod contract_visit;
mod conversions;
mod conversions_written;
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
mod user_call;

use super::Cuda;
use crate::frontend::Asked;
use crate::modes::Entry;
use crate::plan::Plan;
use crate::refusal::Refusal;
use crate::signature::Signature;
use proc_macro2::TokenStream;

#[cfg(feature = "cuda")]
pub(crate) use body::in_batch;
#[cfg(feature = "cuda")]
pub(crate) use contract::inside;
pub use contract::stub;
pub(crate) use contract_attributes::existence;
pub use contract_check::{CHECK, Caller, possible as can_be_called};
pub use contract_failures::CALLER as FAILURE;
pub use contract_refused::refused;
pub use contract_returned::CALLER as RETURNING;
pub use contract_types::respan;
pub(crate) use contract_types::user;
pub(crate) use contract_types::{is_relative, relocated_path};

pub(crate) use code::{Code, code};
pub(crate) use expr::call_of;

/// The module `f` and the bodies, to stand beside the function; `cuda` is what stands among them for a GPU.
///
/// # Errors
///
/// What a program asks for and is not done here.
pub fn emit(
    signature: &Signature,
    entries: &[Entry],
    asked: Asked,
    plan: &Plan,
    cuda: &Cuda,
) -> Result<TokenStream, Vec<Refusal>> {
    for entry in entries.iter().flat_map(|entry| std::iter::once(entry).chain(entry.portable.as_deref())) {
        supported::check(&entry.program).map_err(|refusal| vec![refusal])?;
    }
    Ok(contract::expansion(signature, entries, asked, plan, cuda).tokens())
}
