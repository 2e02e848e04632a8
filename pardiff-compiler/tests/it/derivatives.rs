//! The derivative table, and the dual numbers that are the oracle for everything else, against extrapolated central
//! differences over the domain of each function, and against the documented conventions at edges and kinks.

use pardiff_compiler::ir::interp::{Array, Dual, Value, no_paths, run};
use pardiff_compiler::ir::{
    Expr, Func, Int, Kind, Origin, Phase, Place, Program, Role, SpanId, Stmt, StmtKind, Ty, contributions,
};
use proc_macro2::Span;

/// Points of a function's domain: operands, then the distance to the nearest singularity along each operand, real or
/// complex; zero where no derivative is asked for.
struct Row {
    func: Func,
    value: fn(&[f64]) -> f64,
    points: Vec<(Vec<f64>, Vec<f64>)>,
}

/// Points of a function of one operand, with the distance to its singularities.
fn one(func: Func, value: fn(f64) -> f64, xs: &[f64], room: fn(f64) -> f64) -> Row1 {
    Row1 { func, value, points: xs.iter().map(|&x| (x, room(x))).collect() }
}

struct Row1 {
    func: Func,
    value: fn(f64) -> f64,
    points: Vec<(f64, f64)>,
}

fn two(func: Func, value: fn(&[f64]) -> f64, points: &[([f64; 2], [f64; 2])]) -> Row {
    Row { func, value, points: points.iter().map(|(x, room)| (x.to_vec(), room.to_vec())).collect() }
}

const AROUND: &[f64] = &[-3.0, -1.25, -0.3, -1e-3, 0.0, 1e-6, 0.1, 0.7, 1.5, 2.9];
const WIDE: &[f64] = &[-700.0, -20.0, -1.0, -1e-9, 0.0, 1e-4, 0.5, 4.0, 30.0, 650.0];
const POSITIVE: &[f64] = &[1e-300, 1e-9, 1e-3, 0.25, 1.0, 1.0001, 2.0, 17.0, 1e6, 1e200];
const INSIDE: &[f64] = &[-0.999999, -0.9, -0.3, 0.0, 1e-7, 0.25, 0.75, 0.9999];

fn functions_of_one() -> Vec<Row1> {
    let ring = |x: f64| (1.0 + x * x).sqrt();
    let far = |_: f64| 1.0;
    let edge = |x: f64| 1.0 - x.abs();
    let pole = |x: f64| {
        let nearest = ((x / std::f64::consts::PI - 0.5).round() + 0.5) * std::f64::consts::PI;
        (x - nearest).abs()
    };
    vec![
        one(Func::Exp, f64::exp, WIDE, far),
        one(Func::Exp2, f64::exp2, WIDE, far),
        one(Func::ExpM1, f64::exp_m1, &WIDE[1..], far),
        one(Func::Ln, f64::ln, POSITIVE, |x| x),
        one(Func::Ln1p, f64::ln_1p, &[-0.999, -0.5, -1e-9, 0.0, 1e-12, 0.3, 5.0, 1e9], |x| 1.0 + x),
        one(Func::Log2, f64::log2, POSITIVE, |x| x),
        one(Func::Log10, f64::log10, POSITIVE, |x| x),
        one(Func::Sqrt, f64::sqrt, POSITIVE, |x| x),
        one(Func::Cbrt, f64::cbrt, &[-1e9, -8.0, -1e-9, 1e-12, 0.5, 27.0, 1e30], f64::abs),
        one(Func::Sin, f64::sin, AROUND, far),
        one(Func::Cos, f64::cos, AROUND, far),
        one(Func::Tan, f64::tan, &[-4.0, -1.5, -0.2, 0.0, 0.7, 1.5, 1.57, 3.0], pole),
        one(Func::Asin, f64::asin, INSIDE, edge),
        one(Func::Acos, f64::acos, INSIDE, edge),
        one(Func::Atan, f64::atan, &[-1e6, -3.0, -0.5, 0.0, 1e-8, 1.0, 40.0], ring),
        one(Func::Sinh, f64::sinh, WIDE, far),
        one(Func::Cosh, f64::cosh, WIDE, far),
        one(Func::Tanh, f64::tanh, &[-6.0, -2.0, -0.5, 0.0, 1e-6, 0.3, 1.0, 3.0, 7.0], far),
        one(Func::Asinh, f64::asinh, &[-50.0, -2.0, -0.3, 0.0, 1e-5, 0.8, 3.0, 1e3], ring),
        one(Func::Acosh, f64::acosh, &[1.000001, 1.01, 1.5, 3.0, 100.0], |x| x - 1.0),
        // std's own error grows towards the edges
        one(Func::Atanh, f64::atanh, &[-0.99, -0.3, 0.0, 1e-7, 0.25, 0.75, 0.99], edge),
        one(Func::Recip, f64::recip, &[-1e9, -2.0, -1e-6, 1e-3, 0.5, 1.0, 1e12], f64::abs),
        one(Func::Abs, f64::abs, &[-1e9, -2.0, -1e-6, 1e-3, 0.5, 1e12], f64::abs),
        one(Func::Fract, f64::fract, &[-2.6, -0.5, 0.25, 1.5, 7.9], |x| {
            (x - x.round()).abs().min((x - x.trunc()).abs())
        }),
        one(Func::ToDegrees, f64::to_degrees, AROUND, far),
        one(Func::ToRadians, f64::to_radians, AROUND, far),
    ]
}

