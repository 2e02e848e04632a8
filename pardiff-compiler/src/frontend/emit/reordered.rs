//! Slices whose elements change places.

use super::super::tree::{Access, Expr as Tree};
use super::Emit;
use super::value::sub;
use crate::ir::{BinOp, Expr, Message};
use proc_macro2::Span;

impl Emit<'_> {
    /// `x.reverse()`: each element of the first half and its counterpart are exchanged.
    pub(super) fn reverse(&mut self, array: &Tree) {
        let Some(view) = self.array(array) else { return };
        let half = Expr::binary(BinOp::Div, view.len.clone(), Expr::usize(2));
        self.for_each(&[half], &mut |this, index| {
            let last = sub(view.len.clone(), Expr::usize(1));
            let mirrored = sub(last, index[0].clone());
            let (a, b) = (this.element(&view, index[0].clone()), this.element(&view, mirrored));
            this.exchange(&a, &b, None);
        });
    }

    /// `x.rotate_left(k)` and `x.rotate_right(k)`: the parts of a copy, in the other order.
    pub(super) fn rotate(&mut self, args: &[Tree], left: bool, access: &Access, span: Span) {
        let Some(view) = self.array(&args[0]) else { return };
        let mark = self.mark();
        let by = self.scalar(&args[1]);
        let view = self.protected(view, mark);
        let by = if self.is_stable(&by) { by } else { self.snapshot("by", by) };
        let cond = Expr::binary(BinOp::Le, by.clone(), view.len.clone());
        let text = format!("`{}`: the slice is shorter than it is rotated by", access.text);
        self.check(cond, Message::Text(text), span);
        let rest = sub(view.len.clone(), by.clone());
        let (front, back) = if left { (by, rest) } else { (rest, by) };
        let copy = self.owned_copy(&view, "rotated", None);
        self.copy(&view.part(None, back.clone()), &copy.part(Some(front.clone()), back.clone()));
        self.copy(&view.part(Some(back), front.clone()), &copy.part(None, front));
    }
}
