//! Proofs that a form stays in its type, so that it equals the machine expression that it was made from.
//!
//! First by what is known at the point (loop bounds, conditions, checks already passed), for every width that a
//! machine word may have. Then, for a checked index, by induction over the loops around it: see [`Analysis::check`].

use super::access::PointId;
use super::affine::{Affine, Sym, SymKind};
use super::analysis::{Analysis, Point};
use super::set::{Answer, Constraint, Set};
use super::structure::StmtId;
use crate::ir::{BinOp, BufferId, Expr, ExprKind, Int, IterId, Order, Ty};

impl<'p> Analysis<'p> {
    /// Whether the value of a ring form of type `ty` is proved to lie in `ty` wherever `point` is reached.
    pub(super) fn fits(&self, form: &Affine, ty: Ty, point: PointId) -> bool {
        let Ty::Int(int) = ty else { return false };
        if let Some(number) = form.as_constant() {
            let high = if int == Int::Usize { u32::MAX.into() } else { int.max().unwrap_or(i128::MAX) };
            let (low, high) =
                if int == Int::Isize { (i32::MIN.into(), i32::MAX.into()) } else { (int.min(), high) };
            return (low..=high).contains(&number);
        }
        if form.as_symbol().is_some_and(|sym| self.symbols.symbol(sym).ty == Some(ty)) {
            return true;
        }
        if ty == Ty::USIZE && self.known_in_range(form, point) {
            return true;
        }
        let Some((low, high)) = self.limits(int) else { return false };
        let below = |a: &Affine, b: &Affine| {
            let Some(Constraint::NonNegative(gap)) = Constraint::le(a, b) else { return false };
            self.is_implied(&gap, point)
        };
        below(&low, form) && below(form, &high)
    }

    /// Whether a form is proved not to be negative wherever `point` is reached.
    pub(super) fn is_non_negative(&self, form: &Affine, point: PointId) -> bool {
        self.is_implied(form, point)
    }

    /// Whether `form >= 0` wherever `point` is reached.
    fn is_implied(&self, form: &Affine, point: PointId) -> bool {
        if self.symbols.is_plainly_non_negative(form) || self.is_stated(form, point) {
            return true;
        }
        let Some(negative) = form.scale(-1).and_then(|form| form.offset(-1)) else { return false };
        let mut set = Set::all();
        set.add(Constraint::NonNegative(negative));
        self.add_point(&mut set, point, &|sym| sym);
        self.add_facts(&mut set, true);
        set.is_empty() == Answer::Yes
    }

    /// Whether a constraint of the point says `form >= 0` literally.
    fn is_stated(&self, form: &Affine, point: PointId) -> bool {
        let says = |constraint: &Constraint| match constraint {
            Constraint::NonNegative(known) => {
                known.terms() == form.terms() && known.constant() <= form.constant()
            }
            Constraint::Zero(_) => false,
        };
        let mut points = std::iter::successors(Some(point), |&id| self.points[id.0 as usize].parent);
        points.any(|id| {
            let point = &self.points[id.0 as usize];
            point.constraints.iter().chain(&point.facts).any(says)
        })
    }

    /// The least and the greatest value of a type.
    fn limits(&self, int: Int) -> Option<(Affine, Affine)> {
        Some(match int {
            Int::Usize => (Affine::number(0), Affine::symbol(self.usize_max)),
            Int::Isize => {
                let max = Affine::symbol(self.isize_max);
                (max.scale(-1)?.offset(-1)?, max)
            }
            _ => (Affine::number(int.min()), Affine::number(int.max()?)),
        })
    }

    /// Adds what the types of the symbols of a set say of them; upper bounds only where `upper` or small.
    pub(super) fn add_facts(&self, set: &mut Set, upper: bool) {
        for sym in set.symbols() {
            if sym.is_auxiliary() {
                continue;
            }
            let symbol = self.symbols.symbol(sym);
            let form = Affine::symbol(sym);
            if symbol.non_negative {
                set.add(Constraint::NonNegative(form.clone()));
            }
            let Some(Ty::Int(int)) = symbol.ty else { continue };
            if !upper && int.bits() > 32 {
                continue;
            }
            let Some((low, high)) = self.limits(int) else { continue };
            if int.is_signed() {
                set.add(Constraint::le(&low, &form));
            }
            set.add(Constraint::le(&form, &high));
            if let SymKind::Extent(buffer, 0) = symbol.kind {
                // no slice is longer than `isize::MAX` bytes; rows of length zero have no such limit
                if self.program[buffer].rank() == 1 {
                    set.add(Constraint::le(&form, &Affine::symbol(self.isize_max)));
                }
            }
        }
        if upper {
            // 2 isize_max + 1 = usize_max, which has 32 to 64 bits
            let max = Affine::symbol(self.usize_max);
            let double = Affine::symbol(self.isize_max).scale(2).and_then(|double| double.offset(1));
            set.add(double.and_then(|double| Constraint::eq(&double, &max)));
            set.add(Constraint::le(&Affine::number(u32::MAX.into()), &max));
            set.add(Constraint::le(&max, &Affine::number(u64::MAX.into())));
        }
    }

