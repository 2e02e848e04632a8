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
use crate::frontend::resolve::{Resolver, is_word, iterator, option};
use crate::frontend::tree::{Block, Expr, Kind, Len, LocalId, Pattern, Stmt};
use crate::ir::{BinOp, Marks, Ty};
use proc_macro2::Span;
use syn::spanned::Spanned;

/// Whether it is a method that chooses an item.
pub(super) fn is_choice(name: &str) -> bool {
    let names = "reduce last max min max_by min_by max_by_key min_by_key position rposition find next nth";
    is_word(names, name)
}

/// What a loop over the items finds.
pub(super) struct Choice {
    /// Whether there is an item, and a copy of it.
    pub(super) found: Expr,
    pub(super) chosen: Expr,
    /// The type of the item; that of the copy has no references.
    pub(super) item: Type,
    pub(super) stmts: Vec<Stmt>,
}

impl Choice {
    fn set(&self, value: Expr) -> Stmt {
        Stmt::assign(&self.chosen, value)
    }

    fn is_found(&self) -> Stmt {
        Stmt::assign(&self.found, Expr::bool(true, self.found.span))
    }
}

impl Resolver<'_> {
    /// `x.iter().max().unwrap()` and the like; `None` if it is none of these.
    pub(crate) fn chosen(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let (inner, _) = option::opened_option(e)?;
        let which = inner.method.to_string();
        if !is_choice(&which) || !iterator::is_chain(&inner.receiver) {
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
        let (item, item_value) = self.item_of(&chain, span);
        let held = self.seen(&choice.item, choice.chosen.clone());
        let mut stmts = Vec::new();
        match which {
            "last" => stmts.push(choice.set(self.owned_value(item_value.clone()))),
            "reduce" => {
                let closure = self.function_of(&e.args[0], 2)?;
                let next = self.scoped(false, |this| {
                    let first = this.pattern(&closure.inputs[0], &choice.item);
                    let second = this.pattern(&closure.inputs[1], &choice.item);
                    stmts.push(Stmt::Let(first, Some(held), span));
                    stmts.push(Stmt::Let(second, Some(item_value.clone()), span));
                    let body = this.closure_body(&closure);
                    this.unify(&choice.item, &body.ty, body.span);
                    this.owned_value(body)
                });
                stmts.push(choice.set(next));
            }
            _ => {
                let greater = self.compared(e, which, held, item_value.clone(), &mut stmts)?;
                // of equal items, the last is the maximum and the first the minimum
                let stays = if which.starts_with("max") { greater } else { greater.not() };
                let value = self.owned_value(item_value.clone());
                stmts.push(Stmt::when(stays.not(), vec![choice.set(value)], None));
            }
        }
        let value = self.owned_value(item_value);
        let first = vec![choice.set(value), choice.is_found()];
        let body = vec![Stmt::when(choice.found.clone(), stmts, Some(first))];
        let looped = self.loop_over(chain, Pattern::Bind(item), body, span);
        choice.stmts.push(Stmt::Expr(looped));
        Some(choice)
    }

    /// A variable for the items of a chain.
    fn item_of(&mut self, chain: &Chain, span: Span) -> (LocalId, Expr) {
        let item = self.hidden("item", chain.item.clone(), false, span);
        (item, Expr::local(item, &chain.item, span))
    }

    /// The item of an iterator of at most one.
    fn one_of(&mut self, e: &syn::Expr, span: Span) -> Option<Choice> {
        let chain = self.chain(e)?;
        let mut choice = self.choice(chain.item.clone(), span)?;
        let (item, value) = self.item_of(&chain, span);
        let body = vec![choice.set(self.owned_value(value)), choice.is_found()];
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
        let (item, mut value) = self.item_of(&chain, span);
        let mut behind = None;
        let result = match which {
            "position" => {
                let counter = self.hidden("at", Type::USIZE, true, span);
                let at = Expr::local(counter, &Type::USIZE, span);
                behind = Some(Stmt::update(BinOp::Add, &at, Expr::usize(1, span)));
                choice.stmts.push(Stmt::bind(counter, Expr::usize(0, span)));
                at
            }
            "rposition" => {
                let Type::Tuple(parts) = &chain.item else { return None };
                let number = value.member(0, &parts[0], span);
                value = value.member(1, &parts[1], span);
                number
            }
            _ => {
                let result = self.owned_value(value.clone());
                value = value.borrowed(false);
                result
            }
        };
        let (pattern, cond) = self.test(&closure, &value.ty);
        let id = self.next_loop();
        let set = vec![choice.set(result), choice.is_found(), Stmt::leave(id, span)];
        let mut body = vec![Stmt::Let(pattern, Some(value), span), Stmt::when(cond, set, None)];
        body.extend(behind);
        let looped = self.loop_as(id, chain, Pattern::Bind(item), body, span);
        choice.stmts.push(Stmt::Expr(looped));
        Some(choice)
    }

    /// A closure that asks something of a value.
    pub(crate) fn test(&mut self, closure: &syn::ExprClosure, of: &Type) -> (Pattern, Expr) {
        let (pattern, cond) = self.scoped(false, |this| {
            let pattern = this.pattern(&closure.inputs[0], of);
            (pattern, this.closure_body(closure))
        });
        self.unify(&cond.ty, &Type::BOOL, cond.span);
        (pattern, cond)
    }

    /// `any` and `all`.
    pub(crate) fn any_or_all(&mut self, e: &syn::ExprMethodCall, any: bool) -> Expr {
        let span = e.span();
        let Some(chain) = self.chain(&e.receiver) else { return self.error(span) };
        let Some(closure) = self.function_of(&e.args[0], 1) else { return self.error(span) };
        let (pattern, cond) = self.test(&closure, &chain.item);
        let result = self.hidden(if any { "any" } else { "all" }, Type::BOOL, true, span);
        let value = Expr::local(result, &Type::BOOL, span);
        let id = self.next_loop();
        let set = vec![Stmt::assign(&value, Expr::bool(any, span)), Stmt::leave(id, span)];
        let body = vec![Stmt::when(if any { cond } else { cond.not() }, set, None)];
        let looped = self.loop_as(id, chain, pattern, body, span);
        value.behind(vec![Stmt::bind(result, Expr::bool(!any, span)), Stmt::Expr(looped)], span)
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
        let stmts = vec![Stmt::bind(chosen, start), Stmt::bind(found, Expr::bool(false, span))];
        let [found, chosen] =
            [(found, &Type::BOOL), (chosen, &owned)].map(|(id, ty)| Expr::local(id, ty, span));
        Some(Choice { found, chosen, item, stmts })
    }

    /// What `unwrap` and the others make of a choice: the copy itself, also where it was a reference.
    fn opened(&mut self, choice: Choice, e: &syn::ExprMethodCall, name: &str) -> Expr {
        let span = e.span();
        let Choice { mut stmts, found, chosen, .. } = choice;
        let tail = match name {
            "is_some" => found,
            "is_none" => found.not(),
            "unwrap" | "expect" => {
                stmts.push(Stmt::assert(found, "an iterator without such an item", span));
                chosen
            }
            _ => {
                let other = match e.args.first() {
                    Some(other) => {
                        let other = self.expr(other);
                        self.unify(&chosen.ty, &other.ty, other.span);
                        self.owned_value(other)
                    }
                    None => match self.zero(&chosen.ty, span) {
                        Some(zero) => zero,
                        None => return self.error(span),
                    },
                };
                stmts.push(Stmt::when(found.not(), vec![Stmt::assign(&chosen, other)], None));
                chosen
            }
        };
        tail.behind(stmts, span)
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
        let mut members = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            members.push(self.owned_value(e.member(at, part, e.span)));
        }
        Expr::tuple(members, e.span)
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
            Type::Ref(_, inner) => self.seen(&inner, copy).borrowed(false),
            Type::Tuple(parts) if parts.iter().any(|part| self.has_references(part)) => {
                let members = parts.iter().enumerate().map(|(at, part)| {
                    let owned = self.owned(part).unwrap_or(Type::Never);
                    self.seen(part, copy.member(at, &owned, span))
                });
                Expr::tuple(members.collect(), span)
            }
            _ => copy,
        }
    }

    pub(crate) fn next_loop(&mut self) -> usize {
        self.loop_count += 1;
        self.loop_count
    }

    /// A loop over a chain, under a number that jumps in it name.
    pub(crate) fn loop_as(
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
