//! The greatest value that an index has in a loop, as an expression in front of the loop.

use crate::ir::{BinOp, BufferSet, Expr, ExprKind, For, Func, IterId, Program, Ty};

/// What hoisting asks of a loop.
pub(super) struct Counted {
    iter: IterId,
    lo: Expr,
    hi: Expr,
    inclusive: bool,
    /// What the body writes, or declares.
    changed: BufferSet,
}

impl Counted {
    /// Of a loop over `usize`s by one, whose body writes or declares `changed`; `None` for others.
    pub(super) fn new(of: &For, changed: BufferSet) -> Option<Counted> {
        let unit = of.step.kind == ExprKind::Int(1) && of.lo.ty == Ty::USIZE;
        let (hi, inclusive) = match &of.hi.kind {
            ExprKind::Call(Func::SaturatingAdd, _, parts) if parts[1] == Expr::usize(1) => (&parts[0], true),
            _ => (&of.hi, of.inclusive),
        };
        let (iter, lo, hi) = (of.iter, of.lo.clone(), hi.clone());
        unit.then_some(Counted { iter, lo, hi, inclusive, changed })
    }

    /// Whether the loop has an iteration: a condition, or the answer.
    pub(super) fn runs(&self) -> Result<Expr, bool> {
        let op = if self.inclusive { BinOp::Le } else { BinOp::Lt };
        match (&self.lo.kind, &self.hi.kind) {
            (ExprKind::Int(lo), ExprKind::Int(hi)) => Err(if self.inclusive { lo <= hi } else { lo < hi }),
            (ExprKind::Int(0), _) if self.inclusive => Err(true),
            _ => Ok(Expr::binary(op, self.lo.clone(), self.hi.clone())),
        }
    }

    /// Whether the condition that the loop has an iteration, and its last value, can be evaluated in front of it
    /// without reading an element of an array.
    pub(super) fn has_plain_bounds(&self, program: &Program) -> bool {
        [&self.lo, &self.hi].into_iter().all(|bound| is_plain(bound, program))
    }

    /// Whether an expression has one value in all iterations, and in front of the loop.
    pub(super) fn is_invariant(&self, expr: &Expr, program: &Program) -> bool {
        is_plain(expr, program) && !expr.mentions(self.iter) && !expr.names_any(&self.changed)
    }

    /// The greatest value that an index has in the iterations of the loop, if it has one; where that does not fit,
    /// the largest `usize`.
    pub(super) fn greatest(&self, index: &Expr, program: &Program) -> Option<Expr> {
        if self.is_invariant(index, program) {
            return Some(index.clone());
        }
        let both = |func: Func, a: &Expr, b: &Expr| {
            let (a, b) = (self.greatest(a, program)?, self.greatest(b, program)?);
            Some(Expr::call(Ty::USIZE, func, vec![a, b]))
        };
        match &index.kind {
            ExprKind::Iter(iter) if *iter == self.iter => Some(self.last()),
            ExprKind::Binary(BinOp::Add, a, b) if index.ty == Ty::USIZE => both(Func::SaturatingAdd, a, b),
            ExprKind::Binary(BinOp::Mul, a, b) if index.ty == Ty::USIZE => both(Func::SaturatingMul, a, b),
            ExprKind::Call(func @ (Func::SaturatingAdd | Func::SaturatingMul), _, args) => match &args[..] {
                [a, b] if index.ty == Ty::USIZE => both(*func, a, b),
                _ => None,
            },
            // no value of the iterator is below `lo`
            ExprKind::Binary(BinOp::Sub, a, b) if a.kind == ExprKind::Iter(self.iter) && **b == self.lo => {
                let first = self.is_invariant(b, program);
                first.then(|| saturating_sub(self.last(), (**b).clone()))
            }
            _ => None,
        }
    }

    /// The last value, of a loop that has an iteration.
    fn last(&self) -> Expr {
        if self.inclusive { self.hi.clone() } else { saturating_sub(self.hi.clone(), Expr::usize(1)) }
    }

    /// Whether the check says no more than the bounds of the loop do.
    pub(super) fn says(&self, index: &Expr, len: &Expr, program: &Program) -> bool {
        let own = index.kind == ExprKind::Iter(self.iter) && !self.inclusive;
        own && *len == self.hi && self.is_invariant(len, program)
    }
}

fn saturating_sub(a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (_, ExprKind::Int(0)) => a,
        (ExprKind::Int(a), ExprKind::Int(b)) => Expr::int(Ty::USIZE, (a - b).max(0)),
        _ => Expr::call(Ty::USIZE, Func::SaturatingSub, vec![a, b]),
    }
}

/// Whether an expression reads nothing but scalars and extents that do not grow.
pub(super) fn is_plain(expr: &Expr, program: &Program) -> bool {
    expr.all(&mut |expr| match &expr.kind {
        ExprKind::Load(place) => place.index.is_empty(),
        ExprKind::Extent(buffer, _) => !program[*buffer].layout.grows(),
        _ => true,
    })
}
