//! Variables on which it depends what a program does: which arm of a condition, which element, which iteration of an extremum.
//!
//! What is compared, converted to an integer, or taken into a running extremum keeps the bits that its expression gives. The
//! reverse sweep computes such values again, in loops that may be cut in another way: if they were rounded in another way
//! there, it would go through the other arm, whose tapes are empty, or to an element that no check has seen.

use crate::ir::{Block, BufferId, BufferSet, Expr, ExprKind, Place, ReduceOp, Stmt, StmtKind};

/// The scalars that decide something, or of which one is computed that does.
pub(super) struct Decisive {
    scalars: BufferSet,
}

impl Decisive {
    /// Of all that `body`, which is the whole program, does.
    pub(super) fn of(body: &Block) -> Decisive {
        let (mut scalars, mut sources) = (BufferSet::new(), Vec::new());
        body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                stmt.each_expr(&mut |expr| decided_by(expr, &mut |float| note_scalars(float, &mut scalars)));
                match &stmt.kind {
                    StmtKind::Reduce { op: ReduceOp::Max | ReduceOp::Min, value, .. } => {
                        note_scalars(value, &mut scalars);
                    }
                    StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. }
                        if is_scalar(target) && value.ty.is_float() =>
                    {
                        let mut read = BufferSet::new();
                        note_scalars(value, &mut read);
                        sources.push((target.buffer, read));
                    }
                    _ => {}
                }
            });
        });
        while let Some(at) = sources.iter().position(|(target, _)| scalars.contains(*target)) {
            let (_, read) = sources.swap_remove(at);
            read.iter().for_each(|buffer: BufferId| _ = scalars.insert(buffer));
        }
        Decisive { scalars }
    }

    /// Whether a statement decides something, or computes what does.
    pub(super) fn needs(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Reduce { op: ReduceOp::Max | ReduceOp::Min, .. } => true,
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                let mut decides = is_scalar(target) && self.scalars.contains(target.buffer);
                decided_by(value, &mut |_| decides = true);
                decides
            }
            _ => false,
        }
    }
}

fn is_scalar(place: &Place) -> bool {
    place.index.is_empty()
}

/// Visits the floats of which something that is no float is made.
fn decided_by<'e>(expr: &'e Expr, visit: &mut impl FnMut(&'e Expr)) {
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

fn note_scalars(value: &Expr, scalars: &mut BufferSet) {
    value.walk(&mut |part| match &part.kind {
        ExprKind::Load(place) if is_scalar(place) => _ = scalars.insert(place.buffer),
        _ => {}
    });
}
