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
mod forward;
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
use std::collections::{HashMap, HashSet};

/// A loop over time with its reversal, which may run in segments.
struct Segments {
    /// The loop and its reversal, in the block of the tapes' scope.
    forward: usize,
    reverse: usize,
    /// Those of which a segment has the slots of its own steps.
    tapes: Vec<BufferId>,
    /// Tapes of the loop that have the slots of all steps.
    whole: Vec<BufferId>,
    /// What a step needs besides them and changes.
    carried: Vec<BufferId>,
    /// The statements of a step that fill tapes.
    slice: Block,
    asked: Checkpoint,
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
    let (mut seen, mut found) = (HashSet::new(), Found::new());
    while let Some((iter, segments)) = next(&program, unmarked, &mut seen, &mut found) {
        let mut body = std::mem::take(&mut program.body);
        let mut segments = Some(segments);
        rewrite(&mut program, &mut body, iter, &mut segments, &mut seen);
        program.body = body;
    }
    program.body.iter().for_each(|stmt| note_inside(stmt, &mut found));
    (program, found)
}

/// The next loop that may run in segments, and why those before it may not.
fn next(
    program: &Program,
    unmarked: Option<Checkpoint>,
    seen: &mut HashSet<IterId>,
    found: &mut Found,
) -> Option<(IterId, Segments)> {
    let analysis = OnceCell::new();
    find_in(program, &program.body, unmarked, &analysis, seen, found)
}

/// Loops are not looked into: what is inside runs for each of their iterations, and its tapes are small.
fn find_in<'p>(
    program: &'p Program,
    block: &'p Block,
    unmarked: Option<Checkpoint>,
    analysis: &OnceCell<Analysis<'p>>,
    seen: &mut HashSet<IterId>,
    found: &mut Found,
) -> Option<(IterId, Segments)> {
    for stmt in block {
        let Some((buffers, body)) = stmt.as_scope() else { continue };
        for (at, inner) in body.iter().enumerate() {
            let Some(each) = inner.as_for() else { continue };
            if seen.contains(&each.iter) {
                continue;
            }
            let Some(result) = find::find(program, buffers, body, at, unmarked, analysis) else { continue };
            seen.insert(each.iter);
            match result {
                Ok(segments) => {
                    found.entry(inner.origin.stmt).or_insert(None);
                    return Some((each.iter, segments));
                }
                Err(obstacle) => _ = found.insert(inner.origin.stmt, Some(obstacle)),
            }
        }
        let inside = find_in(program, body, unmarked, analysis, seen, found);
        if inside.is_some() {
            return inside;
        }
    }
    None
}

/// Loops inside of a statement stay as they are.
fn note_inside(stmt: &Stmt, found: &mut Found) {
    let is_scope = stmt.as_scope().is_some();
    for inner in stmt.blocks().into_iter().flatten() {
        if is_scope {
            note_inside(inner, found);
            continue;
        }
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

/// Rewrites the scope in whose block the loop stands.
fn rewrite(
    program: &mut Program,
    block: &mut Block,
    iter: IterId,
    segments: &mut Option<Segments>,
    seen: &mut HashSet<IterId>,
) {
    for stmt in block {
        let is_here =
            stmt.as_scope().is_some_and(|(_, body)| body.iter().any(|it| it.iter() == Some(iter)));
        if is_here && let Some(segments) = segments.take() {
            seen.extend(build::build(program, stmt, segments));
            return;
        }
        for inner in stmt.blocks_mut() {
            rewrite(program, inner, iter, segments, seen);
        }
    }
}
