//! Kernels of two levels: a block an iteration of the outer loop, and the iterations of loops inside are the block's threads.
//!
//! ```text
//! for i in 0..n                                grid: for i in 0..n               # a block
//!   scope y, row: f64[64]                        scope y, row: f64[64] shared    # y is a register of every thread
//!     y = 0                                        y = 0
//!     for j in 0..n                       =>       block: for j in 0..n          # a thread
//!       y += a[i * n + j] * x[j]                     y += a[i * n + j] * x[j]    # summed over the block
//!     for k in 0..8                                block: for k in 0..8
//!       for l in 0..8                                block: for l in 0..8         # pairs are threads
//!         row[8 * k + l] = y * b[k] * c[l]               row[8 * k + l] = y * b[k] * c[l]    # then a barrier
//!     for k in 0..64                               block: for k in 0..64
//!       out[i * 64 + k] += row[63 - k]               out[i * 64 + k] += row[63 - k]
//! ```
//!
//! What stands outside of the inner loops all threads of the block do alike: scalars are registers that have the same value in all
//! of them, and what goes to memory one thread writes. So conditions and bounds there are the same for all threads, and so are
//! the places of barriers, which the back end puts between statements that touch the same array.
//!
//! **Legality.** Two iterations of the outer loop meet in nothing but summations, by the proof for that loop; two of an inner loop,
//! in one iteration of the outer one, meet in nothing but summations by the proof for the inner loop (where several
//! loops directly inside of each other are threads together, by the proof for the outermost in which they differ): into
//! scalars of the outer iteration, which the block sums up before anyone reads them, into elements of arrays of the
//! outer iteration, by atomic additions to shared memory, or by schemes that let threads meet.

use super::grids::{Schemes, has_atomics, is_combined};
use crate::ir::{
    Block, BufferId, BufferSet, Exec, Expr, ExprKind, Float, For, IterId, Level, Program, ReduceOp, Role,
    Scheme, Space, Stmt, StmtKind, Ty, clone_stmts, declared, has_block_loops, layout,
};
use crate::limits::{
    BYTES_OF_A_BLOCK, COLUMNS_OF_A_LOOP, COLUMNS_OF_FEW_ITERATIONS, ELEMENTS_OF_A_THREAD, LOOPS_OF_THREADS,
    THREADS_OF_A_LOOP, THREADS_THAT_FILL_A_DEVICE, WORK_OF_SHARING_THREADS,
};
use crate::poly::Analysis;
use crate::schedule::cost;
use crate::schedule::parallel::meets;
use crate::schedule::summation::neutral;
use crate::schedule::{Options, lanes};
use std::collections::HashMap;

/// The sums in which iterations meet.
type Shared = Vec<(BufferId, ReduceOp)>;

/// What a loop over threads sums up: scalars by registers, elements of arrays by atomic additions.
type Sums = Vec<(BufferId, Scheme)>;

/// How an iteration of a kernel's loop is run by a block of threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Nest {
    /// The loops whose iterations are threads, with what they sum up.
    pub(super) loops: HashMap<IterId, Sums>,
    /// Arrays in shared memory.
    shared: Vec<BufferId>,
    /// When blocks are better than threads, where sizes decide that.
    cond: Option<Expr>,
}

/// Which inner loops may be threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    /// Long ones, along which neighbours are neighbours in memory: however many iterations the kernel has.
    Rows,
    /// All but short ones: where the iterations of the kernel alone are too few threads.
    Any,
}

