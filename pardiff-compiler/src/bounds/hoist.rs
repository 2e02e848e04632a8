//! The walk over the program.

use super::monotone::{Counted, is_plain};
use crate::ir::{
    BinOp, Block, BufferSet, Expr, ExprKind, For, Message, Origin, Program, Stmt, StmtKind, Ty, written,
};
use crate::poly::{Analysis, StmtId};
use std::collections::HashSet;

/// A check in front of a loop, under the conditions that the loops that it has left have an iteration; outermost first.
#[derive(Clone, PartialEq)]
struct Item {
    guards: Vec<Expr>,
    cond: Expr,
    message: Message,
    origin: Origin,
}

/// A loop around the statement, or something that no check leaves.
struct Frame {
    /// The loop, if checks may leave it.
    counted: Option<Counted>,
    /// What stands in front of it.
    front: Vec<Item>,
    /// The checks that were passed where the body is executed: guards and condition.
    passed: Vec<(Vec<Expr>, Expr)>,
}

struct Hoist<'a> {
    program: &'a Program,
    exact: &'a HashSet<StmtId>,
    /// Scalars with at most one value in a run.
    constant: BufferSet,
    frames: Vec<Frame>,
    next: u32,
}

pub(super) fn hoist(mut program: Program) -> Program {
    let exact = Analysis::exact_checks(&program);
    let body = std::mem::take(&mut program.body);
    let constant = constants(&program, &body);
    let top = Frame { counted: None, front: Vec::new(), passed: Vec::new() };
    let mut hoist = Hoist { program: &program, exact: &exact, constant, frames: vec![top], next: 0 };
    let body = hoist.block(body);
    program.body = body;
    program
}

/// The scalars with one value from the first write on: no loop writes them, and no more than one statement; if the
/// caller gives them a value, none.
fn constants(program: &Program, body: &Block) -> BufferSet {
    let mut writes = vec![0u32; program.buffers.len()];
    count_writes(body, 1, &mut writes);
    let mut set = BufferSet::new();
    for id in
        program.buffer_ids().filter(|id| writes[id.0 as usize] <= u32::from(!program.params.contains(id)))
    {
        set.insert(id);
    }
    set
}

fn count_writes(block: &Block, each: u32, writes: &mut [u32]) {
    for stmt in block {
        let each = if stmt.is_loop() { 2 } else { each };
        if stmt.blocks().is_empty() {
            stmt.writes(&mut |id| writes[id.0 as usize] += each);
        }
        stmt.blocks().into_iter().for_each(|inner| count_writes(inner, each, writes));
    }
}

