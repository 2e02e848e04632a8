//! Operations of integers by name, and those of an unsigned and a signed one: `i.checked_add_signed(d)`,
//! `d.saturating_sub_unsigned(i)`.

use super::super::infer::{Class, Type};
use super::super::tree::{Access, Expr, Kind, Method};
use super::Resolver;

use crate::ir::{BinOp, Int, Ty};
use proc_macro2::Span;

/// An operation of two integers.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    /// `add`, `sub`, `mul`, `div` or `rem`
    pub(super) name: &'static str,
    /// Whether the second operand is signed, where its type is not that of the first one.
    signed: Option<bool>,
}

/// The operation that a method is, by what follows `checked_`, `saturating_` or `wrapping_` in its name.
pub(super) fn operation(name: &str) -> Option<Operation> {
    let (name, signed) = match name {
        "add" => ("add", None),
        "sub" => ("sub", None),
        "mul" => ("mul", None),
        "div" => ("div", None),
        "rem" => ("rem", None),
        "add_signed" => ("add", Some(true)),
        "add_unsigned" => ("add", Some(false)),
        "sub_unsigned" => ("sub", Some(false)),
        _ => return None,
    };
    Some(Operation { name, signed })
}

impl Resolver<'_> {
    /// `a.wrapping_add_signed(b)` and the like; `None` if it is none of these.
    pub(super) fn of_mixed_signs(
        &mut self,
        name: &str,
        args: &[Expr],
        access: &Access,
        (span, name_span): (Span, Span),
    ) -> Option<Expr> {
        let (saturates, rest) = match name.strip_prefix("saturating_") {
            Some(rest) => (true, rest),
            None => (false, name.strip_prefix("wrapping_")?),
        };
        let operation = operation(rest).filter(|operation| operation.signed.is_some())?;
        let [left, right] = args else { return None };
        let Some(ty) = self.operands_of(operation, name, left, right, name_span) else {
            return Some(self.error(span));
        };
        let method = match saturates {
            true => Method::SaturatingMixed(operation.name),
            false => Method::WrappingMixed(operation.name),
        };
        Some(Expr::method(method, args.to_vec(), access, ty, span))
    }

    /// `a.is_multiple_of(b)`
    pub(super) fn multiple_of(&mut self, args: &[Expr], span: Span) -> Expr {
        let ty = self.infer.peel(&args[0].ty);
        self.restrict(&ty, Class::Int, span);
        let mut stmts = Vec::new();
        let [a, b] = [("number", &args[0]), ("of", &args[1])].map(|(name, e)| {
            let e = self.dereferenced(e.clone());
            self.unify(&ty, &e.ty, span);
            self.named(name, e, &mut stmts)
        });
        let is_zero = |e| Expr::binary(BinOp::Eq, e, Expr::new(Kind::Int(0), ty.clone(), span), span);
        let rest = Expr::binary(BinOp::Rem, a.clone(), b.clone(), span);
        // 0 is the only multiple of 0
        is_zero(b).choose(is_zero(a), is_zero(rest), Type::BOOL, span).behind(stmts, span)
    }

    /// Gives both operands their types; that of the first one, unless it was refused.
    pub(super) fn operands_of(
        &mut self,
        operation: Operation,
        method: &str,
        left: &Expr,
        right: &Expr,
        name_span: Span,
    ) -> Option<Type> {
        let (ty, other) = (self.infer.peel(&left.ty), self.infer.peel(&right.ty));
        if matches!(ty, Type::Never) || matches!(other, Type::Never) {
            return None;
        }
        self.restrict(&ty, Class::Int, left.span);
        self.infer.need_exact(&ty);
        let Some(signed) = operation.signed else {
            self.unify(&ty, &other, right.span);
            return Some(ty);
        };
        self.restrict(&other, Class::Int, right.span);
        self.infer.need_exact(&other);
        match (&ty, &other) {
            (Type::Scalar(Ty::Int(int)), _) if int.is_signed() != signed => {
                self.unify(&of_other_sign(*int), &other, right.span);
            }
            (Type::Var(_), Type::Scalar(Ty::Int(int))) if int.is_signed() == signed => {
                self.unify(&ty, &of_other_sign(*int), left.span);
            }
            (Type::Var(_), _) => {
                self.refuse(
                    left.span,
                    format!("`{method}` on a number whose type is not known"),
                    "where the result ends follows from the type",
                    "write the type: `let i: usize = …;`",
                );
                return None;
            }
            _ => {
                self.unknown_method(method, &ty, name_span);
                return None;
            }
        }
        Some(self.infer.peel(&ty))
    }
}

fn of_other_sign(int: Int) -> Type {
    Type::Scalar(Ty::Int(if int.is_signed() { int.unsigned() } else { int.signed() }))
}
