//! Rows around the lane loop of an inner loop: statements stand before it and behind it.
//!
//! ```text
//! for k in a..b                                 for k in a..middle step 2
//!   scope s                                       scope s, s.2
//!     s = 0.0                                       s = 0.0; s.2 = 0.0
//!     for x in 0..d lanes                  =>       for x in 0..d lanes
//!       s += q[x] * w[k, x]                           s += q[x] * w[k, x]; s.2 += q[x] * w[k + 1, x]
//!     e[k] = s * c                                  e[k] = s * c
//!     m max= e[k]                                   m max= e[k]; e[k + 1] = s.2 * c; m max= e[k + 1]
//! ```
//!
//! *Legality.* An iteration consists of what stands before the loop, the loop, and what stands behind it. Those before
//! keep their order, and so do those behind. What stands before an iteration's loop now precedes the loops and the ends
//! of the iterations before it: so it writes nothing that these touch, and reads nothing that these write, but the
//! scalars of the body, of which each copy has its own; a statement before the loop that would is one of the end, if it
//! may change places with all between. The loops now precede the ends of the iterations before them: these share nothing
//! that one of them writes. In the loop each lane executes its copies in their order. Instances of different lanes
//! change places: in one iteration they commute, as `inner` has seen; in two iterations they commute if what the loop
//! writes is only updated by one operation and not read, or is the same element of a lane in every iteration.

use super::nest::{Piece, Row, Shape, Touch};
use crate::ir::{
    Block, BufferId, BufferSet, Effects, Expr, ExprKind, For, Place, Program, ReduceOp, Stmt, written,
};
use crate::limits::JAMMED_AROUND;
use crate::schedule::lanes::laneable::has_loop;
use crate::schedule::lanes::scalar_replacement::loads::opened;
use crate::schedule::lanes::stride::{Walk, walk};

impl<'b> Shape<'b> {
    /// The parts of a body with one loop in it, not inside a condition.
    fn around(body: &'b Block) -> Option<Shape<'b>> {
        let (mut held, mut before) = (Vec::new(), Vec::new());
        let mut ends: Vec<&[Stmt]> = Vec::new();
        let mut rest = body;
        loop {
            let mut loops = rest.iter().enumerate().filter(|(_, stmt)| has_loop(stmt));
            let (at, stmt) = loops.next()?;
            if loops.next().is_some() {
                return None;
            }
            before.extend(&rest[..at]);
            ends.push(&rest[at + 1..]);
            match stmt.as_for() {
                None => {
                    let (buffers, body) = stmt.as_scope()?;
                    held.extend(buffers);
                    rest = body;
                }
                Some(each) => {
                    let behind = ends.into_iter().rev().flatten().collect();
                    return Some(Shape { held, before, each, origin: stmt.origin, behind });
                }
            }
        }
    }
}

impl Piece {
    /// The parts of a body with one loop in it, not inside a condition.
    pub(super) fn around(body: &Block) -> Option<Piece> {
        Shape::around(body).map(Shape::piece)
    }

    /// Moves the statements before the loop that share something with the end to the end, where they may stand.
    fn settle(&mut self, program: &Program) {
        let (mut stays, mut moves) = (Block::new(), Block::new());
        let end = Effects::of(program, &self.behind);
        let mut between = effects_of(program, &self.each);
        for stmt in std::mem::take(&mut self.before).into_iter().rev() {
            let effects = Effects::of(program, std::slice::from_ref(&stmt));
            if effects.conflicts(&end)
                && !self.held.iter().any(|&held| effects.writes.contains(held))
                && !effects.conflicts(&between)
            {
                moves.push(stmt);
            } else {
                between.join(&effects);
                stays.push(stmt);
            }
        }
        stays.reverse();
        moves.reverse();
        moves.append(&mut self.behind);
        (self.before, self.behind) = (stays, moves);
    }

