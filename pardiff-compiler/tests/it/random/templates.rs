//! Patterns that real kernels have and that single statements drawn at random rarely make: sums, products, running
//! extremes, counters, double buffers over time, aliases, pushes.

use super::generate::Generator;
use super::program::{Expr, Kind, Place, Range, Size, Start, Stmt, Ty, Values};
use super::scope::{Array, Facts, Storage, Variable};

impl Generator {
    /// One of the patterns.
    pub fn template(&mut self, out: &mut Vec<Stmt>, depth: u32) {
        if self.nest >= 3 {
            return;
        }
        match self.draw.below(22) {
            0..=2 => self.sum_of_loop(out, depth),
            3 => self.product(out),
            4 => self.extreme(out),
            5 | 6 => self.counter(out),
            7 => self.push(out),
            8 => self.double_buffer(out),
            9 => self.alias(out, depth),
            10 => self.index_array(out),
            11 => self.unequal_swap(out),
            12..=14 => self.neighbours(out),
            15..=19 => self.decision(out, depth),
            _ => self.nested_sum(out),
        }
    }

    /// `let mut s = 0.0; for … { …; s += e; }`
    pub fn sum_of_loop(&mut self, out: &mut Vec<Stmt>, depth: u32) {
        let ty = self.float_ty();
        let name = self.name("s");
        let visible = self.draw.chance(35);
        let value = Expr::float(ty, 0.0);
        out.push(Stmt::Let {
            mutable: true,
            name: name.clone(),
            annotated: visible || self.draw.chance(30),
            value,
        });
        if visible {
            self.declare(&name, ty, true, 20.0);
        }
        let (iter, range, variable) = self.range();
        let body = self.body(variable, |this| {
            let size = this.draw.below(3);
            let mut body = this.block(size, depth - 1);
            let mut value = this.bounded(ty, 3, 4.0);
            if value.only_literals() {
                value = value.cast(ty);
            }
            let op = if this.draw.chance(75) { "+=" } else { "-=" };
            body.push(Stmt::Assign { target: Place::Var(name.clone()), op, value });
            body
        });
        out.push(Stmt::For { iter, range, body });
        self.declare(&name, ty, true, 20.0);
    }

    /// A sum of sums, as in a matrix-vector product.
    fn nested_sum(&mut self, out: &mut Vec<Stmt>) {
        let targets: Vec<Array> = self
            .scope
            .arrays()
            .filter(|a| a.mutable && a.elem.is_float() && a.dims.len() == 1 && !a.dims[0].may_be_zero())
            .cloned()
            .collect();
        let Some(target) = self.draw.pick_some(&targets) else { return };
        let (iter, size) = (self.name("i"), target.dims[0].clone());
        let range = simple(size.clone());
        let variable = index_variable(&iter, size);
        let body = self.body(variable, |this| {
            let mut body = Vec::new();
            this.sum_of_loop(&mut body, 1);
            let sum = match body.first() {
                Some(Stmt::Let { name, value, .. }) => Expr::var(value.ty, name),
                _ => return body,
            };
            let sum = if sum.ty == target.elem { sum } else { sum.cast(target.elem) };
            let op = *this.draw.pick(&["=", "+=", "-="]);
            let target = Place::Index(target.name.clone(), vec![Expr::var(Ty::Usize, &iter)]);
            body.push(Stmt::Assign { target, op, value: sum });
            body
        });
        out.push(Stmt::For { iter, range, body });
    }

    fn product(&mut self, out: &mut Vec<Stmt>) {
        let ty = self.float_ty();
        let name = self.name("p");
        let value = Expr::float(ty, 1.0);
        out.push(Stmt::Let { mutable: true, name: name.clone(), annotated: true, value });
        let (iter, range, variable) = self.range();
        let body = self.body(variable, |this| {
            let factor = this.bounded(ty, 2, 1.5);
            let target = Place::Var(name.clone());
            vec![Stmt::Assign { target, op: "*=", value: factor }]
        });
        out.push(Stmt::For { iter, range, body });
        self.declare(&name, ty, true, 8.0);
    }

