//! What the terms of a gathered sum are computed from.

use super::terms::Term;
use super::{Gather, Neighbours, Range, Source, Update};
use crate::ir::{BinOp, BufferId, BufferSet, Expr, ExprKind, IterId, Place, ReduceOp, Ty, UnOp};
use crate::limits::{COSTLY_TERMS, OPERATIONS_OF_A_CHEAP_TERM, OPERATIONS_OF_A_FREE_TERM};
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
    key: Option<Vec<usize>>,
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

    /// All terms of a plane; what they read, `entry` permitting, before the nest changes it, is read in front of the nest.
    fn gather(&mut self, neighbours: &Neighbours, entry: &dyn Fn(BufferId) -> bool) -> Option<Gather> {
        let updates = &neighbours.updates[..];
        let many = updates.len() > COSTLY_TERMS;
        let fixed: Option<Vec<Expr>> = updates
            .iter()
            .map(|update| self.computed(&update.term, &update.term.value, many, &|_| false))
            .collect();
        let (values, first) = match fixed {
            Some(values) => (values, false),
            None => {
                let early =
                    updates.iter().map(|update| self.computed(&update.term, &update.term.value, many, entry));
                match early.collect::<Option<Vec<Expr>>>() {
                    Some(values) => (values, true),
                    None => (self.stored_values(updates, many)?, false),
                }
            }
        };
        let source = |(update, value): (&Update, Expr)| {
            let value = at_loops(&update.term, value);
            let (offset, index) = (update.offset.clone(), update.term.index.clone());
            Source { plane: 0, offset, index, value, always: update.term.always }
        };
        let sources = updates.iter().zip(values).map(source).collect();
        let (target, rings) = (neighbours.target, neighbours.rings.clone());
        Some(Gather { target, planes: 1, sources, first, rings })
    }

    fn stored_values(&mut self, updates: &[Update], many: bool) -> Option<Vec<Expr>> {
        let stored = updates.iter().map(|update| match update.term.decided {
            true => self.stored(&update.term, &update.term.value, many),
            false => self.summed(&update.term),
        });
        stored.collect()
    }

    /// The value where the nest need not store it.
    fn computed(
        &self,
        term: &Term,
        value: &Expr,
        many: bool,
        entry: &dyn Fn(BufferId) -> bool,
    ) -> Option<Expr> {
        let value = term.known.expand(value, self.changed, entry).filter(|_| term.decided)?;
        (weight(&value) <= if many { OPERATIONS_OF_A_FREE_TERM } else { OPERATIONS_OF_A_CHEAP_TERM })
            .then_some(value)
    }

    /// The value from what the nest stores, as little of it as possible.
    fn stored(&mut self, term: &Term, value: &Expr, many: bool) -> Option<Expr> {
        let computed = |it: &Self, value: &Expr| it.computed(term, value, many, &|_| false);
        if let Some(value) = computed(self, value) {
            return Some(value);
        }
        match &value.kind {
            ExprKind::Unary(UnOp::Neg, operand) => Some(-self.stored(term, operand, many)?),
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), lhs, rhs)
                if computed(self, lhs).is_some() || computed(self, rhs).is_some() =>
            {
                Some(Expr::binary(*op, self.stored(term, lhs, many)?, self.stored(term, rhs, many)?))
            }
            // zero where a condition does not hold, or where it does
            ExprKind::Select(parts) if term.decided => {
                let [cond, yes, no] = &**parts;
                let (yes, no) = (self.stored(term, yes, many)?, self.stored(term, no, many)?);
                Some(Expr::select(cond.clone(), yes, no))
            }
            _ => self.slot(term, value),
        }
    }

    fn slot(&mut self, term: &Term, value: &Expr) -> Option<Expr> {
        let known_before = value.all(&mut |node| match &node.kind {
            ExprKind::Load(place) => !term.changed.contains(place.buffer),
            ExprKind::Iter(iter) => !term.loops.iter().any(|(inner, _)| inner == iter),
            _ => true,
        });
        let (before, loops) = match known_before {
            true => (term.before, Vec::new()),
            false => (term.number, loops_from_zero(term).filter(|_| term.always)?),
        };
        let key = Some(term.known.versions_in(value));
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
        let key = Some(term.known.versions_in(&value));
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

/// The number of operations and loads, those of indices left out: these are shared, and move along.
fn weight(expr: &Expr) -> usize {
    let operands: usize = match &expr.kind {
        ExprKind::Load(_) => 0,
        ExprKind::Binary(_, lhs, rhs) => weight(lhs) + weight(rhs),
        ExprKind::Select(parts) => weight(&parts[1]) + weight(&parts[2]),
        _ => expr.operands().iter().map(weight).sum(),
    };
    let own = match &expr.kind {
        ExprKind::Float(_) | ExprKind::Unary(..) | ExprKind::Cast(_) => 0,
        ExprKind::Call(..) | ExprKind::Apply(..) | ExprKind::Binary(BinOp::Div, ..) => {
            OPERATIONS_OF_A_CHEAP_TERM
        }
        _ => 1,
    };
    own + operands
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
