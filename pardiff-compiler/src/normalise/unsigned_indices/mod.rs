//! Sums of iterators and sizes in signed integers become sums of `usize`s.
//!
//! ```text
//! before                                           after
//!   for y in 0..h                                    for y in 0..h
//!     for d in 0..3                                    for d in 0..3
//!       r = y as i64 + d as i64 - 1
//!       if (r >= 0) & (r < h as i64)                     if (1 <= y + d) & (y + d < h + 1)
//!         s += w[d] * x[r as usize]                        s += w[d] * x[y + d - 1]
//!       s += x[clamp(r, 0, h as i64 - 1) as usize]       s += x[min(saturating_sub(y + d, 1), h - 1)]
//! ```
//!
//! So conditions say of an element whether there is one, and indices are forms, as if the source had been written
//! without casts.
//!
//! *Legality.* What is cast is an iterator, or the bound of an enclosing loop, which has an iteration then: so the
//! bound is not zero. A loop that comes to its end has far fewer iterations than a word has values. So in 64 bits casts
//! keep the number, and sums of a few of them do not wrap. In 32 bits the program checks that sizes and their products
//! fit, before the outermost loop that encloses the cast and runs it under no condition; it panics if they do not. A
//! comparison of two sums is one of what is added on either side and taken away on the other. A sum as an index is the
//! same modulo two to the width of a word. If a condition says that it is not negative, it is the number itself; if it
//! is kept from being negative, it is the saturating difference.

mod lengths;
mod sum;

use super::assume_extents_fit::{Limit, in_front_of_loops, size_of_bound};
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Func, Int, IterId, Program, Role, Stmt, StmtKind,
    Ty, UnOp, written,
};
use crate::limits::{SUMMED_IN_FEW_BITS, SUMMED_TERMS};
use crate::map::Map;
use lengths::{is_given, lengths};
use sum::{Sum, Term};

/// Rewrites the sums of a program.
pub fn rewrite(mut program: Program) -> Program {
    let mut body = std::mem::take(&mut program.body);
    let mut sums = Sums {
        program: &program,
        written: written(&body),
        lengths: lengths(&program, &body),
        loops: Map::default(),
        known: Map::default(),
        assigned: Vec::new(),
        not_negative: Vec::new(),
        limits: Vec::new(),
        innermost: None,
    };
    sums.block(&mut body);
    sums.remove_unread(&mut body);
    let limits = sums.limits;
    program.body = match limits.is_empty() {
        true => body,
        false => in_front_of_loops(body, &|stmt| {
            let asks = |within: IterId| stmt.any(&mut |inner| inner.iter() == Some(within));
            limits
                .iter()
                .filter(|(_, within)| within.iter().any(|&it| asks(it)))
                .map(|(it, _)| it.clone())
                .collect()
        }),
    };
    program
}

struct Sums<'p> {
    program: &'p Program,
    /// What the program writes.
    written: BufferSet,
    /// The names of lengths.
    lengths: Map<BufferId, Expr>,
    /// The bounds of the loops around, where they do not change.
    loops: Map<IterId, Option<Expr>>,
    /// The values of signed scalars.
    known: Map<BufferId, Sum>,
    /// The sums that scalars are assigned.
    assigned: Vec<(BufferId, Sum)>,
    /// Sums that conditions around say are not negative.
    not_negative: Vec<Sum>,
    /// What is asked of sizes whose numbers are cast to few bits, and in which loops.
    limits: Vec<(Limit, Vec<IterId>)>,
    /// The innermost loop around.
    innermost: Option<IterId>,
}

