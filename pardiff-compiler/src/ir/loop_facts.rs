//! What the iterations of a loop change.

use super::{BufferId, BufferSet, Expr, ExprKind, For, IterId, Program, Stmt, walk};
use crate::map::Map;

/// What is not the same before some statements and in them.
#[derive(Clone, Debug, Default)]
pub struct LoopFacts {
    /// The iterators of their loops, outermost first.
    pub iters: Vec<IterId>,
    /// What their scopes declare.
    pub own: BufferSet,
    /// What they may write.
    pub written: BufferSet,
    /// How many statements write a buffer.
    writes: Map<BufferId, usize>,
}

impl LoopFacts {
    /// Of the iterations of a loop.
    pub fn of(each: &For) -> LoopFacts {
        let mut facts = LoopFacts { iters: vec![each.iter], ..LoopFacts::default() };
        facts.add(&each.body);
        facts
    }

    /// Of statements.
    pub fn of_block(block: &[Stmt]) -> LoopFacts {
        let mut facts = LoopFacts::default();
        facts.add(block);
        facts
    }

    fn add(&mut self, block: &[Stmt]) {
        walk(block, &mut |stmt| {
            self.iters.extend(stmt.iter());
            stmt.declares().iter().for_each(|&buffer| _ = self.own.insert(buffer));
            stmt.writes_itself(&mut |buffer| {
                self.written.insert(buffer);
                *self.writes.entry(buffer).or_default() += 1;
            });
        });
    }

    /// Takes a buffer out: its declaration and its only value stand before the statements from now on.
    pub fn forget(&mut self, buffer: BufferId) {
        self.own.remove(buffer);
        self.written.remove(buffer);
        self.writes.remove(&buffer);
    }

    /// Whether an expression loads a buffer of their own or names an iterator of theirs.
    pub fn has_part_in(&self, expr: &Expr) -> bool {
        expr.any(&mut |part| match &part.kind {
            ExprKind::Load(place) => self.own.contains(place.buffer),
            ExprKind::Iter(iter) => self.iters.contains(iter),
            _ => false,
        })
    }

    /// Whether a buffer is declared or written.
    pub fn changes(&self, buffer: BufferId) -> bool {
        self.own.contains(buffer) || self.written.contains(buffer)
    }

    /// Whether they give a buffer of their own one value alone, by one statement.
    pub fn is_written_once(&self, buffer: BufferId) -> bool {
        self.own.contains(buffer) && self.writes.get(&buffer) == Some(&1)
    }

    /// Whether the value is the same before them and wherever they evaluate it.
    pub fn is_invariant(&self, program: &Program, expr: &Expr) -> bool {
        expr.all(&mut |part| match &part.kind {
            ExprKind::Iter(iter) => !self.iters.contains(iter),
            ExprKind::Load(place) => !self.changes(place.buffer),
            ExprKind::Extent(buffer, _) => {
                !(self.own.contains(*buffer)
                    || program[*buffer].layout.grows() && self.written.contains(*buffer))
            }
            _ => true,
        })
    }

    /// Whether it may be evaluated before them as well: it has the same value there, which is read from scalars alone,
    /// and evaluating it never panics.
    pub fn is_movable(&self, expr: &Expr) -> bool {
        expr.is_total()
            && expr.all(&mut |part| match &part.kind {
                ExprKind::Iter(iter) => !self.iters.contains(iter),
                ExprKind::Load(place) => place.index.is_empty() && !self.changes(place.buffer),
                ExprKind::Extent(buffer, _) => !self.changes(*buffer),
                _ => true,
            })
    }
}
