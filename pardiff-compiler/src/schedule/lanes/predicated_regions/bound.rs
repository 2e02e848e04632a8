//! Conditions on a root as conditions on the square.
//!
//! ```text
//! sqrt(q) - c < u        q <= (max(c + u, 0) rounded up) squared, rounded up
//! ```
//!
//! *Legality.* Every float operation gives the neighbour of the exact result, and so does not fall where its operands
//! rise. Where `r - c` as computed is at most `u`, the exact difference is below the next float above `u`, so that `r` is
//! below the sum of `c` and `u` up to a relative error of both that is far smaller than what the limit is rounded up by;
//! differences in the range of subnormal numbers are exact. Where the root as computed is at most the limit, so is the
//! exact one up to half a unit, and the square is at most the square of the limit up to a few; the smallest normal number
//! is added for what underflows. A condition that fails for NaN takes no notice of a limit that is NaN, and fails for a
//! square that is NaN; one that holds for NaN (the negation of one that fails) holds for every square if a limit is NaN,
//! and for every square that has no root.

use crate::ir::LoopFacts;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, Float, Func, Program, Ty, UnOp};
use std::collections::HashMap;

/// A condition that fails where a square is larger than the square of a limit.
#[derive(PartialEq)]
pub(super) struct Far {
    pub(super) square: Expr,
    /// The limit of its root.
    pub(super) limit: Expr,
    /// Whether the condition is the negation of one that fails for NaN.
    pub(super) negated: bool,
}

/// The values of locals that are assigned once, in the list of a loop's body.
pub(super) struct Definitions<'a> {
    program: &'a Program,
    inside: &'a LoopFacts,
    values: HashMap<BufferId, &'a Expr>,
}

impl<'a> Definitions<'a> {
    pub(super) fn of(program: &'a Program, inside: &'a LoopFacts, list: &'a Block) -> Definitions<'a> {
        let mut values = HashMap::new();
        for stmt in list {
            if let Some((target, value)) = stmt.as_assign()
                && target.index.is_empty()
                && inside.is_written_once(target.buffer)
            {
                values.insert(target.buffer, value);
            }
        }
        Definitions { program, inside, values }
    }

    /// The value of a local, if that is what the expression is.
    fn open<'e>(&self, mut expr: &'e Expr) -> &'e Expr
    where
        'a: 'e,
    {
        while let ExprKind::Load(place) = &expr.kind
            && place.index.is_empty()
            && let Some(value) = self.values.get(&place.buffer)
        {
            expr = value;
        }
        expr
    }

    /// The condition as conditions on squares, one of which holds wherever it does.
    pub(super) fn far(&self, test: &Expr) -> Option<Vec<Far>> {
        self.condition(test, false)
    }

    fn condition(&self, test: &Expr, negated: bool) -> Option<Vec<Far>> {
        let test = self.open(test);
        match &test.kind {
            ExprKind::Unary(UnOp::Not, operand) => self.condition(operand, !negated),
            ExprKind::Binary(op @ (BinOp::BitOr | BinOp::BitAnd), a, b) if test.ty == Ty::Bool => {
                let (a, b) = (self.condition(a, negated), self.condition(b, negated));
                // of a conjunction one part is enough
                if (*op == BinOp::BitAnd) != negated {
                    return a.or(b);
                }
                let mut all = a?;
                all.extend(b?);
                Some(all)
            }
            ExprKind::Binary(op, a, b) => {
                let (root, limit) = match (op, negated) {
                    (BinOp::Lt | BinOp::Le, false) | (BinOp::Gt | BinOp::Ge, true) => (a, b),
                    (BinOp::Gt | BinOp::Ge, false) | (BinOp::Lt | BinOp::Le, true) => (b, a),
                    _ => return None,
                };
                let (square, limit) = self.root(root, (**limit).clone())?;
                Some(vec![Far { square, limit, negated }])
            }
            _ => None,
        }
    }

    /// The square of which a float is the root, but for uniform terms; and the limit of the root.
    fn root(&self, root: &Expr, mut limit: Expr) -> Option<(Expr, Expr)> {
        let uniform = |expr: &Expr| self.inside.is_invariant(self.program, expr);
        if !matches!(limit.ty, Ty::Float(_)) || !uniform(&limit) {
            return None;
        }
        let mut root = self.open(root);
        loop {
            match &root.kind {
                ExprKind::Call(Func::Sqrt, _, args) if self.is_fixed(&args[0]) => {
                    return Some((args[0].clone(), limit));
                }
                ExprKind::Binary(BinOp::Sub, inner, by) if uniform(by) => {
                    limit = raised((**by).clone(), limit);
                    root = self.open(inner);
                }
                ExprKind::Binary(BinOp::Add, a, b) if uniform(a) || uniform(b) => {
                    let (by, inner) = if uniform(a) { (a, b) } else { (b, a) };
                    limit = raised(-(**by).clone(), limit);
                    root = self.open(inner);
                }
                _ => return None,
            }
        }
    }

    /// Whether the value is the same wherever it is computed in an iteration.
    fn is_fixed(&self, expr: &Expr) -> bool {
        let mut fixed = expr.is_total() && !expr.mentions_any(&self.inside.iters[1..]);
        expr.reads(self.program, &mut |buffer| {
            fixed &= self.values.contains_key(&buffer) || !self.inside.written.contains(buffer);
        });
        fixed
    }
}

/// A number of units in the last place, as part of the value.
fn slack(ty: Ty) -> f64 {
    if ty == Ty::Float(Float::F32) { 2f64.powi(-20) } else { 2f64.powi(-49) }
}

/// The limit of a value whose difference to `by` has the limit `of`: their sum, larger by some units in the last place of
/// it and of `of`. A difference is below zero, or zero, exactly where it is so when computed.
fn raised(by: Expr, of: Expr) -> Expr {
    if of.kind == ExprKind::Float(0.0) {
        return by;
    }
    let ty = by.ty;
    let part = |of: Expr| Expr::call(ty, Func::Abs, vec![of]) * Expr::float(ty, slack(ty));
    let sum = by + of.clone();
    sum.clone() + (part(sum) + part(of))
}

/// The square of a limit, larger by some units in the last place; of a negative limit, which no root is below, a number
/// below every square, or zero where squares without a root count.
pub(super) fn squared(limit: Expr, rootless: bool) -> Expr {
    let ty = limit.ty;
    let number = |value| Expr::float(ty, value);
    let least = if ty == Ty::Float(Float::F32) { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let none = if rootless { 0.0 } else { -1.0 };
    let square = limit.clone() * limit.clone() * number(1.0 + 4.0 * slack(ty)) + number(least);
    Expr::select(limit.below(number(0.0)), number(none), square)
}
