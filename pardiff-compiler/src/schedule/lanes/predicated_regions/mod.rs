//! What a lane loop computes only for iterations that turn out to do nothing is skipped.
//!
//! *Comes in*: a loop over lanes. *Goes out*: the same loop with the statements that do nothing unless one of some
//! conditions holds under a test of these conditions; with a test of the square in the place of conditions on a root.
//! *Guarantees*: the same values, but for the sign of a zero that zero was added to; the same panics. *Never*: skips a
//! check, or anything that an iteration in which one of the conditions holds would do.
//!
//! ```text
//! for l in 0..w lanes                       bound = (max(c, c + u) rounded up) squared, rounded up
//!   r = sqrt(x[l] * x[l])                   for l in 0..w lanes
//!   gap = r - c                               square = x[l] * x[l]
//!   t = 0.0                           =>      if square <= bound
//!   if gap < 0.0                                r = sqrt(square)
//!     t += 1.0 - r / c                          gap = r - c
//!   if gap < u                                  t = 0.0
//!     t += gap / u                              if gap < 0.0 …
//!   y[l] += 0.5 * t                             y[l] += 0.5 * t
//! ```
//!
//! Under a mask a statement costs what it costs in all lanes, but a vector without an active lane skips it. Where
//! several conditions have to fail for that, each of them costs a test and a jump; and what they compare, often a
//! distance, costs a root for every pair, although most pairs are too far apart to count.
//!
//! *Legality.* What does nothing unless a condition holds: see [`region`]. Why the test of the square holds wherever one
//! of the conditions does: see [`bound`]. Bounds are computed from what the loop does not change, in front of it, if the
//! loop has an iteration; what every iteration computes alike stands there already, see [`uniform`], and what skipped
//! statements load alike as well, see [`early`].
//!
//! *Price.* How often the conditions hold is not known, so what is skipped has to cost several times what the test does.

mod bound;
mod early;
mod region;
mod uniform;

use super::scalar_replacement::loads::opened;
use crate::ir::LoopFacts;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Effects, Expr, ExprKind, For, Func, Program, Role, Space, Stmt,
    change_exprs,
};
use crate::limits::PRICE_OF_A_PREDICATED_REGION;
use crate::schedule::cost;
use bound::{Definitions, Far};
use region::Condition;

/// Skips what does nothing in the lane loops of a block.
pub fn cut_off(program: &mut Program, block: &mut Block) {
    for stmt in block {
        match stmt.as_for().filter(|it| it.is_in_lanes()) {
            Some(it) => {
                let origin = stmt.origin;
                if has_condition(&it.body)
                    && let Some(cut) = lane_loop(program, it.clone(), origin)
                {
                    *stmt = cut;
                }
            }
            None => stmt.blocks_mut().into_iter().for_each(|inner| cut_off(program, inner)),
        }
    }
}

fn has_condition(block: &Block) -> bool {
    crate::ir::any(block, &mut |stmt| stmt.as_if().is_some())
}

/// The statement that takes the place of a lane loop, if something in it is skipped.
fn lane_loop(program: &mut Program, mut lanes: For, origin: crate::ir::Origin) -> Option<Stmt> {
    let mut inside = LoopFacts::of(&lanes);
    let mut front = uniform::Front::new(program, &mut inside);
    front.take(&mut lanes.body);
    let (mut before, mut declared) = front.taken(&mut lanes.body);
    let (mut own, mut list) = opened(std::mem::take(&mut lanes.body));
    let cut = Cut::find(program, &inside, &own, &list)?;
    cut.apply(program, &mut own, &mut list, &mut before, &mut declared);
    inside.own.extend(own.iter().copied());
    let (loads, held) = early::load(program, &inside, &mut list, origin);
    before.extend(loads);
    declared.extend(held);
    lanes.body = crate::ir::scoped(own, list);
    let mut body = Block::new();
    if !before.is_empty() {
        let runs = lanes.lo.clone().below(lanes.hi.clone());
        body.push(Stmt::when(runs, before, origin));
    }
    body.push(lanes.stmt(origin));
    for &buffer in &declared {
        program[buffer].space = Space::Thread;
    }
    crate::ir::scoped(declared, body).pop()
}

