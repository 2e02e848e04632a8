//! Iterators that are more than one counted loop: one behind another, one inside of another, or one that ends by itself.
//!
//! ```text
//! for v in a.iter().chain(b)       for k in 0..len(a) { v = a[k] }  for k in 0..len(b) { v = b[k] }
//! for v in x.flat_map(f)           for k in 0..|x| { for l in 0..|f(x[k])| { v = f(x[k])[l] } }
//! for v in x.take_while(p)         takes = true; while takes & k < |x| { if p(x[k]) { v = x[k] } else { takes = false } }
//! ```
//!
//! What adapts one behind another is taken apart with it: the items of `a.chain(b).enumerate()` are those of `a`, numbered,
//! and those of `b`, numbered from `len(a)` on. So each part is a loop like that over a single array.
//!
//! A `break` in the body, or an iterator that ends by itself, ends all the loops that are around the item: each then is one that
//! goes on while its flags hold.

use super::super::chain::{Closure, Each, Inner};
use super::super::tree::{Exit, Target};
use super::Emit;
use super::cursor::{Cursor, CursorKind, Use, saturating_sub};
use super::value::{Value, add, sub};
use crate::ir::{BinOp, BufferId, Expr, Func, Marks, StmtKind, Ty, While};
use proc_macro2::Span;
use std::collections::BTreeSet;

impl<'e> Emit<'e> {
    /// A `for` over such an iterator.
    pub(super) fn irregular_loop(&mut self, each: &Each, exits: &BTreeSet<Target>, span: Span) {
        if each.marks.parallel || each.marks.provide.is_some() || each.marks.checkpoint.is_some() {
            self.refuse(
                span,
                "this mark on several loops in one",
                "`chain`, `flat_map`, `flatten` and `take_while` make loops one behind or inside of the other",
                "write these loops, and the mark on the one that is meant",
            );
        }
        let out = Target { id: each.id, exit: Exit::Out };
        let stmts = self.with_target(out, Value::UNIT, |this| {
            let outer = std::mem::replace(&mut this.in_expression, true);
            let cursor = this.cursor(&each.chain);
            this.in_expression = outer;
            let Some(cursor) = cursor else { return };
            let flags: Vec<BufferId> = exits.iter().filter_map(|target| this.flag(*target)).collect();
            let outer = std::mem::replace(&mut this.stops, flags);
            this.walk(&cursor, &each.name, span, &mut |this, item| {
                // the flags are of this loop alone
                let stops = std::mem::take(&mut this.stops);
                let body = this.body_of(each.id, |this| {
                    this.bind_item(&each.pattern, item, span);
                    this.sequence(&each.body.stmts, each.body.tail.as_deref(), &Value::UNIT);
                });
                this.append(body);
                this.stops = stops;
            });
            this.stops = outer;
        });
        self.append(stmts);
    }

    /// The loops over the items of a cursor.
    pub(super) fn walk(&mut self, cursor: &Cursor<'_>, name: &str, span: Span, then: Use<'_, 'e>) {
        for part in self.parts_of(cursor) {
            self.walk_part(&part, name, span, then);
        }
    }

    fn walk_part(&mut self, part: &Cursor<'_>, name: &str, span: Span, then: Use<'_, 'e>) {
        let outer = self.stops.len();
        part.flags(&mut |flag| self.stops.push(flag));
        if self.stops.is_empty() {
            let Some(bounds) = self.bounds(part) else { return self.refuse_endless(span) };
            let iter = self.program.add_iter(name, bounds.hi.ty);
            let value = Expr::iter(iter, bounds.hi.ty);
            let body = self.block(|this| this.item_of_loop(part, value, bounds.direct, then));
            return self.push_loop(iter, bounds, Marks::default(), body);
        }
        let counter = self.program.add_iter(name, Ty::USIZE);
        let at = Expr::iter(counter, Ty::USIZE);
        let own = part.len.clone().map(|len| Expr::binary(BinOp::Lt, at.clone(), len));
        let flags: Vec<Expr> = self.stops.iter().map(|flag| self.program.load_scalar(*flag)).collect();
        let conds = flags.into_iter().chain(own);
        let cond = conds.reduce(|a, b| Expr::binary(BinOp::BitAnd, a, b)).unwrap_or_else(|| Expr::bool(true));
        let body = self.block(|this| this.item_of_loop(part, at, false, then));
        self.push(StmtKind::While(While { counter, head: Vec::new(), cond, body, checkpoint: None }));
        self.stops.truncate(outer);
    }

