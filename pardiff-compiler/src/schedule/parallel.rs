//! Which loops are parallel: outermost first, by proof.
//!
//! A loop is parallel if all that its iterations share, they share through `Reduce`s of one operation whose targets the
//! body does nothing else with ([`Analysis::carried_by`] is a proof of that for every run). Then the iterations may run
//! in any order and in groups, once every summation has an owner (see `summation`).

use super::Options;
use super::chunk_colouring;
use super::cost::{self, saturating_mul};
use super::estimates::At;
use super::inverse::{self, Inverse};
use super::lanes::{moves_along, needs_proof, shares_rows};
use super::legality::{self, Way};
use super::multiversion::iteration_tasks;
use super::prices::FEW;
use super::profitability::Beside;
use super::remarks::{Obstacle, Why};
use super::summation::Summation;
use crate::ir::Update;
use crate::ir::{
    Block, BufferId, BufferSet, Callee, Exec, Expr, For, Grain, IterId, Layout, Program, RayonId, ReduceOp,
    Stmt, StmtKind, Ty, all, any, counts_up, declared, walk,
};
use crate::limits::WORK_OF_INNER_LOOPS;
use crate::map::Map;
use crate::poly::{Analysis, Fact, Proof};
use crate::refusal::Refusal;

/// A parallel loop and how its summations are done.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Summations that need an owner.
    pub(super) sums: Vec<Summation>,
    /// Those of them that may gather.
    pub(super) inverse: Option<Inverse>,
    /// Those of them that need no copies where only neighbouring chunks meet.
    pub(super) colours: Vec<BufferId>,
    /// The two cheapest schemes of each, in words.
    pub(super) estimates: Vec<(BufferId, String)>,
    /// Arrays that are written directly, each element by one iteration; and the proof of that.
    pub(super) owned: Vec<(BufferId, Proof)>,
    /// Whether the user has it in parallel as well.
    pub(super) rayon: Option<RayonId>,
    /// What all this rests on besides proofs; to be checked when the program runs.
    pub(super) facts: Vec<Fact>,
    /// When checking it pays.
    pub(super) pays: Expr,
    /// The facts in words.
    pub(super) relies: String,
    /// How it is parallel without the facts, where these may well not hold.
    pub(super) copying: Option<Box<Plan>>,
    /// Loops inside that may be worth lanes of their own and whose iterations commute, if all that holds.
    pub(super) middle: Vec<IterId>,
    /// Whether an iteration is mostly a simulation.
    pub(super) is_simulation: bool,
    /// The work of an iteration.
    pub(super) iteration: Expr,
    /// Iterations of a chunk run one after the other.
    pub(super) scalar: bool,
    /// Float sums keep their order, also inside an iteration.
    pub(super) strict: bool,
    /// What things cost.
    pub(super) costs: super::cost::Costs,
}

/// The decision about every loop that is not inside a parallel one.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) parallel: Map<IterId, Plan>,
    pub(super) sequential: Map<IterId, Why>,
}

impl Found {
    /// Whether the loop is parallel.
    pub(super) fn has(&self, iter: IterId) -> bool {
        self.parallel.contains_key(&iter)
    }
}

impl Plan {
    /// Whether no two iterations touch one element of an array.
    pub(super) fn owns(&self, buffer: BufferId) -> bool {
        self.owned.iter().any(|&(owned, _)| owned == buffer)
    }
}

/// Decides about the loops of a program, outermost first.
pub(super) fn find(analysis: &Analysis<'_>, options: &Options) -> Found {
    let beside = Beside::of(analysis.program, options.costs.beside);
    let flat = cost::flat_matrices(analysis.program);
    let mut finder =
        Finder { analysis, options, beside: &beside, around: Vec::new(), flat, found: Found::default() };
    finder.block(&analysis.program.body, 1.0);
    finder.found
}

struct Finder<'a, 'p> {
    analysis: &'a Analysis<'p>,
    options: &'a Options,
    /// Loops with little work in the whole call are left alone: the code of tasks has its price as well.
    beside: &'a Beside<'p>,
    /// The sizes of the loops around.
    around: Vec<Expr>,
    /// Arrays with as many elements as a matrix.
    flat: BufferSet,
    found: Found,
}