/// A square that is compared with a bound.
struct Square {
    value: Expr,
    /// Whether conditions hold for NaN.
    negated: bool,
    /// Holds the square.
    held: BufferId,
    /// The largest of the limits of its root.
    reach: BufferId,
    bound: BufferId,
}

/// Statements of a list that are skipped, and the test.
struct Cut {
    start: usize,
    end: usize,
    /// Conditions on roots, each with the uniform conditions that it stands under.
    far: Vec<(Vec<Expr>, Far)>,
    /// Other conditions.
    near: Vec<Expr>,
}

impl Cut {
    /// The first statements of a list that are worth skipping.
    fn find(program: &Program, inside: &LoopFacts, own: &[BufferId], list: &Block) -> Option<Cut> {
        let definitions = Definitions::of(program, inside, list);
        let (mut start, mut roots) = (0, true);
        while start < list.len() {
            let region = region::from(program, inside, own, list, start);
            let (far, near) = definitions.tests(&region.conditions, roots);
            let mut needs = BufferSet::new();
            let squares = far.iter().map(|(_, far)| &far.square);
            squares.chain(&near).for_each(|expr| expr.reads(program, &mut |it| _ = needs.insert(it)));
            let ready =
                list.iter().rposition(|stmt| region::updated(std::slice::from_ref(stmt)).meets(&needs));
            let ready = ready.map_or(0, |at| at + 1);
            if ready > start {
                start = ready;
                continue;
            }
            let cut = Cut { start, end: region.end, far, near };
            if !cut.far.iter().all(|(_, far)| cut.skips_root(list, &far.square)) {
                // the root is there already
                roots = false;
                continue;
            }
            if !region.conditions.is_empty() && cut.is_worth_it(list) && cut.is_closed(program, list) {
                return Some(cut);
            }
            (start, roots) = (region.end.max(start) + 1, true);
        }
        None
    }

