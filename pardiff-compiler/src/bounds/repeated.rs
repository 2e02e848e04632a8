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
use crate::map::Map;
use std::rc::Rc;

/// Drops the checks of a program that repeat an earlier one.
pub(super) fn forget(program: &mut Program) {
    let mut body = std::mem::take(&mut program.body);
    Walk { program, passed: Vec::new(), read: BufferSet::new(), conditions: Map::default() }
        .block(&mut body, &mut Vec::new());
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

/// Conditions that hold at a place; equal ones are one.
type Path = Vec<Rc<Known>>;

/// A check that was passed if the conditions held, and what all of these read.
struct Passed {
    conds: Path,
    check: Expr,
    reads: BufferSet,
}

impl Passed {
    /// Whether the check was passed where the conditions of `path` hold. The paths of two places have their beginning in common,
    /// so that the innermost condition is the first to differ.
    fn holds(&self, path: &Path) -> bool {
        let on_path = |(at, known): (usize, &Rc<Known>)| {
            path.get(at).is_some_and(|it| Rc::ptr_eq(it, known))
                || path.iter().any(|it| Rc::ptr_eq(it, known))
        };
        self.conds.iter().enumerate().rev().all(on_path)
    }
}

struct Walk<'a> {
    program: &'a Program,
    passed: Vec<Passed>,
    /// What they read, or more.
    read: BufferSet,
    /// The conditions so far, by fingerprint.
    conditions: Map<u64, Vec<Rc<Known>>>,
}

impl Walk<'_> {
    fn known(&mut self, cond: Expr) -> Rc<Known> {
        let reads = cond.read_set(self.program);
        let same = self.conditions.entry(cond.fingerprint()).or_default();
        if let Some(known) = same.iter().find(|known| known.cond == cond) {
            return known.clone();
        }
        let known = Rc::new(Known { cond, reads });
        same.push(known.clone());
        known
    }

    /// `path` are the conditions that hold here; gives what the block may write and what it declares.
    fn block(&mut self, block: &mut Block, path: &mut Path) -> BufferSet {
        let mut changed = BufferSet::new();
        for mut stmt in std::mem::take(block) {
            if let Some((cond, _)) = stmt.as_check() {
                if self.passed.iter().any(|it| it.check == *cond && it.holds(path)) {
                    continue;
                }
                let mut reads = cond.read_set(self.program);
                path.iter().for_each(|known| _ = reads.union(&known.reads));
                self.read.union(&reads);
                self.passed.push(Passed { conds: path.clone(), check: cond.clone(), reads });
            } else {
                let had = !is_empty(&stmt);
                changed.union(&self.stmt(&mut stmt, path));
                if had && is_empty(&stmt) {
                    continue;
                }
            }
            block.push(stmt);
        }
        changed
    }

    fn stmt(&mut self, stmt: &mut Stmt, path: &mut Path) -> BufferSet {
        let mut changed = BufferSet::new();
        match &mut stmt.kind {
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                for (cond, arm) in [(cond.clone(), then), (!cond.clone(), els)] {
                    let mut inner = path.clone();
                    inner.push(self.known(cond));
                    changed.union(&self.block(arm, &mut inner));
                }
            }
            StmtKind::Scope { buffers, body } => {
                changed = self.block(body, &mut path.clone());
                changed.extend(buffers.iter().copied());
            }
            StmtKind::For(it) => changed = self.for_loop(it, path),
            StmtKind::While(_) | StmtKind::Fork { .. } => {
                changed = written(std::slice::from_ref(stmt));
                self.lose(&changed, path);
                let outer = self.passed.len();
                for inner in stmt.blocks_mut() {
                    self.block(inner, &mut path.clone());
                    self.passed.truncate(outer);
                }
            }
            _ => stmt.writes_itself(&mut |buffer| _ = changed.insert(buffer)),
        }
        self.lose(&changed, path);
        changed
    }

    /// What is known before a loop and does not change in it holds in every iteration.
    fn for_loop(&mut self, it: &mut For, path: &Path) -> BufferSet {
        let changed = written(&it.body);
        let mut inner = path.clone();
        if !it.inclusive {
            inner.push(self.known(it.lo.clone().below(it.hi.clone())));
        }
        self.lose(&changed, &mut inner);
        let outer = self.passed.len();
        self.block(&mut it.body, &mut inner);
        // what was passed in the body may be about its iterator
        self.passed.truncate(outer);
        changed
    }

    /// Forgets what reads one of the buffers.
    fn lose(&mut self, changed: &BufferSet, path: &mut Path) {
        path.retain(|known| !known.reads.meets(changed));
        if self.read.meets(changed) {
            self.passed.retain(|it| !it.reads.meets(changed));
            self.read = BufferSet::new();
            self.passed.iter().for_each(|it| _ = self.read.union(&it.reads));
        }
    }
}
