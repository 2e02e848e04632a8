//! How a position in memory depends on the lane: `rest + coefficient * l` in the arithmetic modulo the width of
//! `usize`, which regrouping cannot change; the range check behind it is about the true positions.

use super::Lanes;
use crate::backend::rust::{Code, code};
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, Place, Stmt, Ty};

/// The step from one lane to the next.
pub(super) enum Stride {
    None,
    One,
    By(Code),
}

impl Lanes<'_, '_> {
    /// The position of an element, with what locals of the body stand for in it written out:
    ///
    /// ```text
    /// from = (y as isize - dy) * nx as isize + x as isize - dx
    /// … f[from as usize] …                                     # consecutive elements as `x` counts up
    /// ```
    ///
    /// *Legality.* The local is assigned once, in every iteration, and what it is computed from does not change in the loop.
    pub(super) fn position(&self, place: &Place) -> Expr {
        self.emitter.position(place).map(&mut |node| match &node.kind {
            ExprKind::Load(local) if local.index.is_empty() && node.ty.is_word() => {
                self.stands_for(local.buffer).cloned().unwrap_or(node)
            }
            _ => node,
        })
    }

    /// The value that a local of the body has in an iteration.
    fn stands_for(&self, local: BufferId) -> Option<&Expr> {
        if !self.own.contains(local) {
            return None;
        }
        let mut writes = 0;
        let mut count = |stmt: &Stmt| {
            if stmt.blocks().is_empty() {
                stmt.writes(&mut |buffer| writes += u32::from(buffer == local));
            }
        };
        self.it.body.iter().for_each(|stmt| stmt.walk(&mut count));
        let value = always_assigned(&self.it.body, local)?;
        (writes == 1 && self.is_invariant(value, true)).then_some(value)
    }

    /// The parts of an integer expression, as wide as a `usize`, that is affine in the iterator of the loop.
    pub(super) fn split(&self, expr: &Expr) -> Option<(Stride, Code)> {
        if !self.varies_expr(expr) {
            let same = match expr.ty {
                Ty::USIZE => self.emitter.untyped_operand(expr),
                _ => self.uniform_word(expr),
            };
            return Some((Stride::None, same));
        }
        match (expr.modular(), &expr.kind) {
            (_, ExprKind::Cast(value)) if expr.ty.is_word() && value.ty.is_word() => self.split(value),
            (_, ExprKind::Iter(iter)) if *iter == self.it.iter && expr.ty == Ty::USIZE => {
                Some((Stride::One, code!(0_usize)))
            }
            (Some((BinOp::Add, lhs, rhs)), _) => {
                let ((a, x), (b, y)) = (self.split(lhs)?, self.split(rhs)?);
                let stride = match (a, b) {
                    (a, Stride::None) => a,
                    (Stride::None, b) => b,
                    (a, b) => {
                        let (a, b) = (tokens(a), tokens(b));
                        Stride::By(code!(usize::wrapping_add(#a, #b)))
                    }
                };
                Some((stride, sum(x, y)))
            }
            (Some((BinOp::Sub, lhs, rhs)), _) => {
                let ((a, x), (b, y)) = (self.split(lhs)?, self.split(rhs)?);
                let stride = match (a, b) {
                    (a, Stride::None) => a,
                    (a, b) => {
                        let (a, b) = (tokens(a), tokens(b));
                        Stride::By(code!(usize::wrapping_sub(#a, #b)))
                    }
                };
                Some((stride, code!(usize::wrapping_sub(#x, #y))))
            }
            (Some((_, lhs, rhs)), _) => {
                let (affine, factor) = if self.varies_expr(lhs) { (lhs, rhs) } else { (rhs, lhs) };
                if self.varies_expr(factor) {
                    return None;
                }
                let (stride, rest) = self.split(affine)?;
                let factor = self.uniform_word(factor);
                let stride = match stride {
                    Stride::None => Stride::None,
                    Stride::One => Stride::By(code!((#factor))),
                    Stride::By(stride) => Stride::By(code!(usize::wrapping_mul(#stride, #factor))),
                };
                let rest = if is_zero(&rest) { rest } else { code!(usize::wrapping_mul(#rest, #factor)) };
                Some((stride, rest))
            }
            _ => None,
        }
    }

    /// What is the same in every lane, as a `usize`.
    fn uniform_word(&self, expr: &Expr) -> Code {
        if expr.ty == Ty::USIZE {
            return self.emitter.typed(expr);
        }
        // a constant without its type would be one of the type that it is cast to, of which `-1` may be none
        let value = self.emitter.untyped(expr);
        code!(((#value) as usize))
    }
}

/// What every iteration that comes to the end of the block assigns to the local.
fn always_assigned(block: &Block, local: BufferId) -> Option<&Expr> {
    block.iter().find_map(|stmt| match stmt.as_scope() {
        Some((_, body)) => always_assigned(body, local),
        None => stmt.as_assign().filter(|(target, _)| target.buffer == local).map(|(_, value)| value),
    })
}

fn tokens(stride: Stride) -> Code {
    match stride {
        Stride::None => code!(0_usize),
        Stride::One => code!(1_usize),
        Stride::By(tokens) => tokens,
    }
}

fn sum(x: Code, y: Code) -> Code {
    if is_zero(&x) {
        y
    } else if is_zero(&y) {
        x
    } else {
        code!(usize::wrapping_add(#x, #y))
    }
}

fn is_zero(tokens: &Code) -> bool {
    tokens.is("0_usize")
}
