//! The two halves of reversals of random programs: the bits of the whole, for several seeds and tapes.

use crate::oracle::{array, arrays, execute};
use crate::property::{Failure, Kind, Mode, Plain, Stages, constants, failure, same};
use crate::random::Program as Source;
use crate::random::inputs::Arguments;
use pardiff_compiler::adjoint::Halves;
use pardiff_compiler::ir::interp::{Array, Outcome};
use pardiff_compiler::ir::{BufferId, Program, Role};

/// The same of each pair of halves.
pub fn check_halves<M: Mode>(
    source: &Source,
    stages: &Stages,
    args: &Arguments,
    primal: &Outcome<Plain<M>>,
    seed: u64,
) -> Result<(), Failure> {
    stages.halved.iter().try_for_each(|halved| check_pair::<M>(source, halved, args, primal, seed))
}

/// The forward half runs once; the backward half, for two seeds on its tape, finds the adjoints of the whole.
fn check_pair<M: Mode>(
    source: &Source,
    (whole, halves): &(Program, Halves),
    args: &Arguments,
    primal: &Outcome<Plain<M>>,
    seed: u64,
) -> Result<(), Failure> {
    let values: Vec<Array<Plain<M>>> = arrays(args);
    let ran = |stage, program: &Program, given| {
        execute(source, args, program, given)
            .map_err(|fault| failure(Kind::Fault(stage), format!("{fault:?}\n{program}")))
    };
    let forward = ran("forward", &halves.forward, values.clone())?;
    if !same(&forward.params, &primal.params) || !same(&forward.results, &primal.results) {
        return Err(failure(Kind::Values("forward"), halves.forward.to_string()));
    }
    for salt in 0..2 {
        let mut given: Vec<Array<Plain<M>>> = Vec::new();
        for (at, &id) in whole.params.iter().enumerate() {
            let (root, steps) = whole.root(id);
            let own = |list: &[_]| list.iter().position(|it| *it == root);
            let like = match own(&halves.forward.params) {
                Some(k) => &values[k],
                None => &primal.results[own(&whole.results).unwrap_or_default()],
            };
            given.push(match steps.is_empty() {
                true => like.clone(),
                false => {
                    let random = constants::<M>(
                        seed.wrapping_mul(43).wrapping_add(2 * at as u64 + salt),
                        &[like.data.len()],
                    );
                    array(&like.dims, &random[0])
                }
            });
        }
        let second = given_to_backward(whole, halves, &given, &forward);
        let expected = ran("seamed", whole, given)?;
        let found = ran("backward", &halves.backward, second)?;
        for (id, after) in halves.backward.params.iter().zip(&found.params) {
            let Some(at) = whole.params.iter().position(|it| it == id) else { continue };
            if !same(std::slice::from_ref(after), std::slice::from_ref(&expected.params[at])) {
                return Err(failure(Kind::Gradient("backward"), format!("{whole}\n{}", halves.backward)));
            }
        }
    }
    Ok(())
}

/// The arguments of the backward half: those of the whole that it has, and what the forward half has kept.
pub fn given_to_backward<N: Clone>(
    whole: &Program,
    halves: &Halves,
    given: &[Array<N>],
    forward: &Outcome<N>,
) -> Vec<Array<N>> {
    let of_whole = |id| whole.params.iter().position(|it| *it == id).map(|at| &given[at]);
    let kept = |id: BufferId| halves.tape.iter().position(|it| *it == id).map(|at| &forward.kept[at]);
    halves.backward.params.iter().filter_map(|&id| of_whole(id).or_else(|| kept(id))).cloned().collect()
}

/// The scalars that both halves of a reversal are given with the same values.
pub fn whole_numbers(program: &Program) -> Vec<BufferId> {
    let is_one = |id: &BufferId| {
        let buffer = &program[*id];
        buffer.role == Role::Input && buffer.rank() == 0 && !buffer.elem.is_float()
    };
    program.params.iter().copied().filter(is_one).collect()
}
