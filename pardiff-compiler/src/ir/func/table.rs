//! The table of functions: one row each. What a row does not say is as in the row of [`Row`] that it begins with.

use super::row::{Cost, Cuda, Kind, Lanes, Row, Value};
use super::{Contribution, I32, Rule, U32};
use crate::ir::{Expr, ExprKind, Ty};
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LOG2_E, LOG10_E};

macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident $text:literal $base:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        /// A function of the IR; see the module's table.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "the names are Rust's own")]
        pub enum Func { $($(#[$doc])* $variant,)* }

        impl Func {
            /// Every function, in the order of the table.
            pub const ALL: &'static [Func] = &[$(Func::$variant,)*];

            /// What is known of it.
            pub fn row(self) -> &'static Row { &ROWS[self as usize] }
        }

        static ROWS: &[Row] = &[
            $(Row { $($field: $value,)* name: method($text), text: $text, ..Row::$base },)*
        ];
    };
}

/// A name without the prefix that makes it unique.
const fn method(text: &'static str) -> &'static str {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 2 < bytes.len() {
        if bytes[at] == b':' && bytes[at + 1] == b':' {
            return text.split_at(at + 2).1;
        }
        at += 1;
    }
    text
}

/// std's methods of that name.
macro_rules! std {
    (1 $name:ident) => {
        Value::One(f64::$name, f32::$name)
    };
    (2 $name:ident) => {
        Value::Two(f64::$name, f32::$name)
    };
    (3 $name:ident) => {
        Value::Three(f64::$name, f32::$name)
    };
}

use Func::{Cos, Cosh, Digamma, Exp, Hypot, J0, J1, Ln, Polygamma, Sin, Sinh, Sqrt};
const INFINITY: f64 = f64::INFINITY;

functions! {
    /// `attach(v, p, x)` is `v`, and has the derivative of `v`, with `p` as the derivative for `x`.
    Attach "attach" FLOAT {
        arity: 3, kind: Kind::Attached, method: false, cost: Cost::Instruction,
        value: Value::Three(|v, _, _| v, |v, _, _| v),
        derivative: |r| vec![r.to(0, r.g(0)), r.times(2, r.y())],
    }
    // Floats with a derivative.
    Exp "exp" FLOAT {
        libm: &["exp"], value: std!(1 exp), lanes: Lanes::Polynomial("exp"),
        derivative: |r| vec![r.times(0, r.v())],
    }
    Exp2 "exp2" FLOAT {
        libm: &["exp2"], value: std!(1 exp2), lanes: Lanes::Polynomial("exp2"),
        derivative: |r| vec![r.times(0, r.v() * r.c(LN_2))],
    }
    ExpM1 "exp_m1" FLOAT {
        libm: &["expm1"], value: std!(1 exp_m1), lanes: Lanes::Polynomial("exp_m1"),
        derivative: |r| vec![r.times(0, r.of(Exp, r.x()))],
    }
    Ln "ln" FLOAT {
        libm: &["log"], value: std!(1 ln), lanes: Lanes::Polynomial("ln"), domain: (0.0, INFINITY),
        derivative: |r| vec![r.over(0, r.x())],
    }
    Ln1p "ln_1p" FLOAT {
        libm: &["log1p"], value: std!(1 ln_1p), lanes: Lanes::Polynomial("ln_1p"), domain: (-1.0, INFINITY),
        derivative: |r| vec![r.over(0, r.c(1.0) + r.x())],
    }
    Log2 "log2" FLOAT {
        libm: &["log2"], value: std!(1 log2), lanes: Lanes::Polynomial("log2"), domain: (0.0, INFINITY),
        derivative: |r| vec![r.times(0, r.c(LOG2_E) / r.x())],
    }
    Log10 "log10" FLOAT {
        libm: &["log10"], value: std!(1 log10), lanes: Lanes::Polynomial("log10"), domain: (0.0, INFINITY),
        derivative: |r| vec![r.times(0, r.c(LOG10_E) / r.x())],
    }
    // log(x, y) = ln x / ln y
    Log "log" FLOAT {
        arity: 2, value: std!(2 log), lanes: Lanes::Polynomial("log"),
        derivative: |r| {
            let ln_base = || r.of(Ln, r.y());
            vec![r.over(0, r.x() * ln_base()), r.minus(1, r.v() / (r.y() * ln_base()))]
        },
    }
    Sqrt "sqrt" FLOAT {
        libm: &["sqrt"], value: std!(1 sqrt), lanes: Lanes::Exact, cost: Cost::Root, domain: (0.0, INFINITY),
        derivative: |r| vec![r.over(0, r.c(2.0) * r.v())],
    }
    Cbrt "cbrt" FLOAT {
        libm: &["cbrt"], value: std!(1 cbrt), lanes: Lanes::Polynomial("cbrt"),
        derivative: |r| vec![r.over(0, r.c(3.0) * (r.v() * r.v()))],
    }
    Sin "sin" FLOAT {
        libm: &["sin"], value: std!(1 sin), lanes: Lanes::Polynomial("sin"),
        derivative: |r| vec![r.times(0, r.of(Cos, r.x()))],
    }
    Cos "cos" FLOAT {
        libm: &["cos"], value: std!(1 cos), lanes: Lanes::Polynomial("cos"),
        derivative: |r| vec![r.minus(0, r.of(Sin, r.x()))],
    }
    Tan "tan" FLOAT {
        libm: &["tan"], value: std!(1 tan), lanes: Lanes::Polynomial("tan"),
        derivative: |r| vec![r.times(0, r.c(1.0) + r.v() * r.v())],
    }
    Asin "asin" FLOAT {
        libm: &["asin"], value: std!(1 asin), lanes: Lanes::Polynomial("asin"), domain: (-1.0, 1.0),
        derivative: |r| vec![r.over(0, r.of(Sqrt, (r.c(1.0) - r.x()) * (r.c(1.0) + r.x())))],
    }
    Acos "acos" FLOAT {
        libm: &["acos"], value: std!(1 acos), lanes: Lanes::Polynomial("acos"), domain: (-1.0, 1.0),
        derivative: |r| {
            let root = r.of(Sqrt, (r.c(1.0) - r.x()) * (r.c(1.0) + r.x()));
            vec![r.to(0, -(r.g(0) / root))]
        },
    }
    Atan "atan" FLOAT {
        libm: &["atan"], value: std!(1 atan), lanes: Lanes::Polynomial("atan"),
        derivative: |r| vec![r.over(0, r.c(1.0) + r.x() * r.x())],
    }
    // atan2(x, y): x is the ordinate, y the abscissa, as in `x.atan2(y)`
    Atan2 "atan2" FLOAT {
        libm: &["atan2"], arity: 2, value: std!(2 atan2), lanes: Lanes::Polynomial("atan2"),
        derivative: |r| {
            // the squares of the operands may overflow, their root does not
            let inverse = || r.c(1.0) / r.of2(Hypot, r.x(), r.y());
            vec![r.times(0, r.y() * inverse() * inverse()), r.minus(1, r.x() * inverse() * inverse())]
        },
    }
    Sinh "sinh" FLOAT {
        libm: &["sinh"], value: std!(1 sinh), lanes: Lanes::Polynomial("sinh"),
        derivative: |r| vec![r.times(0, r.of(Cosh, r.x()))],
    }
    Cosh "cosh" FLOAT {
        libm: &["cosh"], value: std!(1 cosh), lanes: Lanes::Polynomial("cosh"),
        derivative: |r| vec![r.times(0, r.of(Sinh, r.x()))],
    }
    Tanh "tanh" FLOAT {
        libm: &["tanh"], value: std!(1 tanh), lanes: Lanes::Polynomial("tanh"),
        // from the value: where the slope is small its error is one of an ulp of 1
        derivative: |r| vec![r.times(0, (r.c(1.0) - r.v()) * (r.c(1.0) + r.v()))],
    }
    Asinh "asinh" FLOAT {
        libm: &["asinh"], value: std!(1 asinh), lanes: Lanes::Polynomial("asinh"),
        derivative: |r| vec![r.over(0, r.of2(Hypot, r.x(), r.c(1.0)))],
    }
    Acosh "acosh" FLOAT {
        libm: &["acosh"], value: std!(1 acosh), lanes: Lanes::Polynomial("acosh"), domain: (1.0, INFINITY),
        derivative: |r| vec![r.over(0, r.of(Sqrt, r.x() - r.c(1.0)) * r.of(Sqrt, r.x() + r.c(1.0)))],
    }
    Atanh "atanh" FLOAT {
        libm: &["atanh"], value: std!(1 atanh), lanes: Lanes::Polynomial("atanh"), domain: (-1.0, 1.0),
        derivative: |r| vec![r.over(0, (r.c(1.0) - r.x()) * (r.c(1.0) + r.x()))],
    }
    Powi "powi" FLOAT {
        arity: 2, second: Some(I32), cost: Cost::Products, lanes: Lanes::Polynomial("powi"), derivative: powi,
    }
    Powf "powf" FLOAT {
        libm: &["pow"], arity: 2, value: std!(2 powf), cost: Cost::Power, lanes: Lanes::Polynomial("pow"), derivative: powf,
    }
    Hypot "hypot" FLOAT {
        libm: &["hypot"], arity: 2, value: std!(2 hypot), lanes: Lanes::Polynomial("hypot"),
        derivative: |r| {
            let apart = || r.v().differs(r.c(0.0));
            vec![r.times(0, r.x() / r.v()).when(apart()), r.times(1, r.y() / r.v()).when(apart())]
        },
    }
    Recip "recip" FLOAT {
        value: std!(1 recip), lanes: Lanes::Exact, cost: Cost::Quotient,
        derivative: |r| vec![r.minus(0, r.v() * r.v())],
    }
    Abs "abs" FLOAT {
        libm: &["fabs"], value: std!(1 abs), lanes: Lanes::Exact, cost: Cost::Instruction,
        derivative: |r| vec![
            r.to(0, r.g(0)).when(r.x().above(r.c(0.0))),
            r.to(0, -r.g(0)).when(r.x().below(r.c(0.0))),
        ],
    }
    Max "max" FLOAT {
        libm: &["fmax"], arity: 2, value: std!(2 max), lanes: Lanes::Exact, cost: Cost::Instruction,
        derivative: |r| r.choice(r.x().at_least(r.y()) | is_nan(r.y())),
    }
    Min "min" FLOAT {
        libm: &["fmin"], arity: 2, value: std!(2 min), lanes: Lanes::Exact, cost: Cost::Instruction,
        derivative: |r| r.choice(r.x().at_most(r.y()) | is_nan(r.y())),
    }
    // panics unless min <= max
    Clamp "clamp" FLOAT {
        arity: 3, total: false, value: std!(3 clamp), cost: Cost::Instruction,
        derivative: |r| {
            let (low, high) = (|| r.x().below(r.y()), || r.x().above(r.z()));
            vec![
                r.to(0, r.g(0)).when(!(low() | high())),
                r.to(1, r.g(1)).when(low()),
                r.to(2, r.g(2)).when(!low() & high()),
            ]
        },
    }
    MulAdd "mul_add" FLOAT {
        libm: &["fma"], arity: 3, value: std!(3 mul_add), lanes: Lanes::Polynomial("mul_add"), cost: Cost::Instruction,
        derivative: |r| vec![r.times(0, r.y()), r.times(1, r.x()), r.to(2, r.g(2))],
    }
    Copysign "copysign" FLOAT {
        libm: &["copysign"], arity: 2, value: std!(2 copysign), lanes: Lanes::Exact, cost: Cost::Instruction,
        derivative: |r| {
            let sign = || r.of2(Func::Copysign, r.c(1.0), r.y());
            vec![
                r.times(0, sign()).when(r.x().above(r.c(0.0))),
                r.minus(0, sign()).when(r.x().below(r.c(0.0))),
            ]
        },
    }
    Midpoint "midpoint" FLOAT {
        arity: 2, value: std!(2 midpoint), cost: Cost::Instruction,
        derivative: |r| vec![r.times(0, r.c(0.5)), r.times(1, r.c(0.5))],
    }
    Fract "fract" FLOAT {
        value: std!(1 fract), lanes: Lanes::Exact, cost: Cost::Instruction,
        derivative: |r| vec![r.to(0, r.g(0))],
    }
    DivEuclidF "float::div_euclid" STEP {
        arity: 2, value: std!(2 div_euclid), cost: Cost::Power, cuda: Cuda::Named("pd_div_euclid_float"),
    }
    RemEuclidF "float::rem_euclid" FLOAT {
        arity: 2, value: std!(2 rem_euclid), cost: Cost::Power, cuda: Cuda::Named("pd_rem_euclid_float"),
        // `x - v` is a multiple of `y`; the quotient of `x` may round up to the next one
        derivative: |r| {
            let multiple = r.of(Func::RoundTiesEven, (r.x() - r.v()) / r.y());
            vec![r.to(0, r.g(0)), r.minus(1, multiple)]
        },
    }
    // linear, so that the adjoint is mapped as the value is
    ToDegrees "to_degrees" FLOAT {
        value: std!(1 to_degrees), cost: Cost::Instruction,
        derivative: |r| vec![r.to(0, r.of(Func::ToDegrees, r.g(0)))],
    }
    ToRadians "to_radians" FLOAT {
        value: std!(1 to_radians), cost: Cost::Instruction,
        derivative: |r| vec![r.to(0, r.of(Func::ToRadians, r.g(0)))],
    }

    // Floats with a derivative that std does not have.
    Erf "erf" SPECIAL {
        libm: &["erf"], statrs: Some(["erf", "erf"]), cuda: Cuda::Math("erf"),
        derivative: |r| vec![r.times(0, bell(r))],
    }
    Erfc "erfc" SPECIAL {
        libm: &["erfc"], statrs: Some(["erf", "erfc"]), cuda: Cuda::Math("erfc"),
        derivative: |r| vec![r.minus(0, bell(r))],
    }
    Gamma "gamma" SPECIAL {
        libm: &["tgamma"], statrs: Some(["gamma", "gamma"]), cuda: Cuda::Math("tgamma"),
        derivative: |r| vec![r.times(0, r.v() * r.of(Digamma, r.x()))],
    }
    LnGamma "ln_gamma" SPECIAL {
        libm: &["lgamma"], statrs: Some(["gamma", "ln_gamma"]), cuda: Cuda::Math("lgamma"),
        derivative: |r| vec![r.times(0, r.of(Digamma, r.x()))],
    }
    Digamma "digamma" SPECIAL {
        statrs: Some(["gamma", "digamma"]),
        derivative: |r| vec![r.times(0, Expr::call(r.x().ty, Polygamma, vec![r.x(), Expr::int(I32, 1)]))],
    }
    // polygamma(x, n) is the derivative of order n of digamma
    Polygamma "polygamma" SPECIAL {
        arity: 2, second: Some(I32),
        derivative: |r| {
            let next = match r.y().kind {
                ExprKind::Int(order) if order < i128::from(i32::MAX) => Expr::int(I32, order + 1),
                _ => Expr::call(I32, Func::SaturatingAdd, vec![r.y(), Expr::int(I32, 1)]),
            };
            vec![r.times(0, Expr::call(r.x().ty, Polygamma, vec![r.x(), next]))]
        },
    }
    J0 "j0" SPECIAL {
        libm: &["j0"], cuda: Cuda::Math("j0"),
        derivative: |r| vec![r.minus(0, r.of(J1, r.x()))],
    }
    J1 "j1" SPECIAL {
        libm: &["j1"], cuda: Cuda::Math("j1"),
        // at zero, j1(x) / x is a half as well
        derivative: |r| {
            let far = || r.of(Func::Abs, r.x()).above(r.c(1e-9));
            let slope = r.of(J0, r.x()) - r.v() / r.x();
            vec![r.times(0, slope).when(far()), r.times(0, r.c(0.5)).when(!far())]
        },
    }

    // Piecewise constant.
    Signum "signum" STEP { value: std!(1 signum), lanes: Lanes::Exact }
    Floor "floor" STEP { libm: &["floor"], value: std!(1 floor), lanes: Lanes::Exact }
    Ceil "ceil" STEP { libm: &["ceil"], value: std!(1 ceil), lanes: Lanes::Exact }
    Round "round" STEP { libm: &["round"], value: std!(1 round), lanes: Lanes::Exact }
    RoundTiesEven "round_ties_even" STEP { libm: &["rint", "roundeven"], value: std!(1 round_ties_even), lanes: Lanes::Exact }
    Trunc "trunc" STEP { libm: &["trunc"], value: std!(1 trunc), lanes: Lanes::Exact }
    IsNan "is_nan" TEST { value: Value::Test(f64::is_nan) }
    IsInfinite "is_infinite" TEST { value: Value::Test(f64::is_infinite) }
    IsFinite "is_finite" TEST { value: Value::Test(f64::is_finite) }
    IsSignNegative "is_sign_negative" TEST { value: Value::Test(f64::is_sign_negative) }
    IsSignPositive "is_sign_positive" TEST { value: Value::Test(f64::is_sign_positive) }

    // Integers.
    IntMin "int::min" INT {}
    IntMax "int::max" INT {}
    IntClamp "int::clamp" INT { arity: 3, total: false, cuda: Cuda::Named("pd_clamp_int") }
    IntAbs "int::abs" INT { arity: 1, total: false, cuda: Cuda::Named("pd_abs_int") }
    IntSignum "int::signum" INT { arity: 1, cuda: Cuda::Named("pd_signum_int") }
    IntPow "int::pow" INT { total: false, second: Some(U32), cost: Cost::Power, cuda: Cuda::Named("pd_pow_int") }
    // the result is unsigned
    AbsDiff "abs_diff" INT { exact: true }
    UnsignedAbs "unsigned_abs" INT { arity: 1, exact: true, cuda: Cuda::Named("pd_abs_int") }
    IntDivEuclid "int::div_euclid" INT { total: false }
    IntRemEuclid "int::rem_euclid" INT { total: false }
    DivCeil "div_ceil" INT { total: false }
    NextMultipleOf "next_multiple_of" INT { total: false }
    NextPowerOfTwo "next_power_of_two" INT { arity: 1, total: false }
    Isqrt "isqrt" INT { arity: 1, total: false }
    Ilog2 "ilog2" INT { arity: 1, total: false, result: Some(U32) }
    WrappingAdd "wrapping_add" INT { exact: true, cuda: Cuda::Named("pd_add") }
    WrappingSub "wrapping_sub" INT { exact: true, cuda: Cuda::Named("pd_sub") }
    WrappingMul "wrapping_mul" INT { exact: true, cuda: Cuda::Named("pd_mul") }
    WrappingNeg "wrapping_neg" INT { arity: 1, exact: true, cuda: Cuda::Named("pd_neg") }
    WrappingShl "wrapping_shl" INT { exact: true, second: Some(U32), cuda: Cuda::Named("pd_shl") }
    WrappingShr "wrapping_shr" INT { exact: true, second: Some(U32), cuda: Cuda::Named("pd_shr") }
    SaturatingAdd "saturating_add" INT { exact: true }
    SaturatingSub "saturating_sub" INT { exact: true }
    SaturatingMul "saturating_mul" INT { exact: true }
    RotateLeft "rotate_left" INT { exact: true, second: Some(U32) }
    RotateRight "rotate_right" INT { exact: true, second: Some(U32) }
    ReverseBits "reverse_bits" INT { arity: 1, exact: true }
    CountOnes "count_ones" BITS {}
    CountZeros "count_zeros" BITS {}
    LeadingZeros "leading_zeros" BITS {}
    TrailingZeros "trailing_zeros" BITS {}
    IsPowerOfTwo "is_power_of_two" INT { arity: 1, result: Some(Ty::Bool) }
    // `checked_add(a, b)` is the pair (CheckedAddOk, WrappingAdd): whether there is a value, and the value
    CheckedAddOk "checked_add_ok" INT { method: false, result: Some(Ty::Bool) }
    CheckedSubOk "checked_sub_ok" INT { method: false, result: Some(Ty::Bool) }
    CheckedMulOk "checked_mul_ok" INT { method: false, result: Some(Ty::Bool) }
    // trip_count(lo, hi, step): how often `for _ in (lo..hi).step_by(step)` iterates, as a usize; saturates,
    // and counts a step of 0 as 1
    TripCount "trip_count" INT { method: false, arity: 3, result: Some(Ty::USIZE) }
    // binomial_checkpoint(steps, free): behind how many of the steps the next of so many states is kept; zero counts as
    // one step
    BinomialCheckpoint "binomial_checkpoint" INT { method: false, cost: Cost::Power }
}

/// `x^n` gives `n x^(n-1)`, and nothing for `n = 0`, also at `x = 0`.
fn powi(r: &Rule<'_>) -> Vec<Contribution> {
    let (x, n) = (r.x(), r.y());
    let int = n.ty;
    let power = |exponent: Expr| Expr::call(x.ty, Func::Powi, vec![x.clone(), exponent]);
    match n.kind {
        ExprKind::Int(0) => Vec::new(),
        ExprKind::Int(1) => vec![r.to(0, r.g(0))],
        ExprKind::Int(2) => vec![r.times(0, r.c(2.0) * x)],
        ExprKind::Int(n) if n > i128::from(i32::MIN) => {
            vec![r.times(0, r.c(n as f64) * power(Expr::int(int, n - 1)))]
        }
        // saturation only concerns `n = i32::MIN`, whose powers are 0, 1 or infinite
        _ => {
            let one_less = Expr::call(int, Func::SaturatingSub, vec![n.clone(), Expr::int(int, 1)]);
            let slope = n.clone().cast(x.ty) * power(one_less);
            vec![r.times(0, slope).when(n.differs(Expr::int(int, 0)))]
        }
    }
}

/// `x^y` gives `y x^(y-1)` to `x`, nothing for `y = 0`; and `v ln(x)` to `y`, nothing at `x = 0` for `y > 0`.
fn powf(r: &Rule<'_>) -> Vec<Contribution> {
    let at_zero = r.x().equal(r.c(0.0)) & r.y().above(r.c(0.0));
    let lower = r.of2(Func::Powf, r.x(), r.y() - r.c(1.0));
    vec![
        r.times(0, r.y() * lower).when(r.y().differs(r.c(0.0))),
        r.times(1, r.v() * r.of(Ln, r.x())).when(!at_zero),
    ]
}

/// The derivative of the error function.
fn bell(r: &Rule<'_>) -> Expr {
    r.c(FRAC_2_SQRT_PI) * r.of(Exp, -(r.x() * r.x()))
}

fn is_nan(x: Expr) -> Expr {
    Expr::call(Ty::Bool, Func::IsNan, vec![x])
}
