//! Affine forms: `constant + Σ coefficient × symbol`, exact in `i128`; what does not fit is no form at all.
//!
//! A form made from a machine expression by `+ - *` alone equals the expression *modulo* two to the width of its
//! type, whatever wraps on the way: machine arithmetic is a ring. It equals the expression itself once its value
//! is proved to lie in the type. So one proof is owed where a form leaves the ring (an index, a comparison, a
//! bound, a widening cast, a division), none for the intermediate results.

use crate::ir::{BufferId, Func, IterId, OpaqueId, Ty};
use crate::map::Map;

/// A quantity that is not looked into: an iterator, or a value that is fixed for given values of some iterators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sym(u32);

impl Sym {
    const PRIMED: u32 = 1 << 31;

    /// A symbol that no program has, for definitions inside a set; there are 64.
    pub fn auxiliary(number: usize) -> Sym {
        Sym(Sym::PRIMED - 64 + (number as u32 & 63))
    }

    /// Whether the symbol is of no program.
    pub fn is_auxiliary(self) -> bool {
        self.unprimed().0 >= Sym::PRIMED - 64
    }

    /// Whether the symbol belongs to the other instance.
    pub fn is_primed(self) -> bool {
        self.0 & Sym::PRIMED != 0
    }

    /// The symbol in another instance of the statement.
    pub fn primed(self) -> Sym {
        Sym(self.0 | Sym::PRIMED)
    }

    /// Where it stands in a list. Lists of symbols are short and asked often, in builds without optimisation.
    pub(super) fn position_in(self, list: &[Sym]) -> Option<usize> {
        let mut at = 0;
        while at < list.len() {
            if list[at].0 == self.0 {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// The symbol in the first instance.
    pub fn unprimed(self) -> Sym {
        Sym(self.0 & !Sym::PRIMED)
    }
}

/// What a symbol stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SymKind {
    /// A loop iterator.
    Iter(IterId),
    /// The number of the iteration of a loop with a step, counted from its first value.
    Trip(IterId),
    /// First value of a loop whose bound has no form.
    Lo(IterId),
    /// Last value of a loop whose bound has no form.
    Hi(IterId),
    /// The extent of a parameter or constant table.
    Extent(BufferId, usize),
    /// A user path.
    Opaque(OpaqueId),
    /// An element of a buffer that is not written any more where it is read.
    Element(BufferId, Vec<Affine>),
    /// A function of forms that is not affine.
    Function(Operation, Ty, Vec<Affine>),
    /// A product of symbols, sorted.
    Product(Vec<Sym>),
    /// The largest `usize`; its value differs between machines.
    UsizeMax,
    /// The largest `isize`, also a bound of the length in bytes of every slice.
    IsizeMax,
}

/// A function that is not affine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// `/`
    Quotient,
    /// `%`
    Remainder,
    /// A function of the table, of operands of that type.
    Call(Func, Ty),
    /// A cast that may change the value.
    Cast(Ty),
}

/// A symbol and what is known of it.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// What it stands for.
    pub kind: SymKind,
    /// The iterators that its value is a function of; an iterator depends on itself.
    pub depends: Vec<IterId>,
    /// The integer type that it lies in; a product lies in none.
    pub ty: Option<Ty>,
    /// Whether it is known not to be negative.
    pub non_negative: bool,
    /// Numbers that it lies between, where they are known.
    pub range: Option<(i128, i128)>,
}

/// The symbols of a program, each once.
#[derive(Debug, Default)]
pub struct Symbols {
    all: Vec<Symbol>,
    known: Map<SymKind, Sym>,
}

impl Symbols {
    /// The symbol of that kind.
    pub fn intern(&mut self, kind: SymKind, ty: Option<Ty>, depends: &[IterId], non_negative: bool) -> Sym {
        if let Some(&sym) = self.known.get(&kind) {
            return sym;
        }
        let unsigned = matches!(ty, Some(Ty::Int(int)) if !int.is_signed());
        let mut depends = depends.to_vec();
        depends.sort_unstable();
        depends.dedup();
        let sym = Sym(self.all.len() as u32);
        let non_negative = non_negative || unsigned;
        self.all.push(Symbol { kind: kind.clone(), depends, ty, non_negative, range: None });
        self.known.insert(kind, sym);
        sym
    }

    /// Says that a symbol lies between two numbers.
    pub fn bound(&mut self, sym: Sym, (least, greatest): (i128, i128)) {
        let symbol = &mut self.all[sym.unprimed().0 as usize];
        symbol.non_negative |= least >= 0;
        symbol.range = Some((least, greatest));
    }

    /// The symbol of that kind, if the program has it.
    pub fn get(&self, kind: &SymKind) -> Option<Sym> {
        self.known.get(kind).copied()
    }

    /// What is known of a symbol, primed or not.
    pub fn symbol(&self, sym: Sym) -> &Symbol {
        &self.all[sym.unprimed().0 as usize]
    }

