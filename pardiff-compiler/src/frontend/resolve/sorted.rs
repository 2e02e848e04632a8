//! Sorting: an order of the elements is merged from runs of twice the length in each round, and the elements go where it says.
//!
//! ```text
//! index.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
//!
//! let items = &mut index[..];
//! let mut order: Vec<usize> = (0..items.len()).collect();        // runs of one
//! …                                                              // runs of `2 * width`, each from two of `width`
//! let unsorted = items.to_vec();
//! for at in 0..items.len() { items[at] = unsorted[order[at]]; }
//! ```
//!
//! Only the last loop moves elements, so that the adjoints go back by the same order, and comparisons have none. Equal elements
//! stay in order, also where the standard library leaves that open (`sort_unstable_by`); which elements are compared it never
//! says. Every element of two or more is compared, so that what cannot be compared panics here as it does there.

use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::Expr;
use super::Resolver;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// `sort` and its like; `None` if it is another method, or of something else than an array.
    pub(super) fn sorted(&mut self, e: &syn::ExprMethodCall, receiver: &Expr, name: &str) -> Option<Expr> {
        let arity = match name {
            "sort" | "sort_unstable" => 0,
            "sort_by" | "sort_unstable_by" => 1,
            "sort_by_key" | "sort_unstable_by_key" | "sort_by_cached_key" => 1,
            _ => return None,
        };
        let is_array = matches!(self.infer.peel(&receiver.ty), Type::Array(..));
        if e.args.len() != arity || !is_array || self.nd_rank(&receiver.ty) > 0 {
            return None;
        }
        let span = e.span();
        let new = |name: &str| fresh_at(name, span, e.to_token_stream());
        let [items, order, merged, width] = ["items", "order", "merged", "width"].map(new);
        let [begin, middle, end, left, right, at] =
            ["begin", "middle", "end", "left", "right", "at"].map(new);
        let [first, second] = [&left, &right].map(|at| quote_spanned!(span=> &#items[#order[#at]]));
        let function = e.args.first();
        let greater = match name {
            "sort" | "sort_unstable" => quote_spanned!(span=> (#first).cmp(#second).is_gt()),
            "sort_by" | "sort_unstable_by" => quote_spanned!(span=> (#function)(#first, #second).is_gt()),
            _ => quote_spanned!(span=> (#function)(#first).cmp(&(#function)(#second)).is_gt()),
        };
        let (of, unsorted) = (&e.receiver, new("unsorted"));
        let tokens = quote_spanned!(span=> {
            let #items = &mut (#of)[..];
            let mut #order: Vec<usize> = (0..#items.len()).collect();
            let mut #merged = #order.clone();
            let mut #width = 1;
            while #width < #items.len() {
                for #begin in (0..#items.len()).step_by(2 * #width) {
                    let #middle = (#begin + #width).min(#items.len());
                    let #end = (#middle + #width).min(#items.len());
                    let (mut #left, mut #right) = (#begin, #middle);
                    for #at in #begin..#end {
                        if #left == #middle || #right < #end && #greater {
                            #merged[#at] = #order[#right];
                            #right += 1;
                        } else {
                            #merged[#at] = #order[#left];
                            #left += 1;
                        }
                    }
                }
                std::mem::swap(&mut #order, &mut #merged);
                #width *= 2;
            }
            let #unsorted = #items.to_vec();
            for #at in 0..#items.len() {
                #items[#at] = #unsorted[#order[#at]];
            }
        });
        Some(self.expr(&syn::parse2(tokens).ok()?))
    }
}
