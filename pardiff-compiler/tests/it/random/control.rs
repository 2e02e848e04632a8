//! Control flow: blocks, loops over every form of range, branches.

use super::generate::Generator;
use super::program::{Expr, Kind, Range, Size, Stmt, Ty, Values};
use super::scope::{Facts, Variable};

impl Generator {
    /// A block of about `budget` statements; its names end with it unless the caller keeps them.
    pub fn block(&mut self, budget: usize, depth: u32) -> Vec<Stmt> {
        let mut out = Vec::new();
        for _ in 0..budget {
            self.statement(&mut out, depth);
        }
        out
    }

    /// A block with a scope of its own.
    pub fn inner_block(&mut self, budget: usize, depth: u32) -> Vec<Stmt> {
        let saved = self.scope.clone();
        let out = self.block(budget, depth);
        self.scope = saved;
        out
    }

    fn statement(&mut self, out: &mut Vec<Stmt>, depth: u32) {
        let stmt = match self.draw.below(if self.everything { 37 } else { 30 }) {
            0..=3 => Some(self.let_scalar()),
            4 => Some(self.let_tuple()),
            5..=10 => self.assign(),
            11 | 12 => Some(self.let_array()),
            13 | 14 => self.whole_array(),
            15..=18 if depth > 0 && self.nest < 3 => Some(self.loop_over(depth)),
            19 if depth > 0 => {
                let cond = self.condition(1);
                let then = self.inner_block(2, depth - 1);
                let els = if self.draw.chance(50) { self.inner_block(1, depth - 1) } else { vec![] };
                Some(Stmt::If { cond, then, els })
            }
            20 if depth > 0 => Some(self.match_statement(depth)),
            21 if self.in_loop => {
                let cond = self.condition(1);
                Some(Stmt::If { cond, then: vec![Stmt::Continue], els: vec![] })
            }
            22 => self.helper_statement(),
            23 if depth > 0 => Some(Stmt::Block(self.inner_block(2, depth - 1))),
            24 => {
                let value = self.usize_value(1);
                Some(Stmt::Assert(Expr::bin(">=", Expr::bin("+", value, Expr::usize(1)), Expr::usize(1))))
            }
            30..=32 if depth > 0 && self.nest < 3 => Some(self.each(depth)),
            33 if self.nest < 3 => Some(self.consumed()),
            34 if self.nest < 3 => Some(self.collected()),
            35 if depth > 0 && self.nest < 3 => Some(self.runtime_loop(depth)),
            36 if self.in_loop => {
                let cond = self.condition(1);
                Some(Stmt::If { cond, then: vec![Stmt::Break], els: vec![] })
            }
            36 => self.early_return(),
            _ if depth > 0 => {
                self.template(out, depth);
                None
            }
            _ => self.assign(),
        };
        out.extend(stmt);
    }

    /// `if cond { return value; }`, where the function returns a float.
    fn early_return(&mut self) -> Option<Stmt> {
        let ty = self.returns?;
        let (cond, value) = (self.condition(1), self.bounded(ty, 2, 8.0));
        Some(Stmt::If { cond, then: vec![Stmt::Return(value)], els: vec![] })
    }

    fn match_statement(&mut self, depth: u32) -> Stmt {
        let (on, _) = self.int(Ty::I32, 1);
        let on = on.method("rem_euclid", vec![Expr::int(Ty::I32, 4)]);
        let patterns: &[&str] = match self.draw.below(3) {
            0 => &["0", "1 | 3", "_"],
            1 => &["0..=2", "_"],
            _ => &["2", "_"],
        };
        let arms = patterns
            .iter()
            .map(|pattern| {
                let size = self.draw.below(3);
                (pattern.to_string(), self.inner_block(size, depth - 1))
            })
            .collect();
        Stmt::Match { on, arms }
    }

    fn loop_over(&mut self, depth: u32) -> Stmt {
        let (iter, range, variable) = self.range();
        let budget = 1 + self.draw.below(3);
        let body = self.body(variable, |this| this.block(budget, depth - 1));
        Stmt::For { iter, range, body }
    }

    /// The body of a loop over `variable`.
    pub fn body(&mut self, variable: Variable, fill: impl FnOnce(&mut Generator) -> Vec<Stmt>) -> Vec<Stmt> {
        let (saved, was_in_loop) = (self.scope.clone(), self.in_loop);
        self.scope.add_variable(variable);
        self.nest += 1;
        self.in_loop = true;
        let body = fill(self);
        self.nest -= 1;
        self.in_loop = was_in_loop;
        self.scope = saved;
        body
    }

