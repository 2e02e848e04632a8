//! Where a kernel updates an array, and the loops around.

use super::is_atomic;
use crate::gpu::host::Host;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Func, IterId, Place, Program, Stmt, StmtKind, Ty,
    declared, thread_loops, written,
};
use crate::schedule::cost::trip_count;
use crate::schedule::inverse::{Range, Row, row_of};
use std::collections::HashMap;

/// The updates of an array by a kernel.
#[derive(Clone, Debug)]
pub(super) struct Updates {
    pub(super) target: BufferId,
    /// In the order of the text.
    pub(super) sites: Vec<Site>,
    /// The elements of a row, where all updates are whole rows: `0..this`.
    pub(super) row: Option<Expr>,
}

/// A statement that updates the array.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The loops around, the kernel's first; without the one over the elements of a row, where updates are rows.
    pub(super) axes: Vec<Axis>,
    /// Whether every iteration of these loops updates.
    pub(super) always: bool,
    /// The loop over the elements of a row that it stands in, its row's number and the form of rows.
    pub(super) row: Option<(Axis, Expr, Row)>,
}

/// A loop around updates. Its bounds are computed from what the kernel leaves alone.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Axis {
    pub(super) iter: IterId,
    pub(super) lo: Expr,
    pub(super) hi: Expr,
    pub(super) length: Length,
}

/// What is known of the number of iterations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Length {
    /// The host knows it.
    Fixed,
    /// The host knows the upper bound, which no iterator reaches.
    Below,
    /// It is in memory.
    Ragged,
}

impl Axis {
    /// The number of iterations, or of places for them.
    pub(super) fn extent(&self) -> Expr {
        match self.length {
            Length::Below => self.hi.clone(),
            _ => {
                let hi = self.hi.clone();
                trip_count(&For { lo: self.lo.clone(), ..For::counted(self.iter, hi, Block::new()) })
            }
        }
    }

    /// The number of the iteration that runs.
    pub(super) fn position(&self) -> Expr {
        let at = Expr::iter(self.iter, Ty::USIZE);
        match (self.length, &self.lo.kind) {
            (Length::Below, _) | (_, ExprKind::Int(0)) => at,
            _ => Expr::call(Ty::USIZE, Func::WrappingSub, vec![at, self.lo.clone()]),
        }
    }
}

impl Updates {
    /// The updates of an array, if each of them can have a place of its own.
    pub(super) fn of(program: &Program, host: &Host<'_>, each: &For, target: BufferId) -> Option<Updates> {
        let mut changed = written(&each.body);
        changed.union(&declared(&each.body));
        let mut inside = vec![each.iter];
        let mut writes: HashMap<BufferId, usize> = HashMap::new();
        each.body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                inside.extend(stmt.iter());
                if !stmt.is_opaque() {
                    stmt.writes_itself(&mut |buffer| *writes.entry(buffer).or_default() += 1);
                }
            });
        });
        let mut search = Search { program, host, target, each, changed, inside, writes, sites: Vec::new() };
        let around = Around::default().within(search.axis(each, &Around::default())?);
        search.block(&each.body, &around)?;
        let sites = search.sites;
        let Site { row: Some((first, _, form)), .. } = sites.first()? else {
            return Some(Updates { target, sites: without_rows(sites), row: None });
        };
        let (length, form) = (first.hi.clone(), form.clone());
        let same = |site: &Site| {
            let alike = |(axis, _, row): &(Axis, Expr, Row)| axis.hi == length && row.stride == form.stride;
            site.row.as_ref().is_some_and(alike)
        };
        match sites.iter().all(same) {
            true => Some(Updates { target, sites, row: Some(length) }),
            false => Some(Updates { target, sites: without_rows(sites), row: None }),
        }
    }

    /// Whether each of the places is taken by an update.
    pub(super) fn covers(&self) -> bool {
        let below = |axis: &Axis| axis.length == Length::Below;
        self.sites.iter().all(|site| site.always && !site.axes.iter().any(below))
    }
}

/// Updates of elements one by one: loops over the elements of rows are loops like the others.
fn without_rows(mut sites: Vec<Site>) -> Vec<Site> {
    for site in &mut sites {
        if let Some((axis, ..)) = site.row.take() {
            site.axes.push(axis);
        }
    }
    sites
}

/// What stands around a statement.
#[derive(Clone, Default)]
struct Around {
    axes: Vec<Axis>,
    /// Variables that have a value here, and it.
    known: HashMap<BufferId, Expr>,
    /// Whether a condition stands around, and whether one stands in the innermost loop.
    conditional: [bool; 2],
    /// What the innermost loop declares or writes.
    of_innermost: BufferSet,
}

impl Around {
    fn within(mut self, axis: Axis) -> Around {
        self.axes.push(axis);
        self.conditional[1] = false;
        self
    }

    /// With the values of variables in their places.
    fn resolved(&self, expr: &Expr) -> Expr {
        expr.map(&mut |node| match &node.kind {
            ExprKind::Load(place) => self.known.get(&place.buffer).cloned().unwrap_or(node),
            _ => node,
        })
    }
}

struct Search<'a, 'p> {
    program: &'a Program,
    host: &'a Host<'p>,
    target: BufferId,
    each: &'a For,
    changed: BufferSet,
    inside: Vec<IterId>,
    /// How many statements write a buffer.
    writes: HashMap<BufferId, usize>,
    sites: Vec<Site>,
}

