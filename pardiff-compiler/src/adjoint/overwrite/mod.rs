//! The entry points that overwrite: adjoints whose elements are assigned before they are added to need not be zero before.
//!
//! ```text
//!                                           if overwrite
//!                                             for k in n * n..len(d_a)
//! for i in 0..n                                 d_a[k] = 0.0
//!   for j in 0..n                           for i in 0..n
//!     d_a[i * n + j] += e            =>       if overwrite
//!     d_x[j] += e'                              for j in 0..n
//!                                                 d_a[i * n + j] = e
//!                                                 d_x[j] += e'
//!                                             else
//!                                               for j in 0..n: as it was
//! ```
//!
//! `overwrite` becomes the last parameter; the other adjoints are zero when an entry point that overwrites comes here.
//! Setting an array to zero and then adding to it moves it through memory three times instead of once. A loop that computes
//! little is there twice. In one that computes more, what the sum starts from is chosen, which costs less than the loop
//! once more would:
//!
//! ```text
//! d_a[i] += e                        =>     d_a[i] = (if overwrite then 0.0 else d_a[i]) + e
//! ```
//!
//! *Legality.* The statements that add to an element of the adjoint first are executed by every iteration of their loops, which
//! count every combination of their iterators ([`covering_writes`]):
//!
//! - An index `(i1 * n2 + i2) * n3 + i3 …` that is proved not to wrap, each iterator over all of `0..n`, is each number below
//!   `n1 * n2 * …` once (in further dimensions, an iterator over the whole dimension). In place of an iterator there may be a
//!   statement for each of its numbers.
//! - The same with `k` in place of `i1`, which an inner loop counts through rows of the outermost one, is each number from the
//!   start of the first row to the end of the last one once, if the rows follow one another and end in the array, so that no
//!   index wraps. That is looked at when the program runs ([`rows`]); where it is not so, everything is set to zero and
//!   nothing assigned.
//!
//! So these elements are assigned exactly once, and every other one is set to zero. What else mentions the adjoint adds to it,
//! behind the assignment of the same element: behind the nest, or in the same iteration of its outer loops and by inner loops
//! with the same bounds. `0 + e` is `e`, but for the sign of a zero.

mod covering_writes;
mod polynomial;
mod rows;
#[cfg(test)]
mod tests;

use crate::ir::descend_mut;
use crate::ir::walk_mut;
use crate::ir::{
    Block, BufferId, Exec, Expr, ExprKind, For, Func, IterId, Origin, Phase, Place, Program, Role, SpanId,
    Stmt, StmtKind, Ty, clone_stmts, scoped_as,
};
use crate::limits::LOOP_MADE_TWICE;
use crate::poly::{AccessId, Analysis, Rows};
use covering_writes::{Computed, Cover, covers, depends_on_inputs, straight};
use rows::{Followed, is_partition};

/// Of a program without statements.
const NOWHERE: Origin = Origin { stmt: 0, phase: Phase::Adjoint, span: SpanId(0) };

/// An adjoint whose elements are assigned before they are added to.
struct Once {
    adjoint: BufferId,
    /// The loop around the first statements that add to it.
    innermost: IterId,
    /// Their numbers among the statements in it that add to the adjoint.
    firsts: Vec<usize>,
    /// Whether the loop is there twice.
    twice: bool,
    range: Range,
    /// The number of elements of the first dimension that belong to one of what is counted.
    radices: Vec<Expr>,
}

impl Once {
    /// So many of what is counted, in elements of the first dimension.
    fn times(&self, number: Expr) -> Expr {
        self.radices.iter().fold(number, |number, radix| {
            Expr::call(Ty::USIZE, Func::SaturatingMul, vec![number, radix.clone()])
        })
    }

    fn len(&self) -> Expr {
        Expr::extent(self.adjoint, 0)
    }
}

/// What is counted, of which everything is assigned.
enum Range {
    Below(Expr),
    /// Rows by number.
    Rows(usize),
}

/// A program that knows whether it is to overwrite adjoints.
#[derive(Clone, Debug)]
pub struct Overwriting {
    /// The program.
    pub program: Program,
    /// Its parameter that says so, if an adjoint gains by it.
    pub flag: Option<BufferId>,
    /// The adjoints that need not be zero before if the flag is true; all others must be.
    pub zeroed: Vec<BufferId>,
}

