//! Locals of which nothing but the sum over all lanes is needed.
//!
//! ```text
//! for i in lo..hi                         for b in lo..hi step 128
//!   d_g = 0.0                               d_g = 0.0
//!   d_g += d_y[i] * x[i]            =>      for l in 0..w lanes
//!   d_s = d_g * p                             d_g += d_y[b + l] * x[b + l]
//!   d_k += d_s * q                          d_s = d_g * p
//!                                           d_k += d_s * q
//! ```
//!
//! What a loop computes from its parameters alone is the same in all iterations and computed once for a block. Its adjoints
//! differ, since each iteration adds its own part to them, but they go back through the same coefficients everywhere and end
//! in sums. A local in which this holds is one number for a block, its *total*, and not one for each lane: what is
//! reversed of a value that all lanes share costs what the value did (Kalman filters of many tracks under one model: the
//! covariances).
//!
//! *Legality.* What a total is assigned and what is added to it is either a linear combination of totals or reads no
//! total. Combinations have coefficients and elements that are the same in all lanes, and every lane comes to
//! them. So the sums over the lanes obey the same assignments and updates, where a value that reads no total is added
//! up over the lanes. Totals are read in combinations alone: in those of other totals, and in what is added to one
//! element around the loop, to which all lanes add their parts anyway. Only the rounding differs: a sum of products
//! with one factor is the product with the sum; loops in which sums may not be regrouped have none into elements around them.
//!
//! *Which.* The largest set of locals that is closed under this, found by taking out what breaks it until nothing does, if
//! that leaves more combinations than updates which add up lanes: these cost a fold each.

use super::divergence::Divergence;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Place, Program, ReduceOp, Stmt, StmtKind, UnOp,
};
use crate::limits::{COMBINATIONS_PER_ADDITION, UNKNOWN_ITERATIONS_IN_LANES};

/// The locals of an element loop that are totals.
pub(super) fn totals(program: &Program, lanes: &Divergence, element: &For) -> BufferSet {
    let mut found = Candidates { program, lanes, totals: BufferSet::new(), changed: true };
    for buffer in program.buffer_ids() {
        let declared = &program[buffer];
        let fixed = !declared.dims.iter().any(|dim| lanes.expr(dim));
        if lanes.locals.contains(buffer) && lanes.buffer(buffer) && declared.elem.is_float() && fixed {
            found.totals.insert(buffer);
        }
    }
    while std::mem::take(&mut found.changed) && !found.totals.is_empty() {
        found.block(&element.body, false);
    }
    let mut count = Count::default();
    count.block(&found.totals, &element.body, 1.0);
    let pays = count.leaves && count.combinations > COMBINATIONS_PER_ADDITION * count.additions;
    if pays { found.totals } else { BufferSet::new() }
}

/// Whether a statement assigns zero.
pub(super) fn assigns_zero(stmt: &Stmt) -> bool {
    let Some((_, value)) = stmt.as_assign() else { return false };
    matches!(value.kind, ExprKind::Float(value) if value == 0.0)
}

/// Those that are left of the locals that may be totals.
struct Candidates<'a> {
    program: &'a Program,
    lanes: &'a Divergence,
    totals: BufferSet,
    changed: bool,
}

