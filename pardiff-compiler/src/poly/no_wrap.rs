//! Checked indices do not wrap: what a passed `Check` proves beyond its own condition.
//!
//! `x[i * d + j]` is row `i`, column `j` only if `i * d + j` has not wrapped, and the check `i * d + j < len` is about
//! the machine's value. The proof is an induction over the loops around the check. And `1..n - 1` ends at `n - 1` only
//! if that has not wrapped; if it has, the loop is so long that a check in it fails.

use super::access::PointId;
use super::affine::{Affine, SymKind};
use super::analysis::Analysis;
use super::points::Point;
use super::set::Constraint;
use super::structure::{NestId, StmtId};
use crate::ir::{BinOp, BufferId, Expr, ExprKind, For, Func, IterId, Order, Stmt, StmtKind, Ty, said_exact};
use std::collections::HashSet;

/// A form over the iterations of a nest, counted from zero in each loop: `base + Σ factor × count`.
struct Counted {
    base: Affine,
    /// Of each loop of the nest, outermost first.
    factors: Vec<Affine>,
}

/// A loop of a nest in the induction.
struct CountedLoop {
    /// How many iterations follow the first.
    span: Counted,
    /// Whether that does not grow with the counts outside.
    shrinks: bool,
    /// Whether there is always an iteration.
    is_filled: bool,
}

/// A nest of loops that run upwards by one.
struct UpwardNest {
    loops: Vec<CountedLoop>,
    /// The value of each iterator from which its iterations are counted.
    first: Vec<Affine>,
    /// That no loop has more than `isize::MAX` iterations, where the program is executed in its own order.
    ends: Vec<Constraint>,
}

impl<'p> Analysis<'p> {
    /// What is known behind a check that was passed.
    pub(super) fn check(&mut self, cond: &'p Expr, stmt: StmtId, point: PointId) -> PointId {
        let mut in_range = Vec::new();
        if let Some(length) = said_exact(cond) {
            let form = self.exact(length, point, &mut in_range);
            // of a sum or a product that is said of all its parts already
            in_range.extend(form.filter(|_| in_range.is_empty()));
        } else {
            self.checked_forms(cond, stmt, point, &mut in_range);
        }
        let at = self.point_where(in_range, point);
        if let ExprKind::Binary(BinOp::Lt, index, _) = &cond.kind
            && index.ty == Ty::USIZE
            && let Some(form) = self.ring(index, at)
        {
            self.checked.push((stmt, form, at));
        }
        let (facts, _) = self.condition(cond, true, at);
        let new = |fact: &Constraint| {
            !self.symbols.is_plainly_non_negative(fact.form()) && !self.is_known(fact, at)
        };
        let facts: Vec<Constraint> = facts.into_iter().filter(new).collect();
        if facts.is_empty() {
            return at;
        }
        let (constraints, in_range, for_all) = (Vec::new(), Vec::new(), Vec::new());
        self.push_point(Point { parent: Some(at), constraints, facts, in_range, for_all, exact: true })
    }

    /// What is known behind a statement that makes rows of an array: there are no more than `isize::MAX` of them, or it panics.
    pub(super) fn reached(&mut self, rows: &'p Expr, point: PointId) -> PointId {
        let mut in_range = Vec::new();
        self.exact(rows, point, &mut in_range);
        self.point_where(in_range, point)
    }

    /// Behind `point`, where these forms have not wrapped.
    fn point_where(&mut self, in_range: Vec<Affine>, point: PointId) -> PointId {
        if in_range.is_empty() {
            return point;
        }
        let (constraints, facts, for_all) = (Vec::new(), Vec::new(), Vec::new());
        self.push_point(Point { parent: Some(point), constraints, facts, in_range, for_all, exact: true })
    }

    /// The checks `index < len` whose index is proved not to wrap, in any run that comes to its end.
    pub(super) fn checks_that_fit(&self) -> HashSet<StmtId> {
        let exact = self.checked.iter().filter(|(_, form, point)| self.fits(form, Ty::USIZE, *point));
        exact.map(|&(stmt, _, _)| stmt).collect()
    }

