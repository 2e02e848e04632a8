//! Emits the scheduled programs as Rust: each as a module `name` with `name::name::value(…)`.

#[path = "programs.rs"]
mod programs;

use pardiff_compiler::backend::Cuda;
use pardiff_compiler::backend::rust;
use pardiff_compiler::frontend::Asked;
use pardiff_compiler::ir::{Program, parse};
use pardiff_compiler::modes::{Entry, Mode};
use pardiff_compiler::signature::{Leaf, Param, ParamKind, ResultShape, Signature};
use programs::{INTERFACE, PROGRAMS, TYPES};

/// All programs.
pub fn emitted() -> String {
    PROGRAMS.iter().map(|(name, body)| module(name, body)).collect()
}

/// The module of one program.
pub fn module(name: &str, body: &str) -> String {
    let text = format!("fn {name}({INTERFACE})\n{}", body.trim_matches('\n'));
    let program = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    let entries = Mode::ALWAYS.map(|mode| Entry::new(mode, program.clone()));
    let code = rust::emit(
        &signature(&program),
        &entries,
        Asked::default(),
        &pardiff_compiler::plan::Plan::default(),
        &Cuda::default(),
    )
    .unwrap_or_else(|refusals| panic!("{name}: {refusals:?}"));
    let types: Vec<String> = TYPES.iter().map(|ty| format!("_: {ty}")).collect();
    format!("pub mod {name} {{ pub fn {name}({}) {{}}\n{code} }}\n", types.join(", "))
}

/// The interface without an active parameter, so that a program serves as its own adjoint.
fn signature(program: &Program) -> Signature {
    let ident = |name: &str| syn::parse_str(name).expect("a name");
    let params = program.params.iter().zip(TYPES).map(|(buffer, ty)| Param {
        name: ident(&program[*buffer].name),
        ty: syn::parse_str(ty).expect("a type"),
        kind: match ty {
            ty if !ty.starts_with('&') => ParamKind::Scalar,
            ty => ParamKind::Slice { mutable: ty.starts_with("&mut") },
        },
        leaves: vec![Leaf::plain(*buffer, program[*buffer].elem)],
        record: None,
        vector: None,
        product: None,
        elements: None,
        active: false,
    });
    Signature {
        vis: syn::parse_quote!(pub),
        name: ident(&program.name),
        owner: None,
        module: ident(&program.name),
        krate: syn::parse_quote!(::pardiff),
        generics: syn::Generics::default(),
        attrs: Vec::new(),
        params: params.collect(),
        borrowed: Vec::new(),
        result: ResultShape::Unit,
        lends: false,
        over_ranks: None,
        failure: None,
        consts: Vec::new(),
        called_with: Vec::new(),
        has_unnamed_types: false,
        functions: Vec::new(),
        bounds: Vec::new(),
        written: None,
    }
}
