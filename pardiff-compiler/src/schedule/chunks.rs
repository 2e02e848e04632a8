//! A parallel loop becomes a task loop over chunks with an element loop inside.
//!
//! ```text
//! for i in lo..hi        scope trip, size, chunks
//!   body                   trip = trip_count(lo, hi, 1)
//!                          size = …; chunks = trip.div_ceil(size)
//!                   =>     for c in 0..chunks parallel(task)
//!                            scope from, to
//!                              from = c * size; to = min(from + size, trip)
//!                              for i in lo + from..lo + to
//!                                body
//! ```
//!
//! Legal because the iterations of the loop commute but for `Reduce`s (see `parallel`), whose targets are owned by
//! the chunk or replaced by parts of the chunk (see `privatisation`). Chunks cover the iterations once: `c < chunks` gives
//! `c * size < trip`, so `from` does not overflow; `to` is at most `trip`, so `lo + to` is at most `hi`. The number of
//! chunks is a function of sizes alone. One chunk runs inline.

use super::Decisions;
use super::chunk_colouring;
use super::footprint::{self, Window};
use super::lanes::{self, Lifted};
use super::multiversion::iteration_tasks;
use super::multiversion::iteration_tasks::{Alone, Apart};
use super::parallel::Plan;
use super::privatisation::merge::in_pieces;
use super::privatisation::{Parts, part_targets};
use super::sizes::{Least, Sizes, assign_sizes, bounds, sizes};
use crate::ir::{
    Block, BufferId, Exec, Expr, ExprKind, For, Func, Grain, IterId, Level, Marks, Origin, Place, Program,
    Rayon, Role, Scheme, Space, Stmt, StmtKind, Ty, clone_stmts, declared, substitute_all,
};
use crate::poly::Proof;

/// Statements of one origin, and locals for them.
pub(crate) struct Builder<'p> {
    pub(crate) program: &'p mut Program,
    pub(crate) origin: Origin,
}

impl Builder<'_> {
    pub(crate) fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt::new(kind, self.origin)
    }

    pub(crate) fn assign(&self, target: Place, value: Expr) -> Stmt {
        Stmt::assign(target, value, self.origin)
    }

    pub(crate) fn set(&self, scalar: BufferId, value: Expr) -> Stmt {
        Stmt::set(scalar, value, self.origin)
    }

    pub(crate) fn scope(&self, buffers: Vec<BufferId>, body: Block) -> Stmt {
        Stmt::scope(buffers, body, self.origin)
    }

    pub(crate) fn size(&mut self, name: &str) -> BufferId {
        self.program.add_scalar(name, Ty::USIZE, Role::Local)
    }

    pub(crate) fn index(&mut self, name: &str) -> IterId {
        self.program.add_iter(name, Ty::USIZE)
    }

    pub(crate) fn load(&self, scalar: BufferId) -> Expr {
        self.program.load_scalar(scalar)
    }

    pub(crate) fn sequential(&self, iter: IterId, hi: Expr, body: Block) -> Stmt {
        self.stmt(StmtKind::For(For { exec: Exec::Sequential, ..For::counted(iter, hi, body) }))
    }

    pub(crate) fn when(&self, cond: Expr, then: Block) -> Stmt {
        Stmt::when(cond, then, self.origin)
    }

    /// The statements, if all elements that the expressions read are there.
    #[cfg(feature = "cuda")]
    pub(crate) fn if_there(&self, exprs: &[&Expr], then: Block) -> Block {
        let mut loads: Vec<Place> = Vec::new();
        for expr in exprs {
            expr.each_load(&mut |place| {
                if !place.index.is_empty() && !loads.contains(place) {
                    loads.push(place.clone());
                }
            });
        }
        // what is read to find an element is looked at first
        loads.into_iter().fold(then, |then, place| {
            let there = place.index.iter().enumerate();
            let there = there.map(|(dim, at)| at.clone().below(Expr::extent(place.buffer, dim)));
            match there.reduce(|a, b| a & b) {
                Some(cond) => vec![self.when(cond, then)],
                None => then,
            }
        })
    }

    pub(super) fn tasks(&self, chunk: IterId, chunks: Expr, body: Block) -> Stmt {
        let exec = Exec::Parallel(Level::Task);
        self.stmt(StmtKind::For(For { exec, ..For::counted(chunk, chunks, body) }))
    }
}

