//! Task loops and lane loops: what a schedule may contain.

use super::{Rule, Verifier};
use crate::ir::{
    BufferId, Callee, Exec, Expr, ExprKind, For, IterId, Layout, Level, Order, Role, Scheme, Space, Stmt,
    StmtKind, Ty,
};

/// The scheduled loops around a statement.
#[derive(Default)]
pub(super) struct Scheduled {
    /// The buffers that live around the task loop.
    around_task: Option<Vec<bool>>,
    /// The iterator of the lane loop and the buffers that live around it.
    lanes: Option<(IterId, Vec<bool>)>,
    /// The buffers that live around the outermost loop of level `Grid`, and whether loops over threads are in it.
    grid: Option<(Vec<bool>, bool)>,
    /// The buffers that live around the loop over the threads of a block.
    threads: Option<Vec<bool>>,
    /// The loops whose iterations are threads together with those of the loop over threads around.
    together: Vec<IterId>,
}

impl<'a> Verifier<'a> {
    /// The body of a loop, under the rules of its execution.
    pub(super) fn body_of(&mut self, for_: &'a For) {
        match for_.exec {
            Exec::Parallel(Level::Task) => {
                self.require(self.scheduled.around_task.is_none(), Rule::Task, || {
                    "a task loop inside a task loop".to_owned()
                });
                let zero = for_.lo.kind == ExprKind::Int(0);
                self.require(zero && counts(for_), Rule::Task, || {
                    "a task loop does not count a usize upwards from 0 by 1".to_owned()
                });
                let outside = self.scheduled.around_task.replace(self.alive.clone());
                self.block(&for_.body);
                self.scheduled.around_task = outside;
            }
            Exec::Lanes { .. } => {
                self.require(self.scheduled.lanes.is_none(), Rule::Lanes, || {
                    "a lane loop inside a lane loop".to_owned()
                });
                self.require(counts(for_), Rule::Lanes, || {
                    "a lane loop does not count a usize upwards by 1".to_owned()
                });
                let outside = self.scheduled.lanes.replace((for_.iter, self.alive.clone()));
                self.block(&for_.body);
                self.scheduled.lanes = outside;
            }
            Exec::Parallel(Level::Grid) => {
                let whole = self.scheduled.grid.clone();
                if whole.is_none() {
                    let threads = crate::ir::has_block_loops(&for_.body);
                    self.scheduled.grid = Some((self.alive.clone(), threads));
                }
                self.block(&for_.body);
                self.scheduled.grid = whole;
            }
            Exec::Parallel(Level::Block) => {
                let begins = self.scheduled.grid.is_some() && self.scheduled.threads.is_none();
                self.require(begins || self.scheduled.together.contains(&for_.iter), Rule::Block, || {
                    "a loop over threads of a block outside a loop of level `grid`, or not directly inside another one"
                        .to_owned()
                });
                let loops = crate::ir::thread_loops(for_).into_iter().map(|each| each.iter);
                let outside = (self.scheduled.threads.clone(), std::mem::take(&mut self.scheduled.together));
                self.scheduled.threads.get_or_insert_with(|| self.alive.clone());
                self.scheduled.together = loops.collect();
                self.block(&for_.body);
                (self.scheduled.threads, self.scheduled.together) = outside;
            }
            _ => self.block(&for_.body),
        }
    }

