//! What construct a statement is: for passes that are about one, and for which all others are alike.

use super::{
    Block, BufferId, Callee, Checkpoint, Expr, For, IterId, Message, OpaqueId, Origin, Place, Program,
    ReduceOp, Scheme, Stmt, StmtKind, UserCall, While,
};
use crate::ir::Ty;

/// The parts of a [`StmtKind::Reduce`].
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// The operation.
    pub op: ReduceOp,
    /// The element updated.
    pub target: &'a Place,
    /// What it is updated with.
    pub value: &'a Expr,
    /// How the sum is given one owner.
    pub scheme: Scheme,
}

impl Stmt {
    /// `target = value`
    pub fn assign(target: Place, value: Expr, origin: Origin) -> Stmt {
        Stmt::new(StmtKind::Assign { target, value }, origin)
    }

    /// `scalar = value`
    pub fn set(scalar: BufferId, value: Expr, origin: Origin) -> Stmt {
        Stmt::assign(Place::scalar(scalar), value, origin)
    }

    /// `target += value`, undecided.
    pub fn add(target: Place, value: Expr, origin: Origin) -> Stmt {
        let kind = StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme: Scheme::Undecided };
        Stmt::new(kind, origin)
    }

    /// `if cond { then }`
    pub fn when(cond: Expr, then: Block, origin: Origin) -> Stmt {
        Stmt::new(StmtKind::If { cond, then, els: Block::new() }, origin)
    }

    /// Buffers around statements.
    pub fn scope(buffers: Vec<BufferId>, body: Block, origin: Origin) -> Stmt {
        Stmt::new(StmtKind::Scope { buffers, body }, origin)
    }

    /// Takes the statement out of its place, in which nothing is left that does something.
    pub fn take(&mut self) -> Stmt {
        let nothing = Stmt::new(StmtKind::Fork { tasks: Vec::new() }, self.origin);
        std::mem::replace(self, nothing)
    }

    /// The counted loop that it is.
    pub fn as_for(&self) -> Option<&For> {
        if let StmtKind::For(each) = &self.kind { Some(each) } else { None }
    }

    /// The same, to be changed.
    pub fn as_for_mut(&mut self) -> Option<&mut For> {
        if let StmtKind::For(each) = &mut self.kind { Some(each) } else { None }
    }

    /// The loop that it is whose trip count is known only when it ends.
    pub fn as_while(&self) -> Option<&While> {
        if let StmtKind::While(each) = &self.kind { Some(each) } else { None }
    }

    /// The iterator or counter of the loop that it is.
    pub fn iter(&self) -> Option<IterId> {
        self.as_for().map(|each| each.iter).or_else(|| Some(self.as_while()?.counter))
    }

    /// `#[checkpoint]` on a loop.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        match &self.kind {
            StmtKind::For(each) => each.marks.checkpoint,
            StmtKind::While(each) => each.checkpoint,
            _ => None,
        }
    }

    /// The constants of the user's that the marks of a loop name.
    pub fn constants_of_marks_mut(&mut self) -> Vec<&mut OpaqueId> {
        let marks = match &mut self.kind {
            StmtKind::For(each) => [each.marks.checkpoint.as_mut(), each.marks.segments.as_mut()],
            StmtKind::While(each) => [each.checkpoint.as_mut(), None],
            _ => [None, None],
        };
        marks.into_iter().flatten().filter_map(Checkpoint::constant_mut).collect()
    }

    /// Whether it is a loop.
    pub fn is_loop(&self) -> bool {
        self.iter().is_some()
    }

    /// Condition and arms of the `if` that it is.
    pub fn as_if(&self) -> Option<(&Expr, &Block, &Block)> {
        if let StmtKind::If { cond, then, els } = &self.kind { Some((cond, then, els)) } else { None }
    }

    /// The same, to be changed.
    pub fn as_if_mut(&mut self) -> Option<(&mut Expr, &mut Block, &mut Block)> {
        if let StmtKind::If { cond, then, els } = &mut self.kind { Some((cond, then, els)) } else { None }
    }

    /// Fact and versions of the [`StmtKind::Guarded`] that it is.
    pub fn as_guarded(&self) -> Option<(&Expr, &Block, &Block)> {
        if let StmtKind::Guarded { fact, then, els } = &self.kind { Some((fact, then, els)) } else { None }
    }

    /// Whether it is tasks without a dependence between them.
    pub fn is_fork(&self) -> bool {
        matches!(self.kind, StmtKind::Fork { .. })
    }

    /// Target and value of the assignment that it is.
    pub fn as_assign(&self) -> Option<(&Place, &Expr)> {
        if let StmtKind::Assign { target, value } = &self.kind { Some((target, value)) } else { None }
    }

    /// The scalar that it assigns, and its value.
    pub fn as_scalar_assign(&self) -> Option<(BufferId, &Expr)> {
        let (target, value) = self.as_assign()?;
        target.index.is_empty().then_some((target.buffer, value))
    }

    /// The update that it is.
    pub fn as_update(&self) -> Option<Update<'_>> {
        if let StmtKind::Reduce { op, target, value, scheme } = &self.kind {
            Some(Update { op: *op, target, value, scheme: *scheme })
        } else {
            None
        }
    }

    /// The sum that it adds to.
    pub fn as_sum(&self) -> Option<Update<'_>> {
        self.as_update().filter(|update| update.op == ReduceOp::Add)
    }

    /// Target and value of the assignment or update that it is.
    pub fn as_store(&self) -> Option<(&Place, &Expr)> {
        if let StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } = &self.kind {
            Some((target, value))
        } else {
            None
        }
    }

    /// The same, to be changed.
    pub fn as_store_mut(&mut self) -> Option<(&mut Place, &mut Expr)> {
        if let StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } = &mut self.kind {
            Some((target, value))
        } else {
            None
        }
    }

    /// The two buffers that it exchanges.
    pub fn as_swap(&self) -> Option<[BufferId; 2]> {
        if let StmtKind::Swap { a, b } = self.kind { Some([a, b]) } else { None }
    }

    /// The target of the update that it is, and its scheme, to be decided.
    pub fn scheme_mut(&mut self) -> Option<(&mut Place, &mut Scheme)> {
        if let StmtKind::Reduce { target, scheme, .. } = &mut self.kind {
            Some((target, scheme))
        } else {
            None
        }
    }

    /// The value that it stores, or the condition that it branches on.
    pub fn computes(&self) -> Option<&Expr> {
        self.as_store().map(|(_, value)| value).or(self.as_if().map(|(cond, ..)| cond))
    }

    /// The same, to be changed.
    pub fn computes_mut(&mut self) -> Option<&mut Expr> {
        match &mut self.kind {
            StmtKind::Assign { value, .. }
            | StmtKind::Reduce { value, .. }
            | StmtKind::If { cond: value, .. } => Some(value),
            _ => None,
        }
    }

    /// The body of the loop that it is, to be changed.
    pub fn loop_body_mut(&mut self) -> Option<&mut Block> {
        match &mut self.kind {
            StmtKind::For(For { body, .. }) | StmtKind::While(While { body, .. }) => Some(body),
            _ => None,
        }
    }

    /// Condition and message of the check that it is.
    pub fn as_check(&self) -> Option<(&Expr, &Message)> {
        if let StmtKind::Check { cond, message } = &self.kind { Some((cond, message)) } else { None }
    }

    /// The rows that an array that grows has from here on: the call of [`Callee::Reserve`] that it is.
    pub fn as_reserve(&self) -> Option<&Expr> {
        if let StmtKind::Call { callee: Callee::Reserve(rows), .. } = &self.kind { Some(rows) } else { None }
    }

    /// The call of a function of the user that it is, with what that is lent and what it writes.
    pub fn as_user_call(&self) -> Option<(&UserCall, &[BufferId], &[BufferId])> {
        match &self.kind {
            StmtKind::Call { callee: Callee::User(call), reads, writes } => Some((call, reads, writes)),
            _ => None,
        }
    }

    /// Whether it is the call of [`Callee::Seam`].
    pub fn is_seam(&self) -> bool {
        matches!(self.kind, StmtKind::Call { callee: Callee::Seam, .. })
    }

    /// Buffers and body of the scope that it is.
    pub fn as_scope(&self) -> Option<(&[BufferId], &Block)> {
        if let StmtKind::Scope { buffers, body } = &self.kind { Some((buffers, body)) } else { None }
    }

    /// The same by value; nothing is left of another statement.
    pub fn into_scope(self) -> Option<(Vec<BufferId>, Block)> {
        if let StmtKind::Scope { buffers, body } = self.kind { Some((buffers, body)) } else { None }
    }

    /// What stands in the scope that it is if that declares nothing, or itself.
    pub fn unwrapped(self) -> Block {
        match self.kind {
            StmtKind::Scope { buffers, body } if buffers.is_empty() => body,
            kind => vec![Stmt { kind, ..self }],
        }
    }

    /// The same, to be changed.
    pub fn as_scope_mut(&mut self) -> Option<(&mut Vec<BufferId>, &mut Block)> {
        if let StmtKind::Scope { buffers, body } = &mut self.kind { Some((buffers, body)) } else { None }
    }
}