impl Sums<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            let changed = written(std::slice::from_ref(stmt));
            // what its body changes, a `while` asks for in each iteration
            if stmt.as_while().is_some() {
                self.known.retain(|scalar, _| !changed.contains(*scalar));
            }
            let mut conditions =
                stmt.as_if().map(|(cond, ..)| [true, false].map(|holds| self.said(cond, holds)));
            stmt.exprs_mut().into_iter().for_each(|expr| self.rewritten(expr));
            if conditions.as_ref().is_some_and(|said| said.iter().any(|sums| !sums.is_empty())) {
                nest(stmt);
            }
            if let Some((target, value)) = stmt.as_scalar_assign() {
                let sum = if is_signed(value) { self.sum(value) } else { None };
                self.assigned.extend(sum.clone().map(|sum| (target, sum)));
                self.known.remove(&target);
                self.known.extend(sum.map(|sum| (target, sum)));
                continue;
            }
            self.known.retain(|scalar, _| !changed.contains(*scalar));
            if let Some(each) = stmt.as_for() {
                self.loops.insert(each.iter, self.bound(each, &changed));
            }
            let around = self.innermost;
            self.innermost = stmt.iter().or(around);
            let says = conditions.take().unwrap_or_default().into_iter();
            for (inner, not_negative) in
                stmt.blocks_mut().into_iter().zip(says.chain(std::iter::repeat(Vec::new())))
            {
                let (known, count) = (self.known.clone(), self.not_negative.len());
                self.not_negative.extend(not_negative);
                self.block(inner);
                self.known = known;
                self.not_negative.truncate(count);
            }
            self.innermost = around;
            if let Some(iter) = stmt.iter() {
                self.loops.remove(&iter);
            }
        }
    }

    /// Removes the sums that nothing reads any more, the only values of their scalars, that are known not to overflow.
    fn remove_unread(&mut self, body: &mut Block) {
        let (mut kept, mut once) = (BufferSet::new(), BufferSet::new());
        crate::ir::walk(body, &mut |stmt| {
            stmt.exprs()
                .into_iter()
                .for_each(|expr| expr.each_load(&mut |place| _ = kept.insert(place.buffer)));
            stmt.writes_itself(&mut |buffer| {
                if !once.insert(buffer) {
                    kept.insert(buffer);
                }
            });
        });
        let mut unread = BufferSet::new();
        for (scalar, sum) in std::mem::take(&mut self.assigned) {
            // outside of loops nothing more is asked
            let fits = self.fits(&sum, self.program[scalar].elem).is_some();
            if fits && !kept.contains(scalar) && self.program[scalar].role == Role::Local {
                unread.insert(scalar);
            }
        }
        retain(body, &unread);
    }

    /// The bound of a loop in `usize`, if nothing in the loop changes it.
    fn bound(&self, each: &For, changed: &BufferSet) -> Option<Expr> {
        let is_fixed = !each.inclusive && !each.hi.reads_any(self.program, changed);
        (is_fixed && each.hi.ty == Ty::USIZE).then(|| size_of_bound(&each.hi).clone())
    }

    /// The sums that are not negative where a condition holds, or where it does not.
    fn said(&mut self, cond: &Expr, holds: bool) -> Vec<Sum> {
        let (op, a, b) = match &cond.kind {
            ExprKind::Unary(UnOp::Not, cond) => return self.said(cond, !holds),
            ExprKind::Binary(op @ (BinOp::BitAnd | BinOp::BitOr), a, b)
                if (*op == BinOp::BitAnd) == holds =>
            {
                return [self.said(a, holds), self.said(b, holds)].concat();
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() && is_signed(a) => (*op, a, b),
            _ => return Vec::new(),
        };
        let ty = a.ty;
        let (Some(a), Some(b)) = (self.sum(a), self.sum(b)) else { return Vec::new() };
        if self.fits(&a.clone().minus(b.clone()), ty).is_none() {
            return Vec::new();
        }
        let by = |less: i128, a: Sum, b: Sum| vec![a.minus(b).minus(Sum::number(less))];
        let found = match (op, holds) {
            (BinOp::Ge, true) | (BinOp::Lt, false) => by(0, a, b),
            (BinOp::Gt, true) | (BinOp::Le, false) => by(1, a, b),
            (BinOp::Le, true) | (BinOp::Gt, false) => by(0, b, a),
            (BinOp::Lt, true) | (BinOp::Ge, false) => by(1, b, a),
            _ => Vec::new(),
        };
        found.into_iter().filter(|sum| !sum.has_products()).collect()
    }

    /// Whether a sum is known not to be negative.
    fn is_natural(&self, sum: &Sum) -> bool {
        sum.has_no_minus()
            || self.not_negative.iter().any(|known| sum.clone().minus(known.clone()).has_no_minus())
    }

    fn rewritten(&mut self, expr: &mut Expr) {
        expr.change(&mut |node| {
            let made = match &node.kind {
                ExprKind::Cast(of) if node.ty == Ty::USIZE && is_signed(of) => self.index(of),
                ExprKind::Binary(op, a, b) if op.is_comparison() && is_signed(a) => self.compared(*op, a, b),
                _ => None,
            };
            made.into_iter().for_each(|made| *node = made);
        });
    }

    /// What a signed value is as a `usize`.
    fn index(&mut self, of: &Expr) -> Option<Expr> {
        let sum = self.sum(of)?;
        self.fits(&sum, of.ty)?;
        let is_natural = self.is_natural(&sum);
        let difference = sum.plain();
        Some(if is_natural { difference } else { difference.wrapping(Ty::is_usize) })
    }

    /// A comparison of two sums, of numbers that are no products, whose sides may be greater than words.
    fn compared(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Option<Expr> {
        let apart = self.sum(a)?.minus(self.sum(b)?);
        let constant = apart.plus.is_empty() && apart.minus.is_empty();
        if constant || apart.has_products() {
            return None;
        }
        self.fits(&apart, a.ty)?;
        let [a, b] = apart.sides().map(|side| side.unwrap_or(Expr::usize(0)));
        Some(Expr::binary(op, a, b))
    }

    /// A signed value as a sum of numbers that are `usize`s.
    fn sum(&mut self, expr: &Expr) -> Option<Sum> {
        let sum = match &expr.kind {
            ExprKind::Int(number) => (number.unsigned_abs() <= FAR).then(|| Sum::number(*number)),
            ExprKind::Load(place) if place.index.is_empty() => {
                let known = self.known.get(&place.buffer).cloned();
                known.or_else(|| self.size(expr).map(Sum::of))
            }
            ExprKind::Unary(UnOp::Neg, operand) => Some(Sum::default().minus(self.sum(operand)?)),
            ExprKind::Binary(BinOp::Add, a, b) => Some(self.sum(a)?.plus(self.sum(b)?)),
            ExprKind::Binary(BinOp::Sub, a, b) => Some(self.sum(a)?.minus(self.sum(b)?)),
            ExprKind::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.sum(a)?, self.sum(b)?);
                let are_natural = self.is_natural(&a) && self.is_natural(&b);
                Some(a.times(b, are_natural))
            }
            ExprKind::Cast(of) if of.ty == Ty::USIZE => {
                self.natural(of).or_else(|| self.size(expr).map(Sum::of))
            }
            ExprKind::Call(..) => self.limited(expr).map(Sum::of),
            _ => None,
        };
        sum.filter(|sum| sum.plus.len() + sum.minus.len() <= SUMMED_TERMS)
    }

    /// A `usize` that a cast keeps.
    fn natural(&self, of: &Expr) -> Option<Sum> {
        let term = |bound, is_below| Sum::of(Term { bound, is_below, ..Term::of(of.clone()) });
        match &of.kind {
            ExprKind::Iter(iter) => Some(term(self.loops.get(iter)?.clone(), true)),
            ExprKind::Int(number) => (number.unsigned_abs() <= FAR).then(|| Sum::number(*number)),
            ExprKind::Binary(BinOp::Add, a, b) => Some(self.natural(a)?.plus(self.natural(b)?)),
            // a bound of a loop around is not zero
            ExprKind::Binary(BinOp::Sub, a, b) if **b == Expr::usize(1) && self.is_bound(a) => {
                Some(self.natural(a)?.minus(Sum::number(1)))
            }
            _ => self.is_bound(of).then(|| term(Some(of.clone()), false)),
        }
    }

    /// A signed size whose loop counts in `usize`.
    fn size(&self, size: &Expr) -> Option<Term> {
        let bound = Expr::call(size.ty, Func::IntMax, vec![size.clone(), Expr::int(size.ty, 0)]);
        let bound = bound.cast(Ty::USIZE);
        let term = Term { bound: Some(bound.clone()), ..Term::of(bound) };
        self.is_bound(&term.value).then_some(term)
    }

    fn is_bound(&self, size: &Expr) -> bool {
        self.loops.values().flatten().any(|bound| bound == size)
    }

    /// A value that is kept from being negative.
    fn limited(&mut self, of: &Expr) -> Option<Term> {
        let ExprKind::Call(func, _, args) = &of.kind else { return self.not_negative(of) };
        match (func, &args[..]) {
            (Func::IntClamp, [of, least, most]) => {
                let (of, most) = (self.saturating(of)?, self.last(most)?);
                match least.kind {
                    ExprKind::Int(0) => Some(most.at_most(of)),
                    ExprKind::Int(1..) => {
                        let args = vec![of.value, self.not_negative(least)?.value, most.value.clone()];
                        Some(Term { value: Expr::call(Ty::USIZE, Func::IntClamp, args), ..most })
                    }
                    _ => None,
                }
            }
            (Func::IntMax, [of, zero] | [zero, of]) if zero.kind == ExprKind::Int(0) => {
                let ExprKind::Call(Func::IntMin, _, args) = &of.kind else { return self.saturating(of) };
                let (of, most) = self.of_and_most(args)?;
                Some(most.at_most(self.saturating(of)?))
            }
            (Func::IntMin, args) => {
                let (of, most) = self.of_and_most(args)?;
                Some(most.at_most(self.limited(of)?))
            }
            _ => None,
        }
    }

    /// What is kept below the last number of a loop.
    fn of_and_most<'e>(&mut self, args: &'e [Expr]) -> Option<(&'e Expr, Term)> {
        let [a, b] = args else { return None };
        self.last(b).map(|most| (a, most)).or_else(|| Some((b, self.last(a)?)))
    }

    /// The last number below the bound of a loop, or one that is greater.
    fn last(&mut self, expr: &Expr) -> Option<Term> {
        let sum = self.sum(expr)?;
        let [bound] = &sum.plus[..] else { return None };
        if !self.is_bound(&bound.value) || !sum.minus.is_empty() || sum.number < -1 {
            return None;
        }
        self.fits(&sum, expr.ty)?;
        // what is above the bound may be far above it
        let (bound, is_below) = (bound.bound.clone().filter(|_| sum.number <= 0), sum.number == -1);
        Some(Term { bound, is_below, ..Term::of(sum.plain()) })
    }

    /// The difference of a sum, or zero where it is negative.
    fn saturating(&mut self, expr: &Expr) -> Option<Term> {
        let sum = self.sum(expr).filter(|sum| !sum.has_products())?;
        self.fits(&sum, expr.ty)?;
        let (bound, is_below) = match &sum.plus[..] {
            [only] if sum.number <= 0 => (only.bound.clone(), only.is_below),
            _ => (None, false),
        };
        let [plus, minus] = sum.sides();
        let plus = plus.unwrap_or(Expr::usize(0));
        let difference = |a, b| Expr::call(Ty::USIZE, Func::SaturatingSub, vec![a, b]);
        Some(Term { bound, is_below, ..Term::of(minus.into_iter().fold(plus, difference)) })
    }

    /// A sum of which nothing is taken away.
    fn not_negative(&mut self, expr: &Expr) -> Option<Term> {
        let sum = self.sum(expr).filter(|sum| !sum.has_products())?;
        self.fits(&sum, expr.ty)?;
        match &sum.plus[..] {
            _ if !sum.has_no_minus() => None,
            [only] if sum.number == 0 => Some(only.clone()),
            _ => Some(Term::of(sum.plain())),
        }
    }

    /// Asks that the terms of a sum fit into a type, with room for a few of them.
    fn fits(&mut self, sum: &Sum, ty: Ty) -> Option<()> {
        let Ty::Int(int) = ty else { return None };
        if int.bits() >= 64 || matches!(int, Int::Isize) {
            return Some(());
        }
        let terms = sum.plus.len() + sum.minus.len();
        if int.bits() < 32 || terms > SUMMED_IN_FEW_BITS || sum.number.unsigned_abs() > FAR {
            return None;
        }
        let greatest = int.max()? / (SUMMED_IN_FEW_BITS as i128 + 1);
        for term in sum.plus.iter().chain(&sum.minus) {
            let bound = term.bound.as_ref()?;
            if let ExprKind::Int(number) = bound.kind {
                (number < greatest).then_some(())?;
                continue;
            }
            let size = bound.map(&mut |node| match &node.kind {
                ExprKind::Load(place) => self.lengths.get(&place.buffer).cloned().unwrap_or(node),
                _ => node,
            });
            if size.reads_any(self.program, &self.written) || !is_given(self.program, &size) {
                return None;
            }
            let cond = size.below(Expr::int(Ty::USIZE, greatest));
            let within = self.innermost;
            match self.limits.iter_mut().find(|(limit, _)| limit.cond == cond) {
                Some((_, all)) => all.extend(within),
                None => {
                    let text =
                        "a loop whose iterator is cast to `i32` has too many iterations for that".to_owned();
                    self.limits.push((Limit { sizes: term.sizes(), cond, text }, vec![within?]));
                }
            }
        }
        Some(())
    }
}

