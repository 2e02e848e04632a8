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
            "shrink_to_fit" | "dedup" => 0,
            "append" | "remove" | "reserve" | "reserve_exact" | "swap_remove" | "retain" | "split_off" => 1,
            "resize" | "insert" | "copy_within" => 2,
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
        "retain" => quote_spanned!(span=>
            let mut #kept = 0;
            for #at in 0..#v.len() {
                if (#first)(&#v[#at]) {
                    #v[#kept] = #v[#at];
                    #kept += 1;
                }
            }
            #v.truncate(#kept);
        ),
        "dedup" => quote_spanned!(span=>
            let mut #kept = 0;
            for #at in 0..#v.len() {
                if #kept == 0 || #v[#at] != #v[#kept - 1] {
                    #v[#kept] = #v[#at];
                    #kept += 1;
                }
            }
            #v.truncate(#kept);
        ),
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
