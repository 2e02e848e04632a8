//! The statements of a program by number, in order of appearance, parents first.

use crate::ir::{Block, BufferId, Expr, ExprKind, IterId, Program, Stmt};

/// A block inside a statement: the number of the statement, and which of its blocks it is.
pub(super) type BlockKey = (usize, usize);

/// A statement and its place.
pub(super) struct Node<'p> {
    pub(super) stmt: &'p Stmt,
    /// The number after the last statement inside.
    pub(super) end: usize,
    /// The loops around it.
    pub(super) loops: Vec<IterId>,
    /// The block that it stands in, and the statement around that.
    block: u32,
    parent: Option<usize>,
}

/// All statements, and which of them mention a buffer.
pub(super) struct Tree<'p> {
    pub(super) nodes: Vec<Node<'p>>,
    /// For each buffer the statements that mention it themselves, ascending.
    mentions: Vec<Vec<usize>>,
    /// For each buffer in the list of a `Scope`, that statement.
    scopes: Vec<Option<usize>>,
    block_count: u32,
}

impl<'p> Tree<'p> {
    pub(super) fn new(program: &'p Program) -> Tree<'p> {
        let mut tree = Tree {
            nodes: Vec::new(),
            mentions: vec![Vec::new(); program.buffers.len()],
            scopes: vec![None; program.buffers.len()],
            block_count: 0,
        };
        tree.block(&program.body, None, &mut Vec::new());
        tree
    }

    fn block(&mut self, block: &'p Block, parent: Option<usize>, loops: &mut Vec<IterId>) {
        let id = self.block_count;
        self.block_count += 1;
        for stmt in block {
            let number = self.nodes.len();
            self.nodes.push(Node { stmt, end: 0, loops: loops.clone(), block: id, parent });
            for buffer in mentions(stmt) {
                let list = &mut self.mentions[buffer.0 as usize];
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
            if let Some((buffers, _)) = stmt.as_scope() {
                buffers.iter().for_each(|buffer| self.scopes[buffer.0 as usize] = Some(number));
            }
            let iter = stmt.iter();
            loops.extend(iter);
            stmt.blocks().into_iter().for_each(|block| self.block(block, Some(number), loops));
            if iter.is_some() {
                loops.pop();
            }
            self.nodes[number].end = self.nodes.len();
        }
    }

    /// Whether `first` was executed before in the same iteration of the loops around it, whenever `second` is.
    pub(super) fn dominates(&self, first: usize, second: usize) -> bool {
        let mut above = std::iter::successors(Some(second), |&at| self.nodes[at].parent);
        above.any(|at| self.nodes[at].block == self.nodes[first].block && at > first)
    }

    /// The `Scope` that declares the buffer.
    pub(super) fn scope(&self, buffer: BufferId) -> Option<usize> {
        self.scopes[buffer.0 as usize]
    }

    /// Whether the statement itself mentions the buffer.
    pub(super) fn mentions_itself(&self, number: usize, buffer: BufferId) -> bool {
        self.mentions[buffer.0 as usize].binary_search(&number).is_ok()
    }

    /// Whether the statement or one inside mentions the buffer.
    pub(super) fn mentions_inside(&self, number: usize, buffer: BufferId) -> bool {
        let list = &self.mentions[buffer.0 as usize];
        let first = list.partition_point(|&at| at < number);
        list.get(first).is_some_and(|&at| at < self.nodes[number].end)
    }

    /// The blocks inside a statement, each as the numbers of its statements.
    pub(super) fn blocks(&self, number: usize) -> Vec<Vec<usize>> {
        let mut next = number + 1;
        let blocks = self.nodes[number].stmt.blocks();
        blocks.into_iter().map(|block| self.block_at(block.len(), &mut next)).collect()
    }

    fn block_at(&self, len: usize, next: &mut usize) -> Vec<usize> {
        (0..len)
            .map(|_| {
                let number = *next;
                *next = self.nodes[number].end;
                number
            })
            .collect()
    }
}

/// The buffers that a statement itself mentions, extents included.
pub(super) fn mentions(stmt: &Stmt) -> Vec<BufferId> {
    let mut out = Vec::new();
    for expr in stmt.exprs() {
        mentioned_in(expr, &mut |buffer| out.push(buffer));
    }
    if let Some((target, _)) = stmt.as_store() {
        out.push(target.buffer);
    }
    out
}

/// Calls `visit` on every buffer that an expression mentions.
pub(super) fn mentioned_in(expr: &Expr, visit: &mut dyn FnMut(BufferId)) {
    expr.walk(&mut |expr| match &expr.kind {
        ExprKind::Load(place) => visit(place.buffer),
        ExprKind::Extent(buffer, _) => visit(*buffer),
        _ => {}
    });
}
