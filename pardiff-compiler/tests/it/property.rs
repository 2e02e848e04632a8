//! Random programs through the whole compiler: every stage computes what the lowered program computes, and the
//! adjoint is the transpose of what dual numbers say.

use crate::modules::{module, shown};
use crate::oracle::{ModDual, Tangent, array, arrays, execute};
use crate::property_adjoint::check_adjoint;
use crate::property_batch::check_batch;
use crate::property_split::{check_halves, whole_numbers};
use crate::property_tangents::{check_second, check_tangent};
use crate::random::draw::Draw;
use crate::random::inputs::direction;
use crate::random::{
    Case, Dressed, Program as Source, Style, arguments, program, program_of_everything, shrink::shrink,
};
use crate::reference;
use pardiff_compiler::ir::interp::{Array, Dual, Fault, FaultKind, ModPrime, Number, Outcome, Value};
use pardiff_compiler::ir::{BufferId, Derivative, Program, Provide, Role, Stmt, StmtKind, verify};
use pardiff_compiler::{adjoint, bounds, frontend, hoist, normalise, simplify};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Why a program fails; the kind is kept while it is shrunk.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    pub kind: Kind,
    pub detail: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The generator's own defects.
    Generator,
    /// Floats that are not finite, or huge: not counted.
    Discarded,
    Refused,
    Verifier(&'static str),
    Fault(&'static str),
    Values(&'static str),
    Gradient(&'static str),
    Unsupported,
    Panic,
}

/// A program at every stage.
pub struct Stages {
    /// Lowered naively, apart from the front end.
    pub reference: Program,
    pub lowered: Program,
    pub normalised: Program,
    reversed: Program,
    pub simplified: Program,
    /// The simplified adjoint of the primal with a seam, and the programs into which it is cut.
    /// Reversals with a seam, each with its halves: the second, where there is one, has the gradient as its tape.
    pub halved: Vec<(Program, adjoint::Halves)>,
    /// With tangents, and that simplified.
    tangents: [Program; 2],
    /// The simplified adjoint with tangents, and that simplified.
    second: [Program; 2],
    /// The normalised primal and the simplified adjoint with their checks placed.
    placed: [Program; 2],
    /// The parameters with an adjoint, by position.
    pub active: Vec<usize>,
}

pub fn failure(kind: Kind, detail: impl Into<String>) -> Failure {
    Failure { kind, detail: detail.into() }
}

/// A program as the front end lowers it, and as the reference lowering does.
pub fn front(source: &Source) -> Result<(Program, Program), Failure> {
    let text = source.source();
    let item = syn::parse_str(&text).map_err(|error| failure(Kind::Generator, error.to_string()))?;
    let options = frontend::Options::default();
    let lowered = match module(source, &item) {
        None => frontend::lower(&options, item),
        Some(Dressed { items, main }) => {
            frontend::lower_in(&options, &frontend::Module::read(&items), main.into())
        }
    };
    let lowered = lowered.map_err(|refusals| {
        let what: Vec<String> = refusals
            .iter()
            .filter(|it| !it.what.starts_with("there is nothing"))
            .map(|it| format!("{}: {}\n  help: {}\n  at {:?}", it.what, it.why, it.help, it.span.start()))
            .collect();
        failure(Kind::Refused, what.join("\n"))
    })?;
    Ok((lowered.cases.into_general(), reference::lower(source)))
}

/// The stages of a program, verified; some programs are differentiated with respect to some inputs alone.
pub fn stages(lowered: Program, reference: Program, seed: u64) -> Result<Stages, Failure> {
    let verified = |program: Program, stage: &'static str| match verify::verify(&program) {
        Ok(()) => Ok(program),
        Err(errors) => {
            let errors: Vec<String> = errors.iter().map(|error| error.to_string()).collect();
            Err(failure(Kind::Verifier(stage), format!("{}\n{program}", errors.join("\n"))))
        }
    };
    let lowered = verified(lowered, "lowered")?;
    let reference = verified(reference, "reference")?;
    let normalised = verified(normalise::normalise(lowered.clone()), "normalised")?;
    let normalised = verified(simplify::simplify(normalised), "normalised")?;
    let mut normalised = verified(hoist::hoist(normalised), "hoisted")?;
    let mut draw = Draw::new(seed ^ 0x77);
    mark(&mut normalised.body, &mut Draw::new(seed ^ 0x55), seed % 3 == 2);
    let some = draw.chance(30);
    let active: Vec<usize> = (0..normalised.params.len())
        .filter(|&k| normalised[normalised.params[k]].elem.is_float())
        .filter(|&k| normalised[normalised.params[k]].role == Role::InOut || !some || draw.chance(50))
        .collect();
    let wrt: Vec<BufferId> = active.iter().map(|&k| normalised.params[k]).collect();
    let reversed = adjoint::reverse(&normalised, &wrt)
        .map_err(|error| failure(Kind::Unsupported, format!("{error:?}")))?;
    let reversed = verified(reversed, "reversed")?;
    let simplified = verified(simplify::simplify_reversed(reversed.clone()), "simplified")?;
    let seamed = adjoint::reverse(&adjoint::seamed(&normalised), &wrt)
        .map_err(|error| failure(Kind::Unsupported, format!("{error:?}")))?;
    let seamed = verified(simplify::simplify_reversed(verified(seamed, "seamed")?), "seamed")?;
    let mut halved = Vec::new();
    for seamed in [Some(seamed), adjoint::seamed_after_gradient(&simplified).map(|(seamed, _)| seamed)]
        .into_iter()
        .flatten()
    {
        let seamed = verified(seamed, "seamed")?;
        let halves = adjoint::cut(&seamed, &whole_numbers(&seamed))
            .ok_or_else(|| failure(Kind::Verifier("cut"), seamed.to_string()))?;
        verified(halves.forward.clone(), "forward")?;
        verified(halves.backward.clone(), "backward")?;
        halved.push((seamed, halves));
    }
    let tangent = adjoint::tangent(&normalised, &wrt)
        .map_err(|error| failure(Kind::Unsupported, format!("{error:?}")))?;
    let tangents = [
        verified(tangent.clone(), "tangent")?,
        verified(simplify::simplify_reversed(tangent), "simplified tangent")?,
    ];
    let second = adjoint::second_order(&simplified, &wrt, false)
        .map_err(|error| failure(Kind::Unsupported, format!("{error:?}")))?;
    let second = [
        verified(second.clone(), "second order")?,
        verified(simplify::simplify_reversed(second), "simplified second order")?,
    ];
    let placed = [
        verified(bounds::place(normalised.clone()), "placed primal")?,
        verified(bounds::place(simplified.clone()), "placed")?,
    ];
    Ok(Stages {
        reference,
        lowered,
        normalised,
        reversed,
        simplified,
        halved,
        tangents,
        second,
        placed,
        active,
    })
}

/// In some programs the values of some loops are to be stored, whatever the compiler would choose.
fn mark(block: &mut [Stmt], draw: &mut Draw, some: bool) {
    for stmt in block {
        if let StmtKind::For(looped) = &mut stmt.kind
            && some
            && draw.chance(50)
        {
            looped.marks.provide = Some(Provide::Store);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| mark(inner, draw, some));
    }
}

/// Whether two runs left the same behind, bit for bit.
pub fn same<N: Number>(a: &[Array<N>], b: &[Array<N>]) -> bool {
    let bits = |value: &Option<Value<N>>| match value {
        Some(Value::Float(x)) => x.real().map_or_else(|| format!("{x:?}"), |x| format!("{}", x.to_bits())),
        other => format!("{other:?}"),
    };
    let equal =
        |a: &Array<N>, b: &Array<N>| a.dims == b.dims && a.data.iter().map(bits).eq(b.data.iter().map(bits));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
}

/// How adjoints are compared: seeds and directions, the numbers of the adjoint, and when two are equal.
pub trait Mode {
    type Dual: Tangent;
    fn close(left: Plain<Self>, right: Plain<Self>, scale: f64, source: &Source) -> bool;
    const EXACT: bool;
}

pub type Plain<M> = <<M as Mode>::Dual as Tangent>::Plain;

pub struct Floats;
pub struct Residues;

impl Mode for Floats {
    type Dual = Dual;
    const EXACT: bool = false;
    fn close(left: f64, right: f64, scale: f64, source: &Source) -> bool {
        let single = source.source().contains("f32");
        (left - right).abs() <= if single { 3e-3 } else { 1e-8 } * (1.0 + scale)
    }
}

impl Mode for Residues {
    type Dual = ModDual;
    const EXACT: bool = true;
    fn close(left: ModPrime, right: ModPrime, _: f64, _: &Source) -> bool {
        left == right
    }
}

/// The property: see the module.
pub fn check<M: Mode>(source: &Source, stages: &Stages, seed: u64, case: Case) -> Result<(), Failure> {
    let every = seed % 4 == 3;
    let args = arguments(source, seed, case);
    let values: Vec<Array<Plain<M>>> = arrays(&args);
    let primal = match execute(source, &args, &stages.reference, values.clone()) {
        Ok(outcome) => outcome,
        Err(fault) => return Err(failure(Kind::Generator, format!("{fault:?}\n{args:?}"))),
    };
    if !M::EXACT && !moderate(&primal) {
        return Err(failure(Kind::Discarded, ""));
    }
    let fault = |stage| move |fault: Fault| failure(Kind::Fault(stage), format!("{fault:?}"));
    let primals = [
        ("lowered", &stages.lowered),
        ("normalised", &stages.normalised),
        ("placed primal", &stages.placed[0]),
    ];
    for (name, program) in primals {
        let outcome = execute(source, &args, program, values.clone()).map_err(fault(name))?;
        if !same(&primal.params, &outcome.params) || !same(&primal.results, &outcome.results) {
            let detail = format!("reference {primal:?}\n{name} {outcome:?}\n{program}");
            return Err(failure(Kind::Values(name), detail));
        }
    }
    let adjoints =
        [("reversed", &stages.reversed), ("simplified", &stages.simplified), ("placed", &stages.placed[1])];
    let seamed = stages.halved.iter().map(|(seamed, _)| ("seamed", seamed));
    for (name, program) in adjoints.into_iter().chain(seamed) {
        check_adjoint::<M>(source, stages, &args, &primal, (name, program), (seed, every))?;
    }
    check_halves::<M>(source, stages, &args, &primal, seed)?;
    for (name, program) in ["tangent", "simplified tangent"].into_iter().zip(&stages.tangents) {
        check_tangent::<M>(source, stages, &args, &primal, (name, program), seed)?;
    }
    for (name, program) in ["second order", "simplified second order"].into_iter().zip(&stages.second) {
        check_second::<M>(source, stages, &args, &primal, (name, program), seed)?;
    }
    for batch in [
        ("batch of tangents", &stages.tangents[1], Derivative::Tangent),
        ("batch of adjoints", &stages.simplified, Derivative::Adjoint),
        ("batch of second order", &stages.second[1], Derivative::Tangent),
    ] {
        check_batch::<M>(source, stages, &args, &primal, batch, seed)?;
    }
    Ok(())
}

/// Random vectors of these lengths.
pub fn constants<M: Mode>(seed: u64, lens: &[usize]) -> Vec<Vec<Plain<M>>> {
    let vectors = direction(seed, lens, M::EXACT);
    vectors.into_iter().map(|v| v.into_iter().map(Plain::<M>::constant).collect()).collect()
}

/// Whether all floats are finite and of a size that derivatives can be compared at.
fn moderate<N: Number>(outcome: &Outcome<N>) -> bool {
    let all = outcome.params.iter().chain(&outcome.results).flat_map(|array| &array.data);
    let mut floats = all.filter_map(|value| match value {
        Some(Value::Float(x)) => x.real(),
        _ => None,
    });
    floats.all(|x| x.is_finite() && x.abs() < 1e5)
}

/// With empty slices and loops without iterations: the adjoint panics where the primal does, and only there.
fn check_empty<N: Number>(source: &Source, stages: &Stages, seed: u64) -> Result<(), Failure> {
    let args = arguments(source, seed, Case::Empty);
    let values: Vec<Array<N>> = arrays(&args);
    let lowered = &stages.lowered;
    let primal = execute(source, &args, lowered, values.clone());
    if primal.as_ref().is_err_and(|fault| !fault.kind.is_panic()) {
        return Ok(());
    }
    let mut given = Vec::new();
    for (k, value) in values.iter().enumerate() {
        given.push(value.clone());
        if stages.active.contains(&k) {
            given.push(value.clone());
        }
    }
    for &id in lowered.results.iter().filter(|id| lowered[**id].elem.is_float()) {
        let len = if lowered[id].dims.is_empty() { vec![] } else { vec![3] };
        given.push(array(&len, &vec![N::constant(1.0); len.iter().product()]));
    }
    for (name, program) in [
        ("normalised", &stages.normalised),
        ("reversed", &stages.reversed),
        ("simplified", &stages.simplified),
        ("placed primal", &stages.placed[0]),
        ("placed", &stages.placed[1]),
    ] {
        let given =
            if matches!(name, "normalised" | "placed primal") { values.clone() } else { given.clone() };
        let outcome = execute(source, &args, program, given);
        let agree = match (&primal, &outcome) {
            (Ok(_), Ok(_)) => true,
            // what is evaluated first may fail first
            (Err(_), Err(fault)) => fault.kind.is_panic() || fault.kind == FaultKind::OutOfRange,
            _ => false,
        };
        if !agree {
            let detail =
                format!("empty slices: primal {:?}, {name} {:?}\n{program}", primal.err(), outcome.err());
            return Err(Failure { kind: Kind::Fault(name), detail });
        }
    }
    Ok(())
}

/// The whole property of a program; a panic of the compiler is a failure like any other.
pub fn verdict(source: &Source, seed: u64) -> Result<(), Failure> {
    let run = || {
        let (lowered, reference) = front(source)?;
        let stages = stages(lowered, reference, seed)?;
        if source.exact {
            check_empty::<ModPrime>(source, &stages, seed)?;
            return check::<Residues>(source, &stages, seed, Case::Usual);
        }
        check_empty::<f64>(source, &stages, seed)?;
        if seed.is_multiple_of(2) {
            match check::<Floats>(source, &stages, seed, Case::Ties) {
                Err(Failure { kind: Kind::Discarded, .. }) => {}
                found => found?,
            }
        }
        check::<Floats>(source, &stages, seed, Case::Usual)
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        Err(failure(Kind::Panic, text.unwrap_or_default()))
    })
}

pub fn style(seed: u64) -> Style {
    Style { exact: seed.is_multiple_of(5), mixed: seed % 5 == 1 }
}

pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The failing program of a seed, shrunk, as Rust, with the reason.
fn report(seed: u64, source: &Source, found: Failure) -> String {
    let start = |failure: &Failure| failure.detail.chars().take(24).collect::<String>();
    let alike = |other: &Failure| match found.kind {
        Kind::Refused | Kind::Panic => other.kind == found.kind && start(other) == start(&found),
        kind => other.kind == kind,
    };
    let fails = |smaller: &Source| verdict(smaller, seed).is_err_and(|other| alike(&other));
    let small = shrink(source, 3000, fails);
    let found = verdict(&small, seed).err().unwrap_or(found);
    let detail: String = found.detail.chars().take(6000).collect();
    format!("\n==== PARDIFF_SEED={seed} PARDIFF_PROGRAMS=1: {:?}\n{}\n{detail}\n", found.kind, shown(&small))
}

/// Programs from `PARDIFF_SEED` on, `PARDIFF_PROGRAMS` of them.
#[test]
fn random_programs_have_the_gradient_of_the_oracle() {
    let (first, count) = (setting("PARDIFF_SEED", 1), setting("PARDIFF_PROGRAMS", 2000));
    let wanted = setting("PARDIFF_FAILURES", 1) as usize;
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().name() != Some("random programs") {
            hook(info);
        }
    }));
    let (reports, discarded) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let work = |thread: u64| {
        for seed in (first..first + count).skip(thread as usize).step_by(threads as usize) {
            if reports.lock().map_or(true, |reports| reports.len() >= wanted) {
                return;
            }
            let source = match seed % 2 {
                0 => program(seed, style(seed)),
                _ => program_of_everything(seed, style(seed)),
            };
            match verdict(&source, seed) {
                Ok(()) => {}
                Err(Failure { kind: Kind::Discarded, .. }) => {
                    discarded.fetch_add(1, Ordering::Relaxed);
                }
                Err(found) => {
                    let text = report(seed, &source, found);
                    if let Ok(mut reports) = reports.lock() {
                        reports.push(text);
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let work = &work;
            let builder = std::thread::Builder::new().name("random programs".into()).stack_size(32 << 20);
            let spawned = builder.spawn_scoped(scope, move || work(thread));
            assert!(spawned.is_ok(), "no thread");
        }
    });
    let reports = reports.into_inner().unwrap_or_default();
    assert!(reports.is_empty(), "{}", reports.concat());
    let discarded = discarded.into_inner() as u64;
    assert!(discarded * 20 <= count.max(20), "{discarded} of {count} programs were discarded");
}
