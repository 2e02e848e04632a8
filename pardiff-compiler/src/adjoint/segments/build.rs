//! The steps in their segments, and the states that these begin with.

use super::Segments;
use super::find::ordinal;
use super::forward::without_tapes;
use super::growing::Growing;
use super::sizes::{Level, Sizes, least};
use crate::adjoint::inplace_tapes::{in_slot, plus, redirect};
use crate::ir::{
    Block, Buffer, BufferId, Checkpoint, Expr, For, IterId, Lengths, Marks, Order, Origin, Phase, Place,
    Program, Role, Stmt, StmtKind, Ty, clone_stmts, over_elements, rename_buffer, scoped_as, substitute_all,
};
use crate::schedule::cost::trip_count;

/// Puts the loop and its reversal in segments: `stmt` is the scope of the tapes. Returns the loop that runs where
/// all of its tapes fit, if there is one.
pub(super) fn build(program: &mut Program, stmt: &mut Stmt, segments: Segments) -> Option<IterId> {
    let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
    let (buffers, block) = stmt.as_scope_mut()?;
    let Segments {
        forward,
        reverse,
        mut up,
        tapes,
        growing,
        whole,
        carried,
        overwritten,
        slice,
        asked,
        by_step,
    } = segments;
    let mut down = block[reverse].as_for()?.clone();
    let [of_up, of_down] = [forward, reverse].map(|at| block[at].origin);
    (up.marks, down.marks) = (unmarked(up.marks), unmarked(down.marks));
    let until_left = block[forward].as_while().cloned();
    let steps = trip_count(if until_left.is_some() { &down } else { &up });
    let sizes = Sizes::new(program, asked, by_step, steps.clone());
    let mut body = Block::new();
    if until_left.is_none() {
        let kept = [&whole[..], &overwritten].concat();
        body =
            sizes.assigned(program, None, (&[&tapes[..], &growing.tapes].concat(), &carried, &kept), origin);
    }
    buffers.retain(|buffer| !tapes.contains(buffer) && !growing.all().contains(buffer));
    let mut build =
        Build { program, tapes: &tapes, growing: &growing, sizes: &sizes, asked, by_step, origin };
    let taped = sizes.taped.map(|taped| build.taped(taped, &up, &down, [of_up, of_down]));
    let mut fill = up.around(slice);
    let before = build.kept(overwritten, &mut fill.body);
    let pair =
        Pair { steps: sizes.in_segments(build.program), up, fill, down, carried, origins: [of_up, of_down] };
    let Parts { lengths, sizes: of_parts, states, forward: mut forwards, reverse: mut reverses } =
        match until_left {
            Some(each) => build.until_left(each, pair),
            None => match asked.lengths {
                Lengths::Binomial(slots) => build.binomial(slots, pair),
                _ => build.in_parts(pair, 0),
            },
        };
    let mut alone = None;
    if let Some(Taped { tapes, mut loops }) = taped {
        buffers.extend(tapes);
        reverses.splice(0..0, loops.drain(1..));
        alone = loops.first().and_then(Stmt::iter);
        forwards.append(&mut loops);
    }
    buffers.extend(states.into_iter().chain(before.buffers));
    block.splice(reverse..=reverse, reverses);
    block.splice(forward..=forward, before.copies.into_iter().chain(forwards));
    growing.drop_begins(block);
    let (buffers, block) = (std::mem::take(buffers), std::mem::take(block));
    let mut inner = of_parts;
    inner.extend(scoped_as(buffers, block, stmt.origin));
    let mut all = body;
    all.push(Stmt::scope(lengths, inner, origin));
    stmt.kind = StmtKind::Scope { buffers: sizes.scalars(), body: all };
    alone
}

fn unmarked(marks: Marks) -> Marks {
    Marks { checkpoint: None, ..marks }
}

/// A loop over time with its reversal.
pub(super) struct Pair {
    /// How many steps they have.
    pub(super) steps: Expr,
    /// All that a step does.
    pub(super) up: For,
    /// The part of it that fills tapes.
    pub(super) fill: For,
    pub(super) down: For,
    pub(super) carried: Vec<BufferId>,
    /// Those of the user's loop and of its reversal.
    pub(super) origins: [Origin; 2],
}

