//! Slices as arrays of a length that the type says: the same elements, whose number is checked.

use super::super::tree::{Access, Expr as Tree};
use super::Emit;
use super::value::{Value, View};
use crate::ir::{BinOp, Expr, ExprKind, Message};
use proc_macro2::Span;

impl Emit<'_> {
    /// `x.try_into().unwrap()`
    pub(super) fn as_array(&mut self, args: &[Tree], access: &Access, span: Span) -> Value {
        let (view, len) = (self.array(&args[0]), self.scalar(&args[1]));
        let Some(view) = view else { return Value::UNIT };
        let known = match (&view.len.kind, &len.kind) {
            (ExprKind::Int(have), ExprKind::Int(want)) => have == want,
            _ => false,
        };
        if !known {
            let cond = Expr::binary(BinOp::Eq, view.len.clone(), len.clone());
            let text = format!("`{}`: the slice is not as long as the array", access.text);
            self.check(cond, Message::Text(text), span);
        }
        Value::View(View { len, owned: false, ..view })
    }
}
