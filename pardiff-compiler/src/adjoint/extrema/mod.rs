//! The element that attains a running maximum or minimum is found in the forward sweep, so that the reverse sweep goes
//! to it alone and no value of the running one is stored.
//!
//! ```text
//! for k in a..b                          all = m; for k in a..b { all max= e(k) }
//!   m max= e(k)                    =>    first = MAX; for k in a..b { if e(k) == all { first min= k } }
//!                                        if first != MAX and m != all
//!                                          m = -0.0; for k in a..b { if k == first { m += e(k) } }
//! ```
//!
//! In a nest the first iteration is found a loop at a time: the first `j` with an `e(j, i) == all`, then, in that
//! iteration of `j`, the first `i`. The last loop adds one value, so no bit of it changes; as a loop it has the iterator in its
//! accesses, whose ranges are known, and it is one of lanes like the others.
//!
//! *Legality.* By the convention of ties the whole adjoint goes to the first iteration that attains the extremum, or to
//! the value before the nest if that attains it: the same in both forms. A NaN is equal to nothing, and a maximum passes
//! it over; if all are NaN, `m` stays. Nothing in the nest reads `m` or writes it otherwise. What `e(k)` reads is not
//! written in the nest behind the read, or it is a variable that is computed again; so `e(k)` has the same value when the nest has
//! ended, and its checks have passed.
//!
//! *Where.* `e(k)` is computed twice, so nothing in it may be a loop. A nest in a loop whose iterations commute, and for all of
//! which it has the same number of iterations, is left alone: there lanes are the iterations of the outer loop, and each would have to
//! go to an element of its own. So is one of a few iterations.

mod slice;

use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Order, Origin, Place, Program, ReduceOp, Role,
    Scheme, Stmt, StmtKind, Ty, duplicate, written,
};
use crate::poly::Analysis;
use slice::Slice;
use std::cell::OnceCell;

/// The primal in this form; the primal itself where it has no such loop.
pub(super) fn point_out(primal: &Program) -> Program {
    let mut pass = Pass {
        primal,
        analysis: OnceCell::new(),
        out: primal.clone(),
        around: Vec::new(),
        settled: BufferSet::new(),
    };
    let body = pass.block(&primal.body);
    Program { body, ..pass.out }
}

struct Pass<'p> {
    primal: &'p Program,
    /// Made when it is asked for: most programs have no such loop.
    analysis: OnceCell<Analysis<'p>>,
    /// The primal with the variables of the new form.
    out: Program,
    /// The loops around the statement.
    around: Vec<&'p Stmt>,
    /// The running ones of loops around the statement that are in the new form.
    settled: BufferSet,
}

/// A running maximum or minimum of a nest.
struct Extremum<'p> {
    /// The running one.
    target: BufferId,
    /// The loops around its update, the nest itself first.
    path: Vec<&'p For>,
    /// The nest with the statements that the value needs, and the update.
    slice: Stmt,
}

impl<'p> Pass<'p> {
    fn block(&mut self, stmts: &'p [Stmt]) -> Block {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Stmt {
        let found = match &stmt.kind {
            StmtKind::For(nest) => self.extrema(stmt, nest),
            _ => Vec::new(),
        };
        found.iter().for_each(|extremum| _ = self.settled.insert(extremum.target));
        let depth = self.around.len();
        if matches!(stmt.kind, StmtKind::For(_) | StmtKind::While(_)) {
            self.around.push(stmt);
        }
        let mut copy = stmt.clone();
        for (block, copied) in stmt.blocks().into_iter().zip(copy.blocks_mut()) {
            *copied = self.block(block);
        }
        self.around.truncate(depth);
        match found.is_empty() {
            true => copy,
            false => self.pointed_out(copy, &found),
        }
    }

