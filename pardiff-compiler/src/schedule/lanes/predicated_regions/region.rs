//! Statements of an iteration that follow each other and do nothing unless one of some conditions holds.
//!
//! *Legality.* Take an iteration in which none of the conditions holds when the first statement begins. Then each of
//! the statements is one of these: an assignment to a local of the iteration, which nothing behind the statements
//! reads; a sum of zero, that is, of an expression that is zero where some locals are, which were set to zero before
//! and not touched since, unless under one of the conditions; or a condition that fails, either because it is one of
//! those or because it asks whether such a local differs from zero. None of them evaluates what may panic. So nothing
//! changes outside, but that zero is added. In a statement of the primal a zero may be scaled by numbers alone; in one
//! of the adjoint by anything, since an adjoint that is zero contributes exactly nothing.

use crate::ir::LoopFacts;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Func, Phase, Place, Program, ReduceOp, Stmt, StmtKind,
    UnOp, walk,
};

/// A condition without which statements do nothing.
#[derive(Clone, PartialEq)]
pub(super) struct Condition {
    /// Conditions around it that are the same in all iterations.
    pub(super) path: Vec<Expr>,
    /// What is asked; nothing more than the path without it.
    pub(super) test: Option<Expr>,
}

/// Statements up to `end`, not included.
pub(super) struct Region {
    pub(super) end: usize,
    pub(super) conditions: Vec<Condition>,
}

/// The longest region that begins with a statement of a list. `own` are the locals of the list.
pub(super) fn from(
    program: &Program,
    inside: &LoopFacts,
    own: &[BufferId],
    list: &Block,
    start: usize,
) -> Region {
    let locals = own.iter().copied().collect();
    let mut walk =
        Walk { program, inside, locals, zero: BufferSet::new(), conditions: Vec::new(), path: Vec::new() };
    for stmt in &list[..start] {
        match stmt.as_scalar_assign().filter(|(_, value)| value.kind == ExprKind::Float(0.0)) {
            Some((scalar, _)) => _ = walk.zero.insert(scalar),
            None => stmt.writes(&mut |buffer| walk.zero.remove(buffer)),
        }
    }
    let mut end = start;
    while end < list.len() {
        let before = walk.conditions.len();
        if !walk.takes(&list[end]) {
            walk.conditions.truncate(before);
            break;
        }
        end += 1;
    }
    Region { end, conditions: walk.conditions }
}

/// What statements give values to.
pub(super) fn updated(stmts: &[Stmt]) -> BufferSet {
    let mut set = BufferSet::new();
    walk(stmts, &mut |stmt| set.extend(stmt.as_store().map(|(target, _)| target.buffer)));
    set
}

struct Walk<'a> {
    program: &'a Program,
    inside: &'a LoopFacts,
    /// Locals of the iteration that nothing outside reads.
    locals: BufferSet,
    /// Locals that are zero unless one of the conditions holds.
    zero: BufferSet,
    conditions: Vec<Condition>,
    /// Uniform conditions around the statement.
    path: Vec<Expr>,
}

