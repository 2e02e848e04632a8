//! `partition_point`: bisection of a slice, as a loop.
//!
//! ```text
//! let (mut from, mut to) = (0, x.len());
//! while from < to {
//!     let middle = from + (to - from) / 2;
//!     if before(&x[middle]) { from = middle + 1 } else { to = middle }
//! }
//! from
//! ```

use super::super::infer::Type;
use super::super::text::tidy;
use super::super::tree::{Access, Block, Expr, Kind, LocalId, Method, Pattern, Runtime, Stmt};
use super::Resolver;
use super::chosen::{borrowed, conditional, local};
use super::fold::assigned;
use crate::ir::BinOp;
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// `x.partition_point(before)`
    pub(super) fn partition_point(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let span = e.span();
        let array = self.expr(&e.receiver);
        let Type::Array(elem, _) = self.infer.peel(&array.ty) else {
            let ty = self.infer.show(&array.ty);
            return self.refuse(
                e.method.span(),
                format!("`partition_point` on a value of type `{ty}`"),
                "slices are searched",
                "write it on a slice: `x.as_slice().partition_point(…)`",
            );
        };
        let Some(closure) = self.function_of(&e.args[0], 1) else { return self.error(span) };
        let access = Access { array: super::expr::array_name(&e.receiver), text: tidy(e) };
        let array =
            if matches!(self.infer.shallow(&array.ty), Type::Ref(..)) { array } else { borrowed(array) };
        let of = self.hidden("searched", array.ty.clone(), false, span);
        let searched = local(of, &array.ty, span);
        let len = Kind::Method(Method::Len, vec![searched.clone()], access.clone());
        let [from, to, middle] =
            ["from", "to", "middle"].map(|name| self.hidden(name, Type::USIZE, true, span));
        let [low, high, at] = [from, to, middle].map(|id| local(id, &Type::USIZE, span));

        let half = arithmetic(BinOp::Div, arithmetic(BinOp::Sub, high.clone(), low.clone()), number(2, span));
        let element = Kind::Index(searched.boxed(), at.clone().boxed(), access);
        let item = borrowed(Expr::new(element, (*elem).clone(), span));
        let (pattern, cond) = self.scoped(false, |this| {
            let pattern = this.pattern(&closure.inputs[0], &item.ty);
            (pattern, this.closure_body(&closure))
        });
        self.unify(&cond.ty, &Type::BOOL, cond.span);
        let above = arithmetic(BinOp::Add, at.clone(), number(1, span));
        let narrow = conditional(cond, vec![assigned(&low, above)], Some(vec![assigned(&high, at)]));
        let body = vec![
            declare(middle, arithmetic(BinOp::Add, low.clone(), half)),
            Stmt::Let(pattern, Some(item), span),
            Stmt::Expr(narrow),
        ];
        let unequal = Expr::new(Kind::Binary(BinOp::Lt, low.clone().boxed(), high.boxed()), Type::BOOL, span);
        let body = Block { stmts: body, tail: None };
        let looped = Kind::While(Box::new(Runtime { id: self.next_loop(), cond: Some(unequal), body }));
        let stmts = vec![
            declare(of, array),
            declare(from, number(0, span)),
            declare(to, Expr::new(len, Type::USIZE, span)),
            Stmt::Expr(Expr::new(looped, Type::UNIT, span)),
        ];
        Expr::new(Kind::Block(Block { stmts, tail: Some(low.boxed()) }), Type::USIZE, span)
    }
}

fn number(value: i128, span: Span) -> Expr {
    Expr::new(Kind::Int(value), Type::USIZE, span)
}

fn arithmetic(op: BinOp, a: Expr, b: Expr) -> Expr {
    let (ty, span) = (a.ty.clone(), a.span);
    Expr::new(Kind::Binary(op, a.boxed(), b.boxed()), ty, span)
}

fn declare(id: LocalId, value: Expr) -> Stmt {
    let span = value.span;
    Stmt::Let(Pattern::Bind(id), Some(value), span)
}
