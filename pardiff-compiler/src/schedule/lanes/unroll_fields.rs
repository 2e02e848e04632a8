//! Loops over the members of records inside a lane loop become copies of their bodies.
//!
//! ```text
//! for l in 0..w lanes                     for l in 0..w lanes
//!   for s in 0..2                           y[b + l, 0] = 2.0 * x[b + l, 0]
//!     y[b + l, s] = 2.0 * x[b + l, s]  =>   y[b + l, 1] = 2.0 * x[b + l, 1]
//! ```
//!
//! A member with a number is found from where the lanes begin, which is computed once in front of them, and one that is read
//! several times is held in a register; with `s` each access computes all of its indices again. On two cores of a server, a
//! grid of pairs took 0.7 times as long.
//!
//! *Legality.* The copies are the iterations of the loop, one after the other, in its order.

use super::cost;
use super::laneable::{places, unrolled_size};
use super::scalar_replacement::loads::opened;
use crate::ir::scoped;
use crate::ir::{
    Block, BufferId, Expr, ExprKind, For, IterId, Order, Place, Program, Stmt, StmtKind, Ty, clone_stmts,
    substitute_all,
};
use crate::limits::NUMBERS_OF_A_RECORD;

/// Writes out the loops over members in a lane loop.
pub(super) fn write_out(program: &mut Program, lanes: &mut For) {
    let (mut held, list) = opened(std::mem::take(&mut lanes.body));
    let list = of_block(program, lanes.iter, list, &mut held);
    lanes.body = scoped(held, list);
}

fn of_block(program: &mut Program, lane: IterId, block: Block, held: &mut Vec<BufferId>) -> Block {
    let mut out = Block::with_capacity(block.len());
    for mut stmt in block {
        let values = stmt.as_for().and_then(|each| values(lane, each));
        let (Some(values), StmtKind::For(each)) = (values, &stmt.kind) else {
            for inner in stmt.blocks_mut() {
                let (mut own, list) = opened(std::mem::take(inner));
                let list = of_block(program, lane, list, &mut own);
                *inner = scoped(own, list);
            }
            out.push(stmt);
            continue;
        };
        for value in values {
            let mut copy = clone_stmts(program, &each.body);
            substitute_all(program, &mut copy, each.iter, &Expr::usize(value));
            let (own, list) = opened(copy);
            held.extend(own);
            out.extend(of_block(program, lane, list, held));
        }
    }
    out
}

/// The values of a short loop over members, in its order.
fn values(lane: IterId, each: &For) -> Option<Vec<usize>> {
    let trips = each.constant_trip().filter(|&trips| trips <= NUMBERS_OF_A_RECORD)?;
    let fits = unrolled_size(each).is_some_and(|size| size <= cost::SHORT_LOOP_STATEMENTS);
    let (ExprKind::Int(lo), ExprKind::Int(step)) = (&each.lo.kind, &each.step.kind) else { return None };
    if !fits || each.lo.ty != Ty::USIZE || !counts_members(lane, each) {
        return None;
    }
    let (lo, step) = (usize::try_from(*lo).ok()?, usize::try_from(*step).ok()?);
    let up = (0..trips).map(|trip| lo + trip * step);
    Some(if each.order == Order::Down { up.rev().collect() } else { up.collect() })
}

/// Whether an element in it is of a record that lanes have one each of, by the iterator of the loop.
fn counts_members(lane: IterId, each: &For) -> bool {
    let is_member = |place: &Place| {
        let record = place.index.iter().position(|index| index.mentions(lane));
        record.is_some_and(|dim| place.index[dim + 1..].iter().any(|index| index.mentions(each.iter)))
    };
    let mut found = false;
    let mut see = |stmt: &Stmt| places(stmt, &mut |place| found |= is_member(place));
    each.body.iter().for_each(&mut see);
    found
}
