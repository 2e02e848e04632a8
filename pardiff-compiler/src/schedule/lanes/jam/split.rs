//! Rows that do two things are split into two rows where these are jammed better.
//!
//! ```text
//! for o in 0..m                              for o in 0..m
//!   for l in 0..w lanes                        for l in 0..w lanes
//!     d_x[l] += t[o, l] * a[o]          =>       d_x[l] += t[o, l] * a[o]
//!     d_a[o] += t[o, l] * x[l]               for o in 0..m
//!                                              for l in 0..w lanes
//!                                                d_a[o] += t[o, l] * x[l]
//! ```
//!
//! A dense layer in reverse is of this kind: a sum in each lane wants many iterations together, which load and store its
//! elements once, and sums of all lanes want the registers for their accumulators.
//!
//! *Legality.* The body consists of updates, and of assignments to registers of an iteration, which both rows make: these
//! read nothing that an update writes. Neither of the two groups of updates writes what the other one reads or writes. So
//! every instance of the one may change places with every instance of the other; in a group the order stays. What stands
//! before the lane loop reads nothing that the nest writes (see [`Row::of`]), and is executed for both.

use super::nest::{Nest, Row};
use super::{Jam, cost, price};
use crate::ir::Effects;
use crate::ir::Update;
use crate::ir::scoped;
use crate::ir::{Block, For, Origin, Stmt, StmtKind, clone_stmts};

impl Jam<'_> {
    /// The two loops that stand for a loop over rows, if that pays.
    pub(super) fn split(&mut self, each: &For, origin: Origin) -> Option<[For; 2]> {
        let nest = Nest::of(self.program, each);
        let row = match &nest {
            Some(nest) => nest.row.clone(),
            None => Row::of(self.program, each)?,
        };
        let is_reduce = |stmt: &Stmt| stmt.as_update().is_some();
        let of_lanes = |stmt: &Stmt| stmt.as_update().is_some_and(|Update { target, .. }| row.varies(target));
        let (updates, registers): (Block, Block) = row.list.iter().cloned().partition(is_reduce);
        let (lanes, all): (Block, Block) = updates.into_iter().partition(of_lanes);
        if !self.is_deep(&row) || lanes.is_empty() || all.is_empty() {
            return None;
        }
        let own = registers
            .iter()
            .all(|stmt| stmt.as_assign().is_some_and(|(target, _)| row.registers.contains(&target.buffer)));
        let [registers, lanes, all] =
            [&registers, &lanes, &all].map(|group| Effects::of(self.program, group).without(&row.registers));
        if !own || registers.conflicts(&lanes) || registers.conflicts(&all) || lanes.conflicts(&all) {
            return None;
        }
        let half = |of_this: bool| {
            let mut half = each.clone();
            let list = row.list.iter().filter(|stmt| !is_reduce(stmt) || of_lanes(stmt) == of_this).cloned();
            lane_loop(&mut half)?.body = scoped(row.registers.clone(), list.collect());
            Some(half)
        };
        let halves = [half(true)?, half(false)?];
        let price = |each: &For| {
            let nest = Nest::of(self.program, each);
            let row = nest.as_ref().map(|nest| nest.row.clone()).or_else(|| Row::of(self.program, each))?;
            Some(price::lowest(&row, nest.as_ref()))
        };
        let apart: f64 = halves.iter().map(&price).sum::<Option<f64>>()?;
        (apart * cost::JAM_MARGIN < price(each)?).then_some(())?;
        let [first, second] = halves;
        let copy = clone_stmts(self.program, &[second.stmt(origin)]).pop()?;
        let StmtKind::For(mut second) = copy.kind else { return None };
        self.deepest.insert(lane_loop(&mut second)?.iter);
        Some([first, second])
    }
}

/// The loop over lanes that ends a nest.
fn lane_loop(each: &mut For) -> Option<&mut For> {
    if each.is_in_lanes() {
        return Some(each);
    }
    let mut last = each.body.last_mut();
    while let Some(stmt) = last {
        match stmt.as_scope().is_some() {
            true => last = stmt.as_scope_mut()?.1.last_mut(),
            false => return lane_loop(stmt.as_for_mut()?),
        }
    }
    None
}
