//! Reversal of statements: forward and reverse sweep are made together, from the last statement to the first, so that
//! when a statement is reached everything the reverse sweep wants from it is known.
//!
//! ```text
//! forward                      reverse
//! s1; s2                       rev(s2); rev(s1)
//! b[e] = v                     t = b_bar[e]; b_bar[e] = 0; x_bar += t * dv/dx     for each load x in v
//! b[e] += v                    x_bar += b_bar[e] * dv/dx
//! for i in lo..hi { s }        for i in (lo..hi).rev() { rev(s) }
//! while c { s }                for k in (0..trips).rev() { rev(s) }     see `runtime_loops`
//! if c { s } else { t }        if c { rev(s) } else { rev(t) }
//! scope b { s }                scope b_bar = 0 { rev(s) }
//! swap(a, b)                   swap(a_bar, b_bar)
//! communication s -> r         see `reverse_communication`
//! ```
//!
//! At the level of a region (no loop of it, condition or task around) a scope stays open over the rest of the forward
//! sweep and its reversal, so that the reverse sweep finds local values in place; a tape opens just before the statement
//! at that level that fills it, where its extents are known. A loop whose iterations commute is a region itself.

use super::activity::Activity;
use super::recompute_or_store::{Body, Pending};
use super::region::Region;
use super::runtime_loops::{Shapes, shapes};
use super::structure::{Structure, key};
use super::tape_layout::LoopNames;
use crate::ir::{
    Block, Buffer, BufferId, Callee, Expr, ExprKind, For, Func, Iter, Layout, Order, Origin, Phase, Place,
    Program, ReduceOp, Role, Stmt, StmtKind, Ty, over_elements, scoped_as,
};
use crate::pass::Context;
use crate::poly::Analysis;
use crate::refusal::Refusal;
use proc_macro2::Span;
use std::collections::HashMap;

/// A construct that this version cannot reverse, or not as it is marked.
pub(super) struct Unsupported {
    /// Where.
    pub(super) origin: Origin,
    /// What, in one sentence.
    pub(super) what: String,
    /// Why, in one sentence.
    pub(super) why: &'static str,
    /// What to write instead.
    pub(super) help: String,
}

/// Adds reverse mode to a program for the adjoints of its inputs that have one.
pub(super) fn reverse(program: &mut Program, context: &mut Context) {
    let wrt = &context.wrt;
    let shapes = shapes(program);
    let mut sweep = Sweep::new(program, &shapes, wrt);
    let seeded = sweep.interface(wrt);
    let origin = sweep.origin_of_function();
    let seeds = sweep.seeds(&seeded);
    let body = match program.body.last().is_some_and(Stmt::is_seam) {
        // the seeds are of the second program
        true => sweep.region_body(&program.body, seeds, origin),
        false => {
            let body = sweep.region_body(&program.body, Block::new(), origin);
            seeds.into_iter().chain(body).collect()
        }
    };
    let buffers: Vec<BufferId> = seeded.into_iter().map(|(adjoint, _)| adjoint).collect();
    sweep.out.body = scoped_as(buffers, body, origin);
    let Sweep { out, unsupported, .. } = sweep;
    if let Some(Unsupported { origin, what, why, help }) = unsupported {
        let span = program.spans.get(origin.span.0 as usize).copied().unwrap_or_else(Span::call_site);
        context.refusals.push(Refusal::new(span, what, why, help));
    }
    *program = out;
}

/// A pass over the primal that makes both sweeps.
pub(super) struct Sweep<'p> {
    pub(super) primal: &'p Program,
    /// The counted loop that each `While` was when it has ended.
    pub(super) shapes: &'p Shapes,
    pub(super) structure: Structure<'p>,
    pub(super) analysis: Analysis<'p>,
    pub(super) activity: Activity,
    /// The program being made; it starts with the buffers and iterators of the primal, under their ids.
    pub(super) out: Program,
    /// The adjoint of each active buffer.
    pub(super) adjoint: HashMap<BufferId, BufferId>,
    /// Results whose adjoint is the seed itself.
    pub(super) read_only: Vec<BufferId>,
    /// What is reversed now.
    pub(super) region: Region<'p>,
    pub(super) unsupported: Option<Unsupported>,
}

