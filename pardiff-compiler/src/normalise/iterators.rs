//! Loops count in `usize`, where that is the same, up to a bound that they do not reach.
//!
//! ```text
//! before                                   after
//!   for k: i32 in 0..4                       for k in 0..4
//!     x[k as usize] = e                        x[k] = e
//!   for k: i32 in 1..n                       for k in 1..max(n, 0) as usize
//!     y[(k - 1) as usize] = k as f64           y[k - 1] = k as i32 as f64
//!   for k in 1..=n                           for k in 1..saturating_add(n, 1)
//! ```
//!
//! `for _ in 0..4` counts in `i32`, because nothing says otherwise. Slots of tapes, lengths of loops and everything else that is
//! known of a program is in `usize`: without casts a slot is the iterator, and a number of iterations a number.
//!
//! *Legality.* The first value is not negative, so no value is, and each is one of the loop's type, so it is a `usize` where that
//! type has at most 32 bits or the bound is one that has. A bound below the first value is an empty loop, which it stays. A
//! cast of the iterator drops the same bits of the same number; `k - 1` is not negative where the first value is not below 1, and
//! `k + 1` is at most the bound. If `n` is `usize::MAX`, the bound of `1..=n` saturates and the last iteration is lost:
//! such a loop leaves all arrays long before, or runs for centuries.

use crate::ir::{BinOp, Block, Expr, ExprKind, For, Func, Int, IterId, Program, Ty};
use crate::map::Map;

/// What is known of an iterator that counts in `usize` now.
struct Counted {
    /// The type that it had.
    ty: Ty,
    /// A number that it is never less than.
    least: i128,
    /// Whether the number behind each of its values is one of that type.
    has_next: bool,
}

/// Lets the loops of `program` count in `usize`.
pub fn in_usize(mut program: Program) -> Program {
    let mut counted = Map::default();
    program.with_body(|program, body| count(program, body, &mut counted));
    if !counted.is_empty() {
        for extent in program.buffers.iter_mut().flat_map(|buffer| &mut buffer.dims) {
            *extent = in_sizes(extent, &counted);
        }
    }
    program
}

/// Goes through loops from the outermost to the innermost: those inside have bounds of the iterators outside.
fn count(program: &mut Program, block: &mut Block, counted: &mut Map<IterId, Counted>) {
    for stmt in block {
        if !counted.is_empty() {
            stmt.exprs_mut().into_iter().for_each(|expr| *expr = in_sizes(expr, counted));
        }
        if let Some(each) = stmt.as_for_mut()
            && let Some((lo, hi)) = bounds(each, counted)
        {
            let least = least(&lo, counted).unwrap_or(0);
            counted.insert(each.iter, Counted { ty: each.lo.ty, least, has_next: !each.inclusive });
            (each.lo, each.hi) = (lo, hi);
            program.iters[each.iter.0 as usize].ty = Ty::USIZE;
        }
        if let Some(each) = stmt.as_for_mut()
            && each.inclusive
            && let Some(hi) = behind(&each.hi)
        {
            (each.hi, each.inclusive) = (hi, false);
        }
        stmt.blocks_mut().into_iter().for_each(|block| count(program, block, counted));
    }
}

/// The bounds of a loop in `usize`, whose iterator is in another type.
fn bounds(each: &For, counted: &Map<IterId, Counted>) -> Option<(Expr, Expr)> {
    let Ty::Int(int) = each.lo.ty else { return None };
    if int == Int::Usize {
        return None;
    }
    let lo = size(&each.lo, counted)?;
    if let Some(hi) = size(&each.hi, counted) {
        return Some((lo, hi));
    }
    // a bound of more bits is a `usize` that was cast, and below zero there is none for an inclusive loop that is empty
    let is_cast = matches!(&moved(&each.hi).0.kind, ExprKind::Cast(of) if of.ty == Ty::USIZE);
    if int.bits() > 32 && !is_cast || each.inclusive && int.is_signed() {
        return None;
    }
    let hi = match int.is_signed() {
        true => natural(&each.hi, &each.lo),
        false => each.hi.clone().cast(Ty::USIZE),
    };
    Some((lo, hi))
}

