//! Patterns of slices and arrays.
//!
//! ```text
//! let [a, rest @ .., b] = x;                              let a = x[0]; let rest = x[1..len - 1]; let b = x[len - 1];
//! let [a, rest @ ..] = x else { return 0.0 };             if x.len() >= 1 { let a = x[0]; … } else { return 0.0 }
//! match x { [] => e, [a] => f, [a, .., b] => g }          if x.len() == 0 { e } else if x.len() == 1 { … } else { … }
//! match x { [a, b] if a > b => e, _ => f }                if x.len() == 2 && x[0] > x[1] { … } else { f }
//! ```
//!
//! Of slices, which pattern it is follows from the length and from guards: the patterns of the elements are names and tuples of
//! names. Arrays of constant length are matched as tuples are.

use super::super::infer::Type;
use super::super::tree::{Access, Expr, Kind, Len, LocalId, MatchPattern, Pattern, Stmt};
use super::option::conditions::Made;
use super::{Resolver, bare};
use crate::ir::BinOp;
use proc_macro2::Span;
use std::collections::HashMap;
use std::rc::Rc;
use syn::Pat;
use syn::spanned::Spanned;

/// The slice pattern behind references.
pub(super) fn of_slice(pat: &Pat) -> Option<&syn::PatSlice> {
    match pat {
        Pat::Paren(pat) => of_slice(&pat.pat),
        Pat::Reference(pat) => of_slice(&pat.pat),
        Pat::Guard(pat) => of_slice(&pat.pat),
        Pat::Slice(pat) => Some(pat),
        _ => None,
    }
}

/// Whether a pattern is `..`.
fn is_open(pat: &Pat) -> bool {
    matches!(pat, Pat::Rest(_))
}

/// Whether a pattern is `..` or `name @ ..`.
fn is_rest(pat: &Pat) -> bool {
    match pat {
        pat if is_open(pat) => true,
        Pat::Ident(syn::PatIdent { subpat: Some((_, sub)), .. }) => matches!(**sub, Pat::Rest(_)),
        _ => false,
    }
}

