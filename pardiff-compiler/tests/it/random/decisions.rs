//! Patterns in which numbers decide: which elements change, which one is read, whether a loop over time goes on.

use super::generate::Generator;
use super::program::{Expr, Kind, Place, Size, Start, Stmt, Ty, Values};
use super::scope::{Array, Storage};
use super::templates::{index_variable, plain, simple};

impl Generator {
    /// One of the patterns.
    pub fn decision(&mut self, out: &mut Vec<Stmt>, depth: u32) {
        match self.draw.below(5) {
            0 => self.all_but_one(out),
            1 => self.until_done(out, depth),
            2 => self.rounded(out),
            3 => self.through_another(out),
            _ => self.wrapped(out),
        }
    }

    /// Every element but one changes by that one, or every row, as in elimination.
    fn all_but_one(&mut self, out: &mut Vec<Stmt>) {
        let Some(target) = self.target(|_| true) else { return };
        let (rows, columns) = match &target.dims[..] {
            [Size::Product(rows, columns)] => ((**rows).clone(), Some((**columns).clone())),
            [rows, columns] => (rows.clone(), Some(columns.clone())),
            [rows, ..] => (rows.clone(), None),
            [] => return,
        };
        let [k, i, j] = ["k", "i", "j"].map(|prefix| self.name(prefix));
        let number = |name: &str| Expr::var(Ty::Usize, name);
        let flat = target.dims.len() == 1;
        let at = |row: &str| match &columns {
            None => vec![number(row)],
            Some(columns) if flat => {
                vec![Expr::bin("+", Expr::bin("*", number(row), columns.expr()), number(&j))]
            }
            Some(_) => vec![number(row), number(&j)],
        };
        let element = |row: &str| Expr::new(target.elem, Kind::Index(target.name.clone(), at(row)));
        let mut nest = self.body(index_variable(&k, rows.clone()), |this| {
            this.scope.freeze(&target.name);
            let inner = this.body(index_variable(&i, rows.clone()), |this| {
                let product = Expr::bin("*", element(&k), this.bounded(target.elem, 1, 2.0));
                let change = Expr::bin("-", element(&i), product);
                let value = if this.style.exact { change } else { change.method("sin", vec![]) };
                let mut then =
                    vec![Stmt::Assign { target: Place::Index(target.name.clone(), at(&i)), op: "=", value }];
                if let Some(columns) = &columns {
                    then = vec![Stmt::For { iter: j.clone(), range: simple(columns.clone()), body: then }];
                }
                match this.draw.below(4) {
                    0 | 1 => {
                        vec![Stmt::If { cond: Expr::bin("!=", number(&i), number(&k)), then, els: vec![] }]
                    }
                    2 => {
                        let cond = Expr::bin("==", number(&k), number(&i));
                        let mut body = vec![Stmt::If { cond, then: vec![Stmt::Continue], els: vec![] }];
                        body.append(&mut then);
                        body
                    }
                    _ => {
                        let apart = Expr::bin("!=", number(&k), number(&i));
                        let cond = Expr::bin("&&", apart, this.condition(1));
                        vec![Stmt::If { cond, then, els: vec![] }]
                    }
                }
            });
            vec![Stmt::For { iter: i.clone(), range: simple(rows.clone()), body: inner }]
        });
        if self.draw.chance(30) {
            nest.extend(self.assign());
        }
        out.push(Stmt::For { iter: k, range: simple(rows), body: nest });
    }

    /// `let mut done = false; for step in 0..4 { if !done { …; done = …; } }`
    fn until_done(&mut self, out: &mut Vec<Stmt>, depth: u32) {
        let (done, step) = (self.name("done"), self.name("step"));
        let value = Expr::new(Ty::Bool, Kind::Bool(false));
        out.push(Stmt::Let { mutable: true, name: done.clone(), annotated: false, value });
        let flag = || Expr::var(Ty::Bool, &done);
        let body = self.body(plain(&step), |this| {
            let mut body = Vec::new();
            let leaves = this.everything && this.draw.chance(50);
            if leaves {
                body.push(Stmt::If { cond: flag(), then: vec![Stmt::Break], els: vec![] });
            }
            let mut steps = Vec::new();
            this.in_loop = leaves;
            this.sum_of_loop(&mut steps, depth.max(1));
            steps.extend(this.assign());
            let cond = this.condition(1);
            let late = Expr::bin(">", Expr::var(Ty::Usize, &step), Expr::usize(1));
            steps.push(match this.draw.chance(50) {
                true => Stmt::Assign {
                    target: Place::Var(done.clone()),
                    op: "=",
                    value: Expr::bin("||", cond, late),
                },
                false => {
                    let value = Expr::new(Ty::Bool, Kind::Bool(true));
                    let then = vec![Stmt::Assign { target: Place::Var(done.clone()), op: "=", value }];
                    Stmt::If { cond, then, els: vec![] }
                }
            });
            match leaves {
                true => body.append(&mut steps),
                false => {
                    let cond = Expr::new(Ty::Bool, Kind::Not(Box::new(flag())));
                    body.push(Stmt::If { cond, then: steps, els: vec![] });
                }
            }
            body
        });
        let count = 2 + self.draw.below(3);
        out.push(Stmt::For { iter: step, range: simple(Size::Const(count)), body });
    }

