//! Scheduled programs compute what they did before: random programs, values and gradients, cut into many chunks.

use crate::oracle::{arrays, execute, path};
use crate::property::{front, setting, style};
use crate::property_split::{given_to_backward, whole_numbers};
use crate::random::{Case, Program as Source, arguments, program};
use pardiff_compiler::gpu::schedule_for_gpu;
use pardiff_compiler::ir::interp::{Array, Fault, ModPrime, Number, Outcome, Value, run_racing};
use pardiff_compiler::ir::{
    BufferId, Checkpoint, Count, Exec, Lengths, Level, Order, Program, Role, Scheme, Stmt, StmtKind, verify,
    walk_mut,
};
use pardiff_compiler::schedule::cost::Costs;
use pardiff_compiler::schedule::{Options, schedule};
use pardiff_compiler::{adjoint, hoist, normalise, simplify};

/// Tasks are free, so that small programs are cut.
pub fn many_chunks(most: usize) -> Options {
    let costs = Costs {
        most_chunks: most,
        most_copies: most,
        copied_element: 0,
        block: 1,
        worth_a_task: 0,
        // small programs are short, and are to be cut as well
        short: if most == 3 { Costs::default().short } else { 0 },
        beside: 0.0,
        worth_a_check: 0.0,
        ..Costs::default().with_grain(1)
    };
    Options { costs, scalar: most.is_multiple_of(2), ..Options::default() }
}

/// The sums that are gathered by an index.
pub fn gathered(program: &Program) -> usize {
    let mut all = 0;
    let is_gathered = |kind: &StmtKind| matches!(kind, StmtKind::Reduce { scheme: Scheme::InverseIndex, .. });
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| all += usize::from(is_gathered(&stmt.kind))));
    all
}

fn count(program: &Program, level: Level) -> usize {
    let mut tasks = 0;
    let is_task =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::For(each) if each.exec == Exec::Parallel(level));
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| tasks += usize::from(is_task(stmt))));
    tasks
}

/// The arguments of an adjoint program: every array for itself, its adjoint, and ones for the seeds.
fn adjoint_arguments<N: Number>(
    lowered: &Program,
    active: &[BufferId],
    values: &[Array<N>],
) -> Vec<Array<N>> {
    let mut given = Vec::new();
    for (id, value) in lowered.params.iter().zip(values) {
        given.push(value.clone());
        if active.contains(id) {
            given.push(value.clone());
        }
    }
    for id in lowered.results.iter().filter(|id| lowered[**id].elem.is_float()) {
        let lens: Vec<usize> = lowered[*id].dims.iter().map(|_| 3).collect();
        let len = lens.iter().product();
        given.push(Array { dims: lens, data: vec![Some(Value::Float(N::constant(1.25))); len] });
    }
    given
}

/// Those of a program with tangents: every array for itself and each of its derivatives, and ones for the seeds.
fn tangent_arguments<N: Number>(primal: &Program, of: &Program, values: &[Array<N>]) -> Vec<Array<N>> {
    let argument = |&id: &BufferId| {
        let (root, _) = of.root(id);
        let at = primal.params.iter().position(|&own| own == root);
        at.map(|at| values[at].clone()).unwrap_or_else(|| {
            let lens: Vec<usize> = of[root].dims.iter().map(|_| 3).collect();
            let len = lens.iter().product();
            Array { dims: lens, data: vec![Some(Value::Float(N::constant(1.25))); len] }
        })
    };
    of.params.iter().map(argument).collect()
}

/// Forward mode and second order are scheduled as any program.
fn check_tangents<N: Number>(
    source: &Source,
    seed: u64,
    primal: &Program,
    [reversed, segmented]: [&Program; 2],
    active: &[BufferId],
) -> Result<usize, String> {
    let made = |made: Result<Program, _>| made.map(simplify::simplify_reversed);
    let all = [
        made(adjoint::tangent(primal, active)),
        made(adjoint::second_order(reversed, active, true)),
        made(adjoint::second_order(segmented, active, false)),
    ];
    let mut tasks = 0;
    for program in all {
        let program = program.map_err(|refusals| format!("{refusals:?}"))?;
        let args = arguments(source, seed, Case::Usual);
        let values: Vec<Array<N>> = arrays(&args);
        let given = tangent_arguments(primal, &program, &values);
        let scheduled = schedule(program.clone(), &many_chunks(1 + seed as usize % 4)).jammed().program;
        if let Err(errors) = verify::verify(&scheduled) {
            return Err(format!("{}\n{program}\n{scheduled}", errors[0]));
        }
        tasks += count(&scheduled, Level::Task);
        let before = execute(source, &args, &program, given.clone());
        let paths = |opaque| path(source, &args, &scheduled, opaque);
        let after = run_racing(&scheduled, given, &paths, seed);
        if !agree(&before, &after) {
            return Err(format!("{before:?}\n{after:?}\n{program}\n{scheduled}"));
        }
    }
    Ok(tasks)
}

