//! Variables and arrays on which it depends what a program does: which arm of a condition, which element, which iteration of an extremum.
//!
//! What is compared, converted to an integer, or taken into a running extremum keeps the bits that its expression gives. The
//! reverse sweep computes such values again, in loops that may be cut in another way: if they were rounded in another way
//! there, it would go through the other arm, whose tapes are empty, or to an element that no check has seen.
//!
//! Two kinds of comparisons with zero have nobody to agree with. Adjoints, and sums that lanes
//! [gather](super::factor), are asked whether they are zero in order to add no zeros. And a value that the primal left in
//! place, or in a variable of the reverse sweep, is computed once: if the primal decided by it, it is noted there. If not, the
//! comparison is the convention of a derivative at a kink, as of `abs`: which side of zero the operand is on, as it was
//! computed. The sign of a quotient, and whether it is zero, is that of the product, but where they underflow. Ties of other
//! numbers are kept as they are written, for the first argument of a maximum gets the adjoint of `max(x / h, 1.0)` where `x`
//! is `h`.

use crate::ir::Update;
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, Phase, Place, Program, ReduceOp, Scheme, Stmt, StmtKind, walk,
};

/// The variables and arrays that decide something, or of which one is computed that does.
pub(super) struct Decisive {
    buffers: BufferSet,
}

impl Decisive {
    /// Of all that `body`, which is the whole program, does.
    pub(super) fn of(program: &Program, body: &Block) -> Decisive {
        let comparisons = Comparisons { program, again: computed_again(body), sums: gathered(body) };
        let (mut buffers, mut sources) = (BufferSet::new(), Vec::new());
        let mut note = |stmt: &Stmt| {
            if let Some((cond, _, _)) = stmt.as_if() {
                return comparisons.note(cond, stmt.origin.phase, &mut buffers);
            }
            stmt.each_expr(&mut |expr| {
                decided_by(expr, &mut |float| each_read(float, &mut |it| _ = buffers.insert(it)))
            });
            match &stmt.kind {
                StmtKind::Reduce { op: ReduceOp::Max | ReduceOp::Min, value, .. } => {
                    each_read(value, &mut |read| _ = buffers.insert(read));
                }
                StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. }
                    if value.ty.is_float() =>
                {
                    each_read(value, &mut |read| sources.push((target.buffer, read)));
                }
                StmtKind::Swap { a, b } => sources.extend([(*a, *b), (*b, *a)]),
                StmtKind::Call { reads, writes, .. } => {
                    let mut from = reads.clone();
                    stmt.each_expr(&mut |expr| each_read(expr, &mut |read| from.push(read)));
                    writes.iter().for_each(|it| sources.extend(from.iter().map(|read| (*it, *read))));
                }
                _ => {}
            }
        };
        walk(body, &mut note);
        let mut new = true;
        while std::mem::take(&mut new) {
            sources.iter().for_each(|(it, read)| new |= buffers.contains(*it) && buffers.insert(*read));
        }
        Decisive { buffers }
    }

    /// Whether a statement decides something, or computes what does.
    pub(super) fn needs(&self, stmt: &Stmt) -> bool {
        if stmt.as_update().is_some_and(|it| matches!(it.op, ReduceOp::Max | ReduceOp::Min)) {
            return true;
        }
        stmt.as_store().is_some_and(|(target, value)| {
            let mut decides = self.buffers.contains(target.buffer);
            decided_by(value, &mut |_| decides = true);
            decides
        })
    }
}

/// Visits the floats of which something that is no float is made.
fn decided_by<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    expr.walk(&mut |part| {
        if !part.ty.is_float() {
            part.walk(&mut |inner| {
                if inner.ty.is_float() {
                    visit(inner);
                }
            });
        }
    });
}

/// What holds, perhaps, other values than the primal computed: all but its own variables, and copies of these.
fn computed_again(body: &Block) -> BufferSet {
    let (mut again, mut copies) = (BufferSet::new(), Vec::new());
    let mut visit = |stmt: &Stmt| {
        if stmt.origin.phase == Phase::Primal {
            return;
        }
        match stmt.as_assign() {
            Some((target, Expr { kind: ExprKind::Load(place), .. })) => {
                copies.push((target.buffer, place.buffer))
            }
            _ => stmt.writes_itself(&mut |buffer| _ = again.insert(buffer)),
        }
    };
    walk(body, &mut visit);
    while let Some(at) = copies.iter().position(|(_, from)| again.contains(*from)) {
        again.insert(copies.swap_remove(at).0);
    }
    again
}

/// The sums that lanes gather of what is added with the same factors.
fn gathered(body: &Block) -> BufferSet {
    let mut sums = BufferSet::new();
    let mut visit = |stmt: &Stmt| {
        if let Some(Update { target, scheme: Scheme::FactorOut, .. }) = stmt.as_update() {
            sums.insert(target.buffer);
        }
    };
    walk(body, &mut visit);
    sums
}

/// What is known of the operands of comparisons.
struct Comparisons<'a> {
    program: &'a Program,
    again: BufferSet,
    sums: BufferSet,
}

impl Comparisons<'_> {
    /// Notes what a condition compares, but where zero is compared with what decides nothing.
    fn note(&self, cond: &Expr, phase: Phase, buffers: &mut BufferSet) {
        let is_zero = |expr: &Expr| matches!(expr.kind, ExprKind::Float(value) if value == 0.0);
        match &cond.kind {
            ExprKind::Binary(_, value, zero) | ExprKind::Binary(_, zero, value)
                if is_zero(zero) && !self.decides(value, phase) => {}
            ExprKind::Binary(_, lhs, rhs) if !lhs.ty.is_float() => {
                self.note(lhs, phase, buffers);
                self.note(rhs, phase, buffers);
            }
            ExprKind::Unary(_, operand) if !operand.ty.is_float() => self.note(operand, phase, buffers),
            _ => each_read(cond, &mut |read| _ = buffers.insert(read)),
        }
    }

    /// Whether it matters on which side of zero a value is.
    fn decides(&self, value: &Expr, phase: Phase) -> bool {
        let ExprKind::Load(Place { buffer, .. }) = value.kind else { return true };
        let is_contribution = self.program.is_derivative(buffer) || self.sums.contains(buffer);
        !is_contribution && (!phase.is_derived() || self.again.contains(buffer))
    }
}

/// Visits what floats are read from.
fn each_read(value: &Expr, visit: &mut dyn FnMut(BufferId)) {
    value.walk(&mut |part| match &part.kind {
        ExprKind::Load(place) if part.ty.is_float() => visit(place.buffer),
        _ => {}
    });
}
