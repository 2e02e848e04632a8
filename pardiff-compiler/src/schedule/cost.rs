//! What things cost: the one table of the scheduler, and the estimate of a loop's work as an expression over sizes.
//!
//! The unit is one scalar addition. Estimates choose between versions that compute the same; they never decide whether
//! something is right, and they depend on sizes alone, so that the same call is always cut in the same way.

use super::prices::VECTOR;
use super::saturating_sum::SaturatingSum;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Callee, Cost, Expr, ExprKind, For, Func, IterId, Program, Stmt,
    StmtKind, Ty, UnOp, While, declared, written,
};
use crate::limits::{ELEMENTS_COPIED_BY_A_THREAD, RAGGED_ITERATIONS, UNKNOWN_EXTENT, WHILE_ITERATIONS};
use crate::map::Map;

/// What tasks, copies and blocks cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// The least work of a chunk: some five microseconds. To hand a chunk to another core, and to fetch what that has
    /// written, takes as long.
    pub grain: usize,
    /// The same where the iterations run in lanes, which do more in this time.
    pub grain_in_lanes: usize,
    /// The most chunks of a loop.
    pub most_chunks: usize,
    /// The most chunks of a loop whose chunks have copies of arrays.
    pub most_copies: usize,
    /// To zero and to merge one element of a copy, where copies are large.
    pub copied_element: usize,
    /// The work of a loop is wanted to be so many times that of its copies.
    pub copies_beside: usize,
    /// The fewest chunks of a loop whose chunks have copies of arrays, where each is worth its own copy.
    pub least_copies: usize,
    /// The most elements in all copies of one loop.
    pub copied_elements: usize,
    /// The size of a chunk whose iterations run in lanes is a multiple of this.
    pub block: usize,
    /// But smaller where there would be fewer chunks than so many.
    pub chunks_before_blocks: usize,
    /// A loop that is known to have less work than this is no task loop.
    pub worth_a_task: usize,
    /// Loops in a loop in order that have no more work than this, each time, run as they are written; four times as much if they
    /// hold loops, and so on.
    pub short: usize,
    /// A loop that is expected to have less than this part of the work of the program is no task loop.
    pub beside: f64,
    /// On a GPU, an array of no more elements is copied for each thread, in shared memory, however the elements are found.
    pub few_elements: usize,
    /// On a GPU, blocks copy squares to shared memory where there are so many blocks or more.
    pub tiles: usize,
    /// The same for rows, where elements of neighbouring threads are so many bytes apart or more.
    pub far_apart: usize,
    /// Whether values repeat is checked for a loop whose iterations have so many times the work of the check.
    pub worth_a_check: f64,
}

impl Default for Costs {
    fn default() -> Costs {
        Costs {
            grain: 1 << 16,
            grain_in_lanes: 1 << 17,
            most_chunks: 256,
            most_copies: 16,
            copied_element: 6,
            copies_beside: 30,
            least_copies: 4,
            copied_elements: 1 << 25,
            block: 128,
            chunks_before_blocks: 4,
            worth_a_task: 1 << 16,
            short: 256,
            few_elements: ELEMENTS_COPIED_BY_A_THREAD,
            tiles: 256,
            far_apart: 64,
            beside: 1.0 / 512.0,
            worth_a_check: 3.0,
        }
    }
}

impl Costs {
    /// With chunks of so much work, so that programs with little of it are cut.
    #[must_use]
    pub fn with_grain(self, grain: usize) -> Costs {
        Costs { grain, grain_in_lanes: grain, ..self }
    }

    /// How many elements of copies a task merges at least.
    pub(super) fn merged(&self) -> usize {
        (self.grain / self.copied_element.max(1)).max(1)
    }
}

