//! Lanes under a condition that is a range of iterations run over that range alone.
//!
//! ```text
//! for l in 0..w lanes                       if i + k >= 1
//!   if i + k >= 1                             guard b + j <= b + (w - 1) + j
//!     if b + l + j >= 1                 =>      first = select(b + j < 1, 1 - (b + j), 0)
//!       if b + l + j < n + 1                    count = select(b + j < n + 1, n + 1 - (b + j), 0)
//!         s[l] += v * x[b + l + j - 1]          for l in first..int::min(count, w) lanes
//!                                                 s[l] += v * x[b + l + j - 1]
//!                                             otherwise
//!                                               the same as before, one lane after the other
//! ```
//!
//! Pictures with edges are such. Vectors of whole rows have no masks then, elements beside each other are read and written as
//! vectors behind one check, and sums are held in registers.
//!
//! *Legality.* The statement does nothing but what stands under the condition, so lanes that do not fulfil it do nothing. A
//! number `x` that counts up by one with the lane, as numbers of its type do that wrap, takes on consecutive values in a block, of which
//! only the greatest one of the type has a smaller one behind it: so if the first is no greater than the last, none of them
//! wraps, and those that are at least `c`, or below it, are the lanes from, or up to, the one at the distance `c - x`, which is
//! exact as `c` is no less than the first. Both are computed by operations that wrap themselves and never panic. A block has a
//! lane at least. Where numbers wrap, what was asked of every lane still is. What is the same in all lanes is asked once: it
//! reads nothing that the loop writes, and panics never.
//!
//! Checks are those of lanes that fulfil the condition, before and after. One that a single lane decides is made in front of
//! the loop, if it has a lane; see `inner`.
//!
//! What is at least zero in the type with a sign, and is an index, is told as the first one and the distance from there.

use super::inner::checks_before;
use super::scalar_replacement::loads::opened;
use super::stride::{Step, step};
use crate::ir::scoped;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, Func, IterId, Origin, Program, Role, Stmt,
    StmtKind, Ty, change_exprs, clone_stmts, written,
};
use crate::map::Map;

/// Restricts the lane loops of a block, which run over `over_lanes`, to the lanes that do something.
pub(super) fn restrict(program: &mut Program, block: &mut Block, over_lanes: &[IterId]) {
    for stmt in block {
        match stmt.as_for().filter(|each| over_lanes.contains(&each.iter)) {
            Some(each) => {
                if let Exec::Lanes { .. } = each.exec
                    && let Some(under) = Under::of(program, each)
                {
                    let each = each.clone();
                    stmt.kind = under.restricted(program, &each, stmt.origin);
                }
            }
            None => stmt.blocks_mut().into_iter().for_each(|inner| restrict(program, inner, over_lanes)),
        }
    }
}

/// Whether a statement of an element loop holds a condition that is a range of its iterations: then lanes run in the innermost
/// loops around it, over these alone.
pub(super) fn has_range(program: &Program, stmt: &Stmt, element: IterId) -> bool {
    let written = crate::ir::written(std::slice::from_ref(stmt));
    let mut names = Names::default();
    let mut found = false;
    stmt.walk(&mut |stmt| {
        names.see(program, stmt);
        if let Some((cond, _, els)) = stmt.as_if()
            && els.is_empty()
        {
            let parts = conjuncts(&names.written_out(cond));
            found |= parts.iter().any(|part| Range::of(part, element, &written).is_some());
        }
    });
    found
}

/// Scalars that name a number of a lane, and what they name.
#[derive(Default)]
struct Names(Map<BufferId, Expr>);

impl Names {
    /// Whether the statement gives a scalar a number made of iterators and of what is given.
    fn see(&mut self, program: &Program, stmt: &Stmt) -> bool {
        let Some((target, value)) = stmt.as_assign() else { return false };
        if !target.index.is_empty() || !value.ty.is_word() || program[target.buffer].role != Role::Local {
            return false;
        }
        let value = self.written_out(value);
        self.0.insert(target.buffer, value).is_none()
    }