    fn extreme(&mut self, out: &mut Vec<Stmt>) {
        if self.style.exact {
            return self.product(out);
        }
        let ty = self.float_ty();
        let name = self.name("best");
        let (method, start) = if self.draw.chance(60) { ("max", -9.0) } else { ("min", 9.0) };
        let value = Expr::float(ty, start);
        out.push(Stmt::Let { mutable: true, name: name.clone(), annotated: true, value });
        let (iter, range, variable) = self.range();
        let form = self.draw.below(4);
        let body = self.body(variable, |this| {
            let value = this.bounded(ty, 2, 8.0);
            let own = Expr::var(ty, &name);
            let target = Place::Var(name.clone());
            let update = match form {
                0 | 1 => own.method(method, vec![value]),
                2 => Expr::new(ty, Kind::Path(method, vec![own, value])),
                _ => {
                    let op = if method == "max" { ">" } else { "<" };
                    let cond = Expr::bin(op, value.clone(), own);
                    let then = vec![Stmt::Assign { target, op: "=", value }];
                    return vec![Stmt::If { cond, then, els: vec![] }];
                }
            };
            vec![Stmt::Assign { target, op: "=", value: update }]
        });
        out.push(Stmt::For { iter, range, body });
        self.declare(&name, ty, true, 9.0);
    }

    /// `let mut p = 0; for … { … a[p] …; p += 1; }`
    fn counter(&mut self, out: &mut Vec<Stmt>) {
        let name = self.name("pos");
        let sizes: Vec<Size> = self.sizes();
        let size = self.draw.pick(&sizes).clone();
        let loops = match &size {
            Size::Product(rows, cols) => vec![(**rows).clone(), (**cols).clone()],
            other => vec![other.clone()],
        };
        let value = Expr::usize(0);
        out.push(Stmt::Let { mutable: true, name: name.clone(), annotated: true, value });
        let counted = index_variable(&name, size);
        let nest = self.counted_loops(&counted, &loops);
        out.push(nest);
        self.declare(&name, Ty::Usize, false, 20.0);
    }

    fn counted_loops(&mut self, counter: &Variable, loops: &[Size]) -> Stmt {
        let iter = self.name("i");
        let size = loops[0].clone();
        let mut range = simple(size.clone());
        range.rev = self.draw.chance(20);
        let body = self.body(index_variable(&iter, size), |this| {
            if loops.len() > 1 {
                return vec![this.counted_loops(counter, &loops[1..])];
            }
            this.scope.add_variable(counter.clone());
            let mut body = this.block(2, 0);
            body.extend(this.assign());
            let step =
                Stmt::Assign { target: Place::Var(counter.name.clone()), op: "+=", value: Expr::usize(1) };
            if this.draw.chance(20) {
                let cond = this.condition(1);
                body.push(Stmt::If { cond, then: vec![step], els: vec![] });
            } else {
                body.push(step);
            }
            body
        });
        Stmt::For { iter, range, body }
    }

    fn push(&mut self, out: &mut Vec<Stmt>) {
        let ty = self.float_ty();
        let name = self.name("list");
        self.reserved.push(name.clone());
        let start = Start::Growing(ty);
        out.push(Stmt::LetArray { mutable: true, name: name.clone(), start });
        let (iter, range, variable) = self.range();
        let body = self.body(variable, |this| {
            let value = this.bounded(ty, 2, 4.0);
            let push = Stmt::Push { array: name.clone(), value };
            if this.draw.chance(40) {
                vec![Stmt::If { cond: this.condition(1), then: vec![push], els: vec![] }]
            } else {
                vec![push]
            }
        });
        out.push(Stmt::For { iter, range, body });
        let size = Size::Len(name.clone());
        self.scope.add_array(Array {
            name,
            elem: ty,
            dims: vec![size.clone()],
            mutable: true,
            mag: 4.0,
            values: Values::Any,
            storage: Storage::Vec,
        });
        let iter = self.name("i");
        let body = self.body(index_variable(&iter, size.clone()), |this| this.block(2, 0));
        out.push(Stmt::For { iter, range: simple(size), body });
    }