/// The price of one operation.
fn operation(expr: &Expr) -> usize {
    match &expr.kind {
        ExprKind::Float(_) | ExprKind::Int(_) | ExprKind::Bool(_) => 0,
        ExprKind::Opaque(_) | ExprKind::Iter(_) | ExprKind::Extent(..) | ExprKind::Cast(_) => 0,
        ExprKind::Load(_) | ExprKind::Select(_) | ExprKind::Unary(UnOp::Neg | UnOp::Not, _) => 1,
        ExprKind::Binary(BinOp::Div | BinOp::Rem, ..) => 6,
        ExprKind::Binary(..) => 1,
        ExprKind::Call(func, _, _) => func.cost().additions(),
        ExprKind::Apply(..) => Cost::Power.additions(),
    }
}

/// The price of an expression.
pub(super) fn evaluation(expr: &Expr) -> usize {
    let mut sum = 0usize;
    expr.walk(&mut |expr| sum = sum.saturating_add(operation(expr)));
    sum
}

/// The work of one iteration of a loop, as an expression that has a value before the loop and never panics.
pub(super) fn iteration(program: &Program, each: &For) -> Expr {
    let mut inside = written(&each.body);
    inside.union(&declared(&each.body));
    let mut estimate = Estimate { program, inside, middle: Map::default(), values: Map::default() };
    estimate.enter(each);
    estimate.block(&each.body).expr()
}

/// How often a loop iterates, saturating.
pub(crate) fn trip_count(each: &For) -> Expr {
    trips_of(each.lo.clone(), each.hi.clone(), each.step.clone(), each.inclusive)
}

fn trips_of(lo: Expr, hi: Expr, step: Expr, inclusive: bool) -> Expr {
    if !inclusive {
        let from_zero = lo.kind == ExprKind::Int(0) && step.kind == ExprKind::Int(1) && hi.ty == Ty::USIZE;
        return if from_zero { hi } else { trips(lo, hi, step) };
    }
    // `lo..=hi`: (hi - lo) / step + 1 where lo <= hi
    let runs = lo.clone().at_most(hi.clone());
    let span = trips(lo, hi, Expr::usize(1));
    let steps = if step.kind == ExprKind::Int(1) { span } else { Expr::binary(BinOp::Div, span, step) };
    Expr::select(runs, saturating_add(steps, Expr::usize(1)), Expr::usize(0))
}

fn trips(lo: Expr, hi: Expr, step: Expr) -> Expr {
    if let (ExprKind::Int(lo), ExprKind::Int(hi), ExprKind::Int(step)) = (&lo.kind, &hi.kind, &step.kind)
        && *step > 0
    {
        let count = hi.checked_sub(*lo).map_or(0, |span| span.max(0));
        let count = count / step + i128::from(count % step != 0);
        return Expr::int(Ty::USIZE, count.min(u32::MAX.into()));
    }
    Expr { ty: Ty::USIZE, kind: ExprKind::Call(Func::TripCount, Default::default(), vec![lo, hi, step]) }
}

/// `a + b`, saturating; constants are folded.
pub(crate) fn saturating_add(a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(0), _) => b,
        (_, ExprKind::Int(0)) => a,
        (ExprKind::Int(x), ExprKind::Int(y)) => constant(x.saturating_add(*y)),
        _ => Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![a, b]),
    }
}

/// `a * b`, saturating; constants are folded.
pub(crate) fn saturating_mul(a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(1), _) | (_, ExprKind::Int(0)) => b,
        (_, ExprKind::Int(1)) | (ExprKind::Int(0), _) => a,
        (ExprKind::Int(x), ExprKind::Int(y)) => constant(x.saturating_mul(*y)),
        _ => Expr::call(Ty::USIZE, Func::SaturatingMul, vec![a, b]),
    }
}

/// A constant that every machine's `usize` holds.
fn constant(value: i128) -> Expr {
    Expr::int(Ty::USIZE, value.clamp(0, u32::MAX.into()))
}

