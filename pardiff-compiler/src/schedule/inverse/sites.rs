//! Where a loop updates rows of an array through an index.

use super::split::body_of;
use crate::ir::Update;
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, For, Func, IterId, Layout, Place, Program, Stmt, Ty, declared,
    written,
};
use crate::limits::LOCALS_OF_LOCALS;
use crate::poly::elements_of;
use crate::schedule::cost::trip_count;
use std::collections::HashMap;

/// The one statement of a loop that updates an array, and the loops around it.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) target: BufferId,
    /// The loop over the updates of an iteration; none where it makes one.
    pub(super) updates: Option<Range>,
    /// The number of the row, from iterators and from memory that the loop leaves alone.
    pub(super) key: Expr,
    /// The elements of a row; none where it has one.
    pub(super) row: Option<Row>,
    /// What is added, with the locals of the loop over the row written out.
    pub(super) value: Expr,
}

/// A loop inside of the parallel one; its bounds are from what the parallel loop leaves alone.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Range {
    pub(crate) iter: IterId,
    pub(crate) lo: Expr,
    pub(crate) hi: Expr,
}

/// The loop over the elements of a row.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    pub(in crate::schedule) range: Range,
    /// The distance of rows in an array of one dimension; none in one of two.
    pub(crate) stride: Option<Expr>,
}

impl Range {
    /// The number of iterations.
    pub(super) fn trips(&self) -> Expr {
        trip_count(&For { lo: self.lo.clone(), ..For::counted(self.iter, self.hi.clone(), Block::new()) })
    }

    /// That there are iterations; nothing where that is known.
    pub(super) fn runs(&self) -> Option<Expr> {
        match (self.lo.as_usize(), self.hi.as_usize()) {
            (Some(lo), Some(hi)) if lo < hi => None,
            _ => Some(Expr::binary(BinOp::Lt, self.lo.clone(), self.hi.clone())),
        }
    }
}

/// The scalars of a block that one assignment, and nothing else, writes, with their values.
pub(super) struct Once<'a> {
    values: HashMap<BufferId, Option<&'a Expr>>,
}

impl<'a> Once<'a> {
    pub(super) fn of(program: &Program, block: &'a [Stmt]) -> Once<'a> {
        let mut once = Once { values: HashMap::new() };
        let own = declared(block);
        crate::ir::walk(block, &mut |stmt| {
            let single = stmt.as_scalar_assign();
            if stmt.blocks().is_empty() {
                stmt.writes(&mut |buffer| {
                    let value = single.filter(|_| program[buffer].rank() == 0).map(|(_, value)| value);
                    once.values.entry(buffer).and_modify(|known| *known = None).or_insert(value);
                });
            }
        });
        once.values.retain(|&buffer, value| value.is_some() && own.contains(buffer));
        once
    }

    /// The expression with the values of these scalars in their places.
    pub(super) fn written_out(&self, expr: &Expr) -> Expr {
        self.deep(expr, LOCALS_OF_LOCALS)
    }

    fn deep(&self, expr: &Expr, levels: usize) -> Expr {
        expr.map(&mut |node| match &node.kind {
            ExprKind::Load(place) if levels > 0 => match self.values.get(&place.buffer) {
                Some(Some(value)) => self.deep(value, levels - 1),
                _ => node,
            },
            _ => node,
        })
    }
}

impl Site {
    /// The update of an array that is the only one of a loop, if it goes to rows by an index.
    pub(super) fn of(program: &Program, each: &For, target: BufferId) -> Option<Site> {
        if !each.is_plain() || !matches!(program[target].layout, Layout::RowMajor) {
            return None;
        }
        let path = only_update(&each.body, target)?;
        let (update, around) = path.split_last()?;
        let Update { target: place, value, .. } = update.as_update()?;
        let mut loops: Vec<&For> = Vec::new();
        for stmt in around {
            match stmt.as_for() {
                Some(each) => loops.push(each),
                None => _ = stmt.as_scope()?,
            }
        }
        let changed = written(&each.body);
        let once = Once::of(program, &each.body);
        let range = |of: &For| {
            let range = Range { iter: of.iter, lo: once.written_out(&of.lo), hi: once.written_out(&of.hi) };
            let is_fixed = |it: &Expr| !it.reads_any(program, &changed) && !names_inside(each, it, None);
            let fixed = is_fixed(&range.lo) && is_fixed(&range.hi);
            (of.is_plain() && fixed).then_some(range)
        };
        let index: Vec<Expr> = place.index.iter().map(|index| once.written_out(index)).collect();
        let last = loops.last().copied().and_then(range);
        let (key, row) = match last.and_then(|range| row_of(each, &index, range)) {
            Some((key, row)) => (key, Some(row)),
            None => match &index[..] {
                [key] => (key.clone(), None),
                _ => return None,
            },
        };
        let inner = if row.is_some() { loops.pop() } else { None };
        let updates = match loops[..] {
            [] => None,
            [updates] => Some(range(updates)?),
            _ => return None,
        };
        if let (Some(row), Some(updates)) = (&row, &updates)
            && [&row.range.lo, &row.range.hi].into_iter().any(|bound| bound.mentions(updates.iter))
        {
            return None;
        }
        // an index that is no index array is better served otherwise
        let inside = |expr: &Expr| names_inside(each, expr, updates.as_ref().map(|updates| updates.iter));
        let known =
            key.loads_elements() && !key.reads_any(program, &changed) && key.ty == Ty::USIZE && !inside(&key);
        let own = inner.map(|inner| Once::of(program, &inner.body));
        let value = own.map_or(value.clone(), |own| own.written_out(value));
        known.then_some(Site { target, updates, key, row, value })
    }

