//! `mut` iterators under a name, which are used up step by step: a counter says how many items are gone.
//!
//! ```text
//! let mut items = x.iter();               let mut items_at = 0;
//! let first = items.next().unwrap();      let first = x.iter().nth({ items_at += 1; items_at - 1 }).unwrap();
//! while let Some(v) = items.next() { … }  while let Some(v) = x.iter().nth({ items_at += 1; items_at - 1 }) { … }
//! items.peek()                            x.iter().nth(items_at)
//! for v in items { … }                    for v in x.iter().skip(items_at) { … }
//! ```
//!
//! Behind the end the counter goes on, and there is no item at it either. Chains whose items are not known from their numbers
//! and references to the iterator are left alone, and refused.

use super::super::{arguments, hygiene};
use super::bare;
use super::iterator::is_chain;
use super::named_iterator::named;
use crate::visit::changing::{self as visit_mut, VisitMut};
use quote::ToTokens;
use syn::{Expr, Ident, Stmt, parse_quote};

/// Adapters behind which the number of an item does not say which it is.
const UNNUMBERED: [&str; 9] =
    ["filter", "filter_map", "flat_map", "flatten", "scan", "take_while", "skip_while", "map_while", "chain"];

/// The variables that an iterator is made of and the statements behind its `let`, in terms of these; `None` if it is to be
/// refused under a name.
pub(super) fn stepped(name: &Ident, e: &Expr, rest: &[Stmt]) -> Option<(Vec<syn::Local>, Vec<Stmt>)> {
    let e = match bare(e) {
        Expr::MethodCall(call) if call.method == "peekable" && call.args.is_empty() => bare(&call.receiver),
        e => e,
    };
    if is_unnumbered(e) || hands_out_places(e) {
        return None;
    }
    let mut named = named(name, e, rest)?;
    let all = rest.iter().map(ToTokens::to_token_stream).chain([e.to_token_stream()]).collect();
    let at = hygiene::fresh_at(&format!("{name}_at"), name.span(), all);
    let counter: Stmt = parse_quote!(let mut #at: usize = 0;);
    if let Stmt::Local(counter) = counter {
        named.parts.push(counter);
    }
    let mut steps = Steps { name, value: &named.value, at, other: false };
    let mut rest = rest.to_vec();
    rest.iter_mut().for_each(|stmt| steps.visit_stmt_mut(stmt));
    (!steps.other).then_some((named.parts, rest))
}

fn is_unnumbered(e: &Expr) -> bool {
    match bare(e) {
        Expr::MethodCall(call) if is_chain(e) => {
            UNNUMBERED.iter().any(|name| call.method == name)
                || is_unnumbered(&call.receiver)
                || call.args.iter().any(is_unnumbered)
        }
        _ => false,
    }
}

/// Whether items are written to, of which there would be copies.
fn hands_out_places(e: &Expr) -> bool {
    match bare(e) {
        Expr::MethodCall(call) if is_chain(e) => {
            call.method.to_string().ends_with("_mut")
                || hands_out_places(&call.receiver)
                || call.args.iter().any(hands_out_places)
        }
        _ => false,
    }
}

/// Writes the items in place of the steps.
struct Steps<'a> {
    name: &'a Ident,
    value: &'a Expr,
    at: Ident,
    /// Whether it is used in another way.
    other: bool,
}

impl Steps<'_> {
    fn is_named(&self, e: &Expr) -> bool {
        matches!(bare(e), Expr::Path(path) if path.qself.is_none() && path.path.is_ident(self.name))
    }
}

impl VisitMut for Steps<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let (value, at) = (self.value, &self.at);
        match bare(e) {
            Expr::MethodCall(call) if self.is_named(&call.receiver) => {
                let method = call.method.to_string();
                match (method.as_str(), call.args.len()) {
                    ("next", 0) => {
                        *e = parse_quote!((#value).nth({ #at += 1; #at - 1 }));
                        return;
                    }
                    ("peek", 0) => {
                        *e = parse_quote!((#value).nth(#at));
                        return;
                    }
                    ("by_ref" | "next_back" | "next_if" | "nth" | "peek_mut" | "as_slice", _) => {
                        self.other = true;
                    }
                    _ => {}
                }
            }
            Expr::Reference(reference) if self.is_named(&reference.expr) => self.other = true,
            _ if self.is_named(e) => {
                *e = parse_quote!((#value).skip(#at));
                return;
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        arguments::change_each(mac, &mut |e| self.visit_expr_mut(e));
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
