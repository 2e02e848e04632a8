//! Steps around a ring are choices.
//!
//! ```text
//! for i in 0..n                            for i in 0..n
//!   next = (i + 1) % n              =>       next = select(i + 1 < n, i + 1, 0)
//!   if i == 0 { last = n - 1 }               last = select(0 < i, i - 1, n - 1)
//!   else      { last = i - 1 }
//!   here = i % n                             here = i
//!   above = (i + 1).min(n - 1)               above = select(i + 1 < n, i + 1, i)
//!   below = i.saturating_sub(1)              below = select(0 < i, i - 1, i)
//! ```
//!
//! A choice costs less than a division, and it is one form for what is written in several ways: sums over neighbours on a
//! periodic grid gather by it (`schedule::shift`), and loops leave the iterations out in which it is not the next number
//! (`schedule::index_set_split`).
//!
//! *Legality.* `i` is below `n`, so that `n` is not zero and `i + 1` is at most `n`; no iteration changes `n`. `i + n` of
//! `(i + n - 1) % n` may overflow only where `n` is beyond every array. At an end of the loop `i` is `0`, or `n - 1`: a number
//! that is chosen there is `i` and a number.

use crate::ir::{
    Block, Expr, ExprKind, For, Func, Margin, Place, Program, Stmt, StmtKind, Turned, Ty, any, turned,
    walk_mut, written,
};

/// Makes choices of the steps around rings; whether there was one.
pub(super) fn choose(program: &mut Program) -> bool {
    program.with_body(|program, body| choose_in(program, body))
}

fn choose_in(program: &Program, block: &mut Block) -> bool {
    let mut changed = false;
    for stmt in block {
        if let Some(each) = stmt.as_for_mut()
            && let Some(ring) = Ring::of(program, each)
        {
            changed |= ring.block(&mut each.body);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| changed |= choose_in(program, inner));
    }
    changed
}

/// The numbers of a loop over `0..n`.
struct Ring {
    /// The loop without its body.
    each: For,
}

impl Ring {
    /// The ring of a loop in which something may be a step.
    fn of(program: &Program, each: &For) -> Option<Ring> {
        if !each.is_from_zero() {
            return None;
        }
        let ring = Ring { each: each.around(Block::new()) };
        let steps = any(&each.body, &mut |stmt| ring.has_step(stmt));
        (steps && !each.hi.reads_any(program, &written(&each.body))).then_some(ring)
    }

    fn has_step(&self, stmt: &Stmt) -> bool {
        let simpler = |node: &Expr| self.simpler(node).is_some();
        self.chosen(stmt).is_some() || stmt.exprs().into_iter().any(|expr| expr.any(&mut &simpler))
    }

    fn block(&self, block: &mut Block) -> bool {
        let mut changed = false;
        walk_mut(block, &mut |stmt| {
            for expr in stmt.exprs_mut() {
                expr.change(&mut |node| {
                    if let Some(step) = self.simpler(node) {
                        (*node, changed) = (step, true);
                    }
                });
            }
            if let Some(step) = self.chosen(stmt) {
                (stmt.kind, changed) = (step, true);
            }
        });
        changed
    }

    /// The choice for a number near the iterator.
    fn simpler(&self, expr: &Expr) -> Option<Expr> {
        self.divided(expr).or_else(|| self.limited(expr))
    }

    /// The choice for a neighbour that is the iterator itself at the end.
    fn limited(&self, expr: &Expr) -> Option<Expr> {
        let ExprKind::Call(func @ (Func::SaturatingSub | Func::IntMin), _, args) = &expr.kind else {
            return None;
        };
        let one = Expr::usize(1);
        let (next, last) = (self.iter() + one.clone(), self.last());
        match func {
            Func::SaturatingSub if args[0] == self.iter() && args[1] == one => Some(self.near(-1, 0)),
            Func::IntMin if args.contains(&next) && args.contains(&last) => Some(self.near(1, 0)),
            _ => None,
        }
    }

    /// The iterator and a number, -1 or 1, where that is in the loop, and the iterator and another one where it is not.
    fn near(&self, by: i128, at_end: i128) -> Expr {
        let number = |by: i128| Expr::int(self.each.lo.ty, by.abs());
        let at = |by: i128| match by {
            0 => self.iter(),
            1.. => (self.iter() + number(by)).wrapping(Ty::is_usize),
            _ => (self.iter() - number(by)).wrapping(Ty::is_usize),
        };
        let inside = match by {
            1 => (self.iter() + number(1)).below(self.each.hi.clone()),
            _ => number(0).below(self.iter()),
        };
        Expr::select(inside, at(by), at(at_end))
    }

    /// The last number, where there is one, as it is written.
    fn last(&self) -> Expr {
        match self.each.hi.kind {
            ExprKind::Int(number @ 1..) => Expr::int(self.each.hi.ty, number - 1),
            _ => self.each.hi.clone() - Expr::usize(1),
        }
    }

    fn iter(&self) -> Expr {
        Expr::iter(self.each.iter, self.each.lo.ty)
    }

    /// The choice for a rest of a division by the length of the ring.
    fn divided(&self, expr: &Expr) -> Option<Expr> {
        if !matches!(expr.kind, ExprKind::Binary(..)) {
            return None;
        }
        let step =
            Turned::of(expr).filter(|step| step.iter == self.each.iter && step.around == self.each.hi)?;
        (step.by.abs() <= 1).then(|| self.step(step.by))
    }

