//! Loops over iterators, and vectors collected from them.

use super::super::chain::{Chain, Each};
use super::super::infer::Type;
use super::super::tree::{Exit, Expr as Tree, LocalId, Pattern};
use super::Emit;
use super::cursor::{Bounds, Cursor};
use super::value::{Value, View, add};
use crate::ir::{self, Exec, Expr, For, Marks, StmtKind};
use proc_macro2::Span;

impl<'e> Emit<'e> {
    /// A `for` over an iterator.
    pub(super) fn each_loop(&mut self, each: &Each, span: Span) {
        let exits = self.exits(each.id, &each.body);
        if each.chain.is_irregular() {
            return self.irregular_loop(each, &exits, span);
        }
        if exits.iter().any(|target| target.exit == Exit::Out) {
            return self.each_left_early(each, &exits, span);
        }
        let outer = std::mem::replace(&mut self.in_expression, true);
        let cursor = self.cursor(&each.chain);
        self.in_expression = outer;
        let Some(cursor) = cursor else { return };
        if let Some(shape) = cursor.nest() {
            return self.nested_loops(each, &cursor, shape, &exits, span);
        }
        let Some(bounds) = self.bounds(&cursor) else { return self.refuse_endless(span) };
        let iter = self.program.add_iter(&each.name, bounds.hi.ty);
        let value = Expr::iter(iter, bounds.hi.ty);
        let tasks = each.marks.rayon.is_some();
        let rayon = self.rayon_of(&each.chain, &cursor, Some(&each.body), tasks);
        let marks = Marks { rayon, ..each.marks };
        let body = self.body_of(each.id, |this| {
            this.item_of_loop(&cursor, value, bounds.direct, &mut |this, item| {
                this.bind_item(&each.pattern, item, span);
                this.counted_statements(&each.body, &exits);
            });
        });
        self.push_loop(iter, bounds, marks, body);
    }

    pub(super) fn refuse_endless(&mut self, span: Span) {
        self.refuse(
            span,
            "an iteration without an end",
            "no adapter of it says how many items there are",
            "give the range an end, `0..n`, or write `.take(n)`",
        );
    }

    pub(super) fn push_loop(&mut self, iter: ir::IterId, bounds: Bounds, marks: Marks, body: ir::Block) {
        let Bounds { lo, hi, inclusive, step, order, .. } = bounds;
        let exec = Exec::Undecided;
        self.push(StmtKind::For(For { iter, lo, hi, inclusive, step, order, exec, marks, body }));
    }

    /// Binds an item: what is a name or a constant already is not copied.
    pub(super) fn bind_item(&mut self, pattern: &Pattern, value: Value, span: Span) {
        match (pattern, value) {
            (Pattern::Bind(local), Value::Scalar(value))
                if !self.locals[*local].mutable && self.is_stable(&value) =>
            {
                self.bound[*local] = Value::Scalar(value);
            }
            (Pattern::Deref(inner), value) => self.bind_item(inner, value, span),
            (Pattern::Tuple(patterns), Value::Tuple(parts)) if patterns.len() == parts.len() => {
                for (pattern, part) in patterns.iter().zip(parts) {
                    self.bind_item(pattern, part, span);
                }
            }
            (pattern, value) => self.bind_value(pattern, value, span),
        }
    }

    /// A vector of the items, none of which is left out.
    pub(super) fn collected(&mut self, chain: &Chain, e: &Tree, name: &str, local: Option<LocalId>) -> View {
        let ty = self.ty(&e.ty);
        let elem = self.element_type(&ty);
        let Some(cursor) = self.cursor(chain) else {
            return self.alloc(name, elem, vec![Expr::usize(0)], local);
        };
        if self.bounds(&cursor).is_none() {
            self.refuse_endless(e.span);
            return self.alloc(name, elem, vec![Expr::usize(0)], local);
        }
        let rows = match &ty {
            Type::Array(row, _) => self.static_lens(row).or_else(|| self.lens_of_rows(chain, &cursor)),
            _ => Some(Vec::new()),
        };
        let Some(rows) = rows else {
            if let Some(rows) = self.new_rows(&ty, name) {
                self.walk(&cursor, "k", e.span, &mut |this, item| match item {
                    Value::View(row) => this.push_row(&rows, &row),
                    item => this.store(&item.clone(), item),
                });
                return rows;
            }
            self.refuse(
                e.span,
                "a vector of arrays of unknown length",
                "its rows must have one length, known when it is made",
                "collect the elements into a flat vector, write rows of constant length, `[a, b, c]`, or take them by `chunks_exact`",
            );
            return self.alloc(name, elem, vec![Expr::usize(0)], local);
        };
        let len = cursor.positions();
        let dims = match self.static_lens(&ty) {
            Some(dims) => dims,
            None => std::iter::once(len).chain(rows).collect(),
        };
        let view = self.alloc_of(&ty, name, dims, local);
        let mut from = None;
        for part in self.parts_of(&cursor) {
            let Some(bounds) = self.bounds(&part) else { break };
            // the position in the vector must be the counter
            let counted = if bounds.counts_up() { bounds } else { Bounds::positions(part.positions()) };
            let iter = self.program.add_iter("k", counted.hi.ty);
            let at = Expr::iter(iter, counted.hi.ty);
            let to = match &from {
                None => at.clone(),
                Some(from) => add(Expr::clone(from), at.clone()),
            };
            let body = self.block(|this| {
                let target = this.element(&view, to);
                this.item_of_loop(&part, at, counted.direct, &mut |this, item| {
                    this.store(&target, item);
                });
            });
            let marks = Marks { rayon: self.rayon_of(chain, &cursor, None, false), ..Marks::default() };
            self.push_loop(iter, counted, marks, body);
            let len = part.positions();
            let behind = from.map_or(len.clone(), |from| add(from, len));
            from = Some(self.named(behind, "items"));
        }
        view
    }
}

impl Cursor<'_> {
    fn positions(&self) -> Expr {
        self.len.clone().unwrap_or_else(|| Expr::usize(0))
    }
}