/// The nest of the innermost of some loops whose iterations would be threads otherwise, if they are better run by blocks.
pub(super) fn find(
    analysis: &Analysis<'_>,
    loops: &[&For],
    schemes: &Schemes,
    options: &Options,
    deny_atomics: bool,
) -> Option<Nest> {
    let &each = loops.last()?;
    let inside = declared(&each.body);
    let is_large = |id: BufferId| {
        let size = layout::size(&analysis.program[id].layout, &analysis.program[id].dims);
        matches!(size.map(|size| size.kind), Some(ExprKind::Int(size)) if size > ELEMENTS_OF_A_THREAD)
    };
    let large = inside.iter().any(is_large);
    let search = |wanted: Wanted| {
        let mut search = Search {
            analysis,
            options,
            each,
            schemes,
            deny_atomics,
            wanted,
            inside: inside.clone(),
            collapses: large || wanted == Wanted::Any,
            written: crate::ir::written(&each.body),
            nest: Nest::default(),
            others: Vec::new(),
            trips: Vec::new(),
            shared_bytes: 0,
            work: 0.0,
        };
        search.block(&each.body, 1.0)?;
        let whole = cost::nominal_work(&each.body);
        let is_chosen = !search.nest.loops.is_empty() && search.work >= WORK_OF_SHARING_THREADS * whole;
        is_chosen.then_some(search)
    };
    let few = fewer_than(analysis.program, loops, THREADS_THAT_FILL_A_DEVICE);
    let found = search(Wanted::Rows).or_else(|| few.is_some().then(|| search(Wanted::Any))?)?;
    let Search { mut nest, others, trips, wanted, .. } = found;
    nest.loops.extend(others);
    let at_least = |least: usize| {
        let all = trips.iter().map(|trips| Expr::usize(least).at_most(trips.clone()));
        all.reduce(|a, b| a & b)
    };
    let rows = at_least(COLUMNS_OF_A_LOOP);
    let if_few =
        few.map(|few| at_least(COLUMNS_OF_FEW_ITERATIONS).into_iter().fold(few, |few, long| few & long));
    nest.cond = match (wanted, rows) {
        (Wanted::Rows, None) => None,
        (Wanted::Rows, Some(rows)) => Some(if_few.into_iter().fold(rows, |rows, few| rows | few)),
        (Wanted::Any, _) => if_few,
    };
    Some(nest)
}

/// The condition that these loops together have fewer iterations than `many`, if the host can compute it before them.
pub(super) fn fewer_than(program: &Program, loops: &[&For], many: usize) -> Option<Expr> {
    let trips = loops.iter().map(|each| resolved(program, &cost::trip_count(each)));
    let all = trips.fold(Expr::usize(1), cost::saturating_mul);
    is_of_host(program, &crate::ir::written(&loops.first()?.body), &all).then(|| all.below(Expr::usize(many)))
}

struct Search<'a, 'p> {
    analysis: &'a Analysis<'p>,
    options: &'a Options,
    each: &'a For,
    schemes: &'a Schemes,
    deny_atomics: bool,
    wanted: Wanted,
    /// Whether short loops in each other are threads together: where the iterations of the kernel are too few, and where
    /// an iteration has an array that a thread would have in global memory, and a block in shared memory.
    collapses: bool,
    /// Declared in the body.
    inside: BufferSet,
    written: BufferSet,
    nest: Nest,
    /// Loops of lengths that nobody knows, and what they sum up: where threads are there, they share these out as well.
    others: Vec<(IterId, Sums)>,
    /// Numbers of iterations of loops over threads that are known when the program runs.
    trips: Vec<Expr>,
    shared_bytes: usize,
    /// Of the loops whose iterations are threads.
    work: f64,
}

impl Search<'_, '_> {
    /// `None` where something cannot be done by a block; `times` is how often the statements are expected to run.
    fn block(&mut self, block: &Block, times: f64) -> Option<()> {
        for stmt in block {
            match &stmt.kind {
                StmtKind::For(inner) => {
                    if let Some((nest, sums)) = self.threads(inner) {
                        self.work += times * cost::nominal_work(std::slice::from_ref(stmt));
                        self.nest.loops.extend(nest.into_iter().map(|each| (each.iter, sums.clone())));
                        continue;
                    }
                    if inner.exec != Exec::Undecided {
                        return None;
                    }
                    let (threads, others) = (self.nest.loops.len(), self.others.len());
                    self.block(&inner.body, times * cost::nominal_trips(inner))?;
                    let is_plain = self.nest.loops.len() == threads;
                    let trips = resolved(self.analysis.program, &cost::trip_count(inner));
                    if is_plain
                        && trips.as_usize().is_none()
                        && !inner.marks.sequential
                        && let Some(sums) = self.shared(inner).and_then(|shared| self.sums(shared))
                    {
                        self.others.truncate(others);
                        self.others.push((inner.iter, sums));
                    }
                }
                StmtKind::Scope { buffers, body } => {
                    buffers.iter().for_each(|&id| self.place(id));
                    self.block(body, times)?;
                }
                StmtKind::If { .. } | StmtKind::Guarded { .. } => {
                    stmt.blocks().into_iter().try_for_each(|inner| self.block(inner, times))?;
                }
                StmtKind::Assign { .. } | StmtKind::Reduce { .. } | StmtKind::Check { .. } => {}
                StmtKind::While(_)
                | StmtKind::Swap { .. }
                | StmtKind::Fork { .. }
                | StmtKind::Call { .. } => {
                    return None;
                }
            }
        }
        Some(())
    }