/// Forward and reverse code of a statement.
pub(super) struct Halves {
    pub(super) fwd: Block,
    pub(super) rev: Block,
}

/// Forward and reverse code of a block; `replay` must run before `rev` and needs `copies`.
pub(super) struct BlockHalves {
    pub(super) fwd: Block,
    pub(super) rev: Block,
    pub(super) replay: Block,
    pub(super) copies: Vec<BufferId>,
}

impl<'p> Sweep<'p> {
    pub(super) fn new(primal: &'p Program, shapes: &'p Shapes, wrt: &[BufferId]) -> Sweep<'p> {
        Sweep {
            primal,
            shapes,
            structure: Structure::of(primal),
            analysis: Analysis::in_hindsight(primal),
            activity: Activity::of(primal, wrt),
            out: Program { body: Block::new(), ..primal.clone() },
            adjoint: HashMap::new(),
            read_only: Vec::new(),
            region: Region::default(),
            unsupported: None,
        }
    }

    /// Parameters of the new program; returns the results that need an adjoint of their own with their seeds.
    fn interface(&mut self, wrt: &[BufferId]) -> Vec<(BufferId, BufferId)> {
        let mut params = Vec::new();
        for &param in &self.primal.params {
            params.push(param);
            let buffer = &self.primal[param];
            if buffer.elem.is_float() && (wrt.contains(&param) || buffer.role == Role::InOut) {
                let adjoint = self.add_adjoint(param);
                params.push(adjoint);
            }
        }
        let mut seeded = Vec::new();
        for &result in &self.primal.results {
            if !self.primal[result].elem.is_float() {
                continue;
            }
            let seed = self.add_adjoint(result);
            self.out[seed].name = "seed".to_owned();
            params.push(seed);
            let mut writes = self.structure.writes(result).iter().filter(|write| !write.is_seam());
            let assigned_once = match (writes.next(), writes.next()) {
                (Some(only), None) => {
                    let straight = |stmt: &Stmt| stmt.as_scope().is_some();
                    only.as_assign().is_some() && self.structure.ancestors(only).all(straight)
                }
                _ => false,
            };
            if assigned_once && self.primal[result].rank() == 0 {
                self.read_only.push(result);
            } else if self.activity.is_active(result) {
                self.add_adjoint(result);
                seeded.push((self.adjoint[&result], seed));
            }
        }
        self.out.params = params;
        seeded
    }

    /// Adjoints of results start as their seeds.
    fn seeds(&mut self, seeded: &[(BufferId, BufferId)]) -> Block {
        let origin = self.origin_of_function();
        let mut all = Block::new();
        for &(adjoint, seed) in seeded {
            let elem = self.out[seed].elem;
            all.extend(self.fill(adjoint, origin, &|index| Place::new(seed, index).load(elem)));
        }
        all
    }

    fn origin_of_function(&self) -> Origin {
        Origin { stmt: 0, phase: Phase::Adjoint, span: crate::ir::SpanId(0) }
    }

    /// Makes the adjoint buffer of `buffer`, with its extents.
    pub(super) fn add_adjoint(&mut self, buffer: BufferId) -> BufferId {
        let of = &self.primal[buffer];
        let name = format!("d_{}", of.name);
        let adjoint = Buffer::new(&name, of.elem, of.dims.clone(), Role::Adjoint(buffer));
        let id = self.out.add_buffer(adjoint);
        self.adjoint.insert(buffer, id);
        id
    }

    pub(super) fn active_of(&self, buffers: &[BufferId]) -> Vec<BufferId> {
        let carries =
            |buffer: &BufferId| self.activity.is_active(*buffer) && self.primal[*buffer].role != Role::Wire;
        buffers.iter().copied().filter(carries).collect()
    }

    /// Both sweeps of a block that is not at the level of the region (or of one statement that is).
    pub(super) fn block(&mut self, block: &'p [Stmt]) -> BlockHalves {
        self.block_of(block, Body::Other)
    }

    fn block_of(&mut self, block: &'p [Stmt], body: Body<'p>) -> BlockHalves {
        let mut fwd: Vec<Block> = Vec::new();
        let (mut rev, mut replay, mut copies) = (Block::new(), Vec::new(), Vec::new());
        self.region.pending.push(Pending::new(body));
        for (at, stmt) in block.iter().enumerate().rev() {
            self.close_pending(stmt, at);
            let halves = self.statement(stmt);
            rev.extend(halves.rev);
            if let Some(copy) = self.region.definitions.replayed(stmt) {
                replay.push(self.replay(stmt, copy));
                copies.push(copy);
            }
            if let Some(chosen) = self.region.chosen.remove(&key(stmt)) {
                replay.extend(self.choose(stmt, &chosen));
                copies.extend(chosen.into_iter().map(|(_, copy)| copy));
            }
            for remade in self.region.remade.remove(&key(stmt)).unwrap_or_default() {
                copies.push(remade.copy);
                replay.extend(self.remake(&remade));
            }
            let mut code = self.region.before.remove(&key(stmt)).unwrap_or_default();
            code.extend(halves.fwd);
            code.extend(self.region.after.remove(&key(stmt)).unwrap_or_default());
            fwd.push(code);
        }
        fwd.reverse();
        let mut pending = self.region.pending.pop().expect("pushed above");
        if let Some(around) = self.region.pending.last_mut() {
            pending.leave(&self.structure, around);
        }
        let mut stores = pending.stores();
        let mut all = Block::new();
        for (at, code) in fwd.into_iter().enumerate() {
            all.extend(stores.remove(&at).unwrap_or_default());
            all.extend(code);
        }
        replay.reverse();
        BlockHalves { fwd: all, rev, replay, copies }
    }

    /// Both sweeps of a statement.
    fn statement(&mut self, stmt: &'p Stmt) -> Halves {
        let mut halves = Halves { fwd: vec![stmt.clone()], rev: Block::new() };
        if !self.activity.has_adjoint(stmt) {
            return halves;
        }
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        match &stmt.kind {
            StmtKind::Assign { target, value } if self.activity.is_active(target.buffer) => {
                halves.rev = self.reverse_assign(stmt, target, value);
            }
            StmtKind::Reduce { op, target, value, .. } if self.activity.is_active(target.buffer) => {
                let old = target.clone().load(value.ty);
                halves.rev = match op {
                    ReduceOp::Add => self.reverse_sum(stmt, target, value),
                    ReduceOp::Max | ReduceOp::Min => {
                        let func = if *op == ReduceOp::Max { Func::Max } else { Func::Min };
                        let winner = Expr::call(value.ty, func, vec![old, value.clone()]);
                        self.reverse_assign(stmt, target, &winner)
                    }
                };
            }
            StmtKind::Swap { a, b } => {
                let kind = StmtKind::Swap { a: self.adjoint[a], b: self.adjoint[b] };
                halves.rev = vec![Stmt::new(kind, origin)];
            }
            StmtKind::For(looped) => match self.replay_loop(stmt, looped) {
                Some(rev) => halves.rev = rev,
                None => halves = self.reverse_for(stmt, looped),
            },
            StmtKind::If { cond, then, els } => {
                let cond_rev = self.condition(cond, stmt);
                let (then, els) = (self.branch(then, origin), self.branch(els, origin));
                let kind = StmtKind::If { cond: cond.clone(), then: then.fwd, els: els.fwd };
                halves.fwd = vec![Stmt::new(kind, stmt.origin)];
                if !(then.rev.is_empty() && els.rev.is_empty()) {
                    let kind = StmtKind::If { cond: cond_rev, then: then.rev, els: els.rev };
                    halves.rev = vec![Stmt::new(kind, origin)];
                }
            }
            StmtKind::Guarded { fact, then, els } => {
                let fact_rev = self.condition(fact, stmt);
                let (then, els) = (self.branch(then, origin), self.branch(els, origin));
                let kind = StmtKind::Guarded { fact: fact.clone(), then: then.fwd, els: els.fwd };
                halves.fwd = vec![Stmt::new(kind, stmt.origin)];
                let kind = StmtKind::Guarded { fact: fact_rev, then: then.rev, els: els.rev };
                halves.rev = vec![Stmt::new(kind, origin)];
            }
            StmtKind::Scope { buffers, body } => halves = self.reverse_scope(stmt, buffers, body),
            StmtKind::Fork { tasks } => {
                let tasks = tasks.iter().map(|task| self.branch(task, origin)).collect::<Vec<_>>();
                let (fwd, rev) = tasks.into_iter().map(|halves| (halves.fwd, halves.rev)).unzip();
                halves.fwd = vec![Stmt::new(StmtKind::Fork { tasks: fwd }, stmt.origin)];
                halves.rev = vec![Stmt::new(StmtKind::Fork { tasks: rev }, origin)];
            }
            StmtKind::While(looped) => {
                if looped.head.iter().any(|stmt| self.activity.has_adjoint(stmt)) {
                    self.refuse(stmt, "a loop condition that computes what is differentiated");
                }
                halves = self.reverse_while(stmt, looped);
            }
            StmtKind::Call { callee: Callee::Seam, .. } => {}
            StmtKind::Call { callee: Callee::User(call), reads, writes } => {
                halves.rev = self.reverse_user_call(stmt, call, reads, writes)
            }
            StmtKind::Call { callee: Callee::Communication(it), reads, writes } => {
                match self.reverse_communication(stmt, it, reads, writes) {
                    Some(rev) => halves.rev = rev,
                    None => self.refuse(stmt, "an operation between ranks that is not linear"),
                }
            }
            StmtKind::Call { .. } => {
                self.refuse(stmt, "a call that is not looked into cannot be differentiated yet")
            }
            StmtKind::Check { .. } | StmtKind::Assign { .. } | StmtKind::Reduce { .. } => {}
        }
        halves
    }

    fn refuse(&mut self, stmt: &Stmt, what: &'static str) {
        self.unsupported.get_or_insert(Unsupported {
            origin: stmt.origin,
            what: what.to_owned(),
            why: "this release has no reversal for it",
            help: "write it as a counted loop over the statements that it stands for".to_owned(),
        });
    }

    /// A block whose replayed definitions, if any, stand in front of its reversal.
    pub(super) fn branch(&mut self, block: &'p [Stmt], origin: Origin) -> Halves {
        self.branch_of(block, Body::Other, origin)
    }

    fn branch_of(&mut self, block: &'p [Stmt], body: Body<'p>, origin: Origin) -> Halves {
        let BlockHalves { fwd, rev, mut replay, copies } = self.block_of(block, body);
        replay.extend(rev);
        let rev = if copies.is_empty() { replay } else { vec![Stmt::scope(copies, replay, origin)] };
        Halves { fwd, rev }
    }

    /// `for i in lo..hi { s }` becomes `for i in (lo..hi).rev() { rev(s) }` over the same values.
    fn reverse_for(&mut self, stmt: &'p Stmt, looped: &'p For) -> Halves {
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        let Iter { name, ty } = self.primal[looped.iter].clone();
        let iter = self.out.add_iter(&name, ty);
        let [lo, hi, step] = looped.bounds().map(|bound| self.value_at(bound, stmt));
        let mut bases = Vec::new();
        let lo_fwd = self.stable_bound(&looped.lo, &name, &mut bases);
        let step_fwd = self.stable_bound(&looped.step, &name, &mut bases);
        let trip = self.trip_when_opening(stmt, looped);
        let (fwd, rev) = ((lo_fwd.clone(), step_fwd.clone()), (lo.clone(), step.clone()));
        self.region.loops.push(LoopNames { stmt, looped, rev_iter: iter, fwd, rev, trip, counted: None });
        let body = self.branch_of(&looped.body, Body::Loop(stmt), origin);
        self.region.loops.pop();
        let reversed = For {
            iter,
            lo,
            hi,
            step,
            order: match looped.order {
                Order::Up => Order::Down,
                Order::Down => Order::Up,
            },
            ..looped.around(body.rev)
        };
        let (lo, step) = (lo_fwd, step_fwd);
        let mut inside = self.region.starts.inside(stmt);
        inside.extend(body.fwd);
        let looped = Stmt::new(StmtKind::For(For { lo, step, ..looped.around(inside) }), stmt.origin);
        let mut fwd = self.region.starts.around(stmt, vec![looped], origin);
        if !bases.is_empty() {
            let (buffers, values): (Vec<_>, Vec<_>) = bases.into_iter().unzip();
            let set = |(&base, value): (&BufferId, Expr)| Stmt::set(base, value, origin);
            fwd.splice(0..0, buffers.iter().zip(values).map(set));
            fwd = vec![Stmt::scope(buffers, fwd, origin)];
        }
        let rev = match reversed.body.is_empty() {
            true => Block::new(),
            false => vec![reversed.stmt(origin)],
        };
        Halves { fwd, rev }
    }

    /// A bound of a loop as an expression that keeps its value inside the loop: itself, or a local set before.
    fn stable_bound(&mut self, bound: &Expr, name: &str, bases: &mut Vec<(BufferId, Expr)>) -> Expr {
        if self.is_stable(bound) {
            return bound.clone();
        }
        let base = self.out.add_scalar(&format!("{name}_from"), bound.ty, Role::Local);
        bases.push((base, bound.clone()));
        self.out.load_scalar(base)
    }

    /// `scope b { s }` inside a loop or condition: the primal buffers are gone when the reverse sweep comes, adjoints
    /// and replayed definitions live in a scope of their own.
    fn reverse_scope(&mut self, stmt: &'p Stmt, buffers: &'p [BufferId], body: &'p [Stmt]) -> Halves {
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        let (mut adjoints, mut rev_all, mut lengths) = (Vec::new(), Block::new(), Block::new());
        for buffer in self.active_of(buffers) {
            let adjoint = self.add_adjoint(buffer);
            let grows = self.primal[buffer].layout == Layout::Growing;
            self.out[adjoint].dims = self.primal[buffer]
                .dims
                .iter()
                .enumerate()
                .map(|(dim, extent)| match grows && dim == 0 {
                    true => Expr::extent(adjoint, 0),
                    false => self.value_at(extent, stmt),
                })
                .collect();
            adjoints.push(adjoint);
            rev_all.extend(if grows {
                let length = self.record_length(buffer, stmt, &mut lengths);
                self.growing_adjoint(adjoint, length, origin)
            } else {
                self.zero(adjoint, origin)
            });
        }
        let BlockHalves { mut fwd, rev, replay, copies } = self.block_of(body, Body::Scope(buffers));
        fwd.extend(lengths);
        rev_all.extend(replay);
        let is_empty = rev.is_empty();
        rev_all.extend(rev);
        adjoints.extend(copies);
        let mut own = buffers.to_vec();
        self.move_to_tapes(&mut own, &mut fwd);
        let fwd = vec![Stmt::scope(own, fwd, stmt.origin)];
        let rev = match is_empty {
            true => Block::new(),
            false => vec![Stmt::scope(adjoints, rev_all, origin)],
        };
        Halves { fwd, rev }
    }

    /// Stores the length that `buffer`, which grows, has at the end of its scope `stmt`, and returns it as the reverse
    /// sweep finds it.
    pub(super) fn record_length(&mut self, buffer: BufferId, stmt: &Stmt, lengths: &mut Block) -> Expr {
        let name = format!("{}_len", self.primal[buffer].name);
        let tape = self.new_tape(&name, Ty::USIZE, stmt, Vec::new(), |_, _| true);
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        lengths.push(Stmt::assign(tape.place(&[]), Expr::extent(buffer, 0), origin));
        tape.load(Vec::new())
    }

    /// Sets an adjoint buffer to zero.
    pub(super) fn zero(&mut self, adjoint: BufferId, origin: Origin) -> Block {
        let elem = self.out[adjoint].elem;
        self.fill(adjoint, Origin { phase: Phase::Adjoint, ..origin }, &|_| Expr::float(elem, 0.0))
    }

    /// Loops over the extents of `buffer` that assign `value(index)` to each element.
    pub(super) fn fill(
        &mut self,
        buffer: BufferId,
        origin: Origin,
        value: &dyn Fn(Vec<Expr>) -> Expr,
    ) -> Block {
        let extents = (0..self.out[buffer].rank()).map(|dim| self.extent_in_scope(buffer, dim)).collect();
        vec![over_elements(&mut self.out, extents, origin, &mut |index| {
            Stmt::assign(Place::new(buffer, index.to_vec()), value(index.to_vec()), origin)
        })]
    }

    /// The extent to loop over: as declared, or the one that the caller decides.
    pub(super) fn extent_in_scope(&self, buffer: BufferId, dim: usize) -> Expr {
        match &self.out[buffer].dims[dim] {
            Expr { kind: ExprKind::Extent(..), .. } => Expr::extent(buffer, dim),
            declared => declared.clone(),
        }
    }
}
