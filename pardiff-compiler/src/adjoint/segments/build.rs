//! The two loops over segments, their checkpoints, and how many steps a segment has.

use super::{Limits, Segments, Window};
use crate::adjoint::states::{in_slot, plus, redirect};
use crate::adjoint::sweep::assign;
use crate::ir::{
    Block, Buffer, BufferId, Expr, ExprKind, For, Func, IterId, Order, Origin, Phase, Place, Program, Role, Stmt,
    StmtKind, Ty, duplicate,
};
use crate::restructure::substitute;

/// Puts the loop and its reversal in segments: `stmt` is the scope of the tapes.
pub(super) fn build(program: &mut Program, stmt: &mut Stmt, segments: Segments, limits: &Limits) {
    let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
    let placeholder = StmtKind::Fork { tasks: Vec::new() };
    let StmtKind::Scope { mut buffers, body: mut block } = std::mem::replace(&mut stmt.kind, placeholder) else {
        return;
    };
    let Segments { forward, reverse, tapes, carried, slice } = segments;
    let [up, down] = [forward, reverse].map(|at| match &block[at].kind {
        StmtKind::For(each) => Some(each.clone()),
        _ => None,
    });
    let (Some(up), Some(down)) = (up, down) else { return };
    let sizes = Sizes::new(program, up.hi.clone());
    let (assigned, checkpoints) = (sizes.assigned(program, &tapes, limits, origin), {
        let copies = carried.iter().map(|&of| Checkpoint::new(program, of, &sizes));
        copies.collect::<Vec<_>>()
    });
    for (at, stmt) in block.iter_mut().enumerate() {
        if at > forward && at != reverse {
            redirect(stmt, &|place| sizes.after_all(program, &tapes, &up, place));
        }
    }
    let mut build = Build { program, sizes: &sizes, tapes: &tapes, checkpoints: &checkpoints, origin };
    let reversed = build.reversed(&up, &down, slice, block[reverse].origin);
    let forwards = build.forwards(up, block[forward].origin);
    block[reverse] = reversed;
    block[forward] = forwards;
    for window in &tapes {
        program[window.tape].dims[0] = sizes.slots(program, window);
    }
    buffers.extend(checkpoints.iter().map(|checkpoint| checkpoint.saved));
    let inner = Stmt::new(StmtKind::Scope { buffers, body: block }, stmt.origin);
    let body = assigned.into_iter().chain([inner]).collect();
    stmt.kind = StmtKind::Scope { buffers: vec![sizes.segment, sizes.segments], body };
}

/// How long segments are.
struct Sizes {
    /// The steps of a segment but the last.
    segment: BufferId,
    segments: BufferId,
    /// The steps of the loop.
    steps: Expr,
}

/// What an element takes.
fn bytes(elem: Ty) -> usize {
    match elem {
        Ty::Int(int) => int.bits() as usize / 8,
        Ty::Float(float) => match float {
            crate::ir::Float::F32 => 4,
            crate::ir::Float::F64 => 8,
        },
        Ty::Bool => 1,
    }
}

fn call(func: Func, a: Expr, b: Expr) -> Expr {
    Expr::call(Ty::USIZE, func, vec![a, b])
}

impl Sizes {
    fn new(program: &mut Program, steps: Expr) -> Sizes {
        let [segment, segments] =
            ["segment", "segments"].map(|name| program.add_scalar(name, Ty::USIZE, Role::Local));
        Sizes { segment, segments, steps }
    }

    fn assigned(&self, program: &Program, tapes: &[Window], limits: &Limits, origin: Origin) -> Block {
        let of_step = |window: &Window| {
            let of = &program[window.tape];
            let bytes = Expr::usize(bytes(of.elem));
            of.dims[1..].iter().cloned().fold(bytes, |size, extent| call(Func::SaturatingMul, size, extent))
        };
        let mut bytes = tapes.iter().map(of_step);
        let first = bytes.next().unwrap_or_else(|| Expr::usize(0));
        let step = bytes.fold(first, |sum, more| call(Func::SaturatingAdd, sum, more));
        let fit = Expr::usize(limits.segment) / call(Func::IntMax, step.clone(), Expr::usize(1));
        let all = call(Func::SaturatingMul, self.steps.clone(), step);
        let small = all.at_most(Expr::usize(limits.whole));
        // a window is moved slot by slot, to where it has been read already
        let least = tapes.iter().map(|window| window.slots).fold(limits.steps, usize::max);
        let long = fit.clone().below(Expr::usize(least));
        let whole = small | long;
        let one = |size: Expr| call(Func::IntMax, size, Expr::usize(1));
        let segment = one(Expr::select(whole, self.steps.clone(), fit));
        let count = one(call(Func::DivCeil, self.steps.clone(), program.load_scalar(self.segment)));
        vec![
            assign(Place::scalar(self.segment), segment, origin),
            assign(Place::scalar(self.segments), count, origin),
        ]
    }

