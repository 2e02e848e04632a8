//! The schedule for a GPU: which loops become kernels, and who owns the elements of their summations.
//!
//! *Comes in*: a program whose loops are not decided. *Goes out*: one whose parallel loops have the level `Grid`, a thread an
//! iteration, and every summation its scheme. *Guarantees*: what [`crate::schedule::schedule`] guarantees, from the same proofs; a loop of
//! level `Grid` stands where the host knows its bounds ([`Host`]), or is the only statement of another one with bounds that do
//! not depend on it: then a thread is a pair of iterations. *Never*: adds by atomics where another scheme is cheap.
//!
//! ```text
//! for i in 0..n                       grid: for i in 0..n
//!   y = w[i] * x[i]             =>      y = w[i] * x[i]
//!   total += y * y                      total += y * y            # scalar reduction: shuffles, blocks, then all blocks
//!   d_w[k[i]] += y                      keys[i] = k[i]; terms[i] = y
//!                                     …                         # sorted by keys, and added up
//! ```
//!
//! Scalar reductions and private copies are the back end's to carry out; their order depends on sizes alone. Additions to
//! elements that are found through index arrays are atomic at first; [`updates`] stores and sorts them where it can, and those that it
//! leaves are made in no fixed order.

use super::blocks;
use super::blocks::Nest;
use super::collapse::{self, Collapsible};
use super::csr_rows;
use super::csr_rows::Apart;
use super::host::{Host, has_kernels};
use super::{no_wrap_guards, shared_privatisation};
use crate::gpu::indirect::indirect;
use crate::ir::Update;
use crate::ir::{
    Block, BufferId, Exec, Expr, For, IterId, Layout, Level, Place, Program, ReduceOp, Scheme, Stmt, Ty,
    declared, thread_loops,
};
use crate::ir::{Float, Int, clone_stmts};
use crate::limits::{ITERATIONS_WITHOUT_A_KERNEL, LOOPS_OF_THREADS, THREADS_OF_A_KERNEL};
use crate::pass::Context;
use crate::poly::{Analysis, Fact};
use crate::refusal::Refusal;
use crate::schedule::parallel::{Meetings, meets};
use crate::schedule::remarks::Why;
use crate::schedule::summation::{invariant_targets, neutral};
use crate::schedule::{Decisions, Options, cost};
use std::collections::{HashMap, HashSet};

/// Marks the loops that are kernels, and gives sums their schemes.
pub(super) fn mark_grids(program: &mut Program, context: &mut Context) {
    let Context { options, deny_atomics, decisions, .. } = context;
    let mut collapsed = HashSet::new();
    let mut found = find(program, options, *deny_atomics, &collapsed);
    if distribute(program, &found) {
        found = find(program, options, *deny_atomics, &collapsed);
    }
    if let Some(nested) = collapse::nested(program) {
        found.collapsible = find(&nested, options, *deny_atomics, &collapsed).collapsible;
    }
    if !found.collapsible.is_empty() {
        collapsed = collapse::versions(program, &found.collapsible);
        found = find(program, options, *deny_atomics, &collapsed);
    }
    for (&iter, why) in &found.sequential {
        decisions.loops.entry(iter).or_insert_with(|| why.text(program));
        decisions.remedies.extend(why.advice(program).map(|advice| (iter, advice)));
    }
    let mut body = std::mem::take(&mut program.body);
    let facts = found.grids.iter().filter(|(_, grid)| !grid.facts.is_empty());
    let facts = facts.map(|(&iter, grid)| (iter, &grid.facts[..])).collect();
    no_wrap_guards::guard(program, &mut body, &facts, decisions);
    mark(&mut body, &found.grids, None);
    in_versions(program, &mut body, &found, decisions);
    program.body = body;
    leave_to_the_host(program, decisions);
}

/// Refuses sums that need atomic additions, where these are denied.
pub(super) fn refuse_atomics(program: &mut Program, context: &mut Context) {
    if context.deny_atomics {
        context.refusals = atomics(program);
    }
}

