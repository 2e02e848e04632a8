//! Which marked loops over time may run in segments.

use super::growing::Growing;
use super::obstacle::Obstacle;
use super::received;
use super::slice::{Slice, slice};
use super::step::has_marked;
use super::{Given, Segments};
use crate::ir::{
    Block, BufferId, BufferSet, Checkpoint, Exec, Expr, ExprKind, For, Layout, Lengths, Order, Place,
    Program, Role, Stmt, StmtKind, Ty, While, written,
};
use crate::poly::Analysis;
use crate::schedule::{Options, is_proved_parallel};
use std::cell::OnceCell;

/// A marked loop of a block, with its reversal, that fills tapes of the block's scope, or why it does not run in
/// segments; `unmarked`: what a loop without a mark is taken to have.
pub(super) fn find<'p>(
    program: &'p Program,
    tapes: &[BufferId],
    block: &Block,
    forward: usize,
    Given { unmarked, copies }: Given<'_>,
    analysis: &OnceCell<Analysis<'p>>,
) -> Option<Result<Segments, Obstacle>> {
    let until_left = block[forward].as_while();
    let unmarked = unmarked.filter(|_| until_left.is_none());
    let asked = block[forward].checkpoint().or(unmarked).or_else(|| around_marked(&block[forward]))?;
    let up = match (block[forward].as_for(), until_left) {
        (Some(each), _) => each.clone(),
        // the steps that it had, once it has ended
        (_, Some(each)) => For::counted(each.counter, Expr::usize(0), each.body.clone()),
        (None, None) => return None,
    };
    let own = filled(program, &up.body, tapes);
    let is_done = up.marks.segments.is_some();
    if is_done || own.is_empty() || up.order != Order::Up || up.exec != Exec::Undecided {
        return None;
    }
    let reads =
        |stmt: &Stmt| stmt.as_for().is_some_and(|each| each.order == Order::Down) && reads_any(stmt, &own);
    let reverse = forward + 1 + block[forward + 1..].iter().position(reads)?;
    let down = block[reverse].as_for()?;
    let of = Steps {
        program,
        block,
        tapes,
        own: &own,
        forward: (forward, &up),
        reverse: (reverse, down),
        asked,
        copies,
    };
    let found = match until_left {
        Some(each) => of.until_left(each),
        None => of.counted(analysis),
    };
    Some(found)
}

/// What a loop without a mark is taken to have if one in it has a mark: the state of every step, or as many as are kept
/// where their number is not known.
fn around_marked(stmt: &Stmt) -> Option<Checkpoint> {
    let (asked, body) = match (stmt.as_for(), stmt.as_while()) {
        (Some(each), _) => (Checkpoint::every(1), &each.body),
        (_, Some(each)) => (Checkpoint::LEAST, &each.body),
        (None, None) => return None,
    };
    has_marked(body).then_some(asked)
}

/// The tapes that a block writes.
fn filled(program: &Program, block: &Block, tapes: &[BufferId]) -> Vec<BufferId> {
    let changed = written(block);
    tapes.iter().copied().filter(|&it| program[it].role == Role::Tape && changed.contains(it)).collect()
}

fn reads_any(stmt: &Stmt, tapes: &[BufferId]) -> bool {
    stmt.any(&mut |stmt| stmt.exprs().into_iter().any(|expr| names_any(expr, tapes)))
}

/// Drops the statements that set these scalars.
fn drop_counts(block: &mut Block, counts: &[BufferId]) {
    block.retain_mut(|stmt| {
        stmt.blocks_mut().into_iter().for_each(|inner| drop_counts(inner, counts));
        !stmt.as_scalar_assign().is_some_and(|(scalar, _)| counts.contains(&scalar))
    });
}

/// Whether an expression names one of the buffers.
pub(super) fn names_any(expr: &Expr, buffers: &[BufferId]) -> bool {
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
    /// What is kept of what other ranks send.
    copies: &'b BufferSet,
}

