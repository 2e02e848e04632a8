//! Constants and tables, inside and outside of the body.

use super::host::Host;
use super::{lowered, same};
use pardiff_compiler::ir::interp::{Given, Value};

pub const SCALE: f64 = 2.5;
pub const SINGLE: f32 = 0.3;
pub const COUNT: usize = 3;
pub const MODE: i32 = 2;
pub const STEPS: u16 = 4;
pub const WEIGHTS: [f64; 3] = [0.25, 0.5, 0.125];
pub const STENCIL: [[f64; 2]; 3] = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
pub static OFFSETS: &[isize] = &[-1, 0, 1];

/// The value of a path that the tests use.
pub fn given(text: &str) -> Option<Given<f64>> {
    let float = |value: f64| Some(Given::Value(Value::Float(value)));
    let int = |value: i128| Some(Given::Value(Value::Int(value)));
    match text.rsplit("constants::").next().unwrap_or(text) {
        "f64::INFINITY" => float(f64::INFINITY),
        "f64::NEG_INFINITY" | "f32::NEG_INFINITY" => float(f64::NEG_INFINITY),
        "f64::NAN" => float(f64::NAN),
        "usize::MAX" => int(usize::MAX as i128),
        "crate::frontend::branches::LIMIT" => int(super::branches::LIMIT as i128),
        "cfg!(debug_assertions)" => Some(Given::Value(Value::Bool(true))),
        "cfg!(windows)" => Some(Given::Value(Value::Bool(false))),
        "SCALE" => float(SCALE),
        "SINGLE" => float(f64::from(SINGLE)),
        "COUNT as f64" => float(COUNT as f64),
        "COUNT" => int(COUNT as i128),
        "MODE" => int(i128::from(MODE)),
        "STEPS" => int(i128::from(STEPS)),
        "WEIGHTS" => Some(Given::Table(WEIGHTS.array())),
        "STENCIL" => Some(Given::Table(STENCIL.array())),
        "OFFSETS" => {
            let offsets = OFFSETS.iter().map(|&offset| Value::Int(offset as i128));
            Some(Given::Table(pardiff_compiler::ir::interp::Array::of(offsets)))
        }
        "IDX" => {
            let indices = [0, 2, 1, 2].map(Value::Int);
            Some(Given::Table(pardiff_compiler::ir::interp::Array::of(indices)))
        }
        "W" => Some(Given::Table([[1.0, -2.0], [0.5, 4.0]].array())),
        "D" => int(3),
        "C" => Some(Given::Table([2.0, 4.0].array())),
        "TABLE" => Some(Given::Table([[1.0, 2.0], [3.0, 4.0]].array())),
        _ => None,
    }
}

same! {
    fn outer_constants(x: &[f64]) -> f64 {
        use crate::frontend::constants;
        use crate::frontend::constants::{COUNT, SCALE as S, WEIGHTS};
        let mut s = 0.0;
        for i in 0..COUNT { s += x[i] * S * WEIGHTS[i]; }
        s += constants::WEIGHTS.len() as f64;
        let w = &WEIGHTS[1..];
        s * w[0] + (x[0] as f32 * constants::SINGLE) as f64
    }
    with (x = vec![1.0, 2.0, 3.0]);
    with (x = vec![1.0, 2.0]);

    fn integer_constants(x: &[f64]) -> f64 {
        let mut s = 0.0;
        if crate::frontend::constants::MODE == 2 { s += 1.0; }
        for k in 0..crate::frontend::constants::STEPS { s += k as f64 * x[0]; }
        for k in 0..crate::frontend::constants::OFFSETS.len() { let o: isize = crate::frontend::constants::OFFSETS[k]; s += x[(1 + o) as usize]; }
        s / crate::frontend::constants::COUNT as f64
    }
    with (x = vec![1.0, 2.0, 3.0]);

    fn stencil_table(x: &[f64]) -> f64 {
        use crate::frontend::constants::STENCIL;
        fn weigh(t: &[[f64; 2]; 3], k: usize) -> f64 { t[k][0] * t[k][1] }
        let mut s = 0.0;
        for i in 0..STENCIL.len() { for j in 0..2 { s += STENCIL[i][j] * x[j]; } }
        let row = &STENCIL[1];
        s + row[1] + weigh(&STENCIL, 2)
    }
    with (x = vec![1.0, 2.0]);

    fn body_constants(x: &[f64]) -> f64 {
        const N: usize = 2;
        const EPS: f64 = -1e-3;
        const D: usize = N + 1;
        const C: [f64; N] = [2.0, 4.0];
        static TABLE: [[f64; 2]; 2] = [[1.0, 2.0], [3.0, 4.0]];
        let mut a = [0.0; D];
        for i in 0..D { a[i] = x[i] + EPS; }
        for i in 0..N { a[i] *= C[i] + TABLE[1][i]; }
        a[0] + a[1] + a[2] + C.len() as f64
    }
    with (x = vec![1.0, 2.0, 3.0]);

    fn constants_of_helpers(x: &[f64]) -> f64 {
        fn f(a: f64) -> f64 { const C: [f64; 2] = [2.0, 4.0]; const EPS: f64 = 0.5; a * C[0] + C[1] + EPS }
        fn g(a: f64) -> f64 { const EPS: f64 = 0.25; a * EPS }
        f(x[0]) + g(f(x[1]))
    }
    with (x = vec![1.0, 2.0]);

    fn std_constants(x: f64) -> f64 {
        use std::f64::consts::{self, FRAC_PI_2, LN_2 as L};
        use std::f64::consts::*;
        let a = std::f64::consts::PI * x + consts::TAU + FRAC_PI_2 + L + SQRT_2;
        let b = f64::EPSILON + f64::MIN_POSITIVE + f64::MAX * 1e-300 + core::f64::consts::E;
        let c = (f32::EPSILON as f64) + std::f32::consts::PI as f64;
        let d = if x < f64::INFINITY { 1.0 } else { f64::NAN };
        let e = i32::MAX as f64 + u8::MAX as f64 + i64::MIN as f64 + usize::MAX as f64;
        a + b + c + d + e
    }
    with (x = 1.5);

    fn configuration(x: f64) -> f64 {
        if cfg!(windows) { x } else { 2.0 * x }
    }
    with (x = 1.5);

    fn float_beside_a_literal(x: &[f64]) -> f64 {
        let half = crate::frontend::constants::SCALE * 0.5;
        let mut s = crate::frontend::constants::SCALE;
        s += 1.0;
        x[0] * half + s
    }
    with (x = vec![1.5]);
}

