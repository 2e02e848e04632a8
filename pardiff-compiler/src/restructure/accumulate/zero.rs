//! The first accumulation into an adjoint that was set to zero is an assignment.
//!
//! ```text
//! d_y = 0.0
//! t = 2.0 * seed          =>      t = 2.0 * seed
//! d_y += t * x                    d_y = t * x
//! ```
//!
//! Reversal sets every adjoint to zero before its first use. A sum of zero and something costs an addition that no compiler
//! may leave out: it makes `0.0` of `-0.0`.
//!
//! *Legality.* The second statement stands in the list of the first, or in scopes in it, and nothing between them mentions the
//! scalar, so the zero is what is added to, and nobody else sees it. It may stand under a condition if the scope of the
//! scalar mentions it nowhere else. The sign of a zero is all that may differ, and an adjoint does not promise it.

use super::mentions;
use crate::ir::{Block, BufferId, ExprKind, Program, ReduceOp, Role, Stmt, StmtKind};

/// Leaves out zeros that are only added to.
pub fn into_zero(program: &mut Program) {
    let mut body = std::mem::take(&mut program.body);
    zeros(program, &mut body, &[]);
    program.body = body;
}

/// `own` are the scalars of the scope whose list this is.
fn zeros(program: &Program, list: &mut Block, own: &[BufferId]) {
    let mut at = 0;
    while at < list.len() {
        let (first, rest) = list[at..].split_at_mut(1);
        let zero = zero(program, &first[0]);
        if zero.is_some_and(|adjoint| assign_first(program, rest, adjoint, own.contains(&adjoint))) {
            list.remove(at);
            continue;
        }
        match &mut list[at].kind {
            StmtKind::Scope { buffers, body } => zeros(program, body, buffers),
            _ => list[at].blocks_mut().into_iter().for_each(|inner| zeros(program, inner, &[])),
        }
        at += 1;
    }
}

/// The local scalar adjoint that a statement sets to zero.
fn zero(program: &Program, stmt: &Stmt) -> Option<BufferId> {
    let StmtKind::Assign { target, value } = &stmt.kind else { return None };
    let adjoint = target.index.is_empty() && matches!(program[target.buffer].role, Role::Adjoint(_));
    let is_local = !program.params.contains(&target.buffer) && !program.results.contains(&target.buffer);
    (adjoint && is_local && value.kind == ExprKind::Float(0.0)).then_some(target.buffer)
}

/// Makes an assignment of what is added to a scalar, if that is the first mention of it and always executed before the
/// others; `here` says whether nothing outside of the list mentions it.
fn assign_first(program: &Program, list: &mut [Stmt], scalar: BufferId, here: bool) -> bool {
    let Some(at) = list.iter().position(|stmt| mentions(program, stmt, scalar)) else { return false };
    let (first, rest) = list[at..].split_at_mut(1);
    let here = here && !rest.iter().any(|stmt| mentions(program, stmt, scalar));
    match &mut first[0].kind {
        StmtKind::Scope { body, .. } => assign_first(program, body, scalar, here),
        StmtKind::If { cond, then, els } if here => {
            let mut reads = false;
            cond.reads(program, &mut |read| reads |= read == scalar);
            let mut arms = (then.clone(), els.clone());
            let assigned = |arm: &mut Block| {
                !arm.iter().any(|stmt| mentions(program, stmt, scalar))
                    || assign_first(program, arm, scalar, true)
            };
            let both = !reads && assigned(&mut arms.0) && assigned(&mut arms.1);
            if both {
                (*then, *els) = arms;
            }
            both
        }
        StmtKind::Reduce { op: ReduceOp::Add, target, value, .. } if target.buffer == scalar => {
            let mut reads = false;
            value.reads(program, &mut |read| reads |= read == scalar);
            if !reads {
                first[0].kind = StmtKind::Assign { target: target.clone(), value: value.clone() };
            }
            !reads
        }
        _ => false,
    }
}
