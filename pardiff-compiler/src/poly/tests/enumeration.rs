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
    /// `(loop, read, other)`: a write between them, the loops around the loop in one iteration.
    pub(super) affected: HashSet<(IterId, AccessId, AccessId)>,
    /// `(read, write, shared loops)`: an element is read that is not written in the same iteration of these.
    pub(super) uncovered: HashSet<(AccessId, AccessId, usize)>,
}

fn meet(first: &Event, second: &Event) -> bool {
    match (&first.element, &second.element) {
        (Some(x), Some(y)) => x == y,
        _ => true,
    }
}

impl Facts {
    /// Adds what happens in one run.
    pub(super) fn observe(&mut self, analysis: &Analysis<'_>, events: &[Event]) {
        for (time, first) in events.iter().enumerate() {
            self.executed.insert(first.access);
            let a = analysis.access(first.access);
            for (later, second) in events.iter().enumerate() {
                let b = analysis.access(second.access);
                if a.buffer != b.buffer || first.lifetime != second.lifetime || !meet(first, second) {
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

    /// Adds between which reads something is written.
    pub(super) fn observe_writes_between(&mut self, analysis: &Analysis<'_>, events: &[Event]) {
        let kind = |event: &Event| analysis.access(event.access).kind;
        let buffer = |event: &Event| analysis.access(event.access).buffer;
        for (start, first) in events.iter().enumerate() {
            if kind(first).writes() {
                continue;
            }
            let mut written = false;
            for second in &events[start + 1..] {
                let same = buffer(first) == buffer(second) && first.lifetime == second.lifetime;
                if !same || !meet(first, second) {
                    continue;
                }
                written |= kind(second).writes();
                if written && !kind(second).writes() {
                    let differ = first.at.iter().zip(&second.at).find(|(a, b)| a != b);
                    if let Some(((l, _), (k, _))) = differ
                        && l == k
                    {
                        self.affected.insert((*l, first.access, second.access));
                    }
                }
            }
        }
    }

    /// Adds what is read but not written, in a run that came to its end.
    pub(super) fn observe_coverage(&mut self, analysis: &Analysis<'_>, events: &[Event]) {
        for read in events.iter().filter(|event| event.element.is_some()) {
            let a = analysis.access(read.access);
            for &id in analysis.of(a.buffer) {
                let b = analysis.access(id);
                if a.kind.writes() || !b.kind.writes() {
                    continue;
                }
                let loops = analysis.loops_around(a.id).iter().zip(analysis.loops_around(id));
                let common = loops.take_while(|(a, b)| a == b).count();
                for shared in 0..=common {
                    let writes = |write: &Event| {
                        write.access == id && write.at[..shared] == read.at[..shared] && meet(read, write)
                    };
                    if !events.iter().any(writes) {
                        self.uncovered.insert((a.id, id, shared));
                    }
                }
            }
        }
    }
}