    /// An array that threads of a block have in common lies in shared memory if its length is constant and there is room.
    fn place(&mut self, id: BufferId) {
        let buffer = &self.analysis.program[id];
        let size = layout::size(&buffer.layout, &buffer.dims).and_then(|size| size.as_usize());
        if buffer.rank() > 0
            && let Some(bytes) = size.and_then(|size| size.checked_mul(width(buffer.elem)))
            && self.shared_bytes + bytes <= BYTES_OF_A_BLOCK
        {
            self.shared_bytes += bytes;
            self.nest.shared.push(id);
        }
    }

    /// The loops whose iterations together can be the threads of a block, `inner` outermost, and what they sum up.
    fn threads<'f>(&mut self, inner: &'f For) -> Option<(Vec<&'f For>, Sums)> {
        let (nest, shared) = self.rectangular(inner)?;
        let trips = nest.iter().map(|each| resolved(self.analysis.program, &cost::trip_count(each)));
        let trips = trips.reduce(cost::saturating_mul)?;
        let any = self.wanted == Wanted::Any;
        let known = match trips.as_usize() {
            Some(trips) if trips < if any { COLUMNS_OF_FEW_ITERATIONS } else { THREADS_OF_A_LOOP } => {
                return None;
            }
            Some(_) => None,
            None if is_of_host(self.analysis.program, &self.written, &trips)
                && (any || self.is_better(nest.last()?)) =>
            {
                Some(trips)
            }
            None => return None,
        };
        let sums = self.sums(shared)?;
        self.trips.extend(known.filter(|trips| !self.trips.contains(trips)));
        Some((nest, sums))
    }

    /// The loop with those directly inside whose bounds it does not change, and that meet in no sums but its own; and
    /// these sums.
    fn rectangular<'f>(&self, inner: &'f For) -> Option<(Vec<&'f For>, Shared)> {
        let is_open = |each: &For| each.exec == Exec::Undecided && !each.marks.sequential;
        let shared = is_open(inner).then(|| self.shared(inner))??;
        let written = crate::ir::written(&inner.body);
        let (mut nest, mut last) = (vec![inner], inner);
        while self.collapses
            && nest.len() < LOOPS_OF_THREADS
            && let Some(next) = last.inner()
            && is_open(next)
            && next.bounds().into_iter().all(|bound| {
                let varies = nest.iter().any(|around| bound.mentions(around.iter));
                !varies && bound.is_total() && !bound.reads_any(self.analysis.program, &written)
            })
            && self.shared(next).is_some_and(|within| within.iter().all(|it| shared.contains(it)))
        {
            nest.push(next);
            last = next;
        }
        Some((nest, shared))
    }

    /// The sums in which the iterations of a loop meet, if they meet in nothing else.
    fn shared(&self, each: &For) -> Option<Shared> {
        meets(self.analysis, each, self.options, &[]).ok().map(|meetings| meetings.shared)
    }

    /// How the threads of a block make these sums, if they can.
    fn sums(&self, shared: Shared) -> Option<Sums> {
        let mut sums = Vec::new();
        for (buffer, op) in shared {
            let of = &self.analysis.program[buffer];
            match self.schemes.get(&buffer) {
                Some(Scheme::ScalarReduction | Scheme::Atomic) => {}
                Some(_) => return None,
                None if !self.inside.contains(buffer) => return None,
                None if of.rank() > 0 => {
                    if self.deny_atomics || op != ReduceOp::Add || !has_atomics(of.elem) {
                        return None;
                    }
                    sums.push((buffer, Scheme::Atomic));
                }
                None if neutral(op, of.elem).is_none() || !is_combined(of.elem) => return None,
                None => sums.push((buffer, Scheme::ScalarReduction)),
            }
        }
        Some(sums)
    }

    /// Whether neighbouring iterations of the inner loop touch neighbouring elements, and those of the outer one do not.
    fn is_better(&self, inner: &For) -> bool {
        let along = |iter: IterId| lanes::contiguous(&inner.body, iter);
        let ((near, _), (outer_near, outer_far)) = (along(inner.iter), along(self.each.iter));
        near > 0 && outer_far > outer_near
    }
}

