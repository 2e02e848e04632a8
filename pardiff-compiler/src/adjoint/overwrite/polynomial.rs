//! Sums of products, by which two formulas of an index are compared.

use crate::ir::{BinOp, BufferId, Expr, ExprKind, IterId, Place, Program, Role};
use std::collections::BTreeMap;

/// A sum of products of iterators, scalar parameters and lengths, over the integers.
#[derive(Clone, PartialEq)]
pub(super) struct Polynomial(BTreeMap<Vec<Factor>, i128>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Factor {
    Iter(IterId),
    Scalar(BufferId),
    Extent(BufferId, usize),
}

impl Polynomial {
    pub(super) fn of(program: &Program, expr: &Expr) -> Option<Polynomial> {
        let factor = |factor| Some(Polynomial(BTreeMap::from([(vec![factor], 1)])));
        match &expr.kind {
            ExprKind::Int(0) => Some(Polynomial(BTreeMap::new())),
            ExprKind::Int(number) => Some(Polynomial(BTreeMap::from([(Vec::new(), *number)]))),
            ExprKind::Iter(iter) => factor(Factor::Iter(*iter)),
            ExprKind::Extent(buffer, dim) if program.params.contains(buffer) => {
                factor(Factor::Extent(*buffer, *dim))
            }
            ExprKind::Load(Place { buffer, index })
                if index.is_empty()
                    && program[*buffer].role == Role::Input
                    && program.params.contains(buffer) =>
            {
                factor(Factor::Scalar(*buffer))
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), lhs, rhs) => {
                let (lhs, rhs) = (Polynomial::of(program, lhs)?, Polynomial::of(program, rhs)?);
                match op {
                    BinOp::Add => lhs.plus(&rhs, 1),
                    BinOp::Sub => lhs.plus(&rhs, -1),
                    _ => lhs.times(&rhs),
                }
            }
            _ => None,
        }
    }

    pub(super) fn plus(mut self, other: &Polynomial, scale: i128) -> Option<Polynomial> {
        for (factors, number) in &other.0 {
            let sum = self.0.entry(factors.clone()).or_default();
            *sum = sum.checked_add(number.checked_mul(scale)?)?;
        }
        self.0.retain(|_, number| *number != 0);
        Some(self)
    }

    pub(super) fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product = Polynomial(BTreeMap::new());
        for (a, first) in &self.0 {
            for (b, second) in &other.0 {
                let mut factors: Vec<Factor> = a.iter().chain(b).copied().collect();
                factors.sort_unstable();
                let term = Polynomial(BTreeMap::from([(factors, first.checked_mul(*second)?)]));
                product = product.plus(&term, 1)?;
            }
        }
        Some(product)
    }
}
