//! Comparisons by closures: `|a, b| a.total_cmp(b)`, `|a, b| b.1.partial_cmp(&a.1).unwrap()`, `|v| v.kind`.

use super::super::infer::{Class, Type};
use super::super::tree::{Access, Expr, Kind, Stmt};
use super::option::selected::{borrowed, local};
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
                    let value = borrowed(value);
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
        let (held, item) = (borrowed(held), borrowed(item));
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
        let greater = Expr::new(Kind::Int(1), ORDERING, span);
        Expr::new(Kind::Binary(BinOp::Eq, order.boxed(), greater.boxed()), Type::BOOL, span)
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
            let id = self.hidden(name, ty.clone(), false, span);
            stmts.push(Stmt::Let(super::super::tree::Pattern::Bind(id), Some(value), span));
            local(id, &ty, span)
        });
        let binary = |op, a: &Expr, b: &Expr| {
            Expr::new(Kind::Binary(op, a.clone().boxed(), b.clone().boxed()), Type::BOOL, span)
        };
        let both = |a: Expr, b: Expr| Expr::new(Kind::And(a.boxed(), b.boxed()), Type::BOOL, span);
        let either = |a: Expr, b: Expr| Expr::new(Kind::Or(a.boxed(), b.boxed()), Type::BOOL, span);
        let greater = binary(BinOp::Gt, &left, &right);
        match how {
            How::Integers | How::Equal => Some(greater),
            How::Checked => {
                let ordered = both(binary(BinOp::Eq, &left, &left), binary(BinOp::Eq, &right, &right));
                let text = "the items cannot be compared: one of them is NaN".to_owned();
                stmts.push(Stmt::Expr(Expr::new(
                    Kind::Assert(ordered.boxed(), text, false),
                    Type::UNIT,
                    span,
                )));
                Some(greater)
            }
            How::Total => {
                // -NaN < -0.0 < 0.0 < NaN
                let mut sign = |name: &str, of: &Expr| {
                    let access = Access { array: String::new(), text: String::new() };
                    self.method(name, vec![of.clone()], access, span, span)
                };
                let (up, down) = (sign("is_sign_positive", &left), sign("is_sign_negative", &right));
                let (left_is, right_is) =
                    (binary(BinOp::Eq, &left, &left), binary(BinOp::Eq, &right, &right));
                let less = binary(BinOp::Lt, &left, &right);
                let by_sign = both(up.clone(), down.clone());
                let of_left = both(up, right_is.clone());
                let of_right = both(down, left_is.clone());
                let branch = |cond: Expr, then: Expr, els: Expr| {
                    Expr::new(Kind::If(cond.boxed(), then.boxed(), Some(els.boxed())), Type::BOOL, span)
                };
                // with NaN on one side, its sign decides; on both or on none, the signs of both
                let one = either(of_left, of_right);
                let same = binary(BinOp::Eq, &left_is, &right_is);
                let tied = branch(same, by_sign, one);
                Some(branch(either(greater.clone(), less), greater, tied))
            }
        }
    }
}

/// The comparison that the body of a closure is.
fn comparison(body: &syn::Expr) -> Option<Comparison<'_>> {
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
                ("unwrap", 0) | ("expect", 1) => {
                    partial(&call.receiver).map(|(left, right)| Comparison { left, right, how: How::Checked })
                }
                ("unwrap_or", 1) => {
                    let syn::Expr::Path(other) = bare(&call.args[0]) else { return None };
                    let equal = other.path.segments.last().is_some_and(|last| last.ident == "Equal");
                    let (left, right) = partial(&call.receiver).filter(|_| equal)?;
                    Some(Comparison { left, right, how: How::Equal })
                }
                ("cmp", 1) => {
                    Some(Comparison { left: &call.receiver, right: &call.args[0], how: How::Integers })
                }
                ("total_cmp", 1) => {
                    Some(Comparison { left: &call.receiver, right: &call.args[0], how: How::Total })
                }
                _ => None,
            }
        }
        syn::Expr::Call(call) if call.args.len() == 2 => {
            let syn::Expr::Path(path) = bare(&call.func) else { return None };
            let name = path.path.segments.last()?.ident.to_string();
            let how = match name.as_str() {
                "cmp" => How::Integers,
                "total_cmp" => How::Total,
                _ => return None,
            };
            Some(Comparison { left: &call.args[0], right: &call.args[1], how })
        }
        _ => None,
    }
}

/// `a.partial_cmp(b)`
fn partial(e: &syn::Expr) -> Option<(&syn::Expr, &syn::Expr)> {
    match bare(e) {
        syn::Expr::MethodCall(call) if call.method == "partial_cmp" && call.args.len() == 1 => {
            Some((&call.receiver, &call.args[0]))
        }
        _ => None,
    }
}
