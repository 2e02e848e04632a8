//! Arrays that several nests of one block read are stored once.
//!
//! ```text
//! while round                                while round
//!   for i { tape[..] = p[i]; s += p[i] * q[i] }     for i { s += p[i] * q[i] }
//!   for i { tape.2[..] = p[i]; x[i] += a * p[i] }   for i { x[i] += a * p[i] }
//!                                                   for e { tape[.., e] = p[e] }
//!   for i { tape.3[..] = p[i]; p[i] = b * p[i] }    for i { p[i] = b * p[i] }
//! ```
//!
//! Each nest by itself would store what it reads at the use: as many tapes as nests, of the same values. A whole array in
//! place of two of them takes less, as each of them has nearly all elements.
//!
//! *Legality.* The nests stand in one block but for the bodies of scopes, so they run equally often and in their order.
//! Between the first and the last of them, the snapshot stands before the last, nothing writes the array. In a nest
//! before the last nothing writes it either. In the last one an element may be written, but not before it is read: all
//! accesses are at the same index, which is a different one in each iteration, and none of the statements that write
//! stands in front of the one that reads. So all of them read what the snapshot holds.

use super::structure::is_loop;
use super::sweep::Sweep;
use crate::ir::{BinOp, BufferId, Expr, ExprKind, For, Place, Stmt, StmtKind};

