//! The generator: parameters, constants, helpers, body, result.

use super::draw::Draw;
use super::program::{
    Const, Expr, Function, Kind, Param, Program, Shape, Size, Start, Stmt, Tail, Ty, Values,
};
use super::scope::{Array, Facts, Scope, Storage, Variable};

/// What kind of program is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// Floats meet only `+ - *`.
    pub exact: bool,
    /// `f32` beside `f64`.
    pub mixed: bool,
}

/// The state of a generation.
pub struct Generator {
    pub draw: Draw,
    pub style: Style,
    pub scope: Scope,
    pub helpers: Vec<Function>,
    /// Loops around.
    pub nest: u32,
    /// Whether `continue` may stand here.
    pub in_loop: bool,
    /// Whether iterator chains, loops that end when they say so and jumps are drawn.
    pub everything: bool,
    /// What `return` has, where one may stand.
    pub returns: Option<Ty>,
    /// Names that sizes mention: never shadowed.
    pub reserved: Vec<String>,
    counter: usize,
}

/// The program of that seed, of counted loops over ranges.
pub fn program(seed: u64, style: Style) -> Program {
    drawn(seed, style, false)
}

/// The program of that seed, with iterator chains, loops that end when they say so, and jumps out of them.
pub fn program_of_everything(seed: u64, style: Style) -> Program {
    drawn(seed, style, true)
}

fn drawn(seed: u64, style: Style, everything: bool) -> Program {
    let mut generator = Generator {
        draw: Draw::new(seed),
        style,
        scope: Scope::default(),
        helpers: Vec::new(),
        nest: 0,
        in_loop: false,
        returns: None,
        everything,
        reserved: Vec::new(),
        counter: 0,
    };
    generator.program(&format!("f{seed}"))
}

impl Generator {
    /// A fresh name.
    pub fn name(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }

    /// Declares a scalar without facts.
    pub fn declare(&mut self, name: &str, ty: Ty, mutable: bool, mag: f64) {
        let (name, facts) = (name.to_owned(), Facts::default());
        self.scope.add_variable(Variable { name, ty, mutable, reference: false, mag, facts });
    }

    /// The float type of the next thing.
    pub fn float_ty(&mut self) -> Ty {
        if self.style.mixed && self.draw.chance(40) { Ty::F32 } else { Ty::F64 }
    }

    fn program(&mut self, name: &str) -> Program {
        for _ in 0..self.draw.below(3) {
            let helper = self.helper();
            self.helpers.push(helper);
        }
        self.scope = Scope::default();
        let consts = self.consts();
        let (params, generic, mut body) = self.params();
        let budget = 3 + self.draw.below(6);
        self.returns = (self.everything && self.draw.chance(50)).then(|| self.float_ty());
        body.extend(self.block(budget, 2));
        let is_output = |p: &Param| p.mutable && p.ty.is_float() && p.shape != Shape::Scalar;
        let has_output = params.iter().any(is_output);
        let result = self.tail(&mut body, has_output);
        let main = Function { name: name.to_owned(), params, generic, body, result };
        Program { consts, helpers: self.helpers.clone(), main, exact: self.style.exact }
    }

    fn consts(&mut self) -> Vec<Const> {
        let mut consts = Vec::new();
        if self.draw.chance(20) {
            let value = if self.style.exact { 3.0 } else { 0.7 };
            consts.push(Const { name: "SCALE".into(), ty: Ty::F64, values: vec![value], table: false });
            self.declare("SCALE", Ty::F64, false, value);
        }
        if self.draw.chance(20) {
            let values: Vec<f64> = if self.style.exact {
                vec![2.0, -1.0, 3.0]
            } else {
                (0..3).map(|_| (self.draw.float(-2.0, 2.0) * 64.0).round() / 64.0).collect()
            };
            self.scope.add_array(Array {
                name: "TABLE".into(),
                elem: Ty::F64,
                dims: vec![Size::Const(3)],
                mutable: false,
                mag: 2.0,
                values: Values::Any,
                storage: Storage::Const,
            });
            consts.push(Const { name: "TABLE".into(), ty: Ty::F64, values, table: true });
        }
        consts
    }

