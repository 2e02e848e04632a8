//! Arrays of which each chunk of a task loop has a part of its own.
//!
//! ```text
//! for c in 0..chunks parallel(task)        own part of d_x_parts in chunk c:
//!   d_x_parts[c][j][k] += …                c * n * 3 .. (c + 1) * n * 3
//! ```
//!
//! Lanes that are not active may add nothing to elements there: nobody else reads or writes these meanwhile.
//!
//! *Legality.* All accesses of the array in the loop have the loop's iterator as their first index, so the elements behind it are
//! those of one chunk, and lie together in the order of rows.

use super::emitter::Emitter;
use super::{Code, code};
use crate::ir::{BinOp, BufferId, BufferSet, Expr, ExprKind, For, IterId, Layout, Place, Ty};

/// The parts of one chunk.
pub(super) struct Parts {
    chunk: IterId,
    arrays: BufferSet,
}

impl Parts {
    /// Those of the chunks of a loop.
    pub(super) fn of(it: &For) -> Parts {
        let chunk = Expr::iter(it.iter, Ty::USIZE);
        let (mut arrays, mut others) = (BufferSet::new(), BufferSet::new());
        let mut access = |place: &Place| {
            let in_part = place.index.len() > 1 && place.index[0] == chunk;
            let set = if in_part { &mut arrays } else { &mut others };
            set.insert(place.buffer);
        };
        let mut whole = BufferSet::new();
        for stmt in &it.body {
            stmt.walk(&mut |stmt| {
                if let Some((target, _)) = stmt.as_store() {
                    access(target);
                }
                stmt.whole().for_each(|buffer| _ = whole.insert(buffer));
                stmt.each_expr(&mut |expr| {
                    expr.walk(&mut |expr| {
                        if let ExprKind::Load(place) = &expr.kind {
                            access(place);
                        }
                    });
                });
            });
        }
        arrays.subtract(&others);
        arrays.subtract(&whole);
        Parts { chunk: it.iter, arrays }
    }
}

impl Emitter<'_> {
    /// The positions of an array that no other chunk touches, as far as that is known.
    pub(super) fn own_part(&self, buffer: BufferId) -> Code {
        let by_rows = self.program[buffer].layout == Layout::RowMajor;
        let Some(parts) = self.parts.as_ref().filter(|parts| by_rows && parts.arrays.contains(buffer)) else {
            return code!(0..0);
        };
        let dims = self.program[buffer].dims.iter().enumerate().skip(1);
        let extent =
            |(dim, extent): (usize, &Expr)| extent.as_usize().map_or(Expr::extent(buffer, dim), Expr::usize);
        let product = |a, b| Expr::binary(BinOp::Mul, a, b);
        let Some(len) = dims.map(extent).reduce(product) else { return code!(0..0) };
        let chunk = Expr::iter(parts.chunk, Ty::USIZE);
        let next = Expr::binary(BinOp::Add, chunk.clone(), Expr::usize(1));
        let [from, to] = [product(chunk, len.clone()), product(next, len)].map(|at| self.typed(&at));
        code!(#from..#to)
    }
}
