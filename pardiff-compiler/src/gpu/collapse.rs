//! Loop collapse: a kernel's loop and the one inside it become threads together, though iterations of the inner one
//! meet in sums whose elements the outer one owns.
//!
//! ```text
//! for h in 0..heads                          if heads < 132
//!   for i in 0..n                              grid: for h in 0..heads     # a block, or a thread, for each pair
//!     …                                  =>      grid: for i in 0..n
//!     for t in 0..65                               …
//!       for x in 0..d                              for t in 0..65
//!         d_v[(h * n + i + t) * d + x] += …          for x in 0..d
//!                                                      d_v[(h * n + i + t) * d + x] += …   # gathered, or atomic
//!                                            else
//!                                              grid: for h in 0..heads
//!                                                for i in 0..n …
//! ```
//!
//! The outer loop alone owns its sums, which then cost nothing; but where it has fewer iterations than a device has
//! multiprocessors, most of these have no work. Sizes decide when the program runs. Scalars that are defined between
//! the two loops are computed by each thread.
//!
//! **Legality.** Two threads that differ in the iteration of the outer loop meet in nothing but its sums, by the
//! proof for that loop. Two that agree in it meet in nothing but the sums of the inner one, by the proof for that
//! loop. So whatever meets is a sum of one of them, and gets a scheme that lets all threads meet:
//! [`sorted_scatter`](super::sorted_scatter) gathers it, and where it cannot, additions are atomic. That is why
//! functions that deny these are left alone.

use super::blocks::fewer_than;
use super::grids::has_atomics;
use crate::ir::{
    BufferId, Expr, For, IterId, Layout, Program, ReduceOp, Stmt, StmtKind, clone_stmts, walk_mut, written,
};
use crate::limits::BLOCKS_THAT_FILL_A_DEVICE;
use std::collections::{HashMap, HashSet};

/// Kernels, by their outermost loop, and when they are to be collapsed.
pub(super) type Collapsible = HashMap<IterId, Expr>;

/// When `next`, which meets in `sums` of an iteration of `loops`, is to be threads as well.
///
/// An iteration of it must have loops: where it has none, the threads of a block share it out and add up its sums
/// themselves.
pub(super) fn wanted(
    program: &Program,
    loops: &[&For],
    next: &For,
    sums: &[(BufferId, ReduceOp)],
) -> Option<Expr> {
    let mut has_loops = false;
    next.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| has_loops |= stmt.as_for().is_some()));
    let is_added = |&(id, op): &(BufferId, ReduceOp)| {
        let of = &program[id];
        let is_plain = matches!(of.layout, Layout::RowMajor | Layout::Padded(_));
        op == ReduceOp::Add && has_atomics(of.elem) && is_plain && of.rank() > 0
    };
    if !has_loops || !sums.iter().all(is_added) {
        return None;
    }
    fewer_than(program, loops, BLOCKS_THAT_FILL_A_DEVICE)
}

/// The program with scalars of an iteration defined where they are used, so that loops stand directly inside of
/// loops; `None` where that changes nothing.
///
/// ```text
/// for h in 0..heads                    for h in 0..heads
///   scope step                           for i in 0..n
///     step = select(h < 2, 4, 1)   =>      scope step
///     for i in 0..n                          step = select(h < 2, 4, 1)
///       … step …                             … step …
/// ```
///
/// **Legality.** What is defined is a value of the outer iteration: computing it cannot fail, the inner loop writes
/// neither it nor what it is computed from, and its bounds do not read it.
pub(super) fn nested(program: &Program) -> Option<Program> {
    let (mut nested, mut changed) = (program.clone(), false);
    nested.with_body(|program, body| {
        walk_mut(body, &mut |stmt| changed |= sink(program, stmt));
    });
    changed.then_some(nested)
}

/// Moves the definitions between a loop and the one loop inside of it into that one.
fn sink(program: &Program, stmt: &mut Stmt) -> bool {
    let Some(each) = stmt.as_for_mut() else { return false };
    let [Stmt { kind: StmtKind::Scope { buffers, body }, .. }] = &mut each.body[..] else { return false };
    let Some((Stmt { kind: StmtKind::For(inner), .. }, definitions)) = body.split_last_mut() else {
        return false;
    };
    let mut own = written(&inner.body);
    let is_value = |stmt: &Stmt| {
        stmt.as_assign().is_some_and(|(target, value)| {
            buffers.contains(&target.buffer)
                && !own.contains(target.buffer)
                && value.is_total()
                && !value.reads_any(program, &own)
        })
    };
    if !buffers.iter().all(|&id| program[id].rank() == 0) || !definitions.iter().all(is_value) {
        return false;
    }
    buffers.iter().for_each(|&id| _ = own.insert(id));
    if inner.bounds().into_iter().any(|bound| bound.reads_any(program, &own)) {
        return false;
    }
    let (buffers, mut body) = (std::mem::take(buffers), std::mem::take(body));
    let nest = body.pop();
    each.body.clear();
    each.body.extend(nest);
    if let [Stmt { kind: StmtKind::For(inner), origin }] = &mut each.body[..] {
        body.append(&mut inner.body);
        inner.body = vec![Stmt::new(StmtKind::Scope { buffers, body }, *origin)];
    }
    true
}

