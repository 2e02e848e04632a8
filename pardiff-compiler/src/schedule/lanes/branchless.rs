//! A condition around cheap sums into locals becomes sums of what is neutral where it does not hold.
//!
//! ```text
//! t = x[k[i]] - own                       t = x[k[i]] - own
//! if t > 0.0                              d_own += select(t > 0.0, -d, -0.0)
//!   d_own += -d                      =>   d_own += select(t < 0.0, d, -0.0)
//! if t < 0.0
//!   d_own += d
//! ```
//!
//! Such are the derivatives of `abs`, `max` and `min`. A lane of a block that the condition leaves out keeps its element by
//! a store under a mask, which many processors execute in microcode and hand on to no load; and what stands under a
//! condition is not held in a register. A blend costs one operation.
//!
//! *Legality.* `x + -0.0` is `x` for every `x`, so the sums have the bits they had. What is evaluated where it was not
//! before are comparisons and float arithmetic of scalars: no element is touched, nothing can panic, and each local among
//! them has a value there, since an assignment in a list around stands before the condition. No sum under the condition
//! changes what the condition reads.

use crate::ir::Update;
use crate::ir::{BinOp, Block, BufferSet, Expr, ExprKind, Func, Place, ReduceOp, Stmt, StmtKind, UnOp};
use crate::limits::{BRANCHLESS_OPERATIONS, BRANCHLESS_SUMS};
use crate::schedule::summation::neutral;

/// Replaces the conditions in statements of an element loop, whose locals these are. `assigned` are those of them that have a
/// value, before and behind the statements.
pub(super) fn branchless(block: &mut Block, locals: &BufferSet, assigned: &mut BufferSet) {
    Pass { locals }.block(block, assigned);
}

struct Pass<'a> {
    locals: &'a BufferSet,
}

impl Pass<'_> {
    /// `assigned` are the locals that have a value.
    fn block(&self, block: &mut Block, assigned: &mut BufferSet) {
        let mut out = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            if let Some((_, body)) = stmt.as_scope_mut() {
                self.block(body, assigned);
            } else if let Some((scalar, _)) = stmt.as_scalar_assign() {
                assigned.insert(scalar);
            } else {
                if let Some(sums) = self.sums(&stmt, assigned) {
                    out.extend(sums);
                    continue;
                }
                let inner = stmt.blocks_mut().into_iter();
                inner.for_each(|block| self.block(block, &mut assigned.clone()));
            }
            out.push(stmt);
        }
        *block = out;
    }

    /// What takes the place of a condition.
    fn sums(&self, stmt: &Stmt, assigned: &BufferSet) -> Option<Block> {
        let (cond, then, els) = stmt.as_if()?;
        if then.len() + els.len() > BRANCHLESS_SUMS || !self.is_cheap(cond, assigned) {
            return None;
        }
        let arm = |block: &Block, holds: bool| -> Option<Block> {
            let sums = block.iter().map(|stmt| {
                let Some(Update { op: ReduceOp::Add, target, value, scheme }) = stmt.as_update() else {
                    return None;
                };
                let nothing = neutral(ReduceOp::Add, value.ty).filter(|_| value.ty.is_float())?;
                if !self.has_value(target, assigned) || !self.is_cheap(value, assigned) || reads(cond, target)
                {
                    return None;
                }
                let (yes, no) = if holds { (value.clone(), nothing) } else { (nothing, value.clone()) };
                let value = Expr::select(cond.clone(), yes, no);
                let kind = StmtKind::Reduce { op: ReduceOp::Add, target: target.clone(), value, scheme };
                Some(Stmt::new(kind, stmt.origin))
            });
            sums.collect()
        };
        let mut sums = arm(then, true)?;
        sums.extend(arm(els, false)?);
        Some(sums)
    }

    /// Whether this is a scalar of the loop that has a value.
    fn has_value(&self, place: &Place, assigned: &BufferSet) -> bool {
        place.index.is_empty() && self.locals.contains(place.buffer) && assigned.contains(place.buffer)
    }

    /// Whether an expression consists of few operations on scalars that have values, none of which can panic.
    fn is_cheap(&self, expr: &Expr, assigned: &BufferSet) -> bool {
        let (mut operations, mut cheap) = (0, true);
        expr.walk(&mut |part| {
            operations += 1;
            cheap &= match &part.kind {
                ExprKind::Load(place) => {
                    operations -= 1;
                    let around = place.index.is_empty() && !self.locals.contains(place.buffer);
                    around || self.has_value(place, assigned)
                }
                ExprKind::Float(_) => {
                    operations -= 1;
                    true
                }
                ExprKind::Unary(op, of) => *op == UnOp::Neg && of.ty.is_float() || !part.ty.is_int(),
                ExprKind::Binary(op, a, _) => {
                    a.ty.is_float() && *op != BinOp::Div && *op != BinOp::Rem
                        || !a.ty.is_float() && !a.ty.is_int()
                }
                ExprKind::Call(func, ..) => matches!(func, Func::MulAdd | Func::Abs | Func::IsNan),
                _ => false,
            };
        });
        cheap && operations <= BRANCHLESS_OPERATIONS
    }
}

fn reads(cond: &Expr, target: &Place) -> bool {
    cond.any(&mut |part| matches!(&part.kind, ExprKind::Load(place) if place.buffer == target.buffer))
}
