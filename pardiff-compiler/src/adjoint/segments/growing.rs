//! Tapes that grow in a step, and what says where in them the rows of a step begin.
//!
//! ```text
//! next = 0                                 for part in 0..segments down
//! for t in 0..steps                          scope tape, start[segment], next
//!   first = next; start[t] = first             next = 0
//!   loop k                                      for r in 0..count
//!     tape[first + k] = e(x)          =>          first = next; start[r] = first
//!   next = first + trips                          loop k
//! for t in 0..steps down                            tape[first + k] = e(again)
//!   for k in 0..trips down                        next = first + trips
//!     r(tape[start[t] + k])                     for r in 0..count down
//!                                                 for k in 0..trips down
//!                                                   r(tape[start[r] + k])
//! ```
//!
//! **Legality.** Only steps count in `next`, from zero, and only by `start` does the reversal find rows. So a segment
//! that counts from zero again has rows of its own.

use super::find::names_any;
use super::step::loads;
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, Layout, Origin, Program, Role, Stmt, Ty, mentioned,
};

/// What grows in a step.
#[derive(Default)]
pub(super) struct Growing {
    pub(super) tapes: Vec<BufferId>,
    /// How many rows there are, as scalars.
    next: Vec<BufferId>,
}

impl Growing {
    /// Those of the tapes that a loop over time fills; `starts`: tapes of its steps.
    pub(super) fn of(
        program: &Program,
        own: &[BufferId],
        starts: &[BufferId],
        block: &Block,
        [forward, reverse]: [usize; 2],
    ) -> Growing {
        let named: Vec<BufferSet> =
            block.iter().map(|stmt| mentioned(program, std::slice::from_ref(stmt))).collect();
        let others = || block.iter().zip(&named).enumerate().filter(|(at, _)| *at != forward);
        let is_next = |&tape: &BufferId| {
            let begins = |stmt: &Stmt| stmt.as_scalar_assign() == Some((tape, &Expr::usize(0)));
            let of = &program[tape];
            (of.rank(), of.elem) == (0, Ty::USIZE)
                && others().all(|(at, (stmt, named))| !named.contains(tape) || at < forward && begins(stmt))
                && others().any(|(at, (stmt, _))| at < forward && begins(stmt))
        };
        let starts: Vec<BufferId> =
            starts.iter().copied().filter(|&start| program[start].elem == Ty::USIZE).collect();
        let next: Vec<BufferId> = own.iter().copied().filter(is_next).collect();
        let counts = |stmt: &Stmt| stmt.as_scalar_assign().is_some_and(|(scalar, _)| next.contains(&scalar));
        let is_found = |expr: &Expr, tape: BufferId| {
            expr.all(&mut |part| match &part.kind {
                ExprKind::Load(place) if place.buffer == tape => {
                    place.index.first().is_some_and(|row| names_any(row, &starts))
                }
                ExprKind::Extent(buffer, _) => *buffer != tape,
                _ => true,
            })
        };
        let grows = |&tape: &BufferId| {
            program[tape].layout == Layout::Reserved
                && program[tape].role == Role::Tape
                && others().all(|(at, (_, named))| at == reverse || !named.contains(tape))
                && !block[forward].any(&mut |stmt| loads(stmt, tape) && !counts(stmt))
                && !block[reverse].writes_to(tape)
                && !block[reverse].any(&mut |stmt| !stmt.exprs().into_iter().all(|expr| is_found(expr, tape)))
        };
        let tapes = own.iter().copied().filter(grows).collect();
        Growing { tapes, next }
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<BufferId> {
        [&self.tapes[..], &self.next].concat()
    }

    /// There are no rows.
    pub(super) fn begins(&self, origin: Origin) -> impl Iterator<Item = Stmt> {
        self.next.iter().map(move |&next| Stmt::set(next, Expr::usize(0), origin))
    }

    /// Drops the statement with which a loop begins to count rows.
    pub(super) fn drop_begins(&self, block: &mut Block) {
        block.retain(|stmt| !stmt.as_scalar_assign().is_some_and(|(scalar, _)| self.next.contains(&scalar)));
    }

    /// Drops what counts rows, and what makes them.
    pub(super) fn drop_counts(&self, block: &mut Block) {
        block.retain_mut(|stmt| {
            stmt.blocks_mut().into_iter().for_each(|inner| self.drop_counts(inner));
            let makes = stmt.as_reserve().is_some() && self.tapes.iter().any(|&tape| stmt.writes_to(tape));
            let counts = stmt.as_assign().is_some_and(|(target, value)| {
                self.all().contains(&target.buffer) || names_any(value, &self.next)
            });
            !makes && !counts
        });
    }
}
