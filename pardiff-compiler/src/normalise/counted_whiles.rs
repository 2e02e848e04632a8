//! Loops that count to a bound are counted loops, however they are written.
//!
//! ```text
//! before                                   after
//!   loop                                     if i < n
//!     while i < n                              check 0 < step
//!     x[i] = e                        =>       for t in i..n step step
//!     i = i + step                               x[t] = e
//!     y[i] = e                                   y[t + step] = e
//!                                              i = i + div_ceil(n - i, step) * step
//! ```
//!
//! A flag that is set before the loop and at the end of its body stands for the condition that it holds.
//!
//! A loop downwards goes through what is left, `n..i` of `while n < i`, so that nothing is added to its bound.
//!
//! Then tapes have as many slots as iterations from the beginning, indices are forms of the iterator, and iterations
//! may run beside each other.
//!
//! *Legality.* Nothing in the loop changes the bound or the step, and one statement, which runs in every iteration,
//! changes the counter. So up to that statement the counter has the values of `t`, all of them below the bound, and
//! behind the loop the first one that is not. A step of zero is a loop without an end.

use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Func, Int, Message, Order, Origin, Place,
    Program, Role, Stmt, StmtKind, Ty, While, any, turned_round, written,
};
use crate::map::Map;

/// Rewrites the loops of a program.
pub fn count(mut program: Program) -> Program {
    let reads = reads(&program.body);
    program.with_body(|program, body| in_block(program, body, &reads));
    program
}

/// How often scalars are read.
fn reads(block: &[Stmt]) -> Map<BufferId, usize> {
    let mut reads: Map<BufferId, usize> = Map::default();
    crate::ir::walk(block, &mut |stmt| {
        stmt.exprs().into_iter().for_each(|expr| {
            expr.each_load(&mut |place| *reads.entry(place.buffer).or_default() += 1);
        });
    });
    reads
}

fn in_block(program: &mut Program, block: &mut Block, all: &Map<BufferId, usize>) {
    let mut out = Block::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        let plain = stmt.as_while().and_then(|each| tested_first(each, out.last()?, all));
        let counted = plain.as_ref().or(stmt.as_while()).and_then(|each| Counted::of(program, each));
        if let Some(plain) = plain.filter(|_| counted.is_some()) {
            stmt.kind = StmtKind::While(plain);
        }
        let is_read_behind = counted.as_ref().is_some_and(|Counted { counter, .. }| {
            let inside = reads(std::slice::from_ref(&stmt));
            let sets = |stmt: &Stmt| stmt.as_scalar_assign().is_some_and(|(target, _)| target == *counter);
            let is_set = program[*counter].role == Role::Local && out.iter().any(sets);
            // else it may go on from there, in the next iteration of a loop around
            !is_set || inside.get(counter) != all.get(counter)
        });
        stmt.blocks_mut().into_iter().for_each(|inner| in_block(program, inner, all));
        match counted {
            Some(counted) => out.extend(counted.looped(program, stmt, is_read_behind)),
            None => out.push(stmt),
        }
    }
    *block = out;
}

/// The same loop with its condition before each iteration, if a flag holds it that is set before the loop and at
/// the end of each iteration, and that nothing else reads.
fn tested_first(each: &While, before: &Stmt, all: &Map<BufferId, usize>) -> Option<While> {
    let ExprKind::Load(flag) = &each.cond.kind else { return None };
    if all.get(&flag.buffer) != Some(&1) {
        return None;
    }
    let (cond, body) = (before.as_assign()?, each.body.split_last()?);
    let is_test = |(target, _): &(&Place, &Expr)| *target == flag;
    let is_same = is_test(&cond) && body.0.as_assign() == Some(cond);
    let sets = body.1.iter().any(|stmt| stmt.any(&mut |stmt| stmt.as_assign().as_ref().is_some_and(is_test)));
    let plain = While { cond: cond.1.clone(), body: body.1.to_vec(), ..each.clone() };
    (is_same && !sets && each.head.is_empty()).then_some(plain)
}

