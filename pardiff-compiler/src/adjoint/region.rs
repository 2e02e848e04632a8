//! Regions: the code over which forward and reverse statements stand in one block.
//!
//! The function is a region; so is one iteration of a loop whose iterations commute. In a region the scopes of
//! locals stay open over the rest of the forward statements and the reversal, so "is it still in place?" asks about
//! one iteration only, and tapes have dimensions for the loops inside the region alone: they open and die in the
//! iteration. What lives around the region, and the iterators around it, are called as in the primal program; whoever
//! puts the region's code elsewhere than in the place of the primal loop translates them (see `replay`).

use super::recompute::Remade;
use super::recompute_or_store::{Definitions, Pending};
use super::reverse_stmt::{Sweep, Unsupported};
use super::structure::{Key, key};
use super::tape_layout::{LoopNames, Starts, Tape};
use crate::ir::{Block, BufferId, ExprKind, For, Origin, Phase, Provide, Stmt};
use crate::map::Map;

/// What is known while a region is reversed.
#[derive(Default)]
pub(super) struct Region<'p> {
    /// The loop whose iteration it is; the function has none.
    pub(super) root: Option<&'p Stmt>,
    /// The conditions around the current statement whose branches are at the level of the region.
    pub(super) branches: Vec<Key>,
    /// The loops of the region around the current statement, outermost first.
    pub(super) loops: Vec<LoopNames<'p>>,
    /// What is to be stored at use, one list for each block around the current statement.
    pub(super) pending: Vec<Pending<'p>>,
    /// How locals with one definition are provided.
    pub(super) definitions: Definitions,
    /// Scalars that the reverse sweep computes again under the condition that defines them, with their copies.
    pub(super) chosen: Map<Key, Vec<(BufferId, BufferId)>>,
    /// Local arrays that live in a tape.
    pub(super) kept: Map<BufferId, Tape>,
    /// Local arrays that the reverse sweep computes again, by the statement in their scope that defines them.
    pub(super) remade: Map<Key, Vec<Remade<'p>>>,
    /// Whole arrays stored before a statement.
    pub(super) snapshots: Map<(Key, BufferId), Tape>,
    /// The same, in the order in which they were asked for.
    pub(super) stored: Vec<(&'p Stmt, BufferId)>,
    /// Forward statements to be put before a primal statement.
    pub(super) before: Map<Key, Block>,
    /// Forward statements to be put behind a primal statement.
    pub(super) after: Map<Key, Block>,
    /// Recorded starts of ragged loops.
    pub(super) starts: Starts,
    /// Tapes of the current statement of the region, and what is done when they open.
    pub(super) tapes: Vec<BufferId>,
    pub(super) opening: Block,
    /// Tapes of fixed size, which open with the region.
    pub(super) fixed_tapes: Vec<BufferId>,
    /// The order of the current statement of the region: what is defined before it is known when its tapes open.
    pub(super) horizon: usize,
    /// The fused loop of the current statement, made already but not put anywhere, and what there was before.
    pub(super) prepared: Option<(Mark, For)>,
}

/// The numbers of buffers and iterators at some time.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    buffers: usize,
    iters: usize,
    is_refused: bool,
}

impl<'p> Region<'p> {
    /// One iteration of a loop.
    fn iteration_of(root: &'p Stmt) -> Region<'p> {
        Region { root: Some(root), ..Region::default() }
    }
}

impl<'p> Sweep<'p> {
    /// The loop `stmt` with forward and reverse of each iteration in it, in the names of the primal program, if it has an
    /// adjoint and that is legal.
    pub(super) fn region_of(&mut self, stmt: &'p Stmt) -> Option<For> {
        let looped = stmt.as_for()?;
        if !self.activity.has_adjoint(stmt) || looped.marks.provide == Some(Provide::Store) {
            return None;
        }
        match self.obstacle(stmt, looped) {
            None => Some(self.fused(stmt, looped)),
            Some(why) => {
                self.refuse_mark(stmt, looped, why);
                None
            }
        }
    }

