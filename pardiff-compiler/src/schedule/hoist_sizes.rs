//! What loops in order would ask in every iteration is asked once, in front of them.
//!
//! ```text
//! for t in 0..steps                                 scope trip: usize, size: usize, chunks: usize
//!   scope trip: usize, size: usize, chunks: usize     trip = n; size = …; chunks = trip.div_ceil(size)
//!     trip = n; size = …; chunks = …            =>    for t in 0..steps
//!     for c in 0..chunks parallel(task)                 for c in 0..chunks parallel(task)
//!       …                                                 …
//! ```
//!
//! How a loop is cut, and whether a fact holds that it relies on, takes several divisions: as much as the loop itself
//! where it has few iterations and stands in a long loop, over time or over layers.
//!
//! *Legality.* Only scalars move that the scheduler made, with all their assignments, which are the first statements of
//! their scope. What these read is written nowhere in the loop, and is declared around it. They have a value whatever
//! that is: they are total but for divisions, and divisors are shown to be positive; no element of an array is read. So
//! evaluating them in front of a loop that has no iteration, or under no condition, changes nothing but time. Conditions
//! are left only of guards, which are nearly always true.

use super::CHUNKS;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Func, IterId, Program, Stmt, StmtKind, Ty, written,
};
use std::collections::HashSet;

/// Moves what asks for nothing but sizes out of the loops of a block that run in order.
pub(super) fn ask_once(program: &Program, block: &mut Block) {
    for stmt in block {
        if stmt.as_for().is_some_and(|each| !each.is_in_order()) {
            continue;
        }
        if !stmt.is_loop() {
            stmt.blocks_mut().into_iter().for_each(|inner| ask_once(program, inner));
            continue;
        }
        let mut front = Front::of(program, stmt);
        for body in stmt.blocks_mut() {
            ask_once(program, body);
            front.take(body);
        }
        let Front { buffers, code: mut body, .. } = front;
        if !buffers.is_empty() {
            body.push(stmt.take());
            stmt.kind = StmtKind::Scope { buffers, body };
        }
    }
}

/// What stands in front of a loop.
struct Front<'p> {
    program: &'p Program,
    /// Iterators of the loop and of those in it.
    iters: HashSet<IterId>,
    /// What the loop writes or declares.
    inside: BufferSet,
    declared: BufferSet,
    /// What moves.
    buffers: Vec<BufferId>,
    code: Block,
    /// Scalars among these that are not zero.
    positive: BufferSet,
}

