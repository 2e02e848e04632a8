//! What is the same in all iterations is computed once.
//!
//! ```text
//! before                                   after
//!   for i in 0..n                            scope exp_value: f64
//!     y[i] = x[i] / exp(s)                     if 0 < n
//!                                                exp_value = exp(s)
//!                                              for i in 0..n
//!                                                y[i] = x[i] / exp_value
//! ```
//!
//! The adjoint of the value is summed in the loop, and reversed once.
//!
//! *Legality.* The expression reads constants and scalars that the loop does not write, so every evaluation gives the
//! same value; it has one for all operands, so nothing is lost by evaluating it before the loop. It is moved from
//! statements that every iteration executes, out of loops that run at least once where the guard holds: a value that no
//! iteration computes must not be reversed, its derivative may be infinite and its adjoint is zero.

use crate::ir::{
    BinOp, Block, Buffer, BufferId, BufferSet, Expr, ExprKind, For, Func, IterId, Place, Program, Role, Stmt,
    StmtKind, written,
};

/// Moves costly invariants out of loops.
pub fn move_out(mut program: Program) -> Program {
    let mut body = std::mem::take(&mut program.body);
    block(&mut program, &mut body);
    program.body = body;
    program
}

fn block(program: &mut Program, stmts: &mut Block) {
    for stmt in stmts {
        if let Some(moved) = out_of(program, stmt) {
            let origin = stmt.origin;
            let buffers = moved.iter().map(|moved| moved.scalar).collect();
            let mut body: Block = moved.into_iter().map(|moved| moved.guarded(origin)).collect();
            let each = std::mem::replace(stmt, Stmt::new(StmtKind::Fork { tasks: Vec::new() }, origin));
            body.push(each);
            *stmt = Stmt::new(StmtKind::Scope { buffers, body }, origin);
            // the loop is the last statement of the scope now
            if let StmtKind::Scope { body, .. } = &mut stmt.kind
                && let Some(each) = body.last_mut()
            {
                each.blocks_mut().into_iter().for_each(|inner| block(program, inner));
            }
            continue;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| block(program, inner));
    }
}

/// An expression that was replaced by a scalar.
struct Moved {
    scalar: BufferId,
    value: Expr,
    guard: Expr,
}

impl Moved {
    fn guarded(self, origin: crate::ir::Origin) -> Stmt {
        let assign = StmtKind::Assign { target: Place::scalar(self.scalar), value: self.value };
        let then = vec![Stmt::new(assign, origin)];
        Stmt::new(StmtKind::If { cond: self.guard, then, els: Vec::new() }, origin)
    }
}

/// Replaces the costly invariants of a loop; `None` if it has none.
fn out_of(program: &mut Program, stmt: &mut Stmt) -> Option<Vec<Moved>> {
    let StmtKind::For(each) = &mut stmt.kind else { return None };
    let mut inside = Inside { program, written: written(&each.body), own: Vec::new(), moved: Vec::new() };
    each.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| inside.own.extend(iterator(stmt))));
    inside.own.push(each.iter);
    let guard = runs(each);
    inside.block(&mut each.body, &guard);
    let moved = inside.moved;
    (!moved.is_empty()).then_some(moved)
}

fn iterator(stmt: &Stmt) -> Option<IterId> {
    match &stmt.kind {
        StmtKind::For(each) => Some(each.iter),
        StmtKind::While(each) => Some(each.counter),
        _ => None,
    }
}

/// Whether the loop has an iteration.
fn runs(each: &For) -> Expr {
    let op = if each.inclusive { BinOp::Le } else { BinOp::Lt };
    Expr::binary(op, each.lo.clone(), each.hi.clone())
}

/// The body of a loop.
struct Inside<'p> {
    program: &'p mut Program,
    written: BufferSet,
    /// The iterators of the loop and of those inside.
    own: Vec<IterId>,
    moved: Vec<Moved>,
}

