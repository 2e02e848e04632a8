//! Vector modes of random programs: each member of a batch has the bits of a run for it alone.

use crate::oracle::{array, arrays, execute, floats};
use crate::property::{Failure, Kind, Mode, Plain, Stages, constants, failure, same};
use crate::random::Program as Source;
use crate::random::inputs::Arguments;
use pardiff_compiler::adjoint::{self, Batch};
use pardiff_compiler::ir::interp::{Array, Number, Outcome};
use pardiff_compiler::ir::{BufferId, Derivative, Program};

const WIDTH: usize = 3;

/// Runs a program with derivatives for a batch of those that the caller gives, and for each of its members.
pub fn check_batch<M: Mode>(
    source: &Source,
    stages: &Stages,
    args: &Arguments,
    primal: &Outcome<Plain<M>>,
    (stage, program, of): (&'static str, &Program, Derivative),
    seed: u64,
) -> Result<(), Failure> {
    let values: Vec<Array<Plain<M>>> = arrays(args);
    let last = |id: BufferId| program[id].role.derivative().map(|(_, last)| last);
    // a parameter for each member, or one for all
    let given = |at: usize, id: BufferId| -> Vec<Array<Plain<M>>> {
        let (root, _) = program.root(id);
        let position = |list: &[BufferId]| list.iter().position(|&it| it == root);
        let like = match position(&stages.normalised.params) {
            Some(k) => &values[k],
            None => &primal.results[position(&stages.normalised.results).unwrap_or_default()],
        };
        let Some(last) = last(id) else { return vec![like.clone()] };
        let members = if last == of { WIDTH } else { 1 };
        let random = |w: usize| {
            let salt = seed.wrapping_mul(43).wrapping_add((16 * at + w) as u64);
            array(&like.dims, &constants::<M>(salt, &[like.data.len()])[0])
        };
        (0..members).map(random).collect()
    };
    let params = program.params.iter().enumerate();
    let given: Vec<Vec<Array<Plain<M>>>> = params.map(|(at, &id)| given(at, id)).collect();
    let run = |program: &Program, values: Vec<Array<Plain<M>>>| {
        execute(source, args, program, values)
            .map_err(|fault| failure(Kind::Fault(stage), format!("{fault:?}\n{program}")))
    };
    let one = |w: usize| run(program, given.iter().map(|all| all[w % all.len()].clone()).collect());
    let singles: Vec<Outcome<Plain<M>>> = (0..WIDTH).map(one).collect::<Result<_, _>>()?;
    let batch = || Batch { width: WIDTH, of, in_front_of: Vec::new() };
    let batched = |program: &Program| {
        adjoint::batch(program, batch())
            .map_err(|refusals| failure(Kind::Fault(stage), format!("{refusals:?}\n{program}")))
    };
    let mut all = vec![batched(program)?];
    // what it multiplies afterwards is rounded otherwise
    if M::EXACT {
        all.push(batched(&adjoint::contract(program, batch()))?);
    }
    for batched in all {
        let together = run(&batched, given.iter().map(|all| interleaved(all)).collect())?;
        compare::<M>(&together, &singles, stage, (program, &batched), args)?;
    }
    Ok(())
}

/// The outcome of a batch beside those of its members.
fn compare<M: Mode>(
    together: &Outcome<Plain<M>>,
    singles: &[Outcome<Plain<M>>],
    stage: &'static str,
    (program, batched): (&Program, &Program),
    args: &Arguments,
) -> Result<(), Failure> {
    for (own, single) in [
        (&together.params, singles.iter().map(|it| &it.params).collect::<Vec<_>>()),
        (&together.results, singles.iter().map(|it| &it.results).collect()),
    ] {
        let expected = |at: usize, own: &Array<Plain<M>>| {
            let all: Vec<Array<Plain<M>>> = single.iter().map(|list| list[at].clone()).collect();
            if own.dims.len() == all[0].dims.len() { all[0].clone() } else { interleaved(&all) }
        };
        let expected: Vec<_> = own.iter().enumerate().map(|(at, own)| expected(at, own)).collect();
        if !same(own, &expected) {
            let detail = format!("{own:?}, alone {expected:?}\n{args:?}\n{program}\n{batched}");
            return Err(Failure { kind: Kind::Gradient(stage), detail });
        }
    }
    Ok(())
}

/// Arrays of one shape as one with a dimension more, the last; a single one as it is.
fn interleaved<N: Number>(all: &[Array<N>]) -> Array<N> {
    let [first, _, ..] = all else { return all[0].clone() };
    let columns: Vec<Vec<N>> = all.iter().map(|it| floats(it).unwrap_or_default()).collect();
    let data: Vec<N> =
        (0..first.data.len()).flat_map(|k| columns.iter().map(move |column| column[k])).collect();
    array(&[&first.dims[..], &[all.len()]].concat(), &data)
}