    /// The form of a length that a check says to be exact (see [`crate::ir::exactness`]), or that is one of rows: it has not wrapped, and neither have the terms
    /// of a sum. A factor may have, where the other is zero; other parts of the length are proved not to have.
    fn exact(&mut self, length: &'p Expr, point: PointId, found: &mut Vec<Affine>) -> Option<Affine> {
        let form = match &length.kind {
            ExprKind::Call(Func::SaturatingAdd, _, terms) => {
                let (a, b) = (self.exact(&terms[0], point, found)?, self.exact(&terms[1], point, found)?);
                a.add(&b)?
            }
            ExprKind::Call(Func::SaturatingMul, _, factors) => {
                let mut inside = Vec::new();
                let a = self.exact(&factors[0], point, &mut inside)?;
                let b = self.exact(&factors[1], point, &mut inside)?;
                self.symbols.multiply(&a, &b)?
            }
            _ => return self.value(length, point),
        };
        found.push(form.clone());
        Some(form)
    }

    /// Whether a point already has a constraint.
    fn is_known(&self, fact: &Constraint, point: PointId) -> bool {
        let says = |id: PointId| {
            let point = &self.points[id.0 as usize];
            point.facts.contains(fact) || point.constraints.contains(fact)
        };
        match fact {
            Constraint::NonNegative(form) => self.is_stated(form, point),
            _ => self.around(point).any(says),
        }
    }

    /// The forms that `cond` compares with a length and that the induction proves not to wrap.
    fn checked_forms(&mut self, cond: &'p Expr, stmt: StmtId, point: PointId, found: &mut Vec<Affine>) {
        let ExprKind::Binary(op, lhs, rhs) = &cond.kind else { return };
        match op {
            BinOp::BitAnd => {
                self.checked_forms(lhs, stmt, point, found);
                self.checked_forms(rhs, stmt, point, found);
            }
            BinOp::Lt | BinOp::Le if lhs.ty == Ty::USIZE => {
                let Some(form) = self.ring(lhs, point) else { return };
                // what fits by its bounds alone fits wherever it is used
                let word = form.terms().iter().all(|&(sym, _)| !self.symbols.is_product(sym));
                if word && form.terms().len() <= 1 && self.fits(&form, Ty::USIZE, point) {
                    return;
                }
                if self.is_length(rhs, point)
                    && (self.fits(&form, Ty::USIZE, point) || self.never_wraps(&form, stmt, point))
                {
                    found.push(form);
                }
            }
            _ => {}
        }
    }

    /// Whether a value is at most `isize::MAX`: by its range, or because an array of that length is alive, of elements or of
    /// rows that have some.
    fn is_length(&mut self, len: &'p Expr, point: PointId) -> bool {
        if let Some(ring) = self.ring(len, point) {
            let extent = |buffer: &BufferId| {
                let rows = self.program[*buffer].dims.iter().skip(1);
                rows.clone().all(|extent| matches!(extent.kind, ExprKind::Int(1..)))
                    && self.extents.get(&(*buffer, 0)) == Some(&Some(ring.clone()))
            };
            if self.live.iter().any(extent) {
                return true;
            }
        }
        let gap = self.value(len, point).and_then(|len| Affine::symbol(self.isize_max).sub(&len));
        gap.is_some_and(|gap| self.is_implied(&gap, point))
    }

    /// Whether a form that is compared with a length in every iteration cannot wrap: by the induction over the loops
    /// from one of those around the check inwards.
    fn never_wraps(&mut self, form: &Affine, stmt: StmtId, point: PointId) -> bool {
        let loops: Vec<IterId> = self.loops(self.structure.stmts[stmt.0 as usize].nest).to_vec();
        let depends = self.symbols.depends(form);
        (0..loops.len()).rev().any(|first| {
            depends.contains(&loops[first])
                && self.structure.is_unconditional(stmt, loops[first])
                && self.never_wraps_in(form, &loops[first..], point)
        })
    }

