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
//!   what another one wrote, and if nothing in the nest is checked (messages of the user come first);
//! - everything else is computed in the nest, once, and stored there in an array of the size of the nest.
//!
//! What iterations add under a condition is zero where the condition does not hold, and then there need not be an element
//! for it: an element to which no iteration gives without a condition gathers if it is in the array.
//!
//! Bounds of the nest do not change in it. A nest shorter than the span of its offsets stays as it is.
//!
//! On a periodic grid, where a loop over `0..n` adds to `index((i + c_k) % n)`, there are no ends: `i -> (i + c) % n` is a
//! permutation of the loop, so element `i` gathers term `k` from the iteration `(i - c_k) % n`; see `ring`.

mod regions;
mod ring;
mod terms;
mod values;

use super::cost::{self, Costs, as_constant, trip_count};
use super::offsets::{Linear, Offsets};
use super::parallel::only_updated;
use crate::ir::unscoped;
use crate::ir::{
    Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, IterId, Program, ReduceOp, Stmt, StmtKind, Ty,
    declared, written,
};
use crate::map::Map;
use crate::poly::{AccessId, AccessKind, Analysis, Fact};
use std::cell::OnceCell;
use std::collections::HashSet;
use terms::{SHORT, Term, Terms};
use values::{Slot, Values};

/// The most updates of one nest, those of loops that are written out counted one by one.
const MOST_TERMS: usize = 64;

/// Nests of so many loops gather only by an index that is proved to be injective, or is so where a check succeeds.
const MANY_DIMENSIONS: usize = 3;

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
pub(crate) fn gather(program: &mut Program, costs: &Costs) -> Vec<IterId> {
    let mut finder = Finder { program, costs, analysis: OnceCell::new(), found: Map::default() };
    finder.block(&program.body);
    let mut found = finder.found;
    let mut short = Vec::new();
    if found.is_empty() {
        return short;
    }
    let mut body = std::mem::take(&mut program.body);
    rewrite(program, &mut body, &mut found, &mut short);
    program.body = body;
    let whole = std::mem::replace(program, Program::new("", proc_macro2::Span::call_site()));
    *program = crate::simplify::shorten(whole);
    short
}

fn rewrite(program: &mut Program, block: &mut Block, found: &mut Map<IterId, Plan>, short: &mut Vec<IterId>) {
    for stmt in block {
        let plan = stmt.as_for().and_then(|each| found.remove(&each.iter));
        match plan {
            Some(plan) => short.extend(regions::split(program, stmt, plan)),
            None => stmt.blocks_mut().into_iter().for_each(|inner| rewrite(program, inner, found, short)),
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
        together.retain(|all| all.iter().all(|one| self.is_promising(&iters, body, one.plainest())));
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
            let counts = each.exec == Exec::Undecided
                && !each.inclusive
                && each.step == Expr::usize(1)
                && self.program[each.iter].ty == Ty::USIZE;
            let short = as_constant(&trip_count(each)).is_some_and(|trips| trips <= SHORT);
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
    fn is_promising(&self, iters: &[IterId], body: &'p Block, update: Option<&Update>) -> bool {
        let Some(update) = update else { return false };
        if iters.len() < MANY_DIMENSIONS {
            return true;
        }
        let (mut number, mut place) = (0, None);
        body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                if let Some(crate::ir::Update { target, .. }) = stmt.as_update()
                    && number == update.term.number
                {
                    place = Some(target);
                }
                number += 1;
            });
        });
        let analysis = self.analysis();
        let Some(id) = place.and_then(|place| analysis.at(place)) else { return false };
        let apart =
            |facts: &[Fact]| iters.iter().all(|&iter| analysis.carries_assuming(iter, id, id, facts).is_no());
        apart(&[]) || apart(&analysis.facts_of(iters[0]))
    }

    fn analysis(&self) -> &Analysis<'p> {
        self.analysis.get_or_init(|| Analysis::new(self.program))
    }

    /// Whether the nest is known to have little work.
    fn is_small(&self, each: &For) -> bool {
        let work = cost::saturating_mul(trip_count(each), cost::iteration(self.program, each));
        as_constant(&work).is_some_and(|work| work < self.costs.worth_a_task)
    }
}