    /// How many slots a tape has: the windows of all segments, and the steps of one.
    fn slots(&self, program: &Program, window: &Window) -> Expr {
        let steps = call(Func::IntMin, program.load_scalar(self.segment), self.steps.clone());
        if window.slots == 0 {
            return steps;
        }
        let windows =
            call(Func::SaturatingMul, program.load_scalar(self.segments), Expr::usize(window.slots));
        call(Func::SaturatingAdd, windows, steps)
    }

    /// Where the slots are after the last step that followed a number of steps in one tape.
    fn after_all(&self, program: &Program, tapes: &[Window], up: &For, place: &Place) -> Option<Place> {
        let window = tapes.iter().find(|window| window.tape == place.buffer)?;
        let (slot, rest) = place.index.split_first()?;
        let behind = match &slot.kind {
            _ if *slot == up.hi => 0,
            ExprKind::Binary(_, _, by) => match by.kind {
                ExprKind::Int(by) => usize::try_from(by).ok()?,
                _ => return None,
            },
            _ => return None,
        };
        let last = program.load_scalar(self.segments) - Expr::usize(1);
        let start = last.clone() * program.load_scalar(self.segment);
        let base = last * Expr::usize(window.slots);
        Some(in_slot(window.tape, plus(&(base + (self.steps.clone() - start)), behind), rest))
    }
}

/// What a segment begins with, and the buffer in which it is run again.
struct Checkpoint {
    of: BufferId,
    saved: BufferId,
    again: BufferId,
}

impl Checkpoint {
    fn new(program: &mut Program, of: BufferId, sizes: &Sizes) -> Checkpoint {
        let like = program[of].clone();
        let extents = like.dims.clone();
        let count = program.load_scalar(sizes.segments);
        let dims = std::iter::once(count).chain(extents.iter().cloned()).collect();
        let saved = Buffer::new(&format!("{}_checkpoint", like.name), like.elem, dims, Role::Tape);
        let again = Buffer::new(&like.name, like.elem, extents, Role::Local);
        Checkpoint { of, saved: program.add_buffer(saved), again: program.add_buffer(again) }
    }
}

struct Build<'a> {
    program: &'a mut Program,
    sizes: &'a Sizes,
    tapes: &'a [Window],
    checkpoints: &'a [Checkpoint],
    origin: Origin,
}