impl Finder<'_, '_> {
    /// `times` is how often the block is expected to run.
    fn block(&mut self, block: &Block, times: f64) {
        for stmt in block {
            let (mut times, depth) = (times, self.around.len());
            match &stmt.kind {
                StmtKind::For(each) => {
                    let work =
                        times * self.rows(each, times) * cost::nominal_work(std::slice::from_ref(stmt));
                    let is_little = || self.beside.is_little(stmt, work, &self.around);
                    let decision = if each.marks.rayon.is_none() && is_little() {
                        Err(Why::Beside)
                    } else {
                        decide(self.analysis, each, self.options)
                    };
                    match decision {
                        Ok(plan) => {
                            if !self.leaves_to_inner_loops(each, times) {
                                self.found.parallel.insert(each.iter, plan);
                            }
                            continue;
                        }
                        Err(Why::Decided) => {}
                        Err(why) => {
                            self.found.sequential.insert(each.iter, why);
                        }
                    }
                    if each.exec != Exec::Undecided {
                        continue;
                    }
                    times *= cost::nominal_trips(each);
                    self.beside.add_sizes(each, &mut self.around);
                }
                StmtKind::While(each) => {
                    self.found.sequential.insert(each.counter, Why::While);
                    times *= cost::nominal_rounds();
                }
                _ => {}
            }
            stmt.blocks().into_iter().for_each(|inner| self.block(inner, times));
            self.around.truncate(depth);
        }
    }
}

impl Finder<'_, '_> {
    /// By what a loop over all elements of a flat matrix exceeds its estimate, where it is repeated; once, it is as fast in
    /// order as memory is.
    fn rows(&self, each: &For, times: f64) -> f64 {
        if times > 1.0 { cost::rows_of(self.analysis.program, each, &self.flat) } else { 1.0 }
    }

    /// Whether a parallel loop of few iterations runs in order because loops inside, with more iterations, are parallel
    /// and do nearly all of its work; then these are decided. Any of the two is right: what is parallel may run in order.
    fn leaves_to_inner_loops(&mut self, each: &For, times: f64) -> bool {
        let Some(few) = cost::trip_count(each).as_usize().filter(|&trips| trips <= FEW) else {
            return false;
        };
        let mut inside = Finder {
            found: Found::default(),
            analysis: self.analysis,
            options: self.options,
            beside: self.beside,
            around: self.around.clone(),
            flat: self.flat.clone(),
        };
        self.beside.add_sizes(each, &mut inside.around);
        inside.block(&each.body, times * few as f64);
        let work = cost::nominal_work(&each.body);
        if is_tasks(self.analysis.program, each) {
            // tasks of the user stay tasks, unless they consist of parallel loops of the user
            inside.found.keep_only_rayon(&each.body);
        }
        if inside.found.work(&each.body, few as f64) < WORK_OF_INNER_LOOPS * work {
            return false;
        }
        self.found.sequential.insert(each.iter, Why::Few);
        self.found.parallel.extend(inside.found.parallel);
        self.found.sequential.extend(inside.found.sequential);
        true
    }
}

/// Whether the iterations are tasks of the user's.
fn is_tasks(program: &Program, each: &For) -> bool {
    program.rayon_of(&each.marks).is_some_and(|rayon| rayon.grain == Grain::Task)
}

impl Found {
    /// Only the loops that the user has in parallel.
    fn keep_only_rayon(&mut self, block: &Block) {
        crate::ir::walk(block, &mut |stmt| {
            if let Some(each) = stmt.as_for()
                && each.marks.rayon.is_none()
            {
                self.parallel.remove(&each.iter);
            }
        });
    }

    /// The work, in one execution of a block, of its parallel loops with more than so many iterations.
    fn work(&self, block: &[Stmt], few: f64) -> f64 {
        let of = |stmt: &Stmt| {
            let inner = || stmt.blocks().into_iter().map(|block| self.work(block, few)).sum::<f64>();
            match stmt.as_for() {
                Some(each) if self.parallel.contains_key(&each.iter) => {
                    let many = cost::nominal_trips(each) > few;
                    if many { cost::nominal_work(std::slice::from_ref(stmt)) } else { 0.0 }
                }
                Some(each) => cost::nominal_trips(each) * inner(),
                None => inner(),
            }
        };
        block.iter().map(of).sum()
    }
}

