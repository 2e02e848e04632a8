//! Which loops over time may run in segments, and when that can pay.

use super::slice::slice;
use super::{Segments, Window};
use crate::ir::{
    Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, IterId, Layout, Order, Place, Program, Role, Stmt,
    StmtKind, Ty, written,
};
use crate::restructure::cost::{flat_matrices, nominal_trips, nominal_work, rows_of};

/// The additions that making a value again may cost: where it is dearer, a loop is better run with less in its tapes.
const AGAIN: f64 = 128.0;

/// Fewer values than this a step, before sizes are known, are no sweep over space.
const SWEEP: f64 = 1000.0;

/// States are not older than this.
const MOST_SLOTS: usize = 4;

/// The loop of a block, with its reversal, that may run in segments and fills tapes of the block's scope.
pub(super) fn find(program: &Program, tapes: &[BufferId], block: &Block) -> Option<Segments> {
    (0..block.len()).find_map(|forward| {
        let up = steps(&block[forward], Order::Up)?;
        (forward + 1..block.len()).find_map(|reverse| {
            let down = steps(&block[reverse], Order::Down)?;
            let fixed = !up.hi.reads_any(program, &written(block)) && !names_any(&up.hi, tapes);
            let same = up.hi == down.hi && fixed;
            let of = Steps { program, block, forward: (forward, up), reverse: (reverse, down) };
            if same { of.segments(tapes) } else { None }
        })
    })
}

/// Whether an expression names one of the buffers.
fn names_any(expr: &Expr, buffers: &[BufferId]) -> bool {
    let mut found = false;
    expr.walk(&mut |part| match &part.kind {
        ExprKind::Load(Place { buffer, .. }) | ExprKind::Extent(buffer, _) => {
            found |= buffers.contains(buffer)
        }
        _ => {}
    });
    found
}

/// A loop over `0..hi`.
fn steps(stmt: &Stmt, order: Order) -> Option<&For> {
    let StmtKind::For(each) = &stmt.kind else { return None };
    let counts = each.lo == Expr::usize(0) && each.step == Expr::usize(1) && !each.inclusive;
    (counts && each.order == order && each.exec == Exec::Undecided && each.hi.ty == Ty::USIZE).then_some(each)
}

/// A loop over time and its reversal.
struct Steps<'p> {
    program: &'p Program,
    block: &'p Block,
    forward: (usize, &'p For),
    reverse: (usize, &'p For),
}

impl Steps<'_> {
    fn segments(&self, tapes: &[BufferId]) -> Option<Segments> {
        // sizes are known in front of the scope
        let known = |tape: BufferId| !self.program[tape].dims.iter().skip(1).any(|it| names_any(it, tapes));
        let windows = tapes.iter().filter(|tape| known(**tape)).filter_map(|&tape| self.window(tape));
        let windows: Vec<Window> = windows.collect();
        if windows.is_empty() {
            return None;
        }
        let (forward, each) = self.forward;
        let (reverse, _) = self.reverse;
        let behind = written(&self.block[forward + 1..=reverse].to_vec());
        let (slice, carried) = slice(self.program, each, &windows, &behind)?;
        let stores = Stores {
            program: self.program,
            flat: flat_matrices(self.program, self.block),
            windows: &windows,
        };
        let stores = stores.of(&slice);
        let pays = stores >= SWEEP && nominal_work(&slice) <= AGAIN * stores;
        pays.then_some(Segments { forward, reverse, tapes: windows, carried, slice })
    }

    /// The window of a tape that nobody looks at but steps at their slots, statements in front of the loop that set the window
    /// of the first step, and statements behind it that read the last one.
    fn window(&self, tape: BufferId) -> Option<Window> {
        let of = &self.program[tape];
        let ((forward, each), (reverse, back)) = (self.forward, self.reverse);
        if of.role != Role::Tape || of.layout != Layout::RowMajor || of.rank() == 0 {
            return None;
        }
        let fixed = |extent: &Expr| !extent.reads_any(self.program, &written(self.block));
        if !of.dims[1..].iter().all(fixed) {
            return None;
        }
        let mut slots = Slots { tape, read: Vec::new(), written: Vec::new(), others: false };
        slots.of(&self.block[forward], &|slot| behind_iter(slot, each.iter));
        let window = *slots.written.first()?;
        let steps = slots.written.iter().all(|&it| it == window) && slots.read.iter().all(|&it| it <= window);
        slots.of(&self.block[reverse], &|slot| behind_iter(slot, back.iter));
        let here = slots.written.iter().all(|&it| it == window) && slots.read.iter().all(|&it| it <= window);
        if !steps || !here || window > MOST_SLOTS || (window == 0 && each.body.is_empty()) {
            return None;
        }
        let mut around = Slots { tape, read: Vec::new(), written: Vec::new(), others: false };
        for (at, stmt) in self.block.iter().enumerate() {
            if at < forward {
                around.of(stmt, &|slot| number(slot).filter(|&it| it < window));
            } else if at != forward && at != reverse {
                around.of(stmt, &|slot| behind(slot, &each.hi).filter(|&it| it < window));
            }
        }
        let reads_only_behind = !self.block[forward + 1..].iter().enumerate().any(|(at, stmt)| {
            let mut writes = false;
            stmt.writes(&mut |buffer| writes |= buffer == tape);
            writes && at + forward + 1 != reverse
        });
        let is_reversed = !self.reverse_writes(tape);
        let right = !slots.others && !around.others && reads_only_behind && is_reversed;
        right.then_some(Window { tape, slots: window })
    }

    fn reverse_writes(&self, tape: BufferId) -> bool {
        let mut writes = false;
        self.block[self.reverse.0].writes(&mut |buffer| writes |= buffer == tape);
        writes
    }
}

