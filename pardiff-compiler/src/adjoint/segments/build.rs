//! The steps in their segments, and the states that these begin with.

use super::find::ordinal;
use super::sizes::{Sizes, call};
use super::{Segments, Window};
use crate::adjoint::inplace_tapes::{in_slot, plus, redirect};
use crate::ir::{
    Block, Buffer, BufferId, Expr, For, Func, Marks, Origin, Phase, Place, Program, Role, Stmt, StmtKind, Ty,
    clone_stmts, over_elements, rename_buffer, substitute_all,
};

/// Puts the loop and its reversal in segments: `stmt` is the scope of the tapes; `others` come behind them, such as statements of
/// other loops that will be run again.
pub(super) fn build<'o>(
    program: &mut Program,
    stmt: &mut Stmt,
    segments: Segments,
    others: impl Iterator<Item = &'o mut Stmt>,
) {
    let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
    let Some((buffers, block)) = stmt.as_scope_mut() else { return };
    let Segments { forward, reverse, tapes, carried, slice, steps: asked } = segments;
    let [up, down] = [forward, reverse].map(|at| block[at].as_for().cloned());
    let (Some(mut up), Some(mut down)) = (up, down) else { return };
    let slice = For { marks: Marks::default(), ..up.around(slice) };
    let marks = Marks { checkpoint: None, segments: Some(asked), ..up.marks };
    (up.marks, down.marks) = (marks, marks);
    let sizes = Sizes::new(program, &up);
    let mut body = sizes.assigned(program, asked, (&tapes, &carried), origin);
    let states: Vec<State> = carried.iter().map(|&of| State::new(program, of, &sizes)).collect();
    let after = |stmt: &mut Stmt| redirect(stmt, &|place| sizes.after_all(program, &tapes, &up, place));
    let behind = block.iter_mut().enumerate().filter(|(at, _)| *at > forward && *at != reverse);
    behind.map(|(_, stmt)| stmt).for_each(after);
    others.for_each(after);
    let mut build = Build { program, sizes: &sizes, tapes: &tapes, states: &states, origin };
    let reversed = build.reversed(slice, down, block[reverse].origin);
    let forwards = build.forwards(up, block[forward].origin);
    block[reverse] = reversed;
    block[forward] = forwards;
    for window in &tapes {
        program[window.tape].dims[0] = sizes.slots(program, window);
    }
    buffers.extend(states.iter().map(|state| state.saved));
    let (buffers, block) = (std::mem::take(buffers), std::mem::take(block));
    body.push(Stmt::scope(buffers, block, stmt.origin));
    stmt.kind = StmtKind::Scope { buffers: vec![sizes.segment, sizes.segments], body };
}

/// What a segment begins with, and the buffer in which it is run again.
struct State {
    of: BufferId,
    saved: BufferId,
    again: BufferId,
}

impl State {
    fn new(program: &mut Program, of: BufferId, sizes: &Sizes) -> State {
        let like = program[of].clone();
        let extents = like.dims.clone();
        // the last segment is not run again
        let count = program.load_scalar(sizes.segments) - Expr::usize(1);
        let dims = std::iter::once(count).chain(extents.iter().cloned()).collect();
        let saved = Buffer::new(&format!("{}_checkpoint", like.name), like.elem, dims, Role::Tape);
        let again = Buffer::new(&like.name, like.elem, extents, Role::Local);
        State { of, saved: program.add_buffer(saved), again: program.add_buffer(again) }
    }
}

/// Where a step is: variables that it sets.
struct Here {
    part: BufferId,
    /// The number of the step in its segment: the slot in tapes without a window.
    step: BufferId,
    /// The slots in tapes with windows of so many slots.
    slots: Vec<(usize, BufferId)>,
}