    /// Refuses the mark `#[replay]` of a loop, if it has it.
    pub(super) fn refuse_mark(&mut self, stmt: &Stmt, looped: &For, why: &'static str) {
        if looped.marks.provide == Some(Provide::Replay) {
            self.unsupported.get_or_insert(Unsupported {
                origin: stmt.origin,
                what: "this loop cannot be replayed".to_owned(),
                why,
                help: "remove `#[replay]`: the values that the gradient needs are then stored".to_owned(),
            });
        }
    }

    /// Forward and reverse of one iteration of `stmt` in one loop.
    fn fused(&mut self, stmt: &'p Stmt, looped: &'p For) -> For {
        let outer = std::mem::replace(&mut self.region, Region::iteration_of(stmt));
        let body = self.region_body(&looped.body, Block::new(), stmt.origin);
        self.region = outer;
        looped.around(body)
    }

    /// The code of a region, in the scope of its tapes of fixed size.
    pub(super) fn region_body(&mut self, block: &'p [Stmt], rest: Block, origin: Origin) -> Block {
        let body = self.region_level(block, rest);
        let buffers = std::mem::take(&mut self.region.fixed_tapes);
        match buffers.is_empty() {
            true => body,
            false => {
                let origin = Origin { phase: Phase::Adjoint, ..origin };
                vec![Stmt::scope(buffers, body, origin)]
            }
        }
    }

    /// Whether `buffer` lives around the region.
    pub(super) fn lives_around(&self, buffer: BufferId) -> bool {
        match (self.structure.scope(buffer), self.region.root) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(scope), Some(root)) => !self.structure.is_inside(scope, root),
        }
    }

    /// Whether `buffer`, once declared, lives as long as the region: the reversal finds what the forward statements left
    /// there. It is declared around the region, or in it and in no loop, condition or task of it, other than around all that is
    /// reversed now.
    pub(super) fn lives_here(&self, buffer: BufferId) -> bool {
        let Some(scope) = self.structure.scope(buffer) else { return true };
        if self.lives_around(buffer) {
            return true;
        }
        let root = self.region.root;
        let mut around = self.structure.ancestors(scope);
        let mut inside =
            around.by_ref().take_while(|stmt| !root.is_some_and(|root| std::ptr::eq(*stmt, root)));
        inside.all(|stmt| stmt.as_scope().is_some() || self.is_branch(stmt))
    }

    /// Whether it is a condition whose branches are at the level of the region.
    pub(super) fn is_branch(&self, stmt: &Stmt) -> bool {
        self.region.branches.contains(&key(stmt))
    }

    /// Whether a statement stands in the region.
    pub(super) fn is_here(&self, stmt: &Stmt) -> bool {
        self.region.root.is_none_or(|root| self.structure.is_inside(stmt, root))
    }

    /// Whether something in the region may write `buffer`.
    pub(super) fn is_written_here(&self, buffer: BufferId) -> bool {
        self.structure.writes(buffer).iter().any(|write| self.is_here(write))
    }

    /// Whether the extent is that of its buffer alone, which the caller or its writes decide.
    pub(super) fn is_own_extent(&self, buffer: BufferId, dim: usize) -> bool {
        self.primal[buffer].dims[dim].kind == ExprKind::Extent(buffer, dim)
    }

    /// What was made so far, to come back to.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            buffers: self.out.buffers.len(),
            iters: self.out.iters.len(),
            is_refused: self.unsupported.is_some(),
        }
    }

    /// Forgets the buffers and iterators made since `mark`, with the code that used them.
    pub(super) fn forget(&mut self, mark: Mark) {
        self.out.buffers.truncate(mark.buffers);
        self.out.iters.truncate(mark.iters);
        if !mark.is_refused {
            self.unsupported = None;
        }
        self.adjoint.retain(|_, adjoint| (adjoint.0 as usize) < mark.buffers);
    }
}
