//! Two accumulations of one value, as a square has them, are one of twice the value; and a value that is computed to be
//! added to one place is added there, where it may be a fused product and sum.
//!
//! ```text
//! d_e += t * e
//! d_e += t * e            =>      d_x += t * 2.0 * e
//! d_x += d_e
//! ```
//!
//! *Legality.* The order and the rounding of sums change, so not under `strict`; that a factor above half of the largest
//! number overflows is what other orders of a sum do, too. What stands between the two
//! statements writes nothing that the value is computed from, nobody else reads the scalar, and nothing else writes it.

use super::common_factors::add_partials;
use super::is_local_adjoint;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, Program, ReduceOp, Stmt, StmtKind, UnOp};

/// Adds once what is added twice, and what is computed for a sum where the sum is.
pub fn in_one(program: &mut Program) {
    let mut body = std::mem::take(&mut program.body);
    join_twins(program, &mut body);
    let before = Uses::of(program, &body);
    add_partials(program, &before, &mut body);
    let uses = Uses::of(program, &body);
    once(program, &uses, &mut body);
    let left = Uses::of(program, &body);
    let is_gone = |it| before.writes_of(it) > 0 && left.reads_of(it) == 0 && left.writes_of(it) == 0;
    drop_temporaries(&mut body, &is_gone);
    program.body = body;
}

/// How often each scalar is read and written.
pub(super) struct Uses {
    reads: Vec<u32>,
    writes: Vec<u32>,
}

impl Uses {
    fn of(program: &Program, body: &Block) -> Uses {
        let none = vec![0; program.buffers.len()];
        let mut uses = Uses { reads: none.clone(), writes: none };
        crate::ir::walk(body, &mut |stmt| {
            stmt.each_evaluated(program, &mut |expr| {
                expr.reads(program, &mut |read| uses.reads[read.0 as usize] += 1)
            });
            if let StmtKind::Call { reads, .. } = &stmt.kind {
                reads.iter().for_each(|read| uses.reads[read.0 as usize] += 1);
            }
            if stmt.blocks().is_empty() {
                stmt.writes(&mut |written| uses.writes[written.0 as usize] += 1);
            }
        });
        uses
    }

    pub(super) fn reads_of(&self, scalar: BufferId) -> u32 {
        self.reads[scalar.0 as usize]
    }

    pub(super) fn writes_of(&self, scalar: BufferId) -> u32 {
        self.writes[scalar.0 as usize]
    }

    /// Whether the scalar is assigned once, for one statement.
    fn is_temporary(&self, scalar: BufferId) -> bool {
        self.reads[scalar.0 as usize] == 1 && self.writes[scalar.0 as usize] == 1
    }
}

fn once(program: &Program, uses: &Uses, list: &mut Block) {
    take_sums_in(uses, list);
    list.iter_mut()
        .for_each(|stmt| stmt.blocks_mut().into_iter().for_each(|inner| once(program, uses, inner)));
    let mut at = 0;
    while at < list.len() {
        let moves = list[at].as_assign().is_some_and(|(target, value)| {
            uses.is_temporary(target.buffer) && is_local_adjoint(program, target) && value.ty.is_float()
        });
        if !(moves && move_into_sum(program, list, at)) {
            at += 1;
        }
    }
}

/// Moves sums of a temporary into the scope in front of them that assigns it.
fn take_sums_in(uses: &Uses, list: &mut Block) {
    let mut at = 0;
    while at + 1 < list.len() {
        let (before, behind) = list.split_at_mut(at + 1);
        let mut taken = false;
        if let (Some((_, body)), Some(sum)) = (before[at].as_scope_mut(), behind[0].as_sum()) {
            taken = body.iter().filter_map(Stmt::as_assign).any(|(target, _)| {
                uses.is_temporary(target.buffer) && signed_load(sum.value, target.buffer).is_some()
            });
            body.extend(taken.then(|| behind[0].clone()));
        };
        if taken {
            list.remove(at + 1);
        } else {
            at += 1;
        }
    }
}

/// Whether the value is that of a scalar, or its negative: whether it is negative.
fn signed_load(value: &Expr, scalar: BufferId) -> Option<bool> {
    let loads = |expr: &Expr| matches!(&expr.kind, ExprKind::Load(place) if place.buffer == scalar);
    match &value.kind {
        ExprKind::Unary(UnOp::Neg, of) if loads(of) => Some(true),
        _ => loads(value).then_some(false),
    }
}

/// Drops declarations of scalars that are no longer there.
fn drop_temporaries(list: &mut Block, is_gone: &dyn Fn(BufferId) -> bool) {
    for stmt in list {
        if let Some((buffers, _)) = stmt.as_scope_mut() {
            buffers.retain(|&buffer| !is_gone(buffer));
        }
        stmt.blocks_mut().into_iter().for_each(|inner| drop_temporaries(inner, is_gone));
    }
}

/// Two neighbours that do the same to a scalar are one.
fn join_twins(program: &Program, list: &mut Block) {
    list.iter_mut().for_each(|stmt| {
        stmt.blocks_mut().into_iter().for_each(|inner| join_twins(program, inner));
    });
    let mut at = 1;
    while at < list.len() {
        let (before, behind) = list.split_at_mut(at);
        let first = &mut before[at - 1];
        let adds = first.as_assign().is_some() || first.as_sum().is_some();
        let mut joined = false;
        if let (Some((target, value)), Some(second)) =
            (first.as_store_mut().filter(|_| adds), behind[0].as_sum())
            && target == second.target
            && value == second.value
            && is_local_adjoint(program, target)
        {
            *value = doubled(value);
            joined = true;
        }
        if joined {
            list.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Twice a value; of a product, twice its first factor, which is the same in the accumulations of a sum of squares.
fn doubled(value: &Expr) -> Expr {
    match &value.kind {
        ExprKind::Binary(BinOp::Mul, a, b) => doubled(a) * (**b).clone(),
        ExprKind::Unary(UnOp::Neg, a) => -doubled(a),
        _ => value.clone() * Expr::float(value.ty, 2.0),
    }
}

/// Moves the assignment of a temporary into the sum of the list that reads it; whether there is one.
fn move_into_sum(program: &Program, list: &mut Block, at: usize) -> bool {
    let Some((target, value)) = list[at].as_assign() else { return false };
    let (scalar, value) = (target.buffer, value.clone());
    let Some(reader) = (at + 1..list.len()).find(|&reader| list[reader].mentions(program, scalar)) else {
        return false;
    };
    let mut changes = false;
    for between in &list[at + 1..reader] {
        between.writes(&mut |written| {
            value.reads(program, &mut |read| changes |= read == written);
        });
    }
    let adjoint = list[at].origin.phase.is_derived();
    let StmtKind::Reduce { op: ReduceOp::Add, value: sum, target, .. } = &mut list[reader].kind else {
        return false;
    };
    value.reads(program, &mut |read| changes |= read == target.buffer);
    let negative = signed_load(sum, scalar);
    let moved = match negative {
        Some(negative) if adjoint && !changes => {
            if negative {
                -value
            } else {
                value
            }
        }
        _ => return false,
    };
    *sum = moved;
    list.remove(at);
    true
}
