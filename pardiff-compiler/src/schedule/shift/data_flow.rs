//! The values that the terms of a plane are computed from, down to what the nest does not change.

use super::Update;
use super::cut::{Value, minimum_cut};
use super::values::{Slot, place_of};
use crate::ir::{BinOp, BufferSet, Expr, ExprKind};
use crate::limits::{OPERATIONS_OF_A_CALL, STORED_AND_LOADED, VALUES_OF_A_CUT};

/// The values with their prices, operands before what is computed from them.
pub(super) struct DataFlow {
    pub(super) values: Vec<Value>,
    pub(super) known: Vec<Node>,
    /// The value of each update that conditions do not decide.
    pub(super) roots: Vec<Option<usize>>,
}

/// A value as an expression at the place of a term.
pub(super) struct Node {
    pub(super) expr: Expr,
    /// The number of the update where it is this.
    pub(super) update: usize,
    /// That of one at whose place it can be stored.
    pub(super) stored_by: Option<usize>,
    pub(super) kind: Kind,
    versions: Vec<usize>,
}

/// How a value is computed again.
pub(super) enum Kind {
    /// From what the nest does not change, if at all.
    Leaf(Expr),
    /// As a scalar is defined.
    Defined,
    /// By the same operation.
    Operation,
}

impl DataFlow {
    /// Of all terms that conditions do not decide. What has a slot already costs nothing to store.
    pub(super) fn of(updates: &[Update], changed: &BufferSet, slots: &[Slot]) -> DataFlow {
        let flow = DataFlow { values: Vec::new(), known: Vec::new(), roots: Vec::new() };
        let mut build = Build { updates, changed, slots, flow };
        for (at, update) in updates.iter().enumerate() {
            let root = update.term.decided.then(|| build.value(at, &update.term.value));
            build.flow.roots.push(root);
        }
        build.flow
    }

    /// Which values to store, and what that costs with each term computed on its own.
    ///
    /// How often a value is computed again depends on what is stored between it and the terms. The first guesses are
    /// once, and once for each term. A cut gives the next guess: as often as if one of the stored values were not
    /// stored. The search ends where a cut costs no less than the best one.
    pub(super) fn cheapest(&self) -> Option<(usize, Vec<bool>)> {
        let terms: Vec<usize> = self.roots.iter().flatten().copied().collect();
        let all = self.uses(&terms, &vec![false; self.values.len()], 0);
        let mut best: Option<(usize, Vec<bool>)> = None;
        for mut uses in [vec![1; self.values.len()], all] {
            loop {
                let stored = minimum_cut(&self.priced(&uses), &terms)?;
                let cost = self.cost(&terms, &stored);
                if best.as_ref().is_some_and(|(least, _)| *least <= cost) {
                    break;
                }
                uses = self.uses(&terms, &stored, 1);
                best = Some((cost, stored));
            }
        }
        best
    }

    /// How many operations each value takes where it is written out, down to what is stored: a scalar that is read
    /// twice is written out twice.
    pub(super) fn written_out(&self, stored: &[bool]) -> Vec<usize> {
        let mut operations: Vec<usize> = Vec::with_capacity(self.values.len());
        for (at, value) in self.values.iter().enumerate() {
            let operands = value.operands.iter().map(|&operand| operations[operand]);
            let all = operands.fold(value.again.unwrap_or(0), usize::saturating_add);
            operations.push(if stored[at] { 0 } else { all });
        }
        operations
    }

    /// The values, each computed again so many times.
    fn priced(&self, uses: &[usize]) -> Vec<Value> {
        let priced = |(value, uses): (&Value, &usize)| {
            let again = value.again.map(|again| again * uses);
            Value { operands: value.operands.clone(), again, stored: value.stored }
        };
        self.values.iter().zip(uses).map(priced).collect()
    }

    /// Of how many terms each value is a part, with at most so many stored values between them.
    fn uses(&self, terms: &[usize], stored: &[bool], most: usize) -> Vec<usize> {
        let mut uses = vec![0; self.values.len()];
        for &root in terms {
            let mut between = vec![usize::MAX; root + 1];
            between[root] = 0;
            for at in (0..=root).rev() {
                if between[at] <= most {
                    uses[at] += 1;
                    let below = between[at] + usize::from(stored[at]);
                    for &operand in &self.values[at].operands {
                        between[operand] = between[operand].min(below);
                    }
                }
            }
        }
        uses
    }

