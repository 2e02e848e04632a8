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
pub mod plan;
pub mod poly;
pub mod refusal;
pub mod schedule;
pub mod signature;
pub mod simplify;
mod steps;
mod visit;

pub use attribute::{expand, expand_with};

use adjoint::Overwriting;
use frontend::{Lowered, Module};
use ir::{BufferId, Cases, Program};
use modes::{Entry, Mode, Planned};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use refusal::Refusal;
use schedule::{Library, Scheduled};
use signature::Signature;
use syn::ItemFn;

/// The stages, from the user's function to the same function with its gradient beside it.
///
/// # Errors
///
/// Everything in the function that is refused.
pub fn compile(options: &frontend::Options, function: ItemFn) -> Result<TokenStream, Vec<Refusal>> {
    compile_in(options, &Module::default(), function)
}

/// The same for a function of a module.
///
/// # Errors
///
/// Everything in the function, and in what it uses of the module, that is refused.
pub fn compile_in(
    options: &frontend::Options,
    module: &Module,
    function: ItemFn,
) -> Result<TokenStream, Vec<Refusal>> {
    let Lowered { cases, signature, item } = frontend::lower_in(options, module, function)?;
    let scheduling = scheduling(options, &signature);
    let primal = cases.try_map(|program| prepared(program, &scheduling))?;
    let derived = primal.try_map(|primal| derived(primal, &signature))?;
    let on_gpu = match &options.cuda {
        Some(option) => Some(on_gpu(option, options, &scheduling, &signature, &derived.general().reversed)?),
        None => None,
    };
    let planned = |mode| planned(mode, &derived, |program| scheduled(program, options, &scheduling));
    let planned = Mode::ALL.into_iter().map(planned).collect::<Result<Vec<_>, _>>()?;
    let mut plan = plan::describe_modes(&planned);
    let entries: Vec<Entry> = planned.into_iter().map(Planned::joined).collect();
    for entry in &entries {
        verified(&entry.program, "scheduled")?;
    }
    let mut cuda = backend::Cuda::default();
    if let Some((scheduled, emitted)) = on_gpu {
        plan += &plan::describe_gpu(&scheduled);
        cuda = emitted;
    }
    let generated = backend::rust::emit(&signature, &entries, &plan, &cuda)?;
    Ok(quote!(#item #generated))
}

/// What the programs of all modes are made of.
struct Derived {
    primal: Program,
    reversed: Program,
}

/// How the function is scheduled.
fn scheduling(options: &frontend::Options, signature: &Signature) -> schedule::Options {
    let products = library(options, signature);
    schedule::Options { strict: options.strict, products, ..Default::default() }
}

/// The primal as it is differentiated.
fn prepared(program: Program, scheduling: &schedule::Options) -> Result<Program, Vec<Refusal>> {
    verified(&program, "lowered")?;
    let primal = normalise::normalise(program);
    verified(&primal, "normalised")?;
    let primal = simplify::simplify(primal);
    verified(&primal, "simplified")?;
    let refusals = schedule::refuse_marks(&primal, scheduling);
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let primal = hoist::hoist(primal);
    verified(&primal, "hoisted")?;
    Ok(primal)
}

/// The primal and its reversal.
fn derived(primal: Program, signature: &Signature) -> Result<Derived, Vec<Refusal>> {
    let adjoint = adjoint::reverse(&primal, &active(signature)).map_err(|it| unsupported(&primal, &it))?;
    verified(&adjoint, "reversed")?;
    Ok(Derived { primal, reversed: simplify::simplify(adjoint) })
}

/// A mode's programs, scheduled.
fn planned(
    mode: Mode,
    derived: &Cases<Derived>,
    schedule: impl Fn(Program) -> Scheduled,
) -> Result<Planned, Vec<Refusal>> {
    let programs = derived.as_ref().try_map(|Derived { primal, reversed }| match mode {
        Mode::Value => Ok(primal.clone()),
        Mode::Gradient => in_place(primal, reversed.clone()),
    })?;
    let (programs, flag, zeroed) = match programs {
        // programs for some calls each have no flag: it would have to mean the same in both
        Cases::All(program) if mode.accumulates() => {
            let Overwriting { program, flag, zeroed } = adjoint::overwrite(program);
            (Cases::All(program), flag, zeroed)
        }
        programs => (programs, None, Vec::new()),
    };
    let portable = programs.general().clone();
    Ok(Planned { mode, cases: programs.map(schedule), portable, flag, zeroed })
}

/// The reversal with its states where they are stored.
fn in_place(primal: &Program, adjoint: Program) -> Result<Program, Vec<Refusal>> {
    let adjoint = adjoint::marked_in_segments(primal, adjoint::live_in_tapes(adjoint))?;
    verified(&adjoint, "simplified reversed")?;
    Ok(adjoint)
}

/// The program with its loops decided, its checks in their places and its nests jammed.
fn scheduled(program: Program, options: &frontend::Options, scheduling: &schedule::Options) -> Scheduled {
    if options.sequential {
        return Scheduled::sequential(program);
    }
    let scheduled = schedule::schedule(program, scheduling);
    Scheduled { program: bounds::place(scheduled.program), ..scheduled }.jammed()
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

/// The gradient as a GPU runs it, and what the expansion gains by it.
#[cfg(feature = "cuda")]
fn on_gpu(
    option: &syn::Ident,
    options: &frontend::Options,
    scheduling: &schedule::Options,
    signature: &Signature,
    adjoint: &Program,
) -> Result<(Scheduled, backend::Cuda), Vec<Refusal>> {
    if !options.features.cuda {
        return Err(needs_cuda(option));
    }
    let (sequential, deny) = (options.sequential, options.deny_atomics);
    let scheduled = gpu::schedule_for_gpu(adjoint.clone(), scheduling, sequential, deny)?;
    verified(&scheduled.program, "gradient for a GPU")?;
    let cuda = crate::gpu::emit::emit(signature, &scheduled.program)?;
    Ok((scheduled, cuda))
}

/// Without the feature there is no such gradient.
#[cfg(not(feature = "cuda"))]
fn on_gpu(
    option: &syn::Ident,
    _: &frontend::Options,
    _: &schedule::Options,
    _: &Signature,
    _: &Program,
) -> Result<(Scheduled, backend::Cuda), Vec<Refusal>> {
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

/// The verifier runs after every pass in the tests of this crate, and with the feature `verify` where `PARDIFF_VERIFY` is
/// set; a user's build waits neither for it nor for its compilation.
#[cfg(feature = "verify")]
fn verified(program: &Program, stage: &str) -> Result<(), Vec<Refusal>> {
    if !cfg!(test) && std::env::var_os("PARDIFF_VERIFY").is_none() {
        return Ok(());
    }
    let refusal = |violation: ir::verify::Violation| {
        let span = violation.origin.and_then(|origin| program.spans.get(origin.span.0 as usize));
        Refusal::new(
            span.or(program.spans.first()).copied().unwrap_or_else(Span::call_site),
            format!("internal error of pardiff: the {stage} program is not well formed"),
            violation.to_string(),
            "please report the function to the authors of pardiff",
        )
    };
    steps::uncounted(|| ir::verify::verify(program))
        .map_err(|violations| violations.into_iter().map(refusal).collect())
}

#[cfg(not(feature = "verify"))]
fn verified(_: &Program, _: &str) -> Result<(), Vec<Refusal>> {
    Ok(())
}

fn unsupported(primal: &Program, it: &adjoint::Unsupported) -> Vec<Refusal> {
    let span = primal.spans.get(it.origin.span.0 as usize).copied().unwrap_or_else(Span::call_site);
    vec![Refusal::new(span, it.what, it.why, it.help)]
}
