//! Loops over time that are marked `#[checkpoint]` in segments: of a tape only one segment exists at a time, and is filled
//! again, from the state at its beginning, when the reverse sweep comes to it.
//!
//! ```text
//!                                    for t in 0..steps
//!                                      part = t / segment; k = t - part * segment
//!                                      if k == 0
//! for t in 0..steps                      checkpoint[part] = x
//!   tape[t] = e(x)                     tape[k] = e(x)
//!   x = f(x)                           x = f(x)
//! rest                          =>   rest
//! for t in 0..steps down             for t in 0..steps down
//!   r(tape[t])                         part = t / segment; k = t - part * segment
//!                                      if k + 1 == segment & part + 1 < segments    # the last segment is still there
//!                                        again = checkpoint[part]
//!                                        for k in 0..segment
//!                                          tape[k] = e(again)
//!                                          again = f(again)
//!                                      r(tape[k])
//! ```
//!
//! How many steps a segment has is the user's choice, or a number that sizes decide when the program runs. To run a step again
//! costs about what it costs to run it, which is more than to store it and to read it, so only those who know that memory
//! is worth it can ask for segments: a loop without a mark stays as it is.
//!
//! A tape in which states live (see `inplace_tapes`) has a window: a step reads the `window` slots before the one that it writes. Those
//! slots are the checkpoint of such a tape. Segment `s` begins at slot `s * window`, so that the checkpoint of the next one
//! lies where this one's own steps begin, and nothing is copied when a segment is run again:
//!
//! ```text
//! segment 0   | window 0 | steps of segment 0 …            |
//! segment 1   | window 0 | window 1 | steps of segment 1 …            |
//! ```
//!
//! **Legality.** A step reads and writes tapes only at the slots `t..=t + window`, and writes only the last of them; so what a
//! segment finds of earlier steps is the window in front of it. What else a step reads, of all that the steps which fill
//! tapes need (see `slice`), is either written by no step, and by nothing from the loop to its reversal, or it is copied when
//! the segment begins and the copy is used in its place. So the slice computes what was computed the first time, up to the
//! rounding of sums (see `slice`). No index, bound or integer depends on floats; a condition may where everything that the
//! reversal reads of the steps is computed again. Whatever a segment overwrites belongs to later segments, which are reversed already.
//!
//! Loops that might run in parallel instead, as they are or where a check holds, are refused, and so are those whose reversal
//! might.

mod build;
mod find;
mod obstacle;
mod sizes;
mod slice;
#[cfg(test)]
mod tests;

use crate::ir::{Block, BufferId, Checkpoint, IterId, Order, Program, Stmt};
use crate::pass::Context;
use crate::poly::Analysis;
use crate::refusal::Refusal;
use obstacle::Obstacle;
use std::cell::OnceCell;
use std::collections::HashMap;

/// A loop over time with its reversal, which may run in segments.
struct Segments {
    /// The loop and its reversal, in the block of the tapes' scope.
    forward: usize,
    reverse: usize,
    tapes: Vec<Window>,
    /// What a step needs besides them and changes.
    carried: Vec<BufferId>,
    /// The statements of a step that fill tapes.
    slice: Block,
    /// How many steps a segment has.
    steps: Checkpoint,
}

/// A tape of a loop over time.
struct Window {
    tape: BufferId,
    /// How many slots before the one that it writes a step reads.
    slots: usize,
}

/// Lets loops over time run in segments where they can, as they are marked, or as `unmarked` says, for tests.
pub fn in_segments(program: Program, unmarked: Checkpoint) -> Program {
    run(program, Some(unmarked)).0
}

/// Marked loops of a primal: the numbers of their statements, and where they stand.
pub(crate) type Marked = Vec<(u32, proc_macro2::Span)>;

