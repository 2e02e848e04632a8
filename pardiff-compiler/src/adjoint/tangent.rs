//! Forward mode: adds tangents to a program.
//!
//! *Comes in*: a verified program that is not scheduled, prepared for derivatives, and the inputs to differentiate.
//! *Goes out*: the program that also computes the tangents. Its parameters are those of the primal, each active one
//! followed by its tangent; its results are those of the primal, then the tangents of the float ones. *Guarantees*: at
//! every point of a run the tangent of an element is the derivative of what the element holds there, along the
//! direction that the tangents of the parameters say. *Never*: changes what the program computes, adds an index, or
//! moves a check.
//!
//! The tangent of a statement stands in front of it, where the values that it reads are those that the statement reads:
//!
//! ```text
//! b[e] = v        b_dot[e] = v_dot;  b[e] = v            v_dot by the table of functions; 0 where v has none
//! b[e] += v       b_dot[e] += v_dot; b[e] += v           a sum as the primal's: it has the same owner
//! b[e] *= v       b_dot[e] = b_dot[e] * v + b[e] * v_dot; b[e] *= v
//! b[e] max= v     b_dot[e] = select(b[e] >= v, b_dot[e], v_dot); b[e] max= v
//! swap a, b       swap a_dot, b_dot; swap a, b
//! ```
//!
//! Loops, conditions and checks stay as they are, so a loop is as parallel as it was: a tangent is touched where its
//! buffer is. The exception is a product over a parallel loop, whose tangent reads the product of the iterations
//! before.

use super::activity::Activity;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Callee, Expr, ExprKind, For, Func, Kind, Origin, Phase, Place,
    Program, ReduceOp, Role, Stmt, StmtKind, Ty, UnOp, While, contributions,
};
use crate::pass::Context;
use crate::refusal::Refusal;

/// The option that asks for second derivatives.
pub(super) const OF_HVP: &str = "hvp";

/// Adds the tangents.
pub(super) fn tangents(program: &mut Program, context: &mut Context) {
    let activity = Activity::of(program, &context.wrt);
    let independents = context.wrt.clone();
    add(program, context, activity, &independents, BufferSet::new(), "forward");
}

/// Adds the tangents of what is active. The parameters `with` and all that are written get theirs in any case; of those
/// that are `dropped` the tangents alone are computed. The `option` asks for it.
pub(super) fn add(
    program: &mut Program,
    context: &mut Context,
    activity: Activity,
    with: &[BufferId],
    dropped: BufferSet,
    option: &'static str,
) {
    let of = vec![None; program.buffers.len()];
    program.with_body(|program, body| {
        let mut pass = Tangents { program, activity, of, dropped, option, refusals: Vec::new() };
        pass.interface(with);
        *body = pass.block(body);
        context.refusals.append(&mut pass.refusals);
    });
}

pub(super) struct Tangents<'p> {
    pub(super) program: &'p mut Program,
    pub(super) activity: Activity,
    /// By buffer.
    of: Vec<Option<BufferId>>,
    /// Of these the tangents alone are computed.
    pub(super) dropped: BufferSet,
    /// What asks for them.
    pub(super) option: &'static str,
    pub(super) refusals: Vec<Refusal>,
}

/// Subexpressions that a statement and its tangent have in common.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) names: Vec<BufferId>,
    pub(super) code: Block,
}

/// A value, and its tangent if it has one.
pub(super) type Dual = (Expr, Option<Expr>);

