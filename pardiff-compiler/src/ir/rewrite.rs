//! Names and values in the place of others, in all statements of a block and in those inside them.

use super::{Block, BufferId, Expr, ExprKind, IterId, Place, Program, Stmt, walk, walk_mut};
use crate::map::Map;

/// Calls `change` on every expression that the statements evaluate.
pub fn change_exprs(block: &mut [Stmt], change: &mut dyn FnMut(&mut Expr)) {
    block.iter_mut().for_each(|stmt| stmt.change_exprs(change));
}

/// Puts a value in the place of an iterator.
pub fn substitute(block: &mut [Stmt], iter: IterId, value: &Expr) {
    change_exprs(block, &mut |expr| expr.substitute(iter, value));
}

/// The same in the extents of the buffers that they declare as well.
pub fn substitute_all(program: &mut Program, block: &mut [Stmt], iter: IterId, value: &Expr) {
    substitute(block, iter, value);
    for buffer in super::declared(block).iter() {
        program[buffer].dims.iter_mut().for_each(|dim| dim.substitute(iter, value));
    }
}

/// Puts a value in the place of loads of an element.
pub fn replace_loads(block: &mut [Stmt], place: &Place, value: &Expr) {
    change_exprs(block, &mut |expr| expr.replace_loads(place, value));
}

impl Expr {
    /// Renames the buffers that it loads from.
    pub fn rename_loads(&mut self, rename: &dyn Fn(&mut BufferId)) {
        self.change(&mut |node| {
            if let ExprKind::Load(place) = &mut node.kind {
                rename(&mut place.buffer);
            }
        });
    }

    /// Puts a value in the place of loads of an element.
    pub fn replace_loads(&mut self, place: &Place, value: &Expr) {
        self.change(&mut |node| {
            if matches!(&node.kind, ExprKind::Load(other) if other == place) {
                *node = value.clone();
            }
        });
    }
}

/// What buffers and iterators are called from now on.
pub struct Names<'a> {
    /// Renames a buffer.
    pub buffer: &'a dyn Fn(&mut BufferId),
    /// Renames an iterator.
    pub iter: &'a dyn Fn(&mut IterId),
}

impl Names<'_> {
    /// Renames what an expression names.
    pub fn expr(&self, expr: &mut Expr) {
        expr.change(&mut |node| match &mut node.kind {
            ExprKind::Iter(iter) => (self.iter)(iter),
            ExprKind::Extent(buffer, _) => (self.buffer)(buffer),
            ExprKind::Load(place) => (self.buffer)(&mut place.buffer),
            _ => {}
        });
    }

    /// Renames what statements name and declare.
    pub fn block(&self, block: &mut [Stmt]) {
        walk_mut(block, &mut |stmt| {
            stmt.exprs_mut().into_iter().for_each(|expr| self.expr(expr));
            stmt.iter_mut().into_iter().for_each(self.iter);
            stmt.buffers_mut().into_iter().for_each(self.buffer);
        });
    }
}

/// Renames the buffers that statements load from.
pub fn rename_loads(block: &mut [Stmt], rename: &dyn Fn(&mut BufferId)) {
    change_exprs(block, &mut |expr| expr.rename_loads(rename));
}

/// Lets statements use the elements of another buffer; extents stay.
pub fn rename_buffer(block: &mut [Stmt], from: BufferId, to: BufferId) {
    let rename = |id: &mut BufferId| *id = if *id == from { to } else { *id };
    rename_loads(block, &rename);
    walk_mut(block, &mut |stmt| stmt.buffers_mut().into_iter().for_each(rename));
}

/// A copy of a block in which every iterator and every buffer that it declares is a new one, as a program declares each
/// once.
pub fn clone_stmts(program: &mut Program, block: &[Stmt]) -> Block {
    let (mut iters, mut buffers) = (Map::<IterId, IterId>::default(), Map::<BufferId, BufferId>::default());
    walk(block, &mut |stmt| {
        if let Some(iter) = stmt.iter() {
            let like = program[iter].clone();
            iters.insert(iter, program.add_iter(&like.name, like.ty));
        }
        for &buffer in stmt.declares() {
            let like = program[buffer].clone();
            buffers.insert(buffer, program.add_buffer(like));
        }
    });
    let names = Names {
        buffer: &|id| *id = buffers.get(id).copied().unwrap_or(*id),
        iter: &|id| *id = iters.get(id).copied().unwrap_or(*id),
    };
    for &id in buffers.values() {
        let buffer = &mut program[id];
        buffer.dims.iter_mut().for_each(|dim| names.expr(dim));
        buffer.role.derived_from_mut().into_iter().for_each(names.buffer);
    }
    let mut copy = block.to_vec();
    names.block(&mut copy);
    copy
}