/// The bytes of an element.
pub(super) fn width(elem: Ty) -> usize {
    match elem {
        Ty::Bool => 1,
        Ty::Float(Float::F32) => 4,
        Ty::Float(Float::F64) => 8,
        Ty::Int(int) => int.bits() as usize / 8,
    }
}

/// With the lengths of local arrays as they are declared.
pub(super) fn resolved(program: &Program, expr: &Expr) -> Expr {
    expr.map(&mut |node| match &node.kind {
        ExprKind::Extent(of, dim) => match &program[*of].dims[*dim] {
            dims if dims.kind == node.kind => node,
            dims => resolved(program, dims),
        },
        _ => node,
    })
}

/// Whether the host knows a number: it follows from lengths and from scalar parameters that are not written.
pub(super) fn is_of_host(program: &Program, written: &BufferSet, expr: &Expr) -> bool {
    let mut known = expr.is_total();
    expr.walk(&mut |expr| {
        known &= match &expr.kind {
            ExprKind::Load(place) => {
                let of = place.buffer;
                of_caller(program, of) && program[of].rank() == 0 && !written.contains(of)
            }
            ExprKind::Extent(of, _) => of_caller(program, *of),
            ExprKind::Iter(_) => false,
            ExprKind::Call(..) => expr.ty.is_int(),
            _ => true,
        }
    });
    known
}

fn of_caller(program: &Program, id: BufferId) -> bool {
    program.params.contains(&id) && program[id].role == Role::Input
}

/// Marks the loops of a nest, and lets a thread an iteration of the outer loop stand beside it where numbers of iterations decide
/// when the program runs.
pub(super) fn mark(program: &mut Program, stmt: &mut Stmt, nest: &Nest) {
    let cond = nest.cond.clone();
    let plain = cond.is_some().then(|| clone_stmts(program, std::slice::from_ref(stmt)));
    for &id in &nest.shared {
        program[id].space = Space::Shared;
    }
    mark_loops(stmt, nest);
    if let (Some(cond), Some(plain)) = (cond, plain) {
        let origin = stmt.origin;
        let nested = std::mem::replace(stmt, Stmt::new(StmtKind::Fork { tasks: Vec::new() }, origin));
        stmt.kind = StmtKind::If { cond, then: vec![nested], els: plain };
    }
}

fn mark_loops(stmt: &mut Stmt, nest: &Nest) {
    if let Some(each) = stmt.as_for_mut()
        && let Some(sums) = nest.loops.get(&each.iter)
    {
        each.exec = Exec::Parallel(Level::Block);
        each.body.iter_mut().for_each(|stmt| sum_up(stmt, sums));
    }
    stmt.blocks_mut().into_iter().flatten().for_each(|stmt| mark_loops(stmt, nest));
}

fn sum_up(stmt: &mut Stmt, sums: &[(BufferId, Scheme)]) {
    if let StmtKind::Reduce { target, scheme, .. } = &mut stmt.kind
        && let Some((_, by)) = sums.iter().find(|(buffer, _)| *buffer == target.buffer)
    {
        *scheme = *by;
    }
    stmt.blocks_mut().into_iter().flatten().for_each(|stmt| sum_up(stmt, sums));
}

/// Arrays of kernels that were no kernels in the end belong to the one thread that runs them.
pub(super) fn unshare(program: &mut Program) {
    let mut shared = BufferSet::new();
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let Some(each) = stmt.as_for()
                && each.exec == Exec::Parallel(Level::Grid)
                && has_block_loops(&each.body)
            {
                shared.union(&declared(&each.body));
            }
        });
    });
    for id in program.buffer_ids() {
        if program[id].space == Space::Shared && !shared.contains(id) {
            program[id].space = Space::Thread;
        }
    }
}
