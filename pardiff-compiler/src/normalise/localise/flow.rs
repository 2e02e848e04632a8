//! Whether values of a local flow into a sequence of statements from before it.
//!
//! *Scalars*: definite assignment, as rustc has it: both arms of an `If` assign, or a statement before.
//!
//! *Arrays*: a read R is covered if, with the loops around the sequence and some more around R (the *shared* ones) in
//! one iteration, the elements that R reads are among those that some writes W certainly write in that iteration, and
//! no W writes an element of R after R in that iteration (so the W that writes it came before). The first is the set
//! computation of [`Analysis::covers`]; the second asks for the dependences from R to W. All numbers of shared loops are
//! tried, the most first. Where W stands before R in a block around it, and names the same element, nothing is computed.

use super::tree::Tree;
use crate::ir::{BufferId, IterId, Program, StmtKind};
use crate::map::Map;
use crate::poly::{AccessId, AccessKind, Analysis, Answer};
use std::cell::{OnceCell, RefCell};

/// The proofs.
pub(super) struct Flow<'p> {
    program: &'p Program,
    tree: &'p Tree<'p>,
    /// Made when the first array is asked about.
    analysis: OnceCell<Analysis<'p>>,
    /// Whether the writes cover the read with so many loops in one iteration: the same is asked at every level.
    covered: RefCell<Map<Question, bool>>,
}

/// A read, a number of loops, and the writes.
type Question = (AccessId, usize, Vec<AccessId>);

impl<'p> Flow<'p> {
    pub(super) fn new(program: &'p Program, tree: &'p Tree<'p>) -> Flow<'p> {
        Flow { program, tree, analysis: OnceCell::new(), covered: RefCell::default() }
    }

    /// Whether every element that these statements, in sequence in one block, read was written before in the same
    /// execution of the sequence.
    pub(super) fn is_self_contained(&self, buffer: BufferId, sequence: &[usize]) -> bool {
        if self.program[buffer].rank() == 0 {
            let mut flows_in = false;
            self.assigns(buffer, sequence, false, &mut flows_in);
            !flows_in
        } else {
            self.array_is_self_contained(buffer, sequence)
        }
    }

    /// Whether the scalar certainly has a value after the sequence, if it has one before as `assigned` says; notes a read
    /// where it has not.
    fn assigns(&self, buffer: BufferId, sequence: &[usize], assigned: bool, flows_in: &mut bool) -> bool {
        let mut assigned = assigned;
        for &number in sequence {
            if *flows_in || !self.tree.mentions_inside(number, buffer) {
                continue;
            }
            let stmt = self.tree.nodes[number].stmt;
            let reads = || stmt.exprs().into_iter().any(|expr| expr.loads(buffer));
            let mut blocks = self.tree.blocks(number).into_iter();
            match &stmt.kind {
                StmtKind::Assign { target, .. } => {
                    *flows_in |= !assigned && reads();
                    assigned |= target.buffer == buffer;
                }
                StmtKind::While(_) => {
                    let (head, body) = (blocks.next().unwrap_or_default(), blocks.next().unwrap_or_default());
                    assigned = self.assigns(buffer, &head, assigned, flows_in);
                    *flows_in |= !assigned && reads();
                    self.assigns(buffer, &body, assigned, flows_in);
                }
                StmtKind::Scope { .. } => {
                    assigned = blocks
                        .fold(assigned, |assigned, body| self.assigns(buffer, &body, assigned, flows_in));
                }
                StmtKind::If { .. } | StmtKind::Guarded { .. } => {
                    *flows_in |= !assigned && reads();
                    let before = assigned;
                    assigned = true;
                    for arm in blocks {
                        assigned &= self.assigns(buffer, &arm, before, flows_in);
                    }
                }
                StmtKind::For(_) => {
                    *flows_in |= !assigned && reads();
                    blocks.for_each(|body| {
                        self.assigns(buffer, &body, assigned, flows_in);
                    });
                }
                // a `Reduce` reads what it updates; of the others nothing is known
                _ => *flows_in |= !assigned,
            }
        }
        assigned
    }

    fn array_is_self_contained(&self, buffer: BufferId, sequence: &[usize]) -> bool {
        let (Some(&first), Some(&last)) = (sequence.first(), sequence.last()) else { return true };
        let analysis = self.analysis.get_or_init(|| Analysis::new(self.program));
        let range = first..self.tree.nodes[last].end;
        let outside = self.tree.nodes[first].loops.len();
        let inside = |id: &AccessId| range.contains(&(analysis.access(*id).stmt.0 as usize));
        let accesses = || analysis.of(buffer).iter().copied().filter(inside);
        let writes: Vec<AccessId> =
            accesses().filter(|&id| analysis.access(id).kind == AccessKind::Write).collect();
        let mut reads = accesses().filter(|&id| analysis.access(id).kind != AccessKind::Write);
        reads.all(|read| self.is_covered(analysis, read, &writes, outside))
    }

    fn is_covered(
        &self,
        analysis: &Analysis<'p>,
        read: AccessId,
        writes: &[AccessId],
        outside: usize,
    ) -> bool {
        let stmt = |id: AccessId| analysis.access(id).stmt.0 as usize;
        let stands_before = |&write: &AccessId| {
            self.tree.dominates(stmt(write), stmt(read)) && analysis.always_same_element(write, read)
        };
        if writes.iter().any(stands_before) {
            return true;
        }
        let loops = analysis.loops_around(read);
        (outside..=loops.len()).rev().any(|depth| {
            let before = writes.iter().copied();
            let before = before.filter(|&write| !is_written_after(analysis, read, write, depth)).collect();
            let key = (read, depth, before);
            if let Some(&known) = self.covered.borrow().get(&key) {
                return known;
            }
            let covered = !key.2.is_empty() && analysis.covers(read, &key.2, &loops[..depth]) == Answer::Yes;
            self.covered.borrow_mut().insert(key, covered);
            covered
        })
    }
}

/// Whether the write may touch the element of the read after it, with the outermost `depth` loops in one iteration.
fn is_written_after(analysis: &Analysis<'_>, read: AccessId, write: AccessId, depth: usize) -> bool {
    let (first, second) = (analysis.access(read), analysis.access(write));
    let (outer, inner) = (analysis.loops_around(read), analysis.loops_around(write));
    let common = outer.iter().zip(inner).take_while(|(a, b)| a == b).count();
    let possible = |answer: Answer| !answer.is_no();
    if common < depth {
        // the write is executed as often in one iteration of a loop that is not around it: its first time counts
        return second.order > first.order;
    }
    (second.order > first.order && possible(analysis.same_element(read, write)))
        || outer[depth..common]
            .iter()
            .any(|&along: &IterId| possible(analysis.carries_any(along, read, write)))
}
