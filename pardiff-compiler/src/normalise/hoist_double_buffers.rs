//! An array that a step makes, and exchanges with one that outlives the step, is declared where that one is.
//!
//! ```text
//!                                         scope next: f64[n]
//! for t in 0..steps                         for t in 0..steps
//!   scope next: f64[n]                        for i { next[i] = e(u[i]) }
//!     for i { next[i] = e(u[i]) }     =>      swap u, next
//!     swap u, next
//! ```
//!
//! So `let mut next = vec![0.0; n]; …; u = next;` in a loop is what a user would write with two arrays, and what is known of
//! these is known of it.
//!
//! *Legality.* The content of an array is unspecified where its scope is entered, so it may be what the iteration before left
//! there. It has the extents of the other array, which stand in front of the loop and do not change while that one
//! lives; no more memory is taken than that one takes.

use crate::ir::{Block, BufferId, BufferSet, Layout, Program, Role, Stmt, StmtKind};

/// Declares the arrays that steps exchange around their loops.
pub fn declare_around(mut program: Program) -> Program {
    program.with_body(|program, body| visit(program, body));
    program
}

fn visit(program: &Program, block: &mut Block) {
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(|inner| visit(program, inner));
        let Some(body) = stmt.loop_body_mut() else { continue };
        let moved = taken(program, body);
        if !moved.is_empty() {
            let origin = stmt.origin;
            let looped = std::mem::replace(
                stmt,
                Stmt::new(StmtKind::Scope { buffers: moved, body: Block::new() }, origin),
            );
            if let Some((_, body)) = stmt.as_scope_mut() {
                body.push(looped);
            }
        }
    }
}

/// The arrays that an iteration declares and exchanges with those around the loop; their declarations are removed.
fn taken(program: &Program, body: &mut Block) -> Vec<BufferId> {
    let (mut declared, mut swaps) = (BufferSet::new(), Vec::new());
    for stmt in &*body {
        stmt.walk(&mut |stmt| {
            declared.extend(stmt.declares().iter().copied());
            swaps.extend(stmt.as_swap().into_iter().flat_map(|[a, b]| [(a, b), (b, a)]));
        });
    }
    let mut moved: Vec<BufferId> = Vec::new();
    let is_around = |it: BufferId, moved: &[BufferId]| !declared.contains(it) || moved.contains(&it);
    while let Some(&(own, _)) = swaps.iter().find(|&&(own, other)| {
        !is_around(own, &moved) && is_around(other, &moved) && are_alike(program, own, other)
    }) {
        moved.push(own);
    }
    let mut found = BufferSet::new();
    if !moved.is_empty() {
        take_out(body, &moved, &mut found);
    }
    moved.retain(|&it| found.contains(it));
    moved
}

fn are_alike(program: &Program, a: BufferId, b: BufferId) -> bool {
    let plain = |it: BufferId| program[it].role == Role::Local && program[it].layout == Layout::RowMajor;
    plain(a) && plain(b) && program[a].dims == program[b].dims
}

/// Removes the declarations of arrays from the scopes of an iteration, and says which were there. Those in loops inside stay.
fn take_out(block: &mut Block, arrays: &[BufferId], found: &mut BufferSet) {
    for stmt in block {
        if let Some((buffers, _)) = stmt.as_scope_mut() {
            buffers.retain(|it| !arrays.contains(it) || !found.insert(*it));
        }
        if !matches!(stmt.kind, StmtKind::For(_) | StmtKind::While(_) | StmtKind::Fork { .. }) {
            stmt.blocks_mut().into_iter().for_each(|inner| take_out(inner, arrays, found));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::declare_around;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn what_a_step_makes_and_exchanges_is_declared_around_the_loop() {
        let runs = [(0, 0), (3, 0), (3, 1), (4, 5)]
            .map(|(n, steps): (usize, i128)| vec![Array::floats(&vec![0.5; n]), Array::int(steps)]);
        assert_pass(
            declare_around,
            "
            fn f(x: inout f64[_], steps: in usize)
              scope u: f64[len(x)], old: f64[len(x)]
                for a in 0..len(x)
                  u[a] = x[a]
                for b in 0..len(x)
                  old[b] = x[b]
                for t in 0..steps
                  scope next: f64[len(x)], s: f64
                    for i in 0..len(x)
                      s = u[i] + 2.0 * old[i]
                      next[i] = s
                    swap old, u
                    swap u, next
                for c in 0..len(x)
                  x[c] = u[c]
            ",
            "
            fn f(x: inout f64[_], steps: in usize)
              scope u: f64[len(x)], old: f64[len(x)]
                for a in 0..len(x)
                  u[a] = x[a]
                for b in 0..len(x)
                  old[b] = x[b]
                scope next: f64[len(x)]
                  for t in 0..steps
                    scope s: f64
                      for i in 0..len(x)
                        s = u[i] + 2.0 * old[i]
                        next[i] = s
                      swap old, u
                      swap u, next
                for c in 0..len(x)
                  x[c] = u[c]
            ",
            runs.into(),
        );
    }

    #[test]
    fn what_is_exchanged_with_an_array_of_the_same_step_stays() {
        assert_unchanged(
            declare_around,
            "
            fn f(x: inout f64[_], steps: in usize)
              for t in 0..steps
                scope u: f64[len(x)], next: f64[len(x)]
                  for i in 0..len(x)
                    next[i] = x[i]
                  swap u, next
                  for j in 0..len(x)
                    x[j] = u[j] * 2.0
            ",
        );
    }

    #[test]
    fn of_loops_in_loops_the_array_leaves_those_that_the_other_one_is_around() {
        let runs = [(0, 2), (3, 0), (2, 3)]
            .map(|(n, steps): (usize, i128)| vec![Array::floats(&vec![0.5; n]), Array::int(steps)]);
        assert_pass(
            declare_around,
            "
            fn f(x: inout f64[_], steps: in usize)
              for s in 0..steps
                scope u: f64[len(x)]
                  for a in 0..len(x)
                    u[a] = x[a]
                  for t in 0..steps
                    if t > 0
                      scope next: f64[len(x)], w: f64
                        w = 3.0
                        for i in 0..len(x)
                          next[i] = u[i] * w
                        swap u, next
                  for c in 0..len(x)
                    x[c] = u[c]
            ",
            "
            fn f(x: inout f64[_], steps: in usize)
              for s in 0..steps
                scope u: f64[len(x)]
                  for a in 0..len(x)
                    u[a] = x[a]
                  scope next: f64[len(x)]
                    for t in 0..steps
                      if t > 0
                        scope w: f64
                          w = 3.0
                          for i in 0..len(x)
                            next[i] = u[i] * w
                          swap u, next
                  for c in 0..len(x)
                    x[c] = u[c]
            ",
            runs.into(),
        );
    }
}
