//! Sums of iterators and sizes in signed integers become sums of `usize`s.
//!
//! ```text
//! before                                           after
//!   for y in 0..h                                    for y in 0..h
//!     for d in 0..3                                    for d in 0..3
//!       r = y as i64 + d as i64 - 1
//!       if (r >= 0) & (r < h as i64)                     if (1 <= y + d) & (y + d < h + 1)
//!         s += w[d] * x[r as usize]                        s += w[d] * x[wrapping_sub(wrapping_add(y, d), 1)]
//!       s += x[clamp(r, 0, h as i64 - 1) as usize]       s += x[min(saturating_sub(y + d, 1), h - 1)]
//! ```
//!
//! So conditions say of an element whether there is one, and indices are forms, as if the source had been written without
//! casts.
//!
//! *Legality.* What is cast is an iterator, or the bound of a loop around, which has an iteration then, so that the bound is
//! not zero. A loop that comes to its end has far fewer iterations than a word has values: in 64 bits casts keep the
//! number, and sums of a few of them do not wrap. For fewer bits that is checked, in front of the outermost loop around that
//! has no condition between the two: a loop that is too long for them panics, and so do loops in each other whose sizes are
//! multiplied. A comparison of two sums is one of what is
//! added on either side and taken away on the other. A sum as an index is the same modulo two to the width of a word; where
//! it is kept from being negative, its saturating difference is the same.

mod sum;

use super::assume_extents_fit::{Limit, in_front_of_loops, size_of_bound};
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Func, Int, IterId, Program, Role, Ty, UnOp,
    written,
};
use crate::limits::{SUMMED_IN_FEW_BITS, SUMMED_TERMS};
use crate::map::Map;
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
        limits: Vec::new(),
    };
    sums.block(&mut body);
    let limits = sums.limits;
    program.body = match limits.is_empty() {
        true => body,
        false => in_front_of_loops(body, &|_| limits.clone()),
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
    /// What is asked of sizes whose numbers are cast to few bits.
    limits: Vec<Limit>,
}

impl Sums<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            stmt.exprs_mut().into_iter().for_each(|expr| self.rewritten(expr));
            if let Some((target, value)) = stmt.as_scalar_assign() {
                let sum = if is_signed(value) { self.sum(value) } else { None };
                self.known.remove(&target);
                self.known.extend(sum.map(|sum| (target, sum)));
                continue;
            }
            let changed = written(std::slice::from_ref(stmt));
            self.known.retain(|scalar, _| !changed.contains(*scalar));
            if let Some(each) = stmt.as_for() {
                self.loops.insert(each.iter, self.bound(each, &changed));
            }
            for inner in stmt.blocks_mut() {
                let known = self.known.clone();
                self.block(inner);
                self.known = known;
            }
            if let Some(iter) = stmt.iter() {
                self.loops.remove(&iter);
            }
        }
    }

    /// The bound of a loop in `usize`, if nothing in the loop changes it.
    fn bound(&self, each: &For, changed: &BufferSet) -> Option<Expr> {
        let is_fixed = !each.inclusive && !each.hi.reads_any(self.program, changed);
        (is_fixed && each.hi.ty == Ty::USIZE).then(|| size_of_bound(&each.hi).clone())
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
        Some(sum.difference())
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
            ExprKind::Binary(BinOp::Mul, a, b) => Some(self.sum(a)?.times(self.sum(b)?)),
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
        let (bound, is_below) = (bound.bound.clone(), sum.number == -1);
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
            _ if !sum.minus.is_empty() || sum.number < 0 => None,
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
        if int.bits() < 32 || sum.plus.len() + sum.minus.len() > SUMMED_IN_FEW_BITS {
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
            if self.limits.iter().all(|limit| limit.cond != cond) {
                let text = "a loop is too long for `i32`, in which its iterator is computed with".to_owned();
                self.limits.push(Limit { sizes: term.sizes(), cond, text });
            }
        }
        Some(())
    }
}

/// Numbers further from zero are no offsets.
const FAR: u128 = 1 << 16;

fn is_signed(expr: &Expr) -> bool {
    matches!(expr.ty, Ty::Int(int) if int.is_signed())
}

/// The scalars that are assigned once, a length of a parameter or another parameter.
fn lengths(program: &Program, body: &Block) -> Map<BufferId, Expr> {
    let mut found: Map<BufferId, Option<Expr>> = Map::default();
    crate::ir::walk(body, &mut |stmt| match stmt.as_scalar_assign() {
        Some((scalar, value)) => {
            let first = !found.contains_key(&scalar);
            let is_length = matches!(value.kind, ExprKind::Extent(..) | ExprKind::Load(_));
            found.insert(scalar, (first && is_length && is_given(program, value)).then(|| value.clone()));
        }
        None => stmt.writes_itself(&mut |buffer| _ = found.insert(buffer, None)),
    });
    found.into_iter().filter_map(|(scalar, length)| Some((scalar, length?))).collect()
}

