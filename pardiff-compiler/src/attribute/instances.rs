//! Generic functions: a module of derivatives for each choice of types, and one of the function's name for all of
//! them.
//!
//! ```text
//! pub fn norm<T: Float>(x: &[T]) -> T { … }
//! pub mod norm {
//!     pub mod norm_of_f64 { … }   pub mod norm_of_f32 { … }
//!     pub struct Gradient<T> { pub x: Vec<T> }         // `norm_of_f64::Gradient` is `Gradient<f64>`
//!     pub trait Instance: sealed::Sealed { fn grad(x: &[Self], d_x: &mut [Self]) -> Self; type Tape; … }
//!     impl Instance for f64 { … }
//!     pub fn grad<T: Instance>(x: &[T], d_x: &mut [T]) -> T { <T as Instance>::grad(x, d_x) }
//! }
//! pub use norm::norm_of_f64;   pub use norm::norm_of_f32;
//! ```
//!
//! The functions of the common module are read off those of the instances: where their signatures differ, they
//! differ by what a type parameter stands for. Where there is one choice alone, its module has the function's name.

use super::common_module::Common;
use super::stubbed;
use crate::frontend::{self, Instance, Module, Options, Target};
use crate::refusal::Refusal;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ItemMod;
use syn::parse::{ParseStream, Parser};

/// What is generated for a function with type parameters, or a stub and everything that is refused.
pub(super) fn differentiated(
    options: &Options,
    mut refusals: Vec<Refusal>,
    module: &Module,
    target: &Target,
) -> (TokenStream, Vec<Refusal>) {
    match expanded(options, module, target) {
        Ok(tokens) if refusals.is_empty() => return (tokens, refusals),
        Ok(_) => {}
        Err(more) => refusals.extend(more),
    }
    (stubbed(options, module, target), refusals)
}

fn expanded(options: &Options, module: &Module, target: &Target) -> Result<TokenStream, Vec<Refusal>> {
    let instances = frontend::instances(options, module, &target.item)?;
    let name = options.module.as_ref().unwrap_or(&target.item.sig.ident);
    let bounds = frontend::bounds_of_structs(module, &target.item);
    let mut tokens = TokenStream::new();
    let mut modules = Vec::new();
    for instance in &instances {
        let of_instance = match instances.len() {
            1 => name.clone(),
            _ => format_ident!("{}_of_{}", name, instance.suffix(), span = name.span()),
        };
        let options = Options { module: Some(of_instance), ..options.clone() };
        let target = Target { instance: Some(instance.clone()), ..target.clone() };
        let expansion = crate::compile_in(&options, module, target);
        let expansion = expansion.map_err(|refusals| with_types(refusals, instance, instances.first()))?;
        if instances.len() == 1 {
            return Ok(expansion);
        }
        let read = |input: ParseStream<'_>| Ok((input.parse::<ItemMod>()?, input.parse::<TokenStream>()?));
        let (module, rest) = read.parse2(expansion).map_err(|error| vec![internal(&error)])?;
        modules.push(module);
        tokens.extend(rest);
    }
    let common = Common::of(name, target, &instances, &modules, bounds)?;
    let (module, names) = (common.module(), common.names_of_instances());
    Ok(quote!(#module #names #tokens))
}

/// The refusals of an instance; those of others than the first say which one it is.
fn with_types(mut refusals: Vec<Refusal>, instance: &Instance, first: Option<&Instance>) -> Vec<Refusal> {
    if first != Some(instance) {
        for refusal in &mut refusals {
            refusal.why += &format!(", where {}", instance.shown());
        }
    }
    refusals
}

fn internal(error: &syn::Error) -> Refusal {
    Refusal::new(
        error.span(),
        "internal error of pardiff: the instances of this function cannot be read",
        error.to_string(),
        "please report the function to the authors of pardiff; with one type, `with(T = f64)`, it is differentiated",
    )
}