fn functions_of_more() -> Vec<Row> {
    let more = |func, value, points: &[([f64; 3], [f64; 3])]| Row {
        func,
        value,
        points: points.iter().map(|(x, room)| (x.to_vec(), room.to_vec())).collect(),
    };
    vec![
        two(
            Func::Log,
            |v| v[0].log(v[1]),
            &[
                ([2.0, 3.0], [2.0, 2.0]),
                ([0.1, 10.0], [0.1, 9.0]),
                ([5.0, 0.5], [5.0, 0.5]),
                ([1.0, 7.0], [1.0, 6.0]),
                ([1e-6, 1.5], [1e-6, 0.5]),
            ],
        ),
        two(
            Func::Atan2,
            |v| v[0].atan2(v[1]),
            &[
                ([1.0, 2.0], [2.0, 1.0]),
                ([-1.0, 2.0], [2.0, 1.0]),
                ([3.0, -2.0], [2.0, 3.0]),
                ([-0.5, -2.0], [0.5, 0.5]),
                ([0.0, 1.0], [1.0, 1.0]),
                ([1.0, 0.0], [1.0, 1.0]),
                ([-1e-3, 1e-3], [1e-3, 1e-3]),
            ],
        ),
        two(
            Func::Powf,
            |v| v[0].powf(v[1]),
            &[
                ([2.0, 3.0], [2.0, 1.0]),
                ([0.5, -2.5], [0.5, 1.0]),
                ([7.0, 0.0], [7.0, 0.5]),
                ([1.0, 5.0], [1.0, 1.0]),
                ([1e-3, 0.5], [1e-3, 0.1]),
                ([-2.0, 3.0], [2.0, 0.0]),
                ([-1.5, -2.0], [1.5, 0.0]),
            ],
        ),
        two(
            Func::Hypot,
            |v| v[0].hypot(v[1]),
            &[
                ([3.0, 4.0], [4.0, 3.0]),
                ([-1.0, 2.0], [2.0, 1.0]),
                ([0.0, 2.0], [2.0, 2.0]),
                ([1e-3, -1e-3], [1e-3, 1e-3]),
                ([5.0, 0.0], [5.0, 5.0]),
            ],
        ),
        two(
            Func::Max,
            |v| v[0].max(v[1]),
            &[([1.0, 2.0], [1.0, 1.0]), ([2.0, 1.0], [1.0, 1.0]), ([-3.0, -4.0], [1.0, 1.0])],
        ),
        two(
            Func::Min,
            |v| v[0].min(v[1]),
            &[([1.0, 2.0], [1.0, 1.0]), ([2.0, 1.0], [1.0, 1.0]), ([-3.0, -4.0], [1.0, 1.0])],
        ),
        two(Func::Midpoint, |v| v[0].midpoint(v[1]), &[([1.0, 2.0], [1.0, 2.0]), ([-3.0, 4.0], [3.0, 4.0])]),
        two(
            Func::Copysign,
            |v| v[0].copysign(v[1]),
            &[
                ([1.0, 2.0], [1.0, 2.0]),
                ([2.0, -1.0], [2.0, 1.0]),
                ([-3.0, 4.0], [3.0, 4.0]),
                ([-3.0, -4.0], [3.0, 4.0]),
            ],
        ),
        two(
            Func::RemEuclidF,
            |v| v[0].rem_euclid(v[1]),
            &[
                ([7.3, 2.0], [0.7, 0.2]),
                ([-1.3, 2.0], [0.7, 0.5]),
                ([0.4, 3.0], [0.4, 1.0]),
                ([5.5, -2.0], [0.5, 0.1]),
            ],
        ),
        more(
            Func::Clamp,
            |v| v[0].clamp(v[1], v[2]),
            &[
                ([0.5, 0.0, 1.0], [0.5, 0.5, 0.5]),
                ([-2.0, -1.0, 3.0], [1.0, 1.0, 1.0]),
                ([9.0, -1.0, 3.0], [6.0, 1.0, 3.0]),
            ],
        ),
        more(
            Func::MulAdd,
            |v| v[0].mul_add(v[1], v[2]),
            &[([2.0, 3.0, -1.0], [1.0; 3]), ([-0.1, 0.0, 5.0], [1.0; 3])],
        ),
    ]
}