/// The iterators of a loop and of those inside.
fn iterators(each: &For) -> HashSet<IterId> {
    let mut all = HashSet::from([each.iter]);
    each.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let Some(inner) = stmt.as_for() {
                all.insert(inner.iter);
            }
        });
    });
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
    let block = match &mut block[..] {
        [Stmt { kind: StmtKind::Scope { .. }, .. }] => block.first_mut()?.blocks_mut().pop()?,
        _ => block,
    };
    match &mut block.last_mut()?.kind {
        StmtKind::For(each) => Some(each),
        _ => None,
    }
}

/// Updates of an array that are a number of iterations apart: those of neighbours in one plane of it.
struct Neighbours {
    target: BufferId,
    updates: Vec<Update>,
    /// Which of the loops go around a ring.
    rings: Vec<bool>,
}

/// An update at one of the values of the loops around it.
struct Update {
    term: Term,
    offset: Vec<i128>,
}

impl Neighbours {
    /// The numbers of the statements that update.
    fn statements(&self) -> impl Iterator<Item = usize> {
        self.updates.iter().map(|update| update.term.number)
    }

    /// Whether the updates are apart along the outermost loop or around a ring.
    fn are_apart(&self) -> bool {
        self.rings.contains(&true)
            || self.updates.iter().any(|update| update.offset[0] != self.updates[0].offset[0])
    }

    /// The update of whose index most is known: one that takes no step around a ring and is no case, if there is one.
    fn plainest(&self) -> Option<&Update> {
        let steps =
            |update: &Update| self.rings.iter().zip(&update.offset).any(|(&ring, &by)| ring && by != 0);
        self.updates.iter().min_by_key(|update| (!update.term.always, steps(update)))
    }
}

/// The planes of arrays in which the iterations of a nest update neighbours, those together that only move together.
fn neighbours(
    program: &Program,
    loops: &[Range],
    changed: &BufferSet,
    inner: &HashSet<IterId>,
    terms: Vec<Term>,
) -> Vec<Vec<Neighbours>> {
    let iters: Vec<IterId> = loops.iter().map(|range| range.iter).collect();
    let fixed = |expr: &Expr| {
        let mut fixed = !expr.reads_any(program, changed);
        expr.walk(&mut |node| {
            fixed &= !matches!(&node.kind, ExprKind::Iter(iter) if inner.contains(iter));
        });
        fixed
    };
    let decides = |cond: &Expr| {
        let mut decides = !cond.reads_any(program, changed);
        cond.walk(&mut |node| {
            decides &= match &node.kind {
                ExprKind::Iter(iter) => iters.contains(iter) || !inner.contains(iter),
                ExprKind::Load(place) => place.index.is_empty(),
                _ => !node.ty.is_float(),
            };
        });
        decides
    };
    let mut offsets = Offsets::new(&iters, &fixed);
    let mut targets: Vec<(BufferId, Option<Vec<Indexed>>)> = Vec::new();
    for term in terms {
        let at = targets.iter().position(|(target, _)| *target == term.target).unwrap_or_else(|| {
            targets.push((term.target, Some(Vec::new())));
            targets.len() - 1
        });
        for term in written_out(term).into_iter().flat_map(|term| by_cases(term, loops, &decides)) {
            let indexed = Indexed::of(term, loops, &mut offsets);
            let known = targets[at].1.take().zip(indexed);
            targets[at].1 =
                known.filter(|(known, _)| known.len() < MOST_TERMS).map(|(mut known, indexed)| {
                    known.push(indexed);
                    known
                });
        }
    }
    let planes = targets.into_iter().filter_map(|(target, terms)| by_plane(target, terms?, loops.len()));
    planes.flat_map(together).collect()
}

/// An update of a target with its index, and the steps around rings that this takes along each loop.
struct Indexed {
    term: Term,
    linear: Linear,
    steps: Vec<i128>,
}

impl Indexed {
    fn of(term: Term, loops: &[Range], offsets: &mut Offsets<'_>) -> Option<Indexed> {
        let (index, steps) = ring::without_steps(&term.index, loops)?;
        let linear = offsets.linear(&index)?;
        Some(Indexed { term, linear, steps })
    }
}

