//! `mut` iterators under a name, which are used up step by step: a counter says how many items are gone.
//!
//! ```text
//! let mut items = x.iter();               let mut items_at = 0;
//! let first = items.next().unwrap();      let first = x.iter().nth({ items_at += 1; items_at - 1 }).unwrap();
//! items.next();                           items_at += 1;
//! while let Some(v) = items.next() { … }  while let Some(v) = x.iter().nth({ items_at += 1; items_at - 1 }) { … }
//! items.peek()                            x.iter().nth(items_at)
//! for v in items { … }                    for v in x.iter().skip(items_at) { … }
//! for v in items.by_ref() { … }           while let Some(v) = items.next() { … }
//! chunks.remainder()                      x.chunks_exact(4).remainder()
//! ```
//!
//! Behind the end the counter goes on, and there is no item at it either. An item that is dropped is made nevertheless if a
//! closure makes it, which may panic. Chains whose items are not known from their numbers, and other uses of the name, are
//! refused.

use super::super::{arguments, hygiene};
use super::bare;
use super::iterator::is_chain;
use super::named_iterator::parts_of_chain;
use crate::refusal::Refusal;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Pat, Stmt, parse_quote};

/// Methods that leave the items that follow in the iterator.
const STOP: [&str; 7] = ["any", "all", "find", "find_map", "position", "try_fold", "try_for_each"];

/// Adapters behind which the number of an item does not say which it is.
const UNNUMBERED: [&str; 8] =
    ["filter", "filter_map", "flat_map", "flatten", "scan", "take_while", "skip_while", "map_while"];

/// The variables that an iterator is made of, and the statements after its `let` in terms of these.
type Stepped = (Vec<syn::Local>, Vec<Stmt>);

