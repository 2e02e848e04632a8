//! Stores that are the last thing done to an element of a local array.
//!
//! ```text
//! before                                   after
//!   scope y_bar: f64[d]                      scope y_bar: f64[d]
//!     …                                        …
//!     for j in 0..d                            for j in 0..d
//!       t = y_bar[j]                             t = y_bar[j]
//!       y_bar[j] = 0.0                           d_x[j] += t * x[j]
//!       d_x[j] += t * x[j]
//! ```
//!
//! *Legality.* Contents end with their `Scope`, so a store goes that no statement behind it in the scope reads: one to
//! which the last statement of the scope that accesses the array comes down. Of a loop, where all accesses have its
//! iterator as the index of the same dimension: no two iterations access one element then, and what is last in an
//! iteration is last. Of a condition, in each of its arms. Of arrays of floats alone, which are no positions of others.
//! A store of the primal whose value or index may panic stays. (`dead` knows whole arrays only.)

use crate::ir::{Block, BufferId, Expr, ExprKind, For, IterId, Phase, Place, Program, Stmt, StmtKind};

/// Removes such stores; whether there was one.
pub(super) fn remove(program: &mut Program) -> bool {
    let mut body = std::mem::take(&mut program.body);
    let removed = scopes(program, &mut body);
    program.body = body;
    removed
}

/// The scopes in a block, inner ones first.
fn scopes(program: &Program, block: &mut Block) -> bool {
    let mut removed = false;
    for stmt in block {
        for inner in stmt.blocks_mut() {
            removed |= scopes(program, inner);
        }
        let StmtKind::Scope { buffers, body } = &mut stmt.kind else { continue };
        for &buffer in buffers.iter() {
            if program[buffer].rank() > 0 && program[buffer].elem.is_float() {
                while last(buffer, body) {
                    removed = true;
                }
            }
        }
    }
    removed
}

/// Removes the last access to the buffer in the block if it is a store.
fn last(buffer: BufferId, block: &mut Block) -> bool {
    let Some(at) = block.iter().rposition(|stmt| accesses(stmt, buffer, &mut |_| true)) else { return false };
    let stmt = &mut block[at];
    let phase = stmt.origin.phase;
    match &mut stmt.kind {
        StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. }
            if target.buffer == buffer && may_go(target, value, phase) =>
        {
            block.remove(at);
            true
        }
        StmtKind::For(For { iter, body, lo, hi, step, .. }) => {
            let bounds = [&*lo, &*hi, &*step];
            !bounds.into_iter().any(|bound| reads(bound, buffer))
                && are_apart(body, buffer, *iter)
                && last(buffer, body)
        }
        StmtKind::Scope { body, .. } => last(buffer, body),
        StmtKind::If { then, els, .. } | StmtKind::Guarded { then, els, .. } => {
            let removed = last(buffer, then);
            last(buffer, els) | removed
        }
        _ => false,
    }
}

fn may_go(target: &Place, value: &Expr, phase: Phase) -> bool {
    value.may_be_dropped(phase) && target.index.iter().all(|index| index.may_be_dropped(phase))
}

/// Whether the iterations access different elements: the iterator is the index of one dimension in all accesses.
fn are_apart(body: &Block, buffer: BufferId, iter: IterId) -> bool {
    let mut rank = None;
    let mut apart: Vec<usize> = Vec::new();
    for stmt in body {
        accesses(stmt, buffer, &mut |place| {
            let Some(place) = place else {
                (rank, apart) = (Some(0), Vec::new());
                return false;
            };
            let by_iter = |&dim: &usize| place.index[dim].kind == ExprKind::Iter(iter);
            match rank {
                None => {
                    rank = Some(place.index.len());
                    apart = (0..place.index.len()).filter(by_iter).collect();
                }
                Some(_) => apart.retain(by_iter),
            }
            false
        });
    }
    !apart.is_empty()
}