fn find(program: &Program, options: &Options, deny_atomics: bool, collapsed: &HashSet<IterId>) -> Found {
    let analysis = Analysis::new(program);
    let mut finder =
        Finder { analysis: &analysis, options, deny_atomics, collapsed, found: Found::default() };
    finder.block(&program.body);
    finder.found
}

/// Gives each nest inside of a parallel loop a loop of its own, so that its iterations become threads as well:
///
/// ```text
/// for i in 0..n                  for i in 0..n
///   for j in 0..m                  for j in 0..m
///     y[i, j] = …          =>        y[i, j] = …
///   for j in 0..m                for i in 0..n
///     z[i, j] = …                  for j in 0..m
///                                    z[i, j] = …
/// ```
///
/// **Legality.** Iterations of the loop meet in nothing but sums that commute, so what one iteration does first may wait until all
/// others have done theirs; in each iteration the order stays. No local lives across the nests: the body is loops alone.
fn distribute(program: &mut Program, found: &Found) -> bool {
    program.with_body(|program, body| distribute_in(program, body, found))
}

fn distribute_in(program: &mut Program, block: &mut Block, found: &Found) -> bool {
    let mut changed = false;
    let mut out = Vec::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        let is_nest = |stmt: &Stmt| stmt.as_for().is_some();
        if let Some(each) = stmt.as_for_mut()
            && found.grids.contains_key(&each.iter)
        {
            if each.body.len() > 1 && each.body.iter().all(is_nest) {
                changed = true;
                let mut nests = std::mem::take(&mut each.body);
                let last = nests.pop();
                for nest in nests {
                    let mut own = stmt.clone();
                    if let Some(each) = own.as_for_mut() {
                        each.body = vec![nest];
                    }
                    // the iterators inside are used once; that of the loop is a new one
                    out.extend(clone_stmts(program, &[own]));
                }
                if let Some(each) = stmt.as_for_mut() {
                    each.body.extend(last);
                }
            }
            out.push(stmt);
            continue;
        }
        for inner in stmt.blocks_mut() {
            changed |= distribute_in(program, inner, found);
        }
        out.push(stmt);
    }
    *block = out;
    changed
}

/// The schemes of the summations of a kernel.
pub(super) type Schemes = HashMap<BufferId, Scheme>;

/// A kernel.
struct Grid {
    /// How many loops are threads, or blocks, together.
    loops: usize,
    /// The schemes of sums.
    schemes: Schemes,
    /// How blocks run its iterations, if it is not threads.
    nest: Option<Nest>,
    /// What is checked so that sums need not be atomic.
    apart: Option<Apart>,
    /// What is compared in front of it.
    facts: Vec<Fact>,
}

#[derive(Default)]
struct Found {
    /// By the outermost loop.
    grids: HashMap<IterId, Grid>,
    sequential: HashMap<IterId, Why>,
    /// Kernels that are collapsed where sizes say so.
    collapsible: Collapsible,
}

struct Finder<'a, 'p> {
    analysis: &'a Analysis<'p>,
    options: &'a Options,
    deny_atomics: bool,
    /// Kernels whose inner loops are threads as well, though these meet in sums of one iteration; see [`collapse`].
    collapsed: &'a HashSet<IterId>,
    found: Found,
}

