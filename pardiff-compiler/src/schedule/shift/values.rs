//! What the terms of a gathered sum are computed from.

use super::data_flow::{DataFlow, Kind, operations};
use super::terms::Term;
use super::{Gather, Neighbours, Range, Source, Update};
use crate::ir::{BufferId, BufferSet, Expr, ExprKind, IterId, Place, ReduceOp, Ty, UnOp};
use crate::limits::OPERATIONS_OF_A_GATHERED_TERM;
use crate::poly::elements_of;

/// A value of each iteration that the nest stores.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The statement of the body in front of which it is known.
    pub(super) before: usize,
    /// What is stored.
    pub(super) value: Expr,
    /// Whether the iteration may have it several times, or never: then its sum is stored.
    pub(super) summed: bool,
    /// The loops in the iteration that have it once each, with their lengths: they have an element each.
    pub(super) loops: Vec<(IterId, usize)>,
    /// Stands for its array.
    pub(super) name: BufferId,
    /// Which of the values that buffers take it is made of.
    pub(super) key: Vec<usize>,
    /// The arm of a condition, or the inner loop, in which it is summed.
    arm: Option<usize>,
    /// In terms of what the iteration has not changed before.
    meaning: Option<Expr>,
}

/// The values of the terms of a nest.
pub(super) struct Values<'a> {
    loops: &'a [Range],
    changed: &'a BufferSet,
    pub(super) slots: Vec<Slot>,
}

impl<'a> Values<'a> {
    pub(super) fn new(loops: &'a [Range], changed: &'a BufferSet) -> Values<'a> {
        Values { loops, changed, slots: Vec::new() }
    }

    /// What is gathered by updates that move together, or none of it.
    pub(super) fn gather_all(
        &mut self,
        all: &[Neighbours],
        entry: &dyn Fn(BufferId) -> bool,
    ) -> Option<Vec<Gather>> {
        let before = self.slots.len();
        let gathers: Option<Vec<Gather>> = all.iter().map(|one| self.gather(one, entry)).collect();
        if gathers.is_none() {
            self.slots.truncate(before);
        }
        gathers
    }

    /// All terms of a plane. They stand in front of the nest if that is cheaper, and if `entry` allows what they read:
    /// elements that the nest changes later.
    fn gather(&mut self, neighbours: &Neighbours, entry: &dyn Fn(BufferId) -> bool) -> Option<Gather> {
        let updates = &neighbours.updates[..];
        let before = self.slots.len();
        let stored = self.values(updates);
        let early = match &stored {
            Some(_) if self.slots.len() == before => None,
            _ => early(updates, self.changed, entry),
        };
        let is_cheaper = |again: usize| stored.as_ref().is_none_or(|(cost, _)| again <= *cost);
        let early = early.filter(|(again, _)| is_cheaper(*again));
        let first = early.is_some();
        if first {
            self.slots.truncate(before);
        }
        let (_, values) = early.or(stored)?;
        let source = |(update, value): (&Update, Expr)| {
            let value = at_loops(&update.term, value);
            let (offset, index) = (update.offset.clone(), update.term.index.clone());
            Source { plane: 0, offset, index, value, always: update.term.always }
        };
        let sources = updates.iter().zip(values).map(source).collect();
        let (target, rings) = (neighbours.target, neighbours.rings.clone());
        Some(Gather { target, planes: 1, sources, first, rings })
    }

    /// The values from what the nest stores, and what they cost.
    fn values(&mut self, updates: &[Update]) -> Option<(usize, Vec<Expr>)> {
        let mut flow = DataFlow::of(updates, self.changed, &self.slots);
        loop {
            let (cost, stored) = flow.cheapest()?;
            let operations = flow.written_out(&stored);
            let large = |root: &&usize| operations[**root] > OPERATIONS_OF_A_GATHERED_TERM;
            if let Some(&root) = flow.roots.iter().flatten().find(large) {
                flow.values[root].again = None;
                continue;
            }
            let value = |(update, root): (&Update, &Option<usize>)| match *root {
                Some(root) => self.computed(&flow, &stored, updates, root),
                None => self.summed(&update.term),
            };
            let values = updates.iter().zip(&flow.roots).map(value).collect::<Option<_>>()?;
            return Some((cost, values));
        }
    }

    /// A value in terms of what is stored, and of what the nest does not change.
    fn computed(
        &mut self,
        flow: &DataFlow,
        stored: &[bool],
        updates: &[Update],
        value: usize,
    ) -> Option<Expr> {
        let known = &flow.known[value];
        if stored[value] {
            return self.slot(&updates[known.stored_by?].term, &known.expr);
        }
        let term = &updates[known.update].term;
        let mut operands = flow.values[value].operands.iter();
        match &known.kind {
            Kind::Leaf(leaf) => Some(leaf.clone()),
            Kind::Defined => self.computed(flow, stored, updates, *operands.next()?),
            Kind::Operation => {
                let mut all = Some(());
                let made = known.expr.with_operands(&mut |operand| {
                    let operand = match operand.ty.is_float() {
                        true => operands.next().and_then(|&at| self.computed(flow, stored, updates, at)),
                        false => term.known.expand(operand, self.changed, &|_| false),
                    };
                    all = all.filter(|()| operand.is_some());
                    operand.unwrap_or(Expr::usize(0))
                });
                all.map(|()| made)
            }
        }
    }

    fn slot(&mut self, term: &Term, value: &Expr) -> Option<Expr> {
        let (before, loops) = place_of(term, value)?;
        let key = term.known.versions_in(value);
        let meaning = term.known.expand(value, self.changed, &|_| true);
        let known = self.slots.iter().find(|slot| {
            let same = slot.key == key && slot.value == *value;
            slot.loops == loops && (same || meaning.is_some() && slot.meaning == meaning)
        });
        let name = known.map(|slot| slot.name).unwrap_or_else(|| {
            let (name, value) = (placeholder(self.slots.len()), value.clone());
            let loops = loops.clone();
            self.slots.push(Slot { before, value, summed: false, loops, name, key, arm: None, meaning });
            name
        });
        Some(Place::new(name, element(&loops, self.loops)).load(value.ty))
    }

    /// The sum of all that an iteration adds by a statement under a condition, or in a loop.
    fn summed(&mut self, term: &Term) -> Option<Expr> {
        // an index that is read may be there only where the condition holds
        if !term.loops.is_empty() || term.index.iter().any(|index| !elements_of(index).is_empty()) {
            return None;
        }
        let (value, is_negative) = match &term.value.kind {
            ExprKind::Unary(UnOp::Neg, operand) => ((**operand).clone(), true),
            _ => (term.value.clone(), false),
        };
        let key = term.known.versions_in(&value);
        let is_known = |slot: &&Slot| slot.arm == Some(term.arm) && slot.key == key && slot.value == value;
        let known = self.slots.iter().find(is_known);
        let name = known.map_or(placeholder(self.slots.len()), |slot| slot.name);
        let loaded = Place::new(name, element(&[], self.loops)).load(value.ty);
        if known.is_none() {
            let (before, arm, loops) = (term.number, Some(term.arm), Vec::new());
            self.slots.push(Slot { before, value, summed: true, loops, name, key, arm, meaning: None });
        }
        Some(if is_negative { -loaded } else { loaded })
    }
}

