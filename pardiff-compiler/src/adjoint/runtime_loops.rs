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

use super::reverse_stmt::{Halves, Sweep};
use super::segments::has_marked;
use super::tape_layout::LoopNames;
use crate::ir::{Block, Expr, For, Iter, IterId, Order, Origin, Phase, Program, Stmt, StmtKind, Ty, While};
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
                let hi = trips.load(Vec::new());
                let reversed = For { order: Order::Down, ..For::counted(rev_iter, hi, halves.rev) };
                vec![reversed.stmt(origin)]
            }
        };
        Halves { fwd, rev }
    }
}
