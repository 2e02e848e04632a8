//! Small arrays become scalars: 3-vectors and rotation matrices are straight-line code.
//!
//! *Comes in*: any program that the verifier accepts. *Goes out*: a program without those local arrays of constant
//! extents, at most `ELEMENTS_AS_SCALARS` elements, whose every index is a constant once loops with few iterations are
//! unrolled. *Guarantees*: the same operations in the same order. *Never*: unrolls a loop that no such array asks for,
//! or one with a mark.
//!
//! ```text
//! before                                   after
//!   scope r: f64[3]                          scope r_0: f64, r_1: f64, r_2: f64
//!     for k in 0..3                            r_0 = x[i, 0] * s
//!       r[k] = x[i, k] * s                     r_1 = x[i, 1] * s
//!     out[i] += r[0] * r[2]                    r_2 = x[i, 2] * s
//!                                              out[i] += r_0 * r_2
//! ```
//!
//! *Legality.* The iterations of a counted loop with constant bounds are copies of its body with the iterator's values
//! in its place, one after the other; so are those of a loop in it whose bounds are constants then. An array that is only ever read and written at constant indices inside its extents
//! is as many scalars.

mod copy;
#[cfg(test)]
mod tests;
pub(super) mod unroll;

use crate::ir::{
    Block, Buffer, BufferId, Exec, Expr, ExprKind, For, IterId, Layout, Marks, Place, Program, Role, Stmt,
    StmtKind,
};
use crate::limits::{
    ALL_UNROLLED_LOOPS, ELEMENTS_AS_SCALARS, ITERATIONS_OF_A_SHORT_UNROLLED_LOOP, ITERATOR_COMBINATIONS,
    UNROLLED_LONG_LOOP, UNROLLED_LOOP,
};
use crate::map::Map;
use copy::value;
pub(super) use copy::value as value_of;
use std::collections::{BTreeMap, BTreeSet};

/// Replaces small arrays by scalars, unrolling the loops that index them.
pub fn scalarise(program: Program) -> Program {
    let mut survey = Survey::new(&program);
    survey.block(&program, &program.body, &mut Vec::new());
    survey.settle();
    if survey.arrays.is_empty() {
        return program;
    }
    let arrays: BTreeSet<BufferId> = survey.arrays.keys().copied().collect();
    let loops: BTreeSet<IterId> = survey.arrays.values().flatten().copied().collect();
    let mut changed = program.clone();
    match unroll::unroll(&mut changed, &loops) {
        Some(copies) => {
            let arrays =
                arrays.iter().chain(copies.iter().filter(|(_, of)| arrays.contains(of)).map(|(id, _)| id));
            replace(&mut changed, arrays.copied().collect());
            changed
        }
        // an integer operation of one iteration has no value; rustc would not compile it
        None => program,
    }
}

/// A loop whose bounds are constants, or are ones for given values of the iterators around it.
struct Counted {
    /// The loop, without its body.
    header: For,
    /// The iterators that its bounds depend on.
    on: BTreeSet<IterId>,
    /// The most iterations that it has.
    trip: usize,
    /// Statements that it becomes, at most.
    size: usize,
    /// Whether another loop that may be unrolled is around it.
    is_inner: bool,
}

/// The arrays and loops in question.
struct Survey {
    /// For each array that may become scalars the loops that have to be unrolled for it.
    arrays: BTreeMap<BufferId, BTreeSet<IterId>>,
    loops: Map<IterId, Counted>,
    /// The number of loops around the scope of an array.
    depth: Map<BufferId, usize>,
}

impl Survey {
    fn new(program: &Program) -> Survey {
        let small = program.buffer_ids().filter(|&buffer| elements(&program[buffer]).is_some());
        let mut arrays: BTreeMap<_, _> = small.map(|buffer| (buffer, BTreeSet::new())).collect();
        for stmt in program.body.iter() {
            stmt.walk(&mut |stmt| stmt.whole().for_each(|buffer| _ = arrays.remove(&buffer)));
        }
        Survey { arrays, loops: Map::default(), depth: Map::default() }
    }

    /// Looks at every access; gives the number of statements that the block becomes.
    fn block(&mut self, program: &Program, block: &Block, around: &mut Vec<IterId>) -> usize {
        block.iter().map(|stmt| self.stmt(program, stmt, around)).sum()
    }

