//! Sums of a loop move up to an earlier loop over the same range that has what they add in registers.
//!
//! ```text
//! for j in 0..d                         for j in 0..d
//!   d_y[j] = s * y[j]                     d_y[j] = s * y[j]
//! for a in 0..d                           d_c[j] += d_y[j] * q[j]
//!   for b in a + 1..d                   for a in 0..d
//!     d_c[a] += d_y[b] * e[a, b]    =>    for b in a + 1..d
//! for j in 0..d                             d_c[a] += d_y[b] * e[a, b]
//!   d_c[j] += d_y[j] * q[j]             for j in 0..d
//!   d_x[j] -= d_c[j]                      d_x[j] -= d_c[j]
//! ```
//!
//! What an adjoint ends with is what the primal began with, so its last loop often adds to arrays that its first one
//! made: that loop has them at hand, and what is moved need not be loaded and stored again.
//!
//! *Legality.* The order of the terms of a sum changes, so nothing moves under `strict`. Statements that a sum passes do
//! nothing else to its target than add to it, and write nothing of what it adds; iterations of its own loop read the
//! target only at the element of the iteration, behind the sum. What the earlier loop writes of it all, it writes at the
//! element of the iteration, and the sum stands behind that. Both loops run as often, as they stand in one list. Only
//! sums of adjoints move: the primal has checked their indices.

use super::lanes::{Accesses, Touch};
use crate::ir::Update;
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, For, Place, Program, ReduceOp, Stmt, StmtKind, substitute,
    written,
};
use crate::limits::STATEMENTS_BACK_TO_A_LOOP;

/// Moves sums of a block and of the blocks in it.
pub(crate) fn raise_sums(program: &Program, block: &mut Block) {
    let writes = written(block);
    for at in 1..block.len() {
        let (earlier, rest) = block.split_at_mut(at);
        let Some(from) = rest[0].as_for_mut() else { continue };
        if !is_plain(&from.body) || !counts(program, &writes, from) {
            continue;
        }
        let whole = from.clone();
        move_sums(&mut from.body, &mut Vec::new(), &mut |sum, held| {
            let Some(sum) = Sum::of(program, sum, held, &whole) else { return false };
            let Some((to, sum)) = sum.moved(program, &whole, earlier) else { return false };
            earlier[to].blocks_mut().into_iter().for_each(|body| body.push(sum.clone()));
            true
        });
    }
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(|inner| raise_sums(program, inner));
    }
}

/// Whether the loop counts by one over a range that is fixed while a list is executed that writes these buffers.
fn counts(program: &Program, writes: &BufferSet, each: &For) -> bool {
    each.is_plain() && !each.bounds_read(program, writes)
}

/// Whether a body consists of assignments and sums, in scopes.
fn is_plain(body: &Block) -> bool {
    body.iter().all(|stmt| match stmt.as_scope() {
        Some((_, body)) => is_plain(body),
        None => stmt.as_store().is_some(),
    })
}

/// Whether a sum is taken, with the scalars that hold an element where it stands.
type Take<'a> = dyn FnMut(&Stmt, &[(BufferId, Expr)]) -> bool + 'a;

/// Offers each sum of a body with the scalars that hold an element there, and removes those that are taken; whether
/// there was one.
fn move_sums(body: &mut Block, held: &mut Vec<(BufferId, Expr)>, take: &mut Take<'_>) -> bool {
    let mut taken = false;
    for mut stmt in std::mem::take(body) {
        if stmt.as_update().is_some() && take(&stmt, held) {
            taken = true;
            continue;
        }
        let known = held.len();
        if let Some((buffers, inner)) = stmt.as_scope_mut() {
            if move_sums(inner, held, take) {
                taken = true;
                drop_unread(&held[known..], buffers, inner);
            }
            held.truncate(known);
            if buffers.is_empty() {
                body.append(inner);
                continue;
            }
        } else if let Some((scalar, value)) = stmt.as_scalar_assign()
            && matches!(value.kind, ExprKind::Load(_))
        {
            held.push((scalar, value.clone()));
        }
        body.push(stmt);
    }
    taken
}

/// Drops the variables of a scope that hold an element for nobody.
fn drop_unread(held: &[(BufferId, Expr)], buffers: &mut Vec<BufferId>, body: &mut Block) {
    buffers.retain(|&buffer| {
        let unread = held.iter().any(|(held, _)| *held == buffer) && !is_read(body, buffer);
        if unread {
            body.retain(|stmt| !stmt.writes_to(buffer));
        }
        !unread
    });
}

