//! `f::cuda::grad` and `f::cuda::vjp`: their arguments, and what stands around the statements of the host.

use super::Cuda;
use super::contract_cells::{addresses, cells, initial_cells, read_back};
use super::host::{Given, HostWriter};
use super::hosted::{Hosted, is_hosted};
use super::words::{cells_at, cells_name};
use crate::backend::rust::contract_types::{adjoint, is_scalar, relocated};
use crate::backend::rust::names::{Names, unraw};
use crate::backend::rust::{Code, code, contract_ndarray as nd, inside, literal, user};
use crate::gpu::host::Host;
use crate::ir::{BufferId, Program, Ty};
use crate::refusal::Refusal;
use crate::signature::{Param, ParamKind, ResultShape, Returned, Signature};
use proc_macro2::{Ident, Span};
use syn::Type;

/// Where types are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Beside the function.
    Beside,
    /// In the module `cuda` of its module.
    Module,
}

impl Place {
    /// The user's type, written there.
    pub(super) fn ty(self, signature: &Signature, ty: &Type) -> Type {
        match self {
            Place::Beside => ty.clone(),
            Place::Module => relocated(&inside(signature, ty)),
        }
    }
}

/// The names of the arguments.
struct Arguments {
    gpu: Ident,
    params: Vec<Ident>,
    adjoints: Vec<Option<Ident>>,
    seeds: Vec<Ident>,
    names: Names,
}

