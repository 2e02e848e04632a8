//! Comparisons of tuples, of structs that derive them, and of shapes: `a.dim() == (n, m)`, `a.shape() == b.shape()`,
//! member by member.

use super::super::hygiene;
use super::super::infer::Type;
use super::super::tree::{Expr, Kind, Method};
use super::Resolver;
use super::helper::Given;
use crate::ir::BinOp;
use proc_macro2::Span;
use quote::quote_spanned;
use std::rc::Rc;
use syn::ItemFn;

impl Resolver<'_> {
    /// `left == right` or `left != right` of tuples, or of arrays whose elements are written; `None` if they are none, or if
    /// their members are more than names, numbers and lengths, which may be evaluated in any order.
    pub(super) fn member_by_member(
        &mut self,
        op: BinOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Option<Expr> {
        if !matches!(op, BinOp::Eq | BinOp::Ne) {
            return None;
        }
        let (left, right) = (self.members(left)?, self.members(right)?);
        if left.len() != right.len() || left.is_empty() || !left.iter().chain(&right).all(is_plain) {
            return None;
        }
        let mut all: Option<Expr> = None;
        for (left, right) in left.into_iter().zip(right) {
            self.unify(&left.ty, &right.ty, span);
            let equal = Expr::binary(BinOp::Eq, left, right, span);
            all = Some(match all {
                None => equal,
                Some(all) => Expr::binary(BinOp::BitAnd, all, equal, span),
            });
        }
        all.map(|equal| if op == BinOp::Eq { equal } else { equal.not() })
    }

    /// `a == b` of structs that derive it: `a.x == b.x && a.y == b.y`, as a helper, so that each side is evaluated
    /// once.
    pub(super) fn derived_equality(&mut self, left: &Expr, right: &Expr, span: Span) -> Option<Expr> {
        let (Type::Record(of), Type::Record(other)) = (self.infer.peel(&left.ty), self.infer.peel(&right.ty))
        else {
            return None;
        };
        let (name, record) = (&of.name, &of.record);
        let is_derived = record.derives("PartialEq") && record.of_crate.is_none() && !record.is_enum();
        if other.name != *name || !is_derived {
            return None;
        }
        let holds =
            |field: &&crate::signature::Field| field.content.record().is_none_or(|it| !it.fields.is_empty());
        let members = record.fields.iter().filter(holds).map(|field| &field.member);
        let equal: ItemFn = syn::parse2(quote_spanned!(span=>
            fn equal(left: &#name, right: &#name) -> bool { true #(&& left.#members == right.#members)* }
        ))
        .ok()?;
        let sides = [left, right].map(|side| self.borrowed(side.clone(), false)).to_vec();
        let equal = Rc::new(hygiene::separate(equal));
        Some(self.inline_with(&equal, 1, Given::default(), sides, std::iter::empty(), span))
    }

    /// The scalars that a value consists of, if they can be named one by one.
    fn members(&self, e: &Expr) -> Option<Vec<Expr>> {
        match &e.kind {
            Kind::Tuple(parts) | Kind::Array(parts) => Some(parts.clone()),
            Kind::Borrow(inner) | Kind::Deref(inner) => self.members(inner),
            Kind::Local(_) | Kind::Field(..) => {
                let types = match self.infer.peel(&e.ty) {
                    Type::Tuple(types) => types,
                    Type::Record(record)
                        if record.record.derives("PartialEq") && !record.record.is_enum() =>
                    {
                        record.parts.clone()
                    }
                    _ => return None,
                };
                Some(types.iter().enumerate().map(|(at, ty)| e.member(at, ty, e.span)).collect())
            }
            _ => None,
        }
    }
}

fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        Kind::Int(_) | Kind::Float(_) | Kind::Bool(_) | Kind::Zeros | Kind::Local(_) | Kind::Path(_) => true,
        Kind::Field(inner, _) | Kind::Cast(inner) | Kind::Deref(inner) => is_plain(inner),
        Kind::Binary(_, a, b) => is_plain(a) && is_plain(b),
        Kind::Borrow(inner) => is_plain(inner),
        Kind::Method(
            Method::Extent(_) | Method::Count | Method::Len | Method::Whole | Method::AxisFirst(_),
            args,
            _,
        ) => args.iter().all(is_plain),
        _ => false,
    }
}
