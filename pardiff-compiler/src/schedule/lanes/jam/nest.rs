//! The shape of nests that can be jammed, and which of them may be tiled in two dimensions.

use crate::ir::Update;
use crate::ir::{
    Block, BufferId, BufferSet, Effects, Expr, ExprKind, For, Func, IterId, Order, Origin, Place, Program,
    ReduceOp,
};
use crate::ir::{Stmt, Ty, written};
use crate::limits::STATEMENTS_OF_A_SHORT_ROW;
use crate::schedule::lanes::cost;
use crate::schedule::lanes::scalar_replacement::loads::opened;
use crate::schedule::lanes::stride::{Step, Trend, step, trend};
use std::ops::Range;

/// A body that is copied: statements that are the same in all lanes, and a loop behind them.
#[derive(Clone)]
pub(super) struct Piece {
    /// Scalars of the body.
    pub(super) held: Vec<BufferId>,
    /// Checks, and assignments to these scalars.
    pub(super) before: Block,
    /// The loop behind them.
    pub(super) each: For,
    pub(super) origin: Origin,
    /// What stands behind the loop, in rows that are no lanes of a block.
    pub(super) behind: Block,
}

/// Where the parts of a piece stand in a body: most bodies are looked at, few are copied.
pub(super) struct Shape<'b> {
    pub(super) held: Vec<BufferId>,
    pub(super) before: Vec<&'b Stmt>,
    pub(super) each: &'b For,
    pub(super) origin: Origin,
    pub(super) behind: Vec<&'b Stmt>,
}

impl<'b> Shape<'b> {
    /// The parts of a body that are a piece without anything behind the loop.
    fn of(program: &Program, body: &'b Block) -> Option<Shape<'b>> {
        let (mut held, mut before) = (Vec::new(), Vec::new());
        let mut rest = body;
        loop {
            let (last, first) = rest.split_last()?;
            before.extend(first);
            match last.as_for() {
                None => {
                    let (buffers, body) = last.as_scope()?;
                    held.extend(buffers);
                    rest = body;
                }
                Some(each) => {
                    let shape = Shape { held, before, each, origin: last.origin, behind: Vec::new() };
                    return shape.is_plain(program).then_some(shape);
                }
            }
        }
    }

    fn is_plain(&self, program: &Program) -> bool {
        self.held.iter().all(|&buffer| program[buffer].rank() == 0)
            && self.before.iter().all(|stmt| match stmt.as_assign() {
                Some((target, _)) => self.held.contains(&target.buffer),
                None => is_check(stmt),
            })
    }

    /// Whether the loop is over lanes.
    pub(super) fn is_in_lanes(&self) -> bool {
        self.each.is_in_lanes()
    }

    pub(super) fn piece(self) -> Piece {
        let copied = |stmts: Vec<&Stmt>| stmts.into_iter().cloned().collect();
        let (before, behind) = (copied(self.before), copied(self.behind));
        Piece { held: self.held, before, each: self.each.clone(), origin: self.origin, behind }
    }
}

impl Piece {
    /// The parts of a body, if it has this shape.
    pub(super) fn of(program: &Program, body: &Block) -> Option<Piece> {
        Shape::of(program, body).map(Shape::piece)
    }

    /// Whether what stands before the loop, and the bounds of the loop, read nothing of a set.
    pub(super) fn is_independent_of(&self, program: &Program, set: &BufferSet) -> bool {
        let mut others = set.clone();
        self.held.iter().for_each(|&buffer| others.remove(buffer));
        !self.each.bounds_read(program, &others) && !Effects::of(program, &self.before).reads.meets(&others)
    }
}

/// Whether the statement consists of checks.
pub(super) fn is_check(stmt: &Stmt) -> bool {
    stmt.as_check().is_some()
        || stmt.as_if().is_some_and(|(_, then, els)| then.iter().chain(els).all(is_check))
}

/// A loop around a lane loop.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) each: For,
    pub(super) piece: Piece,
    /// The lane loop's body without its scope: assignments and sums.
    pub(super) list: Block,
    /// The scalars of the lane loop.
    pub(super) registers: Vec<BufferId>,
}

