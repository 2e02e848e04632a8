//! Indices of which a factor is checked: `p[i] * d + j` does not wrap where `p[i] * d` is at most a length.
//!
//! Of an index with a value from an array nothing is known before the program runs, so that `p[i] * d + j` may wrap, and
//! then it is not the element `j` of row `p[i]`. The pass that looks at the values can compare them with what the array
//! has room for: `p[i] <= len / d`, and `d <= len`. An array of floats has at most `isize::MAX` elements, so neither
//! `p[i] * d` nor `d` exceeds that, and what is less than `d` beside it does not make the sum wrap.

use super::access::Access;
use super::affine::{Affine, Sym, SymKind};
use super::analysis::Analysis;
use super::reify::Outside;
use super::runtime_facts::Fact;
use super::set::{Constraint, Set};
use crate::ir::{BufferId, Expr, Func, IterId, Place, Ty};
use crate::map::Map;

/// A product of a value and what does not change in the loop, which is part of an index.
#[derive(Clone, PartialEq, Debug)]
pub struct Scale {
    /// The value times this is part of the index.
    pub stride: Expr,
    /// The array has so many elements.
    pub len: Expr,
    array: BufferId,
    /// The products, without the number.
    products: Vec<Sym>,
    number: i128,
    /// What the value is multiplied by, without the number.
    factor: Option<Sym>,
}

impl<'p> Analysis<'p> {
    /// The products of the values in the index of an access, with the value of each.
    pub(super) fn scales(
        &self,
        access: &Access<'p>,
        values: &[Sym],
        outside: &Outside<'_, 'p>,
    ) -> Vec<Scale> {
        let mut found: Vec<Scale> = Vec::new();
        for (dim, form) in self.raw[access.id.0 as usize].iter().enumerate() {
            for &(product, number) in form.iter().flat_map(Affine::terms) {
                let mut rest = self.symbols.factors(product);
                let Some(at) = rest.iter().position(|factor| values.contains(factor)) else { continue };
                rest.remove(at);
                let plain = rest.is_empty() && number == 1;
                let of = &self.program[access.buffer];
                if number < 1 || !(plain || of.elem.is_float()) {
                    continue;
                }
                let len = Expr::extent(access.buffer, dim);
                let Some(stride) = self.stride(&rest, number, outside) else { continue };
                match found.iter_mut().find(|scale| scale.stride == stride && scale.len == len) {
                    Some(scale) => scale.products.push(product),
                    None => {
                        let factor = self.known_product(rest);
                        let array = access.buffer;
                        found.push(Scale { stride, len, array, products: vec![product], number, factor });
                    }
                }
            }
        }
        found
    }

    /// The symbol of a product of sorted symbols, if the program has it.
    pub(super) fn known_product(&self, factors: Vec<Sym>) -> Option<Sym> {
        match factors[..] {
            [factor] => Some(factor),
            _ => self.symbols.get(&SymKind::Product(factors)),
        }
    }

    /// A product of symbols and a number in front of the loop; where it does not fit, the largest `usize`.
    fn stride(&self, factors: &[Sym], number: i128, outside: &Outside<'_, 'p>) -> Option<Expr> {
        let number = Expr::int(Ty::USIZE, i128::from(u32::try_from(number).ok()?));
        factors.iter().try_fold(number, |product, &factor| {
            let value = self.fixed_value(factor, outside)?;
            Some(Expr::call(Ty::USIZE, Func::SaturatingMul, vec![product, value]))
        })
    }

    /// A scalar or a length that does not change in the loop.
    pub(super) fn fixed_value(&self, sym: Sym, outside: &Outside<'_, 'p>) -> Option<Expr> {
        let symbol = self.symbols.symbol(sym);
        let fixed = |buffer: BufferId| outside.is_fixed(buffer).then_some(buffer);
        match &symbol.kind {
            _ if symbol.ty != Some(Ty::USIZE) => None,
            SymKind::Element(buffer, index) if index.is_empty() => {
                Some(Place::scalar(fixed(*buffer)?).load(Ty::USIZE))
            }
            SymKind::Extent(buffer, dim) => Some(Expr::extent(fixed(*buffer)?, *dim)),
            _ => None,
        }
    }

    /// The index of an access where the facts hold.
    pub(super) fn index_assuming(&self, access: &Access<'p>, facts: &[Fact]) -> Vec<Option<Affine>> {
        if facts.is_empty() {
            return access.index.clone();
        }
        let mut cache = self.cache.borrow_mut();
        if cache.assuming.0 != facts {
            cache.assuming = (facts.to_vec(), Map::default());
        }
        if let Some(known) = cache.assuming.1.get(&access.id) {
            return known.clone();
        }
        drop(cache);
        let index = self.find_index_assuming(access, facts);
        self.cache.borrow_mut().assuming.1.insert(access.id, index.clone());
        index
    }

    fn find_index_assuming(&self, access: &Access<'p>, facts: &[Fact]) -> Vec<Option<Affine>> {
        let raw = self.raw[access.id.0 as usize].iter();
        let fits = |form: &&Affine| !facts.is_empty() && self.fits_assuming(form, access, facts);
        let assumed = |raw: &Option<Affine>| raw.as_ref().filter(fits).cloned();
        let by_digits = |dim| self.index_by_digits(access, dim, facts);
        // a form of locals says less than the sums that these were given
        let proved = |index: &Option<Affine>, raw| index.clone().filter(|_| index == raw);
        let index = access.index.iter().zip(raw).enumerate().map(|(dim, (index, raw))| {
            let plain = || proved(index, raw).or_else(|| assumed(raw)).or_else(|| index.clone());
            by_digits(dim).or_else(plain)
        });
        index.collect()
    }

