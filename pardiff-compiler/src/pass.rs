//! The compiler is lists of passes: each folder shows its own on one screen, in order, with one line that says why a pass
//! stands where it does. [`crate::compile`] composes the lists, and [`run`] runs them.
//!
//! The verifier runs after every pass in the tests of this crate, and with the feature `verify` where `PARDIFF_VERIFY` is
//! set; a user's build waits neither for it nor for its compilation.

use crate::adjoint::{Batch, Marked};
use crate::ir::{Block, BufferId, Program};
use crate::refusal::Refusal;
use crate::schedule::{Decisions, Found, Options};

/// A step of the compiler.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// What it is called where it is reported.
    pub name: &'static str,
    /// Why it stands where it does.
    pub why: &'static str,
    /// Whether it changes the order of additions, which the option `strict` forbids.
    reorders: bool,
    run: Run,
}

#[derive(Clone, Copy, Debug)]
enum Run {
    /// A program for a program.
    Map(fn(Program) -> Program),
    /// In place.
    Change(fn(&mut Program)),
    /// With what it is told, hands on and reports.
    Edit(fn(&mut Program, &mut Context)),
    /// The same for the statements, which the program is without meanwhile.
    Body(fn(&mut Program, &mut Block, &mut Context)),
}

impl Pass {
    /// A pass that needs the program alone.
    pub(crate) const fn map(name: &'static str, why: &'static str, run: fn(Program) -> Program) -> Pass {
        Pass { name, why, reorders: false, run: Run::Map(run) }
    }

    /// The same in place.
    pub(crate) const fn change(name: &'static str, why: &'static str, run: fn(&mut Program)) -> Pass {
        Pass { name, why, reorders: false, run: Run::Change(run) }
    }

    /// A pass that is told something, hands something on, or reports something.
    pub(crate) const fn edit(
        name: &'static str,
        why: &'static str,
        run: fn(&mut Program, &mut Context),
    ) -> Pass {
        Pass { name, why, reorders: false, run: Run::Edit(run) }
    }

    /// The same for a pass over the statements.
    pub(crate) const fn body(
        name: &'static str,
        why: &'static str,
        run: fn(&mut Program, &mut Block, &mut Context),
    ) -> Pass {
        Pass { name, why, reorders: false, run: Run::Body(run) }
    }

    /// The same at another place, for another reason.
    pub(crate) const fn because(self, why: &'static str) -> Pass {
        Pass { why, ..self }
    }

    /// The same, left out where float sums keep the order of the source.
    pub(crate) const fn reorders(self) -> Pass {
        Pass { reorders: true, ..self }
    }
}

/// The adjoint of a result that is one float.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitSeed {
    /// It is one.
    One,
    /// It is one where this number is zero, and else zero: of a result that all ranks have alike, the first has it.
    OfFirst(BufferId),
}

/// What passes are told, and what they hand on and report.
#[derive(Debug, Default)]
pub struct Context {
    /// How the program is scheduled.
    pub(crate) options: Options,
    /// Whether the passes decide how the program runs, which may be by its derivatives.
    pub decides: bool,
    /// Whether sums on a GPU that need atomic additions are refused.
    #[cfg(feature = "cuda")]
    pub(crate) deny_atomics: bool,
    /// The inputs to differentiate.
    pub(crate) wrt: Vec<BufferId>,
    /// The adjoint of the result, where it is no parameter.
    pub(crate) unit_seed: Option<UnitSeed>,
    /// For how many directions or seeds at once.
    pub(crate) batch: Option<Batch>,
    /// The parameter that says whether adjoints start from zero, where the program asks.
    pub(crate) flag: Option<BufferId>,
    /// Adjoints that the program sets to zero or assigns by itself if they are to start from zero.
    pub(crate) zeroed: Vec<BufferId>,
    /// The loops of the primal that are to run in segments.
    pub(crate) marked: Marked,
    /// What the passes of the schedule have found and do later.
    pub(crate) found: Found,
    /// Why each loop and each summation is as it is.
    pub(crate) decisions: Decisions,
    /// What is refused; no pass runs after the one that refuses something.
    pub(crate) refusals: Vec<Refusal>,
}

impl Context {
    /// Of a program that is scheduled in this way.
    pub(crate) fn new(options: &Options) -> Context {
        Context { options: *options, ..Context::default() }
    }
}

/// Runs the passes of some lists.
///
/// # Errors
///
/// What a pass refuses.
pub fn run(lists: &[&[Pass]], program: &mut Program, context: &mut Context) -> Result<(), Vec<Refusal>> {
    for pass in lists.iter().copied().flatten() {
        if pass.reorders && context.options.strict {
            continue;
        }
        program.pass = pass.name;
        match pass.run {
            Run::Map(run) => *program = run(program.take()),
            Run::Change(run) => run(program),
            Run::Edit(run) => run(program, context),
            Run::Body(run) => program.with_body(|program, body| run(program, body, context)),
        }
        program.pass = "";
        verify(program, pass, context);
        if !context.refusals.is_empty() {
            return Err(std::mem::take(&mut context.refusals));
        }
    }
    Ok(())
}

/// The program after passes that refuse nothing.
pub(crate) fn after(passes: &[Pass], mut program: Program) -> Program {
    let done = run(&[passes], &mut program, &mut Context::default());
    debug_assert!(done.is_ok(), "{done:?}");
    program
}

#[cfg(feature = "verify")]
fn verify(program: &Program, after: &Pass, context: &mut Context) {
    if !cfg!(test) && std::env::var_os("PARDIFF_VERIFY").is_none() {
        return;
    }
    let refusal = |violation: crate::ir::verify::Violation| {
        let span = violation.origin.and_then(|origin| program.spans.get(origin.span.0 as usize));
        Refusal::new(
            span.or(program.spans.first()).copied().unwrap_or_else(proc_macro2::Span::call_site),
            format!(
                "internal error of pardiff: the program after the pass `{}` is not well formed",
                after.name
            ),
            violation.to_string(),
            "please report the function to the authors of pardiff",
        )
    };
    if let Err(mut violations) = crate::steps::uncounted(|| crate::ir::verify::verify(program)) {
        violations.retain(|it| !(context.decides && it.rule == crate::ir::verify::Rule::Derivative));
        context.refusals.extend(violations.into_iter().map(refusal));
    }
}

#[cfg(not(feature = "verify"))]
fn verify(_: &Program, _: &Pass, _: &mut Context) {}
