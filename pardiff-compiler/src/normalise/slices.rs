//! Loops over a part of an array are loops over the positions in the array.
//!
//! ```text
//! before                                            after
//!   for i in 0..n                                     for i in 0..n
//!     check start[i] <= start[i + 1]                    check start[i] <= start[i + 1]
//!     row = start[i]                                    row = start[i]
//!     len = start[i + 1] - start[i]                     len = start[i + 1] - start[i]
//!     for k in 0..len                                   for k in start[i]..start[i + 1]
//!       at = row + k                                      at = k
//!       s += w[at] * w[at]                                s += w[at] * w[at]
//! ```
//!
//! `w[start[i]..start[i + 1]].iter()` is how people name a row of a sparse matrix. That rows do not overlap, which lets all of
//! them be updated at once, is known of the ends of loops; and vectors of a row are found by its iterator.
//!
//! *Legality.* The length is the difference of two values of which a check in front says that it is none below zero, so there
//! are as many iterations, in the same order. The iterator is used for nothing but the sum of it and the beginning, which is the new iterator.
//! Both ends are made of constants, iterators around, arrays that nobody writes and scalars with one definition in front, so
//! that they have their values at the loop.

use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, For, Func, IterId, Program, Stmt, Ty};
use crate::limits::SLICE_END;

/// Lets such loops run along the array.
pub fn along(mut program: Program) -> Program {
    let mut writes = vec![0; program.buffers.len()];
    for stmt in &program.body {
        stmt.walk(&mut |stmt| stmt.writes_itself(&mut |buffer| writes[buffer.0 as usize] += 1));
    }
    let mut body = std::mem::take(&mut program.body);
    let mut known = Known { program: &program, writes, values: Vec::new(), ascending: Vec::new() };
    known.block(&mut body);
    program.body = body;
    program
}

/// What is known at a statement.
struct Known<'p> {
    program: &'p Program,
    /// By buffer: how many statements write it.
    writes: Vec<u32>,
    /// Scalars with one definition, and what they are made of.
    values: Vec<(BufferId, Expr)>,
    /// Pairs of which the first is not above the second.
    ascending: Vec<(Expr, Expr)>,
}