/// The updates of a target by plane, and how far they are apart along each loop in it. Indices in several planes are equal but
/// for what does not move (`c` and `n + c`, members `a[c][0]` and `a[c][1]`).
fn by_plane(target: BufferId, terms: Vec<Indexed>, dimensions: usize) -> Option<Vec<Neighbours>> {
    let mut planes: Vec<(Vec<Indexed>, Vec<Vec<i128>>)> = Vec::new();
    for term in terms {
        let from =
            |(at, plane): (usize, &(Vec<Indexed>, _))| Some((at, term.linear.minus(&plane.0[0].linear)?));
        match planes.iter().enumerate().find_map(from) {
            Some((at, offset)) => {
                planes[at].0.push(term);
                planes[at].1.push(offset);
            }
            None if planes.iter().all(|plane| plane.0[0].linear.moves_as(&term.linear)) => {
                planes.push((vec![term], vec![vec![0; dimensions]]));
            }
            None => return None,
        }
    }
    let plane = |(terms, offsets): (Vec<Indexed>, Vec<Vec<i128>>)| {
        let rings: Vec<bool> = (0..dimensions).map(|d| terms.iter().any(|term| term.steps[d] != 0)).collect();
        let update = |(Indexed { term, steps, .. }, mut offset): (Indexed, Vec<i128>)| {
            for (d, &step) in steps.iter().enumerate().filter(|(d, _)| rings[*d]) {
                // a step in front of a sum is no step of the sum
                if offset[d] != 0 {
                    return None;
                }
                offset[d] = step;
            }
            Some(Update { offset, term })
        };
        let updates = terms.into_iter().zip(offsets).map(update).collect::<Option<_>>()?;
        Some(Neighbours { target, updates, rings })
    };
    planes.into_iter().map(plane).collect()
}

/// The planes of a target in which updates are apart, each with those that share a statement with it: these move together or
/// not at all.
fn together(planes: Vec<Neighbours>) -> Vec<Vec<Neighbours>> {
    let mut groups: Vec<Vec<Neighbours>> = Vec::new();
    for plane in planes {
        let statements: HashSet<usize> = plane.statements().collect();
        let shares = |group: &Vec<Neighbours>| {
            group.iter().flat_map(Neighbours::statements).any(|number| statements.contains(&number))
        };
        let (with, without): (Vec<_>, Vec<_>) = groups.into_iter().partition(shares);
        groups = without;
        groups.push(with.into_iter().flatten().chain([plane]).collect());
    }
    groups.retain(|group| group.iter().any(Neighbours::are_apart));
    groups
}

/// A term for all values of the loops around it.
fn written_out(term: Term) -> Vec<Term> {
    let mut all = vec![term];
    for (iter, values) in all[0].loops.clone() {
        let at = |term: &Term, value: i128| {
            let mut term = term.clone();
            let number = Expr::int(Ty::USIZE, value);
            term.index = term.index.iter().map(|index| index.at(iter, &number)).collect();
            term.at.push(value);
            term
        };
        all = all.iter().flat_map(|term| values.iter().map(|&value| at(term, value))).collect();
    }
    all
}

/// A term whose index is a choice that iterators decide, and nothing that the nest changes, as a term for each of the cases, with zero in the others.
///
/// ```text
/// d[select(i + 1 < n, i + 1, i)] += e   =>   d[i + 1] += select(i + 1 < n, e, 0.0)
///                                            d[i] += select(i + 1 < n, 0.0, e)
/// ```
fn by_cases(term: Term, loops: &[Range], decides: &dyn Fn(&Expr) -> bool) -> Vec<Term> {
    let choice = term.index.iter().find_map(|index| {
        let mut found = None;
        index.walk(&mut |node| {
            if let ExprKind::Select(parts) = &node.kind
                && found.is_none()
                && !ring::is_step(node, loops)
                && decides(&parts[0])
                && (term.always || terms::is_safe(&parts[0]))
            {
                found = Some(node.clone());
            }
        });
        found
    });
    let Some(choice) = choice.filter(|_| term.decided) else { return vec![term] };
    let ExprKind::Select(parts) = &choice.kind else { return vec![term] };
    let zero = || Expr::float(term.value.ty, 0.0);
    let case = |number: &Expr, value: Expr| {
        let number = number.map(&mut |node| match node.modular() {
            Some((op, a, b)) => Expr::binary(op, a.clone(), b.clone()),
            None => node,
        });
        let at = |index: &Expr| index.map(&mut |node| if node == choice { number.clone() } else { node });
        let index = term.index.iter().map(at).collect();
        by_cases(Term { index, value, always: false, ..term.clone() }, loops, decides)
    };
    let [cond, yes, no] = &**parts;
    let mut all = case(yes, Expr::select(cond.clone(), term.value.clone(), zero()));
    all.extend(case(no, Expr::select(cond.clone(), zero(), term.value.clone())));
    all
}
