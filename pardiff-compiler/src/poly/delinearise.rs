//! Delinearisation: `x[i * d + j]` is row `i`, column `j` of an array with rows of length `d`.
//!
//! The length of a row may be a sum: where the products `i * (n + 2)` are expanded, iterators stand with `n` and alone,
//! by one ratio. Then `n` in these forms is read as `n - 2`, divided as above, and read as `n` again. That is an
//! identity of polynomials, so that digits are proved as others are; which ratio is tried decides nothing but whether
//! some are found.
//!
//! Of a buffer with several dimensions this is said of one of them: a tape has a flat grid in each slot, and a flat grid of
//! records has a record in each place.
//!
//! The strides of a buffer are the factors of the iterators in all its accesses; they must divide one another, or the
//! buffer stays flat. An access has digits if every digit but the outermost is proved to lie below the quotient of its
//! stride and the next one. Two accesses that have them touch one element exactly if all digits are equal, whatever
//! the other accesses are: `for z in 0..n * d { x[z] = 0.0 }` has none and is compared by its flat index.
//!
//! The flat index of an access may still wrap in `usize` arithmetic, where its rows and columns do not say where it
//! goes; an access without a proof against that is listed in [`Strides::requires`], and its digits are not used. The proof
//! has to be one of the very form that is divided: of `let q = i * d + j`, compared with a length, the local is known to be
//! in range, but `q` may be what is left of a sum that has wrapped. And a
//! digit that counts up to `n - 1` lies below `n` only where that bound does not wrap; an access whose digits rest on that
//! is listed in [`Strides::assumes`]. Both are what a check can say when the program runs; see `runtime_facts`.

use super::access::{Access, AccessId};
use super::affine::{Affine, Sym, SymKind};
use super::analysis::Analysis;
use super::runtime_facts::Fact;
use super::set::Constraint;
use crate::ir::{BufferId, IterId, Layout, Ty};
use std::collections::HashMap;

/// The strides of a flat buffer and the index of each access by dimension.
#[derive(Clone, Debug)]
pub struct Strides {
    /// The dimension of the buffer that is divided.
    pub dim: usize,
    /// The strides, outermost first; the innermost is one.
    pub strides: Vec<Affine>,
    /// The index of each access that has one, a form for each stride.
    pub index: HashMap<AccessId, Vec<Affine>>,
    /// The accesses of which the form that was divided is not proved to stay in `usize`, each with that form; the index
    /// above holds where it does. Another form of the flat index may be proved: that of a local which holds it.
    pub requires: HashMap<AccessId, Affine>,
    /// The accesses whose index above holds only where the bounds of these loops do not wrap.
    pub assumes: HashMap<AccessId, Vec<IterId>>,
}

/// A stride: a number times a product of symbols that do not change while the buffer lives.
#[derive(Clone, PartialEq, Debug)]
struct Stride {
    number: i128,
    factors: Vec<Sym>,
}

/// An index by dimension.
struct Digits {
    digits: Vec<Affine>,
    /// The loops whose bounds must not wrap.
    assumed: Vec<IterId>,
}

impl<'p> Analysis<'p> {
    /// Whether the facts say that no bound has wrapped on which the index of an access by dimension rests.
    pub(super) fn bounds_hold(&self, access: &Access<'p>, facts: &[Fact]) -> bool {
        let mut assumed =
            self.flat.get(&access.buffer).and_then(|it| it.assumes.get(&access.id)).into_iter().flatten();
        assumed.all(|&iter| facts.iter().any(|fact| self.bounds(fact, iter, access)))
    }

    /// That an iterator is at most its last value where the bound of its loop has not wrapped; `None` where that is known.
    fn last_of(&self, iter: IterId) -> Option<Constraint> {
        let last = self.loop_of(iter)?.unless_wrapped.as_ref()?;
        Constraint::le(&Affine::symbol(self.symbols.get(&SymKind::Iter(iter))?), last)
    }

    /// The same of the loops around an access of which the facts say that their bounds have not.
    pub(super) fn last_assuming(&self, access: &Access<'p>, facts: &[Fact]) -> Vec<Constraint> {
        let bounded = |iter: &&IterId| facts.iter().any(|fact| self.bounds(fact, **iter, access));
        let around = self.loops(access.nest).iter().filter(bounded);
        around.filter_map(|iter| self.last_of(*iter)).collect()
    }

    /// How a flat buffer is divided into dimensions, if it is.
    pub fn strides(&self, buffer: BufferId) -> Option<&Strides> {
        self.flat.get(&buffer)
    }