impl Known<'_> {
    fn block(&mut self, block: &mut Block) {
        let known = (self.values.len(), self.ascending.len());
        for stmt in block {
            if let Some((scalar, value)) = stmt.as_scalar_assign() {
                if self.writes[scalar.0 as usize] == 1 && self.stays(value) {
                    self.values.push((scalar, value.clone()));
                }
            } else if let Some((cond, _)) = stmt.as_check() {
                self.learn(cond);
            } else if let Some(each) = stmt.as_for_mut() {
                self.shift(each);
            }
            stmt.blocks_mut().into_iter().for_each(|block| self.block(block));
        }
        self.values.truncate(known.0);
        self.ascending.truncate(known.1);
    }

    fn learn(&mut self, cond: &Expr) {
        match &cond.kind {
            ExprKind::Binary(BinOp::BitAnd, one, other) if cond.ty == Ty::Bool => {
                self.learn(one);
                self.learn(other);
            }
            ExprKind::Binary(BinOp::Le, lo, hi) => self.ascending.push(((**lo).clone(), (**hi).clone())),
            _ => {}
        }
    }

    /// Whether `expr` is made of what does not change behind it in its block.
    fn stays(&self, expr: &Expr) -> bool {
        let mut nodes = 0;
        let mut stays = expr.ty == Ty::USIZE;
        expr.walk(&mut |part| {
            nodes += 1;
            stays &= match &part.kind {
                ExprKind::Load(place) => {
                    let is_defined = || self.values.iter().any(|(scalar, _)| *scalar == place.buffer);
                    self.writes[place.buffer.0 as usize] == 0 || is_defined()
                }
                ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) | ExprKind::Cast(_) => {
                    part.ty.is_int()
                }
                ExprKind::Call(Func::IntMin, ..) | ExprKind::Int(_) | ExprKind::Iter(_) => true,
                _ => false,
            };
        });
        stays && nodes <= SLICE_END
    }

    /// What a scalar with one definition is made of, or the expression itself.
    fn value<'e>(&'e self, expr: &'e Expr) -> &'e Expr {
        match &expr.kind {
            ExprKind::Load(place) if place.index.is_empty() => {
                let definition = self.values.iter().find(|(scalar, _)| *scalar == place.buffer);
                definition.map_or(expr, |(_, value)| self.value(value))
            }
            _ => expr,
        }
    }

    /// The ends whose difference `length` is, or the shorter of two that are the same.
    fn ends(&self, length: &Expr) -> Option<(Expr, Expr)> {
        match &self.value(length).kind {
            ExprKind::Binary(BinOp::Sub, hi, lo) => {
                let is_it = |(low, high): &&(Expr, Expr)| low == &**lo && high == &**hi;
                self.ascending.iter().find(is_it).cloned()
            }
            ExprKind::Call(Func::IntMin, _, lengths) => {
                let mut ends = lengths.iter().map(|length| self.ends(length));
                let first = ends.next()??;
                ends.all(|other| other.as_ref() == Some(&first)).then_some(first)
            }
            _ => None,
        }
    }

    fn shift(&self, each: &mut For) {
        let from_zero = each.lo.kind == ExprKind::Int(0) && each.step.kind == ExprKind::Int(1);
        if !from_zero || each.inclusive || each.hi.ty != Ty::USIZE {
            return;
        }
        let Some((lo, hi)) = self.ends(&each.hi).filter(|(lo, hi)| self.stays(lo) && self.stays(hi)) else {
            return;
        };
        // `k < len` is what the loop says
        let is_said = |cond: &Expr| match &cond.kind {
            ExprKind::Binary(BinOp::Lt, index, length) => {
                is_iter(index, each.iter) && self.ends(length).as_ref() == Some(&(lo.clone(), hi.clone()))
            }
            _ => false,
        };
        let mut body = each.body.clone();
        remove_checks(&mut body, &is_said);
        let is_position = |expr: &Expr| match &expr.kind {
            ExprKind::Binary(BinOp::Add, one, other) => {
                let are = |iter: &Expr, from: &Expr| {
                    is_iter(iter, each.iter) && self.value(from) == self.value(&lo)
                };
                are(one, other) || are(other, one)
            }
            _ => false,
        };
        let (mut positions, mut mentions) = (0, 0);
        for stmt in &body {
            stmt.walk(&mut |stmt| {
                stmt.each_evaluated(self.program, &mut |expr| {
                    expr.walk(&mut |part| {
                        positions += u32::from(is_position(part));
                        mentions += u32::from(is_iter(part, each.iter));
                    });
                });
            });
        }
        let mut replaced = 0;
        for stmt in &mut body {
            replace(stmt, &mut |expr| {
                let found = is_position(&expr);
                replaced += u32::from(found);
                if found { Expr::iter(each.iter, Ty::USIZE) } else { expr }
            });
        }
        // the extents of arrays in the loop are evaluated, and not replaced
        if positions == mentions && replaced == mentions {
            (each.lo, each.hi, each.body) = (lo, hi, body);
        }
    }
}

/// Removes checks of what is known from `block` and the blocks in it.
fn remove_checks(block: &mut Block, is_known: &dyn Fn(&Expr) -> bool) {
    block.retain(|stmt| !stmt.as_check().is_some_and(|(cond, _)| is_known(cond)));
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(|block| remove_checks(block, is_known));
    }
}

/// Rewrites the expressions of `stmt` and of what is inside it.
fn replace(stmt: &mut Stmt, rewrite: &mut dyn FnMut(Expr) -> Expr) {
    stmt.exprs_mut().into_iter().for_each(|expr| *expr = expr.map(rewrite));
    for block in stmt.blocks_mut() {
        block.iter_mut().for_each(|inner| replace(inner, rewrite));
    }
}

fn is_iter(expr: &Expr, iter: IterId) -> bool {
    expr.kind == ExprKind::Iter(iter)
}
