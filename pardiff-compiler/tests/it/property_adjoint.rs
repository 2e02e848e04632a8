//! Reversals of random programs: the values of the program, and the transpose of what dual numbers say.

use crate::oracle::{self, add, array, arrays, execute, floats, times};
use crate::property::{Failure, Kind, Mode, Plain, Stages, constants, failure, same};
use crate::random::Program as Source;
use crate::random::inputs::Arguments;
use pardiff_compiler::ir::interp::{Array, Number, Outcome};
use pardiff_compiler::ir::{Program, Role};

/// Runs the adjoint; it leaves the primal's values, and `<J v, w> = <v, J^T w>` along a direction, or along `every` one.
pub fn check_adjoint<M: Mode>(
    source: &Source,
    stages: &Stages,
    args: &Arguments,
    primal: &Outcome<Plain<M>>,
    (stage, program): (&'static str, &Program),
    (seed, every): (u64, bool),
) -> Result<(), Failure> {
    let lowered = &stages.lowered;
    let values: Vec<Array<Plain<M>>> = arrays(args);
    let random = |salt: u64, lens: &[usize]| constants::<M>(seed.wrapping_mul(31).wrapping_add(salt), lens);
    // the active parameters: which, and how long
    let active = &stages.active;
    let lens: Vec<usize> = active.iter().map(|&k| values[k].data.len()).collect();
    let is_output = |k: usize| lowered[lowered.params[k]].role == Role::InOut;
    let before = random(1, &lens);
    let float_results: Vec<&Array<Plain<M>>> = lowered
        .results
        .iter()
        .zip(&primal.results)
        .filter(|(id, _)| lowered[**id].elem.is_float())
        .map(|(_, array)| array)
        .collect();
    let result_lens: Vec<usize> = float_results.iter().map(|array| array.data.len()).collect();
    let seeds = random(2, &result_lens);
    // run the adjoint
    let mut given = Vec::new();
    let mut next = 0;
    for (k, value) in values.iter().enumerate() {
        given.push(value.clone());
        if active.contains(&k) {
            given.push(array(&value.dims, &before[next]));
            next += 1;
        }
    }
    given.extend(float_results.iter().zip(&seeds).map(|(result, seed)| array(&result.dims, seed)));
    let outcome = execute(source, args, program, given)
        .map_err(|fault| failure(Kind::Fault(stage), format!("{fault:?}\n{program}")))?;
    // what it left behind: primal values, adjoints
    let mut params = outcome.params.into_iter();
    let (mut after, mut adjoints) = (Vec::new(), Vec::new());
    for k in 0..values.len() {
        after.extend(params.next());
        if active.contains(&k) {
            adjoints.push(params.next().as_ref().and_then(floats).unwrap_or_default());
        }
    }
    if !same(&after, &primal.params) || !same(&outcome.results, &primal.results) {
        return Err(failure(
            Kind::Values(stage),
            format!("{primal:?}\n{after:?} {:?}\n{program}", outcome.results),
        ));
    }
    // the gradient: what was added to the adjoint of an input, all of that of an output
    let minus = |a: Plain<M>, b: Plain<M>| add(a, b.neg());
    for (n, &k) in active.iter().enumerate() {
        if adjoints[n].len() != lens[n] {
            return Err(failure(Kind::Values(stage), format!("an adjoint is unspecified\n{program}")));
        }
        if !is_output(k) {
            adjoints[n] = adjoints[n].iter().zip(&before[n]).map(|(&a, &b)| minus(a, b)).collect();
        }
    }
    let outputs_seed: Vec<&Vec<Plain<M>>> = active
        .iter()
        .zip(&before)
        .filter(|(k, _)| is_output(**k))
        .map(|(_, seed)| seed)
        .chain(&seeds)
        .collect();
    // along directions: every coordinate, or one at random
    let mut directions = vec![random(3, &lens)];
    if every {
        let zeros: Vec<Vec<Plain<M>>> = lens.iter().map(|&n| vec![Plain::<M>::constant(0.0); n]).collect();
        for (n, &len) in lens.iter().enumerate() {
            for k in 0..len {
                let mut unit = zeros.clone();
                unit[n][k] = Plain::<M>::constant(1.0);
                directions.push(unit);
            }
        }
    }
    for along in &directions {
        let mut all = Vec::new();
        for k in (0..values.len()).filter(|&k| lowered[lowered.params[k]].elem.is_float()) {
            let position = active.iter().position(|&own| own == k);
            let rest = || vec![Plain::<M>::constant(0.0); values[k].data.len()];
            all.push(position.map_or_else(rest, |n| along[n].clone()));
        }
        let tangents = oracle::jvp::<M::Dual>(source, args, &stages.reference, &all)
            .map_err(|fault| failure(Kind::Generator, format!("{fault:?}")))?;
        let (left, mut scale) = dot(&tangents, outputs_seed.iter().copied());
        let (right, more) = dot(along, adjoints.iter());
        scale += more;
        if !M::EXACT && !scale.is_finite() {
            return Err(failure(Kind::Discarded, ""));
        }
        if !M::close(left, right, scale, source) {
            let names: Vec<&String> = active.iter().map(|&k| &args.list[k].name).collect();
            let detail = format!(
                "of {names:?} along {along:?}\n  forward {left:?}, reverse {right:?}\n  seeds {outputs_seed:?}\n  \
                 arguments {args:?}\n{program}"
            );
            return Err(Failure { kind: Kind::Gradient(stage), detail });
        }
    }
    Ok(())
}

fn dot<'a, N: Number + 'a>(a: &[Vec<N>], b: impl Iterator<Item = &'a Vec<N>>) -> (N, f64) {
    let (mut sum, mut scale) = (N::constant(0.0), 0.0);
    for (a, b) in a.iter().zip(b) {
        for (&a, &b) in a.iter().zip(b) {
            let product = times(a, b);
            sum = add(sum, product);
            scale += product.real().unwrap_or(0.0).abs();
        }
    }
    (sum, scale)
}
