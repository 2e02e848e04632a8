//! Checking a fact when the program runs, and the two versions of the loop that the answer chooses between.
//!
//! ```text
//! scope rising: bool
//!   rising = (hi <= lo) | (saturating_add(hi, offset) < len(pointers))
//!   if rising
//!     for at in lo..hi
//!       if pointers[at + offset] > pointers[at + offset + 1]
//!         rising = false
//!   guard rising
//!     for i in lo..hi             # may be made parallel
//!       …
//!   otherwise
//!     for i in lo..hi             # as it was
//!       …
//! ```
//!
//! **Legality.** `rising` says of every `i` in `lo..hi` that `pointers[i + offset] <= pointers[i + offset + 1]`: the
//! greatest index that the pass reads is `hi + offset`, which is below the length, or there is no `i`. The pass reads
//! nothing else, writes nothing else and does not panic; where the array is too short the loop runs as it was, and its
//! own checks say so. Both versions are the same statements, with iterators and buffers of their own.

use crate::ir::{
    BinOp, Block, Buffer, BufferId, Expr, ExprKind, For, Func, IterId, Layout, Place, Program, Role, Stmt,
    StmtKind, Ty,
};
use crate::poly::Monotone;
use std::collections::HashMap;

/// Puts a loop by one under a guard that checks the fact; `None` for a loop that is no such. The loop itself, with its
/// iterators and buffers, is the version that relies on the fact.
pub fn guarded(program: &mut Program, fact: &Monotone, stmt: &Stmt) -> Option<Stmt> {
    let StmtKind::For(of) = &stmt.kind else { return None };
    let offset = usize::try_from(fact.offset).ok()?;
    let by_one = of.step.kind == ExprKind::Int(1) && of.lo.ty == Ty::USIZE && !of.inclusive;
    if !by_one || of.iter != fact.along || program[fact.pointers].rank() != 1 {
        return None;
    }
    let origin = stmt.origin;
    let new = |kind| Stmt::new(kind, origin);
    let rising = program.add_scalar("rising", Ty::Bool, Role::Local);
    let set = |value| new(StmtKind::Assign { target: Place::scalar(rising), value });
    let at = program.add_iter("at", Ty::USIZE);
    let place = Expr::iter(at, Ty::USIZE);
    let elem = program[fact.pointers].elem;
    let element = |offset: usize| {
        let index = if offset == 0 { place.clone() } else { place.clone() + Expr::usize(offset) };
        Place::new(fact.pointers, vec![index]).load(elem)
    };
    let falls = Expr::binary(BinOp::Gt, element(offset), element(offset + 1));
    let fall = new(StmtKind::If { cond: falls, then: vec![set(Expr::bool(false))], els: Block::new() });
    let mut pass = For::counted(at, of.hi.clone(), vec![fall]);
    pass.lo = of.lo.clone();
    let empty = Expr::binary(BinOp::Le, of.hi.clone(), of.lo.clone());
    let last = Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![of.hi.clone(), Expr::usize(offset)]);
    let inside = Expr::binary(BinOp::Lt, last, Expr::extent(fact.pointers, 0));
    let looks = set(Expr::binary(BinOp::BitOr, empty, inside));
    let cond = program.load_scalar(rising);
    let looked = StmtKind::If { cond: cond.clone(), then: vec![new(StmtKind::For(pass))], els: Block::new() };
    let els = vec![copy(program, stmt)];
    let guard = StmtKind::Guarded { fact: cond, then: vec![stmt.clone()], els };
    Some(new(StmtKind::Scope { buffers: vec![rising], body: vec![looks, new(looked), new(guard)] }))
}

/// The same statement with iterators and buffers of its own in place of those that it declares.
pub fn copy(program: &mut Program, stmt: &Stmt) -> Stmt {
    let mut names = Names::default();
    stmt.walk(&mut |stmt| names.declare(program, stmt));
    let inner: Vec<(BufferId, BufferId)> = names.buffers.iter().map(|(&old, &new)| (old, new)).collect();
    for &(old, new) in &inner {
        let dims = program[old].dims.iter().map(|dim| names.expr(dim)).collect();
        program[new].dims = dims;
        if let Layout::Rows { start } = &mut program[new].layout {
            *start = names.buffer(*start);
        }
        if let Role::Adjoint(of) | Role::Tangent(of) = &mut program[new].role {
            *of = names.buffer(*of);
        }
    }
    let mut copy = stmt.clone();
    names.rename(&mut copy);
    copy
}

/// What replaces what.
#[derive(Default)]
struct Names {
    buffers: HashMap<BufferId, BufferId>,
    iters: HashMap<IterId, IterId>,
}

impl Names {
    fn declare(&mut self, program: &mut Program, stmt: &Stmt) {
        let iter = match &stmt.kind {
            StmtKind::For(of) => of.iter,
            StmtKind::While(of) => of.counter,
            StmtKind::Scope { buffers, .. } => {
                for &old in buffers {
                    let buffer: Buffer = program[old].clone();
                    self.buffers.insert(old, program.add_buffer(buffer));
                }
                return;
            }
            _ => return,
        };
        let (name, ty) = (program[iter].name.clone(), program[iter].ty);
        self.iters.insert(iter, program.add_iter(&name, ty));
    }

