//! Which statements of three loops are matrix products.

use super::index::{in_the_end, saturated, step};
use super::split::Nest;
use crate::ir::{BinOp, BufferId, Expr, ExprKind, For, IterId, Layout, Origin, Place, Stmt, UnOp};

/// An array inside of the three loops, by the index that it has once its own loops are part of it.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) buffer: BufferId,
    /// Behind the dimensions for the loops around its scope: the index of the first iteration.
    pub(super) first: Vec<Expr>,
    /// The steps along each of the three loops; of the dimensions for the loops around its scope, too.
    pub(super) steps: [Vec<Expr>; 3],
    /// So many loops are around its scope.
    pub(super) depth: usize,
}

/// `target += scale * left * right` in three loops.
#[derive(Clone, Debug)]
pub(super) struct Core {
    /// Which of the loops, outermost first, are rows, columns and depth.
    pub(super) roles: [usize; 3],
    pub(super) loops: [(IterId, Expr, Expr); 3],
    pub(super) scale: Expr,
    pub(super) target: Operand,
    pub(super) left: Operand,
    pub(super) right: Operand,
    /// What has to hold in front of the loops: that all elements are there.
    pub(super) needs: Vec<Expr>,
    pub(super) origin: Origin,
}

/// Whether a block looks like products: sums of products of elements, and checks.
pub(super) fn may_be_products(block: &[Stmt]) -> bool {
    let is_sum =
        |stmt: &Stmt| stmt.as_sum().is_some_and(|sum| sum.value.ty.is_float() && loads(sum.value) >= 2);
    block.iter().any(is_sum) && block.iter().all(|stmt| stmt.as_check().is_some() || is_sum(stmt))
}

/// How many factors are elements.
fn loads(value: &Expr) -> usize {
    match &value.kind {
        ExprKind::Binary(BinOp::Mul, a, b) => loads(a) + loads(b),
        ExprKind::Unary(UnOp::Neg, operand) => loads(operand),
        kind => usize::from(matches!(kind, ExprKind::Load(_))),
    }
}

/// The products that a block is, in three loops; `None` if it is something else as well.
pub(super) fn products(nest: &Nest<'_>, loops: [&For; 3], block: &[Stmt]) -> Option<Vec<Core>> {
    let mut cores: Vec<Core> = Vec::new();
    let mut checked = Vec::new();
    let body = Body { nest, loops };
    for stmt in block {
        match stmt.as_check() {
            Some((cond, _)) => checked.extend(body.checked(cond)?),
            None => {
                let sum = stmt.as_sum()?;
                cores.push(body.core(sum.target, sum.value, stmt.origin)?);
            }
        }
    }
    cores.first_mut()?.needs.extend(checked);
    let targets: Vec<BufferId> = cores.iter().map(|core| core.target.buffer).collect();
    let reads = |core: &Core| targets.contains(&core.left.buffer) || targets.contains(&core.right.buffer);
    (!cores.iter().any(reads)).then_some(cores)
}

struct Body<'a, 'n> {
    nest: &'a Nest<'n>,
    loops: [&'a For; 3],
}

impl Body<'_, '_> {
    fn position(&self, iter: IterId) -> Option<&For> {
        self.loops.into_iter().find(|each| each.iter == iter)
    }

    fn varies(&self, expr: &Expr) -> bool {
        self.nest.changes(expr) || self.loops.iter().any(|each| expr.mentions(each.iter))
    }

    /// The last value of an iterator of a loop that has iterations.
    fn last(&self, iter: IterId) -> Option<Expr> {
        let each = self.position(iter)?;
        let below = |hi: Expr| Expr::call(hi.ty, crate::ir::Func::SaturatingSub, vec![hi, Expr::usize(1)]);
        saturated(&each.hi, &|_| None).map(below)
    }

    /// What holds in every iteration if it holds in the last one.
    fn checked(&self, cond: &Expr) -> Option<Vec<Expr>> {
        in_the_end(&self.nest.outside(cond), &|iter| self.last(iter), &|expr| self.varies(expr))
    }

