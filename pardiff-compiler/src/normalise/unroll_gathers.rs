//! Short loops whose iterations gather the same elements become copies of their bodies, so that each is gathered once.
//!
//! ```text
//! before                                   after
//!   for e in 0..3                            a = x[k[i, 0]]; b = x[k[i, 1]]
//!     a = x[k[i, e]]                         s += abs(b - a)
//!     b = x[k[i, (e + 1) % 3]]               a = x[k[i, 1]]; b = x[k[i, 2]]
//!     s += abs(b - a)                        s += abs(b - a)
//!                                            a = x[k[i, 2]]; b = x[k[i, 0]]
//!                                            s += abs(b - a)
//! ```
//!
//! The corners of a triangle, or the neighbours of a cell, each with the next one: what is loaded through an index array
//! costs an access a lane, and its adjoint an update that may meet others. In copies of the body `share` sees that six
//! loads are of three elements, and their adjoints are gathered in three scalars.
//!
//! *Legality.* As in [`sroa`](super::sroa): the iterations of a loop with constant bounds are copies of its body, one
//! after the other.

use super::sroa::{iterations, unroll, value_of};
use crate::ir::{Block, Expr, ExprKind, For, IterId, Place, Program, Stmt};
use crate::limits::{UNROLLED_GATHERS, UNROLLED_LOOP};
use crate::map::Map;
use std::collections::BTreeSet;

/// Unrolls the loops whose iterations gather the same elements.
pub fn unroll_rings(program: Program) -> Program {
    let mut rings = BTreeSet::new();
    find(&program.body, &mut rings);
    if rings.is_empty() {
        return program;
    }
    let mut changed = program.clone();
    match unroll::unroll(&mut changed, &rings) {
        Some(_) => changed,
        None => program,
    }
}

fn find(block: &Block, rings: &mut BTreeSet<IterId>) {
    for stmt in block {
        match stmt.as_for().filter(|each| is_ring(each)) {
            Some(each) => _ = rings.insert(each.iter),
            None => stmt.blocks().into_iter().for_each(|block| find(block, rings)),
        }
    }
}

fn is_ring(each: &For) -> bool {
    let Some(values) = iterations(each, &Map::default()) else { return false };
    let mut size = 0;
    let mut plain = true;
    let mut gathers: Vec<&Place> = Vec::new();
    for stmt in &each.body {
        stmt.walk(&mut |stmt| {
            size += usize::from(stmt.as_check().is_none());
            plain &= !stmt.is_loop();
            see(stmt, each.iter, &mut gathers);
        });
    }
    if !plain || !(2..=UNROLLED_GATHERS).contains(&values.len()) || size * values.len() > UNROLLED_LOOP {
        return false;
    }
    // of one iteration, and of all of them
    let mut own: Vec<Place> = Vec::new();
    let mut all: Vec<Place> = Vec::new();
    for (number, &value) in values.iter().enumerate() {
        for place in &gathers {
            let place = at(place, each.iter, value);
            if number == 0 && !own.contains(&place) {
                own.push(place.clone());
            }
            if !all.contains(&place) {
                all.push(place);
            }
        }
    }
    all.len() < own.len() * values.len()
}

/// The loads of floats through index arrays, that depend on an iterator, in a statement.
fn see<'a>(stmt: &'a Stmt, iter: IterId, gathers: &mut Vec<&'a Place>) {
    if stmt.as_check().is_some() {
        return;
    }
    for expr in stmt.exprs() {
        expr.walk(&mut |part| {
            if let ExprKind::Load(place) = &part.kind
                && part.ty.is_float()
                && place.index.iter().any(|index| is_indirect(index) && index.mentions(iter))
            {
                gathers.push(place);
            }
        });
    }
}

fn is_indirect(index: &Expr) -> bool {
    index.any(&mut |part| matches!(&part.kind, ExprKind::Load(place) if !place.index.is_empty()))
}

/// The place where an iterator has a value.
fn at(place: &Place, iter: IterId, value: i128) -> Place {
    let none = Map::default();
    let index = place.index.iter().map(|index| {
        index.map(&mut |mut expr| {
            if expr.kind == ExprKind::Iter(iter) {
                expr.kind = ExprKind::Int(value);
            }
            if let Some(value) = value_of(&expr, &none) {
                expr.kind = ExprKind::Int(value);
            }
            expr
        })
    });
    Place::new(place.buffer, index.collect())
}

#[cfg(test)]
mod tests {
    use super::unroll_rings;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn iterations_that_gather_the_same_elements_are_copies() {
        assert_pass(
            unroll_rings,
            "
            fn f(x: in f64[_], k: in usize[_, 3]) -> s: f64
              s = 0.0
              for i in 0..len(k)
                for e in 0..3
                  s = s + abs(x[k[i, (e + 1) % 3]] - x[k[i, e]])
            ",
            "
            fn f(x: in f64[_], k: in usize[_, 3]) -> s: f64
              s = 0.0
              for i in 0..len(k)
                s = s + abs(x[k[i, 1]] - x[k[i, 0]])
                s = s + abs(x[k[i, 2]] - x[k[i, 1]])
                s = s + abs(x[k[i, 0]] - x[k[i, 2]])
            ",
            vec![vec![
                Array::floats(&[0.5, 4.0, -1.0, 2.0]),
                Array::ints(&[0, 3, 1, 2, 1, 0]).shaped(&[2, 3]),
            ]],
        );
    }

    #[test]
    fn loops_that_gather_each_element_once_stay() {
        for (bound, index) in [("3", "k[i, e]"), ("3", "k[i, 0]"), ("n", "k[i, (e + 1) % 3]")] {
            assert_unchanged(
                unroll_rings,
                &format!(
                    "
            fn f(x: in f64[_], k: in usize[_, 3], n: in usize) -> s: f64
              s = 0.0
              for i in 0..len(k)
                for e in 0..{bound}
                  s = s + x[{index}]
            "
                ),
            );
        }
    }

    #[test]
    fn long_loops_and_loads_without_an_index_array_stay() {
        for (bound, load) in [("5", "x[k[i, (e + 1) % 3]] * x[k[i, e % 3]]"), ("3", "x[e + 1] * x[e]")] {
            assert_unchanged(
                unroll_rings,
                &format!(
                    "
            fn f(x: in f64[_], k: in usize[_, 3]) -> s: f64
              s = 0.0
              for i in 0..len(k)
                for e in 0..{bound}
                  s = s + {load}
            "
                ),
            );
        }
    }
}
