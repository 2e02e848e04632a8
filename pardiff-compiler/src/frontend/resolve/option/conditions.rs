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

use super::is_not_empty;
use super::selected::is_choice;
use crate::frontend::display::tidy;
use crate::frontend::errors::does_nothing;
use crate::frontend::infer::Type;
use crate::frontend::resolve::jump::Leavable;
use crate::frontend::resolve::mixed_signs::operation;
use crate::frontend::resolve::pattern::binds_by_reference;
use crate::frontend::resolve::{Resolver, bare, iterator};
use crate::frontend::tree::{Access, Block, Exit, Expr, Kind, MatchPattern, Method, Runtime, Stmt};
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
            "or" | "or_else" | "zip" | "xor" | "as_mut" | "as_deref_mut" | "replace" => true,
            "then" | "then_some" => true,
            "pop" | "get" | "get_mut" | "first" | "first_mut" | "last" | "last_mut" => false,
            "split_first" | "split_first_mut" | "split_last" | "split_last_mut" => false,
            "fold" | "try_fold" | "try_for_each" | "sum" | "product" | "collect" => true,
            name => !name.starts_with("checked_") && !iterator::is_chain(&call.receiver),
        },
        _ => true,
    }
}

impl Resolver<'_> {
    /// `if let Some(p) = e { … } else { … }`; `None` if it is another condition.
    pub(crate) fn if_some(&mut self, e: &syn::ExprIf, span: Span) -> Option<Expr> {
        let syn::Expr::Let(condition) = bare(&e.cond) else { return None };
        let pat = some(&condition.pat)?;
        if let Some((held, name)) = self.held_first(pat) {
            let (value, then) = (&condition.expr, &e.then_branch);
            let els = e.else_branch.as_ref().map(|(token, els)| quote::quote!(#token #els));
            let cond = quote::quote!(let #held = #value && let #pat = #name);
            return Some(self.expr(&syn::parse_quote_spanned!(e.if_token.span=> if #cond #then #els)));
        }
        let Made { mut stmts, cond, value } = self.made_for(&[pat], &condition.expr)?;
        let (then, then_ty) = self.scoped(false, |this| this.block_behind(pat, value, &e.then_branch));
        let branch = match &e.else_branch {
            None => {
                self.unify(&then_ty, &Type::UNIT, span);
                Expr::effect(Kind::If(cond.boxed(), then.boxed(), None), span)
            }
            Some((_, els)) => {
                let els = self.expr(els);
                let ty = self.join(&then_ty, &els.ty, span);
                cond.choose(then, els, ty, span)
            }
        };
        if is_unit(&branch.ty) && !stmts.is_empty() {
            stmts.push(Stmt::Expr(branch));
            return Some(Expr::block(stmts, Type::UNIT, span));
        }
        Some(branch.behind(stmts, span))
    }

    /// Where the `p` of `Some(p)` may fail as well, a pattern that takes any value, and its name, which `p` is then
    /// matched with.
    fn held_first(&mut self, pat: &syn::Pat) -> Option<(syn::Pat, syn::Ident)> {
        if !self.may_fail(pat) || binds_by_reference(pat) {
            return None;
        }
        // raw, so that it is no name of the source
        let name = syn::Ident::new_raw("of_some", pat.span());
        Some((syn::parse_quote!(Some(#name)), name))
    }

    /// `{ let pat = value; block }`
    fn block_behind(&mut self, pat: &syn::Pat, value: Expr, block: &syn::Block) -> (Expr, Type) {
        let bound = self.bound(pat, value);
        self.refuse_capitals(pat);
        let (inner, ty) = self.block(block);
        self.behind_let(bound, Expr::new(Kind::Block(inner), ty, block.brace_token.span.join()))
    }

    /// `while let Some(p) = e { … }`
    pub(crate) fn while_some(&mut self, e: &syn::ExprWhile) -> Option<Expr> {
        let syn::Expr::Let(condition) = bare(&e.cond) else { return None };
        let pat = some(&condition.pat)?;
        if let Some((held, name)) = self.held_first(pat) {
            let (value, body, label, token) = (&condition.expr, &e.body, &e.label, &e.while_token);
            let cond = quote::quote!(let #held = #value && let #pat = #name);
            return Some(self.expr(&syn::parse_quote!(#label #token #cond #body)));
        }
        let span = e.while_token.span();
        let (body, id, _) = self.inside(Leavable::Loop, e.label.as_ref(), |this, id| {
            let Made { mut stmts, cond, value } = this.made_for(&[pat], &condition.expr)?;
            let (then, ty) = this.scoped(false, |this| this.block_behind(pat, value, &e.body));
            this.unify(&ty, &Type::UNIT, span);
            // what leaves comes first, so that what follows is all in the other branch
            stmts.push(unless(cond, Expr::jump(id, Exit::Out, None, span), span));
            stmts.push(Stmt::Expr(then));
            Some(Block { stmts, tail: None })
        });
        let runtime = Runtime { id, cond: None, body: body?, checkpoint: None };
        Some(Expr::effect(Kind::While(Box::new(runtime)), span))
    }

    /// `let Some(p) = e else { … };`
    pub(crate) fn let_some(&mut self, pat: &syn::Pat, e: &syn::Expr, els: &syn::Expr) -> Option<Vec<Stmt>> {
        let pat = some(pat)?;
        if let Some((held, name)) = self.held_first(pat) {
            let mut stmts = self.let_some(&held, e, els)?;
            stmts.push(self.let_else(pat, &syn::parse_quote!(#name), els));
            return Some(stmts);
        }
        let made = self.made_for(&[pat], e)?;
        let els = self.expr(els);
        let stmts = self.let_made(pat, made, els, e.span());
        self.refuse_capitals(pat);
        Some(stmts)
    }

    /// The statements that bind the value, where there is one, and leave by `els` where not.
    pub(crate) fn let_made(&mut self, pat: &syn::Pat, made: Made, els: Expr, span: Span) -> Vec<Stmt> {
        let Made { mut stmts, cond, value } = made;
        let yes = MatchPattern::Value(Expr::bool(true, span));
        stmts.push(Stmt::LetElse(Box::new(yes), cond, els));
        stmts.push(self.bound(pat, value));
        stmts
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
        let patterns: Vec<&syn::Pat> = e.arms.iter().map(|arm| &arm.pat).collect();
        let Made { stmts, cond, value } = self.made_for(&patterns, &e.expr)?;
        // the arms that a value can take, as those of a `match` on the value itself
        let mut arms: Vec<syn::Arm> = Vec::new();
        for arm in &e.arms {
            let mut arm = arm.clone();
            let pat = match &mut arm.pat {
                syn::Pat::Guard(pat) => &mut *pat.pat,
                pat => pat,
            };
            match some(pat) {
                Some(inner) => *pat = inner.clone(),
                None if matches!(pat, syn::Pat::Wild(_)) => {}
                None => continue,
            }
            arms.push(arm);
        }
        let mut bound = Vec::new();
        let value = self.named("some", value, &mut bound);
        let then = match &arms[..] {
            [arm] if !matches!(arm.pat, syn::Pat::Guard(_)) => self.scoped(false, |this| {
                let inner = this.bound(&arm.pat, value);
                let body = this.expr(&arm.body);
                this.behind_let(inner, body).0
            }),
            _ => self.matched(value, &arms, span),
        };
        let ty = then.ty.clone();
        let (then, _) = self.behind_let(bound.remove(0), then);
        let els = self.expr(&none.body);
        let ty = self.join(&ty, &els.ty, span);
        Some(cond.choose(then, els, ty, span).behind(stmts, span))
    }

    /// `let p = value;`
    pub(crate) fn bound(&mut self, pat: &syn::Pat, value: Expr) -> Stmt {
        let span = value.span;
        let pattern = self.pattern(pat, &value.ty.clone());
        Stmt::Let(pattern, Some(value), span)
    }

    pub(super) fn behind_let(&mut self, bound: Stmt, body: Expr) -> (Expr, Type) {
        let (ty, span) = (body.ty.clone(), body.span);
        let block = match is_unit(&ty) {
            true => Expr::block(vec![bound, Stmt::Expr(body)], ty.clone(), span),
            false => body.behind(vec![bound], span),
        };
        (block, ty)
    }

    /// What a closure of one argument makes of a value.
    pub(super) fn applied(&mut self, f: &syn::Expr, value: Expr) -> Option<Expr> {
        let closure = self.function_of(f, 1)?;
        let (applied, _) = self.scoped(false, |this| {
            let bound = this.bound(&closure.inputs[0], value);
            let body = this.closure_body(&closure);
            this.behind_let(bound, body)
        });
        Some(applied)
    }

    /// What makes an `Option`; `None` if it is something else.
    pub(super) fn made(&mut self, e: &syn::Expr) -> Option<Made> {
        self.made_or_held(e, false)
    }

    /// The same for patterns: by `ref` in one of them, they bind places in what is behind a `*`.
    fn made_for(&mut self, patterns: &[&syn::Pat], e: &syn::Expr) -> Option<Made> {
        let by_reference = patterns.iter().any(|pat| binds_by_reference(pat));
        if by_reference && matches!(bare(e), syn::Expr::Unary(_)) {
            return self.held_as(e, true);
        }
        self.made(e)
    }

    /// The same as the receiver of a method that takes it by value: one behind a `&mut` is copied.
    pub(super) fn made_by_value(&mut self, e: &syn::Expr) -> Option<Made> {
        self.made_or_held(e, true)
    }

    fn made_or_held(&mut self, e: &syn::Expr, by_value: bool) -> Option<Made> {
        let refusals = self.refusals.0.len();
        let made = match bare(e) {
            syn::Expr::MethodCall(call) if self.is_refused(&call.receiver) => self.held(&call.receiver),
            syn::Expr::MethodCall(call) => self.made_by_method(call),
            e => self.made_by_conversion(e),
        };
        match made {
            None if self.refusals.0.len() == refusals => {
                let held = self.held(e)?;
                Some(if by_value { self.copied(held) } else { held })
            }
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
            ("clone", 0) => self.made_by_value(&call.receiver),
            ("filter", 1) if !makes_by_popping(&call.receiver) => self.filtered(call),
            ("map" | "and_then", 1)
                if !iterator::is_chain(&call.receiver) && !makes_by_popping(&call.receiver) =>
            {
                self.mapped(call, &name)
            }
            ("or" | "or_else", 1) => self.first_of_two(call, &name),
            // a `Result` is read as an `Option`
            ("as_ref" | "as_deref" | "ok", 0) => self.made(&call.receiver),
            (
                "ok_or" | "ok_or_else" | "map_err" | "context" | "with_context" | "wrap_err"
                | "wrap_err_with",
                1,
            ) => {
                let error = &call.args[0];
                let is_value = ["ok_or", "context", "wrap_err"].contains(&name.as_str());
                let unseen = if is_value { does_nothing(error) } else { makes_an_error(error) };
                if !unseen {
                    let refused = self.refuse_computed_error(error.span());
                    return Some(Made { stmts: Vec::new(), cond: refused.clone(), value: refused });
                }
                self.made(&call.receiver)
            }
            ("try_into", 0) => self.made_by_conversion(&syn::Expr::MethodCall(call.clone())),
            ("as_mut" | "as_deref_mut", 0) => self.held_as(&call.receiver, true),
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
            ("split_first" | "split_last" | "split_first_mut" | "split_last_mut", 0) => {
                let span = call.span();
                let array = self.expr(&call.receiver);
                let Type::Array(elem, _) = self.infer.peel(&array.ty) else { return None };
                let access = Access::of(&call.receiver, call);
                let value = self.split_off(&name, "unwrap", &array, &elem, &access, span);
                Some(Made { stmts: Vec::new(), cond: is_not_empty(array.len(&access, span)), value })
            }
            ("sum" | "product", 0) | ("try_for_each", 1) if iterator::is_chain(&call.receiver) => {
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
            (_, 0) if name.starts_with("to_") => self.made_by_cast(call, &name),
            (_, 1) if name.starts_with("checked_") => self.checked_operation(call, &name),
            _ if is_choice(&name)
                && iterator::is_chain(&call.receiver)
                && !crate::frontend::resolve::rayon::is_parallel(&call.receiver) =>
            {
                let choice = self.choose(call, &name)?;
                let value = self.seen(&choice.item, choice.chosen);
                Some(Made { stmts: choice.stmts, cond: choice.found, value })
            }
            _ => None,
        }
    }

    /// `e.filter(|v| …)`
    fn filtered(&mut self, call: &syn::ExprMethodCall) -> Option<Made> {
        let made = self.made_by_value(&call.receiver)?;
        let keeps = self.applied(&call.args[0], made.value.clone().borrowed(false))?;
        self.unify(&keeps.ty, &Type::BOOL, keeps.span);
        Some(Made { cond: made.cond.and(keeps, call.span()), ..made })
    }

    fn popped(&mut self, call: &syn::ExprMethodCall) -> Option<Made> {
        let span = call.span();
        let array = self.expr(&call.receiver);
        let Type::Array(elem, _) = self.infer.peel(&array.ty) else { return None };
        let access = Access::of(&call.receiver, call);
        let cond = is_not_empty(array.len(&access, span));
        let value = Expr::method(Method::Pop, vec![array], &access, *elem, span);
        Some(Made { stmts: Vec::new(), cond, value })
    }

    fn element_of_array(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let span = call.span();
        let array = self.expr(&call.receiver);
        if self.nd_rank(&array.ty) > 0 {
            return None;
        }
        let Type::Array(elem, _) = self.infer.peel(&array.ty) else { return None };
        let access = Access::of(&call.receiver, call);
        let mut stmts = Vec::new();
        let (index, cond) = self.place_of(call, array.len(&access, span), &mut stmts);
        let value = array.at(index, &elem, &access, span).borrowed(name.ends_with("_mut"));
        Some(Made { stmts, cond, value })
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
        let mut args = Vec::new();
        for (name, value) in [("left", left), ("right", right)] {
            let value = self.dereferenced(value);
            args.push(self.named(name, value, &mut stmts));
        }
        let access = Access { array: tidy(&call.receiver), text: tidy(call) };
        let cond = Expr::method(Method::CheckedIsSome(op.name), args.clone(), &access, Type::BOOL, span);
        let value = Expr::method(Method::CheckedUnwrap(op.name), args, &access, ty, span);
        Some(Made { stmts, cond, value })
    }
}

/// `if !cond { leave }`
pub(super) fn unless(cond: Expr, leave: Expr, span: Span) -> Stmt {
    let out = Expr::block(vec![Stmt::Expr(leave)], Type::Never, span);
    Stmt::Expr(Expr::effect(Kind::If(cond.not().boxed(), out.boxed(), None), span))
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(parts) if parts.is_empty())
}
