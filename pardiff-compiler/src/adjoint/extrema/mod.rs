//! The element that attains a running maximum or minimum is found in the forward sweep, so that the reverse sweep goes
//! to it alone and no value of the running one is stored.
//!
//! ```text
//! for k in a..b                          all = m; for k in a..b { all max= e(k) }
//!   m max= e(k)                    =>    if all is a number and m != all
//!                                          first = MAX; for k in a..b { if e(k) == all { first min= k } }
//!                                          if first == MAX { one loop in order finds the first of the greatest }
//!                                          m = -0.0; for k in a..b { if k == first { m += e(k) } }
//! ```
//!
//! In a nest the first iteration is found a loop at a time: the first `j` with an `e(j, i) == all`, then, in that
//! iteration of `j`, the first `i`. The last loop adds one value; as a loop it has the iterator in its
//! accesses, whose ranges are known, and it is one of lanes like the others.
//!
//! *Legality.* By the convention of ties the whole adjoint goes to the first iteration that attains the extremum, or to
//! the value before the nest if that attains it: the same in both forms. A NaN is equal to nothing, and a maximum passes
//! it over; if all are NaN, `m` stays. Nothing in the nest reads `m` or writes it otherwise. What `e(k)` reads is not
//! written in the nest behind the read, or it is a variable that is computed again; so `e(k)` has the same value when the nest has
//! ended, and its checks have passed. It need not have the same bits: later passes may fuse a product or take a reciprocal in one of
//! the loops and not in the other. Then no iteration is equal, and the loop in order, which compares its own values, finds
//! one whose value differs from the extremum by rounding. `MAX` means none although an inclusive range may end
//! with it: then that loop finds it again.
//!
//! *Where.* `e(k)` is computed twice, so nothing in it may be a loop. A nest in a loop whose iterations commute, and for all of
//! which it has the same number of iterations, is left alone: there lanes are the iterations of the outer loop, and each would have to
//! go to an element of its own. So is one of a few iterations.

mod search;
mod slice;

use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, For, Order, Origin, Place, Program, ReduceOp, Role, Scheme,
    Stmt, StmtKind, Ty, written,
};
use crate::poly::Analysis;
use slice::Slice;
use std::cell::OnceCell;

/// The primal in this form; the primal itself where it has no such loop.
pub(super) fn point_out(primal: Program) -> Program {
    let mut pass = Pass {
        primal: &primal,
        analysis: OnceCell::new(),
        out: primal.clone(),
        around: Vec::new(),
        settled: BufferSet::new(),
    };
    let body = pass.block(&primal.body);
    Program { body, ..pass.out }
}

struct Pass<'p> {
    primal: &'p Program,
    /// Made when it is asked for: most programs have no such loop.
    analysis: OnceCell<Analysis<'p>>,
    /// The primal with the variables of the new form.
    out: Program,
    /// The loops around the statement.
    around: Vec<&'p Stmt>,
    /// The running ones of loops around the statement that are in the new form.
    settled: BufferSet,
}

/// A running maximum or minimum of a nest.
struct Extremum<'p> {
    /// The running one.
    target: BufferId,
    /// What it is.
    op: ReduceOp,
    /// The loops around its update, the nest itself first.
    path: Vec<&'p For>,
    /// The nest with the statements that the value needs, and the update.
    slice: Stmt,
}

impl<'p> Pass<'p> {
    fn block(&mut self, stmts: &'p [Stmt]) -> Block {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Stmt {
        let found = stmt.as_for().map_or_else(Vec::new, |nest| self.extrema(stmt, nest));
        found.iter().for_each(|extremum| _ = self.settled.insert(extremum.target));
        let depth = self.around.len();
        if stmt.is_loop() {
            self.around.push(stmt);
        }
        let mut copy = stmt.clone();
        for (block, copied) in stmt.blocks().into_iter().zip(copy.blocks_mut()) {
            *copied = self.block(block);
        }
        self.around.truncate(depth);
        match found.is_empty() {
            true => copy,
            false => self.pointed_out(copy, &found),
        }
    }

