//! Which traits the bounds are that the front end took for those of `num-traits`, and which types those are that it took
//! for the integers of `mpi`.
//!
//! ```text
//! fn norm<T: Float>(x: &[T]) -> T { … }
//! const _: fn() = || { fn is<U: pardiff::runtime::bounds::Float>() {} fn of<T: Float>() { is::<T>() } };
//! const _: fn(Rank) -> i32 = |of| of;
//! ```
//!
//! An attribute sees names. Where the name means another trait, the item beside the function does not compile.

use super::contract::Contract;
use super::contract_attributes::existence;
use super::{Code, code, user};
use crate::frontend::{is_trait_of_numbers, takes_argument};
use proc_macro2::{Ident, Span};

impl Contract<'_> {
    /// The items, to stand beside the function.
    pub(super) fn proofs(&self) -> Code {
        let (runtime, attrs) = (&self.runtime, existence(&self.signature.attrs));
        let proofs = self.signature.bounds.iter().filter_map(|(bound, span)| {
            let name = &bound.segments.last()?.ident;
            // what is imported under another name is no trait of numbers either
            if !is_trait_of_numbers(&name.to_string()) {
                let of = Ident::new("of", span.resolved_at(Span::mixed_site()));
                let ty = user(bound);
                return Some(code!(#attrs const _: fn(#ty) -> i32 = |#of| #of;));
            }
            let name = Ident::new(&name.to_string(), Span::mixed_site());
            // what rustc says stands on the bound
            let of = Ident::new("T", span.resolved_at(Span::mixed_site()));
            // whatever the argument is, the trait is the same
            let mut bound = bound.clone();
            bound.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
            let bound = user(&bound);
            let (any, argument, given) = match takes_argument(&name.to_string()) {
                true => (code!(A: Copy + 'static,), code!(<A>), code!(A,)),
                false => (code!(), code!(), code!()),
            };
            // the functions are there to be checked by rustc, and nobody calls them
            Some(code! {
                #attrs
                #[allow(dead_code)]
                const _: fn() = || {
                    fn is<#any U: #runtime::bounds::#name #argument>() {}
                    fn of<#any T: #bound #argument>() {
                        is::<#given #of>()
                    }
                };
            })
        });
        proofs.collect()
    }
}
