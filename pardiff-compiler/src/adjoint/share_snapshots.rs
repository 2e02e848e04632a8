//! Arrays that several nests read are stored once.
//!
//! ```text
//! while round                                         while round
//!   for i { tape[..] = p[i]; s += p[i] * q[i] }         for e { tape[.., e] = p[e] }
//!   if s < least { break }                              for i { s += p[i] * q[i] }
//!   for i { tape.2[..] = p[i]; x[i] += a * p[i] }  =>   if s < least { break }
//!   for i { tape.3[..] = p[i]; p[i] = b * p[i] }        for i { x[i] += a * p[i] }
//!                                                       for i { p[i] = b * p[i] }
//! ```
//!
//! Each nest by itself would store what it reads at the use: as many tapes as nests, of the same values. A whole array in
//! place of two of them takes less, as each of them has nearly all elements.
//!
//! *Legality.* The first of the nests, before which the array is stored, stands in a block around the others, with no loop
//! between: whenever they run it has run before, in the same iteration. From the first to the last of them nothing
//! writes the array. In the last one an element may be written, but not before it is read: all accesses are at the same
//! index, no loop carries a dependence from the write to the read, and none of the statements that write stands in front
//! of the one that reads. So all of them read what was stored.
//! Where conditions pass over the others the first one reads the array nevertheless, so no more is stored than is read.

use super::reverse_stmt::Sweep;
use crate::ir::{BinOp, BufferId, Expr, ExprKind, For, Func, Place, Stmt, StmtKind};

