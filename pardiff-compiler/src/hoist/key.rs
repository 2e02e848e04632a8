//! Which values in the body of a loop are functions of one element of an index array.
//!
//! The *key* is that element, a load such as `camera_of[i]` with `i` the loop's iterator. A scalar that is declared in
//! the body is a function of the key if all that is ever written to it is one, under conditions (inside its `Scope`)
//! that are functions of the key as well, and outside of inner loops: then its value at any place is decided by the key.

use super::form;
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, For, IterId, Layout, Place, Program, Stmt, StmtKind, written,
};
use crate::map::Map;

/// What decides a value, for given values of what is invariant in the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Depends {
    Nothing,
    Key,
    /// Something else.
    Other,
}

impl Depends {
    pub(super) fn and(self, other: Depends) -> Depends {
        match (self, other) {
            (Depends::Nothing, other) => other,
            (Depends::Key, Depends::Nothing | Depends::Key) => Depends::Key,
            _ => Depends::Other,
        }
    }
}

/// A scalar of the body.
pub(super) struct Scalar<'p> {
    pub(super) depends: Depends,
    /// What is written to it, with the conditions around the write.
    pub(super) writes: Vec<Write<'p>>,
    /// The number of conditions, and of inner loops, around its `Scope`.
    declared: (usize, usize),
}

pub(super) struct Write<'p> {
    pub(super) value: &'p Expr,
    pub(super) conditions: Vec<&'p Expr>,
    in_loop: bool,
    pub(super) updates: bool,
}

/// The body of a loop, seen with one key.
pub(super) struct Keyed<'p> {
    pub(super) program: &'p Program,
    pub(super) key: Expr,
    pub(super) scalars: Map<BufferId, Scalar<'p>>,
    written: BufferSet,
    /// What the body declares.
    own: BufferSet,
    inner: Vec<IterId>,
}

/// The loads in the body that may be a key: of an array of integers that the loop does not write, at an index that
/// depends on the loop's iterator alone; each once.
pub(super) fn keys(program: &Program, each: &For) -> Vec<Expr> {
    let written = written(&each.body);
    let mut found: Vec<Expr> = Vec::new();
    let mut visit = |stmt: &Stmt| {
        stmt.each_expr(&mut |expr| {
            expr.walk(&mut |expr| {
                let ExprKind::Load(place) = &expr.kind else { return };
                let is_key = expr.ty.is_int()
                    && !written.contains(place.buffer)
                    && program[place.buffer].layout == Layout::RowMajor
                    && form::of_iterator(program, place, each.iter).is_some();
                if is_key && !found.contains(expr) {
                    found.push(expr.clone());
                }
            })
        });
    };
    crate::ir::walk(&each.body, &mut visit);
    found
}

impl<'p> Keyed<'p> {
    pub(super) fn new(program: &'p Program, each: &'p For, key: Expr) -> Keyed<'p> {
        let mut keyed = Keyed {
            program,
            key,
            scalars: Map::default(),
            written: written(&each.body),
            own: BufferSet::new(),
            inner: vec![each.iter],
        };
        keyed.collect(&each.body, &mut Vec::new(), 0);
        keyed.settle();
        keyed
    }

    fn collect(&mut self, block: &'p Block, conditions: &mut Vec<&'p Expr>, loops: usize) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Scope { buffers, body } => {
                    for &buffer in buffers {
                        self.own.insert(buffer);
                        if self.program[buffer].rank() > 0 {
                            continue;
                        }
                        let declared = (conditions.len(), loops);
                        let scalar = Scalar { depends: Depends::Nothing, writes: Vec::new(), declared };
                        self.scalars.insert(buffer, scalar);
                    }
                    self.collect(body, conditions, loops);
                }
                StmtKind::Assign { target, value } => self.write(target, value, conditions, loops, false),
                StmtKind::Reduce { target, value, .. } => self.write(target, value, conditions, loops, true),
                StmtKind::If { cond, then, els } => {
                    conditions.push(cond);
                    self.collect(then, conditions, loops);
                    self.collect(els, conditions, loops);
                    conditions.pop();
                }
                StmtKind::For(each) => {
                    self.inner.push(each.iter);
                    self.collect(&each.body, conditions, loops + 1);
                }
                StmtKind::While(each) => {
                    self.inner.push(each.counter);
                    self.collect(&each.head, conditions, loops + 1);
                    self.collect(&each.body, conditions, loops + 1);
                }
                StmtKind::Guarded { .. }
                | StmtKind::Swap { .. }
                | StmtKind::Call { .. }
                | StmtKind::Fork { .. } => {
                    stmt.writes(&mut |buffer| {
                        if let Some(scalar) = self.scalars.get_mut(&buffer) {
                            scalar.depends = Depends::Other;
                        }
                    });
                }
                StmtKind::Check { .. } => {}
            }
        }
    }

    fn write(
        &mut self,
        target: &Place,
        value: &'p Expr,
        conditions: &[&'p Expr],
        loops: usize,
        updates: bool,
    ) {
        if let Some(scalar) = self.scalars.get_mut(&target.buffer) {
            let (outside, declared) = scalar.declared;
            let conditions = conditions[outside..].to_vec();
            scalar.writes.push(Write { value, conditions, in_loop: loops > declared, updates });
        }
    }

    /// From the assumption that nothing depends on anything to the smallest solution.
    fn settle(&mut self) {
        loop {
            let mut changed = Vec::new();
            for (&buffer, scalar) in &self.scalars {
                let depends = scalar.writes.iter().fold(scalar.depends, |depends, write| {
                    let conditions = write.conditions.iter();
                    let own =
                        conditions.fold(self.depends(write.value), |all, cond| all.and(self.depends(cond)));
                    depends.and(if write.in_loop { Depends::Other } else { own })
                });
                if depends != scalar.depends {
                    changed.push((buffer, depends));
                }
            }
            if changed.is_empty() {
                return;
            }
            for (buffer, depends) in changed {
                if let Some(scalar) = self.scalars.get_mut(&buffer) {
                    scalar.depends = depends;
                }
            }
        }
    }

    /// What decides the value of an expression of the body.
    pub(super) fn depends(&self, expr: &Expr) -> Depends {
        if *expr == self.key {
            return Depends::Key;
        }
        match &expr.kind {
            ExprKind::Iter(iter) if self.inner.contains(iter) => Depends::Other,
            ExprKind::Extent(buffer, _) if self.written.contains(*buffer) => Depends::Other,
            ExprKind::Binary(_, lhs, rhs) => self.depends(lhs).and(self.depends(rhs)),
            ExprKind::Load(place) => match self.scalars.get(&place.buffer) {
                Some(scalar) => scalar.depends,
                None if self.written.contains(place.buffer) => Depends::Other,
                None => self.all(&place.index),
            },
            _ => self.all(expr.operands()),
        }
    }

    fn all(&self, list: &[Expr]) -> Depends {
        list.iter().fold(Depends::Nothing, |all, expr| all.and(self.depends(expr)))
    }

    /// Whether the buffer is declared outside of the loop and keeps its elements while the loop runs.
    pub(super) fn is_fixed(&self, buffer: BufferId) -> bool {
        !self.written.contains(buffer)
            && !self.own.contains(buffer)
            && self.program[buffer].layout == Layout::RowMajor
    }
}
