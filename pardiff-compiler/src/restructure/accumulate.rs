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
//! scalar, so the zero is what is added to, and nobody else sees it. The sign of a zero is all that may differ, and an adjoint does not promise it.

use crate::ir::{Block, BufferId, ExprKind, Program, ReduceOp, Role, Stmt, StmtKind};

/// Leaves out zeros that are only added to.
pub(super) fn into_zero(program: &mut Program) {
    let mut body = std::mem::take(&mut program.body);
    block(program, &mut body);
    program.body = body;
}

fn block(program: &Program, list: &mut Block) {
    let mut at = 0;
    while at < list.len() {
        let zero = zero(program, &list[at]);
        if zero.is_some_and(|adjoint| assign_first(program, &mut list[at + 1..], adjoint)) {
            list.remove(at);
            continue;
        }
        list[at].blocks_mut().into_iter().for_each(|inner| block(program, inner));
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

/// Makes an assignment of what is added to a scalar, if that is the first mention of it and always executed.
fn assign_first(program: &Program, list: &mut [Stmt], scalar: BufferId) -> bool {
    let Some(first) = list.iter_mut().find(|stmt| mentions(program, stmt, scalar)) else { return false };
    match &mut first.kind {
        StmtKind::Scope { body, .. } => assign_first(program, body, scalar),
        StmtKind::Reduce { op: ReduceOp::Add, target, value, .. } if target.buffer == scalar => {
            let mut reads = false;
            value.reads(program, &mut |read| reads |= read == scalar);
            if !reads {
                first.kind = StmtKind::Assign { target: target.clone(), value: value.clone() };
            }
            !reads
        }
        _ => false,
    }
}

fn mentions(program: &Program, stmt: &Stmt, buffer: BufferId) -> bool {
    let mut mentioned = false;
    stmt.writes(&mut |written| mentioned |= written == buffer);
    stmt.walk(&mut |stmt| {
        for expr in stmt.evaluates(program) {
            expr.reads(program, &mut |read| mentioned |= read == buffer);
        }
        if let StmtKind::Call { reads, .. } = &stmt.kind {
            mentioned |= reads.contains(&buffer);
        }
    });
    mentioned
}

#[cfg(test)]
mod tests {
    use super::into_zero;
    use crate::ir::parse;

    /// The body behind the declarations.
    fn after(body: &str) -> String {
        let text = format!(
            "fn f(x: in f64, y: inout f64, b: in bool)\n  scope z: f64, d_z: adjoint(z) f64\n{}",
            body.lines().map(|line| format!("    {line}\n")).collect::<String>()
        );
        let mut program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        into_zero(&mut program);
        let lines = program.to_string();
        let lines: Vec<&str> = lines.lines().skip(2).map(str::trim).collect();
        lines.join("\n")
    }

    #[test]
    fn a_zero_that_is_added_to_is_left_out() {
        assert_eq!(
            after("d_z = 0.0\ny = x\nd_z += x\nd_z += y\ny += d_z"),
            "y = x\nd_z = x\nd_z += y\ny += d_z"
        );
    }

    #[test]
    fn a_zero_that_somebody_sees_stays() {
        for body in [
            "d_z = 0.0\ny = d_z\nd_z += x",
            "d_z = 0.0\nif b\nd_z += x\nd_z += y",
            "d_z = 1.0\nd_z += x",
            "z = 0.0\nz += x",
            "d_z = 0.0\nd_z += d_z",
        ] {
            let indented = body.replace("if b\nd_z += x", "if b\n  d_z += x");
            assert_eq!(after(&indented), body, "{body}");
        }
    }
}
