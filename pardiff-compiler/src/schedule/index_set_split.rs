//! The iterations at the ends of a loop stand apart where the others need not ask where they are: index-set splitting.
//!
//! ```text
//! for j in 0..n                                  if 1 + 1 < n
//!   y[j] = x[select(j + 1 < n, j + 1, 0)]          the same with 0 for j
//!   if 0 < j { y[j] += x[j - 1] }                  for j in 1..n - 1
//!                                          =>        y[j] = x[j + 1]
//!                                                    y[j] += x[j - 1]
//!                                                  the same with n - 1 for j
//!                                                else as before, in order
//! ```
//!
//! What lanes read is consecutive then, and they have no conditions: neighbours on a periodic grid (see [`Turned`]), and walls
//! (see [`Margin`]).
//!
//! *Legality.* Iterations run in the order of before, and each computes what it did: between the ends these conditions have
//! one value, and a step around a ring is the next number. The bounds are evaluated once, as before.
//!
//! Loops stay whole that are in no task, or that lanes do not run over: little is saved where one iteration follows the other.

use super::cost::{nominal_trips, saturating_add, trip_count};
use super::{Options, in_order, legality};
use crate::ir::{
    BinOp, Block, BufferId, Exec, Expr, ExprKind, For, Func, IterId, Margin, Marks, Order, Origin, Program,
    Stmt, StmtKind, Turned, Ty, all, clone_stmts, declared, offset_of, substitute, walk_mut,
};
use crate::limits::{ITERATIONS_IN_AN_ITERATION, ITERATIONS_WITHOUT_A_LOOP, SHORTEST_SPLIT_LOOP, SPLIT_BODY};
use crate::map::Map;
use crate::poly::Analysis;

/// Why the version of a loop whose ends do not stand apart runs in order.
pub(super) const SHORT_LOOP: &str = "nothing is left between its ends";
/// Why ends run in order.
pub(super) const END: &str = "an end of the loop";

/// What stands apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    low: i128,
    high: i128,
    /// What says that steps around the loop have room in the types in which they are computed.
    narrow: Vec<Expr>,
}

/// The loops whose ends are to stand apart, of those that become tasks and of those inside.
pub(super) fn find(
    analysis: &Analysis<'_>,
    options: &Options,
    is_parallel: &dyn Fn(IterId) -> bool,
) -> Found {
    let mut finder = Finder { analysis, options, is_parallel, found: Found::default() };
    finder.block(&analysis.program.body, false);
    finder.found
}

/// Lets the ends of loops stand apart; gives the loops that run in order now, and why. What is between the ends keeps the
/// iterator, and with it what was decided about the loop.
pub(super) fn split_ends(program: &mut Program, mut found: Found) -> Vec<(IterId, &'static str)> {
    if found.is_empty() {
        return Vec::new();
    }
    let mut apart = Vec::new();
    program.with_body(|program, body| rewrite(program, body, &mut found, &mut apart));
    *program = crate::simplify::shorten(program.take());
    apart
}

/// By the iterators of loops, what is to stand apart.
pub(super) type Found = Map<IterId, Ends>;

struct Finder<'a, 'p> {
    analysis: &'a Analysis<'p>,
    options: &'a Options,
    is_parallel: &'a dyn Fn(IterId) -> bool,
    found: Found,
}

impl Finder<'_, '_> {
    fn block(&mut self, block: &Block, in_task: bool) {
        for stmt in block {
            let mut in_task = in_task;
            if let Some(each) = stmt.as_for() {
                in_task |= (self.is_parallel)(each.iter);
                if each.exec == Exec::Undecided && in_task && is_innermost(each) {
                    self.found.extend(self.ends(each).map(|ends| (each.iter, ends)));
                    continue;
                }
            }
            stmt.blocks().into_iter().for_each(|inner| self.block(inner, in_task));
        }
    }

    fn ends(&self, each: &For) -> Option<Ends> {
        let counts = each.is_plain();
        let short = nominal_trips(each) < SHORTEST_SPLIT_LOOP;
        if !counts || short {
            return None;
        }
        let mut ends = Ends::default();
        let mut size = 0;
        crate::ir::walk(&each.body, &mut |stmt| {
            size += 1;
            if !is_check(stmt) {
                ends.see(stmt, each);
            }
        });
        if ends.low + ends.high == 0 || size > SPLIT_BODY {
            return None;
        }
        // what is computed is reason enough; what is checked is the same between the ends then
        let mut checked = |stmt: &Stmt| {
            if is_check(stmt) {
                ends.see(stmt, each);
            }
        };
        crate::ir::walk(&each.body, &mut checked);
        legality::is_parallel(self.analysis, each, self.options).is_ok().then_some(ends)
    }
}