impl Finder<'_, '_> {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            if let Some(each) = stmt.as_for() {
                match self.grid(each) {
                    Ok((grid, collapsible)) => {
                        self.found.grids.insert(each.iter, grid);
                        self.found.collapsible.extend(collapsible.map(|cond| (each.iter, cond)));
                        continue;
                    }
                    Err(why) => _ = self.found.sequential.insert(each.iter, why),
                }
            } else if let Some(each) = stmt.as_while() {
                self.found.sequential.insert(each.counter, Why::While);
            }
            stmt.blocks().into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// The loop as a kernel, with the loops directly inside that can be threads as well.
    ///
    /// **Legality of several loops.** Two threads differ in the iteration of the outer loop, and meet in nothing but summations
    /// by the proof for that loop, whatever the inner iterations are; or they agree in it, and meet in nothing but summations
    /// by the proof for the inner loop. The schemes are those of the outer loop: so what iterations of an inner loop share must be
    /// shared in the outer one, or get a scheme of their own where the loops are collapsed.
    ///
    /// Beside the kernel: when it is to be collapsed, if it can be.
    fn grid(&self, each: &For) -> Result<(Grid, Option<Expr>), Why> {
        let (meetings, facts) = self.evidence(each)?;
        let mut schemes = Schemes::new();
        for &(buffer, op) in &meetings.shared {
            schemes.insert(buffer, self.scheme(each, buffer, op)?);
        }
        for (buffer, _) in &meetings.owned {
            schemes.insert(*buffer, Scheme::NoneNeeded);
        }
        let (mut loops, mut inner, mut collapsible) = (vec![each], each, None);
        while loops.len() < LOOPS_OF_THREADS
            && let Some(next) = inner.inner()
            && next.bounds().into_iter().all(|it| loops.iter().all(|around| !it.mentions(around.iter)))
            && self.is_fixed(next, each)
            && let Ok(within) = self.meetings(next, &facts)
        {
            let more = within.shared.into_iter().filter(|it| !meetings.shared.contains(it));
            let more: Vec<(BufferId, ReduceOp)> = more.collect();
            if !more.is_empty() && !self.collapsed.contains(&each.iter) {
                if !self.deny_atomics {
                    collapsible = collapse::wanted(self.analysis.program, &loops, next, &more);
                }
                break;
            }
            schemes.extend(more.into_iter().map(|(buffer, _)| (buffer, Scheme::Atomic)));
            loops.push(next);
            inner = next;
        }
        let trips = loops.iter().map(|each| cost::trip_count(each).as_usize());
        let threads = trips.into_iter().try_fold(1usize, |all, trips| Some(all.saturating_mul(trips?)));
        if threads.is_some_and(|threads| threads < ITERATIONS_WITHOUT_A_KERNEL) {
            return Err(Why::Few);
        }
        let nest = blocks::find(self.analysis, &loops, &schemes, self.options, self.deny_atomics);
        let single = loops.len() == 1 && nest.is_none();
        let apart = if single { csr_rows::find(self.analysis, each, &schemes, self.options) } else { None };
        Ok((Grid { loops: loops.len(), schemes, nest, apart, facts }, collapsible))
    }

    /// How the iterations of a loop meet, and what that rests on: comparisons of sizes, where these give more arrays to single
    /// iterations.
    fn evidence(&self, each: &For) -> Result<(Meetings, Vec<Fact>), Why> {
        let proved = self.meetings(each, &[]);
        let program = self.analysis.program;
        let arrays = |meetings: &Meetings| meetings.shared.iter().any(|(id, _)| program[*id].rank() > 0);
        let is_open = match &proved {
            Ok(meetings) => arrays(meetings),
            Err(why) => matches!(why, Why::Carried { certain: false, .. }),
        };
        let facts = if is_open { no_wrap_guards::facts(self.analysis, each.iter) } else { Vec::new() };
        if !facts.is_empty()
            && let Ok(assumed) = self.meetings(each, &facts)
            && proved.as_ref().map_or(true, |proved| proved.owned.len() < assumed.owned.len())
        {
            return Ok((assumed, facts));
        }
        proved.map(|meetings| (meetings, Vec::new()))
    }

    fn meetings(&self, each: &For, facts: &[Fact]) -> Result<Meetings, Why> {
        if each.exec != Exec::Undecided {
            return Err(Why::Decided);
        }
        if each.marks.sequential {
            return Err(Why::Marked);
        }
        meets(self.analysis, each, self.options, facts).map_err(|obstacle| obstacle.why(self.analysis, each))
    }