    fn skipped<'b>(&self, list: &'b Block) -> &'b [Stmt] {
        &list[self.start..self.end]
    }

    /// Whether the root of a square is skipped.
    fn skips_root(&self, list: &Block, square: &Expr) -> bool {
        self.skipped(list).iter().any(|stmt| {
            stmt.any_part(&mut |part| match &part.kind {
                ExprKind::Call(Func::Sqrt, _, args) => args[0] == *square,
                _ => false,
            })
        })
    }

    /// Whether what the statements evaluate under no condition costs more than the test.
    fn is_worth_it(&self, list: &Block) -> bool {
        let of = |stmt: &Stmt| stmt.exprs().into_iter().map(cost::evaluation).sum::<usize>();
        let price: usize = self.skipped(list).iter().map(of).sum();
        let asked: usize = self.near.iter().map(cost::evaluation).sum();
        // of a condition and its negation one holds
        let always = self.near.iter().any(|cond| self.near.contains(&!cond.clone()));
        !always && price >= PRICE_OF_A_PREDICATED_REGION && price >= 2 * (asked + self.far.len())
    }

    /// Whether nothing behind the statements reads what they alone compute.
    fn is_closed(&self, program: &Program, list: &Block) -> bool {
        let assigned = region::updated(self.skipped(list));
        !Effects::of(program, &list[self.end..]).reads.meets(&assigned)
    }

    fn apply(
        self,
        program: &mut Program,
        own: &mut Vec<BufferId>,
        list: &mut Block,
        before: &mut Block,
        declared: &mut Vec<BufferId>,
    ) {
        let behind = list.split_off(self.end);
        let mut skipped = list.split_off(self.start);
        let Some(origin) = skipped.first().map(|stmt| stmt.origin) else { return };
        let local = |program: &mut Program, name: &str, ty| program.add_scalar(name, ty, Role::Local);
        let assign = |buffer, value| Stmt::set(buffer, value, origin);
        let mut squares: Vec<Square> = Vec::new();
        let mut tests = Vec::new();
        for (path, far) in self.far {
            let ty = far.square.ty;
            let known = squares.iter().position(|it| it.value == far.square && it.negated == far.negated);
            let at = known.unwrap_or_else(|| {
                let alike = squares.iter().find(|it| it.value == far.square).map(|it| it.held);
                let held = alike.unwrap_or_else(|| {
                    let held = local(program, "square", ty);
                    own.push(held);
                    list.push(assign(held, far.square.clone()));
                    held
                });
                let [reach, bound] = ["reach", "bound"].map(|name| local(program, name, ty));
                declared.extend([reach, bound]);
                // the root of no square
                before.push(assign(reach, Expr::float(ty, -1.0)));
                let (square, limit) = (program.load_scalar(held), program.load_scalar(bound));
                tests.push(if far.negated { !square.above(limit) } else { square.at_most(limit) });
                squares.push(Square { value: far.square, negated: far.negated, held, reach, bound });
                squares.len() - 1
            });
            let Square { reach, negated, .. } = squares[at];
            let limit = local(program, "limit", ty);
            declared.push(limit);
            let (new, old) = (program.load_scalar(limit), program.load_scalar(reach));
            // a limit that is NaN counts for conditions that hold for NaN alone, and stays
            let grows = match negated {
                true => old.clone().equal(old.clone()) & !old.clone().at_least(new.clone()),
                false => old.clone().below(new.clone()),
            };
            let mut then = vec![assign(limit, far.limit), assign(reach, Expr::select(grows, new, old))];
            // each under the one around it, without which it may have no value
            for cond in path.into_iter().rev() {
                then = vec![Stmt::when(cond, then, origin)];
            }
            before.append(&mut then);
        }
        for it in &squares {
            let value = bound::squared(program.load_scalar(it.reach), it.negated);
            before.push(assign(it.bound, value));
        }
        tests.extend(self.near);
        let roots: Vec<(Expr, Expr)> =
            squares.iter().map(|it| (it.value.clone(), program.load_scalar(it.held))).collect();
        change_exprs(&mut skipped, &mut |expr| {
            expr.change(&mut |part| {
                if let ExprKind::Call(Func::Sqrt, _, args) = &mut part.kind
                    && let Some((_, held)) = roots.iter().find(|(square, _)| *square == args[0])
                {
                    args[0] = held.clone();
                }
            });
        });
        let around: Vec<&Stmt> = list.iter().chain(&behind).collect();
        let (inner, outer): (Vec<_>, Vec<_>) = own.iter().copied().partition(|&buffer| {
            let mentions = |stmt: &&Stmt| stmt.mentions(program, buffer);
            !around.iter().any(mentions) && !tests.iter().any(|test| test.reads_buffer(program, buffer))
        });
        *own = outer;
        let then = crate::ir::scoped(inner, skipped);
        let cond = tests.into_iter().reduce(|a, b| Expr::binary(BinOp::BitOr, a, b));
        let cond = cond.unwrap_or(Expr::bool(true));
        list.push(Stmt::when(cond, then, origin));
        list.extend(behind);
    }
}

impl Definitions<'_> {
    /// The conditions as tests, those on roots apart if that is asked for.
    fn tests(&self, conditions: &[Condition], roots: bool) -> (Vec<(Vec<Expr>, Far)>, Vec<Expr>) {
        let (mut far, mut near) = (Vec::new(), Vec::new());
        for Condition { path, test } in conditions {
            let parts = test.as_ref().filter(|_| roots).map(|test| self.far(test));
            match parts {
                Some(Some(parts)) => {
                    for part in parts.into_iter().map(|part| (path.clone(), part)) {
                        if !far.contains(&part) {
                            far.push(part);
                        }
                    }
                }
                // what the test and the inner conditions of the path read may have no value where the outermost one fails
                _ => {
                    let cond = path.first().cloned();
                    let cond = cond.or_else(|| test.clone()).unwrap_or(Expr::bool(true));
                    if !near.contains(&cond) {
                        near.push(cond);
                    }
                }
            }
        }
        (far, near)
    }
}