/// How many loops stand in one another.
fn depth(stmt: &Stmt) -> u32 {
    let inner = stmt.blocks().into_iter().flatten().map(depth).max().unwrap_or(0);
    inner + u32::from(stmt.is_loop())
}

struct Estimate<'p> {
    program: &'p Program,
    /// Buffers without a value before the loop.
    inside: BufferSet,
    /// The middle of the range of each iterator that has no value before the loop.
    middle: Map<IterId, Option<Expr>>,
    /// What scalars are that statements in front assign, where that has a value before the loop.
    values: Map<BufferId, Option<Expr>>,
}

impl Estimate<'_> {
    fn enter(&mut self, each: &For) {
        let half = |lo, hi| Expr::binary(BinOp::Div, saturating_add(lo, hi), Expr::usize(2));
        let middle = match (self.before(&each.lo), self.before(&each.hi)) {
            (Some(lo), Some(hi)) if lo.ty == Ty::USIZE => Some(half(lo, hi)),
            _ => None,
        };
        self.middle.insert(each.iter, middle);
    }

    fn block(&mut self, block: &Block) -> SaturatingSum {
        let mut sum = SaturatingSum::default();
        block.iter().for_each(|stmt| sum.add(self.stmt(stmt)));
        sum
    }

    fn stmt(&mut self, stmt: &Stmt) -> SaturatingSum {
        let own: usize = stmt.exprs().into_iter().map(evaluation).fold(0, usize::saturating_add);
        match &stmt.kind {
            StmtKind::For(each) => {
                let bounds = (self.before(&each.lo), self.before(&each.hi), self.before(&each.step));
                let trip = match bounds {
                    (Some(lo), Some(hi), Some(step)) => trips_of(lo, hi, step, each.inclusive),
                    _ => Expr::usize(RAGGED_ITERATIONS),
                };
                self.enter(each);
                let mut body = self.block(&each.body);
                body.add(SaturatingSum::number(1));
                body.times(trip)
            }
            StmtKind::While(While { counter, head, body, .. }) => {
                self.middle.insert(*counter, None);
                let mut once = self.block(head);
                once.add(self.block(body));
                once.times(Expr::usize(WHILE_ITERATIONS))
            }
            StmtKind::Check { .. } => SaturatingSum::number(1),
            _ => {
                let mut sum = SaturatingSum::number(own + 1);
                stmt.blocks().into_iter().for_each(|block| sum.add(self.block(block)));
                sum
            }
        }
    }

    /// Adds the work of loops, see [`works`]; whether their bounds are known.
    fn loops(&mut self, stmt: &Stmt, wanted: &dyn Fn(&For) -> bool, works: &mut Vec<Work>) -> bool {
        match &stmt.kind {
            StmtKind::For(each) if wanted(each) => {
                let is_known = |bound: &&Expr| self.before(bound).is_some();
                let is_known = each.bounds().iter().all(is_known);
                works.push(Work { work: self.stmt(stmt).expr(), depth: depth(stmt) });
                return is_known;
            }
            StmtKind::For(each) => self.enter(each),
            StmtKind::While(each) => _ = self.middle.insert(each.counter, None),
            StmtKind::Scope { buffers, .. } => {
                self.inside.extend(buffers.iter().copied());
            }
            StmtKind::Assign { target, value } if target.index.is_empty() && value.ty == Ty::USIZE => {
                let first = !self.values.contains_key(&target.buffer);
                let value = self.before(value).filter(|_| first);
                self.values.insert(target.buffer, value);
            }
            _ => {}
        }
        stmt.blocks().into_iter().flatten().all(|stmt| self.loops(stmt, wanted, works))
    }

    /// The value that an integer expression has, or about has, before the loop, without a panic.
    fn before(&self, expr: &Expr) -> Option<Expr> {
        let mut known = expr.ty.is_int();
        let value = expr.map(&mut |expr| {
            let saturating = |func, a: &Expr, b: &Expr| Expr::call(a.ty, func, vec![a.clone(), b.clone()]);
            match &expr.kind {
                ExprKind::Iter(iter) => match self.middle.get(iter) {
                    Some(Some(middle)) => return middle.clone(),
                    Some(None) => known = false,
                    None => {}
                },
                ExprKind::Load(place) => match self.values.get(&place.buffer) {
                    Some(Some(value)) => return value.clone(),
                    _ => known &= self.is_before(place.buffer) && place.index.is_empty(),
                },
                ExprKind::Extent(buffer, _) => {
                    known &= self.program.params.contains(buffer) || self.is_before(*buffer);
                }
                // floats that an integer is made of do not panic
                ExprKind::Binary(..) if !expr.ty.is_int() => {}
                ExprKind::Binary(BinOp::Add, a, b) => return saturating(Func::SaturatingAdd, a, b),
                ExprKind::Binary(BinOp::Sub, a, b) => return saturating(Func::SaturatingSub, a, b),
                ExprKind::Binary(BinOp::Mul, a, b) => return saturating(Func::SaturatingMul, a, b),
                // without a panic where the divisor is zero
                ExprKind::Binary(op @ (BinOp::Div | BinOp::Rem), a, b) if b.as_usize().is_none() => {
                    let divisor = Expr::call(b.ty, Func::IntMax, vec![(**b).clone(), Expr::int(b.ty, 1)]);
                    return Expr::binary(*op, (**a).clone(), divisor);
                }
                _ => {}
            }
            expr
        });
        let mut small = 0;
        value.walk(&mut |_| small += 1);
        (known && value.is_total() && small <= 24).then_some(value)
    }

    fn is_before(&self, buffer: BufferId) -> bool {
        !self.inside.contains(buffer) && (buffer.0 as usize) < self.program.buffers.len()
    }
}

