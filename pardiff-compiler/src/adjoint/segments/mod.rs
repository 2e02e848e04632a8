//! Loops over time that are marked `#[checkpoint]` in segments: of a tape only one segment exists at a time, and is
//! filled from the state at its beginning, when the reverse sweep comes to it.
//!
//! ```text
//!                                    for part in 0..segments
//!                                      past = part * segment; count = min(segment, steps - past)
//!                                      checkpoint[part] = x
//! for t in 0..steps                    for k in 0..count
//!   tape[t] = e(x)                       x = f(x)
//!   x = f(x)
//! rest                          =>   rest
//! for t in 0..steps down             for part in 0..segments down
//!   r(tape[t])                         past = …; count = …
//!                                      scope again, tape[segment]
//!                                        again = checkpoint[part]
//!                                        for k in 0..count
//!                                          tape[k] = e(again)
//!                                          again = f(again)
//!                                        for k in 0..count down
//!                                          r(tape[k])
//! ```
//!
//! The pair of loops inside is what the pass began with, so it goes into segments in the same way, where several
//! levels are asked for. Behind that pair nobody asks for the last state, so its last segment begins and is not run
//! before it is reversed.
//!
//! How many steps a segment has is the user's choice, or a number that sizes decide when the program runs (see
//! `sizes`). With a given memory, the pair stands there once more as it was, and runs instead where all of its
//! tapes fit. To run a step again costs about what it costs to run it, which is more than to store it and to read
//! it, so only those who know that memory is worth it can ask for segments: a loop without a mark stays as it is.
//!
//! **Legality.** A step and its reversal access tapes only at the slot of the step, and nobody else does; tapes of a
//! number a step that others look at stay whole, and so do those of which all steps use the same slots. What a step
//! reads, of all that the steps which fill tapes need (see `slice`), is written by no step, and by nothing from the loop
//! to its reversal; or it is written by no step, copied before the loop, and the copy is used in its place; or it is
//! copied when the segment begins. So the slice computes what was computed the first time, up to the rounding of sums
//! (see `slice`). No index, bound or integer depends on
//! floats; a condition may where everything that the reversal reads of the steps is computed again.
//!
//! Loops that are proved to be parallel are refused, and so are those whose reversal is. A loop inside of others is
//! found where their iterations are reversed one at a time, so that its tapes are declared in one; of a loop that runs
//! in segments because another one in it is marked, that is what the last level does (see `step`).

mod binomial;
mod build;
mod find;
mod forward;
mod growing;
mod obstacle;
mod received;
mod sizes;
mod slice;
mod step;
#[cfg(test)]
mod tests;
mod until_left;

use crate::ir::{
    Block, BufferId, BufferSet, Checkpoint, For, IterId, Lengths, Order, Program, Role, Stmt, mentioned,
    written,
};
use crate::pass::Context;
use crate::poly::Analysis;
use crate::refusal::Refusal;
use growing::Growing;
use obstacle::Obstacle;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
pub(super) use step::has_marked;

/// A loop over time with its reversal, which may run in segments.
struct Segments {
    /// The loop and its reversal, in the block of the tapes' scope.
    forward: usize,
    reverse: usize,
    /// Those of which a segment has the slots of its own steps.
    tapes: Vec<BufferId>,
    /// Those that grow in a step.
    growing: Growing,
    /// A step, in a counted loop.
    up: For,
    /// Tapes of the loop that have the slots of all steps.
    whole: Vec<BufferId>,
    /// What a step needs besides them and changes.
    carried: Vec<BufferId>,
    /// What it needs and does not change, and what does not stay until steps run again.
    overwritten: Vec<BufferId>,
    /// The statements of a step that fill tapes.
    slice: Block,
    asked: Checkpoint,
    /// Whether a step is reversed by itself, as a loop over time in it is to run in segments.
    by_step: bool,
}

/// Lets loops over time run in segments where they can, as they are marked, or as `unmarked` says, for tests.
pub fn in_segments(program: Program, unmarked: impl Into<Option<Checkpoint>>) -> Program {
    run(program, unmarked.into()).0
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
        if stmt.checkpoint().is_some() {
            let span = primal.spans.get(stmt.origin.span.0 as usize).copied();
            let span = span.unwrap_or_else(proc_macro2::Span::call_site);
            marked.push((stmt.origin.stmt, span));
        }
    });
    marked
}

/// The first loop of a primal whose states are kept by the binomial schedule.
pub(crate) fn binomial(primal: &Program) -> Option<proc_macro2::Span> {
    let mut found = None;
    crate::ir::walk(&primal.body, &mut |stmt| {
        if let Some(Checkpoint { lengths: Lengths::Binomial(_), .. }) = stmt.checkpoint() {
            found = found.or(primal.spans.get(stmt.origin.span.0 as usize).copied());
        }
    });
    found
}

/// What became of loops, by the numbers of their statements.
type Found = HashMap<u32, Option<Obstacle>>;

