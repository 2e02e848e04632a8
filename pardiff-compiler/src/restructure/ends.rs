//! The least and the greatest index of a loop that counts through a row are those of its ends.
//!
//! ```text
//! for k in 0..d                            if 0 < d
//!   low min= at[i] * d + k           =>      low min= at[i] * d + 0
//!   end max= at[i] * d + k + 1               end max= at[i] * d + (d - 1) + 1
//! ```
//!
//! So the scan of windows (see `windows`) looks at each row once, not at each of its elements.
//!
//! *Legality.* The loop does nothing but keep extremes, of numbers that grow with its iterator by a constant step, and reads
//! none of them: the least number is that of the first iteration and the greatest that of the last one. All are elements of
//! the array, so none of the sums wraps around; where one is not, its check has failed or will fail, and no window counts.

use super::lanes::{grows, rename};
use crate::ir::{Block, Expr, ExprKind, For, Func, ReduceOp, Stmt, StmtKind, written};

/// Replaces the loops of a scan that count through rows.
pub(super) fn at_ends(block: &mut Block) {
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(at_ends);
        if let StmtKind::For(each) = &stmt.kind
            && let Some(ends) = ends(each)
        {
            let cond = each.lo.clone().below(each.hi.clone());
            stmt.kind = StmtKind::If { cond, then: ends, els: Block::new() };
        }
    }
}

/// What the first and the last iteration do to the extremes.
fn ends(each: &For) -> Option<Block> {
    let writes = written(&each.body);
    if each.inclusive || each.step != Expr::usize(1) || each.body.is_empty() {
        return None;
    }
    let last = each.hi.clone() - Expr::usize(1);
    let end = |stmt: &Stmt| {
        let StmtKind::Reduce { op, target, value, .. } = &stmt.kind else { return None };
        let at = match op {
            ReduceOp::Min => &each.lo,
            ReduceOp::Max => &last,
            ReduceOp::Add | ReduceOp::Mul => return None,
        };
        let index = match &value.kind {
            ExprKind::Call(Func::SaturatingAdd, _, operands) => operands.first()?,
            _ => value,
        };
        if !target.index.is_empty() || !grows(index, each.iter, &|place| writes.contains(place.buffer)) {
            return None;
        }
        let mut here = vec![stmt.clone()];
        rename(&mut here, each.iter, at);
        here.pop()
    };
    each.body.iter().map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::at_ends;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::{Program, interp::Array};

    fn pass(mut program: Program) -> Program {
        let mut body = std::mem::take(&mut program.body);
        at_ends(&mut body);
        program.body = body;
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
                  low min= at[i] * d + 0
                  end max= saturating_add(at[i] * d + (d - 1) * 2, 1)
            ",
            vec![
                vec![Array::ints(&[3, 1, 2]), Array::int(4), Array::int(9), Array::int(0)],
                vec![Array::ints(&[3, 1, 2]), Array::int(0), Array::int(9), Array::int(0)],
            ],
        );
    }

    #[test]
    fn what_falls_or_is_found_through_an_array_or_does_more_is_looked_at_throughout() {
        for line in
            ["low min= d - k", "low min= at[k]", "low min= k\n                end = low", "low min= low + k"]
        {
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
