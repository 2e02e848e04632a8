//! `binary_search`, `binary_search_by` and `binary_search_by_key`, opened at once: bisection, and one comparison more.
//!
//! ```text
//! match x.binary_search_by(compare) { Ok(k) => a, Err(k) => b }
//! match { let k = x.partition_point(|v| compare(v) == Less); (k < x.len() && compare(&x[k]) == Equal, k) } {
//!     (true, k) => a,
//!     (false, k) => b,
//! }
//! ```
//!
//! Legal where no two elements are equal to what is sought: which of them is found is not specified. Derivatives check
//! that the element after the first is another one, and panic where it is not.

use super::super::hygiene::fresh_at;
use super::OtherWords;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall, Pat};

/// Searches as what they find, and whether it is there.
pub(super) struct Opened<'a>(pub(super) &'a OtherWords);

impl VisitMut for Opened<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        match e {
            Expr::Match(of) => {
                let patterns: Option<Vec<Pat>> = of.arms.iter().map(|arm| opened_pattern(&arm.pat)).collect();
                if let (Some(found), Some(patterns)) = (search(&of.expr, self.0), patterns) {
                    *of.expr = found;
                    of.arms.iter_mut().zip(patterns).for_each(|(arm, pat)| arm.pat = pat);
                }
            }
            Expr::Let(of) => {
                if let (Some(found), Some(pat)) = (search(&of.expr, self.0), opened_pattern(&of.pat)) {
                    *of.expr = found;
                    *of.pat = pat;
                }
            }
            Expr::MethodCall(call) => {
                if let Some(opened) = search(&call.receiver, self.0).and_then(|found| opened(call, &found)) {
                    *e = opened;
                }
            }
            _ => {}
        }
    }
}

