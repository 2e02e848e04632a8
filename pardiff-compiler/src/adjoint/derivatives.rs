//! The derivative table: one row a primitive, with its convention at kinks.
//!
//! For `v = f(x, y, …)` and the adjoint `g` of `v`, a row lists what is added to the adjoint of each operand. A
//! *guarded* contribution is made only where its condition holds: what is not made contributes exactly nothing, even
//! where the formula would be infinite or NaN.
//!
//! Conventions where the derivative does not exist: `abs'(0) = 0`; `hypot` at the origin 0; on a tie `max` and `min`
//! give everything to their first operand; `clamp` gives it to its first operand as long as that is in the closed
//! range; `copysign` at `x = 0` gives 0; `powf` at `x = 0`, `y > 0` has derivative 0 in `y`; `sqrt'(0)` is infinite.
//! A NaN operand that `max` and `min` ignore gets nothing.

use crate::ir::{Expr, ExprKind, Func, Ty};
use std::f64::consts::{LN_2, LN_10};

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

fn to(operand: usize, adjoint: Expr) -> Contribution {
    Contribution { operand, adjoint, when: None }
}

fn guarded(operand: usize, adjoint: Expr, when: Expr) -> Contribution {
    Contribution { operand, adjoint, when: Some(when) }
}

/// The row of `func` for the operands `args`, its value `v` and the adjoint `g` of that value.
///
/// Functions of [`Kind::FloatConstant`](crate::ir::Kind) and of integers have no contributions.
pub fn contributions(func: Func, args: &[Expr], v: &Expr, g: &Expr) -> Vec<Contribution> {
    let ty = v.ty;
    let c = |value: f64| Expr::float(ty, if ty == Ty::F32 { f64::from(value as f32) } else { value });
    let f = |func: Func, x: Expr| Expr::call(ty, func, vec![x]);
    let (g, v) = (|| g.clone(), || v.clone());
    let x = || args[0].clone();
    let y = || args[1].clone();
    let z = || args[2].clone();
    match func {
        Func::Exp => vec![to(0, g() * v())],
        Func::Exp2 => vec![to(0, g() * (v() * c(LN_2)))],
        Func::ExpM1 => vec![to(0, g() * f(Func::Exp, x()))],
        Func::Ln => vec![to(0, g() / x())],
        Func::Ln1p => vec![to(0, g() / (c(1.0) + x()))],
        Func::Log2 => vec![to(0, g() / (x() * c(LN_2)))],
        Func::Log10 => vec![to(0, g() / (x() * c(LN_10)))],
        // log_y(x) = ln x / ln y
        Func::Log => {
            vec![to(0, g() / (x() * f(Func::Ln, y()))), to(1, -(g() * (v() / (y() * f(Func::Ln, y())))))]
        }
        Func::Sqrt => vec![to(0, g() / (c(2.0) * v()))],
        Func::Cbrt => vec![to(0, g() / (c(3.0) * (v() * v())))],
        Func::Sin => vec![to(0, g() * f(Func::Cos, x()))],
        Func::Cos => vec![to(0, -(g() * f(Func::Sin, x())))],
        Func::Tan => vec![to(0, g() * (c(1.0) + v() * v()))],
        Func::Asin => vec![to(0, g() / f(Func::Sqrt, (c(1.0) - x()) * (c(1.0) + x())))],
        Func::Acos => vec![to(0, -(g() / f(Func::Sqrt, (c(1.0) - x()) * (c(1.0) + x()))))],
        Func::Atan => vec![to(0, g() / (c(1.0) + x() * x()))],
        // atan2(x, y): x is the ordinate, y the abscissa, as in `x.atan2(y)`
        Func::Atan2 => vec![
            to(0, g() * (y() / (x() * x() + y() * y()))),
            to(1, -(g() * (x() / (x() * x() + y() * y())))),
        ],
        Func::Sinh => vec![to(0, g() * f(Func::Cosh, x()))],
        Func::Cosh => vec![to(0, g() * f(Func::Sinh, x()))],
        Func::Tanh => vec![to(0, g() * ((c(1.0) - v()) * (c(1.0) + v())))],
        Func::Asinh => vec![to(0, g() / Expr::call(ty, Func::Hypot, vec![x(), c(1.0)]))],
        Func::Acosh => vec![to(0, g() / f(Func::Sqrt, (x() - c(1.0)) * (x() + c(1.0))))],
        Func::Atanh => vec![to(0, g() / ((c(1.0) - x()) * (c(1.0) + x())))],
        Func::Powi => powi(x(), y(), &g()),
        Func::Powf => {
            let at_zero = x().equal(c(0.0)) & y().above(c(0.0));
            vec![
                guarded(
                    0,
                    g() * (y() * Expr::call(ty, Func::Powf, vec![x(), y() - c(1.0)])),
                    y().differs(c(0.0)),
                ),
                guarded(1, g() * (v() * f(Func::Ln, x())), !at_zero),
            ]
        }
        Func::Hypot => vec![
            guarded(0, g() * (x() / v()), v().differs(c(0.0))),
            guarded(1, g() * (y() / v()), v().differs(c(0.0))),
        ],
        Func::Recip => vec![to(0, -(g() * (v() * v())))],
        Func::Abs => vec![guarded(0, g(), x().above(c(0.0))), guarded(0, -g(), x().below(c(0.0)))],
        Func::Max => choice(x().at_least(y()) | is_nan(y()), g()),
        Func::Min => choice(x().at_most(y()) | is_nan(y()), g()),
        Func::Clamp => {
            let (low, high) = (|| x().below(y()), || x().above(z()));
            vec![guarded(0, g(), !(low() | high())), guarded(1, g(), low()), guarded(2, g(), !low() & high())]
        }
        Func::MulAdd => vec![to(0, g() * y()), to(1, g() * x()), to(2, g())],
        Func::Copysign => {
            let sign = || Expr::call(ty, Func::Copysign, vec![c(1.0), y()]);
            vec![guarded(0, g() * sign(), x().above(c(0.0))), guarded(0, -(g() * sign()), x().below(c(0.0)))]
        }
        Func::Fract => vec![to(0, g())],
        Func::RemEuclidF => {
            vec![to(0, g()), to(1, -(g() * Expr::call(ty, Func::DivEuclidF, vec![x(), y()])))]
        }
        // linear, so the adjoint is mapped as the value is
        Func::ToDegrees => vec![to(0, f(Func::ToDegrees, g()))],
        Func::ToRadians => vec![to(0, f(Func::ToRadians, g()))],
        _ => Vec::new(),
    }
}

