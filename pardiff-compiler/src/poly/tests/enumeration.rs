//! Answers against enumeration: what happens for small values of the parameters.

use super::trace::Event;
use crate::ir::{IterId, Order};
use crate::poly::{AccessId, Analysis};
use std::collections::HashSet;

/// Everything that happens in some run.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) overwritten: HashSet<AccessId>,
    pub(super) carried: HashSet<(IterId, AccessId, AccessId)>,
    pub(super) same: HashSet<(AccessId, AccessId)>,
    /// Iterations `(loop, first, second)` with the differences seen.
    pub(super) distances: Vec<((IterId, AccessId, AccessId), i128)>,
    pub(super) executed: HashSet<AccessId>,
}

impl Facts {
    /// Adds what happens in one run.
    pub(super) fn observe(&mut self, analysis: &Analysis<'_>, events: &[Event]) {
        for (time, first) in events.iter().enumerate() {
            self.executed.insert(first.access);
            let a = analysis.access(first.access);
            for (later, second) in events.iter().enumerate() {
                let b = analysis.access(second.access);
                let meet = match (&first.element, &second.element) {
                    (Some(x), Some(y)) => x == y,
                    _ => true,
                };
                if a.buffer != b.buffer || first.lifetime != second.lifetime || !meet {
                    continue;
                }
                if later > time && b.kind.writes() {
                    self.overwritten.insert(first.access);
                }
                let differ = first.at.iter().zip(&second.at).find(|((l, x), (k, y))| l != k || x != y);
                match differ {
                    Some(((l, x), (k, y))) if l == k => {
                        let order = analysis.loop_of(*l).map(|of| of.order);
                        if (order == Some(Order::Up) && y > x) || (order == Some(Order::Down) && y < x) {
                            let key = (*l, first.access, second.access);
                            self.carried.insert(key);
                            self.distances.push((key, y - x));
                        }
                    }
                    _ => {
                        self.same.insert((first.access, second.access));
                    }
                }
            }
        }
    }
}
