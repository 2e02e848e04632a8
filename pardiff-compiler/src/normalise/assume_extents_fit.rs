//! Sizes that loops count to are checked where conditions add to iterators.
//!
//! ```text
//! for i in 0..h                                 check h < isize::MAX
//!   for d in 0..3                               for i in 0..h
//!     if i + d >= 1                      =>       for d in 0..3
//!       if i + d < h + 1                            if i + d >= 1
//!         s += w[d] * x[i + d - 1]                    …
//! ```
//!
//! Of a size that nothing is said about, `i + d` and `h + 1` may wrap, and then the conditions say nothing of the element: an
//! image with an edge would not be known to have rows. With the check they say what they seem to.
//!
//! *Legality.* The check adds a panic where a loop runs more than `isize::MAX` times, in front of the outermost loop around it that
//! has no condition between the two: for a call that would take centuries. It asks for a size that nothing writes, so it is the
//! same in front of all of them. Of a loop that runs under a condition only, or in a `while`, the check stays behind that: the call may
//! be one in which the loop never runs, whatever the size.

use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Func, IterId, Message, Program, Role, Stmt, StmtKind,
    Ty, is_length,
};
use crate::map::Map;

/// Checks the sizes in front of the outermost loops.
pub fn check(mut program: Program) -> Program {
    let body = std::mem::take(&mut program.body);
    let wanted = |stmt: &Stmt| {
        let mut sizes = Sizes { program: &program, of: Map::default(), added_to: BufferSet::new() };
        sizes.stmt(stmt);
        let limit = |size: BufferId| {
            let text = format!("`{}` is the length of a loop, and too large for one", program[size].name);
            let size = program.load_scalar(size);
            Limit { cond: is_length(size.clone()), sizes: vec![size], text }
        };
        sizes.added_to.iter().map(limit).collect()
    };
    program.body = in_front_of_loops(body, &wanted);
    program
}

/// What is asked of sizes that loops count to.
#[derive(Clone)]
pub(super) struct Limit {
    pub(super) sizes: Vec<Expr>,
    pub(super) cond: Expr,
    pub(super) text: String,
}

/// A block with the checks that are wanted of its loops.
pub(super) fn in_front_of_loops(block: Block, wanted: &dyn Fn(&Stmt) -> Vec<Limit>) -> Block {
    let around = Around::default();
    around.block(block, wanted)
}

/// What is known in a place.
#[derive(Clone, Default)]
struct Around {
    /// The sizes that loops around count to.
    counted: Vec<Expr>,
    /// What is checked already.
    checked: Vec<Expr>,
}

impl Around {
    fn block(&self, block: Block, wanted: &dyn Fn(&Stmt) -> Vec<Limit>) -> Block {
        let mut out = Block::with_capacity(block.len());
        for mut stmt in block {
            let mut inside = self.clone();
            if let Some(each) = stmt.as_for() {
                let counted = counted_always(&stmt);
                let is_counted = |size: &Expr| counted.contains(size) || self.counted.contains(size);
                for Limit { sizes, cond, text } in wanted(&stmt) {
                    if sizes.iter().all(is_counted) && !inside.checked.contains(&cond) {
                        let message = Message::Text(text);
                        let check = StmtKind::Check { cond: cond.clone(), message };
                        out.push(Stmt::new(check, stmt.origin));
                        inside.checked.push(cond);
                    }
                }
                inside.counted.push(size_of_bound(&each.hi).clone());
            }
            for inner in stmt.blocks_mut() {
                *inner = inside.block(std::mem::take(inner), wanted);
            }
            out.push(stmt);
        }
        out
    }
}

/// The sizes of the loops that a statement comes to under no condition.
fn counted_always(stmt: &Stmt) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut left = vec![stmt];
    while let Some(stmt) = left.pop() {
        if let Some(each) = stmt.as_for() {
            found.push(size_of_bound(&each.hi).clone());
            left.extend(&each.body);
        } else if let Some((_, body)) = stmt.as_scope() {
            left.extend(body);
        }
    }
    found
}

/// The size from which the bound of a loop takes a number away.
pub(super) fn size_of_bound(bound: &Expr) -> &Expr {
    let (size, less) = match &bound.kind {
        ExprKind::Binary(BinOp::Sub, size, less) => (&**size, &**less),
        ExprKind::Call(Func::SaturatingSub, _, args) => (&args[0], &args[1]),
        _ => return bound,
    };
    if matches!(less.kind, ExprKind::Int(_)) { size } else { bound }
}

