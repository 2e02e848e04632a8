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
//! *Legality.* Both statements stand in one list and nothing between them mentions the scalar, so the zero is what is added
//! to, and nobody else sees it. The sign of a zero is all that may differ, and an adjoint does not promise it.

use crate::ir::{Block, BufferId, ExprKind, Program, ReduceOp, Role, Stmt, StmtKind};

/// Leaves out zeros that are only added to; whether there was one.
pub(super) fn into_zero(program: &mut Program) -> bool {
    let mut body = std::mem::take(&mut program.body);
    let changed = block(program, &mut body);
    program.body = body;
    changed
}

fn block(program: &Program, list: &mut Block) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at < list.len() {
        match first_sum(program, &list[at..]) {
            Some(next) => {
                let sum = &mut list[at + next];
                if let StmtKind::Reduce { target, value, .. } = &sum.kind {
                    sum.kind = StmtKind::Assign { target: target.clone(), value: value.clone() };
                }
                list.remove(at);
                changed = true;
            }
            None => {
                for inner in list[at].blocks_mut() {
                    changed |= block(program, inner);
                }
                at += 1;
            }
        }
    }
    changed
}

/// Where the list adds to the scalar adjoint that its first statement sets to zero, if nothing before mentions it.
fn first_sum(program: &Program, list: &[Stmt]) -> Option<usize> {
    let (zero, rest) = list.split_first()?;
    let StmtKind::Assign { target, value } = &zero.kind else { return None };
    let adjoint = target.index.is_empty() && matches!(program[target.buffer].role, Role::Adjoint(_));
    let is_local = !program.params.contains(&target.buffer) && !program.results.contains(&target.buffer);
    if !adjoint || !is_local || value.kind != ExprKind::Float(0.0) {
        return None;
    }
    let next = rest.iter().position(|stmt| mentions(program, stmt, target.buffer))?;
    let StmtKind::Reduce { op: ReduceOp::Add, target: sum, value, .. } = &rest[next].kind else {
        return None;
    };
    let mut reads = false;
    value.reads(program, &mut |read| reads |= read == target.buffer);
    (sum == target && !reads).then_some(next + 1)
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