    fn core(&self, target: &Place, value: &Expr, origin: Origin) -> Option<Core> {
        if !value.ty.is_float() {
            return None;
        }
        let mut scale = Expr::float(value.ty, 1.0);
        let mut arrays: Vec<&Place> = Vec::new();
        let mut fixed: Vec<&Expr> = Vec::new();
        let mut negative = false;
        let mut parts = vec![value];
        while let Some(part) = parts.pop() {
            match &part.kind {
                ExprKind::Binary(BinOp::Mul, a, b) => parts.extend([&**b, &**a]),
                ExprKind::Unary(UnOp::Neg, operand) => {
                    negative = !negative;
                    parts.push(operand);
                }
                _ if !self.varies(part) => fixed.push(part),
                ExprKind::Load(place) => arrays.push(place),
                _ => return None,
            }
        }
        for factor in fixed {
            scale = if matches!(scale.kind, ExprKind::Float(one) if one == 1.0) {
                factor.clone()
            } else {
                Expr::binary(BinOp::Mul, scale, factor.clone())
            };
        }
        let scale = if negative { -scale } else { scale };
        let [one, other] = arrays[..] else { return None };
        let mut needs = Vec::new();
        let target = self.operand(target, &mut needs)?;
        let (one, other) = (self.operand(one, &mut needs)?, self.operand(other, &mut needs)?);
        if target.buffer == one.buffer || target.buffer == other.buffer {
            return None;
        }
        let along = |operand: &Operand| {
            [0, 1, 2].map(|at| operand.steps[at].iter().any(|step| step.kind != ExprKind::Int(0)))
        };
        let (of_target, of_one, of_other) = (along(&target), along(&one), along(&other));
        let roles = match of_target {
            [true, true, false] => [0, 1, 2],
            [true, false, true] => [0, 2, 1],
            [false, true, true] => [1, 2, 0],
            _ => return None,
        };
        // along rows and depth, along depth and columns
        let is =
            |along: [bool; 3], with: usize, without: usize| along[with] && along[roles[2]] && !along[without];
        let (left, right) = if is(of_one, roles[0], roles[1]) && is(of_other, roles[1], roles[0]) {
            (one, other)
        } else if is(of_other, roles[0], roles[1]) && is(of_one, roles[1], roles[0]) {
            (other, one)
        } else {
            return None;
        };
        let loops = self.loops.map(|each| (each.iter, each.lo.clone(), each.hi.clone()));
        Some(Core { roles, loops, scale, target, left, right, needs, origin })
    }

    /// An array that is indexed by steps along the loops.
    fn operand(&self, place: &Place, needs: &mut Vec<Expr>) -> Option<Operand> {
        let buffer = &self.nest.program[place.buffer];
        let depth = self.nest.depth(place.buffer).unwrap_or(0);
        if buffer.layout != Layout::RowMajor || depth + buffer.rank() == 0 {
            return None;
        }
        let varies = |expr: &Expr| self.varies(expr);
        let mut first: Vec<Expr> = vec![Expr::usize(0); depth];
        let mut steps = [0, 1, 2]
            .map(|at| (0..depth).map(|dim| Expr::usize(usize::from(dim == at))).collect::<Vec<Expr>>());
        for (dim, index) in place.index.iter().enumerate() {
            let index = self.nest.outside(index);
            if self.nest.changes(&index) {
                return None;
            }
            let lo = |iter: IterId| self.position(iter).map(|each| each.lo.clone());
            first.push(saturated(&index, &lo)?);
            for (each, steps) in self.loops.iter().zip(&mut steps) {
                steps.push(step(&index, each.iter, &varies)?);
            }
            let extent = match self.nest.depth(place.buffer) {
                Some(_) => saturated(&buffer.dims[dim], &|_| None)?,
                None => Expr::extent(place.buffer, dim),
            };
            needs.push(Expr::binary(BinOp::Lt, saturated(&index, &|iter| self.last(iter))?, extent));
        }
        Some(Operand { buffer: place.buffer, first, steps, depth })
    }
}