/// At which slots statements access a tape.
struct Slots {
    tape: BufferId,
    read: Vec<usize>,
    written: Vec<usize>,
    /// At others, or in another way.
    others: bool,
}

impl Slots {
    fn of(&mut self, stmt: &Stmt, number: &impl Fn(&Expr) -> Option<usize>) {
        let slot = |place: &Place| place.index.first().and_then(number);
        stmt.walk(&mut |stmt| {
            match &stmt.kind {
                StmtKind::Assign { target, .. } if target.buffer == self.tape => match slot(target) {
                    Some(slot) => self.written.push(slot),
                    None => self.others = true,
                },
                StmtKind::Reduce { target, .. } => self.others |= target.buffer == self.tape,
                StmtKind::Swap { a, b } => self.others |= [a, b].contains(&&self.tape),
                StmtKind::Call { .. } | StmtKind::Fork { .. } => self.others = true,
                _ => {}
            }
            for expr in stmt.exprs() {
                expr.walk(&mut |part| match &part.kind {
                    ExprKind::Load(place) if place.buffer == self.tape => match slot(place) {
                        Some(slot) => self.read.push(slot),
                        None => self.others = true,
                    },
                    ExprKind::Extent(buffer, 0) => self.others |= *buffer == self.tape,
                    _ => {}
                });
            }
        });
    }
}

/// `c` of `from + c`.
fn behind(slot: &Expr, from: &Expr) -> Option<usize> {
    match &slot.kind {
        _ if slot == from => Some(0),
        ExprKind::Binary(crate::ir::BinOp::Add, lhs, rhs) if **lhs == *from => number(rhs),
        _ => None,
    }
}

fn behind_iter(slot: &Expr, iter: IterId) -> Option<usize> {
    behind(slot, &Expr::iter(iter, Ty::USIZE))
}

fn number(slot: &Expr) -> Option<usize> {
    match slot.kind {
        ExprKind::Int(number) => usize::try_from(number).ok(),
        _ => None,
    }
}

/// How many elements of the tapes are assigned, before sizes are known.
struct Stores<'a> {
    program: &'a Program,
    /// Arrays with as many elements as a matrix.
    flat: BufferSet,
    windows: &'a [Window],
}

impl Stores<'_> {
    fn of(&self, block: &[Stmt]) -> f64 {
        let of = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign { target, .. } => {
                f64::from(u8::from(self.windows.iter().any(|window| window.tape == target.buffer)))
            }
            StmtKind::For(each) => {
                nominal_trips(each) * rows_of(self.program, each, &self.flat) * self.of(&each.body)
            }
            _ => stmt.blocks().into_iter().map(|inner| self.of(inner)).sum(),
        };
        block.iter().map(of).sum()
    }
}
