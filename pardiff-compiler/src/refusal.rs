//! A refusal: what the compiler cannot differentiate exactly, where, why, and what to write instead.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// One compile error.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The construct.
    pub span: Span,
    /// One sentence: what is refused.
    pub what: String,
    /// One sentence: why.
    pub why: String,
    /// What to write instead; code that works.
    pub help: String,
}

impl Refusal {
    /// A refusal of the tokens at `span`.
    pub fn new(
        span: Span,
        what: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Refusal {
        Refusal { span, what: what.into(), why: why.into(), help: help.into() }
    }

    /// The `compile_error!` that shows it.
    pub fn to_tokens(&self) -> TokenStream {
        let mut text = self.what.clone();
        if !self.why.is_empty() {
            text += &format!(": {}", self.why);
        }
        if !self.help.is_empty() {
            text += &format!("\n  help: {}", self.help);
        }
        quote_spanned!(self.span=> ::core::compile_error!(#text);)
    }
}