    fn stmt(&mut self, program: &Program, stmt: &Stmt, around: &mut Vec<IterId>) -> usize {
        match &stmt.kind {
            StmtKind::Scope { buffers, body } => {
                for &buffer in buffers {
                    self.depth.insert(buffer, around.len());
                    program[buffer].dims.iter().for_each(|extent| self.expr(program, extent, around));
                }
                return 1 + self.block(program, body, around);
            }
            StmtKind::For(each) => {
                stmt.each_expr(&mut |expr| self.expr(program, expr, around));
                let is_inner = around.iter().any(|iter| self.loops.contains_key(iter));
                let counted = self.counted(each, around);
                let trip = counted.as_ref().map_or(1, |counted| counted.trip);
                if let Some(counted) = counted {
                    self.loops.insert(each.iter, Counted { is_inner, ..counted });
                }
                around.push(each.iter);
                let size = self.block(program, &each.body, around) * trip;
                around.pop();
                if let Some(counted) = self.loops.get_mut(&each.iter) {
                    counted.size = size;
                }
                return size + 1;
            }
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                self.access(program, target, around);
            }
            _ => {}
        }
        if stmt.as_while().is_none() {
            stmt.each_expr(&mut |expr| self.expr(program, expr, around));
        }
        let mut inner = around.clone();
        if let Some(it) = stmt.as_while() {
            inner.push(it.counter);
            stmt.each_expr(&mut |expr| self.expr(program, expr, &inner));
        }
        // of checks at constant indices nothing is left
        let own = usize::from(stmt.as_check().is_none());
        own + stmt.blocks().into_iter().map(|block| self.block(program, block, &mut inner)).sum::<usize>()
    }

    fn expr(&mut self, program: &Program, expr: &Expr, around: &[IterId]) {
        expr.walk(&mut |expr| match &expr.kind {
            ExprKind::Load(place) => self.access(program, place, around),
            ExprKind::Extent(buffer, _) => {
                self.arrays.remove(buffer);
            }
            _ => {}
        });
    }

    /// The loop, if its bounds are constants wherever it stands.
    fn counted(&self, each: &For, around: &[IterId]) -> Option<Counted> {
        let header = each.around(Block::new());
        let on = iterators(each.bounds());
        let outer = self.with_bounds(&on, around)?;
        let mut trip = 0;
        let known = self.for_all(&outer, &mut Map::default(), &mut |with| {
            let values = iterations(&header, with);
            trip = trip.max(values.as_ref().map_or(0, Vec::len));
            values.is_some()
        });
        known.then_some(Counted { header, on, trip, size: 0, is_inner: false })
    }

    /// Iterators and those that their bounds depend on, outermost first, if all are of counted loops among `around` and
    /// do not have too many values together.
    fn with_bounds(&self, iters: &BTreeSet<IterId>, around: &[IterId]) -> Option<Vec<IterId>> {
        let mut all = iters.clone();
        for iter in around.iter().rev().filter(|iter| iters.contains(iter) || self.loops.contains_key(iter)) {
            if all.contains(iter) {
                all.extend(&self.loops.get(iter)?.on);
            }
        }
        let ordered: Vec<IterId> = around.iter().copied().filter(|iter| all.contains(iter)).collect();
        let mut trips = ordered.iter().map(|iter| self.loops.get(iter).map(|counted| counted.trip));
        let combinations = trips.try_fold(1usize, |product, trip| product.checked_mul(trip?))?;
        (ordered.len() == all.len() && combinations <= ITERATOR_COMBINATIONS).then_some(ordered)
    }

    /// Whether something holds for all values that the iterators take together.
    fn for_all(
        &self,
        iters: &[IterId],
        with: &mut Map<IterId, i128>,
        holds: &mut dyn FnMut(&Map<IterId, i128>) -> bool,
    ) -> bool {
        let Some((first, rest)) = iters.split_first() else { return holds(with) };
        let values = self.loops.get(first).and_then(|counted| iterations(&counted.header, with));
        let all = values.is_some_and(|values| {
            values.into_iter().all(|value| {
                with.insert(*first, value);
                self.for_all(rest, with, holds)
            })
        });
        with.remove(first);
        all
    }

    /// Notes which loops the index of an access depends on, or that the array has to stay.
    fn access(&mut self, program: &Program, place: &Place, around: &[IterId]) {
        let Some(needed) = self.arrays.get(&place.buffer) else { return };
        let inside = &around[self.depth.get(&place.buffer).copied().unwrap_or(0)..];
        let dims = &program[place.buffer].dims;
        // a constant inside the extents, whatever the iterators are
        let iters = self.with_bounds(&iterators(&place.index), inside).filter(|iters| {
            self.for_all(iters, &mut Map::default(), &mut |with| {
                place.index.iter().zip(dims).all(|(index, extent)| {
                    value(index, with).zip(value(extent, with)).is_some_and(|(index, extent)| index < extent)
                })
            })
        });
        match iters {
            Some(iters) => {
                let all = needed.iter().copied().chain(iters).collect();
                self.arrays.insert(place.buffer, all);
            }
            None => _ = self.arrays.remove(&place.buffer),
        }
    }

    /// Lets go of arrays whose loops would become too long.
    fn settle(&mut self) {
        let fits = |counted: &Counted| {
            counted.size
                <= if counted.trip <= ITERATIONS_OF_A_SHORT_UNROLLED_LOOP {
                    UNROLLED_LOOP
                } else {
                    UNROLLED_LONG_LOOP
                }
        };
        let loops = &self.loops;
        self.arrays.retain(|_, needed| needed.iter().all(|iter| loops.get(iter).is_some_and(fits)));
        let needed: BTreeSet<IterId> = self.arrays.values().flatten().copied().collect();
        let outer = needed.iter().filter_map(|iter| self.loops.get(iter)).filter(|it| !it.is_inner);
        if outer.map(|counted| counted.size).sum::<usize>() > ALL_UNROLLED_LOOPS {
            self.arrays.clear();
        }
    }
}