impl Row {
    /// The parts of a loop, if it has this shape.
    pub(super) fn of(program: &Program, each: &For) -> Option<Row> {
        let shape = Shape::of(program, &each.body).filter(Shape::is_in_lanes)?;
        if !(each.is_plain() && each.is_in_order()) {
            return None;
        }
        let piece = shape.piece();
        let lanes = &piece.each;
        let (registers, list) = opened(lanes.body.clone());
        let plain = |stmt: &Stmt| stmt.as_store().is_some();
        if !list.iter().all(plain) || registers.iter().any(|&buffer| program[buffer].rank() != 0) {
            return None;
        }
        let same = |expr: &Expr| {
            let held: BufferSet = piece.held.iter().copied().collect();
            !expr.mentions(each.iter) && !expr.reads_any(program, &held)
        };
        let fixed = same(&lanes.lo) && same(&lanes.hi);
        (fixed && piece.is_independent_of(program, &written(&each.body))).then(|| Row {
            each: each.clone(),
            piece,
            list,
            registers,
        })
    }

    /// Whether a copy of the row is little code, and all copies update one element of a lane.
    pub(super) fn is_short_sum(&self) -> bool {
        let is_call = |expr: &Expr| match expr.kind {
            ExprKind::Call(func, ..) => func != Func::MulAdd,
            ExprKind::Apply(..) => true,
            _ => false,
        };
        let calls = self.list.iter().any(|stmt| stmt.any_part(&mut &is_call));
        let is_sum = |stmt: &Stmt| {
            stmt.as_update()
                .is_some_and(|Update { target, .. }| self.varies(target) && !target.mentions(self.each.iter))
        };
        !calls && self.list.len() <= STATEMENTS_OF_A_SHORT_ROW && self.list.iter().any(is_sum)
    }

    /// Every array element that the lane loop touches, with what it does to it.
    pub(super) fn touches(&self) -> Vec<(Place, Touch)> {
        let mut found: Vec<(Place, Touch)> = Vec::new();
        let mut see = |place: &Place, touch: Touch| {
            if !self.registers.contains(&place.buffer) && !self.piece.held.contains(&place.buffer) {
                found.push((place.clone(), touch));
            }
        };
        for stmt in &self.list {
            stmt.each_expr(&mut |expr| expr.each_load(&mut |place| see(place, Touch::Read)));
            if let Some((target, _)) = stmt.as_store() {
                see(target, stmt.as_update().map_or(Touch::Write, |update| Touch::Update(update.op)));
            }
        }
        found
    }

    /// Whether the place differs between lanes.
    pub(super) fn varies(&self, place: &Place) -> bool {
        place.index.iter().any(|index| self.varies_expr(index))
    }

    /// Whether the value differs between lanes.
    pub(super) fn varies_expr(&self, expr: &Expr) -> bool {
        expr.any(&mut |expr| match &expr.kind {
            ExprKind::Iter(iter) => *iter == self.piece.each.iter,
            ExprKind::Load(place) => self.registers.contains(&place.buffer),
            _ => false,
        })
    }
}

/// The columns of a full tile of a triangle that not all of its rows have.
pub(super) struct Corner {
    outer: usize,
    /// Row `r` begins at the column `r + diagonal`.
    diagonal: usize,
}

impl Corner {
    /// Those of one row, counted from the first row of the tile.
    pub(super) fn columns(&self, row: usize) -> Range<usize> {
        row + self.diagonal..self.outer - 1 + self.diagonal
    }
}

/// What is done to an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Touch {
    Read,
    Write,
    Update(ReduceOp),
}

/// A loop around a [`Row`].
#[derive(Clone)]
pub(super) struct Nest {
    pub(super) each: For,
    pub(super) piece: Piece,
    pub(super) row: Row,
    /// How the bounds of the row move with the loop.
    pub(super) lo: Trend,
    pub(super) hi: Trend,
}

