//! Accumulations of one adjoint times several partial derivatives are one, of it times their sum.
//!
//! ```text
//! d_s += t * s * 2.0                            d_s += t * (s * 2.0 + u - 1.0)
//! d_s += t * u                 =>
//! d_s += -t
//! ```
//!
//! ```text
//! t = d_c * s                                   d_s += d_c * (s * s * 3.0)
//! d_s += t * 2.0 * s           =>
//! d_s += d_c * (s * s)
//! ```
//!
//! What is computed in the order of the source goes through every product and every sum in the order of the reversal; the
//! partial derivatives do not wait for the adjoint.
//!
//! *Legality.* The accumulations follow each other, so nothing is written in between but the sum itself, which none of them
//! reads. As products and sums of them are made in another order, they are rounded otherwise, so not under `strict`. A
//! temporary that is taken apart is assigned directly before them, and read nowhere else.

use super::is_local_adjoint;
use super::reassociate_adjoints::Uses;
use crate::ir::Update;
use crate::ir::{BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Place, Program, Stmt, Ty, UnOp};

/// Adds partial derivatives before they are multiplied by an adjoint.
pub(super) fn add_partials(program: &Program, uses: &Uses, body: &mut Block) {
    let mut adjoints = BufferSet::new();
    for buffer in program.buffer_ids() {
        if program.is_derivative(buffer) {
            adjoints.insert(buffer);
        }
    }
    crate::ir::walk(body, &mut |stmt| {
        if let Some((target, value)) = stmt.as_assign()
            && stmt.origin.phase.is_derived()
            && value.reads_any(program, &adjoints)
        {
            adjoints.insert(target.buffer);
        }
    });
    Partials { program, uses, adjoints }.in_list(body);
}

struct Partials<'p> {
    program: &'p Program,
    uses: &'p Uses,
    /// Adjoints, and what is computed from them.
    adjoints: BufferSet,
}

/// A product of factors, or its negative.
#[derive(Clone)]
struct Product {
    negative: bool,
    factors: Vec<Expr>,
}

impl Product {
    fn of(value: &Expr) -> Product {
        let mut product = Product { negative: false, factors: Vec::new() };
        product.take(value);
        product
    }

    fn take(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Unary(UnOp::Neg, of) => {
                self.negative = !self.negative;
                self.take(of);
            }
            ExprKind::Binary(BinOp::Mul, a, b) => [a, b].into_iter().for_each(|factor| self.take(factor)),
            _ => self.factors.push(value.clone()),
        }
    }

    /// With the factors of a temporary's value in its place, if it is a factor.
    fn without(&self, temporary: BufferId, value: &Product) -> Product {
        let mut product = Product { negative: self.negative, factors: Vec::new() };
        for factor in &self.factors {
            if scalar(factor) == Some(temporary) {
                product.negative ^= value.negative;
                product.factors.extend(value.factors.iter().cloned());
            } else {
                product.factors.push(factor.clone());
            }
        }
        product
    }

    /// The product of its factors, without the sign.
    fn size(&self, one: &Expr) -> Expr {
        self.factors.iter().cloned().reduce(|a, b| a * b).unwrap_or_else(|| one.clone())
    }
}

fn scalar(factor: &Expr) -> Option<BufferId> {
    match &factor.kind {
        ExprKind::Load(place) if place.index.is_empty() => Some(place.buffer),
        _ => None,
    }
}