    /// Whether the bounds of `inner` are what they are in front of `outer`.
    fn is_fixed(&self, inner: &For, outer: &For) -> bool {
        let written = crate::ir::written(&outer.body);
        inner.bounds().into_iter().all(|bound| !bound.reads_any(self.analysis.program, &written))
    }

    /// Who owns the elements of a summation in which iterations meet.
    fn scheme(&self, each: &For, buffer: BufferId, op: ReduceOp) -> Result<Scheme, Why> {
        let of = &self.analysis.program[buffer];
        if is_mark(op, of.elem) {
            return Ok(Scheme::Atomic);
        }
        if neutral(op, of.elem).is_none() || !is_combined(of.elem) {
            let why = "its operation is not one that blocks of threads combine";
            return Err(Why::Ordered { buffer, why });
        }
        if !matches!(of.layout, Layout::RowMajor | Layout::Padded(_)) {
            return Err(Why::NoScheme(buffer));
        }
        if invariant_targets(each, buffer).is_some() {
            return Ok(Scheme::ScalarReduction);
        }
        let dims = of.dims.iter().cloned();
        let size = dims.fold(Expr::usize(1), cost::saturating_mul);
        let work = cost::nominal_trips(each) * cost::nominal_work(&each.body);
        let copied = cost::nominal(&size) * THREADS_OF_A_KERNEL;
        let atomic = op == ReduceOp::Add && has_atomics(of.elem);
        match !shared_privatisation::is_few(self.analysis.program, buffer, &self.options.costs)
            && (indirect(each, buffer) || copied > work)
        {
            false => Ok(Scheme::PrivateCopies),
            true if atomic => Ok(Scheme::Atomic),
            true => Err(Why::NoScheme(buffer)),
        }
    }
}

/// Whether all threads that update an element store the same.
fn is_mark(op: ReduceOp, elem: Ty) -> bool {
    (op, elem) == (ReduceOp::Max, Ty::Bool)
}

/// Whether threads of a warp exchange values of this type.
pub(super) fn is_combined(elem: Ty) -> bool {
    match elem {
        Ty::Float(_) => true,
        Ty::Int(int) => int.bits() <= 64,
        Ty::Bool => false,
    }
}

pub(super) fn has_atomics(elem: Ty) -> bool {
    matches!(elem, Ty::Float(Float::F32 | Float::F64) | Ty::Int(Int::U32 | Int::U64 | Int::Usize))
}

/// Marks the kernels of a block; `inside` is how many loops from here on are threads, and the schemes, in one.
fn mark(block: &mut Block, grids: &HashMap<IterId, Grid>, inside: Option<(usize, &Schemes)>) {
    for stmt in block {
        let mut inside = inside;
        if let Some(each) = stmt.as_for_mut() {
            let begins = grids.get(&each.iter).map(|grid| (grid.loops, &grid.schemes));
            inside = inside.or(begins);
            if let Some((loops @ 1.., schemes)) = inside {
                each.exec = Exec::Parallel(Level::Grid);
                inside = Some((loops - 1, schemes));
            }
        } else if let (Some((target, scheme)), Some((_, schemes))) = (stmt.scheme_mut(), inside) {
            *scheme = schemes.get(&target.buffer).copied().unwrap_or(Scheme::Sequential);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| mark(inner, grids, inside));
    }
}

/// Marks the loops of nests, and puts checks of rows in front of loops.
fn in_versions(program: &mut Program, block: &mut Block, found: &Found, decisions: &mut Decisions) {
    for stmt in block {
        if let Some(each) = stmt.as_for()
            && let Some(grid) = found.grids.get(&each.iter)
        {
            if let Some(nest) = &grid.nest {
                blocks::mark(program, stmt, nest);
            }
            if let Some(apart) = &grid.apart {
                decisions.loops.extend(csr_rows::guard(program, stmt, apart));
            }
            continue;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| in_versions(program, inner, found, decisions));
    }
}

