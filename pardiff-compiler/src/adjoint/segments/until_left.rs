//! Loops whose number of steps is known when they have ended: they keep a few states at equal distances, and drop
//! every second one where there are too many, so that the distance doubles.
//!
//! ```text
//!                          segment = 1; segments = 0
//! loop t                   loop t
//!   while cond               while cond
//!   trips = t + 1            trips = t + 1
//!   tape[t] = e(x)     =>    if t == segments * segment
//!   x = f(x)                   if segments == states
//!                                for part in 0..(states + 1) / 2
//!                                  checkpoint[part] = checkpoint[2 * part]
//!                                segments = (states + 1) / 2; segment = 2 * segment
//!                              if t == segments * segment
//!                                checkpoint[segments] = x
//!                                segments = segments + 1
//!                            x = f(x)
//! ```
//!
//! So state `part` is always that of step `part * segment`, and when the loop has ended there are so many segments as
//! a counted loop of `trips` steps has. The reverse sweep is that of a counted loop. Segments are of at most
//! `2 * trips / states` steps.

use super::build::{Build, Pair, Parts, State};
use super::forward::without_tapes;
use super::sizes::{Level, div_ceil, number};
use crate::adjoint::inplace_tapes::{in_slot, plus};
use crate::ir::{
    Block, Count, Expr, For, Lengths, Marks, Order, Place, Stmt, StmtKind, Ty, While, clone_stmts,
    over_elements, scoped_as,
};

/// The states that are kept where the mark does not say how many.
const STATES: Count = Count::Number(64);

impl Build<'_> {
    /// The loop in segments, and its reversal.
    pub(super) fn until_left(&mut self, each: While, pair: Pair) -> Parts {
        let level = Level::new(self.program, 0);
        let states = match self.asked.lengths {
            Lengths::States(states) => number(states),
            _ => number(STATES),
        };
        let kept = pair.carried.iter().map(|&of| State::new(self.program, of, states.clone()));
        let kept: Vec<State> = kept.collect();
        let sizes = [(level.segment, 1), (level.segments, 0)]
            .map(|(scalar, value)| Stmt::set(scalar, Expr::usize(value), self.origin));
        let Pair { steps, fill, down, carried, origins: [of_up, of_down], .. } = pair;
        let segment = self.program.load_scalar(level.segment);
        let of_step = [self.tapes, &self.growing.tapes].concat();
        let mut reverse =
            self.sizes.assigned(self.program, Some(segment), (&of_step, &carried, &[]), self.origin);
        let forward = self.keeping(each, &level, &kept, &states).into_iter();
        let forward = forward.map(|kind| Stmt::new(kind, of_up)).collect();
        reverse.push(self.reverse(&level, &steps, &kept, (fill, down), [of_up, of_down], 0));
        let saved = kept.iter().map(|state| state.saved).collect();
        Parts {
            lengths: vec![level.segment, level.segments],
            sizes: sizes.into(),
            states: saved,
            forward,
            reverse,
        }
    }

    /// The loop, which keeps states.
    fn keeping(&mut self, each: While, level: &Level, kept: &[State], states: &Expr) -> Option<StmtKind> {
        let [segment, segments] = [level.segment, level.segments].map(|it| self.program.load_scalar(it));
        let half = match states.as_usize() {
            Some(states) => Expr::usize(states.div_ceil(2)),
            None => div_ceil(states.clone(), Expr::usize(2)),
        };
        let mut thinned = self.thinned(kept, half.clone());
        thinned.push(Stmt::set(level.segments, half, self.origin));
        thinned.push(Stmt::set(level.segment, segment.clone() * Expr::usize(2), self.origin));
        let is_due = || Expr::iter(each.counter, Ty::USIZE).equal(segments.clone() * segment.clone());
        let copies = kept.iter().map(|state| {
            let saved = |of, index: &[Expr]| (in_slot(state.saved, segments.clone(), index), of);
            self.whole(state.of, &saved)
        });
        let mut saves: Block = copies.collect();
        saves.push(Stmt::set(level.segments, plus(&segments, 1), self.origin));
        let is_full = segments.clone().equal(states.clone());
        let due = vec![Stmt::when(is_full, thinned, self.origin), Stmt::when(is_due(), saves, self.origin)];
        let mut body = vec![Stmt::when(is_due(), due, self.origin)];
        let step = clone_stmts(self.program, &each.body);
        let (step, held) = without_tapes(self.program, step, self.tapes, self.growing);
        body.extend(scoped_as(held, step, self.origin));
        Some(StmtKind::While(While { body, ..each }))
    }

    /// Every second state becomes the next one.
    fn thinned(&mut self, kept: &[State], half: Expr) -> Block {
        let part = self.program.add_iter("part", Ty::USIZE);
        let to = Expr::iter(part, Ty::USIZE);
        let from = to.clone() * Expr::usize(2);
        let copies = kept.iter().map(|state| {
            let (elem, origin) = (self.program[state.saved].elem, self.origin);
            let extents = self.program[state.of].dims.clone();
            over_elements(self.program, extents, origin, &mut |index| {
                let [to, from] = [&to, &from].map(|at| in_slot(state.saved, at.clone(), index));
                Stmt::assign(to, Place::load(from, elem), origin)
            })
        });
        let body: Block = copies.collect();
        let marks = Marks { sequential: true, ..Marks::default() };
        let each = For { order: Order::Up, marks, ..For::counted(part, half, body) };
        vec![each.stmt(self.origin)]
    }
}