/// A signed bound in `usize`, where loops from `lo` that are empty stay so: what is taken away from a size is taken
/// away from the size in `usize`.
fn natural(hi: &Expr, lo: &Expr) -> Expr {
    let at_least = |of: &Expr, least: Expr| Expr::call(of.ty, Func::IntMax, vec![of.clone(), least]);
    match moved(hi) {
        (size, less @ ..=0) if !matches!(size.kind, ExprKind::Int(_)) => {
            let size = at_least(size, Expr::int(size.ty, 0)).cast(Ty::USIZE);
            match less {
                0 => size,
                _ => Expr::call(Ty::USIZE, Func::SaturatingSub, vec![size, Expr::int(Ty::USIZE, -less)]),
            }
        }
        _ => at_least(hi, lo.clone()).cast(Ty::USIZE),
    }
}

/// The number behind a bound in `usize`.
fn behind(last: &Expr) -> Option<Expr> {
    if last.ty != Ty::USIZE {
        return None;
    }
    if let ExprKind::Int(last) = last.kind {
        return (last < i128::from(u32::MAX)).then(|| Expr::int(Ty::USIZE, last + 1));
    }
    let (from, by) = moved(last);
    // an iterator is below its bound, and a length far below the end of the type
    let is_below = matches!(from.kind, ExprKind::Iter(_) | ExprKind::Extent(..));
    let one = Expr::usize(1);
    Some(match (0..=u32::MAX.into()).contains(&by) && is_below {
        true => from.clone() + Expr::int(Ty::USIZE, by + 1),
        false => Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![last.clone(), one]),
    })
}

/// The value of an integer expression as a `usize`, if it is one for sure: a number, or an iterator and a number.
fn size(expr: &Expr, counted: &Map<IterId, Counted>) -> Option<Expr> {
    if let ExprKind::Int(value) = expr.kind {
        return (0..=u32::MAX.into()).contains(&value).then(|| Expr::int(Ty::USIZE, value));
    }
    let (cast, by) = moved(expr);
    let ExprKind::Cast(iter) = &cast.kind else { return None };
    let ExprKind::Iter(id) = iter.kind else { return None };
    let of = counted.get(&id).filter(|of| of.ty == expr.ty)?;
    let (iter, number) = ((**iter).clone(), Expr::int(Ty::USIZE, by.abs()));
    match by {
        0 => Some(iter),
        1 if of.has_next => Some(iter + number),
        ..0 if of.least + by >= 0 => Some(iter - number),
        _ => None,
    }
}

/// What a number is added to, and the number.
fn moved(expr: &Expr) -> (&Expr, i128) {
    let ExprKind::Binary(op, lhs, rhs) = &expr.kind else { return (expr, 0) };
    match (op, &lhs.kind, &rhs.kind) {
        (BinOp::Add, _, ExprKind::Int(by)) => (lhs, *by),
        (BinOp::Add, ExprKind::Int(by), _) => (rhs, *by),
        (BinOp::Sub, _, ExprKind::Int(by)) => (lhs, -by),
        _ => (expr, 0),
    }
}

/// A number that a bound in `usize` is not less than.
fn least(lo: &Expr, counted: &Map<IterId, Counted>) -> Option<i128> {
    let (of, by) = moved(lo);
    match of.kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Iter(id) => Some(counted.get(&id)?.least + by),
        _ => None,
    }
}

/// The expression with iterators that count in `usize`, cast where another type is asked for.
fn in_sizes(expr: &Expr, counted: &Map<IterId, Counted>) -> Expr {
    expr.map(&mut |node| match &node.kind {
        ExprKind::Iter(iter) => match counted.get(iter) {
            Some(of) => Expr::iter(*iter, Ty::USIZE).cast(of.ty),
            None => node,
        },
        // what the type between drops, or repeats as the sign, is nothing
        ExprKind::Cast(operand) if node.ty.is_int() => match size(operand, counted) {
            Some(size) if node.ty == Ty::USIZE => size,
            Some(size) if !matches!(size.kind, ExprKind::Int(_)) => size.cast(node.ty),
            _ => node,
        },
        _ => node,
    })
}