    /// Steps over time with two arrays that are swapped.
    fn double_buffer(&mut self, out: &mut Vec<Stmt>) {
        let ty = self.float_ty();
        let sizes = self.sizes();
        let size = self.draw.pick(&sizes).clone();
        let (old, new) = (self.name("old"), self.name("new"));
        for name in [&old, &new] {
            let fill = self.bounded(ty, 1, 2.0);
            let start = Start::Vec(fill, vec![size.expr()]);
            out.push(Stmt::LetArray { mutable: true, name: name.clone(), start });
            self.scope.add_array(Array {
                name: name.clone(),
                elem: ty,
                dims: vec![size.clone()],
                mutable: true,
                mag: 4.0,
                values: Values::Any,
                storage: Storage::Vec,
            });
        }
        let time = self.name("time");
        let steps = if self.scope.has("steps") { Size::named("steps") } else { Size::Const(2) };
        let (iter, count) = (self.name("i"), size.clone());
        let frozen = old.clone();
        let body = self.body(plain(&time), |this| {
            let inner = this.body(index_variable(&iter, count.clone()), |this| {
                this.scope.freeze(&frozen);
                let at = this.index(&count, 1).unwrap_or(Expr::var(Ty::Usize, &iter));
                let previous = Expr::new(ty, Kind::Index(old.clone(), vec![at]));
                let (more, mag) = this.float(ty, 2);
                let product = Expr::bin("*", previous, more);
                let value =
                    if this.style.exact || mag <= 1.0 { product } else { product.method("sin", vec![]) };
                let target = Place::Index(new.clone(), vec![Expr::var(Ty::Usize, &iter)]);
                vec![Stmt::Assign { target, op: "=", value }]
            });
            let mut body = vec![Stmt::For { iter: iter.clone(), range: simple(count.clone()), body: inner }];
            body.push(Stmt::SwapArrays(old.clone(), new.clone()));
            if this.draw.chance(30) {
                body.extend(this.assign());
            }
            body
        });
        out.push(Stmt::For { iter: time, range: simple(steps), body });
    }

    /// An index array that is computed, used and changed.
    fn index_array(&mut self, out: &mut Vec<Stmt>) {
        let name = self.name("order");
        let sizes = self.sizes();
        let (size, target) = (self.draw.pick(&sizes).clone(), self.draw.pick(&sizes).clone());
        let start = Start::Vec(Expr::usize(0), vec![size.expr()]);
        out.push(Stmt::LetArray { mutable: true, name: name.clone(), start });
        let iter = self.name("i");
        let body = self.body(index_variable(&iter, size.clone()), |this| {
            let value = this.index(&target, 2).unwrap_or(Expr::usize(0));
            let place = Place::Index(name.clone(), vec![Expr::var(Ty::Usize, &iter)]);
            vec![Stmt::Assign { target: place, op: "=", value }]
        });
        out.push(Stmt::For { iter, range: simple(size.clone()), body });
        if self.draw.chance(60) {
            self.spread(out, &name, (size.clone(), target.clone()));
        }
        self.scope.add_array(Array {
            name,
            elem: Ty::Usize,
            dims: vec![size],
            mutable: true,
            mag: 4.0,
            values: Values::Below(target),
            storage: Storage::Vec,
        });
    }

    /// Writes through an index array, whose values come once or more often.
    fn spread(&mut self, out: &mut Vec<Stmt>, order: &str, (size, target): (Size, Size)) {
        let ty = self.float_ty();
        let name = self.name("spread");
        let start = Start::Vec(self.bounded(ty, 1, 2.0), vec![target.expr()]);
        out.push(Stmt::LetArray { mutable: true, name: name.clone(), start });
        let iter = self.name("i");
        let op = *self.draw.pick(&["=", "+=", "="]);
        let body = self.body(index_variable(&iter, size.clone()), |this| {
            let value = this.bounded(ty, 3, 4.0);
            let value = if value.only_literals() { value.cast(ty) } else { value };
            let at = Expr::new(Ty::Usize, Kind::Index(order.to_owned(), vec![Expr::var(Ty::Usize, &iter)]));
            vec![Stmt::Assign { target: Place::Index(name.clone(), vec![at]), op, value }]
        });
        out.push(Stmt::For { iter, range: simple(size), body });
        self.scope.add_array(Array {
            name,
            elem: ty,
            dims: vec![target],
            mutable: true,
            mag: 20.0,
            values: Values::Any,
            storage: Storage::Vec,
        });
    }

