//! Ranges under a name: their ends get names, and the range is written where the name stood.
//!
//! ```text
//! let cols = row_ptr[i]..row_ptr[i + 1];      let (cols_start, cols_end) = (row_ptr[i], row_ptr[i + 1]);
//! for k in cols.clone() { … }                 for k in cols_start..cols_end { … }
//! &val[cols]                                  &val[cols_start..cols_end]
//! cols.start, cols.len()                      cols_start, (cols_start..cols_end).len()
//! ```
//!
//! A range is no value here, so a name that is bound again in the statements behind is left alone, and refused.

use super::super::arguments;
use super::super::hygiene;
use super::super::infer::Type;
use super::super::tree::{Block, Stmt};
use super::{Resolver, bare};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Pat, parse_quote};

impl Resolver<'_> {
    /// The statements from a `let` of a range on, as a block that goes on in the scope that is open.
    pub(super) fn with_named_range(&mut self, stmts: &[syn::Stmt]) -> Option<(Block, Type)> {
        let (first, rest) = stmts.split_first()?;
        let (ends, named) = named(first, rest)?;
        let mut rest = rest.to_vec();
        rest.iter_mut().for_each(|stmt| Written(&named).visit_stmt_mut(stmt));
        let ends: Vec<Stmt> = ends.iter().map(|end| self.local(end)).collect();
        let (mut block, ty) = self.statements_of(&rest);
        block.stmts.splice(0..0, ends);
        Some((block, ty))
    }
}

/// A range and its name.
struct Named {
    name: Ident,
    range: syn::ExprRange,
}

/// The range that a statement gives a name, and the variables for its ends, if nothing behind it has the name as well.
fn named(stmt: &syn::Stmt, rest: &[syn::Stmt]) -> Option<(Vec<syn::Local>, Named)> {
    let syn::Stmt::Local(local) = stmt else { return None };
    let init = local.init.as_ref().filter(|init| init.diverge.is_none() && local.attrs.is_empty())?;
    let Expr::Range(range) = bare(&init.expr) else { return None };
    let (pat, elem) = match &local.pat {
        Pat::Type(typed) => (&*typed.pat, Some(element(&typed.ty)?)),
        pat => (pat, None),
    };
    let Pat::Ident(pat) = pat else { return None };
    if pat.by_ref.is_some() || pat.mutability.is_some() || pat.subpat.is_some() {
        return None;
    }
    let mut names = Names { name: &pat.ident, again: false };
    rest.iter().for_each(|stmt| names.visit_stmt(stmt));
    if names.again {
        return None;
    }
    let all: TokenStream =
        rest.iter().map(ToTokens::to_token_stream).chain([range.to_token_stream()]).collect();
    let mut ends = Vec::new();
    let mut range = range.clone();
    for (end, word) in [(&mut range.start, "start"), (&mut range.end, "end")] {
        let Some(value) = end else { continue };
        let mut name = hygiene::fresh(&format!("{}_{word}", pat.ident.unraw()), all.clone());
        name.set_span(pat.ident.span());
        let ty: Option<TokenStream> = elem.as_ref().map(|elem| parse_quote!(: #elem));
        let stmt: syn::Stmt = parse_quote!(let #name #ty = #value;);
        if let syn::Stmt::Local(local) = stmt {
            ends.push(local);
        }
        **value = parse_quote!(#name);
    }
    Some((ends, Named { name: pat.ident.clone(), range }))
}

/// The `T` of `Range<T>`.
fn element(ty: &syn::Type) -> Option<syn::Type> {
    let syn::Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident.to_string().starts_with("Range"))?;
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first()? {
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    }
}

/// Whether patterns bind a name.
struct Names<'a> {
    name: &'a Ident,
    again: bool,
}

impl Visit<'_> for Names<'_> {
    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.again |= pat.ident == *self.name;
        visit::visit_pat_ident(self, pat);
    }

    // no variable is seen in an item
    fn visit_item(&mut self, _: &syn::Item) {}
}

/// Writes the range in place of its name.
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
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if self.is_named(e) {
            let range = &self.0.range;
            *e = parse_quote!((#range));
            return;
        }
        if let Expr::Field(field) = bare(e)
            && self.is_named(&field.base)
            && let syn::Member::Named(member) = &field.member
        {
            let Named { range, .. } = self.0;
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
