//! Sequences of statements, and jumps. A jump has no counterpart in the IR: what it skips is guarded.
//!
//! `if c { a; continue; } rest` becomes `if c { a } else { rest }`; so do `break`, `return` and the ways out of labelled
//! blocks. Where what is skipped is not inside one branch, a flag says whether the target goes on.

use super::super::infer::Type;
use super::super::tree::{Expr as Tree, Kind, MatchPattern, Pattern, Stmt, Target};
use super::Emit;
use super::TargetState;
use super::value::Value;
use crate::ir::{self, BinOp, Expr, StmtKind, Ty, UnOp};
use std::collections::BTreeSet;

impl Emit<'_> {
    /// Emits statements, and the value of `tail` into `dest`.
    pub(super) fn sequence(&mut self, stmts: &[Stmt], tail: Option<&Tree>, dest: &Value) {
        let at_end = self.at_end;
        for (position, stmt) in stmts.iter().enumerate() {
            let rest = &stmts[position + 1..];
            let is_last = rest.is_empty() && tail.is_none();
            if let Stmt::LetElse(pattern, value, els) = stmt {
                return self.let_else(pattern, value, els, (rest, tail, dest));
            }
            let jumps: BTreeSet<Target> = self.jumps_of_stmt(stmt).collect();
            if jumps.is_empty() {
                self.at_end = at_end && is_last;
                self.stmt(stmt);
                self.at_end = at_end;
                if self.never_returns(stmt) {
                    return;
                }
                continue;
            }
            if let Stmt::Expr(Tree { kind: Kind::Jump(..), .. }) = stmt {
                self.stmt(stmt);
                return;
            }
            if !is_last && self.split(stmt, rest, tail, dest) {
                return;
            }
            self.at_end = at_end && is_last;
            self.stmt(stmt);
            self.at_end = at_end;
            if !is_last && !self.never_returns(stmt) {
                let flags = jumps.into_iter().filter_map(|target| self.goes_on(target));
                let flags: Vec<Expr> = flags.collect();
                match flags.into_iter().reduce(|a, b| Expr::binary(BinOp::BitAnd, a, b)) {
                    Some(cond) => {
                        let then = self.block(|this| this.sequence(rest, tail, dest));
                        self.push(StmtKind::If { cond, then, els: Vec::new() });
                    }
                    None => self.sequence(rest, tail, dest),
                }
            }
            return;
        }
        if let Some(tail) = tail {
            // a loop at the end of a block is a statement like any other
            if matches!(tail.kind, Kind::For(_) | Kind::Each(_) | Kind::While(_)) {
                return self.numbered(tail.span, |this| this.into(tail, dest));
            }
            self.into(tail, dest);
        }
    }

    /// `if c { …; continue; } rest`, and the same with `let x = if …`.
    fn split(&mut self, stmt: &Stmt, rest: &[Stmt], tail: Option<&Tree>, dest: &Value) -> bool {
        let (e, pattern) = match stmt {
            Stmt::Expr(e) => (e, None),
            Stmt::Let(pattern, Some(e), _) => (e, Some(pattern)),
            Stmt::Let(_, None, _) | Stmt::LetElse(..) => return false,
        };
        let Kind::If(cond, then, els) = &e.kind else { return false };
        if self.jumps(cond).next().is_some() {
            return false;
        }
        let diverges = |this: &Self, e: &Tree| matches!(this.infer.shallow(&e.ty), Type::Never);
        let else_jumps = els.as_ref().is_some_and(|els| self.jumps(els).next().is_some());
        let then_first = diverges(self, then) && !else_jumps;
        let else_first = match els {
            Some(els) => diverges(self, els) && self.jumps(then).next().is_none(),
            None => false,
        };
        if !then_first && !else_first {
            return false;
        }
        self.numbered(e.span, |this| {
            let cond = this.scalar(cond);
            let go_on = |this: &mut Self, value: Option<&Tree>| {
                this.block(|this| {
                    match (pattern, value) {
                        (Some(pattern), Some(value)) => this.let_stmt(pattern, Some(value), value.span),
                        (None, Some(value)) => this.effect(value),
                        (_, None) => {}
                    }
                    this.sequence(rest, tail, dest);
                })
            };
            let leave = |this: &mut Self, e: &Tree| this.block(|this| this.into(e, &Value::UNIT));
            let (then, els) = if then_first {
                let then = leave(this, then);
                (then, go_on(this, els.as_deref()))
            } else {
                let then = go_on(this, Some(then));
                (then, els.as_ref().map(|els| leave(this, els)).unwrap_or_default())
            };
            this.push(StmtKind::If { cond, then, els });
        });
        true
    }

    /// `let pattern = value else { leave }; rest`
    fn let_else(
        &mut self,
        pattern: &MatchPattern,
        value: &Tree,
        els: &Tree,
        (rest, tail, dest): (&[Stmt], Option<&Tree>, &Value),
    ) {
        if super::matching::alternatives(pattern).len() > 1 {
            return self.refuse(
                value.span,
                "alternatives that bind a name in different places, in a `let`",
                "which place it is would be known only at run time",
                "write a `match`: `let k = match v { (k, 0) | (0, k) => k, _ => return 0.0 };`",
            );
        }
        self.numbered(value.span, |this| {
            let found = this.value(value);
            let found = this.freeze(found, "matched");
            let cond = this.test(pattern, &found, value.span);
            let Some(cond) = cond else { return this.sequence(rest, tail, dest) };
            let then = this.block(|this| this.sequence(rest, tail, dest));
            let els = this.block(|this| this.into(els, &Value::UNIT));
            this.push(match then.is_empty() {
                true => StmtKind::If { cond: Expr::unary(UnOp::Not, cond), then: els, els: Vec::new() },
                false => StmtKind::If { cond, then, els },
            });
        });
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(pattern, init, span) => {
                self.numbered(*span, |this| this.let_stmt(pattern, init.as_ref(), *span));
            }
            Stmt::Expr(e) => self.numbered(e.span, |this| this.effect(e)),
            Stmt::LetElse(pattern, value, els) => {
                self.let_else(pattern, value, els, (&[], None, &Value::UNIT));
            }
        }
    }

    fn never_returns(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Expr(e) | Stmt::Let(Pattern::Wild, Some(e), _) => {
                matches!(self.infer.shallow(&e.ty), Type::Never)
            }
            Stmt::Let(..) | Stmt::LetElse(..) => false,
        }
    }

    /// `continue`, `break`, `return`.
    pub(super) fn jump(&mut self, target: Target, value: Option<&Tree>, span: proc_macro2::Span) {
        let Some(position) = self.targets.iter().position(|state| state.target == target) else { return };
        let inside = &self.targets[position + 1..];
        if self.in_expression || inside.iter().any(|state| state.in_expression) {
            return self.refuse_jump(span);
        }
        let dest = self.targets[position].dest.clone();
        let at_end = self.at_end;
        if let Some(value) = value {
            self.at_end = false;
            self.into(value, &dest);
            self.at_end = at_end;
        }
        let innermost = self.targets.last().is_some_and(|state| state.target == target);
        if innermost && at_end {
            return;
        }
        if let Some(flag) = self.flag(target) {
            self.assign_scalar(flag, Expr::bool(false));
        }
    }

    pub(super) fn refuse_jump(&mut self, span: proc_macro2::Span) {
        self.refuse(
            span,
            "a jump inside of an expression",
            "the rest of the expression would be evaluated without its value",
            "write `if condition { continue; }` as a statement in front, or give the value a name: `let v = …;`",
        );
    }

    /// Emits something that jumps may leave, with its value, if it has one, in `dest`.
    pub(super) fn with_target(
        &mut self,
        target: Target,
        dest: Value,
        run: impl FnOnce(&mut Self),
    ) -> ir::Block {
        let base = self.frames.len();
        let in_expression = std::mem::replace(&mut self.in_expression, false);
        self.targets.push(TargetState { target, base, flag: None, dest, in_expression });
        self.frames.push(super::Frame::default());
        run(self);
        self.in_expression = in_expression;
        let state = self.targets.pop();
        if let Some(flag) = state.and_then(|state| state.flag)
            && let Some(frame) = self.frames.get_mut(base)
        {
            let kind = StmtKind::Assign { target: ir::Place::scalar(flag), value: Expr::bool(true) };
            frame.stmts.insert(0, ir::Stmt::new(kind, self.origin));
        }
        self.close(base)
    }

    /// The same for a body at whose end `target` goes on anyway.
    pub(super) fn body_with_target(
        &mut self,
        target: Target,
        dest: Value,
        run: impl FnOnce(&mut Self),
    ) -> ir::Block {
        let outer_end = std::mem::replace(&mut self.at_end, true);
        let block = self.with_target(target, dest, run);
        self.at_end = outer_end;
        block
    }

    /// The flag of a target, made on first use.
    pub(super) fn flag(&mut self, target: Target) -> Option<ir::BufferId> {
        let position = self.targets.iter().position(|state| state.target == target)?;
        if let Some(flag) = self.targets[position].flag {
            return Some(flag);
        }
        let base = self.targets[position].base;
        let flag = self.program.add_scalar("goes_on", Ty::Bool, ir::Role::Local);
        self.frames.get_mut(base)?.buffers.push(flag);
        self.targets[position].flag = Some(flag);
        Some(flag)
    }

    /// Whether a target goes on; `None` if nothing has stopped it.
    pub(super) fn goes_on(&mut self, target: Target) -> Option<Expr> {
        let state = self.targets.iter().find(|state| state.target == target)?;
        state.flag.map(|flag| self.program.load_scalar(flag))
    }

    /// The same, with the flag made if there is none.
    pub(super) fn goes_on_always(&mut self, target: Target) -> Option<Expr> {
        self.flag(target)?;
        self.goes_on(target)
    }

    pub(super) fn jumps_of_stmt(&self, stmt: &Stmt) -> std::collections::btree_set::IntoIter<Target> {
        match stmt {
            Stmt::Let(_, Some(e), _) | Stmt::Expr(e) => self.jumps(e),
            Stmt::Let(_, None, _) => BTreeSet::new().into_iter(),
            Stmt::LetElse(_, value, els) => {
                let mut found: BTreeSet<Target> = self.jumps(value).collect();
                found.extend(self.jumps(els));
                found.into_iter()
            }
        }
    }

    /// What jumps in `e` leave that is not inside of it.
    pub(super) fn jumps(&self, e: &Tree) -> std::collections::btree_set::IntoIter<Target> {
        e.jumps().into_iter()
    }
}
