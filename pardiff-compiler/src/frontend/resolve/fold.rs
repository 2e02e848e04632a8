//! Folds: a loop over variables that each item changes.

use super::super::chain::Chain;
use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::{Access, Expr, Inline, Kind, LocalId, Pattern, Stmt};
use super::Resolver;
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// `{ let mut acc = start; for item in chain { acc = body; } acc }`
    pub(super) fn fold(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let span = e.span();
        let Some(chain) = self.chain_in_order(&e.receiver) else { return self.error(span) };
        let start = self.expr(&e.args[0]);
        let Some(closure) = self.function_of(&e.args[1], 2) else { return self.error(span) };
        self.folded(chain, start, &closure, span)
    }

    /// `try_fold` of `Option`s: the first `None` ends it.
    ///
    /// ```text
    /// { let (mut acc, mut whole) = (start, true);
    ///   for item in chain { if let Some(next) = f(acc, item) { acc = next } else { whole = false; break } }
    ///   whole.then_some(acc) }
    /// ```
    pub(super) fn folded_while(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let (span, chain, start, f) = (e.span(), &e.receiver, &e.args[0], &e.args[1]);
        let new = |name: &str| fresh_at(name, span, e.to_token_stream());
        let [acc, whole, item, next] = ["acc", "whole", "item", "next"].map(new);
        self.expr(&syn::parse_quote_spanned!(span=> {
            let mut #acc = #start;
            let mut #whole = true;
            for #item in #chain {
                if let Some(#next) = (#f)(#acc, #item) {
                    #acc = #next;
                } else {
                    #whole = false;
                    break;
                }
            }
            #whole.then_some(#acc)
        }))
    }

    /// `try_for_each`: the first `None` or error ends it.
    pub(super) fn for_each_while(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let (span, chain, f) = (e.span(), &e.receiver, &e.args[0]);
        let [whole, item] = ["whole", "item"].map(|name| fresh_at(name, span, e.to_token_stream()));
        self.expr(&syn::parse_quote_spanned!(span=> {
            let mut #whole = true;
            for #item in #chain {
                if (#f)(#item).is_none() {
                    #whole = false;
                    break;
                }
            }
            #whole.then_some(())
        }))
    }

    /// The fold of a closure of two arguments over a chain.
    pub(super) fn folded(
        &mut self,
        chain: Chain,
        start: Expr,
        closure: &syn::ExprClosure,
        span: Span,
    ) -> Expr {
        let ty = match self.infer.shallow(&start.ty) {
            Type::Ref(..) => {
                return self.refuse(
                    start.span,
                    "a fold that starts with a reference",
                    "which array it stands for would be known only at run time",
                    "start with a value: a number, a tuple or an array of constant length",
                );
            }
            other => other,
        };
        let (acc, pattern, stmts) = self.scoped(false, |this| {
            let (acc, bound) = this.accumulator(&closure.inputs[0], &ty, span);
            let pattern = this.pattern(&closure.inputs[1], &chain.item);
            let outer = this.accumulators.len();
            let mut names = Vec::new();
            is_of_names(&acc, &mut names);
            this.accumulators.append(&mut names);
            let body = this.closure_body(closure);
            this.accumulators.truncate(outer);
            this.unify(&ty, &body.ty, body.span);
            let mut stmts: Vec<Stmt> = bound.into_iter().collect();
            updated(&this.value_of(&acc, &ty, span), body, &mut stmts);
            (acc, pattern, stmts)
        });
        let tail = self.value_of(&acc, &ty, span);
        let looped = self.loop_over(chain, pattern, stmts, span);
        tail.behind(vec![Stmt::Let(acc, Some(start), span), Stmt::Expr(looped)], span)
    }

    /// Names in the closure are the variables of the fold; another pattern is bound anew for each item.
    /// These, and what binds the closure's own pattern then.
    fn accumulator(&mut self, pat: &syn::Pat, ty: &Type, span: Span) -> (Pattern, Option<Stmt>) {
        let pattern = self.pattern(pat, ty);
        let mut names = Vec::new();
        if is_of_names(&pattern, &mut names) {
            for name in names {
                self.locals[name].mutable = true;
            }
            return (pattern, None);
        }
        let acc = self.hidden("acc", ty.clone(), true, span);
        let value = Expr::local(acc, ty, span);
        (Pattern::Bind(acc), Some(Stmt::Let(pattern, Some(value), span)))
    }

    /// The variables of a pattern of names, as a value or as what is assigned to.
    fn value_of(&self, pattern: &Pattern, ty: &Type, span: Span) -> Expr {
        match (pattern, self.infer.shallow(ty)) {
            (Pattern::Tuple(patterns), Type::Tuple(parts)) => {
                let values = patterns.iter().zip(&parts).map(|(part, ty)| self.value_of(part, ty, span));
                Expr::new(Kind::Tuple(values.collect()), ty.clone(), span)
            }
            (Pattern::Slice(patterns), Type::Array(elem, _)) => {
                let values = patterns.iter().map(|part| self.value_of(part, &elem, span));
                Expr::new(Kind::Array(values.collect()), ty.clone(), span)
            }
            (Pattern::Bind(local), _) => Expr::local(*local, ty, span),
            _ => Expr::new(Kind::Error, ty.clone(), span),
        }
    }
}