/// A condition of several parts as conditions in each other, as those are of which a part may panic.
fn nest(stmt: &mut Stmt) {
    if let StmtKind::If { cond, then, els } = &mut stmt.kind
        && els.is_empty()
        && let ExprKind::Binary(BinOp::BitAnd, a, b) = &cond.kind
    {
        let then = std::mem::take(then);
        let mut inner = Stmt::new(StmtKind::If { cond: (**b).clone(), then, els: Block::new() }, stmt.origin);
        nest(&mut inner);
        *stmt = Stmt::new(
            StmtKind::If { cond: (**a).clone(), then: vec![inner], els: Block::new() },
            stmt.origin,
        );
        nest(stmt);
    }
}

/// Leaves out what is assigned to some scalars.
fn retain(block: &mut Block, unread: &BufferSet) {
    block.retain(|stmt| stmt.as_scalar_assign().is_none_or(|(scalar, _)| !unread.contains(scalar)));
    block.iter_mut().flat_map(|stmt| stmt.blocks_mut()).for_each(|inner| retain(inner, unread));
}

/// Numbers further from zero are no offsets.
const FAR: u128 = 1 << 16;

fn is_signed(expr: &Expr) -> bool {
    matches!(expr.ty, Ty::Int(int) if int.is_signed())
}

#[cfg(test)]
mod tests;
