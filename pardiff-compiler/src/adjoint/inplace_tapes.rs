//! States of a loop over time live in their tape: what one step writes, it writes where the reverse sweep will read it.
//!
//! ```text
//!                                        tape[0] = next; tape[1] = u
//! for t in 0..steps                      for t in 0..steps
//!   tape[t] = u          # a copy          tape[t + 2] = tape[t]       # where the nest does not write
//!   for i { next[i] = e(u[i], …) }   =>    for i { tape[t + 2, i] = e(tape[t + 1, i], …) }
//!   swap u, next                         u = tape[steps + 1]; next = tape[steps]
//! … tape[t] …                            … tape[t + 1] …
//! ```
//!
//! An array that keeps its name, because a step writes back what it computed elsewhere, is a cycle of one:
//!
//! ```text
//! for t in 0..steps                      for t in 0..steps
//!   tape[t] = u          # a copy
//!   for i { next[i] = e(u[i], …) }         for i { next[i] = e(tape[t, i], …) }
//!   for i { u[i] = next[i] }         =>    tape[t + 1] = tape[t]; for i { tape[t + 1, i] = next[i] }
//! ```
//!
//! *Legality.* The swaps at the end of a step make the arrays change their names in a cycle of `K`, of which a step writes
//! one. So the array that step `t` writes held what step `t - K` wrote, and the one that was written `a` steps ago is
//! `tape[t + K - a]`, if a step writes `tape[t + K]`; what there was in front of the loop takes the places of the steps before
//! the first. What step `t` finds in the array that it writes is `tape[t]`, and there it is read until the first statement
//! that writes the array: a nest that does nothing to it but assign, so elements that it assigns need not be there before. Those
//! between the runs of consecutive elements that it assigns are copied (see [`super::runs`]). More than the
//! elements of the array are not looked at in any loop: what a nest does that would not end, a check of its own says. Where
//! the first statement sets every element to one number, and such a nest is the next one to mention the array, that number is
//! what stands between the runs. A nest that assigns every element, of rows as well, leaves nothing to copy.
//!
//! Nothing but the swaps gives the arrays other names, and they change places with no others; they have one shape, and the
//! array that is copied is not written in front of the copy, which so is the array as the step found it. The copies read no element that the
//! program does not own, and compute positions that wrap, as those of the nest's own checks may.

use super::contiguous_writes::Runs;
use super::write_regions::{filled, is_whole, nest};
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, Func, IterId, Layout, Order, Origin, Phase, Place, Program, Role,
    Stmt, StmtKind, Ty, any, declared, over_elements, written,
};
use crate::limits::ARRAYS_OF_A_CYCLE;
use crate::map::Map;

/// A loop whose states live in a tape.
struct States {
    /// The loop, in the block of the tape's scope.
    at: usize,
    tape: BufferId,
    /// How many steps ago each array was written when a step begins; the one that the step writes last.
    ages: Vec<BufferId>,
    /// The tapes that the arrays were copied to, with their ages.
    copies: Vec<(BufferId, usize)>,
    /// The statements of a step that go, and the nest that writes.
    dropped: Vec<usize>,
    nest: usize,
    /// What the elements are that the nest does not assign, if not what they were.
    rest: Option<Expr>,
}

/// Lets arrays that every step of a loop copies to a tape live there.
pub fn live_in_tapes(mut program: Program) -> Program {
    program.with_body(blocks);
    program
}

fn blocks(program: &mut Program, block: &mut Block) {
    for stmt in block {
        if let Some((buffers, body)) = stmt.as_scope_mut() {
            while let Some(states) = find(program, buffers, body) {
                let moved: Vec<BufferId> = states.copies.iter().map(|(tape, _)| *tape).collect();
                rewrite(program, body, states);
                buffers.retain(|buffer| !moved[1..].contains(buffer));
            }
        }
        stmt.blocks_mut().into_iter().for_each(|inner| blocks(program, inner));
    }
}

