//! Recursion in which each call makes at most one more, as two loops.
//!
//! ```text
//! fn f(x: f64) -> f64 { if x > 8.0 { return x.ln(); } f(x + 1.0) - 1.0 / x }
//! fn f(x: f64) -> f64 {
//!     let (mut x, mut kept) = (x, Vec::new());
//!     let mut value = 'ends: loop {                       // down, as far as there are calls
//!         let next = 'next: { break 'ends { if x > 8.0 { break 'ends x.ln(); } break 'next x + 1.0; }; };
//!         kept.push(x);
//!         x = next;
//!     };
//!     for at in (0..kept.len()).rev() {                   // and up, with the value of the call
//!         let x = kept[at];
//!         value = 'value: { if x > 8.0 { break 'value x.ln(); } value - 1.0 / x };
//!     }
//!     value
//! }
//! ```
//!
//! Legal because the function writes to nothing but its own variables, so that its body may be run twice: once up to
//! the call, for the arguments of it, and once with its value. On every path there is at most one call, in no loop
//! and no closure.

use super::super::hygiene;
use crate::visit::changing::{self as visit_mut, VisitMut};
use crate::visit::{self, Visit};
use quote::{ToTokens, format_ident, quote};
use std::collections::HashMap;
use syn::{Block, Expr, FnArg, Ident, ItemFn, Lifetime, Pat, ReturnType, Stmt, Type};

/// A function that calls itself once at most, as loops; none if it is another one.
pub(super) fn as_loops(item: &ItemFn) -> Option<ItemFn> {
    let ReturnType::Type(_, result) = &item.sig.output else { return None };
    let calls = Calls { name: item.sig.ident.clone() };
    if calls.in_block(&item.block) != 1 || !is_open(item) {
        return None;
    }
    let params: Vec<Param> = item.sig.inputs.iter().map(param).collect::<Option<_>>()?;
    let mut found = Found { calls: &calls, arguments: Vec::new() };
    found.visit_block(&item.block);
    let is_passed_on = |at: usize, param: &Param| {
        found.arguments.iter().all(|arguments| arguments.get(at).is_some_and(|it| is_name(it, &param.name)))
    };
    let changed: Vec<usize> =
        (0..params.len()).filter(|&at| params[at].is_mutable || !is_passed_on(at, &params[at])).collect();
    let is_kept = |at: &usize| !matches!(params[*at].ty, Type::Reference(_));
    if changed.is_empty() || !changed.iter().all(is_kept) {
        return None;
    }
    let tokens = item.to_token_stream();
    // without a condition it has no end
    let words = hygiene::names(tokens.clone());
    if !words.contains("if") && !words.contains("match") {
        return None;
    }
    let own = |name: &str| hygiene::fresh(name, tokens.clone());
    let label = |name: &str| Lifetime::new(&format!("'{}", own(name)), proc_macro2::Span::call_site());
    // `self` is no name of a variable
    let this = own("this");
    let own_self = HashMap::from([("self".to_owned(), this.to_token_stream())]);
    let block: Block = syn::parse2(hygiene::replaced(item.block.to_token_stream(), &own_self)).ok()?;
    let named = |param: &Param| if param.name == "self" { this.clone() } else { param.name.clone() };

    let (value, at) = (own("value"), own("at"));
    let (ends, next, done) = (label("ends"), label("next"), label("done"));
    let names: Vec<Ident> = changed.iter().map(|&at| named(&params[at])).collect();
    let given: Vec<&Ident> = changed.iter().map(|&at| &params[at].name).collect();
    let types: Vec<&Type> = changed.iter().map(|&at| &params[at].ty).collect();
    let kept: Vec<Ident> = names.iter().map(|name| own(&format!("kept_{name}"))).collect();
    let nexts: Vec<Ident> = names.iter().map(|name| own(&format!("next_{name}"))).collect();
    let mutable = changed.iter().map(|&at| params[at].is_mutable.then(|| quote!(mut)));
    let mutable: Vec<_> = mutable.collect();

    let mut down = Down { calls: &calls, changed: &changed, next: &next };
    let mut first = block.clone();
    down.block(&mut first);
    Returns { label: &ends }.visit_block_mut(&mut first);
    let mut second = block;
    Values { calls: &calls, value: &value }.visit_block_mut(&mut second);
    Returns { label: &done }.visit_block_mut(&mut second);

    let first_kept = kept.first()?;
    let looped = quote! {
        {
            #(let mut #kept: Vec<#types> = Vec::new();)*
            #(let mut #names: #types = #given;)*
            let mut #value: #result = #ends: loop {
                let (#(#nexts,)*) = #next: {
                    #(let #mutable #names: #types = #names;)*
                    break #ends #first;
                };
                #(#kept.push(#names); #names = #nexts;)*
            };
            for #at in (0..#first_kept.len()).rev() {
                #(let #mutable #names: #types = #kept[#at];)*
                #value = #done: #second;
            }
            #value
        }
    };
    Some(ItemFn { block: syn::parse2(looped).ok()?, ..item.clone() })
}

