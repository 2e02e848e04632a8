//! Expressions: typed scalars. They have no side effect, and loads are explicit.
//!
//! An expression is evaluated whole: `Select` evaluates both sides. Whatever can panic or reads memory under a
//! condition in the source is therefore lowered to an `If` statement, never to a `Select`.
//! Integer operations behave as in Rust: what overflows panics where the program is built with overflow checks
//! (the interpreter always faults).

use super::{BufferId, Func, IterId, OpaqueId, Ty};
use crate::map::Mixed;
use crate::steps;
use std::hash::{Hash, Hasher};

/// A typed scalar expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// The type of the value.
    pub ty: Ty,
    /// What it computes.
    pub kind: ExprKind,
}

/// What an expression computes.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A float constant; for `f32` the value is one that `f32` can hold.
    Float(f64),
    /// An integer constant in the range of its type.
    Int(i128),
    /// A truth value.
    Bool(bool),
    /// A user path that the compiler does not look into; invariant in the whole call.
    Opaque(OpaqueId),
    /// The current value of a loop iterator.
    Iter(IterId),
    /// The extent of a dimension of a buffer, a `usize`.
    Extent(BufferId, usize),
    /// The value of an element.
    Load(Place),
    /// An operation on one operand.
    Unary(UnOp, Box<Expr>),
    /// An operation on two operands.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// A function of the table, in one of its flavours.
    Call(Func, Flavour, Vec<Expr>),
    /// A function of the user that the compiler does not look into, of scalars: without effects, maybe with a panic. It
    /// has no derivative of its own, see [`Func::Attach`].
    Apply(OpaqueId, Vec<Expr>),
    /// `operand as ty`
    Cast(Box<Expr>),
    /// `condition`, value if true, value if false; all three are evaluated.
    Select(Box<[Expr; 3]>),
}

/// An element of a buffer, named by its *logical* index: one `usize` a dimension.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The buffer.
    pub buffer: BufferId,
    /// As many indices as the buffer has dimensions; none for a scalar.
    pub index: Vec<Expr>,
}

/// An operation on one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Negation of a float or of a signed integer.
    Neg,
    /// `!` of a bool or of an integer.
    Not,
}

/// An operation on two operands. Both have the result's type, except that comparisons give a bool and that the
/// second operand of a shift may have any integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are Rust's own")]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Which implementation of a function is used, chosen once for a whole call so that a replayed value has the
/// bits it had before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Flavour {
    /// The one of std.
    #[default]
    Std,
    /// The branch-free polynomial of the runtime.
    Polynomial,
}

impl BinOp {
    /// Whether the result is a bool whatever the operands are.
    pub fn is_comparison(self) -> bool {
        use BinOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// The result of a comparison of integers.
    pub fn compares(self, a: i128, b: i128) -> Option<bool> {
        match self {
            BinOp::Eq => Some(a == b),
            BinOp::Ne => Some(a != b),
            BinOp::Lt => Some(a < b),
            BinOp::Le => Some(a <= b),
            BinOp::Gt => Some(a > b),
            BinOp::Ge => Some(a >= b),
            _ => None,
        }
    }

    /// The result of an arithmetic operation on mathematical integers, if it has one: where it fits into the type of
    /// the operands, the machine's.
    pub fn of_integers(self, a: i128, b: i128) -> Option<i128> {
        match self {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            BinOp::Mul => a.checked_mul(b),
            BinOp::Div => a.checked_div(b),
            BinOp::Rem => a.checked_rem(b),
            _ => None,
        }
    }

    /// The operator in Rust.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::BitAnd => "&",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
        }
    }
}

impl Place {
    /// A scalar buffer.
    pub fn scalar(buffer: BufferId) -> Place {
        Place { buffer, index: Vec::new() }
    }

    /// An element.
    pub fn new(buffer: BufferId, index: Vec<Expr>) -> Place {
        Place { buffer, index }
    }

    /// Whether an index mentions the iterator.
    pub fn mentions(&self, iter: IterId) -> bool {
        self.index.iter().any(|index| index.mentions(iter))
    }

    /// Its value, of type `ty`.
    pub fn load(self, ty: Ty) -> Expr {
        Expr { ty, kind: ExprKind::Load(self) }
    }
}

impl Expr {
    /// A float constant.
    pub fn float(ty: Ty, value: f64) -> Expr {
        debug_assert!(ty.is_float());
        Expr { ty, kind: ExprKind::Float(value) }
    }

    /// An integer constant.
    pub fn int(ty: Ty, value: i128) -> Expr {
        debug_assert!(ty.is_int());
        Expr { ty, kind: ExprKind::Int(value) }
    }

    /// A `usize` constant.
    pub fn usize(value: usize) -> Expr {
        Expr::int(Ty::USIZE, value as i128)
    }

    /// A truth value.
    pub fn bool(value: bool) -> Expr {
        Expr { ty: Ty::Bool, kind: ExprKind::Bool(value) }
    }

    /// The value of an iterator of type `ty`.
    pub fn iter(iter: IterId, ty: Ty) -> Expr {
        Expr { ty, kind: ExprKind::Iter(iter) }
    }

    /// The extent of a dimension.
    pub fn extent(buffer: BufferId, dim: usize) -> Expr {
        Expr { ty: Ty::USIZE, kind: ExprKind::Extent(buffer, dim) }
    }

    /// `lhs op rhs`; the type follows from the operands.
    pub fn binary(op: BinOp, lhs: Expr, rhs: Expr) -> Expr {
        let ty = if op.is_comparison() { Ty::Bool } else { lhs.ty };
        Expr { ty, kind: ExprKind::Binary(op, Box::new(lhs), Box::new(rhs)) }
    }