    /// The induction. All numbers are integers, `I` is `isize::MAX`, and `2 I + 1` the largest `usize`.
    ///
    /// Let `l` count the iterations of a loop of the nest from zero. The form is `B + Σ A_l × l`, where `B` and all
    /// `A_l` are not negative and do not change in the nest. Every loop runs upwards by one, and no count of iterations
    /// of an inner loop grows with the counts outside it, unless that loop is never empty; where it is empty in the first
    /// iteration of a loop around it and in no other, that one is not counted. So, of an iteration of the
    /// nest other than the first, the one with the innermost count that is not zero reduced by one was executed before,
    /// and passed its check: its value is at most the length, so at most `I`. If all `A_l <= I + 1`, no value wraps,
    /// because `B` does not. That holds if, from the innermost loop outwards, one of these does:
    /// - `A_l` is known to be small, or `A_l <= B + 1` (the first iteration passed its check);
    /// - the number of iterations of `l` does not grow with the counts outside it, so that the iteration with `l = 1` and
    ///   all others zero is executed before any other with `l > 0`; and its value `A_l + B` is in range: by itself;
    /// - or because an inner loop `k` runs to `T >= 0` while `l = 0` (and no loop inside `k` is empty then), so that
    ///   `B + A_k × T <= I`, and the rest `A_l - A_k × T` is at most `I + 1`. The value passes its check as well.
    ///
    /// In hindsight, what is small is known from how often loops run: none that makes a check in each iteration comes to its end with
    /// more than `I` of them, which take centuries. Tasks begin in their midst, and then an index that wraps may be that of another task. So of `for j in 0..n` around `a[j * n + j]` is known that `n + 1 <= I + 1`.
    fn never_wraps_in(&mut self, form: &Affine, loops: &[IterId], point: PointId) -> bool {
        let Some(nest) = self.nest_upwards(loops) else { return false };
        let Some(Counted { base, factors }) = self.counted(form, loops, &nest.first) else { return false };
        if !self.is_sum_non_negative(&base, point)
            || !self.fits(&base, Ty::USIZE, point) && !self.is_small(&base, point, &nest.ends)
        {
            return false;
        }
        for at in (0..loops.len()).rev() {
            let factor = &factors[at];
            if !self.is_sum_non_negative(factor, point) {
                return false;
            }
            let by_base = |value: &Affine| {
                let rest = base.sub(value).and_then(|rest| rest.offset(1));
                rest.is_some_and(|rest| self.is_sum_non_negative(&rest, point))
            };
            if self.is_small(factor, point, &nest.ends) || by_base(factor) {
                continue;
            }
            if !nest.loops[at].shrinks {
                return false;
            }
            let first_step = base.add(factor);
            if first_step.is_some_and(|value| self.fits(&value, Ty::USIZE, point)) {
                continue;
            }
            let mut bounded = false;
            for (inner, each) in factors.iter().enumerate().skip(at + 1) {
                // what is inside must not be empty in the last iteration of `inner`
                let fixed = |it: &CountedLoop| it.is_filled || it.span.factors[inner] == Affine::number(0);
                if !nest.loops[inner + 1..].iter().all(fixed) {
                    continue;
                }
                let run = &nest.loops[inner].span.base;
                let Some(run) = self.symbols.multiply(each, run) else { continue };
                let Some(rest) = factor.sub(&run) else { continue };
                let limit = each.sub(&rest);
                bounded |= self.is_small(&rest, point, &nest.ends)
                    || limit.is_some_and(|room| self.is_sum_non_negative(&room, point));
            }
            if !bounded {
                return false;
            }
        }
        true
    }

    /// Whether a value is at most `isize::MAX + 1` where the loops around come to their ends.
    fn is_small(&self, value: &Affine, point: PointId, ends: &[Constraint]) -> bool {
        let room = Affine::symbol(self.isize_max).sub(value).and_then(|room| room.offset(1));
        room.is_some_and(|room| self.is_implied_with(&room, point, ends))
    }