impl<'p> Sweep<'p> {
    /// The loop nest before which the array of the read `place` in `stmt` is stored as a whole, for this read among others.
    pub(super) fn stored_nest(&self, place: &Place, stmt: &Stmt) -> Option<&'p Stmt> {
        let buffer = place.buffer;
        let nest = self.snapshot_nest(place, stmt);
        if self.region.loops.is_empty() || place.index.is_empty() {
            return nest;
        }
        let reader = match nest {
            Some(nest) => nest,
            None => self.covering_nest(place, stmt)?,
        };
        let writes_it = self.is_written_between(buffer, reader, reader);
        let later = self.region.stored.iter().filter(|(_, of)| *of == buffer).map(|(nest, _)| *nest);
        let mut later = later.filter(|later| {
            !writes_it && self.is_in_front(reader, later) && !self.is_written_between(buffer, reader, later)
        });
        let is_asked_for_in_front =
            || self.nests_in_front(reader).any(|nest| self.reads_all(buffer, nest, reader));
        later.next().or(nest).or_else(|| is_asked_for_in_front().then_some(reader))
    }

    /// The outermost loop around `stmt`, in the loops of the region, that reads with `place` nearly all elements of the
    /// array as they were before it.
    fn covering_nest(&self, place: &Place, stmt: &Stmt) -> Option<&'p Stmt> {
        self.can_be_stored(place.buffer).then_some(())?;
        let mut loops: Vec<&'p Stmt> = Vec::new();
        for looped in self.structure.ancestors(stmt).filter(|outer| is_loop(outer)) {
            if !self.is_here(looped) || loops.len() == place.index.len() {
                break;
            }
            loops.push(looped);
        }
        let nest = *loops.last()?;
        let covers = loops.len() == place.index.len() && self.covers(place, &loops);
        let writes = self.structure.writes(place.buffer).iter();
        let mut inside = writes.filter(|write| self.structure.is_inside(write, nest));
        let right = inside.all(|write| match &write.kind {
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                target.index == place.index && self.structure.order(write) >= self.structure.order(stmt)
            }
            _ => false,
        });
        let in_loop = self.structure.ancestors(nest).any(|outer| is_loop(outer) && self.is_here(outer));
        (covers && right && in_loop).then_some(nest)
    }

    /// Whether each index of `place` is the iterator of one of the loops, each of another one, give or take a number, and
    /// goes from one end of the array to the other, give or take as much.
    fn covers(&self, place: &Place, loops: &[&Stmt]) -> bool {
        let mut left: Vec<&For> = loops.iter().filter_map(|looped| counted(looped)).collect();
        place.index.iter().enumerate().all(|(dim, index)| {
            let at =
                left.iter().position(|each| moved(index, &|part| part.kind == ExprKind::Iter(each.iter)));
            let Some(each) = at.map(|at| left.swap_remove(at)) else { return false };
            let extent = &self.primal[place.buffer].dims[dim];
            let is_end = |end: &Expr| end == extent || end.kind == ExprKind::Extent(place.buffer, dim);
            let unit = each.step.kind == ExprKind::Int(1);
            unit && matches!(each.lo.kind, ExprKind::Int(_)) && moved(&each.hi, &is_end)
        })
    }

    /// The loops in front of `nest` in its block, with those in the bodies of scopes.
    fn nests_in_front(&self, nest: &'p Stmt) -> impl Iterator<Item = &'p Stmt> {
        let mut found = Vec::new();
        let mut inner = nest;
        while let Some(outer) = self.structure.parent(inner) {
            for block in outer.blocks() {
                if let Some(at) = block.iter().position(|it| std::ptr::eq(it, inner)) {
                    block[..at].iter().for_each(|it| in_scopes(it, &mut found));
                }
            }
            if !matches!(outer.kind, StmtKind::Scope { .. }) {
                break;
            }
            inner = outer;
        }
        found.into_iter()
    }

    /// Whether `first` is one of the loops in front of `last`.
    fn is_in_front(&self, first: &Stmt, last: &'p Stmt) -> bool {
        self.nests_in_front(last).any(|nest| std::ptr::eq(nest, first))
    }

    /// Whether something writes the array in `first`, or behind it in front of `last`.
    fn is_written_between(&self, buffer: BufferId, first: &Stmt, last: &Stmt) -> bool {
        let (from, to) = (self.structure.order(first), self.structure.order(last));
        self.structure.writes(buffer).iter().any(|write| {
            let at = self.structure.order(write);
            (from..to).contains(&at) || self.structure.is_inside(write, first)
        })
    }

    /// Whether `nest`, in front of `reader`, reads nearly all elements of the array as factors, which the reverse sweep needs,
    /// and finds in it what `reader` finds.
    fn reads_all(&self, buffer: BufferId, nest: &'p Stmt, reader: &Stmt) -> bool {
        if self.is_written_between(buffer, nest, reader) {
            return false;
        }
        let mut reads_all = false;
        nest.walk(&mut |stmt| {
            let (StmtKind::Assign { value, .. } | StmtKind::Reduce { value, .. }) = &stmt.kind else {
                return;
            };
            let mut is_factor = false;
            value.walk(&mut |part| {
                is_factor |=
                    matches!(part.kind, ExprKind::Binary(BinOp::Mul | BinOp::Div, ..) | ExprKind::Call(..));
            });
            let is_named = matches!(value.kind, ExprKind::Load(_));
            value.walk(&mut |part| match &part.kind {
                ExprKind::Load(place) if place.buffer == buffer && !reads_all => {
                    let nested = self.structure.ancestors(stmt).filter(|outer| is_loop(outer));
                    let inside = |it: &&Stmt| std::ptr::eq(*it, nest) || self.structure.is_inside(it, nest);
                    let loops: Vec<&Stmt> = nested.take_while(inside).map(|it| it as &Stmt).collect();
                    reads_all = (is_factor || is_named) && self.covers(place, &loops);
                }
                _ => {}
            });
        });
        reads_all
    }
}

/// The loops of a statement that is run once where its block is.
fn in_scopes<'p>(stmt: &'p Stmt, found: &mut Vec<&'p Stmt>) {
    match &stmt.kind {
        StmtKind::Scope { body, .. } => body.iter().for_each(|it| in_scopes(it, found)),
        StmtKind::For(_) => found.push(stmt),
        _ => {}
    }
}

fn counted(stmt: &Stmt) -> Option<&For> {
    match &stmt.kind {
        StmtKind::For(each) => Some(each),
        _ => None,
    }
}

/// Whether the expression is one that `is_it`, give or take a number.
fn moved(expr: &Expr, is_it: &impl Fn(&Expr) -> bool) -> bool {
    is_it(expr)
        || match &expr.kind {
            ExprKind::Binary(BinOp::Add | BinOp::Sub, lhs, rhs) => {
                is_it(lhs) && matches!(rhs.kind, ExprKind::Int(_))
            }
            _ => false,
        }
}