/// Whether a size is known when the function begins: made of parameters and their lengths.
fn is_given(program: &Program, size: &Expr) -> bool {
    size.all(&mut |node| match &node.kind {
        ExprKind::Load(place) => program[place.buffer].role == Role::Input && place.index.is_empty(),
        ExprKind::Extent(buffer, _) => matches!(program[*buffer].role, Role::Input | Role::InOut),
        ExprKind::Iter(_) => false,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::rewrite;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    fn of(body: &str) -> String {
        format!("fn f(x: in f64[_], n: in usize, m: in i32) -> total: f64\n  total = 0.0\n{body}")
    }

    fn runs() -> Vec<Vec<Array<f64>>> {
        let x = Array::floats(&[1.0, -2.0, 3.0, 0.5, 4.0]);
        [0, 1, 2, 5].map(|n| vec![x.clone(), Array::int(n), Array::int(n)]).into()
    }

    #[test]
    fn conditions_and_indices_are_of_one_type() {
        let nest = |row: &str, cond: &str, index: &str| {
            of(&format!(
                "  for i in 0..n
    for d in 0..3
      scope r: i64
        r = {row}
        if {cond}
          total += x[{index}]
"
            ))
        };
        let row = "i as i64 + (d as i64 - 1)";
        assert_pass(
            rewrite,
            &nest(row, "(r >= 0) & (r < n as i64)", "r as usize"),
            &nest(row, "(i + d >= 1) & (i + d < n + 1)", "wrapping_sub(wrapping_add(i, d), 1)"),
            runs(),
        );
        assert_pass(
            rewrite,
            &nest(row, "(r < 0) | (n as i64 - 1 < r)", "0"),
            &nest(row, "(i + d < 1) | (n < i + d)", "0"),
            runs(),
        );
    }

    #[test]
    fn limits_are_those_of_sizes() {
        for (before, after) in [
            ("int::clamp(i as isize - 2, 0, n as isize - 1)", "saturating_sub(i, 2)"),
            ("int::clamp(i as isize + 2, 0, n as isize - 1)", "int::min(i + 2, n - 1)"),
            ("int::clamp(i as isize, 0, n as isize - 1)", "i"),
            ("int::max(i as isize - 2, 0)", "saturating_sub(i, 2)"),
            ("int::min(i as isize + 2, n as isize - 1)", "int::min(i + 2, n - 1)"),
            ("int::min(n as isize - 1, i as isize + 2)", "int::min(i + 2, n - 1)"),
            ("int::min(int::max(i as i64 - 2, 0), n as i64 - 1)", "saturating_sub(i, 2)"),
            ("int::max(int::min(i as i64 - 2, n as i64 - 1), 0)", "saturating_sub(i, 2)"),
            ("(i as isize + 1) * 2", "i * 2 + 2"),
            ("int::clamp(i as isize, 1, n as isize)", "int::clamp(i, 1, n)"),
        ] {
            let nest = |index: &str| of(&format!("  for i in 0..n\n    total += x[{index}]\n"));
            let enough = runs().into_iter().filter(|args| args[1] != Array::int(5)).collect();
            assert_pass(rewrite, &nest(&format!("({before}) as usize")), &nest(after), enough);
        }
    }

    #[test]
    fn fewer_bits_are_checked() {
        let text = |check: &str, bound: &str, cond: &str, index: &str| {
            of(&format!(
                "{check}  for i in 0..{bound}
    if {cond}
      total += x[{index}]
"
            ))
        };
        let message = "\"a loop is too long for `i32`, in which its iterator is computed with\"";
        let check = format!("  check n < 536870911 {message}\n");
        assert_pass(
            rewrite,
            &text("", "n", "i as i32 - 1 >= 0", "(i as i32 - 1) as usize"),
            &text(&check, "n", "i >= 1", "wrapping_sub(i, 1)"),
            runs(),
        );
        let bound = "int::max(m, 0) as usize";
        let check = format!("  check {bound} < 536870911 {message}\n");
        assert_pass(
            rewrite,
            &text("", bound, "i as i32 + 1 < m", "(i as i32 + 1) as usize"),
            &text(&check, bound, &format!("i + 1 < {bound}"), "i + 1"),
            runs(),
        );
    }

    #[test]
    fn other_numbers_stay() {
        for body in [
            // of a size that is no bound of a loop around, of 16 bits, of a number that the loop changes, of an element
            "  for i in 0..n\n    if i as i64 + 1 < len(x) as i64\n      total += 1.0\n",
            "  for i in 0..n\n    if i as i16 - 1 >= 0\n      total += 1.0\n",
            "  scope k: i64\n    k = 0\n    for i in 0..n\n      if i as i64 + k < n as i64\n        k = k + 1\n",
            "  for i in 0..n\n    total += x[(x[i] as i64) as usize]\n",
            // an iterator may be zero
            "  for i in 0..n\n    total += x[(int::min(i as i64 + 2, i as i64 - 1)) as usize]\n",
        ] {
            assert_unchanged(rewrite, &of(body));
        }
    }
}
