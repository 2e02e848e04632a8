//! The programs of these tests through the passes: the adjoint agrees with dual numbers along directions.

use super::paths;
use crate::racing::run;
use pardiff_compiler::ir::interp::{Array, Dual, Given, Value};
use pardiff_compiler::ir::{BufferId, Program, Role, verify};
use pardiff_compiler::{adjoint, normalise, simplify};

/// Numbers in (-1, 1) without a pattern.
struct Directions(u64);

impl Directions {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % 2_000_003) as f64 / 1_000_001.5 - 1.0
    }

    fn like(&mut self, array: &Array<f64>) -> Vec<f64> {
        array.data.iter().map(|_| self.next()).collect()
    }
}

/// Asserts that the reverse of a program, which runs with these arguments, is its adjoint.
pub fn assert_adjoint(lowered: &Program, generics: &[(&str, usize)], before: &[Array<f64>]) {
    let primal = simplify::simplify(normalise::normalise(lowered.clone()));
    assert_valid(&primal);
    let active: Vec<BufferId> =
        primal.params.iter().copied().filter(|&param| primal[param].elem.is_float()).collect();
    let reversed = match adjoint::reverse(&primal, &active) {
        Ok(reversed) => simplify::simplify_reversed(reversed),
        Err(error) => panic!("{error:?}\n{primal}"),
    };
    assert_valid(&reversed);
    let mut directions = Directions(88_172_645_463_325_252);
    for _ in 0..2 {
        let (inner, slope) = products(&primal, &reversed, generics, before, &mut directions);
        let single = primal.to_string().contains("f32");
        let tolerance = if single { 1e-4 } else { 1e-9 };
        if inner.is_finite() && slope.is_finite() {
            let error = (inner - slope).abs() / (1.0 + inner.abs().max(slope.abs()));
            assert!(error < tolerance, "adjoint {inner}, dual {slope}\n{before:?}\n{primal}\n{reversed}");
        }
    }
}

fn assert_valid(program: &Program) {
    if let Err(violations) = verify::verify(program) {
        let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
        panic!("{}\n{program}", list.join("\n"));
    }
}

/// `<x_bar, v>` by the adjoint and `<y_bar, dy/dx v>` by dual numbers, for directions `v` and seeds `y_bar`.
fn products(
    primal: &Program,
    reversed: &Program,
    generics: &[(&str, usize)],
    before: &[Array<f64>],
    directions: &mut Directions,
) -> (f64, f64) {
    let mut duals = Vec::new();
    let mut args = Vec::new();
    let mut along = Vec::new();
    // the adjoint of an output is its seed; inputs start at zero
    let mut seeds = Vec::new();
    for (&param, array) in primal.params.iter().zip(before) {
        let dual = Array { dims: array.dims.clone(), data: array.data.iter().map(|v| v.map(lift)).collect() };
        args.push(array.clone());
        if !primal[param].elem.is_float() {
            duals.push(dual);
            continue;
        }
        let direction = directions.like(array);
        duals.push(dual.with_tangents(&direction));
        along.push(direction);
        if primal[param].role == Role::InOut {
            let seed = directions.like(array);
            args.push(Array::floats(&seed).shaped(&array.dims));
            seeds.push(seed);
        } else {
            args.push(Array::filled(&array.dims, Value::Float(0.0)));
        }
    }
    let forward = run::<Dual>(primal, duals, &|id| lifted(paths(primal, generics, id)));
    let forward = forward.unwrap_or_else(|fault| panic!("{fault}\n{primal}"));
    let params = primal.params.iter().zip(&forward.params);
    let outputs = params.filter(|(id, _)| primal[**id].role == Role::InOut && primal[**id].elem.is_float());
    let results = primal.results.iter().zip(&forward.results).filter(|(id, _)| primal[**id].elem.is_float());
    let mut tangents: Vec<Vec<f64>> = outputs.map(|(_, array)| array.tangents()).collect();
    for (_, array) in results {
        let tangent = array.tangents();
        let seed: Vec<f64> = tangent.iter().map(|_| directions.next()).collect();
        args.push(Array::floats(&seed).shaped(&array.dims));
        seeds.push(seed);
        tangents.push(tangent);
    }
    let backward = run::<f64>(reversed, args, &|id| paths(reversed, generics, id));
    let backward = backward.unwrap_or_else(|fault| panic!("{fault}\n{primal}\n{reversed}"));
    let adjoints =
        reversed.params.iter().zip(&backward.params).filter_map(|(&id, array)| match reversed[id].role {
            Role::Adjoint(of) if reversed[of].role != Role::Output => Some(array.reals()),
            _ => None,
        });
    (inner(adjoints, &along), inner(tangents.into_iter(), &seeds))
}

fn inner(left: impl Iterator<Item = Vec<f64>>, right: &[Vec<f64>]) -> f64 {
    left.zip(right).flat_map(|(a, b)| a.into_iter().zip(b.clone())).map(|(a, b)| a * b).sum()
}

fn lift(value: Value<f64>) -> Value<Dual> {
    match value {
        Value::Float(value) => Value::Float(Dual::new(value, 0.0)),
        Value::Int(value) => Value::Int(value),
        Value::Bool(value) => Value::Bool(value),
    }
}

fn lifted(given: Option<Given<f64>>) -> Option<Given<Dual>> {
    Some(match given? {
        Given::Value(value) => Given::Value(lift(value)),
        Given::Table(table) => Given::Table(Array {
            dims: table.dims,
            data: table.data.into_iter().map(|value| value.map(lift)).collect(),
        }),
        Given::Function(_) => return None,
    })
}
