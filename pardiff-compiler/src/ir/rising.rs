//! Integers that only count up.

use super::{BinOp, BufferId, Expr, ExprKind, Place, Program, ReduceOp, Role, Stmt, StmtKind};

/// Whether a local or a result begins with a number that is not negative, wherever it begins, and only numbers that are not negative are
/// added to it. Then no part of what is added overflows where the whole does not, signed or not.
pub fn counts_up(program: &Program, buffer: BufferId) -> bool {
    let mut rises = matches!(program[buffer].role, Role::Local | Role::Output) && program[buffer].rank() == 0;
    let mut visit = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign { target, value } if target.buffer == buffer => {
            rises &= is_natural(value) || added(target, value).is_some_and(is_natural);
        }
        StmtKind::Reduce { op, target, value, .. } if target.buffer == buffer => {
            rises &= *op == ReduceOp::Add && is_natural(value);
        }
        _ if stmt.blocks().is_empty() => stmt.writes(&mut |written| rises &= written != buffer),
        _ => {}
    };
    crate::ir::walk(&program.body, &mut visit);
    rises
}

/// What is added in `n = n + by`.
pub fn added<'e>(target: &Place, value: &'e Expr) -> Option<&'e Expr> {
    let is_target = |expr: &Expr| matches!(&expr.kind, ExprKind::Load(place) if place == target);
    match &value.kind {
        ExprKind::Binary(BinOp::Add, lhs, rhs) if is_target(lhs) => Some(rhs),
        ExprKind::Binary(BinOp::Add, lhs, rhs) if is_target(rhs) => Some(lhs),
        _ => None,
    }
}

fn is_natural(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Int(0..))
}