/// The number of elements of a local array that may become scalars.
fn elements(buffer: &Buffer) -> Option<usize> {
    let count = buffer.dims.iter().try_fold(1usize, |count, extent| {
        count.checked_mul(usize::try_from(value(extent, &Map::default())?).ok()?)
    })?;
    let fits = buffer.rank() > 0 && (1..=ELEMENTS_AS_SCALARS).contains(&count);
    (fits && buffer.role == Role::Local && buffer.layout == Layout::RowMajor).then_some(count)
}

/// The iterators in expressions.
fn iterators<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> BTreeSet<IterId> {
    let mut iters = BTreeSet::new();
    for expr in exprs {
        expr.walk(&mut |part| {
            if let ExprKind::Iter(iter) = part.kind {
                iters.insert(iter);
            }
        });
    }
    iters
}

/// The values of the iterator, in order, of a loop that may be unrolled, where those around it have these values.
pub(super) fn iterations(each: &For, with: &Map<IterId, i128>) -> Option<Vec<i128>> {
    let constant = |expr: &Expr| value(expr, with);
    let (lo, hi, step) = (constant(&each.lo)?, constant(&each.hi)?, constant(&each.step)?);
    let hi = if each.inclusive { hi.checked_add(1)? } else { hi };
    let plain = each.exec == Exec::Undecided && each.marks == Marks::default();
    if !plain || step <= 0 || hi.checked_sub(lo)? > ELEMENTS_AS_SCALARS as i128 * step {
        return None;
    }
    let mut values: Vec<i128> =
        std::iter::successors(Some(lo), |at| at.checked_add(step)).take_while(|&at| at < hi).collect();
    if each.order == crate::ir::Order::Down {
        values.reverse();
    }
    Some(values)
}

/// Replaces the arrays, whose indices are constants now.
fn replace(program: &mut Program, arrays: Vec<BufferId>) {
    let mut elements: Map<BufferId, Vec<BufferId>> = Map::default();
    for array in arrays {
        let extents: Vec<usize> = program[array].dims.iter().filter_map(constant_usize).collect();
        let scalars = (0..extents.iter().product()).map(|at: usize| {
            let mut name = program[array].name.clone();
            let mut stride: usize = extents.iter().product();
            for extent in &extents {
                stride /= extent;
                name += &format!("_{}", at / stride % extent);
            }
            program.add_scalar(&name, program[array].elem, Role::Local)
        });
        let scalars = scalars.collect();
        elements.insert(array, scalars);
    }
    let scalar = |program: &Program, place: &Place| {
        let scalars = elements.get(&place.buffer)?;
        let extents = program[place.buffer].dims.iter().filter_map(constant_usize);
        let index = place.index.iter().filter_map(constant_usize);
        let at = extents.zip(index).fold(0, |at, (extent, index)| at * extent + index);
        scalars.get(at).map(|&scalar| Place::scalar(scalar))
    };
    program.with_body(|program, body| replace_block(body, &elements, &|place| scalar(program, place)));
}

fn constant_usize(expr: &Expr) -> Option<usize> {
    usize::try_from(value(expr, &Map::default())?).ok()
}

fn replace_block(
    block: &mut Block,
    elements: &Map<BufferId, Vec<BufferId>>,
    scalar: &dyn Fn(&Place) -> Option<Place>,
) {
    for stmt in block {
        for expr in stmt.exprs_mut() {
            let mut found = false;
            expr.walk(&mut |expr| {
                found |= matches!(&expr.kind, ExprKind::Load(place) if elements.contains_key(&place.buffer));
            });
            if found {
                *expr = expr.map(&mut |expr| match &expr.kind {
                    ExprKind::Load(place) => scalar(place).map_or(expr.clone(), |place| place.load(expr.ty)),
                    _ => expr,
                });
            }
        }
        if let Some((target, _)) = stmt.as_store_mut()
            && let Some(place) = scalar(target)
        {
            *target = place;
        }
        if let Some((buffers, _)) = stmt.as_scope_mut() {
            for buffer in std::mem::take(buffers) {
                match elements.get(&buffer) {
                    Some(scalars) => buffers.extend(scalars),
                    None => buffers.push(buffer),
                }
            }
        }
        stmt.blocks_mut().into_iter().for_each(|inner| replace_block(inner, elements, scalar));
    }
}
