//! Literals of structs and of variants of enums.

use super::super::infer::{RecordType, Type};
use super::super::tree::{Expr, Kind};
use super::record::{Members, is_place, members, position};
use super::{Resolver, bare, is_path};
use std::rc::Rc;
use syn::spanned::Spanned;

/// A literal that is read: of which struct or enum, which of its fields are written, and the values of the others.
pub(super) struct Literal {
    pub(super) record: Rc<RecordType>,
    pub(super) members: Members,
    pub(super) parts: Vec<Option<Expr>>,
}

impl Resolver<'_> {
    /// `S { x: 1.0, y, ..base }`
    pub(super) fn struct_literal(&mut self, e: &syn::ExprStruct) -> Expr {
        if let Some(variant) = self.variant_literal(e) {
            return variant;
        }
        let span = e.path.span();
        let record = match self.record_of_path(&e.path) {
            Some(Ok(record)) => record,
            Some(Err(())) => return self.error(span),
            None => return self.unknown_struct(&e.path, syn::spanned::Spanned::span(e)),
        };
        let members = members(&record.record);
        let parts = vec![None; record.parts.len()];
        self.literal_of(e, Literal { record, members, parts })
    }

    /// The value of a literal of a struct, or of a variant of an enum.
    pub(super) fn literal_of(&mut self, e: &syn::ExprStruct, literal: Literal) -> Expr {
        let Literal { record, members, mut parts } = literal;
        let span = e.path.span();
        let mut written = Vec::new();
        for field in &e.fields {
            let Some(at) = position(&members, &field.member) else {
                return self.no_field(&record, &members, &field.member);
            };
            if record.has_unknown(at) {
                self.left_out(&field.expr);
                parts[at] = Some(Expr::new(Kind::Tuple(Vec::new()), Type::UNIT, span));
                continue;
            }
            let value = self.expr_as(&field.expr, &record.record.fields[at].ty);
            self.unify(&record.parts[at], &value.ty, value.span);
            written.push(at);
            parts[at] = Some(value);
        }
        let mut stmts = Vec::new();
        if !written.is_sorted() {
            // evaluated in the order in which they are written
            for at in written {
                if let Some(part) = parts[at].take() {
                    let part = Expr { ty: record.parts[at].clone(), ..part };
                    parts[at] = Some(self.named("field", part, &mut stmts));
                }
            }
        }
        if let Some(rest) = &e.rest {
            let base = match is_default(rest) {
                true => {
                    let name = &record.name;
                    self.expr(&syn::parse_quote_spanned!(rest.span()=> #name::default()))
                }
                false => self.expr(rest),
            };
            let ty = Type::Record(record.clone());
            self.unify(&ty, &base.ty, base.span);
            let base =
                if is_place(&base) { base } else { self.named("field", Expr { ty, ..base }, &mut stmts) };
            for (at, part) in parts.iter_mut().enumerate() {
                part.get_or_insert_with(|| base.member(at, &record.parts[at], base.span));
            }
        }
        let Some(parts) = parts.into_iter().collect::<Option<Vec<Expr>>>() else {
            return self.refuse(
                span,
                format!("a value of `{}` without some of its fields", record.name),
                "every field has a value",
                "write the missing fields, or `..base`",
            );
        };
        Expr::new(Kind::Tuple(parts), Type::Record(record.clone()), span).behind(stmts, span)
    }
}

/// `Default::default()`
fn is_default(e: &syn::Expr) -> bool {
    let syn::Expr::Call(call) = bare(e) else { return false };
    let syn::Expr::Path(path) = bare(&call.func) else { return false };
    call.args.is_empty() && is_path(&path.path, &["Default::default"])
}
