//! Binomial checkpoints: of all schedules with so many states, one that runs the fewest steps again (Griewank and
//! Walther, Algorithm 799: revolve). One step at a time is on tapes.
//!
//! ```text
//!                              kept = 0; next = 0
//! for t in 0..steps            for t in 0..steps
//!   tape[t] = e(x)               if t + 1 == steps {again = x}
//!   x = f(x)                     if t == next & t + 1 < steps {keep x of t, until steps}
//!                                x = f(x)
//! rest                     =>  rest
//! for t in 0..steps down       for t in 0..steps down
//!   r(tape[t])                   if t + 1 < steps
//!                                  from = step_of[kept - 1]; again = checkpoint[kept - 1]
//!                                  if from == t {kept = kept - 1}
//!                                  else {next = from + binomial(t + 1 - from, slots - kept)}
//!                                  for k in from..t
//!                                    if k == next {keep again of k, until t + 1}
//!                                    again = f(again)
//!                                tape = e(again)
//!                                r(tape)
//! ```
//!
//! where to keep `x` of `k`, until `end`, is
//!
//! ```text
//! checkpoint[kept] = x; step_of[kept] = k; kept = kept + 1; next = k + binomial(end - k, slots - kept)
//! ```
//!
//! and `binomial(steps, free)`, a function of the runtime, says after how many of the steps the next state is kept. The
//! last step begins with the state that the forward sweep had there, as in Algorithm 799.
//!
//! **Cost.** With `c` states, and the least `r` with `steps <= C(c + r, c)`, steps run again `r * steps - C(c + r, c +
//! 1) + 1` times, which is least for `c` states that are kept.

use super::build::{Build, Pair, Parts, State};
use super::forward::without_tapes;
use super::sizes::{least, most, number};
use crate::adjoint::inplace_tapes::{in_slot, plus};
use crate::ir::{
    Block, Buffer, BufferId, Count, Expr, For, Func, Marks, Order, Origin, Phase, Place, Role, Stmt, Ty,
    rename_buffer, scoped_as,
};

/// What is known of the states that are kept.
struct Kept {
    /// How many there may be.
    slots: BufferId,
    /// How many there are.
    count: BufferId,
    /// The step whose state is kept next.
    next: BufferId,
    /// The steps of those that are kept.
    step_of: BufferId,
    states: Vec<State>,
}

