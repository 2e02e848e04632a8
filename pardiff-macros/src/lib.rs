//! The attribute `#[differentiate]`: tokens in, tokens out, nothing else.

use proc_macro::TokenStream;

/// Adds the gradient of a function beside it: a module of the function's name with `grad`, `vjp`, `grad_into`,
/// `vjp_into`, `gradient`, `value` and `PLAN`, and with the option `cuda` a module `cuda` with `grad` and `vjp` for GPUs. The guide of the crate `pardiff` shows how to use them.
#[proc_macro_attribute]
pub fn differentiate(attr: TokenStream, item: TokenStream) -> TokenStream {
    pardiff_compiler::expand_with(FEATURES, attr.into(), item.into()).into()
}

/// What the macros of exported items call back; no part of the interface.
#[doc(hidden)]
#[proc_macro]
pub fn __with(input: TokenStream) -> TokenStream {
    pardiff_compiler::with(FEATURES, input.into()).into()
}

/// What an item with `#[cfg(…)]` in it comes back to; no part of the interface.
#[doc(hidden)]
#[proc_macro_derive(__Configured)]
pub fn __configured(item: TokenStream) -> TokenStream {
    pardiff_compiler::configured(FEATURES, item.into()).into()
}

/// Nothing in place of the type that such an item was asked for in; no part of the interface.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn __removed(_: TokenStream, _: TokenStream) -> TokenStream {
    TokenStream::new()
}

const FEATURES: pardiff_compiler::frontend::Features = pardiff_compiler::frontend::Features {
    ndarray: cfg!(feature = "ndarray"),
    cuda: cfg!(feature = "cuda"),
    gemm: cfg!(feature = "gemm"),
    num_traits: cfg!(feature = "num-traits"),
    num_complex: cfg!(feature = "num-complex"),
    glam: cfg!(feature = "glam"),
    nalgebra: cfg!(feature = "nalgebra"),
};
