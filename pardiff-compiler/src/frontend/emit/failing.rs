//! The body of a function that may fail: a program computes the value alone, where the function itself found one before.

use super::value::Value;
use super::{Emit, Source};
use crate::ir::{Block, Message, Place, Ty};

impl Emit<'_> {
    /// The body, whose value goes to a place.
    ///
    /// ```text
    /// scope { has_value; …body into (has_value, dest)…; check has_value }
    /// ```
    pub(super) fn value_of_failing(&mut self, source: &Source<'_>, dest: Value) -> Block {
        self.block(|this| {
            let has_value = this.scalar_local("has_value", Ty::Bool);
            let dest = Value::Tuple(vec![Value::Place(Place::scalar(has_value), Ty::Bool), dest]);
            let mut body = this.function_into(source, dest);
            if let Some(frame) = this.frames.last_mut() {
                frame.stmts.append(&mut body);
            }
            let text = format!("`{}`: its own call found a value, and this one none", source.name);
            let there = this.program.load_scalar(has_value);
            this.check(there, Message::Text(text), source.name.span());
        })
    }
}