/// A parameter with a name.
struct Param {
    name: Ident,
    ty: Type,
    is_mutable: bool,
}

fn param(arg: &FnArg) -> Option<Param> {
    let FnArg::Typed(arg) = arg else { return None };
    let Pat::Ident(pat) = &*arg.pat else { return None };
    let is_written = matches!(&*arg.ty, Type::Reference(to) if to.mutability.is_some());
    let is_plain = pat.by_ref.is_none() && pat.subpat.is_none() && !is_written;
    let is_mutable = pat.mutability.is_some();
    is_plain.then(|| Param { name: pat.ident.clone(), ty: (*arg.ty).clone(), is_mutable })
}

/// Whether all calls are seen, and none is left by a `?`, whose error would skip those above.
fn is_open(item: &ItemFn) -> bool {
    let mut find = Hiding { name: item.sig.ident.to_string(), found: false };
    find.visit_block(&item.block);
    !find.found
}

/// Looks for `?` and macros that do the same, and for items and macros with the name of the function.
struct Hiding {
    name: String,
    found: bool,
}

impl Visit for Hiding {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_expr(&mut self, e: &Expr) {
        self.found |= matches!(e, Expr::Try(_));
        visit::visit_expr(self, e);
    }

    fn visit_item(&mut self, item: &syn::Item) {
        self.found |= hygiene::names(item.to_token_stream()).contains(&self.name);
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        let leaves =
            mac.path.segments.last().is_some_and(|last| last.ident == "bail" || last.ident == "ensure");
        self.found |= leaves || hygiene::names(mac.tokens.clone()).contains(&self.name);
    }
}

fn is_name(e: &Expr, name: &Ident) -> bool {
    matches!(e, Expr::Path(path) if path.path.is_ident(name))
}

/// Calls of a function by its name.
struct Calls {
    name: Ident,
}

impl Calls {
    /// The arguments, if the expression is a call.
    fn arguments<'e>(&self, e: &'e Expr) -> Option<Vec<&'e Expr>> {
        match e {
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { return None };
                let is_own = path.path.segments.last().is_some_and(|last| last.ident == self.name);
                is_own.then(|| call.args.iter().collect())
            }
            Expr::MethodCall(call) if call.method == self.name => {
                Some([&*call.receiver].into_iter().chain(&call.args).collect())
            }
            _ => None,
        }
    }

    /// How many calls there are on the path with most of them; many in a loop or a closure.
    fn in_block(&self, block: &Block) -> usize {
        block.stmts.iter().rev().fold(0, |rest, stmt| match stmt {
            Stmt::Expr(Expr::If(e), _) if e.else_branch.is_none() && leaves(&e.then_branch) => {
                self.inside(&e.cond) + self.in_block(&e.then_branch).max(rest)
            }
            Stmt::Expr(e, _) => self.inside(e) + rest,
            Stmt::Local(local) => {
                let init = local.init.as_ref();
                let diverges = init.and_then(|init| init.diverge.as_ref());
                init.map_or(0, |init| self.inside(&init.expr))
                    + diverges.map_or(0, |(_, e)| self.inside(e))
                    + rest
            }
            _ => rest,
        })
    }

    fn inside(&self, e: &Expr) -> usize {
        match e {
            Expr::If(e) => {
                let els = e.else_branch.as_ref().map_or(0, |(_, els)| self.inside(els));
                self.inside(&e.cond) + self.in_block(&e.then_branch).max(els)
            }
            Expr::Match(e) => {
                let arms = e.arms.iter().map(|arm| {
                    let guard = match &arm.pat {
                        Pat::Guard(pat) => self.inside(&pat.guard),
                        _ => 0,
                    };
                    guard + self.inside(&arm.body)
                });
                self.inside(&e.expr) + arms.max().unwrap_or(0)
            }
            Expr::Block(e) => self.in_block(&e.block),
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Closure(_) => 2 * self.all_below(e),
            _ => usize::from(self.arguments(e).is_some()) + self.below(e),
        }
    }

    /// The sum over the parts of an expression.
    fn below(&self, e: &Expr) -> usize {
        let mut parts = Parts { calls: self, sum: 0 };
        visit::visit_expr(&mut parts, e);
        parts.sum
    }

    fn all_below(&self, e: &Expr) -> usize {
        let mut found = Found { calls: self, arguments: Vec::new() };
        found.visit_expr(e);
        found.arguments.len()
    }
}

