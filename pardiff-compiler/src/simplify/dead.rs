//! Stores that nothing reads.
//!
//! ```text
//! before                                   after
//!   scope y_bar, t                           scope y_bar
//!     t = exp(x[i])                            y_bar = d_z
//!     y_bar = d_z                              d_x[i] += y_bar
//!     d_x[i] += y_bar
//!     y_bar = 0.0
//! ```
//!
//! *Legality.* A backward analysis of which buffers are *live*: their content may still be read by something that has
//! an effect. Parameters and results are live at the end; contents end with their `Scope`. A store to a buffer that
//! is not live has no effect and goes, and what it read is not live because of it (so `x = x + 1` goes where `x` is
//! not read otherwise). An assignment to a scalar ends the life of what was there; an element of an array does not.
//! Around a loop the analysis is iterated from the live buffers after it until nothing is added, which finds the
//! smallest solution. `Check`s are effects. A store of the primal whose value may panic stays.

use crate::ir::{
    Block, BufferSet, Callee, Expr, ExprKind, For, IterId, Place, Program, Stmt, StmtKind, While, walk,
};
use crate::map::Map;

/// Removes dead stores; whether there was one.
pub(super) fn eliminate(program: &mut Program) -> bool {
    let mut live: BufferSet = program.params.iter().chain(&program.results).copied().collect();
    let mut body = std::mem::take(&mut program.body);
    let mut pass = Pass { program, known: Map::default(), removed: false };
    pass.block(&mut body, &mut live, Mode::Remove);
    let removed = pass.removed;
    program.body = body;
    removed
}

/// Whether dead stores are removed, or the analysis only looks.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Look,
    Remove,
}

/// What was found of a loop when it was looked at last.
struct Repeated {
    /// The live buffers behind it.
    behind: BufferSet,
    /// Those at the begin and the end of an iteration.
    around: BufferSet,
    has_effect: bool,
}

struct Pass<'p> {
    program: &'p Program,
    /// By iterator, which belongs to one loop. A loop is looked at in each round of the loops around it, most of which
    /// change nothing for it.
    known: Map<IterId, Repeated>,
    removed: bool,
}

impl Pass<'_> {
    /// Goes through the block backwards; returns whether anything in it has an effect.
    fn block(&mut self, block: &mut Block, live: &mut BufferSet, mode: Mode) -> bool {
        let mut has_effect = false;
        let mut keep = vec![true; block.len()];
        for (stmt, keep) in block.iter_mut().zip(&mut keep).rev() {
            *keep = self.statement(stmt, live, mode);
            has_effect |= *keep;
        }
        if mode == Mode::Remove && keep.contains(&false) {
            self.removed = true;
            let mut keep = keep.into_iter();
            block.retain(|_| keep.next().unwrap_or(true));
        }
        has_effect
    }

    /// The live buffers before the statement from those after it; whether the statement has an effect.
    fn statement(&mut self, stmt: &mut Stmt, live: &mut BufferSet, mode: Mode) -> bool {
        let program = self.program;
        let phase = stmt.origin.phase;
        let is_assign = stmt.as_assign().is_some();
        match &mut stmt.kind {
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                let may_go = value.may_be_dropped(phase)
                    && target.index.iter().all(|index| index.may_be_dropped(phase));
                let is_live = live.contains(target.buffer) && !is_load_of(value, target);
                if !is_live && may_go {
                    return false;
                }
                if !is_assign {
                    // kept for its panics alone, it still reads what it updates
                    live.insert(target.buffer);
                } else if target.index.is_empty() {
                    live.remove(target.buffer);
                }
                target.index.iter().chain([&*value]).for_each(|expr| read(program, expr, live));
                true
            }
            StmtKind::Swap { a, b } => {
                let was = [(*a, live.contains(*b)), (*b, live.contains(*a))];
                live.remove(*a);
                live.remove(*b);
                live.extend(was.into_iter().filter(|(_, is_live)| *is_live).map(|(buffer, _)| buffer));
                was[0].1 || was[1].1
            }
            StmtKind::Check { .. } => {
                stmt.each_expr(&mut |expr| read(program, expr, live));
                true
            }
            StmtKind::Call { callee: Callee::Reserve(rows), writes, .. } => {
                let reached = writes.iter().any(|&buffer| live.contains(buffer));
                if reached {
                    read(program, rows, live);
                }
                reached
            }
            StmtKind::Call { reads, .. } => {
                live.extend(reads.iter().copied());
                stmt.each_expr(&mut |expr| read(program, expr, live));
                true
            }
            StmtKind::Scope { buffers, body } => {
                buffers.iter().for_each(|&buffer| live.remove(buffer));
                self.block(body, live, mode);
                buffers.iter().for_each(|&buffer| live.remove(buffer));
                buffers
                    .iter()
                    .flat_map(|&buffer| &program[buffer].dims)
                    .for_each(|expr| read(program, expr, live));
                // an empty one is for `control` to judge: the extents of the primal may panic
                true
            }
            StmtKind::If { cond, then, els } => {
                let mut other = live.clone();
                let mut has_effect = self.block(then, live, mode);
                has_effect |= self.block(els, &mut other, mode);
                live.union(&other);
                if has_effect || !cond.may_be_dropped(phase) {
                    read(program, cond, live);
                    return true;
                }
                false
            }
            StmtKind::Guarded { fact, then, els } => {
                let mut other = live.clone();
                self.block(then, live, mode);
                self.block(els, &mut other, mode);
                live.union(&other);
                read(program, fact, live);
                true
            }
            StmtKind::For(For { iter, lo, hi, step, body, .. }) => {
                let has_effect = self.repeated(*iter, body, live, mode);
                let bounds = [&*lo, &*hi, &*step];
                if has_effect || !bounds.iter().all(|bound| bound.may_be_dropped(phase)) {
                    bounds.iter().for_each(|bound| read(program, bound, live));
                    return true;
                }
                false
            }
            StmtKind::While(While { head, cond, body, .. }) => {
                // head; while cond { body; head }: the condition is read after the head
                loop {
                    let mut before = live.clone();
                    self.block(body, &mut before, Mode::Look);
                    read(program, cond, &mut before);
                    let mut entry = before.clone();
                    self.block(head, &mut entry, Mode::Look);
                    before.union(&entry);
                    if !live.union(&before) {
                        break;
                    }
                }
                let mut around = live.clone();
                self.block(body, &mut around, mode);
                around = live.clone();
                self.block(head, &mut around, mode);
                live.union(&around);
                true
            }
            StmtKind::Fork { tasks } => {
                // tasks may run in any order: whatever one of them reads is live in all
                for task in tasks.iter() {
                    walk(task, &mut |stmt| stmt.each_evaluated(program, &mut |it| read(program, it, live)));
                }
                true
            }
        }
    }

    /// A body that runs any number of times; whether it has an effect.
    fn repeated(&mut self, iter: IterId, body: &mut Block, live: &mut BufferSet, mode: Mode) -> bool {
        let behind = live.clone();
        let mut has_effect = None;
        if let Some(known) = self.known.get(&iter) {
            if known.behind == behind {
                has_effect = Some(known.has_effect);
            }
            // the more is live behind a loop, the more is live in it
            if !behind.clone().union(&known.behind) {
                live.union(&known.around);
            }
        }
        let has_effect = has_effect.unwrap_or_else(|| {
            loop {
                let mut before = live.clone();
                let has_effect = self.block(body, &mut before, Mode::Look);
                if !live.union(&before) {
                    self.known.insert(iter, Repeated { behind, around: live.clone(), has_effect });
                    break has_effect;
                }
            }
        });
        if mode == Mode::Remove {
            self.block(body, &mut live.clone(), mode);
        }
        has_effect
    }
}