/// The derivative by Ridders' extrapolation of central differences, from steps that stay clear of singularities.
fn difference(f: impl Fn(f64) -> f64, x: f64, room: f64) -> f64 {
    let mut step = room / 3.0;
    let mut previous: Vec<f64> = Vec::new();
    let (mut best, mut error) = (f64::NAN, f64::INFINITY);
    for _ in 0..9 {
        // the step that the machine makes of it
        let (up, down) = (x + step, x - step);
        let mut row = vec![(f(up) - f(down)) / (up - down)];
        let mut factor = 1.0;
        for (k, last) in previous.iter().enumerate() {
            factor *= 2.56;
            let better = (factor * row[k] - last) / (factor - 1.0);
            let change = (better - row[k]).abs().max((better - last).abs());
            if change <= error {
                (best, error) = (better, change);
            }
            row.push(better);
        }
        previous = row;
        step /= 1.6;
    }
    best
}

/// The table's partial derivatives at a point, through the interpreter; `exponent` is the operand of `powi`.
fn table(func: Func, ty: Ty, args: &[f64], exponent: Option<Expr>) -> Vec<f64> {
    let mut program = Program::new("row", Span::call_site());
    let origin = Origin { stmt: 0, phase: Phase::Primal, span: SpanId(0) };
    let mut operands = Vec::new();
    for _ in args {
        let buffer = program.add_scalar("x", ty, Role::Input);
        program.params.push(buffer);
        operands.push(program.load_scalar(buffer));
    }
    operands.extend(exponent);
    let mut values: Vec<Array<f64>> = args.iter().map(|&x| Array::float(x)).collect();
    let g = program.add_scalar("g", ty, Role::Input);
    program.params.push(g);
    values.push(Array::float(1.0));
    let v = program.add_scalar("v", ty, Role::Output);
    program.results.push(v);
    let assign = |target, value| Stmt::new(StmtKind::Assign { target: Place::scalar(target), value }, origin);
    let mut body = vec![assign(v, Expr::call(ty, func, operands.clone()))];
    let sums: Vec<_> = args.iter().map(|_| program.add_scalar("d_x", ty, Role::Output)).collect();
    for &sum in &sums {
        program.results.push(sum);
        body.push(assign(sum, Expr::float(ty, 0.0)));
    }
    let (value, g) = (program.load_scalar(v), program.load_scalar(g));
    for row in contributions(func, ty, &operands, &mut || value.clone(), &|_| g.clone()) {
        let sum = sums[row.operand];
        let add = assign(sum, program.load_scalar(sum) + row.adjoint);
        body.push(match row.when {
            None => add,
            Some(cond) => Stmt::new(StmtKind::If { cond, then: vec![add], els: vec![] }, origin),
        });
    }
    program.body = body;
    let out = run(&program, values, &no_paths).unwrap_or_else(|fault| panic!("{func:?} {args:?}: {fault:?}"));
    out.results[1..].iter().map(Array::real).collect()
}

