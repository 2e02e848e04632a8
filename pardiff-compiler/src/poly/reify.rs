//! Integers of a loop's body as expressions of the loop's iterator, for evaluation in front of the loop.
//!
//! **Legality.** Such an expression reads nothing that the loop writes or declares: a local of the body stands for the
//! one value that the body gives it. So it has in front of the loop, for a value of the iterator, the value that it has
//! in that iteration. An array that is no parameter is read only if every iteration reads the same element, or every one
//! in which the conditions hold that the expression is asked for under, so that it was written before. Sums, differences and products wrap instead of panicking; where the body's would panic, there is
//! no value to agree with. That the indices of its loads lie inside the arrays is for the reader to check.

use super::access::Access;
use super::analysis::Analysis;
use super::structure::StmtId;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Func, IterId, Layout, Place, UnOp, written,
};
use crate::limits::EVALUATED_TWICE;
use crate::map::Map;

/// The body of a loop, of which integers are expressed.
pub(super) struct Outside<'a, 'p> {
    analysis: &'a Analysis<'p>,
    along: IterId,
    /// The loops around the loop.
    around: Vec<IterId>,
    changed: BufferSet,
    /// The conditions around each statement, outermost first, as far as they are those of `If`s that can be expressed;
    /// and whether these are all, inner loops apart.
    guards: Map<StmtId, (Vec<Expr>, bool)>,
    /// The one value of each scalar that the body declares and assigns once.
    definitions: Map<BufferId, Option<&'p Expr>>,
}

impl<'a, 'p> Outside<'a, 'p> {
    pub(super) fn new(analysis: &'a Analysis<'p>, each: &'p For) -> Option<Outside<'a, 'p>> {
        let around = analysis.loops(analysis.loop_of(each.iter)?.outer).to_vec();
        let mut changed = written(&each.body);
        let mut definitions: Map<BufferId, Option<&'p Expr>> = Map::default();
        crate::ir::walk(&each.body, &mut |stmt| {
            changed.extend(stmt.declares().iter().copied());
            if let Some((target, value)) = stmt.as_assign()
                && analysis.writes(target.buffer).count() == 1
            {
                definitions.insert(target.buffer, Some(value).filter(|_| target.index.is_empty()));
            }
        });
        let inside = |&buffer: &BufferId| analysis.loops(analysis.lifetime(buffer).nest).contains(&each.iter);
        definitions.retain(|buffer, _| inside(buffer));
        let guards = Map::default();
        let mut outside = Outside { analysis, along: each.iter, around, changed, guards, definitions };
        outside.guard(&each.body, &mut Vec::new(), true);
        Some(outside)
    }

    /// Records the conditions around the statements of a block.
    fn guard(&mut self, block: &'p Block, conds: &mut Vec<Expr>, complete: bool) {
        for stmt in block {
            if let Some(id) = self.analysis.stmt(stmt) {
                self.guards.insert(id, (conds.clone(), complete));
            }
            if let Some((cond, then, els)) = stmt.as_if() {
                let expressed = self.express(cond, conds).filter(|_| complete);
                for (arm, truth) in [(then, true), (els, false)] {
                    let cond = expressed.clone().map(|cond| if truth { cond } else { !cond });
                    let known = cond.is_some();
                    let depth = conds.len();
                    conds.extend(cond);
                    self.guard(arm, conds, known);
                    conds.truncate(depth);
                }
            } else {
                // once whenever what is around them is executed
                let complete = complete && (stmt.as_for().is_some() || stmt.as_scope().is_some());
                stmt.blocks().into_iter().for_each(|inner| self.guard(inner, conds, complete));
            }
        }
    }

    /// The conditions around all of the accesses, outermost first: those that can be evaluated in front of the loop.
    pub(super) fn common_guards(&self, accesses: &[&Access<'p>]) -> Vec<Expr> {
        let mut of = accesses.iter().map(|access| self.guards.get(&access.stmt).map(|(conds, _)| conds));
        let Some(mut common) = of.next().flatten().cloned() else { return Vec::new() };
        for conds in of {
            let same = common.iter().zip(conds.into_iter().flatten()).take_while(|(a, b)| a == b).count();
            common.truncate(same);
        }
        common
    }

    /// The iterator of the loop.
    pub(super) fn along(&self) -> IterId {
        self.along
    }

    /// The value that a local of the body is given.
    pub(super) fn definition(&self, place: &Place) -> Option<&'p Expr> {
        self.definitions.get(&place.buffer).copied().flatten()
    }