impl Hoist<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Block::with_capacity(block.len());
        for stmt in block {
            let this = StmtId(self.next);
            self.next += 1;
            self.stmt(stmt, this, &mut out);
        }
        out
    }

    fn stmt(&mut self, stmt: Stmt, this: StmtId, out: &mut Block) {
        let origin = stmt.origin;
        let kind = match stmt.kind {
            StmtKind::For(of) => {
                let (front, of) = self.for_loop(of);
                out.extend(front.into_iter().map(statement));
                StmtKind::For(of)
            }
            StmtKind::Scope { buffers, body } => StmtKind::Scope { buffers, body: self.block(body) },
            StmtKind::If { cond, then, els } => {
                let (then, els) = (self.closed(then), self.closed(els));
                StmtKind::If { cond, then, els }
            }
            StmtKind::Guarded { fact, then, els } => {
                let (then, els) = (self.closed(then), self.closed(els));
                StmtKind::Guarded { fact, then, els }
            }
            StmtKind::While(mut of) => {
                of.head = self.closed(of.head);
                of.body = self.closed(of.body);
                StmtKind::While(of)
            }
            StmtKind::Fork { tasks } => {
                StmtKind::Fork { tasks: tasks.into_iter().map(|task| self.closed(task)).collect() }
            }
            StmtKind::Check { cond, message } => {
                let Some((cond, message)) = self.check(cond, message, origin, this) else { return };
                StmtKind::Check { cond, message }
            }
            other => other,
        };
        out.push(Stmt::new(kind, origin));
    }

    /// A block that no check leaves.
    fn closed(&mut self, block: Block) -> Block {
        self.frames.push(Frame { counted: None, front: Vec::new(), passed: Vec::new() });
        let block = self.block(block);
        self.frames.pop();
        block
    }

    fn for_loop(&mut self, mut of: For) -> (Vec<Item>, For) {
        let mut changed = written(&of.body);
        let mut ends = true;
        crate::ir::walk(&of.body, &mut |stmt| {
            changed.extend(stmt.declares().iter().copied());
            ends &= stmt.as_while().is_none() && (!stmt.is_opaque() || stmt.as_reserve().is_some());
        });
        let counted = Counted::new(&of, changed).filter(|_| ends);
        self.frames.push(Frame { counted, front: Vec::new(), passed: Vec::new() });
        of.body = self.block(of.body);
        let front = self.frames.pop().map_or_else(Vec::new, |frame| frame.front);
        (front, of)
    }

    /// The check, if it stays where it is; otherwise it stands in front of a loop, or was passed before.
    fn check(
        &mut self,
        cond: Expr,
        message: Message,
        origin: Origin,
        this: StmtId,
    ) -> Option<(Expr, Message)> {
        let mut at = self.frames.len();
        let mut item = Item { guards: Vec::new(), cond, message, origin };
        if self.exact.contains(&this) {
            loop {
                if self.is_said(&item, at) {
                    return None;
                }
                let Some(outer) = self.leave(&item, at) else { break };
                item = outer;
                at -= 1;
            }
        }
        let key = (item.guards.clone(), item.cond.clone());
        let lasts = self.lasts(&item);
        if lasts && self.frames[..at].iter().any(|frame| frame.passed.contains(&key)) {
            return None;
        }
        if lasts {
            self.frames[at - 1].passed.push(key);
        }
        if at == self.frames.len() {
            return Some((item.cond, item.message));
        }
        self.frames[at].front.push(item);
        None
    }

    /// Whether the innermost of the first `at` frames is a loop whose bounds say as much as the check.
    fn is_said(&self, item: &Item, at: usize) -> bool {
        match (&self.frames[at - 1].counted, &item.cond.kind) {
            (Some(counted), ExprKind::Binary(BinOp::Lt, index, len)) => {
                counted.says(index, len, self.program)
            }
            _ => false,
        }
    }

    /// The check in front of the innermost of the first `at` frames, if that is exact.
    fn leave(&self, item: &Item, at: usize) -> Option<Item> {
        let counted = self.frames[at - 1].counted.as_ref()?;
        let ExprKind::Binary(BinOp::Lt, index, len) = &item.cond.kind else { return None };
        let program = self.program;
        let invariant = |expr: &Expr| counted.is_invariant(expr, program);
        if !invariant(len) || !item.guards.iter().all(invariant) || !counted.has_plain_bounds(program) {
            return None;
        }
        let index = counted.greatest(index, program)?;
        let mut guards = Vec::with_capacity(item.guards.len() + 1);
        match counted.runs() {
            Ok(guard) => guards.push(guard),
            Err(true) => {}
            Err(false) => return None,
        }
        for guard in &item.guards {
            if !guards.contains(guard) {
                guards.push(guard.clone());
            }
        }
        let message = match &item.message {
            Message::Bounds { array, access, .. } => Message::Bounds {
                array: array.clone(),
                access: access.clone(),
                index: index.clone(),
                len: (**len).clone(),
            },
            other => other.clone(),
        };
        let cond = Expr::binary(BinOp::Lt, index, (**len).clone());
        Some(Item { guards, cond, message, origin: item.origin })
    }

    /// Whether what a check says holds as long as the iteration runs in which it stands: it mentions iterators, scalars
    /// with one value in a run, and extents.
    fn lasts(&self, item: &Item) -> bool {
        [&item.cond].into_iter().chain(&item.guards).all(|expr| {
            let changes = |part: &Expr| {
                matches!(&part.kind, ExprKind::Load(place) if !self.constant.contains(place.buffer))
            };
            expr.ty == Ty::Bool && is_plain(expr, self.program) && !expr.any(&mut &changes)
        })
    }
}

/// `if guard { if guard { check } }`
fn statement(item: Item) -> Stmt {
    let check = Stmt::new(StmtKind::Check { cond: item.cond, message: item.message }, item.origin);
    item.guards.into_iter().rev().fold(check, |inner, cond| Stmt::when(cond, vec![inner], item.origin))
}
