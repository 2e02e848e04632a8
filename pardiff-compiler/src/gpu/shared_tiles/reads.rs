//! What a kernel reads, and the windows of it that a block has in common.

use crate::gpu::blocks::resolved;
use crate::ir::{
    BufferId, BufferSet, Expr, ExprKind, For, IterId, Layout, Place, Program, Role, Space, Stmt, Ty,
    declared, written,
};
use std::collections::HashMap;

/// The body of a kernel.
pub(super) struct Inside<'a> {
    program: &'a Program,
    /// Its loops, and those that are threads.
    pub(super) loops: HashMap<IterId, &'a For>,
    /// The iterators of those inside, outermost first, and of loops that end when they say so.
    pub(super) iters: Vec<IterId>,
    counters: Vec<IterId>,
    threads: Vec<IterId>,
    /// What it writes or declares.
    pub(super) changed: BufferSet,
    /// The elements of arrays of floats that it reads, each once, where it does not change the array.
    pub(super) places: Vec<Place>,
}

impl<'a> Inside<'a> {
    /// Of the kernel `each`, whose threads run `body`.
    pub(super) fn of(program: &'a Program, each: &'a For, body: &'a [Stmt]) -> Inside<'a> {
        let mut changed = written(&each.body);
        changed.union(&declared(&each.body));
        let mut inside = Inside {
            program,
            loops: HashMap::new(),
            iters: Vec::new(),
            counters: Vec::new(),
            threads: crate::ir::thread_loops(each).iter().map(|each| each.iter).collect(),
            changed,
            places: Vec::new(),
        };
        body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                inside.loops.extend(stmt.as_for().map(|inner| (inner.iter, inner)));
                inside.iters.extend(stmt.as_for().map(|inner| inner.iter));
                inside.counters.extend(stmt.as_while().map(|inner| inner.counter));
                stmt.each_expr(&mut |expr| expr.walk(&mut |node| inside.read(node)));
            });
        });
        inside
    }

    fn read(&mut self, node: &Expr) {
        let ExprKind::Load(place) = &node.kind else { return };
        let of = &self.program[place.buffer];
        let is_global = of.space == Space::Global && !matches!(of.role, Role::Table(_) | Role::Tile);
        if !place.index.is_empty()
            && of.elem.is_float()
            && is_global
            && matches!(of.layout, Layout::RowMajor | Layout::Padded(_))
            && !self.changed.contains(place.buffer)
            && !self.places.contains(place)
        {
            self.places.push(place.clone());
        }
    }

    /// Whether an expression has one value in the whole block of threads, and has it in front of what is checked there.
    pub(super) fn is_fixed(&self, expr: &Expr, own: &[IterId]) -> bool {
        let mut fixed = expr.is_total();
        expr.walk(&mut |node| {
            fixed &= match &node.kind {
                ExprKind::Iter(iter) => {
                    !own.contains(iter) && !self.iters.contains(iter) && !self.counters.contains(iter)
                }
                ExprKind::Load(place) => place.index.is_empty() && !self.changed.contains(place.buffer),
                _ => true,
            }
        });
        fixed
    }

    /// The first and the last value of an iterator, if they are numbers.
    pub(super) fn range(&self, iter: IterId) -> Option<(i128, i128)> {
        let each = self.loops.get(&iter)?;
        let number = |expr: &Expr| resolved(self.program, expr).as_usize().map(|it| it as i128);
        let (lo, hi) = (number(&each.lo)?, number(&each.hi)?);
        let last = if each.inclusive { hi } else { hi - 1 };
        (each.lo.ty == Ty::USIZE && lo <= last).then_some((lo, last))
    }

    /// What an iterator is always below.
    pub(super) fn bound(&self, iter: IterId) -> Option<Expr> {
        let each = self.loops.get(&iter).filter(|each| !each.inclusive && each.hi.ty == Ty::USIZE)?;
        match each.hi.kind {
            ExprKind::Iter(outer) if !self.threads.contains(&outer) => self.bound(outer),
            _ => Some(resolved(self.program, &each.hi)),
        }
    }
}

/// A number and iterators, added to it or taken from it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Shift {
    pub(super) number: i128,
    /// With 1 or -1.
    pub(super) iters: Vec<(IterId, i128)>,
}

/// What is read of a window, by the iteration that reads it: the row and the column, as far from the iteration's own.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Read {
    pub(super) place: Place,
    pub(super) row: Shift,
    pub(super) column: Shift,
}

/// The part of an array that a block reads.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub(super) of: BufferId,
    /// The index of the elements, by the iterators of a row and of a column; all others are zero in it.
    pub(super) index: Vec<Expr>,
    pub(super) row: IterId,
    pub(super) column: IterId,
    /// The row and the column that the first iteration of the block reads first.
    pub(super) first: [i128; 2],
    /// How many rows and columns are copied.
    pub(super) size: [usize; 2],
    /// How many columns more than iterations a block reads.
    pub(super) beside: usize,
    /// How many columns there are, where this is known when the program runs.
    pub(super) columns: Option<Expr>,
    pub(super) reads: Vec<Read>,
}

impl Window {
    /// Of the array in shared memory. Rows that different threads read at a time begin in different banks: their length is odd.
    pub(super) fn extents(&self) -> [usize; 2] {
        let [rows, columns] = self.size;
        [rows, if columns.is_multiple_of(crate::limits::THREADS_OF_A_TILE) { columns } else { columns | 1 }]
    }
}

/// An index that is a polynomial in iterators, where all of them but two are zero.
pub(super) fn at_zero(index: &[Expr], iters: &[IterId], but: [IterId; 2]) -> Vec<Expr> {
    let at_zero = |node: Expr| match node.kind {
        ExprKind::Iter(iter) if iters.contains(&iter) && !but.contains(&iter) => Expr::int(node.ty, 0),
        _ => node,
    };
    index.iter().map(|index| index.map(&mut |node| at_zero(node))).collect()
}
