//! `f::cuda::grad` and `f::cuda::vjp`: their arguments, and what stands around the statements of the host.

use super::Cuda;
use super::host::{Given, HostWriter};
use super::stmt::Cells;
use super::words::{cells_at, cells_name};
use crate::backend::rust::names::{Names, unraw};
use crate::backend::rust::{Code, code, literal, user};
use crate::ir::{BufferId, Program, StmtKind, Ty};
use crate::refusal::Refusal;
use crate::restructure::host::Host;
use crate::signature::{Param, ParamKind, ResultShape, Returned, Signature};
use proc_macro2::{Ident, Span};
use syn::Type;

/// The names of the arguments.
struct Arguments {
    gpu: Ident,
    params: Vec<Ident>,
    adjoints: Vec<Option<Ident>>,
    seeds: Vec<Ident>,
    names: Names,
}

impl Arguments {
    fn of(signature: &Signature) -> Arguments {
        let mut names = Names::default();
        for ty in [Ty::F64, Ty::F32, Ty::Int(crate::ir::Int::U64)] {
            names.take(&cells_name(ty));
            names.take(&cells_at(ty));
        }
        for param in signature.generics.const_params() {
            names.take(&param.ident);
        }
        let params: Vec<Ident> =
            signature.params.iter().map(|param| names.fresh(&unraw(&param.name))).collect();
        let adjoint = |param: &Param| param.active.then(|| names.fresh(&format!("d_{}", unraw(&param.name))));
        let adjoints = signature.params.iter().map(adjoint).collect();
        let seeds = floats(signature).iter().map(|_| names.fresh("seed")).collect();
        let gpu = names.fresh("gpu");
        Arguments { gpu, params, adjoints, seeds, names }
    }