    /// The running ones of a nest that are better pointed out.
    fn extrema(&self, stmt: &'p Stmt, nest: &'p For) -> Vec<Extremum<'p>> {
        let mut targets = Vec::new();
        stmt.walk(&mut |inner| {
            if let StmtKind::Reduce { op: ReduceOp::Max | ReduceOp::Min, target, .. } = &inner.kind
                && target.index.is_empty()
                && self.primal[target.buffer].elem.is_float()
                && !self.settled.contains(target.buffer)
                && !targets.contains(&target.buffer)
            {
                targets.push(target.buffer);
            }
        });
        targets.retain(|&target| mentions(stmt, target) == 1);
        if targets.is_empty() || !self.is_worthwhile(nest) {
            return Vec::new();
        }
        targets.into_iter().filter_map(|target| self.extremum(stmt, nest, target)).collect()
    }

    fn extremum(&self, stmt: &'p Stmt, nest: &'p For, target: BufferId) -> Option<Extremum<'p>> {
        let path = path_to(nest, target)?;
        let is_counted = |each: &&For| {
            each.order == Order::Up
                && greatest(each.lo.ty).is_some()
                && matches!(each.step.kind, ExprKind::Int(_))
        };
        let is_short =
            |each: &&For| matches!((&each.lo.kind, &each.hi.kind), (ExprKind::Int(_), ExprKind::Int(_)));
        if !path.iter().all(is_counted) || path.iter().all(is_short) {
            return None;
        }
        let slice = Slice::of(self.analysis(), stmt, &path, target)?;
        Some(Extremum { target, path, slice })
    }

    fn analysis(&self) -> &Analysis<'p> {
        self.analysis.get_or_init(|| Analysis::new(self.primal))
    }

    /// Whether no loop around the nest is one of lanes for it: the outermost one whose iterations commute decides.
    fn is_worthwhile(&self, nest: &For) -> bool {
        let mut outer = self.around.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::For(outer) => Some((stmt, outer)),
            _ => None,
        });
        let lanes = outer.find(|(_, outer)| {
            self.analysis().carried_assuming(outer.iter, &[]).all(|carried| carried.is_reduction_only())
        });
        lanes.is_none_or(|(&stmt, _)| varies(nest, &written(std::slice::from_ref(stmt))))
    }

    fn pointed_out(&mut self, mut whole: Stmt, found: &[Extremum<'p>]) -> Stmt {
        let origin = whole.origin;
        let (mut buffers, mut body, mut behind) = (Vec::new(), Block::new(), Block::new());
        for extremum in found {
            let target = extremum.target;
            let (name, ty) = (self.out[target].name.clone(), self.out[target].elem);
            let all = self.out.add_scalar(&format!("{name}_all"), ty, Role::Local);
            buffers.push(all);
            redirect(&mut whole, target, all);
            body.push(assign(all, self.out.load_scalar(target), origin));
            let first = extremum.path.iter().map(|each| {
                let at = self.out.add_scalar(&format!("{name}_at"), each.lo.ty, Role::Local);
                buffers.push(at);
                at
            });
            let first: Vec<BufferId> = first.collect();
            behind.extend(extremum.found(&mut self.out, all, &first));
        }
        body.push(whole);
        body.extend(behind);
        Stmt::new(StmtKind::Scope { buffers, body }, origin)
    }
}

impl Extremum<'_> {
    /// What finds the first iteration that attains the extremum, an iterator each, and takes its value from there.
    fn found(&self, program: &mut Program, all: BufferId, first: &[BufferId]) -> Block {
        let (target, origin, ty) = (self.target, self.slice.origin, program[self.target].elem);
        let load_all = program.load_scalar(all);
        let none = |level: usize| {
            let ty = self.path[level].lo.ty;
            Expr::int(ty, greatest(ty).expect("an integer"))
        };
        let mut blocks = (0..first.len()).map(|level| {
            let here = Expr::iter(self.path[level].iter, self.path[level].lo.ty);
            let search = self.again(program, &first[..level], &|value| {
                let then = vec![reduce(ReduceOp::Min, first[level], here.clone(), origin)];
                equal(value.clone(), load_all.clone(), then, origin)
            });
            vec![assign(first[level], none(level), origin), search]
        });
        let mut search: Block = blocks.next().expect("the nest itself");
        let mut then: Block = blocks.flatten().collect();
        // what leaves every summand as it is, zeros of both signs included
        then.push(assign(target, Expr::float(ty, -0.0), origin));
        then.push(self.again(program, first, &|value| reduce(ReduceOp::Add, target, value.clone(), origin)));
        let exists = Expr::binary(BinOp::Ne, program.load_scalar(first[0]), none(0));
        let differs = !Expr::binary(BinOp::Eq, program.load_scalar(target), load_all.clone());
        let cond = Expr::binary(BinOp::BitAnd, exists, differs);
        search.push(Stmt::new(StmtKind::If { cond, then, els: Block::new() }, origin));
        search
    }

    /// The nest over the slice, in the iterations `at` of its outermost loops alone, with what `made` makes of the value in
    /// place of the update.
    fn again(&self, program: &mut Program, at: &[BufferId], made: &impl Fn(&Expr) -> Stmt) -> Stmt {
        let mut nest = self.slice.clone();
        replace(&mut nest, self.target, made);
        for (each, &at) in self.path.iter().zip(at) {
            let here = Expr::iter(each.iter, each.lo.ty);
            only(&mut nest, each, &|body| {
                equal(here.clone(), program.load_scalar(at), body, self.slice.origin)
            });
        }
        duplicate(program, &[nest]).remove(0)
    }
}