    /// The expression in front of the loop, if it depends on the iterator through elements of arrays; for iterations in
    /// which the conditions hold.
    pub(super) fn indirect(&self, expr: &'p Expr, conds: &[Expr]) -> Option<Expr> {
        self.express(expr, conds).filter(|expr| expr.mentions(self.along) && !elements_of(expr).is_empty())
    }

    /// The expression in front of the loop, of a node of the program itself; for iterations in which the conditions hold.
    pub(super) fn express(&self, expr: &'p Expr, conds: &[Expr]) -> Option<Expr> {
        let mut nodes = 0;
        let expr = self.node(expr, conds, &mut nodes)?;
        expr.is_total().then_some(expr)
    }

    fn node(&self, expr: &'p Expr, conds: &[Expr], nodes: &mut usize) -> Option<Expr> {
        *nodes += 1;
        if *nodes > EVALUATED_TWICE || expr.ty.is_float() {
            return None;
        }
        let wrapping = |func, parts: Vec<Expr>| Expr::call(expr.ty, func, parts);
        Some(match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Opaque(_) => expr.clone(),
            ExprKind::Iter(iter) => {
                (*iter == self.along || self.around.contains(iter)).then(|| expr.clone())?
            }
            ExprKind::Extent(buffer, _) => self.is_fixed(*buffer).then(|| expr.clone())?,
            ExprKind::Load(place) => match self.definition(place) {
                Some(value) => self.node(value, conds, nodes)?,
                None => self.load(expr, place, conds, nodes)?,
            },
            ExprKind::Cast(operand) => self.node(operand, conds, nodes)?.cast(expr.ty),
            ExprKind::Unary(UnOp::Neg, operand) => {
                wrapping(Func::WrappingNeg, vec![self.node(operand, conds, nodes)?])
            }
            ExprKind::Unary(op, operand) => Expr::unary(*op, self.node(operand, conds, nodes)?),
            ExprKind::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (self.node(lhs, conds, nodes)?, self.node(rhs, conds, nodes)?);
                match op {
                    BinOp::Add => wrapping(Func::WrappingAdd, vec![lhs, rhs]),
                    BinOp::Sub => wrapping(Func::WrappingSub, vec![lhs, rhs]),
                    BinOp::Mul => wrapping(Func::WrappingMul, vec![lhs, rhs]),
                    op => Expr::binary(*op, lhs, rhs),
                }
            }
            ExprKind::Call(func, flavour, args) => {
                let args = args.iter().map(|arg| self.node(arg, conds, nodes)).collect::<Option<_>>()?;
                Expr { ty: expr.ty, kind: ExprKind::Call(*func, *flavour, args) }
            }
            ExprKind::Float(_) | ExprKind::Select(_) | ExprKind::Apply(..) => return None,
        })
    }

    fn load(&self, expr: &'p Expr, place: &'p Place, conds: &[Expr], nodes: &mut usize) -> Option<Expr> {
        let given = self.analysis.program.params.contains(&place.buffer);
        let elements = place.index.is_empty() || given || self.is_always_read(place, conds);
        if !self.is_fixed(place.buffer) || !elements {
            return None;
        }
        let index = place.index.iter().map(|index| self.node(index, conds, nodes)).collect::<Option<_>>()?;
        Some(Place::new(place.buffer, index).load(expr.ty))
    }

    /// Whether a buffer lives around the loop, does not change in it and has the extents that it says.
    pub(super) fn is_fixed(&self, buffer: BufferId) -> bool {
        let of = &self.analysis.program[buffer];
        let outside = !self.analysis.loops(self.analysis.lifetime(buffer).nest).contains(&self.along);
        let plain = matches!(of.layout, Layout::RowMajor | Layout::Padded(_));
        outside && plain && !self.changed.contains(buffer)
    }

    /// Whether every iteration in which the conditions hold reads the element, in no inner loop.
    fn is_always_read(&self, place: &Place, conds: &[Expr]) -> bool {
        let Some(id) = self.analysis.at(place) else { return false };
        let access = self.analysis.access(id);
        let guards = self.guards.get(&access.stmt);
        self.analysis.loops(access.nest).last() == Some(&self.along)
            && guards.is_some_and(|(guards, complete)| *complete && conds.starts_with(guards))
    }
}

/// The elements of arrays that an expression reads, those in indices first.
pub fn elements_of(expr: &Expr) -> Vec<&Place> {
    let mut found = Vec::new();
    expr.walk(&mut |expr| {
        if let ExprKind::Load(place) = &expr.kind
            && !place.index.is_empty()
        {
            found.push(place);
        }
    });
    found.reverse();
    found
}