    /// The loops of a nest, if they run upwards by one, and those whose counts grow with others are never empty.
    fn nest_upwards(&mut self, loops: &[IterId]) -> Option<UpwardNest> {
        let mut first = Vec::with_capacity(loops.len());
        let mut spans = Vec::with_capacity(loops.len());
        for &iter in loops {
            let of = self.loop_of(iter)?;
            if of.hi_is_bound || !of.is_sequential || of.order != Order::Up {
                return None;
            }
            first.push(of.lo.clone());
            spans.push(of.hi.sub(&of.lo)?);
        }
        let mut behind_first = Vec::new();
        for (at, span) in spans.iter().enumerate() {
            let point = self.loop_of(loops[at])?.point;
            if self.is_implied(span, point) {
                continue;
            }
            let grows_with = |outer: &usize| {
                let of = self.symbols.get(&SymKind::Iter(loops[*outer]));
                of.is_some_and(|of| span.coefficient(of) > 0)
            };
            if let Some(outer) = (0..at).find(grows_with) {
                let iter = Affine::symbol(self.symbols.get(&SymKind::Iter(loops[outer]))?);
                let lo = &self.loop_of(loops[outer])?.lo;
                let (is_first, is_later) = (Constraint::eq(&iter, lo)?, Constraint::lt(lo, &iter)?);
                let empty = span.scale(-1)?.offset(-1)?;
                if self.is_implied_with(&empty, point, &[is_first])
                    && self.is_implied_with(span, point, std::slice::from_ref(&is_later))
                {
                    first[outer] = lo.clone().offset(1)?;
                    behind_first.push((outer, is_later));
                }
            }
        }
        let max = Affine::symbol(self.isize_max);
        let in_order = spans.iter().filter(|_| self.is_in_order);
        let ends = in_order.filter_map(|span| Constraint::lt(span, &max)).collect();
        let mut counted = Vec::with_capacity(loops.len());
        for (at, &iter) in loops.iter().enumerate() {
            let of = self.loop_of(iter)?;
            let span = of.hi.sub(&first[at])?;
            let later = behind_first.iter().filter(|(outer, _)| *outer < at).map(|(_, later)| later.clone());
            let is_filled = self.is_implied_with(&span, of.point, &later.collect::<Vec<_>>());
            let span = self.counted(&span, &loops[..at], &first[..at])?;
            let falls = |factor: &Affine| factor.as_constant().is_some_and(|factor| factor <= 0);
            let shrinks = span.factors.iter().all(falls);
            if !shrinks && !is_filled {
                return None;
            }
            counted.push(CountedLoop { span, shrinks, is_filled });
        }
        Some(UpwardNest { loops: counted, first, ends })
    }

    /// The ring form of the bound of a loop, if it is the value of the bound in every run that comes to its end.
    ///
    /// If the form `h` is at least `lo - I - 1` and not negative as it should be, but wraps, then the bound is greater
    /// than `lo + I`, and the loop has more than `I` iterations. So many iterations do not pass checks of an index
    /// that differs by one from each to the next, because only `len <= I` of these numbers pass.
    pub(super) fn bound_by_checks(&mut self, of: &'p For, lo: &Affine, point: PointId) -> Option<Affine> {
        let form = self.ring(&of.hi, point)?;
        if !self.fails_if_wrapped(of, &form, lo, point) {
            return None;
        }
        if let Some(stmt) = self.structure.loop_of[of.iter.0 as usize]
            && self.structure.is_reached(stmt)
        {
            let around = self.ranges(self.structure.stmts[stmt.0 as usize].nest);
            self.bounds.push((around, form.clone()));
        }
        Some(form)
    }

    /// The ring form of the bound of a loop, if the bound of another loop is known to have that value in every run that
    /// comes to its end and comes here: the other one is under no condition, and the loops around it have iterations
    /// because loops of the same ranges around this one have. A reversed loop makes no checks; those of the primal's say
    /// where both end.
    pub(super) fn bound_of_another(&mut self, of: &'p For, outer: NestId, point: PointId) -> Option<Affine> {
        let form = self.ring(&of.hi, point)?;
        let here = self.ranges(outer);
        let runs = |around: &[(Affine, Affine)]| around.iter().all(|range| here.contains(range));
        self.bounds.iter().any(|(around, known)| *known == form && runs(around)).then_some(form)
    }

    /// The last value of a loop whose bound may wrap, by the form of the bound, for the runs in which the bound is at most
    /// `isize::MAX + 1`, or `isize::MAX` where it counts itself.
    ///
    /// With `I` for `isize::MAX`, `h` for the form and `b` for the bound in the machine: they differ by a multiple of
    /// `2 I + 2`. From `lo - I <= h` and `b <= lo + I + 1` follows `b - h < 2 I + 2` (`lo` is not negative, and where it is
    /// greater than zero, `b` is still at most `I + 1`); from `h <= 2 I + 1` and `b >= 0`, `h - b < 2 I + 2`. So they are equal.
    pub(super) fn last_unless_wrapped(&mut self, of: &'p For, lo: &Affine, point: PointId) -> Option<Affine> {
        let form = self.ring(&of.hi, point).filter(|_| of.hi.ty == Ty::USIZE)?;
        if self.symbols.depends_on(&form, of.iter) {
            return None;
        }
        let low = form.sub(lo)?.add(&Affine::symbol(self.isize_max))?;
        let high = Affine::symbol(self.usize_max).sub(&form)?;
        let close = self.is_implied(&low, point) && self.is_implied(&high, point);
        form.offset(if of.inclusive { 0 } else { -1 }).filter(|_| close)
    }

