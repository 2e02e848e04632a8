//! The little tree that random programs are: typed expressions and statements that print as Rust.

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    F64,
    F32,
    Usize,
    I32,
    I64,
    U32,
    Bool,
}

/// A typed expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub ty: Ty,
    pub kind: Kind,
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    Float(f64),
    Int(i64),
    Bool(bool),
    /// A scalar variable or constant, also `pair.0`.
    Var(String),
    /// A `&mut` scalar parameter, read.
    Deref(String),
    /// An element.
    Index(String, Vec<Expr>),
    /// `.len()`
    Len(String),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Bin(&'static str, Box<Expr>, Box<Expr>),
    /// The first operand is the receiver.
    Method(&'static str, Vec<Expr>),
    /// `f64::max(a, b)`
    Path(&'static str, Vec<Expr>),
    /// `as`
    Cast(Box<Expr>),
    If(Box<[Expr; 3]>),
    /// Arms with their patterns; the last is `_`.
    Match(Box<Expr>, Vec<(String, Expr)>),
    Block(Vec<Stmt>, Box<Expr>),
    /// A helper function.
    Call(String, Vec<Expr>),
    /// `chain.filter(…).map(…).sum()`, or a fold
    Consumed(Box<Chain>, Option<Box<Expr>>, Box<Expr>, bool),
    /// A whole array as an argument: what stands before its name, the name, an index of a row.
    Borrow(&'static str, String, Option<Box<Expr>>),
}

/// A place that can be assigned.
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    Var(String),
    Deref(String),
    Index(String, Vec<Expr>),
}

/// A range of a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    pub lo: Expr,
    pub hi: Expr,
    pub inclusive: bool,
    pub rev: bool,
    pub step: Option<Expr>,
    /// `.rev().step_by(k)` instead of `.step_by(k).rev()`.
    pub rev_first: bool,
}

/// An iterator chain; what stands at its leaves has a name in the pattern of its items.
#[derive(Clone, PartialEq, Debug)]
pub enum Chain {
    Range(String, Expr, Expr),
    Elements(String, String, Ty),
    /// `iter_mut`
    Changed(String, String, Ty),
    /// `chunks_exact`
    Chunks(String, String, usize, Ty),
    Windows(String, String, usize, Ty),
    Rev(Box<Chain>),
    Skip(Box<Chain>, usize),
    Take(Box<Chain>, usize),
    StepBy(Box<Chain>, usize),
    Enumerate(String, Box<Chain>),
    Zip(Box<Chain>, Box<Chain>),
}

/// How a local array begins.
#[derive(Clone, PartialEq, Debug)]
pub enum Start {
    /// `[v; N]`, `[[v; M]; N]`
    Repeat(Expr, Vec<Expr>),
    /// `vec![v; n]`, `vec![[v; M]; n]`
    Vec(Expr, Vec<Expr>),
    /// `[a, b, c]`
    List(Vec<Expr>),
    /// `x.to_vec()`
    ToVec(String),
    /// `Vec::new()`, to be pushed to
    Growing(Ty),
    /// `chain.map(…).collect()`
    Collect(Box<Chain>, Expr),
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    Let {
        mutable: bool,
        name: String,
        annotated: bool,
        value: Expr,
    },
    /// `let (a, mut b) = (…);` or of a helper that returns a tuple
    LetTuple {
        names: Vec<(bool, String)>,
        values: Vec<Expr>,
    },
    /// `let pair = (a, b);`, then `pair.0`
    LetPair {
        mutable: bool,
        name: String,
        values: Vec<Expr>,
    },
    LetArray {
        mutable: bool,
        name: String,
        start: Start,
    },
    /// `let part = &base[lo..hi];`, or the row `&base[lo]` where `row`
    LetSlice {
        mutable: bool,
        name: String,
        base: String,
        row: bool,
        lo: Option<Expr>,
        hi: Option<Expr>,
    },
    Assign {
        target: Place,
        op: &'static str,
        value: Expr,
    },
    For {
        iter: String,
        range: Range,
        body: Vec<Stmt>,
    },
    If {
        cond: Expr,
        then: Vec<Stmt>,
        els: Vec<Stmt>,
    },
    Match {
        on: Expr,
        arms: Vec<(String, Vec<Stmt>)>,
    },
    /// `for pattern in chain.filter(…)`
    Each {
        chain: Chain,
        filter: Option<Expr>,
        body: Vec<Stmt>,
    },
    /// `while counter < most && cond { counter += 1; … }`, or a `loop` with `break`
    While {
        counter: String,
        most: Expr,
        cond: Option<Expr>,
        endless: bool,
        body: Vec<Stmt>,
    },
    Continue,
    Break,
    /// Of a function that returns a scalar.
    Return(Expr),
    Block(Vec<Stmt>),
    Swap {
        array: String,
        i: Expr,
        j: Expr,
    },
    SwapArrays(String, String),
    Fill {
        array: String,
        value: Expr,
    },
    CopyFrom {
        to: String,
        from: String,
        borrow: bool,
    },
    /// `to[i] = from[j]` of whole rows
    CopyRow {
        to: String,
        i: Expr,
        from: String,
        j: Expr,
    },
    Push {
        array: String,
        value: Expr,
    },
    Assert(Expr),
    Call(Expr),
}

/// The type of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    Scalar,
    /// `&mut T`
    ScalarRef,
    /// `&[T]`
    Slice,
    /// `&[T; N]`, `&[[T; M]; N]`
    Array(Vec<String>),
    /// `&[[T; M]]`
    Rows(String),
}