    /// `op self`
    pub fn unary(op: UnOp, operand: Expr) -> Expr {
        Expr { ty: operand.ty, kind: ExprKind::Unary(op, Box::new(operand)) }
    }

    /// `func(args)` of type `ty`, in std's flavour.
    pub fn call(ty: Ty, func: Func, args: Vec<Expr>) -> Expr {
        debug_assert_eq!(args.len(), func.arity());
        Expr { ty, kind: ExprKind::Call(func, Flavour::Std, args) }
    }

    /// `self as ty`
    pub fn cast(self, ty: Ty) -> Expr {
        Expr { ty, kind: ExprKind::Cast(Box::new(self)) }
    }

    /// `if cond { yes } else { no }` with both sides evaluated.
    pub fn select(cond: Expr, yes: Expr, no: Expr) -> Expr {
        Expr { ty: yes.ty, kind: ExprKind::Select(Box::new([cond, yes, no])) }
    }

    /// The direct operands that lie in one slice: all but those of a binary operation; of a load the indices.
    pub fn operands(&self) -> &[Expr] {
        match &self.kind {
            ExprKind::Load(place) => &place.index,
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => std::slice::from_ref(operand),
            ExprKind::Call(_, _, args) | ExprKind::Apply(_, args) => args,
            ExprKind::Select(parts) => &parts[..],
            _ => &[],
        }
    }

    /// A number that equal expressions have in common, and few others.
    pub fn fingerprint(&self) -> u64 {
        fn add(expr: &Expr, hasher: &mut Mixed) {
            std::mem::discriminant(&expr.kind).hash(hasher);
            match &expr.kind {
                ExprKind::Float(value) => value.to_bits().hash(hasher),
                ExprKind::Int(value) => value.hash(hasher),
                ExprKind::Iter(iter) => iter.hash(hasher),
                ExprKind::Load(place) => place.buffer.hash(hasher),
                ExprKind::Binary(op, lhs, rhs) => {
                    op.hash(hasher);
                    add(lhs, hasher);
                    add(rhs, hasher);
                }
                ExprKind::Call(func, ..) => func.hash(hasher),
                ExprKind::Apply(function, _) => function.hash(hasher),
                _ => {}
            }
            expr.operands().iter().for_each(|operand| add(operand, hasher));
        }
        let mut hasher = Mixed::default();
        add(self, &mut hasher);
        hasher.finish()
    }

    /// Calls `visit` on the expression and on everything below it, parents first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        steps::count(1);
        visit(self);
        match &self.kind {
            ExprKind::Binary(_, lhs, rhs) => {
                lhs.walk(visit);
                rhs.walk(visit);
            }
            ExprKind::Load(Place { index: operands, .. })
            | ExprKind::Call(_, _, operands)
            | ExprKind::Apply(_, operands) => {
                for operand in operands {
                    operand.walk(visit);
                }
            }
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => operand.walk(visit),
            ExprKind::Select(parts) => {
                for part in &**parts {
                    part.walk(visit);
                }
            }
            _ => {}
        }
    }

    /// Calls `change` on everything below the expression and then on itself. Where little changes, this is what to use
    /// instead of [`Expr::map`], which builds every node again.
    pub fn change(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        steps::count(1);
        match &mut self.kind {
            ExprKind::Binary(_, lhs, rhs) => {
                lhs.change(change);
                rhs.change(change);
            }
            ExprKind::Load(Place { index: operands, .. })
            | ExprKind::Call(_, _, operands)
            | ExprKind::Apply(_, operands) => {
                for operand in operands {
                    operand.change(change);
                }
            }
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => operand.change(change),
            ExprKind::Select(parts) => {
                for part in &mut **parts {
                    part.change(change);
                }
            }
            _ => {}
        }
        change(self);
    }

    /// Puts a value in the place of an iterator.
    pub fn substitute(&mut self, iter: IterId, value: &Expr) {
        self.change(&mut |node| {
            if matches!(node.kind, ExprKind::Iter(other) if other == iter) {
                *node = value.clone();
            }
        });
    }

    /// The expression with a value in the place of an iterator.
    pub fn at(&self, iter: IterId, value: &Expr) -> Expr {
        let mut expr = self.clone();
        expr.substitute(iter, value);
        expr
    }

    /// The same operation on other operands: `rewrite` is called on each direct operand, indices of loads included.
    pub fn with_operands(&self, rewrite: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        steps::count(1);
        let kind = match &self.kind {
            ExprKind::Load(place) => ExprKind::Load(Place {
                buffer: place.buffer,
                index: place.index.iter().map(rewrite).collect(),
            }),
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, Box::new(rewrite(operand))),
            ExprKind::Cast(operand) => ExprKind::Cast(Box::new(rewrite(operand))),
            ExprKind::Binary(op, lhs, rhs) => {
                ExprKind::Binary(*op, Box::new(rewrite(lhs)), Box::new(rewrite(rhs)))
            }
            ExprKind::Call(func, flavour, args) => {
                ExprKind::Call(*func, *flavour, args.iter().map(rewrite).collect())
            }
            ExprKind::Apply(function, args) => ExprKind::Apply(*function, args.iter().map(rewrite).collect()),
            ExprKind::Select(parts) => ExprKind::Select(Box::new(parts.each_ref().map(rewrite))),
            leaf => leaf.clone(),
        };
        Expr { ty: self.ty, kind }
    }

    /// Replaces the expression bottom-up: `rewrite` sees each node after its operands were rewritten.
    pub fn map(&self, rewrite: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        let rebuilt = self.with_operands(&mut |operand| operand.map(rewrite));
        rewrite(rebuilt)
    }
}
