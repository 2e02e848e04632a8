//! Which statements share one local, and the block in which it is declared.

use super::flow::Flow;
use super::tree::{BlockKey, Tree};
use crate::ir::{Buffer, BufferId, Program, StmtKind};
use std::ops::Range;

/// More groups of statements than this of one array in one block: they share it, for the memory's sake.
const MAX_ARRAYS: usize = 8;

/// What is to be changed.
#[derive(Default)]
pub(super) struct Plan {
    /// New buffers, numbered from the end of the program's.
    pub(super) buffers: Vec<Buffer>,
    /// The buffers that leave the `Scope`s that they are in.
    pub(super) placed: Vec<BufferId>,
    /// Where which buffers are declared instead.
    pub(super) declarations: Vec<(BlockKey, BufferId)>,
    /// In these statements the second buffer stands for the first.
    pub(super) renames: Vec<(Range<usize>, BufferId, BufferId)>,
}

/// Finds the place of one local after the other.
pub(super) struct Webs<'p> {
    program: &'p Program,
    tree: &'p Tree<'p>,
    flow: Flow<'p>,
    pub(super) plan: Plan,
}

impl<'p> Webs<'p> {
    pub(super) fn new(program: &'p Program, tree: &'p Tree<'p>, flow: Flow<'p>) -> Webs<'p> {
        Webs { program, tree, flow, plan: Plan::default() }
    }

    /// Places a local that a `Scope` declares.
    pub(super) fn place(&mut self, buffer: BufferId) {
        let Some(scope) = self.tree.scope(buffer) else { return };
        let body = self.tree.blocks(scope).remove(0);
        if !body.iter().any(|&stmt| self.tree.mentions_inside(stmt, buffer)) {
            return;
        }
        let mut found = Vec::new();
        let own_scope = (scope, 0);
        self.block(buffer, own_scope, &body, &mut found);
        if matches!(found[..], [(key, _)] if key == own_scope) {
            return;
        }
        self.plan.placed.push(buffer);
        for (number, (key, range)) in found.into_iter().enumerate() {
            let mut own = buffer;
            if number > 0 {
                own = BufferId((self.program.buffers.len() + self.plan.buffers.len()) as u32);
                self.plan.buffers.push(self.program[buffer].clone());
                self.plan.renames.push((range, buffer, own));
            }
            self.plan.declarations.push((key, own));
        }
    }

    /// Splits the statements of a block that mention the local into groups between which no value flows, and finds a
    /// place for each: the block where it is declared, and the statements that use it.
    fn block(
        &mut self,
        buffer: BufferId,
        key: BlockKey,
        block: &[usize],
        found: &mut Vec<(BlockKey, Range<usize>)>,
    ) {
        let mentions: Vec<usize> =
            block.iter().copied().filter(|&stmt| self.tree.mentions_inside(stmt, buffer)).collect();
        for web in self.split(buffer, &mentions) {
            match web {
                [one] if self.descend(buffer, *one, found) => {}
                [] => {}
                [first, .., last] | [first @ last] => {
                    found.push((key, *first..self.tree.nodes[*last].end));
                }
            }
        }
    }

    fn split<'s>(&self, buffer: BufferId, mentions: &'s [usize]) -> Vec<&'s [usize]> {
        let most = if self.program[buffer].rank() == 0 { usize::MAX } else { MAX_ARRAYS };
        let mut webs = Vec::new();
        let mut rest = mentions;
        for at in (1..mentions.len()).rev() {
            let suffix = &rest[at..];
            if webs.len() + 1 < most && self.flow.is_self_contained(buffer, suffix) {
                webs.push(suffix);
                rest = &rest[..at];
            }
        }
        webs.push(rest);
        webs.reverse();
        webs
    }

    /// Places the local inside a statement that alone mentions it; `false` if it has to stay outside.
    fn descend(
        &mut self,
        buffer: BufferId,
        number: usize,
        found: &mut Vec<(BlockKey, Range<usize>)>,
    ) -> bool {
        if self.tree.mentions_itself(number, buffer) {
            return false;
        }
        let blocks = self.tree.blocks(number);
        let is_free = match &self.tree.nodes[number].stmt.kind {
            StmtKind::Scope { .. } | StmtKind::If { .. } | StmtKind::Guarded { .. } => true,
            StmtKind::For(_) => self.flow.is_self_contained(buffer, &blocks[0]),
            // the head and the body are one sequence, cut by the condition
            StmtKind::While(_) => {
                let in_head = blocks[0].iter().any(|&stmt| self.tree.mentions_inside(stmt, buffer));
                !in_head && self.flow.is_self_contained(buffer, &blocks[1])
            }
            _ => false,
        };
        if is_free {
            for (arm, block) in blocks.iter().enumerate() {
                if block.iter().any(|&stmt| self.tree.mentions_inside(stmt, buffer)) {
                    self.block(buffer, (number, arm), block, found);
                }
            }
        }
        is_free
    }
}
