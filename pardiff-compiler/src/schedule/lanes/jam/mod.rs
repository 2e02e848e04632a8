//! Unroll and jam: neighbouring iterations of the loops around a lane loop are executed in one lane loop.
//!
//! *Comes in*: a scheduled program, its checks in their places, and which of its loops are over the lanes of a block.
//! *Goes out*: the same with nests like
//!
//! ```text
//! for a in 0..d                                for a in 0..middle step 4
//!   for b in a + 1..d                            for l in 0..w lanes
//!     for l in 0..w lanes                          y[a + 1, l] += e[a, a + 1] * x[a, l]
//!       y[b, l] += e[a, b] * x[a, l]               …
//!                                                  y[a + 3, l] += e[a + 2, a + 3] * x[a + 2, l]
//!                                         =>     for b in a + 4..d
//!                                                  for l in 0..w lanes
//!                                                    y[b, l] += e[a, b] * x[a, l]
//!                                                    …
//!                                                    y[b, l] += e[a + 3, b] * x[a + 3, l]
//!                                              for a in middle..d
//!                                                …
//! ```
//!
//! where the copies share loads and stores (`loads` and `updates` see to that) and the cost of entering the loop.
//! *Guarantees*: in each element of a lane the order of updates is kept; only sums of all lanes into one element, which
//! lanes regroup anyway, are regrouped again, the same way in every run. *Never*: touches a nest whose price in
//! `price` is not lower by a margin; or one that is in fewer loops than others of its block, but for short sums.
//!
//! *Legality of one loop* (a [`Row`]): the copies follow each other in the body in the order of the loop, so each lane
//! executes what it executed, in the order it did; only instances of different lanes change places, and those commute,
//! as the caller of [`lift`](super::lift) vouches. Checks and scalars that are the same in all lanes stand before the
//! lane loop of the tile. They read nothing that the nest writes but their own scalars, of which each copy has its own;
//! so they have the values they had, and a check that two copies make alike is made once. A check that fails does so a
//! few iterations early: the call panics either way, with the message of the later iteration at most.
//!
//! *Legality of two loops* (a [`Nest`]): rows of a tile are executed in three parts, the range that all of them have in
//! common jammed, the columns before and behind it row by row. Two instances in one row keep their order, since the
//! three parts follow each other as the loop counts; so do two instances in one column, since every column is in one
//! part for all rows of a tile. Any two others may change places. So every two accesses of one element by one lane, of
//! which one writes, must be in one row or in one column: there is a dimension in which both indices are the same
//! expression, which counts with one of the two iterators and does not mention the other one. Sums of one operation into
//! an element that is the same for all lanes commute, and nothing in the nest reads it.
//!
//! *Ranges.* The bounds of a row move one way only, so the largest lower bound `low` of a tile is that of its first or
//! last row, and so is the smallest upper bound `high`. Row `r` consists of `lo(r)..min(low, hi(r))`, `low..high` and
//! `max(low, high)..hi(r)`, whether or not `low < high`. In a triangle `r + k..d` with `k <= 1`, beside rows that end at `d`
//! themselves, a tile that is full has `low <= d`: its row `r` begins with the columns `r + k..a + outer - 1 + k`, whose
//! number is known. They are a [`Corner`], jammed as well.

mod around;
mod nest;
mod price;
mod split;
mod sweep;

use super::blocks::in_registers;
use super::cost;
use super::scalar_replacement::loads::opened;
use super::stride::Trend;
use crate::ir::scoped;
use crate::ir::substitute;
use crate::ir::{
    BinOp, Block, Expr, ExprKind, For, Func, IterId, Order, Origin, Program, Role, Stmt, StmtKind, Ty,
    clone_stmts,
};
use nest::{Nest, Piece, Row};
use std::collections::HashSet;

