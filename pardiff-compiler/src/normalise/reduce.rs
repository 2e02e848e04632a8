//! Accumulations become `Reduce`s.
//!
//! ```text
//! before                                   after
//!   total = total + w[i] * x[i]              total += w[i] * x[i]
//!   y[i] = x[i] * c + y[i]                   y[i] += x[i] * c
//!   r = r - a[j]                             r += -a[j]
//!   m = m.max(x[i])                          m max= x[i]
//!   m = m.max(x[i]).max(y[i])                m max= x[i].max(y[i])
//!   s = s + a + b                            unchanged: `(s + a) + b` rounds twice
//! ```
//!
//! *Legality.* `x = x + e` is `x += e` bit for bit (`+` and `*` of floats commute, and `x - e` is `x + (-e)`), as
//! long as `e` does not read the element `x`: a `Reduce`'s value does not read its target. `e` may read another
//! element of the same buffer only where one pair of constant indices differs. `max` and `min` of floats give the
//! same value whichever operand comes first, and in whatever order several are taken (of two zeros of different sign, Rust leaves open which); on a tie the
//! adjoint goes, as documented for a running maximum, to the first element that attains it. A product stays an
//! `Assign`: its adjoint needs the running value.
//!
//! Sums of unsigned integers become `Reduce`s where they are all that a loop does with a variable, so that counting keeps no
//! loop in order: `n = n + 1` becomes `n += 1`, with the same panic where it overflows; sums of signed ones where these only
//! [count up](counts_up). What every iteration adds is closed before, and is a function of the iterators: only what
//! conditions decide is left.

use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, Func, Place, Program, ReduceOp, Scheme, Stmt, StmtKind, Ty, UnOp,
    added, counts_up,
};

/// Turns every accumulation of floats into a `Reduce`.
pub fn canonicalise(mut program: Program) -> Program {
    let mut body = program.body.clone();
    body.iter_mut().for_each(|stmt| canonicalise_stmt(&program, stmt));
    program.body = body;
    program
}

fn canonicalise_stmt(program: &Program, stmt: &mut Stmt) {
    if let Some(looped) = stmt.as_for_mut() {
        let mut counted = counted(&looped.body);
        counted.retain(|&sum| is_unsigned(program[sum].elem) || counts_up(program, sum));
        looped.body.iter_mut().for_each(|stmt| count(stmt, &counted));
    }
    stmt.blocks_mut().into_iter().flatten().for_each(|inner| canonicalise_stmt(program, inner));
    if let Some((target, value)) = stmt.as_assign()
        && let Some((op, value)) = accumulated(target, value)
    {
        let target = target.clone();
        stmt.kind = StmtKind::Reduce { op, target, value, scheme: Scheme::Undecided };
    }
}

/// The scalars of an integer type that a block adds to, and does nothing else with.
fn counted(block: &Block) -> Vec<BufferId> {
    let (mut sums, mut others) = (Vec::new(), Vec::new());
    for stmt in block {
        stmt.walk(&mut |stmt| {
            others.extend(stmt.declares());
            let by = stmt.as_assign().and_then(|(target, value)| addend(target, value));
            if let (Some((target, _)), Some(by)) = (stmt.as_assign(), by) {
                sums.push(target.buffer);
                loads(by, &mut others);
            } else {
                others.extend(stmt.as_store().map(|(target, _)| target.buffer));
                others.extend(stmt.as_swap().into_iter().flatten());
                stmt.each_expr(&mut |expr| loads(expr, &mut others));
            }
        });
    }
    sums.retain(|sum| !others.contains(sum));
    sums
}

fn loads(expr: &Expr, found: &mut Vec<BufferId>) {
    expr.walk(&mut |part| {
        if let ExprKind::Load(place) = &part.kind {
            found.push(place.buffer);
        }
    });
}

/// What is added in `n = n + by`, where `n` is a scalar of an integer type.
fn addend<'e>(target: &Place, value: &'e Expr) -> Option<&'e Expr> {
    added(target, value).filter(|_| value.ty.is_int() && target.index.is_empty())
}

fn is_unsigned(ty: Ty) -> bool {
    matches!(ty, Ty::Int(int) if !int.is_signed())
}

/// Turns the sums of `counted` into `Reduce`s.
fn count(stmt: &mut Stmt, counted: &[BufferId]) {
    stmt.blocks_mut().into_iter().flatten().for_each(|stmt| count(stmt, counted));
    if let Some((target, value)) = stmt.as_assign()
        && counted.contains(&target.buffer)
        && let Some(by) = addend(target, value)
    {
        let (target, value) = (target.clone(), by.clone());
        stmt.kind = StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme: Scheme::Undecided };
    }
}

