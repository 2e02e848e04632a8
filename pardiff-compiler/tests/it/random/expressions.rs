//! Expressions: floats with arguments kept in the domain of each function, indices that are in range, integers
//! that do not overflow, conditions.

use super::generate::Generator;
use super::program::{Expr, Kind, Size, Stmt, Ty, Values};

/// An expression with the magnitude that is expected of it.
pub type Estimate = (Expr, f64);

impl Generator {
    /// A float expression.
    pub fn float(&mut self, ty: Ty, depth: u32) -> Estimate {
        if depth == 0 || self.draw.chance(15) {
            return self.float_leaf(ty);
        }
        if self.style.exact {
            return self.polynomial(ty, depth);
        }
        match self.draw.below(24) {
            0..=4 => self.sum(ty, depth),
            5..=8 => {
                let ((a, ma), (b, mb)) = (self.float(ty, depth - 1), self.float(ty, depth - 1));
                (Expr::bin("*", a, b), ma * mb)
            }
            9 => {
                let ((a, ma), (b, _)) = (self.float(ty, depth - 1), self.float(ty, depth - 1));
                (Expr::bin("/", a, positive(b, ty)), ma)
            }
            10 => {
                let (a, ma) = self.float(ty, depth - 1);
                (a.neg(), ma)
            }
            11..=16 => self.function(ty, depth),
            17 => self.kink(ty, depth),
            18 => {
                let cond = self.condition(1);
                let ((a, ma), (b, mb)) = (self.float(ty, depth - 1), self.float(ty, depth - 1));
                (Expr::if_else(cond, a, b), ma.max(mb))
            }
            19 => self.float_match(ty, depth),
            20 => self.float_block(ty, depth),
            21 => self.helper_call(ty, depth).unwrap_or_else(|| self.sum_of_leaves(ty)),
            22 if self.style.mixed => {
                let other = if ty == Ty::F64 { Ty::F32 } else { Ty::F64 };
                let (a, ma) = self.float(other, depth - 1);
                (a.cast(ty), ma)
            }
            _ => self.sum_of_leaves(ty),
        }
    }

    /// A float expression of magnitude at most `mag`.
    pub fn bounded(&mut self, ty: Ty, depth: u32, mag: f64) -> Expr {
        let (value, size) = self.float(ty, depth);
        if size <= mag || self.style.exact { value } else { self.squash(value, ty, mag) }
    }

    fn squash(&mut self, value: Expr, ty: Ty, mag: f64) -> Expr {
        let unit = match self.draw.below(4) {
            0 => value.method("sin", vec![]),
            1 => value.method("tanh", vec![]),
            2 => value.method("cos", vec![]),
            _ => value.method("atan", vec![]),
        };
        if mag < 1.6 { Expr::bin("*", unit, Expr::float(ty, 0.5)) } else { unit }
    }

    fn polynomial(&mut self, ty: Ty, depth: u32) -> Estimate {
        match self.draw.below(6) {
            0..=2 => self.sum(ty, depth),
            3 | 4 => {
                let ((a, _), (b, _)) = (self.float(ty, depth - 1), self.float(ty, depth - 1));
                (Expr::bin("*", a, b), 1.0)
            }
            _ => {
                let (a, _) = self.float(ty, depth - 1);
                (a.neg(), 1.0)
            }
        }
    }

    fn sum(&mut self, ty: Ty, depth: u32) -> Estimate {
        let op = if self.draw.chance(60) { "+" } else { "-" };
        let ((a, ma), (b, mb)) = (self.float(ty, depth - 1), self.float(ty, depth - 1));
        (Expr::bin(op, a, b), ma + mb)
    }

    fn sum_of_leaves(&mut self, ty: Ty) -> Estimate {
        let ((a, ma), (b, mb)) = (self.float_leaf(ty), self.float_leaf(ty));
        (Expr::bin("+", a, b), ma + mb)
    }

    fn literal(&mut self, ty: Ty) -> Estimate {
        let value = if self.style.exact {
            self.draw.between(-3, 5) as f64
        } else {
            *self.draw.pick(&[0.5, 1.0, 2.0, 0.25, 1.5, -0.75, 0.1, 3.0, -1.0])
        };
        (Expr::float(ty, value), value.abs())
    }