    fn params(&mut self) -> (Vec<Param>, Option<String>, Vec<Stmt>) {
        let mut params = Vec::new();
        let mut body = Vec::new();
        let mut generic = None;
        // the sizes
        let n = Size::named("n");
        let from_length = self.draw.chance(15);
        if !from_length {
            params.push(scalar("n", Ty::Usize, (1, 4)));
        }
        let mut sizes = vec![n.clone()];
        if self.draw.chance(60) {
            params.push(scalar("m", Ty::Usize, (1, 3)));
            sizes.push(Size::named("m"));
        }
        if self.draw.chance(15) {
            generic = Some("N".to_owned());
            sizes.push(Size::named("N"));
        }
        sizes.push(Size::Const(2 + self.draw.below(3)));
        // arrays
        let names = ["x", "y", "z", "w", "d_x", "out", "value", "seed", "tape"];
        let count = 2 + self.draw.below(3);
        let first = self.draw.below(2);
        for (k, name) in names.iter().skip(first).take(count).enumerate() {
            let ty = self.float_ty();
            let mutable = k > 0 && self.draw.chance(50);
            let outer = if k == 0 { n.clone() } else { self.draw.pick(&sizes).clone() };
            let inner = self.draw.pick(&sizes).clone();
            let fixed =
                |size: &Size| matches!(size, Size::Const(_)) || matches!(size, Size::Named(n) if n == "N");
            let dim = |size: &Size| size.expr().source();
            let (shape, dims) = match self.draw.below(10) {
                0..=3 => (Shape::Slice, vec![outer]),
                4 | 5 if k > 0 && outer != inner => {
                    (Shape::Slice, vec![Size::Product(Box::new(outer), Box::new(inner))])
                }
                6 | 7 if fixed(&inner) => (Shape::Rows(dim(&inner)), vec![outer, inner]),
                8 if fixed(&outer) && fixed(&inner) => {
                    (Shape::Array(vec![dim(&outer), dim(&inner)]), vec![outer, inner])
                }
                _ if fixed(&outer) => (Shape::Array(vec![dim(&outer)]), vec![outer]),
                _ => (Shape::Slice, vec![outer]),
            };
            params.push(Param {
                name: name.to_string(),
                ty,
                shape,
                mutable,
                dims,
                values: Values::Any,
                range: (0, 0),
            });
        }
        if from_length {
            let array = params.iter().find(|p| p.dims.first() == Some(&n)).map(|p| p.name.clone());
            let name = array.unwrap_or_else(|| names[first].to_owned());
            let value = Expr::new(Ty::Usize, Kind::Len(name));
            body.push(Stmt::Let { mutable: false, name: "n".into(), annotated: false, value });
        }
        self.more_params(&mut params, &sizes);
        // what they are in the body; sizes first
        self.reserved = vec!["n".into(), "m".into(), "N".into(), "nnz".into()];
        if from_length {
            self.declare("n", Ty::Usize, false, 5.0);
        }
        if generic.is_some() {
            self.declare("N", Ty::Usize, false, 3.0);
        }
        for param in &params {
            self.declare_param(param);
        }
        (params, generic, body)
    }

    fn more_params(&mut self, params: &mut Vec<Param>, sizes: &[Size]) {
        let n = sizes[0].clone();
        for name in ["a", "b"] {
            if self.draw.chance(40) {
                let ty = self.float_ty();
                let mut param = scalar(name, ty, (0, 0));
                param.mutable = self.draw.chance(25);
                params.push(param);
            }
        }
        if self.draw.chance(20) {
            let ty = self.float_ty();
            let mut param = scalar("acc", ty, (0, 0));
            param.shape = Shape::ScalarRef;
            param.mutable = true;
            params.push(param);
        }
        if self.draw.chance(25) {
            let target = self.draw.pick(sizes).clone();
            let mut param = ints("idx", Ty::Usize, n.clone(), Values::Below(target));
            param.mutable = self.draw.chance(35);
            params.push(param);
        }
        if self.draw.chance(15) {
            params.push(ints("count", Ty::Usize, n.clone(), Values::AtMost(n.clone())));
        }
        if self.draw.chance(20) {
            let nnz = Size::Len("col".into());
            let target = self.draw.pick(sizes).clone();
            params.push(ints(
                "ptr",
                Ty::Usize,
                Size::Plus1(Box::new(n.clone())),
                Values::Pointers(nnz.clone()),
            ));
            params.push(ints("col", Ty::Usize, nnz, Values::Below(target)));
        }
        if self.draw.chance(25) {
            let ty = *self.draw.pick(&[Ty::I32, Ty::I64, Ty::U32]);
            let mut param = ints("kind", ty, n.clone(), Values::Any);
            param.mutable = self.draw.chance(30);
            params.push(param);
        }
        if self.draw.chance(15) {
            params.push(scalar("flag", Ty::Bool, (0, 1)));
        }
        if self.draw.chance(15) {
            params.push(scalar("shift", Ty::I32, (-4, 4)));
        }
        if self.draw.chance(20) {
            params.push(scalar("steps", Ty::Usize, (0, 3)));
        }
    }

