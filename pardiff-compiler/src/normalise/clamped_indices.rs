//! Iterations in which an index is clamped stand apart from all others.
//!
//! ```text
//! for x in 0..w                                    for x in 0..w
//!   for i in 0..5                                    for i in 0..5
//!     c = min(saturating_sub(x + i, 2), w - 1)         if (x + i >= 2) & (x + i < w + 2)
//!     s += k[i] * u[c]                         =>        s += k[i] * u[x + i - 2]
//!                                                      else
//!                                                        c = min(saturating_sub(x + i, 2), w - 1)
//!                                                        s += k[i] * u[c]
//! ```
//!
//! Where the condition holds, the index is a form, whose elements lie beside each other; what is left runs at the edges
//! alone. Neighbours beside the iterator itself are choices (`simplify::rings`) and stay.
//!
//! *Legality.* Both arms are the statements of before. `x + i` is not below the number that is taken away, so that the
//! difference saturates at nothing, and what is left is not above the least of the two.

use super::assume_extents_fit::size_of_bound;
use crate::ir::{
    BinOp, Block, Expr, ExprKind, Func, Program, Stmt, StmtKind, Ty, clone_stmts, declared, walk_mut, written,
};
use crate::limits::CLAMPED_BODY;

/// Lets the iterations stand apart.
pub fn split(mut program: Program) -> Program {
    program.with_body(|program, body| in_block(program, body, &[]));
    program
}

/// Goes through a block in loops that count to some sizes.
fn in_block(program: &mut Program, block: &mut Block, sizes: &[Expr]) {
    let mut out = Block::with_capacity(block.len());
    let mut stmts = std::mem::take(block).into_iter().peekable();
    while let Some(mut stmt) = stmts.next() {
        let found = if sizes.is_empty() { Vec::new() } else { clamps(program, &stmt) };
        if found.is_empty() {
            let bound = stmt.as_for().map(|each| size_of_bound(&each.hi).clone());
            let sizes: Vec<Expr> = sizes.iter().cloned().chain(bound).collect();
            stmt.blocks_mut().into_iter().for_each(|inner| in_block(program, inner, &sizes));
            out.push(stmt);
            continue;
        }
        let mut run = vec![stmt];
        while let Some(next) = stmts.next_if(|next| clamps(program, next) == found) {
            run.push(next);
        }
        out.push(apart(program, run, &found, sizes));
    }
    *block = out;
}

/// An index that is kept between zero and a last number.
#[derive(Clone, PartialEq)]
struct Clamp {
    node: Expr,
    /// The sum that is limited, without what is taken away from it, and that.
    of: Expr,
    down: Expr,
    last: Option<Expr>,
}

impl Clamp {
    fn of(node: &Expr) -> Option<Clamp> {
        let ExprKind::Call(func @ (Func::IntMin | Func::SaturatingSub), _, args) = &node.kind else {
            return None;
        };
        let [a, b] = &args[..] else { return None };
        let (moved, last) = match func {
            Func::SaturatingSub => (node, None),
            _ if has_iterator(a) => (a, Some(b.clone())),
            _ => (b, Some(a.clone())),
        };
        let (of, down) = match &moved.kind {
            ExprKind::Call(Func::SaturatingSub, _, args) => (&args[0], args[1].clone()),
            _ => (moved, Expr::usize(0)),
        };
        let is_sum = |expr: &Expr| expr.all(&mut is_term);
        let sums = is_sum(of) && is_sum(&down) && last.iter().all(is_sum);
        let clamp = Clamp { node: node.clone(), of: of.clone(), down, last };
        (node.ty == Ty::USIZE && sums && has_iterator(of) && !clamp.is_beside()).then_some(clamp)
    }

    /// Whether it is the iterator of a loop, plus or minus one.
    fn is_beside(&self) -> bool {
        let one = Expr::usize(1);
        let is_iter = |expr: &Expr| matches!(expr.kind, ExprKind::Iter(_));
        match &self.of.kind {
            ExprKind::Iter(_) => self.down == one || self.down == Expr::usize(0),
            ExprKind::Binary(BinOp::Add, a, b) => is_iter(a) && **b == one || is_iter(b) && **a == one,
            _ => false,
        }
    }

    /// Says that it is not at an edge, in loops that count to some sizes.
    fn condition(&self, sizes: &[Expr]) -> Expr {
        let is_moved = self.down != Expr::usize(0);
        let moved = |last: &Expr| {
            let sum = last.clone() + self.down.clone();
            let size = size_of_bound(last);
            match is_moved {
                false => last.clone(),
                true if sizes.contains(size) || matches!(size.kind, ExprKind::Extent(..)) => sum,
                // where that wraps, nothing reaches the last one, and both arms are right
                true => sum.wrapping(Ty::is_usize),
            }
        };
        let below = self.last.as_ref().map(|last| match &last.kind {
            ExprKind::Binary(BinOp::Sub, bound, one) if **one == Expr::usize(1) => {
                self.of.clone().below(moved(bound))
            }
            _ => Expr::binary(BinOp::Le, self.of.clone(), moved(last)),
        });
        let above = is_moved.then(|| Expr::binary(BinOp::Ge, self.of.clone(), self.down.clone()));
        above.into_iter().chain(below).reduce(|a, b| a & b).unwrap_or(Expr::bool(true))
    }
}

fn has_iterator(expr: &Expr) -> bool {
    expr.any(&mut |node| matches!(node.kind, ExprKind::Iter(_)))
}

/// Whether a part of an expression is one of a sum of iterators, numbers and sizes.
fn is_term(node: &Expr) -> bool {
    match &node.kind {
        ExprKind::Iter(_) | ExprKind::Int(_) | ExprKind::Extent(..) => node.ty == Ty::USIZE,
        ExprKind::Load(place) => place.index.is_empty() && node.ty == Ty::USIZE,
        ExprKind::Binary(BinOp::Add | BinOp::Sub, ..) => node.ty == Ty::USIZE,
        _ => false,
    }
}

