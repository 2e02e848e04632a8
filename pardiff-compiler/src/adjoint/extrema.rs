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
//! The last loop adds one value, so no bit of it changes; as a loop it has the iterator in its
//! accesses, whose ranges are known, and it is one of lanes like the others.
//!
//! *Legality.* By the convention of ties the whole adjoint goes to the first iteration that attains the extremum, or to
//! the value before the loop if that attains it: the same in both forms. A NaN is equal to nothing, and a maximum passes
//! it over; if all are NaN, `m` stays. Nothing in the loop reads `m` or writes it otherwise. What `e(k)` reads is not
//! written in the loop, or it is a variable of the body, which is computed again, or an element that iteration `k`
//! alone writes before it is read; so `e(k)` has the same value when the loop has ended, and its checks have passed.
//!
//! *Where.* `e(k)` is computed twice, so nothing in it may be a loop. A loop inside others that has the same number of
//! iterations for all of theirs is left alone: there lanes are the iterations of an outer loop, and each would have to
//! go to an element of its own.

use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Order, Origin, Place, Program, ReduceOp, Role,
    Scheme, Stmt, StmtKind, Ty, duplicate, written,
};

/// The primal in this form; the primal itself where it has no such loop.
pub(super) fn point_out(primal: &Program) -> Program {
    let mut program = primal.clone();
    let mut body = std::mem::take(&mut program.body);
    block(&mut program, &mut body, None);
    program.body = body;
    program
}

/// `outer` holds what the outermost loop around the block writes, if there is one.
fn block(program: &mut Program, stmts: &mut Block, outer: Option<&BufferSet>) {
    for stmt in stmts {
        if let StmtKind::For(each) = &stmt.kind
            && outer.is_none_or(|written| varies(each, written))
            && let Some(found) = Extremum::of(program, each)
        {
            *stmt = found.pointed_out(program, each, stmt.origin);
            continue;
        }
        let is_loop = matches!(stmt.kind, StmtKind::For(_) | StmtKind::While(_));
        let own = (is_loop && outer.is_none()).then(|| writes_of(stmt));
        let outer = own.as_ref().or(outer);
        stmt.blocks_mut().into_iter().for_each(|inner| block(program, inner, outer));
    }
}