    /// Whether a form of type `usize` is one that a passed check proves, or is bounded by one.
    fn known_in_range(&self, form: &Affine, used_at: PointId) -> bool {
        let mut next = Some(used_at);
        while let Some(id) = next {
            let point = &self.points[id.0 as usize];
            for known in &point.in_range {
                let rest = known.sub(form);
                let below = rest.is_some_and(|rest| self.is_sum_non_negative(&rest, used_at));
                if known == form || (below && self.symbols.is_plainly_non_negative(form)) {
                    return true;
                }
            }
            next = point.parent;
        }
        false
    }

    /// Whether a form is proved not to be negative by grouping its products: `i * d - j * d + k` is
    /// `(i - j) * d + k`, and it is enough that `i - j` and `k` are not negative.
    fn is_sum_non_negative(&self, form: &Affine, point: PointId) -> bool {
        let mut groups: Vec<(Vec<Sym>, Affine)> = vec![(Vec::new(), Affine::number(form.constant()))];
        for &(sym, coefficient) in form.terms() {
            let mut factors = self.symbols.factors(sym);
            let mut varying = None;
            if factors.len() > 1 {
                let iterator = |&sym: &Sym| matches!(self.symbols.symbol(sym).kind, SymKind::Iter(_));
                varying = Some(factors.remove(factors.iter().position(iterator).unwrap_or(0)));
            } else {
                varying = varying.or(factors.pop());
            }
            let Some(term) = varying.and_then(|sym| Affine::symbol(sym).scale(coefficient)) else {
                return false;
            };
            if !factors.iter().all(|&sym| self.symbols.symbol(sym).non_negative) {
                return false;
            }
            match groups.iter_mut().find(|(known, _)| *known == factors) {
                Some((_, sum)) => match sum.add(&term) {
                    Some(total) => *sum = total,
                    None => return false,
                },
                None => groups.push((factors, term)),
            }
        }
        groups.iter().all(|(_, sum)| self.is_implied(sum, point))
    }

    /// What is known behind a check that was passed.
    pub(super) fn check(&mut self, cond: &'p Expr, stmt: StmtId, point: PointId) -> PointId {
        let mut in_range = Vec::new();
        self.checked_forms(cond, stmt, point, &mut in_range);
        let mut at = point;
        if !in_range.is_empty() {
            let (constraints, facts) = (Vec::new(), Vec::new());
            at = self.push_point(Point { parent: Some(point), constraints, facts, in_range, exact: true });
        }
        let (facts, _) = self.condition(cond, true, at);
        let new = |fact: &Constraint| {
            !self.symbols.is_plainly_non_negative(fact.form()) && !self.is_known(fact, at)
        };
        let facts: Vec<Constraint> = facts.into_iter().filter(new).collect();
        if facts.is_empty() {
            return at;
        }
        let (constraints, in_range) = (Vec::new(), Vec::new());
        self.push_point(Point { parent: Some(at), constraints, facts, in_range, exact: true })
    }