/// The clamped indices of a statement, and of those in scopes in it; none where there are too many statements to have
/// twice.
fn clamps(program: &Program, stmt: &Stmt) -> Vec<Clamp> {
    let mut found: Vec<Clamp> = Vec::new();
    let mut direct = vec![stmt];
    let mut size = 0;
    stmt.walk(&mut |_| size += 1);
    while let Some(stmt) = direct.pop() {
        if let Some((_, body)) = stmt.as_scope() {
            direct.extend(body);
        }
        // the bounds of a loop are no indices
        if stmt.iter().is_some() {
            continue;
        }
        stmt.each_evaluated(program, &mut |expr| {
            expr.walk(&mut |node| {
                let clamp = Clamp::of(node).filter(|clamp| !found.contains(clamp));
                let is_part = found.iter().any(|known| known.node.any(&mut |part| part == node));
                found.extend(clamp.filter(|_| !is_part));
            });
        });
    }
    let (changed, own) = (written(std::slice::from_ref(stmt)), declared(std::slice::from_ref(stmt)));
    let moves = |clamp: &Clamp| clamp.node.reads_any(program, &changed);
    // a scalar of the statements around keeps its one definition
    let defines =
        stmt.any(&mut |stmt| stmt.as_scalar_assign().is_some_and(|(scalar, _)| !own.contains(scalar)));
    if size > CLAMPED_BODY || defines || found.iter().any(moves) {
        return Vec::new();
    }
    found
}

/// The statements twice: where nothing is clamped, and where something is.
fn apart(program: &mut Program, stmts: Block, clamps: &[Clamp], sizes: &[Expr]) -> Stmt {
    let origin = stmts[0].origin;
    let cond =
        clamps.iter().map(|clamp| clamp.condition(sizes)).reduce(|a, b| a & b).unwrap_or(Expr::bool(true));
    let mut inside = clone_stmts(program, &stmts);
    walk_mut(&mut inside, &mut |stmt| {
        for expr in stmt.exprs_mut() {
            expr.change(&mut |node| {
                if let Some(clamp) = clamps.iter().find(|clamp| clamp.node == *node) {
                    *node = match clamp.down == Expr::usize(0) {
                        true => clamp.of.clone(),
                        false => clamp.of.clone() - clamp.down.clone(),
                    };
                }
            });
        }
    });
    Stmt::new(StmtKind::If { cond, then: inside, els: stmts }, origin)
}

#[cfg(test)]
mod tests {
    use super::split;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    fn of(body: &str) -> String {
        format!("fn f(x: in f64[_], y: inout f64[_], n: in usize)\n  for i in 0..n\n{body}")
    }

    fn runs() -> Vec<Vec<Array<f64>>> {
        let x = Array::floats(&[1.0, -2.0, 3.0, 0.5, 4.0]);
        [0, 1, 2, 5].map(|n| vec![x.clone(), x.clone(), Array::int(n)]).into()
    }

    #[test]
    fn iterations_at_the_edges_stand_apart() {
        assert_pass(
            split,
            &of("    for d in 0..3
      y[i] += x[int::min(saturating_sub(i + d, 2), n - 1)]
"),
            &of("    for d in 0..3
      if (i + d >= 2) & (i + d < n + 2)
        y[i] += x[i + d - 2]
      else
        y[i] += x[int::min(saturating_sub(i + d, 2), n - 1)]
"),
            runs(),
        );
        assert_pass(
            split,
            &of("    scope a: usize, b: usize
      a = saturating_sub(i, 2)
      b = int::min(i + 2, n - 1)
      y[i] += x[a] * x[b]
"),
            &of("    if (i + 2 < n) & (i >= 2)
      scope a: usize, b: usize
        a = i - 2
        b = i + 2
        y[i] += x[a] * x[b]
    else
      scope a.2: usize, b.2: usize
        a.2 = saturating_sub(i, 2)
        b.2 = int::min(i + 2, n - 1)
        y[i] += x[a.2] * x[b.2]
"),
            runs(),
        );
    }

    #[test]
    fn a_limit_may_be_the_end_of_the_type() {
        let text = |lines: &str| {
            format!(
                "fn f(x: in f64[_], y: inout f64[_], n: in usize)\n  for i in 0..len(x)\n    for d in 0..3\n{lines}"
            )
        };
        let x = Array::floats(&[1.0, -2.0, 3.0, 0.5, 4.0, 0.0, 0.0]);
        assert_pass(
            split,
            &text(
                "      if i + d < 6
        y[i] += x[int::min(saturating_sub(i + d, 1), n)]
",
            ),
            &text(
                "      if i + d < 6
        if (i + d >= 1) & (i + d <= wrapping_add(n, 1))
          y[i] += x[i + d - 1]
        else
          y[i] += x[int::min(saturating_sub(i + d, 1), n)]
",
            ),
            [0, 3, i128::from(u64::MAX)].map(|n| vec![x.clone(), x.clone(), Array::int(n)]).into(),
        );
    }

    #[test]
    fn neighbours_and_definitions_stay() {
        for body in [
            "    y[i] += x[int::min(i + 1, n - 1)] * x[saturating_sub(i, 1)]\n",
            "    scope a: f64\n      for d in 0..2\n        a = x[saturating_sub(i + d, 2)]\n      y[i] += a\n",
            "    y[i] += x[int::min(n, 3)]\n",
            "    for k in i..int::min(i + 3, n)\n      y[i] += x[k]\n",
        ] {
            assert_unchanged(split, &of(body));
        }
    }
}