/// Calls `visit` on each place of the buffer in the statement, with nothing where all of it is accessed, until it
/// returns `true`; whether it did.
fn accesses(stmt: &Stmt, buffer: BufferId, visit: &mut impl FnMut(Option<&Place>) -> bool) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| {
        if found {
            return;
        }
        match &stmt.kind {
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } if target.buffer == buffer => {
                found |= visit(Some(target));
            }
            StmtKind::Swap { a, b } if *a == buffer || *b == buffer => found |= visit(None),
            StmtKind::Call { reads, writes, .. } if reads.contains(&buffer) || writes.contains(&buffer) => {
                found |= visit(None);
            }
            _ => {}
        }
        for expr in stmt.exprs() {
            expr.walk(&mut |expr| {
                if let ExprKind::Load(place) = &expr.kind
                    && place.buffer == buffer
                    && !found
                {
                    found |= visit(Some(place));
                }
            });
        }
    });
    found
}

fn reads(expr: &Expr, buffer: BufferId) -> bool {
    let mut found = false;
    expr.walk(&mut |expr| found |= matches!(&expr.kind, ExprKind::Load(place) if place.buffer == buffer));
    found
}

#[cfg(test)]
mod tests {
    use super::remove;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::Program;
    use crate::ir::interp::Array;

    fn last(mut program: Program) -> Program {
        remove(&mut program);
        program
    }

    #[test]
    fn what_an_iteration_stores_last_in_its_own_elements_goes() {
        assert_pass(
            last,
            "
            fn f(x: in f64[_], y: inout f64[len(x)], n: in usize)
              for c in 0..n
                scope t: f64, z: f64[len(x), 2]
                  for i in 0..len(x)
                    z[i, 0] = x[i]
                    z[i, 1] = 2.0
                  for j in 0..len(x) down
                    t = z[j, 0]
                    z[j, 0] = 0.0
                    if t > 1.0
                      y[j] += t * z[j, 1]
                      z[j, 0] += t
                    else
                      z[j, 1] = 1.0
            ",
            "
            fn f(x: in f64[_], y: inout f64[len(x)], n: in usize)
              for c in 0..n
                scope t: f64, z: f64[len(x), 2]
                  for i in 0..len(x)
                    z[i, 0] = x[i]
                    z[i, 1] = 2.0
                  for j in 0..len(x) down
                    t = z[j, 0]
                    z[j, 0] = 0.0
                    if t > 1.0
                      y[j] += t * z[j, 1]
            ",
            vec![vec![Array::floats(&[1.0, 2.0]), Array::floats(&[0.0, 0.5]), Array::int(2)]],
        );
    }

    #[test]
    fn what_another_iteration_or_a_later_statement_reads_stays() {
        for (body, behind) in [
            ("s += z[k]\n                    z[j] = 0.0", ""),
            ("s += z[j]\n                    z[j] = 0.0", "s += z[1]"),
            ("s += z[j]\n                    z[0] = 1.0", ""),
            ("s += z[j] + z[j - j]\n                    z[j] = 0.0", ""),
            ("z[j] = x[j]\n                    s += z[j]", ""),
        ] {
            assert_unchanged(
                last,
                &format!(
                    "
            fn f(x: in f64[_], k: in usize) -> s: f64
              s = 0.0
              for c in 0..2
                scope z: f64[len(x)]
                  for i in 0..len(x)
                    z[i] = x[i]
                  for j in 0..len(x)
                    {body}
                  {behind}
            "
                ),
            );
        }
        // the scope is around the loop
        assert_unchanged(
            last,
            "
            fn f(x: in f64[_], n: in usize) -> s: f64
              s = 0.0
              scope z: f64[len(x)]
                for i in 0..len(x)
                  z[i] = x[i]
                for c in 0..2
                  for j in 0..len(x)
                    s += z[j]
                    z[j] = 0.0
            ",
        );
    }
}
