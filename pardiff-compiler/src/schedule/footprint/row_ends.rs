//! The least and the greatest index of a loop that counts through a row are those of its ends.
//!
//! ```text
//! for k in 0..d                            if 0 < d
//!   low min= at[i] * d + k           =>      low min= at[i] * d + 0
//!   end max= at[i] * d + k + 1               end max= at[i] * d + (d - 1) + 1
//! ```
//!
//! So the scan of windows (see `footprint`) looks at each row once, not at each of its elements; of rows in rows as well, each
//! at its ends.
//!
//! *Legality.* The loop does nothing but keep extremes, of numbers that never fall as its iterator rises, and reads none of
//! them: the least number is that of the first iteration and the greatest that of the last one. That holds of integers. The
//! machine's indices may wrap around, so the ends are computed by sums and products that saturate: where the greatest one
//! does not, no index has wrapped. Where it does, it is beyond the array, and the window of a chunk with such an index is the
//! whole array (see [`crate::schedule::footprint::Window::close_scan`]). What is taken away is a small number, so that an index below
//! zero is beyond the array too.

use crate::ir::substitute;
use crate::ir::{BinOp, Block, Expr, ExprKind, For, Func, ReduceOp, Stmt, StmtKind, Ty, written};
use crate::schedule::lanes::{Trend, trend};

/// Replaces the loops of a scan that count through rows.
pub(super) fn at_ends(block: &mut Block) {
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(at_ends);
        if let Some(each) = stmt.as_for()
            && let Some(ends) = ends(each)
        {
            let cond = each.lo.clone().below(each.hi.clone());
            *stmt = Stmt::when(cond, ends, stmt.origin);
        }
    }
}

/// What the first and the last iteration do to the extremes.
fn ends(each: &For) -> Option<Block> {
    if !each.is_by_one() || each.body.is_empty() {
        return None;
    }
    let changed = written(&each.body);
    let uniform = |expr: &Expr| !expr.mentions(each.iter) && !expr.loads_any(&changed);
    each.body.iter().map(|stmt| of_stmt(stmt, each, &uniform)).collect()
}

fn of_stmt(stmt: &Stmt, each: &For, uniform: &dyn Fn(&Expr) -> bool) -> Option<Stmt> {
    match &stmt.kind {
        StmtKind::Reduce { op, target, value, scheme } if target.index.is_empty() => {
            let last = each.hi.clone() - Expr::usize(1);
            let at = match op {
                ReduceOp::Min => &each.lo,
                ReduceOp::Max => &last,
                ReduceOp::Add => return None,
            };
            let index = match &value.kind {
                ExprKind::Call(Func::SaturatingAdd, _, operands) if *op == ReduceOp::Max => {
                    operands.first()?
                }
                _ => value,
            };
            if !matches!(trend(index, each.iter, uniform)?, Trend::Rising | Trend::Constant) {
                return None;
            }
            let value = saturating(value)?;
            let kind = StmtKind::Reduce { op: *op, target: target.clone(), value, scheme: *scheme };
            let mut here = vec![Stmt::new(kind, stmt.origin)];
            substitute(&mut here, each.iter, at);
            here.pop()
        }
        StmtKind::If { cond, then, els } if els.is_empty() && uniform(cond) => {
            let then = then.iter().map(|stmt| of_stmt(stmt, each, uniform)).collect::<Option<_>>()?;
            let kind = StmtKind::If { cond: cond.clone(), then, els: Block::new() };
            Some(Stmt::new(kind, stmt.origin))
        }
        _ => None,
    }
}

/// The index by sums and products that saturate; `None` where more than a small number is taken away.
pub(super) fn saturating(index: &Expr) -> Option<Expr> {
    let call = |func, a, b| Some(Expr::call(Ty::USIZE, func, vec![saturating(a)?, saturating(b)?]));
    match &index.kind {
        _ if index.ty != Ty::USIZE => Some(index.clone()),
        ExprKind::Binary(BinOp::Add, a, b) => call(Func::SaturatingAdd, a, b),
        ExprKind::Binary(BinOp::Mul, a, b) => call(Func::SaturatingMul, a, b),
        ExprKind::Binary(BinOp::Sub, a, b) => match b.kind {
            ExprKind::Int(by) if by <= i128::from(u16::MAX) => call(Func::SaturatingSub, a, b),
            _ => None,
        },
        ExprKind::Call(func @ (Func::SaturatingAdd | Func::SaturatingMul), _, args) => match &args[..] {
            [a, b] => call(*func, a, b),
            _ => None,
        },
        _ => Some(index.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::at_ends;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::{Program, interp::Array};

    fn pass(mut program: Program) -> Program {
        at_ends(&mut program.body);
        program
    }

    #[test]
    fn a_row_is_looked_at_once() {
        assert_pass(
            pass,
            "
            fn f(at: in usize[_], d: in usize, low: inout usize, end: inout usize)
              for i in 0..len(at)
                for k in 0..d
                  low min= at[i] * d + k
                  end max= saturating_add(at[i] * d + k * 2, 1)
            ",
            "
            fn f(at: in usize[_], d: in usize, low: inout usize, end: inout usize)
              for i in 0..len(at)
                if 0 < d
                  low min= saturating_add(saturating_mul(at[i], d), 0)
                  end max= saturating_add(saturating_add(saturating_mul(at[i], d), saturating_mul(d - 1, 2)), 1)
            ",
            vec![
                vec![Array::ints(&[3, 1, 2]), Array::int(4), Array::int(9), Array::int(0)],
                vec![Array::ints(&[3, 1, 2]), Array::int(0), Array::int(9), Array::int(0)],
            ],
        );
    }

    #[test]
    fn rows_in_rows_are_looked_at_once() {
        assert_pass(
            pass,
            "
            fn f(n: in usize, m: in usize, d: in usize, low: inout usize, end: inout usize)
              for i in 0..n
                for k in 0..m
                  low min= i * d + k
                  end max= saturating_add(i * d + k, 1)
            ",
            "
            fn f(n: in usize, m: in usize, d: in usize, low: inout usize, end: inout usize)
              if 0 < n
                if 0 < m
                  low min= saturating_add(saturating_mul(0, d), 0)
                  end max= saturating_add(saturating_add(saturating_mul(n - 1, d), saturating_sub(m, 1)), 1)
            ",
            vec![[3, 4, 5, 9, 0].map(Array::int).to_vec(), [3, 0, 5, 9, 0].map(Array::int).to_vec()],
        );
    }

    #[test]
    fn what_falls_or_is_found_through_an_array_or_does_more_is_looked_at_throughout() {
        for line in [
            "low min= d - k",
            "low min= k + 9 - d",
            "low min= at[k]",
            "low min= k\n                end = low",
            "low min= low + k",
        ] {
            assert_unchanged(
                pass,
                &format!(
                    "
            fn f(at: in usize[_], d: in usize, low: inout usize, end: inout usize)
              for k in 0..d
                {line}
            "
                ),
            );
        }
    }
}
