//! `Option`s as values: a pair of whether there is a value, and the value.
//!
//! ```text
//! Some(v)                              (true, v)
//! None                                 (false, zeros), which nobody reads
//! x.get(i).copied()                    if i < x.len() { (true, x[i]) } else { (false, zeros) }
//! if let Some(t) = hit(&ray) { … }     let option = hit(&ray); if option.0 { let t = option.1; … }
//! let t = hit(&ray)?;                  let option = hit(&ray); if !option.0 { return (false, zeros) } let t = option.1;
//! items.filter_map(f)                  items.map(f).filter(|option| option.0).map(|option| option.1)
//! items.map_while(f)                   items.map(f).take_while(|option| option.0).map(|option| option.1)
//! ```
//!
//! The adjoint of what is not there is zero, as it is for a branch that was not taken. rustc has checked the function
//! itself, so that no pair of a program is taken for an `Option`, or the other way round.

use super::conditions::{Made, some, unless};
use super::selected::is_choice;
use crate::frontend::chain::{Chain, ChainKind, Closure};
use crate::frontend::infer::Type;
use crate::frontend::resolve::jump::Leavable;
use crate::frontend::resolve::{Name, Resolver, bare, is_word};
use crate::frontend::tree::{Expr, Kind, LocalId, MatchPattern, Pattern, Stmt};
use crate::ir::{BinOp, Ty};
use proc_macro2::Span;
use std::collections::HashMap;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// The type of the value in an `Option`.
    pub(crate) fn option_type(&self, of: &Type) -> Option<Type> {
        let Type::Tuple(parts) = self.infer.peel(of) else { return None };
        let [there, of] = &parts[..] else { return None };
        matches!(self.infer.shallow(there), Type::Scalar(Ty::Bool)).then(|| of.clone())
    }

    /// `Some(value)`. In place of a shared reference to numbers a copy of them is as good.
    pub(crate) fn some_of(&mut self, value: Expr, span: Span) -> Expr {
        let value = match self.infer.shallow(&value.ty) {
            Type::Ref(false, inner) if self.is_element(&inner) => self.dereferenced(value),
            _ => value,
        };
        if let Type::Ref(true, inner) = self.infer.shallow(&value.ty)
            && matches!(self.infer.shallow(&inner), Type::Array(..))
        {
            let help =
                "keep where it starts and ends, `Some((a, b))`, and slice where it is used: `&mut x[a..b]`";
            return self.refuse(
                span,
                "an `Option` of a `&mut` reference as a value",
                "which variable it stands for would be known only at run time",
                help,
            );
        }
        Expr::tuple(vec![Expr::bool(true, span), value], span)
    }

    /// `None`
    pub(crate) fn none(&mut self, of: Type, span: Span) -> Expr {
        Expr::tuple(vec![Expr::bool(false, span), Expr::new(Kind::Zeros, of, span)], span)
    }

    /// `if cond { value } else { None }`
    fn or_none(&mut self, cond: Expr, value: Expr, span: Span) -> Expr {
        let ty = value.ty.clone();
        let absent = self.none(self.option_type(&ty).unwrap_or(Type::Never), span);
        cond.choose(value, absent, ty, span)
    }

    /// A method that makes an `Option`, where this is not taken apart at once.
    pub(crate) fn option_value(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let makes = "copied cloned as_ref as_mut as_deref as_deref_mut filter map and_then or or_else pop get first take replace zip xor then \
                     then_some partial_cmp try_fold try_for_each try_into ok ok_or ok_or_else map_err";
        if !is_word(makes, name) && !name.starts_with("checked_") && !is_choice(name) {
            return None;
        }
        let refusals = self.refusals.0.len();
        match self.made_by_method(e) {
            Some(made) => Some(self.paired(made, e.span())),
            None if self.refusals.0.len() > refusals => Some(self.error(e.span())),
            None => None,
        }
    }

    pub(crate) fn paired(&mut self, Made { stmts, cond, value }: Made, span: Span) -> Expr {
        let is_error = matches!(cond.kind, Kind::Error);
        // `x.as_mut()`: the reference is there in any case, to a value that counts for nothing where it is `None`
        if matches!((&value.kind, self.infer.shallow(&value.ty)), (Kind::Borrow(_), Type::Ref(true, _)))
            && !is_error
        {
            return Expr::tuple(vec![cond, value], span).behind(stmts, span);
        }
        let there = if is_error { cond.clone() } else { self.some_of(value, span) };
        if matches!(there.kind, Kind::Error) {
            return there;
        }
        self.or_none(cond, there, span).behind(stmts, span)
    }

    /// `Some(p)` as a pattern of an arm, where it is no variant of the module's.
    pub(crate) fn some_pattern(
        &mut self,
        pat: &syn::Pat,
        ty: &Type,
        bound: &mut HashMap<String, LocalId>,
    ) -> Option<MatchPattern> {
        let inner = some(pat)?;
        let of = self.option_type(ty)?;
        // what an option behind a `&mut` holds is bound as a reference
        let of = match (self.infer.shallow(ty), self.infer.shallow(&of)) {
            (Type::Ref(true, _), inner) if !matches!(inner, Type::Ref(..)) => Type::reference(true, of),
            _ => of,
        };
        let yes = MatchPattern::Value(Expr::bool(true, pat.span()));
        Some(MatchPattern::Tuple(vec![yes, self.match_pattern(inner, &of, bound)]))
    }

    /// `None` as a pattern of an arm.
    pub(crate) fn none_pattern(&mut self, ty: &Type, span: Span) -> Option<MatchPattern> {
        self.option_type(ty)?;
        let no = MatchPattern::Value(Expr::bool(false, span));
        Some(MatchPattern::Tuple(vec![no, MatchPattern::Wild]))
    }

    /// What holds an `Option`: a variable, an element, what a helper returns; `None` if it is something else.
    pub(super) fn held(&mut self, e: &syn::Expr) -> Option<Made> {
        self.held_as(e, false)
    }

    /// The same of a place that is written to: behind a `&mut`, what is bound is a reference to the value.
    pub(super) fn held_as(&mut self, e: &syn::Expr, mutable: bool) -> Option<Made> {
        let refused = |this: &mut Self| {
            let (cond, value) = (this.error(e.span()), this.error(e.span()));
            Some(Made { stmts: Vec::new(), cond, value })
        };
        let may_hold = match bare(e) {
            syn::Expr::Path(path) => match self.lookup(&path.path.get_ident()?.to_string()) {
                Some(Name::Refused) => return refused(self),
                found => matches!(found, Some(Name::Local(_))),
            },
            syn::Expr::MethodCall(call) => {
                let (records, name) = (self.module.records(), call.method.to_string());
                self.module.is_some
                    && (records.has_function(&name) || records.of_arrays(&name).next().is_some())
            }
            syn::Expr::Reference(inner) => return self.held_as(&inner.expr, inner.mutability.is_some()),
            // what it holds is a place; without `&mut` in front, patterns bind copies
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => {
                let made = self.held_as(expr, mutable)?;
                return Some(if mutable { made } else { self.copied(made) });
            }
            // `<[f64; 3]>::try_from(x)` makes a `Result`
            syn::Expr::Call(call) => {
                !matches!(bare(&call.func), syn::Expr::Path(path) if path.qself.is_some())
            }
            syn::Expr::Index(_) | syn::Expr::Field(_) => true,
            syn::Expr::If(_) | syn::Expr::Match(_) | syn::Expr::Block(_) => true,
            _ => false,
        };
        if !may_hold {
            return None;
        }
        let refusals = self.refusals.0.len();
        let value = self.expr(e);
        if self.option_type(&value.ty).is_none() {
            let is_error = matches!(self.infer.peel(&value.ty), Type::Never);
            return if is_error || self.refusals.0.len() > refusals { refused(self) } else { None };
        }
        let value = if mutable { self.borrowed(value, true) } else { value };
        Some(self.parts_of(value))
    }

    /// The value itself where it is bound as a reference.
    pub(super) fn copied(&mut self, made: Made) -> Made {
        let value = self.dereferenced(made.value);
        Made { value, ..made }
    }

    /// The pair under a name, and its members.
    pub(super) fn parts_of(&mut self, pair: Expr) -> Made {
        let span = pair.span;
        let of = self.option_type(&pair.ty).unwrap_or(Type::Never);
        let ty = self.infer.shallow(&pair.ty);
        let mut stmts = Vec::new();
        let pair = match pair.kind {
            Kind::Local(_) => pair,
            _ => self.named("option", Expr { ty: ty.clone(), ..pair }, &mut stmts),
        };
        let (cond, value) = (pair.member(0, &Type::BOOL, span), pair.member(1, &of, span));
        let value = if let Type::Ref(true, _) = ty { self.borrowed(value, true) } else { value };
        Made { stmts, cond, value }
    }

    /// The parts of a pair that is computed behind other statements.
    fn parts_behind(&mut self, mut stmts: Vec<Stmt>, pair: Expr) -> Made {
        let made = self.parts_of(pair);
        stmts.extend(made.stmts);
        Made { stmts, ..made }
    }

    /// `e.map(f)` and `e.and_then(f)` of an `Option`.
    pub(super) fn mapped(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let Made { stmts, cond, value } = self.made_by_value(&call.receiver)?;
        let value = self.applied(&call.args[0], value)?;
        if name == "map" {
            return Some(Made { stmts, cond, value });
        }
        let of = self.fresh();
        let absent = self.none(of, call.span());
        self.unify(&absent.ty, &value.ty, call.span());
        let ty = value.ty.clone();
        let pair = cond.choose(value, absent, ty, call.span());
        Some(self.parts_behind(stmts, pair))
    }

    /// `e.or(other)` and `e.or_else(|| other)`
    pub(super) fn first_of_two(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let span = call.span();
        let Made { mut stmts, cond, value } = self.made_by_value(&call.receiver)?;
        let there = self.some_of(value, span);
        let other = match name {
            "or_else" => self.instead(&call.args[0])?,
            // evaluated whether it is needed or not
            _ => {
                let other = self.expr(&call.args[0]);
                self.named("other", other, &mut stmts)
            }
        };
        let pair = self.either(cond, there, other, span);
        Some(self.parts_behind(stmts, pair))
    }

    /// `e.zip(other)` and `e.xor(other)`
    pub(super) fn of_both(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let span = call.span();
        let mut stmts = Vec::new();
        let mut parts = Vec::new();
        for e in [&*call.receiver, &call.args[0]] {
            let value = self.expr(e);
            self.option_type(&value.ty)?;
            let ty = self.infer.shallow(&value.ty);
            let option = self.named("option", Expr { ty, ..value }, &mut stmts);
            let made = self.parts_of(option);
            parts.push((made.cond, self.dereferenced(made.value)));
        }
        let [(a, first), (b, second)] = <[_; 2]>::try_from(parts).ok()?;
        let (op, value) = if name == "zip" {
            (BinOp::BitAnd, Expr::tuple(vec![first, second], span))
        } else {
            self.unify(&first.ty, &second.ty, span);
            let ty = first.ty.clone();
            (BinOp::BitXor, a.clone().choose(first, second, ty, span))
        };
        Some(Made { stmts, cond: Expr::binary(op, a, b, span), value })
    }

    /// `e.take()` and `e.replace(value)` of a variable
    pub(super) fn taken(&mut self, call: &syn::ExprMethodCall) -> Option<Made> {
        let span = call.span();
        self.held(&call.receiver)?;
        let place = self.expr(&call.receiver);
        let ty = self.infer.peel(&place.ty);
        let place = match self.infer.shallow(&place.ty) {
            Type::Ref(..) => Expr::new(Kind::Deref(place.boxed()), ty.clone(), span),
            _ => Expr { ty: ty.clone(), ..place },
        };
        let of = self.option_type(&ty)?;
        let name = self.hidden("taken", ty.clone(), false, span);
        let mut stmts = Vec::new();
        let new = match call.args.first() {
            None => self.none(of, span),
            Some(new) => {
                let new = self.expr(new);
                self.unify(&of, &new.ty, new.span);
                let new = self.some_of(new, span);
                self.named("new", Expr { ty: ty.clone(), ..new }, &mut stmts)
            }
        };
        let stored = Stmt::assign(&place, new);
        stmts.extend([Stmt::bind(name, place), stored]);
        Some(self.parts_behind(stmts, Expr::local(name, &ty, span)))
    }

    /// `condition.then(|| value)` and `condition.then_some(value)`
    pub(super) fn on_condition(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let cond = self.condition(&call.receiver);
        let mut stmts = Vec::new();
        if name == "then" {
            let closure = self.function_of(&call.args[0], 0)?;
            let value = self.scoped(false, |this| this.closure_body(&closure));
            return Some(Made { stmts, cond, value });
        }
        // evaluated whether it is needed or not
        let value = self.expr(&call.args[0]);
        let cond = self.named("condition", cond, &mut stmts);
        // a reference stays what it is
        let value = match self.infer.shallow(&value.ty) {
            Type::Ref(true, _) => value,
            _ => self.named("value", value, &mut stmts),
        };
        Some(Made { stmts, cond, value })
    }

    /// `let p = e?;`
    pub(crate) fn let_try(&mut self, pat: &syn::Pat, e: &syn::ExprTry) -> Option<Vec<Stmt>> {
        let span = e.span();
        let made = self.made(&e.expr)?;
        if matches!(made.cond.kind, Kind::Error) {
            return Some(vec![self.bound(pat, made.value)]);
        }
        let leave = self.return_none(span)?;
        Some(self.let_made(pat, made, leave, span))
    }

    /// `e?` inside of an expression.
    pub(crate) fn tried(&mut self, e: &syn::ExprTry) -> Option<Expr> {
        let span = e.span();
        let Made { mut stmts, cond, value } = self.made(&e.expr)?;
        if matches!(cond.kind, Kind::Error) {
            return Some(value);
        }
        // a copy of a number is as good as a reference to it
        let value = match self.infer.peel(&value.ty) {
            Type::Scalar(_) | Type::Var(_) => self.dereferenced(value),
            _ => value,
        };
        stmts.push(unless(cond, self.return_none(span)?, span));
        Some(value.behind(stmts, span))
    }

    /// `return None`
    fn return_none(&mut self, span: Span) -> Option<Expr> {
        let position = self.loops.iter().rposition(|it| it.what == Leavable::Function)?;
        let of = self.fresh();
        let none = self.none(of, span);
        Some(self.leave_with(position, Some(none), span))
    }

    /// `filter_map(f)` and `map_while(f)`
    pub(crate) fn some_mapped(
        &mut self,
        call: &syn::ExprMethodCall,
        inner: Chain,
        name: &str,
    ) -> Option<Chain> {
        let (closure, pair) = self.closure(&call.args[0], &inner.item)?;
        let Some(of) = self.option_type(&pair) else {
            if !matches!(self.infer.peel(&pair), Type::Never) {
                self.wrong_arguments(call, name);
            }
            return None;
        };
        let mapped = Chain::new(ChainKind::Map(Box::new(inner), closure), pair);
        Some(self.of_some(mapped, of, name, call.span()))
    }

    /// The values of an iterator over `Option`s: all of them, or those in front of the first `None`.
    pub(crate) fn of_some(&mut self, options: Chain, of: Type, name: &str, span: Span) -> Chain {
        let pair = options.item.clone();
        let mut member = |at: usize, seen: Type, ty: &Type| {
            let option = self.hidden("option", seen.clone(), false, span);
            let body = Expr::local(option, &seen, span).member(at, ty, span);
            Closure { param: Pattern::Bind(option), body: body.boxed() }
        };
        let is_there = member(0, Type::reference(false, pair.clone()), &Type::BOOL);
        let value = member(1, pair.clone(), &of);
        let there = match name {
            "map_while" => ChainKind::TakeWhile(Box::new(options), is_there),
            _ => ChainKind::Filter(Box::new(options), is_there),
        };
        Chain::new(ChainKind::Map(Box::new(Chain::new(there, pair)), value), of)
    }
}