    /// What stands in a loop over the threads of a block, or declares what they share.
    fn fits_block(&mut self, stmt: &Stmt) {
        let lives = |set: &[bool], id: BufferId| set.get(id.0 as usize).copied().unwrap_or(false);
        match &stmt.kind {
            StmtKind::Scope { buffers, .. } => {
                for &id in buffers {
                    let Some(buffer) = self.program.buffers.get(id.0 as usize) else { continue };
                    if buffer.space != Space::Shared {
                        self.require(buffer.role != Role::Tile, Rule::Block, || {
                            format!("the tile `{}` is not in shared memory", buffer.name)
                        });
                        continue;
                    }
                    let constant = buffer.dims.iter().all(|dim| matches!(dim.kind, ExprKind::Int(_)));
                    self.require(constant && !buffer.dims.is_empty(), Rule::Block, || {
                        format!("`{}` in shared memory is no array of constant extents", buffer.name)
                    });
                    let in_nest = matches!(self.scheduled.grid, Some((_, true)));
                    self.require(in_nest && self.scheduled.threads.is_none(), Rule::Block, || {
                        format!(
                            "`{}` in shared memory does not belong to the block of an iteration",
                            buffer.name
                        )
                    });
                }
            }
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                self.fits_tile(stmt, target.buffer);
                let (Some((around, _)), Some(outside)) = (&self.scheduled.grid, &self.scheduled.threads)
                else {
                    return;
                };
                let id = target.buffer;
                let of_iteration = lives(outside, id) && !lives(around, id);
                let summed = matches!(&stmt.kind, StmtKind::Reduce { scheme: Scheme::ScalarReduction, .. });
                let wrong = of_iteration && target.index.is_empty() && !summed;
                self.require(!wrong, Rule::Block, || {
                    format!("threads of a block write the variable `{}` of all", self.program[id].name)
                });
            }
            _ => {}
        }
    }

    /// Threads of a block fill a tile with copies of elements, in no loop but theirs and under no condition that differs between them.
    fn fits_tile(&mut self, stmt: &Stmt, target: BufferId) {
        let is_tile = self.program.buffers.get(target.0 as usize).is_some_and(|it| it.role == Role::Tile);
        let copies = matches!(&stmt.kind, StmtKind::Assign { value, .. }
            if matches!(value.kind, ExprKind::Load(_)));
        self.require(!is_tile || (copies && self.scheduled.threads.is_some()), Rule::Block, || {
            format!("`{}` is no copy that threads of a block make", self.program[target].name)
        });
    }

    /// What the loops around a statement ask of it.
    pub(super) fn fits_schedule(&mut self, stmt: &Stmt) {
        self.fits_block(stmt);
        if self.scheduled.lanes.is_some() {
            self.fits_lanes(stmt);
        }
        if self.scheduled.around_task.is_some() {
            self.fits_task(stmt);
        }
    }

    fn fits_task(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                if !self.around_task(target.buffer) {
                    return;
                }
                let buffer = &self.program[target.buffer];
                let name = &buffer.name;
                self.require(buffer.rank() > 0, Rule::Task, || {
                    format!("the scalar `{name}` lives around the task loop that writes it")
                });
                self.require(buffer.layout != Layout::Growing, Rule::Task, || {
                    format!("`{name}` grows, and lives around the task loop that writes it")
                });
            }
            StmtKind::Swap { a, b } => {
                if let Some(&id) = [a, b].into_iter().find(|id| self.around_task(**id)) {
                    let name = &self.program[id].name;
                    self.violate(Rule::Task, format!("`{name}` lives around the task loop that swaps it"));
                }
            }
            StmtKind::Fork { .. } => self.violate(Rule::Task, "tasks inside a task loop"),
            StmtKind::Call { callee: Callee::Reserve(_), writes, .. } => {
                if let Some(&id) = writes.iter().find(|id| self.around_task(**id)) {
                    let name = &self.program[id].name;
                    self.violate(
                        Rule::Task,
                        format!("`{name}` lives around the task loop that makes it grow"),
                    );
                }
            }
            StmtKind::Call { .. } => self.violate(Rule::Task, "a call inside a task loop"),
            _ => {}
        }
        let mut mentioned: Vec<BufferId> = Vec::new();
        stmt.each_expr(&mut |expr| {
            expr.each_load(&mut |place| {
                mentioned.push(place.buffer);
            })
        });
        if let StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } = &stmt.kind {
            mentioned.push(target.buffer);
        }
        for id in mentioned {
            let of_thread = self.around_task(id) && self.program[id].space == Space::Thread;
            self.require(!of_thread, Rule::Task, || {
                format!("`{}` belongs to one thread, and is used by the tasks inside", self.program[id].name)
            });
        }
    }

    fn around_task(&self, id: BufferId) -> bool {
        let around = self.scheduled.around_task.as_ref();
        around.is_some_and(|around| around.get(id.0 as usize).copied().unwrap_or(false))
    }

    fn fits_lanes(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, .. } => {
                let shared =
                    !self.is_of_lane(target.buffer) && target.index.iter().all(|it| self.is_uniform(it));
                self.require(!shared, Rule::Lanes, || {
                    let name = self.program.buffers.get(target.buffer.0 as usize).map_or("?", |it| &it.name);
                    format!("all lanes assign one element of `{name}`")
                });
            }
            StmtKind::For(for_) => {
                let plain = matches!(for_.exec, Exec::Undecided | Exec::Sequential | Exec::Lanes { .. });
                self.require(plain, Rule::Lanes, || "a parallel loop inside a lane loop".to_owned());
            }
            StmtKind::Scope { buffers, .. } => {
                for &id in buffers {
                    let Some(buffer) = self.program.buffers.get(id.0 as usize) else { continue };
                    let fixed = buffer.dims.iter().all(|dim| matches!(dim.kind, ExprKind::Int(_)));
                    self.require(fixed, Rule::Lanes, || {
                        format!("the extents of `{}`, a buffer of one lane, are not constant", buffer.name)
                    });
                }
            }
            StmtKind::Reduce { .. } | StmtKind::If { .. } | StmtKind::Check { .. } => {}
            StmtKind::While(_)
            | StmtKind::Swap { .. }
            | StmtKind::Fork { .. }
            | StmtKind::Guarded { .. }
            | StmtKind::Call { .. } => self.violate(Rule::Lanes, "this is no statement of a lane loop"),
        }
    }

    /// Whether each lane has a buffer of its own.
    fn is_of_lane(&self, id: BufferId) -> bool {
        let around = self.scheduled.lanes.as_ref().map(|(_, around)| around);
        around.is_some_and(|around| !around.get(id.0 as usize).copied().unwrap_or(true))
    }

    /// Whether an expression has one value for all lanes: it mentions neither the lane nor what a lane owns.
    fn is_uniform(&self, expr: &Expr) -> bool {
        let Some((lane, _)) = &self.scheduled.lanes else { return true };
        expr.all(&mut |expr| match &expr.kind {
            ExprKind::Iter(iter) => iter != lane,
            ExprKind::Load(place) => !self.is_of_lane(place.buffer),
            _ => true,
        })
    }
}

/// Whether a loop visits `lo, lo + 1, … hi - 1` of type `usize`, upwards.
fn counts(for_: &For) -> bool {
    for_.lo.ty == Ty::USIZE
        && for_.step.kind == ExprKind::Int(1)
        && for_.order == Order::Up
        && !for_.inclusive
}