/// The extent of an array, in terms of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Size {
    Const(usize),
    /// A `usize` variable or const parameter of that name.
    Named(String),
    /// One more: row pointers.
    Plus1(Box<Size>),
    /// One less; may be zero.
    Minus1(Box<Size>),
    Product(Box<Size>, Box<Size>),
    /// The length of that array.
    Len(String),
}

/// What the integers of an array may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    Any,
    Below(Size),
    AtMost(Size),
    /// Row pointers into an array of that size.
    Pointers(Size),
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub name: String,
    pub ty: Ty,
    pub shape: Shape,
    pub mutable: bool,
    pub dims: Vec<Size>,
    pub values: Values,
    /// The values of an integer scalar.
    pub range: (i64, i64),
}

/// A constant or a table, declared in the body.
#[derive(Clone, PartialEq, Debug)]
pub struct Const {
    pub name: String,
    pub ty: Ty,
    /// One value unless `table`.
    pub values: Vec<f64>,
    pub table: bool,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: String,
    pub params: Vec<Param>,
    /// A const generic parameter.
    pub generic: Option<String>,
    pub body: Vec<Stmt>,
    pub result: Tail,
}

/// The tail expression of a function.
#[derive(Clone, PartialEq, Debug)]
pub enum Tail {
    Unit,
    Value(Expr),
    Tuple(Vec<Expr>),
    /// A local array `[T; N]`.
    Array(String, Ty, usize),
}

/// A whole program: one function with what stands inside it.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub consts: Vec<Const>,
    pub helpers: Vec<Function>,
    pub main: Function,
    /// Only `+ - *` of floats: equal modulo a prime.
    pub exact: bool,
}

impl Ty {
    pub fn name(self) -> &'static str {
        match self {
            Ty::F64 => "f64",
            Ty::F32 => "f32",
            Ty::Usize => "usize",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::U32 => "u32",
            Ty::Bool => "bool",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Ty::F64 | Ty::F32)
    }
}

