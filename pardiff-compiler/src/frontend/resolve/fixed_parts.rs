//! Parts of a slice whose length the type says: `array_windows` and `as_chunks`. As items of an iterator they are windows
//! and chunks like others; under a name the chunks are a copy, which nobody can tell from the shared original.
//!
//! ```text
//! x.array_windows::<2>()          x.windows(2), items of type &[T; 2]
//! x.as_chunks::<3>().0.iter()     x.chunks_exact(3), items of type &[T; 3]
//! x.as_chunks::<3>()              let chunks: Vec<_> = x.as_chunks::<3>().0.iter().copied().collect();
//!                                 (&chunks[..], &x[x.len() / 3 * 3..])
//! x.as_flattened()                &x.concat()[..]
//! ```

use super::super::chain::{Chain, ChainKind, Parts};
use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::{Expr, Len};
use super::vectors::under_a_name;
use super::{Resolver, bare};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, Member};

impl Resolver<'_> {
    /// `x.array_windows()`, and what goes through `x.as_chunks().0` or `x.as_chunks_mut().0`; `None` if it is neither.
    pub(super) fn fixed_parts(&mut self, e: &syn::Expr) -> Option<Option<Chain>> {
        let (call, parts) = match bare(e) {
            syn::Expr::MethodCall(call) if call.method == "array_windows" => (call, Parts::Windows),
            syn::Expr::Reference(reference) => return self.fixed_parts(&reference.expr),
            e => (chunks_of(e)?, Parts::Exact),
        };
        let span = call.span();
        if !call.args.is_empty() {
            self.wrong_arguments(call, &call.method.to_string());
            return Some(None);
        }
        let array = self.expr(&call.receiver);
        let Some(elem) = self.element_of(&array) else { return Some(None) };
        let (len, size) = match self.given_length(call) {
            Some(Len::Known(len)) => (Len::Known(len.clone()), (*len).clone()),
            _ => self.open_length(span),
        };
        let mutable = call.method == "as_chunks_mut";
        let item = Type::reference(mutable, Type::array(elem, len));
        Some(Some(Chain::new(ChainKind::Parts(array, size, parts), item)))
    }

    /// `x.as_flattened()`, a copy as well.
    pub(super) fn flattened_array(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        if name != "as_flattened" || !e.args.is_empty() {
            return None;
        }
        let (span, of) = (e.span(), &e.receiver);
        Some(self.expr(&syn::parse2(quote_spanned!(span=> &#of.concat()[..])).ok()?))
    }

    /// `x.as_chunks::<N>()` as a value.
    pub(super) fn chunks_and_rest(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        if !matches!(name, "as_chunks" | "as_chunks_mut") || !e.args.is_empty() {
            return None;
        }
        let span = e.span();
        let written = e.turbofish.as_ref().and_then(|given| given.args.first());
        let given = written.filter(|given| !matches!(given, GenericArgument::Type(syn::Type::Infer(_))));
        let Some(size) = given.filter(|_| name == "as_chunks") else {
            let (what, why, help) = match name {
                "as_chunks" => (
                    "`as_chunks` without a length",
                    "how many chunks there are follows from it",
                    "write the length: `x.as_chunks::<3>()`",
                ),
                _ => (
                    "the chunks of `as_chunks_mut` as a value",
                    "what is written to them goes to an array of another shape",
                    "iterate over them: `for c in x.as_chunks_mut::<3>().0 { … }`, or over `x.chunks_exact_mut(3)`",
                ),
            };
            return Some(self.refuse(e.method.span(), what, why, help));
        };
        let of = &e.receiver;
        let [array, chunks] = ["array", "chunks"].map(|name| fresh_at(name, span, e.to_token_stream()));
        let (x, named) = under_a_name(of, &array, quote_spanned!(span=> &));
        let tokens = quote_spanned!(span=> {
            #named
            let #chunks = #x.as_chunks::<#size>().0.iter().copied().collect::<Vec<_>>();
            (&#chunks[..], &#x[#x.len() / #size * #size..])
        });
        Some(self.expr(&syn::parse2(tokens).ok()?))
    }

    /// The `N` of `method::<N>`.
    fn given_length(&mut self, call: &syn::ExprMethodCall) -> Option<Len> {
        match call.turbofish.as_ref()?.args.first()? {
            GenericArgument::Const(len) => Some(self.length(len)),
            GenericArgument::Type(syn::Type::Path(path)) => Some(self.length(&syn::parse_quote!(#path))),
            _ => None,
        }
    }
}

/// The call of `as_chunks` whose chunks an expression is.
fn chunks_of(e: &syn::Expr) -> Option<&syn::ExprMethodCall> {
    let syn::Expr::Field(field) = e else { return None };
    match (bare(&field.base), &field.member) {
        (syn::Expr::MethodCall(call), Member::Unnamed(at)) if at.index == 0 => {
            matches!(call.method.to_string().as_str(), "as_chunks" | "as_chunks_mut").then_some(call)
        }
        _ => None,
    }
}