/// Jams the nests of a program where that pays: the loops that are executed together, and how that is said.
/// `over_lanes` are the loops over the lanes of blocks, `strip_mine` those over the iterations of a batch.
pub fn jam(
    program: &mut Program,
    over_lanes: &HashSet<IterId>,
    turns: &HashSet<IterId>,
) -> Vec<(IterId, String)> {
    let mut body = std::mem::take(&mut program.body);
    let mut found = Vec::new();
    depths(&body, over_lanes, Around { block: None, loops: 0 }, &mut found);
    let deepest = |&(iter, around): &(IterId, Around)| {
        let deeper =
            |(_, other): &(IterId, Around)| other.block == around.block && other.loops > around.loops;
        (!found.iter().any(deeper)).then_some(iter)
    };
    let deepest = found.iter().filter_map(deepest).collect();
    let mut jam = Jam { program, deepest, over_lanes, turns, made: Vec::new() };
    jam.block(&mut body);
    let made = jam.made;
    program.body = body;
    made
}

struct Jam<'a> {
    program: &'a mut Program,
    /// The loops over lanes that are in more loops than all others of their block: these carry the work.
    deepest: HashSet<IterId>,
    over_lanes: &'a HashSet<IterId>,
    turns: &'a HashSet<IterId>,
    made: Vec<(IterId, String)>,
}

/// What is around a loop over lanes.
#[derive(Clone, Copy)]
struct Around {
    /// The loop over blocks.
    block: Option<IterId>,
    /// So many loops inside of it.
    loops: usize,
}

/// Finds the loops over the lanes of blocks.
fn depths(block: &Block, over_lanes: &HashSet<IterId>, around: Around, found: &mut Vec<(IterId, Around)>) {
    for stmt in block {
        let mut inside = around;
        if let Some(each) = stmt.as_for() {
            if over_lanes.contains(&each.iter) {
                found.push((each.iter, around));
                continue;
            }
            inside = match each.step == Expr::usize(1) {
                true => Around { loops: around.loops + 1, ..around },
                false => Around { block: Some(each.iter), loops: 0 },
            };
        }
        stmt.blocks().into_iter().for_each(|block| depths(block, over_lanes, inside, found));
    }
}