/// Gives the program the parameter `overwrite: bool` after the others, if an adjoint gains by it.
pub fn overwrite(mut program: Program) -> Overwriting {
    let (once, looks) = found(&program);
    let zeroed: Vec<BufferId> = once.iter().map(|it| it.adjoint).collect();
    if once.is_empty() {
        return Overwriting { program, flag: None, zeroed };
    }
    let flag = program.add_scalar("overwrite", Ty::Bool, Role::Input);
    program.params.push(flag);
    let mut body = std::mem::take(&mut program.body);
    let origin = Origin { phase: Phase::Adjoint, ..body.first().map_or(NOWHERE, |stmt| stmt.origin) };
    let (mut followed, mut zeros) = (Vec::new(), Block::new());
    for (at, (rows, along)) in looks.into_iter().enumerate() {
        let rows = Followed::new(&mut program, rows);
        let of_rows = once.iter().filter(|it| matches!(it.range, Range::Rows(of) if of == at));
        let ends = of_rows.map(|it| (it.times(program.load_scalar(rows.to)), it.len())).collect();
        zeros.extend(rows.look(&mut program, &along, ends, origin));
        followed.push(rows);
    }
    for it in &once {
        rest_is_zero(&mut program, it, &followed, origin, &mut zeros);
    }
    assign(&mut program, &mut body, &once, &|range| match range {
        Range::Below(_) => flag,
        Range::Rows(at) => followed[*at].whole,
    });
    let none = |rows: &Followed| Stmt::set(rows.whole, Expr::bool(false), origin);
    let mut all: Block = followed.iter().map(none).collect();
    all.push(Stmt::when(program.load_scalar(flag), zeros, origin));
    all.extend(body);
    let variables: Vec<BufferId> = followed.iter().flat_map(Followed::variables).collect();
    program.body = scoped_as(variables, all, origin);
    Overwriting { program, flag: Some(flag), zeroed }
}

/// The adjoints that begin with assignments, and the rows to look at, with their outer loops.
fn found(program: &Program) -> (Vec<Once>, Vec<(Rows, For)>) {
    let (mut once, mut looks) = (Vec::new(), Vec::new());
    let covers = covers(program);
    if covers.is_empty() {
        return (once, looks);
    }
    let analysis = Analysis::new(program);
    for Cover { adjoint, innermost, firsts, computed, radices } in covers {
        let Some(nodes) = straight(innermost) else { continue };
        let proved = |id: AccessId| analysis.access(id).index.iter().all(Option::is_some);
        let range = match computed {
            Computed::Below(number) => {
                analysis.of(adjoint).iter().all(|&id| proved(id)).then_some(Range::Below(number))
            }
            Computed::Rows(along, row) => rows_of(program, &analysis, along, row)
                .map(|rows| Range::Rows(look_at(&mut looks, rows, along))),
        };
        let (innermost, twice) = (innermost.iter, nodes <= LOOP_MADE_TWICE);
        once.extend(range.map(|range| Once { adjoint, innermost, firsts, twice, range, radices }));
    }
    (once, looks)
}

/// The number of the rows among those that are looked at.
fn look_at(looks: &mut Vec<(Rows, For)>, rows: Rows, along: &For) -> usize {
    let known = looks.iter().position(|(known, of)| {
        of.iter == along.iter && (&known.start, &known.end) == (&rows.start, &rows.end)
    });
    known.unwrap_or_else(|| {
        looks.push((rows, along.around(Block::new())));
        looks.len() - 1
    })
}

/// The rows that a loop counts through, if they can be looked at in front of everything.
fn rows_of(program: &Program, analysis: &Analysis<'_>, along: &For, row: &For) -> Option<Rows> {
    let rows = analysis.rows_along(along.iter).into_iter().find(|rows| rows.loops.contains(&row.iter))?;
    let given = |bound: &Expr| {
        bound.ty == Ty::USIZE && depends_on_inputs(program, bound, &mut |iter| iter == along.iter)
    };
    (given(&rows.start) && given(&rows.end) && is_partition(program, &rows)).then_some(rows)
}

