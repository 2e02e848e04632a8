//! What is the same in all lanes of a block, and what differs between them.
//!
//! A value is *uniform* if it is the same in every iteration of the element loop, *varying* otherwise. A local is
//! varying if anything that is written to it is varying, or at a varying index, or where not every iteration comes.
//! What the body writes outside of it is varying wherever it is read: only the iteration that wrote an element reads
//! it. The smallest solution is found by iteration from "everything is uniform". Of some varying locals nothing but the
//! total over the lanes is needed, see `lane_reductions`; there is one of each for a block.

use super::extents::Sizes;
use super::lane_reductions;
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, For, IterId, Place, Program, Stmt, StmtKind, While, walk,
};

/// The result of the analysis for one element loop.
#[derive(Debug)]
pub(super) struct Divergence {
    /// Locals that vary, and buffers around the loop that it writes.
    varying: BufferSet,
    /// Iterators that vary: the element loop's, and those of loops with varying bounds.
    iters: Vec<IterId>,
    /// Iterators of the element loop and of the loops in it.
    inner: Vec<IterId>,
    /// Buffers declared in the body.
    pub(super) locals: BufferSet,
    /// Buffers that the body writes.
    pub(super) written: BufferSet,
    /// The sizes that the body computes.
    pub(super) sizes: Sizes,
    /// Locals that stand for their sum over the lanes; they do not vary.
    totals: BufferSet,
}

impl Divergence {
    /// Analyses the body of an element loop.
    pub(super) fn of(program: &Program, element: &For) -> Divergence {
        let mut found = Divergence {
            varying: BufferSet::new(),
            iters: vec![element.iter],
            inner: vec![element.iter],
            locals: BufferSet::new(),
            written: crate::ir::written(&element.body),
            sizes: Sizes::of(program, element),
            totals: BufferSet::new(),
        };
        walk(&element.body, &mut |stmt| {
            found.locals.extend(stmt.declares().iter().copied());
            found.inner.extend(stmt.iter());
        });
        found.varying = found.written.clone();
        found.varying.subtract(&found.locals);
        while found.block(program, &element.body, false) {}
        found
    }

    /// The same where totals over the lanes take the place of locals of which nothing else is needed.
    pub(super) fn with_totals(mut self, program: &Program, element: &For) -> Divergence {
        self.totals = lane_reductions::totals(program, &self, element);
        self.varying.subtract(&self.totals);
        self
    }

    /// Whether the buffer is the total of a local over the lanes.
    pub(super) fn is_total(&self, buffer: BufferId) -> bool {
        self.totals.contains(buffer)
    }

    /// Whether the statement computes with totals alone: executed once, it does for them what it did in every lane.
    pub(super) fn combines_totals(&self, stmt: &Stmt) -> bool {
        if let Some((target, value)) = stmt.as_assign() {
            return self.is_total(target.buffer)
                && (lane_reductions::assigns_zero(stmt) || value.loads_any(&self.totals));
        }
        stmt.as_update().is_some_and(|update| update.value.loads_any(&self.totals))
    }

    /// Whether all that is done in the statement is to compute with totals.
    pub(super) fn is_of_totals(&self, stmt: &Stmt) -> bool {
        match stmt.as_scope().map(|(_, body)| body).or(stmt.as_for().map(|each| &each.body)) {
            Some(body) => body.iter().all(|stmt| self.is_of_totals(stmt)),
            None => self.combines_totals(stmt),
        }
    }

    /// Whether the statement gives a total a part from each lane.
    pub(super) fn adds_to_total(&self, stmt: &Stmt) -> bool {
        stmt.as_store().is_some_and(|(target, _)| self.is_total(target.buffer) && !self.combines_totals(stmt))
    }

    /// Whether the value differs between lanes.
    pub(super) fn expr(&self, expr: &Expr) -> bool {
        expr.any(&mut |expr| match &expr.kind {
            ExprKind::Iter(iter) => self.iters.contains(iter),
            ExprKind::Load(place) => self.varying.contains(place.buffer),
            _ => false,
        })
    }

    /// Whether the expression has one value in the whole element loop.
    pub(super) fn is_invariant(&self, program: &Program, expr: &Expr) -> bool {
        let inner = |part: &Expr| matches!(&part.kind, ExprKind::Iter(iter) if !self.is_around(*iter));
        !expr.reads_any(program, &self.written) && !expr.names_any(&self.locals) && !expr.any(&mut &inner)
    }

    /// Whether the iterator belongs to a loop around the element loop.
    pub(super) fn is_around(&self, iter: IterId) -> bool {
        !self.inner.contains(&iter)
    }

    /// Whether the index differs between lanes.
    pub(super) fn place(&self, place: &Place) -> bool {
        place.index.iter().any(|index| self.expr(index))
    }

    /// Whether the content of a buffer differs between lanes.
    pub(super) fn buffer(&self, buffer: BufferId) -> bool {
        self.varying.contains(buffer)
    }

    /// Whether executing the statement once does what executing it in every lane does: it evaluates nothing that
    /// varies and writes nothing that does, and nothing around the loop, where every iteration counts.
    pub(super) fn is_uniform(&self, program: &Program, stmt: &Stmt) -> bool {
        let mut uniform = true;
        stmt.walk(&mut |stmt| {
            uniform &= !stmt.evaluates(program).into_iter().any(|expr| self.expr(expr));
            uniform &= !stmt.is_opaque() && !self.adds_to_total(stmt);
        });
        stmt.writes(&mut |buffer| uniform &= !self.varying.contains(buffer));
        uniform
    }

    fn block(&mut self, program: &Program, block: &Block, masked: bool) -> bool {
        let mut changed = false;
        for stmt in block {
            changed |= self.stmt(program, stmt, masked);
        }
        changed
    }

    fn stmt(&mut self, program: &Program, stmt: &Stmt, masked: bool) -> bool {
        let (mut masked, mut changed) = (masked, false);
        match &stmt.kind {
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                let varies = masked || self.expr(value) || self.place(target);
                return varies && self.varying.insert(target.buffer);
            }
            StmtKind::For(For { iter, .. }) | StmtKind::While(While { counter: iter, .. }) => {
                if stmt.exprs().into_iter().any(|bound| self.expr(bound)) {
                    masked = true;
                    changed = !self.iters.contains(iter);
                    self.iters.push(*iter);
                }
            }
            StmtKind::If { cond, .. } | StmtKind::Guarded { fact: cond, .. } => masked |= self.expr(cond),
            StmtKind::Scope { buffers, .. } => {
                for &buffer in buffers {
                    let varies = program[buffer].dims.iter().any(|extent| self.expr(extent));
                    changed |= varies && self.varying.insert(buffer);
                }
            }
            StmtKind::Swap { a, b } => {
                if masked || self.varying.contains(*a) || self.varying.contains(*b) {
                    changed = self.varying.insert(*a) | self.varying.insert(*b);
                }
            }
            StmtKind::Call { writes, .. } => {
                writes.iter().for_each(|&buffer| changed |= self.varying.insert(buffer));
            }
            StmtKind::Fork { .. } | StmtKind::Check { .. } => {}
        }
        stmt.blocks().into_iter().for_each(|block| changed |= self.block(program, block, masked));
        changed
    }
}
