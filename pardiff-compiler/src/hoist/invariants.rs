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
//! The adjoint of the value is summed in the loop, and reversed once. What is moved are quotients, functions, and
//! elements that stand apart (`x[v]` with `v = vertex_of[i]`, or `x[i][0]`, in a loop over something else): in lanes each
//! of these is an access of its own, and in the reversal an update.
//!
//! *Legality.* The expression reads constants, and scalars and elements that the loop does not write, so every evaluation
//! gives the same value; it has one for all operands, so nothing is lost by evaluating it before the loop. It is moved
//! from statements that every iteration executes, out of loops that run at least once where the guard holds: a value that
//! no iteration computes must not be reversed, its derivative may be infinite and its adjoint is zero. An element is read
//! behind the checks of its indices, which the first iteration would do as well: a panic names the same access, at most
//! ahead of another one's.

use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, IterId, Message, Origin, Place, Program, Role,
    Stmt, StmtKind, scoped_as, written,
};

/// Moves costly invariants out of loops.
pub fn move_out(mut program: Program) -> Program {
    program.with_body(|program, body| block(program, body, Vec::new()));
    program
}

/// `passed` are the checks in front of the block whose operands nothing has written since.
fn block(program: &mut Program, stmts: &mut Block, mut passed: Vec<Passed>) {
    for mut stmt in std::mem::take(stmts) {
        if matches!(stmt.kind, StmtKind::Check { message: Message::Bounds { .. }, .. }) {
            passed.push(Passed { check: stmt.clone(), is_before: true });
            stmts.push(stmt);
            continue;
        }
        // what the statement writes, its first iteration may have written when the second one begins
        let writes = written(std::slice::from_ref(&stmt));
        passed.retain(|passed| !passed.check.exprs().iter().any(|expr| expr.reads_any(program, &writes)));
        let moved = out_of(program, &mut stmt, &passed);
        stmt.blocks_mut().into_iter().for_each(|inner| block(program, inner, passed.clone()));
        let Moved { scalars, before: mut body } = moved;
        let origin = stmt.origin;
        body.push(stmt);
        let buffers = scalars.into_iter().map(|known| known.scalar).collect();
        stmts.extend(scoped_as(buffers, body, origin));
    }
}

/// An expression that was replaced by a scalar.
struct Known {
    scalar: BufferId,
    value: Expr,
    guard: Expr,
}

/// What leaves a loop.
#[derive(Default)]
struct Moved {
    scalars: Vec<Known>,
    before: Block,
}

impl Moved {
    /// Adds statements that are executed where the guard holds; elsewhere their scalars are zero, as a tape may store them.
    fn under(&mut self, guard: &Expr, stmts: Block, origin: Origin) {
        let zero = |stmt: &Stmt| {
            let (target, value) = stmt.as_assign()?;
            Some(Stmt::assign(target.clone(), Expr::float(value.ty, 0.0), origin))
        };
        let otherwise: Block = stmts.iter().filter_map(zero).collect();
        if let Some(Stmt { kind: StmtKind::If { cond, then, els }, .. }) = self.before.last_mut()
            && cond == guard
        {
            then.extend(stmts);
            els.extend(otherwise);
            return;
        }
        let kind = StmtKind::If { cond: guard.clone(), then: stmts, els: otherwise };
        self.before.push(Stmt::new(kind, origin));
    }
}

/// Replaces the invariants of a loop that are worth it.
fn out_of(program: &mut Program, stmt: &mut Stmt, passed: &[Passed]) -> Moved {
    let origin = stmt.origin;
    let Some(each) = stmt.as_for_mut() else { return Moved::default() };
    let (inner, moved) = (written(&each.body), Moved::default());
    let mut inside = Inside { program, inner, own: Vec::new(), checks: passed.to_vec(), moved, origin };
    crate::ir::walk(&each.body, &mut |stmt| {
        inside.own.extend(stmt.iter());
        inside.inner.extend(stmt.declares().iter().copied());
    });
    inside.own.push(each.iter);
    let guard = runs(each);
    inside.block(&mut each.body, &guard);
    inside.moved
}