    /// The items of the iterator that belongs to an item.
    pub(super) fn inner_items(&mut self, inner: &Inner, value: Value, then: Use<'_, 'e>) {
        let stmts = self.block(|this| {
            this.bind_item(&inner.param, value, inner.span);
            inner.stmts.iter().for_each(|stmt| this.stmt(stmt));
            let cursor = this.cursor(&inner.chain);
            if let Some(cursor) = cursor {
                this.walk(&cursor, "l", inner.span, then);
            }
        });
        self.append(stmts);
    }

    pub(super) fn taken_while(&mut self, closure: &Closure, flag: BufferId, value: Value, then: Use<'_, 'e>) {
        let value = self.stabilise(value, "item");
        self.bind_item(&closure.param, value.clone(), closure.body.span);
        let cond = self.scalar(&closure.body);
        let block = self.block(|this| then(this, value));
        let els = self.block(|this| this.assign_scalar(flag, Expr::bool(false)));
        self.push(StmtKind::If { cond, then: block, els });
    }

    /// An item of as many as are left; behind the last of these the flag holds no more.
    pub(super) fn taken_of(&mut self, left: BufferId, flag: BufferId, value: Value, then: Use<'_, 'e>) {
        let rest = sub(self.program.load_scalar(left), Expr::usize(1));
        self.assign_scalar(left, rest);
        let any = Expr::binary(BinOp::Gt, self.program.load_scalar(left), Expr::usize(0));
        self.assign_scalar(flag, any);
        then(self, value);
    }

    pub(super) fn skipped_while(
        &mut self,
        closure: &Closure,
        flag: BufferId,
        value: Value,
        then: Use<'_, 'e>,
    ) {
        let value = self.stabilise(value, "item");
        let skips = self.program.load_scalar(flag);
        let test = self.block(|this| {
            this.bind_item(&closure.param, value.clone(), closure.body.span);
            let cond = this.scalar(&closure.body);
            this.assign_scalar(flag, cond);
        });
        self.push(StmtKind::If { cond: skips, then: test, els: Vec::new() });
        let kept = Expr::unary(crate::ir::UnOp::Not, self.program.load_scalar(flag));
        let block = self.block(|this| then(this, value));
        self.push(StmtKind::If { cond: kept, then: block, els: Vec::new() });
    }

