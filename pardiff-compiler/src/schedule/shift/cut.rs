//! Which values are stored and which are computed again, so that both together cost least: a minimum cut.
//!
//! A value that another nest needs is stored, or computed again from its operands, which that nest then needs. In the
//! network below, what is on the side of the sink is needed; the cut separates what is not. It costs what is stored,
//! where a value is needed and its operands are not, and what is computed again, where both are.
//!
//! ```text
//! source --computed again--> in(v) --stored--> out(v) --any--> in(w)      w is computed from v
//!                                              out(r) --any--> sink       r is a term
//! ```
//!
//! Of several minimum cuts it is the one next to the terms, which computes the least again. The method is that of what
//! a reverse sweep keeps in W. Moses et al., *Reverse-mode automatic differentiation and optimization of GPU kernels
//! via Enzyme*, SC 2021; the flow is found by shortest augmenting paths (J. Edmonds, R. Karp, 1972).

use std::collections::VecDeque;

/// A value, the operands of which have lower numbers.
#[derive(Debug)]
pub(super) struct Value {
    /// The values that it is computed from.
    pub(super) operands: Vec<usize>,
    /// What it costs to compute it again from them, if that can be done.
    pub(super) again: Option<usize>,
    /// What it costs to store and to load it, if that can be done.
    pub(super) stored: Option<usize>,
}

/// The values to store, so that all `terms` can be had; none where that cannot be done.
pub(super) fn minimum_cut(values: &[Value], terms: &[usize]) -> Option<Vec<bool>> {
    let (source, sink) = (2 * values.len(), 2 * values.len() + 1);
    let mut network = Network { edges: Vec::new(), from: vec![Vec::new(); sink + 1] };
    for (at, value) in values.iter().enumerate() {
        network.edge(source, 2 * at, value.again.unwrap_or(NEVER));
        network.edge(2 * at, 2 * at + 1, value.stored.unwrap_or(NEVER));
        value.operands.iter().for_each(|operand| network.edge(2 * operand + 1, 2 * at, NEVER));
    }
    terms.iter().for_each(|term| network.edge(2 * term + 1, sink, NEVER));
    let mut cost = 0;
    while let Some(flow) = network.augment(source, sink) {
        cost += flow;
        if cost >= NEVER {
            return None;
        }
    }
    let needed = network.reaching(sink);
    Some((0..values.len()).map(|at| needed[2 * at + 1] && !needed[2 * at]).collect())
}

/// More than all that can be done costs.
const NEVER: usize = 1 << 40;

/// What may still flow along the edges; that of number `2 k + 1` is the reverse of that of number `2 k`.
struct Network {
    edges: Vec<(usize, usize)>,
    from: Vec<Vec<usize>>,
}

impl Network {
    fn edge(&mut self, from: usize, to: usize, capacity: usize) {
        if capacity > 0 {
            for (from, to, capacity) in [(from, to, capacity), (to, from, 0)] {
                self.from[from].push(self.edges.len());
                self.edges.push((to, capacity));
            }
        }
    }

    /// Sends flow along a shortest path; gives how much.
    fn augment(&mut self, source: usize, sink: usize) -> Option<usize> {
        let mut by = vec![None; self.from.len()];
        let mut queue = VecDeque::from([source]);
        while let Some(at) = queue.pop_front().filter(|_| by[sink].is_none()) {
            for &edge in &self.from[at] {
                let (to, capacity) = self.edges[edge];
                if capacity > 0 && to != source && by[to].is_none() {
                    by[to] = Some(edge);
                    queue.push_back(to);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = sink;
        while let Some(edge) = by[at] {
            path.push(edge);
            at = self.edges[edge ^ 1].0;
        }
        let flow = path.iter().map(|&edge| self.edges[edge].1).min()?;
        for edge in path {
            self.edges[edge].1 -= flow;
            self.edges[edge ^ 1].1 += flow;
        }
        Some(flow)
    }

    /// From where more could flow to the sink.
    fn reaching(&self, sink: usize) -> Vec<bool> {
        let mut reaching = vec![false; self.from.len()];
        reaching[sink] = true;
        let mut stack = vec![sink];
        while let Some(at) = stack.pop() {
            for &edge in &self.from[at] {
                let (before, capacity) = (self.edges[edge].0, self.edges[edge ^ 1].1);
                if capacity > 0 && !std::mem::replace(&mut reaching[before], true) {
                    stack.push(before);
                }
            }
        }
        reaching
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, minimum_cut};

    fn value(operands: &[usize], again: Option<usize>, stored: Option<usize>) -> Value {
        Value { operands: operands.to_vec(), again, stored }
    }

    #[test]
    fn what_several_terms_are_cheaply_made_of_is_stored_once() {
        let mut values = vec![value(&[], None, Some(12))];
        values.extend((0..3).map(|_| value(&[0], Some(2), Some(12))));
        assert_eq!(minimum_cut(&values, &[1, 2, 3]), Some(vec![true, false, false, false]));
        // of one term that costs as much to compute again, the term
        values[1].again = Some(13);
        assert_eq!(minimum_cut(&values, &[1]), Some(vec![false, true, false, false]));
    }

    #[test]
    fn what_costs_less_than_to_store_it_is_computed_again() {
        let values = [
            value(&[], Some(1), Some(12)),
            value(&[0], Some(4), Some(12)),
            value(&[0, 1], Some(4), Some(12)),
        ];
        assert_eq!(minimum_cut(&values, &[2]), Some(vec![false; 3]));
    }

    #[test]
    fn what_can_be_neither_stored_nor_computed_cannot_be_had() {
        let values = [value(&[], None, None), value(&[0], Some(1), None)];
        assert_eq!(minimum_cut(&values, &[1]), None);
        assert_eq!(minimum_cut(&values, &[]), Some(vec![false; 2]));
    }
}
