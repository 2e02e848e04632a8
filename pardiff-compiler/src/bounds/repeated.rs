//! Checks that an earlier one repeats are dropped, and conditions that held nothing else.
//!
//! ```text
//! if c                               if c
//!   check k < len(e)                   check k < len(e)
//!   u = e[k]                           u = e[k]
//! for l in 0..w                =>    for l in 0..w
//!   if c                               if c
//!     if r[l] < u                        if r[l] < u
//!       check k < len(e)                   t += e[k]
//!       t += e[k]
//! ```
//!
//! *Legality.* A check that was passed holds until something that it reads is written. It was passed if the conditions
//! under which it stands hold, as they do where the later check stands: they are conditions around that as well, and
//! nothing that they read was written since. That a loop has an iteration is such a condition in its body.

use crate::ir::{Block, BufferSet, Expr, For, Program, Stmt, StmtKind, written};
use std::rc::Rc;

/// Drops the checks of a program that repeat an earlier one.
pub(super) fn forget(program: &mut Program) {
    let mut body = std::mem::take(&mut program.body);
    Walk { program, passed: Vec::new() }.block(&mut body, &mut Vec::new());
    program.body = body;
}

/// Whether the statement asks a question that cannot panic, and does nothing.
fn is_empty(stmt: &Stmt) -> bool {
    stmt.as_if().is_some_and(|(cond, then, els)| then.is_empty() && els.is_empty() && cond.is_total())
}

/// A condition, and what it reads.
struct Known {
    cond: Expr,
    reads: BufferSet,
}

/// Conditions that hold at a place.
type Path = Vec<Rc<Known>>;

/// A check that was passed if the conditions held.
struct Passed {
    conds: Path,
    check: Known,
}

struct Walk<'a> {
    program: &'a Program,
    passed: Vec<Passed>,
}

impl Walk<'_> {
    fn known(&self, cond: Expr) -> Known {
        let mut reads = BufferSet::new();
        cond.reads(self.program, &mut |buffer| _ = reads.insert(buffer));
        Known { cond, reads }
    }

    /// `path` are the conditions that hold here.
    fn block(&mut self, block: &mut Block, path: &mut Path) {
        for mut stmt in std::mem::take(block) {
            if let Some((cond, _)) = stmt.as_check() {
                let is_on_path =
                    |known: &Rc<Known>| path.iter().any(|it| Rc::ptr_eq(it, known) || it.cond == known.cond);
                let holds = |it: &Passed| it.check.cond == *cond && it.conds.iter().all(is_on_path);
                if self.passed.iter().any(holds) {
                    continue;
                }
                let check = self.known(cond.clone());
                self.passed.push(Passed { conds: path.clone(), check });
            } else {
                let had = !is_empty(&stmt);
                self.stmt(&mut stmt, path);
                if had && is_empty(&stmt) {
                    continue;
                }
            }
            block.push(stmt);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt, path: &mut Path) {
        let mut changed = BufferSet::new();
        stmt.writes(&mut |buffer| _ = changed.insert(buffer));
        match &mut stmt.kind {
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                for (cond, arm) in [(cond.clone(), then), (!cond.clone(), els)] {
                    let mut inner = path.clone();
                    inner.push(Rc::new(self.known(cond)));
                    self.block(arm, &mut inner);
                }
            }
            StmtKind::Scope { buffers, body } => {
                self.block(body, &mut path.clone());
                buffers.iter().for_each(|&buffer| _ = changed.insert(buffer));
            }
            StmtKind::For(it) => self.for_loop(it, path),
            StmtKind::While(_) | StmtKind::Fork { .. } => {
                self.lose(&changed, path);
                let outer = self.passed.len();
                for inner in stmt.blocks_mut() {
                    self.block(inner, &mut path.clone());
                    self.passed.truncate(outer);
                }
            }
            _ => {}
        }
        self.lose(&changed, path);
    }

    /// What is known in front of a loop and does not change in it holds in every iteration.
    fn for_loop(&mut self, it: &mut For, path: &Path) {
        let changed = written(&it.body);
        let mut inner = path.clone();
        if !it.inclusive {
            inner.push(Rc::new(self.known(it.lo.clone().below(it.hi.clone()))));
        }
        self.lose(&changed, &mut inner);
        let outer = self.passed.len();
        self.block(&mut it.body, &mut inner);
        // what was passed in the body may be about its iterator
        self.passed.truncate(outer);
    }

    /// Forgets what reads one of the buffers.
    fn lose(&mut self, changed: &BufferSet, path: &mut Path) {
        let stays = |known: &Known| !known.reads.meets(changed);
        path.retain(|known| stays(known));
        self.passed.retain(|it| stays(&it.check) && it.conds.iter().all(|known| stays(known)));
    }
}
