//! Neighbours of grids: around a ring, where the last element is beside the first one, and with walls; into several planes, or members of records.

use super::generate::Generator;
use super::program::{Expr, Kind, Place, Range, Size, Start, Stmt, Ty, Values};
use super::scope::{Array, Storage};

/// A part of an array that has an element for each cell of a grid.
enum Part<'a> {
    /// One of several planes of that size, one behind the other.
    Plane(usize, &'a Size),
    /// A member of each record.
    Member(Expr),
}

impl Part<'_> {
    /// The index of a cell.
    fn of(&self, cell: Expr) -> Vec<Expr> {
        match self {
            Part::Plane(0, _) => vec![cell],
            Part::Plane(1, size) => vec![Expr::bin("+", size.expr(), cell)],
            Part::Plane(plane, size) => {
                vec![Expr::bin("+", Expr::bin("*", Expr::usize(*plane), size.expr()), cell)]
            }
            Part::Member(member) => vec![cell, member.clone()],
        }
    }
}

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
        let parts = if self.draw.chance(50) { 2 + self.draw.below(2) } else { 1 };
        let records = parts > 1 && self.draw.chance(50);
        let dims = match parts {
            1 => vec![size.clone()],
            parts if records => vec![size.clone(), Size::Const(parts)],
            parts => vec![Size::Product(Box::new(Size::Const(parts)), Box::new(size.clone()))],
        };
        let start = Start::Vec(self.bounded(ty, 1, 2.0), dims.iter().map(Size::expr).collect());
        out.push(Stmt::LetArray { mutable: true, name: name.clone(), start });
        let sizes = match &size {
            Size::Product(rows, cols) => vec![(**rows).clone(), (**cols).clone()],
            other => vec![other.clone()],
        };
        let iters: Vec<String> = sizes.iter().map(|_| self.name("i")).collect();
        let mut body = Vec::new();
        for _ in 0..1 + self.draw.below(3) {
            let part = self.draw.below(parts);
            if !records {
                let part = Part::Plane(part, &size);
                self.neighbour(&mut body, (&source.name, &name, ty), &part, &iters, &sizes);
                continue;
            }
            let of_each = self.draw.chance(50).then(|| self.name("s"));
            let member = of_each.as_ref().map_or(Expr::usize(part), |iter| Expr::var(Ty::Usize, iter));
            let mut inner = Vec::new();
            let names = (&source.name[..], &name[..], ty);
            self.neighbour(&mut inner, names, &Part::Member(member), &iters, &sizes);
            match of_each {
                Some(iter) => {
                    let (lo, hi, rev) = (Expr::usize(0), Expr::usize(parts), self.draw.chance(30));
                    let range = Range { lo, hi, inclusive: false, rev, step: None, rev_first: false };
                    body.push(Stmt::For { iter, range, body: inner });
                }
                None => body.append(&mut inner),
            }
        }
        for (iter, size) in iters.iter().zip(&sizes).rev() {
            let rev = self.draw.chance(15);
            let (lo, hi) = (Expr::usize(0), size.expr());
            let range = Range { lo, hi, inclusive: false, rev, step: None, rev_first: false };
            body = vec![Stmt::For { iter: iter.clone(), range, body }];
        }
        out.append(&mut body);
        let (mutable, mag, storage) = (true, 20.0, Storage::Vec);
        self.scope.add_array(Array { name, elem: ty, dims, mutable, mag, values: Values::Any, storage });
    }

    /// One statement about a neighbour along one of the loops, in a part of the target.
    fn neighbour(
        &mut self,
        body: &mut Vec<Stmt>,
        (source, target, ty): (&str, &str, Ty),
        part: &Part,
        iters: &[String],
        sizes: &[Size],
    ) {
        let here: Vec<Expr> = iters.iter().map(|iter| Expr::var(Ty::Usize, iter)).collect();
        let along = self.draw.below(iters.len());
        let (i, n) = (here[along].clone(), sizes[along].expr());
        let mut there = here.clone();
        let wall = self.draw.chance(30);
        let up = self.draw.chance(50);
        let signed = (wall && self.draw.chance(50)).then(|| self.signed_step(&i, &n, up));
        there[along] = match (&signed, wall) {
            (Some((there, _)), _) => there.clone().cast(Ty::Usize),
            (None, true) => Expr::bin(if up { "+" } else { "-" }, i.clone(), Expr::usize(1)),
            (None, false) => self.step(body, &i, &n, up),
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
        let place = |index: &[Expr]| Place::Index(target.to_owned(), part.of(at(index)));
        let op = if is_push || self.draw.chance(70) { "+=" } else { "=" };
        let update = Stmt::Assign { target: place(written), op, value };
        if !wall {
            return body.push(update);
        }
        let cond = match (signed, up) {
            (Some((there, size)), _) => {
                let zero = Expr::int(there.ty, 0);
                Expr::bin("&&", Expr::bin(">=", there.clone(), zero), Expr::bin("<", there, size))
            }
            (None, true) => Expr::bin("<", Expr::bin("+", i, Expr::usize(1)), n),
            (None, false) => Expr::bin(">", i, Expr::usize(0)),
        };
        let bounce = Stmt::Assign { target: place(&here), op: "+=", value: element(&here) };
        let els = if self.draw.chance(50) { vec![bounce] } else { Vec::new() };
        body.push(Stmt::If { cond, then: vec![update], els });
    }

    /// The number of a neighbour that need not be there, and the number of all, in a signed type.
    fn signed_step(&mut self, i: &Expr, n: &Expr, up: bool) -> (Expr, Expr) {
        let ty = if self.draw.chance(50) { Ty::I64 } else { Ty::I32 };
        let by = Expr::int(ty, 1 + self.draw.below(3) as i64);
        (Expr::bin(if up { "+" } else { "-" }, i.clone().cast(ty), by), n.clone().cast(ty))
    }

    /// The number of a neighbour that is kept in the array.
    fn clamped(&mut self, i: &Expr, n: &Expr, up: bool) -> Expr {
        let far = Expr::usize(2 + self.draw.below(2));
        let last = Expr::bin("-", n.clone(), Expr::usize(1));
        if self.draw.chance(40) {
            return match up {
                true => Expr::bin("+", i.clone(), far).method("min", vec![last]),
                false => i.clone().method("saturating_sub", vec![far]),
            };
        }
        let (there, size) = self.signed_step(i, n, up);
        let (zero, last) = (Expr::int(there.ty, 0), Expr::bin("-", size, Expr::int(there.ty, 1)));
        let number = match (self.draw.below(3), up) {
            (0, _) => there.method("clamp", vec![zero, last]),
            (1, true) => there.method("min", vec![last]),
            (1, false) => there.method("max", vec![zero]),
            _ => there.method("max", vec![zero]).method("min", vec![last]),
        };
        number.cast(Ty::Usize)
    }

    /// The number of a neighbour around the ring, in one of the ways to write it.
    fn step(&mut self, body: &mut Vec<Stmt>, i: &Expr, n: &Expr, up: bool) -> Expr {
        let one = || Expr::usize(1);
        let bin = |op, a: &Expr, b: Expr| Expr::bin(op, a.clone(), b);
        let choice =
            |cond: Expr, yes: Expr, no: Expr| Expr::new(Ty::Usize, Kind::If(Box::new([cond, yes, no])));
        let number = match (self.draw.below(11), up) {
            (8.., up) => self.clamped(i, n, up),
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