/// How a loop counts.
struct Counted {
    counter: BufferId,
    /// Upwards the first number that is not reached, downwards the last one that is.
    bound: Expr,
    step: Expr,
    order: Order,
    /// Whether the iterator is the counter as it is behind the statement that changes it.
    is_next: bool,
}

impl Counted {
    fn of(program: &Program, each: &While) -> Option<Counted> {
        let is_counted = any(&each.body, &mut |stmt| {
            let of_round = |node: &Expr| node.kind == ExprKind::Iter(each.counter);
            stmt.exprs().into_iter().any(|expr| expr.any(&mut &of_round))
        });
        if !each.head.is_empty() || each.checkpoint.is_some() || is_counted {
            return None;
        }
        let ExprKind::Binary(op, a, b) = &each.cond.kind else { return None };
        let changed = written(&each.body);
        let counted = |counting: &Expr| advanced(counting).filter(|(counter, _)| changed.contains(*counter));
        let ((counter, ahead), op, bound) = match (counted(a), counted(b)) {
            (Some(counted), None) => (counted, *op, b),
            (None, Some(counted)) => (counted, turned_round(*op), a),
            _ => return None,
        };
        let (by, step) = only_change(&each.body, counter)?;
        let sizes = |dims: &Vec<Expr>| dims.iter().any(|dim| dim.reads_buffer(program, counter));
        if program.buffers.iter().any(|buffer| sizes(&buffer.dims)) {
            return None;
        }
        let ty = program[counter].elem;
        if !is_fixed(program, bound, &changed) || !is_fixed(program, &step, &changed) || bound.ty != ty {
            return None;
        }
        let bound = (**bound).clone();
        let is_one = step.kind == ExprKind::Int(1);
        let is_signed = matches!(ty, Ty::Int(int) if int.is_signed());
        let is_next = op == BinOp::Gt;
        let (bound, order) = match (op, by, ahead) {
            (BinOp::Lt, BinOp::Add, 0) => (bound, Order::Up),
            (BinOp::Lt, BinOp::Add, _) if ty == Ty::USIZE => {
                let less = vec![bound, Expr::int(ty, ahead)];
                (Expr::call(ty, Func::SaturatingSub, less), Order::Up)
            }
            (BinOp::Le, BinOp::Add, 0) if ty == Ty::USIZE => {
                let more = vec![bound, Expr::int(ty, 1)];
                (Expr::call(ty, Func::SaturatingAdd, more), Order::Up)
            }
            (BinOp::Gt, BinOp::Sub, 0) if is_one => (bound, Order::Down),
            // without a sign, a counter that is taken below zero panics
            (BinOp::Ge, BinOp::Sub, 0)
                if is_one && (is_signed || matches!(bound.kind, ExprKind::Int(1..))) =>
            {
                (bound, Order::Down)
            }
            _ => return None,
        };
        if matches!(ty, Ty::Int(int) if int.bits() > 64) {
            return None;
        }
        // a step that is not a number is one of the type of sizes
        let step = match step.kind {
            ExprKind::Int(number @ 1..) => Expr::int(Ty::USIZE, number),
            _ if ty == Ty::USIZE => step,
            _ => return None,
        };
        Some(Counted { counter, bound, step, order, is_next })
    }

