//! Which implementation of each float function a kernel gets: in lanes the runtime's, in `strict` kernels std's.

use pardiff_compiler::frontend::{self, Options};
use pardiff_compiler::ir::{Block, Exec, Expr, ExprKind, Flavour, For, Func, Program, StmtKind};
use pardiff_compiler::schedule::{self, schedule};
use pardiff_compiler::{adjoint, hoist, normalise, simplify};

/// The functions that are computed without branches, and an expression with each.
const FUNCTIONS: &[(Func, &str)] = &[
    (Func::Exp, "x[i].exp()"),
    (Func::Exp2, "x[i].exp2()"),
    (Func::ExpM1, "x[i].exp_m1()"),
    (Func::Ln, "x[i].ln()"),
    (Func::Ln1p, "x[i].ln_1p()"),
    (Func::Log2, "x[i].log2()"),
    (Func::Log10, "x[i].log10()"),
    (Func::Log, "x[i].log(w[i])"),
    (Func::Cbrt, "x[i].cbrt()"),
    (Func::Sin, "x[i].sin()"),
    (Func::Cos, "x[i].cos()"),
    (Func::Tan, "x[i].tan()"),
    (Func::Asin, "x[i].asin()"),
    (Func::Acos, "x[i].acos()"),
    (Func::Atan, "x[i].atan()"),
    (Func::Atan2, "x[i].atan2(w[i])"),
    (Func::Sinh, "x[i].sinh()"),
    (Func::Cosh, "x[i].cosh()"),
    (Func::Tanh, "x[i].tanh()"),
    (Func::Asinh, "x[i].asinh()"),
    (Func::Acosh, "x[i].acosh()"),
    (Func::Atanh, "x[i].atanh()"),
    (Func::Powi, "x[i].powi(5)"),
    (Func::Powi, "x[i].powi(k)"),
    (Func::Powf, "x[i].powf(w[i])"),
    (Func::Hypot, "x[i].hypot(w[i])"),
];

/// The scheduled gradient of a weighted sum of an expression.
fn gradient(expression: &str, float: &str, strict: bool) -> Program {
    let source = format!(
        "fn f(x: &[{float}], w: &[{float}], k: i32) -> {float} {{
            let mut total = 0.0;
            for i in 0..x.len() {{
                total += w[i] * {expression};
            }}
            total
        }}"
    );
    let function: syn::ItemFn = syn::parse_str(&source).expect("it parses");
    let lowered = match frontend::lower(&Options::default(), function) {
        Ok(lowered) => lowered,
        Err(refusals) => panic!("{expression}: {refusals:?}"),
    };
    let active = lowered.signature.params.iter().filter(|param| param.active);
    let active: Vec<_> = active.flat_map(|param| &param.leaves).map(|leaf| leaf.buffer).collect();
    let normalised = hoist::hoist(simplify::simplify(normalise::normalise(lowered.cases.into_general())));
    let reversed = match adjoint::reverse(&normalised, &active) {
        Ok(reversed) => simplify::simplify_reversed(reversed),
        Err(error) => panic!("{expression}: {error:?}"),
    };
    schedule(reversed, &schedule::Options { strict, ..Default::default() }).program
}

/// How often a function is called in a flavour: in lane loops, and elsewhere.
fn calls(program: &Program, func: Func, flavour: Flavour) -> [usize; 2] {
    let all = count(&program.body, func, flavour);
    let mut lanes = 0;
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let StmtKind::For(For { body, exec: Exec::Lanes { .. }, .. }) = &stmt.kind {
                lanes += count(body, func, flavour);
            }
        });
    });
    [lanes, all - lanes]
}

fn count(block: &Block, func: Func, flavour: Flavour) -> usize {
    let mut calls = 0;
    let is_call =
        |expr: &Expr| matches!(&expr.kind, ExprKind::Call(it, of, _) if (*it, *of) == (func, flavour));
    block.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            let exprs = stmt.exprs();
            exprs.into_iter().for_each(|expr| expr.walk(&mut |expr| calls += usize::from(is_call(expr))));
        });
    });
    calls
}

#[test]
fn every_function_is_computed_in_lanes_by_the_runtime() {
    for float in ["f64", "f32"] {
        for &(func, expression) in FUNCTIONS {
            let program = gradient(expression, float, false);
            let [inside, outside] = calls(&program, func, Flavour::Polynomial);
            assert!(inside > 0 && outside == 0, "{expression}: {inside}, {outside}\n{program}");
            assert_eq!(calls(&program, func, Flavour::Std), [0, 0], "{expression}\n{program}");
        }
    }
}

#[test]
fn strict_kernels_keep_the_functions_of_std() {
    for &(func, expression) in FUNCTIONS {
        let program = gradient(expression, "f64", true);
        assert_eq!(calls(&program, func, Flavour::Polynomial), [0, 0], "{expression}\n{program}");
        assert_ne!(calls(&program, func, Flavour::Std), [0, 0], "{expression}\n{program}");
    }
}

#[test]
fn squares_of_what_is_read_are_products_and_other_squares_are_not() {
    let read = gradient("x[i].powi(2)", "f64", false);
    assert_eq!(calls(&read, Func::Powi, Flavour::Polynomial), [0, 0], "{read}");
    assert_eq!(calls(&read, Func::Powi, Flavour::Std), [0, 0], "{read}");
    let computed = gradient("(x[i] - 1.0).powi(2)", "f64", false);
    assert_ne!(calls(&computed, Func::Powi, Flavour::Polynomial), [0, 0], "{computed}");
}
