//! Copies of statements with a value for an iterator, and with buffers and iterators of their own.

use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, Int, IterId, Program, Stmt, Ty, UnOp};
use crate::map::Map;

/// The value of an integer expression of constants and of iterators with a value; `None` if it has none, or another
/// one on machines of other widths.
pub(in crate::normalise) fn value(expr: &Expr, with: &Map<IterId, i128>) -> Option<i128> {
    let Ty::Int(ty) = expr.ty else { return None };
    let value = match &expr.kind {
        ExprKind::Int(value) => *value,
        ExprKind::Iter(iter) => *with.get(iter)?,
        ExprKind::Cast(of) => value(of, with)?,
        ExprKind::Binary(op, lhs, rhs) => op.of_integers(value(lhs, with)?, value(rhs, with)?)?,
        _ => return None,
    };
    let fits = ty != Int::U128 && ty.holds(value) && i32::try_from(value).is_ok();
    fits.then_some(value)
}

/// What stands for what in a copy.
pub(super) struct Copy<'p> {
    pub(super) program: &'p mut Program,
    /// Values of iterators.
    pub(super) values: Map<IterId, i128>,
    /// The copy's own iterators.
    pub(super) iters: Map<IterId, IterId>,
    /// The copy's own buffers.
    pub(super) buffers: Map<BufferId, BufferId>,
    /// Whether every operation on constants has a value.
    pub(super) is_valid: bool,
}

impl Copy<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Block {
        block.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let mut copy = stmt.clone();
        if let Some((buffers, _)) = copy.as_scope_mut() {
            buffers.iter_mut().for_each(|it| *it = self.declare(*it));
        } else {
            copy.buffers_mut().into_iter().for_each(|it| *it = self.buffer(*it));
        }
        if let Some(iter) = copy.iter_mut() {
            *iter = self.own_iter(*iter);
        }
        for expr in copy.exprs_mut() {
            *expr = self.expr(expr);
        }
        for block in copy.blocks_mut() {
            *block = self.block(block);
        }
        copy
    }

    fn own_iter(&mut self, iter: IterId) -> IterId {
        let it = self.program[iter].clone();
        let own = self.program.add_iter(&it.name, it.ty);
        self.iters.insert(iter, own);
        own
    }

    fn declare(&mut self, buffer: BufferId) -> BufferId {
        let mut it = self.program[buffer].clone();
        let own = self.program.add_buffer(it.clone());
        // first, because the extent of an array that grows is its own
        self.buffers.insert(buffer, own);
        it.dims = it.dims.iter().map(|extent| self.expr(extent)).collect();
        self.program[own] = it;
        own
    }

    fn buffer(&self, buffer: BufferId) -> BufferId {
        self.buffers.get(&buffer).copied().unwrap_or(buffer)
    }

    fn expr(&mut self, expr: &Expr) -> Expr {
        let (values, iters, buffers) = (&self.values, &self.iters, &self.buffers);
        let is_valid = &mut self.is_valid;
        let none = Map::default();
        let buffer = |buffer: &mut BufferId| *buffer = buffers.get(buffer).copied().unwrap_or(*buffer);
        expr.map(&mut |mut expr| {
            match &mut expr.kind {
                ExprKind::Iter(iter) => match values.get(iter) {
                    Some(&value) => expr.kind = ExprKind::Int(value),
                    None => *iter = iters.get(iter).copied().unwrap_or(*iter),
                },
                ExprKind::Load(place) => buffer(&mut place.buffer),
                ExprKind::Extent(of, _) => buffer(of),
                _ => {}
            }
            if let Some(value) = value(&expr, &none) {
                expr.kind = ExprKind::Int(value);
            }
            *is_valid &= has_value(&expr);
            expr
        })
    }
}

/// Whether nothing shows that an operation, folded if it could be, has no value: a shift by too much, a division by
/// zero, an overflow.
fn has_value(expr: &Expr) -> bool {
    let constant = |expr: &Expr| matches!(expr.kind, ExprKind::Int(_));
    match &expr.kind {
        ExprKind::Binary(op, lhs, rhs) if expr.ty.is_int() => match op {
            BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => true,
            BinOp::Shl | BinOp::Shr => !matches!(rhs.kind, ExprKind::Int(by) if !(0..8).contains(&by)),
            BinOp::Div | BinOp::Rem => !constant(lhs) && rhs.kind != ExprKind::Int(0) || !constant(rhs),
            _ => !(constant(lhs) && constant(rhs)),
        },
        ExprKind::Unary(UnOp::Neg, of) if expr.ty.is_int() => !constant(of),
        _ => true,
    }
}
