//! Tasks of the user's become the iterations of a loop, which is then decided as any other.
//!
//! ```text
//! fork                       for task in 0..2 marks(rayon)
//!   task                       if task == 0
//!     p = …            =>        p[0] = …
//!   task                       if task == 1
//!     q = …                      q[0] = …
//! ```
//!
//! **Legality.** Tasks do not touch what another one changes, so any order is right, and this one is that of the source.
//! What the loop then runs in parallel rests on dependences, as for every loop: adjoints that two tasks add to are
//! summations with an owner.
//!
//! A task that consists of tasks, with little before and behind them, gives its place to these: a tree of `join`s is one
//! loop over its leaves.
//!
//! ```text
//! fork                            fork
//!   task                            task
//!     scope a, b                      a = …
//!       fork                        task
//!         task                        b = …
//!           a = …            =>     task
//!         task                        q = …
//!           b = …               p = a + b
//!       p = a + b
//!   task
//!     q = …
//! ```
//!
//! Legal because what stood before the inner tasks, and behind them, stands before and behind all: it depends on no
//! other task.

use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Grain, Marks, Origin, Place, Program, Rayon,
    Role, Stmt, StmtKind, Ty,
};

/// Replaces the tasks of a program.
pub(crate) fn into_loops(program: &mut Program) {
    let mut body = std::mem::take(&mut program.body);
    if crate::ir::any(&body, &mut Stmt::is_fork) {
        flatten(program, &mut body);
        let mut held = BufferSet::new();
        let mut found = Vec::new();
        replace(program, &mut body, &mut held, &mut found);
        hold(program, &mut body, &held);
    }
    program.body = body;
}

/// What tasks inside of a task need around them.
struct Inner {
    buffers: Vec<BufferId>,
    before: Block,
    tasks: Vec<Block>,
    behind: Block,
}

/// Gives the places of tasks that consist of tasks to these, innermost first.
fn flatten(program: &Program, block: &mut Block) {
    let stmts = std::mem::take(block);
    for mut stmt in stmts {
        stmt.blocks_mut().into_iter().for_each(|inner| flatten(program, inner));
        let origin = stmt.origin;
        let StmtKind::Fork { tasks } = stmt.kind else {
            block.push(stmt);
            continue;
        };
        let mut all =
            Inner { buffers: Vec::new(), before: Block::new(), tasks: Vec::new(), behind: Block::new() };
        for task in tasks {
            match peel(program, task) {
                Ok(inner) => {
                    all.buffers.extend(inner.buffers);
                    all.before.extend(inner.before);
                    all.tasks.extend(inner.tasks);
                    all.behind.extend(inner.behind);
                }
                Err(task) => all.tasks.push(task),
            }
        }
        let mut run = all.before;
        run.push(Stmt::new(StmtKind::Fork { tasks: all.tasks }, origin));
        run.append(&mut all.behind);
        match all.buffers.is_empty() {
            true => block.append(&mut run),
            false => block.push(Stmt::scope(all.buffers, run, origin)),
        }
    }
}

/// The tasks that a task consists of; the task itself where it has more to do.
fn peel(program: &Program, task: Block) -> Result<Inner, Block> {
    let is_little = |stmt: &Stmt| {
        stmt.all(&mut |stmt| {
            !matches!(
                stmt.kind,
                StmtKind::For(_) | StmtKind::While(_) | StmtKind::Fork { .. } | StmtKind::Call { .. }
            )
        })
    };
    let mut heavy = task.iter().enumerate().filter(|(_, stmt)| !is_little(stmt));
    let (Some((at, _)), None) = (heavy.next(), heavy.next()) else { return Err(task) };
    let scalars = |buffers: &[BufferId]| buffers.iter().all(|&buffer| program[buffer].rank() == 0);
    let mut before = task;
    let mut behind = before.split_off(at + 1);
    let Some(stmt) = before.pop() else { return Err(behind) };
    let origin = stmt.origin;
    match stmt.kind {
        StmtKind::Fork { tasks } => return Ok(Inner { buffers: Vec::new(), before, tasks, behind }),
        StmtKind::Scope { buffers, body } if scalars(&buffers) => match peel(program, body) {
            Ok(mut inner) => {
                inner.buffers.splice(0..0, buffers);
                before.append(&mut inner.before);
                inner.behind.append(&mut behind);
                return Ok(Inner { before, ..inner });
            }
            Err(body) => before.push(Stmt::scope(buffers, body, origin)),
        },
        kind => before.push(Stmt::new(kind, origin)),
    }
    before.append(&mut behind);
    Err(before)
}

