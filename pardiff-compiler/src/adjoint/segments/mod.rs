//! Long loops over time in segments: of a tape too large for the machine only one segment exists at a time, and is filled again,
//! from the state at its beginning, when the reverse sweep comes to it.
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
//! How many steps a segment has is a number that sizes decide when the program runs: all of them where the whole tape is of a
//! usual size (then the program does what it did before). To run a step again costs about what it costs to run it, which is
//! more than to store it and to read it, so memory has to be worth it.
//!
//! A tape in which states live (see `states`) has a window: a step reads the `window` slots before the one that it writes. Those
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
//! the segment begins and the copy is used in its place. So the slice computes what was computed the first time, operation by
//! operation. That no index or condition can be another one the second time, whatever the order
//! of sums: neither depends on floats. Whatever a segment overwrites belongs to later segments, which are reversed already.

mod build;
mod find;
mod slice;
#[cfg(test)]
mod tests;

use crate::ir::{Block, BufferId, Program, StmtKind};

/// When loops over time run in segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The bytes of the tapes of a segment.
    pub segment: usize,
    /// Tapes of no more bytes stay whole.
    pub whole: usize,
    /// The steps of a segment at least, however large they are: checkpoints are as large as a step.
    pub steps: usize,
}

impl Default for Limits {
    /// A gibibyte is what a process may take without being asked. A heat equation whose tape of 400 MB is made again from cached
    /// segments takes 1.4 times as long as with the whole tape.
    fn default() -> Limits {
        Limits { segment: 1 << 28, whole: 1 << 30, steps: 16 }
    }
}

/// A loop over time with its reversal, which may run in segments.
struct Segments {
    /// The loop and its reversal, in the block of the tapes' scope.
    forward: usize,
    reverse: usize,
    /// Their tapes.
    tapes: Vec<Window>,
    /// What a step needs besides them and changes.
    carried: Vec<BufferId>,
    /// The statements of a step that fill tapes.
    slice: Block,
}

/// A tape of a loop over time.
struct Window {
    tape: BufferId,
    /// How many slots before the one that it writes a step reads.
    slots: usize,
}

/// Lets long loops over time run in segments where their tapes are large.
pub fn in_segments(mut program: Program, limits: &Limits) -> Program {
    let mut body = std::mem::take(&mut program.body);
    blocks(&mut program, &mut body, limits);
    program.body = body;
    program
}

/// Loops are not looked into: what is inside runs for each of their iterations, and its tapes are small.
fn blocks(program: &mut Program, block: &mut Block, limits: &Limits) {
    for stmt in block {
        if let StmtKind::Scope { buffers, body } = &mut stmt.kind {
            if let Some(segments) = find::find(program, buffers, body) {
                build::build(program, stmt, segments, limits);
                continue;
            }
            blocks(program, body, limits);
        }
    }
}
