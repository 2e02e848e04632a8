//! Derivatives of functions: the language in which rows of the table say them.
//!
//! For `v = f(x, y, …)` a row lists what is added to the adjoint of each operand. Each summand is linear in one `g`, so
//! that both modes read it: in reverse mode every `g(k)` is the adjoint of `v`, and the summand is added to the adjoint of
//! operand `k`; in forward mode `g(k)` is the tangent of operand `k`, and the sum of the summands is the tangent of `v`.
//! A *guarded* contribution is made only where its condition holds: what is not made contributes exactly nothing, even
//! where the formula would be infinite or NaN.
//!
//! Conventions where the derivative does not exist: `abs'(0) = 0`; `hypot` at the origin 0; on a tie `max` and `min`
//! give everything to their first operand; `clamp` gives it to its first operand as long as that is in the closed
//! range; `copysign` at `x = 0` gives 0; `powf` at `x = 0`, `y > 0` has derivative 0 in `y`; `sqrt'(0)` is infinite.
//! A NaN operand that `max` and `min` ignore gets nothing.

use super::Func;
use crate::ir::{Expr, Ty};
use std::cell::RefCell;

/// What is added to the adjoint of one operand.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// Which operand.
    pub operand: usize,
    /// The summand.
    pub adjoint: Expr,
    /// Made only where this holds.
    pub when: Option<Expr>,
}

impl Contribution {
    /// The same, made only where the condition holds.
    pub(super) fn when(self, cond: Expr) -> Contribution {
        Contribution { when: Some(cond), ..self }
    }
}

/// What the derivative of a function `v = f(x, y, z)` is made of.
pub struct Rule<'a> {
    ty: Ty,
    args: &'a [Expr],
    value: RefCell<&'a mut dyn FnMut() -> Expr>,
    g: &'a dyn Fn(usize) -> Expr,
}

/// The derivative of `func` for the operands `args`; `value` is asked for the value `v`, of type `ty`, if the derivative
/// has it, and `g` as the module says.
///
/// Functions of [`Kind::FloatConstant`](super::Kind) and of integers have no contributions.
pub fn contributions(
    func: Func,
    ty: Ty,
    args: &[Expr],
    value: &mut dyn FnMut() -> Expr,
    g: &dyn Fn(usize) -> Expr,
) -> Vec<Contribution> {
    (func.row().derivative)(&Rule { ty, args, value: RefCell::new(value), g })
}

impl Rule<'_> {
    /// The value of the function.
    pub(super) fn v(&self) -> Expr {
        (self.value.borrow_mut())()
    }

    /// The first operand.
    pub(super) fn x(&self) -> Expr {
        self.args[0].clone()
    }

    /// The second operand.
    pub(super) fn y(&self) -> Expr {
        self.args[1].clone()
    }

    /// The third operand.
    pub(super) fn z(&self) -> Expr {
        self.args[2].clone()
    }

    /// The factor that goes through operand `k`.
    pub(super) fn g(&self, k: usize) -> Expr {
        (self.g)(k)
    }

    /// A constant, rounded to the type of the function.
    pub(super) fn c(&self, value: f64) -> Expr {
        Expr::float(self.ty, if self.ty == Ty::F32 { f64::from(value as f32) } else { value })
    }

    /// `func(x)`
    pub(super) fn of(&self, func: Func, x: Expr) -> Expr {
        Expr::call(self.ty, func, vec![x])
    }

    /// `func(x, y)`
    pub(super) fn of2(&self, func: Func, x: Expr, y: Expr) -> Expr {
        Expr::call(self.ty, func, vec![x, y])
    }

    /// Operand `k` gets `summand`.
    pub(super) fn to(&self, operand: usize, summand: Expr) -> Contribution {
        Contribution { operand, adjoint: summand, when: None }
    }

    /// Operand `k` gets `g slope`.
    pub(super) fn times(&self, k: usize, slope: Expr) -> Contribution {
        self.to(k, self.g(k) * slope)
    }

    /// Operand `k` gets `-(g slope)`.
    pub(super) fn minus(&self, k: usize, slope: Expr) -> Contribution {
        self.to(k, -(self.g(k) * slope))
    }

    /// Operand `k` gets `g / divisor`.
    pub(super) fn over(&self, k: usize, divisor: Expr) -> Contribution {
        self.to(k, self.g(k) / divisor)
    }

    /// The one operand of two that was chosen gets `g`: the first where the condition holds.
    pub(super) fn choice(&self, first: Expr) -> Vec<Contribution> {
        vec![self.to(0, self.g(0)).when(first.clone()), self.to(1, self.g(1)).when(!first)]
    }
}