    /// The cursors one behind the other that one consists of; itself if it is a single one.
    pub(super) fn parts_of<'t>(&mut self, cursor: &Cursor<'t>) -> Vec<Cursor<'t>> {
        let around = |part: &Cursor<'t>, kind: CursorKind<'t>| Cursor { kind, len: part.len.clone() };
        match &cursor.kind {
            CursorKind::Chain(a, b) => {
                let mut parts = self.parts_of(a);
                parts.extend(self.parts_of(b));
                parts
            }
            CursorKind::Map(inner, closure) => {
                self.wrapped(inner, |part| around(&part, CursorKind::Map(Box::new(part.clone()), closure)))
            }
            CursorKind::Filter(inner, closure) => {
                self.wrapped(inner, |part| around(&part, CursorKind::Filter(Box::new(part.clone()), closure)))
            }
            CursorKind::Copied(inner) => {
                self.wrapped(inner, |part| around(&part, CursorKind::Copied(Box::new(part.clone()))))
            }
            CursorKind::FlatMap(outer, inner) => {
                self.wrapped(outer, |part| around(&part, CursorKind::FlatMap(Box::new(part.clone()), inner)))
            }
            CursorKind::Scan(inner, closure) => {
                self.wrapped(inner, |part| around(&part, CursorKind::Scan(Box::new(part.clone()), closure)))
            }
            CursorKind::TakeWhile(inner, closure, flag) => self.wrapped(inner, |part| {
                around(&part, CursorKind::TakeWhile(Box::new(part.clone()), closure, *flag))
            }),
            CursorKind::TakeOf(inner, left, flag) => self.wrapped(inner, |part| {
                around(&part, CursorKind::TakeOf(Box::new(part.clone()), *left, *flag))
            }),
            CursorKind::SkipWhile(inner, closure, flag) => self.wrapped(inner, |part| {
                around(&part, CursorKind::SkipWhile(Box::new(part.clone()), closure, *flag))
            }),
            CursorKind::Rev(inner) => {
                let mut parts =
                    self.wrapped(inner, |part| around(&part, CursorKind::Rev(Box::new(part.clone()))));
                parts.reverse();
                parts
            }
            CursorKind::Enumerate(inner) => {
                let parts = self.parts_of(inner);
                self.numbered_parts(parts, |this, from, part| match from {
                    None => around(&part, CursorKind::Enumerate(Box::new(part.clone()))),
                    Some(from) => {
                        let numbers = CursorKind::Range { lo: from, hi: None, inclusive: false };
                        let numbers = Box::new(Cursor { kind: numbers, len: None });
                        let _ = this;
                        around(&part, CursorKind::Zip(numbers, Box::new(part.clone())))
                    }
                })
            }
            CursorKind::Skip(inner, by) => {
                let parts = self.parts_of(inner);
                self.numbered_parts(parts, |this, from, part| {
                    let by = this.behind(by, from);
                    let len = part.len.clone().map(|len| saturating_sub(len, by.clone()));
                    let len = len.map(|len| this.named(len, "rest"));
                    Cursor { kind: CursorKind::Skip(Box::new(part), by), len }
                })
            }
            CursorKind::Take(inner, most) => {
                let parts = self.parts_of(inner);
                self.numbered_parts(parts, |this, from, part| {
                    let most = this.behind(most, from);
                    let len = this.shorter(part.len.clone(), Some(most.clone()));
                    Cursor { kind: CursorKind::Take(Box::new(part), most), len }
                })
            }
            CursorKind::Zip(a, b) => {
                let (first, second) = (self.parts_of(a), self.parts_of(b));
                // one of them is a single one
                let swapped = second.len() > 1;
                let (parts, other) = if swapped { (second, first) } else { (first, second) };
                let Some(other) = other.into_iter().next() else { return Vec::new() };
                self.numbered_parts(parts, |this, from, part| {
                    let other = match from {
                        None => other.clone(),
                        Some(from) => {
                            let len = other.len.clone().map(|len| saturating_sub(len, from.clone()));
                            let len = len.map(|len| this.named(len, "rest"));
                            Cursor { kind: CursorKind::Skip(Box::new(other.clone()), from), len }
                        }
                    };
                    let len = this.shorter(part.len.clone(), other.len.clone());
                    let (part, other) = (Box::new(part), Box::new(other));
                    let kind =
                        if swapped { CursorKind::Zip(other, part) } else { CursorKind::Zip(part, other) };
                    Cursor { kind, len }
                })
            }
            CursorKind::Range { .. }
            | CursorKind::Elements(_)
            | CursorKind::Once(_)
            | CursorKind::Numbers { .. }
            | CursorKind::Parts { .. }
            | CursorKind::Cycle(_)
            | CursorKind::StepBy(..) => vec![cursor.clone()],
        }
    }

    fn wrapped<'t>(
        &mut self,
        inner: &Cursor<'t>,
        wrap: impl Fn(Cursor<'t>) -> Cursor<'t>,
    ) -> Vec<Cursor<'t>> {
        self.parts_of(inner).into_iter().map(wrap).collect()
    }

    /// What `wrap` makes of each part and of the number of items in front of it, for those behind the first.
    fn numbered_parts<'t>(
        &mut self,
        parts: Vec<Cursor<'t>>,
        mut wrap: impl FnMut(&mut Self, Option<Expr>, Cursor<'t>) -> Cursor<'t>,
    ) -> Vec<Cursor<'t>> {
        let mut from: Option<Expr> = None;
        let mut wrapped = Vec::new();
        for part in parts {
            let len = part.len.clone();
            wrapped.push(wrap(self, from.clone(), part));
            // behind one without an end nothing follows
            let Some(len) = len else { break };
            let next = match from {
                None => len,
                Some(from) => add(from, len),
            };
            from = Some(self.named(next, "items"));
        }
        wrapped
    }

    /// What is left of a number of items behind the first `from`.
    fn behind(&mut self, number: &Expr, from: Option<Expr>) -> Expr {
        match from {
            None => number.clone(),
            Some(from) => {
                let rest = Expr::call(Ty::USIZE, Func::SaturatingSub, vec![number.clone(), from]);
                self.named(rest, "rest")
            }
        }
    }
}

impl Cursor<'_> {
    /// The flags that it goes on by.
    fn flags(&self, visit: &mut dyn FnMut(BufferId)) {
        match &self.kind {
            CursorKind::TakeWhile(inner, _, flag) | CursorKind::TakeOf(inner, _, flag) => {
                inner.flags(visit);
                visit(*flag);
            }
            CursorKind::Zip(a, b) => {
                a.flags(visit);
                b.flags(visit);
            }
            CursorKind::Map(inner, _)
            | CursorKind::Filter(inner, _)
            | CursorKind::Copied(inner)
            | CursorKind::FlatMap(inner, _)
            | CursorKind::Scan(inner, _)
            | CursorKind::SkipWhile(inner, ..)
            | CursorKind::Enumerate(inner)
            | CursorKind::Take(inner, _) => inner.flags(visit),
            _ => {}
        }
    }
}