/// A loop in the block whose states may live in one of the tapes of the block's scope.
fn find(program: &Program, tapes: &[BufferId], block: &Block) -> Option<States> {
    block.iter().enumerate().find_map(|(at, stmt)| {
        let each = stmt.as_for()?;
        let step = statements(&each.body);
        let plain = each.lo == Expr::usize(0) && each.is_by_one();
        let changed = written(&each.body);
        if !plain || each.order != Order::Up || each.hi.reads_any(program, &changed) {
            return None;
        }
        let copied: Vec<(usize, BufferId, BufferId)> = step
            .iter()
            .enumerate()
            .filter_map(|(at, stmt)| {
                let (tape, array) = copied(program, stmt, each.iter)?;
                tapes.contains(&tape).then_some((at, tape, array))
            })
            .collect();
        let own = declared(&each.body);
        let swaps = step.iter().rev().take_while(|stmt| matches!(stmt.kind, StmtKind::Swap { .. }));
        let first_swap = step.len() - swaps.count();
        copied.iter().find_map(|&(_, tape, array)| {
            let ages = cycle(program, step, first_swap, array)?;
            if ages.iter().any(|&it| own.contains(it)) || step.iter().any(|stmt| scatters(stmt, &ages)) {
                return None;
            }
            let copies: Vec<(usize, BufferId, usize)> = copied
                .iter()
                .filter_map(|&(at, tape, array)| {
                    Some((at, tape, 1 + ages.iter().position(|&it| it == array)?))
                })
                .collect();
            let first = nest(program, step, *ages.last()?)?;
            let mut of: Vec<(BufferId, usize)> = copies.iter().map(|&(_, tape, age)| (tape, age)).collect();
            of.sort_by_key(|&(it, _)| it != tape);
            // behind the nest the array is another one
            let is_early = |&(at, _, age): &(usize, BufferId, usize)| age < ages.len() || at < first;
            let is_alone = |&(it, _): &(BufferId, usize)| {
                copies.iter().all(is_early)
                    && program[it].dims == program[tape].dims
                    && of.iter().filter(|(other, _)| *other == it).count() == 1
                    && is_only_read(program, block, at, it)
            };
            let renames =
                |&at: &usize| matches!(&step[at].kind, StmtKind::Swap { a, .. } if ages.contains(a));
            let swaps = (first_swap..step.len()).filter(renames);
            let mut dropped: Vec<usize> = copies.iter().map(|&(at, ..)| at).chain(swaps).collect();
            let filled = filled(program, step, first, *ages.last()?);
            let (nest, rest) = match filled {
                Some((nest, rest)) => {
                    dropped.push(first);
                    (nest, Some(rest))
                }
                None => (first, None),
            };
            let states = States { at, tape, ages: ages.clone(), copies: of.clone(), dropped, nest, rest };
            of.iter().all(is_alone).then_some(states)
        })
    })
}

/// Whether a nest adds to several elements of one of the arrays, or to ones that no polynomial of its iterators names: such sums
/// are restructured where the nest looks at nothing else of the array, which the states before are in a tape.
fn scatters(stmt: &Stmt, arrays: &[BufferId]) -> bool {
    let mut indices: Vec<(BufferId, &[Expr])> = Vec::new();
    let (mut sums, mut apart, mut plain) = (false, false, true);
    stmt.walk(&mut |stmt| {
        let Some((target, _)) = stmt.as_store() else { return };
        if !arrays.contains(&target.buffer) {
            return;
        }
        sums |= stmt.as_update().is_some();
        apart |= indices.iter().any(|&(of, index)| of == target.buffer && index != target.index);
        indices.push((target.buffer, &target.index));
        let is_plain = |node: &Expr| match &node.kind {
            ExprKind::Load(place) => place.index.is_empty(),
            ExprKind::Binary(op, ..) => matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul),
            ExprKind::Select(_) | ExprKind::Call(..) | ExprKind::Apply(..) => false,
            _ => true,
        };
        plain &= target.index.iter().all(|index| index.all(&mut &is_plain));
    });
    sums && (apart || !plain)
}

/// The statements of an iteration: in the scopes of its locals.
fn statements(body: &Block) -> &Block {
    match &body[..] {
        [only] => only.as_scope().map_or(body, |(_, body)| statements(body)),
        _ => body,
    }
}

fn statements_mut(body: &mut Block) -> &mut Block {
    match matches!(&body[..], [Stmt { kind: StmtKind::Scope { .. }, .. }]) {
        true => statements_mut(body[0].blocks_mut().remove(0)),
        false => body,
    }
}

