//! Variants of enums of the module, as values and in patterns, and what is asked of such values.

use super::super::infer::{RecordType, Type};
use super::super::known_crates;
use super::super::tree::{Expr, Kind, MatchPattern};
use super::Resolver;
use super::record::is_place;
use super::struct_literals::Literal;
use crate::ir::BinOp;
use crate::signature::{Content, Record, Variant};
use proc_macro2::Span;
use std::rc::Rc;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// `Boundary::Periodic`
    pub(super) fn variant(&mut self, path: &syn::Path, span: Span) -> Option<Expr> {
        let (record, at) = match self.variant_of(path)? {
            Ok(found) => found,
            Err(()) => return Some(self.error(path.span())),
        };
        let parts = parts_of_variant(&record, at, span);
        Some(match parts.into_iter().collect::<Option<Vec<Expr>>>() {
            Some(parts) => Expr::new(Kind::Tuple(parts), Type::Record(record), span),
            None => self.refuse(
                span,
                format!("the variant `{}::{}` as a function", record.name, record.record.variants[at].name),
                "a variant that holds values is one with these values",
                "call it in a closure: `.map(|x| Kind::Fixed(x))`",
            ),
        })
    }

    /// `Payoff::Digital(strike, cash)`
    pub(super) fn variant_call(&mut self, path: &syn::Path, e: &syn::ExprCall) -> Option<Expr> {
        let span = e.span();
        let (record, at) = match self.variant_of(path)? {
            Ok(found) => found,
            Err(()) => return Some(self.error(span)),
        };
        let holds = record.record.variants[at].holds.clone();
        let args: Vec<Expr> = e.args.iter().map(|arg| self.expr(arg)).collect();
        if args.len() != holds.len() {
            return Some(self.refuse(
                span,
                format!("a call of `{}` with {} arguments", super::super::display::tidy(path), args.len()),
                format!("the variant holds {}", holds.len()),
                "give each its value",
            ));
        }
        let mut parts = parts_of_variant(&record, at, span);
        for ((_, field), arg) in holds.into_iter().zip(args) {
            self.unify(&record.parts[field], &arg.ty, arg.span);
            parts[field] = Some(arg);
        }
        let parts: Vec<Expr> = parts.into_iter().flatten().collect();
        Some(Expr::new(Kind::Tuple(parts), Type::Record(record), span))
    }

    /// `Payoff::Call { strike }`
    pub(super) fn variant_literal(&mut self, e: &syn::ExprStruct) -> Option<Expr> {
        let span = e.path.span();
        let (record, at) = match self.variant_of(&e.path)? {
            Ok(found) => found,
            Err(()) => return Some(self.error(span)),
        };
        let members = record.record.variants[at].holds.clone();
        let parts = parts_of_variant(&record, at, span);
        Some(self.literal_of(e, Literal { record, members, parts }))
    }

    /// A variant as a pattern, without what it holds.
    pub(super) fn variant_case(&mut self, path: &syn::Path, ty: &Type, span: Span) -> Option<MatchPattern> {
        let (record, at) = match self.variant_of(path)? {
            Ok(found) => found,
            Err(()) => return Some(MatchPattern::Wild),
        };
        self.unify(&Type::Record(record.clone()), ty, span);
        Some(MatchPattern::Tuple(self.case_of_variant(&record, at, span)))
    }

    /// The patterns of the numbers of a variant, those that it holds open.
    pub(super) fn case_of_variant(
        &mut self,
        record: &RecordType,
        at: usize,
        span: Span,
    ) -> Vec<MatchPattern> {
        let kind = kind(record, at, span);
        let mut parts = vec![MatchPattern::Wild; record.parts.len()];
        parts[0] = MatchPattern::Value(kind);
        parts
    }

    /// Which variant of which enum a path names, `None` if it is nothing in an enum or a constant of one.
    pub(super) fn variant_of(&mut self, path: &syn::Path) -> Option<Result<(Rc<RecordType>, usize), ()>> {
        let path = self.expand(path);
        let last = path.segments.last()?.ident.clone();
        let mut of = path;
        of.segments.pop();
        of.segments.pop_punct();
        if of.segments.is_empty() {
            return None;
        }
        let record = match self.module.record(&of)? {
            Ok(record) => record,
            Err(refusal) => {
                self.refusals.0.push(refusal);
                return Some(Err(()));
            }
        };
        // the length of a field may be a constant of the struct itself, whose type is not known before
        if !record.is_enum() {
            return None;
        }
        let Some(at) = record.variants.iter().position(|variant| variant.name == last) else {
            let (of, name) = (record.name.as_ref()?.to_string(), last.to_string());
            // a constant or a function of its `impl`
            let own = !self.module.records().constants(&of, &name).is_empty()
                || self.module.records().function(&of, &name).is_some();
            return (!own).then(|| {
                self.no_variant(&of, &record, &last);
                Err(())
            });
        };
        match self.record_type(&record) {
            Type::Record(of) => Some(Ok((of, at))),
            _ => None,
        }
    }

    /// Whether a path names something in an enum of the module.
    pub(super) fn is_in_enum(&mut self, path: &syn::Path) -> bool {
        let mut of = self.expand(path);
        of.segments.pop();
        of.segments.pop_punct();
        let found = self.module.record(&of);
        found.is_some_and(|found| found.is_err() || found.is_ok_and(|record| record.is_enum()))
    }

    fn no_variant(&mut self, of: &str, record: &Record, name: &syn::Ident) -> Expr {
        let variants: Vec<String> =
            record.variants.iter().map(|variant| format!("`{}`", variant.name)).collect();
        self.refuse(
            name.span(),
            format!("`{name}`, which is no variant of `{of}`"),
            format!("its variants are {}", variants.join(", ")),
            "name one of them",
        )
    }

    /// The discriminant of a value of an enum, the code of a character.
    pub(super) fn discriminant(&mut self, e: &Expr) -> Option<Expr> {
        let Type::Record(record) = self.infer.peel(&e.ty) else { return None };
        if !record.record.is_enum() && !known_crates::is_character(&record.record) {
            return None;
        }
        if let Kind::Tuple(parts) = &e.kind
            && !record.record.holds_values()
        {
            return parts.first().cloned();
        }
        let value = self.dereferenced(e.clone());
        Some(Expr::new(Kind::Field(value.boxed(), 0), record.parts[0].clone(), e.span))
    }

    /// The character of a code.
    pub(super) fn character(&mut self, code: Expr, span: Span) -> Expr {
        let name = known_crates::unique(&known_crates::Instance::CHAR, span).to_string();
        match self.module.records().get(&name).cloned() {
            Some(Ok(record)) => Expr::new(Kind::Tuple(vec![code]), self.record_type(&record), span),
            _ => self.error(span),
        }
    }

    /// `a == b`, and `a < b` where they hold no values, of enums that derive it.
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
        if record.name != other.name || !record.record.is_enum() || !is_compared(&record.record) {
            return None;
        }
        let is_ordered = record.record.derives("PartialOrd") && !record.record.holds_values();
        let op = match op {
            syn::BinOp::Eq(_) => BinOp::Eq,
            syn::BinOp::Ne(_) => BinOp::Ne,
            syn::BinOp::Lt(_) if is_ordered => BinOp::Lt,
            syn::BinOp::Le(_) if is_ordered => BinOp::Le,
            syn::BinOp::Gt(_) if is_ordered => BinOp::Gt,
            syn::BinOp::Ge(_) if is_ordered => BinOp::Ge,
            _ => return None,
        };
        if !record.record.holds_values() {
            let (left, right) = (self.discriminant(&sides[0])?, self.discriminant(&sides[1])?);
            return Some(Expr::binary(op, left, right, span));
        }
        let mut stmts = Vec::new();
        let sides = sides.clone().map(|side| {
            let side = self.dereferenced(side);
            if is_place(&side) { side } else { self.named("field", side, &mut stmts) }
        });
        let equal = self.equal(&sides[0], &sides[1], span);
        Some(if op == BinOp::Eq { equal } else { equal.not() }.behind(stmts, span))
    }

    /// Whether the numbers of two places of one type are equal.
    fn equal(&mut self, left: &Expr, right: &Expr, span: Span) -> Expr {
        self.settle_compared(left, right, span);
        let ty = self.infer.shallow(&left.ty);
        let Some(parts) = ty.members() else {
            return Expr::binary(BinOp::Eq, left.clone(), right.clone(), span);
        };
        let mut all: Option<Expr> = None;
        for (at, part) in parts.iter().enumerate() {
            let equal = self.equal(&left.member(at, part, span), &right.member(at, part, span), span);
            all = Some(match all {
                None => equal,
                Some(all) => Expr::binary(BinOp::BitAnd, all, equal, span),
            });
        }
        all.unwrap_or_else(|| Expr::bool(true, span))
    }
}

/// The numbers of a value of a variant, but for what it holds.
fn parts_of_variant(record: &RecordType, at: usize, span: Span) -> Vec<Option<Expr>> {
    let own = &record.record.variants[at].holds;
    let part = |(field, ty): (usize, &Type)| match field {
        0 => Some(kind(record, at, span)),
        _ if own.iter().any(|(_, held)| *held == field) => None,
        _ => Some(Expr::new(Kind::Zeros, ty.clone(), span)),
    };
    record.parts.iter().enumerate().map(part).collect()
}

/// The discriminant of a variant.
fn kind(record: &RecordType, at: usize, span: Span) -> Expr {
    let Variant { discriminant, .. } = &record.record.variants[at];
    Expr::new(Kind::Int(i128::from(*discriminant)), record.parts[0].clone(), span)
}

/// Whether `==` is derived for all that is in it, and nothing is an array.
fn is_compared(record: &Record) -> bool {
    let is_compared = |content: &Content| match content {
        Content::Scalar(_) => true,
        Content::Record(record) => is_compared(record),
        Content::Array(_) | Content::Vector(..) | Content::Open | Content::Unknown { .. } => false,
    };
    record.derives("PartialEq") && record.fields.iter().all(|field| is_compared(&field.content))
}