impl<'p> Front<'p> {
    fn of(program: &'p Program, each: &Stmt) -> Front<'p> {
        let (mut iters, mut declared) = (HashSet::new(), BufferSet::new());
        each.walk(&mut |stmt| {
            iters.extend(stmt.iter());
            declared.extend(stmt.declares().iter().copied());
        });
        let mut inside = written(std::slice::from_ref(each));
        inside.union(&declared);
        let (buffers, code, positive) = (Vec::new(), Block::new(), BufferSet::new());
        Front { program, iters, inside, declared, buffers, code, positive }
    }

    /// Takes what may stand in front of the loop out of a block of it that an iteration executes once at most.
    fn take(&mut self, block: &mut Block) {
        for stmt in block {
            if let StmtKind::Guarded { then, .. } = &mut stmt.kind {
                self.take(then);
            } else if let Some((buffers, body)) = stmt.as_scope_mut() {
                self.take_first(buffers, body);
                self.take(body);
            }
        }
    }

    /// Takes the first statements of a scope of the scheduler's.
    fn take_first(&mut self, buffers: &mut Vec<BufferId>, body: &mut Block) {
        let is_made = |buffer: &BufferId| {
            let buffer = &self.program[*buffer];
            buffer.origin == CHUNKS && buffer.rank() == 0
        };
        if !buffers.iter().all(is_made) {
            return;
        }
        let mut own = BufferSet::new();
        let mut many = body.iter().take_while(|stmt| self.moves(stmt, buffers, &mut own)).count();
        // a scalar that is assigned again behind them stays where it is
        let last = |many: usize| {
            let (moved, rest) = (written(&body[..many]), written(&body[many..]));
            buffers.iter().any(|&buffer| moved.contains(buffer) && rest.contains(buffer))
        };
        while many > 0 && last(many) {
            many -= 1;
        }
        let moved = written(&body[..many]);
        self.code.extend(body.drain(..many));
        self.buffers.extend(buffers.iter().filter(|&&buffer| moved.contains(buffer)));
        buffers.retain(|&buffer| !moved.contains(buffer));
    }

    /// Whether a statement writes nothing but `buffers`, asks for nothing that the loop changes, and cannot fail. `own` are
    /// those that were written before it.
    fn moves(&mut self, stmt: &Stmt, buffers: &[BufferId], own: &mut BufferSet) -> bool {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                let (again, positive) = (own.contains(target.buffer), is_positive(value, &self.positive));
                let keeps = positive || !self.positive.contains(target.buffer);
                if !buffers.contains(&target.buffer) || !keeps || !self.is_known(value, own) {
                    return false;
                }
                own.insert(target.buffer);
                if positive && !again {
                    self.positive.insert(target.buffer);
                }
                true
            }
            StmtKind::If { cond, then, els } => {
                // what is assigned here was assigned before, so that it has a value in any case
                let assigned = |buffer| stmt.writes_to(buffer);
                buffers.iter().all(|&buffer| !assigned(buffer) || own.contains(buffer))
                    && self.is_known(cond, own)
                    && then.iter().chain(els).all(|stmt| self.moves(stmt, buffers, own))
            }
            StmtKind::Scope { buffers: inner, body } => {
                let all: Vec<BufferId> = buffers.iter().chain(inner).copied().collect();
                inner.iter().all(|&buffer| self.program[buffer].rank() == 0)
                    && body.iter().all(|stmt| self.moves(stmt, &all, own))
            }
            _ => false,
        }
    }

    /// Whether the value is the same in front of the loop, and there is one.
    fn is_known(&self, expr: &Expr, own: &BufferSet) -> bool {
        let mut known = expr.all(&mut |part| match &part.kind {
            ExprKind::Iter(iter) => !self.iters.contains(iter),
            ExprKind::Load(place) => place.index.is_empty(),
            ExprKind::Extent(buffer, _) => !self.declared.contains(*buffer),
            _ => true,
        });
        expr.reads(self.program, &mut |buffer| {
            let moved = own.contains(buffer) || self.buffers.contains(&buffer);
            known &= moved || !self.inside.contains(buffer);
        });
        known && self.without_divisions(expr).is_total()
    }

    /// The expression with another one, which has a value whatever its operands are, for each quotient by what is positive,
    /// and for a quotient times the same constant.
    fn without_divisions(&self, expr: &Expr) -> Expr {
        let either = |a: &Expr, b: &Expr| Expr::call(a.ty, Func::IntMin, vec![a.clone(), b.clone()]);
        expr.map(&mut |expr| match &expr.kind {
            ExprKind::Call(Func::DivCeil, _, operands) if is_positive(&operands[1], &self.positive) => {
                either(&operands[0], &operands[1])
            }
            ExprKind::Binary(BinOp::Div, a, b) if !is_constant(b) && is_positive(b, &self.positive) => {
                either(a, b)
            }
            ExprKind::Binary(BinOp::Mul, a, b) if is_quotient(a, b) => either(a, b),
            _ => expr,
        })
    }
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Int(_))
}

/// Whether `a` is something divided by the constant `b`.
fn is_quotient(a: &Expr, b: &Expr) -> bool {
    is_constant(b) && matches!(&a.kind, ExprKind::Binary(BinOp::Div, _, by) if **by == *b)
}

