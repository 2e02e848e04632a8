//! The item of a cursor at a position, and what is done with it.

use super::super::super::chain::{Closure, Parts};
use super::super::Emit;
use super::super::value::{Value, View, add, sub};
use super::{Cursor, CursorKind};
use crate::ir::{BinOp, Expr, ExprKind, Func, StmtKind, Ty};

/// What is done with an item.
pub(in crate::frontend::emit) type Use<'a, 'e> = &'a mut dyn FnMut(&mut Emit<'e>, Value);

impl<'e> Emit<'e> {
    /// Emits the item at an iterator of the loop, and what is done with it.
    pub(in crate::frontend::emit) fn item_of_loop(
        &mut self,
        cursor: &Cursor<'_>,
        iter: Expr,
        direct: bool,
        then: Use<'_, 'e>,
    ) {
        if !direct {
            return self.item(cursor, iter, then);
        }
        match &cursor.kind {
            CursorKind::Range { .. } => then(self, Value::Scalar(iter)),
            CursorKind::Rev(inner)
            | CursorKind::StepBy(inner, _)
            | CursorKind::Skip(inner, _)
            | CursorKind::Take(inner, _) => self.item_of_loop(inner, iter, true, then),
            CursorKind::Map(inner, closure) => self.item_of_loop(inner, iter, true, &mut |this, value| {
                this.mapped(closure, value, then);
            }),
            CursorKind::Filter(inner, closure) => self.item_of_loop(inner, iter, true, &mut |this, value| {
                this.filtered(closure, value, then);
            }),
            CursorKind::Copied(inner) => self.item_of_loop(inner, iter, true, &mut |this, value| {
                let value = copied(value);
                then(this, value);
            }),
            CursorKind::FlatMap(outer, inner) => self.item_of_loop(outer, iter, true, &mut |this, value| {
                this.inner_items(inner, value, then);
            }),
            CursorKind::Scan(inner, closure) => self.item_of_loop(inner, iter, true, &mut |this, value| {
                this.mapped(closure, value, then);
            }),
            CursorKind::TakeWhile(inner, closure, flag) => {
                self.item_of_loop(inner, iter, true, &mut |this, value| {
                    this.taken_while(closure, *flag, value, then);
                });
            }
            CursorKind::TakeOf(inner, left, flag) => {
                self.item_of_loop(inner, iter, true, &mut |this, value| {
                    this.taken_of(*left, *flag, value, then)
                });
            }
            CursorKind::SkipWhile(inner, closure, flag) => {
                self.item_of_loop(inner, iter, true, &mut |this, value| {
                    this.skipped_while(closure, *flag, value, then);
                });
            }
            _ => self.item(cursor, iter, then),
        }
    }