    /// Whether what a check compares with the length of an array says something of the index of an access: that length is at
    /// most `isize::MAX`, of floats a quarter of it. That is so of a slice, and of every dimension of an array that has an
    /// element at all, as the array of the access has; of another one that nobody touches a dimension may be anything where
    /// another is zero.
    fn tells(&self, scale: &Scale, access: &Access<'p>) -> bool {
        scale.array == access.buffer || self.program[scale.array].rank() == 1
    }

    /// Whether a fact says where an access is made that the bound of a loop has not wrapped.
    pub(super) fn bounds(&self, fact: &Fact, iter: IterId, access: &Access<'p>) -> bool {
        let Fact::Fits(fits) = fact else { return false };
        fits.loops.contains(&iter) && fits.scales.iter().any(|scale| self.tells(scale, access))
    }

    /// The flat index of an access whose outermost digit is an iterator that a fact bounds.
    ///
    /// **Why.** The index is `i * s + r`, where `s` is the outermost stride and the digits prove `0 <= r < s`. The
    /// facts say that `i * s` and `s` are at most a length, so at most `isize::MAX`; then `i * s + r` is less than
    /// twice that, which is a `usize`. Its parts need no facts: where a condition bounds `j` in `(h * n + j) * d + x`,
    /// one on `h` is enough. A neighbour `(i + c) * s + r` with `i + c >= 0` is less than `c + 2` times the length. Of
    /// a stride with several terms, such as `n * m + 2 * m`, the facts say so of each term, and the index is less than
    /// as many times that. The length of an array of doubles is at most an eighth of `isize::MAX`, which leaves room
    /// for 16 of them.
    fn index_by_digits(&self, access: &Access<'p>, dim: usize, facts: &[Fact]) -> Option<Affine> {
        let strides = self.flat.get(&access.buffer).filter(|strides| strides.dim == dim)?;
        let form = strides.requires.get(&access.id)?;
        if !self.bounds_hold(access, facts) {
            return None;
        }
        let (top, stride) = (strides.index.get(&access.id)?.first()?, strides.strides.first()?);
        let by = top.constant();
        let is_index = by == 0 || self.is_non_negative(top, access.point);
        let top = top.linear().as_symbol();
        let top = top.filter(|&sym| is_index && self.symbols.symbol(sym).ty == Some(Ty::USIZE))?;
        let number = Some((None, stride.constant())).filter(|(_, number)| *number != 0);
        let terms = stride.terms().iter().map(|&(sym, number)| (Some(sym), number)).chain(number);
        let eighths = |(factor, number): (Option<Sym>, i128)| {
            let mut factors = factor.map_or_else(Vec::new, |factor| self.symbols.factors(factor));
            factors.push(top);
            factors.sort_unstable();
            let of = |&product: &Sym| {
                let mut known = self.symbols.factors(product);
                known.sort_unstable();
                known == factors
            };
            let scales = facts.iter().flat_map(Fact::scales).filter(|scale| self.tells(scale, access));
            let scales = scales.filter(|it| it.number == number && it.factor == factor);
            scales.filter(|it| it.products.iter().any(of)).map(|it| 8 / self.bytes(it.array)).min()
        };
        let of_terms = terms.map(eighths).sum::<Option<i128>>()?;
        let bounded = by.max(0).checked_add(2)?.checked_mul(of_terms)? <= 16;
        bounded.then(|| form.clone())
    }

    /// The bytes of an element, or less.
    fn bytes(&self, array: BufferId) -> i128 {
        match self.program[array].elem {
            Ty::F64 => 8,
            Ty::F32 => 4,
            _ => 1,
        }
    }

    /// Whether a form lies in `usize` wherever the point is reached and the facts hold.
    fn fits_assuming(&self, form: &Affine, access: &Access<'p>, facts: &[Fact]) -> bool {
        let room = Affine::symbol(self.usize_max).sub(form);
        [Some(form.clone()), room].into_iter().all(|gap| {
            let Some(negative) = gap.and_then(|gap| gap.scale(-1)).and_then(|gap| gap.offset(-1)) else {
                return false;
            };
            let mut set = Set::all();
            set.add(Constraint::NonNegative(negative));
            let max = Affine::symbol(self.isize_max);
            for scale in facts.iter().flat_map(Fact::scales).filter(|scale| self.tells(scale, access)) {
                let bytes = self.bytes(scale.array);
                for &part in scale.products.iter().chain(&scale.factor) {
                    let part = scale.number.checked_mul(bytes).and_then(|by| Affine::symbol(part).scale(by));
                    set.add(part.and_then(|part| Constraint::le(&part, &max)));
                }
            }
            self.add_related(&mut set, access.point);
            self.add_facts(&mut set, true);
            set.is_empty().is_yes()
        })
    }
}

impl Scale {
    /// The same product in the index of another access.
    pub(super) fn is_like(&self, other: &Scale) -> bool {
        self.stride == other.stride && self.len == other.len
    }

    /// Adds the products of another access.
    pub(super) fn join(&mut self, other: Scale) {
        let new = other.products.into_iter().filter(|product| !self.products.contains(product));
        let new: Vec<Sym> = new.collect();
        self.products.extend(new);
    }
}
