//! Walks over statements and expressions: their blocks, what they evaluate, and closures called on every part.

use super::{Block, Callee, Expr, ExprKind, For, Place, Stmt, StmtKind, While};
use crate::steps;

impl Stmt {
    /// The blocks inside, in order of execution.
    pub fn blocks(&self) -> Vec<&Block> {
        let mut all = Vec::new();
        self.each_block(&mut |block| all.push(block));
        all
    }

    /// Calls `visit` on each of these blocks: for walks over whole programs, without a vector for each statement.
    pub fn each_block<'a>(&'a self, visit: &mut dyn FnMut(&'a Block)) {
        steps::count(1);
        match &self.kind {
            StmtKind::For(For { body, .. }) | StmtKind::Scope { body, .. } => visit(body),
            StmtKind::While(While { head: first, body: second, .. })
            | StmtKind::If { then: first, els: second, .. }
            | StmtKind::Guarded { then: first, els: second, .. } => {
                visit(first);
                visit(second);
            }
            StmtKind::Fork { tasks } => tasks.iter().for_each(visit),
            _ => {}
        }
    }

    /// The blocks inside, in order of execution, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        steps::count(1);
        match &mut self.kind {
            StmtKind::For(For { body, .. }) | StmtKind::Scope { body, .. } => vec![body],
            StmtKind::While(While { head, body, .. }) => vec![head, body],
            StmtKind::If { then, els, .. } | StmtKind::Guarded { then, els, .. } => vec![then, els],
            StmtKind::Fork { tasks } => tasks.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// The expressions that the statement itself evaluates (not those of the blocks inside), in order: bounds,
    /// conditions, indices of targets, values, operands of messages, all of a product.
    pub fn exprs(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_expr(&mut |expr| all.push(expr));
        all
    }

    /// Calls `visit` on each of these expressions: for walks over whole programs, without a vector for each statement.
    pub fn each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        steps::count(1);
        match &self.kind {
            StmtKind::For(For { lo, hi, step, .. }) => {
                visit(lo);
                visit(hi);
                visit(step);
            }
            StmtKind::While(While { cond, .. }) | StmtKind::If { cond, .. } => visit(cond),
            StmtKind::Guarded { fact, .. } => visit(fact),
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                target.index.iter().for_each(&mut *visit);
                visit(value);
            }
            StmtKind::Check { cond, message } => {
                visit(cond);
                message.each_operand(visit);
            }
            StmtKind::Call { callee: Callee::Product(product), .. } => {
                product.exprs().into_iter().for_each(visit);
            }
            StmtKind::Call { callee: Callee::Scan(size) | Callee::Reserve(size), .. } => visit(size),
            StmtKind::Call { callee: Callee::Sort(sort), .. } => sort.exprs().into_iter().for_each(visit),
            StmtKind::Call { callee: Callee::User(call), .. } => call.values().for_each(visit),
            StmtKind::Call { callee: Callee::Communication(it), .. } => it.operands.iter().for_each(visit),
            StmtKind::Call { callee: Callee::Seam, .. }
            | StmtKind::Scope { .. }
            | StmtKind::Swap { .. }
            | StmtKind::Fork { .. } => {}
        }
    }

    /// The same expressions, to be changed.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        steps::count(1);
        match &mut self.kind {
            StmtKind::For(For { lo, hi, step, .. }) => vec![lo, hi, step],
            StmtKind::While(While { cond, .. }) | StmtKind::If { cond, .. } => vec![cond],
            StmtKind::Guarded { fact, .. } => vec![fact],
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                target.index.iter_mut().chain([value]).collect()
            }
            StmtKind::Check { cond, message } => [cond].into_iter().chain(message.operands_mut()).collect(),
            StmtKind::Call { callee: Callee::Product(product), .. } => product.exprs_mut(),
            StmtKind::Call { callee: Callee::Scan(size) | Callee::Reserve(size), .. } => vec![size],
            StmtKind::Call { callee: Callee::Sort(sort), .. } => sort.exprs_mut().into(),
            StmtKind::Call { callee: Callee::User(call), .. } => call.values_mut(),
            StmtKind::Call { callee: Callee::Communication(it), .. } => it.operands.iter_mut().collect(),
            StmtKind::Call { callee: Callee::Seam, .. }
            | StmtKind::Scope { .. }
            | StmtKind::Swap { .. }
            | StmtKind::Fork { .. } => Vec::new(),
        }
    }

    /// Calls `visit` on the statement and on everything inside it, parents first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Stmt)) {
        visit(self);
        match &self.kind {
            StmtKind::Assign { .. } | StmtKind::Reduce { .. } | StmtKind::Check { .. } => {}
            _ => self.each_block(&mut |block| {
                for stmt in block {
                    stmt.walk(visit);
                }
            }),
        }
    }

    /// Calls `change` on the statement and on everything inside it, parents first.
    pub fn walk_mut(&mut self, change: &mut dyn FnMut(&mut Stmt)) {
        change(self);
        self.blocks_mut().into_iter().flatten().for_each(|stmt| stmt.walk_mut(change));
    }

    /// Calls `visit` on the statement, and on those inside of every statement for which it returns true, parents first.
    pub fn descend_mut(&mut self, visit: &mut dyn FnMut(&mut Stmt) -> bool) {
        if visit(self) {
            self.blocks_mut().into_iter().for_each(|block| descend_mut(block, visit));
        }
    }

    /// Whether a condition holds for the statement or for one inside it.
    pub fn any(&self, holds: &mut dyn FnMut(&Stmt) -> bool) -> bool {
        holds(self) || self.blocks().into_iter().flatten().any(|stmt| stmt.any(holds))
    }

    /// Whether a condition holds for the statement and for every one inside it.
    pub fn all(&self, holds: &mut dyn FnMut(&Stmt) -> bool) -> bool {
        !self.any(&mut |stmt| !holds(stmt))
    }

    /// Whether a condition holds for a part of what the statement, or one inside it, evaluates.
    pub fn any_part(&self, holds: &mut dyn FnMut(&Expr) -> bool) -> bool {
        self.any(&mut |stmt| stmt.exprs().into_iter().any(|expr| expr.any(holds)))
    }

    /// Calls `change` on every expression that the statement, or one inside it, evaluates.
    pub fn change_exprs(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        self.walk_mut(&mut |stmt| stmt.exprs_mut().into_iter().for_each(&mut *change));
    }
}

