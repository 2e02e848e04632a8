//! Which marked loops over time may run in segments.

use super::obstacle::Obstacle;
use super::slice::slice;
use super::{Segments, Window};
use crate::ir::{
    Block, BufferId, Callee, Checkpoint, Exec, Expr, ExprKind, For, Layout, Order, Place, Program, Role,
    Stmt, StmtKind, Ty, written,
};
use crate::limits::AGE_OF_A_STATE;
use crate::poly::Analysis;
use crate::schedule::{Options, is_parallel};
use std::cell::OnceCell;

/// A marked loop of a block, with its reversal, that fills tapes of the block's scope, or why it does not run in segments;
/// `unmarked`: what a loop without a mark is taken to have.
pub(super) fn find<'p>(
    program: &'p Program,
    tapes: &[BufferId],
    block: &Block,
    forward: usize,
    unmarked: Option<Checkpoint>,
    analysis: &OnceCell<Analysis<'p>>,
) -> Option<Result<Segments, Obstacle>> {
    let up = block[forward].as_for()?;
    let asked = up.marks.checkpoint.or(unmarked)?;
    let own = filled(program, &up.body, tapes);
    if own.is_empty() || up.order != Order::Up || up.exec != Exec::Undecided {
        return None;
    }
    let reads =
        |stmt: &Stmt| stmt.as_for().is_some_and(|each| each.order == Order::Down) && reads_any(stmt, &own);
    let reverse = forward + 1 + block[forward + 1..].iter().position(reads)?;
    let down = block[reverse].as_for()?;
    let (forward, reverse) = ((forward, up), (reverse, down));
    let of = Steps { program, block, tapes, own: &own, forward, reverse, asked };
    Some(of.segments(analysis))
}

/// The tapes that a block writes.
fn filled(program: &Program, block: &Block, tapes: &[BufferId]) -> Vec<BufferId> {
    let changed = written(block);
    tapes.iter().copied().filter(|&it| program[it].role == Role::Tape && changed.contains(it)).collect()
}

fn reads_any(stmt: &Stmt, tapes: &[BufferId]) -> bool {
    stmt.any(&mut |stmt| stmt.exprs().into_iter().any(|expr| names_any(expr, tapes)))
}

/// Whether an expression names one of the buffers.
fn names_any(expr: &Expr, buffers: &[BufferId]) -> bool {
    expr.any(&mut |part| match &part.kind {
        ExprKind::Load(Place { buffer, .. }) | ExprKind::Extent(buffer, _) => buffers.contains(buffer),
        _ => false,
    })
}

/// The number of a step, from zero: the slot that it has in tapes.
pub(super) fn ordinal(each: &For) -> Expr {
    let iter = Expr::iter(each.iter, Ty::USIZE);
    if each.lo == Expr::usize(0) { iter } else { iter - each.lo.clone() }
}

