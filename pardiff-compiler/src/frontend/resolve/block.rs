//! Blocks and `let`.

use super::super::configured;
use super::super::infer::Type;
use super::super::param_types::behind_trait;
use super::super::tree::{Block, Expr, Kind, LoopId, Stmt};
use super::Resolver;
use super::jump::Leavable;
use quote::ToTokens;
use std::collections::HashMap;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// A block with a scope of its own.
    pub(super) fn block(&mut self, block: &syn::Block) -> (Block, Type) {
        self.scoped(false, |this| this.statements(&block.stmts))
    }

    /// The statements of a block, in the scope that is open.
    pub(in super::super) fn statements(&mut self, stmts: &[syn::Stmt]) -> (Block, Type) {
        self.items_of(stmts);
        self.statements_of(stmts)
    }

    /// The same where the items are declared already.
    pub(super) fn statements_of(&mut self, stmts: &[syn::Stmt]) -> (Block, Type) {
        let mut block = Block::default();
        let mut never = false;
        for (position, stmt) in stmts.iter().enumerate() {
            if std::mem::take(&mut self.leaves) {
                break;
            }
            if let Some((fork, ty)) = self.spawned_beside(&stmts[position..]) {
                block.stmts.extend(fork.stmts);
                block.tail = fork.tail;
                never |= matches!(self.infer.shallow(&ty), Type::Never);
                break;
            }
            let with_rest = self.with_named(&stmts[position..]);
            let with_rest = with_rest.or_else(|| self.with_tail_in_branches(&stmts[position..]));
            if let Some((rest, ty)) = with_rest {
                block.stmts.extend(rest.stmts);
                block.tail = rest.tail;
                never |= matches!(self.infer.shallow(&ty), Type::Never);
                break;
            }
            let last = position + 1 == stmts.len();
            match stmt {
                syn::Stmt::Local(local) => match self.local_some(local) {
                    Some(stmts) => block.stmts.extend(stmts),
                    None => match self.local(local) {
                        Stmt::Let(pattern, Some(init), span) => {
                            let init = self.jumps_in_front(init, &mut block.stmts);
                            block.stmts.push(Stmt::Let(pattern, Some(init), span));
                        }
                        stmt => block.stmts.push(stmt),
                    },
                },
                syn::Stmt::Item(_) => {}
                syn::Stmt::Expr(syn::Expr::Verbatim(tokens), _) if tokens.is_empty() => {}
                syn::Stmt::Expr(e, semi) => {
                    configured::refuse(attrs(e), &mut self.refusals);
                    let e = self.expr(e);
                    let e = self.jumps_in_front(e, &mut block.stmts);
                    if semi.is_none() && last {
                        block.tail = Some(e.boxed());
                    } else {
                        never |= matches!(self.infer.shallow(&e.ty), Type::Never);
                        block.stmts.push(Stmt::Expr(e));
                    }
                }
                syn::Stmt::Macro(stmt) => {
                    configured::refuse(&stmt.attrs, &mut self.refusals);
                    let e = self.macro_call(&stmt.mac, stmt.mac.span());
                    if stmt.semi_token.is_none() && last {
                        block.tail = Some(e.boxed());
                    } else {
                        never |= matches!(self.infer.shallow(&e.ty), Type::Never);
                        block.stmts.push(Stmt::Expr(e));
                    }
                }
            }
        }
        self.leaves = false;
        let ty = match &block.tail {
            _ if never => Type::Never,
            Some(tail) => tail.ty.clone(),
            None => Type::UNIT,
        };
        (block, ty)
    }

    pub(super) fn local(&mut self, local: &syn::Local) -> Stmt {
        configured::refuse(&local.attrs, &mut self.refusals);
        let span = local.span();
        if let Some(init) = &local.init
            && let Some((_, els)) = &init.diverge
        {
            return self.let_else(&local.pat, &init.expr, els);
        }
        if let Some(closure) = self.let_closure(local) {
            return closure;
        }
        // of a value behind a trait its own type is known
        let pat = match &local.pat {
            syn::Pat::Type(pat) if behind_trait(&pat.ty).is_some() && local.init.is_some() => &pat.pat,
            pat => pat,
        };
        let init = local.init.as_ref().map(|init| match pat {
            syn::Pat::Type(pat) => self.expr_as(&init.expr, &pat.ty),
            _ => self.expr(&init.expr),
        });
        let ty = match &init {
            Some(init) => init.ty.clone(),
            None => self.fresh(),
        };
        // A variable of a plain type does not take the type `!` of an initialiser that does not return.
        let refused = init.as_ref().is_some_and(is_error);
        let never = matches!(self.infer.shallow(&ty), Type::Never);
        let ty = if never && !refused { self.fresh() } else { ty };
        let pattern = match pat {
            // nothing else says what `_` stands for
            syn::Pat::Type(pat) if refused && is_open(&pat.ty) => self.pattern(&pat.pat, &ty),
            pat => self.pattern(pat, &ty),
        };
        Stmt::Let(pattern, init, span)
    }

    /// `let Some(p) = value else { … };` and `let p = value?;` of an `Option` that is known.
    fn local_some(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let init = local.init.as_ref()?;
        match (&init.diverge, super::bare(&init.expr)) {
            (Some((_, els)), _) => {
                let some = self.let_some(&local.pat, &init.expr, els);
                some.or_else(|| self.let_slice(&local.pat, &init.expr, els))
            }
            (None, syn::Expr::Try(tried)) => self.let_try(&local.pat, tried),
            _ => None,
        }
    }

    /// `let pattern = value else { … };`
    pub(super) fn let_else(&mut self, pat: &syn::Pat, value: &syn::Expr, els: &syn::Expr) -> Stmt {
        let value = self.expr(value);
        self.need_matchable(&value.ty, value.span);
        let els = self.expr(els);
        if !matches!(self.infer.shallow(&els.ty), Type::Never) {
            self.refuse(
                els.span,
                "an `else` of a `let` that goes on",
                "there is no value for the names of the pattern then",
                "end it with `return`, `break`, `continue` or `panic!`",
            );
        }
        let pattern = self.match_pattern(pat, &value.ty, &mut HashMap::new());
        Stmt::LetElse(Box::new(pattern), value, els)
    }

    /// The body of a function: its last `return` is its value, others leave it.
    pub(in super::super) fn function_body(&mut self, body: &syn::Block) -> (Block, Type, LoopId) {
        let mut body = body.clone();
        lift_return(&mut body);
        let ((block, ty), id, left_with) =
            self.inside(Leavable::Function, None, |this, _| this.statements(&body.stmts));
        let ty = match left_with {
            Some(returned) => self.join(&ty, &returned, body.brace_token.span.join()),
            None => ty,
        };
        (block, ty, id)
    }
}

