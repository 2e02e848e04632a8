//! Programs for some calls of a function each: kept apart while they are changed, and one program of them in the end.

use super::{
    BufferId, Expr, ExprKind, Names, Opaque, OpaqueId, Origin, Program, RayonId, Role, Stmt, StmtKind,
    walk_mut,
};

/// What is made of a function: one for all calls, or one for calls in which lengths are equal and one for the others.
#[derive(Clone, Debug)]
pub enum Cases<T> {
    /// For all calls.
    All(T),
    /// For some calls each.
    Alike {
        /// In which calls lengths are equal: a condition on the parameters, without panics.
        cond: Expr,
        /// The condition as it reads where nothing overflows.
        equal: Expr,
        /// For these calls.
        like: T,
        /// Right for all calls, and used for the others.
        other: T,
    },
}

impl<T> Cases<T> {
    /// What is right for all calls.
    pub fn general(&self) -> &T {
        match self {
            Cases::All(all) | Cases::Alike { other: all, .. } => all,
        }
    }

    /// The same, for its owner.
    pub fn into_general(self) -> T {
        match self {
            Cases::All(all) | Cases::Alike { other: all, .. } => all,
        }
    }

    /// The cases by reference.
    pub fn as_ref(&self) -> Cases<&T> {
        match self {
            Cases::All(all) => Cases::All(all),
            Cases::Alike { cond, equal, like, other } => {
                Cases::Alike { cond: cond.clone(), equal: equal.clone(), like, other }
            }
        }
    }

    /// Changes each case; the general one first.
    pub fn try_map<U, E>(self, mut change: impl FnMut(T) -> Result<U, E>) -> Result<Cases<U>, E> {
        Ok(match self {
            Cases::All(all) => Cases::All(change(all)?),
            Cases::Alike { cond, equal, like, other } => {
                let other = change(other)?;
                Cases::Alike { cond, equal, like: change(like)?, other }
            }
        })
    }

    /// Changes each case.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Cases<U> {
        match self {
            Cases::All(all) => Cases::All(change(all)),
            Cases::Alike { cond, equal, like, other } => {
                Cases::Alike { cond, equal, like: change(like), other: change(other) }
            }
        }
    }
}

impl Cases<Program> {
    /// One program for all calls.
    pub fn joined(self) -> Program {
        match self {
            Cases::All(program) => program,
            Cases::Alike { cond, like, other, .. } => select_program(cond, like, other),
        }
    }
}

/// `if cond { first } else { second }`. The condition is one on the parameters of the first program; those of the second
/// one, and its results, are the same in order.
pub fn select_program(cond: Expr, mut first: Program, mut second: Program) -> Program {
    let opaques = opaques_of(&mut first, &second);
    let buffers = buffers_of(&first, &second, &opaques);
    let (iters, spans) = (first.iters.len() as u32, first.spans.len() as u32);
    let names = Names { buffer: &|id| *id = buffers[id.0 as usize], iter: &|iter| iter.0 += iters };
    let path = |expr: &mut Expr| {
        expr.change(&mut |node| {
            if let ExprKind::Opaque(path) = &mut node.kind {
                *path = opaques[path.0 as usize];
            }
        });
    };
    for (id, mut buffer) in second.buffers.drain(..).enumerate() {
        for dim in &mut buffer.dims {
            names.expr(dim);
            path(dim);
        }
        match &mut buffer.role {
            Role::Table(path) => *path = opaques[path.0 as usize],
            role => role.derived_from_mut().into_iter().for_each(names.buffer),
        }
        if buffers[id].0 as usize == first.buffers.len() {
            first.buffers.push(buffer);
        }
    }
    names.block(&mut second.body);
    walk_mut(&mut second.body, &mut |stmt| {
        stmt.origin.span.0 += spans;
        stmt.exprs_mut().into_iter().for_each(path);
        stmt.constants_of_marks_mut().into_iter().for_each(|it| *it = opaques[it.0 as usize]);
        if let Some(RayonId(id)) = stmt.as_for_mut().and_then(|each| each.marks.rayon.as_mut()) {
            *id += first.rayon.len() as u32;
        }
    });
    for mut rayon in second.rayon.drain(..) {
        rayon.owned.iter_mut().for_each(names.buffer);
        first.rayon.push(rayon);
    }
    first.iters.append(&mut second.iters);
    first.spans.append(&mut second.spans);
    let then = std::mem::take(&mut first.body);
    if let Some(origin) = then.first().or(second.body.first()).map(|stmt| stmt.origin) {
        let kind = StmtKind::If { cond, then, els: second.body };
        first.body.push(Stmt::new(kind, Origin { stmt: 0, ..origin }));
    }
    first
}

/// What the user paths of the second program are called in the first one.
fn opaques_of(first: &mut Program, second: &Program) -> Vec<OpaqueId> {
    let same = |path: &Opaque| {
        let known = first.opaques.iter().position(|it| (&it.text, it.ty) == (&path.text, path.ty));
        known.map_or_else(|| first.add_opaque(path.clone()), |at| OpaqueId(at as u32))
    };
    second.opaques.iter().map(same).collect()
}

/// What the buffers of the second program are called in the first one.
fn buffers_of(first: &Program, second: &Program, opaques: &[OpaqueId]) -> Vec<BufferId> {
    let interface = |it: &Program| it.params.iter().chain(&it.results).copied().collect::<Vec<_>>();
    let (theirs, ours) = (interface(second), interface(first));
    let mut next = first.buffers.len() as u32;
    let buffers = second.buffer_ids().map(|id| {
        let table = match second[id].role {
            Role::Table(path) => Some(Role::Table(opaques[path.0 as usize])),
            _ => None,
        };
        let known = theirs.iter().position(|&it| it == id).map(|at| ours[at]);
        let known =
            known.or_else(|| first.buffer_ids().find(|&it| table.is_some() && Some(first[it].role) == table));
        known.unwrap_or_else(|| {
            next += 1;
            BufferId(next - 1)
        })
    });
    buffers.collect()
}

#[cfg(test)]
mod tests {
    use super::select_program;
    use crate::equivalence::{assert_same, program};
    use crate::ir::interp::Array;
    use crate::ir::{BinOp, Expr};

    #[test]
    fn the_condition_chooses() {
        let text = |first: bool| {
            let lines = [
                "fn f(x: inout f64[_], k: in usize[_], n: in usize) -> s: f64",
                "  scope w: f64[n], t: f64",
                "    t = 0.0",
                if first { "    for i in 0..n" } else { "    for i in 0..n down" },
                "      w[i] = x[k[i]] * 3.0",
                if first { "      t += w[i]" } else { "      t += w[i] * 2.0" },
                "    s = t",
            ];
            program(&lines.join("\n"))
        };
        let (first, second) = (text(true), text(false));
        let cond = |of: &crate::ir::Program| {
            let len = Expr::extent(of.params[0], 0);
            Expr::binary(BinOp::Eq, len, of.load_scalar(of.params[2]))
        };
        let merged = select_program(cond(&first), first.clone(), second.clone());
        let args = |len: usize| {
            let x: Vec<f64> = (0..len).map(|i| i as f64 + 0.5).collect();
            vec![Array::floats(&x), Array::ints(&[2, 0, 1]), Array::int(3)]
        };
        assert_same(&first, &merged, vec![args(3)]);
        assert_same(&second, &merged, vec![args(5)]);
    }
}