/// The iterator's variables and the statements that use them; `None` if it is no iterator of std.
pub(super) fn stepped(name: &Ident, e: &Expr, rest: &[Stmt]) -> Option<Result<Stepped, Refusal>> {
    let e = match bare(e) {
        Expr::MethodCall(call) if call.method == "peekable" && call.args.is_empty() => bare(&call.receiver),
        e => e,
    };
    if !is_chain(e) || super::rayon::is_parallel(e) {
        return None;
    }
    if let Some(adapter) = unnumbered(e) {
        return Some(Err(Refusal::new(
            adapter.span(),
            format!("`{adapter}` in an iterator that is used step by step"),
            "a counter says how many items are gone, and behind such an adapter it does not say which one is next",
            "collect the items first: `let items: Vec<f64> = ….collect();`, and take the steps of `items.iter()`",
        )));
    }
    let named = parts_of_chain(name, e, rest)?;
    let all = rest.iter().map(ToTokens::to_token_stream).chain([e.to_token_stream()]).collect();
    let all: TokenStream = all;
    let [at, gone] =
        ["at", "gone"].map(|word| hygiene::fresh_at(&format!("{name}_{word}"), name.span(), all.clone()));
    let mut parts = named.parts;
    let counter: Stmt = parse_quote!(let mut #at: usize = 0;);
    if let Stmt::Local(counter) = counter {
        parts.push(counter);
    }
    let (places, closures) = (hands_out_places(e), has_closures(e));
    let mut steps =
        Steps { name, value: &named.value, at, gone, places, closures, uses: 0, depth: 0, other: None };
    let mut rest = rest.to_vec();
    rest.iter_mut().for_each(|stmt| Remainders { name, value: &named.value }.visit_stmt_mut(stmt));
    for at in 0..rest.len() {
        steps.uses = rest[at..].iter().map(|stmt| occurrences(stmt.to_token_stream(), name)).sum();
        steps.visit_stmt_mut(&mut rest[at]);
    }
    Some(match steps.other {
        None => Ok((parts, rest)),
        Some((span, what, help)) => {
            let why = "it is written out where its name stands, with a counter of the items that are gone";
            Err(Refusal::new(span, format!("{what} of the iterator `{name}`"), why, help))
        }
    })
}

/// The adapters of a chain and of the chains in its arguments.
fn adapters<'e>(e: &'e Expr, visit: &mut dyn FnMut(&'e syn::ExprMethodCall)) {
    if let Expr::MethodCall(call) = bare(e)
        && is_chain(e)
    {
        adapters(&call.receiver, visit);
        call.args.iter().for_each(|arg| adapters(arg, visit));
        visit(call);
    }
}

fn unnumbered(e: &Expr) -> Option<&Ident> {
    let mut found = made_by_function(e);
    adapters(e, &mut |call| {
        if UNNUMBERED.iter().any(|name| call.method == name) {
            found = found.or(Some(&call.method));
        }
    });
    found
}

/// The function of `std::iter` that makes each item from what the one before it left.
fn made_by_function(e: &Expr) -> Option<&Ident> {
    match bare(e) {
        Expr::MethodCall(call) => made_by_function(&call.receiver),
        Expr::Call(call) => {
            match bare(&call.func) {
                Expr::Path(path) => path.path.segments.last().map(|last| &last.ident).filter(|name| {
                    ["successors", "from_fn", "repeat_with"].iter().any(|known| *name == known)
                }),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether items are written to, of which there would be copies.
fn hands_out_places(e: &Expr) -> bool {
    let mut found = false;
    adapters(e, &mut |call| found |= call.method.to_string().ends_with("_mut"));
    found
}

fn occurrences(tokens: TokenStream, name: &Ident) -> usize {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) => usize::from(ident == *name),
        TokenTree::Group(group) => occurrences(group.stream(), name),
        _ => 0,
    });
    each.sum()
}

fn has_closures(e: &Expr) -> bool {
    let mut found = false;
    adapters(e, &mut |call| found |= call.method == "map");
    found
}

/// Asks the iterator as it is made for what its chunks leave over, which no step changes.
struct Remainders<'a> {
    name: &'a Ident,
    value: &'a Expr,
}

impl VisitMut for Remainders<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::MethodCall(call) = e
            && call.method == "remainder"
            && matches!(bare(&call.receiver), Expr::Path(path) if path.path.is_ident(self.name))
        {
            *call.receiver = self.value.clone();
            return;
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Writes the items in place of the steps.
struct Steps<'a> {
    name: &'a Ident,
    value: &'a Expr,
    at: Ident,
    gone: Ident,
    places: bool,
    closures: bool,
    /// How often the name stands in the statements from the present one on, and in how many loops and closures this is.
    uses: usize,
    depth: usize,
    /// The first other use: where it is, what it is, and what to write instead.
    other: Option<(Span, String, &'static str)>,
}

impl Steps<'_> {
    fn is_named(&self, e: &Expr) -> bool {
        matches!(bare(e), Expr::Path(path) if path.qself.is_none() && path.path.is_ident(self.name))
    }

    fn repeated(&mut self, visit: impl FnOnce(&mut Self)) {
        self.depth += 1;
        visit(self);
        self.depth -= 1;
    }

    fn refuse(&mut self, span: Span, what: String, help: &'static str) {
        self.other.get_or_insert((span, what, help));
    }

    /// `items.by_ref()` or `&mut items`, after which the iterator is used again.
    fn lends(&self, e: &Expr) -> bool {
        let of = match bare(e) {
            Expr::MethodCall(call) if call.method == "by_ref" && call.args.is_empty() => &call.receiver,
            Expr::Reference(reference) if reference.mutability.is_some() => &reference.expr,
            _ => return false,
        };
        self.is_named(of) && (self.uses > 1 || self.depth > 0) && !self.places
    }

    /// `items.next();` and `items.nth(k);`: how many items are dropped.
    fn dropped(&self, stmt: &Stmt) -> Option<Expr> {
        let call = match stmt {
            Stmt::Expr(e, Some(_)) => bare(e),
            Stmt::Local(syn::Local { pat: Pat::Wild(_), init: Some(init), .. }) if init.diverge.is_none() => {
                bare(&init.expr)
            }
            _ => return None,
        };
        let Expr::MethodCall(call) = call else { return None };
        if !self.is_named(&call.receiver) {
            return None;
        }
        match (call.method.to_string().as_str(), call.args.first()) {
            ("next", None) => Some(parse_quote!(1)),
            ("nth", Some(k)) => Some(parse_quote!((#k) + 1)),
            _ => None,
        }
    }
}

impl VisitMut for Steps<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Some(mut by) = self.dropped(stmt) {
            self.visit_expr_mut(&mut by);
            let (value, at, gone) = (self.value, &self.at, &self.gone);
            *stmt = match self.closures {
                false => parse_quote!(#at += #by;),
                true => parse_quote!({
                    let #gone = #at;
                    #at += #by;
                    for _ in (#value).skip(#gone).take(#at - #gone) {}
                }),
            };
            return;
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let (value, at) = (self.value, &self.at);
        match bare(e) {
            Expr::MethodCall(call) if self.is_named(&call.receiver) => {
                let (method, span) = (call.method.to_string(), call.method.span());
                if self.places && matches!(method.as_str(), "next" | "peek" | "nth") {
                    let help = "write a `for` over the items, or index: `x[i] = …`";
                    self.refuse(span, format!("a place that `{method}` hands out"), help);
                    return;
                }
                let item: Option<Expr> = match (method.as_str(), call.args.first()) {
                    ("next", None) => Some(parse_quote!((#value).nth({ #at += 1; #at - 1 }))),
                    ("nth", Some(k)) => {
                        let k = k.clone();
                        Some(parse_quote!((#value).nth({ #at += (#k) + 1; #at - 1 })))
                    }
                    ("peek", None) => Some(parse_quote!((#value).nth(#at))),
                    ("by_ref", None) if self.uses == 1 && self.depth == 0 => {
                        *e = parse_quote!((#value).skip(#at));
                        return;
                    }
                    ("by_ref", _) => {
                        let help = "write `next` in a `for` over the number of items that are taken";
                        self.refuse(span, "`by_ref`".to_owned(), help);
                        None
                    }
                    (
                        "next_back" | "nth_back" | "rfind" | "next_if" | "next_if_eq" | "peek_mut"
                        | "as_slice",
                        _,
                    ) => {
                        let help =
                            "index: `x[i]`, with variables for the first and the last item that is left";
                        self.refuse(span, format!("`{method}`"), help);
                        None
                    }
                    (name, _) if STOP.contains(&name) && (self.uses > 1 || self.depth > 0) => {
                        let help =
                            "collect the items first, and keep the number of the next one: `&items[k..]`";
                        self.refuse(
                            span,
                            format!("`{name}`, which stops at an item, before another use"),
                            help,
                        );
                        None
                    }
                    _ => None,
                };
                if let Some(mut item) = item {
                    if let Expr::MethodCall(nth) = &mut item {
                        // the number of the item may take steps itself
                        nth.args.iter_mut().for_each(|arg| visit_mut::visit_expr_mut(self, arg));
                    }
                    *e = item;
                    return;
                }
            }
            Expr::Reference(reference)
                if reference.mutability.is_some()
                    && self.is_named(&reference.expr)
                    && self.uses == 1
                    && self.depth == 0 =>
            {
                *e = parse_quote!((#value).skip(#at));
                return;
            }
            Expr::Reference(reference) if self.is_named(&reference.expr) => {
                let help = "take the items where the iterator is made, or write `next` in a `for`";
                self.refuse(reference.span(), "a reference".to_owned(), help);
            }
            Expr::Field(field) if self.is_named(&field.base) => {
                let help = "give the ends of the range names of their own: `let (mut lo, hi) = (0, n);`";
                self.refuse(field.span(), "a field".to_owned(), help);
            }
            _ if self.is_named(e) => {
                *e = parse_quote!((#value).skip(#at));
                return;
            }
            _ => {}
        }
        match e {
            Expr::ForLoop(each) if self.lends(&each.expr) => {
                let (attrs, label, pat, name, body) =
                    (&each.attrs, &each.label, &each.pat, self.name, &each.body);
                *e = parse_quote!(#(#attrs)* #label while let Some(#pat) = #name.next() #body);
                self.visit_expr_mut(e);
            }
            Expr::ForLoop(e) => {
                self.visit_expr_mut(&mut e.expr);
                self.repeated(|this| this.visit_block_mut(&mut e.body));
            }
            Expr::While(_) | Expr::Loop(_) | Expr::Closure(_) => {
                self.repeated(|this| visit_mut::visit_expr_mut(this, e));
            }
            _ => visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        arguments::change_each(mac, &mut |e| self.visit_expr_mut(e));
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
