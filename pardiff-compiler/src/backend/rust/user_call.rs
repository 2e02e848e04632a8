//! Calls of the user's functions over arrays, and of their rules.
//!
//! ```text
//! call user solve (shared, mut, n) reads(b, x) writes(x)      { let value: usize = n; _ = solve(&b[..], &mut x[..], value); }
//! ```

use super::emitter::Emitter;
use super::storage::Storage;
use super::{Code, code, literal};
use crate::ir::{BufferId, UserArg, UserCall};

impl Emitter<'_> {
    pub(super) fn user_call(&self, call: &UserCall, reads: &[BufferId], writes: &[BufferId]) -> Code {
        // numbers are computed before anything is borrowed
        let (mut values, mut args) = (Code::new(), Vec::new());
        for (arg, lent) in call.with_lent(reads) {
            args.push(match (arg, lent) {
                (UserArg::Value(value), _) => {
                    let (name, ty, value) = (self.fresh("value"), literal::ty(value.ty), self.typed(value));
                    values.push(code!(let #name: #ty = #value;));
                    code!(#name)
                }
                (UserArg::Mutable, Some(buffer)) => self.lent_mutably(buffer),
                (UserArg::Shared, Some(buffer)) => self.elements(buffer, false),
                (_, None) => code!(),
            });
        }
        let path = call.function.tokens();
        let called = code!(#path(#(#args),*));
        let results: Vec<Code> =
            call.returned(writes).iter().map(|&id| self.place(&crate::ir::Place::scalar(id))).collect();
        match &results[..] {
            // a rule returns the value as well
            [] => code!({ #values _ = #called; }),
            [only] => code!({ #values #only = #called; }),
            all => code!({ #values (#(#all),*) = #called; }),
        }
    }

    fn lent_mutably(&self, buffer: BufferId) -> Code {
        match self.storage(buffer) {
            Storage::Scalar { name, reference: false } => code!(&mut #name),
            Storage::Scalar { name, reference: true } => code!(&mut *#name),
            _ => self.elements(buffer, true),
        }
    }
}
