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
//! *Legality.* Iterations of the loop commute but for sums (the caller vouches for it), so any interleaving of the
//! statements of different iterations computes the same, as long as each iteration executes its own statements in their
//! order and finds its own locals. A sweep changes places with the iterations of a batch: its bounds are the same in all
//! of them. Locals that live across sweeps have a row for each iteration of a batch; their extents read nothing that the
//! loop writes. The order of sums of different iterations changes, so under `strict` there are no batches.
//!
//! *Which.* Loops with a sweep in whose innermost loop contiguous rows of an array around are read or updated that are the
//! same in all iterations, or are shifted from one iteration to the next as they are by the sweep.

use super::cost;
use super::distribute::scoped;
use super::fuse::rename;
use super::laneable::{constant_trip, mentions};
use super::stride::{Walk, walk};
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, Func, IterId, Layout, Order, Place,
    Program, Role, Stmt, StmtKind, Ty, written,
};
use std::collections::HashMap;

/// Puts batches in the place of loops: of the element loop itself, and of those over `commuting` inside. Goes out: the
/// iterators of the loops over the iterations of a batch.
pub(super) fn batch(program: &mut Program, element: &mut Stmt, commuting: &[IterId]) -> Vec<IterId> {
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
    if let StmtKind::For(each) = &stmt.kind {
        if matches!(each.exec, Exec::Lanes { .. }) {
            return;
        }
        if (vouched || commuting.contains(&each.iter))
            && shares_rows(program, each)
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
    let counts = program[each.iter].ty == Ty::USIZE
        && !each.inclusive
        && each.step == Expr::usize(1)
        && matches!(each.exec, Exec::Sequential | Exec::Undecided);
    counts && has_sweep(&Loop::of(program, each), &each.body)
}

fn has_sweep(around: &Loop<'_>, block: &Block) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Scope { body, .. } => has_sweep(around, body),
        StmtKind::For(sweep) => around.is_sweep(sweep),
        _ => false,
    })
}

/// A loop that may have batches.
struct Loop<'a> {
    program: &'a Program,
    each: &'a For,
    /// What it writes, and what is declared in it.
    written: BufferSet,
    locals: BufferSet,
    /// Values of scalars that are assigned in one place alone.
    values: HashMap<BufferId, &'a Expr>,
}

impl<'a> Loop<'a> {
    fn of(program: &'a Program, each: &'a For) -> Loop<'a> {
        let mut locals = BufferSet::new();
        let mut values: HashMap<BufferId, Option<&'a Expr>> = HashMap::new();
        for stmt in &each.body {
            stmt.walk(&mut |stmt| match &stmt.kind {
                StmtKind::Scope { buffers, .. } => buffers.iter().for_each(|&it| _ = locals.insert(it)),
                StmtKind::Assign { target, value } => {
                    let known = values.contains_key(&target.buffer);
                    values.insert(target.buffer, (!known && target.index.is_empty()).then_some(value));
                }
                StmtKind::Reduce { target, .. } => _ = values.insert(target.buffer, None),
                _ => {}
            });
        }
        let values = values.into_iter().filter_map(|(buffer, value)| Some((buffer, value?))).collect();
        Loop { program, each, written: written(&each.body), locals, values }
    }

    /// Whether an expression is the same in all iterations.
    fn is_fixed(&self, expr: &Expr) -> bool {
        let mut fixed = !expr.mentions(self.each.iter) && !expr.reads_any(self.program, &self.written);
        expr.walk(&mut |expr| match &expr.kind {
            ExprKind::Load(Place { buffer, .. }) | ExprKind::Extent(buffer, _) => {
                fixed &= !self.locals.contains(*buffer);
            }
            _ => {}
        });
        fixed
    }

    /// Whether all iterations run the loop over the same range, and its rows are many and shared.
    fn is_sweep(&self, sweep: &For) -> bool {
        let alone = !matches!(sweep.exec, Exec::Lanes { .. } | Exec::Parallel(_));
        let long = |each: &For, usual| constant_trip(each).map_or(usual, |trip| trip as f64);
        let trips = long(sweep, cost::SWEEP);
        if !alone
            || trips < cost::LEAST_SWEEP
            || ![&sweep.lo, &sweep.hi, &sweep.step].iter().all(|it| self.is_fixed(it))
        {
            return false;
        }
        let mut found = false;
        for stmt in &sweep.body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::For(row) = &stmt.kind
                    && !found
                    && trips * long(row, cost::SWEEP) >= cost::SWEPT
                    && row.body.iter().all(|stmt| !has_loop(stmt))
                {
                    found = self.has_shared_row(sweep, row);
                }
            });
        }
        found
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
        row.body.iter().for_each(|stmt| super::laneable::places(stmt, &mut see));
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
        let mut known = depth < DEPTH;
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