/// The work of a loop inside of others, each time that it runs.
pub(super) struct Work {
    /// The work, as an expression that has a value in front of those others and never panics.
    pub(super) work: Expr,
    /// How many loops stand in one another.
    pub(super) depth: u32,
}

/// The work of the loops inside of a statement that are wanted, outermost ones alone; nothing where the bounds of one of them are
/// found inside.
pub(super) fn works(program: &Program, around: &Stmt, wanted: &dyn Fn(&For) -> bool) -> Option<Vec<Work>> {
    let inside = written(std::slice::from_ref(around));
    let mut estimate = Estimate { program, inside, middle: Map::default(), values: Map::default() };
    let mut works = Vec::new();
    estimate.loops(around, wanted, &mut works).then_some(works)
}

/// The buffers that are matrices in one dimension: an index is a product of two sizes or iterators.
pub(super) fn flat_matrices(program: &Program) -> BufferSet {
    let mut flat = BufferSet::new();
    let mut visit = |place: &crate::ir::Place| {
        let [index] = &place.index[..] else { return };
        let is_product = |node: &Expr| {
            matches!(&node.kind, ExprKind::Binary(BinOp::Mul, lhs, rhs)
            if lhs.as_usize().is_none() && rhs.as_usize().is_none())
        };
        if index.any(&mut &is_product) {
            flat.insert(place.buffer);
            if let [Expr { kind: ExprKind::Extent(like, 0), .. }] = program[place.buffer].dims[..] {
                flat.insert(like);
            }
        }
    };
    program.body.iter().for_each(|stmt| super::lanes::places(stmt, &mut visit));
    flat
}

/// By what the work of a loop over all elements of a flat matrix exceeds that of a loop over a vector.
pub(super) fn rows_of(program: &Program, each: &For, flat: &BufferSet) -> f64 {
    let named = |size: &Expr| {
        matches!(size.kind, ExprKind::Load(_))
            && flat.iter().any(|of| program[of].dims == std::slice::from_ref(size))
    };
    let is_flat = match each.hi.kind {
        ExprKind::Extent(buffer, 0) => {
            flat.contains(buffer)
                || match &program[buffer].dims[..] {
                    [Expr { kind: ExprKind::Extent(like, 0), .. }] => flat.contains(*like),
                    [size] => named(size),
                    _ => false,
                }
        }
        _ => named(&each.hi),
    };
    if is_flat { UNKNOWN_EXTENT } else { 1.0 }
}