impl Here {
    fn new(build: &mut Build<'_>) -> Here {
        let mut size = |name: &str| build.program.add_scalar(name, Ty::USIZE, Role::Local);
        let (part, step) = (size("part"), size("step"));
        let mut slots: Vec<(usize, BufferId)> = Vec::new();
        for window in build.tapes.iter().filter(|window| window.slots > 0) {
            if slots.iter().all(|&(known, _)| known != window.slots) {
                slots.push((window.slots, size("slot")));
            }
        }
        Here { part, step, slots }
    }

    fn all(&self) -> Vec<BufferId> {
        [self.part, self.step].into_iter().chain(self.slots.iter().map(|&(_, slot)| slot)).collect()
    }

    fn assigned(&self, build: &Build<'_>, number: &Expr) -> Block {
        let [part, step, segment] =
            [self.part, self.step, build.sizes.segment].map(|it| build.program.load_scalar(it));
        let mut all = vec![
            (self.part, number.clone() / segment.clone()),
            (self.step, number.clone() - part.clone() * segment),
        ];
        all.extend(
            self.slots.iter().map(|&(slots, slot)| (slot, part.clone() * Expr::usize(slots) + step.clone())),
        );
        all.into_iter().map(|(scalar, value)| Stmt::set(scalar, value, build.origin)).collect()
    }
}

/// An element of one of the tapes at the slot of a step instead of the iterator.
fn moved(tapes: &[Window], place: &Place, iter: &Expr, to: &dyn Fn(&Window) -> Expr) -> Option<Place> {
    let window = tapes.iter().find(|window| window.tape == place.buffer)?;
    let (slot, rest) = place.index.split_first()?;
    let slot = slot.map(&mut |node| if node == *iter { to(window) } else { node });
    Some(in_slot(window.tape, slot, rest))
}

struct Build<'a> {
    program: &'a mut Program,
    sizes: &'a Sizes,
    tapes: &'a [Window],
    states: &'a [State],
    origin: Origin,
}

/// A target and a source for the element of a buffer, and its index.
type Places<'a> = dyn Fn(Place, &[Expr]) -> (Place, Place) + 'a;

