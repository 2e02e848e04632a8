//! The compiler of pardiff: an ordinary Rust function goes in, its gradient comes out.
//!
//! [`expand`] is the attribute `#[differentiate]`; [`compile`] is the list of stages behind it.

#![recursion_limit = "1024"]

pub mod adjoint;
mod attribute;
pub mod backend;
pub mod bounds;
#[cfg(test)]
mod equivalence;
pub mod frontend;
#[cfg(feature = "cuda")]
pub mod gpu;
#[cfg(test)]
mod growth_tests;
pub mod hoist;
pub mod ir;
mod limits;
mod map;
pub mod modes;
pub mod ndarray;
pub mod normalise;
pub mod pass;
pub mod plan;
pub mod poly;
pub mod refusal;
pub mod schedule;
pub mod signature;
pub mod simplify;
mod steps;
mod visit;

pub use attribute::{configured, expand, expand_with, with};

use adjoint::Halves;
use frontend::{Lowered, Module, Target};
use ir::{BufferId, Cases, Program};
use modes::{Entry, Mode, Planned};
use pass::{Context, Pass, UnitSeed};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use refusal::Refusal;
use schedule::cost::Costs;
use schedule::{Library, Scheduled};
use signature::{OverRanks, ParamKind, Signature};
use std::cell::OnceCell;
use syn::ItemFn;

