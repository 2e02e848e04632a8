//! What is known when tapes open: the lengths that they are given, evaluated in front of the loops that fill them.

use super::reverse_stmt::Sweep;
use super::tape_layout::trip_count;
use crate::ir::{BinOp, Expr, ExprKind, For, Func, Place, Stmt, StmtKind, Ty};

impl Sweep<'_> {
    /// The trip count of a loop, or that of the [longest](Sweep::longest) one, as an expression that is right, and
    /// cannot panic, when the tapes of the current statement of the region open. Under a condition only a constant count
    /// is, or in a marked loop one made of lengths: another may be too large for a tape, where the condition does not
    /// hold.
    ///
    /// The bounds of a loop at the level of the region are evaluated right where its tapes open, so there they may read
    /// arrays that never change: their checks stand before the loop.
    pub(super) fn trip_when_opening(&self, stmt: &Stmt, looped: &For) -> Option<Expr> {
        let unconditional = !self.is_conditional(stmt);
        let here = self.region.loops.is_empty() && unconditional;
        let [lo, hi, step] = looped.bounds().map(|bound| self.opening(bound, here));
        let (Some(lo), Some(hi), Some(step)) = (lo, hi, step) else {
            return self.longest(looped).filter(|_| unconditional);
        };
        let bounds = [&lo, &hi, &step];
        let fixed = bounds.iter().all(|bound| self.is_fixed(bound));
        // in a segment each step has its slots, also for a loop that the step does not run
        let in_segments = || self.structure.ancestors(stmt).any(|outer| outer.checkpoint().is_some());
        let of_lengths = || bounds.iter().all(|bound| is_length(bound)) && in_segments();
        (fixed || unconditional || of_lengths()).then(|| trip_count(looped, lo, hi, step))
    }

    /// The most iterations that a loop over a chunk has, or one that begins at one of a few numbers.
    pub(super) fn longest(&self, looped: &For) -> Option<Expr> {
        self.longest_chunk(looped).or_else(|| self.longest_staggered(looped))
    }

    /// Whether a bound is a constant: a number, or a path of the user's that an array is as long as, such as a const generic.
    /// What is no extent may be any number, which stands for no end.
    fn is_fixed(&self, bound: &Expr) -> bool {
        match bound.kind {
            ExprKind::Int(_) => true,
            ExprKind::Opaque(_) => self.primal.buffers.iter().any(|array| array.dims.contains(bound)),
            _ => false,
        }
    }

    /// Whether `stmt` may be passed over in an iteration of the loop around it, or in the call if there is none: in more
    /// than the one iteration that ends the loop. A loop with a `break` is one whose tapes grow by what its iterations
    /// write, so the last one, if it writes nothing, takes nothing.
    pub(super) fn is_conditional(&self, stmt: &Stmt) -> bool {
        let mut around = self.structure.ancestors(stmt).take_while(|outer| !outer.is_loop());
        around.any(|outer| {
            !matches!(outer.kind, StmtKind::Scope { .. } | StmtKind::Fork { .. })
                && !self.is_branch(outer)
                && !self.structure.passes_over_last(outer, stmt)
        })
    }

    /// `expr` as it will be, evaluated when the tapes of the current statement of the region open: made of what does
    /// not change from there on. Sums and products saturate, so that a bound that the primal would not have reached
    /// cannot panic; where the primal's own arithmetic is in range the value is the same.
    pub(super) fn when_opening(&self, expr: &Expr) -> Option<Expr> {
        self.opening(expr, false)
    }

    /// The same; `here` says that the program itself evaluates the expression there.
    fn opening(&self, expr: &Expr, here: bool) -> Option<Expr> {
        let operand = |expr: &Expr| self.opening(expr, here);
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Opaque(_) => Some(expr.clone()),
            // an iterator around the region
            ExprKind::Iter(iter) if self.region.loops.iter().all(|names| names.looped.iter != *iter) => {
                Some(expr.clone())
            }
            ExprKind::Extent(buffer, dim) => match self.lives_around(*buffer) {
                true => Some(self.primal.extent(*buffer, *dim)),
                false => match &self.primal[*buffer].dims[*dim] {
                    dims if dims.kind == expr.kind => None,
                    dims => operand(dims),
                },
            },
            ExprKind::Load(place) if place.index.is_empty() => {
                let is_fixed = self.region.root.is_some() && self.lives_around(place.buffer);
                if self.structure.is_constant(place.buffer) || is_fixed && !self.is_written_here(place.buffer)
                {
                    return Some(expr.clone());
                }
                let definition = self.structure.single_definition(place.buffer)?;
                let known = self.structure.order(definition) < self.region.horizon;
                if known && self.lives_here(place.buffer) {
                    return Some(expr.clone());
                }
                self.opening(definition.as_assign()?.1, false)
            }
            ExprKind::Load(place) if here && self.structure.is_constant(place.buffer) => {
                let index = place.index.iter().map(operand).collect::<Option<Vec<_>>>()?;
                Some(Place::new(place.buffer, index).load(expr.ty))
            }
            ExprKind::Binary(op, lhs, rhs) if expr.ty.is_int() => {
                let (lhs, rhs) = (operand(lhs)?, operand(rhs)?);
                let saturating = match op {
                    BinOp::Add => Func::SaturatingAdd,
                    BinOp::Sub => Func::SaturatingSub,
                    BinOp::Mul => Func::SaturatingMul,
                    BinOp::Div | BinOp::Rem if matches!(rhs.kind, ExprKind::Int(divisor) if divisor > 0) => {
                        return Some(Expr::binary(*op, lhs, rhs));
                    }
                    // by zero the primal does not divide either
                    BinOp::Div if matches!(expr.ty, Ty::Int(int) if !int.is_signed()) => {
                        let divisor = Expr::call(expr.ty, Func::IntMax, vec![rhs, Expr::int(expr.ty, 1)]);
                        return Some(Expr::binary(*op, lhs, divisor));
                    }
                    _ => return None,
                };
                Some(Expr::call(expr.ty, saturating, vec![lhs, rhs]))
            }
            ExprKind::Call(func, _, args) if expr.ty.is_int() && func.is_total() => {
                let args = args.iter().map(operand).collect::<Option<Vec<_>>>()?;
                Some(Expr::call(expr.ty, *func, args))
            }
            ExprKind::Cast(inner) if inner.ty.is_int() => Some(operand(inner)?.cast(expr.ty)),
            _ => None,
        }
    }

    /// Whether the value of `expr` cannot change while a loop that it bounds runs.
    pub(super) fn is_stable(&self, expr: &Expr) -> bool {
        expr.all(&mut |part| match &part.kind {
            ExprKind::Load(place) => {
                self.structure.is_constant(place.buffer)
                    || self.structure.single_definition(place.buffer).is_some()
            }
            ExprKind::Extent(buffer, _) => self.lives_around(*buffer),
            ExprKind::Binary(op, ..) => matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul),
            _ => true,
        })
    }
}

/// Whether a bound is made of numbers and of lengths of arrays, which are no larger than memory.
fn is_length(bound: &Expr) -> bool {
    bound.all(&mut |part| {
        matches!(part.kind, ExprKind::Int(_) | ExprKind::Extent(..))
            || matches!(part.kind, ExprKind::Binary(BinOp::Add | BinOp::Sub, ..))
            || matches!(part.kind, ExprKind::Call(Func::SaturatingAdd | Func::SaturatingSub, ..))
    })
}