    fn written_out(&self, expr: &Expr) -> Expr {
        expr.map(&mut |node| match &node.kind {
            ExprKind::Load(place) => self.0.get(&place.buffer).cloned().unwrap_or(node),
            _ => node,
        })
    }
}

/// A condition on a number that counts up by one with the iterator: `number op limit`.
struct Range {
    number: Expr,
    op: BinOp,
    limit: Expr,
}

impl Range {
    fn of(cond: &Expr, iter: IterId, written: &BufferSet) -> Option<Range> {
        let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
        let turned = match op {
            BinOp::Lt => BinOp::Gt,
            BinOp::Le => BinOp::Ge,
            BinOp::Gt => BinOp::Lt,
            BinOp::Ge => BinOp::Le,
            _ => return None,
        };
        let step = |expr: &Expr| step(expr, iter, &|place| written.contains(place.buffer));
        let (number, op, limit) = match (step(a), step(b)) {
            (Step::Number(1), Step::Number(0)) => (a, *op, b),
            (Step::Number(0), Step::Number(1)) => (b, turned, a),
            _ => return None,
        };
        let range = Range { number: number.wrapping(Ty::is_word), op, limit: limit.wrapping(Ty::is_word) };
        let fits = |expr: &Expr| expr.ty.is_word() && expr.is_total();
        (fits(&range.number) && fits(&range.limit)).then_some(range)
    }

    /// How many lanes lie before the limit, the first of them being number 0; of those that are to be left out, if lanes behind
    /// it count.
    fn lanes(&self, iter: IterId) -> Expr {
        let first = at(&self.number, iter, &Expr::usize(0));
        let gap = Expr::call(Ty::USIZE, Func::WrappingSub, vec![unsigned(&self.limit), unsigned(&first)]);
        let (before, lanes) = match self.op {
            BinOp::Ge | BinOp::Lt => (first.below(self.limit.clone()), gap),
            _ => (
                first.at_most(self.limit.clone()),
                Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![gap, Expr::usize(1)]),
            ),
        };
        Expr::select(before, lanes, Expr::usize(0))
    }

    fn is_lower(&self) -> bool {
        matches!(self.op, BinOp::Ge | BinOp::Gt)
    }

    /// Whether it says that a number with a sign has none.
    fn is_natural(&self) -> bool {
        self.op == BinOp::Ge && self.number.ty != Ty::USIZE && self.limit.kind == ExprKind::Int(0)
    }
}

/// What a lane loop does under conditions.
struct Under {
    /// The registers of its body.
    registers: Vec<BufferId>,
    /// Those that are the same in all lanes.
    uniform: Vec<Expr>,
    ranges: Vec<Range>,
    /// The other ones.
    others: Vec<Expr>,
    list: Block,
}