/// Whether lanes may run over a loop: those inside are a few iterations each.
fn is_innermost(each: &For) -> bool {
    let few = |trips: usize| trips < ITERATIONS_IN_AN_ITERATION;
    all(&each.body, &mut |stmt| match stmt.as_for() {
        Some(inner) => trip_count(inner).as_usize().is_some_and(few),
        None => stmt.as_while().is_none(),
    })
}

fn is_check(stmt: &Stmt) -> bool {
    stmt.as_check().is_some()
}

impl Ends {
    /// Takes the iterations apart in which a condition or a step of the statement is not as in the others.
    fn see(&mut self, stmt: &Stmt, each: &For) {
        if let Some((cond, _, _)) = stmt.as_if() {
            self.ask(cond, each);
        }
        stmt.each_expr(&mut |expr| {
            expr.walk(&mut |node| {
                if let Some(step) = step(node, each) {
                    self.low = self.low.max(-step.by);
                    self.high = self.high.max(step.by);
                    let room = step.narrow.and_then(|int| int.max());
                    self.narrow.extend(room.map(|max| each.hi.clone().below(Expr::int(Ty::USIZE, max / 4))));
                } else if let ExprKind::Select(parts) = &node.kind {
                    self.ask(&parts[0], each);
                }
            })
        });
    }

    fn ask(&mut self, cond: &Expr, each: &For) {
        if let Some(margin) = Margin::of(cond, each) {
            self.low = self.low.max(margin.low);
            self.high = self.high.max(margin.high);
        }
    }
}

/// The step that an expression is around a loop.
fn step(expr: &Expr, each: &For) -> Option<Turned> {
    let step = Turned::of(expr).filter(|step| step.iter == each.iter && step.around == each.hi)?;
    (each.lo == Expr::usize(0)).then_some(step)
}

fn rewrite(
    program: &mut Program,
    block: &mut Block,
    found: &mut Found,
    apart: &mut Vec<(IterId, &'static str)>,
) {
    for stmt in block {
        let ends = stmt.as_for().and_then(|each| found.remove(&each.iter));
        match ends {
            Some(ends) => split(program, stmt, &ends, apart),
            None => stmt.blocks_mut().into_iter().for_each(|inner| rewrite(program, inner, found, apart)),
        }
    }
}

fn split(program: &mut Program, stmt: &mut Stmt, ends: &Ends, apart: &mut Vec<(IterId, &'static str)>) {
    let Some(each) = stmt.as_for() else { return };
    let (each, origin) = (each.clone(), stmt.origin);
    let (lo, hi) = (each.lo.clone(), each.hi.clone());
    let number = |value: i128| Expr::int(Ty::USIZE, value);
    let from_lo = |by: i128| saturating_add(lo.clone(), number(by));
    let from_hi = |by: i128| if by == 0 { hi.clone() } else { before(&hi, by) };
    let mut copies = Copies { program, each: &each, origin, apart };
    let (first, last) = match copies.may_stand_alone(ends) {
        true => {
            let mut alone = |at: Expr| copies.alone(&at);
            let first: Vec<Block> = (0..ends.low).map(|by| alone(from_lo(by))).collect();
            (first, (1..=ends.high).rev().map(|by| alone(from_hi(by))).collect())
        }
        false => {
            let mut in_order = |lo, hi| vec![copies.in_order(lo, hi, END)];
            (in_order(from_lo(0), from_lo(ends.low)), in_order(from_hi(ends.high), from_hi(0)))
        }
    };
    let short = copies.in_order(from_lo(0), from_hi(0), SHORT_LOOP);
    let mut between = each.clone();
    between.body.iter_mut().for_each(|stmt| inside(stmt, &each));
    write_out(&mut between);
    (between.lo, between.hi) = (from_lo(ends.low), from_hi(ends.high));
    let between = vec![vec![between.stmt(origin)]];
    let mut pieces = [first, between, last].concat();
    if each.order == Order::Down {
        pieces.reverse();
    }
    let longer = from_lo(ends.low + ends.high).below(hi.clone());
    let cond = ends.narrow.iter().fold(longer, |all, cond| all & cond.clone());
    stmt.kind = StmtKind::If { cond, then: pieces.concat(), els: short };
}

/// So many numbers before the bound of a loop, which may be behind something else by more than that.
fn before(hi: &Expr, by: i128) -> Expr {
    let number = |value: i128| Expr::int(Ty::USIZE, value);
    let of = match &hi.kind {
        ExprKind::Binary(BinOp::Add, of, more) => Some((&**of, &**more)),
        ExprKind::Call(Func::SaturatingAdd, _, parts) => Some((&parts[0], &parts[1])),
        _ => None,
    };
    match of.map(|(of, more)| (of, &more.kind)) {
        Some((of, ExprKind::Int(more))) if *more == by => of.clone(),
        Some((of, ExprKind::Int(more))) if *more > by => of.clone() + number(more - by),
        _ => hi.clone() - number(by),
    }
}

/// Copies of a loop and of its iterations.
struct Copies<'a> {
    program: &'a mut Program,
    each: &'a For,
    origin: Origin,
    apart: &'a mut Vec<(IterId, &'static str)>,
}