fn is_read(body: &Block, buffer: BufferId) -> bool {
    Accesses::of(body)
        .is_none_or(|all| all.iter().any(|(place, touch)| place.buffer == buffer && touch != Touch::Assign))
}

/// A sum that may leave its loop: in it, the variables of the loop are what they hold.
struct Sum(Stmt);

impl Sum {
    fn of(program: &Program, stmt: &Stmt, held: &[(BufferId, Expr)], from: &For) -> Option<Sum> {
        let Some(Update { op: ReduceOp::Add, target, value, scheme }) = stmt.as_update() else { return None };
        let all = Accesses::of(&from.body)?;
        let is_once = |buffer: BufferId| {
            let writes = |(place, touch): &(&Place, Touch)| place.buffer == buffer && *touch != Touch::Read;
            all.iter().filter(writes).count() == 1
        };
        let value = value.map(&mut |expr| {
            let ExprKind::Load(place) = &expr.kind else { return expr };
            let known = held.iter().find(|(buffer, _)| *buffer == place.buffer && is_once(*buffer));
            known.map_or(expr.clone(), |(_, value)| value.clone())
        });
        let kind = StmtKind::Reduce { op: ReduceOp::Add, target: target.clone(), value, scheme };
        let sum = Sum(Stmt::new(kind, stmt.origin));
        let fixed = sum.reads().iter().all(|place| !all.writes(place.buffer) && !all.declares(place.buffer));
        let first = only_adds(&all, target.buffer)
            || all.is_elementwise(target.buffer, from.iter) && is_first(&from.body, stmt, target.buffer);
        let adjoint = program[target.buffer].elem.is_float() && stmt.origin.phase.is_derived();
        (adjoint && fixed && first && !all.declares(target.buffer)).then_some(sum)
    }

    fn target(&self) -> Option<&Place> {
        self.0.as_update().map(|update| update.target)
    }

    /// The elements and scalars that it is computed from.
    fn reads(&self) -> Vec<Place> {
        let mut reads = Vec::new();
        self.0.each_expr(&mut |expr| expr.each_load(&mut |place| reads.push(place.clone())));
        reads
    }

    /// The loop that it moves to, by its place, and what it is there.
    fn moved(&self, program: &Program, from: &For, earlier: &[Stmt]) -> Option<(usize, Stmt)> {
        let target = self.target()?.buffer;
        for at in (0..earlier.len()).rev().take(STATEMENTS_BACK_TO_A_LOOP) {
            let all = Accesses::of(std::slice::from_ref(&earlier[at]))?;
            if self.reads().iter().any(|place| all.writes(place.buffer)) {
                let to = earlier[at].as_for()?;
                let alike = to.lo == from.lo
                    && to.hi == from.hi
                    && to.step == from.step
                    && to.inclusive == from.inclusive;
                let mut moved = vec![self.0.clone()];
                substitute(&mut moved, from.iter, &Expr::iter(to.iter, program[to.iter].ty));
                let moved = Sum(moved.pop()?);
                return (alike && moved.follows(to)).then_some((at, moved.0));
            }
            if all.declares(target) || !only_adds(&all, target) {
                return None;
            }
        }
        None
    }

    /// Whether it may stand at the end of an iteration of a loop.
    fn follows(&self, to: &For) -> bool {
        let Some(all) = Accesses::of(&to.body).filter(|_| is_plain(&to.body)) else { return false };
        let at_hand = |place: &Place| {
            all.is_elementwise(place.buffer, to.iter)
                && all.iter().all(|(there, _)| there.buffer != place.buffer || there == place)
        };
        self.reads().iter().all(|place| !all.writes(place.buffer) || at_hand(place))
            && self.target().is_some_and(|target| only_adds(&all, target.buffer) || at_hand(target))
    }
}

/// Whether all that is done to a buffer is to add to it.
fn only_adds(all: &Accesses, buffer: BufferId) -> bool {
    all.iter().all(|(place, touch)| place.buffer != buffer || touch == Touch::Reduce(ReduceOp::Add))
}

/// Whether nothing in front of the sum does anything else to a buffer than add to it.
fn is_first(body: &Block, sum: &Stmt, buffer: BufferId) -> bool {
    let (mut found, mut first) = (0, true);
    crate::ir::walk(body, &mut |stmt| {
        found += usize::from(stmt == sum);
        let leaf = stmt.blocks().is_empty();
        first &= found > 0
            || !leaf
            || Accesses::of(std::slice::from_ref(stmt)).is_some_and(|all| only_adds(&all, buffer));
    });
    found == 1 && first
}