/// What a size is about, for decisions that are made before sizes are known: other extents than constants are 1000.
pub(crate) fn nominal(size: &Expr) -> f64 {
    with_extents(size, UNKNOWN_EXTENT)
}

/// The same where other extents are `extent`.
pub(super) fn with_extents(size: &Expr, extent: f64) -> f64 {
    let of = |size: &Expr| with_extents(size, extent);
    match &size.kind {
        ExprKind::Int(value) => *value as f64,
        ExprKind::Cast(operand) => of(operand),
        ExprKind::Binary(BinOp::Div, a, b) => of(a) / of(b).max(1.0),
        ExprKind::Binary(BinOp::Add, a, b) => of(a) + of(b),
        ExprKind::Binary(BinOp::Mul, a, b) => of(a) * of(b),
        ExprKind::Binary(BinOp::Sub, a, b) => (of(a) - of(b)).max(1.0),
        ExprKind::Select(parts) => of(&parts[1]),
        ExprKind::Call(func, _, args) => match (func, args.as_slice()) {
            (Func::SaturatingAdd, [a, b]) => of(a) + of(b),
            (Func::SaturatingSub, [a, b]) => (of(a) - of(b)).max(1.0),
            (Func::SaturatingMul, [a, b]) => of(a) * of(b),
            (Func::IntMin, [a, b]) => of(a).min(of(b)),
            (Func::IntMax, [a, b]) => of(a).max(of(b)),
            (Func::TripCount, [lo, hi, step]) => {
                let span = of(hi) - of(lo);
                // two sizes of which nothing is known
                let span = if span <= 0.0 { extent / 2.0 } else { span };
                span / of(step).max(1.0)
            }
            _ => extent,
        },
        _ => extent,
    }
}

/// What the work of a block is about, before sizes are known.
pub(crate) fn nominal_work(block: &[Stmt]) -> f64 {
    block.iter().map(nominal_stmt).sum()
}

/// What the number of iterations of a loop is about, before sizes are known.
pub(crate) fn nominal_trips(each: &For) -> f64 {
    if each.lo.loads_elements() || each.hi.loads_elements() {
        RAGGED_ITERATIONS as f64
    } else {
        nominal(&trip_count(each))
    }
}

/// The same of a loop whose end is known only when it is reached: as of its reversal, whose size nothing is known of.
pub(super) fn nominal_rounds() -> f64 {
    UNKNOWN_EXTENT
}

/// Each block is visited once: twice a level would be `2^depth` times, and arms of an `else if` are levels.
fn nominal_stmt(stmt: &Stmt) -> f64 {
    let own = stmt.exprs().into_iter().map(evaluation).fold(1, usize::saturating_add) as f64;
    match &stmt.kind {
        // versions of one nest are arms as well
        StmtKind::If { then, els, .. } => own + nominal_work(then).max(nominal_work(els)),
        StmtKind::For(each) => own + nominal_trips(each) * (nominal_work(&each.body) + 1.0),
        StmtKind::While(each) => {
            own + nominal_rounds() * (nominal_work(&each.head) + nominal_work(&each.body) + 1.0)
        }
        StmtKind::Check { .. } => 1.0,
        StmtKind::Call { callee: Callee::Product(product), .. } => {
            product.sizes.iter().map(nominal).product::<f64>() / VECTOR as f64
        }
        // the version that is meant to run
        StmtKind::Guarded { then, .. } => own + nominal_work(then),
        _ => own + stmt.blocks().into_iter().map(|block| nominal_work(block)).sum::<f64>(),
    }
}
