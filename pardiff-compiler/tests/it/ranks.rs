//! Random programs with messages, on 2 and 3 ranks: at every stage they leave what the lowered program leaves, and
//! derivatives are the transpose of what dual numbers say, summed over ranks, exactly modulo a prime.
//!
//! `PARDIFF_RANDOM_RANKS` is the number of programs.

use crate::oracle::{ModDual, Tangent, add, array, floats, times};
use crate::random::draw::Draw;
use crate::random::messages;
use pardiff_compiler::ir::interp::{Array, Fault, FaultKind, ModPrime, Number, Outcome, no_paths, run_ranks};
use pardiff_compiler::ir::{BufferId, Program, verify};
use pardiff_compiler::{adjoint, bounds, frontend, hoist, normalise, simplify};

fn residues(draw: &mut Draw, n: usize) -> Vec<ModPrime> {
    (0..n).map(|_| ModPrime::constant(draw.between(-50, 50) as f64)).collect()
}

fn dot(a: &[ModPrime], b: &[ModPrime]) -> ModPrime {
    a.iter().zip(b).fold(ModPrime::constant(0.0), |sum, (&a, &b)| add(sum, times(a, b)))
}

/// The numbers of a communicator.
fn communicator<N: Number>(rank: usize, size: usize) -> Vec<Array<N>> {
    [0, rank as i128, size as i128].map(Array::int).to_vec()
}

/// What ranks are given: arguments, directions, weights of what they leave.
struct Given {
    x: [Vec<ModPrime>; 2],
    y: [Vec<ModPrime>; 2],
    weights: Vec<ModPrime>,
}

type Ranks<N> = Vec<Outcome<N>>;

fn run<N: Number>(
    program: &Program,
    given: &[Given],
    rendezvous: bool,
    of: impl Fn(&Given) -> Vec<Array<N>>,
) -> Result<Ranks<N>, Fault> {
    let args = given.iter().enumerate().map(|(rank, one)| {
        let mut args = communicator(rank, given.len());
        args.extend(of(one));
        args
    });
    run_ranks(program, &args.collect::<Vec<_>>(), &no_paths, rendezvous)
}

fn numbers(outcome: &Outcome<ModPrime>, at: usize) -> Vec<ModPrime> {
    floats(&outcome.params[3 + at]).expect("numbers")
}

