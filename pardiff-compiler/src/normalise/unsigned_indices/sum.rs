//! Sums of numbers in `usize`, of which some are taken away.

use crate::ir::{Expr, ExprKind, Func, Ty};

/// A number in `usize`.
#[derive(Clone, PartialEq)]
pub(super) struct Term {
    pub(super) value: Expr,
    /// What it is not greater than, if that is known, and whether it is less.
    pub(super) bound: Option<Expr>,
    pub(super) is_below: bool,
    pub(super) is_product: bool,
}

impl Term {
    pub(super) fn of(value: Expr) -> Term {
        Term { value, bound: None, is_below: false, is_product: false }
    }

    /// The least of this and a value, if that is not known to be less.
    pub(super) fn at_most(&self, other: Term) -> Term {
        if self.is_below && other.is_below && self.bound == other.bound {
            return other;
        }
        Term {
            value: Expr::call(Ty::USIZE, Func::IntMin, vec![other.value, self.value.clone()]),
            ..self.clone()
        }
    }

    /// The sizes that its bound multiplies.
    pub(super) fn sizes(&self) -> Vec<Expr> {
        fn factors(bound: &Expr) -> Vec<Expr> {
            match &bound.kind {
                ExprKind::Call(Func::SaturatingMul, _, args) => args.iter().flat_map(factors).collect(),
                ExprKind::Int(_) => Vec::new(),
                _ => vec![bound.clone()],
            }
        }
        self.bound.iter().flat_map(factors).collect()
    }

    fn times(&self, other: &Term) -> Term {
        let bounds = self.bound.clone().zip(other.bound.clone());
        let bound = bounds.map(|(a, b)| Expr::call(Ty::USIZE, Func::SaturatingMul, vec![a, b]));
        Term { bound, is_product: true, ..Term::of(self.value.clone() * other.value.clone()) }
    }
}

/// What is added and what is taken away.
#[derive(Clone, Default)]
pub(super) struct Sum {
    pub(super) plus: Vec<Term>,
    pub(super) minus: Vec<Term>,
    pub(super) number: i128,
}

impl Sum {
    pub(super) fn number(number: i128) -> Sum {
        Sum { number, ..Sum::default() }
    }

    pub(super) fn of(term: Term) -> Sum {
        Sum { plus: vec![term], ..Sum::default() }
    }

    pub(super) fn has_products(&self) -> bool {
        self.plus.iter().chain(&self.minus).any(|term| term.is_product)
    }

    pub(super) fn plus(mut self, other: Sum) -> Sum {
        let cancel = |terms: &mut Vec<Term>, others: Vec<Term>, against: &mut Vec<Term>| {
            for term in others {
                match against.iter().position(|known| *known == term) {
                    Some(at) => _ = against.remove(at),
                    None => terms.push(term),
                }
            }
        };
        cancel(&mut self.plus, other.plus, &mut self.minus);
        cancel(&mut self.minus, other.minus, &mut self.plus);
        self.number += other.number;
        self
    }

    pub(super) fn minus(self, other: Sum) -> Sum {
        self.plus(Sum { plus: other.minus, minus: other.plus, number: -other.number })
    }

    /// Whether nothing is taken away.
    pub(super) fn has_no_minus(&self) -> bool {
        self.minus.is_empty() && self.number >= 0
    }

    /// The product, of numbers that are not negative one term, of others term by term.
    pub(super) fn times(self, other: Sum, are_natural: bool) -> Sum {
        if let ([a], [b]) = (&self.plus[..], &other.plus[..])
            && are_natural
            && self.number.max(other.number) <= 0
            && !(self.has_no_minus() && other.has_no_minus())
        {
            let term = a.times(b);
            return Sum::of(Term { value: self.plain() * other.plain(), ..term });
        }
        let signed = |sum: &Sum| {
            let number = (sum.number != 0).then(|| {
                let size = Expr::int(Ty::USIZE, sum.number.abs());
                (Term { bound: Some(size.clone()), ..Term::of(size) }, sum.number < 0)
            });
            let plus = sum.plus.iter().map(|term| (term.clone(), false));
            let minus = sum.minus.iter().map(|term| (term.clone(), true));
            plus.chain(minus).chain(number).collect::<Vec<_>>()
        };
        let mut product = Sum::number(self.number * other.number);
        let is_number = |term: &Term| matches!(term.value.kind, ExprKind::Int(_));
        for (a, down) in &signed(&self) {
            for (b, other_down) in &signed(&other) {
                let term = match (is_number(a), is_number(b)) {
                    (true, true) => continue,
                    (true, false) if a.value == Expr::usize(1) => b.clone(),
                    (false, true) if b.value == Expr::usize(1) => a.clone(),
                    _ => a.times(b),
                };
                let term = Sum::of(term);
                product = if down == other_down { product.plus(term) } else { product.minus(term) };
            }
        }
        product
    }

    /// What is added, and what is taken away.
    pub(super) fn sides(self) -> [Option<Expr>; 2] {
        let side = |terms: Vec<Term>, number: i128| {
            let number = (number > 0).then(|| Expr::int(Ty::USIZE, number));
            terms.into_iter().map(|term| term.value).chain(number).reduce(|a, b| a + b)
        };
        [side(self.plus, self.number), side(self.minus, -self.number)]
    }

    pub(super) fn plain(self) -> Expr {
        let [plus, minus] = self.sides();
        let plus = plus.unwrap_or(Expr::usize(0));
        minus.into_iter().fold(plus, |plus, minus| plus - minus)
    }
}
