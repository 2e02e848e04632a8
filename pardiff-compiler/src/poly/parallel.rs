//! What a loop carries, buffer by buffer: the question behind parallel execution.

use super::access::{AccessId, AccessKind, PointId};
use super::analysis::Analysis;
use super::runtime_facts::Fact;
use super::set::Answer;
use crate::ir::{BufferId, IterId, ReduceOp};
use crate::map::Map;

/// Which dependences between different iterations of a loop one buffer causes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferDependence {
    /// The buffer.
    pub buffer: BufferId,
    /// Whether a value written is read in a later iteration.
    pub flow: Answer,
    /// Whether an element read is written in a later iteration.
    pub anti: Answer,
    /// Whether an element written is written in a later iteration.
    pub output: Answer,
    /// Whether updates by one operation, which commute, meet in one element; and the operation.
    pub reduction: Option<(Answer, ReduceOp)>,
    /// What the answers rest on.
    pub proof: Proof,
}

/// What it rests on that iterations do not touch one element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The indices of two iterations are never equal.
    Sets,
    /// The user's types give each element to one iteration.
    Types,
    /// They are not equal where the assumed facts hold.
    Facts,
    /// They are indices at which that buffer is written, of which this was proved.
    SameIndex(BufferId),
}

impl BufferDependence {
    /// Whether nothing is carried but updates that commute.
    pub fn is_reduction_only(&self) -> bool {
        self.flow.is_no() && self.anti.is_no() && self.output.is_no()
    }

    /// Whether nothing is carried.
    pub fn is_independent(&self) -> bool {
        self.is_reduction_only() && self.reduction.is_none_or(|(answer, _)| answer.is_no())
    }

    /// What is known of a buffer that iterations do not share.
    fn independent(self, proof: Proof) -> BufferDependence {
        let reduction = self.reduction.map(|(_, op)| (Answer::No, op));
        let no = Answer::No;
        BufferDependence { flow: no, anti: no, output: no, reduction, proof, ..self }
    }
}

impl Analysis<'_> {
    /// What a loop carries: an entry for each buffer that lives around the loop and is written in it.
    pub fn carried_by(&self, along: IterId) -> Vec<BufferDependence> {
        self.carried_assuming(along, &[]).collect()
    }

    /// What a loop carries where the facts hold; see [`Analysis::carried_by`]. Each entry is found when it is asked for:
    /// who finds one that excludes what he wants does not want the others.
    pub fn carried_assuming(&self, along: IterId, facts: &[Fact]) -> impl Iterator<Item = BufferDependence> {
        let written = |&buffer: &BufferId| {
            let depth = self.loops(self.lifetime(buffer).nest).len();
            self.writes(buffer).any(|id| {
                let level = self.loops_around(id).iter().position(|&iter| iter == along);
                level.is_some_and(|level| level >= depth)
            })
        };
        let buffers: Vec<BufferId> = self.program.buffer_ids().filter(written).collect();
        let mut known: Map<BufferId, BufferDependence> = Map::default();
        (0..buffers.len()).map(move |at| {
            let mut carried = |buffer: BufferId| {
                *known.entry(buffer).or_insert_with(|| self.buffer_carried_by(along, buffer, facts))
            };
            let found = carried(buffers[at]);
            if found.is_independent() {
                return found;
            }
            let mut others = buffers.iter().filter(|&&other| other != found.buffer);
            let same = others.find(|&&other| {
                self.has_indices_of(along, found.buffer, other) && carried(other).is_independent()
            });
            same.map_or(found, |&other| found.independent(Proof::SameIndex(other)))
        })
    }

    fn buffer_carried_by(&self, along: IterId, buffer: BufferId, facts: &[Fact]) -> BufferDependence {
        let found = self.pairs_carried_by(along, buffer, &[]);
        if found.is_independent() || facts.is_empty() {
            return found;
        }
        BufferDependence { proof: Proof::Facts, ..self.pairs_carried_by(along, buffer, facts) }
    }

    fn pairs_carried_by(&self, along: IterId, buffer: BufferId, facts: &[Fact]) -> BufferDependence {
        let no = Answer::No;
        let mut found =
            BufferDependence { buffer, flow: no, anti: no, output: no, reduction: None, proof: Proof::Sets };
        let inside = self.of(buffer).iter().filter(|&&id| self.loops_around(id).contains(&along));
        let accesses: Vec<AccessId> = inside.copied().collect();
        // where conditions are not known exactly, or facts are assumed, nothing is proved to meet
        let exact = accesses.iter().map(|&id| facts.is_empty() && self.is_exact_at(self.access(id).point));
        let exact: Vec<bool> = exact.collect();
        for (at, &first) in accesses.iter().enumerate() {
            for (other, &second) in accesses.iter().enumerate() {
                let kinds = (self.access(first).kind, self.access(second).kind);
                let mut both = found.reduction.map_or(Answer::No, |(answer, _)| answer);
                let field = match kinds {
                    (AccessKind::Read, AccessKind::Read) => continue,
                    (AccessKind::Reduce(a), AccessKind::Reduce(b)) if a == b => &mut both,
                    (_, AccessKind::Read) => &mut found.flow,
                    (AccessKind::Read, _) => &mut found.anti,
                    _ => &mut found.output,
                };
                let best = if exact[at] && exact[other] { Answer::Yes } else { Answer::Unknown };
                if *field != Answer::Yes && *field != best {
                    *field = field.or(self.carries_assuming(along, first, second, facts));
                }
                if let (AccessKind::Reduce(op), AccessKind::Reduce(other)) = kinds
                    && op == other
                {
                    found.reduction = Some((both, op));
                }
            }
        }
        found
    }

    /// The same-index rule: whether every access of a buffer in a loop goes to the index of a plain write of `other`,
    /// which iterations of the loop do not share.
    ///
    /// **Legality.** No two iterations write one element of `other`; that is a statement about the indices of its writes
    /// under the conditions of their places. An access with the index of such a write, inside the loops of that write and
    /// where at least its conditions hold, has in each iteration an index that the write has; so two iterations do not
    /// touch one element of the buffer either, however the buffer is laid out. Equal forms are equal values of the
    /// machine, whether or not the index wraps. `Reduce`s of `other` would prove nothing where they may collide, and are
    /// not asked.
    fn has_indices_of(&self, along: IterId, buffer: BufferId, other: BufferId) -> bool {
        let inside = |id: &AccessId| self.loops_around(*id).contains(&along);
        self.of(buffer).iter().copied().filter(inside).all(|id| {
            self.writes(other).filter(inside).any(|write| {
                let access = self.access(write);
                access.kind == AccessKind::Write && access.place.is_some() && self.is_at_write(id, write)
            })
        })
    }

    fn is_at_write(&self, id: AccessId, write: AccessId) -> bool {
        let (raw, of_write) = (&self.raw[id.0 as usize], &self.raw[write.0 as usize]);
        let (access, write) = (self.access(id), self.access(write));
        let mut above =
            std::iter::successors(Some(access.point), |&PointId(at)| self.points[at as usize].parent);
        access.place.is_some()
            && raw == of_write
            && raw.iter().all(Option::is_some)
            && self.loops(access.nest).starts_with(self.loops(write.nest))
            && above.any(|point| point == write.point)
    }
}
