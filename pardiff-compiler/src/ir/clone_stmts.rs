//! A second version of statements, with iterators and buffers of its own.

use super::{Block, BufferId, Expr, ExprKind, For, IterId, Program, Stmt, StmtKind, While};
use crate::map::Map;

/// A copy of a block in which every iterator and every buffer that it declares is a new one, as a program declares each
/// once.
pub fn clone_stmts(program: &mut Program, block: &[Stmt]) -> Block {
    let mut copy = block.to_vec();
    let mut fresh = Fresh { iters: Map::default(), buffers: Map::default() };
    fresh.declare(program, block);
    let declared: Vec<BufferId> = fresh.buffers.values().copied().collect();
    for id in declared {
        let mut buffer = program[id].clone();
        buffer.dims.iter_mut().for_each(|dim| fresh.expr(dim));
        if let Some(of) = buffer.role.derived_from_mut() {
            fresh.buffer(of);
        }
        program[id] = buffer;
    }
    fresh.block(&mut copy);
    copy
}

struct Fresh {
    iters: Map<IterId, IterId>,
    buffers: Map<BufferId, BufferId>,
}

impl Fresh {
    fn declare(&mut self, program: &mut Program, block: &[Stmt]) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::For(For { iter, .. }) | StmtKind::While(While { counter: iter, .. }) => {
                    let like = program[*iter].clone();
                    self.iters.insert(*iter, program.add_iter(&like.name, like.ty));
                }
                StmtKind::Scope { buffers, .. } => {
                    for &buffer in buffers {
                        let like = program[buffer].clone();
                        self.buffers.insert(buffer, program.add_buffer(like));
                    }
                }
                _ => {}
            }
            stmt.blocks().into_iter().for_each(|inner| self.declare(program, inner));
        }
    }

    fn buffer(&self, id: &mut BufferId) {
        *id = self.buffers.get(id).copied().unwrap_or(*id);
    }

    fn expr(&self, expr: &mut Expr) {
        expr.change(&mut |node| match &mut node.kind {
            ExprKind::Iter(iter) => *iter = self.iters.get(iter).copied().unwrap_or(*iter),
            ExprKind::Extent(buffer, _) => self.buffer(buffer),
            ExprKind::Load(place) => self.buffer(&mut place.buffer),
            _ => {}
        });
    }

    fn block(&self, block: &mut Block) {
        for stmt in block {
            for expr in stmt.exprs_mut() {
                self.expr(expr);
            }
            match &mut stmt.kind {
                StmtKind::For(For { iter, .. }) | StmtKind::While(While { counter: iter, .. }) => {
                    *iter = self.iters.get(iter).copied().unwrap_or(*iter);
                }
                StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                    self.buffer(&mut target.buffer);
                }
                StmtKind::Scope { buffers, .. } => buffers.iter_mut().for_each(|id| self.buffer(id)),
                StmtKind::Swap { a, b } => {
                    self.buffer(a);
                    self.buffer(b);
                }
                StmtKind::Call { reads, writes, .. } => {
                    reads.iter_mut().chain(writes).for_each(|id| self.buffer(id));
                }
                _ => {}
            }
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
    }
}
