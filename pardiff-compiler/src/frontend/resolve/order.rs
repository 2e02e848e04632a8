//! Comparisons by closures: `|a, b| a.total_cmp(b)`, `|a, b| b.1.partial_cmp(&a.1).unwrap()`, `|v| v.kind`.

use super::super::infer::{Class, Type};
use super::super::tree::{Access, Expr, Kind, Stmt};

use super::ordering::ORDERING;
use super::{Resolver, bare};
use crate::ir::BinOp;
use proc_macro2::Span;
use syn::spanned::Spanned;

/// `left.how(right)`
struct Comparison<'c> {
    left: &'c syn::Expr,
    right: &'c syn::Expr,
    how: How,
}

/// How values are compared.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum How {
    /// `cmp`
    Integers,
    /// `total_cmp`
    Total,
    /// `partial_cmp` with `unwrap`
    Checked,
    /// `partial_cmp`, where what cannot be compared is equal
    Equal,
}

impl Resolver<'_> {
    /// Whether the item `held` is greater than `item`, as `max_by` and the others compare them.
    pub(super) fn compared(
        &mut self,
        e: &syn::ExprMethodCall,
        which: &str,
        held: Expr,
        item: Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let span = e.span();
        if e.args.is_empty() {
            return self.greater(held, item, How::Integers, span, stmts);
        }
        if which.ends_with("_key") {
            let closure = self.function_of(&e.args[0], 1)?;
            let mut keys = Vec::new();
            for value in [held, item] {
                let key = self.scoped(false, |this| {
                    let value = value.borrowed(false);
                    let pattern = this.pattern(&closure.inputs[0], &value.ty);
                    stmts.push(Stmt::Let(pattern, Some(value), span));
                    this.closure_body(&closure)
                });
                keys.push(key);
            }
            let (right, left) = (keys.pop()?, keys.pop()?);
            if let Type::Tuple(_) = self.infer.peel(&left.ty) {
                let order = self.order_of(left, right, How::Integers, span, stmts)?;
                return Some(self.is_greater(order));
            }
            return self.greater(left, right, How::Integers, span, stmts);
        }
        let closure = self.function_of(&e.args[0], 2)?;
        let (held, item) = (held.borrowed(false), item.borrowed(false));
        self.scoped(false, |this| {
            let first = this.pattern(&closure.inputs[0], &held.ty);
            let second = this.pattern(&closure.inputs[1], &item.ty);
            stmts.push(Stmt::Let(first, Some(held), span));
            stmts.push(Stmt::Let(second, Some(item), span));
            match comparison(&closure.body) {
                Some(Comparison { left, right, how }) => {
                    let (left, right) = (this.expr(left), this.expr(right));
                    this.greater(left, right, how, span, stmts)
                }
                None => {
                    let order = this.closure_body(&closure);
                    Some(this.is_greater(order))
                }
            }
        })
    }

    /// Whether an `Ordering` is `Greater`.
    fn is_greater(&mut self, order: Expr) -> Expr {
        let span = order.span;
        self.unify(&ORDERING, &order.ty, span);
        Expr::binary(BinOp::Eq, order, Expr::new(Kind::Int(1), ORDERING, span), span)
    }

    /// Whether `left` is greater than `right`, both numbers.
    pub(super) fn greater(
        &mut self,
        left: Expr,
        right: Expr,
        how: How,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let ty = self.infer.peel(&left.ty);
        let other = self.infer.peel(&right.ty);
        self.unify(&ty, &other, span);
        let ty = self.infer.peel(&ty);
        let wanted = match how {
            How::Integers => Class::Int,
            How::Total => Class::Float,
            How::Checked | How::Equal => self.infer.class(&ty),
        };
        let scalar = matches!(ty, Type::Scalar(_)) || self.infer.class(&ty) != Class::Any;
        if !scalar || self.infer.restrict(&ty, wanted).is_err() {
            let shown = self.infer.show(&ty);
            self.refuse(
                span,
                format!("an order of values of type `{shown}`"),
                "integers are compared by `cmp`, floats by `total_cmp` and `partial_cmp`",
                "compare one number of each item: `max_by(|a, b| a.1.total_cmp(&b.1))`",
            );
            return None;
        }
        let [left, right] = [("left", left), ("right", right)].map(|(name, value)| {
            let value = self.dereferenced(value);
            self.named(name, Expr { ty: ty.clone(), ..value }, stmts)
        });
        let binary = |op, a: &Expr, b: &Expr| Expr::binary(op, a.clone(), b.clone(), span);
        let greater = binary(BinOp::Gt, &left, &right);
        match how {
            How::Integers | How::Equal => Some(greater),
            How::Checked => {
                let ordered = binary(BinOp::Eq, &left, &left).and(binary(BinOp::Eq, &right, &right), span);
                stmts.push(Stmt::assert(ordered, "the items cannot be compared: one of them is NaN", span));
                Some(greater)
            }
            How::Total => {
                // -NaN < -0.0 < 0.0 < NaN
                let mut sign =
                    |name, of: &Expr| self.method(name, vec![of.clone()], Access::default(), span, span);
                let (up, down) = (sign("is_sign_positive", &left), sign("is_sign_negative", &right));
                let (left_is, right_is) =
                    (binary(BinOp::Eq, &left, &left), binary(BinOp::Eq, &right, &right));
                let less = binary(BinOp::Lt, &left, &right);
                let by_sign = up.clone().and(down.clone(), span);
                let same = binary(BinOp::Eq, &left_is, &right_is);
                // with NaN on one side, its sign decides; on both or on none, the signs of both
                let one = up.and(right_is, span).or(down.and(left_is, span), span);
                let tied = same.choose(by_sign, one, Type::BOOL, span);
                Some(greater.clone().or(less, span).choose(greater, tied, Type::BOOL, span))
            }
        }
    }
}

