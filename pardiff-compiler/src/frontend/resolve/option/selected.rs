//! One item of an iterator, where the `Option` around it is opened at once: `x.iter().copied().reduce(f64::max).unwrap()`,
//! `x.iter().position(|v| *v > 0.0).unwrap_or(n)`.
//!
//! ```text
//! { let mut chosen = 0; let mut found = false;
//!   for item in chain { if found { chosen = f(chosen, item) } else { chosen = item; found = true } }
//!   assert!(found); chosen }
//! ```

use crate::frontend::chain::{Chain, Each};
use crate::frontend::infer::{Class, Type};
use crate::frontend::resolve::{Resolver, iterator, option};
use crate::frontend::tree::{Block, Exit, Expr, Kind, Len, LocalId, Pattern, Stmt, Target};
use crate::ir::{Marks, Ty, UnOp};
use proc_macro2::Span;
use syn::spanned::Spanned;

/// Methods that choose an item.
pub(super) const CHOICES: [&str; 13] = [
    "reduce",
    "last",
    "max",
    "min",
    "max_by",
    "min_by",
    "max_by_key",
    "min_by_key",
    "position",
    "rposition",
    "find",
    "next",
    "nth",
];

/// What a loop over the items finds.
pub(super) struct Choice {
    pub(super) found: LocalId,
    /// A copy of the item.
    pub(super) chosen: LocalId,
    /// The type of the item, and that of the copy.
    pub(super) item: Type,
    pub(super) owned: Type,
    pub(super) stmts: Vec<Stmt>,
    span: Span,
}

