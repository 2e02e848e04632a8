//! Neighbours of grids: around a ring, where the last element is beside the first one, and with walls; into several planes.

use super::generate::Generator;
use super::program::{Expr, Kind, Place, Range, Size, Start, Stmt, Ty, Values};
use super::scope::{Array, Storage};

impl Generator {
    /// A loop, or two for a flat matrix, whose iterations read or update neighbours.
    pub fn neighbours(&mut self, out: &mut Vec<Stmt>) {
        let sources: Vec<Array> = self
            .scope
            .arrays()
            .filter(|a| a.elem.is_float() && a.dims.len() == 1 && !a.dims[0].may_be_zero())
            .cloned()
            .collect();
        let Some(source) = self.draw.pick_some(&sources) else { return };
        let (ty, size) = (source.elem, source.dims[0].clone());
        let name = self.name("ring");
        let planes = if self.draw.chance(30) { 2 + self.draw.below(2) } else { 1 };
        let whole = match planes {
            1 => size.clone(),
            planes => Size::Product(Box::new(Size::Const(planes)), Box::new(size.clone())),
        };
        let start = Start::Vec(self.bounded(ty, 1, 2.0), vec![whole.expr()]);
        out.push(Stmt::LetArray { mutable: true, name: name.clone(), start });
        let sizes = match &size {
            Size::Product(rows, cols) => vec![(**rows).clone(), (**cols).clone()],
            other => vec![other.clone()],
        };
        let iters: Vec<String> = sizes.iter().map(|_| self.name("i")).collect();
        let mut body = Vec::new();
        for _ in 0..1 + self.draw.below(3) {
            let plane = self.draw.below(planes);
            self.neighbour(&mut body, (&source.name, &name, ty), (plane, &size), &iters, &sizes);
        }
        for (iter, size) in iters.iter().zip(&sizes).rev() {
            let rev = self.draw.chance(15);
            let (lo, hi) = (Expr::usize(0), size.expr());
            let range = Range { lo, hi, inclusive: false, rev, step: None, rev_first: false };
            body = vec![Stmt::For { iter: iter.clone(), range, body }];
        }
        out.append(&mut body);
        let (mutable, mag, storage) = (true, 20.0, Storage::Vec);
        self.scope.add_array(Array {
            name,
            elem: ty,
            dims: vec![whole],
            mutable,
            mag,
            values: Values::Any,
            storage,
        });
    }

    /// One statement about a neighbour along one of the loops, in one of the planes of that size.
    fn neighbour(
        &mut self,
        body: &mut Vec<Stmt>,
        (source, target, ty): (&str, &str, Ty),
        (plane, size): (usize, &Size),
        iters: &[String],
        sizes: &[Size],
    ) {
        let here: Vec<Expr> = iters.iter().map(|iter| Expr::var(Ty::Usize, iter)).collect();
        let along = self.draw.below(iters.len());
        let (i, n) = (here[along].clone(), sizes[along].expr());
        let mut there = here.clone();
        let wall = self.draw.chance(30);
        let up = self.draw.chance(50);
        there[along] = match wall {
            true => Expr::bin(if up { "+" } else { "-" }, i.clone(), Expr::usize(1)),
            false => self.step(body, &i, &n, up),
        };
        let at = |index: &[Expr]| match index {
            [row, column] => Expr::bin("+", Expr::bin("*", row.clone(), sizes[1].expr()), column.clone()),
            _ => index[0].clone(),
        };
        let element = |index: &[Expr]| Expr::new(ty, Kind::Index(source.to_owned(), vec![at(index)]));
        let is_push = self.draw.chance(40);
        let (read, written) = if is_push { (&here, &there) } else { (&there, &here) };
        let factor = if self.draw.chance(50) { element(&here) } else { self.bounded(ty, 1, 2.0) };
        let value = Expr::bin("*", element(read), factor);
        let value = if self.style.exact { value } else { value.method("sin", vec![]) };
        let in_plane = |index: Expr| match plane {
            0 => index,
            1 => Expr::bin("+", size.expr(), index),
            plane => Expr::bin("+", Expr::bin("*", Expr::usize(plane), size.expr()), index),
        };
        let place = |index: &[Expr]| Place::Index(target.to_owned(), vec![in_plane(at(index))]);
        let op = if is_push || self.draw.chance(70) { "+=" } else { "=" };
        let update = Stmt::Assign { target: place(written), op, value };
        if !wall {
            return body.push(update);
        }
        let cond = match up {
            true => Expr::bin("<", Expr::bin("+", i, Expr::usize(1)), n),
            false => Expr::bin(">", i, Expr::usize(0)),
        };
        let bounce = Stmt::Assign { target: place(&here), op: "+=", value: element(&here) };
        let els = if self.draw.chance(50) { vec![bounce] } else { Vec::new() };
        body.push(Stmt::If { cond, then: vec![update], els });
    }

    /// The number of a neighbour around the ring, in one of the ways to write it.
    fn step(&mut self, body: &mut Vec<Stmt>, i: &Expr, n: &Expr, up: bool) -> Expr {
        let one = || Expr::usize(1);
        let bin = |op, a: &Expr, b: Expr| Expr::bin(op, a.clone(), b);
        let choice =
            |cond: Expr, yes: Expr, no: Expr| Expr::new(Ty::Usize, Kind::If(Box::new([cond, yes, no])));
        let number = match (self.draw.below(8), up) {
            (0 | 1, true) => Expr::bin("%", bin("+", i, one()), n.clone()),
            (0 | 1, false) => Expr::bin("%", Expr::bin("-", bin("+", i, n.clone()), one()), n.clone()),
            (2, true) => Expr::bin("%", bin("+", i, Expr::usize(2)), n.clone()),
            (2, false) => {
                let signed = |of: &Expr| of.clone().cast(Ty::I64);
                let before = Expr::bin("-", signed(i), Expr::int(Ty::I64, 2));
                before.method("rem_euclid", vec![signed(n)]).cast(Ty::Usize)
            }
            (3, true) => {
                choice(Expr::bin("<", bin("+", i, one()), n.clone()), bin("+", i, one()), Expr::usize(0))
            }
            (5, true) => bin("+", i, one()).method("min", vec![bin("-", n, one())]),
            (5, false) => i.clone().method("saturating_sub", vec![one()]),
            (6, true) => choice(Expr::bin("<", bin("+", i, one()), n.clone()), bin("+", i, one()), i.clone()),
            (6, false) => choice(bin("==", i, Expr::usize(0)), Expr::usize(0), bin("-", i, one())),
            (_, true) => {
                choice(Expr::bin("==", bin("+", i, one()), n.clone()), Expr::usize(0), bin("+", i, one()))
            }
            (3, false) => choice(bin("==", i, Expr::usize(0)), bin("-", n, one()), bin("-", i, one())),
            (_, false) => choice(bin(">", i, Expr::usize(0)), bin("-", i, one()), bin("-", n, one())),
        };
        if self.draw.chance(50) {
            return number;
        }
        let name = self.name("beside");
        body.push(Stmt::Let { mutable: false, name: name.clone(), annotated: false, value: number });
        Expr::var(Ty::Usize, &name)
    }
}