/// The halves of a reversal are scheduled apart, and what the one keeps the other finds.
fn check_halves<N: Number>(
    source: &Source,
    seed: u64,
    primal: &Program,
    active: &[BufferId],
) -> Result<(), String> {
    let Ok(whole) = adjoint::reverse(&adjoint::seamed(primal), active) else { return Ok(()) };
    let whole = adjoint::live_in_tapes(simplify::simplify_reversed(whole));
    let halves = adjoint::cut(&whole, &whole_numbers(&whole)).ok_or_else(|| whole.to_string())?;
    let args = arguments(source, seed, Case::Usual);
    let values: Vec<Array<N>> = arrays(&args);
    let given = tangent_arguments(primal, &whole, &values);
    let expected = execute(source, &args, &whole, given.clone());
    let run = |program: &Program, given| {
        let scheduled = schedule(program.clone(), &many_chunks(1 + seed as usize % 4)).jammed().program;
        if let Err(errors) = verify::verify(&scheduled) {
            return Err(format!("{}\n{program}\n{scheduled}", errors[0]));
        }
        let paths = |opaque| path(source, &args, &scheduled, opaque);
        Ok(run_racing(&scheduled, given, &paths, seed))
    };
    let forward = match (&expected, run(&halves.forward, values)?) {
        (Ok(_), Ok(forward)) => forward,
        (Err(_), Err(_)) => return Ok(()),
        (_, found) => return Err(format!("{found:?}\n{}", halves.forward)),
    };
    let second = given_to_backward(&whole, &halves, &given, &forward);
    let mut found =
        run(&halves.backward, second)?.map_err(|fault| format!("{fault:?}\n{}", halves.backward))?;
    let mut expected = expected.map_err(|fault| format!("{fault:?}"))?;
    let is_given = |id: &BufferId| halves.backward.params.contains(id);
    let mut of_whole = whole.params.iter();
    expected.params.retain(|_| of_whole.next().is_some_and(is_given));
    found.params.truncate(expected.params.len());
    expected.results.clear();
    match agree(&Ok(expected.clone()), &Ok(found.clone())) {
        true => Ok(()),
        false => Err(format!("{expected:?}\n{found:?}\n{whole}\n{}", halves.backward)),
    }
}

/// Whether two runs agree: to rounding where floats are floats, exactly where they are residues.
fn agree<N: Number>(before: &Result<Outcome<N>, Fault>, after: &Result<Outcome<N>, Fault>) -> bool {
    let (before, after) = match (before, after) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(before), Err(after)) => return before.kind.is_panic() == after.kind.is_panic(),
        _ => return false,
    };
    let close = |a: &Option<Value<N>>, b: &Option<Value<N>>| match (a, b) {
        (Some(Value::Float(a)), Some(Value::Float(b))) => match (a.real(), b.real()) {
            (Some(a), Some(b)) => {
                !a.is_finite() || !b.is_finite() || (a - b).abs() <= 1e-4 * (1.0 + a.abs().max(b.abs()))
            }
            _ => format!("{a:?}") == format!("{b:?}"),
        },
        (a, b) => format!("{a:?}") == format!("{b:?}"),
    };
    let arrays = |it: &Outcome<N>| it.params.iter().chain(&it.results).cloned().collect::<Vec<_>>();
    arrays(before)
        .iter()
        .zip(&arrays(after))
        .all(|(a, b)| a.data.len() == b.data.len() && a.data.iter().zip(&b.data).all(|(a, b)| close(a, b)))
}

/// Every loop over time that can runs in segments, of a few steps each, or by what memory there is, in one level or
/// two.
fn in_short_segments(reversed: Program, seed: u64) -> Program {
    let lengths = match seed % 4 {
        0 => Lengths::States(Count::Number(1 + seed / 4 % 4)),
        1 => Lengths::Memory(Count::Number(1 << (seed / 4 % 12))),
        2 => Lengths::Binomial(Count::Number(1 + seed / 4 % 4)),
        _ => Lengths::Every(Count::Number(1 + seed / 4 % 4)),
    };
    let levels = Some(1 + (seed / 16 % 2) as u8).filter(|_| !matches!(lengths, Lengths::Binomial(_)));
    let asked = Checkpoint { lengths, levels };
    let segmented = match seed / 32 % 2 {
        0 => adjoint::in_segments(reversed, asked),
        _ => adjoint::in_segments(with_marks(reversed, asked), None),
    };
    adjoint::live_in_tapes(segmented)
}

/// The program with a mark on every loop, so that loops in loops run in segments of their own.
fn with_marks(mut program: Program, asked: Checkpoint) -> Program {
    walk_mut(&mut program.body, &mut |stmt| {
        if let Some(each) = stmt.as_for_mut().filter(|each| each.order == Order::Up) {
            each.marks.checkpoint = Some(asked);
        }
    });
    program
}

