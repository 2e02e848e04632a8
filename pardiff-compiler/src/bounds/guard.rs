//! Checking facts when the program runs, and the two versions of the loop that the answer chooses between.
//!
//! ```text
//! scope holds: bool
//!   holds = pays
//!   if holds                                        # rows: `for k in start..end` of an iteration
//!     scope last: usize, low: usize, high: usize    # and of indices `k * stride + …` that may wrap: most: usize
//!       last = 0                                    #   most = len / max(stride, 1); holds = stride <= len
//!       for at in lo..hi
//!         low = start; high = end                   # `holds = false` where they are outside an array
//!         if low < high
//!           if low < last                           #   or `high > most`
//!             holds = false
//!           last = high
//!   if holds                                        # values that do not repeat
//!     scope most: usize, seen: bool[most + 1], value: usize
//!       most = len / max(stride, 1)
//!       for k in 0..most + 1
//!         seen[k] = false
//!       for at in lo..hi
//!         value = p[at]                             # where the conditions around the loop's accesses hold
//!         if value <= most
//!           if seen[value]
//!             holds = false
//!           seen[value] = true
//!         else
//!           holds = false
//!   guard holds
//!     for i in lo..hi             # may be made parallel
//!       …
//!   otherwise
//!     for i in lo..hi             # as it was
//!       …
//! ```
//!
//! **Legality.** Where `holds` is true at the guard, each fact is true of all values of the iterator: `last` is the end of
//! the last row that has an element, so a row that begins before the end of an earlier one is found (in a signed type
//! `last` begins at zero, so that negative starts are found as well); a value that repeats finds itself in `seen`; and
//! `value <= len / stride` gives `value * stride <= len`. The
//! passes read no element whose index they have not compared with the extent, write nothing else and do not panic; their
//! expressions are those of the loop (see `poly::Fact`), which writes nothing that they read. Where a value does not fit,
//! the loop runs as it was, and its own checks say so. Both versions are the same statements, with iterators and buffers
//! of their own.

use crate::ir::{
    BinOp, Block, Buffer, BufferId, Expr, ExprKind, For, Func, IterId, Order, Origin, Place, Program, Role,
    Stmt, StmtKind, Ty, clone_stmts,
};
use crate::poly::{Distinct, Fact, Fits, Rows, Scale, elements_of};

/// A loop under a guard.
pub struct Guarded {
    /// The checks, and the two versions.
    pub stmt: Stmt,
    /// The loops of the checks.
    pub passes: Vec<IterId>,
}

/// Puts a loop under a guard that checks the facts where `pays` holds; `None` for a statement that is no loop. The loop
/// itself, with its iterators and buffers, is the version that relies on the facts.
pub fn guarded(program: &mut Program, facts: &[Fact], pays: Expr, stmt: &Stmt) -> Option<Guarded> {
    let of = stmt.as_for()?;
    let holds = program.add_scalar("holds", Ty::Bool, Role::Local);
    let mut pass = Pass { origin: stmt.origin, holds, of, passes: Vec::new() };
    let mut body = vec![pass.assign(Place::scalar(holds), pays)];
    for fact in facts {
        let checked = match fact {
            Fact::Rows(rows) => pass.rows(program, rows),
            Fact::Distinct(distinct) => pass.distinct(program, distinct),
            Fact::Fits(fits) => pass.fits(program, fits),
        };
        body.push(pass.when(program.load_scalar(holds), vec![checked], Block::new()));
    }
    let els = clone_stmts(program, std::slice::from_ref(stmt));
    body.push(pass.stmt(StmtKind::Guarded {
        fact: program.load_scalar(holds),
        then: vec![stmt.clone()],
        els,
    }));
    let stmt = pass.stmt(StmtKind::Scope { buffers: vec![holds], body });
    Some(Guarded { stmt, passes: pass.passes })
}

/// What the checks of one loop share.
struct Pass<'a> {
    origin: Origin,
    holds: BufferId,
    of: &'a For,
    passes: Vec<IterId>,
}

