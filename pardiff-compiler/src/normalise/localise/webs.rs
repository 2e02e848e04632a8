//! Which statements share one local, and the block in which it is declared.

use super::flow::Flow;
use super::tree::{BlockKey, Tree};
use crate::ir::{Buffer, BufferId, Program, StmtKind};
use crate::limits::WEBS_OF_AN_ARRAY;
use std::ops::Range;

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
    pub(super) renames: Vec<(Part, BufferId, BufferId)>,
}

/// The statements that use one local.
#[derive(Clone)]
pub(super) struct Part {
    /// Those that may write it.
    pub(super) writes: Range<usize>,
    /// Those that may read it: not the assignment that takes over from another local, but the one that takes over
    /// from this.
    pub(super) reads: Range<usize>,
}

/// Statements of one block among which values of a local flow, and which it is.
struct Web<'s> {
    stmts: &'s [usize],
    /// Its first statement reads what the web before it computed.
    takes_over: bool,
    /// The statement that takes over from it.
    read_by: Option<usize>,
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
        for (number, (key, part)) in found.into_iter().enumerate() {
            let mut own = buffer;
            if number > 0 {
                own = BufferId((self.program.buffers.len() + self.plan.buffers.len()) as u32);
                self.plan.buffers.push(self.program[buffer].clone());
                self.plan.renames.push((part, buffer, own));
            }
            self.plan.declarations.push((key, own));
        }
    }

    /// Splits the statements of a block that mention the local into groups between which no value flows, and finds a
    /// place for each: the block where it is declared, and the statements that use it.
    fn block(&mut self, buffer: BufferId, key: BlockKey, block: &[usize], found: &mut Vec<(BlockKey, Part)>) {
        let mentions: Vec<usize> =
            block.iter().copied().filter(|&stmt| self.tree.mentions_inside(stmt, buffer)).collect();
        for web in self.split(buffer, &mentions) {
            match web.stmts {
                [one] if web.read_by.is_none() && self.descend(buffer, *one, found) => {}
                [] => {}
                [first, .., last] | [first @ last] => {
                    let end = self.tree.nodes[*last].end;
                    let reads = first + usize::from(web.takes_over)..web.read_by.map_or(end, |by| by + 1);
                    found.push((key, Part { writes: *first..end, reads }));
                }
            }
        }
    }

    fn split<'s>(&self, buffer: BufferId, mentions: &'s [usize]) -> Vec<Web<'s>> {
        let most = if self.program[buffer].rank() == 0 { usize::MAX } else { WEBS_OF_AN_ARRAY };
        let mut webs = Vec::new();
        let mut rest = mentions;
        let mut read_by = None;
        for at in (1..mentions.len()).rev() {
            if webs.len() + 1 >= most {
                break;
            }
            let suffix = &rest[at..];
            // what takes over from it reads it as well
            let with_reader = &mentions[at..rest.len() + usize::from(read_by.is_some())];
            let takes_over = !self.flow.is_self_contained(buffer, with_reader);
            if takes_over && !self.is_assigned(buffer, suffix[0]) {
                continue;
            }
            webs.push(Web { stmts: suffix, takes_over, read_by });
            read_by = takes_over.then_some(suffix[0]);
            rest = &rest[..at];
        }
        webs.push(Web { stmts: rest, takes_over: false, read_by });
        webs.reverse();
        webs
    }

    /// Whether the statement assigns to the local, if it is a scalar.
    fn is_assigned(&self, buffer: BufferId, number: usize) -> bool {
        self.program[buffer].rank() == 0
            && matches!(&self.tree.nodes[number].stmt.kind,
                StmtKind::Assign { target, .. } if target.buffer == buffer)
    }

    /// Places the local inside a statement that alone mentions it; `false` if it has to stay outside.
    fn descend(&mut self, buffer: BufferId, number: usize, found: &mut Vec<(BlockKey, Part)>) -> bool {
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