/// The oracle's partial derivatives at a point.
fn oracle(func: Func, args: &[f64], exponent: Option<Expr>) -> Vec<f64> {
    let mut program = Program::new("row", Span::call_site());
    let origin = Origin { stmt: 0, phase: Phase::Primal, span: SpanId(0) };
    let mut operands = Vec::new();
    for _ in args {
        let buffer = program.add_scalar("x", Ty::F64, Role::Input);
        program.params.push(buffer);
        operands.push(program.load_scalar(buffer));
    }
    operands.extend(exponent);
    let v = program.add_scalar("v", Ty::F64, Role::Output);
    program.results.push(v);
    let value = Expr::call(Ty::F64, func, operands);
    program.body = vec![Stmt::new(StmtKind::Assign { target: Place::scalar(v), value }, origin)];
    let along = |k: usize| {
        let duals = args.iter().enumerate().map(|(j, &x)| Dual::new(x, f64::from(u8::from(j == k))));
        let values = duals.map(|dual| Array::scalar(Value::Float(dual))).collect();
        run(&program, values, &no_paths)
            .unwrap_or_else(|fault| panic!("{func:?} {args:?}: {fault:?}"))
            .results[0]
            .tangents()[0]
    };
    (0..args.len()).map(along).collect()
}

#[track_caller]
fn assert_close(what: &str, found: f64, expected: f64, scale: f64, tolerance: f64) {
    let error = (found - expected).abs();
    let allowed = tolerance * (expected.abs() + scale);
    assert!(error <= allowed, "{what}: {found:e} instead of {expected:e}, error {error:e}");
}

#[test]
fn functions_of_one_operand() {
    for row in functions_of_one() {
        for (x, room) in row.points {
            let expected = difference(row.value, x, room);
            // what rounding of the function makes of a difference quotient over the room that there is
            let scale = 1e-4 * (row.value)(x).abs() / room;
            let name = format!("{:?}({x:e})", row.func);
            assert_close(&name, table(row.func, Ty::F64, &[x], None)[0], expected, scale, 2e-9);
            assert_close(&format!("dual {name}"), oracle(row.func, &[x], None)[0], expected, scale, 2e-9);
            if (x as f32).abs() < 80.0 && x.abs() > 1e-8 && room > 1e-3 {
                let x = f64::from(x as f32);
                let expected = difference(row.value, x, room);
                assert_close(
                    &format!("f32 {name}"),
                    table(row.func, Ty::F32, &[x], None)[0],
                    expected,
                    1e-2,
                    2e-4,
                );
            }
        }
    }
}

#[test]
fn functions_of_several_operands() {
    for row in functions_of_more() {
        for (args, rooms) in row.points {
            let (table, oracle) = (table(row.func, Ty::F64, &args, None), oracle(row.func, &args, None));
            for k in (0..args.len()).filter(|&k| rooms[k] > 0.0) {
                let along = |x: f64| {
                    let mut at = args.clone();
                    at[k] = x;
                    (row.value)(&at)
                };
                let expected = difference(along, args[k], rooms[k]);
                let scale = 1e-4 * (row.value)(&args).abs() / rooms[k];
                let name = format!("{:?}{args:?} operand {k}", row.func);
                assert_close(&name, table[k], expected, scale, 2e-9);
                assert_close(&format!("dual {name}"), oracle[k], expected, scale, 2e-9);
            }
        }
    }
}

#[test]
fn integer_powers() {
    for n in [-7, -2, -1, 0, 1, 2, 3, 4, 9, 21] {
        for x in [-2.5, -1.0, -0.1, 0.3, 1.0, 1.7] {
            let expected = difference(|x| x.powi(n), x, x.abs());
            let constant = Expr::int(Ty::Int(Int::I32), i128::from(n));
            // an exponent that only the run knows
            let hidden = Expr::float(Ty::F64, f64::from(n)).cast(Ty::Int(Int::I32));
            for exponent in [constant, hidden] {
                let name = format!("{x}.powi({n})");
                let scale = 1e-4 * x.powi(n).abs() / x.abs();
                let found = table(Func::Powi, Ty::F64, &[x], Some(exponent.clone()))[0];
                assert_close(&name, found, expected, scale, 2e-9);
                let found = oracle(Func::Powi, &[x], Some(exponent))[0];
                assert_close(&format!("dual {name}"), found, expected, scale, 2e-9);
            }
        }
    }
    let at_zero = |n: i128| table(Func::Powi, Ty::F64, &[0.0], Some(Expr::int(Ty::Int(Int::I32), n)))[0];
    assert_eq!((at_zero(0), at_zero(1), at_zero(2)), (0.0, 1.0, 0.0));
    assert_eq!(at_zero(-2), f64::NEG_INFINITY);
}

