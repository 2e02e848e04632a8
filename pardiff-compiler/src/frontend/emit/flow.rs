//! Sequences of statements. `continue` has no counterpart in the IR: what it skips is guarded.
//!
//! `if c { a; continue; } rest` becomes `if c { a } else { rest }`. Where the rest of the iteration is not inside
//! one branch, a flag says whether the iteration goes on.

use super::super::infer::Type;
use super::super::tree::{Expr as Tree, Kind, LoopId, Pattern, Stmt};
use super::Emit;
use super::value::Value;
use crate::ir::{BinOp, Expr, StmtKind, Ty};
use std::collections::BTreeSet;

impl Emit<'_> {
    /// Emits statements, and the value of `tail` into `dest`.
    pub(super) fn sequence(&mut self, stmts: &[Stmt], tail: Option<&Tree>, dest: &Value) {
        let at_end = self.at_end;
        for (position, stmt) in stmts.iter().enumerate() {
            let rest = &stmts[position + 1..];
            let is_last = rest.is_empty() && tail.is_none();
            let jumps: BTreeSet<LoopId> = self.jumps_of_stmt(stmt).collect();
            if jumps.is_empty() {
                self.at_end = at_end && is_last;
                self.stmt(stmt);
                self.at_end = at_end;
                if self.never_returns(stmt) {
                    return;
                }
                continue;
            }
            if let Stmt::Expr(Tree { kind: Kind::Continue(_), .. }) = stmt {
                self.stmt(stmt);
                return;
            }
            if !is_last && self.split(stmt, rest, tail, dest) {
                return;
            }
            self.at_end = at_end && is_last;
            self.stmt(stmt);
            self.at_end = at_end;
            if !is_last {
                let flags = jumps.into_iter().filter_map(|target| self.goes_on(target));
                let flags: Vec<Expr> = flags.collect();
                match flags.into_iter().reduce(|a, b| Expr::binary(BinOp::BitAnd, a, b)) {
                    Some(cond) => {
                        let then = self.block(|this| this.sequence(rest, tail, dest));
                        self.push(StmtKind::If { cond, then, els: Vec::new() });
                    }
                    None => self.sequence(rest, tail, dest),
                }
                return;
            }
        }
        if let Some(tail) = tail {
            // a loop at the end of a block is a statement like any other
            if matches!(tail.kind, Kind::For(_)) {
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
            Stmt::Let(_, None, _) => return false,
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

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(pattern, init, span) => {
                self.numbered(*span, |this| this.let_stmt(pattern, init.as_ref(), *span));
            }
            Stmt::Expr(e) => self.numbered(e.span, |this| this.effect(e)),
        }
    }

    fn never_returns(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Expr(e) | Stmt::Let(Pattern::Wild, Some(e), _) => {
                matches!(self.infer.shallow(&e.ty), Type::Never)
            }
            Stmt::Let(..) => false,
        }
    }

    /// `continue`
    pub(super) fn continue_loop(&mut self, target: LoopId, span: proc_macro2::Span) {
        if self.in_expression {
            return self.refuse_jump(span);
        }
        let innermost = self.loops.last().is_some_and(|state| state.id == target);
        if innermost && self.at_end {
            return;
        }
        if let Some(flag) = self.flag(target) {
            self.assign_scalar(flag, Expr::bool(false));
        }
    }

    pub(super) fn refuse_jump(&mut self, span: proc_macro2::Span) {
        self.refuse(
            span,
            "a `continue` inside of an expression",
            "the rest of the expression would be evaluated without its value",
            "write `if condition { continue; }` as a statement in front",
        );
    }

    /// The flag of a loop, made on first use.
    fn flag(&mut self, target: LoopId) -> Option<crate::ir::BufferId> {
        let position = self.loops.iter().position(|state| state.id == target)?;
        if let Some(flag) = self.loops[position].flag {
            return Some(flag);
        }
        let base = self.loops[position].base;
        let flag = self.program.add_scalar("goes_on", Ty::Bool, crate::ir::Role::Local);
        self.frames.get_mut(base)?.buffers.push(flag);
        self.loops[position].flag = Some(flag);
        Some(flag)
    }

    /// Whether the iteration of a loop goes on; `None` if nothing has stopped it.
    pub(super) fn goes_on(&mut self, target: LoopId) -> Option<Expr> {
        let state = self.loops.iter().find(|state| state.id == target)?;
        state.flag.map(|flag| self.program.load_scalar(flag))
    }

    /// The same, with the flag made if there is none.
    pub(super) fn goes_on_always(&mut self, target: LoopId) -> Option<Expr> {
        self.flag(target)?;
        self.goes_on(target)
    }

    pub(super) fn jumps_of_stmt(&self, stmt: &Stmt) -> std::collections::btree_set::IntoIter<LoopId> {
        match stmt {
            Stmt::Let(_, Some(e), _) | Stmt::Expr(e) => self.jumps(e),
            Stmt::Let(_, None, _) => BTreeSet::new().into_iter(),
        }
    }

    /// The loops outside of `e` that a `continue` in it goes on with.
    pub(super) fn jumps(&self, e: &Tree) -> std::collections::btree_set::IntoIter<LoopId> {
        let mut found = BTreeSet::new();
        collect(e, &mut found);
        found.into_iter()
    }
}

fn collect(e: &Tree, found: &mut BTreeSet<LoopId>) {
    if let Kind::Continue(target) = &e.kind {
        found.insert(*target);
    }
    e.children(&mut |child| collect(child, found));
    match &e.kind {
        Kind::For(f) => _ = found.remove(&f.id),
        Kind::Each(each) => _ = found.remove(&each.id),
        _ => {}
    }
}
