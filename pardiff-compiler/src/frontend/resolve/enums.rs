//! Variants of enums of the module, as values and in patterns, and what is asked of such values.

use super::super::infer::{RecordType, Type};
use super::super::tree::{Expr, Kind, MatchPattern};
use super::Resolver;
use crate::ir::BinOp;
use proc_macro2::Span;
use std::rc::Rc;

impl Resolver<'_> {
    /// `Boundary::Periodic`
    pub(super) fn variant(&mut self, path: &syn::Path, span: Span) -> Option<Expr> {
        let (record, last) = self.enum_of(path)?;
        let Ok(record) = record else { return Some(self.error(span)) };
        let found = record.record.variants.iter().find(|(name, _)| *name == last.ident);
        let Some((_, value)) = found else {
            let (of, name) = (record.name.to_string(), last.ident.to_string());
            // a constant of its `impl`
            let constant = self.module.records().constant(&of, &name).is_some();
            return (!constant).then(|| self.no_variant(&record, &last.ident));
        };
        let value = Expr::new(Kind::Int(i128::from(*value)), record.parts[0].clone(), span);
        Some(Expr::new(Kind::Tuple(vec![value]), Type::Record(record), span))
    }

    /// The same as a pattern.
    pub(super) fn variant_case(&mut self, path: &syn::Path, ty: &Type, span: Span) -> Option<MatchPattern> {
        let value = self.variant(path, span)?;
        self.unify(&value.ty, ty, span);
        Some(match value.kind {
            Kind::Tuple(parts) => MatchPattern::Tuple(parts.into_iter().map(MatchPattern::Value).collect()),
            _ => MatchPattern::Wild,
        })
    }

    /// The enum of a path to something in it, and the name of that.
    fn enum_of(&mut self, path: &syn::Path) -> Option<(Result<Rc<RecordType>, ()>, syn::PathSegment)> {
        let path = self.expand(path);
        let last = path.segments.last()?.clone();
        let mut of = path.clone();
        of.segments.pop();
        of.segments.pop_punct();
        if of.segments.is_empty() {
            return None;
        }
        let found = self.record_of_path(&of)?;
        match &found {
            Ok(record) if !record.record.is_enum() => None,
            _ => Some((found, last)),
        }
    }

    fn no_variant(&mut self, record: &RecordType, name: &syn::Ident) -> Expr {
        let variants: Vec<String> =
            record.record.variants.iter().map(|(variant, _)| format!("`{variant}`")).collect();
        self.refuse(
            name.span(),
            format!("`{name}`, which is no variant of `{}`", record.name),
            format!("its variants are {}", variants.join(", ")),
            "name one of them",
        )
    }

    /// The discriminant of a value of an enum.
    pub(super) fn discriminant(&mut self, e: &Expr) -> Option<Expr> {
        let Type::Record(record) = self.infer.peel(&e.ty) else { return None };
        if !record.record.is_enum() {
            return None;
        }
        if let Kind::Tuple(parts) = &e.kind {
            return parts.first().cloned();
        }
        let value = self.dereferenced(e.clone());
        Some(Expr::new(Kind::Field(value.boxed(), 0), record.parts[0].clone(), e.span))
    }

    /// `a == b` and `a != b` of enums that derive it.
    pub(super) fn compared_variants(
        &mut self,
        op: &syn::BinOp,
        sides: &[Expr; 2],
        span: Span,
    ) -> Option<Expr> {
        let [Type::Record(record), Type::Record(other)] =
            [&sides[0], &sides[1]].map(|side| self.infer.peel(&side.ty))
        else {
            return None;
        };
        let (op, derived) = match op {
            syn::BinOp::Eq(_) => (BinOp::Eq, "PartialEq"),
            syn::BinOp::Ne(_) => (BinOp::Ne, "PartialEq"),
            _ => return None,
        };
        if record.name != other.name || !record.record.derives(derived) {
            return None;
        }
        let (left, right) = (self.discriminant(&sides[0])?, self.discriminant(&sides[1])?);
        Some(Expr::new(Kind::Binary(op, left.boxed(), right.boxed()), Type::BOOL, span))
    }
}
