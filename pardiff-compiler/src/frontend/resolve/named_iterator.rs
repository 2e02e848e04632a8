//! Iterators under a name: what they are made of is evaluated where they get it, and the chain is written where the name stood.
//!
//! ```text
//! let pairs = x[a..b].iter().zip(y).skip(k);       let (pairs_0, pairs_1, pairs_2) = (&x[a..b], y, k);
//! for (x, y) in pairs { … }                        for (x, y) in pairs_0.iter().zip(pairs_1).skip(pairs_2) { … }
//! ```
//!
//! The items are made where they are used, as in Rust, where closures borrow what they mention meanwhile. Those that
//! `move` it would see it as it was, and are refused. `mut` iterators are used up step by step (`manual_next`).

use super::super::hygiene;
use super::iterator::is_chain;
use super::let_bound_iterators::Named;
use super::{bare, rayon};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Expr, Ident, parse_quote};

/// The iterator that gets a name, and the variables for what it is made of.
pub(super) fn named(name: &Ident, e: &Expr, rest: &[syn::Stmt]) -> Option<Named> {
    if !matches!(e, Expr::MethodCall(_) | Expr::Call(_)) || !is_chain(e) || rayon::is_parallel(e) {
        return None;
    }
    parts_of_chain(name, e, rest)
}

/// The same of any chain, a range included.
pub(super) fn parts_of_chain(name: &Ident, e: &Expr, rest: &[syn::Stmt]) -> Option<Named> {
    let all = rest.iter().map(ToTokens::to_token_stream).chain([e.to_token_stream()]).collect();
    let mut parts = Parts { name: name.clone(), all, found: Vec::new() };
    let mut value = e.clone();
    parts.chain(&mut value)?;
    Some(Named { name: name.clone(), value, parts: parts.found })
}

/// Names for what an iterator is made of.
struct Parts {
    name: Ident,
    /// In which a new name must not stand.
    all: TokenStream,
    found: Vec<syn::Local>,
}

impl Parts {
    /// Names the operands of a chain; `None` if it is to be refused under a name.
    fn chain(&mut self, e: &mut Expr) -> Option<()> {
        match e {
            Expr::Paren(paren) => self.chain(&mut paren.expr),
            Expr::Group(group) => self.chain(&mut group.expr),
            Expr::Range(range) => {
                range.start.iter_mut().chain(&mut range.end).for_each(|end| self.operand(end));
                Some(())
            }
            // `once(v)`, `zip(a, b)`
            Expr::Call(call) => call.args.iter_mut().try_for_each(|arg| self.items(arg)),
            Expr::MethodCall(call) if is_chain(&call.receiver) => {
                self.chain(&mut call.receiver)?;
                let takes_values =
                    ["zip", "chain", "skip", "take", "step_by", "scan"].iter().any(|it| call.method == it);
                call.args.iter_mut().try_for_each(|arg| match bare(arg) {
                    Expr::Closure(closure) => closure.capture.is_none().then_some(()),
                    // a function stays where it is
                    Expr::Path(_) if !takes_values => Some(()),
                    _ => self.items(arg),
                })
            }
            Expr::MethodCall(call) => {
                call.args.iter_mut().for_each(|arg| self.operand(arg));
                let by_value = call.method == "into_iter";
                let source = &mut *call.receiver;
                match bare(source) {
                    Expr::Path(_) | Expr::Field(_) if !by_value => {}
                    _ if by_value => self.operand(source),
                    _ if call.method.to_string().ends_with("_mut") => return None,
                    Expr::Index(_) => {
                        let mut borrowed = parse_quote!(&#source);
                        self.operand(&mut borrowed);
                        *source = borrowed;
                    }
                    Expr::Reference(_) | Expr::MethodCall(_) | Expr::Array(_) | Expr::Repeat(_) => {
                        self.operand(source);
                    }
                    _ => return None,
                }
                Some(())
            }
            _ => None,
        }
    }

    /// What is an iterator, or becomes one.
    fn items(&mut self, e: &mut Expr) -> Option<()> {
        if is_chain(e) {
            return self.chain(e);
        }
        self.operand(e);
        Some(())
    }

    /// A name for a value, unless it is a number.
    fn operand(&mut self, e: &mut Expr) {
        if let Expr::Lit(_) = bare(e) {
            return;
        }
        let word = format!("{}_{}", self.name.unraw(), self.found.len());
        let mut part = hygiene::fresh(&word, self.all.clone());
        part.set_span(self.name.span());
        let stmt: syn::Stmt = parse_quote!(let #part = #e;);
        if let syn::Stmt::Local(local) = stmt {
            self.found.push(local);
        }
        *e = parse_quote!(#part);
    }
}