#[test]
fn only_needed_constants_are_kept() {
    let source = "fn f(x: &[f64]) -> f64 {
        const UNUSED: f64 = 1.0; const TWO: usize = 2; const N: usize = TWO + 1; const W: [f64; N] = [1.0; N]; const Z: f64 = g();
        x[0] * W[1]
    }";
    let signature = lowered(source).signature;
    let names: Vec<String> = signature
        .consts
        .iter()
        .map(|item| match item {
            syn::Item::Const(item) => item.ident.to_string(),
            _ => panic!("not a list of constants"),
        })
        .collect();
    assert_eq!(names, ["TWO", "N", "W"]);
}

#[test]
fn types_of_paths_follow_from_their_use() {
    let source = "fn f(x: &[f32], k: u64) -> f32 {
        let a = A + k; let b = [0.0; B]; let c = x[C] * D; if E { c } else { F[a as usize] * G[1][2].sqrt() + b[0] }
    }";
    let program = lowered(source).program;
    let types: Vec<String> =
        program.opaques.iter().map(|opaque| format!("{}: {}", opaque.text, opaque.ty)).collect();
    assert_eq!(types, ["A: u64", "B: usize", "C: usize", "D: f32", "E: bool", "F: f32", "G: f32"]);
}

#[test]
fn the_range_of_a_table_of_integer_literals_is_known() {
    let source = "fn f(x: &[f64]) -> f64 {
        const A: [isize; 3] = [-1, 0, 4];
        static B: [[u8; 2]; 2] = [[3, 7], [5, (6)]];
        const C: [usize; 9] = [2; 9];
        const D: [usize; 2] = [0, N];
        const E: [f64; 2] = [1.0, 2.0];
        let i = (A[0] + A[1]) as usize + B[0][1] as usize + C[1] + D[0];
        x[i] * E[0]
    }";
    let program = lowered(source).program;
    let range = |name: &str| program.opaques.iter().find(|path| path.text == name).expect(name).range;
    let ranges = ["A", "B", "C", "D", "E"].map(range);
    assert_eq!(ranges, [Some((-1, 4)), Some((3, 7)), Some((2, 2)), None, None]);
}

/// What the generated bodies declare, and what they name.
fn declared(source: &str) -> (Vec<String>, Vec<String>) {
    let lowered = lowered(source);
    let items = lowered.signature.consts.iter().map(|item| quote::quote!(#item).to_string());
    let paths = lowered.program.opaques.iter().map(|opaque| opaque.tokens.to_string());
    (items.collect(), paths.collect())
}

#[test]
fn a_constant_of_a_name_that_means_something_else_elsewhere_gets_another() {
    let (items, paths) = declared("fn f(x: f64) -> f64 { let y = A * x; { const A: f64 = g(); y * A } }");
    assert_eq!(items, ["const A_2 : f64 = g () ;"]);
    assert_eq!(paths, ["A", "A_2"]);
    // a literal stands for itself
    let (items, paths) = declared("fn f(x: f64) -> f64 { let y = A * x; { const A: f64 = 3.0; y * A } }");
    assert!(items.is_empty());
    assert_eq!(paths, ["A"]);
}

#[test]
fn constants_name_those_that_they_see() {
    let source = "fn f(x: &[f64], k: usize) -> f64 {
        const W: [f64; N] = [1.0; N]; const N: usize = g();
        let a = W[k] * x[0];
        { const W: [f64; N] = [2.0; N]; const N: usize = h() + s::N; a * W[k] }
    }";
    let (items, paths) = declared(source);
    let expected = [
        "const N : usize = g () ;",
        "const W : [f64 ; N] = [1.0 ; N] ;",
        "const N_2 : usize = h () + s :: N ;",
        "const W_2 : [f64 ; N_2] = [2.0 ; N_2] ;",
    ];
    assert_eq!(items, expected);
    assert!(paths.contains(&"W".to_owned()) && paths.contains(&"W_2".to_owned()), "{paths:?}");
}