fn check<N: Number>(source: &Source, seed: u64, tasks: &mut [usize; 6]) -> Result<(), String> {
    let Ok((lowered, _)) = front(source) else { return Ok(()) };
    let primal = hoist::hoist(simplify::simplify(normalise::normalise(lowered)));
    let active: Vec<BufferId> =
        primal.params.iter().copied().filter(|&id| primal[id].elem.is_float()).collect();
    let Ok(reversed) = adjoint::reverse(&primal, &active) else { return Ok(()) };
    let reversed = simplify::simplify_reversed(reversed);
    let segmented = in_short_segments(reversed.clone(), seed);
    let in_segments = segmented.to_string().contains("in_checkpoint_");
    tasks[4] += usize::from(in_segments);
    tasks[5] += check_tangents::<N>(source, seed, &primal, [&reversed, &segmented], &active)?;
    check_halves::<N>(source, seed, &primal, &active)?;
    for case in [Case::Usual, Case::Empty] {
        let args = arguments(source, seed, case);
        let values: Vec<Array<N>> = arrays(&args);
        let of_adjoint = adjoint_arguments(&primal, &active, &values);
        let segmented = in_segments.then_some((&segmented, &reversed, &of_adjoint));
        let programs = [(&primal, &primal, &values), (&reversed, &reversed, &of_adjoint)];
        for (program, original, given) in programs.into_iter().chain(segmented) {
            let scheduled = schedule(program.clone(), &many_chunks(1 + seed as usize % 4)).jammed().program;
            if let Err(errors) = verify::verify(&scheduled) {
                return Err(format!("{}\n{program}\n{scheduled}", errors[0]));
            }
            tasks[0] += count(&scheduled, Level::Task);
            let before = execute(source, &args, original, given.clone());
            let paths = |opaque| path(source, &args, &scheduled, opaque);
            let after = run_racing(&scheduled, given.clone(), &paths, seed);
            if !agree(&before, &after) {
                return Err(format!("{before:?}\n{after:?}\n{program}\n{scheduled}"));
            }
            // threads of a GPU in any order
            let mut options = Options { strict: seed.is_multiple_of(5), ..many_chunks(2) };
            options.costs.few_elements = if seed.is_multiple_of(3) { 32 } else { 0 };
            if seed.is_multiple_of(2) {
                (options.costs.tiles, options.costs.far_apart) = (0, 0);
            }
            let on_gpu = schedule_for_gpu(program.clone(), &options, false, false);
            let on_gpu = on_gpu.map_err(|refusals| format!("{refusals:?}"))?.program;
            if let Err(errors) = verify::verify(&on_gpu) {
                return Err(format!("{}\n{program}\n{on_gpu}", errors[0]));
            }
            tasks[1] += count(&on_gpu, Level::Grid);
            tasks[2] += gathered(&on_gpu);
            tasks[3] += on_gpu.buffers.iter().filter(|buffer| buffer.role == Role::Tile).count();
            let paths = |opaque| path(source, &args, &on_gpu, opaque);
            let after = run_racing(&on_gpu, given.clone(), &paths, seed);
            if !agree(&before, &after) {
                return Err(format!("on a GPU: {before:?}\n{after:?}\n{program}\n{on_gpu}"));
            }
        }
    }
    Ok(())
}

/// The first of the programs that every run makes.
const FIRST: u64 = 1001;

#[test]
fn random_programs_compute_the_same_in_chunks() {
    let (first, count) = (setting("PARDIFF_SEED", FIRST), setting("PARDIFF_PROGRAMS", 300));
    let mut tasks = [0; 6];
    for seed in first..first + count {
        let source = program(seed, style(seed));
        let checked = match source.exact {
            true => check::<ModPrime>(&source, seed, &mut tasks),
            false => check::<f64>(&source, seed, &mut tasks),
        };
        if let Err(why) = checked {
            panic!("PARDIFF_SEED={seed} PARDIFF_PROGRAMS=1\n{}\n{why}", source.source());
        }
    }
    let [tasks, threads, sums, tiles, in_segments, of_tangents] = tasks;
    assert!(of_tangents as u64 > count, "{of_tangents} task loops with tangents in {count} programs");
    assert!(tasks as u64 > count, "{tasks} task loops in {count} programs");
    assert!(threads as u64 > count, "{threads} loops over threads in {count} programs");
    // what is rare is among the programs that every run makes; those of other seeds may lack it
    if first == FIRST && count >= 300 {
        assert!(tiles > 0, "no kernel of {count} programs reads by way of shared memory");
        assert!(in_segments > 0, "no gradient of {count} programs runs in segments");
        assert!(sums > 0, "no sum of {count} programs is sorted and gathered on a GPU");
    }
}