    fn cost(&self, terms: &[usize], stored: &[bool]) -> usize {
        let uses = self.uses(terms, stored, 0);
        let cost = |(at, value): (usize, &Value)| match stored[at] {
            true => value.stored.filter(|_| uses[at] > 0),
            false => value.again.map(|again| again * uses[at]),
        };
        self.values.iter().enumerate().filter_map(cost).sum()
    }
}

struct Build<'a> {
    updates: &'a [Update],
    changed: &'a BufferSet,
    slots: &'a [Slot],
    flow: DataFlow,
}

impl Build<'_> {
    /// The number of a value, as it is at the place of an update.
    fn value(&mut self, update: usize, expr: &Expr) -> usize {
        let term = &self.updates[update].term;
        let versions = term.known.versions_in(expr);
        let stored = place_of(term, expr).map(|(_, loops)| {
            let is_slot = |slot: &Slot| slot.key == versions && slot.value == *expr && !slot.summed;
            let elements: usize = loops.iter().map(|(_, length)| *length).product();
            if self.slots.iter().any(is_slot) { 0 } else { STORED_AND_LOADED * elements }
        });
        let same = |node: &Node| node.versions == versions && node.expr == *expr;
        if let Some(found) = self.flow.known.iter().position(same) {
            if self.flow.values[found].stored.is_none() && stored.is_some() {
                self.flow.values[found].stored = stored;
                self.flow.known[found].stored_by = Some(update);
            }
            return found;
        }
        let (kind, operands, again) = self.operation(update, expr);
        let stored_by = stored.map(|_| update);
        self.flow.known.push(Node { expr: expr.clone(), update, stored_by, kind, versions });
        self.flow.values.push(Value { operands, again, stored });
        self.flow.values.len() - 1
    }

    /// How a value is computed again, from which values, and how many operations that takes.
    fn operation(&mut self, update: usize, expr: &Expr) -> (Kind, Vec<usize>, Option<usize>) {
        let known = &self.updates[update].term.known;
        let unchanged = |expr: &Expr| known.expand(expr, self.changed, &|_| false);
        let is_full = self.flow.values.len() > VALUES_OF_A_CUT;
        let definition = match &expr.kind {
            ExprKind::Load(place) if place.index.is_empty() && !is_full => known.definition(place.buffer),
            _ => None,
        };
        if let Some(definition) = definition {
            return (Kind::Defined, vec![self.value(update, &definition.clone())], Some(0));
        }
        let all = match &expr.kind {
            _ if is_full => Vec::new(),
            ExprKind::Load(_) => Vec::new(),
            ExprKind::Binary(_, lhs, rhs) => vec![&**lhs, &**rhs],
            _ => expr.operands().iter().collect(),
        };
        if all.is_empty() {
            let leaf = unchanged(expr);
            let again = leaf.as_ref().map(operations);
            return (Kind::Leaf(leaf.unwrap_or_else(|| expr.clone())), Vec::new(), again);
        }
        let (floats, others): (Vec<&Expr>, Vec<&Expr>) =
            all.into_iter().partition(|operand| operand.ty.is_float());
        let exists = others.iter().all(|operand| unchanged(operand).is_some());
        let operands = floats.into_iter().map(|operand| self.value(update, operand)).collect();
        (Kind::Operation, operands, exists.then_some(own_operations(expr)))
    }
}

/// The number of operations and loads. Operations on indices are shared, and do not count.
pub(super) fn operations(expr: &Expr) -> usize {
    let operands: usize = match &expr.kind {
        ExprKind::Load(_) => 0,
        ExprKind::Binary(_, lhs, rhs) => operations(lhs) + operations(rhs),
        ExprKind::Select(parts) => operations(&parts[1]) + operations(&parts[2]),
        _ => expr.operands().iter().map(operations).sum(),
    };
    own_operations(expr) + operands
}

fn own_operations(expr: &Expr) -> usize {
    match &expr.kind {
        ExprKind::Float(_) | ExprKind::Unary(..) | ExprKind::Cast(_) => 0,
        ExprKind::Call(..) | ExprKind::Apply(..) | ExprKind::Binary(BinOp::Div, ..) => OPERATIONS_OF_A_CALL,
        _ => 1,
    }
}
