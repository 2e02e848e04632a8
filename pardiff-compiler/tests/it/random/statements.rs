//! Statements without control flow: lets, assignments, arrays, swaps, calls.

use super::expressions::Estimate;
use super::generate::Generator;
use super::program::{Expr, Kind, Place, Shape, Size, Start, Stmt, Tail, Ty, Values};
use super::scope::{Array, Storage, Variable};

impl Generator {
    /// A `let` of a scalar; now and then it shadows one of the same type.
    pub fn let_scalar(&mut self) -> Stmt {
        if self.draw.chance(20) {
            return self.let_int();
        }
        let ty = self.float_ty();
        let mutable = self.draw.chance(45);
        let value = self.bounded(ty, 3, 8.0);
        let name = match self.shadowed(ty) {
            Some(name) if self.draw.chance(15) => name,
            _ => self.name("t"),
        };
        self.declare(&name, ty, mutable, 8.0);
        Stmt::Let { mutable, name, annotated: value.only_literals() || self.draw.chance(20), value }
    }

    fn shadowed(&mut self, ty: Ty) -> Option<String> {
        let names: Vec<String> = self
            .scope
            .variables(ty)
            .iter()
            .filter(|v| !v.reference && !self.reserved.contains(&v.name))
            .filter(|v| v.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()))
            .map(|v| v.name.clone())
            .collect();
        self.draw.pick_some(&names)
    }

    fn let_int(&mut self) -> Stmt {
        if self.draw.chance(25) {
            let (name, mutable, value) = (self.name("is"), self.draw.chance(60), self.condition(1));
            self.declare(&name, Ty::Bool, mutable, 1.0);
            return Stmt::Let { mutable, name, annotated: false, value };
        }
        let ty = *self.draw.pick(&[Ty::I32, Ty::I64, Ty::Usize, Ty::U32]);
        let mutable = self.draw.chance(40);
        let (value, mag) = if ty == Ty::Usize {
            (Expr::bin("%", self.usize_value(1), Expr::usize(9)), 9.0)
        } else {
            let (value, mag) = self.int(ty, 2);
            if mag > 20.0 { (Expr::bin("%", value, Expr::int(ty, 17)), 17.0) } else { (value, mag) }
        };
        let name = self.name("k");
        self.declare(&name, ty, mutable, mag.max(20.0));
        Stmt::Let { mutable, name, annotated: value.only_literals() || self.draw.chance(50), value }
    }

    /// Tuples of scalars, destructured or not.
    pub fn let_tuple(&mut self) -> Stmt {
        let ty = self.float_ty();
        let calls: Vec<String> = self
            .helpers
            .iter()
            .filter(|h| matches!(&h.result, Tail::Tuple(values) if values[0].ty == ty))
            .map(|h| h.name.clone())
            .collect();
        let values: Vec<Estimate> = (0..2).map(|_| (self.bounded(ty, 2, 8.0), 8.0)).collect();
        let mut values: Vec<Expr> = values.into_iter().map(|(value, _)| value).collect();
        if self.draw.chance(40) {
            let (name, mutable) = (self.name("pair"), self.draw.chance(40));
            for field in ["0", "1"] {
                self.declare(&format!("{name}.{field}"), ty, mutable, 8.0);
            }
            return Stmt::LetPair { mutable, name, values };
        }
        if let Some(helper) = self.draw.pick_some(&calls) {
            let arg = self.bounded(ty, 2, 2.0);
            values = vec![Expr::new(ty, Kind::Call(helper, vec![arg]))];
        }
        let names: Vec<(bool, String)> = (0..2).map(|_| (self.draw.chance(30), self.name("t"))).collect();
        for (mutable, name) in &names {
            self.declare(name, ty, *mutable, 20.0);
        }
        Stmt::LetTuple { names, values }
    }

    /// An assignment to a scalar that may be assigned, or to an element.
    pub fn assign(&mut self) -> Option<Stmt> {
        if self.draw.chance(60) { self.assign_element() } else { self.assign_scalar() }
    }

    fn assign_scalar(&mut self) -> Option<Stmt> {
        let vars: Vec<Variable> =
            self.scope.all_variables().filter(|v| v.mutable && v.facts.below.is_empty()).cloned().collect();
        let var = self.draw.pick_some(&vars)?;
        let (op, value) =
            if var.ty.is_float() { self.update(var.ty, var.mag) } else { ("=", self.small_int(var.ty)) };
        Some(Stmt::Assign { target: var.place(), op, value })
    }

    fn small_int(&mut self, ty: Ty) -> Expr {
        if ty == Ty::Bool {
            return self.condition(1);
        }
        if ty == Ty::Usize {
            return Expr::bin("%", self.usize_value(1), Expr::usize(9));
        }
        let (value, _) = self.int(ty, 1);
        Expr::bin("%", value, Expr::int(ty, 17))
    }

    /// An operator and an operand that keep a value of magnitude `mag` of about that size.
    fn update(&mut self, ty: Ty, mag: f64) -> (&'static str, Expr) {
        match self.draw.below(9) {
            0..=2 => ("=", self.bounded(ty, 3, mag)),
            3 | 4 => ("+=", self.bounded(ty, 2, 2.0)),
            5 => ("-=", self.bounded(ty, 2, 2.0)),
            6 if !self.style.exact => {
                let (value, _) = self.float(ty, 1);
                ("/=", super::expressions::positive(value, ty))
            }
            _ => ("*=", self.bounded(ty, 2, 1.2)),
        }
    }

    fn assign_element(&mut self) -> Option<Stmt> {
        let arrays: Vec<Array> = self.scope.arrays().filter(|a| a.mutable).cloned().collect();
        let array = self.draw.pick_some(&arrays)?;
        let index = self.without(&array.name, |this| {
            let index: Option<Vec<Expr>> = array.dims.iter().map(|dim| this.index(dim, 2)).collect();
            index
        })?;
        if !array.elem.is_float() {
            let value = match &array.values {
                // still an index of what it was an index of
                Values::Below(size) => self.without(&array.name, |this| this.index(size, 1))?,
                _ => self.small_int(array.elem),
            };
            return Some(Stmt::Assign { target: Place::Index(array.name, index), op: "=", value });
        }
        let (op, mut value) = self.update(array.elem, array.mag);
        if op == "=" && self.draw.chance(45) {
            // in place: the new value depends on the old one
            let old = Expr::new(array.elem, Kind::Index(array.name.clone(), index.clone()));
            value = match self.draw.below(4) {
                _ if self.style.exact => Expr::bin("*", old, value),
                0 => Expr::bin("*", old, value.method("sin", vec![])),
                1 => Expr::bin("+", old.method("sin", vec![]), value),
                2 => old.method("max", vec![value]),
                _ => Expr::bin("*", old.method("tanh", vec![]), value),
            };
        }
        Some(Stmt::Assign { target: Place::Index(array.name, index), op, value })
    }

    /// A local array.
    pub fn let_array(&mut self) -> Stmt {
        let ty = self.float_ty();
        let name = self.name("u");
        let mutable = self.draw.chance(80);
        let fill = if self.draw.chance(60) { Expr::float(ty, 0.0) } else { self.bounded(ty, 1, 4.0) };
        let sizes: Vec<Size> = self.sizes();
        let sources: Vec<(String, Vec<Size>, f64)> = self
            .scope
            .arrays()
            .filter(|a| a.elem == ty && a.dims.len() == 1 && !a.dims[0].may_be_zero())
            .map(|a| (a.name.clone(), a.dims.clone(), a.mag))
            .collect();
        let rows = Size::Const(2 + self.draw.below(2));
        let cols = Size::Const(2 + self.draw.below(2));
        let (start, dims, storage) = match self.draw.below(8) {
            0 | 1 => (Start::Repeat(fill, vec![cols.expr()]), vec![cols], Storage::Fixed),
            2 => (Start::Repeat(fill, vec![rows.expr(), cols.expr()]), vec![rows, cols], Storage::Fixed),
            3 => {
                let values: Vec<Expr> = (0..3).map(|_| self.bounded(ty, 2, 4.0)).collect();
                (Start::List(values), vec![Size::Const(3)], Storage::Fixed)
            }
            4 if !sources.is_empty() => {
                let (source, dims, _) = self.draw.pick(&sources).clone();
                (Start::ToVec(source), dims, Storage::Vec)
            }
            5 => {
                let size = self.draw.pick(&sizes).clone();
                (Start::Vec(fill, vec![size.expr(), cols.expr()]), vec![size, cols], Storage::Vec)
            }
            _ => {
                let size = self.draw.pick(&sizes).clone();
                (Start::Vec(fill, vec![size.expr()]), vec![size], Storage::Vec)
            }
        };
        let array =
            Array { name: name.clone(), elem: ty, dims, mutable, mag: 4.0, values: Values::Any, storage };
        self.scope.add_array(array);
        Stmt::LetArray { mutable, name, start }
    }

    /// Draws something that does not mention `array`: it is borrowed meanwhile.
    fn without<T>(&mut self, array: &str, draw: impl FnOnce(&mut Generator) -> T) -> T {
        let saved = self.scope.clone();
        self.scope.remove(array);
        let drawn = draw(self);
        self.scope = saved;
        drawn
    }

    /// Sizes that are visible.
    pub fn sizes(&self) -> Vec<Size> {
        let mut sizes = vec![Size::Const(3)];
        for array in self.scope.arrays() {
            let dims =
                array.dims.iter().filter(|size| !size.may_be_zero() && !matches!(size, Size::Plus1(_)));
            sizes.extend(dims.cloned());
        }
        sizes
    }

    /// Swaps, `fill`, copies of arrays and rows.
    pub fn whole_array(&mut self) -> Option<Stmt> {
        let arrays: Vec<Array> =
            self.scope.arrays().filter(|a| a.mutable && a.elem.is_float()).cloned().collect();
        let array = self.draw.pick_some(&arrays)?;
        let others: Vec<Array> = self
            .scope
            .arrays()
            .filter(|a| a.elem == array.elem && a.dims == array.dims && a.name != array.name)
            .cloned()
            .collect();
        let name = array.name.clone();
        match self.draw.below(6) {
            0 | 1 if array.dims.len() == 1 => {
                let dim = &array.dims[0];
                let (i, j) = self.without(&name, |this| (this.index(dim, 1), this.index(dim, 1)));
                let (i, j) = (i?, j?);
                Some(Stmt::Swap { array: name, i, j })
            }
            2 if array.dims.len() == 1 => {
                let value = self.without(&name, |this| this.bounded(array.elem, 2, array.mag));
                Some(Stmt::Fill { array: name, value })
            }
            3 | 4 if array.storage != Storage::Reference && !array.dims[0].may_be_zero() => {
                let same: Vec<Array> =
                    others.iter().filter(|a| a.mutable && a.storage == array.storage).cloned().collect();
                let other = self.draw.pick_some(&same)?;
                Some(Stmt::SwapArrays(name, other.name))
            }
            5 if array.dims.len() == 2 => {
                let rows: Vec<Array> = self
                    .scope
                    .arrays()
                    .filter(|a| a.elem == array.elem && a.dims.len() == 2 && a.dims[1] == array.dims[1])
                    .cloned()
                    .collect();
                let from = self.draw.pick_some(&rows)?;
                let i = self.without(&name, |this| this.index(&array.dims[0], 1))?;
                let j = self.index(&from.dims[0], 1)?;
                Some(Stmt::CopyRow { to: name, i, from: from.name, j })
            }
            _ => {
                let flat: Vec<Array> = others.into_iter().filter(|a| a.dims.len() == 1).collect();
                let from = self.draw.pick_some(&flat)?;
                let borrow = from.storage != Storage::Reference;
                Some(Stmt::CopyFrom { to: name, from: from.name, borrow })
            }
        }
    }

    /// The value of a helper function.
    pub fn helper_call(&mut self, ty: Ty, depth: u32) -> Option<Estimate> {
        let found: Vec<_> = self
            .helpers
            .iter()
            .filter(|h| matches!(&h.result, Tail::Value(value) if value.ty == ty))
            .map(|h| (h.name.clone(), h.params.clone()))
            .collect();
        let (name, params) = self.draw.pick_some(&found)?;
        let mut args = Vec::new();
        for param in &params {
            args.push(if param.shape == Shape::Scalar {
                self.bounded(param.ty, depth - 1, 2.0)
            } else {
                self.borrow(param.ty, false)?.0
            });
        }
        Some((Expr::new(ty, Kind::Call(name, args)), 4.0))
    }

    /// An array, or a row of one, as an argument.
    fn borrow(&mut self, ty: Ty, mutable: bool) -> Option<(Expr, String)> {
        let found: Vec<Array> = self
            .scope
            .arrays()
            .filter(|a| a.elem == ty && (a.mutable || !mutable) && !a.dims.iter().any(Size::may_be_zero))
            .filter(|a| a.storage != Storage::Const)
            .cloned()
            .collect();
        let array = self.draw.pick_some(&found)?;
        let reference = if mutable { "&mut " } else { "&" };
        let (prefix, row) = if array.dims.len() == 2 {
            (reference, Some(Box::new(self.index(&array.dims[0], 0)?)))
        } else if array.storage == Storage::Reference {
            ("", None)
        } else {
            (reference, None)
        };
        Some((Expr::new(ty, Kind::Borrow(prefix, array.name.clone(), row)), array.name))
    }

    /// A call of a helper that writes through `&mut`.
    pub fn helper_statement(&mut self) -> Option<Stmt> {
        let found: Vec<_> = self
            .helpers
            .iter()
            .filter(|h| h.result == Tail::Unit)
            .map(|h| (h.name.clone(), h.params.clone()))
            .collect();
        let (name, params) = self.draw.pick_some(&found)?;
        let (target, array) = self.borrow(params[1].ty, true)?;
        let value = self.without(&array, |this| this.bounded(params[0].ty, 2, 2.0));
        Some(Stmt::Call(Expr::new(Ty::F64, Kind::Call(name, vec![value, target]))))
    }
}
