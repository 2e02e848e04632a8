//! Ranges and iterators under a name: what they are made of gets names, and they are written where the name stood.
//!
//! Neither is a value here, so a name that is bound again in the statements behind is left alone, and refused.

use super::super::arguments;
use super::super::infer::Type;
use super::super::tree::{Block, Stmt};
use super::{Name, Resolver, bare, manual_next, named_iterator, range};

use crate::visit::changing::{self as visit_mut, VisitMut};
use crate::visit::{self, Visit};
use syn::{Expr, Ident, Pat, parse_quote};

/// What is written in place of a name, and the variables that it is made of.
pub(super) struct Named {
    pub(super) name: Ident,
    pub(super) value: Expr,
    pub(super) parts: Vec<syn::Local>,
}

impl Resolver<'_> {
    /// The statements from a `let` of a range or an iterator on, as a block that goes on in the scope that is open.
    pub(super) fn with_named(&mut self, stmts: &[syn::Stmt]) -> Option<(Block, Type)> {
        let (first, rest) = stmts.split_first()?;
        let syn::Stmt::Local(local) = first else { return None };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none() && local.attrs.is_empty())?;
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let Pat::Ident(pat) = pat else { return None };
        if pat.by_ref.is_some() || pat.subpat.is_some() {
            return None;
        }
        // up to a `let` that binds the name again, whose value may still be made of it
        let again = rest.iter().position(|stmt| binds(stmt, &pat.ident));
        let (rest, behind) = rest.split_at(again.map_or(rest.len(), |at| at + 1));
        let mut names = Names { name: &pat.ident, again: false };
        match (again, rest.split_last()) {
            (Some(_), Some((syn::Stmt::Local(last), rest))) => {
                rest.iter().for_each(|stmt| names.visit_stmt(stmt));
                last.init.iter().for_each(|init| names.visit_local_init(init));
            }
            _ => rest.iter().for_each(|stmt| names.visit_stmt(stmt)),
        }
        if names.again {
            return None;
        }
        if pat.mutability.is_some() {
            return Some(match manual_next::stepped(&pat.ident, &init.expr, rest)? {
                Ok((parts, rest)) => self.behind_parts(&parts, &[&rest[..], behind].concat()),
                Err(refusal) => {
                    self.refusals.0.push(refusal);
                    self.has_errors = true;
                    self.bind(&pat.ident.to_string(), Name::Refused);
                    self.statements_of(&[rest, behind].concat())
                }
            });
        }
        let own = self.with_own_source(&init.expr);
        let (parts, mut rest) = written(&pat.ident, ty, own.as_ref().unwrap_or(&init.expr), rest)?;
        rest.extend_from_slice(behind);
        Some(self.behind_parts(&parts, &rest))
    }

    /// Statements behind the variables that a name is made of.
    fn behind_parts(&mut self, parts: &[syn::Local], rest: &[syn::Stmt]) -> (Block, Type) {
        let parts: Vec<Stmt> = parts.iter().map(|part| self.local(part)).collect();
        let (mut block, ty) = self.statements_of(rest);
        block.stmts.splice(0..0, parts);
        (block, ty)
    }
}

/// The variables that a range or an iterator is made of, and the statements behind with it in place of its name.
fn written(
    name: &Ident,
    ty: Option<&syn::Type>,
    value: &Expr,
    rest: &[syn::Stmt],
) -> Option<(Vec<syn::Local>, Vec<syn::Stmt>)> {
    let named = match bare(value) {
        Expr::Range(written) => range::named(name, ty, written, rest)?,
        e if ty.is_none() => named_iterator::named(name, e, rest)?,
        _ => return None,
    };
    let mut rest = rest.to_vec();
    rest.iter_mut().for_each(|stmt| Written(&named).visit_stmt_mut(stmt));
    Some((named.parts, rest))
}

/// The statements of a body with ranges and iterators in place of their names, also in the iterator at the end.
pub(super) fn with_names_written(mut stmts: Vec<syn::Stmt>) -> Vec<syn::Stmt> {
    let mut done = Vec::new();
    while !stmts.is_empty() {
        let rest = stmts.split_off(1);
        let made = match &stmts[0] {
            syn::Stmt::Local(syn::Local { pat: Pat::Ident(pat), init: Some(init), .. })
                if pat.mutability.is_none() && init.diverge.is_none() =>
            {
                let mut names = Names { name: &pat.ident, again: false };
                rest.iter().for_each(|stmt| names.visit_stmt(stmt));
                if names.again { None } else { written(&pat.ident, None, &init.expr, &rest) }
            }
            _ => None,
        };
        match made {
            Some((parts, rest)) => {
                done.extend(parts.into_iter().map(syn::Stmt::Local));
                stmts = rest;
            }
            None => {
                done.append(&mut stmts);
                stmts = rest;
            }
        }
    }
    done
}

/// Whether a statement is a `let` of a name.
fn binds(stmt: &syn::Stmt, name: &Ident) -> bool {
    let syn::Stmt::Local(local) = stmt else { return false };
    let mut names = Names { name, again: false };
    names.visit_pat(&local.pat);
    names.again
}

/// Whether patterns bind a name.
struct Names<'a> {
    name: &'a Ident,
    again: bool,
}

impl Visit for Names<'_> {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.again |= pat.ident == *self.name;
        visit::visit_pat_ident(self, pat);
    }

    // no variable is seen in an item
    fn visit_item(&mut self, _: &syn::Item) {}
}

/// Writes the value in place of its name.
struct Written<'a>(&'a Named);

impl Written<'_> {
    fn is_named(&self, e: &Expr) -> bool {
        match bare(e) {
            Expr::Path(path) => path.qself.is_none() && path.path.is_ident(&self.0.name),
            Expr::MethodCall(call) => {
                call.method == "clone" && call.args.is_empty() && self.is_named(&call.receiver)
            }
            _ => false,
        }
    }
}

impl VisitMut for Written<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if self.is_named(e) {
            let value = &self.0.value;
            *e = parse_quote!((#value));
            return;
        }
        if let Expr::Field(field) = bare(e)
            && self.is_named(&field.base)
            && let syn::Member::Named(member) = &field.member
            && let Expr::Range(range) = &self.0.value
        {
            let end = if member == "start" { &range.start } else { &range.end };
            if let Some(end) = end {
                *e = (**end).clone();
                return;
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        arguments::change_each(mac, &mut |e| self.visit_expr_mut(e));
    }

    fn visit_field_value_mut(&mut self, value: &mut syn::FieldValue) {
        // `S { range }` stays as it is, to be refused
        self.visit_expr_mut(&mut value.expr);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
