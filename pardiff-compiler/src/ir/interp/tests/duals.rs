//! Tangents against central differences, and the conventions at kinks.

use super::execute;
use crate::ir::interp::{Array, Dual};
use crate::ir::{Func, Kind};

/// `func` at a point, moved along a direction; the second operand of `powi` stays.
fn value(func: Func, at: [f64; 3], direction: [f64; 3]) -> Dual {
    let names = ["x", "y", "z"];
    let params: Vec<String> = names.iter().map(|name| format!("{name}: in f64")).collect();
    let operands =
        if func == Func::Powi { "x, y as i32".to_owned() } else { names[..func.arity()].join(", ") };
    let text = format!("fn f({}) -> out: f64\n  out = {}({operands})", params.join(", "), func.text());
    let args = (0..3).map(|k| Array::float(at[k]).with_tangents(&[direction[k]])).collect();
    let out = execute::<Dual>(&text, args).unwrap();
    Dual::new(out.results[0].real(), out.results[0].tangents()[0])
}

/// Points inside the domain, away from kinks.
fn points(func: Func) -> Vec<[f64; 3]> {
    use Func::*;
    match func {
        Ln | Log2 | Log10 | Sqrt => vec![[0.3, 0.0, 0.0], [7.0, 0.0, 0.0]],
        Ln1p => vec![[-0.4, 0.0, 0.0], [7.0, 0.0, 0.0]],
        Log => vec![[0.3, 2.0, 0.0], [7.0, 0.5, 0.0]],
        Asin | Acos | Atanh => vec![[-0.7, 0.0, 0.0], [0.2, 0.0, 0.0]],
        Acosh => vec![[1.3, 0.0, 0.0], [5.0, 0.0, 0.0]],
        Powi => vec![[1.7, 3.0, 0.0], [-0.8, -2.0, 0.0], [-2.0, 0.0, 0.0], [2.0, 1.0, 0.0]],
        Powf => vec![[1.7, 2.5, 0.0], [0.4, -1.5, 0.0], [3.0, 0.0, 0.0]],
        Clamp => vec![[0.3, -1.0, 1.0], [-2.0, -1.0, 1.0], [2.0, -1.0, 1.0]],
        Atan2 | Hypot | Max | Min | Copysign | RemEuclidF => {
            vec![[0.7, 1.3, 0.0], [-2.1, 0.6, 0.0], [3.7, -1.1, 0.0], [-2.5, -0.9, 0.0]]
        }
        _ => vec![[0.7, 1.3, -0.4], [-0.6, 0.2, 2.0], [2.3, -1.1, 0.5]],
    }
}

#[test]
fn tangents_agree_with_central_differences() {
    let step = 1e-5;
    for &func in Func::ALL.iter().filter(|func| func.kind() == Kind::Float && func.row().method) {
        for at in points(func) {
            for direction in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, -0.8, 0.3]] {
                let moves = |k: usize| k < func.arity() && !(func == Func::Powi && k == 1);
                let direction = [0, 1, 2].map(|k| if moves(k) { direction[k] } else { 0.0 });
                let moved = |by: f64| {
                    let to = [0, 1, 2].map(|k| at[k] + by * direction[k]);
                    value(func, to, [0.0; 3]).value
                };
                // fourth order
                let (near, far) = (moved(step) - moved(-step), moved(2.0 * step) - moved(-2.0 * step));
                let difference = (8.0 * near - far) / (12.0 * step);
                let tangent = value(func, at, direction).tangent;
                let close = (tangent - difference).abs() <= 1e-8 * (1.0 + difference.abs());
                assert!(close, "{} at {at:?} along {direction:?}: {tangent}, {difference}", func.text());
            }
        }
    }
}

#[test]
fn operators_have_the_rules_of_calculus() {
    let text = "
        fn f(a: in f64, b: in f64) -> out: f64[6]
          out[0] = a + b
          out[1] = a - b
          out[2] = a * b
          out[3] = a / b
          out[4] = a % b
          out[5] = -a as f32 as f64
    ";
    let (a, b) = (Array::float(7.0).with_tangents(&[3.0]), Array::float(2.0).with_tangents(&[5.0]));
    let out = execute::<Dual>(text, vec![a, b]).unwrap();
    assert_eq!(out.results[0].tangents(), [8.0, -2.0, 41.0, 1.5 - 35.0 / 4.0, 3.0 - 15.0, -3.0]);
}

#[test]
fn piecewise_constant_functions_do_not_move() {
    for &func in Func::ALL.iter().filter(|func| func.kind() == Kind::FloatConstant) {
        if func.result_ty(crate::ir::Ty::F64) == crate::ir::Ty::F64 {
            assert_eq!(value(func, [1.25, 0.5, 0.0], [1.0, 1.0, 0.0]).tangent, 0.0, "{}", func.text());
        }
    }
    let text = "fn f(x: in f64) -> y: f64\n  y = x as i32 as f64";
    let out = execute::<Dual>(text, vec![Array::float(2.5).with_tangents(&[1.0])]).unwrap();
    assert_eq!(out.results[0].tangents(), [0.0]);
}

#[test]
fn kinks_follow_the_conventions() {
    let along =
        |func, x, y, direction: [f64; 2]| value(func, [x, y, 0.0], [direction[0], direction[1], 0.0]).tangent;
    assert_eq!(along(Func::Abs, 0.0, 0.0, [1.0, 0.0]), 0.0);
    assert_eq!(along(Func::Max, 1.0, 1.0, [1.0, 10.0]), 1.0);
    assert_eq!(along(Func::Min, 1.0, 1.0, [1.0, 10.0]), 1.0);
    assert_eq!(along(Func::Max, f64::NAN, 1.0, [1.0, 10.0]), 10.0);
    assert_eq!(along(Func::Max, 1.0, f64::NAN, [1.0, 10.0]), 1.0);
    assert_eq!(along(Func::Sqrt, 0.0, 0.0, [1.0, 0.0]), f64::INFINITY);
    assert_eq!(along(Func::Powf, 0.0, 2.0, [0.0, 1.0]), 0.0);
    assert_eq!(along(Func::Powf, 0.0, 2.0, [1.0, 1.0]), 0.0);
    assert_eq!(along(Func::Powf, -2.0, 3.0, [1.0, 0.0]), 12.0, "a constant exponent contributes nothing");
    assert_eq!(along(Func::Hypot, 0.0, 0.0, [1.0, 1.0]), 0.0);
    assert_eq!(value(Func::Clamp, [1.0, 1.0, 2.0], [1.0, 10.0, 100.0]).tangent, 1.0);
}

#[test]
fn what_is_not_taken_contributes_nothing() {
    let text = "fn f(x: in f64, c: in bool) -> y: f64\n  y = select(c, sqrt(x), 2.0 * x)";
    let run = |c| {
        let x = Array::float(0.0).with_tangents(&[1.0]);
        execute::<Dual>(text, vec![x, Array::bool(c)]).unwrap().results[0].tangents()[0]
    };
    assert_eq!(run(false), 2.0);
    assert_eq!(run(true), f64::INFINITY);
    let constant = "fn f(x: in f64) -> y: f64\n  y = sqrt(0.0) * x";
    let out = execute::<Dual>(constant, vec![Array::float(3.0).with_tangents(&[1.0])]).unwrap();
    assert_eq!(out.results[0].tangents(), [0.0], "a constant at an infinite slope");
}
