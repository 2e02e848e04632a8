//! The functions of `f::cuda`: their arguments, and what stands around the statements of the host.

use super::Cuda;
use super::contract_cells::{addresses, cells, initial_cells, read_back};
use super::host::{Given, HostWriter, Parameters};
use super::hosted::{Hosted, is_hosted};
use super::words::{cells_at, cells_name};
use crate::backend::interface::{Access, Argument, Given as Part, Interface, SeedArgument};
use crate::backend::rust::contract_types::{batched, is_scalar, relocated};
use crate::backend::rust::names::{Names, unraw};
use crate::backend::rust::{Code, code, contract_ndarray as nd, in_batch, inside, literal, user};
use crate::frontend::Asked;
use crate::gpu::host::Host;
use crate::ir::{Derivative, Program, Ty};
use crate::modes::{Function, Mode, ON_GPU, Seed, on_gpu};
use crate::signature::{Leaf, ParamKind, ResultShape, Returned, Signature};
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

/// The arguments.
struct Arguments<'a> {
    signature: &'a Signature,
    gpu: Ident,
    interface: Interface<'a>,
    /// How many directions or seeds those that take several take.
    batch: Option<usize>,
    names: Names,
}

impl<'a> Arguments<'a> {
    fn of(signature: &'a Signature, modes: &[Mode], batch: Option<usize>, is_stub: bool) -> Arguments<'a> {
        let mut names = Names::default();
        for ty in [Ty::F64, Ty::F32, Ty::Int(crate::ir::Int::U64)] {
            names.take(&cells_name(ty));
            names.take(&cells_at(ty));
        }
        let interface = Interface::of(signature, modes, batch, is_stub, &mut names);
        let gpu = names.fresh("gpu");
        Arguments { signature, gpu, interface, batch, names }
    }

    /// As they are declared there, seeds apart.
    fn declared(&self, mode: Mode, place: Place) -> Vec<Code> {
        let (krate, gpu) = (&self.signature.krate, &self.gpu);
        let mut list = vec![code!(#gpu: &#krate::cuda::Gpu)];
        for argument in self.interface.of_mode(mode) {
            let (name, ty) = (&argument.name, argument_type(self.signature, argument, place));
            let mutable = match place {
                Place::Beside => nd::binding(argument),
                Place::Module => code!(),
            };
            list.push(code!(#mutable #name: #ty));
        }
        list
    }

    /// What a body of this mode returns where all is well.
    fn output(&self, mode: Mode, place: Place) -> Code {
        let result = result_type(self.signature, place);
        let seeds = self.interface.seeds.iter().filter(|_| mode.returns_tangent());
        let of = |it: &SeedArgument<'_>| user(&self.of_seed(mode, Derivative::Tangent, it, place));
        let types: Vec<Code> = seeds.map(of).collect();
        match &types[..] {
            [] => result,
            [one] => code!((#result, #one)),
            types => code!((#result, (#(#types),*))),
        }
    }

    /// How many there are in a mode of such a derivative of what is returned.
    fn width(&self, mode: Mode, step: Derivative) -> Option<usize> {
        self.batch.filter(|_| mode.is_batched(&[step]))
    }

    /// The type of such a derivative.
    fn of_seed(&self, mode: Mode, step: Derivative, seed: &SeedArgument<'_>, place: Place) -> Type {
        let ty = place.ty(self.signature, &seed.member.ty);
        self.width(mode, step).map_or_else(|| ty.clone(), |width| batched(&ty, width))
    }

    fn forwarded(&self, row: &Function) -> Vec<Code> {
        let gpu = &self.gpu;
        let list = self.interface.of_mode(row.mode).map(|Argument { name, .. }| code!(#name));
        std::iter::once(code!(#gpu)).chain(list).collect()
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

fn argument_type(signature: &Signature, argument: &Argument<'_>, place: Place) -> Code {
    let (krate, ty) = (&signature.krate, place.ty(signature, &argument.param.ty));
    let elem = element(&argument.batch.map_or_else(|| ty.clone(), |width| batched(&ty, width)));
    let read = argument.access == Access::Read;
    match argument.kind() {
        _ if is_hosted(argument) => {
            nd::written_type(argument, &code!(#krate::runtime)).unwrap_or_else(|| argument.written_type(&ty))
        }
        ParamKind::Scalar => elem,
        ParamKind::ScalarRef { .. } if read => code!(&#elem),
        ParamKind::ScalarRef { .. } => code!(&mut #elem),
        _ if read => code!(&#krate::cuda::Buffer<#elem>),
        _ => code!(&mut #krate::cuda::Buffer<#elem>),
    }
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

/// The module inside of `mod f`, whose functions do what `call` says of their arguments.
fn module(
    signature: &Signature,
    modes: &[Mode],
    batch: Option<usize>,
    is_stub: bool,
    call: impl Fn(Mode, Vec<Code>) -> Code,
) -> Code {
    let arguments = Arguments::of(signature, modes, batch, is_stub);
    let function = signature.shown();
    let mut items = Code::new();
    for row in ON_GPU.iter().filter(|row| modes.contains(&row.mode)) {
        let call = |more: Vec<Code>| call(row.mode, [arguments.forwarded(row), more].concat());
        match row.seed {
            Seed::Absent => {
                let what = "computes the tangents of its result and outputs from those of its inputs";
                items.push(declared(&arguments, row, what, None, call(Vec::new())));
                continue;
            }
            Seed::One => {
                let Some(one) = one(signature) else { continue };
                let what = "adds its gradient to the adjoints";
                items.push(declared(&arguments, row, what, None, call(vec![one])));
                continue;
            }
            Seed::Given | Seed::GivenUnlessOne => {}
        }
        let Interface { seed, seeds, .. } = &arguments.interface;
        let of = |it| user(&arguments.of_seed(row.mode, Derivative::Adjoint, it, Place::Module));
        let types: Vec<Code> = seeds.iter().map(of).collect();
        let (more, forwarded) = match &types[..] {
            [] => (None, Vec::new()),
            [ty] => (Some(code!(#seed: #ty)), vec![code!(#seed)]),
            types => {
                let parts = (0..types.len()).map(syn::Index::from);
                (Some(code!(#seed: (#(#types),*))), parts.map(|part| code!(#seed.#part)).collect())
            }
        };
        let what = "adds its gradient to the adjoints for the seed, the adjoint of the result";
        items.push(declared(&arguments, row, what, more, call(forwarded)));
    }
    let doc = literal::string(&format!("The derivatives of `{function}` on NVIDIA GPUs."));
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

/// A function of the module.
fn declared(arguments: &Arguments<'_>, row: &Function, what: &str, seed: Option<Code>, body: Code) -> Code {
    let signature = arguments.signature;
    let (krate, function) = (&signature.krate, signature.shown());
    let (generics, clause) = (user(&signature.generics), user(&signature.generics.where_clause));
    let result = arguments.output(row.mode, Place::Module);
    let mut declared = arguments.declared(row.mode, Place::Module);
    declared.extend(seed);
    let doc = literal::string(&format!(
        "Runs `{function}` on a GPU and {what}. Arrays lie on the device; the first call compiles the kernels.\n\n# Errors\n\nThe \
         device, or what compiles for it, is not there or fails; then what is written is unspecified.\n\n# Panics\n\nWhere \
         `{function}` panics."
    ));
    let name = Ident::new(row.name, Span::mixed_site());
    let allow = if declared.len() > 7 { code!(#[allow(clippy::too_many_arguments)]) } else { code!() };
    code! {
        #[doc = #doc]
        #allow
        pub fn #name #generics (#(#declared),*) -> ::core::result::Result<#result, #krate::cuda::Error> #clause { #body }
    }
}

/// The seed of a function that returns one float and nothing else.
fn one(signature: &Signature) -> Option<Code> {
    match &signature.result {
        ResultShape::One(Returned { ty, leaves, record: None, .. }) if is_scalar(ty) => match leaves[..] {
            [Leaf { elem: Ty::F32, .. }] => Some(code!(1.0_f32)),
            [Leaf { elem: Ty::F64, .. }] => Some(code!(1.0_f64)),
            _ => None,
        },
        _ => None,
    }
}

/// The module of a function that is refused.
pub(super) fn stub(signature: &Signature, asked: Asked) -> Code {
    let text = literal::string(&format!("{}: refused, see the compile error", signature.shown()));
    module(signature, &on_gpu(asked), asked.batch, true, |_, _| code!(::core::panic!(#text)))
}

/// Everything that `cuda` adds to the expansion: of each mode a body by its program.
pub(super) fn expansion(signature: &Signature, programs: &[(Mode, &Program)], batch: Option<usize>) -> Cuda {
    let modes: Vec<Mode> = programs.iter().map(|(mode, _)| *mode).collect();
    let arguments = Arguments::of(signature, &modes, batch, false);
    let mut cuda = Cuda::default();
    for (mode, program) in programs {
        let (body, text) = body(&arguments, *mode, program);
        cuda.body.push(body);
        cuda.text += &text;
    }
    let arguments_of = const_arguments(signature);
    cuda.module = module(signature, &modes, batch, false, |mode, list| {
        let body = body_name(mode);
        code!(Bodies::#body #arguments_of (#(#list),*))
    });
    cuda
}

/// The name of the body of a mode, beside those for the CPU.
fn body_name(mode: Mode) -> Ident {
    Ident::new(&format!("cuda_{}", mode.body()), Span::mixed_site())
}

/// The body of a mode, and the text of its kernels.
fn body(arguments: &Arguments<'_>, mode: Mode, program: &Program) -> (Code, String) {
    let signature = arguments.signature;
    let krate = &signature.krate;
    let runtime = code!(#krate::runtime);
    let host = Host::of(program);
    let mut names = arguments.names.clone();
    let parameters = parameters(arguments, mode, &mut names, program);
    let cells = cells(program, &host);
    let name = body_name(mode);
    let report = Ident::new(&format!("{name}_failed"), Span::mixed_site());
    let writer = HostWriter::new(program, &host, &cells, runtime.clone(), names, report, parameters);

    let entry = entry(&arguments.interface, mode, &writer);
    let bindings = writer.bindings();
    let copied: Code = writer.hosted.iter().map(|it| it.bound(&writer)).collect();
    let addresses: Code = addresses(program, &writer);
    let initial = initial_cells(program, &writer, &cells);
    let body = writer.block(&program.body);
    let tables = writer.uploaded();
    let call = writer.call.clone();
    let kernels = writer.kernels.borrow();
    let text: String = kernels.iter().map(|it| it.text.as_str()).collect();
    let list = kernels.iter().map(|it| {
        let (name, words) = (literal::string(&it.name), literal::usize(it.words));
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
    let tangents = arguments.interface.seeds.iter().filter(|_| mode.returns_tangent());
    let tangents: Vec<&SeedArgument<'_>> = tangents.collect();
    let width = arguments.width(mode, Derivative::Tangent);
    let read = read_back(signature, &tangents, width, &writer, &cells);

    let (generics, clause) = (user(&signature.generics), user(&signature.generics.where_clause));
    let mut declared = arguments.declared(mode, Place::Beside);
    for seed in arguments.interface.seeds.iter().filter(|_| mode.takes_seeds(false)) {
        let name = &seed.name;
        let ty = user(&arguments.of_seed(mode, Derivative::Adjoint, seed, Place::Beside));
        declared.push(code!(#name: #ty));
    }
    let result = arguments.output(mode, Place::Beside);
    let gpu = &arguments.gpu;
    // constants that the function declares in its body
    let consts = signature.consts.iter().map(|item| user(&item));
    let body = code! {
        #[allow(clippy::all, unused_parens, unused_assignments, unused_variables, reason = "generated")]
        fn #name #generics (#(#declared),*) -> ::core::result::Result<#result, #krate::cuda::Error> #clause {
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
    (body, text)
}

fn const_arguments(signature: &Signature) -> Code {
    let names: Vec<Code> = signature.generics.const_params().map(|param| user(&param.ident)).collect();
    if names.is_empty() { code!() } else { code!(::<#(#names),*>) }
}

/// What the parameters of the program are.
fn parameters(arguments: &Arguments<'_>, mode: Mode, names: &mut Names, program: &Program) -> Parameters {
    let (mut given, mut hosted, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for (id, part, leaf) in arguments.interface.parameters(program, mode) {
        let it = match part {
            Part::Argument(it) if is_hosted(it) => {
                let leaf = in_batch(leaf, &it.param.ty, it.batch);
                Hosted::new(id, &it.name, &leaf, it.kind(), it.access != Access::Read)
            }
            Part::Argument(it) => {
                let by_value = it.kind() == ParamKind::Scalar;
                plain.push((id, it.name.clone(), if by_value { Given::Value } else { Given::Reference }));
                continue;
            }
            Part::Seed(seed) if program[id].rank() == 0 && seed.member.record.is_none() => {
                plain.push((id, seed.name.clone(), Given::Value));
                continue;
            }
            Part::Seed(seed) => {
                let leaf = in_batch(leaf, &seed.member.ty, arguments.width(mode, Derivative::Adjoint));
                Hosted::new(id, &seed.name, &leaf, ParamKind::Array, false)
            }
        };
        given.push((id, names.fresh(&program[id].name), Given::Local));
        hosted.push(it);
    }
    given.extend(plain);
    (given, hosted)
}

/// The checks of lengths, before anything is written.
fn entry(interface: &Interface<'_>, mode: Mode, writer: &HostWriter<'_>) -> Code {
    let (runtime, function) = (&writer.runtime, &writer.function);
    let mut code = Code::new();
    for argument in interface.of_mode(mode) {
        let Argument { param, primal, name, .. } = argument;
        let word = literal::string(argument.word());
        let (array, shown) = (literal::string(&unraw(&param.name)), literal::string(&unraw(name)));
        match param.kind {
            ParamKind::Slice { .. } if !argument.is_primal() => code.push(code! {
                if #name.len() != #primal.len() {
                    #runtime::wrong_shape(#function, #word, #shown, #name.len(), #array, #primal.len())
                }
            }),
            ParamKind::ArrayRef { .. } if !is_hosted(argument) => {
                let Some(len) = outer_length(&param.ty) else { continue };
                let shown = if argument.is_primal() { array } else { shown };
                code.push(code! {
                    if #name.len() != #len {
                        #runtime::wrong_length(#function, #shown, #name.len(), #len)
                    }
                });
            }
            ParamKind::NdArray { .. } if !argument.is_primal() => {
                code.push(nd::alike(argument, runtime, function, (&word, &shown), &array));
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