impl Build<'_> {
    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt::new(kind, self.origin)
    }

    fn index(&mut self, name: &str) -> (IterId, Expr) {
        let iter = self.program.add_iter(name, Ty::USIZE);
        (iter, Expr::iter(iter, Ty::USIZE))
    }

    fn forwards(&mut self, up: For, origin: Origin) -> Stmt {
        let (iter, number) = self.index("part");
        let segment = self.program.load_scalar(self.sizes.segment);
        let more = plus(&number, 1).below(self.program.load_scalar(self.sizes.segments));
        let mut body = Block::new();
        let several = Expr::usize(1).below(self.program.load_scalar(self.sizes.segments));
        let copies: Block = self
            .checkpoints
            .iter()
            .map(|copy| self.whole(copy.of, |of, index| (in_slot(copy.saved, number.clone(), index), of)))
            .collect();
        if !copies.is_empty() {
            body.push(self.stmt(StmtKind::If { cond: several, then: copies, els: Block::new() }));
        }
        let start = self.start();
        let steps = self.steps(up, &number, start, origin);
        body.push(steps);
        let mut moved = Block::new();
        for window in self.tapes {
            for slot in 0..window.slots {
                let from = plus(&(number.clone() * Expr::usize(window.slots) + segment.clone()), slot);
                let to = plus(&(plus(&number, 1) * Expr::usize(window.slots)), slot);
                moved.push(self.slot(window.tape, to, from));
            }
        }
        if !moved.is_empty() {
            body.push(self.stmt(StmtKind::If { cond: more, then: moved, els: Block::new() }));
        }
        self.parts(iter, Order::Up, start, body)
    }

    fn reversed(&mut self, up: &For, down: &For, slice: Block, origin: Origin) -> Stmt {
        let (iter, number) = self.index("part");
        let start = self.start();
        let again = For { body: slice, ..up.clone() };
        let again = self.stmt(StmtKind::For(again));
        let mut again = duplicate(self.program, &[again]);
        let segments = self.program.load_scalar(self.sizes.segments);
        let earlier = plus(&number, 1).below(segments);
        for copy in self.checkpoints {
            again.iter_mut().for_each(|stmt| rename(stmt, copy.of, copy.again));
        }
        let mut body = Block::new();
        if let Some(Stmt { kind: StmtKind::For(each), .. }) = again.pop() {
            let replayed = Origin { phase: Phase::Replay, ..origin };
            let mut steps = self.steps(each, &number, start, replayed);
            if self.checkpoints.is_empty() {
                // one sequence of steps, forwards and backwards
                if let StmtKind::For(each) = &mut steps.kind {
                    each.hi = Expr::select(earlier, each.hi.clone(), Expr::usize(0));
                }
                body.push(steps);
            } else {
                let mut run = Block::new();
                for copy in self.checkpoints {
                    let saved = |index: &[Expr]| in_slot(copy.saved, number.clone(), index);
                    run.push(self.whole(copy.again, |again, index| (again, saved(index))));
                }
                run.push(steps);
                let buffers = self.checkpoints.iter().map(|copy| copy.again).collect();
                let then = vec![self.stmt(StmtKind::Scope { buffers, body: run })];
                body.push(self.stmt(StmtKind::If { cond: earlier, then, els: Block::new() }));
            }
        }
        let steps = self.steps(down.clone(), &number, start, origin);
        body.push(steps);
        self.parts(iter, Order::Down, start, body)
    }

    fn start(&mut self) -> BufferId {
        self.program.add_scalar("start", Ty::USIZE, Role::Local)
    }

    /// The loop over the segments.
    fn parts(&mut self, iter: IterId, order: Order, start: BufferId, body: Block) -> Stmt {
        let first = Expr::iter(iter, Ty::USIZE) * self.program.load_scalar(self.sizes.segment);
        let all = std::iter::once(assign(Place::scalar(start), first, self.origin)).chain(body).collect();
        let scope = self.stmt(StmtKind::Scope { buffers: vec![start], body: all });
        let hi = self.program.load_scalar(self.sizes.segments);
        self.stmt(StmtKind::For(For { order, ..For::counted(iter, hi, vec![scope]) }))
    }

    /// The steps of one segment, by their number in it.
    fn steps(&mut self, mut each: For, part: &Expr, start: BufferId, origin: Origin) -> Stmt {
        let (iter, step) = self.index(&self.program[each.iter].name.clone());
        let old = Expr::iter(each.iter, Ty::USIZE);
        let here = |place: &Place| {
            let window = self.tapes.iter().find(|window| window.tape == place.buffer)?;
            let (slot, rest) = place.index.split_first()?;
            let base = match window.slots {
                0 => step.clone(),
                slots => part.clone() * Expr::usize(slots) + step.clone(),
            };
            let slot = slot.map(&mut |node| if node == old { base.clone() } else { node });
            Some(in_slot(window.tape, slot, rest))
        };
        each.body.iter_mut().for_each(|stmt| redirect(stmt, &here));
        let from = self.program.load_scalar(start);
        substitute(self.program, &mut each.body, each.iter, &(from.clone() + step));
        let left = self.sizes.steps.clone() - from;
        let hi = call(Func::IntMin, self.program.load_scalar(self.sizes.segment), left);
        Stmt::new(StmtKind::For(For { iter, hi, ..each }), origin)
    }

    /// A loop over the elements of a buffer: `places` gives the target and the source.
    fn whole(&mut self, of: BufferId, places: impl FnOnce(Place, &[Expr]) -> (Place, Place)) -> Stmt {
        self.each(self.program[of].dims.clone(), self.program[of].elem, |index| places(Place::new(of, index.to_vec()), index))
    }

    /// One slot of a tape becomes another.
    fn slot(&mut self, tape: BufferId, to: Expr, from: Expr) -> Stmt {
        let extents = self.program[tape].dims[1..].to_vec();
        self.each(extents, self.program[tape].elem, |index| {
            (in_slot(tape, to, index), in_slot(tape, from, index))
        })
    }

    fn each(
        &mut self,
        extents: Vec<Expr>,
        elem: Ty,
        places: impl FnOnce(&[Expr]) -> (Place, Place),
    ) -> Stmt {
        let iters: Vec<IterId> = extents.iter().map(|_| self.program.add_iter("e", Ty::USIZE)).collect();
        let index: Vec<Expr> = iters.iter().map(|&iter| Expr::iter(iter, Ty::USIZE)).collect();
        let (to, from) = places(&index);
        let mut stmt = assign(to, from.load(elem), self.origin);
        for (hi, iter) in extents.into_iter().zip(iters).rev() {
            stmt = self.stmt(StmtKind::For(For::counted(iter, hi, vec![stmt])));
        }
        stmt
    }
}

/// Lets a statement use another buffer.
fn rename(stmt: &mut Stmt, from: BufferId, to: BufferId) {
    redirect(stmt, &|place| (place.buffer == from).then(|| Place::new(to, place.index.clone())));
    renamed(stmt, from, to);
}

fn renamed(stmt: &mut Stmt, from: BufferId, to: BufferId) {
    if let StmtKind::Swap { a, b } = &mut stmt.kind {
        for it in [a, b] {
            *it = if *it == from { to } else { *it };
        }
    }
    stmt.blocks_mut().into_iter().flatten().for_each(|inner| renamed(inner, from, to));
}
