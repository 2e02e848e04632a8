//! What a nest adds to an array, statement by statement: every update with its index and its value in terms of what the
//! nest does not change.
//!
//! The body is executed once on symbols: a scalar that is assigned in straight line is the expression that it was assigned,
//! with scalars replaced in turn. A load in such an expression is of an element that the iteration has not changed before.

use crate::ir::negated;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, IterId, Program, ReduceOp, Stmt, StmtKind, Ty,
    written,
};
use crate::limits::{NODES_OF_A_GATHERED_TERM, UNROLLED_NEIGHBOURS};
use crate::map::Map;
use crate::schedule::cost::trip_count;

/// An update `target[index] += value` in the body of a nest.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// Its number among the statements of the body, in order, parents first.
    pub(super) number: usize,
    /// What is updated.
    pub(super) target: BufferId,
    /// Where.
    pub(super) index: Vec<Expr>,
    /// What is added, as it stands there.
    pub(super) value: Expr,
    /// The loops around it that are written out, with their values.
    pub(super) loops: Vec<(IterId, Vec<i128>)>,
    /// Those of their values that it is written out for.
    pub(super) at: Vec<i128>,
    /// Whether it is executed in each iteration of the nest, once for each of these values.
    pub(super) always: bool,
    /// Whether it is executed so often, or conditions that are part of the value decide.
    pub(super) decided: bool,
    /// The arm of a condition, or the inner loop, that it stands in, by number; zero outside of all.
    pub(super) arm: usize,
    /// The statement in front of which everything that it adds is known if nothing in the loops around it changes that.
    pub(super) before: usize,
    /// What the loops around it change.
    pub(super) changed: BufferSet,
    /// What is known of scalars there.
    pub(super) known: Known,
}

/// The values of scalars at a place of the body.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// In terms of what the iteration has not changed before.
    values: Map<BufferId, Expr>,
    /// How often each buffer was written.
    versions: Map<BufferId, usize>,
    /// What scalars were assigned, with the versions of what that reads.
    definitions: Map<BufferId, (Expr, Vec<usize>)>,
    /// Buffers whose scope has ended.
    ended: BufferSet,
}

/// The updates of a body.
pub(super) struct Terms<'p> {
    program: &'p Program,
    /// What the nest writes.
    written: &'p BufferSet,
    /// What the nest does nothing to but add.
    summed: &'p dyn Fn(BufferId) -> bool,
    next: usize,
    loops: Vec<(IterId, Vec<i128>)>,
    always: bool,
    /// The conditions around that iterators decide; none where something else does.
    conditions: Option<Vec<Expr>>,
    /// The arm of a condition, or the inner loop, around, and how many there were.
    arm: usize,
    arms: usize,
    outermost: Option<(usize, BufferSet)>,
    known: Known,
    found: Vec<Term>,
    /// Whether something in the body is checked.
    pub(super) checks: bool,
}

impl<'p> Terms<'p> {
    /// The updates of a body that is looked into, where what `names` assign is known.
    pub(super) fn of(
        program: &'p Program,
        names: &[&Stmt],
        body: &Block,
        written: &'p BufferSet,
        summed: &'p dyn Fn(BufferId) -> bool,
    ) -> Option<(Vec<Term>, bool)> {
        let mut terms = Terms {
            program,
            written,
            summed,
            next: 0,
            loops: Vec::new(),
            always: true,
            conditions: Some(Vec::new()),
            arm: 0,
            arms: 0,
            outermost: None,
            known: Known::default(),
            found: Vec::new(),
            checks: false,
        };
        names.iter().try_for_each(|stmt| terms.stmt(stmt))?;
        terms.next = 0;
        terms.block(body)?;
        Some((terms.found, terms.checks))
    }