    /// First and last value of each loop of a nest.
    fn ranges(&self, nest: NestId) -> Vec<(Affine, Affine)> {
        let loops = self.loops(nest).iter().filter_map(|&iter| self.loop_of(iter));
        loops.map(|of| (of.lo.clone(), of.hi.clone())).collect()
    }

    fn fails_if_wrapped(&mut self, of: &'p For, bound: &Affine, lo: &Affine, point: PointId) -> bool {
        let unit = of.step.kind == ExprKind::Int(1);
        if of.hi.ty != Ty::USIZE || !unit || self.symbols.depends_on(bound, of.iter) {
            return false;
        }
        let isize_max = Affine::symbol(self.isize_max);
        let low = bound.sub(lo).and_then(|span| span.add(&isize_max)).and_then(|room| room.offset(1));
        let high = Affine::symbol(self.usize_max).sub(bound);
        let implied = |form: Option<Affine>| form.is_some_and(|form| self.is_implied(&form, point));
        implied(low) && implied(high) && self.is_checked_throughout(of, &of.body, bound, point)
    }

    /// Whether every iteration checks an index that differs by one from each iteration to the next, or runs a loop to
    /// the same bound that does.
    fn is_checked_throughout(
        &mut self,
        of: &'p For,
        body: &'p [Stmt],
        bound: &Affine,
        point: PointId,
    ) -> bool {
        body.iter().any(|stmt| match &stmt.kind {
            StmtKind::Scope { body, .. } => self.is_checked_throughout(of, body, bound, point),
            StmtKind::For(inner) => {
                let (lo, hi) = (self.ring(&inner.lo, point), self.ring(&inner.hi, point));
                // a number as first value is below a bound that has wrapped
                let starts = lo.filter(|lo| lo.as_constant().is_some_and(|lo| (0..1 << 16).contains(&lo)));
                let same = hi.as_ref() == Some(bound);
                same && starts.is_some_and(|lo| self.fails_if_wrapped(inner, bound, &lo, point))
            }
            StmtKind::Check { cond, .. } => self.checks_index_of(cond, of.iter, point),
            _ => false,
        })
    }

    fn checks_index_of(&mut self, cond: &'p Expr, iter: IterId, point: PointId) -> bool {
        let ExprKind::Binary(op, lhs, rhs) = &cond.kind else { return false };
        match op {
            BinOp::BitAnd => self.checks_index_of(lhs, iter, point) || self.checks_index_of(rhs, iter, point),
            BinOp::Lt if lhs.ty == Ty::USIZE => {
                let Some(form) = self.ring(lhs, point) else { return false };
                let ty = self.program[iter].ty;
                let sym = self.symbols.intern(SymKind::Iter(iter), Some(ty), &[iter], false);
                let rest = form.without(sym);
                let fixed = rest.is_some_and(|rest| !self.symbols.depends_on(&rest, iter));
                form.coefficient(sym).abs() == 1 && fixed && self.is_length(rhs, point)
            }
            _ => false,
        }
    }

    /// A form by the counts of the iterations of `loops` from the `first` of each, if it is one, with what does not change in
    /// them.
    fn counted(&mut self, form: &Affine, loops: &[IterId], first: &[Affine]) -> Option<Counted> {
        let mut base = form.clone();
        let mut factors = Vec::with_capacity(loops.len());
        for (&iter, first) in loops.iter().zip(first).rev() {
            let sym = self.symbols.get(&SymKind::Iter(iter))?;
            let mut factor = Affine::number(0);
            let mut rest = Affine::number(base.constant());
            for &(term, coefficient) in base.terms() {
                let mut parts = self.symbols.factors(term);
                let Some(at) = parts.iter().position(|&part| part == sym) else {
                    rest = rest.add(&Affine::symbol(term).scale(coefficient)?)?;
                    continue;
                };
                parts.remove(at);
                let cofactor = match self.symbols.product_of(parts) {
                    Some(sym) => Affine::symbol(sym).scale(coefficient)?,
                    None => Affine::number(coefficient),
                };
                factor = factor.add(&cofactor)?;
            }
            base = rest.add(&self.symbols.multiply(&factor, first)?)?;
            factors.push(factor);
        }
        factors.reverse();
        let fixed = |form: &Affine| !loops.iter().any(|&iter| self.symbols.depends_on(form, iter));
        (fixed(&base) && factors.iter().all(fixed)).then_some(Counted { base, factors })
    }
}
