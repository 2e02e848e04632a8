//! Sums of a stencil: instead of adding to its neighbours, each element gathers from them.
//!
//! *Comes in*: a program whose loops are not decided. *Goes out*: one in which nests that add to one array at constant
//! offsets leave that to nests over the elements. *Guarantees*: the same additions to the same elements, in another order.
//! *Never*: runs under `strict`, or touches an index that the nest would not touch.
//!
//! ```text
//! for i in lo..hi                     if lo + 2 < hi
//!   d_x[i - 1] += e(i)                  for i in lo..hi
//!   d_x[i + 1] += f(i)                    rest
//!   rest                                for i in lo..lo + 2      # nobody else gives to these
//!                                         d_x[i - 1] += e(i)
//!                               =>      for i in hi - 2..hi
//!                                         d_x[i + 1] += f(i)
//!                                       for i in lo + 1..hi - 1
//!                                         d_x[i] += e(i + 1) + f(i - 1)
//!                                     else: as before, in order
//! ```
//!
//! The gathering nest is parallel where its index is injective, which the analysis of dependences finds out afterwards as of
//! any loop: neither tasks nor lanes meet.
//!
//! **Legality.** Let term `k` add `e_k(i)` to the element `index(i + c_k)` (see `offsets`). The pairs of an iteration `i` and a
//! term `k` are the pairs of an element number `y = i + c_k` and a term, so the sum over the one is the sum over the other,
//! whether `index` is injective or not; `regions` goes through each pair once. Float sums are reordered, so nothing happens
//! under `strict`; the order is fixed by the program: at each element terms by their place in the source, boundaries first.
//! Between the updates that move nobody looks at the target: the nest does nothing to it but add. What they add is the same:
//! - expressions that read only what the nest does not change are evaluated where they are needed;
//! - those that also read elements before the nest overwrites them are evaluated in front of the nest, if no iteration reads
//!   what another one wrote, and if nothing in the nest is checked (messages of the user come first), where that costs
//!   no more than to store;
//! - everything else is computed from values that the nest stores in arrays of its size. Which ones is a minimum
//!   [`cut`] of the [`data_flow`] between what the nest does not change and the terms: seven terms of one
//!   residual store the residual.
//!
//! What iterations add under a condition is zero where the condition does not hold, and then there need not be an element
//! for it: an element to which no iteration gives without a condition gathers if it is in the array.
//!
//! Bounds of the nest do not change in it. A nest shorter than the span of its offsets stays as it is.
//!
//! On a GPU, where each nest is a kernel, elements at the ends gather in the same nest as all others, each term under the
//! condition that there is an iteration that gives it ([`Ends::Guarded`]):
//!
//! ```text
//! for i in lo..hi + 2
//!   if i < hi: part += e(i)
//!   if lo + 2 <= i: part += f(i - 2)
//!   if i < hi or lo + 2 <= i: d_x[i - 1] += part
//! ```
//!
//! On a periodic grid, where a loop over `0..n` adds to `index((i + c_k) % n)`, there are no ends: `i -> (i + c) % n` is a
//! permutation of the loop, so element `i` gathers term `k` from the iteration `(i - c_k) % n`; see `ring`.

mod cut;
mod data_flow;
mod guards;
mod neighbours;
mod regions;
mod ring;
mod terms;
mod values;

use super::cost::{self, Costs, trip_count};
use super::parallel::only_updated;
use crate::ir::unscoped;
use crate::ir::{
    Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, IterId, Place, Program, ReduceOp, Stmt, StmtKind,
    declared, written,
};
use crate::limits::{PROVED_DIMENSIONS, UNROLLED_NEIGHBOURS};
use crate::map::Map;
use crate::poly::{AccessId, AccessKind, Analysis, Fact};
use neighbours::{Neighbours, Update, neighbours};
use std::cell::OnceCell;
use std::collections::HashSet;
use terms::Terms;
use values::{Slot, Values};

/// How the elements gather to which not all terms give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    /// In nests of their own, without conditions.
    Apart,
    /// With all others, each term under the condition that it is given.
    Guarded,
}

/// A nest whose updates move.
#[derive(Debug)]
struct Plan {
    /// Its loops, outermost first.
    loops: Vec<Range>,
    /// The updates that move, by the numbers of their statements.
    moved: Vec<usize>,
    /// What the nest computes for the gathering nests.
    slots: Vec<Slot>,
    gathers: Vec<Gather>,
}

/// A loop of a nest.
#[derive(Clone, Debug)]
struct Range {
    iter: IterId,
    lo: Expr,
    hi: Expr,
}

/// What a nest adds to planes of one array, gathered in one nest.
#[derive(Debug)]
struct Gather {
    target: BufferId,
    /// How many planes.
    planes: usize,
    sources: Vec<Source>,
    /// Whether it stands in front of the nest.
    first: bool,
    /// Which of the loops go around a ring: offsets along them are steps around it.
    rings: Vec<bool>,
}

