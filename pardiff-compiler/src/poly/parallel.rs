//! What a loop carries, buffer by buffer: the question behind parallel execution.

use super::access::AccessKind;
use super::analysis::Analysis;
use super::facts::Monotone;
use super::set::Answer;
use crate::ir::{BufferId, IterId, ReduceOp};

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
}

impl Analysis<'_> {
    /// What a loop carries: an entry for each buffer that lives around the loop and is written in it.
    pub fn carried_by(&self, along: IterId) -> Vec<BufferDependence> {
        let written = |&buffer: &BufferId| {
            let depth = self.loops(self.lifetime(buffer).nest).len();
            self.writes(buffer).any(|id| {
                let level = self.loops_around(id).iter().position(|&iter| iter == along);
                level.is_some_and(|level| level >= depth)
            })
        };
        let buffers = self.program.buffer_ids().filter(written);
        buffers.map(|buffer| self.buffer_carried_by(along, buffer, &[])).collect()
    }

    pub(super) fn buffer_carried_by(
        &self,
        along: IterId,
        buffer: BufferId,
        facts: &[Monotone],
    ) -> BufferDependence {
        let mut found = BufferDependence {
            buffer,
            flow: Answer::No,
            anti: Answer::No,
            output: Answer::No,
            reduction: None,
        };
        let inside = |id: &&_| self.loops_around(**id).contains(&along);
        for &first in self.of(buffer).iter().filter(inside) {
            for &second in self.of(buffer).iter().filter(inside) {
                let kinds = (self.access(first).kind, self.access(second).kind);
                let mut both = Answer::No;
                let field = match kinds {
                    (AccessKind::Read, AccessKind::Read) => continue,
                    (AccessKind::Reduce(a), AccessKind::Reduce(b)) if a == b => &mut both,
                    (_, AccessKind::Read) => &mut found.flow,
                    (AccessKind::Read, _) => &mut found.anti,
                    _ => &mut found.output,
                };
                if *field != Answer::Yes {
                    *field = field.or(self.carries_assuming(along, first, second, facts));
                }
                if let (AccessKind::Reduce(op), AccessKind::Reduce(other)) = kinds
                    && op == other
                {
                    let before = found.reduction.map_or(Answer::No, |(answer, _)| answer);
                    found.reduction = Some((before.or(both), op));
                }
            }
        }
        found
    }
}