/// Puts a copy of each of these kernels beside it; gives the outermost loops of those that are collapsed.
pub(super) fn versions(program: &mut Program, collapsible: &Collapsible) -> HashSet<IterId> {
    let mut collapsed = HashSet::new();
    program.with_body(|program, body| {
        body.iter_mut().for_each(|stmt| version(program, stmt, collapsible, &mut collapsed));
    });
    collapsed
}

fn version(
    program: &mut Program,
    stmt: &mut Stmt,
    collapsible: &Collapsible,
    collapsed: &mut HashSet<IterId>,
) {
    let Some(cond) = stmt.iter().and_then(|iter| collapsible.get(&iter)) else {
        let inner = stmt.blocks_mut().into_iter().flatten();
        inner.for_each(|inner| version(program, inner, collapsible, collapsed));
        return;
    };
    let mut then = clone_stmts(program, std::slice::from_ref(stmt));
    then.iter_mut().for_each(|stmt| _ = sink(program, stmt));
    collapsed.extend(then.iter().filter_map(Stmt::iter));
    let origin = stmt.origin;
    let plain = std::mem::replace(stmt, Stmt::new(StmtKind::Fork { tasks: Vec::new() }, origin));
    stmt.kind = StmtKind::If { cond: cond.clone(), then, els: vec![plain] };
}

#[cfg(test)]
mod tests {
    use crate::equivalence::program;
    use crate::gpu::schedule_for_gpu;
    use crate::gpu::tests::{numbers, scheduled};
    use crate::ir::interp::Array;
    use crate::ir::{Exec, Level, Program, StmtKind, thread_loops};
    use crate::schedule::Options;

    /// Scheduled, and run with several numbers of blocks and rows, also with more blocks than are collapsed.
    fn of(text: &str) -> Program {
        let sizes = [(0, 3), (1, 1), (3, 0), (2, 5), (5, 4), (140, 2)];
        let runs: Vec<Vec<Array<f64>>> = sizes
            .iter()
            .map(|&(heads, n)| {
                let counts = [heads, n].map(|count| Array::int(count as i128));
                let d = Array { dims: vec![heads, n, 3], ..numbers(heads * n * 3) };
                [d, numbers(heads * n)].into_iter().chain(counts).collect()
            })
            .collect();
        scheduled(text, &runs)
    }

    /// Of the kernels over `h`: how many have `i` as threads as well, and how many do not.
    fn kernels(program: &Program) -> [usize; 2] {
        let mut found = [0; 2];
        program.body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                if let StmtKind::For(each) = &stmt.kind
                    && &*program[each.iter].name == "h"
                    && each.exec == Exec::Parallel(Level::Grid)
                {
                    found[usize::from(thread_loops(each).len() == 1)] += 1;
                }
            });
        });
        found
    }

    const ROWS: &str = "
        fn f(d: inout f64[_, _, _], e: in f64[_], heads: in usize, n: in usize)
          for h in 0..heads
            scope step: usize
              step = select(h < 2, 2, 1)
              for i in 0..n
                for t in 0..3
                  if i + t < n
                    for x in 0..3
                      d[h, i + t, x] += e[h * n + i] * step as f64
    ";

    #[test]
    fn few_iterations_that_own_sums_are_collapsed_with_a_loop_that_meets_in_them() {
        let after = of(ROWS);
        let text = after.to_string();
        assert!(text.contains("heads < 132"), "sizes decide: {text}");
        let [together, alone] = kernels(&after);
        assert!(together > 0 && alone > 0, "{text}");
        assert!(text.contains("d_keys") || text.contains("atomic"), "all threads may meet: {text}");
    }

    #[test]
    fn what_the_inner_loop_carries_keeps_it_in_order() {
        let carried = ROWS.replace("] += e[h * n + i]", "] = d[h, i, 0] + e[h * n + i]");
        assert_eq!(kernels(&of(&carried)), [0, 1]);
    }

    #[test]
    fn definitions_that_the_inner_loop_depends_on_stay_before_it() {
        let bound = ROWS.replace("in 0..n\n", "in step..n\n");
        assert_eq!(kernels(&of(&bound)), [0, 1]);
    }

    #[test]
    fn sums_of_an_inner_loop_without_loops_are_its_blocks() {
        let flat = "
        fn f(d: inout f64[_, _, _], e: in f64[_], heads: in usize, n: in usize)
          for h in 0..heads
            for i in 0..n
              d[h, 0, 0] += e[h * n + i]
        ";
        assert_eq!(kernels(&of(flat)), [0, 2]);
    }

    #[test]
    fn functions_that_deny_atomic_additions_are_left_alone() {
        let denied = schedule_for_gpu(program(ROWS), &Options::default(), false, true);
        let after = denied.expect("no sum is atomic").program;
        assert_eq!(kernels(&after), [0, 1], "{after}");
    }
}
