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
//! iteration did before, nobody reads after a panic.

use crate::ir::{Block, BufferId, Program, Stmt, StmtKind};
use crate::restructure::lanes::inside::Inside;

/// The statements that are taken out of a loop.
pub(super) struct Front<'a> {
    program: &'a Program,
    inside: &'a mut Inside,
    before: Block,
    declared: Vec<BufferId>,
}

impl<'a> Front<'a> {
    pub(super) fn new(program: &'a Program, inside: &'a mut Inside) -> Front<'a> {
        Front { program, inside, before: Block::new(), declared: Vec::new() }
    }

    /// The statements, and the locals that they write.
    pub(super) fn taken(self) -> (Block, Vec<BufferId>) {
        (self.before, self.declared)
    }

    /// Takes what is uniform out of a list that every iteration executes.
    pub(super) fn take(&mut self, list: &mut Block) {
        let stmts = std::mem::take(list);
        for mut stmt in stmts {
            let invariant = {
                let exprs = stmt.exprs();
                exprs.into_iter().all(|expr| self.inside.is_invariant(self.program, expr))
            };
            match &mut stmt.kind {
                StmtKind::Check { .. } if invariant => {
                    self.before.push(stmt);
                    continue;
                }
                StmtKind::Assign { target, .. }
                    if invariant && target.index.is_empty() && self.inside.is_written_once(target.buffer) =>
                {
                    self.inside.own.remove(target.buffer);
                    self.inside.writes.remove(&target.buffer);
                    self.declared.push(target.buffer);
                    self.before.push(stmt);
                    continue;
                }
                StmtKind::If { cond, then, els } if invariant => {
                    let outer = std::mem::take(&mut self.before);
                    self.take(then);
                    let from_then = std::mem::take(&mut self.before);
                    self.take(els);
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
pub(super) fn forget(list: &mut Block, declared: &[BufferId]) {
    let stmts = std::mem::take(list);
    for mut stmt in stmts {
        stmt.blocks_mut().into_iter().for_each(|inner| forget(inner, declared));
        match stmt.kind {
            StmtKind::Scope { mut buffers, mut body } => {
                buffers.retain(|buffer| !declared.contains(buffer));
                if buffers.is_empty() {
                    list.append(&mut body);
                } else {
                    list.push(Stmt::new(StmtKind::Scope { buffers, body }, stmt.origin));
                }
            }
            kind => list.push(Stmt::new(kind, stmt.origin)),
        }
    }
}