/// Kernels whose bounds, or whose place, the host does not know are no kernels: one thread runs them in order.
fn leave_to_the_host(program: &mut Program, decisions: &mut Decisions) {
    loop {
        let mut demoted = Vec::new();
        let host = Host::of(program);
        demote(&host, &program.body, true, &mut demoted);
        if demoted.is_empty() {
            return;
        }
        unmark(&mut program.body, &demoted, false, false);
        for iter in demoted {
            let why = "whether and how often it runs is known on the device alone";
            decisions.loops.insert(iter, why.to_owned());
        }
    }
}

/// Finds kernels that are none, and loops of kernels whose iterations are no threads of their own.
fn demote(host: &Host<'_>, block: &Block, here: bool, demoted: &mut Vec<IterId>) {
    for stmt in block {
        if let Some(each) = stmt.as_for()
            && each.exec == Exec::Parallel(Level::Grid)
        {
            let loops = thread_loops(each);
            let unknown = loops.into_iter().find(|each| !host.counts(each));
            demoted.extend(if here { unknown.map(|each| each.iter) } else { Some(each.iter) });
            continue;
        }
        let here = here && host.runs(stmt);
        if stmt.blocks().into_iter().any(has_kernels) {
            stmt.blocks().into_iter().for_each(|inner| demote(host, inner, here, demoted));
        }
    }
}

/// Loops that are demoted run in order with all inside; where a kernel is around them, its sums keep their schemes.
fn unmark(block: &mut Block, demoted: &[IterId], kernel: bool, inside: bool) {
    for stmt in block {
        let (mut kernel, mut inside) = (kernel, inside);
        if let Some(each) = stmt.as_for_mut() {
            if inside || demoted.contains(&each.iter) {
                inside = true;
                each.exec = Exec::Sequential;
            } else {
                kernel |= each.exec == Exec::Parallel(Level::Grid);
            }
        } else if let Some((_, scheme)) = stmt.scheme_mut().filter(|_| inside && !kernel) {
            *scheme = Scheme::Sequential;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| unmark(inner, demoted, kernel, inside));
    }
}

/// Visits the kernels of a block.
pub(super) fn grid_kernels(block: &mut Block, visit: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        if stmt.as_for().is_some_and(|each| each.exec == Exec::Parallel(Level::Grid)) {
            visit(stmt);
            continue;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| grid_kernels(inner, visit));
    }
}

/// The elements that a kernel sums over all its threads, and the operation.
pub fn scalar_sums(each: &For) -> Vec<(Place, ReduceOp)> {
    // sums of one iteration over the threads of its block stay inside
    let inside = declared(&each.body);
    let mut found: Vec<(Place, ReduceOp)> = Vec::new();
    each.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let Some(Update { op, target, scheme: Scheme::ScalarReduction, .. }) = stmt.as_update()
                && !inside.contains(target.buffer)
                && !found.iter().any(|(known, _)| known == target)
            {
                found.push((target.clone(), op));
            }
        });
    });
    found
}

/// The sums of floats that need atomic additions; those of integers are the same bits in any order.
fn atomics(program: &Program) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let mut visit = |stmt: &Stmt| {
        if let Some(Update { target, scheme: Scheme::Atomic, .. }) = stmt.as_update()
            && program[target.buffer].elem.is_float()
        {
            let span = program.spans.get(stmt.origin.span.0 as usize).copied();
            let name = &program[target.buffer].name;
            refusals.push(Refusal::new(
                span.unwrap_or_else(proc_macro2::Span::call_site),
                format!("the sum into `{name}` needs atomic additions on the GPU"),
                "how often an iteration adds to it is known only while it runs, so that there is no place to store what is added, and `deny(atomics)` is set",
                "give the loop around it bounds from sizes, parameters or arrays that the function does not write, or remove `deny(atomics)`",
            ));
        }
    };
    program.body.iter().for_each(|stmt| stmt.walk(&mut visit));
    refusals.dedup_by(|a, b| a.what == b.what);
    refusals
}
