//! Calls of functions over arrays that are not looked into.
//!
//! ```text
//! solve(a, &b[i * n..(i + 1) * n], x)        for k { b.1[k] = b[i * n + k] }
//!                                            call user solve (shared, shared, mut) reads(a, b.1, x) writes(x)
//! ```
//!
//! Whole arrays of one dimension are lent as they are, parts of others as copies, which are copied back where the
//! function writes them. No array is lent twice: each has adjoints of its own.

use super::super::resolve::user_function::UserFunction;
use super::super::tree::Expr as Tree;
use super::Emit;
use super::value::{Value, View};
use crate::ir::{Callee, Layout, Place, Role, StmtKind, UserArg, UserCall};

impl Emit<'_> {
    pub(super) fn user_call(&mut self, function: usize, args: &[Tree]) -> Value {
        let function = self.user_functions[function].clone();
        let list: Vec<&Tree> = args.iter().collect();
        let values = self.operands(&list);
        let (mut given, mut reads, mut writes, mut back) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for ((value, changes), arg) in values.into_iter().zip(&function.changes).zip(args) {
            let Value::View(view) = value else {
                given.push(UserArg::Value(self.load(value, arg.span)));
                continue;
            };
            let is_lent = self.is_lent_as_it_is(&view) && !reads.contains(&view.buffer);
            // a binding with the name of a constant would be a pattern
            let name = self.program[view.buffer].name.to_lowercase();
            let lent = if is_lent { view.clone() } else { self.owned_copy(&view, &name, None) };
            reads.push(lent.buffer);
            given.push(if *changes { UserArg::Mutable } else { UserArg::Shared });
            if *changes {
                writes.push(lent.buffer);
                back.extend((!is_lent).then_some((view, lent)));
            }
        }
        let result = function.returns.map(|ty| {
            let result = self.scalar_local("returned", ty);
            self.immutable.insert(result);
            writes.push(result);
            Value::Scalar(Place::scalar(result).load(ty))
        });
        let UserFunction { function, vjp, jvp, vjp_jvp, .. } = function;
        let call = UserCall { function, vjp, jvp, vjp_jvp, args: given };
        self.push(StmtKind::Call { callee: Callee::User(Box::new(call)), reads, writes });
        for (view, lent) in back {
            self.copy(&view, &lent);
        }
        result.unwrap_or(Value::UNIT)
    }

    /// Whether a view is all of a buffer whose elements are one after the other wherever it lives.
    fn is_lent_as_it_is(&self, view: &View) -> bool {
        let buffer = &self.program[view.buffer];
        let is_whole = view.prefix.is_empty()
            && view.offset.is_none()
            && view.step == 1
            && view.axes.is_none()
            && view.cuts.is_empty()
            && view.group.is_none()
            && view.len == self.whole_view(view.buffer).len;
        is_whole
            && buffer.rank() == 1
            && buffer.layout == Layout::RowMajor
            && !self.lengths.contains_key(&view.buffer)
            && matches!(buffer.role, Role::Input | Role::InOut | Role::Local)
    }
}