    /// A variable, an element, an integer as a float, or a literal.
    pub fn float_leaf(&mut self, ty: Ty) -> Estimate {
        for _ in 0..4 {
            match self.draw.below(10) {
                0..=3 => {
                    let found: Vec<Estimate> =
                        self.scope.variables(ty).iter().map(|v| (v.read(), v.mag)).collect();
                    if let Some(found) = self.draw.pick_some(&found) {
                        return found;
                    }
                }
                4..=7 => {
                    if let Some(found) = self.element(ty) {
                        return found;
                    }
                }
                8 => {
                    let (ints, _) = self.int_leaf(Ty::I32);
                    let any = self.int_variable().unwrap_or(ints);
                    return (any.cast(ty), 8.0);
                }
                _ => return self.literal(ty),
            }
        }
        self.literal(ty)
    }

    fn int_variable(&mut self) -> Option<Expr> {
        let found: Vec<Expr> = self
            .scope
            .all_variables()
            .filter(|v| !v.ty.is_float() && v.ty != Ty::Bool)
            .map(|v| v.read())
            .collect();
        self.draw.pick_some(&found)
    }

    /// An element of some array of floats.
    pub fn element(&mut self, ty: Ty) -> Option<Estimate> {
        let arrays: Vec<(String, Vec<Size>, f64)> = self
            .scope
            .arrays()
            .filter(|a| a.elem == ty)
            .map(|a| (a.name.clone(), a.dims.clone(), a.mag))
            .collect();
        let (name, dims, mag) = self.draw.pick_some(&arrays)?;
        let index: Option<Vec<Expr>> = dims.iter().map(|dim| self.index(dim, 2)).collect();
        Some((Expr::new(ty, Kind::Index(name, index?)), mag))
    }

    fn function(&mut self, ty: Ty, depth: u32) -> Estimate {
        let (e, mag) = self.float(ty, depth - 1);
        let lit = |value: f64| Expr::float(ty, value);
        let small = mag <= 3.0;
        match self.draw.below(30) {
            0 | 1 => (e.method("sin", vec![]), 1.0),
            2 => (e.method("cos", vec![]), 1.0),
            3 | 4 => (e.method("tanh", vec![]), 1.0),
            5 => (e.method("atan", vec![]), 1.6),
            6 | 7 if small => (e.method("exp", vec![]), 20.0),
            6 | 7 => (e.method("sin", vec![]).method("exp", vec![]), 3.0),
            8 => (positive(e, ty).method("ln", vec![]), 5.0),
            9 => (positive(e, ty).method("sqrt", vec![]), mag + 1.0),
            10 => {
                let inner = Expr::bin("*", e.method("sin", vec![]), lit(0.9));
                (inner.method(["asin", "acos", "atanh", "tan"][self.draw.below(4)], vec![]), 3.0)
            }
            11 => (positive(e, ty).method("recip", vec![]), 1.0),
            12 => {
                let power = self.draw.between(0, 3);
                (e.method("powi", vec![Expr::int(Ty::I32, power)]), mag.max(1.0).powi(3))
            }
            13 => (positive(e, ty).method("powi", vec![Expr::int(Ty::I32, -2)]), 1.0),
            14 => {
                let exponent = self.bounded(ty, 1, 1.6);
                (positive(e.method("sin", vec![]), ty).method("powf", vec![exponent]), 5.0)
            }
            15 => {
                let (other, _) = self.float(ty, depth - 1);
                (e.method("atan2", vec![positive(other, ty)]), 1.6)
            }
            16 => {
                let (other, more) = self.float(ty, depth - 1);
                (e.method("hypot", vec![positive(other, ty)]), mag + more * more + 1.0)
            }
            17 => (Expr::bin("*", e.clone(), e).method("ln_1p", vec![]), 5.0),
            18 => (e.method("sin", vec![]).method("exp_m1", vec![]), 2.0),
            19 => {
                let ((b, mb), (c, mc)) = (self.float(ty, depth - 1), self.float(ty, depth - 1));
                (e.method("mul_add", vec![b, c]), mag * mb + mc)
            }
            20 => {
                (positive(e, ty).method(["log2", "log10", "cbrt", "acosh"][self.draw.below(4)], vec![]), 5.0)
            }
            21 => (e.method("sin", vec![]).method(["sinh", "cosh", "exp2"][self.draw.below(3)], vec![]), 3.0),
            22 => (e.method("asinh", vec![]), 5.0),
            23 => (e.method("to_radians", vec![]), mag),
            24 => (positive(e, ty).method("log", vec![lit(3.0)]), 5.0),
            25 => {
                let name = *self.draw.pick(&["floor", "ceil", "round", "trunc", "signum"]);
                (e.method(name, vec![]), mag + 1.0)
            }
            26 => (e.method("fract", vec![]), 1.0),
            27 => {
                let (other, _) = self.float(ty, depth - 1);
                (e.method("copysign", vec![other]), mag)
            }
            28 => (e.method("rem_euclid", vec![lit(1.75)]), 1.75),
            _ => (e.method("sin", vec![]), 1.0),
        }
    }

