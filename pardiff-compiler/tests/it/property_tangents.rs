//! Forward mode and second order of random programs: what `property` checks of each program besides its gradient.

use crate::oracle::{self, Tangent, array, arrays, execute, floats};
use crate::property::{Failure, Kind, Mode, Plain, Stages, constants, failure, same};
use crate::random::Program as Source;
use crate::random::inputs::Arguments;
use pardiff_compiler::ir::interp::{Array, Number, Outcome};
use pardiff_compiler::ir::{BufferId, Derivative, Program, Role};

/// Forward mode: the values are the primal's, the tangents those of dual numbers.
pub fn check_tangent<M: Mode>(
    source: &Source,
    stages: &Stages,
    args: &Arguments,
    primal: &Outcome<Plain<M>>,
    (stage, program): (&'static str, &Program),
    seed: u64,
) -> Result<(), Failure> {
    let lowered = &stages.lowered;
    let values: Vec<Array<Plain<M>>> = arrays(args);
    let lens: Vec<usize> = stages.active.iter().map(|&k| values[k].data.len()).collect();
    let along = constants::<M>(seed.wrapping_mul(37).wrapping_add(5), &lens);
    let (mut given, mut all) = (Vec::new(), Vec::new());
    for (k, value) in values.iter().enumerate() {
        given.push(value.clone());
        let own = stages.active.iter().position(|&active| active == k).map(|n| &along[n]);
        given.extend(own.map(|own| array(&value.dims, own)));
        if lowered[lowered.params[k]].elem.is_float() {
            all.push(own.cloned().unwrap_or_else(|| vec![Plain::<M>::constant(0.0); value.data.len()]));
        }
    }
    let outcome = execute(source, args, program, given)
        .map_err(|fault| failure(Kind::Fault(stage), format!("{fault:?}\n{program}")))?;
    let mut params = outcome.params.into_iter();
    let (mut after, mut tangents) = (Vec::new(), Vec::new());
    for k in 0..values.len() {
        after.extend(params.next());
        if stages.active.contains(&k) {
            let tangent = params.next();
            tangents.extend(tangent.filter(|_| lowered[lowered.params[k]].role == Role::InOut));
        }
    }
    let (results, of_results) = outcome.results.split_at(primal.results.len());
    tangents.extend(of_results.iter().cloned());
    if !same(&after, &primal.params) || !same(results, &primal.results) {
        return Err(failure(Kind::Values(stage), format!("{primal:?}\n{after:?} {results:?}\n{program}")));
    }
    let expected = oracle::jvp::<M::Dual>(source, args, &stages.reference, &all)
        .map_err(|fault| failure(Kind::Generator, format!("{fault:?}")))?;
    let size = |x: &Plain<M>| x.real().unwrap_or(0.0).abs();
    let scale = expected.iter().flatten().map(size).fold(0.0, f64::max);
    if !M::EXACT && !scale.is_finite() {
        return Err(failure(Kind::Discarded, ""));
    }
    let found: Vec<Vec<Plain<M>>> = tangents.iter().map(|it| floats(it).unwrap_or_default()).collect();
    let lens = |all: &[Vec<Plain<M>>]| all.iter().map(Vec::len).collect::<Vec<_>>();
    let close = |(&a, &b): (&Plain<M>, &Plain<M>)| M::close(a, b, scale, source);
    if lens(&found) != lens(&expected)
        || !found.iter().zip(&expected).all(|(a, b)| a.iter().zip(b).all(close))
    {
        let detail = format!("along {along:?}\n  {found:?}, dual numbers {expected:?}\n{args:?}\n{program}");
        return Err(Failure { kind: Kind::Gradient(stage), detail });
    }
    Ok(())
}

/// What a parameter is: the position of the primal one, or none for the adjoint of a result, and the steps from there.
fn place(stages: &Stages, program: &Program, id: BufferId) -> (Option<usize>, usize, Vec<Derivative>) {
    let (root, steps) = program.root(id);
    let of = |list: &[BufferId]| list.iter().position(|&it| it == root);
    let result = of(&stages.normalised.results).unwrap_or_default();
    (of(&stages.normalised.params), result, steps)
}

/// Second order: the reversal over dual numbers.
pub fn check_second<M: Mode>(
    source: &Source,
    stages: &Stages,
    args: &Arguments,
    primal: &Outcome<Plain<M>>,
    (stage, program): (&'static str, &Program),
    seed: u64,
) -> Result<(), Failure> {
    let values: Vec<Array<Plain<M>>> = arrays(args);
    let is_output = |k: usize| stages.lowered[stages.lowered.params[k]].role == Role::InOut;
    let random =
        |salt: u64, len: usize| constants::<M>(seed.wrapping_mul(41).wrapping_add(salt), &[len]).remove(0);
    let zeros = |len: usize| vec![Plain::<M>::constant(0.0); len];
    // of the parameter `k`: direction, adjoint, tangent of the adjoint
    let along = |k: usize| match stages.active.contains(&k) {
        true => random(100 + k as u64, values[k].data.len()),
        false => zeros(values[k].data.len()),
    };
    let of_output = |salt: u64, k: usize| match is_output(k) {
        true => random(salt + k as u64, values[k].data.len()),
        false => zeros(values[k].data.len()),
    };
    let seeds = |k: usize| random(400 + k as u64, primal.results[k].data.len());
    let plain = program.params.iter().map(|&id| match place(stages, program, id) {
        (Some(k), _, steps) => match steps[..] {
            [] => values[k].clone(),
            [Derivative::Tangent] => array(&values[k].dims, &along(k)),
            [Derivative::Adjoint] => array(&values[k].dims, &of_output(200, k)),
            _ => array(&values[k].dims, &of_output(300, k)),
        },
        (None, k, _) => array(&primal.results[k].dims, &seeds(k)),
    });
    let found = execute(source, args, program, plain.collect())
        .map_err(|fault| failure(Kind::Fault(stage), format!("{fault:?}\n{program}")))?;
    let lift = |value: &Array<Plain<M>>, tangent: Vec<Plain<M>>| -> Array<M::Dual> {
        let pairs = floats(value).unwrap_or_default().into_iter().zip(tangent);
        array(&value.dims, &pairs.map(|(value, tangent)| M::Dual::with(value, tangent)).collect::<Vec<_>>())
    };
    let whole: Vec<Array<M::Dual>> = arrays(args);
    let reversed = &stages.simplified;
    let dual = reversed.params.iter().map(|&id| match place(stages, reversed, id) {
        (Some(k), _, steps) if steps.is_empty() => match floats(&values[k]) {
            Some(_) => lift(&values[k], along(k)),
            None => whole[k].clone(),
        },
        (Some(k), _, _) => lift(&array(&values[k].dims, &of_output(200, k)), of_output(300, k)),
        (None, k, _) => {
            let (dims, seeds) = (&primal.results[k].dims, seeds(k));
            let none = zeros(seeds.len());
            lift(&array(dims, &seeds), none)
        }
    });
    let expected = execute(source, args, reversed, dual.collect())
        .map_err(|fault| failure(Kind::Generator, format!("{fault:?}")))?;
    let tangents = |array: &Array<M::Dual>| -> Vec<Plain<M>> {
        floats(array).unwrap_or_default().into_iter().map(M::Dual::tangent).collect()
    };
    let by_place = |of: &Program, id: BufferId| {
        reversed.params.iter().position(|&own| {
            let (mut wanted, own) = (place(stages, of, id), place(stages, reversed, own));
            wanted.2.pop();
            wanted == own
        })
    };
    for (&id, after) in program.params.iter().zip(&found.params) {
        if place(stages, program, id).2.last() != Some(&Derivative::Tangent) {
            continue;
        }
        let Some(at) = by_place(program, id) else { continue };
        let (own, wanted) = (floats(after).unwrap_or_default(), tangents(&expected.params[at]));
        let size = |x: &Plain<M>| x.real().unwrap_or(0.0).abs();
        let scale = wanted.iter().map(size).fold(0.0, f64::max);
        if !M::EXACT && (scale.is_nan() || scale >= 1e9) {
            return Err(failure(Kind::Discarded, ""));
        }
        let close = |(&a, &b): (&Plain<M>, &Plain<M>)| M::close(a, b, scale, source);
        if own.len() != wanted.len() || !own.iter().zip(&wanted).all(close) {
            let name = &program[id].name;
            let detail =
                format!("`{name}`: {own:?}, dual numbers {wanted:?}\n{args:?}\n{reversed}\n{program}");
            return Err(Failure { kind: Kind::Gradient(stage), detail });
        }
    }
    Ok(())
}