impl Pass<'_> {
    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt::new(kind, self.origin)
    }

    fn assign(&self, target: Place, value: Expr) -> Stmt {
        self.stmt(StmtKind::Assign { target, value })
    }

    fn when(&self, cond: Expr, then: Block, els: Block) -> Stmt {
        self.stmt(StmtKind::If { cond, then, els })
    }

    /// `if cond { holds = false }`
    fn fails_if(&self, cond: Expr) -> Stmt {
        self.when(cond, vec![self.fails()], Block::new())
    }

    fn fails(&self) -> Stmt {
        self.assign(Place::scalar(self.holds), Expr::bool(false))
    }

    /// A loop over the values of the iterator, upwards; `body` where the conditions `when` hold, each evaluated where those
    /// before do, and if what they and `values` read is there.
    fn over(&mut self, program: &mut Program, when: &[Expr], values: &[&Expr], body: Block) -> Stmt {
        let of = self.of;
        let ty = of.lo.ty;
        let at = program.add_iter("at", ty);
        self.passes.push(at);
        // conditions, and whether the fact fails where they do not hold
        let mut conds: Vec<(Expr, bool)> = Vec::new();
        for (expr, is_cond) in
            when.iter().map(|cond| (cond, true)).chain(values.iter().map(|&it| (it, false)))
        {
            for place in elements_of(expr) {
                for (dim, index) in place.index.iter().enumerate() {
                    let inside = Expr::binary(BinOp::Lt, index.clone(), Expr::extent(place.buffer, dim));
                    if !conds.iter().any(|(known, _)| *known == inside) {
                        conds.push((inside, true));
                    }
                }
            }
            if is_cond {
                conds.push((expr.clone(), false));
            }
        }
        let mut body = conds.into_iter().rev().fold(body, |inner, (cond, fails)| {
            let els = if fails { vec![self.fails()] } else { Block::new() };
            vec![self.when(cond, inner, els)]
        });
        let replace = |expr: &Expr| {
            let old = ExprKind::Iter(of.iter);
            expr.map(&mut |node| if node.kind == old { Expr::iter(at, ty) } else { node })
        };
        body.iter_mut().for_each(|stmt| rewrite(stmt, &replace));
        let (lo, hi, step) = (of.lo.clone(), of.hi.clone(), of.step.clone());
        let mut pass = For::counted(at, hi, body);
        (pass.lo, pass.step, pass.inclusive, pass.order) = (lo, step, of.inclusive, Order::Up);
        self.stmt(StmtKind::For(pass))
    }

    /// How large a value may be that is multiplied by a stride: variables, and their assignments.
    fn limits(&self, program: &mut Program, scales: &[Scale], setup: &mut Block) -> Vec<BufferId> {
        let mut limits = Vec::with_capacity(scales.len());
        for scale in scales {
            let most = program.add_scalar("most", Ty::USIZE, Role::Local);
            let one = scale.stride.kind == ExprKind::Int(1);
            let value = if one {
                scale.len.clone()
            } else {
                setup.push(self.fails_if(Expr::binary(BinOp::Gt, scale.stride.clone(), scale.len.clone())));
                let by = Expr::call(Ty::USIZE, Func::IntMax, vec![scale.stride.clone(), Expr::usize(1)]);
                Expr::binary(BinOp::Div, scale.len.clone(), by)
            };
            setup.push(self.assign(Place::scalar(most), value));
            limits.push(most);
        }
        limits
    }

    /// One comparison of the last value with each limit.
    fn fits(&self, program: &mut Program, fits: &Fits) -> Stmt {
        let mut body = Block::new();
        let limits = self.limits(program, &fits.scales, &mut body);
        let (runs, last) = match fits.inclusive {
            true => (BinOp::Le, fits.hi.clone()),
            false => {
                let one = Expr::usize(1);
                (BinOp::Lt, Expr::call(Ty::USIZE, Func::SaturatingSub, vec![fits.hi.clone(), one]))
            }
        };
        let fails = |&most: &BufferId| {
            let most = Place::scalar(most).load(Ty::USIZE);
            self.fails_if(Expr::binary(BinOp::Gt, last.clone(), most))
        };
        let fails = limits.iter().map(fails).collect();
        body.push(self.when(Expr::binary(runs, fits.lo.clone(), fits.hi.clone()), fails, Block::new()));
        self.stmt(StmtKind::Scope { buffers: limits, body })
    }

    fn rows(&mut self, program: &mut Program, rows: &Rows) -> Stmt {
        let ty = rows.start.ty;
        let mut setup = Block::new();
        let scales: &[Scale] = if ty == Ty::USIZE { &rows.scales } else { &[] };
        let limits = self.limits(program, scales, &mut setup);
        let [last, low, high] = ["last", "low", "high"].map(|name| program.add_scalar(name, ty, Role::Local));
        let load = |scalar| Place::scalar(scalar).load(ty);
        let mut body = vec![self.assign(Place::scalar(low), rows.start.clone())];
        if rows.inclusive {
            // one behind the last; where there is no such value, nothing is said
            let one = Expr::int(ty, 1);
            let end = Expr::call(ty, Func::SaturatingAdd, vec![rows.end.clone(), one]);
            body.push(self.assign(Place::scalar(high), end));
            body.push(self.fails_if(load(high).at_most(rows.end.clone())));
        } else {
            body.push(self.assign(Place::scalar(high), rows.end.clone()));
        }
        let mut row = vec![self.fails_if(Expr::binary(BinOp::Lt, load(low), load(last)))];
        row.extend(limits.iter().map(|&most| self.fails_if(Expr::binary(BinOp::Gt, load(high), load(most)))));
        row.push(self.assign(Place::scalar(last), load(high)));
        body.push(self.when(Expr::binary(BinOp::Lt, load(low), load(high)), row, Block::new()));
        setup.push(self.assign(Place::scalar(last), Expr::int(ty, 0)));
        setup.push(self.over(program, &[], &[&rows.start, &rows.end], body));
        let buffers = [last, low, high].into_iter().chain(limits).collect();
        self.stmt(StmtKind::Scope { buffers, body: setup })
    }

    fn distinct(&mut self, program: &mut Program, distinct: &Distinct) -> Stmt {
        let mut setup = Block::new();
        let limits = self.limits(program, &distinct.scales, &mut setup);
        let most = |at: usize| program.load_scalar(limits[at]);
        let size = Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![most(0), Expr::usize(1)]);
        let all: Vec<Expr> = (0..limits.len()).map(most).collect();
        let seen = program.add_buffer(Buffer::new("seen", Ty::Bool, vec![size], Role::Local));
        let value = program.add_scalar("value", Ty::USIZE, Role::Local);
        let number = program.load_scalar(value);
        let element = Place::new(seen, vec![number.clone()]);
        let k = program.add_iter("k", Ty::USIZE);
        self.passes.push(k);
        let none = self.assign(Place::new(seen, vec![Expr::iter(k, Ty::USIZE)]), Expr::bool(false));
        let clear = self.stmt(StmtKind::For(For::counted(k, Expr::extent(seen, 0), vec![none])));
        let both = |a, b| Expr::binary(BinOp::BitAnd, a, b);
        let inside = all.into_iter().map(|most| number.clone().at_most(most));
        let mut inside = inside.reduce(both).unwrap_or_else(|| Expr::bool(false));
        let ty = distinct.value.ty;
        let mut taken = distinct.value.clone();
        if ty != Ty::USIZE {
            // two values that differ are two numbers, because each comes back from its number
            let back = Expr::binary(BinOp::Eq, number.cast(ty), distinct.value.clone());
            inside = both(inside, back);
            taken = taken.cast(Ty::USIZE);
        }
        let again = self.fails_if(element.clone().load(Ty::Bool));
        let fresh = vec![again, self.assign(element, Expr::bool(true))];
        let mut body = vec![self.assign(Place::scalar(value), taken)];
        body.push(self.when(inside, fresh, vec![self.fails()]));
        let pass = self.over(program, &distinct.when, &[&distinct.value], body);
        setup.push(self.stmt(StmtKind::Scope { buffers: vec![seen, value], body: vec![clear, pass] }));
        self.stmt(StmtKind::Scope { buffers: limits, body: setup })
    }
}

