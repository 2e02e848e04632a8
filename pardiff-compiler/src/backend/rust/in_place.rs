//! Task loops whose only chunk runs where the loop stands.
//!
//! ```text
//! for t in 0..steps                       for t in 0..steps {
//!   for c in 0..chunks parallel(task)         if chunks == 1 { Self::task_0(level, 0, x, y, n) }     // inlined
//!     …                                =>     else { tasks(chunks, &|c| task(c, x, y, n)) }
//!                                         }
//! ```
//!
//! A loop over time whose parallel loops are short rows spends as much on the calls of their tasks as on the rows: every
//! array and size is an argument, and what is the same in all rows is found anew in each. Inlined, arguments cost
//! nothing.
//!
//! *Legality.* The code is the same function with the same arguments for the same level, so it computes the same bits. The
//! pointers that it shares come from borrows that end with the call.

use super::emitter::Emitter;
use crate::ir::{Block, Exec, For, IterId, Level, Program, Stmt};
use crate::limits::COMPILED_IN_PLACE;
use std::collections::HashSet;

/// The iterators of the task loops in loops in order whose chunks are rows.
pub(super) fn rows_in_order(program: &Program) -> HashSet<IterId> {
    let mut found = HashSet::new();
    find(&program.body, false, &mut found);
    found
}

impl Emitter<'_> {
    /// Whether the only chunk of a task loop runs in place, in code that is compiled for each level.
    pub(super) fn runs_in_place(&self, it: &For) -> bool {
        self.by_level && self.in_place.contains(&it.iter)
    }
}

fn find(block: &Block, in_loop: bool, found: &mut HashSet<IterId>) {
    for stmt in block {
        match stmt.as_for() {
            Some(it) if it.exec == Exec::Parallel(Level::Task) => {
                if in_loop
                    && it.body.iter().all(|stmt| depth(stmt) <= 1)
                    && nodes(&it.body) <= COMPILED_IN_PLACE
                {
                    found.insert(it.iter);
                }
            }
            _ => {
                let in_loop = in_loop || stmt.is_loop();
                stmt.blocks().into_iter().for_each(|inner| find(inner, in_loop, found));
            }
        }
    }
}

/// How many loops stand in one another, without those of few iterations and those over the blocks of another one.
pub(super) fn depth(stmt: &Stmt) -> usize {
    let inner = stmt.blocks().into_iter().flatten().map(depth).max().unwrap_or(0);
    let own = stmt.as_while().is_some()
        || stmt.as_for().is_some_and(|it| it.hi.as_usize().is_none() && it.step.as_usize() == Some(1));
    inner + usize::from(own)
}

fn nodes(block: &Block) -> usize {
    let mut nodes = 0;
    block.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            stmt.each_expr(&mut |expr| expr.walk(&mut |_| nodes += 1));
        });
    });
    nodes
}