/// Whether a loop is parallel and worth it.
fn decide(analysis: &Analysis<'_>, each: &For, options: &Options) -> Result<Plan, Why> {
    if each.exec != Exec::Undecided {
        return Err(Why::Decided);
    }
    if each.marks.sequential {
        return Err(Why::Marked);
    }
    let program = analysis.program;
    let costs = options.costs;
    let iteration = cost::iteration(program, each);
    let work = saturating_mul(cost::trip_count(each), iteration.clone());
    if work.as_usize().is_some_and(|work| work < costs.worth_a_task) {
        return Err(Why::Small);
    }
    let way = legality::find(analysis, each, options, &iteration)?;
    Ok(plan_of(analysis, each, options, &iteration, way))
}

fn plan_of(analysis: &Analysis<'_>, each: &For, options: &Options, iteration: &Expr, way: Way) -> Plan {
    let (program, costs) = (analysis.program, options.costs);
    let (pays, relies) = (way.pays(each, iteration, &costs), way.relies(program));
    let Way { meetings: Meetings { owned, .. }, sums, facts, copying } = way;
    let rayon = each.marks.rayon;
    let inverse = inverse::find(program, each, &sums);
    let colours = if inverse.is_some() { Vec::new() } else { chunk_colouring::find(program, each, &sums) };
    let at = At { program, each, iteration, inverse: inverse.as_ref(), colours: &colours, costs: &costs };
    let estimates = at.estimates(&sums);
    let middle = middle(analysis, each, options, &facts);
    let is_simulation = iteration_tasks::is_simulation(analysis, each, &facts);
    let copying = copying.map(|way| Box::new(plan_of(analysis, each, options, iteration, *way)));
    Plan {
        sums,
        inverse,
        colours,
        estimates,
        owned,
        rayon,
        facts,
        middle,
        is_simulation,
        pays,
        relies,
        copying,
        iteration: iteration.clone(),
        scalar: options.scalar,
        strict: options.strict,
        costs,
    }
}

/// The loops inside of `each` that may be worth lanes of their own and whose iterations meet in nothing but summations where
/// the facts hold.
fn middle(analysis: &Analysis<'_>, each: &For, options: &Options, facts: &[Fact]) -> Vec<IterId> {
    let mut found = Vec::new();
    crate::ir::walk(&each.body, &mut |stmt| {
        if let Some(inner) = stmt.as_for()
            && [moves_along, shares_rows, needs_proof].iter().any(|may| may(analysis.program, inner))
            && meets(analysis, inner, options, facts).is_ok()
        {
            found.push(inner.iter);
        }
    });
    found
}

/// The arrays that the iterations of a loop write.
#[derive(Clone)]
pub(crate) struct Meetings {
    /// Each element by one iteration; and the proof of that.
    pub(crate) owned: Vec<(BufferId, Proof)>,
    /// Only updated, by that operation.
    pub(crate) shared: Vec<(BufferId, ReduceOp)>,
}

/// How the iterations of a loop meet where the facts hold, if it is in nothing but summations.
pub(crate) fn meets(
    analysis: &Analysis<'_>,
    each: &For,
    options: &Options,
    facts: &[Fact],
) -> Result<Meetings, Obstacle> {
    let program = analysis.program;
    if has_products(&each.body) {
        return Err(Why::Products.into());
    }
    if !is_transparent(&each.body) {
        return Err(Why::Opaque.into());
    }
    let (only, reached) = (only_updated(&each.body), reached(&each.body));
    let (mut owned, mut shared) = (Vec::new(), Vec::new());
    for carried in analysis.carried_assuming(each.iter, facts) {
        let buffer = carried.buffer;
        if program[buffer].layout == Layout::Growing || reached.contains(buffer) {
            return Err(Why::Grows(buffer).into());
        }
        if program[buffer].rank() > 0 {
            if carried.is_independent() {
                owned.push((buffer, carried.proof));
                continue;
            }
            if is_owned(program, each, buffer) {
                owned.push((buffer, Proof::Types));
                continue;
            }
        }
        match (carried.reduction, only.get(&buffer)) {
            (Some((_, op)), Some(Some(same))) if carried.is_reduction_only() && op == *same => {
                may_reorder(program, buffer, op, options.strict)
                    .map_err(|why| Why::Ordered { buffer, why })?;
                shared.push((buffer, op));
            }
            _ => return Err(Obstacle::Carried(carried)),
        }
    }
    Ok(Meetings { owned, shared })
}

