//! What the checks in a loop that has ended prove of every one of its iterations.
//!
//! The reverse pass uses the indices of the primal again, in loops of its own and without checks: where
//! `for j in 0..n { check i * n + j < len(a); … }` has ended, `i * n + q` has not wrapped in `usize` for any `q` in
//! `0..n`, because the iteration `j = q` was executed and passed its check. Behind a loop whose bounds are known
//! exactly, each form that is proved in range at the end of its body is kept as a statement about all iterations; a
//! form is in range if it is one of these with other iterators in place of the loop's own, and if what is known at its
//! point puts these iterators into the loop's bounds.

use super::access::PointId;
use super::affine::{Affine, Sym, SymKind};
use super::analysis::Analysis;
use super::points::Point;
use super::set::Constraint;
use crate::ir::IterId;

/// For all values of some iterators that satisfy the constraints, the form lies in `usize`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ForAll {
    iters: Vec<Sym>,
    domain: Vec<Constraint>,
    form: Affine,
}

impl Analysis<'_> {
    /// The point behind a loop: `inside` is that of its body's start, `end` that of its body's end.
    pub(super) fn behind(&mut self, iter: IterId, inside: PointId, end: PointId, point: PointId) -> PointId {
        let entered = &self.points[inside.0 as usize];
        let own = self.symbols.get(&SymKind::Iter(iter));
        let Some(own) = own.filter(|_| inside != point && entered.exact) else { return point };
        let bounds = entered.constraints.clone();
        let mut found: Vec<ForAll> = Vec::new();
        let mut next = Some(end);
        while let Some(id) = next.filter(|&id| id != point) {
            let at = &self.points[id.0 as usize];
            let of_body = at.in_range.iter().map(|form| (Vec::new(), Vec::new(), form));
            let of_loops = at.for_all.iter().map(|all| (all.iters.clone(), all.domain.clone(), &all.form));
            for (mut iters, mut domain, form) in of_body.chain(of_loops) {
                // where the form does not mention the loop, the statement is one about any of its iterations
                iters.push(own);
                domain.extend(bounds.iter().cloned());
                let all = ForAll { iters, domain, form: form.clone() };
                if !found.contains(&all) {
                    found.push(all);
                }
            }
            next = at.parent;
        }
        if found.is_empty() {
            return point;
        }
        let (constraints, facts, in_range) = (Vec::new(), Vec::new(), Vec::new());
        let for_all = found;
        self.push_point(Point { parent: Some(point), constraints, facts, in_range, for_all, exact: true })
    }

    /// Whether a form is in range because an instance of the statement is: because it is one, or is close to one. As in
    /// `known_in_range`, an instance has passed a check, so it is at most `isize::MAX`.
    pub(super) fn is_instance(&self, form: &Affine, all: &ForAll, point: PointId) -> bool {
        if !self.differ_in_iterators(form, &all.form) {
            return false;
        }
        let mut candidates: Vec<Sym> = Vec::new();
        let mut next = Some(point);
        while let Some(id) = next {
            let at = &self.points[id.0 as usize];
            for &(sym, _) in at.constraints.iter().flat_map(|constraint| constraint.form().terms()) {
                let is_iter = matches!(self.symbols.symbol(sym).kind, SymKind::Iter(_));
                if is_iter && !candidates.contains(&sym) {
                    candidates.push(sym);
                }
            }
            next = at.parent;
        }
        self.some_instance(form, all, point, &candidates, &mut Vec::new())
    }

    /// Whether two forms are the same but for the iterators in them, or their products are: else no choice of iterators
    /// brings one near the other.
    fn differ_in_iterators(&self, a: &Affine, b: &Affine) -> bool {
        let is_iter = |&sym: &Sym| matches!(self.symbols.symbol(sym).kind, SymKind::Iter(_));
        let shape = |form: &Affine, products: bool| {
            let mut shape: Vec<(i128, Vec<Sym>)> = Vec::new();
            for &(sym, coefficient) in form.terms() {
                if products && !self.symbols.is_product(sym) {
                    continue;
                }
                let fixed = self.symbols.factors(sym).into_iter().filter(|sym| !is_iter(sym));
                shape.push((coefficient, fixed.collect()));
            }
            shape.sort_unstable();
            shape
        };
        let same = a.constant() == b.constant() && shape(a, false) == shape(b, false);
        same || shape(a, true) == shape(b, true) && !shape(a, true).is_empty()
    }

    /// Tries every choice of the iterators that have none yet.
    fn some_instance(
        &self,
        form: &Affine,
        all: &ForAll,
        point: PointId,
        candidates: &[Sym],
        chosen: &mut Vec<(Sym, Sym)>,
    ) -> bool {
        let Some(&iter) = all.iters.get(chosen.len()) else {
            let holds = |constraint: &Constraint| match constraint {
                Constraint::NonNegative(form) => {
                    self.instance(form, chosen).is_some_and(|form| self.is_implied(&form, point))
                }
                Constraint::Zero(_) | Constraint::NonZero(_) => false,
            };
            let Some(known) = self.instance(&all.form, chosen) else { return false };
            let close = || self.is_close(form, &known, &self.ends(all, chosen), point);
            return (known == *form && all.domain.iter().all(holds))
                || (self.have_one_product(form, &known) && all.domain.iter().all(holds) && close());
        };
        // those that the form mentions first
        let mentioned =
            |sym: &&Sym| form.terms().iter().any(|&(term, _)| self.symbols.factors(term).contains(sym));
        let others = candidates.iter().filter(|sym| !mentioned(sym));
        candidates.iter().filter(mentioned).chain(others).any(|&candidate| {
            chosen.push((iter, candidate));
            let found = self.some_instance(form, all, point, candidates, chosen);
            chosen.pop();
            found
        })
    }

    /// Whether the products of two forms are the same.
    fn have_one_product(&self, a: &Affine, b: &Affine) -> bool {
        a.sub(b).is_some_and(|rest| !rest.terms().iter().any(|&(sym, _)| self.symbols.is_product(sym)))
    }

    /// That the loops of a statement have come to their ends, so that none has more than `isize::MAX` iterations (see
    /// `never_wraps_in`).
    fn ends(&self, all: &ForAll, chosen: &[(Sym, Sym)]) -> Vec<Constraint> {
        let end = |&iter: &Sym| {
            let SymKind::Iter(id) = self.symbols.symbol(iter).kind else { return None };
            let of = self.loop_of(id)?;
            let span = self.instance(&of.hi.sub(&of.lo)?, chosen)?;
            Constraint::lt(&span, &Affine::symbol(self.isize_max))
        };
        all.iters.iter().filter_map(end).collect()
    }

    /// A form with other iterators; `None` where a symbol that depends on them is neither an iterator nor a product.
    fn instance(&self, form: &Affine, chosen: &[(Sym, Sym)]) -> Option<Affine> {
        let simple = |sym: Sym| match chosen.iter().find(|(iter, _)| *iter == sym) {
            Some(&(_, other)) => Some(other),
            None => {
                let depends = &self.symbols.symbol(sym).depends;
                let of = |iter: Sym| matches!(self.symbols.symbol(iter).kind, SymKind::Iter(id) if depends.contains(&id));
                (!chosen.iter().any(|&(iter, _)| of(iter))).then_some(sym)
            }
        };
        let mut instance = Affine::number(form.constant());
        for &(sym, coefficient) in form.terms() {
            let sym = match &self.symbols.symbol(sym).kind {
                SymKind::Product(factors) => {
                    let mut factors: Vec<Sym> =
                        factors.iter().map(|&it| simple(it)).collect::<Option<_>>()?;
                    factors.sort_unstable();
                    self.symbols.get(&SymKind::Product(factors))?
                }
                _ => simple(sym)?,
            };
            instance = instance.add(&Affine::symbol(sym).scale(coefficient)?)?;
        }
        Some(instance)
    }
}