/// Replaces tasks by loops. `scalar_replacement` are the variables that tasks assign; `around` those that are declared around.
fn replace(program: &mut Program, block: &mut Block, held: &mut BufferSet, around: &mut Vec<BufferId>) {
    for stmt in block {
        if let Some((buffers, _)) = stmt.as_scope() {
            around.extend(buffers);
        }
        let outside = around.len();
        for inner in stmt.blocks_mut() {
            replace(program, inner, held, around);
            around.truncate(outside);
        }
        let origin = stmt.origin;
        if let StmtKind::Fork { tasks } = &mut stmt.kind {
            let tasks = std::mem::take(tasks);
            for task in &tasks {
                assigned(task, &mut |buffer| {
                    if program[buffer].rank() == 0 && around.contains(&buffer) {
                        held.insert(buffer);
                    }
                });
            }
            stmt.kind = looped(program, tasks, origin);
        }
        if let Some((buffers, _)) = stmt.as_scope() {
            around.truncate(around.len() - buffers.len());
        }
    }
}

fn assigned(block: &Block, visit: &mut dyn FnMut(BufferId)) {
    crate::ir::walk(block, &mut |stmt| {
        if stmt.as_update().is_none() && !stmt.is_opaque() {
            stmt.writes_itself(visit);
        }
    });
}

/// `for task in 0..n { if task == 0 { … } if task == 1 { … } … }`
fn looped(program: &mut Program, tasks: Vec<Block>, origin: Origin) -> StmtKind {
    let count = tasks.len();
    let iter = program.add_iter("task", Ty::USIZE);
    let rayon = program.add_rayon(Rayon { owned: Vec::new(), grain: Grain::Task });
    let mut body = Block::new();
    for (number, task) in tasks.into_iter().enumerate() {
        // each with its condition, which index sets can say; an `else` of all others they cannot
        let cond = Expr::binary(BinOp::Eq, Expr::iter(iter, Ty::USIZE), Expr::usize(number));
        body.push(Stmt::when(cond, task, origin));
    }
    let marks = Marks { rayon: Some(rayon), ..Marks::default() };
    StmtKind::For(For { marks, ..For::counted(iter, Expr::usize(count), body) })
}

/// Makes arrays of one element of the variables that tasks assign: what a task leaves for others is memory that threads
/// share.
fn hold(program: &mut Program, block: &mut Block, held: &BufferSet) {
    let held_ids: Vec<BufferId> = program.buffer_ids().filter(|&buffer| held.contains(buffer)).collect();
    if held_ids.is_empty() {
        return;
    }
    let replace = |expr: &Expr| {
        expr.map(&mut |mut node| {
            if let ExprKind::Load(place) = &mut node.kind {
                hold_place(place, held);
            }
            node
        })
    };
    for buffer in program.buffer_ids() {
        let dims = program[buffer].dims.iter().map(replace).collect();
        program[buffer].dims = dims;
    }
    for buffer in held_ids {
        program[buffer].dims = vec![Expr::usize(1)];
        debug_assert!(!matches!(program[buffer].role, Role::Input | Role::InOut | Role::Output));
    }
    hold_in(block, held, &replace);
}

fn hold_in(block: &mut Block, held: &BufferSet, replace: &dyn Fn(&Expr) -> Expr) {
    for stmt in block {
        for expr in stmt.exprs_mut() {
            *expr = replace(expr);
        }
        if let Some((target, _)) = stmt.as_store_mut() {
            hold_place(target, held);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| hold_in(inner, held, replace));
    }
}

fn hold_place(place: &mut Place, held: &BufferSet) {
    if held.contains(place.buffer) && place.index.is_empty() {
        place.index.push(Expr::usize(0));
    }
}