/// Whether a block ends with a jump out of the function.
fn leaves(block: &Block) -> bool {
    matches!(block.stmts.last(), Some(Stmt::Expr(Expr::Return(_), _)))
}

struct Parts<'a> {
    calls: &'a Calls,
    sum: usize,
}

impl Visit for Parts<'_> {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_expr(&mut self, e: &Expr) {
        self.sum += self.calls.inside(e);
    }
}

/// All calls.
struct Found<'a> {
    calls: &'a Calls,
    arguments: Vec<Vec<Expr>>,
}

impl Visit for Found<'_> {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_expr(&mut self, e: &Expr) {
        if let Some(arguments) = self.calls.arguments(e) {
            self.arguments.push(arguments.into_iter().cloned().collect());
        }
        visit::visit_expr(self, e);
    }
}

/// The way down: a path that calls ends with the arguments of the call.
struct Down<'a> {
    calls: &'a Calls,
    changed: &'a [usize],
    next: &'a Lifetime,
}

impl Down<'_> {
    fn block(&mut self, block: &mut Block) {
        for at in 0..block.stmts.len() {
            let is_left = match &mut block.stmts[at] {
                Stmt::Expr(e, _) => self.expr(e),
                Stmt::Local(local) => local.init.as_mut().is_some_and(|init| self.expr(&mut init.expr)),
                _ => false,
            };
            if is_left {
                if let Stmt::Local(local) = &block.stmts[at] {
                    let jump = local.init.as_ref().map(|init| (*init.expr).clone());
                    block.stmts[at] = Stmt::Expr(jump.unwrap_or_else(|| syn::parse_quote!(())), None);
                }
                block.stmts.truncate(at + 1);
                return;
            }
        }
    }

    /// Whether it became a jump.
    fn expr(&mut self, e: &mut Expr) -> bool {
        if self.calls.all_below(e) == 0 {
            return false;
        }
        match e {
            Expr::If(of) if self.calls.all_below(&of.cond) == 0 => {
                self.block(&mut of.then_branch);
                if let Some((_, els)) = &mut of.else_branch {
                    self.expr(els);
                }
                false
            }
            Expr::Match(of) if self.calls.all_below(&of.expr) == 0 => {
                of.arms.iter_mut().for_each(|arm| {
                    self.expr(&mut arm.body);
                });
                false
            }
            Expr::Block(of) => {
                self.block(&mut of.block);
                false
            }
            Expr::Return(syn::ExprReturn { expr: Some(value), .. }) => {
                let mut value = (**value).clone();
                let is_left = self.expr(&mut value);
                *e = if is_left { value } else { syn::parse_quote!(return #value) };
                is_left
            }
            _ => {
                let mut found = Found { calls: self.calls, arguments: Vec::new() };
                found.visit_expr(e);
                let arguments = found.arguments.first().cloned().unwrap_or_default();
                let next = self.next;
                let arguments = self.changed.iter().filter_map(|&at| arguments.get(at));
                *e = syn::parse_quote!(break #next (#(#arguments,)*));
                true
            }
        }
    }
}

/// The way up: a call is its value.
struct Values<'a> {
    calls: &'a Calls,
    value: &'a Ident,
}

impl VisitMut for Values<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        if self.calls.arguments(e).is_some() {
            let value: Ident = format_ident!("{}", self.value);
            *e = syn::parse_quote!(#value);
        }
    }
}

/// Early returns leave a block.
struct Returns<'a> {
    label: &'a Lifetime,
}

impl VisitMut for Returns<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if matches!(e, Expr::Closure(_)) {
            return;
        }
        visit_mut::visit_expr_mut(self, e);
        if let Expr::Return(of) = e {
            let (label, value) = (self.label, &of.expr);
            *e = syn::parse_quote!(break #label #value);
        }
    }
}
