//! Loops whose trip count is known only when they end: `while`, `loop`, and counted loops that are left early.
//!
//! ```text
//! while c { s }                     a condition without statements of its own
//!   while k: c
//!     s
//! while c { s }                     any other: it is evaluated at the end of each iteration
//!   again = c
//!   while k: again
//!     s
//!     again = c
//! for i in lo..hi { s; if c { break; } t }
//!   goes_on = true
//!   while k: goes_on & k < hi - lo
//!     s                             (i is lo + k)
//!     if c { goes_on = false } else { t }
//! ```
//!
//! A `for` of few iterations, whose number is a constant, stays counted: what follows its `break` does nothing.

use super::super::chain::{Chain, ChainKind, Each};
use super::super::resolve::jump::{NOT_COUNTED, needs_count};
use super::super::tree::{
    Adapter, Block, Exit, Expr as Tree, For as ForTree, LoopId, Pattern, Runtime, Target,
};
use super::Emit;
use super::value::Value;
use crate::ir::{self, BinOp, Checkpoint, Expr, ExprKind, StmtKind, Ty, While};
use crate::limits::COUNTED_THOUGH_LEFT_EARLY;
use proc_macro2::Span;
use std::collections::BTreeSet;

impl<'e> Emit<'e> {
    /// What jumps in the body of a loop leave: the loop itself, or something around it.
    pub(super) fn exits(&self, id: LoopId, body: &Block) -> BTreeSet<Target> {
        let mut exits = BTreeSet::new();
        body.children(&mut |e| exits.extend(self.jumps(e)));
        exits.remove(&Target { id, exit: Exit::Next });
        exits
    }

    /// Whether a counted loop with these exits becomes one that ends early. One that only goes on with an outer loop
    /// stays counted.
    pub(super) fn ends_early(&self, exits: &BTreeSet<Target>, lo: &Tree, hi: Option<&Tree>) -> bool {
        use super::super::tree::Kind;
        let few = match (&lo.kind, hi.map(|hi| &hi.kind)) {
            (Kind::Int(lo), Some(Kind::Int(hi))) => hi - lo <= COUNTED_THOUGH_LEFT_EARLY,
            _ => false,
        };
        !few && exits.iter().any(|target| target.exit == Exit::Out)
    }

    /// A `for` over a range that is left early.
    pub(super) fn left_early(&mut self, f: &ForTree, exits: &BTreeSet<Target>, span: Span) {
        let item = f.lo.ty.clone();
        let range = ChainKind::Range { lo: f.lo.clone(), hi: Some(f.hi.clone()), inclusive: f.inclusive };
        let mut chain = Chain::new(range, item);
        for adapter in &f.adapters {
            let (inner, item) = (Box::new(chain.clone()), chain.item.clone());
            let kind = match adapter {
                Adapter::Rev => ChainKind::Rev(inner),
                Adapter::StepBy(by) => ChainKind::StepBy(inner, by.clone()),
            };
            chain = Chain::new(kind, item);
        }
        let pattern = f.var.map_or(Pattern::Wild, Pattern::Bind);
        let (name, body) = (f.name.clone(), f.body.clone());
        let each = Each { id: f.id, pattern, name, chain, marks: f.marks, body };
        self.each_left_early(&each, exits, span);
    }

    /// A `for` over an iterator that is left early.
    pub(super) fn each_left_early(&mut self, each: &Each, exits: &BTreeSet<Target>, span: Span) {
        if each.marks.parallel || each.marks.provide.is_some() {
            self.refuse(
                span,
                "this mark on a loop that is left early",
                "its iterations follow each other until one leaves it, and are stored",
                "remove the mark",
            );
        }
        if each.marks.checkpoint.is_some_and(needs_count) {
            let [what, why, help] = NOT_COUNTED;
            self.refuse(span, what, why, help);
        }
        let outer = std::mem::replace(&mut self.in_expression, true);
        let cursor = self.cursor(&each.chain);
        self.in_expression = outer;
        let Some(cursor) = cursor else { return };
        let name = (each.name.as_str(), each.marks.checkpoint);
        self.until_left(each.id, exits, &Value::UNIT, name, |this, counter| {
            let body = this.body_of(each.id, |this| {
                this.item_of_loop(&cursor, counter.clone(), false, &mut |this, item| {
                    this.bind_item(&each.pattern, item, span);
                    this.sequence(&each.body.stmts, each.body.tail.as_deref(), &Value::UNIT);
                });
            });
            let go_on = cursor.len.clone().map(|len| Expr::binary(BinOp::Lt, counter, len));
            (go_on, body)
        });
    }

