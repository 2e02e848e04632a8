//! What every iteration of a lane loop computes alike is computed in front of the loop.
//!
//! ```text
//! for l in 0..w lanes                scope u: f64
//!   if c                               if c
//!     scope u: f64                       check k < len(e)
//!       check k < len(e)        =>       u = e[k]
//!       u = e[k]                       for l in 0..w lanes
//!       if r[l] < u                      if c
//!         …                                if r[l] < u …
//! ```
//!
//! *Legality.* The statements stand under conditions alone that are the same in every iteration. They read nothing that
//! the loop writes, and what they write is a local of the loop that nothing else in it writes; so they do the same in
//! front of it, if the loop has an iteration. A check that fails there would fail in the first iteration; what that
//! iteration did before, nobody reads after a panic. A local with the value of another one that is assigned under the same
//! conditions, or some of them, is that one: nothing that the value is made of changes (the reverse sweep often reads
//! again what the primal read).

use crate::ir::{Block, BufferId, Expr, LoopFacts, Program, Stmt, StmtKind, rename_loads};
use std::collections::HashMap;

/// The conditions around a statement, and whether they hold.
type Path = Vec<(Expr, bool)>;

/// A local that is assigned a value under conditions.
struct Known {
    path: Path,
    value: Expr,
    buffer: BufferId,
}

/// The statements that are taken out of a loop.
pub(super) struct Front<'a> {
    program: &'a Program,
    inside: &'a mut LoopFacts,
    before: Block,
    declared: Vec<BufferId>,
    path: Path,
    /// Values and the locals that have them.
    known: Vec<Known>,
    /// Locals that are others.
    same: HashMap<BufferId, BufferId>,
}

impl<'a> Front<'a> {
    pub(super) fn new(program: &'a Program, inside: &'a mut LoopFacts) -> Front<'a> {
        let (before, declared) = (Block::new(), Vec::new());
        Front { program, inside, before, declared, path: Vec::new(), known: Vec::new(), same: HashMap::new() }
    }

    /// The statements, and the locals that they write; `list`, out of which they were taken, declares these no more.
    pub(super) fn taken(self, list: &mut Block) -> (Block, Vec<BufferId>) {
        let gone: Vec<BufferId> = self.declared.iter().chain(self.same.keys()).copied().collect();
        forget(list, &gone);
        if !self.same.is_empty() {
            rename_loads(list, &|id| self.rename(id));
        }
        (self.before, self.declared)
    }

    fn rename(&self, local: &mut BufferId) {
        *local = self.same.get(local).copied().unwrap_or(*local);
    }

    /// A local that has the value whenever the statement at hand is executed.
    fn holder(&self, value: &Expr) -> Option<BufferId> {
        let has = |it: &&Known| it.value == *value && it.path.iter().all(|cond| self.path.contains(cond));
        self.known.iter().find(has).map(|it| it.buffer)
    }

    /// Takes what is uniform out of a list that every iteration executes.
    pub(super) fn take(&mut self, list: &mut Block) {
        let stmts = std::mem::take(list);
        for mut stmt in stmts {
            if !self.same.is_empty() {
                stmt.exprs_mut().into_iter().for_each(|expr| expr.rename_loads(&|id| self.rename(id)));
            }
            let invariant = stmt.exprs().into_iter().all(|expr| self.inside.is_invariant(self.program, expr));
            match &mut stmt.kind {
                StmtKind::Check { .. } if invariant => {
                    self.before.push(stmt);
                    continue;
                }
                StmtKind::Assign { target, value }
                    if invariant && target.index.is_empty() && self.inside.is_written_once(target.buffer) =>
                {
                    self.inside.forget(target.buffer);
                    if let Some(holder) = self.holder(value) {
                        self.same.insert(target.buffer, holder);
                        continue;
                    }
                    let (path, value) = (self.path.clone(), value.clone());
                    self.known.push(Known { path, value, buffer: target.buffer });
                    self.declared.push(target.buffer);
                    self.before.push(stmt);
                    continue;
                }
                StmtKind::If { cond, then, els } if invariant => {
                    let outer = std::mem::take(&mut self.before);
                    self.path.push((cond.clone(), true));
                    self.take(then);
                    let from_then = std::mem::take(&mut self.before);
                    self.path.pop();
                    self.path.push((cond.clone(), false));
                    self.take(els);
                    self.path.pop();
                    let from_els = std::mem::replace(&mut self.before, outer);
                    if !from_then.is_empty() || !from_els.is_empty() {
                        let taken = StmtKind::If { cond: cond.clone(), then: from_then, els: from_els };
                        self.before.push(Stmt::new(taken, stmt.origin));
                    }
                    if then.is_empty() && els.is_empty() {
                        continue;
                    }
                }
                StmtKind::Scope { body, .. } => {
                    self.take(body);
                    if body.is_empty() {
                        continue;
                    }
                }
                _ => {}
            }
            list.push(stmt);
        }
    }
}

/// Removes the declarations of buffers that live elsewhere.
fn forget(list: &mut Block, declared: &[BufferId]) {
    let stmts = std::mem::take(list);
    for mut stmt in stmts {
        stmt.blocks_mut().into_iter().for_each(|inner| forget(inner, declared));
        if let Some((buffers, _)) = stmt.as_scope_mut() {
            buffers.retain(|buffer| !declared.contains(buffer));
        }
        list.extend(stmt.unwrapped());
    }
}