    /// A range of a few iterations, and its iterator with what is known of it.
    pub fn range(&mut self) -> (String, Range, Variable) {
        let prefix = *self.draw.pick(&["i", "j", "k", "row"]);
        let iter = self.name(prefix);
        let size = {
            let sizes = self.sizes();
            self.draw.pick(&sizes).clone()
        };
        let below = |size: &Size| Facts { below: vec![size.clone()], ..Facts::default() };
        let one = Expr::usize(1);
        let zero = Expr::usize(0);
        let known: Vec<(Expr, Facts)> = self
            .scope
            .variables(Ty::Usize)
            .iter()
            .filter(|v| !v.facts.below.is_empty())
            .map(|v| (v.read(), v.facts.clone()))
            .collect();
        let mut inclusive = false;
        let (lo, hi, facts) = match self.draw.below(14) {
            0..=3 => (zero, size.expr(), below(&size)),
            4 => (one, size.expr(), Facts { positive: true, ..below(&size) }),
            5 => {
                let hi = Expr::bin("-", size.expr(), one);
                (zero, hi, Facts { next_below: vec![size.clone()], ..below(&size) })
            }
            6 => {
                let hi = Expr::bin("-", size.expr(), one.clone());
                (one, hi, Facts { next_below: vec![size.clone()], positive: true, ..below(&size) })
            }
            7 | 8 if !known.is_empty() => self.triangle(&known, &mut inclusive),
            9 if self.has_array("ptr") => {
                let at = self.index(&Size::named("n"), 0).unwrap_or(zero);
                let element = |at| Expr::new(Ty::Usize, Kind::Index("ptr".into(), vec![at]));
                (element(at.clone()), element(Expr::bin("+", at, one)), below(&Size::Len("col".into())))
            }
            10 if self.has_array("count") => {
                let at = self.index(&Size::named("n"), 1).unwrap_or(zero.clone());
                let hi = Expr::new(Ty::Usize, Kind::Index("count".into(), vec![at]));
                (zero, hi, below(&Size::named("n")))
            }
            11 if self.scope.has("steps") => {
                let facts = Facts::default();
                (zero, Expr::var(Ty::Usize, "steps"), facts)
            }
            12 => return self.signed_range(iter),
            _ => {
                inclusive = true;
                (zero, Expr::bin("-", size.expr(), one), below(&size))
            }
        };
        let rev = self.draw.chance(20);
        let step = self.draw.chance(15).then(|| Expr::usize(1 + self.draw.below(3)));
        // what `step_by` makes of an inclusive range cannot be reversed
        let rev_first = rev && step.is_some() && (inclusive || self.draw.chance(50));
        let range = Range { lo, hi, inclusive, rev, step, rev_first };
        let variable =
            Variable { name: iter.clone(), ty: Ty::Usize, mutable: false, reference: false, mag: 5.0, facts };
        (iter, range, variable)
    }

    fn triangle(&mut self, known: &[(Expr, Facts)], inclusive: &mut bool) -> (Expr, Expr, Facts) {
        let (outer, facts) = self.draw.pick(known).clone();
        let size = facts.below[0].clone();
        let (zero, one) = (Expr::usize(0), Expr::usize(1));
        let own = Facts { below: facts.below.clone(), ..Facts::default() };
        match self.draw.below(5) {
            0 => (zero, outer, Facts { next_below: facts.below.clone(), ..own }),
            1 => {
                *inclusive = true;
                (zero, outer, own)
            }
            2 => (outer, size.expr(), Facts { positive: facts.positive, ..own }),
            3 => (zero, Expr::bin("+", outer, one), own),
            _ => (Expr::bin("+", outer, one), size.expr(), Facts { positive: true, ..own }),
        }
    }

    fn signed_range(&mut self, iter: String) -> (String, Range, Variable) {
        let ty = if self.draw.chance(50) { Ty::I32 } else { Ty::I64 };
        let (lo, _) = (self.draw.between(-2, 1), 0);
        let hi = self.draw.between(0, 3);
        let range = Range {
            lo: Expr::new(ty, Kind::Cast(Box::new(Expr::int(ty, lo)))),
            hi: Expr::int(ty, hi),
            inclusive: self.draw.chance(50),
            rev: self.draw.chance(30),
            step: None,
            rev_first: false,
        };
        let facts = Facts::default();
        let variable = Variable { name: iter.clone(), ty, mutable: false, reference: false, mag: 5.0, facts };
        (iter, range, variable)
    }

    fn has_array(&self, name: &str) -> bool {
        self.scope.arrays().any(|a| a.name == name && !matches!(a.values, Values::Any))
    }
}
