//! What a loop costs as it is written: the price that blocks, inner vector loops and serial execution are compared by.
//!
//! In additions of one vector or of one number. What is not known at compile time is tried in three sizes.

use super::cost;
use super::middle::moves_by_a_record;
use super::stride::{Step, Walk, step, walk};
use crate::ir::Update;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Cost, Exec, Expr, ExprKind, For, Func, IterId, Kind, Lanes, Place,
    Program, Stmt, StmtKind, offset_of,
};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// What the price of a form of an element loop depends on.
#[derive(Clone, Copy)]
pub(super) struct Price<'a> {
    pub(super) program: &'a Program,
    /// Buffers declared in the element loop.
    pub(super) locals: &'a BufferSet,
    /// Those of them that have an element for each lane.
    pub(super) expanded: &'a BufferSet,
    /// The numbers of elements of blocks, where there are blocks.
    pub(super) widths: &'a BufferSet,
    /// What is taken for an extent that is not known.
    pub(super) size: f64,
    /// What is taken for the length of a ragged row: rows in rows are short.
    pub(super) row: f64,
    /// Lanes of a block.
    pub(super) lanes: f64,
    /// What neighbouring records cost beside elements anywhere: less, for loops that go along them. Of the element loop
    /// itself they are as near one after the other, and what it writes there is a row.
    pub(super) records: f64,
}

/// In which loop over lanes a statement stands, and which buffers it writes.
struct Lane<'f> {
    each: &'f For,
    iter: IterId,
    written: BufferSet,
    /// Iterators of loops in it whose bounds differ between lanes.
    ragged: Vec<IterId>,
    /// Elements beside each other that lanes have at places of their own; looked for where there are such places.
    rows: OnceCell<Vec<Row>>,
}

/// Elements of one array at `base + k`, for some numbers `k`, that are read, or added to.
struct Row {
    buffer: BufferId,
    outer: Vec<Expr>,
    base: Expr,
    reads: bool,
    columns: BTreeSet<i128>,
}

impl Row {
    fn has(&self, place: &Place, base: &Expr, reads: bool) -> bool {
        self.buffer == place.buffer
            && self.reads == reads
            && self.base == *base
            && place.index.iter().rev().skip(1).eq(self.outer.iter().rev())
    }

    /// Whether its elements are accessed together, see the back end's rows.
    fn is_joined(&self) -> bool {
        self.columns.len() >= cost::LEAST_ROW
    }
}

impl Lane<'_> {
    fn of<'f>(program: &Program, for_: &'f For) -> Lane<'f> {
        let written = crate::ir::written(&for_.body);
        let ragged = super::inner::ragged(program, for_, &written).iter().map(|inner| inner.iter).collect();
        Lane { each: for_, iter: for_.iter, written, ragged, rows: OnceCell::new() }
    }

    /// The part of a vector of four columns that an element is, if what lanes read from such a place, or add to it, are
    /// elements of rows: a row of three takes one, a row of five takes two.
    fn part_of_row(&self, place: &Place, reads: bool) -> Option<f64> {
        let (base, _) = column(place.index.last()?);
        let rows = self.rows.get_or_init(|| rows(self.each, &self.written));
        let row = rows.iter().find(|row| row.is_joined() && row.has(place, &base, reads))?;
        Some(row.columns.len().div_ceil(4) as f64 / row.columns.len() as f64)
    }
}

/// An index in a row: where that begins, and the number in it.
fn column(index: &Expr) -> (Expr, i128) {
    match index.kind {
        ExprKind::Int(number) => (Expr::usize(0), number),
        _ => offset_of(index),
    }
}