    /// As they are declared; `krate` is pardiff.
    fn declared(&self, signature: &Signature) -> Vec<Code> {
        let (krate, gpu) = (&signature.krate, &self.gpu);
        let mut list = vec![code!(#gpu: &#krate::cuda::Gpu)];
        for (at, param) in signature.params.iter().enumerate() {
            let (name, ty) = (&self.params[at], argument(signature, param));
            list.push(code!(#name: #ty));
            if let Some(adjoint) = &self.adjoints[at] {
                let ty = adjoint_argument(signature, param);
                list.push(code!(#adjoint: #ty));
            }
        }
        list
    }

    fn forwarded(&self) -> Vec<Code> {
        let gpu = &self.gpu;
        let mut list = vec![code!(#gpu)];
        for (name, adjoint) in self.params.iter().zip(&self.adjoints) {
            list.push(code!(#name));
            list.extend(adjoint.as_ref().map(|name| code!(#name)));
        }
        list
    }
}

/// The type of the elements of a buffer: those of the outermost dimension.
fn element(ty: &Type) -> Code {
    match ty {
        Type::Reference(reference) => element(&reference.elem),
        Type::Group(group) => element(&group.elem),
        Type::Paren(paren) => element(&paren.elem),
        Type::Slice(slice) => user(&slice.elem),
        Type::Array(array) => user(&array.elem),
        ty => user(ty),
    }
}

fn argument(signature: &Signature, param: &Param) -> Code {
    let (krate, elem) = (&signature.krate, element(&param.ty));
    match param.kind {
        ParamKind::Scalar => elem,
        ParamKind::ScalarRef { mutable: false } => code!(&#elem),
        ParamKind::ScalarRef { mutable: true } => code!(&mut #elem),
        kind if kind.is_output() => code!(&mut #krate::cuda::Buffer<#elem>),
        _ => code!(&#krate::cuda::Buffer<#elem>),
    }
}

fn adjoint_argument(signature: &Signature, param: &Param) -> Code {
    let (krate, elem) = (&signature.krate, element(&param.ty));
    match param.kind {
        ParamKind::Scalar | ParamKind::ScalarRef { .. } => code!(&mut #elem),
        _ => code!(&mut #krate::cuda::Buffer<#elem>),
    }
}

/// The results that have a seed.
fn floats(signature: &Signature) -> Vec<&Returned> {
    let is_float = |it: &&Returned| it.leaves.iter().any(|leaf| leaf.elem.is_float());
    signature.result.members().iter().filter(is_float).collect()
}

fn result_type(signature: &Signature) -> Code {
    let tokens = |member: &Returned| user(&member.ty);
    match &signature.result {
        ResultShape::Unit => code!(()),
        ResultShape::One(one) => tokens(one),
        ResultShape::Tuple(members) => {
            let members = members.iter().map(tokens);
            code!((#(#members,)*))
        }
    }
}

/// The module inside of `mod f`, whose functions call `inner`.
fn module(signature: &Signature, call: impl Fn(&str, Vec<Code>) -> Code) -> Code {
    let arguments = Arguments::of(signature);
    let (krate, function) = (&signature.krate, unraw(&signature.name));
    let (generics, clause) = (user(&signature.generics), user(&signature.generics.where_clause));
    let result = result_type(signature);
    let mut items = Code::new();
    let mut add = |name: &str, what: &str, more: Vec<Code>, seeds: Vec<Code>| {
        let mut declared = arguments.declared(signature);
        declared.extend(more);
        let mut list = arguments.forwarded();
        list.extend(seeds);
        let body = call(name, list);
        let doc = literal::string(&format!(
            "Runs `{function}` on a GPU and adds its gradient to the adjoints{what}. Arrays lie on the device; the first call compiles \
             the kernels.\n\n# Errors\n\nThe device, or what compiles for it, is not there or fails; then adjoints and outputs are \
             unspecified.\n\n# Panics\n\nWhere `{function}` panics."
        ));
        let name = Ident::new(name, Span::mixed_site());
        let allow = if declared.len() > 7 { code!(#[allow(clippy::too_many_arguments)]) } else { code!() };
        items.push(code! {
            #[doc = #doc]
            #allow
            pub fn #name #generics (#(#declared),*) -> ::core::result::Result<#result, #krate::cuda::Error> #clause { #body }
        });
    };
    let members = floats(signature);
    if let ResultShape::One(one) = &signature.result
        && let [leaf] = &one.leaves[..]
        && leaf.elem.is_float()
    {
        let one = if leaf.elem == Ty::F32 { code!(1.0_f32) } else { code!(1.0_f64) };
        add("grad", "", Vec::new(), vec![one]);
    }
    let seed = Ident::new("seed", Span::mixed_site());
    let types: Vec<Code> = members.iter().map(|member| user(&member.ty)).collect();
    let (more, seeds) = match &types[..] {
        [] => (Vec::new(), Vec::new()),
        [ty] => {
            let seed = &arguments.seeds[0];
            (vec![code!(#seed: #ty)], vec![code!(#seed)])
        }
        types => {
            let parts = (0..types.len()).map(syn::Index::from);
            (vec![code!(#seed: (#(#types),*))], parts.map(|part| code!(#seed.#part)).collect())
        }
    };
    add("vjp", " for the seed, the adjoint of the result", more, seeds);
    let doc = literal::string(&format!("The gradient of `{function}` on NVIDIA GPUs."));
    code! {
        #[doc = #doc]
        pub mod cuda { #items }
    }
}

/// The module of a function that is refused.
pub(super) fn stub(signature: &Signature) -> Code {
    let text = literal::string(&format!("{}: refused, see the compile error", unraw(&signature.name)));
    module(signature, |_, _| code!(::core::panic!(#text)))
}

/// Everything that `cuda` adds to the expansion.
pub(super) fn expansion(signature: &Signature, program: &Program) -> Result<Cuda, Vec<Refusal>> {
    let arguments = Arguments::of(signature);
    let krate = &signature.krate;
    let runtime = code!(#krate::runtime);
    let host = Host::of(program);
    let given = given(signature, &arguments, program);
    let cells = cells(program, &host);
    let writer = HostWriter::new(program, &host, &cells, runtime.clone(), arguments.names.clone(), given);

    let entry = entry(signature, &arguments, &writer);
    let bindings = writer.bindings();
    let addresses: Code = addresses(program, &writer);
    let initial = initial_cells(program, &writer, &cells);
    let body = writer.block(&program.body);
    let tables = writer.uploaded();
    let call = writer.call.clone();
    let kernels = writer.kernels.borrow();
    let text: String = kernels.iter().map(|(text, _)| text.as_str()).collect();
    let list = kernels.iter().map(|(_, kernel)| {
        let (name, words) = (literal::string(&kernel.name), literal::usize(kernel.words.len()));
        code!(#runtime::cuda::Kernel { name: #name, words: #words })
    });
    let list: Vec<Code> = list.collect();
    let text_literal = literal::string(&text);
    let sites = writer.sites.borrow();
    let arms = sites.iter().enumerate().map(|(at, site)| {
        let number = literal::usize(at);
        let panic = writer.panic(&site.message, site.span, site.speaker, |at| {
            let at = literal::usize(at);
            code!(operands[#at] as usize)
        });
        code!(#number => #panic,)
    });
    let arms: Code = arms.collect();
    let function = &writer.function;
    let report = &writer.report;
    let read = read_back(signature, program, &writer, &cells);

    let (generics, clause) = (user(&signature.generics), user(&signature.generics.where_clause));
    let mut declared = arguments.declared(signature);
    for (seed, member) in arguments.seeds.iter().zip(floats(signature)) {
        let ty = user(&member.ty);
        declared.push(code!(#seed: #ty));
    }
    let result = result_type(signature);
    let gpu = &arguments.gpu;
    let body = code! {
        #[allow(clippy::all, unused_parens, unused_assignments, unused_variables, reason = "generated")]
        fn cuda #generics (#(#declared),*) -> ::core::result::Result<#result, #krate::cuda::Error> #clause {
            static KERNELS: #runtime::cuda::Module = #runtime::cuda::Module {
                text: #text_literal,
                kernels: &[#(#list),*],
            };
            #entry
            #bindings
            let #call = #runtime::cuda::Call::new(#gpu, &KERNELS)?;
            #addresses
            #tables
            #initial
            #body
            if let ::core::option::Option::Some((check, operands)) = #call.finish()? {
                Self::#report(check, operands)
            }
            #read
        }

        #[allow(clippy::all, unused_variables, reason = "generated")]
        #[cold]
        #[track_caller]
        fn #report(check: u64, operands: [u64; 3]) -> ! {
            match check {
                #arms
                _ => #runtime::failed(#function, "a check failed on the GPU", 0),
            }
        }
    };
    let arguments_of = const_arguments(signature);
    let module = module(signature, |_, list| code!(super::Bodies::cuda #arguments_of (#(#list),*)));
    Ok(Cuda { module, body, text })
}

fn const_arguments(signature: &Signature) -> Code {
    let names: Vec<Code> = signature.generics.const_params().map(|param| user(&param.ident)).collect();
    if names.is_empty() { code!() } else { code!(::<#(#names),*>) }
}

/// The buffers of the program that are arguments, with their names.
fn given(signature: &Signature, arguments: &Arguments, program: &Program) -> Vec<(BufferId, Ident, Given)> {
    let mut given = Vec::new();
    let mut buffers = program.params.iter().copied();
    for (at, param) in signature.params.iter().enumerate() {
        let how = if param.kind == ParamKind::Scalar { Given::Value } else { Given::Reference };
        given.extend(buffers.next().map(|id| (id, arguments.params[at].clone(), how)));
        let is_float = param.leaves.iter().any(|leaf| leaf.elem.is_float());
        if let Some(adjoint) = &arguments.adjoints[at]
            && is_float
        {
            given.extend(buffers.next().map(|id| (id, adjoint.clone(), Given::Reference)));
        }
    }
    for (seed, id) in arguments.seeds.iter().zip(buffers) {
        given.push((id, seed.clone(), Given::Value));
    }
    given
}

/// The scalars that live on the device.
fn cells(program: &Program, host: &Host<'_>) -> Cells {
    let mut cells = Cells::default();
    let is_cell = |id: &&BufferId| program[**id].rank() == 0 && !host.has(**id);
    for id in program.params.iter().chain(&program.results).filter(is_cell) {
        cells.add(program, *id);
    }
    declared_cells(program, host, &program.body, &mut cells);
    cells
}

/// Scalars of scopes that the host enters, and that a kernel writes.
fn declared_cells(program: &Program, host: &Host<'_>, block: &[crate::ir::Stmt], cells: &mut Cells) {
    for stmt in block {
        if !host.runs(stmt) {
            continue;
        }
        if let StmtKind::Scope { buffers, .. } = &stmt.kind {
            let is_cell = |id: &&BufferId| program[**id].rank() == 0 && !host.has(**id);
            buffers.iter().filter(is_cell).for_each(|&id| cells.add(program, id));
        }
        stmt.blocks().into_iter().for_each(|inner| declared_cells(program, host, inner, cells));
    }
}

/// The checks of lengths, before anything is written.
fn entry(signature: &Signature, arguments: &Arguments, writer: &HostWriter<'_>) -> Code {
    let (runtime, function) = (&writer.runtime, &writer.function);
    let mut code = Code::new();
    for (at, param) in signature.params.iter().enumerate() {
        let (name, array) = (&arguments.params[at], literal::string(&unraw(&param.name)));
        let adjoint = arguments.adjoints[at].as_ref();
        match param.kind {
            ParamKind::Slice { .. } => {
                if let Some(adjoint) = adjoint {
                    let shown = literal::string(&unraw(adjoint));
                    code.push(code! {
                        if #adjoint.len() != #name.len() {
                            #runtime::wrong_shape(#function, #shown, #adjoint.len(), #array, #name.len())
                        }
                    });
                }
            }
            ParamKind::ArrayRef { .. } => {
                let Some(len) = outer_length(&param.ty) else { continue };
                for (buffer, shown) in
                    [(Some(name), array), (adjoint, literal::string(&format!("d_{}", param.name)))]
                {
                    let Some(buffer) = buffer else { continue };
                    code.push(code! {
                        if #buffer.len() != #len {
                            #runtime::wrong_length(#function, #shown, #buffer.len(), #len)
                        }
                    });
                }
            }
            _ => {}
        }
    }
    code
}

/// `N` of `&[T; N]`.
fn outer_length(ty: &Type) -> Option<Code> {
    match ty {
        Type::Reference(reference) => outer_length(&reference.elem),
        Type::Group(group) => outer_length(&group.elem),
        Type::Paren(paren) => outer_length(&paren.elem),
        Type::Array(array) => Some(user(&array.len)),
        _ => None,
    }
}

/// The addresses of the caller's arrays.
fn addresses(program: &Program, writer: &HostWriter<'_>) -> Code {
    let call = &writer.call;
    let one = |&id: &BufferId| {
        let (name, at, shown) = (writer.buffer(id), writer.address(id), literal::string(&program[id].name));
        code!(let #at = #call.address(#name, #shown)?;)
    };
    program.params.iter().filter(|&&id| program[id].rank() > 0).map(one).collect()
}

/// The scalars on the device, with those of the caller.
fn initial_cells(program: &Program, writer: &HostWriter<'_>, cells: &Cells) -> Code {
    let call = &writer.call;
    let mut code = Code::new();
    for &(ty, count) in cells.counts() {
        let zero = if ty.is_float() { code!(0.0) } else { code!(0) };
        let mut values = vec![zero; count];
        for &id in program.params.iter().filter(|&&id| program[id].rank() == 0 && !writer.host.has(id)) {
            let (kept, at) = cells.of(id);
            if kept == ty {
                let value = writer.scalar(id);
                values[at] = if ty.is_float() { value } else { writer.bits(program[id].elem, value) };
            }
        }
        let (name, at, elem) = (cells_name(ty), cells_at(ty), literal::ty(ty));
        code.push(code! {
            let #name = #call.upload::<#elem>(&[#(#values),*])?;
            let #at = #call.address(&#name, "scalars")?;
        });
    }
    code
}

/// The scalars of the caller, and the result.
fn read_back(signature: &Signature, program: &Program, writer: &HostWriter<'_>, cells: &Cells) -> Code {
    let mut code = Code::new();
    for &(ty, _) in cells.counts() {
        let name = cells_name(ty);
        code.push(code!(let #name = #name.download()?;));
    }
    let value = |id: BufferId| {
        let ((ty, at), elem) = (cells.of(id), program[id].elem);
        let (name, at, of) = (cells_name(ty), literal::usize(at), literal::ty(elem));
        match elem {
            Ty::Float(_) => code!(#name[#at]),
            Ty::Bool => code!((#name[#at] != 0)),
            Ty::Int(_) => code!((#name[#at] as #of)),
        }
    };
    for &id in &program.params {
        if program[id].rank() == 0 && !writer.host.has(id) && writer.is_reference(id) {
            let (target, value) = (writer.scalar(id), value(id));
            code.push(code!(#target = #value;));
        }
    }
    let results: Vec<Code> = program.results.iter().map(|&id| value(id)).collect();
    let result = match &signature.result {
        ResultShape::Unit => code!(()),
        ResultShape::One(_) => code!(#(#results)*),
        ResultShape::Tuple(_) => code!((#(#results,)*)),
    };
    code!(#code ::core::result::Result::Ok(#result))
}