const IN_PIECES: &str = "parallel: pieces of the array, the parts of the chunks in order";

/// Replaces a parallel loop by its chunks.
pub(super) fn cut_always(program: &mut Program, stmt: &mut Stmt, plan: &Plan, decisions: &mut Decisions) {
    cut_in_turns(program, stmt, plan, None, decisions);
}

/// When chunks run in two turns besides that their windows are apart, and what runs otherwise.
pub(super) struct Turns {
    pub(super) pays: Expr,
    pub(super) otherwise: Block,
}

/// The same, where sums are coloured: in two turns, beside other versions.
pub(super) fn cut_in_turns(
    program: &mut Program,
    stmt: &mut Stmt,
    plan: &Plan,
    turns: Option<Turns>,
    decisions: &mut Decisions,
) {
    let mut build = Builder { origin: stmt.origin, program };
    let StmtKind::For(mut each) = stmt.take().kind else { return };
    let inner = declared(&each.body);
    for buffer in build.program.buffer_ids().filter(|&buffer| inner.contains(buffer)) {
        build.program[buffer].space = Space::Thread;
    }
    let chunk = build.index("chunk");
    let mut setup = Block::new();
    let mut sizes = sizes(&mut build, &each, &mut setup);
    let chunks = build.load(sizes.chunks);
    let parts: Vec<Parts> =
        plan.sums.iter().map(|sum| Parts::new(&mut build, sum, plan, &chunks, chunk)).collect();
    let windows: Vec<&Window> = parts.iter().filter_map(Parts::window).collect();
    let mut scans = scan(&mut build, &each, &windows, &sizes, &chunks);
    decide_schemes(&mut each.body, &parts, plan);
    each.exec = Exec::Sequential;

    // what one chunk does
    let (mut locals, mut body) = bounds(&mut build, chunk, &sizes);
    for part in &parts {
        part.open(&mut build, &mut locals, &mut body);
    }
    let (from, to) = (build.load(locals[0]), build.load(locals[1]));
    let may_be_few = iteration_tasks::may_be_few(plan, &each);
    let mut element = elements(&mut build, each, &sizes, from, to);
    let mut lanes = String::new();
    let (mut least, mut apart) = (Least { block: 1, work: plan.costs.grain }, None);
    let marks = Marks { rayon: plan.rayon, ..Marks::default() };
    if !plan.scalar {
        let coarse = build
            .program
            .rayon_of(&marks)
            .is_some_and(|rayon| matches!(rayon.grain, Grain::Part | Grain::Task));
        let lifted = if coarse {
            lanes::lift_inner(build.program, &mut element, plan.strict)
        } else {
            let alone = may_be_few.then(|| Alone::copy(build.program, plan, &element)).flatten();
            let lifted = lanes::lift(build.program, &mut element, plan.strict, &plan.middle);
            apart = alone
                .and_then(|alone| Apart::beside(&mut build, (&mut element, &lifted), alone, plan.strict));
            lifted
        };
        lanes = format!("; {}", in_words(&lifted));
        if let Some(Apart { few, most, lifted }) = &apart {
            sizes.all.push(*few);
            lanes += &format!(
                "; {most} at most in tasks of their own where each is enough work for one: {}",
                in_words(lifted)
            );
            note(decisions, lifted);
        }
        if let Lifted::Blocks { .. } = lifted {
            least.block = plan.costs.block;
        }
        if !matches!(lifted, Lifted::Serial { .. }) {
            least.work = plan.costs.grain_in_lanes;
        }
        note(decisions, &lifted);
    }
    let block = least.block;
    assign_sizes(&mut build, plan, &mut sizes, least, apart.as_ref(), &mut setup);
    body.push(element);
    for part in &parts {
        part.close(&mut build, &mut body);
    }
    for &local in &locals {
        build.program[local].space = Space::Thread;
    }
    let task = build.scope(locals, body);
    let mut whole = vec![match turns {
        None => build.tasks(chunk, chunks.clone(), vec![task]),
        Some(_) => chunk_colouring::in_turns(&mut build, chunk, &chunks, task),
    }];
    let mut pieces = Vec::new();
    for part in &parts {
        part.merge(&mut build, &chunks, &mut whole, &mut pieces);
    }
    if !pieces.is_empty() {
        let (piece, merge) = in_pieces(&mut build, pieces, &plan.costs);
        decisions.loops.insert(piece, IN_PIECES.to_owned());
        whole.push(merge);
    }
    let stored: Vec<BufferId> = parts.iter().flat_map(Parts::stored).collect();
    let mut run = build.scope(stored, whole);
    if windows.is_empty() {
        setup.push(run);
    } else {
        let mut arrays: Vec<BufferId> = windows.iter().flat_map(|window| window.shared()).collect();
        if let Some(Turns { pays, otherwise }) = turns {
            let apart = build.program.add_scalar("apart", Ty::Bool, Role::Local);
            arrays.push(apart);
            let coloured: Vec<&Window> = parts.iter().filter_map(Parts::coloured).collect();
            scans.push(build.set(apart, pays));
            chunk_colouring::are_apart(&mut build, &coloured, &chunks, apart, &mut scans);
            let cond = build.load(apart);
            run = build.stmt(StmtKind::If { cond, then: vec![run], els: otherwise });
        }
        setup.push(build.scope(arrays, scans.into_iter().chain([run]).collect()));
    }
    explain(build.program, chunk, (plan, block), &parts, &lanes, decisions);
    *stmt = build.scope(sizes.all, setup);
}

