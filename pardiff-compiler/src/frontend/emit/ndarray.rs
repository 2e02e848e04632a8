//! Arrays of `ndarray`: views with their dimensions in another order, and loops over all their numbers.

use super::super::chain::Each;
use super::super::tree::{Expr as Tree, Pattern, Target};
use super::Emit;
use super::cursor::{Bounds, Cursor, CursorKind, Use, copied};
use super::value::{Value, View};
use crate::ir::{BinOp, Expr, ExprKind, Marks, Ty};
use proc_macro2::Span;
use std::collections::BTreeSet;

impl Emit<'_> {
    /// The array with one of its dimensions in front of the others: what an index is of changes, not what is stored.
    pub(super) fn axis_first(&mut self, array: &Tree, axis: usize) -> Value {
        let Some(view) = self.array(array) else { return Value::UNIT };
        let first = view.prefix.len();
        let rank = self.program[view.buffer].rank();
        if first + axis >= rank {
            return Value::View(view);
        }
        if view.offset.is_some() || view.len != self.program[view.buffer].dims[view.axis(first)] {
            self.refuse(
                array.span,
                "another order of the dimensions of a part of an array",
                "a part is one along the first dimension here",
                "take the row or column of the whole array, and the part of that",
            );
            return Value::View(view);
        }
        let mut axes: Vec<usize> = (0..rank).map(|at| view.axis(at)).collect();
        axes[first..=first + axis].rotate_right(1);
        let len = self.program[view.buffer].dims[axes[first]].clone();
        Value::View(View { len, axes: Some(axes.into()), owned: false, ..view })
    }

    /// How many numbers are in it.
    pub(super) fn number_of_elements(&self, view: &View) -> Expr {
        let product = |a: Expr, b: Expr| match (&a.kind, &b.kind) {
            (ExprKind::Int(1), _) => b,
            (_, ExprKind::Int(1)) => a,
            _ => Expr::binary(BinOp::Mul, a, b),
        };
        self.dims(view).into_iter().reduce(product).unwrap_or_else(|| Expr::usize(1))
    }

    /// The indices of the number at a position in logical order: `k / m, k % m`.
    pub(super) fn index_at(&self, view: &View, at: Expr) -> Vec<Expr> {
        let mut index = Vec::new();
        let mut rest = at;
        for extent in self.dims(view).into_iter().skip(1).rev() {
            index.push(Expr::binary(BinOp::Rem, rest.clone(), extent.clone()));
            rest = Expr::binary(BinOp::Div, rest, extent);
        }
        index.push(rest);
        index.reverse();
        index
    }

    /// The number at these indices, behind them if it is `indexed`.
    pub(super) fn number(&self, view: &View, index: &[Expr], indexed: bool) -> Value {
        let number = self.element_at(view, index);
        if !indexed {
            return number;
        }
        let index = index.iter().map(|index| Value::Scalar(index.clone())).collect();
        Value::Tuple(vec![Value::Tuple(index), number])
    }

    /// A loop for each dimension: what one loop over positions would do, in the same order, with indices that are iterators.
    pub(super) fn nested_loops(
        &mut self,
        each: &Each,
        cursor: &Cursor<'_>,
        view: &View,
        exits: &BTreeSet<Target>,
        span: Span,
    ) {
        let dims = self.dims(view);
        let rayon = self.rayon_of(&each.chain, cursor, Some(&each.body), each.marks.rayon.is_some());
        let outer = Marks { rayon, ..each.marks };
        let names = self.index_names(each, dims.len());
        let iters: Vec<_> = names.iter().map(|name| self.program.add_iter(name, Ty::USIZE)).collect();
        let index: Vec<Expr> = iters.iter().map(|iter| Expr::iter(*iter, Ty::USIZE)).collect();
        let mut body = self.body_of(each.id, |this| {
            this.item_at(cursor, &index, &mut |this, item| {
                this.bind_item(&each.pattern, item, span);
                this.counted_statements(&each.body, exits);
            });
        });
        for (dim, iter) in iters.into_iter().enumerate().rev() {
            let marks = if dim == 0 { outer } else { Marks { rayon: None, ..each.marks } };
            let bounds = Bounds::positions(dims[dim].clone());
            body = self.block(|this| this.push_loop(iter, bounds, marks, body));
        }
        self.append(body);
    }

    /// How the iterators are called: as the user calls the indices.
    fn index_names(&self, each: &Each, rank: usize) -> Vec<String> {
        let named = match &each.pattern {
            Pattern::Tuple(parts) => match parts.first() {
                Some(Pattern::Tuple(index)) if index.len() == rank => index.as_slice(),
                _ => &[],
            },
            _ => &[],
        };
        let name = |at: usize| match named.get(at) {
            Some(Pattern::Bind(local)) => self.locals[*local].name.clone(),
            _ => each.name.clone(),
        };
        (0..rank).map(name).collect()
    }
}

impl<'e> Emit<'e> {
    /// Emits the item at the indices of an array of several dimensions, and what is done with it.
    pub(super) fn item_at(&mut self, cursor: &Cursor<'_>, index: &[Expr], then: Use<'_, 'e>) {
        match &cursor.kind {
            CursorKind::Numbers { view, indexed } => {
                let number = self.number(view, index, *indexed);
                then(self, number);
            }
            CursorKind::Map(inner, closure) => {
                self.item_at(inner, index, &mut |this, value| this.mapped(closure, value, then));
            }
            CursorKind::Filter(inner, closure) => {
                self.item_at(inner, index, &mut |this, value| this.filtered(closure, value, then));
            }
            CursorKind::Copied(inner) => self.item_at(inner, index, &mut |this, value| {
                let value = copied(value);
                then(this, value);
            }),
            _ => {}
        }
    }
}

impl Cursor<'_> {
    /// The array of several dimensions of which each number is an item, so that a loop for each dimension runs over them.
    pub(super) fn nest(&self) -> Option<&View> {
        match &self.kind {
            CursorKind::Numbers { view, .. } => Some(view),
            CursorKind::Map(inner, _) | CursorKind::Filter(inner, _) | CursorKind::Copied(inner) => {
                inner.nest()
            }
            _ => None,
        }
    }
}