impl Arguments {
    pub(super) fn of(signature: &Signature) -> Arguments {
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

    /// As they are declared there.
    fn declared(&self, signature: &Signature, place: Place) -> Vec<Code> {
        let (krate, gpu) = (&signature.krate, &self.gpu);
        let mut list = vec![code!(#gpu: &#krate::cuda::Gpu)];
        for (at, param) in signature.params.iter().enumerate() {
            let (name, ty) = (&self.params[at], argument(signature, param, place));
            let binding = |is_adjoint| match place {
                Place::Beside => nd::binding(param, is_adjoint),
                Place::Module => code!(),
            };
            let mutable = binding(false);
            list.push(code!(#mutable #name: #ty));
            if let Some(adjoint) = &self.adjoints[at] {
                let (mutable, ty) = (binding(true), adjoint_argument(signature, param, place));
                list.push(code!(#mutable #adjoint: #ty));
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

fn argument(signature: &Signature, param: &Param, place: Place) -> Code {
    let (krate, ty) = (&signature.krate, place.ty(signature, &param.ty));
    let elem = element(&ty);
    match param.kind {
        _ if is_hosted(param) => nd::primal(param, &code!(#krate::runtime)).unwrap_or_else(|| user(&ty)),
        ParamKind::Scalar => elem,
        ParamKind::ScalarRef { mutable: false } => code!(&#elem),
        ParamKind::ScalarRef { mutable: true } => code!(&mut #elem),
        kind if kind.is_output() => code!(&mut #krate::cuda::Buffer<#elem>),
        _ => code!(&#krate::cuda::Buffer<#elem>),
    }
}

fn adjoint_argument(signature: &Signature, param: &Param, place: Place) -> Code {
    let (krate, ty) = (&signature.krate, place.ty(signature, &param.ty));
    let elem = element(&ty);
    match param.kind {
        _ if is_hosted(param) => nd::adjoint(param, &code!(#krate::runtime)).unwrap_or_else(|| adjoint(&ty)),
        ParamKind::Scalar | ParamKind::ScalarRef { .. } => code!(&mut #elem),
        _ => code!(&mut #krate::cuda::Buffer<#elem>),
    }
}

/// The results that have a seed.
fn floats(signature: &Signature) -> Vec<&Returned> {
    let is_float = |it: &&Returned| it.leaves.iter().any(|leaf| leaf.elem.is_float());
    signature.result.members().iter().filter(is_float).collect()
}

fn result_type(signature: &Signature, place: Place) -> Code {
    let tokens = |member: &Returned| user(&place.ty(signature, &member.ty));
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
fn module(signature: &Signature, is_stub: bool, call: impl Fn(&str, Vec<Code>) -> Code) -> Code {
    let arguments = Arguments::of(signature);
    let (krate, function) = (&signature.krate, unraw(&signature.name));
    let (generics, clause) = (user(&signature.generics), user(&signature.generics.where_clause));
    let result = result_type(signature, Place::Module);
    let mut items = Code::new();
    let mut add = |name: &str, what: &str, more: Vec<Code>, seeds: Vec<Code>| {
        let mut declared = arguments.declared(signature, Place::Module);
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
        && one.record.is_none()
        && is_scalar(&one.ty)
    {
        let one = if leaf.elem == Ty::F32 { code!(1.0_f32) } else { code!(1.0_f64) };
        add("grad", "", Vec::new(), vec![one]);
    }
    let seed = Ident::new("seed", Span::mixed_site());
    let types = members.iter().map(|member| user(&Place::Module.ty(signature, &member.ty)));
    let types: Vec<Code> = types.collect();
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
    let bodies = if is_stub {
        code!()
    } else {
        code!(
            use super::Bodies;
        )
    };
    code! {
        #[doc = #doc]
        pub mod cuda {
            #bodies
            #items
        }
    }
}

/// The module of a function that is refused.
pub(super) fn stub(signature: &Signature) -> Code {
    let text = literal::string(&format!("{}: refused, see the compile error", unraw(&signature.name)));
    module(signature, true, |_, _| code!(::core::panic!(#text)))
}

/// Everything that `cuda` adds to the expansion.
pub(super) fn expansion(signature: &Signature, program: &Program) -> Result<Cuda, Vec<Refusal>> {
    let mut arguments = Arguments::of(signature);
    let krate = &signature.krate;
    let runtime = code!(#krate::runtime);
    let host = Host::of(program);
    let (given, hosted) = given(signature, &mut arguments, program);
    let cells = cells(program, &host);
    let names = arguments.names.clone();
    let writer = HostWriter::new(program, &host, &cells, runtime.clone(), names, given, hosted);

    let entry = entry(signature, &arguments, &writer);
    let bindings = writer.bindings();
    let copied: Code = writer.hosted.iter().map(|it| it.bound(&writer)).collect();
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
    let mut declared = arguments.declared(signature, Place::Beside);
    for (seed, member) in arguments.seeds.iter().zip(floats(signature)) {
        let ty = user(&member.ty);
        declared.push(code!(#seed: #ty));
    }
    let result = result_type(signature, Place::Beside);
    let gpu = &arguments.gpu;
    // constants that the function declares in its body
    let consts = signature.consts.iter().map(|item| user(&item));
    let body = code! {
        #[allow(clippy::all, unused_parens, unused_assignments, unused_variables, reason = "generated")]
        fn cuda #generics (#(#declared),*) -> ::core::result::Result<#result, #krate::cuda::Error> #clause {
            static KERNELS: #runtime::cuda::Module = #runtime::cuda::Module {
                text: #text_literal,
                kernels: &[#(#list),*],
            };
            #(#consts)*
            #entry
            #bindings
            let #call = #runtime::cuda::Call::new(#gpu, &KERNELS)?;
            #copied
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
    let module = module(signature, false, |_, list| code!(Bodies::cuda #arguments_of (#(#list),*)));
    Ok(Cuda { module, body, text })
}

fn const_arguments(signature: &Signature) -> Code {
    let names: Vec<Code> = signature.generics.const_params().map(|param| user(&param.ident)).collect();
    if names.is_empty() { code!() } else { code!(::<#(#names),*>) }
}

/// The buffers of the program that are arguments, with their names; and those whose elements lie in values of the host.
fn given(
    signature: &Signature,
    arguments: &mut Arguments,
    program: &Program,
) -> (Vec<(BufferId, Ident, Given)>, Vec<Hosted>) {
    let (mut given, mut hosted) = (Vec::new(), Vec::new());
    let mut buffers = program.params.iter().copied();
    let names = &mut arguments.names;
    let mut host = |id: BufferId, it: Hosted| {
        given.push((id, names.fresh(&program[id].name), Given::Local));
        hosted.push(it);
    };
    let mut plain = Vec::new();
    for (at, param) in signature.params.iter().enumerate() {
        let (name, adjoint) = (&arguments.params[at], arguments.adjoints[at].as_ref());
        let how = if param.kind == ParamKind::Scalar { Given::Value } else { Given::Reference };
        for leaf in &param.leaves {
            if let Some(id) = buffers.next() {
                match is_hosted(param) {
                    true => host(id, Hosted::new(id, name, leaf, param.kind, param.kind.is_output())),
                    false => plain.push((id, name.clone(), how)),
                }
            }
            if let Some(adjoint) = adjoint.filter(|_| leaf.elem.is_float())
                && let Some(id) = buffers.next()
            {
                match is_hosted(param) {
                    true => host(id, Hosted::new(id, adjoint, leaf, param.kind, true)),
                    false => plain.push((id, adjoint.clone(), Given::Reference)),
                }
            }
        }
    }
    for (seed, member) in arguments.seeds.iter().zip(floats(signature)) {
        for leaf in member.leaves.iter().filter(|leaf| leaf.elem.is_float()) {
            let Some(id) = buffers.next() else { continue };
            match member.record.is_none() && is_scalar(&member.ty) {
                true => plain.push((id, seed.clone(), Given::Value)),
                false => host(id, Hosted::new(id, seed, leaf, ParamKind::Array, false)),
            }
        }
    }
    given.extend(plain);
    (given, hosted)
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
            ParamKind::ArrayRef { .. } if !is_hosted(param) => {
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
            ParamKind::NdArray { .. } => {
                if let Some(adjoint) = adjoint {
                    let shown = literal::string(&unraw(adjoint));
                    code.push(code! {
                        if #adjoint.shape() != #name.shape() {
                            #runtime::ndarray::wrong_shape(#function, #shown, #adjoint.shape(), #array, #name.shape())
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