    /// Two vectors of different lengths that are exchanged, their lengths with them.
    fn unequal_swap(&mut self, out: &mut Vec<Stmt>) {
        let ty = self.float_ty();
        let sizes = self.sizes();
        let (one, other) = (self.name("flip"), self.name("flop"));
        for name in [&one, &other] {
            let size = self.draw.pick(&sizes).clone();
            let fill = self.bounded(ty, 1, 2.0);
            let start = Start::Vec(fill, vec![size.expr()]);
            out.push(Stmt::LetArray { mutable: true, name: name.clone(), start });
            self.reserved.push(name.clone());
        }
        for name in [&one, &other] {
            self.scope.add_array(Array {
                name: name.clone(),
                elem: ty,
                dims: vec![Size::Len(name.clone())],
                mutable: true,
                mag: 4.0,
                values: Values::Any,
                storage: Storage::Vec,
            });
        }
        let rounds = self.draw.below(3);
        for round in 0..=rounds {
            let (iter, name) = (self.name("i"), if round % 2 == 0 { &one } else { &other });
            let size = Size::Len(name.clone());
            let body = self.body(index_variable(&iter, size.clone()), |this| {
                let mut body = this.block(1, 0);
                body.extend(this.assign());
                body
            });
            out.push(Stmt::For { iter, range: simple(size), body });
            out.push(if self.draw.chance(30) {
                let time = self.name("time");
                let body = vec![Stmt::SwapArrays(one.clone(), other.clone())];
                Stmt::For { iter: time, range: simple(Size::Const(self.draw.below(4))), body }
            } else {
                Stmt::SwapArrays(one.clone(), other.clone())
            });
        }
    }

    /// A block that works on a part of an array through a slice.
    fn alias(&mut self, out: &mut Vec<Stmt>, depth: u32) {
        let arrays: Vec<Array> = self
            .scope
            .arrays()
            .filter(|a| a.elem.is_float() && a.storage != Storage::Const && !a.dims[0].may_be_zero())
            .cloned()
            .collect();
        let Some(base) = self.draw.pick_some(&arrays) else { return };
        let saved = self.scope.clone();
        let name = self.name("part");
        let mutable = base.mutable && self.draw.chance(60);
        let mut stmts = Vec::new();
        let (row, lo, hi, dims) = if base.dims.len() == 2 {
            let Some(at) = self.index(&base.dims[0], 1) else { return };
            (true, Some(at), None, vec![base.dims[1].clone()])
        } else {
            self.part(&base.dims[0])
        };
        stmts.push(Stmt::LetSlice { mutable, name: name.clone(), base: base.name.clone(), row, lo, hi });
        if mutable {
            self.scope.remove(&base.name);
        } else {
            self.scope.freeze(&base.name);
        }
        let (elem, mag) = (base.elem, base.mag);
        self.reserved.push(name.clone());
        self.scope.add_array(Array {
            name: name.clone(),
            elem,
            dims,
            mutable,
            mag,
            values: Values::Any,
            storage: Storage::Reference,
        });
        stmts.extend(self.block(2, depth - 1));
        stmts.extend(self.assign());
        self.scope = saved;
        out.push(Stmt::Block(stmts));
    }

    fn part(&mut self, size: &Size) -> (bool, Option<Expr>, Option<Expr>, Vec<Size>) {
        match size {
            Size::Product(rows, cols) => {
                let row = self.index(rows, 0).unwrap_or(Expr::usize(0));
                let next = Expr::bin("+", row.clone(), Expr::usize(1));
                let (lo, hi) = (Expr::bin("*", row, cols.expr()), Expr::bin("*", next, cols.expr()));
                (false, Some(lo), Some(hi), vec![(**cols).clone()])
            }
            Size::Const(len) if *len > 2 => {
                (false, Some(Expr::usize(1)), Some(Expr::usize(3)), vec![Size::Const(2)])
            }
            _ if self.draw.chance(60) => {
                (false, Some(Expr::usize(1)), None, vec![Size::Minus1(Box::new(size.clone()))])
            }
            _ => (false, None, None, vec![size.clone()]),
        }
    }
}

/// `0..size`
pub fn simple(size: Size) -> Range {
    let hi = size.expr();
    Range { lo: Expr::usize(0), hi, inclusive: false, rev: false, step: None, rev_first: false }
}

/// An iterator over `size`.
pub fn index_variable(name: &str, size: Size) -> Variable {
    let facts = Facts { below: vec![size], ..Facts::default() };
    Variable { name: name.to_owned(), ty: Ty::Usize, mutable: false, reference: false, mag: 5.0, facts }
}

/// An iterator of which nothing is known.
pub fn plain(name: &str) -> Variable {
    let facts = Facts::default();
    Variable { name: name.to_owned(), ty: Ty::Usize, mutable: false, reference: false, mag: 5.0, facts }
}