/// The same in segments, with what is declared around both, and what the sizes are.
pub(super) struct Parts {
    pub(super) lengths: Vec<BufferId>,
    pub(super) sizes: Block,
    pub(super) states: Vec<BufferId>,
    pub(super) forward: Block,
    pub(super) reverse: Block,
}

/// The pair with whole tapes.
struct Taped {
    tapes: Vec<BufferId>,
    /// The loop and its reversal.
    loops: Block,
}

/// What a segment begins with, and the buffer in which it is run again.
pub(super) struct State {
    pub(super) of: BufferId,
    pub(super) saved: BufferId,
    pub(super) again: BufferId,
}

impl State {
    pub(super) fn new(program: &mut Program, of: BufferId, count: Expr) -> State {
        let like = program[of].clone();
        let extents = like.dims.clone();
        let dims = std::iter::once(count).chain(extents.iter().cloned()).collect();
        let saved = Buffer::new(&format!("{}_checkpoint", like.name), like.elem, dims, Role::Tape);
        let again = Buffer::new(&like.name, like.elem, extents, Role::Local);
        State { of, saved: program.add_buffer(saved), again: program.add_buffer(again) }
    }
}

/// Copies of what is overwritten behind the loop.
struct Before {
    buffers: Vec<BufferId>,
    copies: Block,
}

/// Where a segment is.
struct Here {
    /// The steps before it, if there are any.
    past: Option<BufferId>,
    /// How many it has.
    count: BufferId,
}

/// What there is for each segment of a loop over them.
struct Part {
    iter: IterId,
    here: Here,
    /// The scalars that say where it is, and what sets them.
    scalars: Vec<BufferId>,
    begins: Block,
}

/// A target and a source for the element of a buffer, and its index.
type Places<'a> = dyn Fn(Place, &[Expr]) -> (Place, Place) + 'a;

pub(super) struct Build<'a> {
    pub(super) program: &'a mut Program,
    pub(super) tapes: &'a [BufferId],
    pub(super) growing: &'a Growing,
    pub(super) sizes: &'a Sizes,
    pub(super) asked: Checkpoint,
    pub(super) by_step: bool,
    pub(super) origin: Origin,
}