fn read(program: &Program, expr: &Expr, live: &mut BufferSet) {
    expr.reads(program, &mut |buffer| _ = live.insert(buffer));
}

/// `x = x`
fn is_load_of(value: &Expr, target: &Place) -> bool {
    matches!(&value.kind, ExprKind::Load(place) if place == target)
}

#[cfg(test)]
mod tests {
    use super::eliminate;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::Program;
    use crate::ir::interp::Array;

    fn dead(mut program: Program) -> Program {
        eliminate(&mut program);
        program
    }

    #[test]
    fn stores_that_nothing_reads_go_also_around_loops() {
        assert_pass(
            dead,
            "
            fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)], n: in usize) -> s: f64
              scope t: f64, y_bar: f64, a: f64, b: f64, kept: f64, work: f64[n]
                s = 0.0
                a = 1.0
                b = 2.0
                kept = 3.0
                for i in 0..len(x)
                  t = exp(x[i])
                  y_bar = 2.0 * kept
                  d_x[i] += y_bar
                  y_bar = 0.0
                  a = a + b
                  b = b + a
                  s += kept
                  kept = x[i]
                for j in 0..n
                  work[j] = s
                s = s
            ",
            "
            fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)], n: in usize) -> s: f64
              scope t: f64, y_bar: f64, a: f64, b: f64, kept: f64, work: f64[n]
                s = 0.0
                kept = 3.0
                for i in 0..len(x)
                  y_bar = 2.0 * kept
                  d_x[i] += y_bar
                  s += kept
                  kept = x[i]
            ",
            vec![vec![Array::floats(&[1.0, 2.0]), Array::floats(&[0.0, 0.5]), Array::int(2)]],
        );
    }

    #[test]
    fn swapped_buffers_live_under_each_others_name() {
        assert_pass(
            dead,
            "
            fn f(x: in f64) -> s: f64
              scope a: f64[2], b: f64[2], c: f64[2], d: f64[2]
                a[0] = x
                b[0] = x * 2.0
                c[0] = x
                swap a, b
                swap c, d
                s = a[0]
            ",
            "
            fn f(x: in f64) -> s: f64
              scope a: f64[2], b: f64[2], c: f64[2], d: f64[2]
                b[0] = x * 2.0
                swap a, b
                s = a[0]
            ",
            vec![vec![Array::float(1.5)]],
        );
    }

    #[test]
    fn a_reduction_that_may_panic_keeps_what_it_updates() {
        assert_unchanged(
            dead,
            "
            fn f(x: in f64[_], n: in usize)
              scope s: f64
                s = 0.0
                s += x[0 % n]
            ",
        );
    }

    #[test]
    fn a_dead_integer_that_may_overflow_stays_in_the_primal_alone() {
        assert_unchanged(
            dead,
            "
            fn f(n: in usize)
              scope k: usize
                k = n - 1
            ",
        );
        assert_pass(
            dead,
            "
            fn f(n: in usize)
              scope k: usize, j: usize
                k = n # adjoint
                j = n - 1 # adjoint
            ",
            "
            fn f(n: in usize)
              scope k: usize, j: usize
            ",
            vec![vec![Array::int(1)]],
        );
    }
}