/// The tasks that find the windows of the chunks, and where these stand.
fn scan(build: &mut Builder<'_>, each: &For, windows: &[&Window], sizes: &Sizes, chunks: &Expr) -> Block {
    if windows.is_empty() {
        return Block::new();
    }
    let chunk = build.index("chunk");
    let (mut locals, mut body) = bounds(build, chunk, sizes);
    for window in windows {
        locals.extend(window.scanned());
        window.open_scan(build, &mut body);
    }
    match footprint::scan(build.program, each, windows) {
        Some(scanned) => {
            let (from, to) = (build.load(locals[0]), build.load(locals[1]));
            // its iterators and locals are its own before they are replaced by numbers
            let head = For { exec: Exec::Sequential, ..each.around(scanned) };
            let head = build.stmt(StmtKind::For(head));
            let mut own = clone_stmts(build.program, std::slice::from_ref(&head));
            super::in_order(&mut own);
            if let Some(Stmt { kind: StmtKind::For(own), .. }) = own.pop() {
                body.push(elements(build, own, sizes, from, to));
            }
        }
        None => body.append(&mut footprint::whole(build, windows)),
    }
    for window in windows {
        window.close_scan(build, chunk, &mut body);
    }
    for &local in &locals {
        build.program[local].space = Space::Thread;
    }
    let task = build.scope(locals, body);
    let mut found = vec![build.tasks(chunk, chunks.clone(), vec![task])];
    for window in windows {
        window.place(build, chunks, &mut found);
    }
    found
}

/// The element loop: iterations `from..to` of the loop, upwards.
fn elements(build: &mut Builder<'_>, each: For, sizes: &Sizes, from: Expr, to: Expr) -> Stmt {
    let Sizes { start, step, .. } = sizes;
    let counted = step.kind == ExprKind::Int(1) && !each.inclusive && each.lo.ty == Ty::USIZE;
    let is_zero = start.kind == ExprKind::Int(0);
    if counted {
        let from_start = |k: Expr| if is_zero { k } else { start.clone() + k };
        let (lo, hi) = (from_start(from), from_start(to));
        let marks = Marks { rayon: None, ..each.marks };
        let each = For { lo, hi, order: crate::ir::Order::Up, marks, ..each };
        return build.stmt(StmtKind::For(each));
    }
    // by the number of the iteration: `lo + number * step` is a value of the loop, so it fits its type
    let ty = build.program[each.iter].ty;
    let name = build.program[each.iter].name.clone();
    let number = build.index(&name);
    let mut value = Expr::iter(number, Ty::USIZE);
    if step.kind != ExprKind::Int(1) {
        value = value * step.clone();
    }
    if ty != Ty::USIZE {
        value = value.cast(ty);
    }
    let signed = matches!(ty, Ty::Int(int) if int.is_signed());
    let value = match start.as_usize() {
        Some(0) => value,
        // from a negative value the distance may not fit the type, but the sum wraps to what does
        None if signed => Expr::call(ty, Func::WrappingAdd, vec![start.clone(), value]),
        _ => start.clone() + value,
    };
    let mut body = each.body;
    substitute_all(build.program, &mut body, each.iter, &value);
    build.stmt(StmtKind::For(For {
        lo: from,
        hi: to,
        marks: Marks { rayon: None, ..each.marks },
        exec: Exec::Sequential,
        ..For::counted(number, Expr::usize(0), body)
    }))
}

