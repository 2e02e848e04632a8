//! Checks of all lanes at once.
//!
//! ```text
//! check i * d + j < len(x)      check (b + (w - 1)) * d + j < len(x)
//! ```
//!
//! *Legality.* Every iteration of the block evaluates the check where it stands. A comparison whose difference never
//! falls (never rises) as the lane counts up holds in all lanes if and only if it holds in the last (first) one, so
//! checking that lane panics exactly where one of the lanes would. Where an index wraps, the access that it guards is
//! still compared with the length when it is made.

use super::distribute::Distribution;
use super::stride::{Trend, opposite, trend};
use crate::ir::{BinOp, Expr, ExprKind, Message, Stmt, StmtKind, Ty};

/// The check that stands for that of every lane; `None` where no single lane decides.
pub(super) fn for_block(distribution: &Distribution<'_>, stmt: &Stmt) -> Option<Stmt> {
    let (cond, message) = stmt.as_check()?;
    let mut lane = Trend::Constant;
    let cond = deciding(distribution, cond, &mut lane)?;
    let mut message = message.clone();
    if !matches!(message, Message::Text(_)) {
        for operand in message.operands_mut() {
            *operand = at(distribution, operand, lane);
        }
    }
    Some(Stmt::new(StmtKind::Check { cond, message }, stmt.origin))
}

/// The condition in the lane in which it is the first to fail; of a conjunction each part in its own.
fn deciding(distribution: &Distribution<'_>, cond: &Expr, lane: &mut Trend) -> Option<Expr> {
    let uniform = |expr: &Expr| !distribution.lanes.expr(expr);
    if uniform(cond) {
        return Some(cond.clone());
    }
    let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
    if *op == BinOp::BitAnd && cond.ty == Ty::Bool {
        let left = deciding(distribution, a, lane)?;
        return Some(Expr::binary(*op, left, deciding(distribution, b, lane)?));
    }
    let of = |expr: &Expr| trend(expr, distribution.element, &uniform);
    let (left, right) = (of(a)?, opposite(of(b)?));
    // the trend of the difference of the two sides
    let difference = match (left, right) {
        (Trend::Constant, other) | (other, Trend::Constant) => other,
        (left, right) if left == right => left,
        _ => return None,
    };
    *lane = match op {
        BinOp::Lt | BinOp::Le => difference,
        BinOp::Gt | BinOp::Ge => opposite(difference),
        _ => return None,
    };
    Some(at(distribution, cond, *lane))
}

/// The expression in the last lane if `lane` rises, in the first otherwise.
fn at(distribution: &Distribution<'_>, expr: &Expr, lane: Trend) -> Expr {
    let first = Expr::iter(distribution.first, Ty::USIZE);
    let width = distribution.program.load_scalar(distribution.width);
    let element = match lane {
        Trend::Rising => {
            let last = Expr::binary(BinOp::Sub, width, Expr::usize(1));
            Expr::binary(BinOp::Add, first, last)
        }
        _ => first,
    };
    expr.map(&mut |expr| {
        if expr.kind == ExprKind::Iter(distribution.element) { element.clone() } else { expr }
    })
}
