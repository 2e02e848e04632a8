//! `Ordering` as a value: the number that it is under `as i8`.
//!
//! ```text
//! a.cmp(&b), a.total_cmp(&b)       if a > b { 1 } else if b > a { -1 } else { 0 }
//! a.partial_cmp(&b)                (a == a && b == b, the same), as an `Option`
//! (a, b).cmp(&(c, d))              { let first = a.cmp(&c); if first != 0 { first } else { b.cmp(&d) } }
//! order.reverse()                  -order
//! order.then_with(|| other)        if order != 0 { order } else { other }
//! match order { Ordering::Less => … }      match order { -1 => … }
//! Reverse(k)                       !k
//! ```
//!
//! rustc has checked the function itself, so that no number is taken for an `Ordering`, or the other way round.

use super::super::infer::{Class, Type};
use super::super::tree::{Expr, Kind, Stmt};
use super::option::conditions::Made;
use super::order::How;
use super::{Resolver, bare, is_path};
use crate::ir::{BinOp, Int, Ty, UnOp};
use proc_macro2::Span;
use syn::spanned::Spanned;

/// The type that stands for `Ordering`.
pub(super) const ORDERING: Type = Type::Scalar(Ty::Int(Int::I8));

/// Whether a path names `std::cmp::Ordering`.
pub(super) fn is_named(path: &syn::Path) -> bool {
    is_path(path, &["Ordering", "cmp::Ordering", "std::cmp::Ordering", "core::cmp::Ordering"])
}

impl Resolver<'_> {
    /// `Ordering::Less` and the others.
    pub(super) fn ordering(&self, names: &[&str], span: Span) -> Option<Expr> {
        let (["Ordering", name] | ["std" | "core", "cmp", "Ordering", name] | ["cmp", "Ordering", name]) =
            names
        else {
            return None;
        };
        let value = match *name {
            "Less" => -1,
            "Equal" => 0,
            "Greater" => 1,
            _ => return None,
        };
        Some(number(value, span))
    }

    /// `Reverse(k)` of an integer: all its bits turned over, so that what is less is greater.
    pub(super) fn reversed(&mut self, e: &syn::Expr, span: Span) -> Expr {
        let of = self.expr(e);
        let of = self.dereferenced(of);
        let ty = self.infer.peel(&of.ty);
        self.restrict(&ty, Class::Int, span);
        Expr::new(Kind::Unary(UnOp::Not, of.boxed()), ty, span)
    }

    /// `cmp`, `total_cmp` and what an `Ordering` is asked; `None` if it is another method.
    pub(super) fn of_ordering(&mut self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let ty = self.infer.peel(&args[0].ty);
        let how = match (name, args.len()) {
            ("cmp", 2) => How::Integers,
            ("total_cmp", 2) => How::Total,
            (_, 1) if is_ordering(&ty) => {
                let order = self.dereferenced(args[0].clone());
                let op = match name {
                    "is_lt" => BinOp::Lt,
                    "is_le" => BinOp::Le,
                    "is_gt" => BinOp::Gt,
                    "is_ge" => BinOp::Ge,
                    "is_eq" => BinOp::Eq,
                    "is_ne" => BinOp::Ne,
                    "reverse" => {
                        return Some(Expr::new(Kind::Unary(UnOp::Neg, order.boxed()), ORDERING, span));
                    }
                    _ => return None,
                };
                return Some(Expr::binary(op, order, number(0, span), span));
            }
            _ => return None,
        };
        let mut stmts = Vec::new();
        let order = self.order_of(args[0].clone(), args[1].clone(), how, span, &mut stmts);
        Some(order.map_or_else(|| self.error(span), |order| order.behind(stmts, span)))
    }

    /// `order.then(other)` and `order.then_with(|| other)`; `None` where the receiver is a condition.
    pub(super) fn then_ordered(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let span = e.span();
        let lazy = match (name, e.args.len()) {
            ("then_with", 1) => true,
            // `condition.then(|| value)`
            ("then", 1) if !matches!(bare(&e.args[0]), syn::Expr::Closure(_)) => false,
            _ => return None,
        };
        let order = self.expr(&e.receiver);
        let order = self.dereferenced(order);
        if !is_ordering(&self.infer.peel(&order.ty)) {
            return None;
        }
        let mut stmts = Vec::new();
        let order = self.under_name("order", order, &mut stmts);
        let other = if lazy {
            let closure = self.function_of(&e.args[0], 0)?;
            self.scoped(false, |this| this.closure_body(&closure))
        } else {
            // evaluated whether it is needed or not
            let other = self.expr(&e.args[0]);
            self.under_name("other", other, &mut stmts)
        };
        self.unify(&ORDERING, &other.ty, other.span);
        Some(decided(order, other).behind(stmts, span))
    }

    /// `a.partial_cmp(&b)`
    pub(super) fn partially_ordered(&mut self, call: &syn::ExprMethodCall) -> Option<Made> {
        let span = call.span();
        let (left, right) = (self.expr(&call.receiver), self.expr(&call.args[0]));
        let mut stmts = Vec::new();
        let left = self.under_name("left", left, &mut stmts);
        let right = self.under_name("right", right, &mut stmts);
        let same = |of: &Expr| Expr::binary(BinOp::Eq, of.clone(), of.clone(), span);
        let value = self.order_of(left.clone(), right.clone(), How::Equal, span, &mut stmts)?;
        let cond = Expr::binary(BinOp::BitAnd, same(&left), same(&right), span);
        Some(Made { stmts, cond, value })
    }

    /// The `Ordering` of two values, the statements in front of it included; `None` if it was refused.
    pub(super) fn order_of(
        &mut self,
        left: Expr,
        right: Expr,
        how: How,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let ty = self.infer.peel(&left.ty);
        let Type::Tuple(parts) = &ty else {
            let greater = self.greater(left.clone(), right.clone(), how, span, stmts)?;
            let less = self.greater(right, left, how, span, stmts)?;
            return Some(choice(greater, number(1, span), choice(less, number(-1, span), number(0, span))));
        };
        self.unify(&ty, &right.ty, span);
        let left = self.under_name("left", left, stmts);
        let right = self.under_name("right", right, stmts);
        let mut order: Option<Expr> = None;
        for (at, part) in parts.iter().enumerate().rev() {
            let (left, right) = (left.member(at, part, span), right.member(at, part, span));
            let mut inner = Vec::new();
            let mut first = self.order_of(left, right, how, span, &mut inner)?;
            if let Some(rest) = order {
                first = decided(self.under_name("first", first, &mut inner), rest);
            }
            order = Some(first.behind(inner, span));
        }
        order
    }

    /// The value behind references, under a name that no name of the source is.
    pub(super) fn under_name(&mut self, name: &str, value: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let value = self.dereferenced(value);
        self.named(name, value, stmts)
    }
}

/// Whether it is the type that stands for `Ordering`.
fn is_ordering(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(Ty::Int(Int::I8)))
}

/// `if first != 0 { first } else { other }`
fn decided(first: Expr, other: Expr) -> Expr {
    let span = first.span;
    choice(Expr::binary(BinOp::Ne, first.clone(), number(0, span), span), first, other)
}

fn choice(cond: Expr, yes: Expr, no: Expr) -> Expr {
    let span = cond.span;
    cond.choose(yes, no, ORDERING, span)
}

fn number(value: i128, span: Span) -> Expr {
    Expr::new(Kind::Int(value), ORDERING, span)
}