/// Every reduction has its scheme, and shared targets become the chunk's parts; inner loops are sequential.
fn decide_schemes(block: &mut Block, parts: &[Parts], plan: &Plan) {
    for stmt in block {
        if let Some((target, scheme)) = stmt.scheme_mut() {
            *scheme = part_targets(parts, target).unwrap_or(match plan.owns(target.buffer) {
                true if matches!(*scheme, Scheme::Shift | Scheme::InverseIndex) => *scheme,
                true => Scheme::NoneNeeded,
                false => Scheme::Sequential,
            });
        } else if let Some(inner) = stmt.as_for_mut().filter(|inner| inner.exec == Exec::Undecided) {
            inner.exec = Exec::Sequential;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| decide_schemes(inner, parts, plan));
    }
}

/// Keeps in mind which loops are over lanes, or over the iterations of a batch.
fn note(decisions: &mut Decisions, lifted: &Lifted) {
    match lifted {
        Lifted::Blocks { over_lanes, .. } | Lifted::Middle { over_lanes, .. } => {
            decisions.over_lanes.extend(over_lanes);
        }
        Lifted::Inner { turns, .. } => decisions.turns.extend(turns),
        Lifted::Serial { .. } => {}
    }
}

fn in_words(lifted: &Lifted) -> String {
    match lifted {
        Lifted::Blocks { lanes, reason, .. } => format!("blocks of {lanes} lanes: {reason}"),
        Lifted::Inner { loops, reason, turns } => {
            let batches = if turns.is_empty() { "" } else { ", of iterations in batches" };
            format!("lanes in {loops} inner loops{batches}: {reason}")
        }
        Lifted::Middle { loops, reason, .. } => format!("blocks of lanes in {loops} loops: {reason}"),
        Lifted::Serial { reason } => format!("no lanes: {reason}"),
    }
}

fn explain(
    program: &Program,
    chunk: IterId,
    (plan, block): (&Plan, usize),
    parts: &[Parts],
    lanes: &str,
    decisions: &mut Decisions,
) {
    let most = match parts.iter().any(Parts::is_copied) {
        true => plan.costs.most_copies,
        false => plan.costs.most_chunks,
    };
    let multiple = if block > 1 {
        let few = plan.costs.chunks_before_blocks;
        format!(", of whole blocks of {block} iterations unless that leaves fewer than {few}")
    } else {
        String::new()
    };
    let by = match program.rayon_of(&Marks { rayon: plan.rayon, ..Marks::default() }) {
        Some(Rayon { grain: Grain::Task | Grain::Element, .. }) => " by the user's rayon tasks",
        Some(_) => " by the user's rayon iterator",
        None => "",
    };
    let text = format!("parallel{by}: at most {most} chunks{multiple}{lanes}");
    decisions.loops.insert(chunk, text);
    for &(buffer, proof) in &plan.owned {
        let name = &program[buffer].name;
        let text = match proof {
            Proof::Sets => format!("no two iterations touch one element of `{name}`"),
            Proof::Types => format!("the user's iterator gives each element of `{name}` to one iteration"),
            Proof::Facts => format!("checked when it runs: {}", plan.relies),
            Proof::SameIndex(other) => {
                format!("at indices of `{}`, which no two iterations share", program[other].name)
            }
        };
        decisions.sums.insert((chunk, buffer), text);
    }
    for part in parts {
        part.explain(program, plan, chunk, decisions);
    }
}
