//! What the increments of a counter add up to over a loop nest. [`super::counters`] says what is legal and why.

use super::induction_variables::increment;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Func, Int, IterId, Order, Place, Program, Stmt,
    StmtKind, Ty, written,
};

/// A loop around the statement at hand.
pub(super) struct Around {
    iter: IterId,
    hi: Expr,
    inclusive: bool,
    written: BufferSet,
}

impl Around {
    pub(super) fn new(each: &For) -> Around {
        Around {
            iter: each.iter,
            hi: each.hi.clone(),
            inclusive: each.inclusive,
            written: written(&each.body),
        }
    }
}

/// A loop nest over which a counter is closed.
pub(super) struct Nest<'a> {
    program: &'a Program,
    counter: BufferId,
    ty: Ty,
    around: &'a [Around],
    /// What the nest writes or declares.
    changed: BufferSet,
    /// Whether the counter is known to stay below the length of an array: triangular numbers are exact.
    in_range: bool,
}

/// What one execution of a statement adds.
#[derive(Clone)]
enum Step {
    /// The same in every iteration of the loops that the expression does not mention.
    Fixed(Expr),
    /// `unit * (iter + plus)`
    Rising { unit: Expr, iter: IterId, plus: bool },
    /// `unit * (end - iter)`, or `unit * (end - (iter + 1))`
    Falling { unit: Expr, end: Expr, iter: IterId, less: bool },
}

