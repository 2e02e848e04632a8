//! Loops that begin a little later in some iterations of the loops around them, as those over one colour of a grid do: how long
//! the longest is, for tapes with rows of one length.
//!
//! ```text
//! for i in 1..n { for j in (1 + (i + colour) % 2..n).step_by(2) { … } }   a tape [i - 1, (j - first) / 2] of extents [.., (n - 1) / 2]
//! ```
//!
//! *Legality*: the loop begins at a number between two constants `least` and `greatest`, and one that begins later has no more
//! iterations, so each slot lies inside of its row. *Memory*: a row has at most `greatest - least` slots more than the loop
//! has iterations, a few for each iteration of the loops around it. Without this the rows are ragged: where they start is a
//! running sum, and the tapes grow and move while they are written.

use crate::adjoint::reverse_stmt::Sweep;
use crate::adjoint::tape_layout::trip_count;
use crate::ir::{BinOp, Expr, ExprKind, For, Ty};
use crate::limits::STAGGER;

impl Sweep<'_> {
    /// The most iterations that a loop has which begins at one of a few numbers, as an expression that is right when the
    /// tapes of the current statement of the region open; `None` for other loops.
    pub(crate) fn longest_staggered(&self, looped: &For) -> Option<Expr> {
        let (least, greatest) = self.between(&looped.lo)?;
        if greatest - least > STAGGER {
            return None;
        }
        let (hi, step) = (self.when_opening(&looped.hi)?, self.when_opening(&looped.step)?);
        Some(trip_count(looped, Expr::int(looped.lo.ty, least), hi, step))
    }

    /// Two numbers that an index lies between, if its form says so. All of them are far below the greatest `usize` of any machine.
    fn between(&self, index: &Expr) -> Option<(i128, i128)> {
        if index.ty != Ty::USIZE {
            return None;
        }
        let (least, greatest) = match &index.kind {
            ExprKind::Int(number) => (*number, *number),
            ExprKind::Load(place) if place.index.is_empty() => {
                self.between(self.structure.single_definition(place.buffer)?.as_assign()?.1)?
            }
            ExprKind::Binary(op, a, b) => match (op, &b.kind) {
                (BinOp::Rem, ExprKind::Int(divisor @ 1..)) => (0, divisor - 1),
                (BinOp::BitAnd, ExprKind::Int(mask @ 0..)) => (0, *mask),
                (BinOp::Add, _) => {
                    let (a, b) = (self.between(a)?, self.between(b)?);
                    (a.0 + b.0, a.1 + b.1)
                }
                (BinOp::Sub, _) => {
                    let (a, b) = (self.between(a)?, self.between(b)?);
                    (a.0 - b.1, a.1 - b.0)
                }
                _ => return None,
            },
            _ => return None,
        };
        (0 <= least && greatest <= i128::from(u16::MAX)).then_some((least, greatest))
    }
}