impl Build<'_> {
    /// The loop, which keeps so many states, and its reversal.
    pub(super) fn binomial(&mut self, slots: Count, pair: Pair) -> Parts {
        let Pair { steps, up, fill, down, carried, origins: [of_up, of_down] } = pair;
        let [of_slots, count, next] =
            ["slots", "kept", "next"].map(|name| self.program.add_scalar(name, Ty::USIZE, Role::Local));
        let most_slots = most(least(number(slots), steps.clone()), 1);
        let slots = self.program.load_scalar(of_slots);
        let step_of = Buffer::new("step_of", Ty::USIZE, vec![slots.clone()], Role::Tape);
        let step_of = self.program.add_buffer(step_of);
        let states = carried.iter().map(|&of| State::new(self.program, of, slots.clone())).collect();
        let kept = Kept { slots: of_slots, count, next, step_of, states };
        let sizes = [(of_slots, most_slots), (count, Expr::usize(0)), (next, Expr::usize(0))]
            .map(|(scalar, value)| Stmt::set(scalar, value, self.origin));
        let forward = self.keeping_some(&kept, &steps, (up, of_up));
        let reverse = self.reversed_steps(&kept, &steps, [fill, down], [of_up, of_down]);
        let saved = kept.states.iter().flat_map(|state| [state.saved, state.again]);
        Parts {
            lengths: vec![of_slots, count, next],
            sizes: sizes.into(),
            states: saved.chain([step_of]).collect(),
            forward: vec![forward],
            reverse: vec![reverse],
        }
    }

    /// The steps, which keep some states, and the one that the last step begins with.
    fn keeping_some(&mut self, kept: &Kept, steps: &Expr, (up, origin): (For, Origin)) -> Stmt {
        let iter = self.program.add_iter(&self.program[up.iter].name.clone(), Ty::USIZE);
        let step = Expr::iter(iter, Ty::USIZE);
        let next = self.program.load_scalar(kept.next);
        let keep = self.keep(kept, |state| state.of, &step, steps);
        let last: Block = kept.states.iter().map(|state| self.copy(state.again, state.of)).collect();
        let mut body = vec![
            Stmt::when(plus(&step, 1).equal(steps.clone()), last, self.origin),
            Stmt::when(step.clone().equal(next) & plus(&step, 1).below(steps.clone()), keep, self.origin),
        ];
        body.extend(self.advance(&up, origin, &step));
        let marks = Marks { segments: Some(self.asked), ..Marks::default() };
        let each = For { marks, ..For::counted(iter, steps.clone(), body) };
        each.stmt(Origin { phase: Phase::Adjoint, ..origin })
    }

    /// The steps from the last to the first: each runs again from the newest state that is kept.
    fn reversed_steps(
        &mut self,
        kept: &Kept,
        steps: &Expr,
        [fill, down]: [For; 2],
        [of_up, of_down]: [Origin; 2],
    ) -> Stmt {
        let origin = self.origin;
        let iter = self.program.add_iter(&self.program[down.iter].name.clone(), Ty::USIZE);
        let step = Expr::iter(iter, Ty::USIZE);
        let of_again = Origin { phase: Phase::Replay, ..of_up };
        let mut fill = self.copied(&fill, of_again);
        kept.states.iter().for_each(|state| rename_buffer(&mut fill.body, state.of, state.again));
        let from = self.program.add_scalar("from", Ty::USIZE, Role::Local);
        let first = self.program.load_scalar(from);
        let newest = self.program.load_scalar(kept.count) - Expr::usize(1);
        let of_newest = Place::new(kept.step_of, vec![newest.clone()]).load(Ty::USIZE);
        let mut again = vec![Stmt::set(from, of_newest, origin)];
        for state in &kept.states {
            let saved = |of, index: &[Expr]| (of, in_slot(state.saved, newest.clone(), index));
            again.push(self.whole(state.again, &saved));
        }
        let is_here = first.clone().equal(step.clone());
        let end = plus(&step, 1);
        let next = self.next(kept, &first, &end);
        let freed = vec![Stmt::set(kept.count, newest, origin)];
        again.push(Stmt::when(is_here.clone(), freed, origin));
        again.push(Stmt::when(!is_here, vec![next], origin));
        let iter_again = self.program.add_iter(&self.program[fill.iter].name.clone(), Ty::USIZE);
        let at = Expr::iter(iter_again, Ty::USIZE);
        let is_next = at.clone().equal(self.program.load_scalar(kept.next));
        let keep = self.keep(kept, |state| state.again, &at, &end);
        let mut run = vec![Stmt::when(is_next, keep, origin)];
        run.extend(self.advance(&fill, of_again, &at));
        let to_here = For { lo: first, ..For::counted(iter_again, step.clone(), run) };
        again.push(to_here.stmt(of_again));
        let is_before_last = end.below(steps.clone());
        let mut body = vec![Stmt::when(is_before_last, scoped_as(vec![from], again, origin), origin)];
        body.extend(self.step(Vec::new(), Block::new(), [fill, down], &step));
        let marks = Marks { segments: Some(self.asked), ..Marks::default() };
        let each = For { order: Order::Down, marks, ..For::counted(iter, steps.clone(), body) };
        each.stmt(Origin { phase: Phase::Adjoint, ..of_down })
    }

    /// Keeps the state of a step, of which `end` is the first step behind those to be reversed with it.
    fn keep(&mut self, kept: &Kept, of: fn(&State) -> BufferId, step: &Expr, end: &Expr) -> Block {
        let slot = self.program.load_scalar(kept.count);
        let mut body = Block::new();
        for state in &kept.states {
            let saved = |from, index: &[Expr]| (in_slot(state.saved, slot.clone(), index), from);
            body.push(self.whole(of(state), &saved));
        }
        let step_of = Place::new(kept.step_of, vec![slot.clone()]);
        body.push(Stmt::assign(step_of, step.clone(), self.origin));
        body.push(Stmt::set(kept.count, plus(&slot, 1), self.origin));
        body.push(self.next(kept, step, end));
        body
    }

    /// Sets the step whose state is kept next, behind one whose state is.
    fn next(&mut self, kept: &Kept, step: &Expr, end: &Expr) -> Stmt {
        let [slots, count] = [kept.slots, kept.count].map(|it| self.program.load_scalar(it));
        let behind =
            Expr::call(Ty::USIZE, Func::BinomialCheckpoint, vec![end.clone() - step.clone(), slots - count]);
        Stmt::set(kept.next, step.clone() + behind, self.origin)
    }

    /// One step without its tapes.
    fn advance(&mut self, each: &For, origin: Origin, at: &Expr) -> Block {
        let mut each = self.copied(each, origin);
        let (run, held) = without_tapes(self.program, each.body, self.tapes, self.growing);
        each.body = run;
        let run = self.iteration(each, at);
        scoped_as(held, run, self.origin)
    }

    fn copy(&mut self, to: BufferId, from: BufferId) -> Stmt {
        self.whole(from, &|from, index| (Place::new(to, index.to_vec()), from))
    }
}
