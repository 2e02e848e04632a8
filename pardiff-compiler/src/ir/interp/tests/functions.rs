//! Every function and cast against std.

use super::execute;
use crate::ir::interp::{Array, Value};
use crate::ir::{Func, Kind, Ty};

/// A program that applies `func` to its parameters.
fn applied(func: Func, first: Ty) -> String {
    let params = (0..func.arity()).map(|k| format!("p{k}: in {}", func.operand_ty(k, first)));
    let names: Vec<String> = (0..func.arity()).map(|k| format!("p{k}")).collect();
    format!(
        "fn f({}) -> out: {}\n  out = {}({})",
        params.collect::<Vec<_>>().join(", "),
        func.result_ty(first),
        func.text(),
        names.join(", ")
    )
}

/// What std computes; truth values as 0 and 1.
macro_rules! reference {
    ($float:ty, $func:expr, $x:expr, $y:expr, $z:expr) => {{
        let (x, y, z) = ($x as $float, $y as $float, $z as $float);
        let truth = |truth: bool| <$float>::from(u8::from(truth));
        match $func.text() {
            "exp" => x.exp(),
            "exp2" => x.exp2(),
            "exp_m1" => x.exp_m1(),
            "ln" => x.ln(),
            "ln_1p" => x.ln_1p(),
            "log2" => x.log2(),
            "log10" => x.log10(),
            "log" => x.log(y),
            "sqrt" => x.sqrt(),
            "cbrt" => x.cbrt(),
            "sin" => x.sin(),
            "cos" => x.cos(),
            "tan" => x.tan(),
            "asin" => x.asin(),
            "acos" => x.acos(),
            "atan" => x.atan(),
            "atan2" => x.atan2(y),
            "sinh" => x.sinh(),
            "cosh" => x.cosh(),
            "tanh" => x.tanh(),
            "asinh" => x.asinh(),
            "acosh" => x.acosh(),
            "atanh" => x.atanh(),
            "powi" => x.powi(y as i32),
            "powf" => x.powf(y),
            "hypot" => x.hypot(y),
            "recip" => x.recip(),
            "abs" => x.abs(),
            "max" => x.max(y),
            "min" => x.min(y),
            "clamp" => x.clamp(y, z),
            "mul_add" => x.mul_add(y, z),
            "copysign" => x.copysign(y),
            "midpoint" => x.midpoint(y),
            "fract" => x.fract(),
            "float::div_euclid" => x.div_euclid(y),
            "float::rem_euclid" => x.rem_euclid(y),
            "to_degrees" => x.to_degrees(),
            "to_radians" => x.to_radians(),
            "signum" => x.signum(),
            "floor" => x.floor(),
            "ceil" => x.ceil(),
            "round" => x.round(),
            "round_ties_even" => x.round_ties_even(),
            "trunc" => x.trunc(),
            "is_nan" => truth(x.is_nan()),
            "is_infinite" => truth(x.is_infinite()),
            "is_finite" => truth(x.is_finite()),
            "is_sign_negative" => truth(x.is_sign_negative()),
            "is_sign_positive" => truth(x.is_sign_positive()),
            name => panic!("no reference for `{name}`"),
        }
    }};
}

#[test]
fn functions_of_floats_are_those_of_std() {
    let points = [0.0, -0.0, 0.3, -0.7, 1.0, 1.5, 2.5, -3.25, 40.0, 1e-9, f64::INFINITY, f64::NAN];
    let third = 50.0;
    for &func in Func::ALL.iter().filter(|func| func.kind() != Kind::Int && func.row().method) {
        for ty in [Ty::F64, Ty::F32] {
            let text = applied(func, ty);
            let program = super::program(&text);
            for x in points {
                for y in points.into_iter().filter(|y| func != Func::Clamp || *y <= third) {
                    let exponent = y as i32;
                    let second =
                        if func == Func::Powi { Array::int(i128::from(exponent)) } else { Array::float(y) };
                    let args = [Array::float(x), second, Array::float(third)];
                    let args = args[..func.arity()].to_vec();
                    let out = crate::ir::interp::run::<f64>(&program, args, &super::no_paths).unwrap();
                    let expected = match ty {
                        Ty::F64 => reference!(f64, func, x, y, third),
                        _ => f64::from(reference!(f32, func, x, y, third)),
                    };
                    let value = out.results[0].real();
                    let equal = value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan();
                    assert!(equal, "{ty} {}({x}, {y}): {value} and {expected}", func.text());
                }
            }
        }
    }
}

