//! Elements that std hands out as an `Option`, where it is opened at once: `x.last().unwrap()`,
//! `x.get(i).copied().unwrap_or(0.0)`.

pub(super) mod conditions;
pub(super) mod selected;
mod until_none;
pub(super) mod unwrapped;
pub(super) mod value;

use super::super::infer::Type;
use super::super::tree::{Access, Bounds, Expr, Kind, Stmt};
use super::{Resolver, bare};
use crate::ir::BinOp;
use proc_macro2::Span;
use syn::spanned::Spanned;

/// The call that makes the `Option` which `e` opens, and whether `copied()` stands between.
pub(super) fn opened_option(e: &syn::ExprMethodCall) -> Option<(&syn::ExprMethodCall, bool)> {
    let syn::Expr::MethodCall(outer) = bare(&e.receiver) else { return None };
    let copied = matches!(outer.method.to_string().as_str(), "copied" | "cloned");
    match bare(&outer.receiver) {
        syn::Expr::MethodCall(inner) if copied => Some((inner, true)),
        _ if copied => None,
        _ => Some((outer, false)),
    }
}

impl Resolver<'_> {
    /// `x.first().unwrap()` and the like; `None` if it is none of these.
    pub(super) fn opened_element(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let (inner, copied) = opened_option(e)?;
        let which = inner.method.to_string();
        let arity = usize::from(which.starts_with("get"));
        let known = ["first", "last", "get", "split_first", "split_last"];
        if !known.contains(&which.trim_end_matches("_mut"))
            || inner.args.len() != arity
            || name.starts_with("is_")
        {
            return None;
        }
        let span = e.span();
        let array = self.expr(&inner.receiver);
        if self.nd_rank(&array.ty) > 1 {
            return Some(self.unknown_nd_method(&which, &array, inner.method.span()));
        }
        let Type::Array(elem, _) = self.infer.peel(&array.ty) else {
            let ty = self.infer.show(&array.ty);
            return Some(self.refuse(
                inner.method.span(),
                format!("`{which}` on a value of type `{ty}`"),
                "arrays, slices and vectors have elements",
                "write the type of the variable if it is an array",
            ));
        };
        let access = Access::of(&inner.receiver, e);
        let len = array.len(&access, span);
        if which.starts_with("split") {
            return Some(self.split_off(&which, name, &array, &elem, &access, span));
        }
        if matches!(name, "unwrap" | "expect") {
            let index = match which.trim_end_matches("_mut") {
                "first" => Expr::usize(0, span),
                "last" => last(len, span),
                _ => self.usize(&inner.args[0]),
            };
            let element = array.at(index, &elem, &access, span);
            return Some(if copied { element } else { element.borrowed(which.ends_with("_mut")) });
        }
        // a number behind `&` is read, and nothing else
        let is_read = copied || !which.ends_with("_mut") && matches!(self.infer.peel(&elem), Type::Scalar(_));
        if !is_read {
            return Some(self.refuse(
                e.method.span(),
                format!("`{name}` of a reference"),
                "which of two values it refers to would be known only at run time",
                format!("write `.copied()` before `{name}`"),
            ));
        }
        let other = match e.args.first() {
            Some(other) if copied => self.expr(other),
            Some(other) => {
                let other = self.expr(other);
                self.dereferenced(other)
            }
            None => Expr::new(Kind::Int(0), (*elem).clone(), span),
        };
        self.unify(&elem, &other.ty, other.span);
        let mut stmts = Vec::new();
        let (index, cond) = self.place_of(inner, len, &mut stmts);
        let element = array.at(index, &elem, &access, span);
        let value = cond.choose(element, other, *elem, span).behind(stmts, span);
        Some(if copied { value } else { self.borrowed(value, false) })
    }

    /// Where the element is that `first`, `last` or `get` hands out, and whether there is one.
    fn place_of(&mut self, call: &syn::ExprMethodCall, len: Expr, stmts: &mut Vec<Stmt>) -> (Expr, Expr) {
        let span = len.span;
        match call.method.to_string().trim_end_matches("_mut") {
            "first" => (Expr::usize(0, span), is_not_empty(len)),
            "last" => (last(len.clone(), span), is_not_empty(len)),
            _ => {
                let index = self.usize(&call.args[0]);
                let index = self.named("index", index, stmts);
                (index.clone(), Expr::binary(BinOp::Lt, index, len, span))
            }
        }
    }

    /// `split_first` and `split_last`: an element and the others.
    pub(super) fn split_off(
        &mut self,
        which: &str,
        name: &str,
        array: &Expr,
        elem: &Type,
        access: &Access,
        span: Span,
    ) -> Expr {
        if !matches!(name, "unwrap" | "expect") {
            return self.refuse(
                span,
                format!("`{which}` without `unwrap`"),
                "an `Option` is not a value here",
                format!("write `let (a, rest) = x.{which}().unwrap();`"),
            );
        }
        let end = || last(array.len(access, span), span);
        let is_mut = which.ends_with("_mut");
        let (index, lo, hi) = match which.trim_end_matches("_mut") {
            "split_first" => (Expr::usize(0, span), Some(Expr::usize(1, span).boxed()), None),
            _ => (end(), None, Some(end().boxed())),
        };
        let one = array.at(index, elem, access, span).borrowed(is_mut);
        let bounds = Bounds { lo, hi, inclusive: false, step: 1 };
        let others = Kind::Slice(array.clone().boxed(), bounds, access.clone());
        let others = Expr::new(others, Type::slice(elem.clone()), span).borrowed(is_mut);
        Expr::tuple(vec![one, others], span)
    }
}

/// `len - 1`, which panics for an empty array.
fn last(len: Expr, span: Span) -> Expr {
    Expr::binary(BinOp::Sub, len, Expr::usize(1, span), span)
}

fn is_not_empty(len: Expr) -> Expr {
    let span = len.span;
    Expr::binary(BinOp::Gt, len, Expr::usize(0, span), span)
}
