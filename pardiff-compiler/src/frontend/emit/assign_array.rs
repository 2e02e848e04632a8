//! Assignments of whole arrays and of parts of them.

use super::super::infer::Type;
use super::super::tree::{Expr as Tree, Kind, Len};
use super::Emit;
use super::value::View;
use crate::ir::{BinOp, Expr, Message, Role};
use proc_macro2::Span;

impl Emit<'_> {
    pub(super) fn assign_array(&mut self, left: &Tree, right: &Tree) {
        let made =
            matches!(right.kind, Kind::Array(_) | Kind::Repeat(..) | Kind::Collect(_) | Kind::EmptyVec);
        let fresh = made || right.kind.is_of_statements();
        let source = if fresh {
            if let (Kind::Repeat(..), Some(dims)) = (&right.kind, self.lens_of_place(left))
                && !self.mentions_array(right)
                && let Some(view) = self.array(left)
                && dims.len() == self.dims(&view).len()
            {
                return self.array_into(right, &view);
            }
            Some(self.make_array(right, "array", None))
        } else {
            match &right.kind {
                Kind::Method(super::super::tree::Method::ToOwned, args, _) => self.array(&args[0]),
                _ => self.array(right),
            }
        };
        let (Some(source), Some(dest)) = (source, self.array(left)) else { return };
        let ty = self.ty(&left.ty);
        let moved = match &right.kind {
            Kind::Local(_) => true,
            Kind::Method(method, ..) => *method == super::super::tree::Method::MemReplace,
            _ => false,
        };
        if moved && self.static_lens(&ty).is_none() && self.exchanged(&dest, &source) {
            // a vector that is moved: nobody sees what it holds then
            return;
        }
        self.assign_view(&ty, &dest, &source, left.span);
    }

    /// Assigns an array of the type to another one.
    pub(super) fn assign_view(&mut self, ty: &Type, dest: &View, source: &View, span: Span) {
        let (have, want) = (self.dims(source), self.dims(dest));
        if have == want || self.static_lens(ty).is_some() {
            return self.copy(dest, source);
        }
        let rows = |this: &Self, dims: &[Expr]| -> Vec<Expr> {
            dims[1..].iter().map(|extent| this.canonical(extent.clone())).collect()
        };
        if rows(self, &have) != rows(self, &want) {
            return self.refuse(
                span,
                "an array assigned from one with rows of another length",
                "the rows of an array keep their length, and these are not seen to be equal",
                "make it as long where it is declared, or declare another one: `let b = a.clone();`",
            );
        }
        if !self.is_whole_local(dest) {
            return self.assign_to_callers(ty, dest, source, span);
        }
        if self.has_growing_rows(dest) {
            return self.copy_rows(dest, source);
        }
        self.would_be_alike(dest, source);
        match self.lengths.get(&dest.buffer).copied() {
            // a part of itself becomes the whole
            Some(len) if dest.buffer == source.buffer => {
                let copy = self.owned_copy(source, "array", None);
                self.assign_scalar(len, copy.len.clone());
                self.copy(dest, &copy);
            }
            Some(len) => {
                self.assign_scalar(len, source.len.clone());
                self.copy(dest, source);
            }
            None => self.grow(dest, span),
        }
    }

    /// Assigns a vector to one that is the caller's and keeps its length: the call panics where it would not.
    fn assign_to_callers(&mut self, ty: &Type, dest: &View, source: &View, span: Span) {
        if self.program[dest.buffer].role != Role::InOut || matches!(ty, Type::Array(_, Len::Axis)) {
            return self.refuse(
                span,
                "an array assigned from one of another length",
                "the lengths must be seen to be equal",
                "write `y.copy_from_slice(&x);`",
            );
        }
        let cond = Expr::binary(BinOp::Eq, dest.len.clone(), source.len.clone());
        let name = &self.program[dest.buffer].name;
        let text = format!("`{name}` takes the elements of a vector of another length, and keeps its own");
        self.check(cond, Message::Text(text), span);
        self.copy(dest, source);
    }

    /// The constant extents of a place, if its type has them.
    fn lens_of_place(&mut self, e: &Tree) -> Option<Vec<Expr>> {
        let ty = self.ty(&e.ty);
        self.static_lens(&ty)
    }

    /// Whether the value may read an array.
    fn mentions_array(&self, e: &Tree) -> bool {
        let mut found = matches!(self.infer.peel(&e.ty), Type::Array(..)) && matches!(e.kind, Kind::Local(_));
        e.children(&mut |child| found |= self.mentions_array(child));
        found
    }
}
