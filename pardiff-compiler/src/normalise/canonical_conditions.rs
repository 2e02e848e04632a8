//! Conditions stand the right way round.
//!
//! ```text
//! before                                   after
//!   if !(i < n) { a } else { b }             if i < n { b } else { a }
//!   if c { } else { b }                      if !c { b }
//!   if !(i < j) { a }                        if i >= j { a }             integers only
//!   if a { if b { s } }                      if a & b { s }              b is total and constant but for iterators
//! ```
//!
//! *Legality.* The arms and the condition are exchanged together. Integers are totally ordered, so that the negation
//! of a comparison is a comparison; floats are not (`!(a < b)` holds for NaN), and theirs stay. The last form
//! evaluates `b` where it was not evaluated before: nothing can be seen of it.

use crate::ir::{BinOp, Block, Expr, ExprKind, Program, Role, Stmt, UnOp};

/// Straightens every condition.
pub fn straighten(mut program: Program) -> Program {
    program.with_body(|program, body| straighten_block(program, body));
    program
}

fn straighten_block(program: &Program, block: &mut Block) {
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(|block| straighten_block(program, block));
        if let Some((cond, then, els)) = stmt.as_if_mut() {
            if then.is_empty() && !els.is_empty() {
                let whole = std::mem::replace(cond, Expr::bool(true));
                *cond = negated(whole);
                std::mem::swap(then, els);
            } else if let ExprKind::Unary(UnOp::Not, inner) = &cond.kind {
                if els.is_empty() {
                    *cond = negated((**inner).clone());
                } else {
                    *cond = (**inner).clone();
                    std::mem::swap(then, els);
                }
            }
        }
        merge_nested(program, stmt);
    }
}

/// `if a { if b { s } }` to `if a & b { s }`.
fn merge_nested(program: &Program, stmt: &mut Stmt) {
    let Some((cond, then, els)) = stmt.as_if_mut() else { return };
    if !els.is_empty() || then.len() != 1 {
        return;
    }
    if let Some((inner, body, inner_els)) = then[0].as_if_mut()
        && inner_els.is_empty()
        && inner.is_total()
        && is_constant(program, inner)
    {
        let outer = std::mem::replace(cond, Expr::bool(true));
        let inner = std::mem::replace(inner, Expr::bool(true));
        *cond = Expr::binary(BinOp::BitAnd, outer, inner);
        *then = std::mem::take(body);
    }
}

/// Whether it reads nothing but iterators, constants and parameters that are scalars and not written.
fn is_constant(program: &Program, expr: &Expr) -> bool {
    let mut constant = true;
    expr.walk(&mut |expr| {
        if let ExprKind::Load(place) = &expr.kind {
            constant &= place.index.is_empty() && program[place.buffer].role == Role::Input;
        }
    });
    constant
}

/// `!cond` without a `!` where that is exact.
pub fn negated(cond: Expr) -> Expr {
    use BinOp::*;
    match cond.kind {
        ExprKind::Bool(value) => Expr::bool(!value),
        ExprKind::Unary(UnOp::Not, inner) => *inner,
        ExprKind::Binary(op, lhs, rhs) if op.is_comparison() && !lhs.ty.is_float() => {
            let opposite = match op {
                Eq => Ne,
                Ne => Eq,
                Lt => Ge,
                Le => Gt,
                Gt => Le,
                _ => Lt,
            };
            Expr::binary(opposite, *lhs, *rhs)
        }
        // `==` and `!=` of floats are each other's negation, NaN included
        ExprKind::Binary(op @ (Eq | Ne), lhs, rhs) => {
            Expr::binary(if op == Eq { Ne } else { Eq }, *lhs, *rhs)
        }
        _ => Expr::unary(UnOp::Not, cond),
    }
}

#[cfg(test)]
mod tests {
    use super::straighten;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn negations_and_empty_arms_go() {
        let runs = [0, 3, 7].map(|n| vec![Array::floats(&[1.0, -2.0]), Array::int(n)]);
        assert_pass(
            straighten,
            "
            fn f(x: in f64[_], n: in usize) -> s: f64
              s = 0.0
              for i in 0..len(x)
                if !(i < n)
                  s += x[i]
                else
                  s -= 1.0
                if i == 0
                else
                  s += 2.0
                if !(x[i] < 0.0)
                  s += 4.0
                if x[i] < 0.0
                  if i < n
                    s += 8.0
            "
            .replace("s -= 1.0", "s += -1.0")
            .as_str(),
            "
            fn f(x: in f64[_], n: in usize) -> s: f64
              s = 0.0
              for i in 0..len(x)
                if i < n
                  s += -1.0
                else
                  s += x[i]
                if i != 0
                  s += 2.0
                if !(x[i] < 0.0)
                  s += 4.0
                if (x[i] < 0.0) & (i < n)
                  s += 8.0
            ",
            runs.to_vec(),
        );
    }

    #[test]
    fn a_condition_that_may_not_be_evaluated_stays_inside() {
        assert_unchanged(
            straighten,
            "
            fn f(x: in f64[_], n: in usize) -> s: f64
              s = 0.0
              if n > 0
                if n - 1 < len(x)
                  s = 1.0
              if n < len(x)
                if x[n] > 0.0
                  s = 2.0
            ",
        );
    }
}