impl Jam<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            if let Some(each) = stmt.as_for() {
                if let Some(halves) = self.split(each, stmt.origin) {
                    let mut halves: Block = halves.into_iter().map(|half| half.stmt(stmt.origin)).collect();
                    self.block(&mut halves);
                    out.append(&mut halves);
                    continue;
                }
                if let Some(made) = self.tiled(each, stmt.origin) {
                    out.extend(made);
                    continue;
                }
            }
            stmt.blocks_mut().into_iter().for_each(|block| self.block(block));
            out.push(stmt);
        }
        *block = out;
    }

    /// The statements that take the place of a loop.
    fn tiled(&mut self, each: &For, origin: Origin) -> Option<Block> {
        if let Some(nest) = Nest::of(self.program, each) {
            let tile = self.is_deep(&nest.row).then(|| price::of_nest(&nest))??;
            return Some(self.nest(nest, tile, origin));
        }
        if let Some(made) = self.sweep(each, origin) {
            return Some(made);
        }
        let of_block = Row::of(self.program, each).filter(|row| self.is_worth_copies(row));
        let row = of_block.or_else(|| self.inner(each))?;
        let by = price::of_row(&row)?;
        self.made.push((each.iter, format!("sequential, {by} iterations together")));
        let pieces = self.copies(&row.piece, each, by);
        let tile = Self::joined(pieces);
        Some(self.in_steps(each, by, tile, origin))
    }

    /// A loop around a lane loop that is no loop over the lanes of a block, if its rows are short: then entering the lane
    /// loop and adding up its sums cost as much as the rows. Long rows wait for memory, which one stream makes easier; but
    /// not those that a batch has read already, which it adds to one row together.
    fn inner(&self, each: &For) -> Option<Row> {
        let row = Row::around(self.program, each)?;
        let lanes = &row.piece.each;
        let short = match (&lanes.lo.kind, &lanes.hi.kind) {
            (ExprKind::Int(lo), ExprKind::Int(hi)) => hi - lo <= cost::SHORT_ROW as i128,
            _ => false,
        };
        let again = self.turns.contains(&each.iter) && !row.has_sums();
        ((short || again) && row.computes() && !self.over_lanes.contains(&lanes.iter)).then_some(row)
    }

    /// Whether the innermost loop of the row is over the lanes of a block, and carries work.
    fn is_deep(&self, row: &Row) -> bool {
        self.deepest.contains(&row.piece.each.iter)
    }

    /// Whether the row carries work, or is a sum in each lane of a block and so short that its copies are little code.
    fn is_worth_copies(&self, row: &Row) -> bool {
        self.is_deep(row) || self.over_lanes.contains(&row.piece.each.iter) && row.is_short_sum()
    }

    /// `by` copies of what a loop executes, for neighbouring iterations, in the order of the loop.
    fn copies(&mut self, piece: &Piece, each: &For, by: usize) -> Vec<Piece> {
        let mut order: Vec<usize> = (0..by).collect();
        if each.order == Order::Down {
            order.reverse();
        }
        order.into_iter().map(|number| self.copy(piece, each.iter, number)).collect()
    }

    /// What a loop executes so many iterations later.
    fn copy(&mut self, piece: &Piece, iter: IterId, later: usize) -> Piece {
        let whole = self.whole(piece.clone());
        let mut copy = clone_stmts(self.program, &whole);
        if later > 0 {
            let value = Expr::iter(iter, Ty::USIZE) + Expr::usize(later);
            substitute(&mut copy, iter, &value);
        }
        // the copy of a piece has its shape
        Piece::around(&copy).unwrap_or_else(|| piece.clone())
    }

    /// The statements of a piece.
    fn whole(&self, piece: Piece) -> Block {
        let mut body = piece.before;
        body.push(piece.each.stmt(piece.origin));
        body.extend(piece.behind);
        scoped(piece.held, body)
    }

    /// The pieces as one: their lane loops are one loop.
    fn joined(pieces: Vec<Piece>) -> Block {
        let mut held = Vec::new();
        let (mut before, mut behind) = (Block::new(), Block::new());
        let (mut registers, mut list) = (Vec::new(), Block::new());
        let mut all: Option<(For, Origin)> = None;
        for piece in pieces {
            held.extend(piece.held);
            for stmt in piece.before {
                let is_made = |known: &Stmt| known.kind == stmt.kind && stmt.as_check().is_some();
                if !before.iter().any(is_made) {
                    before.push(stmt);
                }
            }
            behind.extend(piece.behind);
            let mut lanes = piece.each;
            let mut body = std::mem::take(&mut lanes.body);
            let (first, _) = all.get_or_insert((lanes.clone(), piece.origin));
            substitute(&mut body, lanes.iter, &Expr::iter(first.iter, Ty::USIZE));
            let (own, body) = opened(body);
            registers.extend(own);
            list.extend(body);
        }
        if let Some((lanes, origin)) = all {
            let body = scoped(registers, list);
            before.push(Stmt::new(StmtKind::For(For { body, ..lanes }), origin));
        }
        before.extend(behind);
        scoped(held, before)
    }

    /// The loop with `tile` for `by` iterations at once, and what is left over as it was, if anything is.
    fn in_steps(&mut self, each: &For, by: usize, mut tile: Block, origin: Origin) -> Block {
        tile.iter_mut().for_each(|stmt| in_registers(self.program, stmt));
        let stmt = |kind| Stmt::new(kind, origin);
        if each.constant_trip().is_some_and(|trip| trip % by == 0) {
            return vec![stmt(StmtKind::For(For { step: Expr::usize(by), ..each.around(tile) }))];
        }
        let middle = self.program.add_scalar("middle", Ty::USIZE, Role::Local);
        let from_zero = each.lo == Expr::usize(0);
        let trip = if from_zero {
            each.hi.clone()
        } else {
            Expr::call(Ty::USIZE, Func::SaturatingSub, vec![each.hi.clone(), each.lo.clone()])
        };
        let by = Expr::usize(by);
        let first = match each.order {
            Order::Up => Expr::binary(BinOp::Div, trip, by.clone()) * by.clone(),
            Order::Down => Expr::binary(BinOp::Rem, trip, by.clone()),
        };
        let value = if from_zero { first } else { each.lo.clone() + first };
        let at = self.program.load_scalar(middle);
        let mut left = clone_stmts(self.program, &[stmt(StmtKind::For(each.clone()))]);
        let mut steps = For { step: by, ..each.around(tile) };
        if let [Stmt { kind: StmtKind::For(left), .. }] = &mut left[..] {
            match each.order {
                Order::Up => (steps.hi, left.lo) = (at.clone(), at),
                Order::Down => (steps.lo, left.hi) = (at.clone(), at),
            }
        }
        let mut body = vec![Stmt::set(middle, value, origin), stmt(StmtKind::For(steps))];
        body.append(&mut left);
        scoped(vec![middle], body)
    }

    /// A nest with tiles of both loops.
    fn nest(&mut self, nest: Nest, tile: price::Tile, origin: Origin) -> Block {
        let price::Tile { outer, inner } = tile;
        let corner = nest.corner(outer);
        let Nest { each, piece, row, lo, hi } = nest;
        self.made.push((each.iter, format!("sequential, {outer} iterations together")));
        let last = Expr::iter(each.iter, Ty::USIZE) + Expr::usize(outer - 1);
        let at_last = |bound: &Expr| bound.at(each.iter, &last);
        let call = |func, a: &Expr, b: &Expr| Expr::call(Ty::USIZE, func, vec![a.clone(), b.clone()]);
        let low = if lo == Trend::Rising { at_last(&row.each.lo) } else { row.each.lo.clone() };
        let high = if hi == Trend::Falling { at_last(&row.each.hi) } else { row.each.hi.clone() };

        // one row after the other, in the columns that not all of them have
        let whole = [each.clone().stmt(origin)];
        let first = Expr::iter(each.iter, Ty::USIZE);
        let rows = |jam: &mut Self, change: &dyn Fn(&mut For)| {
            let mut rows = clone_stmts(jam.program, &whole);
            if let [Stmt { kind: StmtKind::For(rows), .. }] = &mut rows[..] {
                rows.lo = first.clone();
                rows.hi = first.clone() + Expr::usize(outer);
                innermost(&mut rows.body, change);
            }
            rows
        };
        let mut before = Block::new();
        if lo != Trend::Constant && corner.is_none() {
            before = rows(self, &|row| row.hi = call(Func::IntMin, &low, &row.hi));
        }
        let mut behind = Block::new();
        if hi != Trend::Constant {
            behind = rows(self, &|row| row.lo = call(Func::IntMax, &low, &high));
        }

        // the columns that all of them have
        let mut common = row.each.clone();
        (common.lo, common.hi) = (low.clone(), high.clone());
        let mut held = Vec::new();
        let mut setup = Block::new();
        let mut body = Vec::new();
        let mut first_columns = Vec::new();
        for (number, copy) in self.copies(&piece, &each, outer).into_iter().enumerate() {
            held.extend(copy.held);
            setup.extend(copy.before);
            let mut row = copy.each;
            for column in corner.iter().flat_map(|corner| corner.columns(number)) {
                let mut body = clone_stmts(self.program, &row.body);
                substitute(&mut body, row.iter, &(first.clone() + Expr::usize(column)));
                first_columns.extend(Piece::of(self.program, &body));
            }
            substitute(&mut row.body, row.iter, &Expr::iter(common.iter, Ty::USIZE));
            body.extend(Piece::of(self.program, &row.body));
        }
        if !first_columns.is_empty() {
            before = Self::joined(first_columns);
            before.iter_mut().for_each(|stmt| in_registers(self.program, stmt));
        }
        common.body = Self::joined(body);
        let common_rows = if inner > 1 {
            self.made.push((common.iter, format!("sequential, {inner} iterations together")));
            let piece = Piece::of(self.program, &common.body);
            let pieces = piece.map(|piece| self.copies(&piece, &common, inner)).unwrap_or_default();
            let tile = Self::joined(pieces);
            self.in_steps(&common, inner, tile, origin)
        } else {
            vec![common.stmt(origin)]
        };
        let mut body = match row.each.order {
            Order::Up => [before, common_rows, behind],
            Order::Down => [behind, common_rows, before],
        };
        let mut all = setup;
        body.iter_mut().for_each(|part| all.append(part));
        let all = scoped(held, all);
        self.in_steps(&each, outer, all, origin)
    }
}

/// Changes the row of a nest.
fn innermost(body: &mut Block, change: &dyn Fn(&mut For)) {
    let Some(last) = body.last_mut() else { return };
    if let Some((_, body)) = last.as_scope_mut() {
        innermost(body, change);
    } else if let Some(row) = last.as_for_mut() {
        change(row);
    }
}
