//! The five kernels at every stage: snapshots of the printed programs and of the plans, and the same texts in
//! `docs/passes.md`.

use pardiff_compiler::adjoint;
use pardiff_compiler::frontend::{self, Lowered, Options};
use pardiff_compiler::hoist::hoist;
use pardiff_compiler::ir::Program;
use pardiff_compiler::ir::verify::verify;
use pardiff_compiler::normalise::normalise;
use pardiff_compiler::pass::Pass;
use pardiff_compiler::plan::describe;
use pardiff_compiler::schedule::{self, schedule};
use pardiff_compiler::simplify::{simplify, simplify_reversed};

/// The programs of one kernel, in the order of the stages.
pub struct Stages {
    pub lowered: Program,
    pub normalised: Program,
    pub reversed: Program,
    pub simplified: Program,
    /// Value and gradient, and the value alone, as the back end gets them.
    pub scheduled: Program,
    pub value: Program,
    pub plan: String,
}

/// Runs the stages over the first annotated function of a source file.
pub fn stages(source: &str) -> Stages {
    let (options, function) = annotated(source);
    let Ok(options) = Options::parse(options) else { panic!("the options are refused") };
    match stages_of(&options, function) {
        Ok(stages) => stages,
        Err(why) => panic!("{why}"),
    }
}

/// Runs the stages over a function; an error says why it is refused.
pub fn stages_of(options: &Options, function: syn::ItemFn) -> Result<Stages, String> {
    let lowered = frontend::lower(options, function).map_err(|refusals| format!("{refusals:?}"))?;
    let Lowered { cases, signature, .. } = lowered;
    let lowered = cases.into_general();
    let active = signature.params.iter().filter(|param| param.active);
    let active: Vec<_> = active.flat_map(|param| &param.leaves).map(|leaf| leaf.buffer).collect();
    let normalised = hoist(simplify(normalise(lowered.clone())));
    let reversed = adjoint::reverse(&normalised, &active).map_err(|error| format!("{error:?}"))?;
    let simplified = simplify_reversed(reversed.clone());
    // without lanes, so that the loops keep the names of the source
    let scheduling = schedule::Options { scalar: true, ..Default::default() };
    let gradient = schedule(simplified.clone(), &scheduling);
    let value = schedule(normalised.clone(), &scheduling);
    for program in [&lowered, &normalised, &reversed, &simplified, &gradient.program, &value.program] {
        if let Err(errors) = verify(program) {
            panic!("{errors:?}\n{program}");
        }
    }
    let plan = describe(&gradient, &value);
    let (scheduled, value) = (gradient.program, value.program);
    Ok(Stages { lowered, normalised, reversed, simplified, scheduled, value, plan })
}

/// The first function with `#[differentiate…]`: the tokens of the attribute, and the function without it.
fn annotated(source: &str) -> (proc_macro2::TokenStream, syn::ItemFn) {
    let Ok(file) = syn::parse_file(source) else { panic!("the kernel does not parse") };
    for item in file.items {
        let syn::Item::Fn(mut function) = item else { continue };
        let is_ours = |attr: &syn::Attribute| attr.path().is_ident("differentiate");
        if let Some(at) = function.attrs.iter().position(is_ours) {
            let attr = function.attrs.remove(at);
            let options = match attr.meta {
                syn::Meta::List(list) => list.tokens,
                _ => Default::default(),
            };
            return (options, function);
        }
    }
    panic!("no annotated function");
}

/// The kernels by name.
pub const KERNELS: [(&str, &str); 5] = [
    ("dot", include_str!("kernels/dot.rs")),
    ("triangular_solve", include_str!("kernels/triangular_solve.rs")),
    ("heat", include_str!("kernels/heat.rs")),
    ("csr_product", include_str!("kernels/csr_product.rs")),
    ("gmm", include_str!("../../../workloads/gmm.rs")),
];

/// The text of a stage by name.
fn stage(stages: &Stages, name: &str) -> Option<String> {
    Some(match name {
        "lowered" => stages.lowered.to_string(),
        "normalised" => stages.normalised.to_string(),
        "reversed" => stages.reversed.to_string(),
        "simplified" => stages.simplified.to_string(),
        "scheduled" => stages.scheduled.to_string(),
        "plan" => stages.plan.clone(),
        _ => return None,
    })
}

#[test]
fn snapshots() {
    for (kernel, source) in KERNELS {
        let stages = stages(source);
        for name in ["lowered", "normalised", "reversed", "simplified", "scheduled", "plan"] {
            let text = stage(&stages, name).unwrap_or_default();
            insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
                insta::assert_snapshot!(format!("{kernel}_{name}"), text);
            });
        }
    }
}

/// What is shown of a kernel under this name, or of the list of passes, and in which language.
fn shown(kernel: &str, name: &str) -> (&'static str, String) {
    if kernel == "passes" {
        let (_, lists) =
            pardiff_compiler::PASSES.into_iter().find(|(part, _)| *part == name).expect("a part");
        let line = |pass: &Pass| format!("{:<24}{}\n", pass.name, pass.why);
        return ("text", lists.iter().copied().flatten().map(line).collect());
    }
    let (_, source) = KERNELS.iter().find(|(name, _)| *name == kernel).expect("a kernel");
    match name {
        "source" => ("rust", source.to_string()),
        _ => ("text", stage(&stages(source), name).expect("a stage")),
    }
}

/// `docs/passes.md` shows a stage of a kernel in the code block after `<!-- kernel: stage -->`, its source after
/// `<!-- kernel: source -->`, and the passes of a part of the compiler after `<!-- passes: part -->`.
/// `PARDIFF_UPDATE_DOCS=1` writes them.
#[test]
fn the_documentation_shows_these_programs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/passes.md");
    let Ok(before) = std::fs::read_to_string(path) else { panic!("{path} cannot be read") };
    let mut after = String::new();
    let mut rest = before.as_str();
    let mut blocks = 0;
    while let Some((text, marked)) = rest.split_once("<!-- ") {
        let Some((mark, block)) = marked.split_once(" -->\n") else { panic!("a mark without an end") };
        let Some((kernel, name)) = mark.split_once(": ") else { panic!("{mark:?} names no stage") };
        let (language, fresh) = shown(kernel, name);
        let Some((_, next)) = block.split_once("\n```\n") else { panic!("no code block after {mark:?}") };
        after += &format!("{text}<!-- {mark} -->\n```{language}\n{}\n```\n", fresh.trim_end());
        rest = next;
        blocks += 1;
    }
    after += rest;
    if std::env::var_os("PARDIFF_UPDATE_DOCS").is_some() {
        assert!(std::fs::write(path, &after).is_ok());
    } else {
        let stale = before.lines().zip(after.lines()).find(|(before, after)| before != after);
        assert!(before == after, "stale, PARDIFF_UPDATE_DOCS=1 brings docs/passes.md up to date: {stale:?}");
    }
    assert!(blocks >= 12, "the documentation shows {blocks} programs and lists");
}