/// One term of the sum of an element.
#[derive(Clone, Debug)]
struct Source {
    /// To which of the planes it belongs.
    plane: usize,
    /// Which iteration gives it: the number of the element is that of the iteration and this.
    offset: Vec<i128>,
    /// The index that the iteration adds to.
    index: Vec<Expr>,
    /// What it adds.
    value: Expr,
    /// Whether every iteration has it, so that there is such an element.
    always: bool,
}

impl Plan {
    /// Members of records are gathered together: they lie beside each other.
    fn add(&mut self, mut gather: Gather) {
        let with = self.gathers.iter_mut().find(|with| with.are_members(&gather));
        let Some(with) = with else { return self.gathers.push(gather) };
        gather.sources.iter_mut().for_each(|source| source.plane += with.planes);
        with.planes += gather.planes;
        with.sources.extend(gather.sources);
    }
}

impl Gather {
    /// Whether it and another one add to different members of records, by what they read at the same time.
    fn are_members(&self, other: &Gather) -> bool {
        let differ = |(a, b): (&Expr, &Expr)| match (&a.kind, &b.kind) {
            (ExprKind::Int(a), ExprKind::Int(b)) => a != b,
            _ => false,
        };
        let apart = |a: &Source, b: &Source| a.index.iter().zip(&b.index).any(differ);
        let same = self.target == other.target && self.first == other.first && self.rings == other.rings;
        same && self.sources.iter().all(|a| other.sources.iter().all(|b| apart(a, b)))
    }
}

/// Why the version of a nest without gathered sums runs in order.
pub(crate) const SHORT_NEST: &str = "no longer than the neighbours are apart";

/// Lets the elements of stencils gather; gives the loops of the versions for nests that are too short for it.
pub(crate) fn gather(program: &mut Program, costs: &Costs, ends: Ends) -> Vec<IterId> {
    let mut finder = Finder { program, costs, analysis: OnceCell::new(), found: Map::default() };
    finder.block(&program.body);
    let mut found = finder.found;
    let mut short = Vec::new();
    if found.is_empty() {
        return short;
    }
    program.with_body(|program, body| rewrite(program, body, ends, &mut found, &mut short));
    *program = crate::simplify::shorten(program.take());
    short
}

fn rewrite(
    program: &mut Program,
    block: &mut Block,
    ends: Ends,
    found: &mut Map<IterId, Plan>,
    short: &mut Vec<IterId>,
) {
    for stmt in block {
        let plan = stmt.as_for().and_then(|each| found.remove(&each.iter));
        match plan {
            Some(plan) => short.extend(regions::split(program, stmt, plan, ends)),
            None => {
                stmt.blocks_mut().into_iter().for_each(|inner| rewrite(program, inner, ends, found, short))
            }
        }
    }
}

struct Finder<'p> {
    program: &'p Program,
    costs: &'p Costs,
    analysis: OnceCell<Analysis<'p>>,
    found: Map<IterId, Plan>,
}