fn run(mut program: Program, unmarked: Option<Checkpoint>) -> (Program, Found) {
    let (mut seen, mut found) = (HashSet::new(), Found::new());
    let copies = received::keep(&mut program);
    let mut body = std::mem::take(&mut program.body);
    body.iter_mut().for_each(|stmt| declare_inside(&program, stmt));
    program.body = body;
    while let Some((iter, segments)) = next(&program, unmarked, &copies, &mut seen, &mut found) {
        let mut body = std::mem::take(&mut program.body);
        let mut segments = Some(segments);
        rewrite(&mut program, &mut body, iter, &mut segments, &mut seen);
        program.body = body;
    }
    program.body.iter().for_each(|stmt| note_inside(stmt, None, &mut found));
    (program, found)
}

/// Declares tapes in the scope in whose block the loop stands that fills them.
fn declare_inside(program: &Program, stmt: &mut Stmt) {
    if let Some((buffers, body)) = stmt.as_scope_mut() {
        let named: Vec<BufferSet> =
            body.iter().map(|stmt| mentioned(program, std::slice::from_ref(stmt))).collect();
        let mut moved = BufferSet::new();
        for &tape in buffers.iter().filter(|&&it| program[it].role == Role::Tape) {
            let mut at = (0..body.len()).filter(|&at| named[at].contains(tape));
            let (Some(only), None) = (at.next(), at.next()) else { continue };
            let before = written(&body[..only]);
            let is_fixed = !program[tape].dims.iter().any(|extent| extent.reads_any(program, &before));
            if let Some((inner, _)) = body[only].as_scope_mut().filter(|_| is_fixed) {
                inner.push(tape);
                moved.insert(tape);
            }
        }
        buffers.retain(|&buffer| !moved.contains(buffer));
    }
    for inner in stmt.blocks_mut().into_iter().flatten() {
        declare_inside(program, inner);
    }
}

/// The next loop that may run in segments, and why those before it may not.
fn next(
    program: &Program,
    unmarked: Option<Checkpoint>,
    copies: &BufferSet,
    seen: &mut HashSet<IterId>,
    found: &mut Found,
) -> Option<(IterId, Segments)> {
    let analysis = OnceCell::new();
    find_in(program, &program.body, Given { unmarked, copies }, &analysis, seen, found)
}

/// What is known of all loops.
#[derive(Clone, Copy)]
struct Given<'a> {
    /// What loops without a mark ask for.
    unmarked: Option<Checkpoint>,
    /// What is kept of what other ranks send.
    copies: &'a BufferSet,
}

fn find_in<'p>(
    program: &'p Program,
    block: &'p Block,
    given: Given<'_>,
    analysis: &OnceCell<Analysis<'p>>,
    seen: &mut HashSet<IterId>,
    found: &mut Found,
) -> Option<(IterId, Segments)> {
    for stmt in block {
        let scope = stmt.as_scope();
        for (at, inner) in scope.into_iter().flat_map(|(_, body)| body.iter().enumerate()) {
            let (Some((buffers, body)), Some(iter)) = (scope, inner.iter()) else { continue };
            if seen.contains(&iter) {
                continue;
            }
            let Some(result) = find::find(program, buffers, body, at, given, analysis) else { continue };
            seen.insert(iter);
            match result {
                Ok(segments) => {
                    found.entry(inner.origin.stmt).or_insert(None);
                    return Some((iter, segments));
                }
                Err(obstacle) => _ = found.insert(inner.origin.stmt, Some(obstacle)),
            }
        }
        // without a mark the loop in a segment looks as the one that was put in segments
        let is_done =
            given.unmarked.is_some() && stmt.as_for().is_some_and(|each| each.marks.segments.is_some());
        let blocks = if is_done { Vec::new() } else { stmt.blocks() };
        let mut inside =
            blocks.into_iter().map(|inner| find_in(program, inner, given, analysis, seen, found));
        if let Some(next) = inside.find_map(|next| next) {
            return Some(next);
        }
    }
    None
}

/// Marked loops inside of others that do not run in segments, and under conditions. `around` is what is in the way.
fn note_inside(stmt: &Stmt, around: Option<Obstacle>, found: &mut Found) {
    let around = match stmt.as_scope() {
        Some(_) => around,
        None if stmt.is_loop() => Some(Obstacle::Inside),
        None => Some(Obstacle::Condition),
    };
    for inner in stmt.blocks().into_iter().flatten() {
        let is_up = inner.as_for().is_none_or(|each| each.order == Order::Up);
        if around.is_some() && is_up && inner.checkpoint().is_some() {
            found.entry(inner.origin.stmt).or_insert(around);
        }
        note_inside(inner, around, found);
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
        let is_here = stmt.as_scope().is_some_and(|(_, body)| body.iter().any(|it| it.iter() == Some(iter)));
        if is_here && let Some(segments) = segments.take() {
            seen.extend(build::build(program, stmt, segments));
            return;
        }
        for inner in stmt.blocks_mut() {
            rewrite(program, inner, iter, segments, seen);
        }
    }
}