/// The comparison that the body of a closure is.
fn comparison(body: &syn::Expr) -> Option<Comparison<'_>> {
    let of = |name: &str| match name {
        "cmp" => Some(How::Integers),
        "total_cmp" => Some(How::Total),
        _ => None,
    };
    match bare(body) {
        syn::Expr::Block(block) => match &block.block.stmts[..] {
            [syn::Stmt::Expr(inner, None)] => comparison(inner),
            _ => None,
        },
        syn::Expr::MethodCall(call) => {
            let method = call.method.to_string();
            match (method.as_str(), call.args.len()) {
                ("reverse", 0) => {
                    let Comparison { left, right, how } = comparison(&call.receiver)?;
                    Some(Comparison { left: right, right: left, how })
                }
                ("unwrap", 0) | ("expect", 1) => partial(&call.receiver, How::Checked),
                ("unwrap_or", 1) => {
                    let syn::Expr::Path(other) = bare(&call.args[0]) else { return None };
                    let equal = other.path.segments.last().is_some_and(|last| last.ident == "Equal");
                    partial(&call.receiver, How::Equal).filter(|_| equal)
                }
                (name, 1) => Some(Comparison { left: &call.receiver, right: &call.args[0], how: of(name)? }),
                _ => None,
            }
        }
        syn::Expr::Call(call) if call.args.len() == 2 => {
            let syn::Expr::Path(path) = bare(&call.func) else { return None };
            let how = of(&path.path.segments.last()?.ident.to_string())?;
            Some(Comparison { left: &call.args[0], right: &call.args[1], how })
        }
        _ => None,
    }
}

/// `a.partial_cmp(b)`
fn partial(e: &syn::Expr, how: How) -> Option<Comparison<'_>> {
    match bare(e) {
        syn::Expr::MethodCall(call) if call.method == "partial_cmp" && call.args.len() == 1 => {
            Some(Comparison { left: &call.receiver, right: &call.args[0], how })
        }
        _ => None,
    }
}