/// The operation and the operand of an accumulation into `target`.
fn accumulated(target: &Place, value: &Expr) -> Option<(ReduceOp, Expr)> {
    if !value.ty.is_float() || target.index.iter().any(|index| may_read(index, target)) {
        return None;
    }
    let is_target = |expr: &Expr| matches!(&expr.kind, ExprKind::Load(place) if place == target);
    let (op, operand) = match &value.kind {
        ExprKind::Binary(BinOp::Add, lhs, rhs) if is_target(lhs) => (ReduceOp::Add, (**rhs).clone()),
        ExprKind::Binary(BinOp::Add, lhs, rhs) if is_target(rhs) => (ReduceOp::Add, (**lhs).clone()),
        ExprKind::Binary(BinOp::Sub, lhs, rhs) if is_target(lhs) => {
            (ReduceOp::Add, Expr::unary(UnOp::Neg, (**rhs).clone()))
        }
        ExprKind::Call(func @ (Func::Max | Func::Min), ..) => {
            let op = if *func == Func::Max { ReduceOp::Max } else { ReduceOp::Min };
            let mut items = Vec::new();
            operands(value, *func, &mut items);
            let at = items.iter().position(|item| is_target(item))?;
            items.remove(at);
            let items = items.into_iter().cloned();
            (op, items.reduce(|most, item| Expr::call(value.ty, *func, vec![most, item]))?)
        }
        _ => return None,
    };
    (!may_read(&operand, target)).then_some((op, operand))
}

/// What nested maxima, or minima, are of.
fn operands<'e>(expr: &'e Expr, of: Func, items: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Call(func, _, args) if *func == of => args.iter().for_each(|arg| operands(arg, of, items)),
        _ => items.push(expr),
    }
}

/// Whether `expr` reads an element that may be `target`.
fn may_read(expr: &Expr, target: &Place) -> bool {
    let mut found = false;
    expr.walk(&mut |expr| {
        if let ExprKind::Load(place) = &expr.kind {
            found |= place.buffer == target.buffer && !differ(place, target);
        }
    });
    found
}

/// Whether two elements of one buffer are different for a reason that shows: a pair of different constants.
fn differ(a: &Place, b: &Place) -> bool {
    a.index.iter().zip(&b.index).any(|(a, b)| match (&a.kind, &b.kind) {
        (ExprKind::Int(a), ExprKind::Int(b)) => a != b,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::canonicalise;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn sums_differences_and_extrema_accumulate() {
        assert_pass(
            canonicalise,
            "
            fn f(x: in f64[_], y: inout f64[len(x)]) -> total: f64, least: f64, most: f64
              total = 0.0
              least = x[0]
              most = x[0]
              for i in 0..len(x)
                total = total + x[i] * x[i]
                y[i] = x[i] + y[i]
                y[i] = y[i] - x[i] * total
                least = min(x[i], least)
                most = max(max(most, x[i]), y[i])
            ",
            "
            fn f(x: in f64[_], y: inout f64[len(x)]) -> total: f64, least: f64, most: f64
              total = 0.0
              least = x[0]
              most = x[0]
              for i in 0..len(x)
                total += x[i] * x[i]
                y[i] += x[i]
                y[i] += -(x[i] * total)
                least min= x[i]
                most max= max(x[i], y[i])
            ",
            vec![
                vec![Array::floats(&[1.5, -2.25, 7.1]), Array::floats(&[0.1, 0.2, 0.3])],
                vec![Array::floats(&[-0.0]), Array::floats(&[0.0])],
            ],
        );
    }

    #[test]
    fn what_rounds_twice_or_reads_the_target_stays() {
        assert_unchanged(
            canonicalise,
            "
            fn f(x: inout f64[_], k: in usize) -> s: f64
              s = 1.0
              s = s + x[0] + x[1]
              s = s * x[0]
              s = s + s * x[0]
              s = x[0] - s
              x[k] = x[k] + x[0]
            ",
        );
    }

    #[test]
    fn different_constant_elements_do_not_alias() {
        assert_pass(
            canonicalise,
            "
            fn f(x: inout f64[_])
              x[1] = x[1] + x[0]
            ",
            "
            fn f(x: inout f64[_])
              x[1] += x[0]
            ",
            vec![vec![Array::floats(&[1.0, 2.0])]],
        );
    }

    /// Of `n` and `k` all that the loop does is to add; `m` is read, and `l` may begin with a negative number.
    #[test]
    fn what_loops_count_accumulates() {
        assert_pass(
            canonicalise,
            "
            fn f(x: in f64[_], y: inout f64[len(x)]) -> n: usize, m: usize, k: i32, l: i32
              n = 0
              m = 0
              k = 0i32
              l = -3i32
              for i in 0..len(x)
                if x[i] > 0.0
                  n = n + 1
                  k = k + 1i32
                  l = l + 1i32
                n = 2 + n
                m = m + 1
                y[i] = m as f64
            ",
            "
            fn f(x: in f64[_], y: inout f64[len(x)]) -> n: usize, m: usize, k: i32, l: i32
              n = 0
              m = 0
              k = 0i32
              l = -3i32
              for i in 0..len(x)
                if x[i] > 0.0
                  n += 1
                  k += 1i32
                  l = l + 1i32
                n += 2
                m = m + 1
                y[i] = m as f64
            ",
            vec![vec![Array::floats(&[1.5, -2.25]), Array::floats(&[0.1, 0.2])]],
        );
    }
}
