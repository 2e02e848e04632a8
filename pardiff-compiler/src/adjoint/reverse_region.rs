//! The statements at the level of a region: forward, and behind them the reversal, in one block.

use super::replay::Placed;
use super::reverse_stmt::Sweep;
use super::structure::key;
use crate::ir::{Block, BufferId, Expr, ExprKind, Layout, Origin, Phase, Stmt, StmtKind};

impl<'p> Sweep<'p> {
    /// Both sweeps of a block at the level of the region around `rest`, the code of what follows it. Behind a condition that
    /// nothing follows, as behind an early return, the region goes on.
    pub(super) fn region_level(&mut self, block: &'p [Stmt], mut rest: Block) -> Block {
        for stmt in block.iter().rev() {
            rest = match (stmt.as_if().filter(|_| rest.is_empty()), stmt.as_scope()) {
                (Some((cond, then, els)), _) => {
                    self.region.branches.push(key(stmt));
                    let [then, els] = [then, els].map(|branch| self.region_level(branch, Block::new()));
                    self.region.branches.pop();
                    vec![Stmt::new(StmtKind::If { cond: cond.clone(), then, els }, stmt.origin)]
                }
                (None, Some((buffers, body))) => {
                    let mut all = buffers.to_vec();
                    let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
                    for buffer in self.active_of(buffers) {
                        let adjoint = self.add_adjoint(buffer);
                        all.push(adjoint);
                        match self.primal[buffer].layout {
                            Layout::Growing => {
                                rest.extend(self.growing_adjoint(adjoint, Expr::extent(buffer, 0), origin))
                            }
                            _ => rest.extend(self.zero(adjoint, origin)),
                        }
                    }
                    let body = self.region_level(body, rest);
                    vec![Stmt::scope(all, body, stmt.origin)]
                }
                (None, None) => self.region_statement(stmt, rest),
            };
        }
        rest
    }

    /// `scope tapes { forward; rest; reverse }`; tapes of fixed size open at the very beginning, so that long
    /// straight-line code does not become a tower of scopes.
    fn region_statement(&mut self, stmt: &'p Stmt, mut rest: Block) -> Block {
        self.region.horizon = self.structure.order(stmt);
        let mark = self.mark();
        if let Some(fused) = self.region_of(stmt) {
            match self.placed(fused, stmt.origin, rest) {
                Placed::Before(block) => return block,
                Placed::Illegal(fused, unchanged) => {
                    rest = unchanged;
                    self.region.prepared = Some((mark, *fused));
                }
            }
        }
        let halves = self.block(std::slice::from_ref(stmt));
        debug_assert!(halves.copies.is_empty(), "at the level of a region definitions are in place");
        let mut all = std::mem::take(&mut self.region.opening);
        all.extend(halves.fwd);
        all.extend(rest);
        all.extend(halves.rev);
        let tapes = std::mem::take(&mut self.region.tapes);
        let is_fixed = |tape: &BufferId| {
            self.out[*tape].dims.iter().all(|extent| matches!(extent.kind, ExprKind::Int(_)))
        };
        if tapes.iter().all(is_fixed) {
            self.region.fixed_tapes.extend(tapes);
            return all;
        }
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        vec![Stmt::scope(tapes, all, origin)]
    }
}
