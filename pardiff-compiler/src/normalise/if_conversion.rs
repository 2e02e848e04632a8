//! A choice between two numbers is a value.
//!
//! ```text
//! before                                   after
//!   if n % 2 == 0 { s = -1.0 }               s = select(n % 2 == 0, -1.0, 1.0)
//!   else          { s = 1.0 }
//! ```
//!
//! So the scalar has one definition, which the reverse sweep computes again where a condition of integers decides, instead of
//! a tape; and lanes need no mask.
//!
//! Integers are chosen as values also where they are computed from scalars, `base = if before { middle } else { base }`: a
//! search that narrows a range in lanes has no jump then that goes one way as often as the other.
//!
//! *Legality.* The condition is evaluated once, as before, and nothing can be seen of evaluating a constant, or integers that
//! cannot panic and read no element. What is something else stays under its condition.

use crate::ir::{Block, Expr, ExprKind, Place, Program, StmtKind};

/// Makes values of the choices between constants of floats, and between integers.
pub fn choose(mut program: Program) -> Program {
    choose_in(&mut program.body);
    program
}

fn choose_in(block: &mut Block) {
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(choose_in);
        if let Some((cond, then, els)) = stmt.as_if()
            && let (Some((target, yes)), Some((other, no))) = (constant(then), constant(els))
            && target == other
        {
            let value = Expr::select(cond.clone(), yes.clone(), no.clone());
            stmt.kind = StmtKind::Assign { target: target.clone(), value };
        }
    }
}

/// The scalar that a block does nothing but assign a constant to, or an integer that scalars give.
fn constant(block: &Block) -> Option<(&Place, &Expr)> {
    match block.as_slice() {
        [only] => only.as_assign().filter(|(target, value)| {
            target.index.is_empty() && (matches!(value.kind, ExprKind::Float(_)) || is_integer(value))
        }),
        _ => None,
    }
}

/// Whether nothing can be seen of computing an integer where it is not needed.
fn is_integer(value: &Expr) -> bool {
    let mut scalars = value.ty.is_int() && value.is_total();
    value
        .walk(&mut |part| scalars &= !matches!(&part.kind, ExprKind::Load(place) if !place.index.is_empty()));
    scalars
}

#[cfg(test)]
mod tests {
    use super::choose;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn signs_are_values() {
        assert_pass(
            choose,
            "
            fn f(x: in f64[_]) -> s: f64
              s = 0.0
              for i in 0..len(x)
                scope sign: f64
                  if i % 2 == 0
                    sign = -1.0
                  else
                    sign = 1.0
                  s += sign * x[i]
            ",
            "
            fn f(x: in f64[_]) -> s: f64
              s = 0.0
              for i in 0..len(x)
                scope sign: f64
                  sign = select(i % 2 == 0, -1.0, 1.0)
                  s += sign * x[i]
            ",
            vec![vec![Array::floats(&[1.0, 2.0, 5.0])]],
        );
    }

    #[test]
    fn integers_that_scalars_give_are_values() {
        assert_pass(
            choose,
            "
            fn f(x: in f64[_], n: in usize[1]) -> s: f64
              scope k: usize, m: usize
                k = 0
                for i in 0..len(x)
                  m = i / 2
                  if x[i] < 0.5
                    k = m
                  else
                    k = k
                  if x[i] < 0.0
                    m = n[0] / (i + 1 - k)
                  else
                    m = 1
                s = k as f64
            ",
            "
            fn f(x: in f64[_], n: in usize[1]) -> s: f64
              scope k: usize, m: usize
                k = 0
                for i in 0..len(x)
                  m = i / 2
                  k = select(x[i] < 0.5, m, k)
                  if x[i] < 0.0
                    m = n[0] / (i + 1 - k)
                  else
                    m = 1
                s = k as f64
            ",
            vec![vec![Array::floats(&[1.0, 0.25, 0.75, 0.5]), Array::usizes(&[3])]],
        );
    }

    #[test]
    fn what_is_read_or_computed_or_not_assigned_stays_under_its_condition() {
        assert_unchanged(
            choose,
            "
            fn f(x: in f64[_], y: inout f64[_]) -> s: f64
              s = 1.0
              if len(x) > 2
                s = x[2]
              else
                s = 0.0
              if len(x) > 3
                s = 3.0
              if len(y) > 1
                y[1] = 2.0
              else
                s = 4.0
              if len(y) > 2
                y[1] = 2.0
              else
                y[1] = 3.0
            ",
        );
    }
}