/// Whether a pattern consists of names and tuples and arrays of names.
fn is_of_names(pattern: &Pattern, names: &mut Vec<LocalId>) -> bool {
    match pattern {
        Pattern::Bind(local) => {
            names.push(*local);
            true
        }
        Pattern::Tuple(parts) | Pattern::Slice(parts) => parts.iter().all(|part| is_of_names(part, names)),
        Pattern::Wild | Pattern::Deref(_) | Pattern::Rest(..) => false,
    }
}

/// `acc = body`. Where the body changes the accumulator and ends with it, the changes alone; members of a tuple or an
/// array are assigned one after the other where no one needs another, so that each is a sum, or whatever it is, of its own.
fn updated(acc: &Expr, body: Expr, stmts: &mut Vec<Stmt>) {
    let span = body.span;
    if is_same(&body, acc) {
        return;
    }
    match body.kind {
        // what a branch leaves as it is needs no assignment there
        Kind::If(cond, then, Some(els)) => {
            let [then, els] = [then, els].map(|arm| {
                let mut stmts = Vec::new();
                updated(acc, *arm, &mut stmts);
                Expr::block(stmts, Type::UNIT, span).boxed()
            });
            stmts.push(Stmt::Expr(Expr::effect(Kind::If(cond, then, Some(els)), span)));
        }
        Kind::Block(mut block) => match block.tail.take() {
            Some(tail) if is_same(&tail, acc) => {
                stmts.push(Stmt::Expr(Expr::effect(Kind::Block(block), span)));
            }
            Some(tail) if block.stmts.iter().any(|stmt| is_borrowed(stmt, acc)) => {
                block.tail = Some(tail);
                stmts.push(Stmt::assign(acc, Expr::new(Kind::Block(block), body.ty, span)));
            }
            Some(tail) => {
                updated(acc, *tail, &mut block.stmts);
                stmts.push(Stmt::Expr(Expr::new(Kind::Block(block), Type::UNIT, span)));
            }
            None => stmts.push(Stmt::Expr(Expr::new(Kind::Block(block), body.ty, span))),
        },
        Kind::Inline(inline) if is_plain(&inline) => {
            let Inline { params, args, mut body, .. } = *inline;
            let bound =
                params.into_iter().zip(args).filter(|((pattern, _), _)| !matches!(pattern, Pattern::Wild));
            let lets = bound.map(|((pattern, _), arg)| Stmt::Let(pattern, Some(arg), span));
            body.stmts = lets.chain(body.stmts).collect();
            updated(acc, Expr::new(Kind::Block(body), acc.ty.clone(), span), stmts);
        }
        Kind::Tuple(parts) | Kind::Array(parts) if has_members(acc) => {
            let is_array = matches!(body.ty, Type::Array(..));
            let members = members(acc, &parts, is_array);
            let apart = parts.iter().enumerate().all(|(k, part)| {
                members.iter().enumerate().all(|(other, member)| other == k || !reads(part, member))
                    && !reads_whole(part, acc)
            });
            if apart {
                members.iter().zip(parts).for_each(|(member, part)| updated(member, part, stmts));
            } else {
                let kind = if is_array { Kind::Array(parts) } else { Kind::Tuple(parts) };
                stmts.push(Stmt::assign(acc, Expr::new(kind, body.ty, span)));
            }
        }
        kind => stmts.push(Stmt::assign(acc, Expr::new(kind, body.ty, span))),
    }
}