    fn block(&mut self, block: &Block) -> Option<()> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        let number = self.next;
        self.next += 1;
        match &stmt.kind {
            StmtKind::Scope { buffers, body } => {
                self.block(body)?;
                self.known.ended.extend(buffers.iter().copied());
            }
            StmtKind::Check { .. } => self.checks = true,
            StmtKind::Assign { target, value } => {
                let expanded = self.known.expand(value, self.written, &|_| true);
                self.known.write(target.buffer, expanded.filter(|_| target.index.is_empty()));
                if target.index.is_empty() && !value.reads_buffer(self.program, target.buffer) {
                    self.known.define(target.buffer, value.clone());
                }
            }
            StmtKind::Reduce { op, target, value, .. } => self.update(number, *op, target, value),
            StmtKind::If { cond, then, els } => {
                let cond = self.decided(cond);
                let (always, before) = (std::mem::replace(&mut self.always, false), self.known.clone());
                let around = self.conditions.take();
                let with = |cond: Expr| around.iter().flatten().cloned().chain([cond]).collect();
                let holds = cond.clone().filter(|_| around.is_some());
                self.conditions = holds.clone().map(with);
                let outermost = self.outermost.clone();
                let mut changed = written(then);
                changed.union(&written(els));
                self.outermost.get_or_insert((number, changed));
                self.apart(then)?;
                self.forget(&written(then));
                self.known.restore(&before);
                self.conditions = holds.map(|cond| with(negated(cond)));
                self.apart(els)?;
                self.forget(&written(els));
                self.known.restore(&before);
                (self.always, self.conditions, self.outermost) = (always, around, outermost);
                self.forget(&written(then));
                self.forget(&written(els));
            }
            StmtKind::For(each) => self.inner(number, each)?,
            StmtKind::While(_)
            | StmtKind::Guarded { .. }
            | StmtKind::Fork { .. }
            | StmtKind::Swap { .. }
            | StmtKind::Call { .. } => return None,
        }
        Some(())
    }

    /// A block that is executed as often as a condition or a loop says.
    fn apart(&mut self, block: &Block) -> Option<()> {
        self.arms += 1;
        let around = std::mem::replace(&mut self.arm, self.arms);
        self.block(block)?;
        self.arm = around;
        Some(())
    }

    /// The condition, where iterators and what the nest does not change decide it, and where it may be evaluated in every
    /// iteration.
    fn decided(&self, cond: &Expr) -> Option<Expr> {
        let cond = self.known.expand(cond, self.written, &|_| false)?;
        let floats = cond.any(&mut |node| node.ty.is_float());
        (!floats && !cond.loads_elements() && (self.always || is_safe(&cond))).then_some(cond)
    }

    fn inner(&mut self, number: usize, each: &For) -> Option<()> {
        let changed = written(&each.body);
        self.forget(&changed);
        let (always, conditions) = (self.always, self.conditions.clone());
        let outermost = self.outermost.clone();
        let depth = self.loops.len();
        match values(each) {
            Some(values) => self.loops.push((each.iter, values)),
            None => (self.always, self.conditions) = (false, None),
        }
        self.outermost.get_or_insert((number, changed.clone()));
        self.apart(&each.body)?;
        self.loops.truncate(depth);
        (self.always, self.conditions, self.outermost) = (always, conditions, outermost);
        self.forget(&changed);
        Some(())
    }

    fn update(&mut self, number: usize, op: ReduceOp, target: &crate::ir::Place, value: &Expr) {
        let elem = self.program[target.buffer].elem;
        if target.index.is_empty() {
            let before = self.known.values.get(&target.buffer).cloned();
            let added = self.known.expand(value, self.written, &|_| true);
            let sum = before.zip(added).filter(|_| op == ReduceOp::Add && elem.is_float());
            let sum = sum.map(|(before, added)| before + added).filter(is_small);
            let adds =
                op == ReduceOp::Add && elem.is_float() && !value.reads_buffer(self.program, target.buffer);
            let defined = self.known.definition(target.buffer).filter(|_| adds);
            let defined = defined.map(|before| match before.kind {
                ExprKind::Float(0.0) => value.clone(),
                _ => before.clone() + value.clone(),
            });
            self.known.write(target.buffer, sum);
            if let Some(defined) = defined.filter(is_small) {
                self.known.define(target.buffer, defined);
            }
            return;
        }
        if op == ReduceOp::Add && elem.is_float() && (self.summed)(target.buffer) {
            let expand = |index: &Expr| self.known.expand(index, self.written, &|_| true);
            let index = target.index.iter().map(|index| expand(index).unwrap_or(index.clone())).collect();
            let (before, changed) = self.outermost.clone().unwrap_or((number, BufferSet::new()));
            let mut conditions = self.conditions.clone();
            if !self.always && !can_be_evaluated(value, &changed) {
                conditions = None;
            }
            self.found.push(Term {
                number,
                target: target.buffer,
                index,
                value: conditions.iter().flatten().rev().fold(value.clone(), |value, cond| {
                    Expr::select(cond.clone(), value, Expr::float(elem, 0.0))
                }),
                loops: self.loops.clone(),
                at: Vec::new(),
                always: self.always,
                decided: conditions.is_some(),
                arm: self.arm,
                before,
                changed,
                known: self.known.clone(),
            });
        }
        self.known.write(target.buffer, None);
    }

    fn forget(&mut self, changed: &BufferSet) {
        for buffer in changed.iter() {
            self.known.write(buffer, None);
        }
    }
}