fn assign(target: BufferId, value: Expr, origin: Origin) -> Stmt {
    Stmt::new(StmtKind::Assign { target: Place::scalar(target), value }, origin)
}

fn reduce(op: ReduceOp, target: BufferId, value: Expr, origin: Origin) -> Stmt {
    let target = Place::scalar(target);
    Stmt::new(StmtKind::Reduce { op, target, value, scheme: Scheme::Undecided }, origin)
}

/// `if a == b { then }`
fn equal(a: Expr, b: Expr, then: Block, origin: Origin) -> Stmt {
    let cond = Expr::binary(BinOp::Eq, a, b);
    Stmt::new(StmtKind::If { cond, then, els: Block::new() }, origin)
}

/// Whether the number of iterations may be another one in each iteration of the loops around.
fn varies(each: &For, written: &BufferSet) -> bool {
    let mut varies = false;
    for bound in [&each.lo, &each.hi, &each.step] {
        bound.walk(&mut |part| match &part.kind {
            ExprKind::Iter(_) => varies = true,
            ExprKind::Load(place) => varies |= written.contains(place.buffer),
            _ => {}
        });
    }
    varies
}

/// The loops of a nest around the update of its extremum; `None` where it stands in a loop of another kind.
fn path_to(nest: &For, target: BufferId) -> Option<Vec<&For>> {
    fn inside<'p>(block: &'p [Stmt], target: BufferId, path: &mut Vec<&'p For>) -> bool {
        block.iter().any(|stmt| match &stmt.kind {
            StmtKind::Reduce { target: of, .. } => of.buffer == target,
            StmtKind::Scope { .. } | StmtKind::If { .. } => {
                stmt.blocks().into_iter().any(|block| inside(block, target, path))
            }
            StmtKind::For(each) => {
                path.push(each);
                let found = inside(&each.body, target, path);
                if !found {
                    path.pop();
                }
                found
            }
            _ => false,
        })
    }
    let mut path = vec![nest];
    inside(&nest.body, target, &mut path).then_some(path)
}

/// How often a statement, with those in it, reads or writes a scalar.
fn mentions(stmt: &Stmt, scalar: BufferId) -> usize {
    let mut count = 0;
    stmt.walk(&mut |stmt| {
        stmt.each_expr(&mut |expr| {
            expr.walk(&mut |part| {
                count += usize::from(matches!(&part.kind, ExprKind::Load(place) if place.buffer == scalar));
            });
        });
        count += match &stmt.kind {
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                usize::from(target.buffer == scalar)
            }
            StmtKind::Swap { a, b } => usize::from(*a == scalar || *b == scalar),
            StmtKind::Call { reads, writes, .. } => {
                usize::from(reads.contains(&scalar) || writes.contains(&scalar))
            }
            _ => 0,
        };
    });
    count
}

/// Makes another scalar of the target of the update.
fn redirect(stmt: &mut Stmt, from: BufferId, to: BufferId) {
    if let StmtKind::Reduce { target, .. } = &mut stmt.kind
        && target.buffer == from
    {
        target.buffer = to;
    }
    stmt.blocks_mut().into_iter().flatten().for_each(|inner| redirect(inner, from, to));
}

/// Puts what `made` makes of its value in place of the update.
fn replace(stmt: &mut Stmt, target: BufferId, made: &impl Fn(&Expr) -> Stmt) {
    match &stmt.kind {
        StmtKind::Reduce { target: of, value, .. } if of.buffer == target => *stmt = made(value),
        _ => stmt.blocks_mut().into_iter().flatten().for_each(|inner| replace(inner, target, made)),
    }
}

/// Puts what `made` makes of the body of a loop in place of it.
fn only(stmt: &mut Stmt, each: &For, made: &impl Fn(Block) -> Stmt) {
    match &mut stmt.kind {
        StmtKind::For(it) if it.iter == each.iter => it.body = vec![made(std::mem::take(&mut it.body))],
        _ => stmt.blocks_mut().into_iter().flatten().for_each(|inner| only(inner, each, made)),
    }
}