    /// How many sizes the length of a flat buffer is the product of, by its strides: that of `i * n + j` of two, unless there is a
    /// number of rows.
    pub fn sizes_of_grid(&self, buffer: BufferId, dim: usize) -> usize {
        let Some(grid) = self.flat.get(&buffer).filter(|grid| grid.dim == dim) else { return 0 };
        let row = grid.strides.iter().flat_map(Affine::terms);
        let in_row = row.map(|&(sym, _)| self.symbols.factors(sym).len()).max().unwrap_or(0);
        let is_size = |sym: Sym| match self.symbols.symbol(sym).kind {
            SymKind::Iter(iter) => self.loop_of(iter).is_none_or(|of| of.hi.as_constant().is_none()),
            _ => self.symbols.symbol(sym).range.is_none(),
        };
        let rows = grid.index.values().filter_map(|digits| digits.first()).flat_map(Affine::terms);
        in_row + usize::from(rows.into_iter().any(|&(sym, _)| is_size(sym)))
    }

    /// Finds the strides of all flat buffers that are written and indexed by products.
    pub(super) fn delinearise(&mut self) {
        for buffer in self.program.buffer_ids() {
            let plain = self.program[buffer].rank() == 1 || self.program[buffer].layout == Layout::RowMajor;
            if plain
                && self.program[buffer].rank() > 0
                && self.writes(buffer).next().is_some()
                && let Some(dim) = self.with_products(buffer)
                && let Some(strides) = self.strides_of(buffer, dim)
            {
                self.flat.insert(buffer, strides);
            }
        }
    }

    /// The last dimension that is indexed by products.
    fn with_products(&self, buffer: BufferId) -> Option<usize> {
        let has_products = |&dim: &usize| {
            let mut forms =
                self.of(buffer).iter().filter_map(|id| self.raw[id.0 as usize].get(dim)?.as_ref());
            forms.any(|form| form.terms().iter().any(|&(sym, _)| self.symbols.is_product(sym)))
        };
        (0..self.program[buffer].rank()).rev().find(has_products)
    }

    fn strides_of(&mut self, buffer: BufferId, dim: usize) -> Option<Strides> {
        let mut forms: Vec<(AccessId, Affine)> = Vec::new();
        for &id in self.of(buffer) {
            if let Some(Some(form)) = self.raw[id.0 as usize].get(dim) {
                forms.push((id, form.clone()));
            }
        }
        let fixed = self.loops(self.lifetime(buffer).nest).to_vec();
        let digits = |strides: &Option<Strides>| strides.as_ref().map_or(0, |strides| strides.index.len());
        let mut best = self.strides_by(dim, &forms, &fixed, &[]);
        if digits(&best) == forms.len() {
            return best;
        }
        // a condition bounds what a local holds, which may be another number than the sum that it was given
        let compared =
            |(id, form): &(AccessId, Affine)| (*id, self.by_compared.get(id).unwrap_or(form).clone());
        let others: Vec<(AccessId, Affine)> = forms.iter().map(compared).collect();
        let shifts = self.shifts(&forms, &fixed);
        for (forms, shifts, differs) in
            [(&others, &[][..], others != forms), (&forms, &shifts, !shifts.is_empty())]
        {
            let found = differs.then(|| self.strides_by(dim, forms, &fixed, shifts)).flatten();
            if digits(&found) > digits(&best) {
                best = found;
            }
        }
        best
    }

    /// The strides of a dimension that accesses have these flat indices of, where what is added to symbols in strides
    /// is known.
    fn strides_by(
        &mut self,
        dim: usize,
        forms: &[(AccessId, Affine)],
        fixed: &[IterId],
        shifts: &[(Sym, i128)],
    ) -> Option<Strides> {
        let back = shifts.iter().map(|&(sym, by)| Some((sym, by.checked_neg()?)));
        let back: &[(Sym, i128)] = &back.collect::<Option<Vec<_>>>()?;
        let read = forms.iter().map(|(id, form)| Some((*id, self.shifted(form, back)?)));
        let read: Vec<(AccessId, Affine)> = read.collect::<Option<_>>()?;
        let strides = self.candidates(&read, fixed)?;
        let mut index = HashMap::new();
        let mut requires = HashMap::new();
        let mut assumes = HashMap::new();
        for ((id, form), (_, read)) in forms.iter().cloned().zip(read) {
            let Some(Digits { digits, assumed }) = self.digits(id, read, &strides, shifts) else {
                continue;
            };
            index.insert(id, digits);
            if !assumed.is_empty() {
                assumes.insert(id, assumed);
            }
            if !self.is_exact(id, dim, &form) {
                requires.insert(id, form);
            }
        }
        let strides =
            strides.into_iter().map(|stride| self.form_of(&stride, shifts)).collect::<Option<_>>()?;
        Some(Strides { dim, strides, index, requires, assumes })
    }

