//! Elements that std hands out as an `Option`, where it is opened at once: `x.last().unwrap()`,
//! `x.get(i).copied().unwrap_or(0.0)`.

pub(super) mod conditions;
pub(super) mod selected;
mod until_none;
pub(super) mod unwrapped;
pub(super) mod value;

use super::super::display::tidy;
use super::super::infer::Type;
use super::super::tree::{Access, Block, Bounds, Expr, Kind, Len, Method, Pattern, Stmt};
use super::expr::array_name;
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
        let known = ["first", "last", "get", "first_mut", "last_mut", "get_mut", "split_first", "split_last"];
        if !known.contains(&which.as_str()) || inner.args.len() != arity || name.starts_with("is_") {
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
        let access = Access { array: array_name(&inner.receiver), text: tidy(e) };
        let len =
            Expr::new(Kind::Method(Method::Len, vec![array.clone()], access.clone()), Type::USIZE, span);
        let element = |index: Expr| {
            let kind = Kind::Index(array.clone().boxed(), index.boxed(), access.clone());
            Expr::new(kind, (*elem).clone(), span)
        };
        if which.starts_with("split") {
            return Some(self.split_off(&which, name, (&array, &len, &elem), &access, span));
        }
        let mutable = which.ends_with("_mut");
        if matches!(name, "unwrap" | "expect") {
            let index = match which.as_str() {
                "first" | "first_mut" => number(0, span),
                "last" | "last_mut" => last(&len, span),
                _ => self.index_of(inner),
            };
            let element = element(index);
            if copied {
                return Some(element);
            }
            let ty = Type::Ref(mutable, elem.clone());
            return Some(Expr::new(Kind::Borrow(element.boxed()), ty, span));
        }
        if !copied {
            return Some(self.refuse(
                e.method.span(),
                format!("`{name}` of a reference"),
                "which of two values it refers to would be known only at run time",
                format!("write `.copied()` in front of `{name}`"),
            ));
        }
        let other = match e.args.first() {
            Some(other) => self.expr(other),
            None => Expr::new(Kind::Int(0), (*elem).clone(), span),
        };
        self.unify(&elem, &other.ty, other.span);
        let mut stmts = Vec::new();
        let (index, cond) = match which.as_str() {
            "first" => (number(0, span), compare(BinOp::Gt, len.clone(), number(0, span))),
            "last" => (last(&len, span), compare(BinOp::Gt, len.clone(), number(0, span))),
            _ => {
                let index = self.index_of(inner);
                let local = self.hidden("index", Type::USIZE, false, span);
                stmts.push(Stmt::Let(Pattern::Bind(local), Some(index), span));
                let index = Expr::new(Kind::Local(local), Type::USIZE, span);
                (index.clone(), compare(BinOp::Lt, index, len.clone()))
            }
        };
        let branch = Kind::If(cond.boxed(), element(index).boxed(), Some(other.boxed()));
        let tail = Expr::new(branch, (*elem).clone(), span).boxed();
        Some(Expr::new(Kind::Block(Block { stmts, tail: Some(tail) }), (*elem).clone(), span))
    }

    pub(super) fn index_of(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let index = self.expr(&call.args[0]);
        self.unify(&index.ty, &Type::USIZE, index.span);
        index
    }

    /// `split_first` and `split_last`: an element and the others.
    pub(super) fn split_off(
        &mut self,
        which: &str,
        name: &str,
        (array, len, elem): (&Expr, &Expr, &Type),
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
        let (index, lo, hi) = match which {
            "split_first" => (number(0, span), Some(number(1, span).boxed()), None),
            _ => (last(len, span), None, Some(last(len, span).boxed())),
        };
        let shared = |ty: Type| Type::Ref(false, Box::new(ty));
        let one = Kind::Index(array.clone().boxed(), index.boxed(), access.clone());
        let one = Expr::new(one, elem.clone(), span);
        let one = Expr::new(Kind::Borrow(one.boxed()), shared(elem.clone()), span);
        let rest = Type::array(elem.clone(), Len::Dynamic);
        let bounds = Bounds { lo, hi, inclusive: false };
        let others =
            Expr::new(Kind::Slice(array.clone().boxed(), bounds, access.clone()), rest.clone(), span);
        let others = Expr::new(Kind::Borrow(others.boxed()), shared(rest), span);
        let ty = Type::Tuple(vec![one.ty.clone(), others.ty.clone()]);
        Expr::new(Kind::Tuple(vec![one, others]), ty, span)
    }
}

pub(super) fn number(value: i128, span: Span) -> Expr {
    Expr::new(Kind::Int(value), Type::USIZE, span)
}

/// `len - 1`, which panics for an empty array.
pub(super) fn last(len: &Expr, span: Span) -> Expr {
    let kind = Kind::Binary(BinOp::Sub, len.clone().boxed(), number(1, span).boxed());
    Expr::new(kind, Type::USIZE, span)
}

pub(super) fn compare(op: BinOp, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    Expr::new(Kind::Binary(op, left.boxed(), right.boxed()), Type::BOOL, span)
}
