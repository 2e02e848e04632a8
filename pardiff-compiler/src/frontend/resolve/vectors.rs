//! Methods of vectors and slices that move elements, in terms of those that the compiler knows.
//!
//! ```text
//! v.reserve(n)             { let at = n; }
//! v.resize(n, a)           v.truncate(n); for _ in v.len()..n { v.push(a) }
//! v.append(&mut w)         v.extend_from_slice(&w); w.clear()
//! v.insert(at, a)          v.push(a); v[at..].rotate_right(1)
//! v.remove(at)             { let value = v[at]; v[at..].rotate_left(1); v.pop(); value }
//! v.swap_remove(at)        { let value = v[at]; let last = v.len() - 1; v[at] = v[last]; v.pop(); value }
//! v.retain(|a| *a > 0.0)   for k in 0..v.len() { if v[k] > 0.0 { v[kept] = v[k]; kept += 1; } } v.truncate(kept)
//! v.dedup()                the same with `kept == 0 || v[k] != v[kept - 1]`
//! v.dedup_by(f)            the same with `kept == 0 || !f(&v[k], &v[kept - 1])`
//! v.fill_with(f)           for k in 0..v.len() { v[k] = f() }
//! x.is_sorted()            x.len() < 2 || (1..x.len()).all(|k| x[k - 1] <= x[k])
//! x.starts_with(&y)        x.len() >= y.len() && (0..y.len()).all(|k| x[k] == y[k])
//! x.repeat(n)              x.iter().cycle().take(x.len() * n).copied().collect::<Vec<_>>()
//! v.select_nth_unstable(k) v.sort_unstable(); (&mut v[..k], &mut v[k], &mut v[k + 1..])
//! v.split_off(at)          { let value = v[at..].to_vec(); v.truncate(at); value }
//! v.drain(a..b)            { let value = v[a..b].to_vec(); v[a..].rotate_left(value.len()); v.truncate(…); value }
//! x.copy_within(a..b, to)  let moved = x[a..b].to_vec(); x[to..to + moved.len()].copy_from_slice(&moved)
//! ```

use super::super::display::tidy;
use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::Expr;
use super::{Resolver, bare};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// Such a method; `None` if it is another one, or of something else than an array.
    pub(super) fn of_vector(&mut self, e: &syn::ExprMethodCall, receiver: &Expr, name: &str) -> Option<Expr> {
        let arity = match name {
            "shrink_to_fit" | "dedup" | "is_sorted" => 0,
            "append"
            | "remove"
            | "reserve"
            | "reserve_exact"
            | "swap_remove"
            | "retain"
            | "retain_mut"
            | "split_off"
            | "dedup_by"
            | "dedup_by_key"
            | "fill_with"
            | "is_sorted_by"
            | "is_sorted_by_key"
            | "starts_with"
            | "ends_with"
            | "repeat"
            | "select_nth_unstable" => 1,
            "resize"
            | "resize_with"
            | "insert"
            | "copy_within"
            | "select_nth_unstable_by"
            | "select_nth_unstable_by_key" => 2,
            _ => return None,
        };
        let array = matches!(self.infer.peel(&receiver.ty), Type::Array(..));
        if !array || e.args.len() != arity || self.nd_rank(&receiver.ty) > 0 {
            return None;
        }
        Some(self.expr(&syn::parse2(written_out(e, name)).ok()?))
    }

    /// `v.drain(a..b)`, whose items are gone in any case; `None` if it is another method.
    pub(super) fn drained(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        Some(self.expr(&drain(e).filter(|_| name == "drain")?))
    }
}