struct Sizes<'p> {
    program: &'p Program,
    /// The size that the loop of an iterator counts to.
    of: Map<IterId, BufferId>,
    /// Those to which, or to whose iterators, conditions add something.
    added_to: BufferSet,
}

impl Sizes<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let Some(each) = stmt.as_for() {
            self.of.extend(self.size(&each.hi).map(|size| (each.iter, size)));
        } else if let Some((cond, ..)) = stmt.as_if() {
            cond.walk(&mut |node| {
                if let ExprKind::Binary(op, lhs, rhs) = &node.kind
                    && op.is_comparison()
                {
                    [lhs, rhs].into_iter().for_each(|side| self.side(side));
                }
            });
        }
        stmt.blocks().into_iter().flatten().for_each(|stmt| self.stmt(stmt));
    }

    /// A parameter that nothing writes.
    fn size(&self, expr: &Expr) -> Option<BufferId> {
        let ExprKind::Load(place) = &expr.kind else { return None };
        let is_given = expr.ty == Ty::USIZE && self.program[place.buffer].role == Role::Input;
        (is_given && place.index.is_empty()).then_some(place.buffer)
    }

    fn side(&mut self, side: &Expr) {
        if side.ty != Ty::USIZE || !matches!(side.kind, ExprKind::Binary(BinOp::Add | BinOp::Sub, ..)) {
            return;
        }
        side.walk(&mut |node| {
            let size = match &node.kind {
                ExprKind::Iter(iter) => self.of.get(iter).copied(),
                _ => self.size(node).filter(|size| self.of.values().any(|of| of == size)),
            };
            if let Some(size) = size {
                self.added_to.insert(size);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    fn of(body: &str) -> String {
        format!("fn f(x: in f64[_], h: in usize) -> total: f64\n  total = 0.0\n{body}")
    }

    #[test]
    fn sizes_that_conditions_add_to_are_checked_in_front() {
        let nest = "  for i in 0..h
    for d in 0..3
      if i + d >= 1
        if i + d < h + 1
          total += x[i + d - 1]
";
        let check_in_front = "  check h < !0 / 2 \"`h` is the length of a loop, and too large for one\"\n";
        let runs = [0, 1, 4].map(|h| vec![Array::floats(&[1.0, -2.0, 3.0, 0.5]), Array::int(h)]);
        assert_pass(check, &of(nest), &of(&format!("{check_in_front}{nest}")), runs.into());
    }

    #[test]
    fn sizes_of_loops_that_may_never_run_are_checked_where_they_do() {
        let check_here = "check h < !0 / 2 \"`h` is the length of a loop, and too large for one\"\n        ";
        let nest = |check: &str| {
            of(&format!(
                "  for r in 0..2
    if len(x) > 3
      for q in 0..3
        total += 1.0
      if len(x) > 2
        {check}for s in 0..2
          for i in 0..h
            if i + s >= 1
              if i + s < h + 1
                total += x[i + s - 1]
"
            ))
        };
        let x = [1.0, -2.0, 3.0, 0.5];
        let runs = [(4, 0), (4, 3), (3, 3), (3, i128::from(u64::MAX))];
        let runs = runs.map(|(len, h)| vec![Array::floats(&x[..len]), Array::int(h)]);
        assert_pass(check, &nest(""), &nest(check_here), runs.into());
    }

    #[test]
    fn a_loop_under_a_condition_is_covered_by_one_that_always_runs() {
        let nest = "  for r in 0..2
    for i in 0..h
      if i + r < h
        total += x[i]
    if r > 0
      for j in 0..h
        if j + r < h
          total += x[j]
";
        let check_in_front = "  check h < !0 / 2 \"`h` is the length of a loop, and too large for one\"\n";
        let runs = [0, 1, 4].map(|h| vec![Array::floats(&[1.0, -2.0, 3.0, 0.5]), Array::int(h)]);
        assert_pass(check, &of(nest), &of(&format!("{check_in_front}{nest}")), runs.into());
    }

    #[test]
    fn others_are_not() {
        for body in [
            // nothing is added, to a length, and in front of a loop
            "  for i in 0..h\n    if i > 0\n      total += x[i]\n",
            "  for i in 0..len(x)\n    if i + 1 < len(x)\n      total += x[i]\n",
            "  if h + 1 < len(x)\n    for i in 0..h\n      total += x[i]\n",
        ] {
            assert_unchanged(check, &of(body));
        }
    }
}
