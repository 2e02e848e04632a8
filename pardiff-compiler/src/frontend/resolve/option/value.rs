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

use super::conditions::{Made, some};
use super::selected::{CHOICES, local};
use crate::frontend::chain::{Chain, ChainKind, Closure};
use crate::frontend::infer::Type;
use crate::frontend::resolve::jump::Leavable;
use crate::frontend::resolve::{Name, Resolver, bare};
use crate::frontend::tree::{Block, Exit, Expr, Kind, LocalId, MatchPattern, Pattern, Stmt, Target};
use crate::ir::{BinOp, Ty, UnOp};
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
        let help = match self.infer.shallow(&value.ty) {
            Type::Array(..) if self.is_element(&value.ty) => None,
            Type::Array(..) => Some("write it to a parameter, `out: &mut [f64]`, and return a `bool`"),
            Type::Ref(_, inner) if matches!(self.infer.shallow(&inner), Type::Array(..)) => {
                Some("keep where it starts and ends, `Some((a, b))`, and slice where it is used: `&x[a..b]`")
            }
            Type::Ref(..) => Some("keep the index: `Some(i)`"),
            _ => None,
        };
        if let Some(help) = help {
            return self.refuse(
                span,
                "an `Option` of a vector or a reference as a value",
                "a `None` has as many numbers as a `Some`, and how many these are is known only at run time",
                help,
            );
        }
        let ty = Type::Tuple(vec![Type::BOOL, value.ty.clone()]);
        let there = Expr::new(Kind::Bool(true), Type::BOOL, span);
        Expr::new(Kind::Tuple(vec![there, value]), ty, span)
    }

    /// `None`
    pub(crate) fn none(&mut self, of: Type, span: Span) -> Expr {
        let ty = Type::Tuple(vec![Type::BOOL, of.clone()]);
        let there = Expr::new(Kind::Bool(false), Type::BOOL, span);
        Expr::new(Kind::Tuple(vec![there, Expr::new(Kind::Zeros, of, span)]), ty, span)
    }

    /// A method that makes an `Option`, where this is not taken apart at once.
    pub(crate) fn option_value(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let makes = [
            "copied",
            "cloned",
            "as_ref",
            "as_mut",
            "filter",
            "map",
            "and_then",
            "or",
            "or_else",
            "pop",
            "get",
            "first",
            "take",
            "replace",
            "zip",
            "xor",
            "then",
            "then_some",
            "partial_cmp",
            "try_fold",
            "try_into",
            "ok",
            "ok_or",
            "ok_or_else",
            "map_err",
        ];
        if !makes.contains(&name) && !name.starts_with("checked_") && !CHOICES.contains(&name) {
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
        let there = if is_error { cond.clone() } else { self.some_of(value, span) };
        if matches!(there.kind, Kind::Error) {
            return there;
        }
        let ty = there.ty.clone();
        let absent = self.none(self.option_type(&ty).unwrap_or(Type::Never), span);
        let branch = Kind::If(cond.boxed(), there.boxed(), Some(absent.boxed()));
        let tail = Expr::new(branch, ty.clone(), span);
        match stmts.is_empty() {
            true => tail,
            false => Expr::new(Kind::Block(Block { stmts, tail: Some(tail.boxed()) }), ty, span),
        }
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
        let yes = MatchPattern::Value(Expr::new(Kind::Bool(true), Type::BOOL, pat.span()));
        Some(MatchPattern::Tuple(vec![yes, self.match_pattern(inner, &of, bound)]))
    }

    /// `None` as a pattern of an arm.
    pub(crate) fn none_pattern(&mut self, ty: &Type, span: Span) -> Option<MatchPattern> {
        self.option_type(ty)?;
        let no = MatchPattern::Value(Expr::new(Kind::Bool(false), Type::BOOL, span));
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
                self.module.is_some && self.module.records().has_function(&call.method.to_string())
            }
            syn::Expr::Reference(inner) => return self.held_as(&inner.expr, inner.mutability.is_some()),
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => {
                return self.held_as(expr, mutable);
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

    /// The pair under a name, and its members.
    pub(super) fn parts_of(&mut self, pair: Expr) -> Made {
        let span = pair.span;
        let of = self.option_type(&pair.ty).unwrap_or(Type::Never);
        let ty = self.infer.shallow(&pair.ty);
        let (stmts, pair) = match pair.kind {
            Kind::Local(_) => (Vec::new(), pair),
            _ => {
                let name = self.hidden("option", ty.clone(), false, span);
                (vec![Stmt::Let(Pattern::Bind(name), Some(pair), span)], local(name, &ty, span))
            }
        };
        let member = |at: usize, ty: Type| Expr::new(Kind::Field(pair.clone().boxed(), at), ty, span);
        let (cond, value) = (member(0, Type::BOOL), member(1, of.clone()));
        let value = if let Type::Ref(true, _) = ty { self.borrowed(value, true) } else { value };
        Made { stmts, cond, value }
    }

    /// `e.map(f)` and `e.and_then(f)` of an `Option`.
    pub(super) fn mapped(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let span = call.span();
        let Made { mut stmts, cond, value } = self.made(&call.receiver)?;
        let closure = self.function_of(&call.args[0], 1)?;
        let (value, ty) = self.scoped(false, |this| {
            let bound = this.bound(&closure.inputs[0], value);
            let body = this.closure_body(&closure);
            this.behind_let(bound, body)
        });
        if name == "map" {
            return Some(Made { stmts, cond, value });
        }
        let of = self.fresh();
        let absent = self.none(of, span);
        self.unify(&absent.ty, &ty, span);
        let branch = Kind::If(cond.boxed(), value.boxed(), Some(absent.boxed()));
        let made = self.parts_of(Expr::new(branch, ty, span));
        stmts.extend(made.stmts);
        Some(Made { stmts, ..made })
    }

    /// `e.or(other)` and `e.or_else(|| other)`
    pub(super) fn first_of_two(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let span = call.span();
        let Made { mut stmts, cond, value } = self.made(&call.receiver)?;
        let there = self.some_of(value, span);
        let other = match name {
            "or_else" => self.instead(&call.args[0])?,
            // evaluated whether it is needed or not
            _ => {
                let other = self.expr(&call.args[0]);
                let (ty, at) = (other.ty.clone(), other.span);
                let id = self.hidden("other", ty.clone(), false, at);
                stmts.push(Stmt::Let(Pattern::Bind(id), Some(other), at));
                local(id, &ty, at)
            }
        };
        let ty = self.join(&there.ty.clone(), &other.ty.clone(), span);
        let branch = Kind::If(cond.boxed(), there.boxed(), Some(other.boxed()));
        let made = self.parts_of(Expr::new(branch, ty, span));
        stmts.extend(made.stmts);
        Some(Made { stmts, ..made })
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
            let name = self.hidden("option", ty.clone(), false, span);
            stmts.push(Stmt::Let(Pattern::Bind(name), Some(value), span));
            let made = self.parts_of(local(name, &ty, span));
            parts.push((made.cond, self.dereferenced(made.value)));
        }
        let [(a, first), (b, second)] = <[_; 2]>::try_from(parts).ok()?;
        let (cond, value) = if name == "zip" {
            let ty = Type::Tuple(vec![first.ty.clone(), second.ty.clone()]);
            let both = Kind::Binary(BinOp::BitAnd, a.boxed(), b.boxed());
            (both, Expr::new(Kind::Tuple(vec![first, second]), ty, span))
        } else {
            self.unify(&first.ty, &second.ty, span);
            let ty = first.ty.clone();
            let chosen = Kind::If(a.clone().boxed(), first.boxed(), Some(second.boxed()));
            (Kind::Binary(BinOp::BitXor, a.boxed(), b.boxed()), Expr::new(chosen, ty, span))
        };
        Some(Made { stmts, cond: Expr::new(cond, Type::BOOL, span), value })
    }

    /// `e.take()` and `e.replace(value)` of a variable
    pub(super) fn taken(&mut self, call: &syn::ExprMethodCall) -> Option<Made> {
        let span = call.span();
        self.held(&call.receiver)?;
        let place = self.expr(&call.receiver);
        let ty = self.infer.peel(&place.ty);
        let place = match self.infer.shallow(&place.ty) {
            Type::Ref(..) => Expr::new(Kind::Deref(place.boxed()), ty.clone(), span),
            _ => place,
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
                let id = self.hidden("new", ty.clone(), false, span);
                stmts.push(Stmt::Let(Pattern::Bind(id), Some(new), span));
                local(id, &ty, span)
            }
        };
        let stored = Expr::new(Kind::Assign(place.clone().boxed(), new.boxed()), Type::UNIT, span);
        stmts.extend([Stmt::Let(Pattern::Bind(name), Some(place), span), Stmt::Expr(stored)]);
        let made = self.parts_of(local(name, &ty, span));
        Some(Made { stmts, ..made })
    }

    /// `condition.then(|| value)` and `condition.then_some(value)`
    pub(super) fn on_condition(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let span = call.span();
        let cond = self.expr(&call.receiver);
        self.unify(&cond.ty, &Type::BOOL, cond.span);
        if name == "then" {
            let closure = self.function_of(&call.args[0], 0)?;
            let value = self.scoped(false, |this| this.closure_body(&closure));
            return Some(Made { stmts: Vec::new(), cond, value });
        }
        // evaluated whether it is needed or not
        let value = self.expr(&call.args[0]);
        let mut stmts = Vec::new();
        let mut named = |this: &mut Self, name: &str, value: Expr| {
            let ty = value.ty.clone();
            let id = this.hidden(name, ty.clone(), false, span);
            stmts.push(Stmt::Let(Pattern::Bind(id), Some(value), span));
            local(id, &ty, span)
        };
        let (cond, value) = (named(self, "condition", cond), named(self, "value", value));
        Some(Made { stmts, cond, value })
    }

    /// `let p = e?;`
    pub(crate) fn let_try(&mut self, pat: &syn::Pat, e: &syn::ExprTry) -> Option<Vec<Stmt>> {
        let span = e.span();
        let Made { mut stmts, cond, value } = self.made(&e.expr)?;
        if matches!(cond.kind, Kind::Error) {
            return Some(vec![self.bound(pat, value)]);
        }
        let leave = self.return_none(span)?;
        let yes = Expr::new(Kind::Bool(true), Type::BOOL, span);
        stmts.push(Stmt::LetElse(Box::new(MatchPattern::Value(yes)), cond, leave));
        stmts.push(self.bound(pat, value));
        Some(stmts)
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
        let leave = self.return_none(span)?;
        let out = Block { stmts: vec![Stmt::Expr(leave)], tail: None };
        let out = Expr::new(Kind::Block(out), Type::Never, span);
        let absent = Expr::new(Kind::Unary(UnOp::Not, cond.boxed()), Type::BOOL, span);
        stmts.push(Stmt::Expr(Expr::new(Kind::If(absent.boxed(), out.boxed(), None), Type::UNIT, span)));
        let ty = value.ty.clone();
        Some(Expr::new(Kind::Block(Block { stmts, tail: Some(value.boxed()) }), ty, span))
    }

    /// `return None`
    fn return_none(&mut self, span: Span) -> Option<Expr> {
        let position = self.loops.iter().rposition(|it| it.what == Leavable::Function)?;
        let of = self.fresh();
        let none = self.none(of, span);
        let ty = match self.loops[position].left_with.clone() {
            Some(known) => self.join(&known, &none.ty, span),
            None => none.ty.clone(),
        };
        self.loops[position].left_with = Some(ty);
        let target = Target { id: self.loops[position].id, exit: Exit::Out };
        Some(Expr::new(Kind::Jump(target, Some(none.boxed())), Type::Never, span))
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
            let body = Kind::Field(local(option, &seen, span).boxed(), at);
            Closure { param: Pattern::Bind(option), body: Expr::new(body, ty.clone(), span).boxed() }
        };
        let is_there = member(0, Type::Ref(false, Box::new(pair.clone())), &Type::BOOL);
        let value = member(1, pair.clone(), &of);
        let there = match name {
            "map_while" => ChainKind::TakeWhile(Box::new(options), is_there),
            _ => ChainKind::Filter(Box::new(options), is_there),
        };
        Chain::new(ChainKind::Map(Box::new(Chain::new(there, pair)), value), of)
    }
}