/// Makes assignments of the first sums.
fn assign(program: &mut Program, body: &mut Block, once: &[Once], flag_of: &dyn Fn(&Range) -> BufferId) {
    let mut loops: Vec<(IterId, BufferId, Vec<&Once>)> = Vec::new();
    for it in once {
        let flag = flag_of(&it.range);
        match loops.iter_mut().find(|(iter, ..)| it.twice && *iter == it.innermost) {
            Some((_, known, list)) if *known == flag => list.push(it),
            None if it.twice => loops.push((it.innermost, flag, vec![it])),
            _ => in_loop(body, it.innermost, &mut |stmt| {
                let Some(each) = stmt.as_for_mut() else { return };
                let program = &*program;
                first_sums(&mut each.body, it, &mut 0, &|target, value| {
                    let old = target.clone().load(value.ty);
                    let zero = Expr::float(value.ty, 0.0);
                    Expr::select(program.load_scalar(flag), zero, old) + value.clone()
                });
            }),
        }
    }
    for (iter, flag, list) in loops {
        in_loop(body, iter, &mut |stmt| {
            let mut then = clone_stmts(program, std::slice::from_ref(stmt));
            list.iter().for_each(|it| first_sums(&mut then, it, &mut 0, &|_, value| value.clone()));
            let els = vec![stmt.take()];
            stmt.kind = StmtKind::If { cond: program.load_scalar(flag), then, els };
        });
    }
}

/// Changes a loop.
fn in_loop(block: &mut Block, iter: IterId, change: &mut dyn FnMut(&mut Stmt)) {
    descend_mut(block, &mut |stmt| {
        let found = stmt.as_for().is_some_and(|each| each.iter == iter);
        if found {
            change(stmt);
        }
        !found
    });
}

/// Makes assignments of the first sums into an adjoint that stand in a block, behind `number` others.
fn first_sums(block: &mut Block, it: &Once, number: &mut usize, value_of: &dyn Fn(&Place, &Expr) -> Expr) {
    walk_mut(block, &mut |stmt| {
        let Some(sum) = stmt.as_update().filter(|sum| sum.target.buffer == it.adjoint) else { return };
        if it.firsts.contains(number) {
            let (target, value) = (sum.target.clone(), value_of(sum.target, sum.value));
            stmt.kind = StmtKind::Assign { target, value };
        }
        *number += 1;
    });
}

/// Sets what is not assigned to zero. An adjoint is as long as its array: where everything below that length is
/// assigned, nothing is left.
fn rest_is_zero(program: &mut Program, it: &Once, followed: &[Followed], origin: Origin, zeros: &mut Block) {
    let len = it.len();
    match &it.range {
        Range::Below(number) => {
            let assigned = it.times(number.clone());
            let is_all = match program[it.adjoint].role {
                Role::Adjoint(array) => assigned == Expr::extent(array, 0),
                _ => false,
            };
            if !is_all {
                zeros.push(zero_between(program, it.adjoint, assigned, len, origin));
            }
        }
        Range::Rows(at) => {
            let [from, to] = [followed[*at].from, followed[*at].to].map(|it| program.load_scalar(it));
            let end = Expr::call(Ty::USIZE, Func::IntMin, vec![it.times(from), len.clone()]);
            zeros.push(zero_between(program, it.adjoint, Expr::usize(0), end, origin));
            zeros.push(zero_between(program, it.adjoint, it.times(to), len, origin));
        }
    }
}

/// Sets what lies between two numbers of the first dimension to zero.
fn zero_between(program: &mut Program, adjoint: BufferId, lo: Expr, hi: Expr, origin: Origin) -> Stmt {
    let rank = program[adjoint].rank();
    let iters: Vec<IterId> = (0..rank).map(|_| program.add_iter("k", Ty::USIZE)).collect();
    let index = iters.iter().map(|&iter| Expr::iter(iter, Ty::USIZE)).collect();
    let value = Expr::float(program[adjoint].elem, 0.0);
    let mut stmt = Stmt::assign(Place::new(adjoint, index), value, origin);
    for (dim, iter) in iters.into_iter().enumerate().rev() {
        let (lo, hi) = match &program[adjoint].dims[dim].kind {
            _ if dim == 0 => (lo.clone(), hi.clone()),
            ExprKind::Int(extent) => (Expr::usize(0), Expr::int(Ty::USIZE, *extent)),
            _ => (Expr::usize(0), Expr::extent(adjoint, dim)),
        };
        // filling memory is as fast in order
        let each = For { lo, exec: Exec::Sequential, ..For::counted(iter, hi, vec![stmt]) };
        stmt = each.stmt(origin);
    }
    stmt
}
