//! Loops over the same range become one, so that what they hand to each other stays in registers.
//!
//! ```text
//! for e in 0..d                      for j in 0..d down
//!   d_y[e] = 0.0                       d_y[j] = 0.0
//! t = d_term[c]                  =>    d_y[j] += s * y[j]
//! for j in 0..d down                 t = d_term[c]
//!   d_y[j] += s * y[j]
//! ```
//!
//! *Legality.* In a buffer that one of the loops writes and the other touches, either both only update it by one
//! operation, or each iteration of both touches one element alone, that of its number; so the iterations that exchange
//! places do not meet. A loop is turned round only if each of its iterations has all that it writes to itself. What
//! stands between the two, and one of them passes, touches nothing that this one writes and writes nothing that it
//! touches; a check that it passes may fail, and then the call panics anyway.
//!
//! A nest is not joined with a loop without loops behind it: it hands nothing on in registers, and could no longer be
//! tiled.

use super::accesses::Accesses;
use super::divergence::Divergence;
use super::touched::independent;
use crate::ir::{Block, BufferId, Expr, For, IterId, Program, Stmt, substitute};
use crate::limits::STATEMENTS_BACK_IN_LANES;

/// Joins loops of a block and of the blocks in it.
pub(super) fn fuse(program: &Program, lanes: &Divergence, block: &mut Block) {
    let mut out: Block = Vec::with_capacity(block.len());
    for stmt in std::mem::take(block) {
        match stmt.as_for().filter(|next| counts(program, lanes, next)) {
            Some(next) if join(program, lanes, &mut out, &stmt, next) => {}
            _ => out.push(stmt),
        }
    }
    *block = out;
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(|inner| fuse(program, lanes, inner));
    }
}

/// Whether the loop counts by one over a range that is fixed while the element loop runs.
fn counts(program: &Program, lanes: &Divergence, for_: &For) -> bool {
    for_.is_plain() && !for_.bounds_read(program, &lanes.written)
}

/// Joins a loop with one before it; whether there was one.
fn join(program: &Program, lanes: &Divergence, out: &mut Block, stmt: &Stmt, next: &For) -> bool {
    for at in (0..out.len()).rev().take(STATEMENTS_BACK_IN_LANES) {
        let Some(before) = out[at].as_for() else { continue };
        if before.lo != next.lo || before.hi != next.hi || !counts(program, lanes, before) {
            continue;
        }
        if has_loops(&before.body) && !has_loops(&next.body) {
            continue;
        }
        let between = &out[at + 1..];
        let stays = independent(program, std::slice::from_ref(stmt), between);
        if !stays && !independent(program, &out[at..=at], between) {
            continue;
        }
        let Some(both) = joined(program, before, next) else { continue };
        let joined = both.stmt(out[at].origin);
        if stays {
            out[at] = joined;
        } else {
            out.remove(at);
            out.push(joined);
        }
        return true;
    }
    false
}

fn has_loops(block: &Block) -> bool {
    crate::ir::any(block, &mut |stmt| stmt.as_for().is_some())
}

/// The two loops as one, if that is legal.
fn joined(program: &Program, before: &For, next: &For) -> Option<For> {
    let mut body = next.body.clone();
    substitute(&mut body, next.iter, &Expr::iter(before.iter, program[before.iter].ty));
    let mut both = before.clone();
    both.body.append(&mut body);
    let (first, second) = both.body.split_at(before.body.len());
    let (first, second) = (Accesses::of(first)?, Accesses::of(second)?);
    let sized = |buffer: BufferId| program[buffer].dims.iter().any(|extent| extent.mentions(next.iter));
    if program.buffer_ids().any(|buffer| second.declares(buffer) && sized(buffer)) {
        return None;
    }
    let order = match (before.order, next.order) {
        (a, b) if a == b => a,
        (_, b) if turns(&first, before.iter) => b,
        (a, _) if turns(&second, before.iter) => a,
        _ => return None,
    };
    let all = Accesses::of(&both.body)?;
    let meets = |accesses: &Accesses, other: &Accesses| {
        accesses.iter().any(|(place, _)| {
            let conflict = accesses.writes(place.buffer) || other.writes(place.buffer);
            let shared = other.iter().any(|(there, _)| there.buffer == place.buffer);
            conflict && shared && !all.commute_in(place.buffer, before.iter)
        })
    };
    (!meets(&first, &second)).then_some(For { order, ..both })
}

/// Whether each iteration has all that the loop writes to itself.
fn turns(accesses: &Accesses, iter: IterId) -> bool {
    let written = |buffer| accesses.writes(buffer) && !accesses.declares(buffer);
    accesses.iter().all(|(place, _)| !written(place.buffer) || accesses.is_elementwise(place.buffer, iter))
}
