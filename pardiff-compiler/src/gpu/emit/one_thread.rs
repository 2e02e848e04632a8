//! What one thread does, in order, and how long it may wait: launches cost more than such statements.

use super::host::HostWriter;
use super::kernel::Word;
use super::words::own_of;
use crate::backend::rust::{Code, code};
use crate::ir::{Block, BufferId, BufferSet, Expr, Stmt, mentioned, written};
use std::collections::HashMap;

impl HostWriter<'_> {
    /// Whether statements do nothing but store to the memory of the device, under conditions.
    pub(super) fn is_of_device(&self, block: &[Stmt]) -> bool {
        block.iter().all(|stmt| match stmt.as_store() {
            Some((target, _)) => !self.host.has(target.buffer),
            None => {
                let under = |(_, then, els): (&Expr, &Block, &Block)| {
                    self.is_of_device(then) && self.is_of_device(els)
                };
                stmt.as_if().is_some_and(under)
            }
        })
    }

    /// Whether one thread may run the statements that wait behind a kernel: they do not meet, and none of them fails.
    pub(super) fn may_wait(&self, waiting: &[&Stmt], kernel: &Stmt) -> bool {
        let mut fails = false;
        let (mut mentioned_here, mut written_here) = (BufferSet::new(), BufferSet::new());
        for stmt in waiting {
            let stmt = std::slice::from_ref(*stmt);
            crate::ir::walk(stmt, &mut |stmt| {
                fails |= stmt.as_check().is_some() || stmt.exprs().into_iter().any(|expr| !expr.is_total());
            });
            mentioned_here.union(&mentioned(self.program, stmt));
            written_here.union(&written(stmt));
        }
        let kernel = std::slice::from_ref(kernel);
        !fails
            && !written_here.meets(&mentioned(self.program, kernel))
            && !mentioned_here.meets(&written(kernel))
    }

    /// What waits is done by one thread.
    pub(super) fn one_thread(&self, waiting: &mut Vec<&Stmt>, code: &mut Code) {
        let block: Vec<Stmt> = waiting.drain(..).cloned().collect();
        if block.is_empty() {
            return;
        }
        let (number, kernel, own) = self.write_kernel(self.kernel_name("_once"), |writer| {
            let failed = writer.word(Word::Failed);
            writer.kernel.open(format!("if (!pd_failed({failed})) {{"));
            writer.body(&[], &block, "(void)");
            writer.kernel.close("}");
            own_of(writer)
        });
        let own: Vec<(BufferId, Code)> = own.into_iter().map(|id| (id, self.elements(id))).collect();
        let (call, words) = (&self.call, self.words(&kernel, &HashMap::new()));
        let memory = self.own_memory(&own, &code!(1_u64));
        code.push(code! {
            {
                #memory
                // Safety: the words are those of the kernel, whose checks keep its accesses in the arrays.
                unsafe { #call.launch(#number, 1, &[#(#words),*])?; }
            }
        });
    }
}
