//! The attribute `#[differentiate]`: tokens in, tokens out, nothing else.

use proc_macro::TokenStream;

/// Adds the gradient of a function beside it: a module of the function's name with `grad`, `vjp`, `grad_into`,
/// `vjp_into`, `gradient`, `value` and `PLAN`, and with the option `cuda` a module `cuda` with `grad` and `vjp` for GPUs. The guide of the crate `pardiff` shows how to use them.
#[proc_macro_attribute]
pub fn differentiate(attr: TokenStream, item: TokenStream) -> TokenStream {
    let features = pardiff_compiler::frontend::Features {
        ndarray: cfg!(feature = "ndarray"),
        cuda: cfg!(feature = "cuda"),
        gemm: cfg!(feature = "gemm"),
    };
    pardiff_compiler::expand_with(features, attr.into(), item.into()).into()
}