impl Resolver<'_> {
    /// `x.iter().max().unwrap()` and the like; `None` if it is none of these.
    pub(crate) fn chosen(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let (inner, _) = option::opened_option(e)?;
        let which = inner.method.to_string();
        if !CHOICES.contains(&which.as_str()) || !iterator::is_chain(&inner.receiver) {
            return None;
        }
        if crate::frontend::resolve::rayon::is_parallel(&inner.receiver) {
            return Some(self.refuse_consumer(inner, &which));
        }
        let Some(choice) = self.choose(inner, &which) else { return Some(self.error(e.span())) };
        Some(self.opened(choice, e, name))
    }

    pub(super) fn choose(&mut self, e: &syn::ExprMethodCall, which: &str) -> Option<Choice> {
        let span = e.span();
        let of = &e.receiver;
        match (which, e.args.len()) {
            ("next", 0) => return self.one_of(&syn::parse_quote_spanned!(span=> #of.take(1)), span),
            ("nth", 1) => {
                let at = &e.args[0];
                return self.one_of(&syn::parse_quote_spanned!(span=> #of.skip(#at).take(1)), span);
            }
            ("rposition", 1) => {
                let chain = self.chain(&syn::parse_quote_spanned!(span=> #of.enumerate().rev()))?;
                return self.first_where(chain, e, which);
            }
            _ => {}
        }
        let chain = self.chain(of)?;
        match (which, e.args.len()) {
            ("position" | "find", 1) => return self.first_where(chain, e, which),
            ("last" | "max" | "min", 0) | (_, 1) => {}
            _ => {
                self.wrong_arguments(e, which);
                return None;
            }
        }
        let mut choice = self.choice(chain.item.clone(), span)?;
        let item = self.hidden("item", chain.item.clone(), false, span);
        let item_value = local(item, &chain.item, span);
        let held = self.seen(&choice.item, local(choice.chosen, &choice.owned, span));
        let mut stmts = Vec::new();
        let next = match which {
            "last" => self.owned_value(item_value.clone()),
            "reduce" => {
                let closure = self.function_of(&e.args[0], 2)?;
                self.scoped(false, |this| {
                    let first = this.pattern(&closure.inputs[0], &choice.item);
                    let second = this.pattern(&closure.inputs[1], &choice.item);
                    stmts.push(Stmt::Let(first, Some(held), span));
                    stmts.push(Stmt::Let(second, Some(item_value.clone()), span));
                    let body = this.closure_body(&closure);
                    this.unify(&choice.item, &body.ty, body.span);
                    this.owned_value(body)
                })
            }
            _ => {
                let greater = self.compared(e, which, held, item_value.clone(), &mut stmts)?;
                // of equal items, the last is the maximum and the first the minimum
                let stays = match which.starts_with("max") {
                    true => greater,
                    false => Expr::new(Kind::Unary(UnOp::Not, greater.boxed()), Type::BOOL, span),
                };
                let value = self.owned_value(item_value.clone());
                let stays = Expr::new(Kind::Unary(UnOp::Not, stays.boxed()), Type::BOOL, span);
                let set = self.set(&choice, value);
                stmts.push(Stmt::Expr(conditional(stays, vec![set], None)));
                local(choice.chosen, &choice.owned, span)
            }
        };
        if !matches!(next.kind, Kind::Local(id) if id == choice.chosen) {
            stmts.push(self.set(&choice, next));
        }
        let value = self.owned_value(item_value);
        let first = vec![self.set(&choice, value), found(&choice)];
        let known = local(choice.found, &Type::BOOL, span);
        let body = vec![Stmt::Expr(conditional(known, stmts, Some(first)))];
        let looped = self.loop_over(chain, Pattern::Bind(item), body, span);
        choice.stmts.push(Stmt::Expr(looped));
        Some(choice)
    }

    /// The item of an iterator of at most one.
    fn one_of(&mut self, e: &syn::Expr, span: Span) -> Option<Choice> {
        let chain = self.chain(e)?;
        let mut choice = self.choice(chain.item.clone(), span)?;
        let item = self.hidden("item", chain.item.clone(), false, span);
        let value = self.owned_value(local(item, &chain.item, span));
        let body = vec![self.set(&choice, value), found(&choice)];
        let looped = self.loop_over(chain, Pattern::Bind(item), body, span);
        choice.stmts.push(Stmt::Expr(looped));
        Some(choice)
    }

    /// `position`, `find`, and `rposition` of the items with their numbers, from the last one on: the loop ends where the
    /// condition holds.
    fn first_where(&mut self, chain: Chain, e: &syn::ExprMethodCall, which: &str) -> Option<Choice> {
        let span = e.span();
        let closure = self.function_of(&e.args[0], 1)?;
        let chosen = if which == "find" { chain.item.clone() } else { Type::USIZE };
        let mut choice = self.choice(chosen, span)?;
        let item = self.hidden("item", chain.item.clone(), false, span);
        let mut value = local(item, &chain.item, span);
        let mut before = Vec::new();
        let mut behind = Vec::new();
        let result = match which {
            "position" => {
                let at = self.hidden("at", Type::USIZE, true, span);
                let at = local(at, &Type::USIZE, span);
                let one = Expr::new(Kind::Int(1), Type::USIZE, span);
                let step = Kind::AssignOp(crate::ir::BinOp::Add, at.clone().boxed(), one.boxed());
                behind.push(Stmt::Expr(Expr::new(step, Type::UNIT, span)));
                let zero = Expr::new(Kind::Int(0), Type::USIZE, span);
                let Kind::Local(counter) = at.kind else { return None };
                choice.stmts.push(Stmt::Let(Pattern::Bind(counter), Some(zero), span));
                at
            }
            "rposition" => {
                let Type::Tuple(parts) = chain.item.clone() else { return None };
                let [number, of] = [0, 1]
                    .map(|at| Expr::new(Kind::Field(value.clone().boxed(), at), parts[at].clone(), span));
                value = of;
                number
            }
            _ => {
                let result = self.owned_value(value.clone());
                value = borrowed(value);
                result
            }
        };
        let cond = self.scoped(false, |this| {
            let pattern = this.pattern(&closure.inputs[0], &value.ty.clone());
            before.push(Stmt::Let(pattern, Some(value), span));
            let cond = this.closure_body(&closure);
            this.unify(&cond.ty, &Type::BOOL, cond.span);
            cond
        });
        let id = self.next_loop();
        let set = vec![self.set(&choice, result), found(&choice), left(id, span)];
        before.push(Stmt::Expr(conditional(cond, set, None)));
        before.append(&mut behind);
        let looped = self.loop_as(id, chain, Pattern::Bind(item), before, span);
        choice.stmts.push(Stmt::Expr(looped));
        Some(choice)
    }

    /// `any` and `all`.
    pub(crate) fn any_or_all(&mut self, e: &syn::ExprMethodCall, any: bool) -> Expr {
        let span = e.span();
        let Some(chain) = self.chain(&e.receiver) else { return self.error(span) };
        let Some(closure) = self.function_of(&e.args[0], 1) else { return self.error(span) };
        let (pattern, cond) = self.scoped(false, |this| {
            let pattern = this.pattern(&closure.inputs[0], &chain.item);
            (pattern, this.closure_body(&closure))
        });
        self.unify(&cond.ty, &Type::BOOL, cond.span);
        let result = self.hidden(if any { "any" } else { "all" }, Type::BOOL, true, span);
        let value = local(result, &Type::BOOL, span);
        let known = |truth| Expr::new(Kind::Bool(truth), Type::BOOL, span);
        let ends = match any {
            true => cond,
            false => Expr::new(Kind::Unary(UnOp::Not, cond.boxed()), Type::BOOL, span),
        };
        let id = self.next_loop();
        let set = Kind::Assign(value.clone().boxed(), known(any).boxed());
        let set = vec![Stmt::Expr(Expr::new(set, Type::UNIT, span)), left(id, span)];
        let body = vec![Stmt::Expr(conditional(ends, set, None))];
        let looped = self.loop_as(id, chain, pattern, body, span);
        let stmts = vec![Stmt::Let(Pattern::Bind(result), Some(known(!any)), span), Stmt::Expr(looped)];
        Expr::new(Kind::Block(Block { stmts, tail: Some(value.boxed()) }), Type::BOOL, span)
    }

    /// The variables of a choice among items of this type.
    fn choice(&mut self, item: Type, span: Span) -> Option<Choice> {
        let copy = self.owned(&item);
        let Some((owned, start)) = copy.and_then(|owned| Some((owned.clone(), self.zero(&owned, span)?)))
        else {
            let shown = self.infer.show(&item);
            self.refuse(
                span,
                format!("one of several items of type `{shown}`"),
                "which of them it is is known only at run time, so that it is copied",
                "choose among numbers, arrays of constant length or indices: `x.iter().position(…)`, and `x[k] = …`",
            );
            return None;
        };
        let chosen = self.hidden("chosen", owned.clone(), true, span);
        let found = self.hidden("found", Type::BOOL, true, span);
        let no = Expr::new(Kind::Bool(false), Type::BOOL, span);
        let stmts = vec![
            Stmt::Let(Pattern::Bind(chosen), Some(start), span),
            Stmt::Let(Pattern::Bind(found), Some(no), span),
        ];
        Some(Choice { found, chosen, item, owned, stmts, span })
    }

    /// What `unwrap` and the others make of a choice: the copy itself, also where it was a reference.
    fn opened(&mut self, choice: Choice, e: &syn::ExprMethodCall, name: &str) -> Expr {
        let span = e.span();
        let mut stmts = choice.stmts;
        let known = local(choice.found, &Type::BOOL, choice.span);
        let value = local(choice.chosen, &choice.owned, span);
        let tail = match name {
            "is_some" => known,
            "is_none" => Expr::new(Kind::Unary(UnOp::Not, known.boxed()), Type::BOOL, span),
            "unwrap" | "expect" => {
                let text = "an iterator without such an item".to_owned();
                let assert = Kind::Assert(known.boxed(), text, false);
                stmts.push(Stmt::Expr(Expr::new(assert, Type::UNIT, span)));
                value
            }
            _ => {
                let other = match e.args.first() {
                    Some(other) => {
                        let other = self.expr(other);
                        self.unify(&choice.owned, &other.ty, other.span);
                        self.owned_value(other)
                    }
                    None => match self.zero(&choice.owned, span) {
                        Some(zero) => zero,
                        None => return self.error(span),
                    },
                };
                let none = Expr::new(Kind::Unary(UnOp::Not, known.boxed()), Type::BOOL, span);
                let set = Kind::Assign(value.clone().boxed(), other.boxed());
                let set = Stmt::Expr(Expr::new(set, Type::UNIT, span));
                stmts.push(Stmt::Expr(conditional(none, vec![set], None)));
                value
            }
        };
        let ty = tail.ty.clone();
        Expr::new(Kind::Block(Block { stmts, tail: Some(tail.boxed()) }), ty, span)
    }

    /// The type of a copy of a value behind references; none stands for a place that may be written to.
    fn owned(&self, ty: &Type) -> Option<Type> {
        if let Type::Ref(true, _) = self.infer.shallow(ty) {
            return None;
        }
        Some(match self.infer.peel(ty) {
            Type::Tuple(parts) => {
                Type::Tuple(parts.iter().map(|part| self.owned(part)).collect::<Option<_>>()?)
            }
            Type::Array(_, Len::Dynamic) | Type::Never => return None,
            other => other,
        })
    }

    /// Some value of a type, for a variable that is assigned before it is read.
    fn zero(&self, ty: &Type, span: Span) -> Option<Expr> {
        let kind = match self.infer.shallow(ty) {
            Type::Scalar(Ty::Bool) => Kind::Bool(false),
            Type::Scalar(Ty::Int(_)) => Kind::Int(0),
            Type::Scalar(Ty::Float(_)) => Kind::Float("0.0".to_owned()),
            Type::Var(_) => match self.infer.class(ty) {
                Class::Int => Kind::Int(0),
                Class::Float => Kind::Float("0.0".to_owned()),
                Class::Any => return None,
            },
            Type::Array(elem, Len::Known(len)) => {
                Kind::Repeat(self.zero(&elem, span)?.boxed(), Expr::clone(&len).boxed())
            }
            other => {
                let members = other.members()?.iter().map(|part| self.zero(part, span));
                Kind::Tuple(members.collect::<Option<_>>()?)
            }
        };
        Some(Expr::new(kind, ty.clone(), span))
    }

    /// The value without the references in it.
    fn owned_value(&mut self, e: Expr) -> Expr {
        let e = self.dereferenced(e);
        let Type::Tuple(parts) = self.infer.shallow(&e.ty) else { return e };
        if !parts.iter().any(|part| self.has_references(part)) {
            return e;
        }
        let span = e.span;
        let members = parts.iter().enumerate().map(|(at, part)| {
            let member = Expr::new(Kind::Field(e.clone().boxed(), at), part.clone(), span);
            self.owned_value(member)
        });
        let members: Vec<Expr> = members.collect();
        let ty = Type::Tuple(members.iter().map(|member| member.ty.clone()).collect());
        Expr::new(Kind::Tuple(members), ty, span)
    }

    fn has_references(&self, ty: &Type) -> bool {
        match self.infer.shallow(ty) {
            Type::Ref(..) => true,
            Type::Tuple(parts) => parts.iter().any(|part| self.has_references(part)),
            _ => false,
        }
    }

    /// A copy, as a value of the type `ty` with references.
    pub(super) fn seen(&self, ty: &Type, copy: Expr) -> Expr {
        let span = copy.span;
        match self.infer.shallow(ty) {
            Type::Ref(_, inner) => borrowed(self.seen(&inner, copy)),
            Type::Tuple(parts) if parts.iter().any(|part| self.has_references(part)) => {
                let members = parts.iter().enumerate().map(|(at, part)| {
                    let owned = self.owned(part).unwrap_or(Type::Never);
                    self.seen(part, Expr::new(Kind::Field(copy.clone().boxed(), at), owned, span))
                });
                let members: Vec<Expr> = members.collect();
                let ty = Type::Tuple(members.iter().map(|member| member.ty.clone()).collect());
                Expr::new(Kind::Tuple(members), ty, span)
            }
            _ => copy,
        }
    }

    fn set(&self, choice: &Choice, value: Expr) -> Stmt {
        let span = value.span;
        let target = local(choice.chosen, &choice.owned, choice.span);
        Stmt::Expr(Expr::new(Kind::Assign(target.boxed(), value.boxed()), Type::UNIT, span))
    }

    pub(crate) fn next_loop(&mut self) -> usize {
        self.loop_count += 1;
        self.loop_count
    }

    /// A loop over a chain, under a number that jumps in it name.
    pub(super) fn loop_as(
        &mut self,
        id: usize,
        chain: Chain,
        pattern: Pattern,
        stmts: Vec<Stmt>,
        span: Span,
    ) -> Expr {
        let name = self.counter(&pattern, &chain);
        let body = Block { stmts, tail: None };
        let each = Each { id, pattern, name, chain, marks: Marks::default(), body };
        Expr::new(Kind::Each(Box::new(each)), Type::UNIT, span)
    }
}

pub(crate) fn local(id: LocalId, ty: &Type, span: Span) -> Expr {
    Expr::new(Kind::Local(id), ty.clone(), span)
}

pub(crate) fn borrowed(e: Expr) -> Expr {
    let (ty, span) = (Type::Ref(false, Box::new(e.ty.clone())), e.span);
    Expr::new(Kind::Borrow(e.boxed()), ty, span)
}

fn found(choice: &Choice) -> Stmt {
    let span = choice.span;
    let yes = Expr::new(Kind::Bool(true), Type::BOOL, span);
    let target = local(choice.found, &Type::BOOL, span);
    Stmt::Expr(Expr::new(Kind::Assign(target.boxed(), yes.boxed()), Type::UNIT, span))
}

/// `break` out of a loop.
pub(super) fn left(id: usize, span: Span) -> Stmt {
    Stmt::Expr(Expr::new(Kind::Jump(Target { id, exit: Exit::Out }, None), Type::Never, span))
}

pub(super) fn conditional(cond: Expr, then: Vec<Stmt>, els: Option<Vec<Stmt>>) -> Expr {
    let span = cond.span;
    let block = |stmts| {
        let block = Block { stmts, tail: None };
        Expr::new(Kind::Block(block), Type::UNIT, span).boxed()
    };
    let els = els.map(&block);
    Expr::new(Kind::If(cond.boxed(), block(then), els), Type::UNIT, span)
}