/// Locals whose values are locals, in one another.
const DEPTH: usize = 6;

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

fn has_loop(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| found |= matches!(stmt.kind, StmtKind::For(_) | StmtKind::While(_)));
    found
}

/// Statements that are executed together.
enum Part {
    /// By one iteration of the batch after the other.
    Turns(Block),
    /// A sweep of all.
    Sweep(Box<Stmt>),
}

/// The parts of a body.
#[derive(Default)]
struct Parts {
    all: Vec<Part>,
    declared: Vec<BufferId>,
}

impl Parts {
    /// Takes the body apart; fails where a local that is declared behind statements may have no extents before them.
    fn add(&mut self, around: &Loop<'_>, block: &Block) -> Option<()> {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Scope { buffers, body } => {
                    for &buffer in buffers {
                        let dims = &around.program[buffer].dims;
                        let total = self.all.is_empty() || dims.iter().all(Expr::is_total);
                        if !total || !dims.iter().all(|dim| around.is_fixed(dim)) {
                            return None;
                        }
                    }
                    self.declared.extend(buffers);
                    self.add(around, body)?;
                }
                StmtKind::For(sweep) if around.is_sweep(sweep) => {
                    self.all.push(Part::Sweep(Box::new(stmt.clone())))
                }
                _ => match self.all.last_mut() {
                    Some(Part::Turns(turns)) => turns.push(stmt.clone()),
                    _ => self.all.push(Part::Turns(vec![stmt.clone()])),
                },
            }
        }
        Some(())
    }
}

/// The loop in batches, and the iterators of the loops over the iterations of a batch.
fn batches(program: &mut Program, stmt: &Stmt, each: &For) -> Option<(Stmt, Vec<IterId>)> {
    let around = Loop::of(program, each);
    if [&each.lo, &each.hi].into_iter().any(|bound| !around.is_fixed(bound)) {
        return None;
    }
    let mut parts = Parts::default();
    parts.add(&around, &each.body)?;
    let own = |part: &Part, buffer: BufferId| match part {
        Part::Turns(turns) => turns.iter().any(|stmt| mentions(program, stmt, buffer)),
        Part::Sweep(sweep) => mentions(program, sweep, buffer),
    };
    let mut kept = vec![Vec::new(); parts.all.len()];
    let mut rows = BufferSet::new();
    let mut held = Vec::new();
    for &buffer in &parts.declared {
        let users: Vec<usize> = (0..parts.all.len()).filter(|&k| own(&parts.all[k], buffer)).collect();
        match users[..] {
            [] => {}
            [user] if matches!(parts.all[user], Part::Turns(_)) => kept[user].push(buffer),
            _ if program[buffer].layout != Layout::RowMajor => return None,
            _ => {
                rows.insert(buffer);
                held.push(buffer);
            }
        }
    }
    if !each.body.iter().all(|stmt| keeps_rows_apart(program, stmt, each.iter, &rows)) {
        return None;
    }
    for &buffer in &held {
        let declared = &mut program[buffer];
        if declared.rank() > 0 && declared.elem.is_float() {
            declared.layout = Layout::Padded(cost::VECTOR);
        }
        declared.dims.insert(0, Expr::usize(cost::BATCH));
    }
    let first = program.add_iter("b", Ty::USIZE);
    let width = program.add_scalar("w", Ty::USIZE, Role::Local);
    let mut build = Build { program, each, first, width, rows, turns: Vec::new() };
    let mut body = Block::new();
    for (part, kept) in parts.all.into_iter().zip(kept) {
        match part {
            Part::Turns(turns) => body.push(build.in_turn(scoped(kept, turns), stmt)),
            Part::Sweep(mut sweep) => {
                if let StmtKind::For(sweep) = &mut sweep.kind {
                    let inner = std::mem::take(&mut sweep.body);
                    sweep.body = vec![build.in_turn(inner, stmt)];
                }
                body.push(*sweep);
            }
        }
    }
    let turns = build.turns;
    let left = Expr::binary(BinOp::Sub, each.hi.clone(), Expr::iter(first, Ty::USIZE));
    let value = Expr::call(Ty::USIZE, Func::IntMin, vec![Expr::usize(cost::BATCH), left]);
    let mut whole = vec![Stmt::new(StmtKind::Assign { target: Place::scalar(width), value }, stmt.origin)];
    whole.extend(scoped(held, body));
    let over_batches = For {
        iter: first,
        step: Expr::usize(cost::BATCH),
        order: Order::Up,
        exec: Exec::Sequential,
        ..each.around(scoped(vec![width], whole))
    };
    Some((Stmt::new(StmtKind::For(over_batches), stmt.origin), turns))
}