    /// Whether the updates of two sites are the same rows, in the same order.
    pub(super) fn shares(&self, other: &Site) -> bool {
        match (&self.updates, &other.updates) {
            (None, None) => self.key == other.key,
            (Some(own), Some(updates)) => {
                let there = Expr::iter(updates.iter, Ty::USIZE);
                let key = self.key.at(own.iter, &there);
                own.lo == updates.lo && own.hi == updates.hi && key == other.key
            }
            _ => false,
        }
    }
}

/// The row of an index `key * stride + f` or `[key, f]`, if the whole range of `f` is in one row and the same in every
/// iteration.
pub(crate) fn row_of(each: &For, index: &[Expr], range: Range) -> Option<(Expr, Row)> {
    let is_element = |expr: &Expr| expr.kind == ExprKind::Iter(range.iter);
    let (key, stride) = match index {
        [key, last] if is_element(last) => (key, None),
        [Expr { kind: ExprKind::Binary(BinOp::Add, rows, last), .. }] if is_element(last) => {
            let ExprKind::Binary(BinOp::Mul, key, stride) = &rows.kind else { return None };
            let inside = match (range.hi.as_usize(), stride.as_usize()) {
                (Some(hi), Some(stride)) => hi <= stride && stride > 0,
                _ => **stride == range.hi,
            };
            if !inside {
                return None;
            }
            (&**key, Some((**stride).clone()))
        }
        _ => return None,
    };
    // what is read from an array may be there only where the loop is
    let varies = |bound: &Expr| bound.mentions(each.iter) || !elements_of(bound).is_empty();
    let varies = [&range.lo, &range.hi].into_iter().any(varies);
    (!varies && !key.mentions(range.iter)).then(|| (key.clone(), Row { range, stride }))
}

/// Whether an expression names an iterator of a loop inside of another one, `but` one apart: with that of a loop that is
/// over, what the loop left in a local is no value in front of it.
fn names_inside(each: &For, expr: &Expr, but: Option<IterId>) -> bool {
    expr.any(&mut |node| match node.kind {
        ExprKind::Iter(iter) => Some(iter) != but && body_of(&each.body, iter).is_some(),
        _ => false,
    })
}

/// The statement that updates an array, with those around it, if there is only one.
fn only_update(block: &Block, target: BufferId) -> Option<Vec<&Stmt>> {
    let mut found = Vec::new();
    updates(block, target, &mut Vec::new(), &mut found);
    if found.len() == 1 { found.pop() } else { None }
}

fn updates<'a>(block: &'a Block, target: BufferId, path: &mut Vec<&'a Stmt>, found: &mut Vec<Vec<&'a Stmt>>) {
    for stmt in block {
        path.push(stmt);
        if stmt.as_update().is_some_and(|Update { target: place, .. }| place.buffer == target) {
            found.push(path.clone());
        }
        for inner in stmt.blocks() {
            updates(inner, target, path, found);
        }
        path.pop();
    }
}

impl Site {
    /// How many rows the target has.
    pub(super) fn rows(&self, program: &Program) -> Expr {
        let extent = program[self.target].dims.first().cloned().unwrap_or(Expr::usize(0));
        self.row.as_ref().map_or(extent.clone(), |row| row.rows(extent))
    }

    /// An element of a row of the target.
    pub(super) fn element(&self, number: &Expr, at: &Expr) -> Place {
        let index = self.row.as_ref().map_or(vec![number.clone()], |row| row.element(number, at));
        Place::new(self.target, index)
    }
}

impl Row {
    /// How many rows there are in an array of so many elements, or rows.
    pub(crate) fn rows(&self, extent: Expr) -> Expr {
        let Some(stride) = self.stride.clone() else { return extent };
        let stride = match stride.as_usize() {
            Some(_) => stride,
            None => Expr::call(Ty::USIZE, Func::IntMax, vec![stride, Expr::usize(1)]),
        };
        Expr::call(Ty::USIZE, Func::DivCeil, vec![extent, stride])
    }

    /// The index of an element of a row.
    pub(crate) fn element(&self, number: &Expr, at: &Expr) -> Vec<Expr> {
        let number = number.clone();
        match &self.stride {
            None => vec![number, at.clone()],
            Some(stride) => vec![number * stride.clone() + at.clone()],
        }
    }
}