/// Whether a call is no more than its arguments under names and statements.
fn is_plain(inline: &Inline) -> bool {
    let mut left = false;
    inline.body.children(&mut |e| left |= e.jumps().iter().any(|jump| jump.id == inline.id));
    inline.consts.is_empty() && inline.body.tail.is_some() && !left
}

/// Whether a statement names a reference to the accumulator, behind which reads of it are not seen.
fn is_borrowed(stmt: &Stmt, acc: &Expr) -> bool {
    fn borrowed(e: &Expr, acc: &Expr) -> bool {
        let mut found = matches!(&e.kind, Kind::Borrow(inner) if reads(inner, acc));
        e.children(&mut |child| found |= borrowed(child, acc));
        found
    }
    match stmt {
        Stmt::Let(_, Some(init), _) => borrowed(init, acc),
        Stmt::Let(..) | Stmt::LetElse(..) | Stmt::Expr(_) => false,
    }
}

/// The members of the accumulator, one for each part of its new value.
fn members(acc: &Expr, parts: &[Expr], is_array: bool) -> Vec<Expr> {
    if let Kind::Tuple(members) | Kind::Array(members) = &acc.kind {
        return members.clone();
    }
    let member = |(k, part): (usize, &Expr)| {
        if !is_array {
            return acc.member(k, &part.ty, part.span);
        }
        let access = Access { array: "acc".to_owned(), text: format!("acc[{k}]") };
        acc.at(Expr::usize(k as i128, part.span), &part.ty, &access, part.span)
    };
    parts.iter().enumerate().map(member).collect()
}

/// Whether the accumulator's members can be assigned to one by one.
fn has_members(acc: &Expr) -> bool {
    matches!(acc.kind, Kind::Tuple(_) | Kind::Array(_) | Kind::Local(_) | Kind::Field(..) | Kind::Index(..))
}

/// Whether two expressions are the same variable, member or tuple of these.
fn is_same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::Local(a), Kind::Local(b)) => a == b,
        (Kind::Field(a, k), Kind::Field(b, l)) => k == l && is_same(a, b),
        (Kind::Index(a, k, _), Kind::Index(b, l, _)) => match (&k.kind, &l.kind) {
            (Kind::Int(k), Kind::Int(l)) => k == l && is_same(a, b),
            _ => false,
        },
        (Kind::Tuple(a), Kind::Tuple(b)) | (Kind::Array(a), Kind::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        _ => false,
    }
}

/// Whether an expression reads a member of the accumulator, or something in it.
fn reads(e: &Expr, member: &Expr) -> bool {
    let mut found = is_same(e, member);
    if let Kind::Tuple(parts) | Kind::Array(parts) = &member.kind {
        found |= parts.iter().any(|part| reads(e, part));
    }
    e.children(&mut |child| found |= reads(child, member));
    found
}

/// Whether an expression reads the accumulator otherwise than by its members.
fn reads_whole(e: &Expr, acc: &Expr) -> bool {
    if !matches!(acc.kind, Kind::Local(_) | Kind::Field(..) | Kind::Index(..)) {
        return false;
    }
    match &e.kind {
        _ if is_same(e, acc) => true,
        Kind::Field(inner, _) if is_same(inner, acc) => false,
        Kind::Index(inner, at, _) if is_same(inner, acc) && matches!(at.kind, Kind::Int(_)) => false,
        _ => {
            let mut found = false;
            e.children(&mut |child| found |= reads_whole(child, acc));
            found
        }
    }
}