/// What `v.drain(a..b)` takes out of a vector, as a vector.
pub(super) fn drain(e: &syn::ExprMethodCall) -> Option<syn::Expr> {
    let syn::Expr::Range(range) = bare(e.args.first().filter(|_| e.args.len() == 1)?) else { return None };
    let (span, of) = (e.span(), &e.receiver);
    let new = |name: &str| fresh_at(name, span, e.to_token_stream());
    let [name_of, at, value, kept] = ["vector", "at", "value", "kept"].map(new);
    let (v, named) = under_a_name(of, &name_of, quote_spanned!(span=> &mut));
    let (start, limits, end) = (&range.start, &range.limits, &range.end);
    let body = match (start, end) {
        (None, None) => quote_spanned!(span=>
            let #value = #v.to_vec();
            #v.clear();
        ),
        _ => {
            let start = start.as_ref().map_or(quote_spanned!(span=> 0), ToTokens::to_token_stream);
            quote_spanned!(span=>
                let #at: usize = #start;
                let #value = #v[#at #limits #end].to_vec();
                #v[#at..].rotate_left(#value.len());
                let #kept = #v.len() - #value.len();
                #v.truncate(#kept);
            )
        }
    };
    syn::parse2(quote_spanned!(span=> { #named #body #value })).ok()
}

/// What stands for an array that is named several times, and what gives it a name where it has none: panics say how it is
/// called.
pub(super) fn under_a_name(
    of: &syn::Expr,
    name: &syn::Ident,
    borrow: TokenStream,
) -> (TokenStream, Option<TokenStream>) {
    match bare(of) {
        syn::Expr::Path(_) | syn::Expr::Field(_) => (of.to_token_stream(), None),
        _ => (name.to_token_stream(), Some(quote_spanned!(name.span()=> let #name = #borrow #of;))),
    }
}

fn written_out(e: &syn::ExprMethodCall, name: &str) -> TokenStream {
    let (span, of) = (e.span(), &e.receiver);
    let new = |name: &str| fresh_at(name, span, e.to_token_stream());
    let [name_of, at, value, kept] = ["vector", "at", "value", "kept"].map(new);
    let (v, named) = under_a_name(of, &name_of, quote_spanned!(span=> &mut));
    let mut args = e.args.iter();
    let (first, second) = (args.next(), args.next());
    let body = match name {
        // what memory it has is no part of its value
        "reserve" | "reserve_exact" => quote_spanned!(span=> let #at: usize = #first;),
        "shrink_to_fit" => quote_spanned!(span=>),
        "resize" => quote_spanned!(span=>
            let (#at, #value) = (#first, #second);
            #v.truncate(#at);
            for _ in #v.len()..#at { #v.push(#value); }
        ),
        "resize_with" => quote_spanned!(span=>
            let #at = #first;
            #v.truncate(#at);
            for _ in #v.len()..#at { #v.push((#second)()); }
        ),
        "fill_with" => quote_spanned!(span=> for #at in 0..#v.len() { #v[#at] = (#first)(); }),
        "repeat" => quote_spanned!(span=>
            let #at: usize = #v.len() * #first;
            #v.iter().cycle().take(#at).copied().collect::<Vec<_>>()
        ),
        "is_sorted" | "is_sorted_by" | "is_sorted_by_key" => {
            let (before, item) = (quote_spanned!(span=> #v[#at - 1]), quote_spanned!(span=> #v[#at]));
            let in_order = match name {
                "is_sorted" => quote_spanned!(span=> #before <= #item),
                "is_sorted_by" => quote_spanned!(span=> (#first)(&#before, &#item)),
                _ => quote_spanned!(span=> (#first)(&#before) <= (#first)(&#item)),
            };
            quote_spanned!(span=> #v.len() < 2 || (1..#v.len()).all(|#at| #in_order))
        }
        "starts_with" | "ends_with" => {
            let start = (name == "ends_with").then(|| quote_spanned!(span=> #v.len() - #value.len() + ));
            quote_spanned!(span=>
                let #value = &(#first)[..];
                #v.len() >= #value.len() && (0..#value.len()).all(|#at| #v[#start #at] == #value[#at])
            )
        }
        "select_nth_unstable" | "select_nth_unstable_by" | "select_nth_unstable_by_key" => {
            let sort = quote::format_ident!("{}", name.replace("select_nth", "sort"), span = span);
            let text = format!("`{}`: the index is behind the end", tidy(e));
            quote_spanned!(span=>
                let #at: usize = #first;
                assert!(#at < #v.len(), #text);
                #v.#sort(#second);
                let (#kept, #value) = #v.split_at_mut(#at);
                let (#at, #value) = #value.split_first_mut().unwrap();
                (#kept, #at, #value)
            )
        }
        "append" => quote_spanned!(span=>
            let #value = #first;
            #v.extend_from_slice(#value);
            #value.clear();
        ),
        "insert" => {
            let text = format!("`{}`: the index is behind the end", tidy(e));
            quote_spanned!(span=>
                let (#at, #value) = (#first, #second);
                assert!(#at <= #v.len(), #text);
                #v.push(#value);
                #v[#at..].rotate_right(1);
            )
        }
        "remove" => quote_spanned!(span=>
            let #at = #first;
            let #value = #v[#at];
            #v[#at..].rotate_left(1);
            #v.pop().unwrap();
            #value
        ),
        "swap_remove" => quote_spanned!(span=>
            let #at = #first;
            let #value = #v[#at];
            #v[#at] = #v[#v.len() - 1];
            #v.pop().unwrap();
            #value
        ),
        "retain" | "retain_mut" | "dedup" | "dedup_by" | "dedup_by_key" => {
            let (item, last) = (quote_spanned!(span=> #v[#at]), quote_spanned!(span=> #v[#kept - 1]));
            let stays = match name {
                "retain" => quote_spanned!(span=> (#first)(&#item)),
                "retain_mut" => quote_spanned!(span=> (#first)(&mut #item)),
                "dedup" => quote_spanned!(span=> #kept == 0 || #item != #last),
                "dedup_by" => quote_spanned!(span=> #kept == 0 || !(#first)(&#item, &#last)),
                _ => quote_spanned!(span=> #kept == 0 || (#first)(&#item) != (#first)(&#last)),
            };
            quote_spanned!(span=>
                let mut #kept = 0;
                for #at in 0..#v.len() {
                    if #stays {
                        #v[#kept] = #item;
                        #kept += 1;
                    }
                }
                #v.truncate(#kept);
            )
        }
        "split_off" => quote_spanned!(span=>
            let #at: usize = #first;
            let #value = #v[#at..].to_vec();
            #v.truncate(#at);
            #value
        ),
        _ => quote_spanned!(span=>
            let #value = #v[#first].to_vec();
            let #at = #second;
            #v[#at..#at + #value.len()].copy_from_slice(&#value);
        ),
    };
    quote_spanned!(span=> { #named #body })
}
