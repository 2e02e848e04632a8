//! Calls of the user's functions.

use super::{Rule, Verifier};
use crate::ir::{BufferId, Layout, UserArg, UserCall};

impl Verifier<'_> {
    pub(super) fn user_call(&mut self, call: &UserCall, reads: &[BufferId], writes: &[BufferId]) {
        call.values().for_each(|value| self.expr(value));
        let lent = call.with_lent(reads).filter(|(arg, _)| !matches!(arg, UserArg::Value(_))).count();
        let mut apart = reads.to_vec();
        apart.sort();
        apart.dedup();
        self.require(lent == reads.len() && apart.len() == lent, Rule::User, || {
            "a call lends what it reads, each once".to_owned()
        });
        let changed: Vec<BufferId> = call.changed(reads).collect();
        self.require(writes.starts_with(&changed), Rule::User, || {
            "a call writes what is lent to be written".to_owned()
        });
        for (arg, buffer) in call.with_lent(reads) {
            let Some(it) = buffer.and_then(|id| self.program.buffers.get(id.0 as usize)) else { continue };
            let fits = it.layout == Layout::RowMajor && it.rank() == 1
                || it.rank() == 0 && matches!(arg, UserArg::Mutable);
            self.require(fits, Rule::User, || format!("`{}` cannot be lent as a slice", it.name));
        }
        let returned = call.returned(writes);
        let is_scalar =
            |id: &BufferId| self.program.buffers.get(id.0 as usize).is_some_and(|it| it.rank() == 0);
        let fits = returned.len() <= 2 && returned.iter().all(is_scalar);
        self.require(fits && returned.iter().all(|it| !reads.contains(it)), Rule::User, || {
            "what a call returns goes to scalars of their own".to_owned()
        });
    }
}
