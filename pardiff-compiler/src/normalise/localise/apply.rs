//! The change itself.

use super::tree::BlockKey;
use super::webs::{Part, Plan};
use crate::ir::{Block, BufferId, Expr, ExprKind, Program, Stmt, StmtKind};
use crate::map::Map;
use std::collections::HashSet;

/// Declares the buffers of the plan where it says, under the names it says.
pub(super) fn apply(program: &mut Program, plan: Plan) {
    program.buffers.extend(plan.buffers);
    let mut declarations: Map<BlockKey, Vec<BufferId>> = Map::default();
    for (key, buffer) in plan.declarations {
        declarations.entry(key).or_default().push(buffer);
    }
    let mut renames: Map<BufferId, Vec<(Part, BufferId)>> = Map::default();
    for (part, old, new) in plan.renames {
        renames.entry(old).or_default().push((part, new));
    }
    let placed = plan.placed.into_iter().collect();
    let mut body = std::mem::take(&mut program.body);
    Applied { placed, declarations, renames, next: 0 }.block(&mut body);
    program.body = body;
}

struct Applied {
    placed: HashSet<BufferId>,
    declarations: Map<BlockKey, Vec<BufferId>>,
    renames: Map<BufferId, Vec<(Part, BufferId)>>,
    next: usize,
}

impl Applied {
    fn block(&mut self, block: &mut Block) {
        let mut out = Block::with_capacity(block.len());
        for mut stmt in block.drain(..) {
            self.stmt(&mut stmt);
            out.extend(stmt.unwrapped());
        }
        *block = out;
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        let number = self.next;
        self.next += 1;
        let new_name = |buffer: BufferId, is_here: fn(&Part, usize) -> bool| {
            let list = self.renames.get(&buffer)?;
            list.iter().find(|(part, _)| is_here(part, number)).map(|&(_, new)| new)
        };
        for expr in stmt.exprs_mut() {
            rename(expr, &|buffer| new_name(buffer, |part, number| part.reads.contains(&number)));
        }
        if let Some((target, _)) = stmt.as_store_mut()
            && let Some(new) = new_name(target.buffer, |part, number| part.writes.contains(&number))
        {
            target.buffer = new;
        }
        if let Some((buffers, body)) = stmt.as_scope_mut() {
            buffers.retain(|buffer| !self.placed.contains(buffer));
            buffers.extend(self.declarations.remove(&(number, 0)).unwrap_or_default());
            self.block(body);
            return;
        }
        let origin = stmt.origin;
        for (arm, block) in stmt.blocks_mut().into_iter().enumerate() {
            self.block(block);
            if let Some(buffers) = self.declarations.remove(&(number, arm)) {
                let body = std::mem::take(block);
                block.push(Stmt::new(StmtKind::Scope { buffers, body }, origin));
            }
        }
    }
}

/// Gives buffers in an expression new names.
pub(in crate::normalise) fn rename(expr: &mut Expr, new_name: &dyn Fn(BufferId) -> Option<BufferId>) {
    let mut found = false;
    super::tree::mentioned_in(expr, &mut |buffer| found |= new_name(buffer).is_some());
    if !found {
        return;
    }
    *expr = expr.map(&mut |mut expr| {
        if let ExprKind::Load(place) = &mut expr.kind {
            place.buffer = new_name(place.buffer).unwrap_or(place.buffer);
        }
        if let ExprKind::Extent(buffer, _) = &mut expr.kind {
            *buffer = new_name(*buffer).unwrap_or(*buffer);
        }
        expr
    });
}
