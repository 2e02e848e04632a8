//! Iterations in batches, which sweep together over rows that each of them needs.
//!
//! ```text
//! for i in lo..hi                                for b in lo..hi step 8
//!   scope e: f64[m]                                scope w: usize, e: f64[8, m]
//!     for t in 0..m                                  w = min(8, hi - b)
//!       scope s                                      for t in 0..m
//!         s = 0.0                                      for l in 0..w
//!         for x in 0..d lanes                            scope s
//!           s += q[i, x] * k[t, x]                         s = 0.0
//!         e[t] = s                          =>             for x in 0..d lanes
//!     …                                                      s += q[b + l, x] * k[t, x]
//!     for t in 0..m                                        e[l, t] = s
//!       for x in 0..d lanes                          for l in 0..w
//!         y[i, x] += e[t] * v[t, x]                    …
//!                                                    for t in 0..m
//!                                                      for l in 0..w
//!                                                        for x in 0..d lanes
//!                                                          y[b + l, x] += e[l, t] * v[t, x]
//! ```
//!
//! A sweep over more rows than the first-level cache holds loads each of them from further away, in every iteration; in a
//! batch that happens once, or, where the rows of the next iteration are shifted by one, nearly so.
//!
//! *Legality* is that of [`turns`](crate::schedule::lanes::turns). A sweep changes places with the iterations of a batch: its bounds are the same
//! in all of them. The order of sums of different iterations changes, so under `strict` there are no batches.
//!
//! *Which.* Loops with a sweep in whose innermost loop contiguous rows of an array around are read or updated that are the
//! same in all iterations, or are shifted from one iteration to the next as they are by the sweep; and those of
//! [`scalars`](crate::schedule::lanes::scalars).

use super::scalar_lanes;
use super::strip_mine::{Part, Parts};
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, IterId, Place, Program, Stmt, declared,
    written,
};
use crate::limits::LOCALS_OF_LOCALS_IN_A_SWEEP;
use crate::schedule::lanes::cost;
use crate::schedule::lanes::laneable::has_loop;
use crate::schedule::lanes::stride::{Walk, walk};
use std::collections::HashMap;

/// Puts batches in the place of loops: of the element loop itself, and of those over `commuting` inside. Goes out: the
/// iterators of the loops over the iterations of a batch.
pub(crate) fn batch(program: &mut Program, element: &mut Stmt, commuting: &[IterId]) -> Vec<IterId> {
    let mut made = Vec::new();
    visit(program, element, commuting, true, &mut made);
    made
}

fn visit(
    program: &mut Program,
    stmt: &mut Stmt,
    commuting: &[IterId],
    vouched: bool,
    made: &mut Vec<IterId>,
) {
    if let Some(each) = stmt.as_for() {
        if each.is_in_lanes() {
            return;
        }
        if (vouched || commuting.contains(&each.iter))
            && (each.is_plain() && each.is_in_order())
            && let Some((in_batches, turns)) = batches(program, stmt, each)
        {
            *stmt = in_batches;
            made.extend(turns);
            return;
        }
    }
    for inner in stmt.blocks_mut().into_iter().flatten() {
        visit(program, inner, commuting, false, made);
    }
}

/// Whether a loop has sweeps over rows that its iterations share.
pub fn shares_rows(program: &Program, each: &For) -> bool {
    (each.is_plain() && each.is_in_order()) && has_sweep(&Loop::of(program, each), &each.body)
}

fn has_sweep(around: &Loop<'_>, block: &Block) -> bool {
    block.iter().any(|stmt| match stmt.as_scope() {
        Some((_, body)) => has_sweep(around, body),
        None => stmt.as_for().is_some_and(|sweep| around.is_sweep(sweep)),
    })
}

/// A loop that may have batches.
pub(crate) struct Loop<'a> {
    pub(crate) program: &'a Program,
    pub(crate) each: &'a For,
    /// What it writes, and what is declared in it.
    written: BufferSet,
    pub(crate) locals: BufferSet,
    /// Values of scalars that are assigned in one place alone.
    values: HashMap<BufferId, &'a Expr>,
}