/// Replaces the expressions of a statement and of those inside.
fn rewrite(stmt: &mut Stmt, replace: &dyn Fn(&Expr) -> Expr) {
    stmt.exprs_mut().into_iter().for_each(|expr| *expr = replace(expr));
    stmt.blocks_mut().into_iter().flatten().for_each(|inner| rewrite(inner, replace));
}

#[cfg(test)]
mod tests {
    use super::guarded;
    use crate::ir::interp::{Array, Value, no_paths, run};
    use crate::ir::verify::verify;
    use crate::ir::{Exec, Expr, IterId, Level, Program, Stmt, StmtKind, parse};
    use crate::poly::{Analysis, Fact};

    const ROWS: &str = "
fn f(v: in f64[_], y: inout f64[_], start: in usize[_], n: in usize)
  for r in 0..n
    scope t: f64[n]
      t[r] = 2.0
      check r < len(start) \"start\"
      check r + 1 < len(start) \"start\"
      for k in start[r]..start[r + 1]
        check k < len(y) \"y\"
        y[k] += v[0] * t[r]";

    /// The program with its loop under a guard, in which the version that relies on the fact says that it ran.
    fn versions(marked: bool) -> (Program, Program) {
        let before = parse(ROWS).unwrap_or_else(|error| panic!("{error}"));
        let facts = Analysis::new(&before).facts_of(IterId(0));
        let rows = &facts[..1];
        assert!(matches!(rows, [Fact::Rows(_)]), "{facts:?}");
        let mut after = before.clone();
        let [stmt] = &mut after.body.split_off(0)[..] else { panic!("one loop") };
        let guarded = guarded(&mut after, rows, Expr::bool(true), stmt);
        let Some(mut guarded) = guarded.map(|guarded| guarded.stmt) else { panic!("no guard") };
        mark(&mut guarded, marked);
        after.body = vec![guarded];
        assert_eq!(verify(&after), Ok(()), "{after}");
        (before, after)
    }

