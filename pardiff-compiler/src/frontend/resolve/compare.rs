//! Comparisons member by member: of tuples, arrays, structs that derive them, and shapes, `a.dim() == (n, m)`,
//! `a.shape() == b.shape()`.

use super::super::hygiene;
use super::super::infer::Type;
use super::super::tree::{Expr, Kind, Method};
use super::Resolver;
use super::helper::Given;
use crate::ir::BinOp;
use crate::signature::{Field, Record};
use proc_macro2::Span;
use quote::{quote, quote_spanned};
use std::rc::Rc;
use syn::{ItemFn, Member};

impl Resolver<'_> {
    /// Of `last == (i, j)`, the type of `last` where `let mut last = None;` is all that was said of it. What compares with
    /// a tuple, or a value whose comparison is derived, is of its type: no other `PartialEq` takes it.
    pub(super) fn settle_compared(&mut self, left: &Expr, right: &Expr, span: Span) {
        let is_open = |ty: &Type| matches!(ty, Type::Var(_));
        let has_own_alone = |ty: &Type| match ty {
            Type::Tuple(_) => true,
            Type::Record(of) => of.record.derives("PartialEq"),
            _ => false,
        };
        let (of_left, of_right) = (self.infer.peel(&left.ty), self.infer.peel(&right.ty));
        if is_open(&of_left) && has_own_alone(&of_right) || is_open(&of_right) && has_own_alone(&of_left) {
            self.unify(&left.ty, &right.ty, span);
        }
    }

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
        let is_number = |e: &Expr| matches!(self.infer.peel(&e.ty), Type::Scalar(_) | Type::Var(_));
        let mut both = left.iter().chain(&right);
        if left.len() != right.len() || left.is_empty() || !both.all(|e| is_plain(e) && is_number(e)) {
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

    /// A comparison of arrays, tuples, or structs that derive it, as a helper, so that each side is evaluated once:
    /// `a == b` is `a.x == b.x && a.y == b.y`, and of `a < b` the first parts decide that are not equal.
    pub(super) fn compared_parts(
        &mut self,
        op: BinOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Option<Expr> {
        let is_equality = matches!(op, BinOp::Eq | BinOp::Ne);
        let (mut ty, mut members) = (quote_spanned!(span=> &_), None);
        match (self.infer.peel(&left.ty), self.infer.peel(&right.ty)) {
            (Type::Array(..), Type::Array(..)) => {}
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                let index = |at| syn::Index { index: at as u32, span };
                members = Some((0..a.len()).map(|at| Member::Unnamed(index(at))).collect::<Vec<_>>());
            }
            (Type::Record(of), Type::Record(other)) if of.name == other.name => {
                let (name, record) = (&of.name, &of.record);
                if record.is_enum() || !is_derived(record, !is_equality) {
                    return None;
                }
                let holds = |field: &&Field| field.content.record().is_none_or(|it| !it.fields.is_empty());
                let fields = record.fields.iter().filter(holds);
                members = Some(fields.map(|field| field.member.clone()).collect());
                ty = quote_spanned!(span=> &#name);
            }
            _ => return None,
        }
        let (strict, open) = match op {
            BinOp::Eq | BinOp::Ne => (quote!(==), quote!(true)),
            BinOp::Lt => (quote!(<), quote!(<)),
            BinOp::Le => (quote!(<), quote!(<=)),
            BinOp::Gt => (quote!(>), quote!(>)),
            BinOp::Ge => (quote!(>), quote!(>=)),
            _ => return None,
        };
        let body = match members {
            Some(members) if is_equality => {
                quote_spanned!(span=> true #(&& left.#members == right.#members)*)
            }
            Some(members) => {
                let all_equal = matches!(op, BinOp::Le | BinOp::Ge);
                quote_spanned!(span=>
                    #(if left.#members != right.#members { return left.#members #strict right.#members; })*
                    #all_equal
                )
            }
            None if is_equality => quote_spanned!(span=>
                left.len() == right.len() && (0..left.len()).all(|at| left[at] == right[at])
            ),
            None => quote_spanned!(span=>
                for at in 0..left.len().min(right.len()) {
                    if left[at] != right[at] { return left[at] #strict right[at]; }
                }
                left.len() #open right.len()
            ),
        };
        let compared: ItemFn =
            syn::parse2(quote_spanned!(span=> fn compared(left: #ty, right: #ty) -> bool { #body })).ok()?;
        let sides = [left, right].map(|side| self.borrowed(side.clone(), false)).to_vec();
        let compared = Rc::new(hygiene::separate(compared));
        let holds = self.inline_with(&compared, 1, Given::default(), sides, std::iter::empty(), span);
        Some(if op == BinOp::Ne { holds.not() } else { holds })
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

/// Whether comparisons are derived for a struct, those of order for all structs in it as well.
fn is_derived(record: &Record, has_order: bool) -> bool {
    let is_known = record.of_crate.as_ref().is_none_or(|of| of.name == "core") || record.fields.is_empty();
    let of_fields = || record.fields.iter().filter_map(|field| field.content.record());
    let is_ordered = |record: &Record| record.is_option || record.name.is_none() || is_derived(record, true);
    record.derives("PartialEq")
        && is_known
        && (!has_order || record.derives("PartialOrd") && of_fields().all(|it| is_ordered(it)))
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
