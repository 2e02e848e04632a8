//! Coordinates that have a name give way to what they name, in indices that go along a row with it.
//!
//! ```text
//! for j in 0..width                             for j in 0..width
//!   jj = j as isize + d - 1                       jj = j as isize + d - 1
//!   if (0 <= jj) & (jj < width as isize)   =>     if (0 <= jj) & (jj < width as isize)
//!     s += x[i * width + jj as usize]               s += x[i * width + (j as isize + d - 1) as usize]
//! ```
//!
//! So it is seen that lanes over `j` find neighbours beside each other. Only of names that conditions compare: others have given
//! way before ([`indices`](crate::normalise::indices)) where that is better.
//!
//! *Legality.* One statement of the loop writes the name, in a block around the index and in front of it. Its value is made of
//! iterators of loops around it and of scalars that the loop does not write, by arithmetic of integers as wide as a `usize`, so
//! it is the same at the index, in the same iteration. Conditions keep the name, and so do checks: nothing that was proved of
//! them is asked again.

use super::stride::{Walk, walk};
use crate::ir::{BinOp, Block, BufferId, BufferSet, Expr, ExprKind, IterId, Place, Program, Role, Stmt};
use crate::limits::FORWARDED_IN_LANES;

/// Writes coordinates out in a loop.
pub(super) fn write_out(program: &Program, element: &mut Stmt) {
    let [written, twice, compared] = [(); 3].map(|()| BufferSet::new());
    let mut names = Names { program, written, twice, compared, known: Vec::new() };
    element.walk(&mut |stmt| {
        if let Some((cond, _, _)) = stmt.as_if() {
            cond.walk(&mut |node| {
                if let ExprKind::Binary(op, lhs, rhs) = &node.kind
                    && op.is_comparison()
                {
                    names.compared.extend([lhs, rhs].into_iter().filter_map(|side| scalar(side)));
                }
            });
        }
        stmt.writes_itself(&mut |buffer| _ = names.written.insert(buffer) || names.twice.insert(buffer));
    });
    names.stmt(element, &mut Vec::new());
}

/// A loop around a statement.
struct Around {
    iter: IterId,
    /// What it writes.
    written: BufferSet,
}

/// The scalar that a side of a comparison is.
fn scalar(side: &Expr) -> Option<BufferId> {
    match &side.kind {
        ExprKind::Cast(operand) => scalar(operand),
        ExprKind::Load(place) if place.index.is_empty() => Some(place.buffer),
        _ => None,
    }
}

struct Names<'p> {
    program: &'p Program,
    /// What the loop writes.
    written: BufferSet,
    /// What more than one statement writes.
    twice: BufferSet,
    /// What conditions compare.
    compared: BufferSet,
    /// The names in front of the statement, and what they are.
    known: Vec<(BufferId, Expr)>,
}

impl Names<'_> {
    fn stmt(&mut self, stmt: &mut Stmt, around: &mut Vec<Around>) {
        if !self.known.is_empty() && stmt.as_check().is_none() {
            self.indices(stmt, around);
        }
        let outside = around.len();
        if let Some(each) = stmt.as_for() {
            around.push(Around { iter: each.iter, written: crate::ir::written(&each.body) });
        }
        stmt.blocks_mut().into_iter().for_each(|block| self.block(block, around));
        around.truncate(outside);
    }

    fn block(&mut self, block: &mut Block, around: &mut Vec<Around>) {
        let before = self.known.len();
        for stmt in block {
            self.stmt(stmt, around);
            if let Some((target, value)) = stmt.as_assign()
                && self.is_name(target)
                && let Some(formula) = self.formula(value)
            {
                self.known.push((target.buffer, formula));
            }
        }
        self.known.truncate(before);
    }

    fn is_name(&self, target: &Place) -> bool {
        let buffer = &self.program[target.buffer];
        target.index.is_empty()
            && buffer.elem.is_word()
            && buffer.role == Role::Local
            && self.compared.contains(target.buffer)
            && !self.twice.contains(target.buffer)
    }

    /// What a value is in iterators and in what the loop does not write.
    fn formula(&self, value: &Expr) -> Option<Expr> {
        let formula = self.without_names(value);
        let (mut nodes, mut is_formula) = (0, true);
        formula.walk(&mut |node| {
            nodes += 1;
            is_formula &= node.ty.is_word()
                && match &node.kind {
                    ExprKind::Int(_) | ExprKind::Iter(_) | ExprKind::Extent(..) | ExprKind::Cast(_) => true,
                    ExprKind::Load(place) => place.index.is_empty() && !self.written.contains(place.buffer),
                    ExprKind::Binary(op, ..) => matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul),
                    _ => false,
                };
        });
        (is_formula && nodes <= FORWARDED_IN_LANES).then_some(formula)
    }

    fn without_names(&self, expr: &Expr) -> Expr {
        expr.map(&mut |node| match &node.kind {
            ExprKind::Load(place) => self.known_as(place.buffer).cloned().unwrap_or(node),
            _ => node,
        })
    }

    fn known_as(&self, name: BufferId) -> Option<&Expr> {
        self.known.iter().find(|(known, _)| *known == name).map(|(_, formula)| formula)
    }

    /// Writes the names out in the indices of a statement's own accesses.
    fn indices(&self, stmt: &mut Stmt, around: &[Around]) {
        if let Some((target, _)) = stmt.as_store_mut() {
            self.place(target, around);
        }
        for expr in stmt.exprs_mut() {
            if self.mentions(expr) {
                *expr = expr.map(&mut |mut node| {
                    if let ExprKind::Load(place) = &mut node.kind {
                        self.place(place, around);
                    }
                    node
                });
            }
        }
    }

    fn mentions(&self, expr: &Expr) -> bool {
        expr.any(
            &mut |node| matches!(&node.kind, ExprKind::Load(place) if self.known_as(place.buffer).is_some()),
        )
    }

    fn place(&self, place: &mut Place, around: &[Around]) {
        if !place.index.iter().any(|index| self.mentions(index)) {
            return;
        }
        let index = place.index.iter().map(|index| self.without_names(index)).collect();
        let plain = Place { index, ..place.clone() };
        let along_a_row = |place: &Place| {
            let along = |each: &Around| walk(place, each.iter, &|local| each.written.contains(local.buffer));
            around.iter().any(|each| along(each) == Walk::Contiguous)
        };
        if !along_a_row(place) && along_a_row(&plain) {
            *place = plain;
        }
    }
}
