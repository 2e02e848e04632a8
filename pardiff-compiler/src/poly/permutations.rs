//! A step around a ring is a permutation: where two of its values are equal, so are the iterators.
//!
//! `(i + c + t * n) % n` for `i` in `0..n` takes every value below `n` once, if the sum is not below zero. It wraps
//! at no other end: a loop that comes to its end has far fewer iterations than the type has values.

use super::affine::{Affine, Operation, Sym, SymKind};
use super::analysis::Analysis;
use super::set::{Constraint, Set};
use crate::ir::{Func, Int, IterId, Ty};
use crate::limits::RING_STEP;

impl Analysis<'_> {
    /// Where the set says that a step around a ring is the same in both instances, which have the `shared`
    /// iterators in common, it is told that the iterator is as well.
    pub(super) fn add_inverses(&self, set: &mut Set, shared: &[IterId]) {
        let equal = |constraint: &Constraint| match constraint {
            Constraint::Zero(form) if form.constant() == 0 => match *form.terms() {
                [(a, 1), (b, -1)] | [(a, -1), (b, 1)] if a.primed() == b.primed() => Some(a.unprimed()),
                _ => None,
            },
            _ => None,
        };
        let steps: Vec<Sym> = set.constraints().iter().filter_map(equal).collect();
        for iter in steps.into_iter().filter_map(|step| self.permuted(step, shared)) {
            if let Some(iter) = self.symbols.get(&SymKind::Iter(iter)) {
                set.add(Constraint::eq(&Affine::symbol(iter), &Affine::symbol(iter.primed())));
            }
        }
    }

    /// The iterator that a symbol is a permutation of, the same one in both instances.
    fn permuted(&self, step: Sym, shared: &[IterId]) -> Option<IterId> {
        let euclidean = Operation::Call(Func::IntRemEuclid, Ty::Int(Int::Isize));
        let (is_euclidean, args) = match &self.symbols.symbol(step).kind {
            SymKind::Function(Operation::Remainder, Ty::USIZE, args) => (false, args),
            SymKind::Function(of, _, args) if *of == euclidean => (true, args),
            SymKind::Function(Operation::Call(Func::IntRemEuclid, Ty::USIZE), _, args) => (false, args),
            _ => return None,
        };
        let [sum, around] = &args[..] else { return None };
        let iter_of = |sym: Sym| match self.symbols.symbol(sym).kind {
            SymKind::Iter(iter) => Some((sym, iter)),
            _ => None,
        };
        let mut iters =
            sum.terms().iter().filter(|(_, times)| *times == 1).filter_map(|&(sym, _)| iter_of(sym));
        let (sym, iter) = iters.find(|(_, iter)| !shared.contains(iter))?;
        let of = self.loop_of(iter)?;
        let is_whole = of.lo.as_constant() == Some(0) && of.step == Some(1);
        let goes_around = is_whole && of.hi.clone().offset(1).as_ref() == Some(around);
        let is_same = self.symbols.depends(around).iter().all(|iter| shared.contains(iter));
        if !goes_around || !is_same || self.program[iter].ty != Ty::USIZE {
            return None;
        }
        let rest = sum.sub(&Affine::symbol(sym))?;
        let by = |times: i128| rest.sub(&around.scale(times)?)?.as_constant();
        (0..=2).find_map(|times| {
            // of one iteration nothing else is asked; of more, `times * n - times - 1` is not below zero
            let least = if times == 0 { 0 } else { -times - 1 };
            let fits = |by: &i128| (is_euclidean || *by >= least) && by.abs() <= RING_STEP;
            by(times).filter(fits).map(|_| iter)
        })
    }
}