impl<'p> Steps<'_, 'p> {
    fn counted(&self, analysis: &OnceCell<Analysis<'p>>) -> Result<Segments, Obstacle> {
        self.counts()?;
        let segments = self.segments(&[])?;
        if self.is_parallel(analysis) {
            return Err(Obstacle::Parallel);
        }
        Ok(segments)
    }

    /// A loop whose number of steps a tape has when it has ended, which the bound of its reversal is.
    fn until_left(&self, each: &While) -> Result<Segments, Obstacle> {
        let (_, down) = self.reverse;
        let trips = match &down.hi.kind {
            ExprKind::Load(place) if place.index.is_empty() && self.own.contains(&place.buffer) => {
                place.buffer
            }
            _ => return Err(Obstacle::Range),
        };
        let is_plain = down.is_from_zero() && each.head.is_empty();
        let by_states = matches!(self.asked.lengths, Lengths::Least | Lengths::States(_));
        if !is_plain || !by_states || !matches!(self.program[trips].dims[..], []) {
            return Err(Obstacle::Range);
        }
        self.segments(&[trips])
    }

    /// `known`: tapes that say how long the loop is.
    fn segments(&self, known: &[BufferId]) -> Result<Segments, Obstacle> {
        let (forward, up) = self.forward;
        let (reverse, _) = self.reverse;
        let program = self.program;
        let own = self.own.iter().filter(|tape| !known.contains(tape));
        let (tapes, mut whole): (Vec<BufferId>, Vec<BufferId>) =
            own.partition(|tape| self.is_of_steps(**tape));
        let growing = Growing::of(program, &whole, &tapes, self.block, [forward, reverse]);
        whole.retain(|tape| !growing.all().contains(tape));
        if !growing.tapes.is_empty() && matches!(self.asked.lengths, Lengths::Memory(_)) {
            return Err(Obstacle::Grows);
        }
        // a number a step may stay, and what all steps store alike
        let may_stay = |tape: &BufferId| {
            let of_steps = known.is_empty() && program[*tape].rank() <= 1;
            program[*tape].layout == Layout::RowMajor && (of_steps || self.is_of_all_steps(*tape))
        };
        if let Some(&tape) = whole.iter().find(|tape| !may_stay(tape)) {
            return Err(Obstacle::Tape(tape));
        }
        if tapes.is_empty() {
            return Err(Obstacle::NoArrays);
        }
        let behind = written(&self.block[forward + 1..=reverse]);
        let mut again = received::again(up, self.copies).ok_or(Obstacle::Message)?;
        // a segment knows how many steps it has, and counts none again
        drop_counts(&mut again.body, known);
        let Slice { body: slice, carried, overwritten } =
            slice(program, &again, &[&tapes[..], &growing.all()].concat(), &behind, whole.is_empty())?;
        let by_step = has_marked(&slice);
        if by_step && matches!(self.asked.lengths, Lengths::Memory(_)) {
            return Err(Obstacle::Memory);
        }
        let up = up.clone();
        let asked = self.asked;
        Ok(Segments {
            forward,
            reverse,
            up,
            tapes,
            growing,
            whole,
            carried,
            overwritten,
            slice,
            asked,
            by_step,
        })
    }

    /// Whether both loops visit `lo, lo + 1, …` up to a bound that is known in front of them.
    fn counts(&self) -> Result<(), Obstacle> {
        let (_, up) = self.forward;
        let (_, down) = self.reverse;
        let plain = |each: &For| each.is_by_one() && each.exec == Exec::Undecided && each.hi.ty == Ty::USIZE;
        let same = (&up.lo, &up.hi) == (&down.lo, &down.hi);
        let counts = plain(up) && plain(down) && same && self.is_fixed(&up.lo) && self.is_fixed(&up.hi);
        counts.then_some(()).ok_or(Obstacle::Range)
    }

    /// Whether all steps use the same slots of a tape, whose number is known.
    fn is_of_all_steps(&self, tape: BufferId) -> bool {
        let steps = [self.forward.1.iter, self.reverse.1.iter];
        let is_open = |extent: &Expr| extent.as_usize() == Some(u32::MAX as usize);
        let is_apart = |place: &Place| !place.index.iter().any(|index| index.mentions_any(&steps));
        self.program[tape].dims.iter().all(|extent| self.is_fixed(extent) && !is_open(extent))
            && self.block.iter().all(|stmt| accesses_at(stmt, tape, &is_apart))
    }

    /// Whether an extent is the same all the time.
    fn is_fixed(&self, extent: &Expr) -> bool {
        !extent.reads_any(self.program, &written(self.block)) && !names_any(extent, self.tapes)
    }

    /// Whether nobody looks at a tape but each step and its reversal, at the slot of the step.
    fn is_of_steps(&self, tape: BufferId) -> bool {
        let of = &self.program[tape];
        let ((forward, up), (reverse, down)) = (self.forward, self.reverse);
        let has_slots = match of.layout {
            Layout::RowMajor => of.rank() > 0,
            Layout::PackedTriangular => of.rank() > 2,
            _ => false,
        };
        has_slots
            && of.dims[1..].iter().all(|extent| self.is_fixed(extent))
            && !self.block[reverse].writes_to(tape)
            && self.block.iter().enumerate().all(|(at, stmt)| match at {
                _ if at == forward => is_in_slot(stmt, tape, &ordinal(up)),
                _ if at == reverse => is_in_slot(stmt, tape, &ordinal(down)),
                _ => accesses_at(stmt, tape, &|_| false),
            })
    }

    /// Whether the scheduler could run one of the two loops in parallel without a check.
    fn is_parallel(&self, analysis: &OnceCell<Analysis<'p>>) -> bool {
        let analysis = analysis.get_or_init(|| Analysis::new(self.program));
        let options = Options::default();
        [self.forward, self.reverse].iter().any(|(_, each)| is_proved_parallel(analysis, each, &options))
    }
}

/// Whether a statement accesses a tape at one slot alone, element by element, or not at all.
fn is_in_slot(stmt: &Stmt, tape: BufferId, slot: &Expr) -> bool {
    accesses_at(stmt, tape, &|place| place.index.first() == Some(slot))
}

/// Whether a statement accesses a tape at such places alone, element by element, or not at all.
fn accesses_at(stmt: &Stmt, tape: BufferId, is_there: &dyn Fn(&Place) -> bool) -> bool {
    let is_here = |place: &Place| place.buffer != tape || is_there(place);
    let reads_here = |part: &Expr| match &part.kind {
        ExprKind::Load(place) => is_here(place),
        ExprKind::Extent(buffer, _) => *buffer != tape,
        _ => true,
    };
    !stmt.any(&mut |stmt| {
        let writes_here = match &stmt.kind {
            StmtKind::Assign { target, .. } => is_here(target),
            // one sum a step stays, with the bits that it had
            StmtKind::Reduce { target, .. } => {
                target.buffer != tape || target.index.len() > 1 && is_here(target)
            }
            StmtKind::Swap { a, b } => ![a, b].contains(&&tape),
            StmtKind::Call { reads, writes, .. } => !reads.contains(&tape) && !writes.contains(&tape),
            _ => true,
        };
        let mut reads = true;
        stmt.each_expr(&mut |expr| reads &= expr.all(&mut |part| reads_here(part)));
        !(writes_here && reads)
    })
}