/// The greatest value of an integer type: what no iteration is called.
fn greatest(ty: Ty) -> Option<i128> {
    match ty {
        Ty::Int(int) => int.max(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::point_out;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::Program;
    use crate::ir::interp::Array;

    fn pointed_out(program: Program) -> Program {
        point_out(&program)
    }

    /// A loop over rows with a running maximum of what `stmts` compute.
    fn rows(stmts: &[&str]) -> String {
        let head = [
            "fn f(x: in f64[_], at: in usize[_], y: inout f64[_], z: inout f64[_])",
            "  for i in 0..len(y)",
            "    scope m: f64",
            "      m = 0.5",
            "      for k in at[i]..at[i + 1]",
        ];
        let stmts = stmts.iter().map(|stmt| format!("        {stmt}"));
        let lines: Vec<String> = head.iter().map(|&line| line.to_owned()).chain(stmts).collect();
        lines.join("\n") + "\n      y[i] += m"
    }

    fn runs() -> Vec<Vec<Array<f64>>> {
        let nan = f64::NAN;
        let x = [1.0, 3.0, 3.0, 0.1, 0.2, nan, 0.5, nan, nan];
        vec![vec![
            Array::floats(&x),
            Array::ints(&[0, 3, 5, 7, 9, 9]),
            Array::floats(&[0.0; 5]),
            Array::floats(&[0.0; 9]),
        ]]
    }

    #[test]
    fn the_first_element_that_attains_a_maximum_is_found() {
        let before = rows(&[
            "scope e: f64",
            "  check k < len(x) \"x[k]\"",
            "  e = x[k] * 2.0",
            "  z[k] = e + 1.0",
            "  if e < 100.0",
            "    m max= z[k]",
        ]);
        let after = "fn f(x: in f64[_], at: in usize[_], y: inout f64[_], z: inout f64[_])
  for i in 0..len(y)
    scope m: f64
      m = 0.5
      scope m_all: f64, m_at: usize
        m_all = m
        for k in at[i]..at[i + 1]
          scope e: f64
            check k < len(x) \"x[k]\"
            e = x[k] * 2.0
            z[k] = e + 1.0
            if e < 100.0
              m_all max= z[k]
        m_at = 18446744073709551615
        for k.2 in at[i]..at[i + 1]
          scope e.2: f64
            e.2 = x[k.2] * 2.0
            if e.2 < 100.0
              if z[k.2] == m_all
                m_at min= k.2
        if (m_at != 18446744073709551615) & !(m == m_all)
          m = -0.0
          for k.3 in at[i]..at[i + 1]
            if k.3 == m_at
              scope e.3: f64
                e.3 = x[k.3] * 2.0
                if e.3 < 100.0
                  m += z[k.3]
      y[i] += m
";
        assert_pass(pointed_out, &before, after, runs());
    }

    #[test]
    fn what_cannot_be_computed_again_stays() {
        let stays = |stmts: &[&str]| assert_unchanged(pointed_out, &rows(stmts));
        // the running value is read
        stays(&["m max= x[k]", "z[k] = m"]);
        // the element changes after it was read, or another iteration changes it
        stays(&["m max= z[k]", "z[k] = 1.0"]);
        stays(&["z[k / 2] = x[k]", "m max= z[k / 2]"]);
        stays(&["z[k] = x[k]", "z[0] = 1.0", "m max= z[k]"]);
        stays(&["scope e: f64", "  e = z[k]", "  z[k] = x[k]", "  m max= e + z[k]"]);
        // an array of the iteration
        stays(&["scope e: f64[2]", "  e[0] = x[k]", "  m max= e[0]"]);
        // a variable that lives longer
        stays(&["scope e: f64", "  for j in 0..k", "    e += x[j]", "  m max= e"]);
        // from the last to the first
        let down = rows(&["m max= x[k]"]).replace("at[i + 1]\n", "at[i + 1] down\n");
        assert_unchanged(pointed_out, &down);
        // the same number of iterations for all rows
        let even = rows(&["m max= x[k]"]).replace("at[i]..at[i + 1]", "0..len(x)");
        assert_unchanged(pointed_out, &even);
    }

    /// Steps over time of a field of rows, as long as the greatest speed allows; `stmts` are of a cell.
    fn steps(stmts: &[&str]) -> String {
        let head = [
            "fn f(u: inout f64[_], y: inout f64[_], rows: in usize, columns: in usize)",
            "  for round in 0..len(y)",
            "    scope m: f64, speed: f64[len(u)]",
            "      m = 1.5",
            "      for j in 0..rows",
            "        scope w: f64",
            "          w = 1.0 + j as f64",
            "          for i in 0..columns",
        ];
        let stmts = stmts.iter().map(|stmt| format!("            {stmt}"));
        let tail =
            ["      for k in 0..rows * columns", "        u[k] += y[round] / m", "      y[round] += m"];
        let lines = head.iter().map(|&line| line.to_owned()).chain(stmts);
        lines.chain(tail.iter().map(|&line| line.to_owned())).collect::<Vec<_>>().join("\n")
    }

    fn fields() -> Vec<Vec<Array<f64>>> {
        let field = |u: &[f64], rows: i128, columns: i128| {
            vec![Array::floats(u), Array::floats(&[0.3, 0.2, 0.1]), Array::int(rows), Array::int(columns)]
        };
        let nan = f64::NAN;
        vec![
            field(&[0.5, 2.0, -3.0, 0.25, 1.0, 1.0], 2, 3),
            field(&[0.5, 1.0, nan, 0.5, 0.5, nan], 3, 2),
            field(&[1.5, 0.75], 2, 1),
            field(&[nan, nan], 1, 2),
            field(&[], 0, 3),
        ]
    }

    #[test]
    fn the_first_iteration_of_a_nest_is_found_a_loop_at_a_time() {
        let index = "j * columns + i";
        let before = steps(&[
            &format!("check {index} < len(u) \"u[{index}]\""),
            &format!("speed[{index}] = w * u[{index}]"),
            &format!("m max= speed[{index}]"),
        ]);
        let after = pointed_out(crate::ir::parse(&before).expect("a program")).to_string();
        let expected = "      scope m_all: f64, m_at: usize, m_at.2: usize
        m_all = m
        for j in 0..rows
          scope w: f64
            w = 1.0 + j as f64
            for i in 0..columns
              check j * columns + i < len(u) \"u[j * columns + i]\"
              speed[j * columns + i] = w * u[j * columns + i]
              m_all max= speed[j * columns + i]
        m_at = 18446744073709551615
        for j.2 in 0..rows
          for i.2 in 0..columns
            if speed[j.2 * columns + i.2] == m_all
              m_at min= j.2
        if (m_at != 18446744073709551615) & !(m == m_all)
          m_at.2 = 18446744073709551615
          for j.3 in 0..rows
            if j.3 == m_at
              for i.3 in 0..columns
                if speed[j.3 * columns + i.3] == m_all
                  m_at.2 min= i.3
          m = -0.0
          for j.4 in 0..rows
            if j.4 == m_at
              for i.4 in 0..columns
                if i.4 == m_at.2
                  m += speed[j.4 * columns + i.4]
";
        assert!(after.contains(expected), "{after}");
        assert_pass(pointed_out, &before, &after, fields());
    }

    #[test]
    fn several_extrema_of_one_nest_are_pointed_out() {
        let program = steps(&["y[0] max= u[0]", "m max= w * u[j * columns + i]"]);
        let both = program
            .replace("scope m: f64,", "scope m: f64, low: f64,")
            .replace("m = 1.5", "m = 1.5\n      low = 9.0");
        let both = both.replace("y[0] max= u[0]", "low min= u[j * columns + i]");
        let both = both.replace("y[round] += m", "y[round] += m + low");
        let after = pointed_out(crate::ir::parse(&both).expect("a program")).to_string();
        assert!(after.contains("low_all min=") && after.contains("m_all max="), "{after}");
        assert_pass(pointed_out, &both, &after, fields());
    }

    #[test]
    fn a_variable_that_rows_carry_is_no_function_of_one_iteration() {
        let carried = steps(&["w += u[j * columns + i]", "m max= w"]);
        assert_unchanged(pointed_out, &carried);
        // the row is written again by the next one
        let again = steps(&["speed[i] = w * u[j * columns + i]", "m max= speed[i]"]);
        let after = pointed_out(crate::ir::parse(&again).expect("a program")).to_string();
        assert!(
            after.contains(
                "for j in 0..rows\n        scope w: f64\n          w = 1.0 + j as f64\n          scope m_all"
            ),
            "{after}"
        );
        assert_pass(pointed_out, &again, &after, fields());
    }
}