/// Whether an unsigned number is not zero, whatever the sizes are.
fn is_positive(expr: &Expr, positive: &BufferSet) -> bool {
    let of = |expr: &Expr| is_positive(expr, positive);
    expr.ty == Ty::USIZE
        && match &expr.kind {
            ExprKind::Int(value) => *value > 0,
            ExprKind::Load(place) => positive.contains(place.buffer),
            ExprKind::Call(Func::IntMax | Func::SaturatingAdd, _, operands) => operands.iter().any(of),
            ExprKind::Call(Func::IntMin, _, operands) => operands.iter().all(of),
            // a positive number rounded up to a multiple
            ExprKind::Binary(BinOp::Mul, a, b) if is_quotient(a, b) => match (&a.kind, &b.kind) {
                (ExprKind::Binary(_, sum, _), ExprKind::Int(by)) => is_rounded_up(sum, *by, positive),
                _ => false,
            },
            _ => false,
        }
}

/// Whether this is a positive number and `by - 1` more.
fn is_rounded_up(sum: &Expr, by: i128, positive: &BufferSet) -> bool {
    match &sum.kind {
        ExprKind::Call(Func::SaturatingAdd, _, operands) => {
            operands[1].kind == ExprKind::Int(by - 1) && is_positive(&operands[0], positive)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::ask_once;
    use crate::equivalence::{assert_pass, assert_unchanged, program};
    use crate::ir::Program;
    use crate::ir::interp::Array;

    /// The pass, where what is called `m…` was made by the scheduler.
    fn once(mut program: Program) -> Program {
        for buffer in program.buffers.iter_mut().filter(|buffer| buffer.name.starts_with('m')) {
            buffer.origin = super::CHUNKS;
        }
        program.with_body(|program, body| ask_once(program, body));
        program
    }

    #[test]
    fn sizes_are_asked_for_once_in_front_of_all_loops() {
        assert_pass(
            once,
            "
            fn f(x: in f64[_], n: in usize) -> s: f64
              s = 0.0
              for t in 0..n
                for i in 0..n
                  scope m: usize, m_size: usize, m_count: usize, m_of: usize, m_own: usize
                    m = len(x)
                    m_size = int::min(saturating_add(int::max(m, 1), 7) / 8 * 8, 64)
                    m_count = div_ceil(m, m_size)
                    m_of = t / m_size
                    m_own = i
                    for c in 0..m_count
                      s += 1.0
            ",
            "
            fn f(x: in f64[_], n: in usize) -> s: f64
              s = 0.0
              scope m: usize, m_size: usize, m_count: usize
                m = len(x)
                m_size = int::min(saturating_add(int::max(m, 1), 7) / 8 * 8, 64)
                m_count = div_ceil(m, m_size)
                for t in 0..n
                  scope m_of: usize
                    m_of = t / m_size
                    for i in 0..n
                      scope m_own: usize
                        m_own = i
                        for c in 0..m_count
                          s += 1.0
            ",
            vec![vec![Array::floats(&[1.0; 20]), Array::int(2)], vec![Array::floats(&[]), Array::int(0)]],
        );
    }

    #[test]
    fn what_changes_may_fail_or_belongs_to_the_user_stays() {
        for stmts in [
            // another value in each iteration
            "m = t\n                  s += m as f64",
            "m = k\n                  k = k + 1",
            // assigned again
            "m = n\n                  s += m as f64\n                  m = 2",
            // may be zero, may wrap
            "m = n / n",
            "m = n - 1",
            // an element, which need not exist
            "m = p[0]",
            // the length of an array of the iteration
            "m = len(work)",
        ] {
            let text = format!(
                "
            fn f(p: in usize[_], n: in usize) -> s: f64
              s = 0.0
              scope k: usize
                k = 0
                for t in 0..n
                  scope work: f64[n]
                    scope m: usize
                      {}
                ",
                stmts.replace("\n                  ", "\n                      ")
            );
            assert_unchanged(once, &text);
        }
        // the user's
        let text = "
            fn f(n: in usize) -> s: f64
              s = 0.0
              for t in 0..n
                scope k: usize
                  k = n
                  s += k as f64
            ";
        assert_unchanged(once, text);
        assert_eq!(program(text).body.len(), 2);
    }
}