    /// The iterators that a form depends on.
    pub fn depends(&self, form: &Affine) -> Vec<IterId> {
        let terms = form.terms().iter();
        let mut all: Vec<IterId> =
            terms.flat_map(|&(sym, _)| self.symbol(sym).depends.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a form depends on an iterator.
    pub fn depends_on(&self, form: &Affine, iter: IterId) -> bool {
        form.terms().iter().any(|&(sym, _)| self.symbol(sym).depends.binary_search(&iter).is_ok())
    }

    /// Whether the form is a sum of what cannot be negative.
    pub fn is_plainly_non_negative(&self, form: &Affine) -> bool {
        form.constant() >= 0
            && form
                .terms()
                .iter()
                .all(|&(sym, coefficient)| coefficient >= 0 && self.symbol(sym).non_negative)
    }

    /// The product of two forms, if it is small; products of symbols become symbols.
    pub fn multiply(&mut self, lhs: &Affine, rhs: &Affine) -> Option<Affine> {
        if let Some(factor) = rhs.as_constant() {
            return lhs.scale(factor);
        }
        if let Some(factor) = lhs.as_constant() {
            return rhs.scale(factor);
        }
        if lhs.terms.len() * rhs.terms.len() > 16 {
            return None;
        }
        let mut sum = lhs.scale(rhs.constant)?.add(&rhs.linear().scale(lhs.constant)?)?;
        for &(a, x) in &lhs.terms {
            for &(b, y) in &rhs.terms {
                let product = self.product(a, b)?;
                sum = sum.add(&Affine::symbol(product).scale(x.checked_mul(y)?)?)?;
            }
        }
        Some(sum)
    }

    /// Whether a symbol is a product of others.
    pub fn is_product(&self, sym: Sym) -> bool {
        matches!(self.symbol(sym).kind, SymKind::Product(_))
    }

    /// The factors of a symbol: itself, unless it is a product.
    pub fn factors(&self, sym: Sym) -> Vec<Sym> {
        match &self.symbol(sym).kind {
            SymKind::Product(factors) => factors.clone(),
            _ => vec![sym],
        }
    }

    /// The symbol of a product of symbols; `None` for the empty product.
    pub fn product_of(&mut self, mut factors: Vec<Sym>) -> Option<Sym> {
        factors.sort_unstable();
        if factors.len() <= 1 {
            return factors.pop();
        }
        let depends: Vec<IterId> = factors.iter().flat_map(|&f| self.symbol(f).depends.clone()).collect();
        let non_negative = factors.iter().all(|&f| self.symbol(f).non_negative);
        Some(self.intern(SymKind::Product(factors), None, &depends, non_negative))
    }

    fn product(&mut self, a: Sym, b: Sym) -> Option<Sym> {
        let mut factors = self.factors(a);
        factors.extend(self.factors(b));
        if factors.len() > 5 {
            return None;
        }
        self.product_of(factors)
    }
}

/// `constant + Σ coefficient × symbol`; terms are sorted by symbol and no coefficient is zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Affine {
    terms: Vec<(Sym, i128)>,
    constant: i128,
}

impl Affine {
    /// A number.
    pub fn number(constant: i128) -> Affine {
        Affine { terms: Vec::new(), constant }
    }

    /// A symbol.
    pub fn symbol(sym: Sym) -> Affine {
        Affine { terms: vec![(sym, 1)], constant: 0 }
    }

    /// Symbols with their coefficients.
    pub fn terms(&self) -> &[(Sym, i128)] {
        &self.terms
    }

    /// The constant.
    pub fn constant(&self) -> i128 {
        self.constant
    }

    /// The coefficient of a symbol.
    pub fn coefficient(&self, sym: Sym) -> i128 {
        let terms: &[(Sym, i128)] = &self.terms;
        let mut at = 0;
        while at < terms.len() {
            if terms[at].0.0 == sym.0 {
                return terms[at].1;
            }
            at += 1;
        }
        0
    }

    /// The value, if it is a number.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The symbol, if it is nothing else.
    pub fn as_symbol(&self) -> Option<Sym> {
        match self.terms[..] {
            [(sym, 1)] if self.constant == 0 => Some(sym),
            _ => None,
        }
    }

    /// Without the constant.
    pub fn linear(&self) -> Affine {
        Affine { terms: self.terms.clone(), constant: 0 }
    }

    /// Without a symbol.
    pub fn without(&self, sym: Sym) -> Option<Affine> {
        self.sub(&Affine::symbol(sym).scale(self.coefficient(sym))?)
    }

    /// `self + number`
    pub fn offset(mut self, number: i128) -> Option<Affine> {
        self.constant = self.constant.checked_add(number)?;
        Some(self)
    }

    /// `self * factor`
    pub fn scale(&self, factor: i128) -> Option<Affine> {
        if factor == 0 {
            return Some(Affine::default());
        }
        let mut scaled = self.clone();
        for (_, coefficient) in &mut scaled.terms {
            *coefficient = coefficient.checked_mul(factor)?;
        }
        scaled.constant = self.constant.checked_mul(factor)?;
        Some(scaled)
    }

    /// `self + other`
    pub fn add(&self, other: &Affine) -> Option<Affine> {
        let constant = self.constant.checked_add(other.constant)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut lhs, mut rhs) = (&self.terms[..], &other.terms[..]);
        while let ([(a, x), left @ ..], [(b, y), right @ ..]) = (lhs, rhs) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => {
                    terms.push((*a, *x));
                    lhs = left;
                }
                std::cmp::Ordering::Greater => {
                    terms.push((*b, *y));
                    rhs = right;
                }
                std::cmp::Ordering::Equal => {
                    let sum = x.checked_add(*y)?;
                    if sum != 0 {
                        terms.push((*a, sum));
                    }
                    (lhs, rhs) = (left, right);
                }
            }
        }
        terms.extend_from_slice(lhs);
        terms.extend_from_slice(rhs);
        Some(Affine { terms, constant })
    }

    /// `self - other`
    pub fn sub(&self, other: &Affine) -> Option<Affine> {
        self.add(&other.scale(-1)?)
    }

    /// The same form of other symbols (which are distinct).
    pub fn rename(&self, rename: &dyn Fn(Sym) -> Sym) -> Affine {
        let mut renamed = self.clone();
        let mut sorted = true;
        let mut before = None;
        for (sym, _) in &mut renamed.terms {
            *sym = rename(*sym);
            sorted &= before < Some(*sym);
            before = Some(*sym);
        }
        if !sorted {
            renamed.terms.sort_unstable_by_key(|term| term.0);
        }
        renamed
    }
}