    /// Makes a parameter visible.
    pub fn declare_param(&mut self, param: &Param) {
        let name = param.name.clone();
        match param.shape {
            Shape::Scalar | Shape::ScalarRef => {
                let reference = param.shape == Shape::ScalarRef;
                let mag = if param.ty.is_float() { 2.0 } else { 4.0 };
                let facts = Facts::default();
                let mutable = param.mutable;
                self.scope.add_variable(Variable { name, ty: param.ty, mutable, reference, mag, facts });
            }
            _ => self.scope.add_array(Array {
                name,
                elem: param.ty,
                dims: param.dims.clone(),
                mutable: param.mutable,
                mag: if param.mutable { 4.0 } else { 2.0 },
                values: param.values.clone(),
                storage: Storage::Reference,
            }),
        }
    }

    fn tail(&mut self, body: &mut Vec<Stmt>, has_output: bool) -> Tail {
        if let Some(ty) = self.returns {
            return Tail::Value(self.float(ty, 2).0);
        }
        match self.draw.below(10) {
            0 if has_output => Tail::Unit,
            1 | 2 => {
                let count = 2 + self.draw.below(2);
                let mut values = Vec::new();
                for k in 0..count {
                    if k == 1 && self.draw.chance(30) {
                        values.push(self.int(Ty::I32, 1).0);
                    } else {
                        let ty = self.float_ty();
                        values.push(self.float(ty, 2).0);
                    }
                }
                Tail::Tuple(values)
            }
            3 => {
                let ty = self.float_ty();
                let values: Vec<Expr> = (0..3).map(|_| self.float(ty, 2).0).collect();
                let name = self.name("result");
                let start = Start::List(values);
                body.push(Stmt::LetArray { mutable: false, name: name.clone(), start });
                Tail::Array(name, ty, 3)
            }
            _ => {
                let ty = self.float_ty();
                Tail::Value(self.float(ty, 2).0)
            }
        }
    }

    /// A helper function: scalars, or a slice and a scalar, to a float, two floats, or through `&mut`.
    fn helper(&mut self) -> Function {
        self.scope = Scope::default();
        let ty = self.float_ty();
        let name = self.name("h");
        let mut params = vec![scalar("p", ty, (0, 0))];
        let kind = self.draw.below(4);
        if kind == 0 {
            let q = self.float_ty();
            params.push(scalar("q", q, (0, 0)));
        } else if kind < 3 {
            let mut array = ints("v", ty, Size::Len("v".into()), Values::Any);
            array.mutable = kind == 2;
            params.push(array);
        }
        self.reserved = vec!["v".into()];
        for param in &params {
            self.declare_param(param);
        }
        let budget = 1 + self.draw.below(3);
        let body = self.block(budget, 1);
        let result = match kind {
            2 => Tail::Unit,
            3 => Tail::Tuple(vec![self.float(ty, 2).0, self.float(ty, 2).0]),
            _ => Tail::Value(self.bounded(ty, 2, 4.0)),
        };
        Function { name, params, generic: None, body, result }
    }
}

/// A scalar parameter.
pub fn scalar(name: &str, ty: Ty, range: (i64, i64)) -> Param {
    Param {
        name: name.into(),
        ty,
        shape: Shape::Scalar,
        mutable: false,
        dims: vec![],
        values: Values::Any,
        range,
    }
}

fn ints(name: &str, ty: Ty, size: Size, values: Values) -> Param {
    Param {
        name: name.into(),
        ty,
        shape: Shape::Slice,
        mutable: false,
        dims: vec![size],
        values,
        range: (0, 0),
    }
}
