//! Memory that is taken once for all iterations of the loops of a function.
//!
//! ```text
//! for i in from..to                     let mut t = Growing::<f64>::new(arena);
//!   scope t: f64[_] growing       =>    for i in from..to { t.clear(); … }
//! ```
//!
//! *Legality.* An array of a scope holds unspecified values whenever the scope is entered, one that grows holds none, and
//! nothing outlives the scope; so all executions of it can use one piece of memory, one after the other.

use super::emitter::{Emitter, Mentions};
use super::literal;
use super::storage::Storage;
use super::task::{is_task_loop, iterators};
use super::{Code, code};
use crate::ir::{BinOp, Block, BufferId, BufferSet, Expr, ExprKind, declared};

impl Emitter<'_> {
    /// The arrays of a task body whose size does not change while the chunk runs are taken from the pool at entry.
    pub(super) fn take_once(&mut self, body: &Block, written: &BufferSet) -> Code {
        let own = declared(body);
        let inside = iterators(body);
        let mut tokens = Code::new();
        let mut order = Vec::new();
        for stmt in body {
            stmt.walk(&mut |stmt| {
                if let Some((buffers, _)) = stmt.as_scope() {
                    order.extend(buffers.iter().copied());
                }
            });
        }
        for buffer in order {
            let grows = self.program[buffer].layout.grows();
            if grows || !matches!(self.storage(buffer), Storage::Heap { .. }) {
                continue;
            }
            let mut mentions = Mentions::default();
            self.program[buffer].dims.iter().for_each(|extent| mentions.add_expr(self.program, extent));
            let settled =
                |of: BufferId| self.hoisted.contains(&of) || !own.contains(of) && !written.contains(of);
            // where the scope is not entered, a difference need not have a value
            if self.program[buffer].dims.iter().any(has_difference) {
                continue;
            }
            let invariant = mentions.buffers.iter().all(settled)
                && mentions.iters.iter().all(|iter| !inside.contains(iter));
            if invariant {
                tokens.push(self.declare(buffer, None));
                self.hoisted.insert(buffer);
            }
        }
        tokens
    }

    /// Room for the arrays of scopes inside loops whose size is found there: each is empty, or unspecified, at entry of its
    /// scope, but the memory stays.
    pub(super) fn make_room(&mut self, body: &Block) -> Code {
        let mut buffers = Vec::new();
        self.sized_in_loops(body, false, &mut buffers);
        let mut tokens = Code::new();
        for (buffer, grows) in buffers {
            if self.hoisted.contains(&buffer) {
                continue;
            }
            let ty = literal::ty(self.program[buffer].elem);
            let (runtime, arena) = (&self.runtime, self.arena());
            tokens.push(if grows {
                let name = self.storage(buffer).name();
                code!(let mut #name = #runtime::Growing::<#ty>::new(#arena);)
            } else {
                let room = self.fresh(&format!("{}_room", self.storage(buffer).name()));
                let tokens = code!(let mut #room = #runtime::Room::<#ty>::new(#arena););
                self.rooms.insert(buffer, room);
                tokens
            });
            self.hoisted.insert(buffer);
        }
        tokens
    }

    /// The arrays on the heap that scopes inside loops declare, and whether they grow.
    fn sized_in_loops(&self, block: &Block, in_loop: bool, buffers: &mut Vec<(BufferId, bool)>) {
        for stmt in block {
            if stmt.as_for().is_some_and(|it| is_task_loop(self, it)) {
                continue;
            }
            let in_loop = in_loop || stmt.is_loop();
            if let Some((declared, _)) = stmt.as_scope()
                && in_loop
            {
                for &buffer in declared {
                    match self.storage(buffer) {
                        Storage::Heap { .. } if self.program[buffer].layout.grows() => {
                            buffers.push((buffer, true));
                        }
                        Storage::Heap { .. } if !self.swapped.contains(buffer) => {
                            buffers.push((buffer, false))
                        }
                        _ => {}
                    }
                }
            }
            stmt.blocks().into_iter().for_each(|block| self.sized_in_loops(block, in_loop, buffers));
        }
    }
}

fn has_difference(extent: &Expr) -> bool {
    extent.any(&mut |node| matches!(&node.kind, ExprKind::Binary(BinOp::Sub, ..)))
}