impl Under {
    /// The parts of a loop that does nothing else, if one of the conditions is a range.
    fn of(program: &Program, each: &For) -> Option<Under> {
        let written = written(&each.body);
        let mut names = Names::default();
        let (mut registers, mut list) = opened(each.body.clone());
        let (mut uniform, mut ranges, mut others) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let named = list.iter().take_while(|stmt| names.see(program, stmt)).count();
            list.drain(..named);
            let [Stmt { kind: StmtKind::If { cond, then, els }, .. }] = &mut list[..] else { break };
            if !els.is_empty() {
                break;
            }
            for part in conjuncts(&names.written_out(cond)) {
                if let Some(range) = Range::of(&part, each.iter, &written) {
                    ranges.push(range);
                } else if !part.mentions(each.iter)
                    && !part.reads_any(program, &written)
                    && part.wrapping(Ty::is_word).is_total()
                {
                    uniform.push(part.wrapping(Ty::is_word));
                } else {
                    others.push(part);
                }
            }
            let (own, inner) = opened(std::mem::take(then));
            registers.extend(own);
            list = inner;
        }
        let stays = |(buffer, value): (&BufferId, &Expr)| {
            registers.contains(buffer) && !value.reads_any(program, &written)
        };
        let named = names.0.iter().all(stays)
            && !crate::ir::written(&list).iter().any(|buffer| names.0.contains_key(&buffer));
        if ranges.is_empty() || !named {
            return None;
        }
        change_exprs(&mut list, &mut |expr| expr.change(&mut |node| *node = names.written_out(node)));
        registers.retain(|buffer| !names.0.contains_key(buffer));
        Some(Under { registers, uniform, ranges, others, list })
    }

    fn restricted(self, program: &mut Program, each: &For, origin: Origin) -> StmtKind {
        let Under { registers, uniform, ranges, others, mut list } = self;
        let stmt = |kind| Stmt::new(kind, origin);
        let mut before = Block::new();
        let mut declared = Vec::new();
        let mut named = |program: &mut Program, name: &str, value: Expr| {
            let buffer = program.add_scalar(name, Ty::USIZE, Role::Local);
            declared.push(buffer);
            before.push(Stmt::set(buffer, value, origin));
            program.load_scalar(buffer)
        };
        let all = |lower: bool, func: Func| {
            let lanes = ranges.iter().filter(|range| range.is_lower() == lower).map(|it| it.lanes(each.iter));
            lanes.reduce(|a, b| Expr::call(Ty::USIZE, func, vec![a, b]))
        };
        let mut lanes = each.clone();
        if let Some(first) = all(true, Func::IntMax) {
            lanes.lo = named(program, "first", first);
        }
        if let Some(count) = all(false, Func::IntMin) {
            let count = named(program, "count", count);
            lanes.hi = Expr::call(Ty::USIZE, Func::IntMin, vec![count, each.hi.clone()]);
        }
        for range in ranges.iter().filter(|range| range.is_natural()) {
            let there = unsigned(&at(&range.number, each.iter, &lanes.lo));
            let place =
                named(program, "place", there) + (Expr::iter(each.iter, Ty::USIZE) - lanes.lo.clone());
            let is_place = |node: &Expr| match &node.kind {
                ExprKind::Cast(of) => node.ty == Ty::USIZE && of.wrapping(Ty::is_word) == range.number,
                _ => false,
            };
            let replace = &mut |node: &mut Expr| {
                if is_place(node) {
                    *node = place.clone();
                }
            };
            change_exprs(&mut list, &mut |expr| expr.change(replace));
        }
        if let Some(cond) = others.into_iter().reduce(|a, b| a & b) {
            list = vec![Stmt::when(cond, list, origin)];
        }
        lanes.body = scoped(registers, list);
        before.extend(checks_before(&mut lanes).map(stmt));
        before.push(stmt(StmtKind::For(lanes)));
        let last = each.hi.clone() - Expr::usize(1);
        let counts = |range: &Range| {
            at(&range.number, each.iter, &Expr::usize(0)).at_most(at(&range.number, each.iter, &last))
        };
        let mut facts: Vec<Expr> = Vec::new();
        for fact in ranges.iter().map(counts) {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        let then = scoped(declared, before);
        let in_order = For { exec: Exec::Sequential, ..each.clone() };
        let els = clone_stmts(program, &[stmt(StmtKind::For(in_order))]);
        let fact = facts.into_iter().reduce(|a, b| a & b).unwrap_or(Expr::bool(true));
        let guarded = StmtKind::Guarded { fact, then, els };
        match uniform.into_iter().reduce(|a, b| a & b) {
            Some(cond) => StmtKind::If { cond, then: vec![stmt(guarded)], els: Vec::new() },
            None => guarded,
        }
    }
}

/// The parts of a conjunction.
fn conjuncts(cond: &Expr) -> Vec<Expr> {
    match &cond.kind {
        ExprKind::Binary(BinOp::BitAnd, a, b) => [conjuncts(a), conjuncts(b)].concat(),
        _ => vec![cond.clone()],
    }
}

fn unsigned(expr: &Expr) -> Expr {
    if expr.ty == Ty::USIZE { expr.clone() } else { expr.clone().cast(Ty::USIZE) }
}

/// The number of a lane.
fn at(expr: &Expr, iter: IterId, lane: &Expr) -> Expr {
    expr.map(&mut |node| match &node.kind {
        ExprKind::Iter(it) if *it == iter => lane.clone(),
        ExprKind::Call(Func::WrappingAdd, _, terms) if terms[1].kind == ExprKind::Int(0) => terms[0].clone(),
        _ => node,
    })
}