/// `x^n` gives `n x^(n-1)`, and nothing for `n = 0`, also at `x = 0`.
fn powi(x: Expr, n: Expr, g: &Expr) -> Vec<Contribution> {
    let ty = x.ty;
    if let ExprKind::Int(constant) = n.kind {
        return match constant {
            0 => Vec::new(),
            1 => vec![to(0, g.clone())],
            2 => vec![to(0, g.clone() * (Expr::float(ty, 2.0) * x))],
            i128::MIN..=-2147483648 => powi_general(x, n, g),
            _ => {
                let lower = Expr::call(ty, Func::Powi, vec![x, Expr::int(n.ty, constant - 1)]);
                vec![to(
                    0,
                    g.clone()
                        * (Expr::float(
                            ty,
                            if ty == Ty::F32 { f64::from(constant as f32) } else { constant as f64 },
                        ) * lower),
                )]
            }
        };
    }
    powi_general(x, n, g)
}

/// The same for an exponent known at run time; saturation only concerns `n = i32::MIN`, whose powers are 0, 1 or infinite.
fn powi_general(x: Expr, n: Expr, g: &Expr) -> Vec<Contribution> {
    let (ty, int) = (x.ty, n.ty);
    let one_less = Expr::call(int, Func::SaturatingSub, vec![n.clone(), Expr::int(int, 1)]);
    let lower = Expr::call(ty, Func::Powi, vec![x, one_less]);
    vec![guarded(0, g.clone() * (n.clone().cast(ty) * lower), n.differs(Expr::int(int, 0)))]
}

fn choice(first: Expr, g: Expr) -> Vec<Contribution> {
    vec![guarded(0, g.clone(), first.clone()), guarded(1, g, !first)]
}

fn is_nan(x: Expr) -> Expr {
    Expr::call(Ty::Bool, Func::IsNan, vec![x])
}