/// Whether the loop has an iteration.
fn runs(each: &For) -> Expr {
    let op = if each.inclusive { BinOp::Le } else { BinOp::Lt };
    Expr::binary(op, each.lo.clone(), each.hi.clone())
}

/// The body of a loop.
struct Inside<'p> {
    program: &'p mut Program,
    /// What it writes and what it declares: in a loop that never runs it may read what nothing writes.
    inner: BufferSet,
    /// The iterators of the loop and of those inside.
    own: Vec<IterId>,
    /// The checks of indices that have passed here, of those that say the same in all iterations.
    checks: Vec<Passed>,
    moved: Moved,
    origin: Origin,
}

/// A check of an index.
#[derive(Clone)]
struct Passed {
    check: Stmt,
    /// It stands before the loop, and so need not in it.
    is_before: bool,
}

impl Inside<'_> {
    /// Goes through the statements that every iteration executes.
    fn block(&mut self, block: &mut Block, guard: &Expr) {
        block.retain_mut(|stmt| match &mut stmt.kind {
            StmtKind::Check { .. } => !self.moves(stmt, guard),
            StmtKind::Scope { body, .. } => {
                self.block(body, guard);
                true
            }
            StmtKind::For(each) => {
                let own = runs(each);
                if self.is_invariant(&own) && own.is_total() && !loads(&own, true) {
                    let both = Expr::binary(BinOp::BitAnd, guard.clone(), own);
                    let outside = self.checks.len();
                    self.block(&mut each.body, &both);
                    self.checks.truncate(outside);
                }
                true
            }
            StmtKind::Assign { value, .. }
            | StmtKind::Reduce { value, .. }
            | StmtKind::If { cond: value, .. } => {
                self.expr(value, guard);
                true
            }
            _ => true,
        });
    }

    /// Notes a check that says the same in all iterations; whether it stands before the loop now.
    fn moves(&mut self, check: &Stmt, guard: &Expr) -> bool {
        let StmtKind::Check { cond, message: Message::Bounds { index, .. } } = &check.kind else {
            return false;
        };
        if let Some(known) = self.checks.iter().find(|known| known.check.kind == check.kind) {
            return known.is_before;
        }
        if !self.is_invariant(cond) {
            return false;
        }
        let is_before = loads(index, false) && self.is_uniform(guard);
        self.checks.push(Passed { check: check.clone(), is_before });
        if is_before {
            self.moved.under(guard, vec![check.clone()], check.origin);
        }
        is_before
    }

    fn expr(&mut self, expr: &mut Expr, guard: &Expr) {
        let is_worth = is_costly(expr) || is_apart(expr);
        let runs_anywhere = !loads(expr, true) || self.is_uniform(guard);
        if is_worth && runs_anywhere && self.is_invariant(expr) && expr.is_total() {
            *expr = self.scalar_for(expr, guard);
            return;
        }
        match &mut expr.kind {
            ExprKind::Binary(_, lhs, rhs) => {
                self.expr(lhs, guard);
                self.expr(rhs, guard);
            }
            ExprKind::Unary(_, of) | ExprKind::Cast(of) => self.expr(of, guard),
            ExprKind::Call(_, _, args) | ExprKind::Apply(_, args) => {
                args.iter_mut().for_each(|arg| self.expr(arg, guard))
            }
            ExprKind::Select(parts) => parts.iter_mut().for_each(|part| self.expr(part, guard)),
            _ => {}
        }
    }

    fn scalar_for(&mut self, value: &Expr, guard: &Expr) -> Expr {
        let same = |known: &&Known| known.value == *value && known.guard == *guard;
        if let Some(known) = self.moved.scalars.iter().find(same) {
            return Place::scalar(known.scalar).load(value.ty);
        }
        let name = match &value.kind {
            ExprKind::Call(func, ..) => format!("{}_value", func.name()),
            ExprKind::Load(place) => format!("{}_value", self.program[place.buffer].name),
            _ => "quotient".to_owned(),
        };
        let mut needed: Vec<usize> = Vec::new();
        value.each_load(&mut |place| {
            needed.extend(self.passed(place).into_iter().flatten());
        });
        needed.sort_unstable();
        needed.dedup();
        let needed = needed.into_iter().map(|at| &self.checks[at]).filter(|passed| !passed.is_before);
        let mut stmts: Block = needed.map(|passed| passed.check.clone()).collect();
        let scalar = self.program.add_scalar(&name, value.ty, Role::Local);
        stmts.push(Stmt::set(scalar, value.clone(), self.origin));
        self.moved.under(guard, stmts, self.origin);
        self.moved.scalars.push(Known { scalar, value: value.clone(), guard: guard.clone() });
        Place::scalar(scalar).load(value.ty)
    }

    /// Whether the guard is the same wherever the loop stands: iterations of a loop around it need no branches for elements.
    fn is_uniform(&self, guard: &Expr) -> bool {
        guard.all(&mut |part| match &part.kind {
            ExprKind::Iter(_) => false,
            ExprKind::Load(place) => place.index.is_empty() && self.program[place.buffer].role == Role::Input,
            _ => true,
        })
    }

    /// The checks that show the element to be inside of its array; `None` if there are none.
    fn passed(&self, place: &Place) -> Option<Vec<usize>> {
        let dims = &self.program[place.buffer].dims;
        let mut needed = Vec::new();
        for (dim, (index, extent)) in place.index.iter().zip(dims).enumerate() {
            if matches!((&index.kind, &extent.kind), (ExprKind::Int(at), ExprKind::Int(below)) if (0..*below).contains(at))
            {
                continue;
            }
            let shows = |passed: &Passed| match passed.check.as_check() {
                Some((cond, Message::Bounds { index: checked, len, .. })) => {
                    let own = len == extent || len.kind == ExprKind::Extent(place.buffer, dim);
                    own && checked == index && *cond == Expr::binary(BinOp::Lt, checked.clone(), len.clone())
                }
                _ => false,
            };
            needed.push(self.checks.iter().position(shows)?);
        }
        Some(needed)
    }

    /// Whether it reads nothing but constants, sizes, and scalars and elements that the loop neither declares nor writes. Elements are known to be in their arrays.
    fn is_invariant(&self, expr: &Expr) -> bool {
        expr.all(&mut |expr| match &expr.kind {
            ExprKind::Load(place) => !self.inner.contains(place.buffer) && self.passed(place).is_some(),
            ExprKind::Iter(iter) => !self.own.contains(iter),
            ExprKind::Extent(buffer, _) => {
                matches!(self.program[*buffer].role, Role::Input | Role::InOut | Role::Table(_))
            }
            _ => true,
        })
    }
}