impl Resolver<'_> {
    /// A slice pattern that takes every value that it meets.
    pub(super) fn slice_pattern(&mut self, pat: &syn::PatSlice, ty: &Type) -> Pattern {
        let span = pat.span();
        let rest = pat.elems.iter().position(is_rest);
        let elem = self.fresh();
        let len = match rest {
            None => Len::Known(Rc::new(Expr::usize(pat.elems.len() as i128, span))),
            Some(_) => Len::Dynamic,
        };
        self.unify(ty, &Type::array(elem.clone(), len), span);
        let behind = |of: Type, ty: Type| match ty {
            Type::Ref(mutable, _) => Type::reference(mutable, of),
            _ => of,
        };
        let outer = self.infer.shallow(ty);
        let one = behind(elem.clone(), outer.clone());
        let Some(at) = rest else {
            return Pattern::Slice(pat.elems.iter().map(|pat| self.pattern(pat, &one)).collect());
        };
        let named = pat.elems.len() - 1;
        let len = match self.infer.peel(ty) {
            Type::Array(_, len) => len.known(),
            _ => None,
        };
        let len = match len {
            Some(len) => Len::Known(Rc::new(match len.kind {
                Kind::Int(len) => Expr::usize(len - named as i128, span),
                _ => Expr::binary(BinOp::Sub, (*len).clone(), Expr::usize(named as i128, span), span),
            })),
            None => Len::Dynamic,
        };
        let part = behind(Type::array(elem, len), outer);
        let mut parts = pat.elems.iter().enumerate().map(|(position, pat)| match pat {
            Pat::Rest(_) => Pattern::Wild,
            Pat::Ident(name) if position == at => {
                let mutable = name.mutability.is_some();
                Pattern::Bind(self.declare(&name.ident.to_string(), part.clone(), mutable, name.ident.span()))
            }
            pat => self.pattern(pat, &one),
        });
        let front = parts.by_ref().take(at).collect();
        let rest = parts.next().unwrap_or(Pattern::Wild);
        let back = parts.collect();
        Pattern::Rest(front, Box::new(rest), back)
    }

    /// `if let [a, b] = x { … } else { … }`
    pub(super) fn if_slice(&mut self, e: &syn::ExprIf, span: Span) -> Option<Expr> {
        let syn::Expr::Let(condition) = bare(&e.cond) else { return None };
        of_slice(&condition.pat)?;
        let (pat, then) = (&condition.pat, &e.then_branch);
        let other: syn::Arm = match &e.else_branch {
            Some((_, els)) => syn::parse_quote!(_ => #els),
            None => syn::parse_quote!(_ => {}),
        };
        Some(self.matched_slice(&condition.expr, &[syn::parse_quote!(#pat => #then), other], span))
    }

    /// `match x { [] => …, [a, ..] => … }`
    pub(super) fn match_slice(&mut self, e: &syn::ExprMatch, span: Span) -> Option<Expr> {
        e.arms.iter().find_map(|arm| of_slice(&arm.pat))?;
        Some(self.matched_slice(&e.expr, &e.arms, span))
    }

    /// `let [a, b] = x else { … };`
    pub(super) fn let_slice(&mut self, pat: &Pat, e: &syn::Expr, els: &syn::Expr) -> Option<Vec<Stmt>> {
        let slice = of_slice(pat)?;
        let value = self.expr(e);
        let mut stmts = Vec::new();
        let value = self.borrowed(value, false);
        let value = self.named("slice", value, &mut stmts);
        let els = self.expr(els);
        let made = Made { stmts, cond: has_length(slice, &value), value };
        let stmts = self.let_made(pat, made, els, e.span());
        self.refuse_capitals(pat);
        Some(stmts)
    }

    fn matched_slice(&mut self, of: &syn::Expr, arms: &[syn::Arm], span: Span) -> Expr {
        let scrutinee = self.expr(of);
        let names_rest = |arm: &syn::Arm| {
            of_slice(&arm.pat).is_some_and(|pat| pat.elems.iter().any(|pat| is_rest(pat) && !is_open(pat)))
        };
        if let Type::Array(_, Len::Known(_)) = self.infer.peel(&scrutinee.ty)
            && !arms.iter().any(names_rest)
        {
            return self.matched(scrutinee, arms, span);
        }
        let mut stmts = Vec::new();
        let scrutinee = self.borrowed(scrutinee, false);
        let slice = self.named("slice", scrutinee, &mut stmts);
        let mut result = Type::Never;
        let mut chosen = Vec::new();
        for arm in arms {
            let mut cond = of_slice(&arm.pat).map(|pat| has_length(pat, &slice));
            let then = self.scoped(false, |this| {
                let (pat, guard) = match &arm.pat {
                    Pat::Guard(pat) => (&*pat.pat, Some(&*pat.guard)),
                    pat => (pat, None),
                };
                let bound = vec![this.bound(pat, slice.clone())];
                this.refuse_capitals(pat);
                if let Some(guard) = guard {
                    let holds = this.condition(guard).behind(bound.clone(), span);
                    cond = Some(match cond.take() {
                        None => holds,
                        Some(cond) => cond.and(holds, span),
                    });
                }
                this.expr(&arm.body).behind(bound, span)
            });
            result = self.join(&result, &then.ty, arm.body.span());
            chosen.push((cond, then));
        }
        // rustc has made sure that the arms cover every length, so that the last one needs no test
        let Some((_, last)) = chosen.pop() else { return self.error(span) };
        let branch = chosen.into_iter().rev().fold(last, |els, (cond, then)| match cond {
            Some(cond) => cond.choose(then, els, result.clone(), span),
            None => then,
        });
        Expr { ty: result, ..branch.behind(stmts, span) }
    }

    /// The same for an array of constant length in a pattern of an arm.
    pub(super) fn array_case(
        &mut self,
        pat: &syn::PatSlice,
        ty: &Type,
        bound: &mut HashMap<String, LocalId>,
    ) -> MatchPattern {
        let span = pat.span();
        let len = match self.infer.peel(ty) {
            Type::Array(_, Len::Known(len)) => match len.kind {
                Kind::Int(len) => usize::try_from(len).ok(),
                _ => None,
            },
            _ => None,
        };
        let rest = pat.elems.iter().position(is_open);
        let named = pat.elems.len() - usize::from(rest.is_some());
        let elem = match self.infer.peel(ty) {
            Type::Array(elem, Len::Known(_)) => *elem,
            _ => {
                self.refuse(
                    span,
                    "a pattern of a slice inside of another pattern",
                    "how long it is would be known only at run time",
                    "match on the slice by itself: `match x { [a, b] => …, _ => … }`",
                );
                return MatchPattern::Wild;
            }
        };
        if rest.is_none() {
            let all = Len::Known(Rc::new(Expr::usize(named as i128, span)));
            self.unify(&Type::array(elem.clone(), all), ty, span);
        }
        // what stands for the elements that `..` leaves out; where it is last they need not be counted
        let skipped = match (rest, len) {
            (None, _) => 0,
            (Some(at), _) if at == named => 0,
            (Some(_), Some(len)) => len.saturating_sub(named),
            (Some(_), None) => {
                self.refuse(
                    span,
                    "`..` before elements of an array whose length is a constant or a parameter",
                    "which elements these are is known behind the macro",
                    "write `..` last, and the others by index: `x[N - 1]`",
                );
                return MatchPattern::Wild;
            }
        };
        let elem = match self.infer.shallow(ty) {
            Type::Ref(mutable, _) => Type::reference(mutable, elem),
            _ => elem,
        };
        let mut parts = Vec::new();
        for pat in &pat.elems {
            match pat {
                Pat::Rest(_) => parts.extend(vec![MatchPattern::Wild; skipped]),
                pat => parts.push(self.match_pattern(pat, &elem, bound)),
            }
        }
        MatchPattern::Array(parts)
    }
}

/// Whether a slice has as many elements as a pattern names.
fn has_length(pat: &syn::PatSlice, slice: &Expr) -> Expr {
    let span = pat.span();
    let (op, named) = match pat.elems.iter().any(is_rest) {
        true => (BinOp::Ge, pat.elems.len() - 1),
        false => (BinOp::Eq, pat.elems.len()),
    };
    Expr::binary(op, slice.len(&Access::default(), span), Expr::usize(named as i128, span), span)
}
