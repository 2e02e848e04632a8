//! By how many iterations two indices are apart.
//!
//! An index is a polynomial over atoms: iterators, and what does not change in the nest (`i * n + j - 1` is
//! `1·i·n + 1·j - 1`). Machine integers are a ring, so equal polynomials are equal indices, whatever wraps on the way.
//! `index(i + c) = index(i) + Σ c_d · stride_d` where the index is linear in the iterators of the nest; two indices with the
//! same strides are apart by `c` where their difference is `Σ c_d · stride_d`. For any such `c` the second is the first at
//! shifted iterators: that there may be several (in rows of eight, `i * 8 + j + 8` is the next row, and eight further in
//! this one) is harmless, and the one that is found takes the largest strides first.

use crate::ir::{BinOp, Expr, ExprKind, IterId};
use crate::limits::{MULTIPLIED_TERMS, NEIGHBOURING_OFFSET};
use std::collections::BTreeMap;

/// A product of atoms in an index of a place: which index, and the atoms in order.
type Monomial = (usize, Vec<usize>);

/// A sum of products with their coefficients, none of them zero.
type Polynomial = BTreeMap<Monomial, i128>;

/// The iterators of a nest and all atoms of indices in it.
pub(crate) struct Offsets<'a> {
    iters: &'a [IterId],
    /// Whether an expression has one value in the whole nest.
    fixed: &'a dyn Fn(&Expr) -> bool,
    atoms: Vec<Expr>,
}

/// An index that is linear in the iterators.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Linear {
    /// By what it moves where an iterator moves by one.
    strides: Vec<Polynomial>,
    /// What is left where all iterators are zero.
    start: Polynomial,
}

impl<'a> Offsets<'a> {
    pub(crate) fn new(iters: &'a [IterId], fixed: &'a dyn Fn(&Expr) -> bool) -> Offsets<'a> {
        Offsets { iters, fixed, atoms: Vec::new() }
    }

    /// The index of a place, if it is linear.
    pub(crate) fn linear(&mut self, index: &[Expr]) -> Option<Linear> {
        let mut whole = Polynomial::new();
        for (component, index) in index.iter().enumerate() {
            for (atoms, coefficient) in self.polynomial(index)? {
                whole.insert((component, atoms), coefficient);
            }
        }
        let mut linear =
            Linear { strides: vec![Polynomial::new(); self.iters.len()], start: Polynomial::new() };
        for ((component, atoms), coefficient) in whole {
            let is_iter = |&&atom: &&usize| self.dimension(atom).is_some();
            match atoms.iter().filter(is_iter).count() {
                0 => linear.start.insert((component, atoms), coefficient),
                1 => {
                    let dimension = atoms.iter().find_map(|&atom| self.dimension(atom))?;
                    let rest = atoms.into_iter().filter(|&atom| self.dimension(atom).is_none()).collect();
                    linear.strides[dimension].insert((component, rest), coefficient)
                }
                _ => return None,
            };
        }
        Some(linear)
    }

    fn dimension(&self, atom: usize) -> Option<usize> {
        match self.atoms[atom].kind {
            ExprKind::Iter(iter) => self.iters.iter().position(|&other| other == iter),
            _ => None,
        }
    }

    fn polynomial(&mut self, expr: &Expr) -> Option<BTreeMap<Vec<usize>, i128>> {
        let mut found = BTreeMap::new();
        let mut add = |atoms: Vec<usize>, coefficient: i128| -> Option<()> {
            let entry: &mut i128 = found.entry(atoms).or_default();
            *entry = entry.checked_add(coefficient)?;
            Some(())
        };
        let operation = match &expr.kind {
            ExprKind::Binary(op, lhs, rhs) => Some((*op, &**lhs, &**rhs)),
            _ => expr.modular(),
        };
        match (&expr.kind, operation) {
            (ExprKind::Int(value), _) => add(Vec::new(), *value)?,
            (_, Some((op @ (BinOp::Add | BinOp::Sub), lhs, rhs))) => {
                let sign = if op == BinOp::Add { 1 } else { -1 };
                for (atoms, coefficient) in self.polynomial(lhs)? {
                    add(atoms, coefficient)?;
                }
                for (atoms, coefficient) in self.polynomial(rhs)? {
                    add(atoms, coefficient.checked_mul(sign)?)?;
                }
            }
            (_, Some((BinOp::Mul, lhs, rhs))) => {
                let (lhs, rhs) = (self.polynomial(lhs)?, self.polynomial(rhs)?);
                if lhs.len() * rhs.len() > MULTIPLIED_TERMS {
                    return None;
                }
                for (a, x) in &lhs {
                    for (b, y) in &rhs {
                        let mut atoms: Vec<usize> = a.iter().chain(b).copied().collect();
                        atoms.sort_unstable();
                        add(atoms, x.checked_mul(*y)?)?;
                    }
                }
            }
            (ExprKind::Iter(iter), _) if self.iters.contains(iter) => add(vec![self.atom(expr)], 1)?,
            _ if (self.fixed)(expr) => add(vec![self.atom(expr)], 1)?,
            _ => return None,
        }
        found.retain(|_, coefficient| *coefficient != 0);
        Some(found)
    }

    fn atom(&mut self, expr: &Expr) -> usize {
        self.atoms.iter().position(|known| known == expr).unwrap_or_else(|| {
            self.atoms.push(expr.clone());
            self.atoms.len() - 1
        })
    }
}

