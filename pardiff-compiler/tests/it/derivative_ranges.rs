//! Every derivative over the whole range of its function, by exponents, through the whole pipeline: a loop over the operands
//! is lowered, normalised, reversed, scheduled and interpreted, and each partial derivative is held against one of 17 digits
//! (`derivatives.py` writes the table).

use crate::derivative_table::{Point, points, wrong};
use pardiff_compiler::frontend::{self, Options};
use pardiff_compiler::ir::interp::{Array, Number, Value, no_paths, run};
use pardiff_compiler::ir::{BinOp, Float, Func, Kind, Program};
use pardiff_compiler::schedule::{self, schedule};
use pardiff_compiler::{adjoint, hoist, normalise, simplify};
use pardiff_runtime::math;

/// Doubles, with the functions that only the runtime has.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Real(f64);

impl Number for Real {
    fn constant(value: f64) -> Real {
        Real(value)
    }

    fn real(self) -> Option<f64> {
        Some(self.0)
    }

    fn cast(self, float: Float) -> Real {
        Real(self.0.cast(float))
    }

    fn neg(self) -> Real {
        Real(-self.0)
    }

    fn arithmetic(op: BinOp, lhs: Real, rhs: Real, float: Float) -> Option<Real> {
        f64::arithmetic(op, lhs.0, rhs.0, float).map(Real)
    }

    fn call(func: Func, args: &[Real], float: Float) -> Option<Real> {
        let x = args[0].0;
        let value = match func.text() {
            "erf" => math::erf(x),
            "erfc" => math::erfc(x),
            "gamma" => math::gamma(x),
            "ln_gamma" => math::ln_gamma(x),
            "digamma" => math::digamma(x),
            "polygamma" => math::polygamma(x, args[1].0 as i32),
            "j0" => math::j0(x),
            "j1" => math::j1(x),
            _ => {
                let args: Vec<f64> = args.iter().map(|arg| arg.0).collect();
                return f64::call(func, &args, float).map(Real);
            }
        };
        Some(Real(value.cast(float)))
    }

    fn powi(self, exponent: i32, float: Float) -> Option<Real> {
        Number::powi(self.0, exponent, float).map(Real)
    }
}

/// The gradient of the sum of an expression over arrays, before and after its loops are scheduled.
fn gradients(expression: &str, float: &str) -> [Program; 2] {
    let source = format!(
        "fn f(x: &[{float}], y: &[{float}]) -> {float} {{
            let mut total = 0.0;
            for i in 0..x.len() {{
                total += {expression};
            }}
            total
        }}"
    );
    let function: syn::ItemFn = syn::parse_str(&source).expect("it parses");
    let lowered = frontend::lower(&Options::default(), function);
    let lowered = lowered.unwrap_or_else(|refusals| panic!("{expression}: {refusals:?}"));
    let active = lowered.signature.params.iter().flat_map(|param| &param.leaves);
    let active: Vec<_> = active.map(|leaf| leaf.buffer).collect();
    let normalised = hoist::hoist(simplify::simplify(normalise::normalise(lowered.cases.into_general())));
    let reversed = adjoint::reverse(&normalised, &active);
    let reversed =
        simplify::simplify_reversed(reversed.unwrap_or_else(|error| panic!("{expression}: {error:?}")));
    let scheduled = schedule(reversed.clone(), &schedule::Options::default());
    [reversed, scheduled.program]
}

/// The derivatives along both operands at the points.
fn slopes(program: &Program, points: &[Point]) -> Vec<[f64; 2]> {
    let along = |k: usize| {
        let values = points.iter().map(|point| Value::Float(Real(*point.operands.get(k).unwrap_or(&1.0))));
        Array::of(values.collect::<Vec<_>>())
    };
    let zeros = || Array::of(vec![Value::Float(Real(0.0)); points.len()]);
    let given = vec![along(0), zeros(), along(1), zeros(), Array::float(1.0)];
    let out = run(program, given, &no_paths).unwrap_or_else(|fault| panic!("{}: {fault:?}", program.name));
    let (dx, dy) = (out.params[1].reals(), out.params[3].reals());
    dx.into_iter().zip(dy).map(|(dx, dy)| [dx, dy]).collect()
}

#[test]
fn derivatives_are_right_over_the_whole_range() {
    let mut all = String::new();
    let functions = Func::ALL.iter().filter(|func| func.kind() == Kind::Float).map(|func| {
        let rest = if func.arity() == 2 { "y[i]" } else { "" };
        let expression = match func.row().method {
            true => format!("x[i].{}({rest})", func.name()),
            false => format!("pardiff::math::{}(x[i])", func.name()),
        };
        (func.name(), func.arity(), expression)
    });
    for (name, arity, expression) in functions.chain([("rem", 2, "x[i] % y[i]".to_owned())]) {
        for single in [false, true] {
            let points = points(name, arity, single);
            if points.is_empty() {
                continue;
            }
            for program in gradients(&expression, if single { "f32" } else { "f64" }) {
                for (point, found) in points.iter().zip(slopes(&program, &points)) {
                    all.extend(wrong(name, point, &found[..arity], single));
                }
            }
        }
    }
    assert!(all.is_empty(), "\n{all}");
}

/// The others are linear or chosen, or integer powers: they have no range in which a formula could overflow.
#[test]
fn every_curved_function_has_points() {
    let linear = [
        "powi",
        "abs",
        "max",
        "min",
        "clamp",
        "mul_add",
        "copysign",
        "midpoint",
        "fract",
        "to_degrees",
        "to_radians",
    ];
    for &func in Func::ALL.iter().filter(|func| func.kind() == Kind::Float) {
        let count = |single| points(func.name(), func.arity(), single).len();
        let known = linear.contains(&func.name()) || func == Func::Polygamma;
        assert!(known || count(false) > 7 && count(true) > 0, "{func:?}");
    }
}
