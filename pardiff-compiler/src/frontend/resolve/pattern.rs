//! Patterns: irrefutable ones of `let` and parameters, refutable ones of `match`.

use super::super::infer::{Class, Type};
use super::super::tree::{Expr, Kind, LocalId, MatchPattern, Pattern};
use super::option::conditions::some;
use super::{Name, Resolver};
use crate::ir::Ty;
use crate::visit::{self, Visit};
use proc_macro2::Span;
use std::collections::HashMap;
use syn::spanned::Spanned;

/// The names that a pattern binds.
struct Bound(Vec<syn::Ident>);

impl Visit for Bound {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.0.push(pat.ident.clone());
        visit::visit_pat_ident(self, pat);
    }
}

impl Resolver<'_> {
    /// Declares what an irrefutable pattern binds; `ty` is the type of the value.
    pub(in super::super) fn pattern(&mut self, pat: &syn::Pat, ty: &Type) -> Pattern {
        let span = pat.span();
        match pat {
            syn::Pat::Wild(_) => Pattern::Wild,
            syn::Pat::Paren(pat) => self.pattern(&pat.pat, ty),
            syn::Pat::Type(pat) => {
                if let Some(written) = self.type_of(&pat.ty) {
                    self.unify(&written, ty, pat.ty.span());
                    // the written type has the length of an array
                    let ty = if let Type::Var(_) = self.infer.shallow(ty) { ty.clone() } else { written };
                    return self.pattern(&pat.pat, &ty);
                }
                self.has_errors = true;
                self.pattern(&pat.pat, &Type::Never)
            }
            syn::Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                let id = self.declare(
                    &pat.ident.to_string(),
                    ty.clone(),
                    pat.mutability.is_some(),
                    pat.ident.span(),
                );
                Pattern::Bind(id)
            }
            syn::Pat::Reference(pat) => {
                let inner = match self.infer.shallow(ty) {
                    Type::Ref(_, inner) => *inner,
                    other => other,
                };
                Pattern::Deref(Box::new(self.pattern(&pat.pat, &inner)))
            }
            syn::Pat::Tuple(pat) => {
                let parts = self.parts_of_tuple(pat, ty);
                if pat.elems.iter().any(|pat| matches!(pat, syn::Pat::Rest(_))) {
                    self.refuse(
                        span,
                        "`..` in a pattern",
                        "it leaves open which members are bound",
                        "write `_` for each member that is not used",
                    );
                    return Pattern::Wild;
                }
                Pattern::Tuple(pat.elems.iter().zip(&parts).map(|(pat, ty)| self.pattern(pat, ty)).collect())
            }
            syn::Pat::Struct(pat) => self.struct_pattern(pat, ty),
            syn::Pat::TupleStruct(pat) => self.tuple_struct_pattern(pat, ty),
            syn::Pat::Slice(pat) => self.slice_pattern(pat, ty),
            // a name with a capital, taken for that of a constant
            syn::Pat::Path(pat) if pat.path.get_ident().is_some() => {
                pat.path.get_ident().into_iter().for_each(|name| self.refuse_capital(name));
                Pattern::Wild
            }
            _ => {
                self.refuse_fallible(span);
                Pattern::Wild
            }
        }
    }

    /// Refuses a pattern that may fail where a value is taken apart without a test.
    pub(super) fn refuse_fallible(&mut self, span: Span) {
        self.refuse(
            span,
            "this pattern",
            "here a pattern binds names, tuples, arrays and structs of names, and takes every value",
            "bind a name, and match that: `if let Kind::Steep(v) = kind { … }`",
        );
    }

    /// Whether a pattern does not take every value of its type.
    pub(super) fn may_fail(&mut self, pat: &syn::Pat) -> bool {
        match pat {
            syn::Pat::Lit(_) | syn::Pat::Range(_) | syn::Pat::Or(_) | syn::Pat::Path(_) => true,
            syn::Pat::Ident(pat) => {
                let name = &pat.ident;
                let is_constant = matches!(
                    self.lookup(&name.to_string()),
                    Some(Name::Literal(_) | Name::Path(_) | Name::Constant(_))
                );
                is_constant
                    || name == "None"
                    || self.is_in_enum(&name.clone().into())
                    || pat.subpat.as_ref().is_some_and(|(_, pat)| self.may_fail(pat))
            }
            syn::Pat::TupleStruct(of) => {
                some(pat).is_some()
                    || self.is_in_enum(&of.path)
                    || of.elems.iter().any(|pat| self.may_fail(pat))
            }
            syn::Pat::Struct(pat) => {
                self.is_in_enum(&pat.path) || pat.fields.iter().any(|field| self.may_fail(&field.pat))
            }
            syn::Pat::Tuple(pat) => pat.elems.iter().any(|pat| self.may_fail(pat)),
            syn::Pat::Slice(pat) => pat.elems.iter().any(|pat| self.may_fail(pat)),
            syn::Pat::Reference(pat) => self.may_fail(&pat.pat),
            syn::Pat::Paren(pat) => self.may_fail(&pat.pat),
            _ => false,
        }
    }

    /// Refuses names with a capital in a part of a pattern that may fail: rustc may take them for constants.
    pub(in super::super) fn refuse_capitals(&mut self, pat: &syn::Pat) {
        let mut names = Bound(Vec::new());
        names.visit_pat(pat);
        let capitals = names.0.iter().filter(|name| name.to_string().starts_with(char::is_uppercase));
        capitals.for_each(|name| self.refuse_capital(name));
    }

    fn refuse_capital(&mut self, name: &proc_macro2::Ident) {
        let (text, small) = (name.to_string(), name.to_string().to_lowercase());
        self.refuse(
            name.span(),
            format!("`{text}` in a pattern that may fail"),
            "a name with a capital may be a constant, which is compared, or a variable, which is bound",
            format!("write `{small}` for the variable, and `if` for a comparison"),
        );
        self.bind(&text, Name::Refused);
    }

    /// The types that the members of a tuple are bound with: behind a `&mut`, references to them. Behind a `&`, a copy is as
    /// good.
    fn parts_of_tuple(&mut self, pat: &syn::PatTuple, whole: &Type) -> Vec<Type> {
        let parts: Vec<Type> = match self.infer.peel(whole) {
            Type::Tuple(parts) if parts.len() == pat.elems.len() => parts,
            other => {
                let parts: Vec<Type> = pat.elems.iter().map(|_| self.fresh()).collect();
                self.unify(&other, &Type::Tuple(parts.clone()), pat.span());
                parts
            }
        };
        if !matches!(self.infer.shallow(whole), Type::Ref(true, _)) {
            return parts;
        }
        let behind = |part: Type| match self.infer.shallow(&part) {
            Type::Ref(..) => part,
            _ => Type::reference(true, part),
        };
        parts.into_iter().map(behind).collect()
    }

    /// A pattern of an arm; alternatives that bind one name bind one variable.
    pub(super) fn match_pattern(
        &mut self,
        pat: &syn::Pat,
        ty: &Type,
        bound: &mut HashMap<String, LocalId>,
    ) -> MatchPattern {
        let span = pat.span();
        match pat {
            syn::Pat::Wild(_) => MatchPattern::Wild,
            syn::Pat::Paren(pat) => self.match_pattern(&pat.pat, ty, bound),
            syn::Pat::Reference(pat) => {
                let inner = match self.infer.shallow(ty) {
                    Type::Ref(_, inner) => *inner,
                    other => other,
                };
                self.match_pattern(&pat.pat, &inner, bound)
            }
            syn::Pat::Lit(lit) => {
                let value = self.literal(&lit.lit);
                self.unify(&value.ty, ty, span);
                match value.kind {
                    // a character
                    Kind::Tuple(parts) => {
                        MatchPattern::Tuple(parts.into_iter().map(MatchPattern::Value).collect())
                    }
                    _ => MatchPattern::Value(value),
                }
            }
            syn::Pat::Ident(pat) if pat.ident == "None" && self.option_type(ty).is_some() => {
                self.none_pattern(ty, span).unwrap_or(MatchPattern::Wild)
            }
            syn::Pat::TupleStruct(_) if some(pat).is_some() && self.option_type(ty).is_some() => {
                self.some_pattern(pat, ty, bound).unwrap_or(MatchPattern::Wild)
            }
            syn::Pat::Ident(pat) => self.binding(pat, ty, bound),
            syn::Pat::Path(pat) => {
                if let Some(variant) = self.variant_case(&pat.path, ty, span) {
                    return variant;
                }
                let value = self.path(pat);
                self.unify(&value.ty, ty, span);
                MatchPattern::Value(value)
            }
            syn::Pat::Range(pat) => {
                let mut is_character = false;
                let mut bound = |e: &Option<Box<syn::Expr>>| {
                    e.as_ref().map(|e| {
                        let mut e = self.expr(e);
                        self.unify(&e.ty, ty, e.span);
                        if let Kind::Tuple(parts) = &mut e.kind {
                            is_character = true;
                            return parts.remove(0);
                        }
                        e
                    })
                };
                let lo = bound(&pat.start);
                let hi = bound(&pat.end);
                let range = MatchPattern::Range(lo, hi, matches!(pat.limits, syn::RangeLimits::Closed(_)));
                if is_character { MatchPattern::Tuple(vec![range]) } else { range }
            }
            syn::Pat::Or(pat) => {
                let cases = pat.cases.iter();
                MatchPattern::Or(cases.map(|case| self.match_pattern(case, ty, bound)).collect())
            }
            syn::Pat::Tuple(pat) => {
                let parts = self.parts_of_tuple(pat, ty);
                let elems = pat.elems.iter().zip(&parts);
                MatchPattern::Tuple(elems.map(|(pat, ty)| self.match_pattern(pat, ty, bound)).collect())
            }
            syn::Pat::Slice(pat) => self.array_case(pat, ty, bound),
            syn::Pat::Struct(pat) if self.is_of_module(&pat.path) => self.struct_case(pat, ty, bound),
            syn::Pat::TupleStruct(pat) if self.is_of_module(&pat.path) => {
                self.tuple_struct_case(pat, ty, bound)
            }
            // of a value that was refused
            _ if matches!(self.infer.peel(ty), Type::Never) || self.has_errors && is_error(pat) => {
                let mut names = Bound(Vec::new());
                names.visit_pat(pat);
                names.0.iter().for_each(|name| self.bind(&name.to_string(), Name::Refused));
                MatchPattern::Wild
            }
            _ if is_error(pat) => {
                self.refuse_error(span);
                MatchPattern::Wild
            }
            _ => {
                self.refuse(
                    span,
                    "this pattern",
                    "a `match` here is on integers: literals, ranges, constants, `|`, bindings, tuples and structs of them",
                    "write literals or ranges, and `if` for anything else",
                );
                MatchPattern::Wild
            }
        }
    }

    /// A lone identifier: a constant if it begins with a capital, otherwise a binding.
    fn binding(
        &mut self,
        pat: &syn::PatIdent,
        ty: &Type,
        bound: &mut HashMap<String, LocalId>,
    ) -> MatchPattern {
        let name = pat.ident.to_string();
        let span = pat.ident.span();
        let known = matches!(self.lookup(&name), Some(Name::Literal(_) | Name::Path(_) | Name::Constant(_)));
        let capital = name.trim_start_matches("r#").chars().next().is_some_and(char::is_uppercase);
        if pat.subpat.is_none() && pat.by_ref.is_none() && pat.mutability.is_none() && (known || capital) {
            let ident = &pat.ident;
            if let Some(variant) = self.variant_case(&syn::parse_quote!(#ident), ty, span) {
                return variant;
            }
            let value = self.path(&syn::parse_quote!(#ident));
            self.unify(&value.ty, ty, span);
            // a struct without fields has one value
            let is_unit = matches!(&value.kind, Kind::Tuple(parts) if parts.is_empty());
            return if is_unit { MatchPattern::Wild } else { MatchPattern::Value(value) };
        }
        let inner = pat.subpat.as_ref().map(|(_, sub)| Box::new(self.match_pattern(sub, ty, bound)));
        let id = match bound.get(&name) {
            Some(&id) => id,
            None => {
                let ty = self.infer.shallow(ty);
                let id = self.declare(&name, ty, pat.mutability.is_some(), span);
                bound.insert(name, id);
                id
            }
        };
        MatchPattern::Bind(id, inner)
    }

    /// Refuses what reads the value of an error.
    pub(super) fn refuse_error(&mut self, span: Span) -> Expr {
        self.refuse(
            span,
            "the value of an error",
            "errors are not kept: that there is one is all that is known",
            "write `Err(_)`, or return an `enum` of the module that says what was found",
        )
    }

    /// Refuses the value of an error whose making might do more than that.
    pub(super) fn refuse_computed_error(&mut self, span: Span) -> Expr {
        self.refuse(
            span,
            "the value of an error that is computed",
            "errors are not kept: that there is one is all that is known",
            "compute it in front, or write a variant or a text: `Err(Failure::Singular)`",
        )
    }

    /// Whether a `match` can be on values of this type.
    pub(super) fn need_matchable(&mut self, ty: &Type, span: Span) {
        match self.infer.peel(ty) {
            Type::Tuple(parts) => parts.iter().for_each(|part| self.need_matchable(part, span)),
            Type::Record(_) | Type::Array(..) => {}
            Type::Scalar(Ty::Int(_) | Ty::Bool | Ty::Float(_)) | Type::Never => {}
            Type::Var(_) if self.infer.class(ty) != Class::Any => {}
            Type::Var(_) => {}
            other => {
                let ty = self.infer.show(&other);
                self.refuse(
                    span,
                    format!("a `match` on a value of type `{ty}`"),
                    "a `match` here is on integers, tuples of integers and structs",
                    "write `if` on the elements",
                );
            }
        }
    }
}

/// Whether a pattern binds by `ref` or `ref mut`.
pub(super) fn binds_by_reference(pat: &syn::Pat) -> bool {
    struct Find(bool);
    impl Visit for Find {
        fn visitor(&mut self) -> &mut dyn Visit {
            self
        }

        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            self.0 |= pat.by_ref.is_some();
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut find = Find(false);
    find.visit_pat(pat);
    find.0
}

/// Whether a pattern is that of an error which is read.
fn is_error(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::TupleStruct(pat) => pat.path.is_ident("Err"),
        _ => false,
    }
}