/// A loop over time and its reversal.
struct Steps<'b, 'p> {
    program: &'p Program,
    block: &'b Block,
    /// All of the block's scope.
    tapes: &'b [BufferId],
    /// Those that the loop fills.
    own: &'b [BufferId],
    forward: (usize, &'b For),
    reverse: (usize, &'b For),
    asked: Checkpoint,
}

impl<'p> Steps<'_, 'p> {
    fn segments(&self, analysis: &OnceCell<Analysis<'p>>) -> Result<Segments, Obstacle> {
        let (forward, up) = self.forward;
        let (reverse, _) = self.reverse;
        let program = self.program;
        self.counts()?;
        if up.body.iter().any(|stmt| stmt.any(&mut Stmt::is_user_call)) {
            return Err(Obstacle::Call);
        }
        let mut windows = Vec::new();
        for &tape in self.own {
            match self.window(tape) {
                Some(window) => windows.push(window),
                // a number a step may stay
                None if program[tape].rank() <= 1 && program[tape].layout == Layout::RowMajor => {}
                None => return Err(Obstacle::Tape(tape)),
            }
        }
        if windows.is_empty() {
            return Err(Obstacle::NoArrays);
        }
        let behind = written(&self.block[forward + 1..=reverse]);
        let all = windows.len() == self.own.len();
        let (slice, carried) = slice(program, up, &windows, &behind, all)?;
        if self.is_parallel(analysis) {
            return Err(Obstacle::Parallel);
        }
        Ok(Segments { forward, reverse, tapes: windows, carried, slice, steps: self.asked })
    }

    /// Whether both loops visit `lo, lo + 1, …` up to a bound that is known in front of them.
    fn counts(&self) -> Result<(), Obstacle> {
        let (_, up) = self.forward;
        let (_, down) = self.reverse;
        let plain = |each: &For| each.is_by_one() && each.exec == Exec::Undecided && each.hi.ty == Ty::USIZE;
        let changed = written(self.block);
        let fixed = |bound: &Expr| !bound.reads_any(self.program, &changed) && !names_any(bound, self.tapes);
        let same = (&up.lo, &up.hi) == (&down.lo, &down.hi);
        let counts = plain(up) && plain(down) && same && fixed(&up.lo) && fixed(&up.hi);
        counts.then_some(()).ok_or(Obstacle::Range)
    }

    /// The window of a tape that nobody looks at but steps at their slots, statements in front of the loop that set the window
    /// of the first step, and statements behind it that read the last one.
    fn window(&self, tape: BufferId) -> Option<Window> {
        let of = &self.program[tape];
        let ((forward, each), (reverse, back)) = (self.forward, self.reverse);
        if of.layout != Layout::RowMajor || of.rank() == 0 {
            return None;
        }
        let changed = written(self.block);
        let fixed =
            |extent: &Expr| !extent.reads_any(self.program, &changed) && !names_any(extent, self.tapes);
        if !of.dims[1..].iter().all(fixed) {
            return None;
        }
        let mut slots = Slots { tape, read: Vec::new(), written: Vec::new(), others: false };
        let up = ordinal(each);
        slots.of(&self.block[forward], &|slot| behind(slot, &up));
        let window = *slots.written.first()?;
        let down = ordinal(back);
        slots.of(&self.block[reverse], &|slot| behind(slot, &down));
        let here = slots.written.iter().all(|&it| it == window) && slots.read.iter().all(|&it| it <= window);
        // the last slot of a step with a number in front is not that of the loop's bound
        let plain = window == 0 || each.lo == Expr::usize(0);
        if !here || !plain || window > AGE_OF_A_STATE || self.block[reverse].writes_to(tape) {
            return None;
        }
        let mut around = Slots { tape, read: Vec::new(), written: Vec::new(), others: false };
        for (at, stmt) in self.block.iter().enumerate() {
            if at < forward {
                around.of(stmt, &|slot| number(slot).filter(|&it| it < window));
            } else if at != forward && at != reverse {
                around.of(stmt, &|slot| behind(slot, &each.hi).filter(|&it| it < window));
                around.others |= self.block[at].writes_to(tape);
            }
        }
        (!slots.others && !around.others).then_some(Window { tape, slots: window })
    }

    /// Whether the scheduler could run one of the two loops in parallel, whatever has to be checked for that.
    fn is_parallel(&self, analysis: &OnceCell<Analysis<'p>>) -> bool {
        let analysis = analysis.get_or_init(|| Analysis::new(self.program));
        let options = Options::default();
        [self.forward, self.reverse].iter().any(|(_, each)| is_parallel(analysis, each, &options).is_ok())
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
    fn of(&mut self, stmt: &Stmt, number: &dyn Fn(&Expr) -> Option<usize>) {
        let slot = |place: &Place| place.index.first().and_then(number);
        stmt.walk(&mut |stmt| {
            match &stmt.kind {
                StmtKind::Assign { target, .. } if target.buffer == self.tape => match slot(target) {
                    Some(slot) => self.written.push(slot),
                    None => self.others = true,
                },
                StmtKind::Reduce { target, .. } => self.others |= target.buffer == self.tape,
                StmtKind::Swap { a, b } => self.others |= [a, b].contains(&&self.tape),
                StmtKind::Call { callee: Callee::Reserve(_), writes, .. } => {
                    self.others |= writes.contains(&self.tape)
                }
                StmtKind::Call { .. } | StmtKind::Fork { .. } => self.others = true,
                _ => {}
            }
            stmt.each_expr(&mut |expr| {
                expr.walk(&mut |part| match &part.kind {
                    ExprKind::Load(place) if place.buffer == self.tape => match slot(place) {
                        Some(slot) => self.read.push(slot),
                        None => self.others = true,
                    },
                    ExprKind::Extent(buffer, 0) => self.others |= *buffer == self.tape,
                    _ => {}
                })
            });
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

fn number(slot: &Expr) -> Option<usize> {
    match slot.kind {
        ExprKind::Int(number) => usize::try_from(number).ok(),
        _ => None,
    }
}
