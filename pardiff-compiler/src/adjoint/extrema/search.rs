//! Which iteration of a nest attains its extremum, and the value from there.

use super::{Extremum, greatest, reduce, replace};
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, For, Func, Origin, Program, ReduceOp, Role, Stmt, Ty, clone_stmts,
};

/// Finds the iteration that attains an extremum, an iterator each.
pub(super) struct Search<'s, 'p> {
    program: &'s mut Program,
    extremum: &'s Extremum<'p>,
    /// The extremum as the nest has found it.
    all: BufferId,
    /// The iteration, a number for each loop.
    first: Vec<BufferId>,
    /// The greatest item so far, or the least one, where items are looked at in order.
    best: BufferId,
}

impl<'s, 'p> Search<'s, 'p> {
    /// A search with variables of its own, which are added to `buffers`.
    pub(super) fn new(
        program: &'s mut Program,
        extremum: &'s Extremum<'p>,
        all: BufferId,
        buffers: &mut Vec<BufferId>,
    ) -> Search<'s, 'p> {
        let (name, ty) = (program[extremum.target].name.clone(), program[extremum.target].elem);
        let mut local = |name: String, ty: Ty| {
            let local = program.add_scalar(&name, ty, Role::Local);
            buffers.push(local);
            local
        };
        let first = extremum.path.iter().map(|each| local(format!("{name}_at"), each.lo.ty)).collect();
        let best = local(format!("{name}_best"), ty);
        Search { program, extremum, all, first, best }
    }

    /// What takes the value from the iteration that attains the extremum, if one does.
    pub(super) fn stmt(mut self) -> Stmt {
        let (target, origin) = (self.extremum.target, self.extremum.slice.origin);
        let mut then = Block::new();
        for level in 0..self.first.len() {
            then.push(Stmt::set(self.first[level], self.none(level), origin));
            then.push(self.equal_item(level));
        }
        let last = self.first.len() - 1;
        let is_missed = Expr::binary(BinOp::Eq, self.program.load_scalar(self.first[last]), self.none(last));
        let best_item = self.best_item();
        then.push(Stmt::when(is_missed, best_item, origin));
        // what leaves every summand as it is, zeros of both signs included
        then.push(Stmt::set(target, Expr::float(self.program[target].elem, -0.0), origin));
        let first = self.first.clone();
        then.push(self.again(&first, &mut |_, value| reduce(ReduceOp::Add, target, value.clone(), origin)));
        let all = self.program.load_scalar(self.all);
        let differs = !Expr::binary(BinOp::Eq, self.program.load_scalar(target), all.clone());
        let is_number = !Expr::call(Ty::Bool, Func::IsNan, vec![all]);
        Stmt::when(Expr::binary(BinOp::BitAnd, is_number, differs), then, origin)
    }

    /// Finds the first iteration of a loop, in the iterations of those around it that are known, that has an item which is
    /// equal to the extremum.
    fn equal_item(&mut self, level: usize) -> Stmt {
        let (target, origin) = (self.extremum.target, self.extremum.slice.origin);
        let (all, at, here) = (self.program.load_scalar(self.all), self.first[level], self.here(level));
        let around = self.first[..level].to_vec();
        self.again(&around, &mut |program, value| {
            named(program, target, value, origin, |item| {
                let then = vec![reduce(ReduceOp::Min, at, here.clone(), origin)];
                Stmt::when(Expr::binary(BinOp::Eq, item, all.clone()), then, origin)
            })
        })
    }

    /// Finds the first iteration of the best item, one after the other.
    fn best_item(&mut self) -> Block {
        let (target, origin) = (self.extremum.target, self.extremum.slice.origin);
        let (best, ty) = (self.best, self.program[self.best].elem);
        let old = self.program.load_scalar(best);
        let found: Vec<(BufferId, Expr)> =
            (0..self.first.len()).map(|level| (self.first[level], self.here(level))).collect();
        let is_as_good = match self.extremum.op {
            ReduceOp::Max => BinOp::Ge,
            _ => BinOp::Le,
        };
        let mut search = self.again(&[], &mut |program, value| {
            named(program, target, value, origin, |item| {
                // there is none as good as NaN, and NaN is not as good as itself
                let is_better = !Expr::binary(is_as_good, old.clone(), item.clone());
                let is_number = !Expr::call(Ty::Bool, Func::IsNan, vec![item.clone()]);
                let mut then = vec![Stmt::set(best, item, origin)];
                then.extend(found.iter().map(|(at, here)| Stmt::set(*at, here.clone(), origin)));
                Stmt::when(Expr::binary(BinOp::BitAnd, is_better, is_number), then, origin)
            })
        });
        in_order(&mut search);
        vec![Stmt::set(best, Expr::float(ty, f64::NAN), origin), search]
    }

    /// The nest over the slice, in the iterations `at` of its outermost loops alone, with what `made` makes of the value in
    /// place of the update.
    fn again(&mut self, at: &[BufferId], made: &mut dyn FnMut(&mut Program, &Expr) -> Stmt) -> Stmt {
        let mut nest = self.extremum.slice.clone();
        let origin = nest.origin;
        replace(&mut nest, self.extremum.target, &mut |value| made(self.program, value));
        for (level, &at) in at.iter().enumerate() {
            let is_it = Expr::binary(BinOp::Eq, self.here(level), self.program.load_scalar(at));
            only(&mut nest, self.extremum.path[level], &|body| Stmt::when(is_it.clone(), body, origin));
        }
        clone_stmts(self.program, &[nest]).remove(0)
    }

    fn here(&self, level: usize) -> Expr {
        let each = self.extremum.path[level];
        Expr::iter(each.iter, each.lo.ty)
    }

    /// What no iteration is called.
    fn none(&self, level: usize) -> Expr {
        let ty = self.extremum.path[level].lo.ty;
        Expr::int(ty, greatest(ty).expect("an integer"))
    }
}

/// What is made of a value that has a name, so that it is computed in the same way in every loop; the element of an array, or
/// a variable, is its own name.
pub(super) fn named(
    program: &mut Program,
    target: BufferId,
    value: &Expr,
    origin: Origin,
    made: impl FnOnce(Expr) -> Stmt,
) -> Stmt {
    if let ExprKind::Load(_) = value.kind {
        return made(value.clone());
    }
    let item = program.add_scalar(&format!("{}_item", program[target].name), value.ty, Role::Local);
    let body = vec![Stmt::set(item, value.clone(), origin), made(program.load_scalar(item))];
    Stmt::scope(vec![item], body, origin)
}

/// Takes the promise from loops that their iterations are independent: they are no longer the user's.
fn in_order(stmt: &mut Stmt) {
    if let Some(it) = stmt.as_for_mut() {
        it.marks.rayon = None;
    }
    stmt.blocks_mut().into_iter().flatten().for_each(in_order);
}

/// Puts what `made` makes of the body of a loop in place of it.
fn only(stmt: &mut Stmt, each: &For, made: &dyn Fn(Block) -> Stmt) {
    stmt.descend_mut(&mut |stmt| match stmt.as_for_mut().filter(|it| it.iter == each.iter) {
        Some(it) => {
            it.body = vec![made(std::mem::take(&mut it.body))];
            false
        }
        None => true,
    });
}
