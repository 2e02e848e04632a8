//! Tapes that grow, in loops that write one row of them: the row is there before the loop.
//!
//! ```text
//!                                           {
//!                                             let tape = tape.rows(round, n);
//! for i in 0..n                     =>        for i in 0..n {
//!   tape[round, i] = x[i]                       tape[round * n + i] = x[i];
//!                                             }
//!                                           }
//! ```
//!
//! Otherwise each element written asks whether the tape is long enough, and neither vectors nor tasks can write it.
//!
//! *Legality.* The first index of all writes is the same, and nothing in the loop changes what it is made of. So all of
//! them stand in one row. What of it is not written has no value, and nobody reads it: a tape is read where it was
//! written. The row is no longer than what the loop goes through: its iterator is in another index of the
//! element, so the row has no element where the loop has no iteration; nor where a loop over chunks has none.

use super::emitter::Emitter;
use super::storage::Storage;
use super::{Code, code};
use crate::ir::{BufferId, Exec, Expr, For, Layout, Level, Role, StmtKind, written};
use std::rc::Rc;

impl Emitter<'_> {
    /// The loop behind what makes the rows that it writes; nothing if it writes none.
    pub(super) fn in_reached_rows(&self, it: &For) -> Option<Code> {
        if !self.program.buffers.iter().any(|it| it.role == Role::Tape && it.layout == Layout::Growing) {
            return None;
        }
        let written = written(&it.body);
        let grows = |buffer: &BufferId| {
            let of = &self.program[*buffer];
            let storage = self.storage(*buffer);
            (of.role, &of.layout) == (Role::Tape, &Layout::Growing)
                && of.rank() > 1
                && matches!(storage, Storage::Heap { grows: true, .. })
        };
        let tapes: Vec<BufferId> = written.iter().filter(grows).collect();
        let mut inner: Option<Emitter> = None;
        let mut rows = Code::new();
        for tape in tapes {
            let Some(row) = written_row(self, it, tape) else { continue };
            let Storage::Heap { name, extents, .. } = self.storage(tape) else { continue };
            let row = self.typed(row);
            let mut lengths = (1..extents.len()).map(|dim| self.typed(&Expr::extent(tape, dim)));
            let first = lengths.next()?;
            let length = lengths.fold(first, |length, next| code!(usize::saturating_mul(#length, #next)));
            rows.push(code!(let #name = #name.rows(#row, #length);));
            let storage = Storage::Heap { name: name.clone(), extents: extents.clone(), grows: false };
            inner.get_or_insert_with(|| self.clone()).storage[tape.0 as usize] = Rc::new(storage);
        }
        let looped = inner?.any_loop(it);
        Some(code!({ #rows #looped }))
    }
}

/// The one row of a tape that a loop writes, if it goes along it.
fn written_row<'s>(emitter: &Emitter<'_>, it: &'s For, tape: BufferId) -> Option<&'s Expr> {
    let mut along = true;
    for stmt in &it.body {
        stmt.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } if target.buffer == tape => {
                along &= target.index.iter().skip(1).any(|index| index.mentions(it.iter));
            }
            _ => {}
        });
    }
    let over_chunks = it.exec == Exec::Parallel(Level::Task);
    it.written_row(emitter.program, tape).filter(|_| along || over_chunks)
}