/// The rows of a loop: what it reads of arrays that it does not write, and what it adds to.
fn rows(for_: &For, written: &BufferSet) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut note = |place: &Place, reads: bool| {
        let Some((last, outer)) = place.index.split_last() else { return };
        let (base, column) = column(last);
        match rows.iter_mut().find(|row| row.has(place, &base, reads)) {
            Some(row) => _ = row.columns.insert(column),
            None => {
                let columns = BTreeSet::from([column]);
                rows.push(Row { buffer: place.buffer, outer: outer.to_vec(), base, reads, columns });
            }
        }
    };
    crate::ir::walk(&for_.body, &mut |stmt| {
        let mut read = |place: &Place| {
            if !written.contains(place.buffer) {
                note(place, true);
            }
        };
        stmt.each_expr(&mut |expr| expr.each_load(&mut read));
        stmt.as_sum().into_iter().for_each(|sum| note(sum.target, false));
    });
    rows
}

impl<'a> Price<'a> {
    /// Prices where there are no blocks; `none` is the empty set.
    pub(super) fn without_blocks(
        program: &'a Program,
        locals: &'a BufferSet,
        none: &'a BufferSet,
        size: f64,
    ) -> Price<'a> {
        let (row, records) = (cost::RAGGED_TRIP, cost::OF_RECORDS);
        Price { program, locals, expanded: none, widths: none, size, row, lanes: 1.0, records }
    }
}

