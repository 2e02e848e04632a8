//! What a lane loop changes, and what has one value in front of it and in all of its iterations.

use crate::ir::{BufferId, BufferSet, Expr, ExprKind, For, IterId, Program, StmtKind};
use std::collections::HashMap;

/// What is not the same in front of a loop and in it.
pub(super) struct Inside {
    pub(super) iters: Vec<IterId>,
    /// Declared in the loop.
    pub(super) own: BufferSet,
    /// How many statements write a buffer.
    pub(super) writes: HashMap<BufferId, usize>,
}

impl Inside {
    pub(super) fn of(lanes: &For) -> Inside {
        let mut inside = Inside { iters: vec![lanes.iter], own: BufferSet::new(), writes: HashMap::new() };
        for stmt in &lanes.body {
            stmt.walk(&mut |stmt| match &stmt.kind {
                StmtKind::For(it) => inside.iters.push(it.iter),
                StmtKind::While(it) => inside.iters.push(it.counter),
                StmtKind::Scope { buffers, .. } => {
                    buffers.iter().for_each(|&buffer| _ = inside.own.insert(buffer));
                }
                _ => {}
            });
            stmt.writes(&mut |buffer| *inside.writes.entry(buffer).or_default() += 1);
        }
        inside
    }

    /// Whether the value is the same in front of the loop.
    pub(super) fn is_invariant(&self, program: &Program, expr: &Expr) -> bool {
        let mut invariant = true;
        expr.reads(program, &mut |buffer| {
            invariant &= !self.own.contains(buffer) && !self.writes.contains_key(&buffer);
        });
        expr.walk(&mut |expr| {
            invariant &= match &expr.kind {
                ExprKind::Iter(iter) => !self.iters.contains(iter),
                ExprKind::Extent(buffer, _) => !self.own.contains(*buffer),
                _ => true,
            };
        });
        invariant
    }

    /// Whether the loop gives a buffer one value alone, by an assignment.
    pub(super) fn is_written_once(&self, buffer: BufferId) -> bool {
        self.own.contains(buffer) && self.writes.get(&buffer) == Some(&1)
    }
}