    fn buffer(&self, id: BufferId) -> BufferId {
        self.buffers.get(&id).copied().unwrap_or(id)
    }

    fn iter(&self, id: IterId) -> IterId {
        self.iters.get(&id).copied().unwrap_or(id)
    }

    fn expr(&self, expr: &Expr) -> Expr {
        expr.map(&mut |mut expr| {
            match &mut expr.kind {
                ExprKind::Iter(iter) => *iter = self.iter(*iter),
                ExprKind::Extent(buffer, _) => *buffer = self.buffer(*buffer),
                ExprKind::Load(place) => place.buffer = self.buffer(place.buffer),
                _ => {}
            }
            expr
        })
    }

    fn rename(&self, stmt: &mut Stmt) {
        stmt.exprs_mut().into_iter().for_each(|expr| *expr = self.expr(expr));
        match &mut stmt.kind {
            StmtKind::For(of) => {
                of.iter = self.iter(of.iter);
                if let crate::ir::Exec::Lanes { mask: Some(mask), .. } = &mut of.exec {
                    *mask = self.buffer(*mask);
                }
            }
            StmtKind::While(of) => of.counter = self.iter(of.counter),
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                target.buffer = self.buffer(target.buffer);
            }
            StmtKind::Scope { buffers, .. } => buffers.iter_mut().for_each(|id| *id = self.buffer(*id)),
            StmtKind::Swap { a, b } => {
                *a = self.buffer(*a);
                *b = self.buffer(*b);
            }
            StmtKind::Call { reads, writes, .. } => {
                reads.iter_mut().chain(writes).for_each(|id| *id = self.buffer(*id));
            }
            _ => {}
        }
        for block in stmt.blocks_mut() {
            block.iter_mut().for_each(|stmt| self.rename(stmt));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::guarded;
    use crate::ir::interp::{Array, Value, no_paths, run};
    use crate::ir::verify::verify;
    use crate::ir::{Exec, IterId, Level, Program, Stmt, StmtKind, parse};
    use crate::poly::Analysis;

    const ROWS: &str = "
fn f(v: in f64[_], y: inout f64[_], start: in usize[_], n: in usize)
  for r in 0..n
    scope t: f64[n]
      t[r] = 2.0
      check r < len(start) \"start\"
      check r + 1 < len(start) \"start\"
      for k in start[r]..start[r + 1]
        check k < len(y) \"y\"
        y[k] += v[0] * t[r]";

    /// The program with its loop under a guard, in which the version that relies on the fact says that it ran.
    fn versions(marked: bool) -> (Program, Program) {
        let before = parse(ROWS).unwrap_or_else(|error| panic!("{error}"));
        let facts = Analysis::new(&before).facts_of(IterId(0));
        let mut after = before.clone();
        let [stmt] = &mut after.body.split_off(0)[..] else { panic!("one loop") };
        let guarded = guarded(&mut after, &facts[0], stmt);
        let Some(mut guarded) = guarded else { panic!("no guard") };
        mark(&mut guarded, marked);
        after.body = vec![guarded];
        assert_eq!(verify(&after), Ok(()), "{after}");
        (before, after)
    }

    fn mark(stmt: &mut Stmt, marked: bool) {
        if let StmtKind::Guarded { then, .. } = &mut stmt.kind {
            match &mut then[0].kind {
                _ if !marked => then.clear(),
                StmtKind::For(of) => of.exec = Exec::Parallel(Level::Task),
                _ => {}
            }
        }
        stmt.blocks_mut().into_iter().flatten().for_each(|inner| mark(inner, marked));
    }

    fn args(start: &[usize], n: i128) -> Vec<Array<f64>> {
        let n = Array::scalar(Value::Int(n));
        vec![Array::floats(&[1.5]), Array::floats(&[0.0; 6]), Array::usizes(start), n]
    }

    #[test]
    fn both_versions_compute_the_same() {
        let (before, after) = versions(true);
        for (start, n) in
            [(&[0, 2, 2, 6][..], 3), (&[0, 4, 1, 5], 3), (&[0, 1], 3), (&[], 0), (&[], 2), (&[0, 9], 1)]
        {
            let (old, new) =
                (run(&before, args(start, n), &no_paths), run(&after, args(start, n), &no_paths));
            match (&old, &new) {
                (Err(old), Err(new)) => assert_eq!(old.kind, new.kind),
                _ => assert_eq!(old, new, "{start:?}"),
            }
        }
    }

    #[test]
    fn the_version_that_relies_on_the_fact_runs_only_where_it_holds() {
        let (before, after) = versions(false);
        let differs = |start: &[usize], n| {
            run(&before, args(start, n), &no_paths) != run(&after, args(start, n), &no_paths)
        };
        assert!(differs(&[0, 2, 2, 6], 3), "the starts never fall");
        assert!(!differs(&[0, 4, 1, 5], 3), "they do");
        assert!(!differs(&[0, 1], 3), "there are too few: a panic in both");
    }
}