    fn mark(stmt: &mut Stmt, marked: bool) {
        if let StmtKind::Guarded { then, .. } = &mut stmt.kind {
            match &mut then[0].kind {
                _ if !marked => then.clear(),
                StmtKind::For(of) => of.exec = Exec::Parallel(Level::Task),
                _ => {}
            }
        }
        stmt.blocks_mut().into_iter().flatten().for_each(|inner| mark(inner, marked));
    }

    fn args(start: &[usize], n: i128) -> Vec<Array<f64>> {
        let n = Array::scalar(Value::Int(n));
        vec![Array::floats(&[1.5]), Array::floats(&[0.0; 6]), Array::usizes(start), n]
    }

    #[test]
    fn both_versions_compute_the_same() {
        let (before, after) = versions(true);
        for (start, n) in
            [(&[0, 2, 2, 6][..], 3), (&[0, 4, 1, 5], 3), (&[0, 1], 3), (&[], 0), (&[], 2), (&[0, 9], 1)]
        {
            let (old, new) =
                (run(&before, args(start, n), &no_paths), run(&after, args(start, n), &no_paths));
            match (&old, &new) {
                (Err(old), Err(new)) => assert_eq!(old.kind, new.kind),
                _ => assert_eq!(old, new, "{start:?}"),
            }
        }
    }

    #[test]
    fn the_version_that_relies_on_the_fact_runs_only_where_it_holds() {
        let (before, after) = versions(false);
        let differs = |start: &[usize], n| {
            run(&before, args(start, n), &no_paths) != run(&after, args(start, n), &no_paths)
        };
        assert!(differs(&[0, 2, 2, 6], 3), "the starts never fall");
        assert!(!differs(&[0, 4, 1, 5], 3), "they do");
        assert!(!differs(&[0, 1], 3), "there are too few: a panic in both");
    }
}