impl Search<'_, '_> {
    /// `None` where an update stands in something else than loops, conditions and scopes.
    fn block(&mut self, block: &Block, around: &Around) -> Option<()> {
        let mut around = around.clone();
        for stmt in block {
            if let Some((target, value)) = stmt.as_assign()
                && target.index.is_empty()
                && self.writes.get(&target.buffer) == Some(&1)
            {
                let value = around.resolved(value);
                if !value.reads_any(self.program, &self.changed) {
                    around.known.insert(target.buffer, value);
                }
                continue;
            }
            let mut updates = false;
            stmt.walk(&mut |stmt| updates |= is_atomic(stmt, Some(self.target)));
            if !updates {
                continue;
            }
            match &stmt.kind {
                StmtKind::Reduce { target, .. } => {
                    let site = self.site(target, &around);
                    self.sites.push(site);
                }
                StmtKind::For(inner) => {
                    let mut within = around.clone().within(self.axis(inner, &around)?);
                    within.of_innermost = written(&inner.body);
                    within.of_innermost.union(&declared(&inner.body));
                    self.block(&inner.body, &within)?;
                }
                StmtKind::Scope { body, .. } => self.block(body, &around)?,
                StmtKind::If { then, els, .. } | StmtKind::Guarded { then, els, .. } => {
                    let within = Around { conditional: [true; 2], ..around.clone() };
                    self.block(then, &within)?;
                    self.block(els, &within)?;
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn site(&self, place: &Place, around: &Around) -> Site {
        let Around { axes, conditional, .. } = around;
        let (mut axes, row) = (axes.clone(), self.row(place, around));
        if row.is_some() {
            axes.pop();
        }
        Site { axes, always: !conditional[0], row }
    }

    /// The row of an update by the loop around it, which has all of its elements, and whose number has a value in front of that loop.
    fn row(&self, place: &Place, around: &Around) -> Option<(Axis, Expr, Row)> {
        let axis = around.axes.last()?;
        // threads that are iterations of several loops have nothing between these
        if around.axes.len() <= thread_loops(self.each).len()
            || axis.length != Length::Fixed
            || axis.lo != Expr::usize(0)
            || around.conditional[1]
        {
            return None;
        }
        let range = Range { iter: axis.iter, lo: axis.lo.clone(), hi: axis.hi.clone() };
        let index: Vec<Expr> = place.index.iter().map(|it| with_fixed(self, it, around)).collect();
        let (key, row) = row_of(self.each, &index, range)?;
        let before = !key.reads_any(self.program, &around.of_innermost) && wrapping(&key).is_total();
        before.then(|| (axis.clone(), key, row))
    }

    fn axis(&self, each: &For, around: &Around) -> Option<Axis> {
        if !each.is_plain() {
            return None;
        }
        let [lo, hi] = [&each.lo, &each.hi].map(|bound| wrapping(&around.resolved(bound)));
        let length = match (self.is_fixed(&lo), self.is_fixed(&hi)) {
            (true, true) => Length::Fixed,
            (false, true) => Length::Below,
            (_, false) => Length::Ragged,
        };
        let ragged = || around.axes.iter().any(|axis| axis.length == Length::Ragged);
        if length == Length::Ragged && (ragged() || ![&lo, &hi].iter().all(|it| self.is_counted(it, around)))
        {
            return None;
        }
        // what the position is computed from
        let places = length == Length::Below || self.is_counted(&lo, around);
        places.then_some(Axis { iter: each.iter, lo, hi, length })
    }

    /// Whether the host knows the value in front of the kernel.
    fn is_fixed(&self, expr: &Expr) -> bool {
        self.has_one_value(expr, &[]) && self.host.knows(expr)
    }

    /// Whether a kernel in front, whose iterators are those around, can compute the value.
    fn is_counted(&self, expr: &Expr, around: &Around) -> bool {
        self.has_one_value(expr, &around.axes)
    }

    /// Whether an expression has the same value in the kernel and in front of it, for the same iterations of `axes`. Floats may be
    /// rounded in other places there.
    fn has_one_value(&self, expr: &Expr, axes: &[Axis]) -> bool {
        let mut same = expr.is_total() && !expr.reads_any(self.program, &self.changed);
        expr.walk(&mut |node| {
            same &= !node.ty.is_float();
            match &node.kind {
                ExprKind::Iter(iter) if self.inside.contains(iter) => {
                    same &= axes.iter().any(|axis| axis.iter == *iter);
                }
                ExprKind::Extent(buffer, _) => same &= !self.changed.contains(*buffer),
                _ => {}
            }
        });
        same
    }
}

/// With variables in place of which the host has a value in front of the kernel.
fn with_fixed(search: &Search<'_, '_>, expr: &Expr, around: &Around) -> Expr {
    expr.map(&mut |node| match &node.kind {
        ExprKind::Load(place) => match around.known.get(&place.buffer) {
            Some(value) if search.is_fixed(value) => value.clone(),
            _ => node,
        },
        _ => node,
    })
}

/// Integers that wrap, as they do on the device: the host evaluates them where the source may not.
fn wrapping(expr: &Expr) -> Expr {
    expr.map(&mut |node| match node.kind {
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) if node.ty.is_int() => {
            let func = match op {
                BinOp::Add => Func::WrappingAdd,
                BinOp::Sub => Func::WrappingSub,
                _ => Func::WrappingMul,
            };
            Expr::call(node.ty, func, vec![*a, *b])
        }
        kind => Expr { ty: node.ty, kind },
    })
}

/// The statement of a loop over the elements of a row, if it is that of one of the sites.
pub(super) fn is_row_loop(stmt: &Stmt, site: &Site) -> bool {
    matches!((&stmt.kind, &site.row), (StmtKind::For(each), Some((axis, ..))) if each.iter == axis.iter)
}