    /// The choice for a condition with a number for each of its arms.
    fn chosen(&self, stmt: &Stmt) -> Option<StmtKind> {
        let (cond, then, els) = stmt.as_if()?;
        let (target, yes) = assigned(then)?;
        let (other, no) = assigned(els)?;
        if target != other {
            return None;
        }
        let margin = Margin::of(cond, &self.each)?;
        let (inside, outside) = if margin.inside { (yes, no) } else { (no, yes) };
        let (one, last) = (Expr::usize(1), self.last());
        let (by, next, around, end) = match (margin.low, margin.high) {
            (0, 1) => (1, self.iter() + one, Expr::usize(0), last),
            (1, 0) => (-1, self.iter() - one, last, Expr::usize(0)),
            _ => return None,
        };
        let at_end = match outside.kind {
            _ if *outside == end || *outside == self.iter() => Some(0),
            ExprKind::Int(number) if by == -1 && number <= 1 => Some(number),
            _ => None,
        };
        let value = match at_end {
            _ if *inside != next => return None,
            _ if *outside == around => self.step(by),
            Some(at_end) => self.near(by, at_end),
            None => return None,
        };
        Some(StmtKind::Assign { target: target.clone(), value })
    }

    fn step(&self, by: i128) -> Expr {
        turned(self.iter(), by, &self.each.hi)
    }
}

/// The scalar that a block does nothing but assign to, and what.
fn assigned(block: &Block) -> Option<(&Place, &Expr)> {
    match &block[..] {
        [only] => only.as_assign().filter(|(target, _)| target.index.is_empty()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::choose;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::{Program, interp::Array};

    fn pass(mut program: Program) -> Program {
        choose(&mut program);
        program
    }

    /// What names the numbers in front of and behind the iterator of a loop, and what becomes of it.
    fn chosen(next: &str, last: &str, [made_next, made_last]: [&str; 2]) {
        let text = |next: &str, last: &str| {
            format!(
                "
fn f(x: in f64[_], y: inout f64[_], n: in usize, a: inout usize, b: inout usize)
  for i in 0..n
    {next}
    {last}
    y[i] = x[a] - x[b]
"
            )
        };
        let args = |n| {
            let x = Array::floats(&[1.0, 2.0, 4.0, 8.0, 16.0]);
            vec![x.clone(), x, Array::int(n), Array::int(9), Array::int(9)]
        };
        let after = text(&format!("a = {made_next}"), &format!("b = {made_last}"));
        assert_pass(pass, &text(next, last), &after, [0, 1, 2, 5].map(args).into());
    }

    #[test]
    fn steps_are_choices() {
        for (next, last) in [
            ("a = (i + 1) % n", "b = (i + n - 1) % n"),
            ("a = (1 + i) % n", "b = (i + (n - 1)) % n"),
            ("a = (i % n + 1) % n", "b = (i % n + n - 1) % n"),
            (
                "if i + 1 < n\n      a = i + 1\n    else\n      a = 0",
                "if 0 < i\n      b = i - 1\n    else\n      b = n - 1",
            ),
            (
                "if i == n - 1\n      a = 0\n    else\n      a = i + 1",
                "if i == 0\n      b = n - 1\n    else\n      b = i - 1",
            ),
        ] {
            let last_of_ring = "select(0 < i, wrapping_sub(i, 1), wrapping_sub(n, 1))";
            chosen(next, last, ["select(i + 1 < n, wrapping_add(i, 1), 0)", last_of_ring]);
        }
    }

    #[test]
    fn rings_of_a_constant_length_are_rings() {
        let text = |next: &str, last: &str| {
            format!(
                "
fn f(x: in f64[_], y: inout f64[_])
  scope a: usize, b: usize
    for i in 0..20
      {next}
      {last}
      y[i] = x[a] - x[b]
"
            )
        };
        let next = "if i + 1 < 20\n        a = i + 1\n      else\n        a = 0";
        let last = "if i > 0\n        b = i - 1\n      else\n        b = 19";
        let after = text(
            "a = select(i + 1 < 20, wrapping_add(i, 1), 0)",
            "b = select(0 < i, wrapping_sub(i, 1), wrapping_sub(20, 1))",
        );
        let x = Array::floats(&(0..20).map(|k| f64::from(k * k)).collect::<Vec<_>>());
        assert_pass(pass, &text(next, last), &after, vec![vec![x.clone(), x]]);
    }

    #[test]
    fn neighbours_in_walls_are_choices() {
        for (next, last) in [
            ("a = int::min(i + 1, n - 1)", "b = saturating_sub(i, 1)"),
            (
                "if i + 1 < n\n      a = i + 1\n    else\n      a = n - 1",
                "if i > 0\n      b = i - 1\n    else\n      b = 0",
            ),
            (
                "if i == n - 1\n      a = i\n    else\n      a = i + 1",
                "if i == 0\n      b = i\n    else\n      b = i - 1",
            ),
        ] {
            chosen(
                next,
                last,
                ["select(i + 1 < n, wrapping_add(i, 1), i)", "select(0 < i, wrapping_sub(i, 1), i)"],
            );
        }
    }

    #[test]
    fn other_numbers_and_rings_stay() {
        for (range, line) in [
            ("0..n", "a = (i + 2) % n"),
            ("1..n", "a = (i + 1) % n"),
            ("0..m", "a = (i + 1) % n"),
            ("0..n", "n = n + 1\n    a = (i + 1) % n"),
            ("0..n", "a = int::min(i + 2, n - 1)"),
            ("0..m", "a = int::min(i + 1, n - 1)"),
            ("1..n", "a = saturating_sub(i, 1)"),
            ("0..n", "if i + 1 < n\n      a = i + 1\n    else\n      a = 7"),
            ("0..n", "if i < n\n      a = i + 1\n    else\n      a = 0"),
        ] {
            assert_unchanged(
                pass,
                &format!(
                    "
fn f(n: inout usize, m: in usize, a: inout usize)
  for i in {range}
    {line}
"
                ),
            );
        }
    }
}