/// Calls `visit` on the statements of a block and on everything inside them, parents first.
pub fn walk<'a>(block: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    block.iter().for_each(|stmt| stmt.walk(visit));
}

/// Calls `visit` on every expression that the statements of a block, or those inside them, evaluate, and on its parts.
pub fn each_part<'a>(block: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    walk(block, &mut |stmt| stmt.each_expr(&mut |expr| expr.walk(visit)));
}

/// The same with statements that may be changed.
pub fn walk_mut(block: &mut [Stmt], change: &mut dyn FnMut(&mut Stmt)) {
    block.iter_mut().for_each(|stmt| stmt.walk_mut(change));
}

/// Calls `visit` on the statements of a block, and on those inside of every statement for which it returns true.
pub fn descend_mut(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Stmt) -> bool) {
    block.iter_mut().for_each(|stmt| stmt.descend_mut(visit));
}

/// Whether a condition holds for a statement of a block or for one inside it.
pub fn any(block: &[Stmt], holds: &mut dyn FnMut(&Stmt) -> bool) -> bool {
    block.iter().any(|stmt| stmt.any(holds))
}

/// Whether a condition holds for every statement of a block and for every one inside them.
pub fn all(block: &[Stmt], holds: &mut dyn FnMut(&Stmt) -> bool) -> bool {
    block.iter().all(|stmt| stmt.all(holds))
}

impl Expr {
    /// Whether a condition holds for the expression or for a part of it.
    pub fn any(&self, holds: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut part = self;
        loop {
            steps::count(1);
            if holds(part) {
                return true;
            }
            match &part.kind {
                ExprKind::Binary(_, lhs, rhs) => {
                    if rhs.any(holds) {
                        return true;
                    }
                    // sums are long on this side: a loop keeps them off the stack
                    part = lhs;
                }
                _ => return part.operands().iter().any(|operand| operand.any(holds)),
            }
        }
    }

    /// Calls `visit` on every element that it loads.
    pub fn each_load<'a>(&'a self, visit: &mut dyn FnMut(&'a Place)) {
        self.walk(&mut |part| {
            if let ExprKind::Load(place) = &part.kind {
                visit(place);
            }
        });
    }

    /// Whether it loads an element of an array.
    pub fn loads_elements(&self) -> bool {
        self.any(&mut |part| matches!(&part.kind, ExprKind::Load(place) if !place.index.is_empty()))
    }

    /// Whether a condition holds for the expression and for every part of it.
    pub fn all(&self, holds: &mut dyn FnMut(&Expr) -> bool) -> bool {
        !self.any(&mut |part| !holds(part))
    }
}