#[test]
fn every_function_with_a_derivative_is_tested() {
    let mut tested: Vec<Func> = functions_of_one().iter().map(|row| row.func).collect();
    tested.extend(functions_of_more().iter().map(|row| row.func));
    tested.push(Func::Powi);
    for &func in Func::ALL {
        let args: Vec<Expr> = (0..func.arity()).map(|_| Expr::float(Ty::F64, 0.5)).collect();
        match func.kind() {
            // those that the runtime alone has: see `derivative_ranges`
            Kind::Float => assert!(tested.contains(&func) || !func.row().method, "{func:?}"),
            Kind::FloatConstant => {
                let rows = contributions(func, Ty::F64, &args, &mut || args[0].clone(), &|_| args[0].clone());
                assert!(rows.is_empty(), "{func:?} is piecewise constant");
            }
            Kind::Int => {}
            Kind::Attached => {
                let rows = contributions(func, Ty::F64, &args, &mut || args[0].clone(), &|_| args[0].clone());
                assert_eq!(rows.iter().map(|row| row.operand).collect::<Vec<_>>(), [0, 2]);
            }
        }
    }
}

#[test]
fn edges_and_kinks() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let cases: &[(Func, &[f64], &[f64])] = &[
        (Func::Abs, &[0.0], &[0.0]),
        (Func::Abs, &[-0.0], &[0.0]),
        (Func::Sqrt, &[0.0], &[inf]),
        (Func::Cbrt, &[0.0], &[inf]),
        (Func::Ln, &[0.0], &[inf]),
        (Func::Asin, &[1.0], &[inf]),
        (Func::Acos, &[-1.0], &[-inf]),
        (Func::Acosh, &[1.0], &[inf]),
        (Func::Atanh, &[1.0], &[inf]),
        (Func::Max, &[1.5, 1.5], &[1.0, 0.0]),
        (Func::Max, &[0.0, -0.0], &[1.0, 0.0]),
        (Func::Max, &[-0.0, 0.0], &[1.0, 0.0]),
        (Func::Min, &[1.5, 1.5], &[1.0, 0.0]),
        (Func::Max, &[nan, 1.0], &[0.0, 1.0]),
        (Func::Max, &[1.0, nan], &[1.0, 0.0]),
        (Func::Min, &[nan, 1.0], &[0.0, 1.0]),
        (Func::Min, &[1.0, nan], &[1.0, 0.0]),
        (Func::Max, &[inf, 1.0], &[1.0, 0.0]),
        (Func::Hypot, &[0.0, 0.0], &[0.0, 0.0]),
        (Func::Powf, &[0.0, 2.0], &[0.0, 0.0]),
        (Func::Powf, &[0.0, 1.0], &[1.0, 0.0]),
        (Func::Powf, &[0.0, 0.5], &[inf, 0.0]),
        (Func::Powf, &[3.0, 0.0], &[0.0, 3f64.ln()]),
        (Func::Copysign, &[0.0, 2.0], &[0.0, 0.0]),
        (Func::Copysign, &[0.0, -2.0], &[0.0, 0.0]),
        (Func::Clamp, &[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0]),
        (Func::Clamp, &[1.0, 0.0, 1.0], &[1.0, 0.0, 0.0]),
        (Func::Clamp, &[0.5, 0.5, 0.5], &[1.0, 0.0, 0.0]),
        (Func::Exp, &[-inf], &[0.0]),
        (Func::Tanh, &[800.0], &[0.0]),
        (Func::Atan, &[inf], &[0.0]),
        (Func::Recip, &[0.0], &[-inf]),
    ];
    for (func, args, expected) in cases {
        let (table, oracle) = (table(*func, Ty::F64, args, None), oracle(*func, args, None));
        assert_eq!(&table[..], *expected, "{func:?}{args:?}");
        // the sign of a dual number's zero, and of an infinite slope, comes from another formula
        assert_eq!(&oracle[..], *expected, "dual {func:?}{args:?}");
    }
}

#[test]
fn an_operand_that_is_not_a_number_stays_out() {
    // the argument that was not chosen has a derivative that is infinite, and gets exactly nothing
    for (func, args) in [(Func::Max, [3.0, 0.0]), (Func::Min, [-3.0, 0.0])] {
        assert_eq!(table(func, Ty::F64, &args, None), [1.0, 0.0]);
    }
}