    fn kink(&mut self, ty: Ty, depth: u32) -> Estimate {
        let ((a, ma), (b, mb)) = (self.float(ty, depth - 1), self.float(ty, depth - 1));
        let mag = ma.max(mb);
        match self.draw.below(6) {
            0 => (a.method("max", vec![b]), mag),
            1 => (a.method("min", vec![b]), mag),
            2 => (a.method("abs", vec![]), ma),
            3 => (Expr::new(ty, Kind::Path("max", vec![a, b])), mag),
            4 => (a.method("clamp", vec![Expr::float(ty, -0.8), Expr::float(ty, 1.2)]), 1.2),
            _ => {
                let zero = Expr::float(ty, 0.0);
                (Expr::if_else(Expr::bin(">", a.clone(), zero), a, b), mag)
            }
        }
    }

    fn float_match(&mut self, ty: Ty, depth: u32) -> Estimate {
        let (on, _) = self.int_leaf(Ty::I32);
        let on = on.method("rem_euclid", vec![Expr::int(Ty::I32, 4)]);
        let patterns: &[&str] =
            if self.draw.chance(50) { &["0", "1 | 2", "_"] } else { &["0..=1", "3", "_"] };
        let mut mag = 0.0f64;
        let mut arms = Vec::new();
        for pattern in patterns {
            let (value, m) = self.float(ty, depth - 1);
            mag = mag.max(m);
            arms.push((pattern.to_string(), value));
        }
        (Expr::new(ty, Kind::Match(Box::new(on), arms)), mag)
    }

    fn float_block(&mut self, ty: Ty, depth: u32) -> Estimate {
        let saved = self.scope.clone();
        let (value, mag) = self.float(ty, depth - 1);
        let name = self.name("t");
        let stmt = Stmt::Let { mutable: false, name: name.clone(), annotated: value.only_literals(), value };
        self.declare(&name, ty, false, mag);
        let (rest, m) = self.float(ty, depth - 1);
        let own = Expr::var(ty, &name);
        self.scope = saved;
        (Expr::new(ty, Kind::Block(vec![stmt], Box::new(Expr::bin("*", own, rest)))), mag * m)
    }