    /// The running ones of a nest that are better pointed out.
    fn extrema(&self, stmt: &'p Stmt, nest: &'p For) -> Vec<Extremum<'p>> {
        let mut targets = Vec::new();
        stmt.walk(&mut |inner| {
            if let StmtKind::Reduce { op: op @ (ReduceOp::Max | ReduceOp::Min), target, .. } = &inner.kind
                && target.index.is_empty()
                && self.primal[target.buffer].elem.is_float()
                && !self.settled.contains(target.buffer)
            {
                targets.push((target.buffer, *op));
            }
        });
        targets.retain(|&(target, _)| mentions(stmt, target) == 1);
        if targets.is_empty() || !self.is_worthwhile(nest) {
            return Vec::new();
        }
        targets.into_iter().filter_map(|(target, op)| self.extremum(stmt, nest, target, op)).collect()
    }

    fn extremum(
        &self,
        stmt: &'p Stmt,
        nest: &'p For,
        target: BufferId,
        op: ReduceOp,
    ) -> Option<Extremum<'p>> {
        let path = path_to(nest, target)?;
        let is_counted = |each: &&For| {
            each.order == Order::Up
                && greatest(each.lo.ty).is_some()
                && matches!(each.step.kind, ExprKind::Int(_))
        };
        let is_short =
            |each: &&For| matches!((&each.lo.kind, &each.hi.kind), (ExprKind::Int(_), ExprKind::Int(_)));
        if !path.iter().all(is_counted) || path.iter().all(is_short) {
            return None;
        }
        let slice = Slice::of(self.analysis(), stmt, &path, target)?;
        Some(Extremum { target, op, path, slice })
    }

    fn analysis(&self) -> &Analysis<'p> {
        self.analysis.get_or_init(|| Analysis::new(self.primal))
    }

    /// Whether no loop around the nest is one of lanes for it: the outermost one whose iterations commute decides.
    fn is_worthwhile(&self, nest: &For) -> bool {
        let mut outer = self.around.iter().filter_map(|stmt| Some((stmt, stmt.as_for()?)));
        let lanes = outer.find(|(_, outer)| {
            self.analysis().carried_assuming(outer.iter, &[]).all(|carried| carried.is_reduction_only())
        });
        lanes.is_none_or(|(&stmt, _)| varies(nest, &written(std::slice::from_ref(stmt))))
    }

    fn pointed_out(&mut self, mut whole: Stmt, found: &[Extremum<'p>]) -> Stmt {
        let origin = whole.origin;
        let (mut buffers, mut body, mut behind) = (Vec::new(), Block::new(), Block::new());
        for extremum in found {
            let (target, op) = (extremum.target, extremum.op);
            let all = self.out.add_scalar(
                &format!("{}_all", self.out[target].name),
                self.out[target].elem,
                Role::Local,
            );
            buffers.push(all);
            body.push(Stmt::set(all, self.out.load_scalar(target), origin));
            let program = &mut self.out;
            replace(&mut whole, target, &mut |value| {
                search::named(program, target, value, origin, |item| reduce(op, all, item, origin))
            });
            behind.push(search::Search::new(&mut self.out, extremum, all, &mut buffers).stmt());
        }
        body.push(whole);
        body.extend(behind);
        Stmt::scope(buffers, body, origin)
    }
}

fn reduce(op: ReduceOp, target: BufferId, value: Expr, origin: Origin) -> Stmt {
    let target = Place::scalar(target);
    Stmt::new(StmtKind::Reduce { op, target, value, scheme: Scheme::Undecided }, origin)
}

/// Whether the number of iterations may be another one in each iteration of the loops around.
fn varies(each: &For, written: &BufferSet) -> bool {
    let changes = |part: &Expr| match &part.kind {
        ExprKind::Iter(_) => true,
        ExprKind::Load(place) => written.contains(place.buffer),
        _ => false,
    };
    each.bounds().into_iter().any(|bound| bound.any(&mut &changes))
}

/// The loops of a nest around the update of its extremum; `None` where it stands in a loop of another kind.
fn path_to(nest: &For, target: BufferId) -> Option<Vec<&For>> {
    fn inside<'p>(block: &'p [Stmt], target: BufferId, path: &mut Vec<&'p For>) -> bool {
        block.iter().any(|stmt| {
            if let Some(update) = stmt.as_update() {
                return update.target.buffer == target;
            }
            path.extend(stmt.as_for());
            let enters = stmt.as_for().is_some() || stmt.as_scope().is_some() || stmt.as_if().is_some();
            let found = enters && stmt.blocks().into_iter().any(|block| inside(block, target, path));
            path.truncate(path.len() - usize::from(stmt.as_for().is_some() && !found));
            found
        })
    }
    let mut path = vec![nest];
    inside(&nest.body, target, &mut path).then_some(path)
}

/// How often a statement, with those in it, reads or writes a scalar.
fn mentions(stmt: &Stmt, scalar: BufferId) -> usize {
    let mut count = 0;
    stmt.walk(&mut |stmt| {
        stmt.each_expr(&mut |expr| expr.each_load(&mut |place| count += usize::from(place.buffer == scalar)));
        count += usize::from(stmt.touches().any(|buffer| buffer == scalar));
    });
    count
}

/// Puts what `made` makes of its value in place of the update.
fn replace(stmt: &mut Stmt, target: BufferId, made: &mut dyn FnMut(&Expr) -> Stmt) {
    stmt.descend_mut(&mut |stmt| {
        let Some(update) = stmt.as_update().filter(|update| update.target.buffer == target) else {
            return true;
        };
        *stmt = made(update.value);
        false
    });
}

/// The greatest value of an integer type: what no iteration is called.
fn greatest(ty: Ty) -> Option<i128> {
    match ty {
        Ty::Int(int) => int.max(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
