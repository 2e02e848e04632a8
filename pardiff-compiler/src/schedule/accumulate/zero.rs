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

use crate::ir::{Block, BufferId, BufferSet, ExprKind, Program, ReduceOp, Stmt, StmtKind, mentioned};
use std::cell::OnceCell;

/// Leaves out zeros that are only added to.
pub fn into_zero(program: &mut Program) {
    program.with_body(|program, body| zeros(program, body, &[]));
}

/// `own` are the scalars of the scope whose list this is.
fn zeros(program: &Program, list: &mut Block, own: &[BufferId]) {
    // what the statements mention; an assignment in the place of a sum mentions the same
    let known = OnceCell::new();
    let (mut at, mut removed) = (0, 0);
    while at < list.len() {
        let (first, rest) = list[at..].split_at_mut(1);
        let of_rest = |rest: &[Stmt]| {
            rest.iter().map(|stmt| mentioned(program, std::slice::from_ref(stmt))).collect::<Vec<_>>()
        };
        let zero = zero(program, &first[0]);
        let from = at + removed;
        if let Some(adjoint) = zero {
            let (start, known) = known.get_or_init(|| (from + 1, of_rest(rest)));
            if assign_first(program, rest, &known[from + 1 - start..], adjoint, own.contains(&adjoint)) {
                list.remove(at);
                removed += 1;
                continue;
            }
        }
        match list[at].as_scope_mut() {
            Some((buffers, body)) => zeros(program, body, buffers),
            None => list[at].blocks_mut().into_iter().for_each(|inner| zeros(program, inner, &[])),
        }
        at += 1;
    }
}

/// The local scalar adjoint that a statement sets to zero.
fn zero(program: &Program, stmt: &Stmt) -> Option<BufferId> {
    let (target, value) = stmt.as_assign()?;
    let adjoint = target.index.is_empty() && program.is_derivative(target.buffer);
    let is_local = !program.params.contains(&target.buffer) && !program.results.contains(&target.buffer);
    (adjoint && is_local && value.kind == ExprKind::Float(0.0)).then_some(target.buffer)
}

/// Makes an assignment of what is added to a scalar, if that is the first mention of it and always executed before the
/// others; `here` says whether nothing outside of the list mentions it.
fn assign_first(
    program: &Program,
    list: &mut [Stmt],
    known: &[BufferSet],
    scalar: BufferId,
    here: bool,
) -> bool {
    let mentions = |mentioned: &BufferSet| mentioned.contains(scalar);
    let Some(at) = known.iter().position(mentions) else { return false };
    let here = here && !known[at + 1..].iter().any(mentions);
    let in_block = |block: &mut Block| {
        let known: Vec<BufferSet> =
            block.iter().map(|stmt| mentioned(program, std::slice::from_ref(stmt))).collect();
        let is_free = !known.iter().any(mentions);
        (is_free, assign_first(program, block, &known, scalar, here))
    };
    match &mut list[at].kind {
        StmtKind::Scope { body, .. } => in_block(body).1,
        StmtKind::If { cond, then, els } if here => {
            let reads = cond.reads_buffer(program, scalar);
            let mut arms = (then.clone(), els.clone());
            let assigned = |arm: &mut Block| {
                let (is_free, is_assigned) = in_block(arm);
                is_free || is_assigned
            };
            let both = !reads && assigned(&mut arms.0) && assigned(&mut arms.1);
            if both {
                (*then, *els) = arms;
            }
            both
        }
        StmtKind::Reduce { op: ReduceOp::Add, target, value, .. } if target.buffer == scalar => {
            let reads = value.reads_buffer(program, scalar);
            if !reads {
                list[at].kind = StmtKind::Assign { target: target.clone(), value: value.clone() };
            }
            !reads
        }
        _ => false,
    }
}