/// Whether an iteration touches only those elements of a buffer that the user's types give to it; see [`Rayon`].
///
/// **Legality.** Items of type `&mut` that different iterations have do not overlap, and the front end saw that the body
/// touches the buffer through its items alone. An adjoint or a tangent of such a buffer, or one of these, is touched where
/// the same iteration of the primal touches the buffer.
fn is_owned(program: &Program, each: &For, buffer: BufferId) -> bool {
    let rayon = program.rayon_of(&each.marks);
    rayon.is_some_and(|rayon| rayon.owned.contains(&program.root(buffer).0))
}

/// Whether a matrix product is inside.
fn has_products(block: &Block) -> bool {
    any(block, &mut |stmt| matches!(stmt.kind, StmtKind::Call { callee: Callee::Product(_), .. }))
}

/// Whether nothing inside is a call, other than for rows, or an exchange of arrays that live around the loop.
fn is_transparent(block: &Block) -> bool {
    let inside = declared(block);
    all(block, &mut |stmt| {
        (!stmt.is_opaque() || stmt.as_reserve().is_some())
            && stmt.as_swap().into_iter().flatten().all(|buffer| inside.contains(buffer))
    })
}

/// The arrays to which a block gives rows.
fn reached(block: &Block) -> BufferSet {
    let mut set = BufferSet::new();
    walk(block, &mut |stmt| {
        if stmt.as_reserve().is_some() {
            stmt.writes_itself(&mut |buffer| _ = set.insert(buffer));
        }
    });
    set
}

/// Of every buffer that a block mentions: the operation, if all it does to the buffer is to update it by that one.
pub(crate) fn only_updated(block: &Block) -> Map<BufferId, Option<ReduceOp>> {
    let mut only: Map<BufferId, Option<ReduceOp>> = Map::default();
    let mut reads = BufferSet::new();
    let mut visit = |stmt: &Stmt| {
        stmt.each_expr(&mut |expr| {
            expr.each_load(&mut |place| {
                reads.insert(place.buffer);
            })
        });
        if let Some(Update { op, target, .. }) = stmt.as_update() {
            let known = only.entry(target.buffer).or_insert(Some(op));
            *known = known.filter(|known| *known == op);
        } else if !stmt.is_opaque() {
            stmt.writes_itself(&mut |buffer| _ = reads.insert(buffer));
        }
    };
    crate::ir::walk(block, &mut visit);
    for buffer in reads.iter() {
        only.insert(buffer, None);
    }
    only
}

/// Whether the updates may be summed in groups: floats to rounding; unsigned integers because a sum that does not
/// overflow has no part that does, and signed ones that only count up; the least and the greatest in any order. Other
/// signed integers may overflow in parts where the source does not.
fn may_reorder(program: &Program, buffer: BufferId, op: ReduceOp, strict: bool) -> Result<(), &'static str> {
    match (op, program[buffer].elem) {
        (ReduceOp::Add, Ty::Float(_)) if strict => Err("`strict` keeps the order of its additions"),
        (ReduceOp::Add, Ty::Float(_)) => Ok(()),
        (ReduceOp::Add, Ty::Int(int)) if !int.is_signed() || counts_up(program, buffer) => Ok(()),
        (ReduceOp::Add, _) => Err("a part of a sum of signed integers may overflow where the whole does not"),
        (ReduceOp::Min | ReduceOp::Max, _) => Ok(()),
    }
}

/// Refuses the loops of the primal that are marked `#[parallel]` and not proved to be.
pub fn refuse_marks(primal: &Program, options: &Options) -> Vec<Refusal> {
    let is_marked = |stmt: &Stmt| stmt.as_for().is_some_and(|each| each.marks.parallel);
    if !any(&primal.body, &mut &is_marked) {
        return Vec::new();
    }
    let analysis = Analysis::new(primal);
    let mut refusals = Vec::new();
    let mut check = |stmt: &Stmt| {
        let Some(each) = stmt.as_for() else { return };
        if !each.marks.parallel {
            return;
        }
        if let Err(why) = legality::is_parallel(&analysis, each, options) {
            let span = primal.spans.get(stmt.origin.span.0 as usize).copied();
            refusals.push(Refusal::new(
                span.unwrap_or_else(proc_macro2::Span::call_site),
                format!("the loop over `{}` is not proved to be parallel", primal[each.iter].name),
                why.text(primal),
                why.help(primal),
            ));
        }
    };
    crate::ir::walk(&primal.body, &mut check);
    refusals
}