    /// What is added to symbols in the factors of iterators: where `i * n` has the factor `a` and `i` the factor
    /// `a * c`, the number `c` to `n`. The first that is found of each symbol.
    fn shifts(&self, forms: &[(AccessId, Affine)], fixed: &[IterId]) -> Vec<(Sym, i128)> {
        let mut shifts: Vec<(Sym, i128)> = Vec::new();
        for (_, form) in forms {
            for &(product, coefficient) in form.terms() {
                let factors = self.symbols.factors(product);
                for &size in factors.iter().filter(|&&sym| !self.varies(sym, fixed)) {
                    let rest = without(&factors, &[size]).and_then(|rest| self.known_product(rest));
                    let Some(rest) = rest.filter(|&rest| self.varies(rest, fixed)) else { continue };
                    let by = form.coefficient(rest);
                    let is_new = shifts.iter().all(|(sym, _)| *sym != size);
                    if by != 0 && by.checked_rem(coefficient) == Some(0) && is_new {
                        shifts.push((size, by / coefficient));
                    }
                }
            }
        }
        shifts
    }

    /// The form with sums in place of the symbols that are shifted.
    fn shifted(&mut self, form: &Affine, shifts: &[(Sym, i128)]) -> Option<Affine> {
        let mut sum = Affine::number(form.constant());
        for &(sym, coefficient) in form.terms() {
            let mut term = Affine::number(coefficient);
            for factor in self.symbols.factors(sym) {
                term = self.symbols.multiply(&term, &plus_shift(factor, shifts)?)?;
            }
            sum = sum.add(&term)?;
        }
        Some(sum)
    }

    /// Whether a symbol has several values while loops other than these run.
    fn varies(&self, sym: Sym, fixed: &[IterId]) -> bool {
        self.symbols.symbol(sym).depends.iter().any(|iter| !fixed.contains(iter))
    }

    /// Whether a flat index of an access, as a ring form, is proved to be its value. What is recorded of the access may be a
    /// form of locals, which says nothing of the sums that these were given.
    fn is_exact(&self, id: AccessId, dim: usize, form: &Affine) -> bool {
        let access = self.access(id);
        let is = |known: &Option<Affine>| known.as_ref() == Some(form);
        let was_asked = self.raw[id.0 as usize].get(dim).is_some_and(is);
        access.index.get(dim).is_some_and(is) || !was_asked && self.fits(form, Ty::USIZE, access.point)
    }

    /// Whether the facts may say where an access goes, in one of its dimensions at least: no form is proved to be the index, or
    /// not the one that is divided.
    pub(super) fn may_wrap(&self, access: &Access<'p>) -> bool {
        let is_divided = self.flat.get(&access.buffer).is_some_and(|it| it.requires.contains_key(&access.id));
        is_divided || access.index.iter().any(Option::is_none)
    }

    /// The factors of the iterators in all accesses, if they divide one another; outermost first, one last.
    fn candidates(&self, forms: &[(AccessId, Affine)], fixed: &[IterId]) -> Option<Vec<Stride>> {
        let mut strides = vec![Stride { number: 1, factors: Vec::new() }];
        for (_, form) in forms {
            for &(sym, coefficient) in form.terms() {
                let factors = self.symbols.factors(sym);
                let (varying, factors): (Vec<Sym>, Vec<Sym>) =
                    factors.into_iter().partition(|&sym| self.varies(sym, fixed));
                if varying.len() > 1 {
                    return None;
                }
                if varying.is_empty() || factors.is_empty() {
                    continue;
                }
                match strides.iter_mut().find(|stride| stride.factors == factors) {
                    Some(stride) => stride.number = gcd(stride.number, coefficient.checked_abs()?),
                    None => strides.push(Stride { number: coefficient.checked_abs()?, factors }),
                }
            }
        }
        strides.sort_by_key(|stride| std::cmp::Reverse(stride.factors.len()));
        strides.windows(2).all(|pair| quotient(&pair[0], &pair[1]).is_some()).then_some(strides)
    }