    /// Whether a point already has a constraint.
    fn is_known(&self, fact: &Constraint, point: PointId) -> bool {
        let above = |&id: &PointId| self.points[id.0 as usize].parent;
        let mut points = std::iter::successors(Some(point), above);
        points.any(|id| {
            let point = &self.points[id.0 as usize];
            point.facts.contains(fact) || point.constraints.contains(fact)
        })
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
                if self.fits(&form, Ty::USIZE, point) {
                    return;
                }
                if self.is_length(rhs, point) && self.never_wraps(&form, stmt, point) {
                    found.push(form);
                }
            }
            _ => {}
        }
    }

    /// Whether a value is at most `isize::MAX`: by its range, or because an array of that length is alive.
    fn is_length(&mut self, len: &'p Expr, point: PointId) -> bool {
        if let Some(ring) = self.ring(len, point) {
            let extent = |buffer: &BufferId| {
                self.program[*buffer].rank() == 1
                    && self.extents.get(&(*buffer, 0)) == Some(&Some(ring.clone()))
            };
            if self.live.iter().any(extent) {
                return true;
            }
        }
        let gap = self.value(len, point).and_then(|len| Affine::symbol(self.isize_max).sub(&len));
        gap.is_some_and(|gap| self.is_implied(&gap, point))
    }

    /// Whether a form that is compared with a length (at most `I = isize::MAX`) in every iteration cannot wrap.
    ///
    /// Let the form be `Σ A_l × l + B` over the loops `l` of the nest, which reach the check without condition and
    /// run upwards by one from zero; `A_l` and `B` are not negative and do not change in the nest; no loop inside
    /// another is ever empty, unless it is in all iterations. The first iteration has the value `B`. Every other one
    /// differs by `A_l`, where `l` is the innermost iterator that is not zero, from one that was executed before
    /// it and passed its check, so is at most `I`. It remains that `A_l <= I`:
    /// - `A_l` is a small number, or a length, or at most `B` (the first iteration passed its check); or
    /// - `A_l` is one symbol, `B` is zero and the bounds of `l` do not change in the nest: the iteration with `l = 1`
    ///   and all others zero has the value `A_l`, a `usize`, so it has not wrapped; it passed its check; or
    /// - `A_l = A_k × m` where the loop `k` inside `l` runs to `m`, and neither's bounds change in the nest: the last
    ///   iteration of `k`, all others zero, has the value `A_k × (m - 1) + B <= I`, and `A_k <= I`, so
    ///   `A_l + B <= 2 I` has not wrapped either in the iteration with `l = 1`; it passed its check.
    fn never_wraps(&mut self, form: &Affine, stmt: StmtId, point: PointId) -> bool {
        if !self.symbols.is_plainly_non_negative(form) {
            return false;
        }
        let loops: Vec<IterId> = self.loops(self.structure.stmts[stmt.0 as usize].nest).to_vec();
        let depends = self.symbols.depends(form);
        let Some(first) = loops.iter().position(|iter| depends.contains(iter)) else { return false };
        let loops = &loops[first..];
        if !self.structure.is_unconditional(stmt, loops[0]) {
            return false;
        }
        let mut fixed: Vec<IterId> = Vec::new();
        for &iter in loops {
            let Some(of) = self.loop_of(iter) else { return false };
            let from_zero = of.lo.as_constant() == Some(0) || !depends.contains(&iter);
            let varies = |bound: &Affine| loops.iter().any(|&other| self.symbols.depends_on(bound, other));
            let is_fixed = !varies(&of.lo) && !varies(&of.hi);
            let never_empty = || of.hi.sub(&of.lo).is_some_and(|trip| self.is_implied(&trip, of.point));
            if of.hi_is_bound
                || !of.is_sequential
                || of.order != Order::Up
                || !from_zero
                || !(is_fixed || never_empty())
            {
                return false;
            }
            if is_fixed {
                fixed.push(iter);
            }
        }
        // split into base and the factor of each iterator
        let mut base = Affine::number(form.constant());
        let mut factors: Vec<(IterId, Affine)> = Vec::new();
        for &(sym, coefficient) in form.terms() {
            let mut rest = self.symbols.factors(sym);
            let iterators: Vec<usize> =
                (0..rest.len()).filter(|&at| self.iterator_of(rest[at], loops).is_some()).collect();
            let bound = match iterators[..] {
                [] => None,
                [at] => self.iterator_of(rest.remove(at), loops),
                _ => return false,
            };
            let cofactor = match self.symbols.product_of(rest) {
                Some(sym) => Affine::symbol(sym).scale(coefficient),
                None => Some(Affine::number(coefficient)),
            };
            let Some(cofactor) = cofactor else { return false };
            if loops.iter().any(|&iter| self.symbols.depends_on(&cofactor, iter)) {
                return false;
            }
            let sum = match bound {
                None => &mut base,
                Some(iter) => match factors.iter().position(|(known, _)| *known == iter) {
                    Some(at) => &mut factors[at].1,
                    None => {
                        factors.push((iter, Affine::default()));
                        let last = factors.len() - 1;
                        &mut factors[last].1
                    }
                },
            };
            let Some(total) = sum.add(&cofactor) else { return false };
            *sum = total;
        }
        let varies = loops.iter().any(|&iter| self.symbols.depends_on(&base, iter));
        if varies || !self.fits(&base, Ty::USIZE, point) {
            return false;
        }
        let mut bounded: Vec<(IterId, Affine)> = Vec::new();
        for &iter in loops.iter().rev() {
            let Some((_, factor)) = factors.iter().find(|(known, _)| *known == iter) else { continue };
            let factor = factor.clone();
            let room = Affine::symbol(self.isize_max).sub(&factor);
            let small = room.is_some_and(|room| self.is_implied(&room, point));
            let in_base = base.sub(&factor).is_some_and(|rest| self.symbols.is_plainly_non_negative(&rest));
            let word = factor.as_symbol().is_some_and(|sym| self.symbols.symbol(sym).ty == Some(Ty::USIZE));
            let first_step = word && base == Affine::number(0) && fixed.contains(&iter);
            let product = fixed.contains(&iter)
                && (0..bounded.len()).any(|at| {
                    let (inner, step) = bounded[at].clone();
                    let trip = self.loop_of(inner).and_then(|of| of.hi.clone().offset(1));
                    let product = trip.and_then(|trip| self.symbols.multiply(&trip, &step));
                    fixed.contains(&inner) && product.as_ref() == Some(&factor)
                });
            if !(small || in_base || first_step || product) {
                return false;
            }
            bounded.push((iter, factor));
        }
        true
    }

    fn iterator_of(&self, sym: Sym, loops: &[IterId]) -> Option<IterId> {
        match self.symbols.symbol(sym).kind {
            SymKind::Iter(iter) if loops.contains(&iter) => Some(iter),
            _ => None,
        }
    }
}
