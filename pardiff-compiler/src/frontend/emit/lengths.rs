//! Lengths that are usually equal, which nothing in the function says: a second program takes them to be.
//!
//! ```text
//! let mut u = u0.to_vec();                   if u0.len() == nx * ny
//! for _ in 0..steps {                          u and next of one length, exchanged
//!     let mut next = vec![0.0; nx * ny];  =>  else
//!     …                                        u of a length that changes
//!     u = next;
//! }
//! ```
//!
//! A vector whose length changes grows as it is written, element by element, and so does what is stored of it. So where a
//! vector takes the content of another, and both lengths are sums and products of what the parameters say, the function
//! is emitted once more with these lengths as one, and the condition decides when it runs.
//!
//! *Legality.* The lengths have been compared before anything else happened, in sums and products that saturate: if
//! one of them would overflow, the condition does not hold. So where it holds the formulas have one value, and none of
//! them panics.

use super::Emit;
use super::value::View;
use crate::ir::{BinOp, Block, Expr, ExprKind, Func, Program, Role, Ty};

/// Lengths that are one: in each list all formulas, the one that stands for them first.
#[derive(Clone, Default, Debug, PartialEq)]
pub(super) struct Classes(Vec<Vec<Expr>>);

impl Classes {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes two lengths to be one.
    pub(super) fn unite(&mut self, a: Expr, b: Expr) {
        let mut class = Vec::new();
        for length in [a, b] {
            match self.0.iter().position(|class| class.contains(&length)) {
                Some(at) => class.append(&mut self.0.swap_remove(at)),
                None if !class.contains(&length) => class.push(length),
                None => {}
            }
        }
        // an extent bounds the indices of its array; what need not be computed stands in front of what does
        class.sort_by_key(|length| match length.kind {
            ExprKind::Extent(..) => 0,
            ExprKind::Binary(..) => 2,
            _ => 1,
        });
        self.0.push(class);
    }

    /// Whether they are, and nothing overflows.
    pub(super) fn condition(&self) -> Expr {
        let in_range = self.0.iter().map(|class| {
            let first = saturating(&class[0]);
            let more = Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![first.clone(), Expr::usize(1)]);
            Expr::binary(BinOp::Lt, first, more)
        });
        all(self.pairs(saturating).chain(in_range))
    }

    /// The same as formulas.
    pub(super) fn equalities(&self) -> Expr {
        all(self.pairs(Expr::clone))
    }

    /// Writes the lengths that parameters and sums and products of them are as what stands for them: in bounds of loops, and
    /// in what indices are compared with.
    pub(super) fn write_out(&self, program: &mut Program) {
        let is_written = |length: &Expr| matches!(length.kind, ExprKind::Load(_) | ExprKind::Binary(..));
        let standing = |node: Expr| {
            let of =
                |class: &&Vec<Expr>| class[1..].iter().any(|length| is_written(length) && *length == node);
            self.0.iter().find(of).map_or(node.clone(), |class| class[0].clone())
        };
        let mut body = std::mem::take(&mut program.body);
        each_expr(&mut body, &mut |expr| *expr = expr.map(&mut |node| standing(node)));
        program.body = body;
        for buffer in &mut program.buffers {
            if buffer.role == Role::Local {
                buffer.dims.iter_mut().for_each(|dim| *dim = dim.map(&mut |node| standing(node)));
            }
        }
    }

    fn pairs(&self, form: impl Fn(&Expr) -> Expr + Copy) -> impl Iterator<Item = Expr> {
        let pair =
            move |class: &[Expr], at: usize| Expr::binary(BinOp::Eq, form(&class[0]), form(&class[at]));
        self.0.iter().flat_map(move |class| (1..class.len()).map(move |at| pair(class, at)))
    }
}

fn all(conditions: impl Iterator<Item = Expr>) -> Expr {
    conditions.reduce(|all, more| Expr::binary(BinOp::BitAnd, all, more)).unwrap_or(Expr::bool(true))
}

impl Emit<'_> {
    /// Two arrays of which one takes the content of the other, though their lengths are not seen to be equal.
    pub(super) fn would_be_alike(&mut self, a: &View, b: &View) {
        let known =
            [a, b].map(|view| self.program[view.buffer].dims.first().and_then(|dim| self.formula(dim)));
        if let [Some(a), Some(b)] = known
            && a != b
        {
            self.alike.unite(a, b);
        }
    }

    /// The length of a new array, by the formula that stands for it.
    pub(super) fn taken_to_be(&self, length: Expr) -> Expr {
        if self.taken.is_empty() {
            return length;
        }
        let Some(formula) = self.formula(&length) else { return length };
        let class = self.taken.0.iter().find(|class| class.contains(&formula));
        class.map_or(length, |class| class[0].clone())
    }

    /// A length as a sum or product of what parameters say.
    fn formula(&self, length: &Expr) -> Option<Expr> {
        match &length.kind {
            ExprKind::Int(_) => Some(length.clone()),
            ExprKind::Extent(..) => self.is_fixed(length).then(|| length.clone()),
            ExprKind::Load(place) if place.index.is_empty() && length.ty == Ty::USIZE => {
                match self.program[place.buffer].role {
                    Role::Input => Some(length.clone()),
                    _ => self.formula(self.defined.get(&place.buffer)?),
                }
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Mul), a, b) => {
                Some(Expr::binary(*op, self.formula(a)?, self.formula(b)?))
            }
            _ => None,
        }
    }
}

fn each_expr(block: &mut Block, change: &mut dyn FnMut(&mut Expr)) {
    for stmt in block {
        stmt.exprs_mut().into_iter().for_each(&mut *change);
        stmt.blocks_mut().into_iter().for_each(|inner| each_expr(inner, change));
    }
}

fn saturating(length: &Expr) -> Expr {
    length.map(&mut |node| match node.kind {
        ExprKind::Binary(BinOp::Add, a, b) => Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![*a, *b]),
        ExprKind::Binary(BinOp::Mul, a, b) => Expr::call(Ty::USIZE, Func::SaturatingMul, vec![*a, *b]),
        kind => Expr { ty: node.ty, kind },
    })
}
