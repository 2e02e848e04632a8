//! The attribute `#[differentiate]`: tokens in, tokens out, nothing else.

use proc_macro::TokenStream;

/// Adds the gradient of a function beside it: a module of the function's name with `grad`, `vjp`, `grad_into`,
/// `vjp_into`, `gradient`, `value` and `PLAN`. The guide of the crate `pardiff` shows how to use them.
#[proc_macro_attribute]
pub fn differentiate(attr: TokenStream, item: TokenStream) -> TokenStream {
    pardiff_compiler::expand(attr.into(), item.into()).into()
}