#[test]
fn arithmetic_of_floats_is_that_of_rust() {
    for (a, b) in [(0.1, 0.3), (-7.5, 2.0), (1e30, 1e-30), (5.5, -2.5)] {
        let text = "
            fn f(a: in f32, b: in f32) -> out: f32[6]
              out[0] = a + b
              out[1] = a - b
              out[2] = a * b
              out[3] = a / b
              out[4] = a % b
              out[5] = -a
        ";
        let out = execute::<f64>(text, vec![Array::float(a), Array::float(b)]).unwrap();
        let (a, b) = (a as f32, b as f32);
        let expected = [a + b, a - b, a * b, a / b, a % b, -a].map(f64::from);
        assert_eq!(out.results[0].reals(), expected);
        let text = text.replace("f32", "f64");
        let (a, b) = (f64::from(a), f64::from(b));
        let out = execute::<f64>(&text, vec![Array::float(a), Array::float(b)]).unwrap();
        assert_eq!(out.results[0].reals(), [a + b, a - b, a * b, a / b, a % b, -a]);
    }
}

#[test]
fn comparisons_are_those_of_rust() {
    for a in [1.0, 2.0, f64::NAN] {
        for b in [1.0, 2.0, f64::NAN] {
            let text = "
                fn f(a: in f64, b: in f64) -> out: bool[6]
                  out[0] = a == b
                  out[1] = a != b
                  out[2] = a < b
                  out[3] = a <= b
                  out[4] = a > b
                  out[5] = a >= b
            ";
            let out = execute::<f64>(text, vec![Array::float(a), Array::float(b)]).unwrap();
            let expected = [a == b, a != b, a < b, a <= b, a > b, a >= b];
            assert_eq!(out.results[0], Array::of(expected.map(Value::Bool)), "{a} {b}");
        }
    }
    let text = "fn f(a: in u128, b: in u128) -> out: bool\n  out = a < b";
    let out = execute::<f64>(text, vec![Array::int(3), Array::int(-1)]).unwrap();
    assert_eq!(out.results[0], Array::bool(true), "the bits of -1 are those of u128::MAX");
}

#[test]
fn casts_are_those_of_rust() {
    let cast = |from: &str, to: &str, value: Value<f64>| -> Value<f64> {
        let text = format!("fn f(x: in {from}) -> y: {to}\n  y = x as {to}");
        execute(&text, vec![Array::scalar(value)]).unwrap().results[0].data[0].unwrap()
    };
    for x in [0.0, -1.5, 3.99, 300.7, -1e30, 1e30, f64::NAN, f64::INFINITY] {
        assert_eq!(cast("f64", "u8", Value::Float(x)), Value::Int(i128::from(x as u8)));
        assert_eq!(cast("f64", "i16", Value::Float(x)), Value::Int(i128::from(x as i16)));
        assert_eq!(cast("f64", "usize", Value::Float(x)), Value::Int(x as usize as i128));
        assert_eq!(cast("f64", "u128", Value::Float(x)), Value::Int(x as u128 as i128));
        if !x.is_nan() {
            assert_eq!(cast("f64", "f32", Value::Float(x)), Value::Float(f64::from(x as f32)));
        }
    }
    for n in [0, 1, -1, 127, 128, -129, 16_777_217, i64::MAX, i64::MIN] {
        let value = Value::Int(i128::from(n));
        assert_eq!(cast("i64", "i8", value), Value::Int(i128::from(n as i8)));
        assert_eq!(cast("i64", "u32", value), Value::Int(i128::from(n as u32)));
        assert_eq!(cast("i64", "u128", value), Value::Int(n as u128 as i128));
        assert_eq!(cast("i64", "f32", value), Value::Float(f64::from(n as f32)));
        assert_eq!(cast("i64", "f64", value), Value::Float(n as f64));
    }
    assert_eq!(cast("u128", "f64", Value::Int(-1)), Value::Float(u128::MAX as f64));
    assert_eq!(cast("u128", "f32", Value::Int(-1)), Value::Float(f64::from(u128::MAX as f32)));
    assert_eq!(cast("bool", "i32", Value::Bool(true)), Value::Int(1));
}