impl<'a> Loop<'a> {
    pub(super) fn of(program: &'a Program, each: &'a For) -> Loop<'a> {
        let locals = declared(&each.body);
        let mut values: HashMap<BufferId, Option<&'a Expr>> = HashMap::new();
        crate::ir::walk(&each.body, &mut |stmt| {
            if let Some((target, value)) = stmt.as_store() {
                let known = values.contains_key(&target.buffer) || stmt.as_assign().is_none();
                values.insert(target.buffer, (!known && target.index.is_empty()).then_some(value));
            }
        });
        let values = values.into_iter().filter_map(|(buffer, value)| Some((buffer, value?))).collect();
        Loop { program, each, written: written(&each.body), locals, values }
    }

    /// Whether an expression is the same in all iterations.
    pub(super) fn is_fixed(&self, expr: &Expr) -> bool {
        let changes = expr.mentions(self.each.iter) || expr.reads_any(self.program, &self.written);
        !changes && !expr.names_any(&self.locals)
    }

    /// Whether all iterations run the loop over the same range, and its rows are many and shared.
    fn is_sweep(&self, sweep: &For) -> bool {
        let alone = !matches!(sweep.exec, Exec::Lanes { .. } | Exec::Parallel(_));
        let long = |each: &For, usual| each.constant_trip().map_or(usual, |trip| trip as f64);
        let trips = long(sweep, cost::SWEEP);
        if !alone || trips < cost::LEAST_SWEEP || !sweep.bounds().iter().all(|it| self.is_fixed(it)) {
            return false;
        }
        let has_row = |stmt: &Stmt| {
            stmt.as_for().is_some_and(|row| {
                trips * long(row, cost::SWEEP) >= cost::SWEPT
                    && !row.body.iter().any(has_loop)
                    && self.has_shared_row(sweep, row)
            })
        };
        sweep.body.iter().any(|stmt| stmt.any(&mut &has_row))
    }

    /// Whether an innermost loop goes along rows that other iterations go along as well.
    fn has_shared_row(&self, sweep: &For, row: &For) -> bool {
        let inside = written(&row.body);
        let mut found = false;
        let mut see = |place: &Place| {
            let around = !self.locals.contains(place.buffer) && self.program[place.buffer].elem.is_float();
            if around && walk(place, row.iter, &|place| inside.contains(place.buffer)) == Walk::Contiguous {
                let index: Option<Vec<Expr>> =
                    place.index.iter().map(|index| self.expanded(index, 0)).collect();
                found |= index.is_some_and(|index| self.is_shared(sweep, &index));
            }
        };
        row.body.iter().for_each(|stmt| crate::schedule::lanes::laneable::places(stmt, &mut see));
        found
    }

    /// Whether an element is the same in all iterations but not in all rows of the sweep, or is shifted as rows are.
    fn is_shared(&self, sweep: &For, index: &[Expr]) -> bool {
        let swept = index.iter().any(|index| index.mentions(sweep.iter));
        let moves = index.iter().filter(|index| index.mentions(self.each.iter));
        swept
            && moves.into_iter().all(|index| {
                let by = |iter| factors(index, iter);
                let (Some(own), Some(mut others)) = (by(self.each.iter), by(sweep.iter)) else {
                    return false;
                };
                own.iter().all(|factor| {
                    let at = others.iter().position(|other| other == factor);
                    at.map(|at| others.remove(at)).is_some()
                })
            })
    }

    /// An expression with the values of locals in their places, if these are known.
    fn expanded(&self, expr: &Expr, depth: usize) -> Option<Expr> {
        let mut known = depth < LOCALS_OF_LOCALS_IN_A_SWEEP;
        let made = expr.map(&mut |expr| match &expr.kind {
            ExprKind::Load(place) if self.locals.contains(place.buffer) => {
                match self.values.get(&place.buffer).and_then(|value| self.expanded(value, depth + 1)) {
                    Some(value) if known => value,
                    _ => {
                        known = false;
                        expr
                    }
                }
            }
            ExprKind::Load(place) if self.written.contains(place.buffer) => {
                known = false;
                expr
            }
            _ => expr,
        });
        known.then_some(made)
    }
}

/// What an iterator is multiplied by in a sum that mentions it once.
fn factors(expr: &Expr, iter: IterId) -> Option<Vec<Expr>> {
    match &expr.kind {
        ExprKind::Iter(other) if *other == iter => Some(Vec::new()),
        ExprKind::Cast(inner) => factors(inner, iter),
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
            let (of, other) = match (a.mentions(iter), b.mentions(iter)) {
                (true, false) => (a, b),
                (false, true) => (b, a),
                _ => return None,
            };
            let mut found = factors(of, iter)?;
            if *op == BinOp::Mul {
                found.push((**other).clone());
            }
            Some(found)
        }
        _ => None,
    }
}

/// The loop in batches, and the iterators of the loops over the iterations of a batch.
fn batches(program: &mut Program, stmt: &Stmt, each: &For) -> Option<(Stmt, Vec<IterId>)> {
    let parts = {
        let around = Loop::of(program, each);
        if [&each.lo, &each.hi].into_iter().any(|bound| !around.is_fixed(bound)) {
            return None;
        }
        match has_sweep(&around, &each.body) {
            true => Parts::of(&around, |stmt| match stmt.as_for() {
                Some(sweep) if around.is_sweep(sweep) => Part::Sweep(Box::new(stmt.clone())),
                _ => Part::Turns(vec![stmt.clone()]),
            })?,
            false => scalar_lanes::parts(&around)?,
        }
    };
    parts.in_batches(program, stmt, each)
}