/// Whether a condition of iterators may be evaluated in iterations in which the program does not: there is no difference that may
/// be below zero, and nothing to divide by.
pub(super) fn is_safe(cond: &Expr) -> bool {
    cond.all(&mut |node| !matches!(node.kind, ExprKind::Binary(BinOp::Sub | BinOp::Div | BinOp::Rem, ..)))
}

/// Whether a value may be computed where the condition around it does not hold: of numbers, and of scalars that are known
/// in front of the condition. It changes some buffers.
fn can_be_evaluated(value: &Expr, changed: &BufferSet) -> bool {
    value.all(&mut |node| match &node.kind {
        ExprKind::Load(place) => place.index.is_empty() && !changed.contains(place.buffer),
        ExprKind::Float(_) | ExprKind::Int(_) | ExprKind::Iter(_) | ExprKind::Cast(_) => true,
        _ => node.ty.is_float(),
    })
}

/// The values of a short loop over constants.
pub(super) fn values(each: &For) -> Option<Vec<i128>> {
    let trips = trip_count(each).as_usize().filter(|&trips| trips <= UNROLLED_NEIGHBOURS)?;
    let (ExprKind::Int(lo), ExprKind::Int(step)) = (&each.lo.kind, &each.step.kind) else { return None };
    (each.lo.ty == Ty::USIZE).then(|| (0..trips as i128).map(|trip| lo + trip * step).collect())
}

/// Whether an expression may be written out.
fn is_small(expr: &Expr) -> bool {
    let mut nodes = 0;
    expr.walk(&mut |_| nodes += 1);
    nodes <= NODES_OF_A_GATHERED_TERM
}

impl Known {
    fn write(&mut self, buffer: BufferId, value: Option<Expr>) {
        *self.versions.entry(buffer).or_default() += 1;
        match value {
            Some(value) => self.values.insert(buffer, value),
            None => self.values.remove(&buffer),
        };
        self.definitions.remove(&buffer);
    }

    fn define(&mut self, scalar: BufferId, value: Expr) {
        let versions = self.versions_in(&value);
        self.definitions.insert(scalar, (value, versions));
    }

    /// After an arm of a condition, scalars are what they were before it: the other arm begins with them.
    fn restore(&mut self, before: &Known) {
        self.values = before.values.clone();
        self.definitions = before.definitions.clone();
    }

    /// The definition of a scalar, if what it reads has not changed since.
    pub(super) fn definition(&self, scalar: BufferId) -> Option<&Expr> {
        let (value, versions) = self.definitions.get(&scalar)?;
        (self.versions_in(value) == *versions).then_some(value)
    }

    /// The value in terms of what the iteration has not changed before, and of elements that `may_read` allows of those
    /// buffers that the nest changes.
    pub(super) fn expand(
        &self,
        expr: &Expr,
        written: &BufferSet,
        may_read: &dyn Fn(BufferId) -> bool,
    ) -> Option<Expr> {
        let mut known = true;
        let expanded = expr.map(&mut |expr| {
            let ExprKind::Load(place) = &expr.kind else { return expr };
            if let Some(value) = self.values.get(&place.buffer) {
                value.each_load(&mut |inner| {
                    known &= !written.contains(inner.buffer) || may_read(inner.buffer);
                });
                return value.clone();
            }
            known &= !self.versions.contains_key(&place.buffer);
            known &= !written.contains(place.buffer) || !place.index.is_empty() && may_read(place.buffer);
            expr
        });
        (known && is_small(&expanded)).then_some(expanded)
    }

    /// Whether everything that an expression reads is still there.
    pub(super) fn is_readable(&self, expr: &Expr) -> bool {
        expr.all(
            &mut |node| !matches!(&node.kind, ExprKind::Load(place) if self.ended.contains(place.buffer)),
        )
    }

    /// Which of the values that buffers take there an expression is made of.
    pub(super) fn versions_in(&self, expr: &Expr) -> Vec<usize> {
        let mut versions = Vec::new();
        expr.each_load(&mut |place| {
            versions.push(self.versions.get(&place.buffer).copied().unwrap_or(0));
        });
        versions
    }
}
