//! The versions of a parallel loop, between which facts and sizes choose when the program runs.
//!
//! ```text
//! if copies of everything are little beside the work         # only where the rows of the facts may be named twice
//!   the loop in chunks with copies
//! else
//!   check the facts                                          # see `bounds::guard`
//!   guard holds
//!     if the windows of chunks overlap with neighbours alone # see `chunk_colouring`
//!       the loop in two turns of chunks
//!     else if copies of what the facts leave cost less than the work
//!       the loop in chunks                                   # or by an inverse index, see `inverse`
//!     else
//!       the loop in order
//!   otherwise
//!     the loop in order
//! ```
//!
//! Every version computes the same but for the order of additions that may be regrouped, so any condition is right. All
//! are functions of sizes and of what the arrays hold, never of the number of threads. A version that cannot be chosen is
//! not made: most loops have one or two.

pub(super) mod iteration_tasks;
pub(super) mod short_loops;

use super::Decisions;
use super::chunk_colouring;
use super::chunks::{Turns, cut_always, cut_in_turns};
use super::cost::{saturating_mul, trip_count};
use super::inverse;
use super::parallel::Plan;
use super::summation::copied_by;
use crate::bounds;
use crate::ir::{Block, BufferId, Expr, IterId, Program, Stmt, StmtKind, clone_stmts, walk};
use crate::limits::COPIED_WITHOUT_ASKING;

/// Replaces a parallel loop by its chunks; beside them stands the loop in order where a fact that is checked when the
/// program runs, or sizes, decide.
pub(super) fn cut(program: &mut Program, stmt: &mut Stmt, mut plan: Plan, decisions: &mut Decisions) {
    if let Some(copying) = plan.copying.take() {
        return beside_copies(program, stmt, plan, *copying, decisions);
    }
    let facts = std::mem::take(&mut plan.facts);
    if !facts.is_empty() {
        let Some(guarded) = bounds::guarded(program, &facts, plan.pays.clone(), stmt) else {
            return super::decide_in_order(stmt);
        };
        for pass in guarded.passes {
            decisions.loops.insert(pass, format!("checks that {}", plan.relies));
        }
        *stmt = guarded.stmt;
        versions(stmt, &mut |then, els| {
            super::in_order(els);
            if let [Stmt { kind: StmtKind::For(each), .. }] = &els[..] {
                decisions.loops.insert(each.iter, format!("where it is not so that {}", plan.relies));
            }
            then.iter_mut().for_each(|stmt| cut(program, stmt, plan.clone(), decisions));
        });
        return;
    }
    let colours = std::mem::take(&mut plan.colours);
    if !colours.is_empty() {
        return in_turns(program, stmt, plan, &colours, decisions);
    }
    if let Some(inverse) = plan.inverse.take() {
        return inverse::versions(program, stmt, &plan, &inverse, decisions);
    }
    if always_pays(&plan) {
        return cut_always(program, stmt, &plan, decisions);
    }
    // whether its parts pay is known at run time where the size of an array that is copied is: two versions
    let mut in_order = clone_stmts(program, std::slice::from_ref(stmt));
    super::in_order(&mut in_order);
    cut_always(program, stmt, &plan, decisions);
    if let Some(in_order) = in_order.pop() {
        if let Some(each) = in_order.as_for() {
            decisions.loops.insert(each.iter, "where copies would cost more than the work".to_owned());
        }
        if let Some(pays) = copies_pay(&in_order, &plan, 1) {
            let then = vec![stmt.take()];
            stmt.kind = StmtKind::If { cond: pays, then, els: vec![in_order] };
        }
    }
}

/// Puts the loop with copies beside the one that checks facts.
fn beside_copies(
    program: &mut Program,
    stmt: &mut Stmt,
    plan: Plan,
    copying: Plan,
    decisions: &mut Decisions,
) {
    let little = copies_pay(stmt, &copying, copying.costs.most_copies).unwrap_or_else(|| Expr::bool(false));
    // the facts name iterators of the loop, so the version that checks them is the loop itself
    let mut copies = clone_stmts(program, std::slice::from_ref(stmt));
    let copying = copying.of_copy(program, std::slice::from_ref(stmt), &copies);
    copies.iter_mut().for_each(|copy| cut(program, copy, copying.clone(), decisions));
    cut(program, stmt, plan, decisions);
    let els = vec![stmt.take()];
    stmt.kind = StmtKind::If { cond: little, then: copies, els };
}

/// Puts the loop in two turns of chunks beside the other versions.
fn in_turns(
    program: &mut Program,
    stmt: &mut Stmt,
    plan: Plan,
    colours: &[BufferId],
    decisions: &mut Decisions,
) {
    let mut others = clone_stmts(program, std::slice::from_ref(stmt));
    let other = plan.clone().of_copy(program, std::slice::from_ref(stmt), &others);
    others.iter_mut().for_each(|copy| cut(program, copy, other.clone(), decisions));
    let mut plan = plan;
    chunk_colouring::colour(&mut plan.sums, colours);
    let pays = if always_pays(&plan) { None } else { copies_pay(stmt, &plan, 1) };
    let apart = Turns { pays: pays.unwrap_or_else(|| Expr::bool(true)), otherwise: others };
    cut_in_turns(program, stmt, &plan, Some(apart), decisions);
}

impl Plan {
    /// The plan for a second version of the loop.
    pub(super) fn of_copy(mut self, program: &Program, loops: &[Stmt], copy: &[Stmt]) -> Plan {
        let (from, to) = (iterators(loops), iterators(copy));
        let there = |iter: &IterId| Some(to[from.iter().position(|it| it == iter)?]);
        self.middle = self.middle.iter().filter_map(there).collect();
        self.inverse = match copy {
            [only] if self.inverse.is_some() => {
                only.as_for().and_then(|each| inverse::find(program, each, &self.sums))
            }
            _ => None,
        };
        self
    }
}

/// The iterators of the loops of a block, in the order of the source.
fn iterators(block: &[Stmt]) -> Vec<IterId> {
    let mut found = Vec::new();
    walk(block, &mut |stmt| found.extend(stmt.as_for().map(|each| each.iter)));
    found
}

/// That so many copies cost less than the work of a loop.
fn copies_pay(stmt: &Stmt, plan: &Plan, copies: usize) -> Option<Expr> {
    let each = stmt.as_for()?;
    let work = saturating_mul(trip_count(each), plan.iteration.clone());
    let price = Expr::usize(plan.costs.copied_element.saturating_mul(copies));
    Some(saturating_mul(price, copied_by(&plan.sums)).at_most(work))
}

/// The two versions behind the check of a fact; everything else in front of them runs in order.
fn versions(stmt: &mut Stmt, found: &mut dyn FnMut(&mut Block, &mut Block)) {
    if let StmtKind::Guarded { then, els, .. } = &mut stmt.kind {
        return found(then, els);
    }
    super::decide_in_order(stmt);
    stmt.blocks_mut().into_iter().for_each(|block| block.iter_mut().for_each(|stmt| versions(stmt, found)));
}

/// Whether the elements that are copied are so few that they always pay.
fn always_pays(plan: &Plan) -> bool {
    let small = |size: Expr| size.as_usize().is_some_and(|size| size <= COPIED_WITHOUT_ASKING);
    plan.sums.iter().all(|sum| small(sum.means.copied()))
}