impl Linear {
    /// Whether the index depends on an iterator.
    #[cfg(feature = "cuda")]
    pub(crate) fn moves(&self, dimension: usize) -> bool {
        !self.strides[dimension].is_empty()
    }

    /// By how many elements of one component the index moves with an iterator, if that is a number and it moves in no other way.
    #[cfg(feature = "cuda")]
    pub(crate) fn number(&self, dimension: usize, component: usize) -> Option<i128> {
        let stride = &self.strides[dimension];
        let by = stride.get(&(component, Vec::new()))?;
        (stride.len() == 1).then_some(*by)
    }

    /// 1 or -1, if the index moves by so many times as much with one iterator as with another.
    #[cfg(feature = "cuda")]
    pub(crate) fn sign(&self, dimension: usize, other: usize) -> Option<i128> {
        let (of, other) = (&self.strides[dimension], &self.strides[other]);
        let is = |sign: i128| {
            let same = |(monomial, by): (&Monomial, &i128)| of.get(monomial).copied() == by.checked_mul(sign);
            of.len() == other.len() && other.iter().all(same)
        };
        [1, -1].into_iter().find(|&sign| is(sign))
    }

    /// The index where all iterators but the first ones are zero.
    #[cfg(feature = "cuda")]
    pub(crate) fn of_first(&self, count: usize) -> Linear {
        Linear { strides: self.strides[..count].to_vec(), start: self.start.clone() }
    }

    /// Whether it moves by as much as another index with each iterator.
    pub(super) fn moves_as(&self, other: &Linear) -> bool {
        self.strides == other.strides
    }

    /// The iterations `c` with `self(i) = other(i + c)`.
    pub(crate) fn minus(&self, other: &Linear) -> Option<Vec<i128>> {
        if !self.moves_as(other) {
            return None;
        }
        let mut rest = self.start.clone();
        subtract(&mut rest, &other.start, 1)?;
        let mut order: Vec<usize> = (0..self.strides.len()).collect();
        let size = |dimension: &usize| leading(&self.strides[*dimension]);
        order.sort_by_key(|dimension| {
            size(dimension).map(|((_, atoms), by)| std::cmp::Reverse((atoms.len(), by.unsigned_abs())))
        });
        let mut offsets = vec![0; self.strides.len()];
        for dimension in order {
            let Some((monomial, by)) = leading(&self.strides[dimension]) else { continue };
            let left = rest.get(monomial).copied().unwrap_or(0);
            let offset = nearest(left, by)?;
            subtract(&mut rest, &self.strides[dimension], offset)?;
            offsets[dimension] = offset;
        }
        (rest.is_empty() && offsets.iter().all(|offset| offset.abs() <= NEIGHBOURING_OFFSET))
            .then_some(offsets)
    }
}

/// The product of the most atoms.
fn leading(of: &Polynomial) -> Option<(&Monomial, i128)> {
    of.iter().max_by_key(|((_, atoms), _)| atoms.len()).map(|(monomial, &by)| (monomial, by))
}

fn subtract(from: &mut Polynomial, what: &Polynomial, times: i128) -> Option<()> {
    for (monomial, coefficient) in what {
        let entry = from.entry(monomial.clone()).or_default();
        *entry = entry.checked_sub(coefficient.checked_mul(times)?)?;
    }
    from.retain(|_, coefficient| *coefficient != 0);
    Some(())
}

/// The integer next to a quotient, the one nearer to zero where there are two.
fn nearest(of: i128, by: i128) -> Option<i128> {
    let quotient = of.checked_div(by)?;
    let rest = of.checked_rem(by)?.unsigned_abs();
    let up = rest > by.unsigned_abs() - rest;
    let away = if (of < 0) == (by < 0) { 1 } else { -1 };
    Some(quotient + if up { away } else { 0 })
}
