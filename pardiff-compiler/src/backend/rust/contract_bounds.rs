//! Which traits the bounds are that the front end took for those of `num-traits`.
//!
//! ```text
//! fn norm<T: Float>(x: &[T]) -> T { … }
//! const _: fn() = || { fn is<U: pardiff::runtime::bounds::Float>() {} fn of<T: Float>() { is::<T>() } };
//! ```
//!
//! An attribute sees names. Where the name means another trait, the item beside the function does not compile.

use super::contract::Contract;
use super::contract_attributes::existence;
use super::{Code, code, user};
use proc_macro2::{Ident, Span};

impl Contract<'_> {
    /// The items, to stand beside the function.
    pub(super) fn proofs(&self) -> Code {
        let (runtime, attrs) = (&self.runtime, existence(&self.signature.attrs));
        let proofs = self.signature.bounds.iter().filter_map(|(bound, span)| {
            let name = &bound.segments.last()?.ident;
            let name = Ident::new(&name.to_string(), Span::mixed_site());
            // what rustc says stands on the bound
            let of = Ident::new("T", span.resolved_at(Span::mixed_site()));
            let bound = user(bound);
            // the functions are there to be checked by rustc, and nobody calls them
            Some(code! {
                #attrs
                #[allow(dead_code)]
                const _: fn() = || {
                    fn is<U: #runtime::bounds::#name>() {}
                    fn of<T: #bound>() {
                        is::<#of>()
                    }
                };
            })
        });
        proofs.collect()
    }
}
