//! What chains of iterators begin with.

use super::super::chain::{Chain, ChainKind, Parts};
use super::super::hygiene::fresh_at;
use super::super::infer::{Class, Type};
use super::super::tree::Len;
use super::{Resolver, bare, rayon};
use proc_macro2::Span;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

impl Resolver<'_> {
    pub(super) fn range(&mut self, range: &syn::ExprRange) -> Option<Chain> {
        let Some(lo) = &range.start else {
            self.refuse(
                range.span(),
                "an iteration over a range without a start",
                "its first value is not known",
                "write both ends: `0..n`",
            );
            return None;
        };
        let lo = self.expr(lo);
        let ty = self.infer.peel(&lo.ty);
        let hi = range.end.as_ref().map(|hi| {
            let hi = self.expr(hi);
            self.unify(&ty, &hi.ty, hi.span);
            hi
        });
        self.restrict(&ty, Class::Int, lo.span);
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        Some(Chain::new(ChainKind::Range { lo, hi, inclusive }, ty))
    }

    /// `x.iter()`, `x.chunks(k)` and the like.
    pub(super) fn source(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Chain> {
        if let Some(sequential) = rayon::sequential(name) {
            let chain = self.source(call, sequential)?;
            return Some(Chain { parallel: true, ..chain });
        }
        let parts = match name {
            "array_windows" => self.fixed_parts(&syn::Expr::MethodCall(call.clone())),
            "iter" | "iter_mut" | "into_iter" => self.fixed_parts(&call.receiver),
            _ => None,
        };
        if let Some(parts) = parts {
            return parts;
        }
        if let ("rchunks" | "rchunks_exact" | "chunk_by", 1) = (name, call.args.len()) {
            return self.other_chunks(call, name);
        }
        if name == "drain"
            && let Some(drained) = super::vectors::drain(call)
        {
            let drained = self.expr(&drained);
            return self.elements(drained, None);
        }
        let own = self.module.records().has_function(name).then(|| self.record_method(call, name)).flatten();
        let array = match &own {
            Some(made) => made.clone(),
            None => self.expr(&call.receiver),
        };
        if let Some(chain) = self.returned_iterator(&array) {
            return Some(chain);
        }
        if self.is_own_iterator(&array.ty) {
            return Some(self.own_items(array));
        }
        if own.is_some() {
            return self.elements(array, None);
        }
        let array = self.elements_of_text(array, call.span());
        if let Some(chain) = self.nd_source(call, &array, name) {
            return chain;
        }
        match (name, call.args.len()) {
            ("iter", 0) => self.elements(array, Some(false)),
            ("iter_mut", 0) => self.elements(array, Some(true)),
            ("into_iter", 0) => {
                let array = self.own_copy(array);
                self.elements(array, None)
            }
            (_, 1) => {
                let elem = self.element_of(&array)?;
                let size = self.usize(&call.args[0]);
                let parts = match name {
                    "chunks" | "chunks_mut" => Parts::Chunks,
                    "windows" => Parts::Windows,
                    _ => Parts::Exact,
                };
                let len = if self.nd_rank(&array.ty) > 0 { Len::Axis } else { Len::Dynamic };
                let part = Type::array(elem, len);
                let item = Type::reference(name.ends_with("_mut"), part);
                Some(Chain::new(ChainKind::Parts(array, size, parts), item))
            }
            _ => {
                self.wrong_arguments(call, name);
                None
            }
        }
    }

    /// Chunks from the end, and chunks whose neighbours belong together.
    ///
    /// ```text
    /// x.rchunks(k)       x[x.len() % k..].chunks_exact(k).rev().chain(x[..x.len() % k].chunks(k))
    /// x.chunk_by(f)      (0..x.len()).filter(|&at| at == 0 || !f(&x[at - 1], &x[at])).chain(once(x.len()))
    ///                        .collect::<Vec<_>>().windows(2).map(|ends| &x[ends[0]..ends[1]])
    /// ```
    fn other_chunks(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Chain> {
        let (span, x, k) = (call.span(), &call.receiver, &call.args[0]);
        if !is_named(x) || name != "chunk_by" && !is_named(k) {
            self.refuse(
                call.method.span(),
                format!("`{name}` of what has no name"),
                "where its chunks begin follows from the lengths of the slice and of a chunk",
                format!("give both names before: `let (rows, k) = (&x[..], 3);`, and write `rows.{name}(k)`"),
            );
            return None;
        }
        let [at, ends] = ["at", "ends"].map(|name| fresh_at(name, span, call.to_token_stream()));
        let written = match name {
            "chunk_by" => quote_spanned!(span=> (0..#x.len())
                .filter(|&#at| #at == 0 || !(#k)(&#x[#at - 1], &#x[#at]))
                .chain(::core::iter::once(#x.len()))
                .collect::<Vec<_>>()
                .windows(2)
                .map(|#ends| &#x[#ends[0]..#ends[1]])),
            "rchunks" => quote_spanned!(span=>
                #x[#x.len() % (#k)..].chunks_exact(#k).rev().chain(#x[..#x.len() % (#k)].chunks(#k))),
            _ => quote_spanned!(span=> #x[#x.len() % (#k)..].chunks_exact(#k).rev()),
        };
        self.chain(&syn::parse2(written).ok()?)
    }

    /// The items in a vector, where the number of an item is not known from its position.
    pub(super) fn collected(&mut self, chain: Chain, span: Span) -> Option<Chain> {
        let item = self.infer.shallow(&chain.item);
        let (elem, by_ref) = match &item {
            Type::Ref(false, elem) => ((**elem).clone(), Some(false)),
            elem => (elem.clone(), None),
        };
        if self.is_endless(&chain) || !self.is_element(&elem) {
            self.refuse(
                span,
                "`zip` with items of which some are left out, and which no vector can hold",
                "which item meets which is known only when they are counted",
                "write a `for` with `if` and a counter; before `filter`, `zip` counts all items",
            );
            return None;
        }
        let chain = match by_ref {
            Some(_) => Chain::new(ChainKind::Copied(Box::new(chain)), elem.clone()),
            None => chain,
        };
        let vector = self.vector_of(chain, elem, "zip".to_owned(), span);
        self.elements(vector, by_ref)
    }
}

/// Whether an expression is a name, a number, or a part of what is one, which may be evaluated several times.
fn is_named(e: &syn::Expr) -> bool {
    let is_end = |end: &Option<Box<syn::Expr>>| end.as_ref().is_none_or(|end| is_named(end));
    match bare(e) {
        syn::Expr::Path(_) | syn::Expr::Lit(_) => true,
        syn::Expr::Field(field) => is_named(&field.base),
        syn::Expr::Reference(of) => is_named(&of.expr),
        syn::Expr::Index(of) => is_named(&of.expr) && is_named(&of.index),
        syn::Expr::Range(range) => is_end(&range.start) && is_end(&range.end),
        _ => false,
    }
}