    /// The loop, what is checked before it, and what the counter is behind it, if that is read.
    fn looped(self, program: &mut Program, stmt: Stmt, is_read_behind: bool) -> Block {
        let Counted { counter, bound, step, order, is_next } = self;
        let origin = stmt.origin;
        let StmtKind::While(each) = stmt.kind else { unreachable!("asked by `Counted::of`") };
        let (name, ty) = (program[counter].name.clone(), program[counter].elem);
        let iter = program.add_iter(&name, ty);
        let mut body = each.body;
        let at = Expr::iter(iter, ty);
        let by = Expr { ty, ..step.clone() };
        let (mut now, next) = match order {
            Order::Up => (at.clone(), at + by.clone()),
            Order::Down if is_next => (at.clone() + by.clone(), at),
            Order::Down => (at.clone(), at - by.clone()),
        };
        give_way(&mut body, counter, &mut now, &next);
        let first = program.load_scalar(counter);
        let call = |func, a, b| Expr::call(ty, func, vec![a, b]);
        let is_number = matches!(by.kind, ExprKind::Int(_));
        let enters = first.clone().below(bound.clone());
        let (lo, hi, last) = match order {
            Order::Up if by.kind == ExprKind::Int(1) => {
                (first.clone(), bound.clone(), call(Func::IntMax, first, bound))
            }
            Order::Up => {
                let reached =
                    if is_number { call(Func::IntMax, first.clone(), bound.clone()) } else { bound.clone() };
                (first.clone(), bound, moved(first, reached, step.clone()))
            }
            Order::Down if is_next => (bound.clone(), first.clone(), call(Func::IntMin, first, bound)),
            Order::Down => (bound.clone(), first.clone(), call(Func::IntMin, first, bound - by)),
        };
        let inclusive = order == Order::Down && !is_next;
        let positive = Expr::usize(0).below(step.clone());
        let looped = For { lo, inclusive, step, order, ..For::counted(iter, hi, body) }.stmt(origin);
        let behind = is_read_behind.then(|| Stmt::set(counter, last, origin));
        if is_number {
            return [looped].into_iter().chain(behind).collect();
        }
        // where the loop has no iteration, the step may be zero
        let then = [moves(positive, origin), looped].into_iter().chain(behind).collect();
        vec![Stmt::new(StmtKind::If { cond: enters, then, els: Block::new() }, origin)]
    }
}

/// The first number from `first` on, in steps of a positive `step`, that is not below `reached`. The distance of two
/// signed numbers may have no room in their type, so it is one without a sign.
fn moved(first: Expr, reached: Expr, step: Expr) -> Expr {
    let ty = first.ty;
    if ty == Ty::USIZE {
        let steps = Expr::call(ty, Func::DivCeil, vec![reached - first.clone(), step.clone()]);
        return first + steps * step;
    }
    let wide = Ty::Int(Int::U64);
    let unsigned = |expr: Expr| expr.cast(wide);
    let step = Expr { ty: wide, ..step };
    let distance = unsigned(reached) - unsigned(first.clone());
    let steps = Expr::call(wide, Func::DivCeil, vec![distance, step.clone()]);
    (first + (steps * step).cast(ty)).wrapping(Ty::is_int)
}

/// Lets a counter give way to its value, which is `now` up to the statement that changes it, and `next` from there on.
fn give_way(block: &mut Block, counter: BufferId, now: &mut Expr, next: &Expr) {
    let is_change = |stmt: &Stmt| stmt.as_scalar_assign().is_some_and(|(target, _)| target == counter);
    for stmt in std::mem::take(block) {
        if is_change(&stmt) {
            *now = next.clone();
            continue;
        }
        let mut stmt = stmt;
        for expr in stmt.exprs_mut() {
            expr.change(&mut |node| {
                if matches!(&node.kind, ExprKind::Load(place) if place.buffer == counter) {
                    *node = now.clone();
                }
            });
        }
        stmt.blocks_mut().into_iter().for_each(|inner| give_way(inner, counter, now, next));
        block.push(stmt);
    }
}

/// A scalar and a number that is added to it.
fn advanced(counting: &Expr) -> Option<(BufferId, i128)> {
    let scalar = |expr: &Expr| match &expr.kind {
        ExprKind::Load(place) if place.index.is_empty() && expr.ty.is_int() => Some(place.buffer),
        _ => None,
    };
    match &counting.kind {
        ExprKind::Binary(BinOp::Add, a, b) => match (&a.kind, &b.kind) {
            (_, ExprKind::Int(by @ 0..)) => Some((scalar(a)?, *by)),
            (ExprKind::Int(by @ 0..), _) => Some((scalar(b)?, *by)),
            _ => None,
        },
        _ => Some((scalar(counting)?, 0)),
    }
}

