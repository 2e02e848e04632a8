//! Where every statement and every access of a program stands: loops around it, order, dominance. No arithmetic.

use super::access::{Access, AccessId, AccessKind};
use crate::ir::{BufferId, Expr, For, IterId, Place, Program, Stmt, StmtKind, While};
use crate::map::Map;

/// A statement, numbered in order of appearance, parents first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StmtId(pub u32);

/// The loops around something, outermost first, as an index of the list of nests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NestId(pub(super) u32);

/// A statement and its place in the tree.
#[derive(Debug)]
pub(super) struct StmtInfo {
    block: u32,
    position: u32,
    /// The loops around the statement; around the body of a loop there is one more.
    pub(super) nest: NestId,
    /// Whether what is inside may not be executed when the statement is, other than for want of iterations.
    conditional: bool,
}

#[derive(Debug)]
struct BlockInfo {
    owner: Option<StmtId>,
    arm: u32,
}

/// Where a buffer lives.
#[derive(Clone, Copy, Debug)]
pub struct Lifetime {
    /// The loops around its scope.
    pub nest: NestId,
}

/// Where everything stands.
#[derive(Debug)]
pub(super) struct Structure<'p> {
    pub(super) stmts: Vec<StmtInfo>,
    by_stmt: Map<usize, StmtId>,
    blocks: Vec<BlockInfo>,
    pub(super) nests: Vec<Vec<IterId>>,
    pub(super) accesses: Vec<Access<'p>>,
    pub(super) by_place: Map<usize, AccessId>,
    /// The accesses of each buffer, in order.
    pub(super) of_buffer: Vec<Vec<AccessId>>,
    /// Those of them that write.
    pub(super) writes_of: Vec<Vec<AccessId>>,
    pub(super) lifetimes: Vec<Lifetime>,
    /// The loop statement of each iterator.
    pub(super) loop_of: Vec<Option<StmtId>>,
    next_order: u32,
}

/// The address of a node: the program is borrowed, so it does not move.
pub(super) fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node).addr()
}

impl<'p> Structure<'p> {
    pub(super) fn new(program: &'p Program) -> Structure<'p> {
        let root = Lifetime { nest: NestId(0) };
        let mut structure = Structure {
            stmts: Vec::new(),
            by_stmt: Map::default(),
            blocks: Vec::new(),
            nests: vec![Vec::new()],
            accesses: Vec::new(),
            by_place: Map::default(),
            of_buffer: vec![Vec::new(); program.buffers.len()],
            writes_of: vec![Vec::new(); program.buffers.len()],
            lifetimes: vec![root; program.buffers.len()],
            loop_of: vec![None; program.iters.len()],
            next_order: 0,
        };
        structure.block(program, &program.body, None, 0, NestId(0));
        structure
    }

    fn block(
        &mut self,
        program: &'p Program,
        block: &'p [Stmt],
        owner: Option<StmtId>,
        arm: u32,
        nest: NestId,
    ) {
        let id = self.blocks.len() as u32;
        self.blocks.push(BlockInfo { owner, arm });
        for (position, stmt) in block.iter().enumerate() {
            let this = StmtId(self.stmts.len() as u32);
            let conditional = !matches!(stmt.kind, StmtKind::For(_) | StmtKind::Scope { .. });
            self.stmts.push(StmtInfo { block: id, position: position as u32, nest, conditional });
            self.by_stmt.insert(address(stmt), this);
            self.stmt(program, stmt, this, nest);
        }
    }

    fn stmt(&mut self, program: &'p Program, stmt: &'p Stmt, this: StmtId, nest: NestId) {
        let whole = |structure: &mut Self, buffer, kind| structure.access(buffer, kind, None, this, nest);
        match &stmt.kind {
            StmtKind::For(For { iter, body, .. }) => {
                self.loads(stmt.exprs(), this, nest);
                let inner = self.enter(nest, *iter, this);
                self.block(program, body, Some(this), 0, inner);
            }
            StmtKind::While(While { counter, head, cond, body, .. }) => {
                let inner = self.enter(nest, *counter, this);
                self.block(program, head, Some(this), 0, inner);
                self.loads(vec![cond], this, inner);
                self.block(program, body, Some(this), 0, inner);
            }
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                self.loads(stmt.exprs(), this, nest);
                let kind = stmt.as_update().map_or(AccessKind::Write, |update| AccessKind::Reduce(update.op));
                self.access(target.buffer, kind, Some(target), this, nest);
            }
            StmtKind::Scope { buffers, body } => {
                for &buffer in buffers {
                    self.loads(program[buffer].dims.iter().collect(), this, nest);
                }
                self.block(program, body, Some(this), 0, nest);
                for &buffer in buffers {
                    self.lifetimes[buffer.0 as usize] = Lifetime { nest };
                }
            }
            StmtKind::Swap { a, b } => {
                for kind in [AccessKind::Read, AccessKind::Write] {
                    whole(self, *a, kind);
                    whole(self, *b, kind);
                }
            }
            StmtKind::Call { reads, writes, .. } => {
                self.loads(stmt.exprs(), this, nest);
                reads.iter().for_each(|&buffer| whole(self, buffer, AccessKind::Read));
                writes.iter().for_each(|&buffer| whole(self, buffer, AccessKind::Write));
            }
            StmtKind::If { .. }
            | StmtKind::Guarded { .. }
            | StmtKind::Fork { .. }
            | StmtKind::Check { .. } => {
                self.loads(stmt.exprs(), this, nest);
                for (arm, block) in stmt.blocks().into_iter().enumerate() {
                    self.block(program, block, Some(this), arm as u32, nest);
                }
            }
        }
    }

