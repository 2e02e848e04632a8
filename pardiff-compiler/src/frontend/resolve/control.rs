//! `if`, `match`, `for` and `continue`.

use super::super::infer::{Class, Type};
use super::super::tree::{Adapter, Arm, Expr, For, Kind, Len, Match};
use super::pattern::binds_by_reference;
use super::{Resolver, bare, joined};
use std::collections::HashMap;
use syn::spanned::Spanned;

impl Resolver<'_> {
    pub(super) fn branch(&mut self, e: &syn::ExprIf) -> Expr {
        let end = match &e.else_branch {
            Some((_, els)) => last_span(els),
            None => e.then_branch.brace_token.span.close(),
        };
        let span = joined(e.if_token.span, end);
        if let_token(&e.cond).is_some() && !matches!(bare(&e.cond), syn::Expr::Let(_)) {
            return self.chain_of_conditions(e);
        }
        if let Some(branch) = self.if_some(e, span).or_else(|| self.if_slice(e, span)) {
            return branch;
        }
        if let syn::Expr::Let(condition) = bare(&e.cond) {
            return self.if_matches(e, condition, span);
        }
        let cond = self.condition(&e.cond);
        if let Some(truth) = self.known_condition(&cond) {
            return self.known_branch(e, truth, span);
        }
        let (then, then_ty) = self.block(&e.then_branch);
        let then = Expr::new(Kind::Block(then), then_ty.clone(), e.then_branch.brace_token.span.join());
        let Some((_, els)) = &e.else_branch else {
            self.unify(&then_ty, &Type::UNIT, span);
            return Expr::effect(Kind::If(cond.boxed(), then.boxed(), None), span);
        };
        let els = self.expr(els);
        self.either(cond, then, els, span)
    }

    /// `if let p = v { a } else { b }` is `match v { p => a, _ => b }`.
    fn if_matches(&mut self, e: &syn::ExprIf, condition: &syn::ExprLet, span: proc_macro2::Span) -> Expr {
        let scrutinee = self.expr(&condition.expr);
        let pat = &condition.pat;
        let then = &e.then_branch;
        let matches: syn::Arm = syn::parse_quote!(#pat => #then);
        let other: syn::Arm = match &e.else_branch {
            Some((_, els)) => syn::parse_quote!(_ => #els),
            None => syn::parse_quote!(_ => {}),
        };
        self.matched(scrutinee, &[matches, other], span)
    }

    /// The type of a value that comes from one of two places.
    pub(super) fn join(&mut self, a: &Type, b: &Type, span: proc_macro2::Span) -> Type {
        match (self.infer.shallow(a), self.infer.shallow(b)) {
            (Type::Never, other) | (other, Type::Never) => other,
            (a, b) => {
                self.unify(&a, &b, span);
                self.unsized_together(&a, &b).unwrap_or(a)
            }
        }
    }

    /// The slice that references to an array and to another one of another length, or to a slice, become.
    fn unsized_together(&self, a: &Type, b: &Type) -> Option<Type> {
        let written = self.infer.shallow(a);
        let is_lent = matches!(written, Type::Ref(..)) || matches!(self.infer.shallow(b), Type::Ref(..));
        match (self.infer.peel(a), self.infer.peel(b)) {
            (Type::Array(elem, a), Type::Array(_, b)) => {
                let is_one = match (a.known(), b.known()) {
                    // of arrays themselves rustc knows that the lengths are one
                    (Some(a), Some(b)) => self.are_equal(&a, &b).unwrap_or(!is_lent),
                    (Some(_), None) => !matches!(b, Len::Dynamic),
                    _ => true,
                };
                let is_mutable = matches!(written, Type::Ref(true, _));
                (!is_one).then(|| Type::Ref(is_mutable, Box::new(Type::slice(*elem))))
            }
            _ => None,
        }
    }

    pub(super) fn matching(&mut self, e: &syn::ExprMatch) -> Expr {
        let span = joined(e.match_token.span, e.brace_token.span.close());
        let by_form = [
            Resolver::match_some,
            Resolver::match_text,
            Resolver::match_slice,
            Resolver::match_slices_in_tuple,
        ];
        if let Some(matched) = by_form.iter().find_map(|known| known(self, e, span)) {
            return matched;
        }
        let scrutinee = self.expr(&e.expr);
        self.matched(scrutinee, &e.arms, span)
    }

    /// A `match` of a value that is evaluated already.
    pub(super) fn matched(
        &mut self,
        scrutinee: Expr,
        arms_written: &[syn::Arm],
        span: proc_macro2::Span,
    ) -> Expr {
        let binds = |arm: &syn::Arm| match &arm.pat {
            syn::Pat::Guard(pat) => binds_alone(&pat.pat),
            pat => binds_alone(pat),
        };
        // by `ref mut`, places are bound: with all of them as references, what is written is not a copy
        let scrutinee = match arms_written.iter().any(|arm| binds_by_reference(&arm.pat)) {
            true => self.borrowed(scrutinee, true),
            false => scrutinee,
        };
        if !arms_written.iter().all(binds) {
            self.need_matchable(&scrutinee.ty, scrutinee.span);
        }
        let mut ty = Type::Never;
        let mut arms = Vec::new();
        for arm in arms_written {
            super::super::configured::refuse(&arm.attrs, &mut self.refusals);
            let (pat, guard) = match &arm.pat {
                syn::Pat::Guard(pat) => (&*pat.pat, Some(&pat.guard)),
                pat => (pat, None),
            };
            let arm = self.scoped(false, |this| {
                let pattern = this.match_pattern(pat, &scrutinee.ty, &mut HashMap::new());
                let guard = guard.map(|guard| {
                    if let Some(token) = let_token(guard) {
                        return this.refuse(
                            token,
                            "`if let` in a guard",
                            "values are scalars and arrays of them",
                            "compare instead: `n if n > 0 => …`",
                        );
                    }
                    this.condition(guard)
                });
                let body = this.expr(&arm.body);
                let body = this.with_jumps_in_front(body);
                Arm { pattern, guard, body }
            });
            ty = self.join(&ty, &arm.body.ty, arm.body.span);
            arms.push(arm);
        }
        Expr::new(Kind::Match(Box::new(Match { scrutinee, arms })), ty, span)
    }

    pub(super) fn for_loop(&mut self, e: &syn::ExprForLoop) -> Expr {
        if !is_counted(e) {
            return self.each_loop(e);
        }
        let span = e.for_token.span();
        let mut marks = self.marks_of(e);
        let mut adapters = Vec::new();
        let mut range = bare(&e.expr);
        while let syn::Expr::MethodCall(call) = range {
            match (call.method.to_string().as_str(), call.args.len()) {
                ("rev", 0) => adapters.push(Adapter::Rev),
                ("step_by", 1) => {
                    let step = self.usize(&call.args[0]);
                    adapters.push(Adapter::StepBy(step));
                }
                _ => break,
            }
            range = bare(&call.receiver);
        }
        adapters.reverse();
        let syn::Expr::Range(syn::ExprRange { start: Some(lo), end: Some(hi), limits, .. }) = range else {
            let (what, help) = match range {
                syn::Expr::Range(_) => {
                    ("a `for` over an open range", "write both ends: `for i in 0..n { … }`".to_owned())
                }
                _ => (
                    "a `for` over something that is not a range is not yet supported",
                    "write `for i in 0..x.len() { … x[i] … }`".to_owned(),
                ),
            };
            let body_too = e.expr.span();
            return self.refuse(body_too, what, "the loops of this release run over integer ranges", help);
        };
        let (lo, hi) = (self.expr(lo), self.expr(hi));
        let ty = self.infer.peel(&lo.ty);
        self.unify(&ty, &hi.ty, hi.span);
        self.restrict(&ty, Class::Int, lo.span);
        self.scopes.push(super::Scope::default());
        let (var, name) = match &*e.pat {
            syn::Pat::Wild(_) => (None, "round".to_owned()),
            syn::Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                let name = pat.ident.to_string();
                let var = self.declare(&name, ty, pat.mutability.is_some(), pat.ident.span());
                (Some(var), name)
            }
            other => {
                self.refuse(
                    other.span(),
                    "a pattern as the iterator of a `for`",
                    "a loop here runs over integers",
                    "write `for i in 0..n { … }`",
                );
                (None, "round".to_owned())
            }
        };
        let (body, id) = self.body_of_for(e, &name, &mut marks);
        let inclusive = matches!(limits, syn::RangeLimits::Closed(_));
        let kind = For { id, var, name, lo, hi, inclusive, adapters, marks, body };
        Expr::effect(Kind::For(Box::new(kind)), span)
    }
}

