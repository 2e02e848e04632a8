//! Makes expressions and statements of the typed tree, and says what they are.

use super::infer::Type;
use super::tree::{Access, Block, Exit, Expr, Kind, LocalId, LoopId, Method, Pattern, Stmt, Target};
use crate::ir::{BinOp, UnOp};
use proc_macro2::Span;

impl Kind {
    /// Whether its value is that of statements: a block, a branch, a loop or a helper.
    pub(super) fn is_of_statements(&self) -> bool {
        let is_branch = matches!(self, Kind::If(..) | Kind::Match(_) | Kind::Block(_));
        is_branch || matches!(self, Kind::Inline(_) | Kind::While(_) | Kind::Labelled(_))
    }
}

impl Expr {
    pub(super) fn usize(value: i128, span: Span) -> Expr {
        Expr::new(Kind::Int(value), Type::USIZE, span)
    }

    pub(super) fn bool(value: bool, span: Span) -> Expr {
        Expr::new(Kind::Bool(value), Type::BOOL, span)
    }

    pub(super) fn local(id: LocalId, ty: &Type, span: Span) -> Expr {
        Expr::new(Kind::Local(id), ty.clone(), span)
    }

    /// A value of type `()`.
    pub(super) fn effect(kind: Kind, span: Span) -> Expr {
        Expr::new(kind, Type::UNIT, span)
    }

    pub(super) fn tuple(parts: Vec<Expr>, span: Span) -> Expr {
        let ty = Type::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        Expr::new(Kind::Tuple(parts), ty, span)
    }

    pub(super) fn method(method: Method, args: Vec<Expr>, access: &Access, ty: Type, span: Span) -> Expr {
        Expr::new(Kind::Method(method, args, access.clone()), ty, span)
    }

    /// The length of an array.
    pub(super) fn len(&self, access: &Access, span: Span) -> Expr {
        Expr::method(Method::Len, vec![self.clone()], access, Type::USIZE, span)
    }

    /// An element of an array.
    pub(super) fn at(&self, index: Expr, elem: &Type, access: &Access, span: Span) -> Expr {
        let kind = Kind::Index(self.clone().boxed(), index.boxed(), access.clone());
        Expr::new(kind, elem.clone(), span)
    }

    /// A member of a tuple or a struct.
    pub(super) fn member(&self, at: usize, ty: &Type, span: Span) -> Expr {
        Expr::new(Kind::Field(self.clone().boxed(), at), ty.clone(), span)
    }

    /// `&self` or `&mut self`
    pub(super) fn borrowed(self, mutable: bool) -> Expr {
        let (ty, span) = (Type::reference(mutable, self.ty.clone()), self.span);
        Expr::new(Kind::Borrow(self.boxed()), ty, span)
    }

    /// `!self` of a `bool`
    pub(super) fn not(self) -> Expr {
        let span = self.span;
        Expr::new(Kind::Unary(UnOp::Not, self.boxed()), Type::BOOL, span)
    }

    pub(super) fn binary(op: BinOp, left: Expr, right: Expr, span: Span) -> Expr {
        let ty = if op.is_comparison() { Type::BOOL } else { left.ty.clone() };
        Expr::new(Kind::Binary(op, left.boxed(), right.boxed()), ty, span)
    }

    /// `self && other`
    pub(super) fn and(self, other: Expr, span: Span) -> Expr {
        Expr::new(Kind::And(self.boxed(), other.boxed()), Type::BOOL, span)
    }

    /// `self || other`
    pub(super) fn or(self, other: Expr, span: Span) -> Expr {
        Expr::new(Kind::Or(self.boxed(), other.boxed()), Type::BOOL, span)
    }

    /// `if self { then } else { els }`, of type `ty`
    pub(super) fn choose(self, then: Expr, els: Expr, ty: Type, span: Span) -> Expr {
        Expr::new(Kind::If(self.boxed(), then.boxed(), Some(els.boxed())), ty, span)
    }

    /// `{ stmts }` of type `ty`
    pub(super) fn block(stmts: Vec<Stmt>, ty: Type, span: Span) -> Expr {
        Expr::new(Kind::Block(Block { stmts, tail: None }), ty, span)
    }

    /// `{ stmts; self }`
    pub(super) fn behind(self, stmts: Vec<Stmt>, span: Span) -> Expr {
        if stmts.is_empty() {
            return self;
        }
        let ty = self.ty.clone();
        Expr::new(Kind::Block(Block { stmts, tail: Some(self.boxed()) }), ty, span)
    }

    /// `break` or `continue`, with a value or without.
    pub(super) fn jump(id: LoopId, exit: Exit, value: Option<Expr>, span: Span) -> Expr {
        Expr::new(Kind::Jump(Target { id, exit }, value.map(Expr::boxed)), Type::Never, span)
    }
}

impl Stmt {
    pub(super) fn bind(id: LocalId, value: Expr) -> Stmt {
        let span = value.span;
        Stmt::Let(Pattern::Bind(id), Some(value), span)
    }

    pub(super) fn assign(place: &Expr, value: Expr) -> Stmt {
        let span = value.span;
        Stmt::Expr(Expr::effect(Kind::Assign(place.clone().boxed(), value.boxed()), span))
    }

    /// `place op= value`
    pub(super) fn update(op: BinOp, place: &Expr, value: Expr) -> Stmt {
        let span = place.span;
        Stmt::Expr(Expr::effect(Kind::AssignOp(op, place.clone().boxed(), value.boxed()), span))
    }

    pub(super) fn assert(cond: Expr, text: &str, span: Span) -> Stmt {
        Stmt::Expr(Expr::effect(Kind::Assert(cond.boxed(), text.to_owned(), false), span))
    }

    /// `if cond { then }`, and `else { els }` where there is one
    pub(super) fn when(cond: Expr, then: Vec<Stmt>, els: Option<Vec<Stmt>>) -> Stmt {
        let span = cond.span;
        let block = |stmts| Expr::block(stmts, Type::UNIT, span).boxed();
        Stmt::Expr(Expr::effect(Kind::If(cond.boxed(), block(then), els.map(block)), span))
    }

    /// `break`
    pub(super) fn leave(id: LoopId, span: Span) -> Stmt {
        Stmt::Expr(Expr::jump(id, Exit::Out, None, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Ty;

    #[test]
    fn a_block_without_statements_is_its_value() {
        let span = Span::call_site();
        let truth = || Expr::bool(true, span);
        assert!(matches!(truth().behind(Vec::new(), span).kind, Kind::Bool(true)));
        let assert = vec![Stmt::assert(truth(), "never", span)];
        assert!(matches!(truth().behind(assert, span).kind, Kind::Block(Block { tail: Some(_), .. })));
    }

    #[test]
    fn types_of_what_is_made() {
        let span = Span::call_site();
        let sum = Expr::binary(BinOp::Add, Expr::usize(1, span), Expr::usize(2, span), span);
        assert!(matches!(sum.ty, Type::Scalar(Ty::USIZE)));
        let less = Expr::binary(BinOp::Lt, Expr::usize(1, span), sum, span);
        assert!(matches!(less.ty, Type::Scalar(Ty::Bool)));
        assert!(matches!(less.borrowed(true).ty, Type::Ref(true, _)));
    }
}
