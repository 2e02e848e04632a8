//! Kernels that are kernels where no index wraps: the host compares sizes in front of them.
//!
//! ```text
//! for y in 2..ny - 2                    holds = ny - 3 <= len(after) / nx, …
//!   for x in 2..nx - 2        =>        guarded holds
//!     after[y * nx + x] = …               grid: for y in 2..ny - 2
//!                                           grid: for x in 2..nx - 2
//!                                             after[y * nx + x] = …
//!                                       else
//!                                         the loops in order, by one thread
//! ```
//!
//! **Legality.** The proof that iterations meet in nothing but summations assumes [`Fact::Fits`], and [`bounds::guarded`] puts the
//! comparisons that say so in front of the loop. They are of lengths and of scalars, which the host knows; where it does not, the
//! kernel is none (see [`crate::schedule::host`]). Other facts look at arrays, which are the device's.

use crate::bounds;
use crate::ir::{Block, Expr, IterId, Program, Stmt, StmtKind};
use crate::poly::{Analysis, Fact};
use crate::schedule::Decisions;
use std::collections::HashMap;

/// What may be compared in front of a loop so that it carries less.
pub(super) fn facts(analysis: &Analysis<'_>, iter: IterId) -> Vec<Fact> {
    let facts = analysis.facts_of(iter).into_iter();
    facts.filter(|fact| matches!(fact, Fact::Fits(_))).collect()
}

/// Puts the loops of these facts under guards; what stands beside them runs in order.
pub(super) fn guard(
    program: &mut Program,
    block: &mut Block,
    facts: &HashMap<IterId, &[Fact]>,
    decisions: &mut Decisions,
) {
    if facts.is_empty() {
        return;
    }
    for stmt in block {
        if let Some(each) = stmt.as_for()
            && let Some(facts) = facts.get(&each.iter)
        {
            if let Some(guarded) = bounds::guarded(program, facts, Expr::bool(true), stmt) {
                *stmt = guarded.stmt;
                say(stmt, decisions);
            }
            continue;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| guard(program, inner, facts, decisions));
    }
}

/// The reason why the other version runs in order.
fn say(stmt: &Stmt, decisions: &mut Decisions) {
    stmt.walk(&mut |stmt| {
        if let StmtKind::Guarded { els, .. } = &stmt.kind
            && let [Stmt { kind: StmtKind::For(each), .. }] = &els[..]
        {
            decisions.loops.insert(each.iter, "where an index may wrap".to_owned());
        }
    });
}