    /// An index into `size`, in range; `None` if nothing visible is one.
    pub fn index(&mut self, size: &Size, depth: u32) -> Option<Expr> {
        let all: Vec<(Expr, bool, bool, bool)> = self
            .scope
            .variables(Ty::Usize)
            .iter()
            .map(|v| (v.read(), v.facts.is_below(size), v.facts.is_next_below(size), v.facts.positive))
            .collect();
        let below: Vec<&(Expr, bool, bool, bool)> = all.iter().filter(|v| v.1).collect();
        for _ in 0..6 {
            match self.draw.below(14) {
                0..=5 => {
                    if let Some((var, ..)) = self.draw.pick_some(&below) {
                        return Some(var.clone());
                    }
                }
                6 => {
                    let next: Vec<_> = all.iter().filter(|v| v.2).collect();
                    if let Some((var, ..)) = self.draw.pick_some(&next) {
                        return Some(Expr::bin("+", var.clone(), Expr::usize(1)));
                    }
                }
                7 => {
                    let positive: Vec<_> = below.iter().filter(|v| v.3).collect();
                    if let Some((var, ..)) = self.draw.pick_some(&positive) {
                        return Some(Expr::bin("-", var.clone(), Expr::usize(1)));
                    }
                }
                8 if !size.may_be_zero() => {
                    if let Some((var, ..)) = self.draw.pick_some(&below) {
                        let last = Expr::bin("-", size.expr(), Expr::usize(1));
                        return Some(Expr::bin("-", last, var.clone()));
                    }
                }
                9 if depth > 0 => {
                    if let Some(found) = self.indirect(size, depth) {
                        return Some(found);
                    }
                }
                10 if !size.may_be_zero() && depth > 0 => {
                    let value = self.usize_value(1);
                    return Some(Expr::bin("%", value, size.expr()));
                }
                11 if !size.may_be_zero() => {
                    if let Some(var) = self.draw.pick_some(&all) {
                        let last = Expr::bin("-", size.expr(), Expr::usize(1));
                        return Some(var.0.method("min", vec![last]));
                    }
                }
                12 => {
                    if let Size::Const(len) = size {
                        return Some(Expr::usize(self.draw.below(*len)));
                    }
                    if let Size::Product(rows, cols) = size {
                        let (row, col) = (self.index(rows, 1)?, self.index(cols, 1)?);
                        return Some(Expr::bin("+", Expr::bin("*", row, cols.expr()), col));
                    }
                    if !size.may_be_zero() && self.draw.chance(40) {
                        return Some(Expr::usize(0));
                    }
                }
                13 if !size.may_be_zero() && !self.style.exact && self.draw.chance(30) => {
                    let (value, _) = self.float_leaf(Ty::F64);
                    let scaled = Expr::bin("*", value.method("abs", vec![]), Expr::float(Ty::F64, 2.5));
                    let picked = Expr::bin("%", scaled.cast(Ty::Usize), size.expr());
                    return Some(picked);
                }
                _ => {}
            }
        }
        match self.draw.pick_some(&below) {
            Some((var, ..)) => Some(var.clone()),
            None if size.may_be_zero() => None,
            None => Some(Expr::bin("%", self.usize_value(0), size.expr())),
        }
    }

    fn indirect(&mut self, size: &Size, depth: u32) -> Option<Expr> {
        let arrays: Vec<(String, Size)> = self
            .scope
            .arrays()
            .filter(|a| a.elem == Ty::Usize && a.values == Values::Below(size.clone()))
            .map(|a| (a.name.clone(), a.dims[0].clone()))
            .collect();
        let (name, dim) = self.draw.pick_some(&arrays)?;
        let at = self.index(&dim, depth - 1)?;
        Some(Expr::new(Ty::Usize, Kind::Index(name, vec![at])))
    }

    /// A small `usize`, of any value.
    pub fn usize_value(&mut self, depth: u32) -> Expr {
        let vars: Vec<Expr> = self.scope.variables(Ty::Usize).iter().map(|v| v.read()).collect();
        let leaf = match self.draw.pick_some(&vars) {
            Some(var) if self.draw.chance(85) => var,
            _ => Expr::usize(self.draw.below(4)),
        };
        if depth == 0 {
            return leaf;
        }
        let other = self.usize_value(depth - 1);
        match self.draw.below(8) {
            0 | 1 => Expr::bin("+", leaf, other),
            2 => Expr::bin("*", leaf, other),
            3 if !leaf.only_literals() => leaf.method("saturating_sub", vec![other]),
            4 if !leaf.only_literals() => leaf.method("abs_diff", vec![other]),
            5 => Expr::bin("/", leaf, Expr::usize(2)),
            6 => {
                let (value, _) = self.int(Ty::I32, 1);
                value.method("rem_euclid", vec![Expr::int(Ty::I32, 7)]).cast(Ty::Usize)
            }
            _ => Expr::bin("^", leaf, other),
        }
    }

    fn int_leaf(&mut self, ty: Ty) -> (Expr, f64) {
        let vars: Vec<(Expr, f64)> =
            self.scope.variables(ty).iter().map(|v| (v.read(), v.mag.min(30.0))).collect();
        let arrays: Vec<(String, Vec<Size>)> = self
            .scope
            .arrays()
            .filter(|a| a.elem == ty && ty != Ty::Usize)
            .map(|a| (a.name.clone(), a.dims.clone()))
            .collect();
        match self.draw.below(4) {
            0 | 1 => {
                if let Some(found) = self.draw.pick_some(&vars) {
                    return found;
                }
            }
            2 => {
                if let Some((name, dims)) = self.draw.pick_some(&arrays) {
                    let index: Option<Vec<Expr>> = dims.iter().map(|dim| self.index(dim, 1)).collect();
                    if let Some(index) = index {
                        return (Expr::new(ty, Kind::Index(name, index)), 30.0);
                    }
                }
            }
            _ => {
                if let Some(var) = self.int_variable() {
                    let is_signed = |ty| matches!(ty, Ty::I32 | Ty::I64);
                    if is_signed(var.ty) && !is_signed(ty) {
                        let mask = Expr::int(var.ty, 15);
                        return (Expr::bin("&", var, mask).cast(ty), 15.0);
                    }
                    return (if var.ty == ty { var } else { var.cast(ty) }, 30.0);
                }
            }
        }
        let value = self.draw.between(if ty == Ty::I32 || ty == Ty::I64 { -3 } else { 0 }, 6);
        (Expr::int(ty, value), 6.0)
    }