/// What the only statement that changes a counter, which runs in every iteration, adds or takes away.
fn only_change(body: &Block, counter: BufferId) -> Option<(BinOp, Expr)> {
    let mut changes = 0;
    crate::ir::walk(body, &mut |stmt| {
        stmt.writes_itself(&mut |buffer| changes += usize::from(buffer == counter))
    });
    let mut always: Vec<&Stmt> = body.iter().collect();
    let mut found = None;
    while let Some(stmt) = always.pop() {
        if let Some((_, inner)) = stmt.as_scope() {
            always.extend(inner);
        } else if let Some((target, value)) = stmt.as_scalar_assign()
            && target == counter
            && let ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) = &value.kind
        {
            let is_counter = |expr: &Expr| advanced(expr) == Some((counter, 0));
            found = match (is_counter(a), is_counter(b)) {
                (true, false) => Some((*op, (**b).clone())),
                (false, true) if *op == BinOp::Add => Some((*op, (**a).clone())),
                _ => None,
            };
        }
    }
    found.filter(|_| changes == 1)
}

/// Whether nothing in a loop that changes some buffers changes an expression.
fn is_fixed(program: &Program, expr: &Expr, changed: &BufferSet) -> bool {
    let grows = |node: &Expr| matches!(node.kind, ExprKind::Extent(buffer, _) if changed.contains(buffer));
    !expr.reads_any(program, changed) && !expr.any(&mut &grows)
}

/// Says that a counter moves.
fn moves(cond: Expr, origin: Origin) -> Stmt {
    let message = Message::Text("the counter of a `while` loop does not move: it would never end".to_owned());
    Stmt::new(StmtKind::Check { cond, message }, origin)
}

#[cfg(test)]
mod tests {
    use super::count;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    fn of(body: &str) -> String {
        format!(
            "fn f(x: in f64[_], n: in usize, h: in usize, i: inout usize) -> total: f64\n  total = 0.0\n{body}"
        )
    }

    fn runs() -> Vec<Vec<Array<f64>>> {
        let x = Array::floats(&[1.0, -2.0, 3.0, 0.5, 4.0, 0.25, 8.0]);
        let with = |(n, h, i)| vec![x.clone(), Array::int(n), Array::int(h), Array::int(i)];
        [(0, 0, 0), (0, 1, 0), (3, 1, 0), (5, 2, 0), (5, 3, 1), (2, 1, 4)].map(with).into()
    }

    fn looping(cond: &str, step: &str) -> String {
        of(&format!(
            "  loop round
    while {cond}
    total += x[i]
    i = {step}
    total += 0.5 * i as f64
"
        ))
    }

    #[test]
    fn loops_with_a_counter_are_counted() {
        for (cond, step, head, next, last) in [
            ("i < n", "i + 1", "i..n", "i.2 + 1", "  i = int::max(i, n)\n"),
            ("n > i", "1 + i", "i..n", "i.2 + 1", "  i = int::max(i, n)\n"),
            (
                "i + 2 < n",
                "i + 1",
                "i..saturating_sub(n, 2)",
                "i.2 + 1",
                "  i = int::max(i, saturating_sub(n, 2))\n",
            ),
            (
                "i <= n",
                "i + 1",
                "i..saturating_add(n, 1)",
                "i.2 + 1",
                "  i = int::max(i, saturating_add(n, 1))\n",
            ),
            ("i < n", "i + 2", "i..n step 2", "i.2 + 2", "  i = i + div_ceil(int::max(i, n) - i, 2) * 2\n"),
            ("i > n", "i - 1", "n..i down", "i.2", "  i = int::min(i, n)\n"),
        ] {
            let now = if next == "i.2" { "i.2 + 1" } else { "i.2" };
            let after = of(&format!(
                "  for i.2 in {head}
    total += x[{now}]
    total += 0.5 * ({next}) as f64
{last}"
            ));
            assert_pass(count, &looping(cond, step), &after, runs());
        }
    }

    #[test]
    fn a_step_that_may_be_zero_is_checked_where_the_loop_begins() {
        let after = "  if i < n
    check 0 < h \"the counter of a `while` loop does not move: it would never end\"
    for i.2 in i..n step h
      total += x[i.2]
      total += 0.5 * (i.2 + h) as f64
    i = i + div_ceil(n - i, h) * h
";
        assert_pass(count, &looping("i < n", "i + h"), &of(after), runs());
    }