/// The stages, from the user's function to the same function with its gradient beside it.
///
/// # Errors
///
/// Everything in the function that is refused.
pub fn compile(options: &frontend::Options, function: ItemFn) -> Result<TokenStream, Vec<Refusal>> {
    let mut primal = function.clone();
    frontend::strip(&mut primal);
    let generated = compile_in(options, &Module::default(), function.into())?;
    Ok(quote!(#primal #generated))
}

/// What is generated for a function of a module.
///
/// # Errors
///
/// Everything in the function, and in what it uses of the module, that is refused.
pub fn compile_in(
    options: &frontend::Options,
    module: &Module,
    target: Target,
) -> Result<TokenStream, Vec<Refusal>> {
    in_modes(&Mode::asked(options.asked), options, module, target)
}

/// The same in these modes.
fn in_modes(
    modes: &[Mode],
    options: &frontend::Options,
    module: &Module,
    target: Target,
) -> Result<TokenStream, Vec<Refusal>> {
    let attrs = target.item.attrs.clone();
    let Lowered { cases, signature, rules } = frontend::lower_in(options, module, target)?;
    let callers = [
        (options.asked.check, backend::rust::CHECK),
        (signature.failure.is_some(), backend::rust::FAILURE),
        (signature.returns_vectors(), backend::rust::RETURNING),
    ];
    for (_, caller) in callers.iter().filter(|(calls, _)| *calls) {
        backend::rust::can_be_called(caller, &signature, &attrs)?;
    }
    if let (Some(option), Some(_)) = (&options.cuda, &signature.failure) {
        return Err(vec![Refusal::new(
            option.span(),
            "the option `cuda` on a function that returns a `Result` or an `Option`",
            "whether there is a value is found on the CPU, by the function itself",
            "remove `cuda`, or return the value alone",
        )]);
    }
    if let (Some(option), true) = (&options.cuda, signature.returns_vectors()) {
        return Err(vec![Refusal::new(
            option.span(),
            "the option `cuda` on a function that returns a vector",
            "how long it is is found on the CPU, by the function itself",
            "remove `cuda`, or write the vector to a parameter `y: &mut [f64]`",
        )]);
    }
    frontend::refuse_options(options, &signature)?;
    let of_bodies = signature.of_bodies();
    let scheduling = scheduling(options, of_bodies);
    let primal = cases.try_map(|program| passed(PRIMAL, program, &mut Context::new(&scheduling)))?;
    frontend::refuse_segments(primal.general())?;
    let derived = primal.map(|primal| derived(primal, of_bodies));
    if modes.iter().any(|mode| *mode != Mode::Tangent) {
        // what has no gradient is refused before anything is scheduled
        derived.as_ref().try_map(|derived| derived.reversed(&scheduling).map(|_| ()))?;
    }
    let batch = options.asked.batch.zip(Some(outermost(of_bodies)));
    let on_gpu = match &options.cuda {
        Some(option) => {
            Some(on_gpu(option, options, &scheduling, of_bodies, derived.general(), batch.as_ref())?)
        }
        None => None,
    };
    let planned = |mode| planned(mode, &derived, batch.as_ref(), options.sequential, &scheduling);
    let planned = modes.iter().copied().map(planned).collect::<Result<Vec<_>, _>>()?;
    let called = rules.iter().filter(|rule| planned.iter().any(|mode| mode.calls(&rule.jvp)));
    let of_rules = called.map(|rule| {
        let tangent = in_modes(&[Mode::Tangent], &rule.options(options), module, rule.target(&attrs));
        tangent.map_err(|refusals| rule.refused(refusals))
    });
    let of_rules = of_rules.collect::<Result<TokenStream, _>>()?;
    let mut plan = plan::describe_modes(&planned);
    let entries: Vec<Entry> = planned.into_iter().map(Planned::joined).collect();
    let mut cuda = backend::Cuda::default();
    if let Some((scheduled, emitted)) = on_gpu {
        for (mode, scheduled) in &scheduled {
            let plan::Plan { summary, decisions } = plan::describe_gpu(*mode, scheduled);
            plan.summary += &summary;
            plan.decisions += &decisions;
        }
        cuda = emitted;
    }
    let generated = backend::rust::emit(&signature, &entries, options.asked, &plan, &cuda)?;
    Ok(quote!(#generated #of_rules))
}

/// A primal as it is differentiated.
const PRIMAL: &[&[Pass]] =
    &[normalise::PASSES, simplify::PRIMAL, schedule::MARKS, schedule::STRIPS, hoist::PASSES];

/// A primal as gradients have it.
const VALUE: &[&[Pass]] = &[&[adjoint::NAMES], simplify::REVERSED, simplify::DETACH];

/// A primal with its reversal.
const REVERSED: &[&[Pass]] = &[adjoint::PREPARE, adjoint::REVERSE, simplify::REVERSED];

/// A primal with its tangents.
const FORWARD: &[&[Pass]] =
    &[adjoint::PREPARE, adjoint::TANGENT, simplify::REVERSED, schedule::MARKS, simplify::DETACH];

/// A reversal with its tangents, after [`GRADIENT`].
const SECOND: &[&[Pass]] = &[adjoint::SECOND, simplify::REVERSED, simplify::DETACH];

/// A reversal, for one CPU or many.
const GRADIENT: &[&[Pass]] = &[adjoint::TAPES];

/// A reversal that keeps the sweeps apart, before it is cut.
const SEAMED: &[&[Pass]] = &[&[adjoint::SEAM], adjoint::PREPARE, adjoint::REVERSE, simplify::REVERSED];

/// A reversal that keeps the sweeps apart: a variable that tasks assign is an array in both.
const CUT: &[&[Pass]] = &[&[schedule::TASKS]];

/// A program for several directions or seeds, before [`DERIVED`].
const BATCHED: &[&[Pass]] = &[adjoint::CONTRACT, simplify::REVERSED, adjoint::BATCH];

/// A program of which no derivative is taken any more.
const DERIVED: &[&[Pass]] = &[simplify::DETACH];

/// What a mode computes, scheduled for a CPU.
const SCHEDULED: &[&[Pass]] = &[schedule::PASSES, bounds::PASSES, schedule::ON_ACCESSES];

/// The program in order and in scalars, for processors without the vectors.
const PORTABLE: &[&[Pass]] = &[bounds::REPEATED];

/// The same with the option `sequential`.
const IN_ORDER: &[&[Pass]] = &[&[schedule::IN_ORDER]];

/// The passes of each part of the compiler, as its documentation shows them.
pub const PASSES: [(&str, &[&[Pass]]); 10] = [
    ("primal", PRIMAL),
    ("value", VALUE),
    ("reversed", REVERSED),
    ("forward", FORWARD),
    ("derived", DERIVED),
    ("gradient", GRADIENT),
    ("second", SECOND),
    ("seamed", SEAMED),
    ("batched", BATCHED),
    ("scheduled", SCHEDULED),
];

/// A program after some passes.
fn passed(lists: &[&[Pass]], mut program: Program, context: &mut Context) -> Result<Program, Vec<Refusal>> {
    pass::run(lists, &mut program, context)?;
    Ok(program)
}

/// What the programs of all modes are made of.
struct Derived {
    primal: Program,
    /// Its reversal, once it is asked for.
    reversed: OnceCell<Program>,
    /// A reversal in two programs, once it is asked for.
    halves: OnceCell<Halves>,
    /// The scalars that both of them are given with the same values.
    same: Vec<BufferId>,
    /// The name of the function.
    span: Span,
    /// The inputs that are differentiated.
    wrt: Vec<BufferId>,
    /// Whether the function returns one float, whose adjoint is one.
    unit_seed: Option<UnitSeed>,
}

impl Derived {
    /// The reversal.
    fn reversed(&self, scheduling: &schedule::Options) -> Result<&Program, Vec<Refusal>> {
        if let Some(reversed) = self.reversed.get() {
            return Ok(reversed);
        }
        let mut context = Context { wrt: self.wrt.clone(), ..Context::new(scheduling) };
        let reversed = passed(REVERSED, self.primal.clone(), &mut context)?;
        Ok(self.reversed.get_or_init(|| reversed))
    }

    /// The programs of the two sweeps.
    fn halves(&self, scheduling: &schedule::Options) -> Result<&Halves, Vec<Refusal>> {
        if let Some(halves) = self.halves.get() {
            return Ok(halves);
        }
        let seamed = passed(CUT, self.seamed(scheduling)?, &mut Context::new(scheduling))?;
        match adjoint::cut(&seamed, &self.same) {
            Some(halves) => Ok(self.halves.get_or_init(|| halves)),
            None => Err(vec![Refusal::new(
                self.span,
                "internal error of pardiff: the sweeps of this function cannot be told apart",
                "the reversal has no place where all of the function has run and none of its adjoint",
                "please report the function to the authors of pardiff; without `split` it is differentiated",
            )]),
        }
    }

    /// A program for both sweeps, with a seam between them.
    fn seamed(&self, scheduling: &schedule::Options) -> Result<Program, Vec<Refusal>> {
        if let Some(span) = adjoint::binomial(&self.primal) {
            return Err(vec![Refusal::new(
                span,
                "`#[checkpoint(binomial = …)]` with `split`",
                "`backward` may be called again with the same tape, and states in it are overwritten when steps \
                 are reversed",
                "write `#[checkpoint(levels = 2)]`, or remove `split`",
            )]);
        }
        let mut context = Context { wrt: self.wrt.clone(), ..Context::new(scheduling) };
        if !scheduling.strict {
            let gradient = self.program(Mode::Gradient, scheduling)?;
            if let Some((seamed, owned)) = adjoint::seamed_after_gradient(&gradient)
                && schedule::is_cheaper_to_keep(&seamed, &owned, &self.primal)
            {
                return passed(&[simplify::REVERSED], seamed, &mut context);
            }
        }
        context.marked = adjoint::marked(&self.primal);
        let seamed = passed(SEAMED, self.primal.clone(), &mut context)?;
        passed(GRADIENT, passed(DERIVED, seamed, &mut context)?, &mut context)
    }

    /// What a mode computes, for one direction or seed.
    fn program(&self, mode: Mode, scheduling: &schedule::Options) -> Result<Program, Vec<Refusal>> {
        let Derived { primal, wrt, unit_seed, .. } = self;
        let mut context = Context { wrt: wrt.clone(), unit_seed: *unit_seed, ..Context::new(scheduling) };
        match mode {
            Mode::Value => passed(VALUE, primal.clone(), &mut context),
            Mode::Tangent | Mode::Tangents => passed(FORWARD, primal.clone(), &mut context),
            Mode::Gradient | Mode::Gradients => {
                context.marked = adjoint::marked(primal);
                let gradient = passed(DERIVED, self.reversed(scheduling)?.clone(), &mut context)?;
                passed(GRADIENT, gradient, &mut context)
            }
            Mode::Second | Mode::Seconds => {
                context.marked = adjoint::marked(primal);
                let gradient = passed(GRADIENT, self.reversed(scheduling)?.clone(), &mut context)?;
                passed(SECOND, gradient, &mut context)
            }
            Mode::Forward => Ok(self.halves(scheduling)?.forward.clone()),
            Mode::Backward | Mode::Backwards => Ok(self.halves(scheduling)?.backward.clone()),
        }
    }
}

/// How the function is scheduled.
fn scheduling(options: &frontend::Options, signature: &Signature) -> schedule::Options {
    let products = library(options, signature);
    schedule::Options { strict: options.strict, products, costs: costs(), ..Default::default() }
}

/// What things cost. With the feature `verify`, `PARDIFF_GRAIN` is the least work of a chunk, so that tests cut small
/// programs as well.
fn costs() -> Costs {
    let grain = std::env::var("PARDIFF_GRAIN").ok().filter(|_| cfg!(feature = "verify"));
    grain
        .and_then(|grain| grain.parse().ok())
        .map_or_else(Costs::default, |grain| Costs::default().with_grain(grain))
}

/// What the programs of a primal are made of.
fn derived(primal: Program, signature: &Signature) -> Derived {
    let scalars = signature.params.iter().filter(|param| param.kind == ParamKind::Scalar);
    let stamped =
        scalars.flat_map(|param| &param.leaves).filter(|leaf| leaf.path.is_empty() && !leaf.elem.is_float());
    Derived {
        primal,
        reversed: OnceCell::new(),
        halves: OnceCell::new(),
        same: stamped.map(|leaf| leaf.buffer).collect(),
        span: signature.name.span(),
        wrt: active(signature),
        unit_seed: unit_seed(signature),
    }
}

/// The adjoint of a result that is one float.
fn unit_seed(signature: &Signature) -> Option<UnitSeed> {
    backend::rust::contract_types::lone_float(signature, false)?;
    let communicator = signature.params.iter().find(|param| param.kind.is_communicator());
    match (signature.over_ranks, communicator.and_then(|param| param.leaves.get(1))) {
        (Some(OverRanks::Replicated), Some(rank)) => Some(UnitSeed::OfFirst(rank.buffer)),
        _ => Some(UnitSeed::One),
    }
}

/// The width of a batch, and what [`outermost`] says of its dimension.
type Width = (usize, Vec<(BufferId, usize)>);

/// The program for one direction or seed as that of the mode, which may be for several.
fn in_batch(
    mode: Mode,
    program: Program,
    batch: Option<&Width>,
    scheduling: &schedule::Options,
) -> Result<Program, Vec<Refusal>> {
    let (Some(of), Some((width, in_front_of))) = (mode.batched(), batch) else { return Ok(program) };
    let batch = adjoint::Batch { width: *width, of, in_front_of: in_front_of.clone() };
    passed(BATCHED, program, &mut Context { batch: Some(batch), ..Context::new(scheduling) })
}

/// A mode's programs, scheduled.
fn planned(
    mode: Mode,
    derived: &Cases<Derived>,
    batch: Option<&Width>,
    sequential: bool,
    scheduling: &schedule::Options,
) -> Result<Planned, Vec<Refusal>> {
    let derived = match mode.tape() {
        // one tape serves all calls
        Some(_) => Cases::All(derived.general()),
        None => derived.as_ref(),
    };
    let programs =
        derived.try_map(|derived| in_batch(mode, derived.program(mode, scheduling)?, batch, scheduling))?;
    let mut context = Context::new(scheduling);
    let programs = match programs {
        // programs for some calls each have no flag: it would have to mean the same in both
        Cases::All(program) if mode.accumulates() => {
            Cases::All(passed(&[adjoint::OVERWRITE], program, &mut context)?)
        }
        programs => programs,
    };
    let portable = passed(PORTABLE, programs.general().clone(), &mut Context::new(scheduling))?;
    let lists = if sequential { IN_ORDER } else { SCHEDULED };
    let cases = programs.try_map(|program| {
        let mut context = Context { decides: true, ..Context::new(scheduling) };
        let program = passed(lists, program, &mut context)?;
        Ok::<_, Vec<Refusal>>(Scheduled { program, decisions: context.decisions })
    })?;
    let Context { flag, zeroed, .. } = context;
    Ok(Planned { mode, cases, portable, flag, zeroed })
}

/// In front of which dimension of each part of the arguments and of the result a batch of it has that of the batch: the
/// elements of the outermost array become arrays, those of `ndarray` get one axis more.
fn outermost(signature: &Signature) -> Vec<(BufferId, usize)> {
    let of_leaf = |leaf: &signature::Leaf, axes: Option<usize>| {
        let at = axes.unwrap_or_else(|| leaf.path.first().map_or(1, |(depth, _)| *depth).min(1));
        (leaf.buffer, at)
    };
    let params = signature.params.iter().flat_map(|param| {
        let axes = param.kind.axes();
        param.leaves.iter().map(move |leaf| of_leaf(leaf, axes))
    });
    let results = signature.result.members().iter().flat_map(|member| &member.leaves);
    params.chain(results.map(|leaf| of_leaf(leaf, None))).collect()
}

/// What does large matrix products.
fn library(options: &frontend::Options, signature: &Signature) -> Library {
    let mut leaves = signature.params.iter().flat_map(|param| &param.leaves);
    let in_record = |leaf: &signature::Leaf| leaf.path.iter().any(|(depth, _)| *depth > 0);
    match options.features.gemm {
        false => Library::Off,
        true if leaves.any(in_record) => Library::Records,
        true => Library::Gemm,
    }
}

/// The programs of modes as a GPU runs them, and what the expansion gains by them.
type OnGpu = (Vec<(Mode, Scheduled)>, backend::Cuda);

/// The modes that run on a GPU.
#[cfg(feature = "cuda")]
fn on_gpu(
    option: &syn::Ident,
    options: &frontend::Options,
    scheduling: &schedule::Options,
    signature: &Signature,
    derived: &Derived,
    batch: Option<&Width>,
) -> Result<OnGpu, Vec<Refusal>> {
    if !options.features.cuda {
        return Err(needs_cuda(option));
    }
    let mut until_left = None;
    ir::walk(&derived.primal.body, &mut |stmt| {
        if stmt.as_while().is_some_and(|each| each.checkpoint.is_some()) {
            until_left = until_left.or(derived.primal.spans.get(stmt.origin.span.0 as usize).copied());
        }
    });
    if let Some(span) = until_left {
        return Err(vec![Refusal::new(
            span,
            "`#[checkpoint]` on a loop that is not counted, with the option `cuda`",
            "on a GPU tapes are whole, and how long this one is is known when the loop has ended",
            "remove the mark, or `cuda`",
        )]);
    }
    let scheduled = modes::on_gpu(options.asked).into_iter().map(|mode| {
        let program = match mode {
            // tapes are whole
            Mode::Gradient | Mode::Gradients => {
                passed(DERIVED, derived.reversed(scheduling)?.clone(), &mut Context::new(scheduling))?
            }
            mode => derived.program(mode, scheduling)?,
        };
        let program = in_batch(mode, program, batch, scheduling)?;
        let (sequential, deny) = (options.sequential, options.deny_atomics);
        Ok::<_, Vec<Refusal>>((mode, gpu::schedule_for_gpu(program, scheduling, sequential, deny)?))
    });
    let scheduled = scheduled.collect::<Result<Vec<_>, _>>()?;
    let programs: Vec<(Mode, &Program)> = scheduled.iter().map(|(mode, it)| (*mode, &it.program)).collect();
    let cuda = crate::gpu::emit::emit(signature, &programs, options.asked.batch)?;
    Ok((scheduled, cuda))
}

/// Without the feature there are none.
#[cfg(not(feature = "cuda"))]
fn on_gpu(
    option: &syn::Ident,
    _: &frontend::Options,
    _: &schedule::Options,
    _: &Signature,
    _: &Derived,
    _: Option<&Width>,
) -> Result<OnGpu, Vec<Refusal>> {
    Err(needs_cuda(option))
}

fn needs_cuda(option: &syn::Ident) -> Vec<Refusal> {
    vec![Refusal::new(
        option.span(),
        "the option `cuda`",
        "it needs the feature `cuda` of pardiff, which is off",
        "write `pardiff = { version = \"…\", features = [\"cuda\"] }` in Cargo.toml, or remove `cuda`",
    )]
}

/// The parameters that have an adjoint.
fn active(signature: &Signature) -> Vec<BufferId> {
    let active = signature.params.iter().filter(|param| param.active).flat_map(|param| &param.leaves);
    active.filter(|leaf| leaf.elem.is_float()).map(|leaf| leaf.buffer).collect()
}