impl<'a> Nest<'a> {
    pub(super) fn new(
        program: &'a Program,
        counter: BufferId,
        around: &'a [Around],
        outermost: &For,
        in_range: bool,
    ) -> Nest<'a> {
        let mut changed = written(&outermost.body);
        for stmt in &outermost.body {
            stmt.walk(&mut |stmt| {
                if let Some((buffers, _)) = stmt.as_scope() {
                    buffers.iter().for_each(|&buffer| {
                        changed.insert(buffer);
                    });
                }
            });
        }
        Nest { program, counter, ty: program[counter].elem, around, changed, in_range }
    }

    /// The counter's type.
    pub(super) fn ty(&self) -> Ty {
        self.ty
    }

    /// What the whole loop adds; `None` where there is no closed form.
    pub(super) fn total(&self, each: &For) -> Option<Expr> {
        let mut inner = Vec::new();
        let steps = self.loop_steps(each, &mut inner)?;
        let steps = steps.iter().map(|step| self.value(step));
        Some(plus(self.ty, steps))
    }

    /// Replaces every read of the counter in the loop, `start` being its value at entry, and drops the increments.
    /// The nest has a [`total`](Self::total).
    pub(super) fn rewrite(&self, each: &mut For, start: &Expr) {
        self.rewrite_loop(each, &mut vec![start.clone()], &mut Vec::new());
    }

    /// What the loop adds. `inner` holds the loops of the nest around it.
    fn loop_steps(&self, each: &For, inner: &mut Vec<Around>) -> Option<Vec<Step>> {
        let body = self.body_steps(each, inner)?;
        if body.is_empty() {
            return Some(body);
        }
        self.position(each)?;
        body.into_iter().map(|step| self.over_loop(step, each, inner)).collect()
    }

    /// What one iteration adds.
    fn body_steps(&self, each: &For, inner: &mut Vec<Around>) -> Option<Vec<Step>> {
        inner.push(Around::new(each));
        let steps = self.block_steps(&each.body, inner);
        inner.pop();
        steps
    }

    fn block_steps(&self, block: &Block, inner: &mut Vec<Around>) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for stmt in block {
            let mut writes = false;
            stmt.writes(&mut |buffer| writes |= buffer == self.counter);
            match &stmt.kind {
                _ if !writes => {}
                StmtKind::Assign { .. } => {
                    let by = increment(stmt, self.counter)?;
                    let positive = !self.is_signed() || matches!(by.kind, ExprKind::Int(1..));
                    if !positive || by.ty != self.ty || !self.is_invariant(by) {
                        return None;
                    }
                    steps.push(Step::Fixed(by.clone()));
                }
                StmtKind::For(each) => steps.extend(self.loop_steps(each, inner)?),
                StmtKind::Scope { body, .. } => steps.extend(self.block_steps(body, inner)?),
                _ => return None,
            }
        }
        Some(steps)
    }

    /// The sum of `step` over the iterations of a loop.
    fn over_loop(&self, step: Step, each: &For, inner: &[Around]) -> Option<Step> {
        if step.iter() == Some(each.iter) {
            let first = self.triangle_start(each)?;
            if each.inclusive {
                return None;
            }
            let end = if first == 0 {
                each.hi.clone()
            } else {
                Expr::call(self.ty, Func::IntMax, vec![each.hi.clone(), Expr::int(self.ty, first)])
            };
            return Some(Step::Fixed(self.triangle(&step, first, end)));
        }
        let trip = self.trip(each, inner)?;
        match (step, trip) {
            (Step::Fixed(unit), _) if unit.mentions(each.iter) => None,
            (Step::Fixed(unit), Step::Fixed(trip)) => Some(Step::Fixed(times(trip, unit))),
            (Step::Fixed(unit), Step::Rising { iter, plus, .. }) => {
                (!unit.mentions(iter)).then_some(Step::Rising { unit, iter, plus })
            }
            (Step::Fixed(unit), Step::Falling { end, iter, less, .. }) => {
                (!unit.mentions(iter)).then_some(Step::Falling { unit, end, iter, less })
            }
            (Step::Rising { unit, iter, plus }, Step::Fixed(trip)) if !trip.mentions(iter) => {
                Some(Step::Rising { unit: times(unit, trip), iter, plus })
            }
            (Step::Falling { unit, end, iter, less }, Step::Fixed(trip)) if !trip.mentions(iter) => {
                Some(Step::Falling { unit: times(unit, trip), end, iter, less })
            }
            _ => None,
        }
    }

    /// The sum of `step` over the iterations of a loop before the current one.
    fn before(&self, step: &Step, each: &For) -> Option<Expr> {
        if step.iter() == Some(each.iter) {
            let first = self.triangle_start(each)?;
            return Some(self.triangle(step, first, Expr::iter(each.iter, self.ty)));
        }
        Some(times(self.position(each)?, self.value(step)))
    }

    /// The first value of a loop over which a triangle may be summed.
    fn triangle_start(&self, each: &For) -> Option<i128> {
        match each.lo.kind {
            ExprKind::Int(first)
                if (0..1 << 20).contains(&first) && each.order == Order::Up && is_one(&each.step) =>
            {
                self.in_range.then_some(first)
            }
            _ => None,
        }
    }

    /// The sum of `step` over the values `first..end` of its iterator.
    fn triangle(&self, step: &Step, first: i128, end: Expr) -> Expr {
        let int = |value| Expr::int(self.ty, value);
        // the sum over 0..end of iter (+ 1), less the part below `first`
        let half = |one_more: bool| {
            let square = times(end.clone(), end.clone());
            let op = if one_more { BinOp::Add } else { BinOp::Sub };
            let twice = Expr::binary(op, square, end.clone());
            let below = if one_more { first * first + first } else { first * first - first } / 2;
            minus(Expr::binary(BinOp::Div, twice, int(2)), int(below))
        };
        match step {
            Step::Fixed(unit) => times(minus(end, int(first)), unit.clone()),
            Step::Rising { unit, plus, .. } => times(unit.clone(), half(*plus)),
            Step::Falling { unit, end: last, less, .. } => {
                let rectangle = times(minus(end.clone(), int(first)), last.clone());
                times(unit.clone(), minus(rectangle, half(*less)))
            }
        }
    }

    /// How often a loop iterates.
    fn trip(&self, each: &For, inner: &[Around]) -> Option<Step> {
        let unit = || Expr::int(self.ty, 1);
        let (lo, hi) = (&each.lo, &each.hi);
        if !is_one(&each.step) {
            let is_usize = self.ty == Ty::USIZE && !each.inclusive;
            let args = vec![lo.clone(), hi.clone(), each.step.clone()];
            return is_usize.then(|| Step::Fixed(Expr::call(self.ty, Func::TripCount, args)));
        }
        if let (ExprKind::Int(lo), ExprKind::Int(hi)) = (&lo.kind, &hi.kind) {
            let trip = (hi - lo + i128::from(each.inclusive)).max(0);
            let fits = matches!(self.ty, Ty::Int(int) if int.max().is_some_and(|max| trip <= max));
            return fits.then(|| Step::Fixed(Expr::int(self.ty, trip)));
        }
        if lo.kind == ExprKind::Int(0) && !self.is_signed() {
            let plus = each.inclusive;
            if plus && !matches!(self.ty, Ty::Int(Int::Usize | Int::U64)) {
                return None;
            }
            return Some(match (&hi.kind, successor(hi)) {
                (ExprKind::Iter(iter), _) if is_around(*iter, inner) => {
                    Step::Rising { unit: unit(), iter: *iter, plus }
                }
                (_, Some(iter)) if !plus && is_around(iter, inner) => {
                    Step::Rising { unit: unit(), iter, plus: true }
                }
                _ if plus => Step::Fixed(Expr::binary(BinOp::Add, hi.clone(), unit())),
                _ => Step::Fixed(hi.clone()),
            });
        }
        if each.inclusive || self.is_signed() {
            return None;
        }
        let (iter, less) = match (&lo.kind, successor(lo)) {
            (ExprKind::Iter(iter), _) => (Some(*iter), false),
            (_, iter) => (iter, true),
        };
        if let Some(iter) = iter {
            // inside `for iter in …..hi` there is at least one value from iter to hi
            let bounds = |around: &Around| {
                around.iter == iter
                    && !around.inclusive
                    && around.hi == *hi
                    && !hi.reads_any(self.program, &around.written)
            };
            if inner.iter().any(bounds) {
                return Some(Step::Falling { unit: unit(), end: hi.clone(), iter, less });
            }
            if self.around.iter().any(bounds) {
                return Some(Step::Fixed(minus(hi.clone(), lo.clone())));
            }
        }
        let args = vec![lo.clone(), hi.clone(), each.step.clone()];
        (self.ty == Ty::USIZE).then(|| Step::Fixed(Expr::call(self.ty, Func::TripCount, args)))
    }

    /// The number of iterations before the current one.
    fn position(&self, each: &For) -> Option<Expr> {
        let bounds = each.bounds();
        if self.program[each.iter].ty != self.ty || !bounds.iter().all(|bound| self.is_invariant(bound)) {
            return None;
        }
        let starts_low = !self.is_signed() || matches!(each.lo.kind, ExprKind::Int(0..));
        let iter = Expr::iter(each.iter, self.ty);
        match (each.order, is_one(&each.step)) {
            (Order::Up, true) if starts_low => Some(minus(iter, each.lo.clone())),
            (Order::Up, false) if self.ty == Ty::USIZE => {
                let ExprKind::Int(1..) = each.step.kind else { return None };
                Some(Expr::binary(BinOp::Div, minus(iter, each.lo.clone()), each.step.clone()))
            }
            (Order::Down, true) if starts_low && each.inclusive => Some(minus(each.hi.clone(), iter)),
            (Order::Down, true) if starts_low => {
                Some(minus(minus(each.hi.clone(), iter), Expr::int(self.ty, 1)))
            }
            _ => None,
        }
    }

    fn value(&self, step: &Step) -> Expr {
        let one = || Expr::int(self.ty, 1);
        let next = |iter: IterId, one_more: bool| {
            let iter = Expr::iter(iter, self.ty);
            if one_more { Expr::binary(BinOp::Add, iter, one()) } else { iter }
        };
        match step {
            Step::Fixed(value) => value.clone(),
            Step::Rising { unit, iter, plus } => times(unit.clone(), next(*iter, *plus)),
            Step::Falling { unit, end, iter, less } => {
                times(unit.clone(), minus(end.clone(), next(*iter, *less)))
            }
        }
    }

    fn is_signed(&self) -> bool {
        matches!(self.ty, Ty::Int(int) if int.is_signed())
    }

    /// Whether the nest changes nothing that `expr` reads, and `expr` has a meaning outside of it.
    pub(super) fn is_invariant(&self, expr: &Expr) -> bool {
        let mut invariant = !expr.reads_any(self.program, &self.changed);
        expr.walk(&mut |expr| {
            if let ExprKind::Extent(buffer, _) = expr.kind {
                invariant &= !self.changed.contains(buffer);
            }
        });
        invariant
    }

    fn rewrite_loop(&self, each: &mut For, sum: &mut Vec<Expr>, inner: &mut Vec<Around>) {
        for bound in [&mut each.lo, &mut each.hi, &mut each.step] {
            self.replace(bound, sum);
        }
        let steps = self.body_steps(each, inner).unwrap_or_default();
        let mut inside = sum.clone();
        inside.extend(steps.iter().filter_map(|step| self.before(step, each)));
        let after = self.loop_steps(each, inner).unwrap_or_default();
        inner.push(Around::new(each));
        self.rewrite_block(&mut each.body, &mut inside, inner);
        inner.pop();
        sum.extend(after.iter().map(|step| self.value(step)));
    }

    fn rewrite_block(&self, block: &mut Block, sum: &mut Vec<Expr>, inner: &mut Vec<Around>) {
        block.retain_mut(|stmt| {
            if let Some(by) = increment(stmt, self.counter) {
                sum.push(by.clone());
                return false;
            }
            self.rewrite_stmt(stmt, sum, inner);
            true
        });
    }

    fn rewrite_stmt(&self, stmt: &mut Stmt, sum: &mut Vec<Expr>, inner: &mut Vec<Around>) {
        if let Some((_, body)) = stmt.as_scope_mut() {
            self.rewrite_block(body, sum, inner);
        } else if let Some(each) = stmt.as_for_mut() {
            self.rewrite_loop(each, sum, inner);
        } else {
            stmt.exprs_mut().into_iter().for_each(|expr| self.replace(expr, sum));
            for block in stmt.blocks_mut() {
                self.rewrite_block(block, &mut sum.clone(), inner);
            }
        }
    }

    fn replace(&self, expr: &mut Expr, sum: &[Expr]) {
        let is_counter = |expr: &Expr| expr.kind == ExprKind::Load(Place::scalar(self.counter));
        let mut found = false;
        expr.walk(&mut |expr| found |= is_counter(expr));
        if found {
            let whole = std::mem::replace(expr, Expr::bool(false));
            *expr = whole.map(&mut |expr| {
                if is_counter(&expr) { plus(self.ty, sum.iter().cloned()) } else { expr }
            });
        }
    }
}