    /// Emits the item at a position, and what is done with it.
    fn item(&mut self, cursor: &Cursor<'_>, at: Expr, then: Use<'_, 'e>) {
        match &cursor.kind {
            CursorKind::Range { lo, hi, .. } => {
                then(self, Value::Scalar(number_at(lo, at, hi.is_some())));
            }
            CursorKind::Elements(view) => {
                let element = self.element(view, at);
                then(self, element);
            }
            CursorKind::Once(value) => then(self, value.clone()),
            CursorKind::Numbers { views, shape, indexed } => {
                let index = self.index_at(shape, at);
                let number = self.number(views, &index, *indexed);
                then(self, number);
            }
            CursorKind::Parts { view, size, parts } => {
                let part = self.part(view, size, *parts, at);
                then(self, part);
            }
            CursorKind::Rev(inner) => {
                let Some(len) = inner.len.clone() else { return };
                let at = sub(sub(len, Expr::usize(1)), at);
                self.item(inner, at, then);
            }
            CursorKind::StepBy(inner, by) => {
                let at = Expr::binary(BinOp::Mul, at, by.clone());
                self.item(inner, at, then);
            }
            CursorKind::Skip(inner, by) => self.item(inner, add(by.clone(), at), then),
            CursorKind::Take(inner, _) => self.item(inner, at, then),
            CursorKind::Zip(a, b) => self.item(a, at.clone(), &mut |this, first| {
                this.item(b, at.clone(), &mut |this, second| {
                    then(this, Value::Tuple(vec![first.clone(), second]));
                });
            }),
            CursorKind::Enumerate(inner) => self.item(inner, at.clone(), &mut |this, value| {
                then(this, Value::Tuple(vec![Value::Scalar(at.clone()), value]));
            }),
            CursorKind::Cycle(inner) => {
                let Some(len) = inner.len.clone() else { return self.item(inner, at, then) };
                let at = match len.kind {
                    ExprKind::Int(1) => Expr::usize(0),
                    _ => Expr::binary(BinOp::Rem, at, len),
                };
                self.item(inner, at, then);
            }
            CursorKind::Map(inner, closure) => {
                self.item(inner, at, &mut |this, value| this.mapped(closure, value, then));
            }
            CursorKind::Filter(inner, closure) => {
                self.item(inner, at, &mut |this, value| this.filtered(closure, value, then));
            }
            CursorKind::Copied(inner) => self.item(inner, at, &mut |this, value| {
                let value = copied(value);
                then(this, value);
            }),
            // is taken apart
            CursorKind::Chain(..) => {}
            CursorKind::FlatMap(outer, inner) => {
                self.item(outer, at, &mut |this, value| this.inner_items(inner, value, then));
            }
            CursorKind::Scan(inner, closure) => {
                self.item(inner, at, &mut |this, value| this.mapped(closure, value, then));
            }
            CursorKind::TakeWhile(inner, closure, flag) => {
                self.item(inner, at, &mut |this, value| this.taken_while(closure, *flag, value, then));
            }
            CursorKind::TakeOf(inner, left, flag) => {
                self.item(inner, at, &mut |this, value| this.taken_of(*left, *flag, value, then));
            }
            CursorKind::SkipWhile(inner, closure, flag) => {
                self.item(inner, at, &mut |this, value| this.skipped_while(closure, *flag, value, then));
            }
        }
    }

    pub(in crate::frontend::emit) fn mapped(&mut self, closure: &Closure, value: Value, then: Use<'_, 'e>) {
        self.bind_item(&closure.param, value, closure.body.span);
        let value = self.value(&closure.body);
        then(self, value);
    }

    pub(in crate::frontend::emit) fn filtered(&mut self, closure: &Closure, value: Value, then: Use<'_, 'e>) {
        // the condition and the rest both have the item
        let value = self.stabilise(value, "item");
        self.bind_item(&closure.param, value.clone(), closure.body.span);
        let cond = self.scalar(&closure.body);
        let block = self.block(|this| then(this, value));
        self.push(StmtKind::If { cond, then: block, els: Vec::new() });
    }

    /// Chunk or window `at`.
    fn part(&mut self, view: &View, size: &Expr, parts: Parts, at: Expr) -> Value {
        let start = match parts {
            Parts::Windows => at,
            _ => Expr::binary(BinOp::Mul, at, size.clone()),
        };
        let len = match parts {
            Parts::Chunks => {
                let rest = sub(view.len.clone(), start.clone());
                let len = Expr::call(Ty::USIZE, Func::IntMin, vec![size.clone(), rest]);
                self.named(len, "chunk_len")
            }
            _ => size.clone(),
        };
        Value::View(view.part(Some(start), len))
    }
}

/// `copied`: the value at a reference.
pub(in crate::frontend::emit) fn copied(value: Value) -> Value {
    match value {
        Value::Place(place, ty) => Value::Scalar(place.load(ty)),
        Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(copied).collect()),
        other => other,
    }
}

/// The number at a position of a range. From a negative number to its end there may be more than its type counts, as in
/// `-100i8..100`: what wraps twice is right then.
fn number_at(lo: &Expr, at: Expr, ends: bool) -> Expr {
    let at = if at.ty == lo.ty { at } else { at.cast(lo.ty) };
    let may_wrap = ends && !matches!(lo.kind, ExprKind::Int(0..));
    match lo.ty {
        Ty::Int(int) if int.is_signed() && may_wrap => {
            Expr::call(lo.ty, Func::WrappingAdd, vec![lo.clone(), at])
        }
        _ => add(lo.clone(), at),
    }
}
