//! Texts: the bytes of which they consist, so that `==`, `<` and `len` are those of slices.
//!
//! ```text
//! "cube"                                    &[99, 117, 98, 101]
//! match label { "a" | "b" => e, _ => f }    if label == "a" || label == "b" { e } else { f }
//! ```

use super::super::infer::Type;
use super::super::tree::{Expr, Kind, Len};
use super::Resolver;
use crate::ir::{Int, Ty};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use std::rc::Rc;
use syn::{Lit, Pat};

impl Resolver<'_> {
    /// A text that is written out.
    pub(super) fn text(&mut self, text: &str, span: Span) -> Expr {
        if text.is_empty() {
            return self.expr(&syn::parse_quote_spanned!(span=> &[0u8][..0]));
        }
        let byte = Type::Scalar(Ty::Int(Int::U8));
        let bytes = text.bytes().map(|it| Expr::new(Kind::Int(it.into()), byte.clone(), span));
        let len = Len::Known(Rc::new(Expr::usize(text.len() as i128, span)));
        Expr::new(Kind::Array(bytes.collect()), Type::array(byte, len), span).borrowed(false)
    }

    /// A `match` with texts as patterns.
    pub(super) fn match_text(&mut self, e: &syn::ExprMatch, span: Span) -> Option<Expr> {
        e.arms.iter().find(|arm| is_text(&arm.pat))?;
        let text = super::super::hygiene::fresh_at("text", span, e.to_token_stream());
        let (last, arms) = e.arms.split_last()?;
        let ((bound, _), body) = (met(&last.pat, &text, span)?, &last.body);
        let mut chosen = quote_spanned!(span=> #bound #body);
        for arm in arms.iter().rev() {
            let body = &arm.body;
            let (pat, guard) = match &arm.pat {
                Pat::Guard(pat) => (&*pat.pat, Some(&*pat.guard)),
                pat => (pat, None),
            };
            let guard = guard.map(|guard| quote_spanned!(span=> && (#guard)));
            let (bound, is) = met(pat, &text, span)?;
            chosen = quote_spanned!(span=> if { #bound (#is) #guard } { #bound #body } else { #chosen });
        }
        let of = &e.expr;
        Some(self.expr(&syn::parse2(quote_spanned!(span=> { let #text = #of; #chosen })).ok()?))
    }
}

/// What a pattern binds, and whether it takes a text.
fn met(pat: &Pat, text: &syn::Ident, span: Span) -> Option<(TokenStream, TokenStream)> {
    let nothing = TokenStream::new();
    match pat {
        Pat::Lit(lit) => Some((nothing, quote_spanned!(span=> #text == #lit))),
        Pat::Paren(pat) => met(&pat.pat, text, span),
        Pat::Or(any) => {
            let any =
                any.cases.iter().map(|pat| Some(met(pat, text, span)?.1)).collect::<Option<Vec<_>>>()?;
            Some((nothing, quote_spanned!(span=> #(#any)||*)))
        }
        Pat::Wild(_) => Some((nothing, quote_spanned!(span=> true))),
        Pat::Ident(name) if name.subpat.is_none() => {
            Some((quote_spanned!(span=> let #name = #text;), quote_spanned!(span=> true)))
        }
        _ => None,
    }
}

/// Whether a pattern is a text, or one of several.
pub(super) fn is_text(pat: &Pat) -> bool {
    match pat {
        Pat::Lit(syn::ExprLit { lit: Lit::Str(_), .. }) => true,
        Pat::Paren(pat) => is_text(&pat.pat),
        Pat::Guard(pat) => is_text(&pat.pat),
        Pat::Or(any) => any.cases.iter().any(is_text),
        _ => false,
    }
}
