//! What a term of a sum is computed from when it is added by its row instead of by its iteration.

use super::sites::{Once, Site};
use crate::ir::{Block, BufferSet, Expr, ExprKind, For, IterId, Place, Program, declared, written};

/// Where a part of a term comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Given {
    /// It is stored by update.
    ByUpdate,
    /// It is stored by iteration and element.
    ByIteration,
}

/// What stands for the iterators of the loop where terms are gathered.
#[derive(Clone, Debug)]
pub(super) struct There {
    pub(super) iteration: Expr,
    pub(super) row: Expr,
    pub(super) element: Expr,
}

/// Takes the terms of a site apart.
pub(super) struct Split<'a> {
    program: &'a Program,
    each: &'a For,
    site: &'a Site,
    once: Once<'a>,
    /// Written or declared in the loop.
    changed: BufferSet,
    /// Written or declared in the loop over the row.
    in_row: BufferSet,
    /// Written or declared in the loop over the updates, that over the row included.
    in_updates: BufferSet,
}

impl<'a> Split<'a> {
    pub(super) fn new(program: &'a Program, each: &'a For, site: &'a Site) -> Split<'a> {
        let of = |iter: Option<IterId>| {
            let body = iter.and_then(|iter| body_of(&each.body, iter));
            body.map_or(BufferSet::new(), changed)
        };
        let in_row = of(site.row.as_ref().map(|row| row.range.iter));
        let mut in_updates = of(site.updates.as_ref().map(|updates| updates.iter));
        in_updates.union(&in_row);
        let once = Once::of(program, &each.body);
        Split { program, each, site, once, changed: changed(&each.body), in_row, in_updates }
    }

    /// Whether the terms can be taken apart.
    pub(super) fn is_possible(&self) -> bool {
        let iter = |expr: IterId| Expr::iter(expr, crate::ir::Ty::USIZE);
        let element = self.site.row.as_ref().map_or(Expr::usize(0), |row| iter(row.range.iter));
        let there = There { iteration: iter(self.each.iter), row: Expr::usize(0), element };
        self.term(&there, &mut |_, part| part.clone()).is_some()
    }

    /// The term where it is gathered; `give` says what stands for a part that is stored.
    pub(super) fn term(&self, there: &There, give: &mut dyn FnMut(Given, &Expr) -> Expr) -> Option<Expr> {
        // what is stored in front of the loop over the row has the value that it has inside
        if self.site.value.reads_any(self.program, &self.in_row) {
            return None;
        }
        let value = self.integers_written_out(&self.site.value);
        self.part(&value, there, give)
    }

    /// An expression whose indices mention iterators and memory alone.
    fn integers_written_out(&self, expr: &Expr) -> Expr {
        expr.map(&mut |mut node| {
            if let ExprKind::Load(place) = &mut node.kind {
                for index in &mut place.index {
                    *index = self.once.written_out(index);
                }
            }
            node
        })
    }

    fn part(&self, expr: &Expr, there: &There, give: &mut dyn FnMut(Given, &Expr) -> Expr) -> Option<Expr> {
        let is_leaf = matches!(
            expr.kind,
            ExprKind::Float(_)
                | ExprKind::Int(_)
                | ExprKind::Bool(_)
                | ExprKind::Opaque(_)
                | ExprKind::Load(_)
        );
        if is_leaf && let Some(same) = self.in_place(expr, there) {
            return Some(same);
        }
        let row = self.site.row.as_ref().map(|row| row.range.iter);
        if !row.is_some_and(|row| expr.mentions(row)) {
            return Some(give(Given::ByUpdate, expr));
        }
        match &expr.kind {
            ExprKind::Iter(_) => Some(there.element.clone()),
            ExprKind::Load(place) => self.is_by_iteration(place).then(|| give(Given::ByIteration, expr)),
            _ => {
                let mut possible = true;
                let split = expr.with_operands(&mut |operand| {
                    let part = self.part(operand, there, give);
                    possible &= part.is_some();
                    part.unwrap_or_else(|| operand.clone())
                });
                possible.then_some(split)
            }
        }
    }

    /// The same value, read again from memory that the loop leaves alone.
    fn in_place(&self, expr: &Expr, there: &There) -> Option<Expr> {
        if *expr == self.site.key {
            return Some(there.row.clone());
        }
        let row = self.site.row.as_ref().map(|row| row.range.iter);
        match &expr.kind {
            ExprKind::Iter(iter) if *iter == self.each.iter => return Some(there.iteration.clone()),
            ExprKind::Iter(iter) if Some(*iter) == row => return Some(there.element.clone()),
            ExprKind::Iter(iter) => {
                let inside = body_of(&self.each.body, *iter).is_some();
                return (!inside).then(|| expr.clone());
            }
            ExprKind::Load(place) if self.changed.contains(place.buffer) => return None,
            ExprKind::Extent(buffer, _) if self.changed.contains(*buffer) => return None,
            _ => {}
        }
        let mut possible = true;
        let same = expr.with_operands(&mut |operand| {
            let part = self.in_place(operand, there);
            possible &= part.is_some();
            part.unwrap_or_else(|| operand.clone())
        });
        possible.then_some(same)
    }

    /// Whether an element has the same value in all updates of an iteration, and has it before the first of them.
    fn is_by_iteration(&self, place: &Place) -> bool {
        let within = |iter: IterId| self.site.updates.as_ref().is_some_and(|updates| updates.iter == iter);
        let fixed = |index: &Expr| {
            let moves = index.any(&mut |node| matches!(&node.kind, ExprKind::Iter(iter) if within(*iter)));
            !moves && !index.reads_any(self.program, &self.changed)
        };
        let plain = !self.in_updates.contains(place.buffer) && place.index.len() <= 2;
        plain && place.index.iter().all(fixed)
    }
}

/// What a block writes or declares.
fn changed(block: &Block) -> BufferSet {
    let mut set = written(block);
    set.union(&declared(block));
    set
}

/// The body of a loop inside of a block.
pub(super) fn body_of(block: &Block, iter: IterId) -> Option<&Block> {
    for stmt in block {
        if let Some(each) = stmt.as_for()
            && each.iter == iter
        {
            return Some(&each.body);
        }
        if let Some(found) = stmt.blocks().into_iter().find_map(|inner| body_of(inner, iter)) {
            return Some(found);
        }
    }
    None
}