/// The buffers that a statement, or anything in it, writes.
fn writes_of(stmt: &Stmt) -> BufferSet {
    let mut set = BufferSet::new();
    stmt.writes(&mut |buffer| _ = set.insert(buffer));
    set
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

/// A running maximum or minimum of a loop.
struct Extremum {
    /// The running one.
    target: BufferId,
    /// What no iteration is called.
    greatest: i128,
    /// The statements of the body that its value needs, and the update.
    slice: Block,
}

impl Extremum {
    fn of(program: &Program, each: &For) -> Option<Extremum> {
        let int = matches!(each.lo.ty, Ty::Int(_)) && matches!(each.step.kind, ExprKind::Int(_));
        if each.order != Order::Up || !int {
            return None;
        }
        let mut updates = Vec::new();
        reductions(&each.body, &mut updates);
        let is_scalar = |target: &Place| target.index.is_empty() && program[target.buffer].elem.is_float();
        let target = updates.into_iter().find(|target| is_scalar(target))?.buffer;
        (mentions(&each.body, target) == 1).then_some(())?;
        let greatest = greatest(each.lo.ty)?;
        let mut slicing = Slice::new(program, each, target);
        let slice = slicing.block(&each.body)?;
        slicing.is_repeatable().then_some(())?;
        Some(Extremum { target, greatest, slice })
    }

    fn pointed_out(self, program: &mut Program, each: &For, origin: Origin) -> Stmt {
        let Extremum { target, greatest, .. } = self;
        let stmt = |kind| Stmt::new(kind, origin);
        let (name, ty) = (program[target].name.clone(), program[target].elem);
        let all = program.add_scalar(&format!("{name}_all"), ty, Role::Local);
        let first = program.add_scalar(&format!("{name}_at"), each.lo.ty, Role::Local);
        let none = Expr::int(each.lo.ty, greatest);
        let [load_all, load_first, load_target] =
            [all, first, target].map(|buffer| program.load_scalar(buffer));

        // the value of the extremum
        let mut whole = each.clone();
        whole.body.iter_mut().for_each(|inner| redirect(inner, target, all));

        // the first iteration that attains it
        let reduce = |op, target, value: &Expr| {
            let (target, value) = (Place::scalar(target), value.clone());
            stmt(StmtKind::Reduce { op, target, value, scheme: Scheme::Undecided })
        };
        let equal = |a: &Expr, b: &Expr, then: Block| {
            let cond = Expr::binary(BinOp::Eq, a.clone(), b.clone());
            stmt(StmtKind::If { cond, then, els: Block::new() })
        };
        let search = self.again(program, each, origin, |here, slice| {
            replace(slice, target, &|value| {
                equal(value, &load_all, vec![reduce(ReduceOp::Min, first, here)])
            });
        });

        // its value
        let attained = self.again(program, each, origin, |here, slice| {
            replace(slice, target, &|value| reduce(ReduceOp::Add, target, value));
            let then = std::mem::take(slice);
            slice.push(equal(here, &load_first, then));
        });
        let exists = Expr::binary(BinOp::Ne, load_first.clone(), none.clone());
        let differs = !Expr::binary(BinOp::Eq, load_target.clone(), load_all.clone());
        let cond = Expr::binary(BinOp::BitAnd, exists, differs);
        let assign = |buffer, value| stmt(StmtKind::Assign { target: Place::scalar(buffer), value });
        // what leaves every summand as it is, zeros of both signs included
        let then = vec![assign(target, Expr::float(ty, -0.0)), attained];
        let body = vec![
            assign(all, load_target),
            stmt(StmtKind::For(whole)),
            assign(first, none),
            search,
            stmt(StmtKind::If { cond, then, els: Block::new() }),
        ];
        stmt(StmtKind::Scope { buffers: vec![all, first], body })
    }

    /// The loop over the slice, as `change` makes it for the iterator.
    fn again(
        &self,
        program: &mut Program,
        each: &For,
        origin: Origin,
        change: impl FnOnce(&Expr, &mut Block),
    ) -> Stmt {
        let mut body = self.slice.clone();
        change(&Expr::iter(each.iter, each.lo.ty), &mut body);
        let looped = Stmt::new(StmtKind::For(each.around(body)), origin);
        duplicate(program, &[looped]).remove(0)
    }
}

/// The targets of the maxima and minima of a block, outside of loops in it.
fn reductions(stmts: &Block, targets: &mut Vec<Place>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Reduce { op: ReduceOp::Max | ReduceOp::Min, target, .. } => {
                targets.push(target.clone())
            }
            StmtKind::Scope { .. } | StmtKind::If { .. } => {
                stmt.blocks().into_iter().for_each(|inner| reductions(inner, targets));
            }
            _ => {}
        }
    }
}