impl Price<'_> {
    /// The price of one iteration of the element loop.
    pub(super) fn of_element(&self, element: &For) -> f64 {
        self.block(&element.body, None)
    }

    /// The price of a loop in the element loop.
    pub(super) fn of_loop(&self, stmt: &Stmt) -> f64 {
        self.stmt(stmt, None)
    }

    /// The price of a block, for one of its elements.
    pub(super) fn of_blocks(&self, stmt: &Stmt) -> f64 {
        let mut price = 0.0;
        stmt.walk(&mut |stmt| {
            if let Some(for_) = stmt.as_for()
                && price == 0.0
            {
                price = self.block(&for_.body, None);
            }
        });
        price / self.lanes
    }

    /// Bytes that some locals of one iteration take.
    pub(super) fn bytes(&self, buffers: &BufferSet) -> f64 {
        let buffers = self.program.buffer_ids().filter(|&buffer| buffers.contains(buffer));
        buffers.map(|buffer| self.bytes_of(buffer)).sum()
    }

    fn bytes_of(&self, buffer: BufferId) -> f64 {
        let mut dims = &self.program[buffer].dims[..];
        if let (true, Some((_, of_lane))) = (self.expanded.contains(buffer), dims.split_last()) {
            dims = of_lane;
        }
        let extents = dims.iter().map(|dim| dim.as_usize().map_or(self.size, |known| known as f64));
        8.0 * extents.product::<f64>()
    }

    fn block(&self, block: &Block, lane: Option<&Lane<'_>>) -> f64 {
        block.iter().map(|stmt| self.stmt(stmt, lane)).sum()
    }

    fn stmt(&self, stmt: &Stmt, lane: Option<&Lane<'_>>) -> f64 {
        match &stmt.kind {
            // the ends of lane loops, which are no locals of the source's, are free, as bounds of loops are
            StmtKind::Assign { target, value }
                if lane.is_none() && value.ty.is_word() && !self.locals.contains(target.buffer) =>
            {
                0.0
            }
            StmtKind::Assign { target, value } => self.value(value, lane) + self.access(target, lane, 1.0),
            StmtKind::Reduce { target, value, .. } => {
                self.value(value, lane) + 1.0 + self.access(target, lane, 2.0)
            }
            // the other version hardly ever runs
            StmtKind::Guarded { then, .. } => 1.0 + self.block(then, lane),
            StmtKind::If { cond, then, els } => {
                let arms = self.block(then, lane) + self.block(els, lane);
                // one number takes one arm, a vector usually both, and few numbers are at an edge
                let both = lane.is_some() || els.is_empty() && is_inside(cond);
                self.value(cond, lane) + 1.0 + if both { arms } else { arms / 2.0 }
            }
            // those outside of lane loops are hoisted later, and those of indices that count
            StmtKind::Check { cond, .. } => lane.map_or(0.0, |lane| match self.counts(cond, lane) {
                true => 0.0,
                false => 4.0 * self.value(cond, Some(lane)),
            }),
            StmtKind::For(for_) => self.for_loop(for_, lane),
            StmtKind::While(while_) => {
                cost::RAGGED_TRIP * (self.block(&while_.head, lane) + self.block(&while_.body, lane))
            }
            _ => stmt.blocks().into_iter().map(|block| self.block(block, lane)).sum(),
        }
    }

    fn for_loop(&self, for_: &For, lane: Option<&Lane<'_>>) -> f64 {
        let (elements, is_ragged) = self.trip(for_);
        let trip = match &for_.step.kind {
            ExprKind::Int(step) => (elements / *step as f64).ceil(),
            // over blocks
            _ => (elements / self.lanes).ceil(),
        };
        let row = if is_ragged { cost::SHORT_RAGGED_TRIP } else { self.row };
        let inside = Price { row, ..*self };
        if let (Exec::Lanes { .. }, None) = (for_.exec, lane) {
            let lane = Lane::of(self.program, for_);
            let (own, mut folds) = (crate::ir::declared(&for_.body), 0.0);
            crate::ir::walk(&for_.body, &mut |stmt| {
                if let Some(Update { target, .. }) = stmt.as_update()
                    && !own.contains(target.buffer)
                    && self.walk(target, &lane) == Walk::Still
                {
                    folds += cost::FOLD;
                }
            });
            let vectors = (trip / cost::VECTOR as f64).ceil();
            let head = if super::inner::fills_vectors(for_) { cost::WHOLE_LOOP } else { cost::LANE_LOOP };
            return head + folds + vectors * inside.block(&for_.body, Some(&lane));
        }
        trip * (cost::ITERATION + inside.block(&for_.body, lane))
    }

    /// How many elements a loop goes over, and whether that is decided by each iteration of the element loop.
    fn trip(&self, for_: &For) -> (f64, bool) {
        if let Some(trip) = for_.constant_trip() {
            return (trip as f64, false);
        }
        let mut rows = false;
        let mut slanted = false;
        let mut block = false;
        for bound in [&for_.lo, &for_.hi] {
            bound.walk(&mut |expr| match &expr.kind {
                ExprKind::Load(place) => {
                    // what is computed in an iteration bounds a part of something, as what is read from an array does
                    rows |= !place.index.is_empty() || self.locals.contains(place.buffer);
                    block |= self.widths.contains(place.buffer);
                }
                ExprKind::Iter(_) => slanted = true,
                _ => {}
            });
        }
        match (block, rows, slanted) {
            (true, ..) => (self.lanes, false),
            (_, true, _) => (self.row, true),
            (_, _, true) => (self.size / 2.0, false),
            _ => (self.size, false),
        }
    }

    /// Whether the condition compares an index that moves by the same distance from lane to lane with what does not move.
    fn counts(&self, cond: &Expr, lane: &Lane<'_>) -> bool {
        let step = |expr: &Expr| step(expr, lane.iter, &|place| lane.written.contains(place.buffer));
        if cond.mentions_any(&lane.ragged) {
            return false;
        }
        match &cond.kind {
            ExprKind::Binary(BinOp::Lt, index, len) => {
                step(index) != Step::Any && step(len) == Step::Number(0)
            }
            _ => false,
        }
    }

    fn walk(&self, place: &Place, lane: &Lane<'_>) -> Walk {
        if place.index.iter().any(|index| index.mentions_any(&lane.ragged)) {
            return Walk::Irregular;
        }
        walk(place, lane.iter, &|place| lane.written.contains(place.buffer))
    }

    /// The price of a place that is accessed so many times.
    fn access(&self, place: &Place, lane: Option<&Lane<'_>>, times: f64) -> f64 {
        let index: f64 = place.index.iter().map(|index| self.index(index, lane)).sum();
        let copies = if self.expanded.contains(place.buffer) { self.lanes } else { 1.0 };
        let bytes = self.bytes_of(place.buffer) * copies;
        let far =
            if self.locals.contains(place.buffer) && bytes > cost::CACHE { cost::FAR_LINE } else { 0.0 };
        let Some(lane) = lane else {
            return if place.index.is_empty() { 0.0 } else { index + times * (1.0 + far / 8.0) };
        };
        index
            + match self.walk(place, lane) {
                _ if place.index.is_empty() => 0.0,
                Walk::Still => 0.0,
                Walk::Contiguous => times * (1.0 + far),
                _ if lane.written.contains(place.buffer) => match lane.part_of_row(place, false) {
                    Some(part) => times * part * cost::SCATTER_OF_ROW,
                    None => times * self.lines(place, lane) * cost::SCATTER,
                },
                Walk::Strided | Walk::Irregular => match lane.part_of_row(place, true) {
                    Some(part) => times * part * cost::GATHER_OF_ROW,
                    None => times * self.lines(place, lane) * cost::GATHER,
                },
            }
    }

    /// What elements cost beside those of as many lines: neighbouring records are in few.
    fn lines(&self, place: &Place, lane: &Lane<'_>) -> f64 {
        let varies = |place: &Place| lane.written.contains(place.buffer);
        if moves_by_a_record(self.program, place, lane.iter, &varies) { self.records } else { 1.0 }
    }

    /// The price of the loads in an index; its arithmetic is free.
    fn index(&self, index: &Expr, lane: Option<&Lane<'_>>) -> f64 {
        let mut price = 0.0;
        index.walk(&mut |expr| {
            if let ExprKind::Load(place) = &expr.kind
                && !place.index.is_empty()
            {
                price += 1.0 + lane.map_or(0.0, |lane| f64::from(self.walk(place, lane) == Walk::Irregular));
            }
        });
        price
    }

    fn value(&self, value: &Expr, lane: Option<&Lane<'_>>) -> f64 {
        if let Some(lane) = lane
            && !self.varies(value, lane)
        {
            return 0.0;
        }
        let (own, operands): (f64, f64) = match &value.kind {
            ExprKind::Load(place) => return self.access(place, lane, 1.0),
            ExprKind::Binary(op, a, b) => {
                let own = if *op == BinOp::Div { cost::DIVISION } else { 1.0 };
                (own, self.value(a, lane) + self.value(b, lane))
            }
            _ => {
                let own = match &value.kind {
                    ExprKind::Unary(..) | ExprKind::Select(_) => 1.0,
                    ExprKind::Call(func, ..) => {
                        call(*func) * if lane.is_some() { 1.0 } else { cost::SCALAR_CALL }
                    }
                    // one lane after the other
                    ExprKind::Apply(..) => cost::FUNCTION * cost::SCALAR_CALL,
                    _ => 0.0,
                };
                (own, value.operands().iter().map(|operand| self.value(operand, lane)).sum())
            }
        };
        own + operands
    }

    /// Whether the value differs between lanes, or may.
    fn varies(&self, value: &Expr, lane: &Lane<'_>) -> bool {
        value.any(&mut |expr| match &expr.kind {
            ExprKind::Iter(iter) => *iter == lane.iter || lane.ragged.contains(iter),
            ExprKind::Load(place) => lane.written.contains(place.buffer),
            _ => false,
        })
    }
}

/// Whether a condition says that an iteration is not at an edge: a number made of iterators lies below, or above, one without.
fn is_inside(cond: &Expr) -> bool {
    let ExprKind::Binary(op, a, b) = &cond.kind else { return false };
    let counts = |expr: &Expr| expr.any(&mut |part| matches!(part.kind, ExprKind::Iter(_)));
    match op {
        BinOp::BitAnd => is_inside(a) && is_inside(b),
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => counts(a) != counts(b),
        _ => false,
    }
}

pub(super) fn call(func: Func) -> f64 {
    match func.cost() {
        Cost::Quotient | Cost::Root => cost::DIVISION,
        // one that no vector has is called for each lane
        Cost::Instruction if func.row().lanes != Lanes::Each => 1.0,
        _ if func.kind() == Kind::Float => cost::FUNCTION,
        _ => 1.0,
    }
}