    /// Whether the three parts of different iterations share nothing that one of them writes.
    fn is_apart(&self, program: &Program) -> bool {
        let [before, behind] = [&self.before, &self.behind].map(|block| Effects::of(program, block));
        let [before, middle, behind] =
            [before, effects_of(program, &self.each), behind].map(|part| part.without(&self.held));
        !before.conflicts(&middle) && !before.conflicts(&behind) && !middle.conflicts(&behind)
    }
}

impl Row {
    /// The parts of a loop around a lane loop, with statements before and behind, if its iterations may be executed
    /// together; see the module.
    pub(super) fn around(program: &Program, each: &For) -> Option<Row> {
        if !(each.is_plain() && each.is_in_order()) {
            return None;
        }
        let mut piece = Shape::around(&each.body).filter(Shape::is_in_lanes)?.piece();
        let lanes = &piece.each;
        let scalars = |buffers: &[BufferId]| buffers.iter().all(|&buffer| program[buffer].rank() == 0);
        let (registers, list) = opened(lanes.body.clone());
        let plain = |stmt: &Stmt| stmt.as_store().is_some();
        if !list.iter().all(plain) || !scalars(&registers) || !scalars(&piece.held) {
            return None;
        }
        let mut size = 0;
        let around = piece.before.iter().chain(&piece.behind);
        let simple = around.fold(true, |simple, stmt| simple & is_simple(program, stmt, &mut size));
        let writes = written(&each.body);
        let fixed = |expr: &Expr| !expr.mentions(each.iter) && !expr.reads_any(program, &writes);
        if !simple || size > JAMMED_AROUND || !fixed(&lanes.lo) || !fixed(&lanes.hi) {
            return None;
        }
        piece.settle(program);
        let row = Row { each: each.clone(), piece, list, registers };
        (row.piece.is_apart(program) && row.commutes(program, &writes)).then_some(row)
    }

    /// Whether the loop computes something, and does not only add up what is there.
    pub(super) fn computes(&self) -> bool {
        self.list.iter().flat_map(Stmt::exprs).any(|expr| {
            expr.any(&mut |part| {
                part.ty.is_float() && matches!(part.kind, ExprKind::Binary(..) | ExprKind::Call(..))
            })
        })
    }

    /// Whether the lanes are added up.
    pub(super) fn has_sums(&self) -> bool {
        self.touches().iter().any(|(place, touch)| matches!(touch, Touch::Update(_)) && !self.varies(place))
    }

    /// Whether instances of the lane loop in different iterations and different lanes commute.
    fn commutes(&self, program: &Program, writes: &BufferSet) -> bool {
        let touches = self.touches();
        let op = |touch: &Touch| match touch {
            Touch::Update(op) => Some(*op),
            Touch::Read | Touch::Write => None,
        };
        touches.iter().filter(|(_, touch)| *touch != Touch::Read).all(|(place, touch)| {
            let of = || touches.iter().filter(|(other, _)| other.buffer == place.buffer);
            let first: Option<ReduceOp> = op(touch);
            let only_updated = first.is_some() && of().all(|(_, other)| op(other) == first);
            only_updated || of().all(|(other, _)| other == place) && self.is_own(program, place, writes)
        })
    }

    /// Whether a lane touches the same element in every iteration, and no other lane does.
    fn is_own(&self, program: &Program, place: &Place, writes: &BufferSet) -> bool {
        let fixed = place
            .index
            .iter()
            .all(|index| !index.mentions(self.each.iter) && !index.reads_any(program, writes));
        fixed && walk(place, self.piece.each.iter, &|place| writes.contains(place.buffer)) == Walk::Contiguous
    }
}

/// Whether a statement consists of assignments, updates, checks and conditions; `size` counts them.
fn is_simple(program: &Program, stmt: &Stmt, size: &mut usize) -> bool {
    let mut simple = true;
    stmt.walk(&mut |stmt| {
        *size += 1;
        let leaf = stmt.as_store().is_some() || stmt.as_check().is_some() || stmt.as_if().is_some();
        simple &= leaf
            || stmt.as_scope().is_some_and(|(buffers, _)| buffers.iter().all(|&it| program[it].rank() == 0));
    });
    simple
}

/// What a loop reads and writes.
fn effects_of(program: &Program, each: &For) -> Effects {
    let mut effects = Effects::of(program, &each.body);
    for bound in [&each.lo, &each.hi] {
        bound.reads(program, &mut |read| _ = effects.reads.insert(read));
    }
    effects
}