/// Whether it reads an array or, unless `elements` alone count, a scalar.
fn loads(expr: &Expr, elements: bool) -> bool {
    expr.any(&mut |expr| matches!(&expr.kind, ExprKind::Load(place) if !(elements && place.index.is_empty())))
}

/// Whether it is a float of an array whose neighbours no loop visits one after the other: of a record, or one that an
/// index array names.
fn is_apart(expr: &Expr) -> bool {
    let ExprKind::Load(place) = &expr.kind else { return false };
    let varies =
        |index: &Expr| index.any(&mut |part| matches!(part.kind, ExprKind::Load(_) | ExprKind::Iter(_)));
    expr.ty.is_float() && place.index.iter().any(varies) && !place.index.last().is_some_and(counts)
}

/// Whether the index moves by one with an iterator.
fn counts(index: &Expr) -> bool {
    match &index.kind {
        ExprKind::Iter(_) => true,
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => counts(a) || counts(b),
        _ => false,
    }
}

/// Whether the value is worth a scalar.
fn is_costly(expr: &Expr) -> bool {
    let constant = |expr: &Expr| matches!(expr.kind, ExprKind::Float(_) | ExprKind::Int(_));
    expr.ty.is_float()
        && match &expr.kind {
            ExprKind::Binary(BinOp::Div, lhs, rhs) => !(constant(lhs) && constant(rhs)),
            ExprKind::Call(func, _, args) => func.cost().is_worth_a_name() && !args.iter().all(constant),
            _ => false,
        }
}