impl Tangents<'_> {
    /// Tangents of parameters and results, whether or not something depends on them.
    fn interface(&mut self, wrt: &[BufferId]) {
        for id in std::mem::take(&mut self.program.params) {
            if !self.dropped.contains(id) {
                self.program.params.push(id);
            }
            let it = &self.program[id];
            if it.elem.is_float() && (it.role == Role::InOut || wrt.contains(&id)) {
                let tangent = self.make(id);
                self.program.params.push(tangent);
            }
        }
        for id in self.program.results.clone() {
            if self.program[id].elem.is_float() {
                let tangent = self.make(id);
                self.program.results.push(tangent);
            }
        }
    }

    fn make(&mut self, id: BufferId) -> BufferId {
        let mut tangent = self.program[id].clone();
        tangent.name = format!("{}_dot", tangent.name);
        tangent.role = Role::Tangent(id);
        let own = self.program.add_buffer(tangent);
        // a dimension that grows is one of its own
        if self.program[own].layout.grows() {
            self.program[own].dims[0] = Expr::extent(own, 0);
        }
        self.of[id.0 as usize] = Some(own);
        own
    }

    /// The tangent of a buffer that has one.
    pub(super) fn tangent(&mut self, id: BufferId) -> Option<BufferId> {
        match self.of.get(id.0 as usize) {
            Some(Some(known)) => Some(*known),
            Some(None) if self.activity.is_active(id) => Some(self.make(id)),
            _ => None,
        }
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut out = Block::with_capacity(2 * block.len());
        block.iter().for_each(|stmt| self.stmt(stmt, &mut out));
        out
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Block) {
        let kind = match &stmt.kind {
            StmtKind::Assign { target, value } => {
                let Some(of) = self.tangent(target.buffer) else { return out.push(stmt.clone()) };
                let mut shared = Shared::default();
                let (value, tangent) = self.dual(value, stmt.origin, &mut shared);
                let tangent = tangent.unwrap_or_else(|| Expr::float(value.ty, 0.0));
                let to = Place::new(of, target.index.clone());
                let derived = Stmt::new(StmtKind::Assign { target: to, value: tangent }, derived(stmt));
                let primal = Stmt::new(StmtKind::Assign { target: target.clone(), value }, stmt.origin);
                let is_kept = !self.dropped.contains(target.buffer);
                let list = [derived].into_iter().chain(is_kept.then_some(primal)).collect();
                return shared.around(list, stmt.origin, out);
            }
            StmtKind::Reduce { op, target, value, scheme } => {
                let Some(of) = self.tangent(target.buffer) else { return out.push(stmt.clone()) };
                let to = Place::new(of, target.index.clone());
                let mut shared = Shared::default();
                let (value, kind) = match op {
                    ReduceOp::Add => {
                        let (value, tangent) = self.dual(value, stmt.origin, &mut shared);
                        let sum = |value| StmtKind::Reduce { op: *op, target: to, value, scheme: *scheme };
                        (value, tangent.map(sum))
                    }
                    ReduceOp::Min | ReduceOp::Max => {
                        let (ty, old) = (value.ty, target.clone().load(value.ty));
                        let func = if *op == ReduceOp::Max { Func::Max } else { Func::Min };
                        let combined = Expr::call(ty, func, vec![old, value.clone()]);
                        let (_, tangent) = self.dual(&combined, stmt.origin, &mut shared);
                        let value = value.clone();
                        (value, tangent.map(|tangent| StmtKind::Assign { target: to, value: tangent }))
                    }
                };
                let derived = kind.map(|kind| Stmt::new(kind, derived(stmt)));
                let kind = StmtKind::Reduce { op: *op, target: target.clone(), value, scheme: *scheme };
                let is_kept = !self.dropped.contains(target.buffer);
                let primal = is_kept.then(|| Stmt::new(kind, stmt.origin));
                let list = derived.into_iter().chain(primal).collect();
                return shared.around(list, stmt.origin, out);
            }
            StmtKind::Swap { a, b } => {
                if let (Some(a), Some(b)) = (self.tangent(*a), self.tangent(*b)) {
                    out.push(Stmt::new(StmtKind::Swap { a, b }, derived(stmt)));
                }
                stmt.kind.clone()
            }
            StmtKind::Scope { buffers, body } => {
                let body = self.block(body);
                let with_tangent = |id: &BufferId| [Some(*id), self.of.get(id.0 as usize).copied().flatten()];
                let buffers = buffers.iter().flat_map(with_tangent).flatten().collect();
                StmtKind::Scope { buffers, body }
            }
            StmtKind::For(each) => StmtKind::For(For { body: self.block(&each.body), ..each.clone() }),
            StmtKind::While(each) => {
                let (head, body) = (self.block(&each.head), self.block(&each.body));
                StmtKind::While(While { head, body, ..each.clone() })
            }
            StmtKind::If { cond, then, els } => {
                StmtKind::If { cond: cond.clone(), then: self.block(then), els: self.block(els) }
            }
            StmtKind::Guarded { fact, then, els } => {
                StmtKind::Guarded { fact: fact.clone(), then: self.block(then), els: self.block(els) }
            }
            StmtKind::Fork { tasks } => {
                StmtKind::Fork { tasks: tasks.iter().map(|task| self.block(task)).collect() }
            }
            StmtKind::Call { callee: Callee::Reserve(rows), reads, writes } => {
                let tangents: Vec<BufferId> = writes.iter().filter_map(|&id| self.tangent(id)).collect();
                if !tangents.is_empty() {
                    let (callee, reads) = (Callee::Reserve(rows.clone()), reads.clone());
                    let kind = StmtKind::Call { callee, reads, writes: tangents };
                    out.push(Stmt::new(kind, derived(stmt)));
                }
                stmt.kind.clone()
            }
            StmtKind::Call { callee: Callee::User(call), reads, writes }
                if writes.iter().any(|&id| self.tangent(id).is_some()) =>
            {
                return self.user_call(stmt, call, reads, writes, out);
            }
            StmtKind::Call { callee: Callee::Communication(it), reads, writes } => {
                out.extend(self.tangent_communication(it, reads, writes, derived(stmt)));
                stmt.kind.clone()
            }
            StmtKind::Call { writes, .. } => {
                if writes.iter().any(|&id| self.tangent(id).is_some()) {
                    self.refuse(stmt);
                }
                stmt.kind.clone()
            }
            StmtKind::Check { .. } => stmt.kind.clone(),
        };
        out.push(Stmt::new(kind, stmt.origin));
    }

    fn refuse(&mut self, stmt: &Stmt) {
        let span = self.program.spans.get(stmt.origin.span.0 as usize).copied();
        self.refusals.push(Refusal::new(
            span.unwrap_or_else(proc_macro2::Span::call_site),
            "a call that is not looked into, with `forward`",
            "its tangent is not known",
            "write what it does in loops, or remove `forward`",
        ));
    }

    /// The value of an expression, with what its tangent needs as well in a scalar, and its tangent.
    pub(super) fn dual(&mut self, expr: &Expr, origin: Origin, shared: &mut Shared) -> Dual {
        if !expr.ty.is_float() {
            return (expr.clone(), None);
        }
        match &expr.kind {
            ExprKind::Load(place) => {
                let tangent = self.tangent(place.buffer);
                let load = |of| Place::new(of, place.index.clone()).load(expr.ty);
                (expr.clone(), tangent.map(load))
            }
            ExprKind::Unary(UnOp::Neg, operand) => {
                let (value, tangent) = self.dual(operand, origin, shared);
                (-value, tangent.map(|tangent| -tangent))
            }
            ExprKind::Cast(operand) => {
                let (value, tangent) = self.dual(operand, origin, shared);
                (value.cast(expr.ty), tangent.map(|tangent| tangent.cast(expr.ty)))
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (self.dual(lhs, origin, shared), self.dual(rhs, origin, shared));
                self.binary(*op, lhs, rhs, origin, shared)
            }
            ExprKind::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let (yes, yes_dot) = self.dual(yes, origin, shared);
                let (no, no_dot) = self.dual(no, origin, shared);
                if yes_dot.is_none() && no_dot.is_none() {
                    return (Expr::select(cond.clone(), yes, no), None);
                }
                let cond = self.named(cond.clone(), origin, shared);
                let tangent = select(cond.clone(), yes_dot, no_dot, expr.ty);
                (Expr::select(cond, yes, no), tangent)
            }
            ExprKind::Call(func, _, args) if matches!(func.kind(), Kind::Float | Kind::Attached) => {
                let args = args.iter().map(|arg| self.dual(arg, origin, shared)).collect();
                self.call(expr, *func, args, origin, shared)
            }
            _ => (expr.clone(), None),
        }
    }

    fn binary(&mut self, op: BinOp, lhs: Dual, rhs: Dual, origin: Origin, shared: &mut Shared) -> Dual {
        let ((mut l, l_dot), (mut r, r_dot)) = (lhs, rhs);
        if l_dot.is_none() && r_dot.is_none() {
            return (Expr::binary(op, l, r), None);
        }
        match op {
            BinOp::Sub => {
                let value = Expr::binary(op, l, r);
                (value, sum(l_dot, r_dot.map(|tangent| -tangent)))
            }
            BinOp::Mul => {
                if r_dot.is_some() {
                    l = self.named(l, origin, shared);
                }
                if l_dot.is_some() {
                    r = self.named(r, origin, shared);
                }
                let tangent = sum(l_dot.map(|l_dot| l_dot * r.clone()), r_dot.map(|r_dot| l.clone() * r_dot));
                (l * r, tangent)
            }
            // (l / r)' = (l' - (l / r) r') / r
            BinOp::Div => {
                r = self.named(r, origin, shared);
                let mut value = l / r.clone();
                if r_dot.is_some() {
                    value = self.named(value, origin, shared);
                }
                let change = sum(l_dot, r_dot.map(|r_dot| -(value.clone() * r_dot)));
                (value, change.map(|change| change / r))
            }
            // l % r = l - trunc(l / r) r; the quotient l / r may round up to a whole number
            BinOp::Rem => {
                l = self.named(l, origin, shared);
                r = self.named(r, origin, shared);
                let ty = l.ty;
                let value = Expr::binary(op, l.clone(), r.clone());
                let value = self.named(value, origin, shared);
                let whole = |rest: Expr| Expr::call(ty, Func::RoundTiesEven, vec![(l - rest) / r]);
                let change = r_dot.map(|r_dot| -(r_dot * whole(value.clone())));
                (value, sum(l_dot, change))
            }
            // a sum
            _ => (Expr::binary(op, l, r), sum(l_dot, r_dot)),
        }
    }

    /// By the row of the function in the table: each contribution is linear in the tangent of its operand.
    fn call(
        &mut self,
        expr: &Expr,
        func: Func,
        args: Vec<Dual>,
        origin: Origin,
        shared: &mut Shared,
    ) -> Dual {
        let (mut values, tangents): (Vec<Expr>, Vec<Option<Expr>>) = args.into_iter().unzip();
        let zero = Expr::float(expr.ty, 0.0);
        let flows = |k: usize| func.kind() == Kind::Float || k != 1;
        let has_tangent = |k: usize| flows(k) && tangents[k].is_some();
        let call = |values: &[Expr]| {
            let mut values = values.iter().cloned();
            expr.with_operands(&mut |old| values.next().unwrap_or_else(|| old.clone()))
        };
        if !(0..values.len()).any(has_tangent) {
            return (call(&values), None);
        }
        for value in &mut values {
            *value = self.named(value.clone(), origin, shared);
        }
        let mut value = call(&values);
        let g = |k: usize| tangents[k].clone().unwrap_or_else(|| zero.clone());
        let mut is_asked = false;
        let mut ask = || {
            is_asked = true;
            zero.clone()
        };
        contributions(func, expr.ty, &values, &mut ask, &g);
        if is_asked {
            value = self.named(value, origin, shared);
        }
        let rows = contributions(func, expr.ty, &values, &mut || value.clone(), &g);
        let mut rows = rows.into_iter().peekable();
        let mut tangent = None;
        while let Some(row) = rows.next() {
            let own = has_tangent(row.operand).then_some(row.adjoint);
            let Some(when) = row.when else {
                tangent = sum(tangent, own);
                continue;
            };
            // a row for `c` and a row for `!c` are one choice
            let other = rows.next_if(|other| other.when.as_ref() == Some(&!when.clone()));
            let other = other.filter(|it| has_tangent(it.operand)).map(|it| it.adjoint);
            if own.is_some() || other.is_some() {
                let when = self.named(when, origin, shared);
                tangent = sum(tangent, select(when, own, other, expr.ty));
            }
        }
        (value, tangent)
    }

    /// The value in a scalar, if it is more than a variable or a constant.
    fn named(&mut self, value: Expr, origin: Origin, shared: &mut Shared) -> Expr {
        let is_simple = match &value.kind {
            ExprKind::Load(place) => place.index.is_empty(),
            ExprKind::Binary(..) => false,
            _ => value.operands().is_empty(),
        };
        if is_simple {
            return value;
        }
        let name = self.program.add_scalar("t", value.ty, Role::Local);
        shared.names.push(name);
        shared.code.push(Stmt::set(name, value, origin));
        self.program.load_scalar(name)
    }
}

impl Shared {
    /// Writes the statements, in the scope of what they have in common.
    pub(super) fn around(mut self, list: Block, origin: Origin, out: &mut Block) {
        if self.names.is_empty() {
            return out.extend(list);
        }
        self.code.extend(list);
        out.push(Stmt::scope(self.names, self.code, origin));
    }
}

/// The tangent of what belongs to the reverse sweep does so as well.
pub(super) fn derived(stmt: &Stmt) -> Origin {
    let phase = if stmt.origin.phase == Phase::Adjoint { Phase::Adjoint } else { Phase::Tangent };
    Origin { phase, ..stmt.origin }
}

fn sum(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(match b.kind {
            ExprKind::Unary(UnOp::Neg, b) => a - *b,
            _ => a + b,
        }),
        (a, b) => a.or(b),
    }
}

fn select(cond: Expr, yes: Option<Expr>, no: Option<Expr>, ty: Ty) -> Option<Expr> {
    let zero = || Expr::float(ty, 0.0);
    Some(Expr::select(cond, yes.unwrap_or_else(zero), no.unwrap_or_else(zero)))
}
