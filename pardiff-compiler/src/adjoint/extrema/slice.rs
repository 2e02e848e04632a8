//! The part of a nest that the value of its extremum needs.

use crate::ir::{Block, BufferId, BufferSet, Expr, ExprKind, For, Place, Stmt, StmtKind, declared, written};
use crate::poly::Analysis;

/// The part of a nest that a value needs, gathered from the last statement to the first.
pub(super) struct Slice<'a, 'p> {
    analysis: &'a Analysis<'p>,
    /// The loops around the update.
    path: &'a [&'p For],
    target: BufferId,
    /// The variables that later statements of the slice read.
    needed: BufferSet,
    /// The elements that they read.
    reads: Vec<&'p Place>,
    /// The arrays whose lengths they read.
    lengths: BufferSet,
}

impl<'a, 'p> Slice<'a, 'p> {
    /// The nest with what the value of its extremum needs, and the update; `None` where it cannot be computed again when the
    /// nest has ended, or not cheaply.
    pub(super) fn of(
        analysis: &'a Analysis<'p>,
        nest: &'p Stmt,
        path: &'a [&'p For],
        target: BufferId,
    ) -> Option<Stmt> {
        let none = BufferSet::new;
        let mut slice = Slice { analysis, path, target, needed: none(), reads: Vec::new(), lengths: none() };
        let mut kept = slice.stmt(nest)?;
        slice.is_repeatable().then(|| kept.remove(0))
    }

    /// Whether everything that the slice reads has the same value in an iteration when the nest has ended: an element is
    /// not written behind the read, an array does not grow, and a variable that the iterations of a loop write is one of its body.
    fn is_repeatable(&self) -> bool {
        let nest = self.path[0];
        let local = declared(&nest.body);
        let stays = |read: &&Place| {
            let access = self.analysis.at(read);
            !local.contains(read.buffer)
                && access.is_some_and(|read| self.analysis.overwritten_in(nest.iter, read).is_no())
        };
        let is_own = |each: &&For| {
            let (inside, own) = (written(&each.body), declared(&each.body));
            self.needed.iter().all(|variable| !inside.contains(variable) || own.contains(variable))
        };
        let is_settled = |array: BufferId| {
            let grows = self.analysis.program[array].layout.grows();
            !(local.contains(array) || grows && written(&nest.body).contains(array))
        };
        self.reads.iter().all(stays) && self.path.iter().all(is_own) && self.lengths.iter().all(is_settled)
    }

    /// `None` where the value cannot be computed again, or not cheaply.
    fn block(&mut self, stmts: &'p Block) -> Option<Block> {
        let mut kept = Vec::new();
        for stmt in stmts.iter().rev() {
            kept.push(self.stmt(stmt)?);
        }
        Some(kept.into_iter().rev().flatten().collect())
    }

    /// The statement as far as it is needed.
    fn stmt(&mut self, stmt: &'p Stmt) -> Option<Block> {
        let keep = |kind| Some(vec![Stmt::new(kind, stmt.origin)]);
        match &stmt.kind {
            StmtKind::For(each) if self.path.iter().any(|around| around.iter == each.iter) => {
                let body = self.block(&each.body)?;
                each.bounds().into_iter().for_each(|bound| self.needs(bound));
                keep(StmtKind::For(each.around(body)))
            }
            StmtKind::Reduce { target, value, .. } if target.buffer == self.target => {
                self.needs(value);
                keep(stmt.kind.clone())
            }
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. }
                if target.index.is_empty() && self.needed.contains(target.buffer) =>
            {
                self.needs(value);
                keep(stmt.kind.clone())
            }
            StmtKind::Assign { .. } | StmtKind::Reduce { .. } | StmtKind::Check { .. } => Some(Block::new()),
            StmtKind::Scope { buffers, body } => {
                let body = self.block(body)?;
                let needed: Vec<BufferId> =
                    buffers.iter().copied().filter(|&buffer| self.needed.contains(buffer)).collect();
                match needed.is_empty() {
                    true => Some(body),
                    false => keep(StmtKind::Scope { buffers: needed, body }),
                }
            }
            StmtKind::If { cond, then, els } => {
                let (then, els) = (self.block(then)?, self.block(els)?);
                if then.is_empty() && els.is_empty() {
                    return Some(Block::new());
                }
                self.needs(cond);
                keep(StmtKind::If { cond: cond.clone(), then, els })
            }
            _ => (!stmt.writes_any(&self.needed)).then(Block::new),
        }
    }

    fn needs(&mut self, value: &'p Expr) {
        value.walk(&mut |part| match &part.kind {
            ExprKind::Load(place) if place.index.is_empty() => _ = self.needed.insert(place.buffer),
            ExprKind::Load(place) => self.reads.push(place),
            ExprKind::Extent(array, _) => _ = self.lengths.insert(*array),
            _ => {}
        });
    }
}
