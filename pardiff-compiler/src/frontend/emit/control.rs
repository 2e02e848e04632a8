//! Branches and loops, and values that are computed by statements.

use super::super::infer::Type;
use super::super::tree::{Adapter, Block, Exit, Expr as Tree, For as ForTree, Kind, LoopId, Target};
use super::Emit;
use super::value::{Value, add, fits, sub};
use crate::ir::{self, BinOp, Exec, Expr, ExprKind, For, Func, Message, Order, StmtKind, Ty};
use proc_macro2::Span;
use std::collections::BTreeSet;

impl Emit<'_> {
    /// Emits `e` for what it does.
    pub(super) fn effect(&mut self, e: &Tree) {
        match &e.kind {
            Kind::Assign(left, right) => self.assign(left, right),
            Kind::AssignOp(op, left, right) => self.assign_op(*op, left, right),
            Kind::For(f) => self.for_loop(f, e.span),
            Kind::Each(each) => self.each_loop(each, e.span),
            Kind::Jump(target, value) => self.jump(*target, value.as_deref(), e.span),
            Kind::Assert(cond, text, debug) => self.assert(cond, text, *debug),
            Kind::Fork(tasks) => self.fork(tasks),
            Kind::Panic(text) => {
                self.push(StmtKind::Check { cond: Expr::bool(false), message: Message::Text(text.clone()) });
            }
            kind if kind.is_of_statements() => match self.ty(&e.ty) {
                Type::Tuple(parts) if parts.is_empty() => self.into(e, &Value::UNIT),
                Type::Never => self.into(e, &Value::UNIT),
                _ => {
                    self.value(e);
                }
            },
            _ => {
                self.value(e);
            }
        }
    }

    /// Emits `e` with its value assigned to `dest`.
    pub(super) fn into(&mut self, e: &Tree, dest: &Value) {
        match &e.kind {
            Kind::Block(block) => {
                let stmts = self.block(|this| this.sequence(&block.stmts, block.tail.as_deref(), dest));
                self.append(stmts);
            }
            Kind::If(cond, then, els) => self.branch(cond, then, els.as_deref(), dest),
            Kind::Match(m) => self.matching(m, dest),
            Kind::Inline(inline) => self.inline(inline, dest),
            Kind::Zeros => self.clear(dest),
            Kind::While(runtime) => self.while_loop(runtime, dest, e.span),
            Kind::Labelled(labelled) => {
                let target = Target { id: labelled.id, exit: Exit::Out };
                let stmts =
                    self.body_with_target(target, dest.clone(), |this| this.into(&labelled.body, dest));
                self.append(stmts);
            }
            _ if matches!(self.infer.shallow(&e.ty), Type::Never) => self.effect(e),
            Kind::Tuple(parts) if !parts.is_empty() => match dest {
                Value::Tuple(dests) if dests.len() == parts.len() => {
                    for (part, dest) in parts.iter().zip(dests) {
                        self.into(part, dest);
                    }
                }
                _ => self.refuse_shape(e.span),
            },
            _ => match dest {
                Value::View(view) if self.length_of_whole(view).is_some() => self.vector_into(e, view),
                Value::View(view) => self.array_into(e, view),
                Value::Tuple(parts) if parts.is_empty() => self.effect(e),
                Value::Place(..) => {
                    let value = self.scalar(e);
                    self.store(dest, Value::Scalar(value));
                }
                _ => {
                    let value = self.value(e);
                    self.store(dest, value);
                }
            },
        }
    }

    pub(super) fn append(&mut self, stmts: ir::Block) {
        if let Some(frame) = self.frames.last_mut() {
            frame.stmts.extend(stmts);
        }
    }

    fn branch(&mut self, cond: &Tree, then: &Tree, els: Option<&Tree>, dest: &Value) {
        let Some(els) = els else { return self.nested(&self.conjuncts(cond), then, dest) };
        let outer = std::mem::replace(&mut self.in_expression, true);
        let cond = self.scalar(cond);
        self.in_expression = outer;
        let then = self.block(|this| this.into(then, dest));
        let els = self.block(|this| this.into(els, dest));
        self.push(StmtKind::If { cond, then, els });
    }

    /// What is joined by `&&`, in order: all of it where that computes with numbers at hand alone, which then say in which
    /// iterations something is done. What is read from arrays is one condition, that has one value in front of loops inside.
    fn conjuncts<'t>(&self, cond: &'t Tree) -> Vec<&'t Tree> {
        fn flat<'t>(cond: &'t Tree, all: &mut Vec<&'t Tree>) {
            match &cond.kind {
                Kind::And(left, right) => {
                    flat(left, all);
                    flat(right, all);
                }
                _ => all.push(cond),
            }
        }
        let mut all = Vec::new();
        flat(cond, &mut all);
        match &cond.kind {
            Kind::And(left, right) if !all.iter().all(|cond| self.is_arithmetic(cond)) => vec![left, right],
            _ => all,
        }
    }

    /// Whether an expression computes with literals and scalars.
    fn is_arithmetic(&self, e: &Tree) -> bool {
        match &e.kind {
            Kind::Binary(_, left, right) => self.is_arithmetic(left) && self.is_arithmetic(right),
            Kind::Cast(inner) | Kind::Deref(inner) | Kind::Unary(_, inner) => self.is_arithmetic(inner),
            _ => self.is_simple(e),
        }
    }

    /// `if a && b && c { then }` as `if a { if b { if c { then } } }`: each of them is evaluated, and checked, only where those
    /// in front of it hold. What cannot fail is one condition with what stands in front of it.
    fn nested(&mut self, conds: &[&Tree], then: &Tree, dest: &Value) {
        let Some((first, others)) = conds.split_first() else { return };
        let simple = others.iter().take_while(|cond| self.is_simple(cond)).count();
        let (simple, behind) = others.split_at(simple);
        let outer = self.in_expression;
        self.in_expression |= behind.is_empty();
        let mut cond = self.scalar(first);
        for simple in simple {
            cond = Expr::binary(BinOp::BitAnd, cond, self.scalar(simple));
        }
        self.in_expression = outer;
        let then = self.block(|this| match behind {
            [] => this.into(then, dest),
            _ => this.nested(behind, then, dest),
        });
        self.push(StmtKind::If { cond, then, els: Vec::new() });
    }

    fn assert(&mut self, cond: &Tree, text: &str, debug: bool) {
        let message = Message::Text(text.to_owned());
        if !debug {
            let cond = self.scalar(cond);
            self.push(StmtKind::Check { cond, message });
            return;
        }
        let active = self.debug_assertions();
        let then = self.block(|this| {
            let cond = this.scalar(cond);
            this.push(StmtKind::Check { cond, message });
        });
        self.push(StmtKind::If { cond: active, then, els: Vec::new() });
    }

    /// Whether the user's crate is built with debug assertions.
    fn debug_assertions(&mut self) -> Expr {
        let text = "cfg!(debug_assertions)";
        let known = self.program.opaques.iter().position(|opaque| opaque.text == text);
        let id = match known {
            Some(position) => ir::OpaqueId(position as u32),
            None => self.program.add_opaque(ir::Opaque {
                text: text.to_owned(),
                tokens: quote::quote!(::core::cfg!(debug_assertions)),
                ty: Ty::Bool,
                range: None,
            }),
        };
        Expr { ty: Ty::Bool, kind: ExprKind::Opaque(id) }
    }

    fn for_loop(&mut self, f: &ForTree, span: Span) {
        let exits = self.exits(f.id, &f.body);
        if self.ends_early(&exits, &f.lo, Some(&f.hi)) {
            return self.left_early(f, &exits, span);
        }
        let out = Target { id: f.id, exit: Exit::Out };
        if exits.contains(&out) {
            let stmts = self.with_target(out, Value::UNIT, |this| this.counted_loop(f));
            return self.append(stmts);
        }
        self.counted_loop(f);
    }

    fn counted_loop(&mut self, f: &ForTree) {
        let outer_expression = std::mem::replace(&mut self.in_expression, true);
        let mut list = vec![&f.lo, &f.hi];
        for adapter in &f.adapters {
            if let Adapter::StepBy(step) = adapter {
                list.push(step);
            }
        }
        let spans: Vec<_> = list.iter().map(|e| e.span).collect();
        let values = self.operands(&list);
        let mut values =
            values.into_iter().zip(spans).map(|(value, span)| self.load(value, span)).collect::<Vec<_>>();
        self.in_expression = outer_expression;
        let mut steps = values.split_off(2).into_iter();
        let (Some(hi), Some(lo)) = (values.pop(), values.pop()) else { return };
        let ty = lo.ty;
        let mut order = Order::Up;
        let mut step = Expr::usize(1);
        // `.rev().step_by(k)`: counted from the end
        let mut backwards: Option<Expr> = None;
        for adapter in &f.adapters {
            match adapter {
                Adapter::Rev => order = flip(order),
                Adapter::StepBy(_) => {
                    let Some(by) = steps.next() else { return };
                    self.check_step(&by);
                    // the check has panicked
                    let by = if by.kind == ExprKind::Int(0) { Expr::usize(1) } else { by };
                    match (order, &backwards) {
                        (Order::Up, None) => step = times(step, by),
                        (Order::Down, None) if step.kind == ExprKind::Int(1) => {
                            backwards = Some(by);
                            order = Order::Up;
                        }
                        (Order::Up, Some(k)) => backwards = Some(times(k.clone(), by)),
                        _ => {
                            self.refuse(
                                f.lo.span,
                                "a range that is stepped, reversed and stepped again",
                                "its first value depends on a remainder",
                                "compute the iterator: `for t in 0..m { let i = …; }`",
                            );
                            return;
                        }
                    }
                }
            }
        }
        match backwards {
            None => {
                let iter = self.program.add_iter(&f.name, ty);
                let value = Expr::iter(iter, ty);
                let body = self.loop_body(f, value);
                let (marks, inclusive) = (self.marks_of(f.marks), f.inclusive);
                let exec = Exec::Undecided;
                self.push(StmtKind::For(For { iter, lo, hi, inclusive, step, order, exec, marks, body }));
            }
            Some(k) => self.backwards(f, lo, hi, k, order),
        }
    }

    /// `for i in (lo..hi).rev().step_by(k)`
    fn backwards(&mut self, f: &ForTree, lo: Expr, hi: Expr, k: Expr, order: Order) {
        let ty = lo.ty;
        let one = Expr::int(ty, 1);
        let hi = if f.inclusive { add(hi, one.clone()) } else { hi };
        let lo = if self.is_stable(&lo) { lo } else { self.snapshot(&format!("{}_first", f.name), lo) };
        let hi = if self.is_stable(&hi) { hi } else { self.snapshot(&format!("{}_end", f.name), hi) };
        let k = if self.is_stable(&k) { k } else { self.snapshot(&format!("{}_step", f.name), k) };
        let trips = Expr::call(Ty::USIZE, Func::TripCount, vec![lo, hi.clone(), k.clone()]);
        let iter = self.program.add_iter(&format!("{}_trip", f.name), Ty::USIZE);
        let count = Expr::binary(BinOp::Mul, Expr::iter(iter, Ty::USIZE), k);
        let count = if ty == Ty::USIZE { count } else { count.cast(ty) };
        let value = Expr::binary(BinOp::Sub, sub_one(hi, one), count);
        let body = self.loop_body(f, value);
        let marks = self.marks_of(f.marks);
        self.push(StmtKind::For(For {
            iter,
            lo: Expr::usize(0),
            hi: trips,
            inclusive: false,
            step: Expr::usize(1),
            order,
            exec: Exec::Undecided,
            marks,
            body,
        }));
    }

    fn check_step(&mut self, step: &Expr) {
        if let ExprKind::Int(step) = step.kind
            && step > 0
        {
            return;
        }
        let cond = Expr::binary(BinOp::Gt, step.clone(), Expr::usize(0));
        self.push(StmtKind::Check { cond, message: Message::Text("assertion failed: step != 0".to_owned()) });
    }

    /// The body of a loop whose iterator has the value `value`.
    fn loop_body(&mut self, f: &ForTree, value: Expr) -> ir::Block {
        let exits = self.exits(f.id, &f.body);
        self.body_of(f.id, |this| {
            if let Some(var) = f.var {
                let (name, mutable) = (this.locals[var].name.clone(), this.locals[var].mutable);
                this.bound[var] = if mutable || !this.is_stable(&value) {
                    this.new_scalar(&name, value, mutable)
                } else {
                    Value::Scalar(value)
                };
            }
            this.counted_statements(&f.body, &exits);
        })
    }

    /// The body of a loop, which `continue` leaves.
    pub(super) fn body_of(&mut self, id: LoopId, run: impl FnOnce(&mut Self)) -> ir::Block {
        self.body_with_target(Target { id, exit: Exit::Next }, Value::UNIT, run)
    }

    /// The statements of a counted loop with these exits: when it is left, its remaining iterations do nothing.
    pub(super) fn counted_statements(&mut self, body: &Block, exits: &BTreeSet<Target>) {
        let flags: Vec<Expr> = exits.iter().filter_map(|target| self.goes_on_always(*target)).collect();
        match flags.into_iter().reduce(|a, b| Expr::binary(BinOp::BitAnd, a, b)) {
            Some(cond) => {
                let then = self.block(|this| this.sequence(&body.stmts, body.tail.as_deref(), &Value::UNIT));
                self.push(StmtKind::If { cond, then, els: Vec::new() });
            }
            None => self.sequence(&body.stmts, body.tail.as_deref(), &Value::UNIT),
        }
    }
}

fn flip(order: Order) -> Order {
    match order {
        Order::Up => Order::Down,
        Order::Down => Order::Up,
    }
}

fn times(a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(1), _) => b,
        (_, ExprKind::Int(1)) => a,
        (ExprKind::Int(x), ExprKind::Int(y)) if fits(a.ty, x.checked_mul(*y)) => Expr::int(a.ty, x * y),
        _ => Expr::binary(BinOp::Mul, a, b),
    }
}

fn sub_one(hi: Expr, one: Expr) -> Expr {
    sub(hi, one)
}
