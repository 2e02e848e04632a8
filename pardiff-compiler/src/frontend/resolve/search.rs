//! `partition_point`: bisection of a slice, as a loop of as many rounds for every element that is sought, so that several are
//! sought at once; what is found is the same as that of the standard library, whose order of comparisons is not said.
//!
//! ```text
//! let (mut base, mut size) = (0, x.len());
//! for _ in 0..(if size > 1 { (size - 1).ilog2() + 1 } else { 0 }) {
//!     let half = size / 2;
//!     let middle = base + half;
//!     base = if before(&x[middle]) { middle } else { base };
//!     size -= half;
//! }
//! if x.is_empty() { 0 } else if before(&x[base]) { base + 1 } else { base }
//! ```

use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::Expr;
use super::Resolver;
use super::vectors::under_a_name;
use quote::ToTokens;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// `x.partition_point(before)`
    pub(super) fn partition_point(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let (span, of, before) = (e.span(), &e.receiver, &e.args[0]);
        let array = self.expr(of);
        let Type::Array(..) = self.infer.peel(&array.ty) else {
            let ty = self.infer.show(&array.ty);
            return self.refuse(
                e.method.span(),
                format!("`partition_point` on a value of type `{ty}`"),
                "slices are searched",
                "write it on a slice: `x.as_slice().partition_point(…)`",
            );
        };
        let new = |name: &str| fresh_at(name, span, e.to_token_stream());
        let [searched, base, size, half, middle] = ["searched", "base", "size", "half", "middle"].map(new);
        let (x, named) = under_a_name(of, &searched, quote::quote_spanned!(span=> &));
        self.expr(&syn::parse_quote_spanned!(span=> {
            #named
            let (mut #base, mut #size) = (0, #x.len());
            for _ in 0..(if #size > 1 { (#size - 1).ilog2() as usize + 1 } else { 0 }) {
                let #half = #size / 2;
                let #middle = #base + #half;
                #base = if (#before)(&#x[#middle]) { #middle } else { #base };
                #size -= #half;
            }
            if #x.len() == 0 { 0 } else if (#before)(&#x[#base]) { #base + 1 } else { #base }
        }))
    }
}