impl Candidates<'_> {
    fn remove(&mut self, buffer: BufferId) {
        if self.totals.contains(buffer) {
            self.totals.remove(buffer);
            self.changed = true;
        }
    }

    /// Takes out what the expression reads.
    fn remove_read(&mut self, expr: &Expr) {
        expr.each_load(&mut |place| self.remove(place.buffer));
    }

    /// Takes out all that a statement touches.
    fn remove_touched(&mut self, stmt: &Stmt) {
        stmt.writes(&mut |buffer| self.remove(buffer));
        stmt.walk(&mut |stmt| {
            stmt.evaluates(self.program).into_iter().for_each(|expr| self.remove_read(expr));
            stmt.given().iter().for_each(|&buffer| self.remove(buffer));
        });
    }

    fn block(&mut self, block: &Block, masked: bool) {
        block.iter().for_each(|stmt| self.stmt(stmt, masked));
    }

    fn stmt(&mut self, stmt: &Stmt, masked: bool) {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                if masked || self.lanes.place(target) {
                    self.remove(target.buffer);
                }
                if !self.totals.contains(target.buffer) || !self.combines(value) {
                    self.remove_read(value);
                }
                target.index.iter().for_each(|index| self.remove_read(index));
            }
            StmtKind::Reduce { op, target, value, .. } => {
                if masked || *op != ReduceOp::Add || self.lanes.place(target) {
                    self.remove(target.buffer);
                }
                if value.loads_any(&self.totals) {
                    let sum = !masked && *op == ReduceOp::Add && !self.lanes.place(target);
                    let around = !self.lanes.locals.contains(target.buffer);
                    let kept = around || self.totals.contains(target.buffer);
                    if !(sum && kept && self.combines(value)) {
                        self.remove_read(value);
                    }
                }
                target.index.iter().for_each(|index| self.remove_read(index));
            }
            StmtKind::Scope { body, .. } => self.block(body, masked),
            StmtKind::For(for_) => {
                let bounds = for_.bounds();
                bounds.into_iter().for_each(|bound| self.remove_read(bound));
                let varies = bounds.into_iter().any(|bound| self.lanes.expr(bound));
                self.block(&for_.body, masked || varies);
            }
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                self.remove_read(cond);
                let masked = masked || self.lanes.expr(cond);
                self.block(then, masked);
                self.block(els, masked);
            }
            StmtKind::While(_)
            | StmtKind::Swap { .. }
            | StmtKind::Fork { .. }
            | StmtKind::Call { .. }
            | StmtKind::Check { .. } => self.remove_touched(stmt),
        }
    }

    /// Whether the expression is a linear combination of totals, with the same coefficients in all lanes.
    fn combines(&self, expr: &Expr) -> bool {
        let same = |expr: &Expr| !self.lanes.expr(expr);
        match &expr.kind {
            ExprKind::Load(place) => self.totals.contains(place.buffer) && !self.lanes.place(place),
            ExprKind::Unary(UnOp::Neg, operand) => self.combines(operand),
            ExprKind::Binary(BinOp::Mul, a, b) => {
                (self.combines(a) && same(b)) || (same(a) && self.combines(b))
            }
            ExprKind::Binary(BinOp::Div, a, b) => self.combines(a) && same(b),
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => self.combines(a) && self.combines(b),
            _ => false,
        }
    }
}

/// How many statements of an iteration are done once for a block.
#[derive(Default)]
struct Count {
    /// Combinations of totals, and zeros.
    combinations: f64,
    /// Updates of totals by what differs between lanes.
    additions: f64,
    /// Whether totals are added to something around the loop.
    leaves: bool,
}

impl Count {
    fn block(&mut self, totals: &BufferSet, block: &Block, times: f64) {
        for stmt in block {
            let is_total = |place: &Place| totals.contains(place.buffer);
            match &stmt.kind {
                StmtKind::Assign { target, value } if is_total(target) => {
                    let once = assigns_zero(stmt) || value.loads_any(totals);
                    let count = if once { &mut self.combinations } else { &mut self.additions };
                    *count += times;
                }
                StmtKind::Reduce { target, value, .. } if value.loads_any(totals) => {
                    self.combinations += times;
                    self.leaves |= !is_total(target);
                }
                StmtKind::Reduce { target, .. } if is_total(target) => self.additions += times,
                StmtKind::For(for_) => {
                    let trip = for_.constant_trip().map_or(UNKNOWN_ITERATIONS_IN_LANES, |trip| trip as f64);
                    self.block(totals, &for_.body, times * trip);
                }
                _ => stmt.blocks().into_iter().for_each(|inner| self.block(totals, inner, times)),
            }
        }
    }
}