    /// The digits of one access, each proved to lie below the quotient of its stride and the next one.
    fn digits(
        &mut self,
        id: AccessId,
        mut rest: Affine,
        strides: &[Stride],
        shifts: &[(Sym, i128)],
    ) -> Option<Digits> {
        let mut digits: Vec<Affine> = Vec::with_capacity(strides.len());
        for stride in &strides[..strides.len() - 1] {
            let mut digit = Affine::number(0);
            let mut left = Affine::number(rest.constant());
            for &(sym, coefficient) in rest.terms() {
                let divided = without(&self.symbols.factors(sym), &stride.factors);
                match divided {
                    Some(factors) if coefficient % stride.number == 0 => {
                        let number = coefficient / stride.number;
                        let term = match factors[..] {
                            [] => Affine::number(number),
                            [sym] => Affine::symbol(sym).scale(number)?,
                            _ => return None,
                        };
                        digit = digit.add(&term)?;
                    }
                    _ => left = left.add(&Affine::symbol(sym).scale(coefficient)?)?,
                }
            }
            digits.push(digit);
            rest = left;
        }
        digits.push(rest);
        if digits.iter().flat_map(Affine::terms).any(|&(sym, _)| self.symbols.is_product(sym)) {
            return None;
        }
        let sizes = strides.windows(2).map(|pair| {
            let (number, sym) = quotient(&pair[0], &pair[1])?;
            plus_shift(sym, shifts)?.scale(number)
        });
        let sizes: &[Affine] = &sizes.collect::<Option<Vec<_>>>()?;
        let digits: Vec<Affine> =
            digits.iter().map(|digit| self.shifted(digit, shifts)).collect::<Option<_>>()?;
        if let Some(digits) = self.borrowed(id, digits.clone(), sizes, &[]) {
            return Some(Digits { digits, assumed: Vec::new() });
        }
        let assumed = self.loops_that_may_wrap(id, &digits[1..]);
        let bounds: Vec<Constraint> = assumed.iter().filter_map(|iter| self.last_of(*iter)).collect();
        let digits = self.borrowed(id, digits, sizes, &bounds).filter(|_| !bounds.is_empty())?;
        Some(Digits { digits, assumed })
    }

    /// The digits, with rows borrowed from the digit before where that is needed, if each is proved to lie below the quotient
    /// of its stride and the next one where the bounds hold.
    fn borrowed(
        &self,
        id: AccessId,
        mut digits: Vec<Affine>,
        sizes: &[Affine],
        bounds: &[Constraint],
    ) -> Option<Vec<Affine>> {
        for at in (1..digits.len()).rev() {
            let size = &sizes[at - 1];
            if !self.is_digit(&digits[at], size, id, bounds) {
                // `i * d + (d - 1 - j)` is `(i + 1) * d + (-1 - j)` once the products are expanded: borrow one row
                digits[at] = digits[at].add(size)?;
                digits[at - 1] = digits[at - 1].clone().offset(-1)?;
                if !self.is_digit(&digits[at], size, id, bounds) {
                    return None;
                }
            }
        }
        Some(digits)
    }

    fn is_digit(&self, digit: &Affine, size: &Affine, id: AccessId, bounds: &[Constraint]) -> bool {
        let point = self.access(id).point;
        let holds = |form: &Affine| self.is_implied_with(form, point, bounds);
        let room = size.sub(digit).and_then(|room| room.offset(-1));
        holds(digit) && room.is_some_and(|room| holds(&room))
    }

    /// The loops around an access that these digits depend on, also through bounds of others of them, and whose own bound may
    /// wrap.
    fn loops_that_may_wrap(&self, id: AccessId, digits: &[Affine]) -> Vec<IterId> {
        let mut used: Vec<IterId> = digits.iter().flat_map(|digit| self.symbols.depends(digit)).collect();
        for &iter in self.loops_around(id).iter().rev() {
            if used.contains(&iter)
                && let Some(of) = self.loop_of(iter)
            {
                let last = of.unless_wrapped.as_ref().unwrap_or(&of.hi);
                used.extend([&of.lo, last].into_iter().flat_map(|bound| self.symbols.depends(bound)));
            }
        }
        let wraps = |iter: &&IterId| self.loop_of(**iter).is_some_and(|of| of.unless_wrapped.is_some());
        self.loops_around(id).iter().filter(|iter| used.contains(iter)).filter(wraps).copied().collect()
    }

    fn form_of(&mut self, stride: &Stride, shifts: &[(Sym, i128)]) -> Option<Affine> {
        match self.symbols.product_of(stride.factors.clone()) {
            Some(sym) => self.shifted(&Affine::symbol(sym).scale(stride.number)?, shifts),
            None => Some(Affine::number(stride.number)),
        }
    }
}

/// A symbol and what is added to it.
fn plus_shift(sym: Sym, shifts: &[(Sym, i128)]) -> Option<Affine> {
    let by = shifts.iter().find(|(shifted, _)| *shifted == sym).map_or(0, |(_, by)| *by);
    Affine::symbol(sym).offset(by)
}

/// `outer / inner` as a number times a symbol.
fn quotient(outer: &Stride, inner: &Stride) -> Option<(i128, Sym)> {
    let factors = without(&outer.factors, &inner.factors)?;
    match factors[..] {
        [sym] if outer.number % inner.number == 0 => Some((outer.number / inner.number, sym)),
        _ => None,
    }
}

/// `factors` without those of `divisor`, each once; `None` if one is missing.
fn without(factors: &[Sym], divisor: &[Sym]) -> Option<Vec<Sym>> {
    let mut left = factors.to_vec();
    for factor in divisor {
        left.remove(left.iter().position(|sym| sym == factor)?);
    }
    Some(left)
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