/// The tape and the array of a loop nest that copies one to the other, at the slot of the iterator.
fn copied(program: &Program, stmt: &Stmt, slot: IterId) -> Option<(BufferId, BufferId)> {
    let mut iters = Vec::new();
    let mut stmt = stmt;
    while let Some(each) = stmt.as_for() {
        let [inner] = &each.body[..] else { return None };
        let counts = each.is_from_zero();
        iters.push((each.iter, each.hi.clone()));
        stmt = counts.then_some(inner)?;
    }
    let (target, value) = stmt.as_assign()?;
    let ExprKind::Load(from) = &value.kind else { return None };
    let (tape, array) = (target.buffer, from.buffer);
    let whole = iters
        .iter()
        .enumerate()
        .all(|(dim, (_, hi))| *hi == Expr::extent(array, dim) || program[array].dims.get(dim) == Some(hi));
    let index: Vec<Expr> = iters.iter().map(|(iter, _)| Expr::iter(*iter, Ty::USIZE)).collect();
    let (first, rest) = target.index.split_first()?;
    let same = *first == Expr::iter(slot, Ty::USIZE) && rest == index && from.index == index;
    let plain = program[tape].layout == Layout::RowMajor && program[tape].role == Role::Tape;
    (same && plain && whole && !index.is_empty()).then_some((tape, array))
}

/// The arrays that the swaps behind `first_swap` give each other's names to, beginning with the one written one step ago
/// and ending with the one that a step writes.
fn cycle(program: &Program, step: &Block, first_swap: usize, array: BufferId) -> Option<Vec<BufferId>> {
    let mut contents: Map<BufferId, BufferId> = Map::default();
    for stmt in &step[first_swap..] {
        let StmtKind::Swap { a, b } = stmt.kind else { return None };
        let (of_a, of_b) = (contents.get(&a).copied().unwrap_or(a), contents.get(&b).copied().unwrap_or(b));
        contents.insert(a, of_b);
        contents.insert(b, of_a);
    }
    let moves = |stmt: &Stmt| stmt.as_swap().is_some() || stmt.is_opaque() || stmt.is_fork();
    let transparent = !any(&step[..first_swap], &mut &moves);
    let changed = written(&step[..first_swap]);
    // each takes the name of the next one
    let mut cycle = vec![array];
    while let Some((&next, _)) =
        contents.iter().find(|(_, content)| Some(*content) == cycle.last()).filter(|(it, _)| **it != array)
    {
        cycle.push(next);
        if cycle.len() > ARRAYS_OF_A_CYCLE {
            return None;
        }
    }
    // other arrays may change places among themselves
    let apart = |stmt: &Stmt| stmt.as_swap().is_some_and(|[a, b]| cycle.contains(&a) == cycle.contains(&b));
    if !step[first_swap..].iter().all(apart) {
        return None;
    }
    let writes: Vec<usize> = (0..cycle.len()).filter(|&at| changed.contains(cycle[at])).collect();
    let [last] = writes[..] else { return None };
    cycle.rotate_left(last + 1);
    let of = &program[array];
    let alike = |&it: &BufferId| {
        let other = &program[it];
        other.role == Role::Local
            && other.layout == Layout::RowMajor
            && (other.elem, &other.dims) == (of.elem, &of.dims)
            && other.elem.is_float()
            && other.rank() > 0
            && other.dims.iter().enumerate().all(|(dim, extent)| *extent != Expr::extent(it, dim))
    };
    let fixed = of.dims.iter().all(|extent| !extent.reads_any(program, &written(step)));
    (transparent && fixed && cycle.iter().all(alike)).then_some(cycle)
}

/// Whether nobody asks for the number of slots of a tape, nobody but the copy writes it, and the loop at `step` does not read
/// it.
fn is_only_read(program: &Program, block: &Block, step: usize, tape: BufferId) -> bool {
    let (mut writes, mut others) = (0, false);
    for (at, stmt) in block.iter().enumerate() {
        stmt.walk(&mut |stmt| {
            stmt.writes_itself(&mut |buffer| writes += usize::from(buffer == tape));
            stmt.each_evaluated(program, &mut |expr| {
                expr.walk(&mut |part| match &part.kind {
                    ExprKind::Extent(it, 0) => others |= *it == tape,
                    ExprKind::Load(place) => others |= place.buffer == tape && at == step,
                    _ => {}
                })
            });
        });
    }
    writes == 1 && !others
}