/// Whether a statement does nothing with whole arrays of a set, and declares nothing whose extents differ between the
/// iterations over `iter`.
fn keeps_rows_apart(program: &Program, stmt: &Stmt, iter: IterId, rows: &BufferSet) -> bool {
    let mut apart = true;
    stmt.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Swap { a, b } => apart &= !rows.contains(*a) && !rows.contains(*b),
        StmtKind::Call { .. } | StmtKind::Fork { .. } => apart = false,
        StmtKind::Scope { buffers, .. } => {
            for dim in buffers.iter().flat_map(|&buffer| &program[buffer].dims) {
                dim.walk(&mut |part| match &part.kind {
                    ExprKind::Iter(other) => apart &= *other != iter,
                    ExprKind::Load(Place { buffer, .. }) | ExprKind::Extent(buffer, _) => {
                        apart &= !rows.contains(*buffer);
                    }
                    _ => {}
                });
            }
        }
        _ => {}
    });
    apart
}

struct Build<'p> {
    program: &'p mut Program,
    each: &'p For,
    first: IterId,
    width: BufferId,
    /// Locals with a row for each iteration of a batch.
    rows: BufferSet,
    turns: Vec<IterId>,
}

impl Build<'_> {
    /// Statements of one iteration, for those of a batch one after the other.
    fn in_turn(&mut self, mut body: Block, like: &Stmt) -> Stmt {
        let turn = self.program.add_iter("turn", Ty::USIZE);
        self.turns.push(turn);
        let number = Expr::iter(turn, Ty::USIZE);
        self.block(&mut body, &number);
        let value = Expr::iter(self.first, Ty::USIZE) + number;
        rename(&mut body, self.each.iter, &value);
        let width = self.program.load_scalar(self.width);
        Stmt::new(
            StmtKind::For(For { exec: Exec::Sequential, ..For::counted(turn, width, body) }),
            like.origin,
        )
    }

    /// Names the row of an iteration.
    fn block(&self, block: &mut Block, number: &Expr) {
        for stmt in block {
            for expr in stmt.exprs_mut() {
                *expr = expr.map(&mut |mut expr| {
                    match &mut expr.kind {
                        ExprKind::Load(place) if self.rows.contains(place.buffer) => {
                            place.index.insert(0, number.clone());
                        }
                        ExprKind::Extent(buffer, dim) if self.rows.contains(*buffer) => *dim += 1,
                        _ => {}
                    }
                    expr
                });
            }
            if let StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } = &mut stmt.kind
                && self.rows.contains(target.buffer)
            {
                target.index.insert(0, number.clone());
            }
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner, number));
        }
    }
}