/// `return e;` at the end of a block becomes its value.
fn lift_return(block: &mut syn::Block) {
    let Some(last) = block.stmts.last_mut() else { return };
    let syn::Stmt::Expr(e, semi) = last else { return };
    match e {
        syn::Expr::Return(ret) => match ret.expr.take() {
            Some(value) => {
                *e = *value;
                *semi = None;
            }
            None => {
                block.stmts.pop();
            }
        },
        syn::Expr::If(branch) if semi.is_none() || branch.else_branch.is_some() => {
            let all = lift_branch(branch);
            *semi = semi.filter(|_| !all);
        }
        syn::Expr::Block(inner) if semi.is_none() => lift_return(&mut inner.block),
        syn::Expr::Match(m) if semi.is_none() => {
            for arm in &mut m.arms {
                lift_arm(&mut arm.body);
            }
        }
        _ => {}
    }
}

/// Whether every arm ended with a `return`.
fn lift_branch(branch: &mut syn::ExprIf) -> bool {
    let mut all = ends_with_return(&branch.then_branch);
    lift_return(&mut branch.then_branch);
    match &mut branch.else_branch {
        Some((_, els)) => match &mut **els {
            syn::Expr::If(inner) => all &= lift_branch(inner),
            syn::Expr::Block(inner) => {
                all &= ends_with_return(&inner.block);
                lift_return(&mut inner.block);
            }
            _ => all = false,
        },
        None => all = false,
    }
    all
}

fn ends_with_return(block: &syn::Block) -> bool {
    matches!(block.stmts.last(), Some(syn::Stmt::Expr(syn::Expr::Return(_), _)))
}

fn lift_arm(body: &mut syn::Expr) {
    match body {
        syn::Expr::Return(ret) => {
            *body = match ret.expr.take() {
                Some(value) => *value,
                None => syn::parse_quote!(()),
            };
        }
        syn::Expr::Block(inner) => lift_return(&mut inner.block),
        _ => {}
    }
}

fn attrs(e: &syn::Expr) -> &[syn::Attribute] {
    match e {
        syn::Expr::If(e) => &e.attrs,
        syn::Expr::ForLoop(e) => &e.attrs,
        syn::Expr::While(e) => &e.attrs,
        syn::Expr::Loop(e) => &e.attrs,
        syn::Expr::Block(e) => &e.attrs,
        syn::Expr::Match(e) => &e.attrs,
        syn::Expr::Assign(e) => attrs(&e.left),
        syn::Expr::Binary(e) => attrs(&e.left),
        syn::Expr::Call(e) => &e.attrs,
        syn::Expr::MethodCall(e) => &e.attrs,
        syn::Expr::Macro(e) => &e.attrs,
        syn::Expr::Path(e) => &e.attrs,
        syn::Expr::Index(e) => &e.attrs,
        syn::Expr::Unary(e) => &e.attrs,
        syn::Expr::Paren(e) => &e.attrs,
        syn::Expr::Lit(e) => &e.attrs,
        syn::Expr::Cast(e) => attrs(&e.expr),
        _ => &[],
    }
}

/// Whether a type has a `_` in it: `Vec<_>`.
fn is_open(ty: &syn::Type) -> bool {
    let text = ty.to_token_stream().to_string();
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "_")
}

/// Whether an expression was refused.
fn is_error(e: &Expr) -> bool {
    matches!(e.kind, Kind::Error)
}
