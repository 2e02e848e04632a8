//! A loop of which one iteration alone does something is that iteration.
//!
//! ```text
//! for k in lo..hi                    if (lo <= at) & (at < hi)
//!   if k == at                 =>      d_x[at] += t
//!     d_x[k] += t
//! ```
//!
//! The place of a maximum is such an iteration. Until everything is scheduled it stands in a loop, because that says more about
//! where it may be than its number does.
//!
//! *Legality.* The condition compares the iterator with what no iteration changes, and is all that an iteration consists of. The
//! loop counts by one, so it comes to that number if and only if it is in the range.

use crate::ir::{BinOp, Exec, Expr, For, Program, Stmt, StmtKind, only_iteration, substitute};

/// Replaces such loops in a block.
pub(super) fn open_single(program: &Program, block: &mut [Stmt]) {
    for stmt in block {
        if let Some(each) = stmt.as_for()
            && let Some(only) = single(program, each)
        {
            stmt.kind = only;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| open_single(program, inner));
    }
}

/// The condition that stands for a loop.
fn single(program: &Program, each: &For) -> Option<StmtKind> {
    let (at, then) = only_iteration(program, each)?;
    if !each.is_by_one() || each.exec != Exec::Sequential {
        return None;
    }
    let inside = |op, a: &Expr, b: &Expr| Expr::binary(op, a.clone(), b.clone());
    let cond = Expr::binary(BinOp::BitAnd, inside(BinOp::Le, &each.lo, at), inside(BinOp::Lt, at, &each.hi));
    let mut then = then.to_vec();
    substitute(&mut then, each.iter, at);
    Some(StmtKind::If { cond, then, els: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::open_single;
    use crate::schedule::lanes::tests::{Arg, assert_same, changed};

    /// The loop over the elements of a row, and what became of it.
    fn opened(body: &str) -> String {
        let text = format!(
            "
            fn f(x: in f64[_], y: inout f64[_], p: in usize[_], n: in usize, m: in usize) -> total: f64
              total = 0.0
              for i in 0..n sequential
                scope at: usize
                  at = p[i]
                  for k in i..i + m sequential
                    {body}
            "
        );
        let (before, after) = changed(&text, &mut |program, stmt| {
            open_single(program, std::slice::from_mut(stmt));
        });
        for (n, m) in [(0, 3), (2, 0), (5, 2)] {
            let args = |name: &str| match name {
                "n" => Arg::Size(n),
                "m" => Arg::Size(m),
                "p" => Arg::Indices(vec![0, 2, 4, 3, 0, 1, 1, 1, 1]),
                _ => Arg::Floats(16),
            };
            assert_same(&before, &after, &args);
        }
        after.to_string()
    }

    #[test]
    fn the_iteration_that_a_number_names_needs_no_loop() {
        for cond in ["k == at", "at == k"] {
            let made = opened(&format!(
                "if {cond}\n                      y[k] += x[k]\n                      total += x[k + 1]"
            ));
            assert!(!made.contains("for k"), "{made}");
            assert!(made.contains("if (i <= "), "{made}");
        }
    }

    #[test]
    fn other_conditions_keep_the_loop() {
        let others = [
            "if k == at\n                      total += x[k]\n                    else\n                      y[k] += x[k]",
            "if k == p[k]\n                      y[k] += x[k]",
            "if k == at\n                      at = 4\n                      y[k] += x[k]",
            "if k <= at\n                      y[k] += x[k]",
            "if k == at\n                      y[k] += x[k]\n                    total += x[k]",
        ];
        for body in others {
            let made = opened(body);
            assert!(made.contains("for k"), "{made}");
        }
    }
}
