//! Methods of slices and ranges that are iterators in other words.
//!
//! ```text
//! excluded[a..b].contains(&j)      { let (array, sought) = (&excluded[a..b], *&j); array.iter().any(|item| *item == sought) }
//! (0.0..1.0).contains(&x)          { let (start, end, sought) = (0.0, 1.0, *(&x)); start <= sought && sought < end }
//! [x, &y[1..]].concat()            (x).iter().chain((&y[1..]).iter()).copied().collect::<Vec<_>>()
//! rows.concat()                    rows.iter().flatten().copied().collect::<Vec<_>>()
//! ```

use super::super::hygiene::fresh;
use super::super::tree::Expr;
use super::{Resolver, bare};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// Such a method; `None` if it is another one.
    pub(super) fn of_contents(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let tokens = match (name, e.args.len()) {
            ("contains", 1) => contains(e),
            ("concat", 0) => concatenated(e),
            _ => return None,
        };
        // the spans are those of the source, so that what is refused in it is shown there
        Some(self.expr(&syn::parse2(tokens).ok()?))
    }
}

fn contains(e: &syn::ExprMethodCall) -> TokenStream {
    let (span, of, sought) = (e.span(), &e.receiver, &e.args[0]);
    let name = |name: &str| fresh(name, e.to_token_stream());
    let item = name("sought");
    let syn::Expr::Range(range) = bare(of) else {
        let (array, each) = (name("array"), name("item"));
        return quote_spanned!(span=> {
            let (#array, #item) = (&#of, *(#sought));
            #array.iter().any(|#each| *#each == #item)
        });
    };
    let (start, end) = (name("start"), name("end"));
    let is_closed = matches!(range.limits, syn::RangeLimits::Closed(_));
    let below = if is_closed { quote_spanned!(span=> <=) } else { quote_spanned!(span=> <) };
    match (&range.start, &range.end) {
        (Some(lo), Some(hi)) => quote_spanned!(span=> {
            let (#start, #end, #item) = (#lo, #hi, *(#sought));
            #start <= #item && #item #below #end
        }),
        (Some(lo), None) => quote_spanned!(span=> (#lo <= *(#sought))),
        (None, Some(hi)) => {
            quote_spanned!(span=> { let (#end, #item) = (#hi, *(#sought)); #item #below #end })
        }
        (None, None) => quote_spanned!(span=> true),
    }
}

fn concatenated(e: &syn::ExprMethodCall) -> TokenStream {
    let (span, of) = (e.span(), &e.receiver);
    let syn::Expr::Array(parts) = bare(of) else {
        return quote_spanned!(span=> #of.iter().flatten().copied().collect::<Vec<_>>());
    };
    let mut parts = parts.elems.iter();
    let Some(first) = parts.next() else { return quote_spanned!(span=> Vec::new()) };
    quote_spanned!(span=> (#first).iter() #(.chain((#parts).iter()))* .copied().collect::<Vec<_>>())
}