    fn enter(&mut self, nest: NestId, iter: IterId, stmt: StmtId) -> NestId {
        let mut loops = self.nests[nest.0 as usize].clone();
        loops.push(iter);
        self.nests.push(loops);
        self.loop_of[iter.0 as usize] = Some(stmt);
        NestId(self.nests.len() as u32 - 1)
    }

    fn loads(&mut self, exprs: Vec<&'p Expr>, stmt: StmtId, nest: NestId) {
        for expr in exprs {
            expr.each_load(&mut |place| {
                self.access(place.buffer, AccessKind::Read, Some(place), stmt, nest);
            });
        }
    }

    fn access(
        &mut self,
        buffer: BufferId,
        kind: AccessKind,
        place: Option<&'p Place>,
        stmt: StmtId,
        nest: NestId,
    ) {
        let id = AccessId(self.accesses.len() as u32);
        let order = self.next_order;
        self.next_order += 1;
        if let Some(place) = place {
            self.by_place.insert(address(place), id);
        }
        self.of_buffer[buffer.0 as usize].push(id);
        if kind.writes() {
            self.writes_of[buffer.0 as usize].push(id);
        }
        self.accesses.push(Access::new(id, buffer, kind, place, stmt, nest, order));
    }

    pub(super) fn stmt_id(&self, stmt: &Stmt) -> Option<StmtId> {
        self.by_stmt.get(&address(stmt)).copied()
    }

    pub(super) fn loops(&self, nest: NestId) -> &[IterId] {
        &self.nests[nest.0 as usize]
    }

    /// The number of loops around both.
    pub(super) fn common(&self, a: NestId, b: NestId) -> usize {
        self.loops(a).iter().zip(self.loops(b)).take_while(|(a, b)| a == b).count()
    }

    /// The statements around a statement, itself first, each with the arm in which what precedes it stands.
    fn ancestors(&self, stmt: StmtId) -> impl Iterator<Item = (StmtId, u32)> + '_ {
        let above = |&(stmt, _): &(StmtId, u32)| {
            let block = &self.blocks[self.stmts[stmt.0 as usize].block as usize];
            block.owner.map(|owner| (owner, block.arm))
        };
        std::iter::successors(Some((stmt, u32::MAX)), above)
    }

    /// Whether `first` has been executed whenever `second` is reached, in the same iteration of the loops around
    /// `first`.
    pub(super) fn dominates(&self, first: StmtId, second: StmtId) -> bool {
        let before = &self.stmts[first.0 as usize];
        self.ancestors(second).any(|(stmt, _)| {
            let after = &self.stmts[stmt.0 as usize];
            after.block == before.block && after.position > before.position
        })
    }

    /// Whether the two stand in different arms of one statement, so that at most one of them is executed in one
    /// iteration of the loops around both.
    pub(super) fn exclusive(&self, a: StmtId, b: StmtId) -> bool {
        // the first element of `ancestors` is the statement itself, which has no arm
        let mut around = self.ancestors(a).skip(1);
        around.any(|(stmt, arm)| {
            self.ancestors(b).skip(1).any(|(other, other_arm)| other == stmt && arm != other_arm)
        })
    }

    /// Whether every iteration of `outer` and of the loops inside it reaches `stmt`.
    pub(super) fn is_unconditional(&self, stmt: StmtId, outer: IterId) -> bool {
        let Some(until) = self.loop_of[outer.0 as usize] else { return false };
        let mut between = self.ancestors(stmt).skip(1).take_while(|&(stmt, _)| stmt != until);
        between.all(|(stmt, _)| !self.stmts[stmt.0 as usize].conditional)
    }

    /// Whether the statement is executed if the loops around it have iterations.
    pub(super) fn is_reached(&self, stmt: StmtId) -> bool {
        self.ancestors(stmt).skip(1).all(|(stmt, _)| !self.stmts[stmt.0 as usize].conditional)
    }

    /// Whether no write of the buffer is executed after this read in the same lifetime of the buffer, so that
    /// every such read of an element finds the same value.
    pub(super) fn is_settled(&self, read: AccessId) -> bool {
        let access = &self.accesses[read.0 as usize];
        let lifetime = self.lifetimes[access.buffer.0 as usize];
        let depth = self.loops(lifetime.nest).len();
        self.writes_of[access.buffer.0 as usize].iter().all(|id| {
            let write = &self.accesses[id.0 as usize];
            write.order < access.order && self.common(write.nest, access.nest) <= depth
        })
    }
}