impl<'p> Finder<'p> {
    fn block(&mut self, block: &'p Block) {
        for stmt in block {
            if let Some(each) = stmt.as_for()
                && let Some(plan) = self.plan(each)
            {
                self.found.insert(each.iter, plan);
                continue;
            }
            stmt.blocks().into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// How the updates of a nest move, if it is one that adds to neighbours.
    fn plan(&self, each: &'p For) -> Option<Plan> {
        let changed = written(&each.body);
        let Nest { loops, names, body } = self.nest(each, &changed)?;
        let only = only_updated(&each.body);
        let inside = declared(&each.body);
        let summed =
            |buffer: BufferId| only.get(&buffer) == Some(&Some(ReduceOp::Add)) && !inside.contains(buffer);
        let (terms, checks) = Terms::of(self.program, &names, body, &changed, &summed)?;
        let mut together = neighbours(self.program, &loops, &changed, &iterators(each), terms);
        if together.is_empty() || self.is_small(each) {
            return None;
        }
        let iters: Vec<IterId> = loops.iter().map(|range| range.iter).collect();
        together.retain(|all| all.iter().all(|one| self.is_promising(&loops, body, one.plainest())));
        let entry = |buffer: BufferId| !checks && !inside.contains(buffer) && self.keeps(buffer, &iters);
        let mut values = Values::new(&loops, &changed);
        let mut plan = Plan { loops: Vec::new(), moved: Vec::new(), slots: Vec::new(), gathers: Vec::new() };
        for all in together {
            let Some(gathers) = values.gather_all(&all, &entry) else { continue };
            plan.moved.extend(all.iter().flat_map(Neighbours::statements));
            gathers.into_iter().for_each(|gather| plan.add(gather));
        }
        plan.slots = values.slots;
        plan.loops = loops;
        (!plan.gathers.is_empty()).then_some(plan)
    }

    /// The loops of a nest with one range for each, and its body.
    fn nest(&self, each: &'p For, changed: &BufferSet) -> Option<Nest<'p>> {
        let mut loops: Vec<Range> = Vec::new();
        let mut names = Vec::new();
        let mut between: Option<&[Stmt]> = None;
        let mut next = Some(each);
        let mut body = &each.body;
        while let Some(each) = next {
            let fixed = |bound: &Expr| {
                !bound.reads_any(self.program, changed)
                    && !loops.iter().any(|around| bound.mentions(around.iter))
            };
            let counts = each.exec == Exec::Undecided && each.is_plain();
            let short = trip_count(each).as_usize().is_some_and(|trips| trips <= UNROLLED_NEIGHBOURS);
            if !counts || !fixed(&each.lo) || !fixed(&each.hi) || short {
                break;
            }
            loops.push(Range { iter: each.iter, lo: each.lo.clone(), hi: each.hi.clone() });
            names.extend(between.into_iter().flatten());
            body = &each.body;
            (between, next) = directly_inside(body).unzip();
        }
        (!loops.is_empty()).then_some(Nest { loops, names, body })
    }

    /// Whether no iteration of the nest reads of a buffer what another one wrote.
    fn keeps(&self, buffer: BufferId, iters: &[IterId]) -> bool {
        let analysis = self.analysis();
        iters.iter().all(|&iter| {
            let inside = |id: &AccessId| analysis.loops_around(*id).contains(&iter);
            let reads: Vec<AccessId> = analysis
                .of(buffer)
                .iter()
                .copied()
                .filter(|&id| analysis.access(id).kind == AccessKind::Read)
                .collect();
            analysis.writes(buffer).filter(inside).all(|write| {
                reads
                    .iter()
                    .filter(|read| inside(read))
                    .all(|&read| analysis.carries_any(iter, write, read).is_no())
            })
        })
    }

    /// Whether it is worth a try to gather by the index of an update: it has few dimensions, where a check at run time may
    /// help, or no two iterations of the nest have the same element.
    fn is_promising(&self, loops: &[Range], body: &'p Block, update: Option<&Update>) -> bool {
        let Some(Update { term, .. }) = update else { return false };
        if loops.len() < PROVED_DIMENSIONS {
            return true;
        }
        let mut statements = Vec::new();
        crate::ir::walk(body, &mut |stmt| statements.push(stmt));
        let Some(crate::ir::Update { target, .. }) = statements[term.number].as_update() else {
            return false;
        };
        let Some((index, steps)) = ring::without_steps(&term.index, loops) else { return false };
        if steps.iter().all(|&by| by == 0) {
            return is_injective(self.analysis(), loops, target);
        }
        // elements gather by the index without its steps
        let gathering = Place::new(target.buffer, index);
        let mut program = self.program.clone();
        crate::ir::walk_mut(&mut program.body, &mut |stmt| {
            if let StmtKind::Reduce { target: at, .. } = &mut stmt.kind
                && at == target
            {
                *at = gathering.clone();
            }
        });
        let mut found = false;
        let analysis = Analysis::new(&program);
        crate::ir::walk(&program.body, &mut |stmt| {
            let at = stmt.as_update().map(|update| update.target).filter(|at| **at == gathering);
            found |= at.is_some_and(|at| is_injective(&analysis, loops, at));
        });
        found
    }

    fn analysis(&self) -> &Analysis<'p> {
        self.analysis.get_or_init(|| Analysis::new(self.program))
    }

    /// Whether the nest is known to have little work.
    fn is_small(&self, each: &For) -> bool {
        let work = cost::saturating_mul(trip_count(each), cost::iteration(self.program, each));
        work.as_usize().is_some_and(|work| work < self.costs.worth_a_task)
    }
}

/// Whether no two iterations of a nest update one element, or where a check at run time succeeds.
fn is_injective(analysis: &Analysis<'_>, loops: &[Range], target: &Place) -> bool {
    let Some(id) = analysis.at(target) else { return false };
    let apart = |facts: &[Fact]| {
        loops.iter().all(|range| analysis.carries_assuming(range.iter, id, id, facts).is_no())
    };
    apart(&[]) || apart(&analysis.facts_of(loops[0].iter))
}

/// The iterators of a loop and of those inside.
fn iterators(each: &For) -> HashSet<IterId> {
    let mut all = HashSet::from([each.iter]);
    crate::ir::walk(&each.body, &mut |stmt| all.extend(stmt.as_for().map(|inner| inner.iter)));
    all
}

/// A nest of loops, each the only loop in the one around it.
struct Nest<'p> {
    /// Outermost first.
    loops: Vec<Range>,
    /// What stands between them: names of integers.
    names: Vec<&'p Stmt>,
    body: &'p Block,
}

/// The loop that a block consists of, and the names of integers that stand in front of it.
fn directly_inside(block: &Block) -> Option<(&[Stmt], &For)> {
    let (last, names) = unscoped(block).split_last()?;
    Some((names, last.as_for()?)).filter(|(names, _)| {
        names.iter().all(|stmt| stmt.as_scalar_assign().is_some_and(|(_, value)| value.ty.is_int()))
    })
}

/// The same to change.
fn directly_inside_mut(block: &mut Block) -> Option<&mut For> {
    directly_inside(block)?;
    let is_scope = matches!(&block[..], [only] if only.as_scope().is_some());
    let block = if is_scope { block[0].as_scope_mut()?.1 } else { block };
    block.last_mut()?.as_for_mut()
}