impl Nest {
    /// The parts of a nest, if its iterations may be tiled; see the module of the pass.
    pub(super) fn of(program: &Program, each: &For) -> Option<Nest> {
        if !(each.is_plain() && each.is_in_order()) {
            return None;
        }
        let shape = Shape::of(program, &each.body)?;
        let row = Row::of(program, shape.each)?;
        let piece = shape.piece();
        let writes = written(&each.body);
        if !piece.is_independent_of(program, &writes) {
            return None;
        }
        // a bound that a scalar of the body holds has no known trend
        let own: BufferSet = piece.held.iter().copied().collect();
        let held = |expr: &Expr| expr.reads_any(program, &own);
        let of = |bound: &Expr| {
            let fixed = |expr: &Expr| !expr.mentions(each.iter);
            if held(bound) { None } else { trend(bound, each.iter, &fixed) }
        };
        let lanes = &row.piece.each;
        let (lo, hi) = (of(&row.each.lo)?, of(&row.each.hi)?);
        let fixed =
            [&lanes.lo, &lanes.hi].into_iter().all(|bound| !bound.mentions(each.iter) && !held(bound));
        if !fixed || row.each.bounds_read(program, &writes) {
            return None;
        }
        let nest = Nest { each: each.clone(), piece, row, lo, hi };
        nest.may_be_tiled(&writes).then_some(nest)
    }

    /// The corner of a tile of so many rows, if the nest is a triangle and the corner is small.
    pub(super) fn corner(&self, outer: usize) -> Option<Corner> {
        let (rows, row) = (&self.each, &self.row.each);
        let first = Expr::iter(rows.iter, Ty::USIZE);
        let diagonal = (0..=1)
            .find(|&by| row.lo == if by == 0 { first.clone() } else { first.clone() + Expr::usize(by) })?;
        let upwards = rows.order == Order::Up && row.order == Order::Up;
        let columns = outer * (outer - 1) / 2;
        let touches = self.row.touches();
        let elements = touches.iter().filter(|(place, _)| !place.index.is_empty()).count();
        let small = columns * elements <= cost::REGISTERS;
        (upwards && row.hi == rows.hi && small).then_some(Corner { outer, diagonal })
    }

    /// Whether every conflict between two instances is within a row or within a column, or among sums of all lanes.
    fn may_be_tiled(&self, writes: &BufferSet) -> bool {
        let touches = self.row.touches();
        touches.iter().enumerate().all(|(k, (place, touch))| {
            *touch == Touch::Read
                || touches[..].iter().enumerate().all(|(other, (there, how))| {
                    there.buffer != place.buffer
                        || other < k && *how != Touch::Read
                        || self.is_sum(place, there, *touch, *how)
                        || self.is_aligned(place, there, writes)
                })
        })
    }

    /// Whether both are sums of all lanes into one element.
    fn is_sum(&self, a: &Place, b: &Place, touch: Touch, other: Touch) -> bool {
        matches!(touch, Touch::Update(_)) && touch == other && !self.row.varies(a) && !self.row.varies(b)
    }

    /// Whether two instances that touch the same element, in one lane, have one of their iterators in common.
    fn is_aligned(&self, a: &Place, b: &Place, writes: &BufferSet) -> bool {
        let varies = |place: &Place| writes.contains(place.buffer) || self.is_held(place.buffer);
        let moves = |index: &Expr, by: IterId, still: IterId| {
            !index.mentions(still) && matches!(step(index, by, &varies), Step::Number(1 | -1))
        };
        let (outer, inner) = (self.each.iter, self.row.each.iter);
        a.index
            .iter()
            .zip(&b.index)
            .any(|(a, b)| a == b && (moves(a, outer, inner) || moves(a, inner, outer)) && !self.reads_held(a))
    }

    fn is_held(&self, buffer: BufferId) -> bool {
        let held = [&self.piece.held, &self.row.piece.held, &self.row.registers];
        held.into_iter().any(|held| held.contains(&buffer))
    }

    fn reads_held(&self, expr: &Expr) -> bool {
        expr.any(&mut |part| matches!(&part.kind, ExprKind::Load(place) if self.is_held(place.buffer)))
    }
}