impl Step {
    fn iter(&self) -> Option<IterId> {
        match self {
            Step::Fixed(_) => None,
            Step::Rising { iter, .. } | Step::Falling { iter, .. } => Some(*iter),
        }
    }
}

fn is_around(iter: IterId, inner: &[Around]) -> bool {
    inner.iter().any(|around| around.iter == iter)
}

/// The iterator of `iter + 1`.
fn successor(expr: &Expr) -> Option<IterId> {
    match &expr.kind {
        ExprKind::Binary(BinOp::Add, lhs, rhs) => match (&lhs.kind, &rhs.kind) {
            (ExprKind::Iter(iter), ExprKind::Int(1)) | (ExprKind::Int(1), ExprKind::Iter(iter)) => {
                Some(*iter)
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_one(expr: &Expr) -> bool {
    expr.kind == ExprKind::Int(1)
}

/// The sum of non-negative terms, constants last and in one if that fits the type.
pub(super) fn plus(ty: Ty, terms: impl IntoIterator<Item = Expr>) -> Expr {
    let max = if let Ty::Int(int) = ty { int.max().unwrap_or(0) } else { 0 };
    let mut constant = 0;
    let mut sum: Option<Expr> = None;
    for term in terms {
        match term.kind {
            ExprKind::Int(value) if constant + value <= max => constant += value,
            _ => {
                sum = Some(match sum {
                    Some(sum) => Expr::binary(BinOp::Add, sum, term),
                    None => term,
                });
            }
        }
    }
    match sum {
        Some(sum) if constant == 0 => sum,
        Some(sum) => Expr::binary(BinOp::Add, sum, Expr::int(ty, constant)),
        None => Expr::int(ty, constant),
    }
}

fn minus(lhs: Expr, rhs: Expr) -> Expr {
    match (&lhs.kind, &rhs.kind) {
        (_, ExprKind::Int(0)) => lhs,
        (ExprKind::Int(a), ExprKind::Int(b)) => Expr::int(lhs.ty, a - b),
        _ => Expr::binary(BinOp::Sub, lhs, rhs),
    }
}

fn times(lhs: Expr, rhs: Expr) -> Expr {
    match (&lhs.kind, &rhs.kind) {
        (ExprKind::Int(1), _) | (_, ExprKind::Int(0)) => rhs,
        (_, ExprKind::Int(1)) | (ExprKind::Int(0), _) => lhs,
        _ => Expr::binary(BinOp::Mul, lhs, rhs),
    }
}
