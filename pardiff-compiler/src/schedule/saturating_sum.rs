//! Sums of products of sizes, saturating, with like terms together: what work costs, as short as it can be said.
//!
//! ```text
//! before                                          after
//!   d * 24 + 5 + d * (t * 27 + 1) + d * 10 + 1      d * (t * 27 + 35) + 6
//! ```
//!
//! *Legality.* A sum or a product that saturates is that of natural numbers, of which all from the greatest one on
//! are the same. This is a congruence: `n + m` and `n * m` are in the class of what is made of any members of the
//! classes of `n` and `m`. So every identity of sums and products of natural numbers holds, and among them that like
//! terms are added (`a * n + a * m = a * (n + m)`).

use super::cost::{saturating_add, saturating_mul};
use crate::ir::{Expr, ExprKind};

/// A number, and factors times sums; no two factors are equal.
#[derive(Default)]
pub(super) struct SaturatingSum {
    number: usize,
    terms: Vec<(Expr, SaturatingSum)>,
}

impl SaturatingSum {
    pub(super) fn number(number: usize) -> SaturatingSum {
        SaturatingSum { number, terms: Vec::new() }
    }

    /// Adds another sum.
    pub(super) fn add(&mut self, other: SaturatingSum) {
        self.number = self.number.saturating_add(other.number);
        for (factor, times) in other.terms {
            match self.terms.iter_mut().find(|(known, _)| *known == factor) {
                Some((_, known)) => known.add(times),
                None => self.terms.push((factor, times)),
            }
        }
    }

    /// So many times the sum.
    pub(super) fn times(mut self, factor: Expr) -> SaturatingSum {
        match factor.kind {
            ExprKind::Int(number) => {
                self.scale(usize::try_from(number).unwrap_or(usize::MAX));
                self
            }
            _ => SaturatingSum { number: 0, terms: vec![(factor, self)] },
        }
    }

    fn scale(&mut self, by: usize) {
        self.number = self.number.saturating_mul(by);
        if by == 0 {
            self.terms.clear();
        }
        self.terms.iter_mut().for_each(|(_, times)| times.scale(by));
    }

    /// The sum as an expression.
    pub(super) fn expr(self) -> Expr {
        let terms = self.terms.into_iter().map(|(factor, times)| saturating_mul(factor, times.expr()));
        let sum = terms.reduce(saturating_add).unwrap_or(Expr::usize(0));
        saturating_add(sum, Expr::usize(self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::SaturatingSum;
    use crate::ir::interp::{Array, no_paths, run};
    use crate::ir::{Expr, Place, Program, Ty, parse};

    /// `d * 24 + 5 + d * (t * 27 + 1) + 3 * d * 10`
    fn sum(program: &Program) -> SaturatingSum {
        let [d, t] = [0, 1].map(|at| Place::scalar(program.params[at]).load(Ty::USIZE));
        let mut inner = SaturatingSum::number(27).times(t);
        inner.add(SaturatingSum::number(1));
        let mut sum = SaturatingSum::number(24).times(d.clone());
        sum.add(SaturatingSum::number(5));
        sum.add(inner.times(d.clone()));
        sum.add(SaturatingSum::number(10).times(d).times(Expr::usize(3)));
        sum
    }

    fn program() -> Program {
        let mut program = parse("fn f(d: in usize, t: in usize, w: inout usize)\n  w = d\n").unwrap();
        let sum = sum(&program).expr();
        *program.body[0].exprs_mut().remove(0) = sum;
        program
    }

    #[test]
    fn like_terms_are_added() {
        let text = program().to_string();
        let sum = "saturating_add(saturating_mul(d, saturating_add(saturating_mul(t, 27), 55)), 5)";
        assert!(text.contains(&format!("w = {sum}\n")), "{text}");
    }

    #[test]
    fn the_value_is_the_same_also_where_it_saturates() {
        let program = program();
        let word = u64::MAX as i128;
        for (d, t) in [(0, 0), (3, 4), (0, word), (word, 0), (word / 24, 1), (word / 55, 0), (2, word / 27)] {
            let args: Vec<Array<f64>> = vec![Array::int(d), Array::int(t), Array::int(0)];
            let parts = [d * 24, d * (t.saturating_mul(27) + 1).min(word), d * 30];
            let expected = parts.into_iter().fold(5_i128, |sum, part| (sum + part.min(word)).min(word));
            assert_eq!(run(&program, args, &no_paths).unwrap().params[2], Array::int(expected), "{d} {t}");
        }
    }
}