/// How often statements read or write a scalar.
fn mentions(stmts: &Block, scalar: BufferId) -> usize {
    let mut count = 0;
    for stmt in stmts {
        stmt.walk(&mut |stmt| {
            stmt.each_expr(&mut |expr| {
                expr.walk(&mut |part| {
                    count +=
                        usize::from(matches!(&part.kind, ExprKind::Load(place) if place.buffer == scalar));
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
    }
    count
}

/// The statements of a loop's body that the value of its extremum needs, from the last to the first.
struct Slice<'a> {
    program: &'a Program,
    each: &'a For,
    target: BufferId,
    /// The variables of the body that later statements of the slice read.
    needed: BufferSet,
    /// The elements that they read.
    reads: Vec<Place>,
    /// The arrays among them that an iteration writes before it reads them.
    own_elements: BufferSet,
}

impl<'a> Slice<'a> {
    fn new(program: &'a Program, each: &'a For, target: BufferId) -> Slice<'a> {
        let none = BufferSet::new;
        Slice { program, each, target, needed: none(), reads: Vec::new(), own_elements: none() }
    }

    /// Whether everything that the slice reads has the same value when the loop has ended.
    fn is_repeatable(&self) -> bool {
        let inside = written(&self.each.body);
        let elements = self.reads.iter().map(|read| read.buffer);
        let mut variables = self.program.buffer_ids().filter(|&buffer| self.needed.contains(buffer));
        elements.into_iter().all(|buffer| !inside.contains(buffer) || self.own_elements.contains(buffer))
            && variables.all(|buffer| !inside.contains(buffer) || self.is_own(buffer))
    }

    /// `None` where the value cannot be computed again, or not cheaply.
    fn block(&mut self, stmts: &Block) -> Option<Block> {
        let mut kept = Block::new();
        for stmt in stmts.iter().rev() {
            kept.extend(self.stmt(stmt)?);
        }
        kept.reverse();
        Some(kept)
    }

    /// The statement as far as it is needed: nothing, or one.
    fn stmt(&mut self, stmt: &Stmt) -> Option<Option<Stmt>> {
        let origin = stmt.origin;
        let keep = |kind| Some(Some(Stmt::new(kind, origin)));
        match &stmt.kind {
            StmtKind::Reduce { target, value, .. } if target.buffer == self.target => {
                self.needs(value);
                keep(stmt.kind.clone())
            }
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. }
                if target.index.is_empty() && self.needed.contains(target.buffer) =>
            {
                self.is_own(target.buffer).then(|| self.needs(value))?;
                keep(stmt.kind.clone())
            }
            StmtKind::Assign { target, .. } if !target.index.is_empty() => {
                let mut reads = self.reads.iter().filter(|read| read.buffer == target.buffer);
                if reads.clone().next().is_some() && reads.all(|read| self.is_of_iteration(read, target)) {
                    self.own_elements.insert(target.buffer);
                }
                Some(None)
            }
            StmtKind::Check { .. } => Some(None),
            StmtKind::Scope { buffers, body } => {
                let body = self.block(body)?;
                let scalars = buffers.iter().copied().filter(|&buffer| self.program[buffer].rank() == 0);
                match body.is_empty() {
                    true => Some(None),
                    false => keep(StmtKind::Scope { buffers: scalars.collect(), body }),
                }
            }
            StmtKind::If { cond, then, els } => {
                let (then, els) = (self.block(then)?, self.block(els)?);
                if then.is_empty() && els.is_empty() {
                    return Some(None);
                }
                self.needs(cond);
                keep(StmtKind::If { cond: cond.clone(), then, els })
            }
            _ => {
                let written = writes_of(stmt);
                let mut needed = self.program.buffer_ids().filter(|&buffer| self.needed.contains(buffer));
                (!needed.any(|buffer| written.contains(buffer))).then_some(None)
            }
        }
    }

    fn needs(&mut self, value: &Expr) {
        value.walk(&mut |part| {
            if let ExprKind::Load(place) = &part.kind {
                match place.index.is_empty() {
                    true => _ = self.needed.insert(place.buffer),
                    false => self.reads.push(place.clone()),
                }
            }
        });
    }

    /// Whether the variable is one of the body.
    fn is_own(&self, scalar: BufferId) -> bool {
        let mut own = false;
        for stmt in &self.each.body {
            stmt.walk(&mut |stmt| {
                own |= matches!(&stmt.kind, StmtKind::Scope { buffers, .. } if buffers.contains(&scalar));
            });
        }
        own
    }

    /// Whether a write before the read gives the element a value that no other iteration changes: it is the same
    /// element, and another one in each iteration.
    fn is_of_iteration(&self, read: &Place, write: &Place) -> bool {
        let iter = self.each.iter;
        let is_iter = |expr: &Expr| expr.kind == ExprKind::Iter(iter);
        let moves = |index: &Expr| match &index.kind {
            ExprKind::Binary(BinOp::Add, a, b) => {
                is_iter(a) && !b.mentions(iter) || is_iter(b) && !a.mentions(iter)
            }
            ExprKind::Binary(BinOp::Sub, a, b) => is_iter(a) && !b.mentions(iter),
            _ => is_iter(index),
        };
        let inside = written(&self.each.body);
        let mut settled = true;
        read.index.iter().for_each(|index| {
            index.walk(&mut |part| {
                settled &= !matches!(&part.kind, ExprKind::Load(place) if inside.contains(place.buffer));
            });
        });
        let mut writes = 0;
        self.each
            .body
            .iter()
            .for_each(|stmt| stmt.writes(&mut |it| writes += usize::from(it == read.buffer)));
        settled && writes == 1 && read.index == write.index && read.index.iter().any(moves)
    }
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
fn replace(stmts: &mut Block, target: BufferId, made: &impl Fn(&Expr) -> Stmt) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Reduce { target: of, value, .. } if of.buffer == target => *stmt = made(value),
            _ => stmt.blocks_mut().into_iter().for_each(|inner| replace(inner, target, made)),
        }
    }
}

/// The greatest value of an integer type.
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
        // a variable that lives longer
        stays(&["scope e: f64", "  for j in 0..k", "    e += x[j]", "  m max= e"]);
        // from the last to the first
        let down = rows(&["m max= x[k]"]).replace("at[i + 1]\n", "at[i + 1] down\n");
        assert_unchanged(pointed_out, &down);
        // the same number of iterations for all rows
        let even = rows(&["m max= x[k]"]).replace("at[i]..at[i + 1]", "0..len(x)");
        assert_unchanged(pointed_out, &even);
    }
}