    /// `while` and `loop`.
    pub(super) fn while_loop(&mut self, runtime: &Runtime, dest: &Value, span: Span) {
        let exits = self.exits(runtime.id, &runtime.body);
        if runtime.cond.is_none() && exits.is_empty() {
            return self.refuse(
                span,
                "a `loop` that is never left",
                "there is no `break` or `return` in it",
                "write `break` where it ends, or `for` with a bound",
            );
        }
        let simple = runtime.cond.as_ref().map(|cond| self.without_statements(cond));
        match (&runtime.cond, simple) {
            (Some(cond), Some(None)) => {
                let again = self.scalar_local("again", Ty::Bool);
                let first = self.condition(cond);
                self.assign_scalar(again, first);
                self.until_left(runtime.id, &exits, dest, ("round", runtime.checkpoint), |this, _| {
                    let mut body = this.statements_of_iteration(runtime);
                    let flags: Vec<Expr> = exits.iter().filter_map(|target| this.goes_on(*target)).collect();
                    let test = this.block(|this| {
                        let value = this.condition(cond);
                        this.assign_scalar(again, value);
                    });
                    body.extend(match all(flags) {
                        Some(cond) => {
                            let kind = StmtKind::If { cond, then: test, els: Vec::new() };
                            vec![ir::Stmt::new(kind, this.origin)]
                        }
                        None => test,
                    });
                    (Some(this.program.load_scalar(again)), body)
                });
            }
            (_, simple) => {
                self.until_left(runtime.id, &exits, dest, ("round", runtime.checkpoint), |this, _| {
                    (simple.flatten(), this.statements_of_iteration(runtime))
                })
            }
        }
    }

    fn statements_of_iteration(&mut self, runtime: &Runtime) -> ir::Block {
        self.body_of(runtime.id, |this| {
            this.sequence(&runtime.body.stmts, runtime.body.tail.as_deref(), &Value::UNIT);
        })
    }

    fn condition(&mut self, cond: &Tree) -> Expr {
        let outer = std::mem::replace(&mut self.in_expression, true);
        let value = self.scalar(cond);
        self.in_expression = outer;
        value
    }

    /// The condition as an expression, if evaluating it takes no statement and cannot panic.
    fn without_statements(&mut self, cond: &Tree) -> Option<Expr> {
        let (refused, buffers) = (self.refusals.0.len(), self.program.buffers.len());
        let mut value = None;
        let stmts = self.block(|this| value = Some(this.condition(cond)));
        let is_plain =
            stmts.is_empty() && self.program.buffers.len() == buffers && self.refusals.0.len() == refused;
        value.filter(|value| is_plain && value.is_total())
    }

    /// A loop that goes on while nothing has left it and its own condition, if there is one, holds.
    fn until_left(
        &mut self,
        id: LoopId,
        exits: &BTreeSet<Target>,
        dest: &Value,
        (name, checkpoint): (&str, Option<Checkpoint>),
        body: impl FnOnce(&mut Self, Expr) -> (Option<Expr>, ir::Block),
    ) {
        let out = Target { id, exit: Exit::Out };
        let stmts = self.with_target(out, dest.clone(), |this| {
            let flags: Vec<Expr> = exits.iter().filter_map(|target| this.goes_on_always(*target)).collect();
            let counter = this.program.add_iter(name, Ty::USIZE);
            let (own, body) = body(this, Expr::iter(counter, Ty::USIZE));
            let cond = all(flags.into_iter().chain(own)).unwrap_or_else(|| Expr::bool(true));
            this.push(StmtKind::While(While { counter, head: Vec::new(), cond, body, checkpoint }));
        });
        self.append(stmts);
    }
}

fn all(conds: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    conds.into_iter().reduce(|a, b| match (&a.kind, &b.kind) {
        (ExprKind::Bool(true), _) => b,
        _ => Expr::binary(BinOp::BitAnd, a, b),
    })
}