#[cfg(test)]
mod tests {
    use super::in_usize;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn loops_count_in_usize() {
        assert_pass(
            in_usize,
            "
            fn f(x: inout f64[_], n: in i32, m: in u8)
              for k: i32 in 0..4
                x[k as usize] = k as f64
              for i: i32 in 1..n - 1
                x[(i - 1) as usize] += x[(i + 1) as usize]
                for j: i32 in i + 1..n down
                  x[j as usize] += x[i as usize]
              for k.2: u8 in 0..=m
                x[k.2 as usize] += k.2 as i64 as f64
            ",
            "
            fn f(x: inout f64[_], n: in i32, m: in u8)
              for k in 0..4
                x[k] = k as i32 as f64
              for i in 1..saturating_sub(int::max(n, 0) as usize, 1)
                x[i - 1] += x[i + 1]
                for j in i + 1..int::max(n, 0) as usize down
                  x[j] += x[i]
              for k.2 in 0..saturating_add(m as usize, 1)
                x[k.2] += k.2 as i64 as f64
            ",
            [(5, 3), (1, 0), (-7, 2)]
                .map(|(n, m)| vec![Array::floats(&[1.0, -2.0, 0.5, 4.0, 3.0]), Array::int(n), Array::int(m)])
                .into(),
        );
    }

    #[test]
    fn loops_end_before_their_bound() {
        let text = "
            fn f(x: inout f64[_], n: in usize, w: in usize[2])
              for a in 1..=n
                for b in 0..=a
                  for c in w[0]..=a + 2 down
                    x[c % 5] += x[b]
              for d in 0..=w[1] step 2
                x[d] += 1.0
              for e in 0..=3
                x[e] += 2.0
              for g in 1..=n - 1
                x[g] += 3.0
              for h: u8 in 250..=255
                x[(h - 250) as usize % 5] += 1.0
            ";
        let after = text
            .replace("1..=n\n", "1..saturating_add(n, 1)\n")
            .replace("0..=a", "0..a + 1")
            .replace("w[0]..=a + 2", "w[0]..a + 3")
            .replace("0..=w[1]", "0..saturating_add(w[1], 1)")
            .replace("0..=3", "0..4")
            .replace("1..=n - 1", "1..saturating_add(n - 1, 1)")
            .replace("h: u8 in 250..=255", "h in 250..256")
            .replace("(h - 250) as usize", "(h - 250)");
        let run = |n: i128, w: [usize; 2]| {
            vec![Array::floats(&[1.0, -2.0, 0.5, 4.0, 3.0]), Array::int(n), Array::usizes(&w)]
        };
        // an empty loop, and indices behind the end
        assert_pass(
            in_usize,
            text,
            &after,
            vec![run(3, [1, 4]), run(1, [3, 0]), run(4, [0, 5]), run(0, [0, 0])],
        );
    }

    #[test]
    fn loops_that_are_no_sizes_stay() {
        for header in ["k: i32 in -1..2", "k: i32 in 0..=n", "k: i32 in n..9", "k: i64 in 0..m"] {
            let text = format!(
                "
            fn f(x: inout f64, n: in i32, m: in i64)
              for {header}
                x += k as f64
            "
            );
            assert_unchanged(in_usize, &text);
        }
    }

    #[test]
    fn what_may_overflow_keeps_its_type() {
        assert_pass(
            in_usize,
            "
            fn f(x: inout f64[_], n: in i32)
              for k: i32 in 0..n
                x[(k + 2) as usize] = x[(2 * k - k) as usize]
                x[(k - 1) as u32 as usize % 5] = 1.0
              for i: u32 in 0..=n as u32
                x[(i + 1) as usize % 5] = 1.0
            ",
            "
            fn f(x: inout f64[_], n: in i32)
              for k in 0..int::max(n, 0) as usize
                x[(k as i32 + 2) as usize] = x[(2 * k as i32 - k as i32) as usize]
                x[(k as i32 - 1) as u32 as usize % 5] = 1.0
              for i in 0..saturating_add(n as u32 as usize, 1)
                x[(i as u32 + 1) as usize % 5] = 1.0
            ",
            [2, 0].map(|n| vec![Array::floats(&[1.0, -2.0, 0.5, 4.0, 3.0]), Array::int(n)]).into(),
        );
    }
}
