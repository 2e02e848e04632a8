//! Loops that count down, and need not, count up.
//!
//! ```text
//! for k in a..b down                       for k in a..b
//!   d_v[k] += s * x[col[k]]          =>      d_v[k] += s * x[col[k]]
//!   d_x[col[k]] += s * v[k]                  d_x[col[k]] += s * v[k]
//! ```
//!
//! Reversal turns every loop round. Memory is fetched ahead upwards: short rows that are walked down, one behind the
//! other upwards, cost a tenth more (a sparse product).
//!
//! *Legality.* Each buffer that the loop writes, and that does not live inside it, is either accessed at one index
//! alone that moves by one element, so that no two iterations meet, or only updated, by a float sum that may be
//! regrouped (not in `strict`). A loop with a check keeps its order, and with it the check that fails first.

use super::accesses::{Accesses, Touch};
use crate::ir::{Block, Exec, For, Order, Program, ReduceOp};

/// Turns the sequential loops of a block, and of the blocks in it, upwards where that computes the same.
pub fn turn_upwards(program: &Program, block: &mut Block, strict: bool) {
    for stmt in block {
        if let Some(for_) = stmt.as_for_mut()
            && may_turn(program, for_, strict)
        {
            for_.order = Order::Up;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| turn_upwards(program, inner, strict));
    }
}

fn may_turn(program: &Program, for_: &For, strict: bool) -> bool {
    if for_.order != Order::Down || for_.exec != Exec::Sequential || for_.marks.sequential {
        return false;
    }
    let Some(accesses) = Accesses::of(&for_.body) else { return false };
    let checks = crate::ir::any(&for_.body, &mut |stmt| stmt.as_check().is_some());
    let commutes = |buffer| {
        let sums = accesses.iter().all(|(place, touch)| {
            place.buffer != buffer || touch == Touch::Reduce(ReduceOp::Add) && program[buffer].elem.is_float()
        });
        accesses.is_elementwise(buffer, for_.iter) || sums && !strict
    };
    let mut shared = accesses.iter().map(|(place, _)| place.buffer);
    !checks && shared.all(|it| !accesses.writes(it) || accesses.declares(it) || commutes(it))
}
