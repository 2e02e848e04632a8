//! References that are assigned again.
//!
//! ```text
//! let mut least = &x[0];                         let mut least = x[0];
//! for v in x { if v < least { least = v; } }     for v in x { if v < least { least = v; } }
//!
//! let mut rest = x;                              let (mut start, mut len) = (0, x.len());
//! while let [a, tail @ ..] = rest {              while len >= 1 {
//!     rest = tail;                                   (start, len) = (start + 1, len - 1);
//! }                                              }
//! ```
//!
//! Legal because what is behind a shared reference does not change while it lives: where its type says how much that
//! is, the variable holds a copy, and so does one that begins with no array, `None`. Every other reference stays with
//! the array that it begins with, and has variables for where it begins and how long it is.

use super::super::infer::Type;
use super::super::tree::{Block, Expr as Tree, Kind};
use super::Emit;
use super::chosen::at_ends;
use super::value::{Value, View};
use crate::ir::{Expr, ExprKind, Place};
use proc_macro2::Span;

impl Emit<'_> {
    /// The variables of a reference that is assigned again, with its first value.
    pub(super) fn referring(&mut self, ty: &Type, value: Value, name: &str, span: Span) -> Value {
        if let Some(of) = self.copied(ty)
            && let Some(dest) = self.variables(&of, name)
        {
            self.note_variables(&dest);
            self.store(&dest, value);
            return dest;
        }
        if let (Value::View(source), Type::Ref(false, of)) = (&value, ty)
            && self.length_of_whole(source).is_some()
            && self.owner(source.buffer).is_none()
            && let Some(of) = self.behind_shared(of)
            && let Some(dest) = self.open_variables(&of, name)
        {
            self.note_variables(&dest);
            self.refer(ty, &dest, value, span);
            return dest;
        }
        let mut value = value;
        for index in indices(&mut value) {
            let buffer = self.scalar_local(&format!("{name}_at"), index.ty);
            self.referring.insert(buffer);
            self.assign_scalar(buffer, index.clone());
            *index = self.program.load_scalar(buffer);
        }
        value
    }

    /// The type of the copies that a reference of this type is; none where it refers to what may be written, or to vectors.
    pub(super) fn copied(&self, ty: &Type) -> Option<Type> {
        match self.infer.shallow(ty) {
            Type::Ref(false, of) => self.behind_shared(&of).filter(|of| self.has_static_shape(of)),
            _ => None,
        }
    }

    /// `left = right` of references: at each end of what branches.
    pub(super) fn assign_reference(&mut self, ty: &Type, left: &Tree, right: &Tree) {
        let branches = matches!(
            right.kind,
            Kind::If(_, _, Some(_)) | Kind::Match(_) | Kind::Block(Block { tail: Some(_), .. })
        );
        if branches && self.copied(ty).is_none() {
            let assigned = |end: &Tree| Kind::Assign(left.clone().boxed(), end.clone().boxed());
            return self.effect(&at_ends(right, Type::UNIT, &assigned));
        }
        let value = self.value(right);
        let dest = self.place(left);
        self.refer(ty, &dest, value, left.span);
    }

    /// The same with the value of the right side.
    pub(super) fn refer(&mut self, ty: &Type, dest: &Value, value: Value, span: Span) {
        // what it refers to may be found by what it referred to before
        let mut value = self.stabilise(value, "referred");
        if self.copied(ty).is_some() {
            return self.store(dest, value);
        }
        if let (Value::View(dest), Value::View(source)) = (dest, &value)
            && let Some(len) = self.length_of_whole(dest).filter(|_| self.referring.contains(&dest.buffer))
        {
            self.assign_scalar(len, source.len.clone());
            return self.copy(dest, source);
        }
        let mut dest = dest.clone();
        let is_refused = matches!(&value, Value::Tuple(parts) if parts.is_empty());
        let is_alike = is_alike(&dest, &value);
        let (targets, values) = (indices(&mut dest), indices(&mut value));
        let variable = |target: &&mut Expr| match &target.kind {
            ExprKind::Load(place) if self.referring.contains(&place.buffer) => Some(place.buffer),
            _ => None,
        };
        let variables: Option<Vec<_>> = targets.iter().map(variable).collect();
        match variables.filter(|variables| is_alike && variables.len() == values.len()) {
            Some(variables) => {
                for (variable, value) in variables.into_iter().zip(values) {
                    self.assign_scalar(variable, value.clone());
                }
            }
            None if is_refused => {}
            None => self.refuse(
                span,
                "a reference that is assigned again",
                "which array it stands for would be known only at run time",
                "write `let` with a new name where it changes, or index the array itself with an offset variable",
            ),
        }
    }

    /// Marks the variables of a copy: a reference that is taken of it is another copy.
    pub(super) fn note_variables(&mut self, value: &Value) {
        match value {
            Value::Place(Place { buffer, .. }, _) | Value::View(View { buffer, .. }) => {
                self.referring.insert(*buffer);
            }
            Value::Tuple(parts) => parts.iter().for_each(|part| self.note_variables(part)),
            Value::Scalar(_) | Value::Unset => {}
        }
    }
}

/// Whether two values are at other indices of the same arrays.
fn is_alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Place(a, _), Value::Place(b, _)) => a.buffer == b.buffer,
        (Value::View(a), Value::View(b)) => {
            let cuts = |view: &View| -> Vec<_> { view.cuts.iter().map(|cut| (cut.dim, cut.step)).collect() };
            let shape = |view: &View| (view.buffer, view.prefix.len(), view.step, view.starts);
            shape(a) == shape(b) && a.axes == b.axes && cuts(a) == cuts(b)
        }
        (Value::Tuple(a), Value::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_alike(a, b))
        }
        _ => false,
    }
}

/// What says which part of its arrays a value is.
fn indices(value: &mut Value) -> Vec<&mut Expr> {
    match value {
        Value::Place(place, _) => place.index.iter_mut().collect(),
        Value::View(view) => {
            let View { prefix, offset, len, cuts, .. } = view;
            let range = [offset.get_or_insert_with(|| Expr::usize(0)), len];
            let cuts = cuts
                .iter_mut()
                .flat_map(|cut| [cut.offset.get_or_insert_with(|| Expr::usize(0)), &mut cut.len]);
            prefix.iter_mut().chain(range).chain(cuts).collect()
        }
        Value::Tuple(parts) => parts.iter_mut().flat_map(indices).collect(),
        Value::Scalar(_) | Value::Unset => Vec::new(),
    }
}
