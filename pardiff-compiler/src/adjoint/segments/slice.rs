//! The statements of a step that fill tapes, and what they carry from step to step.
//!
//! Checks stay behind: they held the first time, for the same integers. Where an integer depends on floats, which
//! another order of sums may round otherwise, the step comes whole, with its checks: all that the reversal knows of
//! it is computed again, and has passed them.
//!
//! A nest of loops with sums that are needed comes whole, with its checks and with sums of other variables. So the
//! scheduler, which asks what a nest does and costs, cuts it the second time as it did the first time, and every sum
//! has its terms in the same order: the same bits. Where a nest writes arrays besides, that nobody needs, it would
//! write them twice, so they stay behind; then its sums may be rounded in another way.

use super::obstacle::Obstacle;
use crate::ir::{
    Block, BufferId, BufferSet, Callee, Expr, ExprKind, For, Layout, Program, Role, Stmt, StmtKind, Ty,
    declared, written,
};

/// The statements of a step that fill tapes.
pub(super) struct Slice {
    pub(super) body: Block,
    /// What they read, and steps write.
    pub(super) carried: Vec<BufferId>,
    /// What they read, and is written behind the loop alone.
    pub(super) overwritten: Vec<BufferId>,
}

/// The slice of a step that fills the tapes, where `behind` is what is written from the loop to its reversal. An
/// obstacle where it cannot be told to take the same way again; `all`: whether these are all tapes of the loop.
pub(super) fn slice(
    program: &Program,
    step: &For,
    tapes: &[BufferId],
    behind: &BufferSet,
    all: bool,
) -> Result<Slice, Obstacle> {
    let needed = tapes.iter().copied().collect();
    let mut slicer = Slicer { program, needed, grown: true };
    while std::mem::take(&mut slicer.grown) {
        slicer.need(&step.body, Around::Step);
    }
    let slice = slicer.kept(&step.body, Around::Step);
    let ways = if all { Ways::OfFloats } else { Ways::OfIntegers };
    if slice.iter().all(|stmt| takes_the_same_way(program, stmt, ways)) {
        return of_steps(program, step, slice, &slicer.needed, tapes, behind);
    }
    // the tapes of a marked loop are filled again, the number of its iterations as well
    let is_plain = |stmt: &Stmt| {
        let is_known = stmt.as_reserve().is_some() || stmt.as_user_call().is_some();
        is_known || !matches!(stmt.kind, StmtKind::Call { .. })
    };
    if !all || step.body.iter().any(|stmt| stmt.any(&mut |stmt| !is_plain(stmt))) {
        return Err(Obstacle::Ways);
    }
    let mut mentioned = written(&step.body);
    for stmt in &step.body {
        stmt.any(&mut |stmt| {
            stmt.each_evaluated(program, &mut |expr| {
                expr.reads(program, &mut |buffer| {
                    mentioned.insert(buffer);
                })
            });
            false
        });
    }
    of_steps(program, step, step.body.clone(), &mentioned, tapes, behind)
}

/// What the statements of a step need of the steps before, and of what was there before the loop.
fn of_steps(
    program: &Program,
    step: &For,
    body: Block,
    needed: &BufferSet,
    tapes: &[BufferId],
    behind: &BufferSet,
) -> Result<Slice, Obstacle> {
    let changed = written(&step.body);
    let inside = declared(&body);
    let (mut carried, mut overwritten) = (Vec::new(), Vec::new());
    for buffer in program.buffer_ids() {
        if !needed.contains(buffer) || inside.contains(buffer) || tapes.contains(&buffer) {
            continue;
        }
        if changed.contains(buffer) {
            carried.push(buffer);
        } else if behind.contains(buffer) {
            overwritten.push(buffer);
        }
    }
    let can_be_copied = |&buffer: &BufferId| {
        let of = &program[buffer];
        let fixed = of.dims.iter().all(|extent| !extent.reads_any(program, &changed));
        of.layout == Layout::RowMajor && of.role != Role::Tape && fixed
    };
    match carried.iter().chain(&overwritten).find(|it| !can_be_copied(it)) {
        Some(&buffer) => Err(Obstacle::Size(buffer)),
        None => Ok(Slice { body, carried, overwritten }),
    }
}

/// What is around a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// No loop of the step.
    Step,
    /// A nest of loops of which some statements are needed.
    Nest,
    /// A nest that comes whole.
    Whole,
}

struct Slicer<'p> {
    program: &'p Program,
    /// What later statements of the slice, or later steps, read.
    needed: BufferSet,
    grown: bool,
}

