//! Activity: which buffers carry a derivative.
//!
//! A buffer is *varied* if its elements may depend on an active input, *useful* if an output may depend on its
//! elements, and *active* if it is both. The analysis looks at whole buffers and ignores order, so it may call too much
//! active (which costs time), never too little.

use crate::ir::{BufferId, Callee, Expr, ExprKind, Func, Kind, Program, Role, Stmt, StmtKind};

/// The set of active buffers.
#[derive(Clone, Debug)]
pub struct Activity {
    active: Vec<bool>,
}

impl Activity {
    /// For the inputs `wrt` and everything that comes out: every float `InOut` parameter is an active input and output.
    pub fn of(program: &Program, wrt: &[BufferId]) -> Activity {
        let float = |b: BufferId| program[b].elem.is_float();
        let params = program.params.iter().copied();
        let in_out: Vec<BufferId> = params.filter(|&b| program[b].role == Role::InOut && float(b)).collect();
        let results = program.results.iter().copied().filter(|&b| float(b));
        let outputs: Vec<BufferId> = results.chain(in_out.iter().copied()).collect();
        Activity::between(program, &[wrt, &in_out].concat(), &outputs)
    }

    /// For derivatives of `dependents` with respect to `independents`, which are floats.
    pub fn between(program: &Program, independents: &[BufferId], dependents: &[BufferId]) -> Activity {
        let flows = flows(program);
        let varied = closure(program, independents, flows.iter().copied());
        let useful = closure(program, dependents, flows.iter().map(|&(from, to)| (to, from)));
        let active = varied.iter().zip(&useful).map(|(v, u)| *v && *u);
        Activity { active: active.collect() }
    }

    /// Whether the buffer is active.
    pub fn is_active(&self, buffer: BufferId) -> bool {
        self.active[buffer.0 as usize]
    }

    /// Whether the value of `expr` depends on an active buffer in a way that has a derivative.
    pub fn depends(&self, expr: &Expr) -> bool {
        let mut active = false;
        differentiable_loads(expr, &mut |buffer| active |= self.is_active(buffer));
        active
    }

    /// Whether reversing `stmt`, or anything inside it, does something.
    pub fn has_adjoint(&self, stmt: &Stmt) -> bool {
        let mut active = false;
        stmt.writes(&mut |buffer| active |= self.is_active(buffer));
        active
    }
}

/// Calls `visit` for each load through which a derivative flows: not those in indices, conditions or piecewise
/// constant functions.
fn differentiable_loads(expr: &Expr, visit: &mut dyn FnMut(BufferId)) {
    if !expr.ty.is_float() {
        return;
    }
    match &expr.kind {
        ExprKind::Load(place) => visit(place.buffer),
        ExprKind::Binary(_, lhs, rhs) => {
            differentiable_loads(lhs, visit);
            differentiable_loads(rhs, visit);
        }
        // of the derivative beside it nothing flows
        ExprKind::Call(Func::Attach, _, args) => {
            [&args[0], &args[2]].into_iter().for_each(|operand| differentiable_loads(operand, visit))
        }
        ExprKind::Call(func, ..) if func.kind() != Kind::Float => {}
        ExprKind::Apply(..) => {}
        _ => expr.operands().iter().for_each(|operand| differentiable_loads(operand, visit)),
    }
}

/// Pairs of buffers such that an element of the second is computed from one of the first.
fn flows(program: &Program) -> Vec<(BufferId, BufferId)> {
    let mut flows = Vec::new();
    crate::ir::walk(&program.body, &mut |stmt| match &stmt.kind {
        StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. }
            if program[target.buffer].elem.is_float() =>
        {
            differentiable_loads(value, &mut |from| flows.push((from, target.buffer)))
        }
        StmtKind::Swap { a, b } => flows.extend([(*a, *b), (*b, *a)]),
        // what is sent flows through the wire to all that is received, on any rank
        StmtKind::Call { callee: Callee::Product(_) | Callee::Communication(_), reads, writes } => {
            flows.extend(reads.iter().flat_map(|&from| writes.iter().map(move |&to| (from, to))))
        }
        StmtKind::Call { callee: Callee::User(call), reads, writes } => {
            let mut from = reads.clone();
            call.values().for_each(|value| differentiable_loads(value, &mut |buffer| from.push(buffer)));
            flows.extend(from.iter().flat_map(|&from| writes.iter().map(move |&to| (from, to))))
        }
        _ => {}
    });
    flows
}

fn closure(
    program: &Program,
    start: &[BufferId],
    edges: impl Iterator<Item = (BufferId, BufferId)>,
) -> Vec<bool> {
    let mut successors = vec![Vec::new(); program.buffers.len()];
    edges.for_each(|(from, to)| successors[from.0 as usize].push(to));
    let mut reached = vec![false; program.buffers.len()];
    let mut work = start.to_vec();
    while let Some(buffer) = work.pop() {
        let mark = &mut reached[buffer.0 as usize];
        if !*mark && program[buffer].elem.is_float() {
            *mark = true;
            work.extend(&successors[buffer.0 as usize]);
        }
    }
    reached
}
