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

use crate::ir::{
    Block, BufferId, BufferSet, Effects, Expr, ExprKind, IterId, Phase, Place, Program, Stmt, walk,
};
use crate::map::Map;

/// Removes such stores; whether there was one.
pub(super) fn remove(program: &mut Program) -> bool {
    program.with_body(|program, body| scopes(program, body))
}

/// The scopes in a block, inner ones first.
fn scopes(program: &Program, block: &mut Block) -> bool {
    let mut removed = false;
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(|inner| removed |= scopes(program, inner));
        let Some((buffers, body)) = stmt.as_scope_mut() else { continue };
        let is_array = |&buffer: &BufferId| program[buffer].rank() > 0 && program[buffer].elem.is_float();
        let mut ending: BufferSet = buffers.iter().copied().filter(is_array).collect();
        if !ending.is_empty() {
            removed |= last(program, body, &mut ending);
        }
    }
    removed
}

/// Removes the last accesses in the block to the buffers that nothing behind it accesses, `ending`, where they are
/// stores; leaves of these buffers those that nothing in the block accesses any more. Whether there was one.
fn last(program: &Program, block: &mut Block, ending: &mut BufferSet) -> bool {
    let before = block.len();
    let mut removed = false;
    for at in (0..before).rev() {
        if ending.is_empty() {
            break;
        }
        let stmt = &mut block[at];
        if is_last_store(stmt, ending) {
            block.remove(at);
            continue;
        }
        if let Some(each) = stmt.as_for_mut() {
            let mut inside = apart(&each.body, ending, each.iter);
            each.bounds().into_iter().for_each(|it| it.reads(program, &mut |buffer| inside.remove(buffer)));
            removed |= last(program, &mut each.body, &mut inside);
        } else if stmt.as_scope().is_some() || stmt.as_if().is_some() || stmt.as_guarded().is_some() {
            for inner in stmt.blocks_mut() {
                removed |= last(program, inner, &mut ending.clone());
            }
        }
        let Effects { reads, writes } = Effects::of(program, std::slice::from_ref(stmt));
        ending.subtract(&reads);
        ending.subtract(&writes);
    }
    removed || block.len() < before
}

/// Whether the statement stores to a buffer whose contents end behind it.
fn is_last_store(stmt: &Stmt, ending: &BufferSet) -> bool {
    let phase = stmt.origin.phase;
    stmt.as_store()
        .is_some_and(|(target, value)| ending.contains(target.buffer) && may_go(target, value, phase))
}

fn may_go(target: &Place, value: &Expr, phase: Phase) -> bool {
    value.may_be_dropped(phase) && target.index.iter().all(|index| index.may_be_dropped(phase))
}

/// The buffers of which the iterations access different elements: the iterator is the index of one dimension in all
/// accesses.
fn apart(body: &Block, ending: &BufferSet, iter: IterId) -> BufferSet {
    // of each buffer, the dimensions whose index is the iterator in all accesses
    let mut dims: Map<BufferId, Vec<bool>> = Map::default();
    let mut whole = BufferSet::new();
    let mut see = |place: &Place| {
        if !ending.contains(place.buffer) {
            return;
        }
        let is_iter = |index: &Expr| matches!(index.kind, ExprKind::Iter(it) if it == iter);
        let known = dims.entry(place.buffer).or_insert_with(|| vec![true; place.index.len()]);
        known.iter_mut().zip(&place.index).for_each(|(dim, index)| *dim &= is_iter(index));
    };
    let mut visit = |stmt: &Stmt| {
        if let Some((target, _)) = stmt.as_store() {
            see(target);
        }
        stmt.whole().for_each(|buffer| _ = whole.insert(buffer));
        stmt.each_expr(&mut |expr| expr.each_load(&mut see));
    };
    walk(body, &mut visit);
    let mut apart: BufferSet =
        dims.into_iter().filter(|(_, dims)| dims.contains(&true)).map(|(buffer, _)| buffer).collect();
    apart.subtract(&whole);
    apart
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
