//! Whole vectors begin where the cache lines do of an array that the loop writes.
//!
//! ```text
//! let mut part = run.before_line();          // 0 where there are few lanes
//! loop {
//!     if part > 0 { let tail = first(part); …; at += part }
//!     while at + 8 <= count { …; at += 8 }
//!     part = count - at;                      // what is left goes around once more
//!     if part == 0 { break }
//! }
//! ```
//!
//! A vector that crosses a line takes two accesses: rows of stencils begin at their second element, and so do those of every
//! array that they read at the same place. The body under a mask is there once, for both ends.
//!
//! *Legality.* Addresses differ between runs, so no bit may depend on which lane computes an element. The loop writes nothing
//! around it but consecutive elements, one to an iteration: what an element gets is computed from its own iteration, by the same
//! operations in every lane of a vector, active ones of a part of one included. A sum over iterations keeps the loop as it is,
//! and so do rows with room for whole vectors ([`room`](super::room)): behind the first line, vectors end elsewhere.

use super::Lanes;
use super::index::Stride;
use crate::backend::rust::{Code, code};
use crate::ir::{ExprKind, Stmt};
use proc_macro2::Ident;

impl Lanes<'_, '_> {
    /// The run that the loop writes first, if it writes nothing but runs.
    pub(super) fn written_in_lines(&self) -> Option<Ident> {
        let runs = self.runs.borrow();
        let (mut first, mut only) = (None, true);
        let mut visit = |stmt: &Stmt| {
            for expr in stmt.exprs() {
                expr.walk(&mut |part| {
                    if let ExprKind::Load(place) = &part.kind {
                        only &= !self.has_room(place);
                    }
                });
            }
            let Some((target, _)) = stmt.as_store() else {
                return;
            };
            if self.own.contains(target.buffer) {
                return;
            }
            let consecutive = matches!(self.split(&self.position(target)), Some((Stride::One, _)));
            match runs.iter().find(|run| run.place == *target) {
                Some(run) if consecutive && !self.has_room(target) => {
                    first = first.take().or(Some(run.name.clone()))
                }
                _ => only = false,
            }
        };
        self.it.body.iter().for_each(|stmt| stmt.walk(&mut visit));
        first.filter(|_| only)
    }

    /// The loop over whole vectors, and what is in front of the first and behind the last of them.
    pub(super) fn in_lines(&self, run: &Ident, whole: &Code, part_of: impl Fn(Code) -> Code) -> Code {
        let (at, count) = (&self.at, &self.count);
        let part = self.emitter.fresh("part");
        let body = part_of(code!(#part));
        code! {
            let mut #part = #run.before_line();
            loop {
                if #part > 0 {
                    #body
                    #at += #part;
                }
                #whole
                #part = #count - #at;
                if #part == 0 {
                    break;
                }
            }
        }
    }
}