impl Expr {
    pub fn new(ty: Ty, kind: Kind) -> Expr {
        Expr { ty, kind }
    }
    pub fn int(ty: Ty, value: i64) -> Expr {
        Expr::new(ty, Kind::Int(value))
    }
    pub fn usize(value: usize) -> Expr {
        Expr::int(Ty::Usize, value as i64)
    }
    pub fn float(ty: Ty, value: f64) -> Expr {
        Expr::new(ty, Kind::Float(value))
    }
    pub fn var(ty: Ty, name: &str) -> Expr {
        Expr::new(ty, Kind::Var(name.to_owned()))
    }
    pub fn bin(op: &'static str, lhs: Expr, rhs: Expr) -> Expr {
        let ty =
            if matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||") { Ty::Bool } else { lhs.ty };
        Expr::new(ty, Kind::Bin(op, Box::new(lhs), Box::new(rhs)))
    }
    pub fn method(self, name: &'static str, mut more: Vec<Expr>) -> Expr {
        more.insert(0, self);
        Expr::new(more[0].ty, Kind::Method(name, more))
    }
    pub fn cast(self, ty: Ty) -> Expr {
        Expr::new(ty, Kind::Cast(Box::new(self)))
    }
    pub fn neg(self) -> Expr {
        Expr::new(self.ty, Kind::Neg(Box::new(self)))
    }
    pub fn if_else(cond: Expr, yes: Expr, no: Expr) -> Expr {
        Expr::new(yes.ty, Kind::If(Box::new([cond, yes, no])))
    }

    /// Whether rustc would have to guess the type: nothing but literals.
    pub fn only_literals(&self) -> bool {
        match &self.kind {
            Kind::Float(_) | Kind::Int(_) => true,
            Kind::Neg(operand) => operand.only_literals(),
            Kind::Bin(_, lhs, rhs) => lhs.only_literals() && rhs.only_literals(),
            Kind::If(parts) => parts[1].only_literals() && parts[2].only_literals(),
            Kind::Match(_, arms) => arms.iter().all(|(_, value)| value.only_literals()),
            Kind::Block(_, value) => value.only_literals(),
            _ => false,
        }
    }
}

impl Size {
    pub fn named(name: &str) -> Size {
        Size::Named(name.to_owned())
    }

    /// The extent as an expression.
    pub fn expr(&self) -> Expr {
        match self {
            Size::Const(value) => Expr::usize(*value),
            Size::Named(name) => Expr::var(Ty::Usize, name),
            Size::Plus1(size) => Expr::bin("+", size.expr(), Expr::usize(1)),
            Size::Minus1(size) => Expr::bin("-", size.expr(), Expr::usize(1)),
            Size::Product(rows, cols) => Expr::bin("*", rows.expr(), cols.expr()),
            Size::Len(name) => Expr::new(Ty::Usize, Kind::Len(name.clone())),
        }
    }

    /// Whether it may be zero on the generated arguments.
    pub fn may_be_zero(&self) -> bool {
        matches!(self, Size::Minus1(_) | Size::Len(_))
    }
}

impl Chain {
    /// Calls `visit` on what has a name, outermost first.
    pub fn leaves<'a>(&'a self, visit: &mut dyn FnMut(&'a Chain)) {
        match self {
            Chain::Rev(inner) | Chain::Skip(inner, _) | Chain::Take(inner, _) | Chain::StepBy(inner, _) => {
                inner.leaves(visit);
            }
            Chain::Enumerate(_, inner) => {
                visit(self);
                inner.leaves(visit);
            }
            Chain::Zip(a, b) => {
                a.leaves(visit);
                b.leaves(visit);
            }
            _ => visit(self),
        }
    }

    /// The names that it binds.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.leaves(&mut |leaf| match leaf {
            Chain::Range(name, ..)
            | Chain::Elements(name, ..)
            | Chain::Changed(name, ..)
            | Chain::Chunks(name, ..)
            | Chain::Windows(name, ..)
            | Chain::Enumerate(name, _) => names.push(name.clone()),
            _ => {}
        });
        names
    }

    /// The arrays that it borrows.
    pub fn arrays(&self) -> Vec<String> {
        let mut arrays = Vec::new();
        self.leaves(&mut |leaf| match leaf {
            Chain::Elements(_, array, _)
            | Chain::Changed(_, array, _)
            | Chain::Chunks(_, array, ..)
            | Chain::Windows(_, array, ..) => arrays.push(array.clone()),
            Chain::Range(_, _, Expr { kind: Kind::Len(array), .. }) => arrays.push(array.clone()),
            _ => {}
        });
        arrays
    }

    /// Whether it hands out elements to be changed.
    pub fn is_changing(&self) -> bool {
        let mut changing = false;
        self.leaves(&mut |leaf| changing |= matches!(leaf, Chain::Changed(..)));
        changing
    }
}
