//! Which updates of an array are neighbours of each other.

use super::super::offsets::{Linear, Offsets};
use super::terms::Term;
use super::{Range, ring, terms};
use crate::ir::{BufferId, BufferSet, Expr, ExprKind, IterId, Program, Ty};
use crate::limits::GATHERED_TERMS;
use std::collections::HashSet;

/// Updates of an array that are a number of iterations apart: those of neighbours in one plane of it.
pub(super) struct Neighbours {
    pub(super) target: BufferId,
    pub(super) updates: Vec<Update>,
    /// Which of the loops go around a ring.
    pub(super) rings: Vec<bool>,
}

/// An update at one of the values of the loops around it.
pub(super) struct Update {
    pub(super) term: Term,
    pub(super) offset: Vec<i128>,
}

impl Neighbours {
    /// The numbers of the statements that update.
    pub(super) fn statements(&self) -> impl Iterator<Item = usize> {
        self.updates.iter().map(|update| update.term.number)
    }

    /// Whether the updates are apart along the outermost loop or around a ring.
    fn are_apart(&self) -> bool {
        self.rings.contains(&true)
            || self.updates.iter().any(|update| update.offset[0] != self.updates[0].offset[0])
    }

    /// The update of whose index most is known: one that takes no step around a ring and is no case, if there is one.
    pub(super) fn plainest(&self) -> Option<&Update> {
        let steps =
            |update: &Update| self.rings.iter().zip(&update.offset).any(|(&ring, &by)| ring && by != 0);
        self.updates.iter().min_by_key(|update| (!update.term.always, steps(update)))
    }
}

/// The planes of arrays in which the iterations of a nest update neighbours, those together that only move together.
pub(super) fn neighbours(
    program: &Program,
    loops: &[Range],
    changed: &BufferSet,
    inner: &HashSet<IterId>,
    terms: Vec<Term>,
) -> Vec<Vec<Neighbours>> {
    let iters: Vec<IterId> = loops.iter().map(|range| range.iter).collect();
    let fixed = |expr: &Expr| {
        let moves = |node: &Expr| matches!(&node.kind, ExprKind::Iter(iter) if inner.contains(iter));
        !expr.reads_any(program, changed) && !expr.any(&mut &moves)
    };
    let decides = |cond: &Expr| {
        let of_part = |node: &Expr| match &node.kind {
            ExprKind::Iter(iter) => iters.contains(iter) || !inner.contains(iter),
            ExprKind::Load(place) => place.index.is_empty(),
            _ => !node.ty.is_float(),
        };
        !cond.reads_any(program, changed) && cond.all(&mut &of_part)
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
                known.filter(|(known, _)| known.len() < GATHERED_TERMS).map(|(mut known, indexed)| {
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
    pub(super) fn of(term: Term, loops: &[Range], offsets: &mut Offsets<'_>) -> Option<Indexed> {
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
pub(super) fn together(planes: Vec<Neighbours>) -> Vec<Vec<Neighbours>> {
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