/// Lets the marked loops run in segments, or refuses those that cannot.
pub(super) fn in_marked(program: &mut Program, context: &mut Context) {
    if context.marked.is_empty() {
        return;
    }
    let found;
    (*program, found) = run(program.take(), None);
    context.refusals.extend(context.marked.iter().filter_map(|(stmt, span)| {
        let obstacle = match found.get(stmt) {
            Some(None) => return None,
            Some(Some(obstacle)) => *obstacle,
            None => Obstacle::NoArrays,
        };
        Some(Refusal::new(
            *span,
            "this loop cannot be run again from checkpoints",
            obstacle.why(program),
            obstacle.help(program),
        ))
    }));
}

/// The marked loops of a primal.
pub(crate) fn marked(primal: &Program) -> Marked {
    let mut marked = Vec::new();
    crate::ir::walk(&primal.body, &mut |stmt| {
        if let Some(each) = stmt.as_for()
            && each.marks.checkpoint.is_some()
        {
            let span = primal.spans.get(stmt.origin.span.0 as usize).copied();
            let span = span.unwrap_or_else(proc_macro2::Span::call_site);
            marked.push((stmt.origin.stmt, span));
        }
    });
    marked
}

/// What became of loops, by the numbers of their statements.
type Found = HashMap<u32, Option<Obstacle>>;

fn run(mut program: Program, unmarked: Option<Checkpoint>) -> (Program, Found) {
    let mut found = Found::new();
    let mut segments = HashMap::new();
    let analysis = OnceCell::new();
    find_in(&program, &program.body, unmarked, &analysis, &mut segments, &mut found);
    drop(analysis);
    if !segments.is_empty() {
        let mut body = std::mem::take(&mut program.body);
        body.iter_mut().for_each(|stmt| rewrite(&mut program, stmt, &mut segments));
        program.body = body;
    }
    (program, found)
}

/// Loops are not looked into: what is inside runs for each of their iterations, and its tapes are small.
fn find_in<'p>(
    program: &'p Program,
    block: &'p Block,
    unmarked: Option<Checkpoint>,
    analysis: &OnceCell<Analysis<'p>>,
    segments: &mut HashMap<IterId, Segments>,
    found: &mut Found,
) {
    for stmt in block {
        let Some((buffers, body)) = stmt.as_scope() else {
            note_inside(stmt, found);
            continue;
        };
        for (at, inner) in body.iter().enumerate() {
            let Some(each) = inner.as_for() else { continue };
            let result = find::find(program, buffers, body, at, unmarked, analysis);
            let obstacle = match result {
                None => continue,
                Some(Err(obstacle)) => Some(obstacle),
                Some(Ok(of)) => {
                    segments.insert(each.iter, of);
                    None
                }
            };
            found.insert(inner.origin.stmt, obstacle);
        }
        find_in(program, body, unmarked, analysis, segments, found);
    }
}

/// Loops inside of a statement stay as they are.
fn note_inside(stmt: &Stmt, found: &mut Found) {
    for inner in stmt.blocks().into_iter().flatten() {
        inner.walk(&mut |inner| {
            if let Some(each) = inner.as_for()
                && each.order == Order::Up
                && each.marks.checkpoint.is_some()
            {
                found.entry(inner.origin.stmt).or_insert(Some(Obstacle::Inside));
            }
        });
    }
}

fn rewrite(program: &mut Program, stmt: &mut Stmt, segments: &mut HashMap<IterId, Segments>) {
    let Some((_, body)) = stmt.as_scope_mut() else { return };
    let next = body.iter().find_map(|inner| segments.remove(&inner.as_for()?.iter));
    let Some(next) = next else {
        body.iter_mut().for_each(|inner| rewrite(program, inner, segments));
        return;
    };
    let others = segments.values_mut().flat_map(|other| &mut other.slice);
    build::build(program, stmt, next, others);
    // the other loops of the block
    let inner = stmt.blocks_mut().into_iter().flatten().last();
    inner.into_iter().for_each(|inner| rewrite(program, inner, segments));
}