/// What a method of a `Result` makes of what is found.
fn opened(call: &ExprMethodCall, found: &Expr) -> Option<Expr> {
    let span = call.method.span();
    let [is_there, at] = ["is_there", "at"].map(|name| fresh_at(name, span, call.to_token_stream()));
    let arg = call.args.first();
    let value = match (call.method.to_string().as_str(), arg) {
        ("is_ok", None) => quote_spanned!(span=> #is_there),
        ("is_err", None) => quote_spanned!(span=> !#is_there),
        ("ok", None) => quote_spanned!(span=> if #is_there { Some(#at) } else { None }),
        ("err", None) => quote_spanned!(span=> if #is_there { None } else { Some(#at) }),
        ("unwrap", None) | ("expect", Some(_)) => {
            quote_spanned!(span=> { assert!(#is_there, "what is sought is not there"); #at })
        }
        ("unwrap_or", Some(other)) => {
            quote_spanned!(span=> { let other = #other; if #is_there { #at } else { other } })
        }
        ("unwrap_or_else", Some(other)) => quote_spanned!(span=> if #is_there { #at } else { (#other)(#at) }),
        _ => return None,
    };
    syn::parse2(quote_spanned!(span=> { let (#is_there, #at) = #found; #value })).ok()
}

/// `Ok(p)` and `Err(p)` as patterns of whether there is an element, and which.
fn opened_pattern(pat: &Pat) -> Option<Pat> {
    let span = pat.span();
    let tokens: TokenStream = match pat {
        Pat::Paren(inner) => return opened_pattern(&inner.pat),
        Pat::Guard(of) => {
            let pat = Box::new(opened_pattern(&of.pat)?);
            return Some(Pat::Guard(syn::PatGuard { pat, ..of.clone() }));
        }
        Pat::Wild(_) => return Some(pat.clone()),
        Pat::TupleStruct(of) if of.elems.len() == 1 => {
            let is_there = match of.path.segments.last()?.ident.to_string().as_str() {
                "Ok" => quote_spanned!(span=> true),
                "Err" => quote_spanned!(span=> false),
                _ => return None,
            };
            let at = &of.elems[0];
            quote_spanned!(span=> (#is_there, #at))
        }
        // `Ok(k) | Err(k)`
        Pat::Or(of) if of.cases.len() == 2 => {
            let inner = |pat: &Pat| match pat {
                Pat::TupleStruct(of) if of.elems.len() == 1 => Some((of.path.clone(), of.elems[0].clone())),
                _ => None,
            };
            let ((first, a), (second, b)) = (inner(&of.cases[0])?, inner(&of.cases[1])?);
            let are_both = first.is_ident("Ok") && second.is_ident("Err")
                || first.is_ident("Err") && second.is_ident("Ok");
            let same = a.to_token_stream().to_string() == b.to_token_stream().to_string();
            (are_both && same).then(|| quote_spanned!(span=> (_, #a)))?
        }
        _ => return None,
    };
    let parsed = syn::parse::Parser::parse2(Pat::parse_single, tokens);
    parsed.ok()
}

/// Whether what is sought is there, and where, as a pair.
fn search(e: &Expr, own: &OtherWords) -> Option<Expr> {
    let e = match e {
        Expr::Paren(inner) => return search(&inner.expr, own),
        Expr::Group(inner) => return search(&inner.expr, own),
        e => e,
    };
    let Expr::MethodCall(call) = e else { return None };
    if own.has(call) {
        return None;
    }
    let (span, x, args) = (call.method.span(), &call.receiver, &call.args);
    let [searched, element, at, is_there] =
        ["searched", "element", "at", "is_there"].map(|name| fresh_at(name, span, call.to_token_stream()));
    let compared = |of: TokenStream| -> Option<TokenStream> {
        let args: Vec<&Expr> = args.iter().collect();
        Some(match (call.method.to_string().as_str(), &args[..]) {
            ("binary_search", [sought]) => quote_spanned!(span=> (#of).cmp(#sought)),
            ("binary_search_by", [compare]) => quote_spanned!(span=> (#compare)(#of)),
            ("binary_search_by_key", [sought, key]) => quote_spanned!(span=> (#key)(#of).cmp(#sought)),
            _ => return None,
        })
    };
    let of_element = compared(element.to_token_stream())?;
    let of_first = compared(quote_spanned!(span=> &#searched[#at]))?;
    let of_second = compared(quote_spanned!(span=> &#searched[#at + 1]))?;
    syn::parse2(quote_spanned!(span=> {
        let #searched = &#x[..];
        let #at = #searched.partition_point(|#element| #of_element == ::core::cmp::Ordering::Less);
        let #is_there = #at < #searched.len() && #of_first == ::core::cmp::Ordering::Equal;
        if #is_there && #at + 1 < #searched.len() {
            assert!(#of_second != ::core::cmp::Ordering::Equal, "several elements are equal to what is sought: which of them is found is not specified");
        }
        (#is_there, #at)
    }))
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut e: Expr = syn::parse_str(text).expect(text);
        Opened(&OtherWords::default()).visit_expr_mut(&mut e);
        e.to_token_stream().to_string()
    }

    #[test]
    fn results_of_searches_are_opened() {
        let text = written("match x.binary_search(&a) { Ok(k) => k, Err(k) if k > n => n, Err(_) => 0 }");
        assert!(text.contains("(true , k) =>") && text.contains("(false , k) if k > n =>"), "{text}");
        let text = written("match x.binary_search_by_key(&a, |v| v.t) { Ok(k) | Err(k) => k }");
        assert!(text.contains("partition_point") && text.contains("(_ , k) =>"), "{text}");
        assert!(!written("x.binary_search_by(f).unwrap_or_else(|k| k - 1)").contains("binary_search"));
    }

    #[test]
    fn what_is_not_opened_at_once_stays() {
        for text in
            ["x.binary_search(&a)", "match x.find(&a) { Ok(k) => k, Err(k) => k }", "x.get(k).unwrap()"]
        {
            let e: Expr = syn::parse_str(text).expect(text);
            assert_eq!(written(text), e.to_token_stream().to_string());
        }
    }
    #[test]
    fn a_method_of_the_module_stays() {
        let own = OtherWords::read(&[syn::parse_quote! {
            impl Table {
                fn binary_search(&self, x: f64) -> Result<usize, usize> {
                    Err(0)
                }
            }
        }]);
        let mut e: Expr = syn::parse_quote!(table.binary_search(x).is_ok());
        let before = e.to_token_stream().to_string();
        Opened(&own).visit_expr_mut(&mut e);
        assert_eq!(e.to_token_stream().to_string(), before);
    }
}