    /// Quotients that are numbers of elements, and what is done where they are large enough.
    fn rounded(&mut self, out: &mut Vec<Stmt>) {
        if self.style.exact {
            return;
        }
        let Some(target) = self.target(|it| it.dims.len() == 1) else { return };
        let (ty, size) = (target.elem, target.dims[0].clone());
        let (cells, width) = (self.name("cell"), self.name("width"));
        let value = Expr::float(ty, 49.0);
        let by = match self.draw.chance(50) {
            true => {
                out.push(Stmt::Let { mutable: false, name: width.clone(), annotated: true, value });
                Expr::var(ty, &width)
            }
            false => value,
        };
        let start = Start::Vec(Expr::float(ty, 0.0).cast(ty), vec![size.expr()]);
        out.push(Stmt::LetArray { mutable: true, name: cells.clone(), start });
        let iter = self.name("i");
        let here = || vec![Expr::var(Ty::Usize, &iter)];
        let place = Expr::bin("*", Expr::var(Ty::Usize, &iter), Expr::usize(49)).cast(ty);
        let fill = Stmt::Assign {
            target: Place::Index(cells.clone(), here()),
            op: "=",
            value: Expr::bin("/", place, by),
        };
        out.push(Stmt::For { iter: iter.clone(), range: simple(size.clone()), body: vec![fill] });
        let body = self.body(index_variable(&iter, size.clone()), |this| {
            let cell = || Expr::new(ty, Kind::Index(cells.clone(), here()));
            let at = vec![cell().cast(Ty::Usize)];
            let read = Expr::new(ty, Kind::Index(target.name.clone(), at.clone()));
            let value = Expr::bin("*", read, this.bounded(ty, 1, 2.0)).method("sin", vec![]);
            let update = Stmt::Assign { target: Place::Index(target.name.clone(), at), op: "=", value };
            let least = Expr::float(ty, this.draw.below(3) as f64);
            let then = this.assign().into_iter().collect();
            vec![update, Stmt::If { cond: Expr::bin(">=", cell(), least), then, els: vec![] }]
        });
        out.push(Stmt::For { iter, range: simple(size), body });
    }

    /// Elements found through an index array, where they are not the one at hand.
    fn through_another(&mut self, out: &mut Vec<Stmt>) {
        let indices: Vec<(Array, Size)> = self
            .scope
            .arrays()
            .filter_map(|it| match &it.values {
                Values::Below(size) if it.dims.len() == 1 => Some((it.clone(), size.clone())),
                _ => None,
            })
            .collect();
        let Some((indices, below)) = self.draw.pick_some(&indices) else { return };
        let Some(target) = self.target(|it| it.dims == [below.clone()]) else { return };
        let (iter, at, ty) = (self.name("i"), self.name("at"), target.elem);
        let size = indices.dims[0].clone();
        let body = self.body(index_variable(&iter, size.clone()), |this| {
            let value =
                Expr::new(Ty::Usize, Kind::Index(indices.name.clone(), vec![Expr::var(Ty::Usize, &iter)]));
            let mut body = vec![Stmt::Let { mutable: false, name: at.clone(), annotated: false, value }];
            let other = this.index(&below, 1).unwrap_or(Expr::usize(0));
            let there = || vec![Expr::var(Ty::Usize, &at)];
            let cond = Expr::bin("!=", Expr::var(Ty::Usize, &at), other.clone());
            let element = |at: Vec<Expr>| Expr::new(ty, Kind::Index(target.name.clone(), at));
            let product = Expr::bin("*", element(vec![other]), this.bounded(ty, 1, 2.0));
            let change = Expr::bin("+", element(there()), product);
            let value = if this.style.exact { change } else { change.method("sin", vec![]) };
            let update = Stmt::Assign { target: Place::Index(target.name.clone(), there()), op: "=", value };
            body.push(Stmt::If { cond, then: vec![update], els: vec![] });
            body
        });
        out.push(Stmt::For { iter, range: simple(size), body });
    }

    /// An index that is computed in arithmetic that wraps.
    fn wrapped(&mut self, out: &mut Vec<Stmt>) {
        let Some(target) = self.target(|it| it.dims.len() == 1) else { return };
        let (iter, at, size) = (self.name("i"), self.name("at"), target.dims[0].clone());
        let body = self.body(index_variable(&iter, size.clone()), |this| {
            let by = *this.draw.pick(&[3, 5, 2_654_435_761]);
            let scaled = Expr::var(Ty::Usize, &iter).method("wrapping_mul", vec![Expr::usize(by)]);
            let moved = match this.draw.chance(50) {
                true => scaled.method("wrapping_add", vec![Expr::usize(7)]),
                false => scaled.method("wrapping_sub", vec![Expr::var(Ty::Usize, &iter)]),
            };
            let value = Expr::bin("%", moved, size.expr());
            let mut body = vec![Stmt::Let { mutable: false, name: at.clone(), annotated: false, value }];
            this.scope.add_variable(index_variable(&at, size.clone()));
            let change = this.bounded(target.elem, 2, 2.0);
            let value = if change.only_literals() { change.cast(target.elem) } else { change };
            let op = *this.draw.pick(&["+=", "-=", "="]);
            let place = Place::Index(target.name.clone(), vec![Expr::var(Ty::Usize, &at)]);
            body.push(Stmt::Assign { target: place, op, value });
            body.extend(this.assign());
            body
        });
        out.push(Stmt::For { iter, range: simple(size), body });
    }

    /// An array of floats that may change and has elements.
    fn target(&mut self, fits: impl Fn(&Array) -> bool) -> Option<Array> {
        let arrays: Vec<Array> = self
            .scope
            .arrays()
            .filter(|it| it.mutable && it.elem.is_float() && it.storage != Storage::Const)
            .filter(|it| !it.dims[0].may_be_zero() && fits(it))
            .cloned()
            .collect();
        self.draw.pick_some(&arrays)
    }
}