fn rewrite(program: &mut Program, block: &mut Block, states: States) {
    let States { at, tape, ages, copies, dropped, nest, rest } = states;
    let count = ages.len();
    let origin = Origin { phase: Phase::Adjoint, ..block[at].origin };
    let slots = program[tape].dims[0].clone();
    program[tape].dims[0] = Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![slots, Expr::usize(count)]);
    for (number, stmt) in block.iter_mut().enumerate() {
        // what was copied is what the array was when the step began
        let read = |place: &Place| {
            let (_, age) = copies.iter().find(|(it, _)| *it == place.buffer)?;
            let (slot, rest) = place.index.split_first()?;
            Some(in_slot(tape, plus(slot, count - age), rest))
        };
        if number != at {
            redirect(stmt, &read);
        }
    }
    let Stmt { kind: StmtKind::For(each), .. } = &mut block[at] else { return };
    let iter = Expr::iter(each.iter, Ty::USIZE);
    let slot = |place: &Place, is_written: bool| {
        let age = 1 + ages.iter().position(|&it| it == place.buffer)?;
        let slot = if age == count && is_written { count } else { count - age };
        Some(in_slot(tape, plus(&iter, slot), &place.index))
    };
    let now = |place: &Place| slot(place, true);
    let hi = each.hi.clone();
    let step = statements_mut(&mut each.body);
    let mut body = Block::new();
    for (number, mut stmt) in std::mem::take(step).into_iter().enumerate() {
        if dropped.contains(&number) {
            continue;
        }
        if number == nest && !is_whole(program, &stmt, ages[count - 1]) {
            let elem = program[tape].elem;
            let old = |index: &[Expr]| in_slot(tape, iter.clone(), index).load(elem);
            let same = |index: &[Expr]| {
                let value = rest.clone().unwrap_or_else(|| old(index));
                Stmt::assign(in_slot(tape, plus(&iter, count), index), value, origin)
            };
            let runs = Runs::of(program, &stmt, ages[count - 1]);
            let mut copied = runs.and_then(|runs| runs.between(program, &same, origin));
            copied.iter_mut().for_each(|copied| redirect(copied, &now));
            body.extend(copied);
        }
        redirect(&mut stmt, &|place: &Place| slot(place, number >= nest));
        body.push(stmt);
    }
    *step = body;
    let (mut before, mut behind) = (Block::new(), Block::new());
    for (number, &array) in ages.iter().enumerate() {
        let slot = count - number - 1;
        let elem = program[array].elem;
        let own = |index: &[Expr]| Place::new(array, index.to_vec());
        let kept = |slot: Expr, index: &[Expr]| in_slot(tape, slot, index);
        let dims = program[array].dims.clone();
        before.push(over_elements(program, dims.clone(), origin, &mut |index| {
            Stmt::assign(kept(Expr::usize(slot), index), own(index).load(elem), origin)
        }));
        behind.push(over_elements(program, dims, origin, &mut |index| {
            Stmt::assign(own(index), kept(plus(&hi, slot), index).load(elem), origin)
        }));
    }
    block.splice(at + 1..at + 1, behind);
    block.splice(at..at, before);
}

pub(super) fn in_slot(tape: BufferId, slot: Expr, index: &[Expr]) -> Place {
    Place::new(tape, std::iter::once(slot).chain(index.iter().cloned()).collect())
}

pub(super) fn plus(expr: &Expr, by: usize) -> Expr {
    if by == 0 { expr.clone() } else { expr.clone() + Expr::usize(by) }
}

/// Lets a statement access other places.
pub(super) fn redirect(stmt: &mut Stmt, to: &dyn Fn(&Place) -> Option<Place>) {
    let change = |place: &mut Place| to(place).into_iter().for_each(|other| *place = other);
    stmt.walk_mut(&mut |stmt| {
        for expr in stmt.exprs_mut() {
            expr.change(&mut |node| {
                if let ExprKind::Load(place) = &mut node.kind {
                    change(place);
                }
            });
        }
        stmt.as_store_mut().into_iter().for_each(|(target, _)| change(target));
    });
}