impl<'p> Sweep<'p> {
    /// The loop nest before which the array of the read `place` in `stmt` is stored as a whole, for this read among others.
    pub(super) fn stored_nest(&self, place: &Place, stmt: &Stmt) -> Option<&'p Stmt> {
        let buffer = place.buffer;
        let nest = self.snapshot_nest(place, stmt).or_else(|| self.stored_around(place.buffer, stmt));
        let (reader, covers) = match nest {
            Some(nest) => (nest, true),
            None if place.index.is_empty() => return None,
            None => self.element_nest(place, stmt)?,
        };
        // at the level of the region each statement has tapes of its own
        if !self.structure.ancestors(reader).any(|outer| outer.is_loop() && self.is_here(outer)) {
            return nest;
        }
        let mut front = self.nests_in_front(reader);
        front.retain(|first| !self.is_written_between(buffer, first, reader));
        let is_stored = |nest: &Stmt| {
            self.region.stored.iter().any(|(other, of)| *of == buffer && std::ptr::eq(*other, nest))
        };
        let stored = front.iter().chain([&reader]).find(|first| is_stored(first));
        let first = stored.or_else(|| front.iter().find(|first| self.reads_all(buffer, first, covers)));
        first.copied().or(nest)
    }

    /// The nest around `stmt` before which the array is stored anyway, and that does not write it.
    fn stored_around(&self, buffer: BufferId, stmt: &Stmt) -> Option<&'p Stmt> {
        let is_around = |nest: &Stmt| {
            let writes = self.structure.writes(buffer);
            self.structure.is_inside(stmt, nest)
                && !writes.iter().any(|it| self.structure.is_inside(it, nest))
        };
        let mut stored = self.region.stored.iter();
        stored.find(|(nest, of)| *of == buffer && is_around(nest)).map(|(nest, _)| *nest)
    }

    /// The outermost loop around `stmt`, in the loops of the region, that reads with `place` elements of the
    /// array as they were before it, and whether it reads nearly all.
    fn element_nest(&self, place: &Place, stmt: &Stmt) -> Option<(&'p Stmt, bool)> {
        self.can_be_stored(place.buffer).then_some(())?;
        let mut loops: Vec<&'p Stmt> = Vec::new();
        for looped in self.structure.ancestors(stmt).filter(|outer| outer.is_loop()) {
            if !self.is_here(looped) || loops.len() == place.index.len() {
                break;
            }
            loops.push(looped);
        }
        let nest = *loops.last()?;
        let covers = self.covers(place, &loops);
        let writes = self.structure.writes(place.buffer).iter();
        let mut inside = writes.filter(|write| self.structure.is_inside(write, nest));
        let right = inside.all(|write| {
            write.as_store().is_some_and(|(target, _)| {
                target.index == place.index
                    && self.structure.order(write) >= self.structure.order(stmt)
                    && !self.is_written_earlier(target, place, &loops)
            })
        });
        (right && loops.len() == place.index.len()).then_some((nest, covers))
    }

    /// Whether an iteration of one of the loops may write to the `target` the element that a later one reads from `place`.
    fn is_written_earlier(&self, target: &Place, place: &Place, loops: &[&Stmt]) -> bool {
        let accesses = self.analysis.at(target).zip(self.analysis.at(place));
        let is_carried = |looped: &&Stmt| match (looped.as_for(), accesses) {
            (Some(each), Some((write, read))) => !self.analysis.carries_any(each.iter, write, read).is_no(),
            _ => true,
        };
        loops.iter().any(is_carried)
    }

    /// Whether each index of `place` is the iterator of one of the loops, each of another one, give or take a number, and
    /// goes from one end of the array to the other, give or take as much.
    fn covers(&self, place: &Place, loops: &[&Stmt]) -> bool {
        let mut left: Vec<&For> = loops.iter().filter_map(|looped| looped.as_for()).collect();
        place.index.iter().enumerate().all(|(dim, index)| {
            let at = left.iter().position(|each| stem(index).kind == ExprKind::Iter(each.iter));
            let Some(each) = at.map(|at| left.swap_remove(at)) else { return false };
            let unit = each.step.kind == ExprKind::Int(1);
            let extent = Expr::extent(place.buffer, dim);
            unit && matches!(each.lo.kind, ExprKind::Int(_)) && self.length(&each.hi) == self.length(&extent)
        })
    }

    /// A length in terms of what it is computed from, give or take a number.
    fn length(&self, of: &Expr) -> Expr {
        let of = stem(of);
        let computed = match &of.kind {
            ExprKind::Load(place) if place.index.is_empty() => {
                self.structure.definition(place.buffer).map(|value| self.length(value))
            }
            ExprKind::Extent(array, dim) => {
                let declared = &self.primal[*array].dims[*dim];
                (declared != of).then(|| self.length(declared))
            }
            // of arrays that are as long
            ExprKind::Call(Func::IntMin, _, lengths) => {
                let [a, b] = [&lengths[0], &lengths[1]].map(|length| self.length(length));
                (a == b).then_some(a)
            }
            _ => None,
        };
        computed.unwrap_or_else(|| of.clone())
    }

    /// The loops that have run whenever `nest` runs, in the same iteration of the loop around it: in its block, with those in
    /// the bodies of scopes, and in the blocks around it. The first one comes first.
    fn nests_in_front(&self, nest: &'p Stmt) -> Vec<&'p Stmt> {
        let mut found = Vec::new();
        let mut inner = nest;
        while let Some(outer) = self.structure.parent(inner) {
            for block in outer.blocks() {
                if let Some(at) = block.iter().position(|it| std::ptr::eq(it, inner)) {
                    block[..at].iter().for_each(|it| in_scopes(it, &mut found));
                }
            }
            if !matches!(outer.kind, StmtKind::Scope { .. } | StmtKind::If { .. }) {
                break;
            }
            inner = outer;
        }
        found.sort_by_key(|nest| self.structure.order(nest));
        found
    }

    /// Whether something writes the array in `first`, or behind it in front of `last`.
    fn is_written_between(&self, buffer: BufferId, first: &Stmt, last: &Stmt) -> bool {
        let (from, to) = (self.structure.order(first), self.structure.order(last));
        self.structure.writes(buffer).iter().any(|write| {
            let at = self.structure.order(write);
            (from..to).contains(&at) || self.structure.is_inside(write, first)
        })
    }

    /// Whether `nest` reads nearly all elements of the array as factors, which the reverse sweep needs, or for variables, of
    /// which it may be so: more often than there are elements, so that the array is stored in any case, or, if that does for
    /// the nest behind it, each of them.
    fn reads_all(&self, buffer: BufferId, nest: &Stmt, or_each: bool) -> bool {
        let mut reads_all = false;
        nest.walk(&mut |stmt| {
            let Some((target, value)) = stmt.as_store() else {
                return;
            };
            let is_factor = value.any(&mut |part| {
                matches!(part.kind, ExprKind::Binary(BinOp::Mul | BinOp::Div, ..) | ExprKind::Call(..))
            });
            let is_named = matches!(value.kind, ExprKind::Load(_)) || target.index.is_empty();
            value.walk(&mut |part| match &part.kind {
                ExprKind::Load(place) if place.buffer == buffer && !reads_all => {
                    let nested = self.structure.ancestors(stmt).filter(|outer| outer.is_loop());
                    let inside = |it: &&Stmt| std::ptr::eq(*it, nest) || self.structure.is_inside(it, nest);
                    let loops: Vec<&Stmt> = nested.take_while(inside).map(|it| it as &Stmt).collect();
                    let is_stored =
                        || self.snapshot_nest(place, stmt).is_some_and(|it| std::ptr::eq(it, nest));
                    reads_all =
                        (is_factor || is_named) && (or_each && self.covers(place, &loops) || is_stored());
                }
                _ => {}
            });
        });
        reads_all
    }
}

/// The loops of a statement that is run once where its block is.
fn in_scopes<'p>(stmt: &'p Stmt, found: &mut Vec<&'p Stmt>) {
    if let Some((_, body)) = stmt.as_scope() {
        body.iter().for_each(|it| in_scopes(it, found));
    } else if stmt.as_for().is_some() {
        found.push(stmt);
    }
}

/// The expression without numbers that are added and taken away.
fn stem(expr: &Expr) -> &Expr {
    let is_number = |part: &Expr| matches!(part.kind, ExprKind::Int(_));
    match &expr.kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub, rest, number) if is_number(number) => stem(rest),
        ExprKind::Binary(BinOp::Add, number, rest) if is_number(number) => stem(rest),
        ExprKind::Call(Func::SaturatingAdd | Func::SaturatingSub, _, parts) if is_number(&parts[1]) => {
            stem(&parts[0])
        }
        ExprKind::Call(Func::SaturatingAdd, _, parts) if is_number(&parts[0]) => stem(&parts[1]),
        _ => expr,
    }
}
