//! Reversal of loops whose trip count is known only when they have ended.
//!
//! ```text
//! forward                                        reverse
//! trips[..] = 0                                  for k in (0..trips[..]).rev()
//! while k: cond                                    rev(s)
//!   trips[..] = k + 1
//!   s
//! ```
//!
//! `trips` has a slot for each execution of the loop. Values of the body are stored as those of any loop whose trip count
//! is not known beforehand: in a tape that grows, at the counter `k`, counted on from where the loop's last execution
//! ended. The condition is not evaluated again, so that it may be anything.
//!
//! Where one of several conditions compares the counter with a bound, as of a loop over a range that is left early, the
//! reverse loop ends before the bound as well, in `min(trips[..], bound)`: it is the same number, and says that rows of
//! this length are not left.
//!
//! *Legality.* Each iteration `k` has passed `k + first < bound` before, so there are no more than `bound - first` of them,
//! and none if the difference is negative. The sum has not wrapped: iterations are counted from zero, and the condition
//! fails at the latest where the sum is the greatest number of its type. The bound is what it was at the beginning of the
//! loop, which does not change it.

use super::reverse_stmt::{Halves, Sweep};
use super::segments::has_marked;
use super::tape_layout::LoopNames;
use crate::ir::{
    BinOp, Block, BufferSet, Expr, ExprKind, For, Func, Iter, IterId, Order, Origin, Phase, Program, Stmt,
    StmtKind, Ty, While, written,
};
use crate::limits::OPERATIONS_OF_A_BOUND;
use std::collections::HashMap;

/// By its counter, the counted loop that a `While` was when it has ended; its end is unknown, and stands as 0.
pub(super) type Shapes = HashMap<IterId, For>;

/// The shapes of the loops of a program.
pub(super) fn shapes(program: &Program) -> Shapes {
    let mut shapes = Shapes::new();
    crate::ir::walk(&program.body, &mut |stmt| {
        if let Some(looped) = stmt.as_while() {
            shapes.insert(looped.counter, For::counted(looped.counter, Expr::usize(0), Block::new()));
        }
    });
    shapes
}

impl<'p> Sweep<'p> {
    pub(super) fn reverse_while(&mut self, stmt: &'p Stmt, looped: &'p While) -> Halves {
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        let Iter { name, ty } = self.primal[looped.counter].clone();
        let rev_iter = self.out.add_iter(&name, ty);
        let trips = self.new_tape(&format!("{name}_trips"), Ty::USIZE, stmt, Vec::new(), |_, _| true);
        let from_zero = (Expr::usize(0), Expr::usize(1));
        // tapes of a loop that is marked, or that is around one, get the length of a segment, in the place of this one
        let in_segments = looped.checkpoint.is_some() || has_marked(&looped.body);
        let trip = in_segments.then(|| Expr::usize(u32::MAX as usize));
        self.region.loops.push(LoopNames {
            stmt,
            looped: &self.shapes[&looped.counter],
            rev_iter,
            fwd: from_zero.clone(),
            rev: from_zero,
            trip,
            counted: Some(trips.clone()),
        });
        let halves = self.branch(&looped.body, origin);
        self.region.loops.pop();
        let bound = if in_segments || halves.rev.is_empty() { None } else { self.bound_at(stmt, looped) };
        let mut body =
            vec![Stmt::assign(trips.place(&[]), Expr::iter(looped.counter, ty) + Expr::usize(1), origin)];
        body.extend(self.region.starts.inside(stmt));
        body.extend(halves.fwd);
        let none = Stmt::assign(trips.place(&[]), Expr::usize(0), origin);
        let looped = Stmt::new(StmtKind::While(While { body, ..looped.clone() }), stmt.origin);
        let fwd = self.region.starts.around(stmt, vec![none, looped], origin);
        let rev = match halves.rev.is_empty() {
            true => Block::new(),
            false => {
                let hi = match bound {
                    Some(bound) => Expr::call(ty, Func::IntMin, vec![trips.load(Vec::new()), bound]),
                    None => trips.load(Vec::new()),
                };
                let reversed = For { order: Order::Down, ..For::counted(rev_iter, hi, halves.rev) };
                vec![reversed.stmt(origin)]
            }
        };
        Halves { fwd, rev }
    }

    /// The most iterations that a condition allows, where the reverse sweep finds it without a tape.
    fn bound_at(&mut self, stmt: &'p Stmt, looped: &'p While) -> Option<Expr> {
        let mut changed = written(&looped.head);
        changed.union(&written(&looped.body));
        let (bound, first) = bound(self.primal, looped.counter, &looped.cond, &changed)?;
        let is_there = |part: &Expr| self.is_in_place(part, stmt, &mut { OPERATIONS_OF_A_BOUND });
        if !is_there(bound) || !first.is_none_or(is_there) {
            return None;
        }
        let end = self.value_at(bound, stmt);
        Some(match first {
            Some(first) => {
                let first = self.value_at(first, stmt);
                Expr::call(end.ty, Func::SaturatingSub, vec![end, first])
            }
            None => end,
        })
    }
}

/// The numbers of `counter + first < bound`, of the conditions that all hold, which the loop does not change.
fn bound<'p>(
    program: &Program,
    counter: IterId,
    cond: &'p Expr,
    changed: &BufferSet,
) -> Option<(&'p Expr, Option<&'p Expr>)> {
    let ExprKind::Binary(op, lhs, rhs) = &cond.kind else { return None };
    let stays =
        |part: &Expr| part.ty == Ty::USIZE && !part.mentions(counter) && !part.reads_any(program, changed);
    match op {
        BinOp::BitAnd => {
            let of = |part| bound(program, counter, part, changed);
            of(lhs).or_else(|| of(rhs))
        }
        BinOp::Lt if stays(rhs) => {
            let is_counter = |part: &Expr| part.kind == ExprKind::Iter(counter);
            match &lhs.kind {
                _ if is_counter(lhs) => Some((rhs, None)),
                ExprKind::Binary(BinOp::Add, a, b) if is_counter(a) && stays(b) => Some((rhs, Some(b))),
                ExprKind::Binary(BinOp::Add, a, b) if is_counter(b) && stays(a) => Some((rhs, Some(a))),
                _ => None,
            }
        }
        _ => None,
    }
}