impl Inside<'_> {
    /// Goes through the statements that every iteration executes.
    fn block(&mut self, block: &mut Block, guard: &Expr) {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Scope { body, .. } => self.block(body, guard),
                StmtKind::For(each) => {
                    let own = runs(each);
                    if self.is_invariant(&own) && own.is_total() {
                        let both = Expr::binary(BinOp::BitAnd, guard.clone(), own);
                        self.block(&mut each.body, &both);
                    }
                }
                StmtKind::Assign { value, .. }
                | StmtKind::Reduce { value, .. }
                | StmtKind::If { cond: value, .. } => self.expr(value, guard),
                _ => {}
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr, guard: &Expr) {
        if is_costly(expr) && self.is_invariant(expr) && expr.is_total() {
            *expr = self.scalar_for(expr, guard);
            return;
        }
        match &mut expr.kind {
            ExprKind::Binary(_, lhs, rhs) => {
                self.expr(lhs, guard);
                self.expr(rhs, guard);
            }
            ExprKind::Unary(_, of) | ExprKind::Cast(of) => self.expr(of, guard),
            ExprKind::Call(_, _, args) => args.iter_mut().for_each(|arg| self.expr(arg, guard)),
            ExprKind::Select(parts) => parts.iter_mut().for_each(|part| self.expr(part, guard)),
            _ => {}
        }
    }

    fn scalar_for(&mut self, value: &Expr, guard: &Expr) -> Expr {
        let same = |moved: &&Moved| moved.value == *value && moved.guard == *guard;
        if let Some(known) = self.moved.iter().find(same) {
            return Place::scalar(known.scalar).load(value.ty);
        }
        let name = match &value.kind {
            ExprKind::Call(func, ..) => format!("{}_value", func.name()),
            _ => "quotient".to_owned(),
        };
        let scalar = self.program.add_buffer(Buffer::new(&name, value.ty, Vec::new(), Role::Local));
        self.moved.push(Moved { scalar, value: value.clone(), guard: guard.clone() });
        Place::scalar(scalar).load(value.ty)
    }

    /// Whether it reads nothing but constants, sizes and scalars that the loop neither declares nor writes: what it
    /// declares, it writes before it is read.
    fn is_invariant(&self, expr: &Expr) -> bool {
        let mut invariant = true;
        expr.walk(&mut |expr| match &expr.kind {
            ExprKind::Load(place) => {
                invariant &= place.index.is_empty() && !self.written.contains(place.buffer);
            }
            ExprKind::Iter(iter) => invariant &= !self.own.contains(iter),
            ExprKind::Extent(buffer, _) => {
                invariant &= matches!(self.program[*buffer].role, Role::Input | Role::InOut | Role::Table(_));
            }
            _ => {}
        });
        invariant
    }
}

/// Whether the value is worth a scalar.
fn is_costly(expr: &Expr) -> bool {
    let constant = |expr: &Expr| matches!(expr.kind, ExprKind::Float(_) | ExprKind::Int(_));
    expr.ty.is_float()
        && match &expr.kind {
            ExprKind::Binary(BinOp::Div, lhs, rhs) => !(constant(lhs) && constant(rhs)),
            ExprKind::Call(func, _, args) => {
                !matches!(
                    func,
                    Func::Abs | Func::Max | Func::Min | Func::MulAdd | Func::Copysign | Func::Powi
                ) && !args.iter().all(constant)
            }
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::move_out;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn functions_and_quotients_of_scalars_move_out() {
        let runs = [(0, 1), (2, 3), (2, 0)]
            .map(|(n, m)| vec![Array::floats(&[1.0, 2.0]), Array::float(0.5), Array::int(n), Array::int(m)]);
        assert_pass(
            move_out,
            "
            fn f(x: inout f64[_], s: in f64, n: in usize, m: in usize)
              for i in 0..n
                x[i] = x[i] / exp(s) + 1.0 / s
                for j in 0..m
                  scope t: f64
                    t = exp(s) * (i as f64)
                    x[i] += t + x[0] / s
            ",
            "
            fn f(x: inout f64[_], s: in f64, n: in usize, m: in usize)
              scope exp_value: f64, quotient: f64, exp_value.2: f64
                if 0 < n
                  exp_value = exp(s)
                if 0 < n
                  quotient = 1.0 / s
                if (0 < n) & (0 < m)
                  exp_value.2 = exp(s)
                for i in 0..n
                  x[i] = x[i] / exp_value + quotient
                  for j in 0..m
                    scope t: f64
                      t = exp_value.2 * (i as f64)
                      x[i] += t + x[0] / s
            ",
            runs.to_vec(),
        );
    }

    #[test]
    fn what_varies_or_is_not_always_computed_stays() {
        assert_unchanged(
            move_out,
            "
            fn f(x: inout f64[_], s: inout f64, w: in f64, n: in usize)
              for i in 0..n
                x[i] = exp(s)
                s = x[0]
                if x[i] > 0.0
                  x[i] = exp(w)
                for j in 0..i
                  x[i] += sqrt(x[0]) + sin(w + (j as f64))
            ",
        );
    }
}