/// A program at each stage.
struct Stages {
    primal: Vec<(&'static str, Program)>,
    reversed: Vec<(&'static str, Program)>,
    tangent: Vec<(&'static str, Program)>,
}

fn stages(text: &str) -> Stages {
    let item = syn::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let lowered = frontend::lower(&frontend::Options::default(), item);
    let lowered = lowered.unwrap_or_else(|refusals| {
        let all: Vec<String> = refusals.iter().map(|it| format!("{}: {}", it.what, it.why)).collect();
        panic!("{}\n{text}", all.join("\n"))
    });
    let lowered = lowered.cases.into_general();
    let normalised = normalise::normalise(lowered.clone());
    let simplified = simplify::simplify(normalised.clone());
    let hoisted = hoist::hoist(simplified.clone());
    let wrt: Vec<BufferId> = hoisted.params[3..].to_vec();
    let reversed = adjoint::reverse(&hoisted, &wrt).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let tangent = adjoint::tangent(&hoisted, &wrt).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let short = simplify::simplify_reversed(reversed.clone());
    let all = Stages {
        tangent: vec![("tangent", tangent.clone()), ("short tangent", simplify::simplify_reversed(tangent))],
        reversed: vec![("reversed", reversed), ("short", short.clone()), ("placed", bounds::place(short))],
        primal: vec![
            ("lowered", lowered),
            ("normalised", normalised),
            ("simplified", simplified),
            ("hoisted", hoisted),
        ],
    };
    for (stage, program) in all.primal.iter().chain(&all.reversed).chain(&all.tangent) {
        if let Err(errors) = verify::verify(program) {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{stage}: {}\n{program}\n{text}", errors.join("\n"));
        }
    }
    all
}

fn check(text: &str, seed: u64) {
    let stages = stages(text);
    for (size, rendezvous) in [(2, false), (2, true), (3, false), (3, true)] {
        let mut draw = Draw::new(seed ^ size as u64);
        let mut four = || residues(&mut draw, 4);
        let given: Vec<Given> =
            (0..size).map(|_| Given { x: [four(), four()], y: [four(), four()], weights: four() }).collect();
        let plain = |one: &Given| vec![array(&[4], &one.x[0]), array(&[4], &one.y[0])];
        let lowered = &stages.primal[0].1;
        let dual = |one: &Given| -> Vec<Array<ModDual>> {
            let with = |[value, along]: &[Vec<ModPrime>; 2]| {
                let pairs = value.iter().zip(along).map(|(&value, &along)| ModDual::with(value, along));
                array(&[4], &pairs.collect::<Vec<_>>())
            };
            vec![with(&one.x), with(&one.y)]
        };
        let fail = |stage: &str, fault: Fault, program: &Program| -> ! {
            panic!("{stage} on {size} ranks, rendezvous {rendezvous}: {fault:?}\n{program}\n{text}")
        };
        let duals = run(lowered, &given, rendezvous, dual);
        let duals = duals.unwrap_or_else(|fault| fail("dual numbers", fault, lowered));
        let along: Vec<Vec<ModPrime>> = duals
            .iter()
            .map(|it| floats(&it.params[4]).expect("numbers").into_iter().map(ModDual::tangent).collect())
            .collect();
        let forward = given
            .iter()
            .zip(&along)
            .fold(ModPrime::constant(0.0), |sum, (one, along)| add(sum, dot(&one.weights, along)));
        let mut left = None;
        for (stage, program) in &stages.primal {
            let outcome = run(program, &given, rendezvous, plain);
            let outcome = outcome.unwrap_or_else(|fault| fail(stage, fault, program));
            let own: Vec<_> = outcome.iter().map(|it| numbers(it, 1)).collect();
            let left = left.get_or_insert_with(|| own.clone());
            assert_eq!(*left, own, "{stage} on {size} ranks\n{program}\n{text}");
        }
        for (stage, program) in &stages.tangent {
            let of =
                |one: &Given| [&one.x[0], &one.x[1], &one.y[0], &one.y[1]].map(|it| array(&[4], it)).to_vec();
            let outcome = run(program, &given, rendezvous, of);
            let outcome = outcome.unwrap_or_else(|fault| fail(stage, fault, program));
            for (rank, it) in outcome.iter().enumerate() {
                assert_eq!(numbers(it, 3), along[rank], "{stage} on {size} ranks\n{program}\n{text}");
            }
        }
        for (stage, program) in &stages.reversed {
            let zeros = vec![ModPrime::constant(0.0); 4];
            let of =
                |one: &Given| [&one.x[0], &zeros, &one.y[0], &one.weights].map(|it| array(&[4], it)).to_vec();
            let outcome = run(program, &given, rendezvous, of);
            let outcome = outcome.unwrap_or_else(|fault| fail(stage, fault, program));
            let back = given.iter().zip(&outcome).fold(ModPrime::constant(0.0), |sum, (one, it)| {
                add(sum, add(dot(&one.x[1], &numbers(it, 1)), dot(&one.y[1], &numbers(it, 3))))
            });
            assert_eq!(forward, back, "{stage} on {size} ranks, rendezvous {rendezvous}\n{program}\n{text}");
        }
    }
}

#[test]
fn random_programs_with_messages() {
    let count = std::env::var("PARDIFF_RANDOM_RANKS").ok().and_then(|count| count.parse().ok()).unwrap_or(25);
    for seed in 0..count {
        check(&messages::program("f", seed), seed);
    }
}

#[test]
fn ranks_that_wait_for_each_other_are_a_fault() {
    let text = "fn f(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let other = world.process_at_rank(1 - world.rank());
    other.send(&x[..2]);
    other.receive_into(&mut y[..2]);
}";
    let lowered = stages(text).primal.remove(0).1;
    let mut draw = Draw::new(1);
    let mut four = || residues(&mut draw, 4);
    let given: Vec<Given> =
        (0..2).map(|_| Given { x: [four(), four()], y: [four(), four()], weights: four() }).collect();
    let of = |one: &Given| vec![array(&[4], &one.x[0]), array(&[4], &one.y[0])];
    let ranks = run(&lowered, &given, false, of).expect("messages are kept");
    assert_eq!(numbers(&ranks[0], 1)[..2], given[1].x[0][..2]);
    assert_eq!(run(&lowered, &given, true, of).expect_err("both wait").kind, FaultKind::Waits);
}

/// Unit directions would be those of all ranks at once.
#[test]
fn there_is_no_hessian_over_ranks() {
    let made = |attribute: &str, text: &str| {
        let parsed = |text: &str| text.parse::<proc_macro2::TokenStream>().expect("tokens");
        pardiff_compiler::expand(parsed(attribute), parsed(text)).to_string()
    };
    let alone = made("hvp", "fn f(x: [f64; 2]) -> f64 { x[0] * x[1] }");
    assert!(alone.contains("fn hvp") && alone.contains("fn hessian"));
    let text =
        "fn f(world: &impl Communicator, x: [f64; 2]) -> f64 { f64::from(world.rank()) * x[0] * x[1] }";
    let over_ranks = made("hvp, result = \"partial\"", text);
    assert!(over_ranks.contains("fn hvp") && !over_ranks.contains("fn hessian"));
}