impl Copies<'_> {
    /// Whether the iterations of the ends need no loop.
    fn may_stand_alone(&self, ends: &Ends) -> bool {
        let own = declared(&self.each.body);
        let sizes_vary =
            own.iter().any(|it| self.program[it].dims.iter().any(|dim| dim.mentions(self.each.iter)));
        ends.low + ends.high <= ITERATIONS_WITHOUT_A_LOOP && !sizes_vary
    }

    /// One iteration.
    fn alone(&mut self, at: &Expr) -> Block {
        let mut body = clone_stmts(self.program, &self.each.body);
        substitute(&mut body, self.each.iter, at);
        self.run_in_order(&mut body, END);
        body
    }

    /// Some iterations, one after the other.
    fn in_order(&mut self, lo: Expr, hi: Expr, why: &'static str) -> Block {
        let each = For { lo, hi, marks: Marks::default(), ..self.each.clone() };
        let mut copy = clone_stmts(self.program, &[each.stmt(self.origin)]);
        self.run_in_order(&mut copy, why);
        copy
    }

    fn run_in_order(&mut self, block: &mut Block, why: &'static str) {
        in_order(block);
        crate::ir::walk(block, &mut |stmt| self.apart.extend(stmt.as_for().map(|each| (each.iter, why))));
    }
}

/// The statement in an iteration between the ends.
fn inside(stmt: &mut Stmt, each: &For) {
    for expr in stmt.exprs_mut() {
        expr.change(&mut |node| {
            if let Some(step) = step(node, each) {
                let (iter, by) = (Expr::iter(each.iter, Ty::USIZE), Expr::int(Ty::USIZE, step.by.abs()));
                *node = match step.by {
                    0 => iter,
                    1.. => iter + by,
                    _ => iter - by,
                };
            } else if let ExprKind::Select(parts) = &mut node.kind
                && let Some(margin) = Margin::of(&parts[0], each)
            {
                let [_, yes, no] = &**parts;
                *node = near(if margin.inside { yes } else { no }, each, margin);
            }
        });
    }
    if let Some((cond, _, _)) = stmt.as_if_mut() {
        decide(cond, each);
    }
    stmt.blocks_mut().into_iter().flatten().for_each(|stmt| inside(stmt, each));
}

/// A number beside the iterator, which does not wrap between these ends.
fn near(value: &Expr, each: &For, margin: Margin) -> Expr {
    let iter = || Expr::iter(each.iter, Ty::USIZE);
    let one = Expr::usize(1);
    match value {
        _ if *value == (iter() + one.clone()).wrapping(Ty::is_usize) => iter() + one,
        _ if margin.low > 0 && *value == (iter() - one.clone()).wrapping(Ty::is_usize) => iter() - one,
        _ => value.clone(),
    }
}

/// Scalars of an iteration that name the number of a neighbour give way to it, so that checks of it leave the loop.
fn write_out(each: &mut For) {
    let own = declared(&each.body);
    let mut names: Map<BufferId, Option<Expr>> = Map::default();
    crate::ir::walk(&each.body, &mut |stmt| match stmt.as_assign() {
        Some((target, value)) if own.contains(target.buffer) && is_near(value, each.iter) => {
            let first = !names.contains_key(&target.buffer);
            names.insert(target.buffer, first.then(|| value.clone()));
        }
        _ => stmt.writes_itself(&mut |buffer| _ = names.insert(buffer, None)),
    });
    names.retain(|_, number| number.is_some());
    if !names.is_empty() {
        number_in(&mut each.body, &names);
    }
}

fn number_in(block: &mut Block, names: &Map<BufferId, Option<Expr>>) {
    walk_mut(block, &mut |stmt| {
        for expr in stmt.exprs_mut() {
            expr.change(&mut |node| {
                if let ExprKind::Load(place) = &node.kind
                    && let Some(Some(number)) = names.get(&place.buffer)
                {
                    *node = number.clone();
                }
            });
        }
        if let StmtKind::Assign { target, value } = &mut stmt.kind
            && names.contains_key(&target.buffer)
        {
            // nobody asks for it any more
            *value = value.wrapping(Ty::is_usize);
        }
    });
}

/// Whether a number is that of a neighbour.
fn is_near(value: &Expr, iter: IterId) -> bool {
    let (of, _) = offset_of(value);
    value.ty == Ty::USIZE && of.kind == ExprKind::Iter(iter)
}

fn decide(cond: &mut Expr, each: &For) {
    if let Some(margin) = Margin::of(cond, each) {
        *cond = Expr::bool(margin.inside);
    }
}
