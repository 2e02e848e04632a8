//! `std::mem::take` and `std::mem::replace` of variables that refer to a slice.
//!
//! ```text
//! let all = std::mem::take(&mut rest);   =>   let all = {
//!                                                let left = &mut rest[..0];
//!                                                let taken = rest;
//!                                                rest = left;
//!                                                taken
//!                                             };
//! ```
//!
//! What is left is an empty slice, as the default of a slice is: one of the same array, of which no element is read.

use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::Expr;
use super::{Name, Resolver, bare};
use quote::ToTokens;
use syn::parse_quote_spanned;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// Such a call; `None` if it is another one.
    pub(super) fn taken_reference(&mut self, e: &syn::ExprCall) -> Option<Expr> {
        let syn::Expr::Reference(of) = bare(e.args.first()?) else { return None };
        let syn::Expr::Path(variable) = bare(&of.expr) else { return None };
        let Some(Name::Local(local)) = self.lookup(&variable.path.get_ident()?.to_string()) else {
            return None;
        };
        let Type::Ref(is_mutable, slice) = self.infer.shallow(&self.locals[*local].ty) else { return None };
        let Type::Array(..) = self.infer.shallow(&slice) else { return None };
        let (span, call) = (e.span(), e.to_token_stream());
        let [taken, left] = ["taken", "left"].map(|name| fresh_at(name, span, call.clone()));
        let value: syn::Expr = match (e.args.get(1), is_mutable) {
            (Some(value), _) => value.clone(),
            (None, true) => parse_quote_spanned!(span=> &mut #variable[..0]),
            (None, false) => parse_quote_spanned!(span=> &#variable[..0]),
        };
        let block: syn::Expr = parse_quote_spanned!(span=> {
            let #left = #value;
            let #taken = #variable;
            #variable = #left;
            #taken
        });
        Some(self.expr(&block))
    }
}
