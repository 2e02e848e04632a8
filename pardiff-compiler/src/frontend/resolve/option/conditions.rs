//! `Option`s that are taken apart where they are made: a condition, and a value where it holds.
//!
//! ```text
//! while let Some(k) = stack.pop() { … }           loop { if stack.len() > 0 { let k = …; … } else { break } }
//! if let Some(v) = x.get(i) { … } else { … }      if i < x.len() { let v = &x[i]; … } else { … }
//! let Some(v) = x.last() else { return 0.0 };     if x.len() > 0 { let v = …; … } else { return 0.0 }
//! match x.iter().position(p) { Some(0) => a, Some(i) => b, None => c }
//! i.checked_sub(1).map_or(0.0, |i| x[i])
//! i.checked_add_signed(d).filter(|&j| j < n)      i + d >= 0 && { let j = i + d; j < n }
//! ```
//!
//! What makes them: `pop` of a vector, `first`, `last` and `get` of arrays, `checked_add` and its like, the methods of
//! iterators that choose an item, and what holds an `Option` as a value (`value`).

use super::selected::{CHOICES, local};
use super::{compare, last, number};
use crate::frontend::display::tidy;
use crate::frontend::infer::Type;
use crate::frontend::resolve::expr::array_name;
use crate::frontend::resolve::jump::Leavable;
use crate::frontend::resolve::mixed_signs::operation;
use crate::frontend::resolve::{Resolver, bare, iterator};
use crate::frontend::results::does_nothing;
use crate::frontend::tree::{
    Access, Block, Exit, Expr, Kind, MatchPattern, Method, Pattern, Runtime, Stmt, Target,
};
use crate::ir::BinOp;
use proc_macro2::Span;
use syn::spanned::Spanned;

/// An `Option` that is made: whether there is a value, and the value if there is one.
pub(crate) struct Made {
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) cond: Expr,
    pub(crate) value: Expr,
}

/// The `p` of `Some(p)`.
pub(crate) fn some(pat: &syn::Pat) -> Option<&syn::Pat> {
    match pat {
        syn::Pat::Paren(pat) => some(&pat.pat),
        syn::Pat::TupleStruct(pat) if pat.path.is_ident("Some") && pat.elems.len() == 1 => pat.elems.first(),
        _ => None,
    }
}

/// Whether a function makes the value of an error and does nothing else.
fn makes_an_error(f: &syn::Expr) -> bool {
    match bare(f) {
        syn::Expr::Closure(f) => does_nothing(&f.body),
        syn::Expr::Path(_) => does_nothing(&syn::parse_quote!(#f(()))),
        _ => false,
    }
}

fn is_none(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Paren(pat) => is_none(&pat.pat),
        syn::Pat::Ident(pat) => pat.ident == "None",
        syn::Pat::Path(pat) => pat.path.is_ident("None"),
        syn::Pat::Wild(_) => true,
        _ => false,
    }
}

/// Whether the value is taken from a vector, so that it is made once.
fn makes_by_popping(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::MethodCall(call) => call.method == "pop" || makes_by_popping(&call.receiver),
        _ => false,
    }
}

/// Whether an `Option` is a value, or what adapters make of one, and none that a method of std makes of something else.
pub(super) fn opens_a_value(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "map" | "and_then" | "filter" => {
                !iterator::is_chain(&call.receiver) && !makes_by_popping(&call.receiver)
            }
            "copied" | "cloned" => opens_a_value(&call.receiver),
            "or" | "or_else" | "zip" | "xor" | "as_mut" | "replace" => true,
            "then" | "then_some" => true,
            "pop" | "get" | "get_mut" | "first" | "first_mut" | "last" | "last_mut" | "split_first"
            | "split_last" => false,
            "fold" | "try_fold" | "sum" | "product" | "collect" => true,
            name => !name.starts_with("checked_") && !iterator::is_chain(&call.receiver),
        },
        _ => true,
    }
}

