//! Local vectors of vectors that grow: the elements of all rows one behind the other, beside where each row begins.
//!
//! ```text
//! let mut rows = Vec::new();     rows_len = 0; rows_starts[0] = 0
//! rows.push(r);                  rows[rows_starts[rows_len]..] = r; rows_len += 1; rows_starts[rows_len] = …
//! rows[i][j]                     rows[rows_starts[i] + j]
//! rows.truncate(k);              rows_len = min(rows_len, k)
//! ```
//!
//! So rows have lengths of their own. A row keeps its length: only what is behind the last one is written anew.

use super::super::infer::Type;
use super::super::tree::{Expr as Tree, LocalId};
use super::Emit;
use super::value::{Value, View, add};
use crate::ir::{BinOp, BufferId, Expr, Place, Ty};

impl Emit<'_> {
    /// Refuses the local.
    pub(super) fn refuse_growth_with_vectors(&mut self, local: LocalId) {
        self.refuse(
            self.locals[local].span,
            "a vector of vectors, or of structs with vectors, whose length changes",
            "where the vectors in it begin is known before it is copied",
            "change a flat vector, `Vec<f64>`, and note where each part begins: `start: Vec<usize>`",
        );
    }

    /// Whether the view is a local vector of vectors that grows.
    pub(super) fn has_growing_rows(&self, view: &View) -> bool {
        view.group.as_ref().is_some_and(|group| group.has_vectors())
            && self.lengths.contains_key(&view.buffer)
    }

    /// A new vector without rows; `None` where their elements are vectors again.
    pub(super) fn new_rows(&mut self, ty: &Type, name: &str) -> Option<View> {
        let Type::Array(row, _) = self.infer.peel(ty) else { return None };
        let Type::Array(elem, _) = self.infer.peel(&row) else { return None };
        let inner = self.static_lens(&elem)?;
        let len = self.scalar_local(&format!("{name}_len"), Ty::USIZE);
        self.assign_scalar(len, Expr::usize(0));
        let starts = format!("{name}_starts");
        let starts = self.alloc_with(&starts, Ty::USIZE, vec![Expr::usize(0)], None, Some(len)).buffer;
        self.begin(starts, Expr::usize(0), Expr::usize(0));
        let dims = std::iter::once(Expr::usize(0)).chain(inner).collect();
        let elements = self.alloc_of_length(&row, name, dims, None, Some(len));
        Some(self.rows(starts, &elements))
    }

    /// Another vector of such rows.
    fn copy_of_rows(&mut self, view: &View, name: &str) -> View {
        let len = self.scalar_local(&format!("{name}_len"), Ty::USIZE);
        self.assign_scalar(len, Expr::usize(0));
        let copy = self.alloc_rows_like(view, name, len);
        self.begin(copy.buffer, Expr::usize(0), Expr::usize(0));
        self.push_rows(&copy, view);
        View { owned: true, ..copy }
    }

    /// A copy of a vector that grows, which grows as well.
    pub(super) fn owned_rows(&mut self, view: &View, name: &str) -> Option<View> {
        self.has_growing_rows(view).then(|| self.copy_of_rows(view, name))
    }

    /// Gives a vector that grows the rows of another one.
    pub(super) fn copy_rows(&mut self, dest: &View, source: &View) {
        let is_own = dest.buffer == source.buffer;
        let source = if is_own { self.owned_copy(source, "rows", None) } else { source.clone() };
        if let Some(&len) = self.lengths.get(&dest.buffer) {
            self.assign_scalar(len, Expr::usize(0));
        }
        self.push_rows(dest, &source);
    }

    fn push_rows(&mut self, dest: &View, source: &View) {
        self.for_each(std::slice::from_ref(&source.len), &mut |this, index| {
            if let Value::View(row) = this.element(source, index[0].clone()) {
                this.push_row(dest, &row);
            }
        });
    }

    /// `v.push(value)`
    pub(super) fn push_element(&mut self, args: &[Tree], e: &Tree) {
        let value = match self.infer.peel(&args[1].ty) {
            Type::Array(..) => Value::View(self.make_array(&args[1], "row", None)),
            Type::Tuple(_) | Type::Record(_) => {
                let value = self.value(&args[1]);
                self.freeze_whole(value, "value")
            }
            _ => Value::Scalar(self.scalar(&args[1])),
        };
        let Some(view) = self.array(&args[0]) else { return };
        let Some(len) = self.growing_length(&view, e) else { return };
        if let Value::View(row) = &value
            && self.has_growing_rows(&view)
        {
            return self.push_row(&view, row);
        }
        let end = self.program.load_scalar(len);
        let target = self.element(&view, end.clone());
        if let (Value::View(target), Value::View(row)) = (&target, &value) {
            self.rows_of_one_length(target, row);
        }
        self.store(&target, value);
        self.assign_scalar(len, Expr::binary(BinOp::Add, end, Expr::usize(1)));
    }

    /// `rows.push(row)`
    pub(super) fn push_row(&mut self, rows: &View, row: &View) {
        let (starts, Some(&len)) = (rows.buffer, self.lengths.get(&rows.buffer)) else { return };
        let end = self.program.load_scalar(len);
        let start = self.snapshot("start", Place::new(starts, vec![end.clone()]).load(Ty::USIZE));
        let behind = self.snapshot("behind", add(start.clone(), row.len.clone()));
        let place = self.elements_of_rows(rows).part(Some(start), row.len.clone());
        self.copy(&place, row);
        let next = self.snapshot("rows", add(end, Expr::usize(1)));
        self.begin(starts, next.clone(), behind);
        self.assign_scalar(len, next);
    }

    /// Notes where a row begins.
    fn begin(&mut self, starts: BufferId, row: Expr, at: Expr) {
        self.store(&Value::Place(Place::new(starts, vec![row]), Ty::USIZE), Value::Scalar(at));
    }
}