impl Walk<'_> {
    fn all(&mut self, block: &Block) -> bool {
        block.iter().all(|stmt| self.takes(stmt))
    }

    /// Whether the statement does nothing unless a condition holds; adds the conditions.
    fn takes(&mut self, stmt: &Stmt) -> bool {
        // a panic is an effect
        if !stmt.exprs().into_iter().all(|expr| expr.may_be_dropped(stmt.origin.phase)) {
            return false;
        }
        match &stmt.kind {
            StmtKind::Scope { buffers, body } => {
                self.locals.extend(buffers.iter().copied());
                buffers.iter().for_each(|&buffer| self.zero.remove(buffer));
                self.all(body)
            }
            StmtKind::Assign { target, value } => {
                let zero = target.index.is_empty() && self.is_zero(value, stmt.origin.phase);
                if !zero {
                    self.zero.remove(target.buffer);
                } else if self.path.is_empty() {
                    self.zero.insert(target.buffer);
                }
                self.locals.contains(target.buffer)
            }
            StmtKind::Reduce { op, target, value, .. } => {
                if *op == ReduceOp::Add && self.is_zero(value, stmt.origin.phase) {
                    return true;
                }
                self.zero.remove(target.buffer);
                self.locals.contains(target.buffer)
            }
            StmtKind::If { cond, then, els } => match self.truth(cond, stmt.origin.phase) {
                Some(true) => self.all(then),
                Some(false) => self.all(els),
                None => {
                    self.arm(cond.clone(), then);
                    self.arm(!cond.clone(), els);
                    true
                }
            },
            _ => false,
        }
    }

    /// One arm of a condition.
    fn arm(&mut self, cond: Expr, arm: &Block) {
        if !self.has_effect(arm) {
            return;
        }
        if self.inside.is_invariant(self.program, &cond) {
            let (zero, conditions) = (self.zero.clone(), self.conditions.len());
            self.path.push(cond);
            let taken = self.all(arm);
            if !taken {
                self.zero = zero;
                self.conditions.truncate(conditions);
                let path = self.path.clone();
                self.conditions.push(Condition { path, test: None });
            }
            self.path.pop();
            return;
        }
        let condition = Condition { path: self.path.clone(), test: Some(cond) };
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }

    /// Whether the statements do more than give values to locals that are not zero anyway.
    fn has_effect(&self, block: &Block) -> bool {
        let mut own = self.locals.clone();
        let mut found = false;
        walk(block, &mut |stmt| {
            own.extend(stmt.declares().iter().copied());
            found |= match stmt.as_store() {
                Some((target, _)) => !own.contains(target.buffer) || self.zero.contains(target.buffer),
                None => stmt.as_if().is_none() && stmt.as_scope().is_none(),
            };
        });
        found
    }

    /// The value of a condition where the locals are zero.
    fn truth(&self, cond: &Expr, phase: Phase) -> Option<bool> {
        match &cond.kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Unary(UnOp::Not, operand) => self.truth(operand, phase).map(|value| !value),
            ExprKind::Binary(BinOp::BitOr, a, b) => match (self.truth(a, phase), self.truth(b, phase)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            ExprKind::Binary(BinOp::BitAnd, a, b) => match (self.truth(a, phase), self.truth(b, phase)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            ExprKind::Binary(BinOp::Ne | BinOp::Lt | BinOp::Gt, a, b)
                if a.ty.is_float() && b.kind == ExprKind::Float(0.0) =>
            {
                self.is_zero(a, phase).then_some(false)
            }
            _ => None,
        }
    }

    /// Whether the value is zero where the locals are.
    fn is_zero(&self, value: &Expr, phase: Phase) -> bool {
        if !value.ty.is_float() {
            return false;
        }
        let zero = |expr: &Expr| self.is_zero(expr, phase);
        let scales = |expr: &Expr| {
            phase.is_derived() || matches!(expr.kind, ExprKind::Float(value) if value.is_finite())
        };
        let product = |a: &Expr, b: &Expr| zero(a) && scales(b) || zero(b) && scales(a);
        match &value.kind {
            ExprKind::Float(value) => *value == 0.0,
            ExprKind::Load(Place { buffer, index }) => index.is_empty() && self.zero.contains(*buffer),
            ExprKind::Unary(UnOp::Neg, operand) | ExprKind::Cast(operand) => zero(operand),
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => zero(a) && zero(b),
            ExprKind::Binary(BinOp::Mul, a, b) => product(a, b),
            ExprKind::Binary(BinOp::Div, a, b) => zero(a) && scales(b) && b.kind != ExprKind::Float(0.0),
            ExprKind::Call(Func::MulAdd, _, args) => match &args[..] {
                [a, b, c] => product(a, b) && zero(c),
                _ => false,
            },
            _ => false,
        }
    }
}
