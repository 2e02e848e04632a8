//! Calls of helpers: the body in place of the call, its parameters as locals or aliases.
//!
//! ```text
//! fn row(x: &[f64], i: usize, d: usize) -> &[f64] { let at = i * d; &x[at..at + d] }
//! let r = row(x, i, d);                             let at = i * d; let r = &x[at..at + d];
//! ```

use super::super::infer::Type;
use super::super::tree::{Block, Exit, Expr as Tree, Inline, Target};
use super::Emit;
use super::value::{Value, View};
use crate::ir::{BufferId, Expr};

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

    /// The value of a helper that returns references, or vectors in a tuple or a struct.
    pub(super) fn returned_in_place(&mut self, inline: &Inline, e: &Tree) -> Value {
        self.bind_arguments(inline);
        self.block_in_place(&inline.body, e, &inline.name)
    }

    /// The value of such a block: what its last expression names. Its scopes stay open, so that what the place is computed
    /// from outlives it.
    pub(super) fn block_in_place(&mut self, block: &Block, e: &Tree, name: &str) -> Value {
        let first_new = BufferId(self.program.buffers.len() as u32);
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
        let Some(tail) = &block.tail else { return Value::UNIT };
        let value = self.value(tail);
        let value = self.stabilise(value, name);
        let ty = self.ty(&e.ty);
        self.moved_out(&ty, value, first_new)
    }

    /// The value with its vectors that are locals of the block as temporaries, since nothing else refers to them any more.
    /// What is behind a reference outlives the block, and stays.
    fn moved_out(&self, ty: &Type, value: Value, first_new: BufferId) -> Value {
        match (self.infer.shallow(ty), value) {
            (Type::Ref(..), value) => value,
            (Type::Array(..), Value::View(view)) => {
                let owned = view.owned || view.buffer >= first_new && self.is_whole_local(&view);
                Value::View(View { owned, ..view })
            }
            (ty, Value::Tuple(parts)) => {
                let types = ty.members().unwrap_or_default().iter();
                Value::Tuple(types.zip(parts).map(|(ty, part)| self.moved_out(ty, part, first_new)).collect())
            }
            (_, value) => value,
        }
    }

    /// Whether jumps in a block leave it before its end.
    pub(super) fn is_left_early(&self, block: &Block) -> bool {
        let of_stmts = block.stmts.iter().any(|stmt| self.jumps_of_stmt(stmt).next().is_some());
        of_stmts || block.tail.as_ref().is_some_and(|tail| self.jumps(tail).next().is_some())
    }

    /// Whether a value of this type refers to what is elsewhere.
    pub(super) fn refers(&self, ty: &Type) -> bool {
        match self.infer.shallow(ty) {
            Type::Ref(..) => true,
            ty => ty.members().is_some_and(|parts| parts.iter().any(|part| self.refers(part))),
        }
    }

    /// Evaluates the arguments and binds the parameters.
    pub(super) fn bind_arguments(&mut self, inline: &Inline) {
        let args: Vec<&Tree> = inline.args.iter().collect();
        let outer = std::mem::replace(&mut self.in_expression, true);
        let values = self.operands(&args);
        self.in_expression = outer;
        for (local, position, dim) in &inline.consts {
            let value = match values.get(*position) {
                Some(Value::View(view)) => self.dims(view).get(*dim).cloned(),
                _ => None,
            };
            let value = self.canonical(value.unwrap_or_else(|| Expr::usize(0)));
            self.bound[*local] = Value::Scalar(value);
        }
        for (((pattern, _), value), arg) in inline.params.iter().zip(values).zip(&inline.args) {
            self.bind_value(pattern, value, arg.span);
        }
    }
}
