//! Helpers that call themselves: inlined like others, as long as a number that each call passes on says where it ends;
//! else, where each call makes one more at most, as loops (`linear_recursion`).
//!
//! An argument that is a number, or computed from numbers and from such parameters, is known; a condition of known
//! numbers is decided here, and only the branch that is taken is looked at.

use super::super::infer::Type;
use super::super::tree::{Block, Expr, Kind, Pattern};
use super::Resolver;
use super::linear_recursion;
use crate::ir::UnOp;
use crate::limits::{NESTED_CALLS, RECURSIVE_CALLS};
use proc_macro2::Span;
use std::rc::Rc;

impl Resolver<'_> {
    /// Refuses a call of a helper inside of it where no end is known.
    pub(super) fn refuse_recursion(
        &mut self,
        item: &Rc<syn::ItemFn>,
        args: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        let name = &item.sig.ident;
        if !args.iter().any(|arg| self.known_number(arg).is_some()) {
            self.endless.insert(Rc::as_ptr(item));
            return Some(self.refuse(
                span,
                format!("the helper `{name}` calls itself"),
                "helpers are inlined, and this recursion has no end that the compiler knows",
                format!(
                    "pass the depth as a number, `{name}(x, 3)`, and inside \
                     `if depth == 0 {{ … }} else {{ … {name}(x, depth - 1) … }}`; or write a loop"
                ),
            ));
        }
        self.recursions += 1;
        let depth = self.inlining.iter().filter(|outer| outer.item == Rc::as_ptr(item)).count();
        if depth >= NESTED_CALLS || self.recursions > RECURSIVE_CALLS {
            self.endless.insert(Rc::as_ptr(item));
            return Some(self.refuse(
                span,
                format!("the helper `{name}` calls itself too often"),
                format!("each call is inlined: at most {NESTED_CALLS} inside of each other, and {RECURSIVE_CALLS} in a function"),
                "start with a smaller depth, `if depth == 0 { … }` before the recursive calls, and write a loop in the last level",
            ));
        }
        None
    }

    /// The helper as loops, if it calls itself once at most.
    pub(super) fn as_loops(&mut self, item: &Rc<syn::ItemFn>) -> Option<Rc<syn::ItemFn>> {
        let looped = self.as_loops.entry(Rc::as_ptr(item));
        looped.or_insert_with(|| linear_recursion::as_loops(item).map(Rc::new)).clone()
    }

    /// Remembers the number that a parameter has.
    pub(super) fn know(&mut self, pattern: &Pattern, arg: &Expr) {
        if let Pattern::Bind(local) = pattern
            && !self.locals[*local].mutable
            && let Some(number) = self.known_number(arg)
        {
            self.known.insert(*local, number);
        }
    }

    /// The value of an integer that is known.
    pub(super) fn known_number(&self, e: &Expr) -> Option<i128> {
        match &e.kind {
            Kind::Int(value) if !matches!(self.infer.class(&e.ty), super::Class::Float) => Some(*value),
            Kind::Local(local) => self.known.get(local).copied(),
            Kind::Cast(inner) => match self.infer.peel(&e.ty) {
                Type::Scalar(ty) if ty.is_int() => {
                    self.known_number(inner).filter(|value| *value >= 0 && *value < 128)
                }
                _ => None,
            },
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.known_number(a)?, self.known_number(b)?);
                op.of_integers(a, b).filter(|value| (0..1 << 31).contains(value))
            }
            _ => None,
        }
    }

    /// The value of a condition, inside a helper, that is known.
    pub(super) fn known_condition(&self, e: &Expr) -> Option<bool> {
        if self.inlining.is_empty() {
            return None;
        }
        match &e.kind {
            Kind::Unary(UnOp::Not, inner) => self.known_condition(inner).map(|truth| !truth),
            Kind::And(a, b) => match (self.known_condition(a), self.known_condition(b)) {
                (Some(false), _) => Some(false),
                (Some(true), b) => b,
                _ => None,
            },
            Kind::Or(a, b) => match (self.known_condition(a), self.known_condition(b)) {
                (Some(true), _) => Some(true),
                (Some(false), b) => b,
                _ => None,
            },
            Kind::Binary(op, a, b) if op.is_comparison() => {
                op.compares(self.known_number(a)?, self.known_number(b)?)
            }
            _ => None,
        }
    }

    /// The branch of an `if` that is taken.
    pub(super) fn known_branch(&mut self, e: &syn::ExprIf, truth: bool, span: Span) -> Expr {
        let taken = match (truth, &e.else_branch) {
            (true, _) => {
                let (then, ty) = self.block(&e.then_branch);
                Expr::new(Kind::Block(then), ty, span)
            }
            (false, Some((_, els))) => self.expr(els),
            (false, None) => Expr::new(Kind::Block(Block::default()), Type::UNIT, span),
        };
        self.leaves = matches!(self.infer.shallow(&taken.ty), Type::Never);
        taken
    }
}