impl Build<'_> {
    /// Copies before the loop, which the steps that run again read.
    fn kept(&mut self, overwritten: Vec<BufferId>, fill: &mut Block) -> Before {
        let mut before = Before { buffers: Vec::new(), copies: Block::new() };
        for of in overwritten {
            let like = self.program[of].clone();
            let own = Buffer::new(&format!("{}_kept", like.name), like.elem, like.dims, Role::Tape);
            let own = self.program.add_buffer(own);
            before.copies.push(self.whole(of, &|from, index| (Place::new(own, index.to_vec()), from)));
            rename_buffer(fill, of, own);
            before.buffers.push(own);
        }
        before
    }

    /// The pair in segments, at a level below the whole loop.
    fn in_parts(&mut self, pair: Pair, depth: usize) -> Parts {
        let level = Level::new(self.program, depth);
        let sizes = self.sizes.of_level(self.program, &level, &pair.steps, depth, self.origin);
        let count = self.program.load_scalar(level.segments);
        let states = pair.carried.iter().map(|&of| State::new(self.program, of, count.clone()));
        let states: Vec<State> = states.collect();
        let saved = states.iter().map(|state| state.saved).collect();
        let Pair { steps, up, fill, down, origins: [of_up, of_down], .. } = pair;
        let forward = self.forward(&level, &steps, &states, (up, of_up), depth);
        let reverse = self.reverse(&level, &steps, &states, (fill, down), [of_up, of_down], depth);
        Parts {
            lengths: vec![level.segment, level.segments],
            sizes,
            states: saved,
            forward: vec![forward],
            reverse: vec![reverse],
        }
    }

    /// The steps, which save the state when a segment begins. Behind a loop that runs again nobody looks at its
    /// last state, so the last segment of such a loop has to begin, and no more.
    fn forward(
        &mut self,
        level: &Level,
        steps: &Expr,
        states: &[State],
        up: (For, Origin),
        depth: usize,
    ) -> Stmt {
        let (up, origin) = up;
        let of = self.part(level, steps);
        let part = Expr::iter(of.iter, Ty::USIZE);
        let copies = states.iter().map(|state| {
            let saved = |of, index: &[Expr]| (in_slot(state.saved, part.clone(), index), of);
            self.whole(state.of, &saved)
        });
        let mut body: Block = copies.collect();
        let mut run = self.copied(&up, origin);
        self.count_from(&mut run, &of.here);
        let (run, held) = without_tapes(self.program, vec![run.stmt(origin)], self.tapes, self.growing);
        let run = scoped_as(held, run, self.origin);
        match depth {
            0 => body.extend(run),
            _ => {
                let segments = self.program.load_scalar(level.segments);
                body.push(Stmt::when(plus(&part, 1).below(segments), run, self.origin));
            }
        }
        self.over_segments(level, of, body, Order::Up, origin)
    }

    /// The segments from the last to the first: each runs again from its state, and is reversed.
    pub(super) fn reverse(
        &mut self,
        level: &Level,
        steps: &Expr,
        states: &[State],
        (fill, down): (For, For),
        [of_up, of_down]: [Origin; 2],
        depth: usize,
    ) -> Stmt {
        let of = self.part(level, steps);
        let part = Expr::iter(of.iter, Ty::USIZE);
        let again: Vec<BufferId> = states.iter().map(|state| state.again).collect();
        let copies = states.iter().map(|state| {
            let saved = |again, index: &[Expr]| (again, in_slot(state.saved, part.clone(), index));
            self.whole(state.again, &saved)
        });
        let mut body: Block = copies.collect();
        let of_again = Origin { phase: Phase::Replay, ..of_up };
        let mut fill = self.copied(&fill, of_again);
        states.iter().for_each(|state| rename_buffer(&mut fill.body, state.of, state.again));
        let is_innermost = depth + 1 == self.sizes.depth();
        if is_innermost && self.by_step {
            let inside = self.step(again, body, [fill, down], &part);
            return self.over_segments(level, of, inside, Order::Down, of_down);
        }
        let mut down = down;
        for each in [&mut fill, &mut down] {
            self.count_from(each, &of.here);
        }
        let inside = match is_innermost {
            true => {
                let slots = self.sizes.slots(self.program, level);
                self.tapes.iter().for_each(|&tape| self.program[tape].dims[0] = slots.clone());
                body.extend(self.growing.begins(self.origin));
                body.extend([fill.stmt(of_again), down.stmt(of_down)]);
                scoped_as([&again[..], self.tapes, &self.growing.all()].concat(), body, self.origin)
            }
            false => self.deeper(&of.here, again, (body, fill, down), [of_again, of_down], depth),
        };
        self.over_segments(level, of, inside, Order::Down, of_down)
    }

    /// A segment that runs again is a pair of loops as the whole is, and so is in segments itself.
    fn deeper(
        &mut self,
        here: &Here,
        again: Vec<BufferId>,
        (mut body, fill, down): (Block, For, For),
        origins: [Origin; 2],
        depth: usize,
    ) -> Block {
        let steps = self.program.load_scalar(here.count);
        let pair = Pair { steps, up: fill.clone(), fill, down, carried: again.clone(), origins };
        let Parts { lengths, mut sizes, states, forward, reverse } = self.in_parts(pair, depth + 1);
        body.extend(forward.into_iter().chain(reverse));
        sizes.extend(scoped_as([again, states].concat(), body, self.origin));
        vec![Stmt::scope(lengths, sizes, self.origin)]
    }

    /// The pair with all of its tapes, where these fit; where they do not, its loops are empty.
    fn taped(&mut self, taped: BufferId, up: &For, down: &For, [of_up, of_down]: [Origin; 2]) -> Taped {
        let all = Here { past: None, count: taped };
        let copies = [(up, of_up), (down, of_down)].map(|(each, origin)| {
            let mut copy = self.copied(each, origin);
            self.count_from(&mut copy, &all);
            copy.stmt(origin)
        });
        let mut copies = Block::from(copies);
        let count = self.program.load_scalar(taped);
        let mut tapes = Vec::new();
        for &tape in self.tapes {
            let mut of = self.program[tape].clone();
            of.dims[0] = count.clone();
            let own = self.program.add_buffer(of);
            rename_buffer(&mut copies, tape, own);
            tapes.push(own);
        }
        Taped { tapes, loops: copies }
    }

    /// A loop over segments begins.
    fn part(&mut self, level: &Level, steps: &Expr) -> Part {
        let iter = self.program.add_iter("part", Ty::USIZE);
        let [past, count] =
            ["past", "count"].map(|name| self.program.add_scalar(name, Ty::USIZE, Role::Local));
        let segment = self.program.load_scalar(level.segment);
        let left = steps.clone() - self.program.load_scalar(past);
        let begins = vec![
            Stmt::set(past, Expr::iter(iter, Ty::USIZE) * segment.clone(), self.origin),
            Stmt::set(count, least(segment, left), self.origin),
        ];
        Part { iter, here: Here { past: Some(past), count }, scalars: vec![past, count], begins }
    }

    fn over_segments(
        &mut self,
        level: &Level,
        part: Part,
        body: Block,
        order: Order,
        origin: Origin,
    ) -> Stmt {
        let Part { iter, scalars, mut begins, .. } = part;
        begins.extend(body);
        let body = vec![Stmt::scope(scalars, begins, self.origin)];
        let marks = Marks { segments: Some(self.asked), ..Marks::default() };
        let hi = self.program.load_scalar(level.segments);
        let each = For { order, marks, ..For::counted(iter, hi, body) };
        each.stmt(Origin { phase: Phase::Adjoint, ..origin })
    }

    /// The loop with iterators and buffers of its own.
    pub(super) fn copied(&mut self, each: &For, origin: Origin) -> For {
        let copy = clone_stmts(self.program, &[each.clone().stmt(origin)]).pop();
        copy.and_then(|it| it.as_for().cloned()).unwrap_or_else(|| each.clone())
    }

    /// The loop over the steps of one segment: the slots of tapes count from its beginning.
    fn count_from(&mut self, each: &mut For, here: &Here) {
        let iter = self.program.add_iter(&self.program[each.iter].name.clone(), Ty::USIZE);
        let step = Expr::iter(iter, Ty::USIZE);
        let old = ordinal(each);
        let slot = |place: &Place| {
            let (first, rest) = place.index.split_first()?;
            let of_tape = self.tapes.contains(&place.buffer) && *first == old;
            of_tape.then(|| in_slot(place.buffer, step.clone(), rest))
        };
        each.body.iter_mut().for_each(|stmt| redirect(stmt, &slot));
        let lo = std::mem::replace(&mut each.lo, Expr::usize(0));
        let past = here.past.map(|past| self.program.load_scalar(past));
        let before = Some(lo).filter(|lo| *lo != Expr::usize(0)).into_iter().chain(past);
        let value = before.chain([step]).reduce(|a, b| a + b).unwrap_or_else(|| Expr::usize(0));
        substitute_all(self.program, &mut each.body, each.iter, &value);
        (each.iter, each.hi) = (iter, self.program.load_scalar(here.count));
    }

    /// A loop over the elements of a buffer: `places` gives the target and the source.
    pub(super) fn whole(&mut self, of: BufferId, places: &Places<'_>) -> Stmt {
        let (origin, elem) = (self.origin, self.program[of].elem);
        let extents = self.program[of].dims.clone();
        over_elements(self.program, extents, origin, &mut |index| {
            let (to, from) = places(Place::new(of, index.to_vec()), index);
            Stmt::assign(to, from.load(elem), origin)
        })
    }
}