impl Slicer<'_> {
    fn is_kept(&self, stmt: &Stmt, around: Around) -> bool {
        if stmt.as_check().is_some() {
            return around == Around::Whole;
        }
        stmt.writes_any(&self.needed)
    }

    /// What is around the statements inside of one.
    fn inside(&self, stmt: &Stmt, around: Around) -> Around {
        match around {
            _ if stmt.as_for().is_none() => around,
            Around::Step if self.sums(stmt) => Around::Whole,
            Around::Step => Around::Nest,
            _ => around,
        }
    }

    /// Whether a nest makes sums of floats that are needed.
    fn sums(&self, nest: &Stmt) -> bool {
        nest.any(&mut |stmt| {
            stmt.as_update()
                .is_some_and(|it| it.value.ty.is_float() && self.needed.contains(it.target.buffer))
        })
    }

    /// Adds what the statements of the slice read, and the other side of what they exchange.
    fn need(&mut self, block: &Block, around: Around) {
        for stmt in block.iter().rev() {
            if !self.is_kept(stmt, around) {
                continue;
            }
            let inside = self.inside(stmt, around);
            if around == Around::Step && inside == Around::Whole {
                self.need_whole(stmt);
            }
            for inner in stmt.blocks() {
                self.need(inner, inside);
            }
            let mut read = Vec::new();
            stmt.each_evaluated(self.program, &mut |expr| {
                expr.reads(self.program, &mut |buffer| read.push(buffer))
            });
            stmt.reads_itself(&mut |buffer| read.push(buffer));
            for buffer in read {
                self.grown |= self.needed.insert(buffer);
            }
        }
    }

    /// Adds what a nest writes, but for arrays that others may see.
    fn need_whole(&mut self, nest: &Stmt) {
        let own = declared(std::slice::from_ref(nest));
        let changed = written(std::slice::from_ref(nest));
        for buffer in self.program.buffer_ids().filter(|&it| changed.contains(it)) {
            if own.contains(buffer) || self.program[buffer].rank() == 0 {
                self.grown |= self.needed.insert(buffer);
            }
        }
    }

    fn kept(&self, block: &Block, around: Around) -> Block {
        let mut out = Block::new();
        for stmt in block.iter().filter(|stmt| self.is_kept(stmt, around)) {
            let mut stmt = stmt.clone();
            let inside = self.inside(&stmt, around);
            stmt.blocks_mut().into_iter().for_each(|inner| *inner = self.kept(inner, inside));
            out.push(stmt);
        }
        out
    }
}

/// On what conditions may depend.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    /// Some tapes stay as they were filled the first time: what is in the others must fit to these.
    OfIntegers,
    /// Everything that the reversal knows of a step is computed again.
    OfFloats,
    /// This stands under such a condition.
    UnderFloats,
}

/// Whether a statement does the same again although sums of floats may be made in another order: no index, no bound and
/// no integer depends on a float. A condition may, if the reversal finds in all tapes what this one decides.
fn takes_the_same_way(program: &Program, stmt: &Stmt, ways: Ways) -> bool {
    let exact = |value: &Expr| is_of_integers(value) && ways != Ways::UnderFloats;
    let mut inside = ways;
    let own = match &stmt.kind {
        StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
            let sure = target.index.iter().all(is_of_integers) && has_sure_indices(value);
            // a condition that the reversal finds in its tape
            let kept = program[target.buffer].role == Role::Tape && value.ty == Ty::Bool;
            let known = kept && ways != Ways::OfIntegers;
            sure && (value.ty.is_float() || known || exact(value))
        }
        StmtKind::If { cond, .. } | StmtKind::Guarded { fact: cond, .. } if !is_of_integers(cond) => {
            inside = Ways::UnderFloats;
            ways != Ways::OfIntegers && has_sure_indices(cond)
        }
        StmtKind::For(_) | StmtKind::If { .. } | StmtKind::Guarded { .. } => {
            stmt.exprs().into_iter().all(is_of_integers)
        }
        StmtKind::Scope { buffers, .. } => {
            buffers.iter().flat_map(|&buffer| &program[buffer].dims).all(is_of_integers)
        }
        StmtKind::Swap { .. } => ways != Ways::UnderFloats,
        StmtKind::Check { .. } | StmtKind::Fork { .. } => true,
        StmtKind::Call { callee: Callee::Reserve(rows), .. } => exact(rows),
        // a function of the user is pure
        StmtKind::Call { callee: Callee::User(call), writes, .. } => {
            writes.iter().all(|&it| program[it].elem.is_float())
                && call
                    .values()
                    .all(|value| is_of_integers(value) || value.ty.is_float() && has_sure_indices(value))
        }
        StmtKind::While(_) | StmtKind::Call { .. } => false,
    };
    own && stmt.blocks().into_iter().flatten().all(|inner| takes_the_same_way(program, inner, inside))
}

fn is_of_integers(expr: &Expr) -> bool {
    !expr.any(&mut |part| part.ty.is_float())
}

fn has_sure_indices(expr: &Expr) -> bool {
    expr.all(&mut |part| match &part.kind {
        ExprKind::Load(place) => place.index.iter().all(is_of_integers),
        _ => true,
    })
}