/// Whether a `for` runs over a range with both ends, possibly reversed and stepped.
fn is_counted(e: &syn::ExprForLoop) -> bool {
    let mut range = bare(&e.expr);
    while let syn::Expr::MethodCall(call) = range {
        if !matches!(call.method.to_string().as_str(), "rev" | "step_by") {
            return false;
        }
        range = bare(&call.receiver);
    }
    matches!(range, syn::Expr::Range(syn::ExprRange { start: Some(_), end: Some(_), .. }))
}

/// The last token of an `else`.
fn last_span(e: &syn::Expr) -> proc_macro2::Span {
    match e {
        syn::Expr::If(syn::ExprIf { else_branch: Some((_, els)), .. }) => last_span(els),
        syn::Expr::If(e) => e.then_branch.brace_token.span.close(),
        syn::Expr::Block(e) => e.block.brace_token.span.close(),
        other => other.span(),
    }
}

/// The `let` of a condition, if it has one.
pub(super) fn let_token(cond: &syn::Expr) -> Option<proc_macro2::Span> {
    match bare(cond) {
        syn::Expr::Let(e) => Some(e.span()),
        syn::Expr::Binary(e) if matches!(e.op, syn::BinOp::And(_)) => {
            let_token(&e.left).or_else(|| let_token(&e.right))
        }
        _ => None,
    }
}

/// Whether a pattern takes every value, whatever its type.
fn binds_alone(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Wild(_) => true,
        syn::Pat::Ident(pat) => {
            pat.subpat.is_none() && pat.ident.to_string().starts_with(|first: char| first.is_lowercase())
        }
        _ => false,
    }
}