impl Partials<'_> {
    fn in_list(&self, list: &mut Block) {
        let mut at = 0;
        while at < list.len() {
            list[at].blocks_mut().into_iter().for_each(|inner| self.in_list(inner));
            let end = at + 1 + self.accumulations(&list[at..]);
            if end - at > 1 && self.join(list, at, end) {
                continue;
            }
            at += 1;
        }
    }

    /// Makes one of the accumulations from `at` on; whether there is a statement less in front of what is behind the first.
    fn join(&self, list: &mut Block, at: usize, end: usize) -> bool {
        let temporary = at.checked_sub(1).and_then(|before| self.temporary(&list[before], &list[at..end]));
        let apart = temporary.and_then(|(scalar, value)| self.joined(&list[at..end], Some((scalar, &value))));
        let is_apart = apart.is_some();
        let Some(joined) = apart.or_else(|| self.joined(&list[at..end], None)) else { return false };
        if let Some((_, value)) = list[at].as_store_mut() {
            *value = joined;
        }
        list.drain(at + 1..end);
        if is_apart {
            list.remove(at - 1);
        }
        is_apart
    }

    /// How many statements behind the first one accumulate in what that accumulates in, a scalar.
    fn accumulations(&self, list: &[Stmt]) -> usize {
        let Some(place) = self.target(&list[0], true) else { return 0 };
        list[1..].iter().take_while(|stmt| self.target(stmt, false) == Some(place)).count()
    }

    /// The local adjoint that a statement adds a product to, or assigns to.
    fn target<'s>(&self, stmt: &'s Stmt, assigned: bool) -> Option<&'s Place> {
        let (target, value) = match stmt.as_sum() {
            Some(Update { target, value, .. }) => (target, value),
            None => stmt.as_assign().filter(|_| assigned)?,
        };
        let reads = value.reads_buffer(self.program, target.buffer);
        (is_local_adjoint(self.program, target) && !reads).then_some(target)
    }

    /// The temporary that a statement assigns for the accumulations alone, which read it as a factor, and its value.
    fn temporary(&self, stmt: &Stmt, accumulations: &[Stmt]) -> Option<(BufferId, Product)> {
        let (target, value) = stmt.as_assign()?;
        let times = |stmt: &Stmt| {
            let product = Product::of(stmt.as_store()?.1);
            Some(product.factors.iter().filter(|factor| scalar(factor) == Some(target.buffer)).count())
        };
        let read: usize = accumulations.iter().filter_map(times).sum();
        let alone =
            self.uses.writes_of(target.buffer) == 1 && self.uses.reads_of(target.buffer) == read as u32;
        let local = target.index.is_empty() && !self.program.results.contains(&target.buffer);
        // a sum does not read what it adds to
        let into = self.target(accumulations.first()?, true)?.buffer;
        let again = value.reads_buffer(self.program, into);
        let product = Product::of(value);
        (alone && local && !again && read > 0 && product.factors.len() > 1)
            .then_some((target.buffer, product))
    }

    /// The accumulations as one, if they have an adjoint in common and nothing else depends on adjoints.
    fn joined(&self, accumulations: &[Stmt], temporary: Option<(BufferId, &Product)>) -> Option<Expr> {
        let mut products = Vec::with_capacity(accumulations.len());
        for stmt in accumulations {
            let product = Product::of(stmt.as_store()?.1);
            products.push(match temporary {
                Some((scalar, value)) => product.without(scalar, value),
                None => product,
            });
        }
        let (first, others) = products.split_first_mut()?;
        let mut common: Vec<Expr> = Vec::new();
        let mut own = Vec::new();
        for factor in first.factors.drain(..) {
            let found: Option<Vec<usize>> =
                others.iter().map(|other| other.factors.iter().position(|it| *it == factor)).collect();
            match found {
                Some(found) => {
                    for (other, at) in others.iter_mut().zip(found) {
                        other.factors.remove(at);
                    }
                    common.push(factor);
                }
                None => own.push(factor),
            }
        }
        first.factors = own;
        let is_adjoint = |factor: &Expr| factor.reads_any(self.program, &self.adjoints);
        if !common.iter().any(is_adjoint)
            || products.iter().any(|product| product.factors.iter().any(is_adjoint))
        {
            return None;
        }
        let one = Expr::float(common.first()?.ty, 1.0);
        let sum = products.iter().fold(None, |sum, product| {
            let size = product.size(&one);
            Some(match (sum, product.negative) {
                (None, false) => size,
                (None, true) => -size,
                (Some(sum), false) => sum_of_numbers(&sum, &size).unwrap_or_else(|| sum + size),
                (Some(sum), true) => sum - size,
            })
        })?;
        let (adjoints, mut partials): (Vec<Expr>, Vec<Expr>) = common.into_iter().partition(is_adjoint);
        partials.push(sum);
        let product = |factors: Vec<Expr>| factors.into_iter().reduce(|a, b| a * b);
        let (adjoint, partial) = (product(adjoints)?, product(without_numbers(partials)));
        Some(partial.map_or(adjoint.clone(), |partial| adjoint * partial))
    }
}

fn rounded(ty: Ty, value: f64) -> Expr {
    Expr::float(ty, if ty == Ty::F32 { f64::from(value as f32) } else { value })
}

/// The factors with one number among them, the last one, if it is not one.
fn without_numbers(factors: Vec<Expr>) -> Vec<Expr> {
    let mut number = 1.0;
    let mut ty = None;
    let mut kept = Vec::with_capacity(factors.len());
    for factor in factors {
        match factor.kind {
            ExprKind::Float(value) => (number, ty) = (number * value, Some(factor.ty)),
            _ => kept.push(factor),
        }
    }
    kept.extend(ty.filter(|_| number != 1.0).map(|ty| rounded(ty, number)));
    kept
}

/// The sum of two numbers.
fn sum_of_numbers(a: &Expr, b: &Expr) -> Option<Expr> {
    match (&a.kind, &b.kind) {
        (ExprKind::Float(x), ExprKind::Float(y)) => Some(rounded(a.ty, x + y)),
        _ => None,
    }
}