/// The values of terms in front of the nest, if they can be computed there, and how many operations they take.
fn early(
    updates: &[Update],
    changed: &BufferSet,
    entry: &dyn Fn(BufferId) -> bool,
) -> Option<(usize, Vec<Expr>)> {
    let value = |update: &Update| {
        update.term.known.expand(&update.term.value, changed, entry).filter(|_| update.term.decided)
    };
    let values: Vec<Expr> = updates.iter().map(value).collect::<Option<_>>()?;
    Some((values.iter().map(operations).sum(), values))
}

/// Where a value is stored: before which statement, and with an element for each iteration of which inner loops.
pub(super) fn place_of(term: &Term, value: &Expr) -> Option<(usize, Vec<(IterId, usize)>)> {
    let known_before = value.all(&mut |node| match &node.kind {
        ExprKind::Load(place) => !term.changed.contains(place.buffer),
        ExprKind::Iter(iter) => !term.loops.iter().any(|(inner, _)| inner == iter),
        _ => true,
    });
    match known_before {
        _ if !term.known.is_readable(value) => None,
        true => Some((term.before, Vec::new())),
        false => Some((term.number, loops_from_zero(term).filter(|_| term.always)?)),
    }
}

/// The element of the array of a slot that belongs to an iteration: those of one iteration of the loops inside are beside
/// each other.
fn element(inside: &[(IterId, usize)], nest: &[Range]) -> Vec<Expr> {
    let inside = inside.iter().map(|(iter, _)| Expr::iter(*iter, Ty::USIZE));
    inside.chain(nest.iter().map(Range::number)).collect()
}

/// The loops around a term that are written out, with their lengths, if all of them count from zero.
fn loops_from_zero(term: &Term) -> Option<Vec<(IterId, usize)>> {
    let counts = |values: &[i128]| values.iter().enumerate().all(|(at, &value)| at as i128 == value);
    term.loops.iter().map(|(iter, values)| counts(values).then_some((*iter, values.len()))).collect()
}

/// Stands for an array that the program does not have yet.
fn placeholder(number: usize) -> BufferId {
    BufferId(u32::MAX - number as u32)
}

/// A value at the values of the loops around it that the term is written out for.
fn at_loops(term: &Term, value: Expr) -> Expr {
    let loops = term.loops.iter().zip(&term.at);
    loops.fold(value, |value, ((iter, _), &at)| value.at(*iter, &Expr::int(Ty::USIZE, at)))
}

impl Range {
    /// The number of the iteration.
    pub(super) fn number(&self) -> Expr {
        let iter = Expr::iter(self.iter, Ty::USIZE);
        if self.lo == Expr::usize(0) { iter } else { iter - self.lo.clone() }
    }
}

/// What is stored in a slot is added or assigned.
impl Slot {
    /// Its element in an iteration of the nest.
    pub(super) fn element(&self, nest: &[Range]) -> Vec<Expr> {
        element(&self.loops, nest)
    }

    pub(super) fn op(&self) -> Option<ReduceOp> {
        self.summed.then_some(ReduceOp::Add)
    }
}