    /// An integer expression and its magnitude.
    pub fn int(&mut self, ty: Ty, depth: u32) -> (Expr, f64) {
        if depth == 0 {
            return self.int_leaf(ty);
        }
        let ((a, ma), (b, mb)) = (self.int(ty, depth - 1), self.int(ty, depth - 1));
        let signed = matches!(ty, Ty::I32 | Ty::I64);
        match self.draw.below(16) {
            0..=2 => (Expr::bin("+", a, b), ma + mb),
            3 if signed => (Expr::bin("-", a, b), ma + mb),
            4 => (Expr::bin("*", a, b), ma * mb),
            5 => (Expr::bin("%", a, Expr::int(ty, 5)), 5.0),
            6 => (Expr::bin("/", a, Expr::int(ty, 3)), ma),
            7 => (a.method("max", vec![b]), ma.max(mb)),
            8 => (a.method("min", vec![b]), ma.max(mb)),
            9 if signed => (a.method("abs", vec![]), ma),
            10 if signed => (a.method("rem_euclid", vec![Expr::int(ty, 5)]), 5.0),
            11 => (
                Expr::bin("%", a.method("wrapping_mul", vec![Expr::int(ty, 4_050_353)]), Expr::int(ty, 11)),
                11.0,
            ),
            12 => (Expr::bin("<<", Expr::bin("&", a, Expr::int(ty, 7)), Expr::int(ty, 2)), 28.0),
            13 => (Expr::bin("|", Expr::bin("&", a, Expr::int(ty, 15)), Expr::int(ty, 8)), 15.0),
            14 if signed => (a.method("signum", vec![]), 1.0),
            15 if signed => (a.neg(), ma),
            _ => (a.method("saturating_sub", vec![b]), ma + mb),
        }
    }

    /// A condition.
    pub fn condition(&mut self, depth: u32) -> Expr {
        let flags: Vec<Expr> = self.scope.variables(Ty::Bool).iter().map(|v| v.read()).collect();
        match self.draw.below(12) {
            0..=3 if !self.style.exact => {
                let ty = if self.style.mixed && self.draw.chance(30) { Ty::F32 } else { Ty::F64 };
                let ((a, _), (b, _)) = (self.float(ty, 1), self.float_leaf(ty));
                let op = *self.draw.pick(&["<", ">", "<=", ">="]);
                Expr::bin(op, a, b)
            }
            4 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let op = *self.draw.pick(&["&&", "||"]);
                Expr::bin(op, a, b)
            }
            5 if depth > 0 => {
                let a = self.condition(depth - 1);
                Expr::new(Ty::Bool, Kind::Not(Box::new(a)))
            }
            6 if !flags.is_empty() => self.draw.pick(&flags).clone(),
            7 | 8 => {
                let (a, _) = self.int(Ty::I32, 1);
                Expr::bin("<", a, Expr::int(Ty::I32, 2))
            }
            _ => {
                let a = self.usize_value(0);
                let op = *self.draw.pick(&["==", "!=", "<", ">="]);
                if self.draw.chance(50) {
                    Expr::bin(op, Expr::bin("%", a, Expr::usize(2)), Expr::usize(1))
                } else {
                    let b = self.usize_value(0);
                    Expr::bin(op, a, b)
                }
            }
        }
    }
}

/// `e * e + 1.25`: at least 1.25.
pub fn positive(e: Expr, ty: Ty) -> Expr {
    Expr::bin("+", Expr::bin("*", e.clone(), e), Expr::float(ty, 1.25))
}
