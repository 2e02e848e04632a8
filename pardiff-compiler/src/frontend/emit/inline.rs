//! Calls of helpers: the body in place of the call, its parameters as locals or aliases.

use super::super::tree::{ConstSource, Exit, Expr as Tree, Inline, Target};
use super::Emit;
use super::value::Value;
use crate::ir::Expr;

impl Emit<'_> {
    /// Emits the body of a helper with its value in `dest`.
    pub(super) fn inline(&mut self, inline: &Inline, dest: &Value) {
        let target = Target { id: inline.id, exit: Exit::Out };
        let stmts = self.body_with_target(target, dest.clone(), |this| {
            this.bind_arguments(inline);
            this.sequence(&inline.body.stmts, inline.body.tail.as_deref(), dest);
        });
        self.append(stmts);
    }

    /// Evaluates the arguments and binds the parameters.
    pub(super) fn bind_arguments(&mut self, inline: &Inline) {
        let args: Vec<&Tree> = inline.args.iter().collect();
        let outer = std::mem::replace(&mut self.in_expression, true);
        let values = self.operands(&args);
        self.in_expression = outer;
        for (local, source) in &inline.consts {
            if let Some(value) = self.const_values.get(local) {
                self.bound[*local] = Value::Scalar(self.constant(value));
                continue;
            }
            let value = match source {
                ConstSource::Given(e) => self.scalar(e),
                ConstSource::LenOf(position, dim) => match values.get(*position) {
                    Some(Value::View(view)) => {
                        self.dims(view).get(*dim).cloned().unwrap_or_else(|| Expr::usize(0))
                    }
                    _ => Expr::usize(0),
                },
            };
            let value = self.canonical(value);
            self.bound[*local] = Value::Scalar(value);
        }
        for (((pattern, _), value), arg) in inline.params.iter().zip(values).zip(&inline.args) {
            self.bind_value(pattern, value, arg.span);
        }
    }
}
