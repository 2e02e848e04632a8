//! `partition_point`: bisection of a slice, as a loop of as many rounds for every element that is sought, so that several are
//! sought at once; what is found is the same as that of the standard library, whose order of comparisons is not said.
//!
//! ```text
//! let (mut base, mut size) = (0, x.len());
//! for _ in 0..(if size > 1 { (size - 1).ilog2() + 1 } else { 0 }) {
//!     let half = size / 2;
//!     let middle = base + half;
//!     base = if before(&x[middle]) { middle } else { base };
//!     size -= half;
//! }
//! if x.is_empty() { 0 } else if before(&x[base]) { base + 1 } else { base }
//! ```

use super::super::display::tidy;
use super::super::infer::Type;
use super::super::tree::{Access, Block, Expr, For, Kind, LocalId, Method, Pattern, Stmt};
use super::Resolver;
use super::fold::assigned;
use super::option::selected::{borrowed, local};
use crate::ir::{BinOp, Int, Marks, Ty};
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
        let len =
            Expr::new(Kind::Method(Method::Len, vec![searched.clone()], access.clone()), Type::USIZE, span);
        let [base, size, half, middle] =
            ["base", "size", "half", "middle"].map(|name| self.hidden(name, Type::USIZE, true, span));
        let [low, left, part, at] = [base, size, half, middle].map(|id| local(id, &Type::USIZE, span));

        let is_before = |this: &mut Self, at: &Expr| {
            let index = Kind::Index(searched.clone().boxed(), at.clone().boxed(), access.clone());
            let item = borrowed(Expr::new(index, (*elem).clone(), span));
            let (pattern, cond) = this.scoped(false, |this| {
                let pattern = this.pattern(&closure.inputs[0], &item.ty);
                (pattern, this.closure_body(&closure))
            });
            this.unify(&cond.ty, &Type::BOOL, cond.span);
            let stmts = vec![Stmt::Let(pattern, Some(item), span)];
            Expr::new(Kind::Block(Block { stmts, tail: Some(cond.boxed()) }), Type::BOOL, span)
        };
        let narrowed = choice(is_before(self, &at), at.clone(), low.clone());
        let stmts = vec![
            declare(half, arithmetic(BinOp::Div, left.clone(), number(2, span))),
            declare(middle, arithmetic(BinOp::Add, low.clone(), part.clone())),
            assigned(&low, narrowed),
            assigned(&left, arithmetic(BinOp::Sub, left.clone(), part)),
        ];
        let log = Kind::Method(
            Method::Scalar("ilog2"),
            vec![arithmetic(BinOp::Sub, left.clone(), number(1, span))],
            access.clone(),
        );
        let log = Expr::new(log, Type::Scalar(Ty::Int(Int::U32)), span);
        let log = Expr::new(Kind::Cast(log.boxed()), Type::USIZE, span);
        let several = compare(BinOp::Gt, left.clone(), number(1, span));
        let rounds = choice(several, arithmetic(BinOp::Add, log, number(1, span)), number(0, span));
        let looped = For {
            id: self.next_loop(),
            var: None,
            name: "round".to_owned(),
            lo: number(0, span),
            hi: rounds,
            inclusive: false,
            adapters: Vec::new(),
            marks: Marks::default(),
            body: Block { stmts, tail: None },
        };
        let above = arithmetic(BinOp::Add, low.clone(), number(1, span));
        let last = choice(is_before(self, &low), above, low.clone());
        let any = compare(BinOp::Gt, len.clone(), number(0, span));
        let stmts = vec![
            declare(of, array),
            declare(base, number(0, span)),
            declare(size, len),
            Stmt::Expr(Expr::new(Kind::For(Box::new(looped)), Type::UNIT, span)),
        ];
        let found = choice(any, last, number(0, span));
        Expr::new(Kind::Block(Block { stmts, tail: Some(found.boxed()) }), Type::USIZE, span)
    }
}

fn choice(cond: Expr, yes: Expr, no: Expr) -> Expr {
    let span = cond.span;
    Expr::new(Kind::If(cond.boxed(), yes.boxed(), Some(no.boxed())), Type::USIZE, span)
}

fn compare(op: BinOp, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr::new(Kind::Binary(op, a.boxed(), b.boxed()), Type::BOOL, span)
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