/// `{ stmts; value }`
pub(crate) fn behind(stmts: Vec<Stmt>, value: Expr, span: Span) -> Expr {
    if stmts.is_empty() {
        return value;
    }
    let ty = value.ty.clone();
    Expr::new(Kind::Block(Block { stmts, tail: Some(value.boxed()) }), ty, span)
}

impl Resolver<'_> {
    /// `if let Some(p) = e { … } else { … }`; `None` if it is another condition.
    pub(crate) fn if_some(&mut self, e: &syn::ExprIf, span: Span) -> Option<Expr> {
        let syn::Expr::Let(condition) = bare(&e.cond) else { return None };
        let pat = some(&condition.pat)?;
        let Made { mut stmts, cond, value } = self.made(&condition.expr)?;
        let (then, then_ty) = self.scoped(false, |this| {
            let bound = this.bound(pat, value);
            let (block, ty) = this.block(&e.then_branch);
            this.behind_let(bound, Expr::new(Kind::Block(block), ty, e.then_branch.brace_token.span.join()))
        });
        let (kind, ty) = match &e.else_branch {
            None => {
                self.unify(&then_ty, &Type::UNIT, span);
                (Kind::If(cond.boxed(), then.boxed(), None), Type::UNIT)
            }
            Some((_, els)) => {
                let els = self.expr(els);
                let ty = self.join(&then_ty, &els.ty, span);
                (Kind::If(cond.boxed(), then.boxed(), Some(els.boxed())), ty)
            }
        };
        let branch = Expr::new(kind, ty.clone(), span);
        if stmts.is_empty() {
            return Some(branch);
        }
        let tail = match ty {
            Type::Tuple(parts) if parts.is_empty() => {
                stmts.push(Stmt::Expr(branch));
                None
            }
            _ => Some(branch.boxed()),
        };
        let ty = tail.as_ref().map_or(Type::UNIT, |tail| tail.ty.clone());
        Some(Expr::new(Kind::Block(Block { stmts, tail }), ty, span))
    }

    /// `while let Some(p) = e { … }`
    pub(crate) fn while_some(&mut self, e: &syn::ExprWhile) -> Option<Expr> {
        let syn::Expr::Let(condition) = bare(&e.cond) else { return None };
        let pat = some(&condition.pat)?;
        let span = e.while_token.span();
        let (body, id, _) = self.inside(Leavable::Loop, e.label.as_ref(), |this, id| {
            let Made { mut stmts, cond, value } = this.made(&condition.expr)?;
            let (then, ty) = this.scoped(false, |this| {
                let bound = this.bound(pat, value);
                let (block, ty) = this.block(&e.body);
                let body = Expr::new(Kind::Block(block), ty, e.body.brace_token.span.join());
                this.behind_let(bound, body)
            });
            this.unify(&ty, &Type::UNIT, span);
            let out = Kind::Jump(Target { id, exit: Exit::Out }, None);
            let out = vec![Stmt::Expr(Expr::new(out, Type::Never, span))];
            let out = Expr::new(Kind::Block(Block { stmts: out, tail: None }), Type::Never, span);
            // what leaves comes first, so that what follows is all in the other branch
            let none = Expr::new(Kind::Unary(crate::ir::UnOp::Not, cond.boxed()), Type::BOOL, span);
            stmts.push(Stmt::Expr(Expr::new(Kind::If(none.boxed(), out.boxed(), None), Type::UNIT, span)));
            stmts.push(Stmt::Expr(then));
            Some(Block { stmts, tail: None })
        });
        let runtime = Runtime { id, cond: None, body: body? };
        Some(Expr::new(Kind::While(Box::new(runtime)), Type::UNIT, span))
    }

    /// `let Some(p) = e else { … };`
    pub(crate) fn let_some(&mut self, pat: &syn::Pat, e: &syn::Expr, els: &syn::Expr) -> Option<Vec<Stmt>> {
        let pat = some(pat)?;
        let Made { mut stmts, cond, value } = self.made(e)?;
        let els = self.expr(els);
        let span = e.span();
        let yes = Expr::new(Kind::Bool(true), Type::BOOL, span);
        stmts.push(Stmt::LetElse(Box::new(MatchPattern::Value(yes)), cond, els));
        stmts.push(self.bound(pat, value));
        Some(stmts)
    }

    /// `match e { Some(a) => …, None => … }`
    pub(crate) fn match_some(&mut self, e: &syn::ExprMatch, span: Span) -> Option<Expr> {
        let is_option = |arm: &syn::Arm| match &arm.pat {
            syn::Pat::Guard(pat) => some(&pat.pat).is_some(),
            pat => some(pat).is_some(),
        };
        // a condition on what is not there, as in `None if late => …`, and any other pattern: the arms are gone through in turn
        let is_known = |arm: &syn::Arm| is_option(arm) || is_none(&arm.pat);
        if !e.arms.iter().any(is_option) || !e.arms.iter().all(is_known) {
            return None;
        }
        let none = e.arms.iter().find(|arm| is_none(&arm.pat))?;
        let Made { stmts, cond, value } = self.made(&e.expr)?;
        // the arms that a value can take, as those of a `match` on the value itself
        let name = self.hidden("some", value.ty.clone(), false, value.span);
        let mut arms: Vec<syn::Arm> = Vec::new();
        for arm in &e.arms {
            let inner = match &arm.pat {
                syn::Pat::Guard(pat) => match some(&pat.pat) {
                    Some(inner) => {
                        let mut pat = pat.clone();
                        *pat.pat = inner.clone();
                        syn::Pat::Guard(pat)
                    }
                    None => continue,
                },
                syn::Pat::Wild(_) => arm.pat.clone(),
                pat => match some(pat) {
                    Some(inner) => inner.clone(),
                    None => continue,
                },
            };
            arms.push(syn::Arm { pat: inner, ..arm.clone() });
        }
        let value_ty = value.ty.clone();
        let bound = Stmt::Let(Pattern::Bind(name), Some(value), span);
        let (then, ty) = match &arms[..] {
            [arm] if !matches!(arm.pat, syn::Pat::Guard(_)) => self.scoped(false, |this| {
                let value = local(name, &value_ty, span);
                let inner = this.bound(&arm.pat, value);
                let body = this.expr(&arm.body);
                let ty = body.ty.clone();
                this.behind_let(inner, Expr { ty, ..body })
            }),
            _ => {
                let matched = self.matched(local(name, &value_ty, span), &arms, span);
                let ty = matched.ty.clone();
                (matched, ty)
            }
        };
        let (then, _) = self.behind_let(bound, then);
        let els = self.expr(&none.body);
        let ty = self.join(&ty, &els.ty, span);
        let branch = Expr::new(Kind::If(cond.boxed(), then.boxed(), Some(els.boxed())), ty.clone(), span);
        if stmts.is_empty() {
            return Some(branch);
        }
        Some(Expr::new(Kind::Block(Block { stmts, tail: Some(branch.boxed()) }), ty, span))
    }

    /// `let p = value;`
    pub(super) fn bound(&mut self, pat: &syn::Pat, value: Expr) -> Stmt {
        let span = value.span;
        let pattern = self.pattern(pat, &value.ty.clone());
        Stmt::Let(pattern, Some(value), span)
    }

    pub(super) fn behind_let(&mut self, bound: Stmt, body: Expr) -> (Expr, Type) {
        let (ty, span) = (body.ty.clone(), body.span);
        let block = match ty {
            Type::Tuple(ref parts) if parts.is_empty() => {
                Block { stmts: vec![bound, Stmt::Expr(body)], tail: None }
            }
            _ => Block { stmts: vec![bound], tail: Some(body.boxed()) },
        };
        (Expr::new(Kind::Block(block), ty.clone(), span), ty)
    }

    /// What makes an `Option`; `None` if it is something else.
    pub(super) fn made(&mut self, e: &syn::Expr) -> Option<Made> {
        let refusals = self.refusals.0.len();
        let made = match bare(e) {
            syn::Expr::MethodCall(call) if self.is_refused(&call.receiver) => self.held(&call.receiver),
            syn::Expr::MethodCall(call) => self.made_by_method(call),
            e => self.made_by_conversion(e),
        };
        match made {
            None if self.refusals.0.len() == refusals => self.held(e),
            made => made,
        }
    }

    /// What a method of std makes.
    pub(super) fn made_by_method(&mut self, call: &syn::ExprMethodCall) -> Option<Made> {
        let name = call.method.to_string();
        match (name.as_str(), call.args.len()) {
            ("copied" | "cloned", 0) => {
                let made = self.made(&call.receiver)?;
                let value = self.dereferenced(made.value);
                Some(Made { value, ..made })
            }
            ("filter", 1) if !makes_by_popping(&call.receiver) => self.filtered(call),
            ("map" | "and_then", 1)
                if !iterator::is_chain(&call.receiver) && !makes_by_popping(&call.receiver) =>
            {
                self.mapped(call, &name)
            }
            ("or" | "or_else", 1) => self.first_of_two(call, &name),
            // a `Result` is read as an `Option`
            ("as_ref" | "ok", 0) => self.made(&call.receiver),
            ("ok_or" | "ok_or_else" | "map_err", 1) => {
                let error = &call.args[0];
                let unseen = if name == "ok_or" { does_nothing(error) } else { makes_an_error(error) };
                if !unseen {
                    let refused = self.refuse_computed_error(error.span());
                    return Some(Made { stmts: Vec::new(), cond: refused.clone(), value: refused });
                }
                self.made(&call.receiver)
            }
            ("try_into", 0) => self.made_by_conversion(&syn::Expr::MethodCall(call.clone())),
            ("as_mut", 0) => self.held_as(&call.receiver, true),
            ("take", 0) | ("replace", 1) => self.taken(call),
            ("zip" | "xor", 1) if !iterator::is_chain(&call.receiver) => self.of_both(call, &name),
            ("then" | "then_some", 1) => self.on_condition(call, &name),
            ("pop", 0) => self.popped(call),
            ("partial_cmp", 1) => self.partially_ordered(call),
            ("first" | "last" | "first_mut" | "last_mut", 0) | ("get" | "get_mut", 1)
                if !iterator::is_chain(&call.receiver) =>
            {
                self.element_of_array(call, &name)
            }
            ("split_first" | "split_last", 0) => {
                let span = call.span();
                let array = self.expr(&call.receiver);
                let Type::Array(elem, _) = self.infer.peel(&array.ty) else { return None };
                let access = Access { array: array_name(&call.receiver), text: tidy(call) };
                let len = self.len_of(&array, &access, span);
                let cond = compare(BinOp::Gt, len.clone(), number(0, span));
                let value = self.split_off(&name, "unwrap", (&array, &len, &elem), &access, span);
                Some(Made { stmts: Vec::new(), cond, value })
            }
            ("sum" | "product", 0) if iterator::is_chain(&call.receiver) => {
                let total = self.consumer(call);
                self.option_type(&total.ty)?;
                Some(self.parts_of(total))
            }
            ("collect", 0) if iterator::is_chain(&call.receiver) => self.collected_options(call),
            ("fold" | "try_fold", 2) if iterator::is_chain(&call.receiver) => {
                let folded = if name == "fold" { self.fold(call) } else { self.folded_while(call) };
                self.option_type(&folded.ty)?;
                Some(self.parts_of(folded))
            }
            (_, 1) if name.starts_with("checked_") => self.checked_operation(call, &name),
            _ if CHOICES.contains(&name.as_str())
                && iterator::is_chain(&call.receiver)
                && !crate::frontend::resolve::rayon::is_parallel(&call.receiver) =>
            {
                let span = call.span();
                let choice = self.choose(call, &name)?;
                let cond = local(choice.found, &Type::BOOL, span);
                let value = self.seen(&choice.item, local(choice.chosen, &choice.owned, span));
                Some(Made { stmts: choice.stmts, cond, value })
            }
            _ => None,
        }
    }

    /// `e.filter(|v| …)`
    fn filtered(&mut self, call: &syn::ExprMethodCall) -> Option<Made> {
        let span = call.span();
        let Made { stmts, cond, value } = self.made(&call.receiver)?;
        let closure = self.function_of(&call.args[0], 1)?;
        let ty = Type::Ref(false, Box::new(value.ty.clone()));
        let seen = Expr::new(Kind::Borrow(value.clone().boxed()), ty, span);
        let (keeps, _) = self.scoped(false, |this| {
            let bound = this.bound(&closure.inputs[0], seen);
            let body = this.closure_body(&closure);
            this.unify(&body.ty, &Type::BOOL, body.span);
            this.behind_let(bound, body)
        });
        let cond = Expr::new(Kind::And(cond.boxed(), keeps.boxed()), Type::BOOL, span);
        Some(Made { stmts, cond, value })
    }

    fn popped(&mut self, call: &syn::ExprMethodCall) -> Option<Made> {
        let span = call.span();
        let array = self.expr(&call.receiver);
        let Type::Array(elem, _) = self.infer.peel(&array.ty) else { return None };
        let access = Access { array: array_name(&call.receiver), text: tidy(call) };
        let cond = compare(BinOp::Gt, self.len_of(&array, &access, span), number(0, span));
        let value = Expr::new(Kind::Method(Method::Pop, vec![array], access), *elem, span);
        Some(Made { stmts: Vec::new(), cond, value })
    }

    fn len_of(&self, array: &Expr, access: &Access, span: Span) -> Expr {
        Expr::new(Kind::Method(Method::Len, vec![array.clone()], access.clone()), Type::USIZE, span)
    }

    fn element_of_array(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let span = call.span();
        let array = self.expr(&call.receiver);
        if self.nd_rank(&array.ty) > 0 {
            return None;
        }
        let Type::Array(elem, _) = self.infer.peel(&array.ty) else { return None };
        let access = Access { array: array_name(&call.receiver), text: tidy(call) };
        let len = self.len_of(&array, &access, span);
        let mut stmts = Vec::new();
        let (index, cond) = match name.trim_end_matches("_mut") {
            "first" => (number(0, span), compare(BinOp::Gt, len, number(0, span))),
            "last" => (last(&len, span), compare(BinOp::Gt, len, number(0, span))),
            _ => {
                let index = self.index_of(call);
                let id = self.hidden("index", Type::USIZE, false, span);
                stmts.push(Stmt::Let(Pattern::Bind(id), Some(index), span));
                let index = local(id, &Type::USIZE, span);
                (index.clone(), compare(BinOp::Lt, index, len))
            }
        };
        let element = Kind::Index(array.boxed(), index.boxed(), access);
        let element = Expr::new(element, (*elem).clone(), span);
        let ty = Type::Ref(name.ends_with("_mut"), elem);
        Some(Made { stmts, cond, value: Expr::new(Kind::Borrow(element.boxed()), ty, span) })
    }

    fn checked_operation(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let span = call.span();
        let op = operation(name.strip_prefix("checked_")?)?;
        let left = self.expr(&call.receiver);
        let right = self.expr(&call.args[0]);
        let Some(ty) = self.operands_of(op, name, &left, &right, call.method.span()) else {
            let (cond, value) = (self.error(span), self.error(span));
            return Some(Made { stmts: Vec::new(), cond, value });
        };
        let mut stmts = Vec::new();
        let mut named = |this: &mut Self, name: &str, value: Expr| {
            let of = this.infer.peel(&value.ty);
            let id = this.hidden(name, of.clone(), false, span);
            let value = this.dereferenced(value);
            stmts.push(Stmt::Let(Pattern::Bind(id), Some(value), span));
            local(id, &of, span)
        };
        let args = vec![named(self, "left", left), named(self, "right", right)];
        let access = Access { array: tidy(&call.receiver), text: tidy(call) };
        let some = Kind::Method(Method::CheckedIsSome(op.name), args.clone(), access.clone());
        let value = Kind::Method(Method::CheckedUnwrap(op.name), args, access);
        let cond = Expr::new(some, Type::BOOL, span);
        Some(Made { stmts, cond, value: Expr::new(value, ty, span) })
    }
}