impl Build<'_> {
    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt::new(kind, self.origin)
    }

    /// The steps, which save the state when a segment begins.
    fn forwards(&mut self, up: For, origin: Origin) -> Stmt {
        let here = Here::new(self);
        let [part, segment, segments] =
            [here.part, self.sizes.segment, self.sizes.segments].map(|it| self.program.load_scalar(it));
        let mut moved = Block::new();
        for window in self.tapes {
            for slot in 0..window.slots {
                let before = (part.clone() - Expr::usize(1)) * Expr::usize(window.slots);
                let from = plus(&(before + segment.clone()), slot);
                let to = plus(&(part.clone() * Expr::usize(window.slots)), slot);
                moved.push(self.slot(window.tape, to, from));
            }
        }
        let copies = self.states.iter().map(|copy| {
            let saved = |of, index: &[Expr]| (in_slot(copy.saved, part.clone(), index), of);
            self.whole(copy.of, &saved)
        });
        let copies: Block = copies.collect();
        let is_again = plus(&part, 1).below(segments);
        let later = Expr::usize(0).below(part);
        let mut begins = Block::new();
        for (cond, then) in [(is_again, copies), (later, moved)] {
            if !then.is_empty() {
                begins.push(Stmt::when(cond, then, self.origin));
            }
        }
        if !begins.is_empty() {
            let cond = self.program.load_scalar(here.step).equal(Expr::usize(0));
            begins = vec![Stmt::when(cond, begins, self.origin)];
        }
        self.in_slots(up, here, begins, origin)
    }

    /// The reversed steps; the last one of a segment runs it again first.
    fn reversed(&mut self, slice: For, down: For, origin: Origin) -> Stmt {
        let here = Here::new(self);
        let [part, step, segment, segments] = [here.part, here.step, self.sizes.segment, self.sizes.segments]
            .map(|it| self.program.load_scalar(it));
        let mut run = Block::new();
        for copy in self.states {
            let saved = |again, index: &[Expr]| (again, in_slot(copy.saved, part.clone(), index));
            run.push(self.whole(copy.again, &saved));
        }
        let again = self.stmt(StmtKind::For(slice));
        let mut copy = clone_stmts(self.program, &[again]);
        self.states.iter().for_each(|state| rename_buffer(&mut copy, state.of, state.again));
        for stmt in copy {
            if let StmtKind::For(each) = stmt.kind {
                run.push(self.again(each, &part, Origin { phase: Phase::Replay, ..origin }));
            }
        }
        let buffers: Vec<BufferId> = self.states.iter().map(|copy| copy.again).collect();
        let then = match buffers.is_empty() {
            true => run,
            false => vec![self.stmt(StmtKind::Scope { buffers, body: run })],
        };
        let is_last = plus(&step, 1).equal(segment) & plus(&part, 1).below(segments);
        let again = Stmt::when(is_last, then, self.origin);
        self.in_slots(down, here, vec![again], origin)
    }

    /// The steps of a segment once more; it is not the last one, so it has all of them.
    ///
    /// For the scheduler, the bound is about one: a step is run again about as often as it is reversed.
    fn again(&mut self, mut each: For, part: &Expr, origin: Origin) -> Stmt {
        let iter = self.program.add_iter(&self.program[each.iter].name.clone(), Ty::USIZE);
        let step = Expr::iter(iter, Ty::USIZE);
        let old = ordinal(&each);
        let segment = self.program.load_scalar(self.sizes.segment);
        let here = |window: &Window| match window.slots {
            0 => step.clone(),
            slots => part.clone() * Expr::usize(slots) + step.clone(),
        };
        each.body.iter_mut().for_each(|stmt| redirect(stmt, &|place| moved(self.tapes, place, &old, &here)));
        let start = part.clone() * segment.clone();
        let number = start.clone() + step.clone();
        let value = if each.lo == Expr::usize(0) { number } else { each.lo.clone() + number };
        substitute_all(self.program, &mut each.body, each.iter, &value);
        let hi = call(Func::IntMin, segment, self.sizes.steps.clone() - start);
        Stmt::new(StmtKind::For(For { lo: Expr::usize(0), iter, hi, ..each }), origin)
    }

    /// The steps of a loop with the slots of their segment; `first` runs before each.
    fn in_slots(&mut self, mut each: For, here: Here, first: Block, origin: Origin) -> Stmt {
        let old = ordinal(&each);
        let slot = |window: &Window| match here.slots.iter().find(|(slots, _)| *slots == window.slots) {
            Some(&(_, slot)) => self.program.load_scalar(slot),
            None => self.program.load_scalar(here.step),
        };
        each.body.iter_mut().for_each(|stmt| redirect(stmt, &|place| moved(self.tapes, place, &old, &slot)));
        let mut body = here.assigned(self, &old);
        body.extend(first);
        body.append(&mut each.body);
        let buffers = here.all();
        each.body = vec![self.stmt(StmtKind::Scope { buffers, body })];
        each.stmt(origin)
    }

    /// A loop over the elements of a buffer: `places` gives the target and the source.
    fn whole(&mut self, of: BufferId, places: &Places<'_>) -> Stmt {
        self.each(self.program[of].dims.clone(), self.program[of].elem, &|index| {
            places(Place::new(of, index.to_vec()), index)
        })
    }

    /// One slot of a tape becomes another.
    fn slot(&mut self, tape: BufferId, to: Expr, from: Expr) -> Stmt {
        let extents = self.program[tape].dims[1..].to_vec();
        self.each(extents, self.program[tape].elem, &|index| {
            (in_slot(tape, to.clone(), index), in_slot(tape, from.clone(), index))
        })
    }

    fn each(&mut self, extents: Vec<Expr>, elem: Ty, places: &dyn Fn(&[Expr]) -> (Place, Place)) -> Stmt {
        let origin = self.origin;
        over_elements(self.program, extents, origin, &mut |index| {
            let (to, from) = places(index);
            Stmt::assign(to, from.load(elem), origin)
        })
    }
}
