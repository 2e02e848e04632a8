//! What the crate itertools adds to iterators, in terms of those of the standard library.
//!
//! ```text
//! izip!(x, y, z)                            zip(zip(x, y), z).map(|((a, b), c)| (a, b, c))
//! x.iter().tuple_windows().map(|(a, b)| …)  zip(x.iter(), x.iter().skip(1)).map(|(a, b)| …)
//! e.collect_vec()                           e.collect::<Vec<_>>()
//! ```
//!
//! How many neighbours `tuple_windows` gives follows from the pattern that takes them. What it goes over is written
//! twice, so it is made of places and ranges alone, without closures, which might change a variable.

use super::super::arguments;
use super::super::hygiene::fresh_at;
use super::OtherWords;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::Span;
use quote::{ToTokens, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall, Ident, Pat, Token};

/// Adapters of itertools in terms of the standard library.
pub(super) struct WriteOut<'a>(pub(super) &'a OtherWords);

impl VisitMut for WriteOut<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let written = match e {
            Expr::Macro(of) if of.mac.path.segments.last().is_some_and(|last| last.ident == "izip") => {
                Punctuated::<Expr, Token![,]>::parse_terminated
                    .parse2(of.mac.tokens.clone())
                    .ok()
                    .and_then(|items| zipped(&items.into_iter().collect::<Vec<_>>(), of.span()))
            }
            Expr::MethodCall(call)
                if call.method == "collect_vec" && call.args.is_empty() && !self.0.has(call) =>
            {
                let (span, items) = (call.method.span(), &call.receiver);
                syn::parse2(quote_spanned!(span=> #items.collect::<Vec<_>>())).ok()
            }
            Expr::MethodCall(call) => {
                let taken = call.args.first().and_then(|arg| match arg {
                    Expr::Closure(closure) => closure.inputs.first(),
                    _ => None,
                });
                if let Some(windows) = taken.and_then(|pat| self.windows(&call.receiver, pat)) {
                    *call.receiver = windows;
                }
                None
            }
            Expr::ForLoop(of) => {
                if let Some(windows) = self.windows(&of.expr, &of.pat) {
                    *of.expr = windows;
                }
                None
            }
            _ => None,
        };
        if let Some(written) = written {
            *e = written;
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        arguments::change_each(mac, &mut |e| self.visit_expr_mut(e));
    }
}

/// The items of several iterators side by side, as tuples.
fn zipped(items: &[Expr], span: Span) -> Option<Expr> {
    let (first, others) = items.split_first()?;
    let tokens = items.iter().map(ToTokens::to_token_stream).collect::<proc_macro2::TokenStream>();
    let names: Vec<Ident> =
        (0..items.len()).map(|at| fresh_at(&format!("item_{at}"), span, tokens.clone())).collect();
    if others.is_empty() {
        return syn::parse2(quote_spanned!(span=> (#first).into_iter())).ok();
    }
    let (mut chain, mut pattern) = (quote_spanned!(span=> #first), names[0].to_token_stream());
    for (next, name) in others.iter().zip(&names[1..]) {
        chain = quote_spanned!(span=> ::std::iter::zip(#chain, #next));
        pattern = quote_spanned!(span=> (#pattern, #name));
    }
    let flat = match others.len() {
        1 => chain,
        _ => quote_spanned!(span=> #chain.map(|#pattern| (#(#names),*))),
    };
    syn::parse2(flat).ok()
}

impl WriteOut<'_> {
    /// `items.tuple_windows()` whose tuples a pattern takes.
    fn windows(&self, e: &Expr, taken: &Pat) -> Option<Expr> {
        let Expr::MethodCall(call) = e else { return None };
        let Pat::Tuple(taken) = (match taken {
            Pat::Type(typed) => &*typed.pat,
            pat => pat,
        }) else {
            return None;
        };
        let is_one = call.method == "tuple_windows" && call.args.is_empty() && !self.0.has(call);
        let has_all = !taken.elems.iter().any(|pat| matches!(pat, Pat::Rest(_)));
        if !is_one || !self.is_repeatable(&call.receiver) || !has_all || taken.elems.len() < 2 {
            return None;
        }
        let (span, items) = (call.method.span(), &call.receiver);
        let later = (1..taken.elems.len()).map(|at| {
            let at = proc_macro2::Literal::usize_unsuffixed(at);
            syn::parse2(quote_spanned!(span=> #items.skip(#at))).ok()
        });
        let all = std::iter::once(Some((**items).clone())).chain(later).collect::<Option<Vec<Expr>>>()?;
        zipped(&all, span)
    }

    /// Whether an iterator has the same items each time that it is written, and making it changes nothing: it
    /// goes over a place or a range. A variable that is an iterator is not the same once it has been used.
    fn is_repeatable(&self, items: &Expr) -> bool {
        match items {
            Expr::MethodCall(call) if self.0.has(call) => false,
            Expr::MethodCall(call) if call.method == "iter" => self.is_plain(&call.receiver),
            Expr::MethodCall(call) => {
                is_method("copied cloned enumerate rev skip step_by take", call)
                    && self.is_repeatable(&call.receiver)
                    && call.args.iter().all(|arg| self.is_plain(arg))
            }
            Expr::Range(of) => [&of.start, &of.end].into_iter().flatten().all(|end| self.is_plain(end)),
            Expr::Reference(of) => of.mutability.is_none() && self.is_plain(&of.expr),
            Expr::Paren(of) => self.is_repeatable(&of.expr),
            Expr::Group(of) => self.is_repeatable(&of.expr),
            _ => false,
        }
    }

    /// Whether it is a place or a number, and its evaluation changes nothing.
    fn is_plain(&self, e: &Expr) -> bool {
        match e {
            Expr::Path(_) | Expr::Lit(_) => true,
            Expr::MethodCall(call) => {
                is_method("len", call) && !self.0.has(call) && self.is_plain(&call.receiver)
            }
            Expr::Field(of) => self.is_plain(&of.base),
            Expr::Index(of) => self.is_plain(&of.expr) && self.is_plain(&of.index),
            Expr::Range(of) => [&of.start, &of.end].into_iter().flatten().all(|end| self.is_plain(end)),
            Expr::Binary(of) => self.is_plain(&of.left) && self.is_plain(&of.right),
            Expr::Reference(of) => of.mutability.is_none() && self.is_plain(&of.expr),
            Expr::Paren(of) => self.is_plain(&of.expr),
            Expr::Group(of) => self.is_plain(&of.expr),
            _ => false,
        }
    }
}

/// Whether a method has one of these names.
fn is_method(names: &str, call: &ExprMethodCall) -> bool {
    names.split(' ').any(|name| call.method == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut e: Expr = syn::parse_str(text).expect(text);
        WriteOut(&OtherWords::default()).visit_expr_mut(&mut e);
        e.to_token_stream().to_string()
    }

    #[test]
    fn adapters_are_those_of_the_standard_library() {
        for (from, to) in [
            ("izip!(x, y)", "::std::iter::zip(x, y)"),
            (
                "itertools::izip!(x, &y, z.iter())",
                "::std::iter::zip(::std::iter::zip(x, &y), z.iter()) \
                 .map(|((item_0, item_1), item_2)| (item_0, item_1, item_2))",
            ),
            ("x.iter().collect_vec()", "x.iter().collect::<Vec<_>>()"),
            (
                "x.iter().tuple_windows().map(|(a, b)| b - a)",
                "::std::iter::zip(x.iter(), x.iter().skip(1)).map(|(a, b)| b - a)",
            ),
            (
                "for (a, b) in (0..n).tuple_windows() {}",
                "for (a, b) in ::std::iter::zip((0..n), (0..n).skip(1)) {}",
            ),
        ] {
            let to: Expr = syn::parse_str(to).expect(to);
            assert_eq!(written(from), to.to_token_stream().to_string(), "{from}");
        }
    }

    #[test]
    fn what_cannot_be_written_twice_stays() {
        for text in [
            "x.iter().map(|v| v * v).tuple_windows().map(|(a, b)| b - a)",
            "x.drain(..).tuple_windows().map(|(a, b)| b - a)",
            "items.tuple_windows().map(|(a, b)| b - a)",
            "next(&mut x).tuple_windows().map(|(a, b)| b - a)",
            "x.iter().tuple_windows().map(|t| t.0)",
        ] {
            let e: Expr = syn::parse_str(text).expect(text);
            assert_eq!(written(text), e.to_token_stream().to_string());
        }
    }
}
