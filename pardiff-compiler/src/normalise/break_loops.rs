//! Loops of few iterations that a flag ends stop there, where each iteration would take room in every step of time.
//!
//! ```text
//! before                                   after
//!   for t in 0..n                            for t in 0..n
//!     goes_on = true                           goes_on = true
//!     for k in 0..20                           loop k
//!       if goes_on                               while goes_on & (k < 20)
//!         x = x - f(x, t)                        x = x - f(x, t)
//!         if abs(f(x, t)) < 1e-9                 if abs(f(x, t)) < 1e-9
//!           goes_on = false                        goes_on = false
//! ```
//!
//! The front end counts a loop of few iterations that is left early: an idle iteration is a comparison, and loops around it may
//! run in lanes. But what the reverse sweep needs of each iteration has a slot whether that does something or not, in each step of a
//! loop over time: twenty systems of equations for the three that a Newton iteration solves. An implicit step with systems of
//! three unknowns takes a fifth of the time (gradient, 60 -> 12 ms).
//!
//! *Legality.* The whole body is under the flag, and nothing else in the loop writes the flag: once it is false all iterations
//! that are left do nothing.
//!
//! *Where.* In a loop one of whose iterations uses what another one writes, and in no loop whose iterations commute: that one has
//! lanes, and the room of one iteration at a time.

use crate::ir::{
    BinOp, Block, Expr, ExprKind, For, IterId, Marks, Order, Program, Stmt, StmtKind, Ty, While,
};
use crate::limits::STAY_COUNTED;
use crate::poly::Analysis;
use std::collections::BTreeSet;

/// Lets loops end where their flags end them.
pub fn end(mut program: Program) -> Program {
    let mut found = Vec::new();
    find(&program.body, &mut Vec::new(), &mut found);
    if found.is_empty() {
        return program;
    }
    let analysis = Analysis::new(&program);
    let commute =
        |&iter: &IterId| analysis.carried_by(iter).iter().all(|carried| carried.is_reduction_only());
    let ends: BTreeSet<IterId> = found
        .iter()
        .filter(|(_, around)| !around.is_empty() && !around.iter().any(commute))
        .map(|&(iter, _)| iter)
        .collect();
    drop(analysis);
    rewrite(&mut program.body, &ends);
    program
}

/// The loops in question, each with the counted ones around it.
fn find(block: &Block, around: &mut Vec<IterId>, found: &mut Vec<(IterId, Vec<IterId>)>) {
    for stmt in block {
        if let Some(each) = stmt.as_for().filter(|each| flag_of(each).is_some()) {
            found.push((each.iter, around.clone()));
        }
        let iter = stmt.iter();
        around.extend(iter);
        stmt.blocks().into_iter().for_each(|block| find(block, around, found));
        around.truncate(around.len() - usize::from(iter.is_some()));
    }
}

/// The flag that all iterations of the loop are under.
fn flag_of(each: &For) -> Option<&Expr> {
    let (ExprKind::Int(0), ExprKind::Int(hi)) = (&each.lo.kind, &each.hi.kind) else { return None };
    let is_plain = each.lo.ty == Ty::USIZE
        && each.step == Expr::usize(1)
        && each.order == Order::Up
        && each.marks == Marks::default();
    if !is_plain || each.inclusive || *hi <= STAY_COUNTED {
        return None;
    }
    let [Stmt { kind: StmtKind::If { cond, els, .. }, .. }] = &each.body[..] else { return None };
    let ExprKind::Load(flag) = &cond.kind else { return None };
    (els.is_empty() && flag.index.is_empty()).then_some(cond)
}

fn rewrite(block: &mut Block, ends: &BTreeSet<IterId>) {
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(|block| rewrite(block, ends));
        let Some(each) = stmt.as_for_mut() else { continue };
        if !ends.contains(&each.iter) {
            continue;
        }
        let Some(Stmt { kind: StmtKind::If { cond, then, .. }, .. }) = each.body.pop() else { continue };
        let is_left = Expr::iter(each.iter, Ty::USIZE).below(each.hi.clone());
        let cond = Expr::binary(BinOp::BitAnd, cond, is_left);
        stmt.kind = StmtKind::While(While {
            counter: each.iter,
            head: Block::new(),
            cond,
            body: then,
            checkpoint: each.marks.checkpoint,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::end;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    /// A Newton iteration in each step of a loop; `update` is what the step does with the root.
    fn iterations(update: &str, count: &str) -> String {
        format!(
            "
            fn f(x: inout f64[_], y: inout f64) -> k: usize
              k = 0
              for t in 0..len(x)
                scope goes_on: bool, z: f64
                  goes_on = true
                  z = y
                  for i in 0..{count}
                    if goes_on
                      z = 0.5 * (z + x[t] / z)
                      k = k + 1
                      if abs(z * z - x[t]) < 1e-9
                        goes_on = false
                  {update}
            "
        )
    }

    #[test]
    fn a_loop_in_steps_of_time_ends_where_its_flag_says_so() {
        assert_pass(
            end,
            &iterations("y = z", "20"),
            "
            fn f(x: inout f64[_], y: inout f64) -> k: usize
              k = 0
              for t in 0..len(x)
                scope goes_on: bool, z: f64
                  goes_on = true
                  z = y
                  loop i
                    while goes_on & (i < 20)
                    z = 0.5 * (z + x[t] / z)
                    k = k + 1
                    if abs(z * z - x[t]) < 1e-9
                      goes_on = false
                  y = z
            ",
            vec![vec![Array::floats(&[2.0, 3.0, -1.0, 1e9]), Array::float(1.0)]],
        );
    }

    #[test]
    fn loops_of_few_iterations_and_in_loops_whose_iterations_commute_stay() {
        assert_unchanged(end, &iterations("y = z", "8"));
        let apart = iterations("x[t] = z", "20").replace("k = k + 1", "k += 1");
        assert_unchanged(end, &apart);
    }

    #[test]
    fn what_is_not_under_the_flag_stays() {
        let text = iterations("y = z", "20");
        let behind = text.replace("                  y = z", "                    y = z");
        assert_ne!(text, behind);
        assert_unchanged(end, &behind);
    }
}
