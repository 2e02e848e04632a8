//! Loops in order that are about short loops alone run as they are written.
//!
//! ```text
//! for t in 0..steps                       if enough < n * work
//!   for i in 0..n parallel                  for t in 0..steps
//!     s += a[i] * x[t - i]         =>         …                          # tasks, lanes, parts
//!                                         else
//!                                           for t in 0..steps
//!                                             for i in 0..n
//!                                               s += a[i] * x[t - i]
//! ```
//!
//! A filter of two coefficients, or a model of three states, is a few additions at each step of time; a chunk of lanes with its
//! parts takes longer to set up than they do. What asks in front of the loop over time asks once, and leaves the short form as
//! simple as it was: sums stay in registers, as no call of a task is among them.
//!
//! *Legality.* Both forms run the iterations of the loops inside, which commute where they are tasks or lanes. Which form runs is a
//! function of sizes alone: the same call always adds up in the same order, on any number of threads. The question is asked
//! in front of the loop, of sizes that it does not change, and has an answer whatever these are.
//!
//! *Where.* The second form is more code. It is made where each loop inside may be little work, and of sums and updates: steps
//! of a field are long loops, and their code is long.

use crate::ir::{Block, Expr, For, IterId, Program, Scheme, Stmt, StmtKind, clone_stmts};
use crate::limits::{NEVER_SHORT, NODES_OF_A_TERM};
use crate::schedule::cost;
use crate::schedule::cost::{Work, trip_count, with_extents};
use crate::schedule::lanes;
use crate::schedule::prices::FEW;

/// Why the short form runs in order.
pub(crate) const SHORT: &str = "where the loops inside are short";

/// Where short forms are looked for.
pub(crate) struct Finder<'a> {
    /// The work of a short loop, see [`Costs::short`](cost::Costs).
    pub(crate) short: usize,
    /// The loops that become tasks.
    pub(crate) is_parallel: &'a dyn Fn(IterId) -> bool,
}

impl Finder<'_> {
    /// Puts the short forms beside loops in order, outermost first; gives their iterators.
    pub(crate) fn beside(&self, program: &mut Program, block: &mut Block) -> Vec<IterId> {
        let mut made = Vec::new();
        for stmt in block {
            if stmt.as_for().is_some_and(|each| (self.is_parallel)(each.iter)) {
                continue;
            }
            let few = |each: &For| trip_count(each).as_usize().is_some_and(|trips| trips <= FEW);
            if stmt.is_loop()
                && !stmt.as_for().is_some_and(few)
                && let Some(long) = self.is_long(program, stmt)
            {
                made.extend(put_beside(program, stmt, long));
                continue;
            }
            stmt.blocks_mut().into_iter().for_each(|inner| made.extend(self.beside(program, inner)));
        }
        made
    }

    /// Whether some loop inside is work enough to be worth lanes or tasks; nothing if one always is, or there are no tasks.
    fn is_long(&self, program: &Program, stmt: &Stmt) -> Option<Expr> {
        let (mut has_tasks, mut is_field, mut nodes) = (false, false, 0);
        stmt.walk(&mut |stmt| {
            stmt.each_expr(&mut |expr| expr.walk(&mut |_| nodes += 1));
            has_tasks |= stmt.as_for().is_some_and(|each| (self.is_parallel)(each.iter));
            is_field |= stmt.as_update().is_some_and(|update| update.scheme != Scheme::Undecided);
        });
        if !has_tasks || is_field {
            return None;
        }
        let is_set_up = |each: &For| {
            (self.is_parallel)(each.iter) || is_innermost(each) && lanes::needs_lanes(program, each)
        };
        let works = cost::works(program, stmt, &is_set_up)?;
        if nodes > NODES_OF_A_TERM * works.len() {
            return None;
        }
        let mut conds: Vec<Expr> = Vec::new();
        for Work { work, depth } in works {
            // lanes in short rows are slow as well, so more rows are still few
            let enough = self.short << (2 * (depth - 1));
            if with_extents(&work, NEVER_SHORT) > enough as f64 {
                return None;
            }
            let is_asked = work.as_usize().is_none();
            let cond = Expr::usize(enough).below(work);
            if is_asked && !conds.contains(&cond) {
                conds.push(cond);
            }
        }
        conds.into_iter().reduce(|a, b| a | b)
    }
}

/// Puts the short form of a loop beside it; gives the iterator of that.
fn put_beside(program: &mut Program, stmt: &mut Stmt, long: Expr) -> Option<IterId> {
    let mut short = clone_stmts(program, std::slice::from_ref(stmt));
    crate::schedule::in_order(&mut short);
    let made = short.first().and_then(Stmt::iter);
    let kind = StmtKind::If { cond: long, then: Block::new(), els: short };
    let whole = std::mem::replace(stmt, Stmt::new(kind, stmt.origin));
    if let Some((_, then, _)) = stmt.as_if_mut() {
        then.push(whole);
    }
    made
}

fn is_innermost(each: &For) -> bool {
    crate::ir::all(&each.body, &mut |stmt| !stmt.is_loop())
}