    #[test]
    fn a_flag_stands_for_its_condition() {
        let text = |lines: &str| {
            of(&format!("  scope k: usize, again: bool\n    k = h\n    again = k + 1 < n\n{lines}"))
        };
        assert_pass(
            count,
            &text(
                "    loop round\n      while again\n      total += x[k]\n      k = k + 1\n      again = k + 1 < n\n",
            ),
            &text(
                "    for k.2 in k..saturating_sub(n, 1)\n      total += x[k.2]\n    k = int::max(k, saturating_sub(n, 1))\n",
            ),
            runs(),
        );
    }

    #[test]
    fn a_counter_that_nobody_asks_for_ends_with_its_loop() {
        let text = |lines: &str| of(&format!("  scope k: usize\n    k = 0\n{lines}"));
        assert_pass(
            count,
            &text("    loop round\n      while k < n\n      total += x[k]\n      k = k + 1\n"),
            &text("    for k.2 in k..n\n      total += x[k.2]\n"),
            runs(),
        );
    }

    #[test]
    fn a_counter_goes_on_in_the_next_iteration_of_a_loop_around() {
        let text = |lines: &str| {
            of(&format!("  scope k: usize\n    k = 0\n    for j in 0..n\n{lines}      total += 0.5\n"))
        };
        assert_pass(
            count,
            &text("      loop round\n        while k < j + h\n        total += x[k]\n        k = k + 1\n"),
            &text("      for k.2 in k..j + h\n        total += x[k.2]\n      k = int::max(k, j + h)\n"),
            runs(),
        );
    }

    #[test]
    fn what_lies_between_signed_numbers_may_have_no_room_in_their_type() {
        let distance = "wrapping_sub(int::max(a, b) as u64, a as u64)";
        let text = |lines: &str| format!("fn f(a: inout i32, b: in i32) -> r: f64\n  r = 0.0\n{lines}");
        let run = |a, b| vec![Array::int(a), Array::int(b)];
        assert_pass(
            count,
            &text("  loop round\n    while a < b\n    r += a as f64\n    a = a + 500000000\n"),
            &text(&format!(
                "  for a.2: i32 in a..b step 500000000
    r += a.2 as f64
  a = wrapping_add(a, wrapping_mul(div_ceil({distance}, 500000000), 500000000) as i32)
"
            )),
            vec![run(-2_000_000_000, 1_600_000_000), run(-7, -7), run(5, -3), run(-7, 5)],
        );
    }

    #[test]
    fn nothing_is_added_to_the_bound_of_a_loop_downwards() {
        let text = |lines: &str| of(&format!("  scope k: usize\n    k = n\n{lines}"));
        let ints = [1, i128::from(u64::MAX), 0].map(Array::int);
        let no_iteration = [Array::floats(&[1.0])].into_iter().chain(ints).collect();
        assert_pass(
            count,
            &text("    loop round\n      while k > h\n      k = k - 1\n      total += x[k]\n"),
            &text("    for k.2 in h..k down\n      total += x[k.2]\n"),
            runs().into_iter().chain([no_iteration]).collect(),
        );
    }

    #[test]
    fn other_loops_stay() {
        for body in [
            // the bound changes, the counter changes twice, or not always, a condition of two parts, a counter that
            // is multiplied
            "  scope m: usize\n    m = n\n    loop round\n      while i < m\n      m = m - 1\n      i = i + 1\n",
            "  loop round\n    while i < n\n    i = i + 1\n    i = i + h\n",
            "  loop round\n    while i < n\n    if x[0] > 0.0\n      i = i + 1\n    else\n      total += 1.0\n",
            "  loop round\n    while (i < n) & (total < 3.0)\n    i = i + 1\n    total += 1.0\n",
            "  loop round\n    while i < n\n    i = 2 * i\n",
            // a counter that may go below zero, and a flag that is read behind the loop
            "  loop round\n    while i >= h\n    i = i - 1\n",
            "  scope go: bool\n    go = i < n\n    loop round\n      while go\n      i = i + 1\n      go = i < n\n    if go\n      total += 1.0\n",
        ] {
            assert_unchanged(count, &of(body));
        }
    }
}
