//! Rows of compressed matrices in kernels: where they do not overlap, each element belongs to the thread of its row.
//!
//! ```text
//! grid: for i in 0..n                          scope bad: usize, overlaps: usize of the host
//!   for k in start[i]..start[i + 1]              bad = 0
//!     d[k] += …            # atomic       =>     grid: for r in 0..n
//!                                                  bad max= start[r] <= start[r + 1] … ? 0 : 1
//!                                                overlaps = bad                   # the host reads it back
//!                                                guarded overlaps == 0
//!                                                  grid: for i in 0..n
//!                                                    for k in start[i]..start[i + 1]
//!                                                      d[k] += …                  # one owner
//!                                                else
//!                                                  the loop as it was
//! ```
//!
//! **Legality.** [`Fact::Rows`] asks for `end(i) <= start(j)` for all iterations `i < j` whose rows have elements. The pass checks
//! `start(i) <= end(i)` for all of them, and `end(i) <= start(i + 1)` for all but the last, from which that follows link by link. It reads
//! no element that is not there: a value outside of an array counts as a failure. The host waits for the number and starts one kernel
//! or the other: what the second one needs ([`crate::schedule::updates`]) takes no memory where the rows are apart.

use super::grids::Schemes;
use crate::ir::{
    BinOp, Block, BufferId, Exec, Expr, ExprKind, For, IterId, Level, Place, Program, ReduceOp, Scheme,
    Space, Stmt, StmtKind, Ty, clone_stmts,
};
use crate::poly::{Analysis, Fact};
use crate::schedule::Options;
use crate::schedule::chunks::Builder;
use crate::schedule::parallel::meets;

/// Rows that are to be checked.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    /// Where the rows of an iteration start and end, as expressions of the loop's iterator.
    rows: Vec<(Expr, Expr)>,
    /// Arrays each of whose elements has one owner if the rows are apart.
    owned: Vec<BufferId>,
}

/// The facts by which sums of a kernel that would be atomic have one owner.
pub(super) fn find(
    analysis: &Analysis<'_>,
    each: &For,
    schemes: &Schemes,
    options: &Options,
) -> Option<Apart> {
    let is_atomic = |id: &BufferId| schemes.get(id) == Some(&Scheme::Atomic);
    let plain = each.is_plain();
    if !plain || !schemes.keys().any(is_atomic) {
        return None;
    }
    let usable = |fact: &Fact| match fact {
        Fact::Rows(rows) => {
            rows.scales.is_empty()
                && !rows.inclusive
                && [&rows.start, &rows.end].into_iter().all(|it| loads(it).is_some())
        }
        _ => false,
    };
    let facts: Vec<Fact> = analysis.facts_of(each.iter).into_iter().filter(usable).collect();
    if facts.is_empty() {
        return None;
    }
    let meetings = meets(analysis, each, options, &facts).ok()?;
    let owned: Vec<BufferId> = meetings.owned.iter().map(|(id, _)| *id).filter(|id| is_atomic(id)).collect();
    let rows = facts.into_iter().filter_map(|fact| match fact {
        Fact::Rows(rows) => Some((rows.start, rows.end)),
        _ => None,
    });
    (!owned.is_empty()).then(|| Apart { rows: rows.collect(), owned })
}

/// The loads of an expression whose values can be looked up in front of the loop, if there are no others.
fn loads(expr: &Expr) -> Option<Vec<Place>> {
    let (mut found, mut simple) = (Vec::new(), expr.ty == Ty::USIZE);
    expr.walk(&mut |expr| match &expr.kind {
        ExprKind::Load(place) if place.index.is_empty() => {}
        ExprKind::Load(place) => {
            simple &= place.index.len() == 1;
            place.index.iter().for_each(|index| {
                index.walk(&mut |expr| {
                    simple &= !matches!(&expr.kind, ExprKind::Load(of) if !of.index.is_empty())
                });
            });
            found.push(place.clone());
        }
        _ => {}
    });
    simple.then_some(found)
}

/// Puts the check in front of the loop, and both versions into it; the loop that checks, and what it checks.
pub(super) fn guard(program: &mut Program, stmt: &mut Stmt, apart: &Apart) -> Option<(IterId, String)> {
    let each = stmt.as_for()?;
    let mut build = Builder { origin: stmt.origin, program };
    let (bad, overlaps) = (build.size("bad"), build.size("overlaps"));
    build.program[overlaps].space = Space::Host;
    let (row, fails) = (build.index("row"), build.size("fails"));
    let here = Expr::iter(row, Ty::USIZE);
    let next = Expr::binary(BinOp::Add, here.clone(), Expr::usize(1));
    let is_last = Expr::binary(BinOp::Ge, next.clone(), each.hi.clone());
    let mut body = Block::new();
    for (start, end) in &apart.rows {
        let [first, last] = [start, end].map(|it| with_iterator(it, each.iter, &here));
        let behind = with_iterator(start, each.iter, &next);
        let set = |value| build.set(fails, Expr::usize(value));
        let in_order =
            |a: &Expr, b: &Expr, then| build.when(Expr::binary(BinOp::Le, a.clone(), b.clone()), then);
        let follows = build.if_there(&[&behind], vec![in_order(&last, &behind, vec![set(0)])]);
        let follows = StmtKind::If { cond: is_last.clone(), then: vec![set(0)], els: follows };
        let grows = in_order(&first, &last, vec![build.stmt(follows)]);
        body.push(set(1));
        body.extend(build.if_there(&[&first, &last], vec![grows]));
        let (target, value, scheme) = (Place::scalar(bad), build.load(fails), Scheme::ScalarReduction);
        body.push(build.stmt(StmtKind::Reduce { op: ReduceOp::Max, target, value, scheme }));
    }
    let body = vec![build.scope(vec![fails], body)];
    let pass = For {
        lo: each.lo.clone(),
        exec: Exec::Parallel(Level::Grid),
        ..For::counted(row, each.hi.clone(), body)
    };
    let zero = build.set(bad, Expr::usize(0));
    let pass = build.stmt(StmtKind::For(pass));
    let read = build.set(overlaps, build.load(bad));
    let mut owned = clone_stmts(build.program, std::slice::from_ref(stmt));
    own(&mut owned, &apart.owned);
    let els = vec![std::mem::replace(stmt, build.stmt(StmtKind::Fork { tasks: Vec::new() }))];
    let fact = Expr::binary(BinOp::Eq, build.load(overlaps), Expr::usize(0));
    let versions = build.stmt(StmtKind::Guarded { fact, then: owned, els });
    *stmt = build.scope(vec![bad, overlaps], vec![zero, pass, read, versions]);
    let places = apart.rows.iter().filter_map(|(start, _)| loads(start)).flatten();
    let mut names: Vec<String> = places.map(|place| format!("`{}`", program[place.buffer].name)).collect();
    names.dedup();
    Some((row, format!("parallel: checks that rows by {} do not overlap", names.join(" and "))))
}

/// The sums into these arrays have one owner.
fn own(block: &mut Block, owned: &[BufferId]) {
    for stmt in block {
        if let StmtKind::Reduce { target, scheme, .. } = &mut stmt.kind
            && owned.contains(&target.buffer)
        {
            *scheme = Scheme::NoneNeeded;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| own(inner, owned));
    }
}

fn with_iterator(expr: &Expr, iter: IterId, value: &Expr) -> Expr {
    expr.map(&mut |node| if node.kind == ExprKind::Iter(iter) { value.clone() } else { node })
}