/// Statements in the scope of buffers.
pub fn scoped(buffers: Vec<BufferId>, body: Block) -> Block {
    match body.first() {
        Some(first) if !buffers.is_empty() => {
            let origin = first.origin;
            vec![Stmt::scope(buffers, body, origin)]
        }
        _ => body,
    }
}

/// The same with an origin of the scope's own.
pub fn scoped_as(buffers: Vec<BufferId>, body: Block, origin: Origin) -> Block {
    if buffers.is_empty() { body } else { vec![Stmt::scope(buffers, body, origin)] }
}

/// Loops over all indices below these extents, around what is made of an index.
pub fn over_elements(
    program: &mut Program,
    extents: Vec<Expr>,
    origin: Origin,
    made: &mut dyn FnMut(&[Expr]) -> Stmt,
) -> Stmt {
    let iters: Vec<IterId> = extents.iter().map(|_| program.add_iter("e", Ty::USIZE)).collect();
    let index: Vec<Expr> = iters.iter().map(|&iter| Expr::iter(iter, Ty::USIZE)).collect();
    let mut stmt = made(&index);
    for (hi, iter) in extents.into_iter().zip(iters).rev() {
        stmt = Stmt::new(StmtKind::For(For::counted(iter, hi, vec![stmt])), origin);
    }
    stmt
}

/// The body of the scope that is all of a block, or the block.
pub fn unscoped(block: &Block) -> &Block {
    match &block[..] {
        [only] => only.as_scope().map_or(block, |(_, body)| body),
        _ => block,
    }
}
